/* SPDX-License-Identifier: BSD-3-Clause */
#include "engine_private.h"

#include <rte_cycles.h>
#include <rte_launch.h>
#include <rte_pause.h>

#include <errno.h>
#include <stdatomic.h>
#include <string.h>
#include <time.h>

#include "tags.h"

/*
 * The far end of a round-trip measurement. Workers own queues as in a trial, and send each frame
 * back on the queue pair it came by, in its own buffer. Main sleeps, looks after the kernel's rings
 * and tells how it goes.
 */

#define TICK_NS 5000000u

/* One queue pair. Counters: worker: wo, main: ro. */
struct reflect_queue {
	uint16_t port_id, queue_id;
	uint16_t port; /* in the plan */
	const struct host_if *hif;
	_Atomic uint64_t rx, reflected, answered, ignored, dropped;
} __rte_cache_aligned;

struct reflect {
	const struct engine_reflect *spec;
	struct rte_mempool *ctl_pool;
	_Atomic uint64_t budget; /* frames still to be sent back; not used when unlimited */
	_Atomic bool stop;	 /* main: wo, workers: ro */
};

struct reflect_worker {
	struct reflect *shared;
	struct reflect_queue **queues;
	unsigned nb_queues;
	uint8_t *scratch; /* HOST_FRAME_MAX bytes */
};

/* ---- a worker ---- */

static inline void count(_Atomic uint64_t *counter, uint64_t nb)
{
	atomic_store_explicit(counter, atomic_load_explicit(counter, memory_order_relaxed) + nb,
		memory_order_relaxed);
}

/* Frames of a burst that may still go back under packet-count. */
static uint16_t budget_take(struct reflect *r, uint16_t nb)
{
	uint64_t left;

	if (r->spec->packet_count == UINT64_MAX)
		return nb;
	left = atomic_load_explicit(&r->budget, memory_order_relaxed);
	while (!atomic_compare_exchange_weak_explicit(&r->budget, &left, left > nb ? left - nb : 0,
		memory_order_relaxed, memory_order_relaxed))
		;
	return left > nb ? nb : (uint16_t)left;
}

static void budget_return(struct reflect *r, uint16_t nb)
{
	if (r->spec->packet_count != UINT64_MAX)
		atomic_fetch_add_explicit(&r->budget, nb, memory_order_relaxed);
}

/* A frame that comes from our own address was ours: it would go round for ever. */
static bool is_wanted(
	const struct reflect *r, const struct reflect_queue *q, const uint8_t *frame, unsigned len)
{
	struct pkt_rx rx;

	if (len < UNITS_ETH_BYTES || units_mac_number(frame + 6) == q->hif->mac)
		return false;
	if (!r->spec->only_test)
		return units_mac_number(frame) == q->hif->mac;
	pkt_parse(frame, len, r->spec->test_id, &rx);
	return rx.cls == PKT_TEST || rx.cls == PKT_BAD;
}

static void answer(struct reflect_worker *w, struct reflect_queue *q, unsigned len)
{
	struct rte_mbuf *m = rte_pktmbuf_alloc(w->shared->ctl_pool);

	if (m != NULL && len <= rte_pktmbuf_tailroom(m)) {
		memcpy(rte_pktmbuf_append(m, (uint16_t)len), w->scratch, len);
		if (rte_eth_tx_burst(q->port_id, q->queue_id, &m, 1) == 1) {
			count(&q->answered, 1);
			return;
		}
	}
	rte_pktmbuf_free(m);
	count(&q->dropped, 1);
}

/* True: turned round, the buffer is to be sent. Otherwise all is done but freeing it. */
static bool frame_take(struct reflect_worker *w, struct reflect_queue *q, struct rte_mbuf *m)
{
	uint8_t *frame = rte_pktmbuf_mtod(m, uint8_t *);
	unsigned len = rte_pktmbuf_data_len(m), reply_len = 0;
	enum host_verdict verdict = host_input(q->hif, frame, len, w->scratch, &reply_len);

	if (verdict == HOST_ANSWER) {
		answer(w, q, reply_len);
		return false;
	}
	if (verdict == HOST_NOT_OURS && m->nb_segs == 1 && is_wanted(w->shared, q, frame, len) &&
		pkt_reflect(frame, len))
		return true;
	count(&q->ignored, 1);
	return false;
}

static unsigned queue_poll(struct reflect_worker *w, struct reflect_queue *q)
{
	struct rte_mbuf *burst[ENGINE_BURST], *back[ENGINE_BURST];
	uint16_t nb = rte_eth_rx_burst(q->port_id, q->queue_id, burst, ENGINE_BURST);
	uint16_t nb_back = 0, allowed, sent;

	for (uint16_t i = 0; i < nb; i++) {
		tags_restore(&burst[i]);
		if (frame_take(w, q, burst[i]))
			back[nb_back++] = burst[i];
		else
			rte_pktmbuf_free(burst[i]);
	}
	if (nb_back > 0) {
		allowed = budget_take(w->shared, nb_back);
		sent = rte_eth_tx_burst(q->port_id, q->queue_id, back, allowed);
		budget_return(w->shared, allowed - sent);
		rte_pktmbuf_free_bulk(back + sent, nb_back - sent);
		count(&q->reflected, sent);
		count(&q->dropped, allowed - sent);
		count(&q->ignored, nb_back - allowed);
	}
	count(&q->rx, nb);
	return nb;
}

static int reflect_main(void *arg)
{
	struct reflect_worker *w = arg;

	while (!atomic_load_explicit(&w->shared->stop, memory_order_relaxed)) {
		unsigned nb = 0;

		for (unsigned i = 0; i < w->nb_queues; i++)
			nb += queue_poll(w, w->queues[i]);
		if (nb == 0)
			rte_pause();
	}
	return 0;
}

/* ---- main ---- */

static uint64_t mono_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (uint64_t)ts.tv_sec * UNITS_NS_PER_S + (uint64_t)ts.tv_nsec;
}

static struct reflect_queue *queues_make(struct engine *engine)
{
	const struct plan *plan = engine->plan;
	struct reflect_queue *queues =
		engine_mem_get(&engine->mem, plan->nb_queues * sizeof(*queues), -1);

	for (unsigned q = 0; queues != NULL && q < plan->nb_queues; q++) {
		const struct engine_port *port = &engine->ports[plan->queues[q].port];

		queues[q].port_id = port->id;
		queues[q].queue_id = plan->queues[q].queue;
		queues[q].port = plan->queues[q].port;
		queues[q].hif = &port->hif;
	}
	return queues;
}

static struct reflect_worker *workers_make(
	struct engine *engine, struct reflect *r, struct reflect_queue *queues)
{
	const struct plan *plan = engine->plan;
	struct reflect_worker *workers =
		engine_mem_get(&engine->mem, plan->nb_workers * sizeof(*workers), -1);

	for (unsigned i = 0; workers != NULL && i < plan->nb_workers; i++) {
		struct reflect_worker *w = &workers[i];

		w->shared = r;
		w->scratch = engine_mem_get(&engine->mem, HOST_FRAME_MAX, -1);
		w->queues = engine_mem_get(&engine->mem, plan->nb_queues * sizeof(*w->queues), -1);
		if (w->scratch == NULL || w->queues == NULL)
			return NULL;
		for (unsigned q = 0; q < plan->nb_queues; q++)
			if (plan->queues[q].worker == i)
				w->queues[w->nb_queues++] = &queues[q];
	}
	return workers;
}

static int launch(struct engine *engine, struct reflect_worker *workers, struct err *err)
{
	for (unsigned i = 0; i < engine->plan->nb_workers; i++) {
		int rc = 0;

		if (workers[i].nb_queues > 0)
			rc = rte_eal_remote_launch(reflect_main, &workers[i], i + 1);
		if (rc < 0)
			return err_device(
				err, -rc, "worker on CPU %u", engine->plan->workers[i].cpu);
	}
	return 0;
}

static void counts_read(const struct engine *engine, const struct reflect_queue *queues,
	struct engine_reflect_counts *out)
{
	memset(out, 0, engine->nb_ports * sizeof(*out));
	for (unsigned i = 0; i < engine->plan->nb_queues; i++) {
		const struct reflect_queue *q = &queues[i];
		struct engine_reflect_counts *c = &out[q->port];

		c->rx += atomic_load_explicit(&q->rx, memory_order_relaxed);
		c->reflected += atomic_load_explicit(&q->reflected, memory_order_relaxed);
		c->answered += atomic_load_explicit(&q->answered, memory_order_relaxed);
		c->ignored += atomic_load_explicit(&q->ignored, memory_order_relaxed);
		c->dropped += atomic_load_explicit(&q->dropped, memory_order_relaxed);
	}
}

/* af_packet keeps accepted frames in its ring until somebody kicks its socket. */
static void rings_kick(const struct engine *engine)
{
	for (unsigned p = 0; p < engine->nb_ports; p++)
		if (port_tx_pending(&engine->ports[p]) > 0)
			for (unsigned s = 0; s < engine->ports[p].nb_sockets; s++)
				kernel_socket_kick(&engine->ports[p].sockets[s]);
}

static bool count_reached(const struct engine *engine, const struct engine_reflect *spec,
	const struct reflect_queue *queues)
{
	uint64_t nb = 0;

	for (unsigned i = 0; i < engine->plan->nb_queues; i++)
		nb += atomic_load_explicit(&queues[i].reflected, memory_order_relaxed);
	return nb >= spec->packet_count;
}

static void serve(struct engine *engine, const struct engine_reflect *spec,
	const struct reflect_queue *queues, struct engine_reflect_counts *out)
{
	uint64_t start = mono_ns(), next = UNITS_NS_PER_S, elapsed = 0;
	const struct timespec tick = {.tv_nsec = TICK_NS};

	while (!engine_stopped(engine) && !count_reached(engine, spec, queues) &&
		(spec->duration_ns == 0 || elapsed < spec->duration_ns)) {
		nanosleep(&tick, NULL);
		rings_kick(engine);
		elapsed = mono_ns() - start;
		if (elapsed < next)
			continue;
		counts_read(engine, queues, out);
		spec->on_second(spec->ctx, out, elapsed);
		next += UNITS_NS_PER_S;
	}
}

/* What a kernel ring still holds was never sent; what was lost before it was read is told. */
static void counts_finish(struct engine *engine, const struct rte_eth_stats *before,
	const struct reflect_queue *queues, struct engine_reflect_counts *out)
{
	counts_read(engine, queues, out);
	for (unsigned p = 0; p < engine->nb_ports; p++) {
		struct engine_port *port = &engine->ports[p];
		struct rte_eth_stats now = {0};
		uint64_t pending;

		port_kick(port);
		pending = port_tx_pending(port);
		pending = pending < out[p].reflected ? pending : out[p].reflected;
		out[p].reflected -= pending;
		out[p].dropped += pending;
		rte_eth_stats_get(port->id, &now);
		out[p].rx_missed = now.imissed + now.ierrors + now.rx_nombuf - before[p].imissed -
				   before[p].ierrors - before[p].rx_nombuf +
				   port_kernel_drops(port);
	}
}

int engine_reflect(struct engine *engine, const struct engine_reflect *spec,
	struct engine_reflect_counts *out, struct err *err)
{
	struct reflect r = {
		.spec = spec, .ctl_pool = engine->ctl_pool, .budget = spec->packet_count};
	struct reflect_queue *queues = queues_make(engine);
	struct reflect_worker *workers = queues != NULL ? workers_make(engine, &r, queues) : NULL;
	struct rte_eth_stats before[PLAN_MAX_PORTS] = {0};
	int rc;

	if (workers == NULL)
		return err_device(err, ENOMEM, "reflect");
	for (unsigned p = 0; p < engine->nb_ports; p++) {
		port_kernel_drops(&engine->ports[p]); /* reading clears */
		rte_eth_stats_get(engine->ports[p].id, &before[p]);
	}
	rc = launch(engine, workers, err);
	if (rc == 0)
		serve(engine, spec, queues, out);
	atomic_store_explicit(&r.stop, true, memory_order_relaxed);
	rte_eal_mp_wait_lcore();
	counts_finish(engine, before, queues, out);
	return rc;
}
