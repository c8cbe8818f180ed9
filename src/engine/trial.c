/* SPDX-License-Identifier: BSD-3-Clause */
#include "health.h"
#include "load.h"

#include <rte_cycles.h>
#include <rte_launch.h>

#include <assert.h>
#include <errno.h>
#include <string.h>
#include <time.h>

#include "tgen/log.h"

/*
 * One trial: empty the queues, remember all counters, start the workers together, look after rows
 * and links every few milliseconds, drain, stop, add up.
 */

#define TICK_NS		       5000000u
#define LINK_CHECK_TICKS       20u
#define START_DELAY_NS	       5000000ull  /* all workers must be waiting by then */
#define START_LANE_NS	       300ull	   /* a lane more to be scheduled before */
#define LEARN_NS	       50000000ull /* between announcement and start */
#define EMPTY_ROUNDS_MAX       1000u
#define KERNEL_COUNTER_TRIES   25u
#define KERNEL_COUNTER_WAIT_NS 100000000u

struct watch {
	struct rte_eth_stats stats[PLAN_MAX_PORTS];
	uint64_t tx_other[PLAN_MAX_PORTS];
	uint64_t kernel_tx[PLAN_MAX_PORTS]; /* of kernel interfaces */
	uint64_t pause_rx[PLAN_MAX_PORTS], pause_tx[PLAN_MAX_PORTS];
	bool steal_known;
	uint64_t steal_ns, begin_tsc;
	uint64_t next_row;  /* epoch */
	uint64_t nb_epochs; /* UINT64_MAX until sending is over */
	uint64_t duration_ns, send_ns;
	unsigned ticks;
	bool interrupted;
	int rows_rc;
};

static void sleep_ns(uint64_t ns)
{
	struct timespec ts = {
		.tv_sec = (time_t)(ns / 1000000000u), .tv_nsec = (long)(ns % 1000000000u)};

	nanosleep(&ts, NULL);
}

static uint64_t unix_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_REALTIME, &ts);
	return (uint64_t)ts.tv_sec * 1000000000u + (uint64_t)ts.tv_nsec;
}

/* Bridges learn where every source is, and old frames leave the queues. */
static void prepare(struct engine *engine, struct watch *watch)
{
	uint64_t until = rte_rdtsc() + clock_ns_ticks(&engine->clock, LEARN_NS);
	unsigned rounds = 0;

	hostio_announce(engine);
	while (rte_rdtsc() < until) {
		hostio_poll(engine, NULL, 0);
		sleep_ns(1000000);
	}
	while (hostio_poll(engine, NULL, 0) > 0 && ++rounds < EMPTY_ROUNDS_MAX)
		;
	for (unsigned p = 0; p < engine->nb_ports; p++) {
		struct engine_port *port = &engine->ports[p];

		port_kernel_drops(port); /* reading clears: from here on they are this trial's */
		rte_eth_stats_get(port->id, &watch->stats[p]);
		watch->tx_other[p] = port->tx_other;
		watch->kernel_tx[p] = port_kernel_tx(port);
		health_pause(port->id, &watch->pause_rx[p], &watch->pause_tx[p]);
		engine->load->ports[p].link_up = port_link_up(port);
	}
}

/* How much the workers' CPUs were there for us since the trial began. */
static void health_begin(const struct engine *engine, struct watch *watch)
{
	watch->steal_known = health_steal_ns(engine->plan, &watch->steal_ns);
	watch->begin_tsc = rte_rdtsc();
}

static void workers_reset(struct engine *engine)
{
	struct load *load = engine->load;
	const struct plan *plan = engine->plan;
	struct trial_shared *sh = &load->shared;

	atomic_store_explicit(&sh->reader.returned, 0, memory_order_relaxed);
	atomic_store_explicit(&sh->phase, TRIAL_SEND, memory_order_relaxed);
	for (unsigned i = 0; i < plan->nb_workers; i++) {
		struct worker *w = &load->workers[i];

		epoch_worker_init(&w->epoch, &sh->reader, plan->interval_ns, plan->grace_ns);
		w->cur_epoch = w->tx_epoch_last = 0;
		w->epoch_ticks = clock_ns_ticks(&sh->clock, plan->interval_ns);
		w->epoch_end_tsc = sh->start_tsc + w->epoch_ticks;
		w->tx_epoch_max = UINT64_MAX;
		if (sh->end_tsc != UINT64_MAX)
			w->tx_epoch_max = (sh->end_tsc - sh->start_tsc - 1) / w->epoch_ticks;
		w->catch_up_tsc = clock_ns_ticks(&sh->clock, LOAD_CATCH_UP_NS);
		w->late_tsc = clock_ns_ticks(&sh->clock, RESULT_LATE_NS);
		w->queue_full = w->send_end_tsc = w->late_bursts = w->catch_up = 0;
		w->use = (struct worker_use){0};
		hist_reset(&w->gaps->lag);
		hist_reset(&w->gaps->longer);
		hist_reset(&w->gaps->shorter);
		w->ended = false;
		atomic_store_explicit(&w->pub_sent, 0, memory_order_relaxed);
		atomic_store_explicit(&w->pub_good, 0, memory_order_relaxed);
		atomic_store_explicit(&w->tx_done, false, memory_order_relaxed);
	}
}

static void start(struct engine *engine, const struct trial_spec *spec)
{
	struct trial_shared *sh = &engine->load->shared;
	uint64_t delay_ns = START_DELAY_NS + START_LANE_NS * engine->plan->nb_lanes;

	clock_calibrate(&engine->clock, engine->clock_start);
	sh->clock = engine->clock;
	load_reset(engine); /* before the start is set: with many streams it outlasts the delay */
	sh->start_tsc = rte_rdtsc() + clock_ns_ticks(&sh->clock, delay_ns);
	sh->start_ns = clock_ns(&sh->clock, sh->start_tsc) & SIG_TIME_MASK;
	sh->end_tsc = UINT64_MAX;
	if (spec->duration_ns != 0)
		sh->end_tsc = sh->start_tsc + clock_ns_ticks(&sh->clock, spec->duration_ns);
	load_schedule(engine, sh->start_tsc);
	workers_reset(engine);
}

/* The trial's start on the wall clock. */
static uint64_t start_unix(const struct engine *engine)
{
	const struct trial_shared *sh = &engine->load->shared;
	int64_t ahead = (int64_t)(sh->start_tsc - rte_rdtsc());

	return unix_ns() + (ahead > 0 ? clock_ticks_ns(&sh->clock, (uint64_t)ahead) : 0);
}

static int launch(struct engine *engine, struct err *err)
{
	for (unsigned i = 0; i < engine->plan->nb_workers; i++) {
		struct worker *w = &engine->load->workers[i];
		int rc = rte_eal_remote_launch(worker_main, w, w->lcore);

		if (rc < 0)
			return err_device(
				err, -rc, "worker on CPU %u", engine->plan->workers[i].cpu);
	}
	return 0;
}

static bool all_tx_done(const struct engine *engine)
{
	for (unsigned i = 0; i < engine->plan->nb_workers; i++)
		if (!atomic_load_explicit(&engine->load->workers[i].tx_done, memory_order_acquire))
			return false;
	return true;
}

/* Sending is over on all workers: how long it was, and how many rows there will be. */
static void sending_over(struct engine *engine, struct watch *watch)
{
	const struct trial_shared *sh = &engine->load->shared;
	uint64_t end = sh->start_tsc, last = 0;

	for (unsigned i = 0; i < engine->plan->nb_workers; i++) {
		const struct worker *w = &engine->load->workers[i];

		if (w->send_end_tsc > end)
			end = w->send_end_tsc;
		if (w->tx_epoch_last > last)
			last = w->tx_epoch_last;
	}
	watch->send_ns = clock_ticks_ns(&sh->clock, end - sh->start_tsc);
	if (end == sh->end_tsc)
		watch->send_ns = watch->duration_ns; /* not what rounding to ticks made of it */
	if (watch->send_ns == 0)
		watch->send_ns = 1;
	watch->nb_epochs = last + 1;
	/* a schedule may fall silent before the time is over: the rows of its silence are rows */
	if (end == sh->end_tsc &&
		watch->nb_epochs <= (watch->send_ns - 1) / engine->plan->interval_ns)
		watch->nb_epochs = 1 + (watch->send_ns - 1) / engine->plan->interval_ns;
}

static void rows_ready(struct engine *engine, const struct result_info *info,
	const struct trial_spec *spec, struct watch *watch)
{
	const struct plan *plan = engine->plan;
	const struct epoch_worker *workers[RTE_MAX_LCORE];

	for (unsigned i = 0; i < plan->nb_workers; i++)
		workers[i] = &engine->load->workers[i].epoch;
	while (watch->next_row < watch->nb_epochs &&
		epoch_reader_owns(workers, plan->nb_workers, watch->next_row)) {
		uint64_t length = plan->interval_ns, from = watch->next_row * plan->interval_ns;
		unsigned nb;

		if (watch->nb_epochs == UINT64_MAX && all_tx_done(engine))
			sending_over(engine, watch);
		if (watch->nb_epochs != UINT64_MAX && watch->send_ns > from &&
			watch->send_ns - from < length)
			length = watch->send_ns - from;
		nb = rows_collect(engine, info, watch->next_row, length);
		epoch_reader_return(&engine->load->shared.reader, watch->next_row);
		watch->next_row++;
		if (spec->on_rows != NULL && watch->rows_rc == 0)
			watch->rows_rc = spec->on_rows(spec->ctx, engine->load->rows, nb);
	}
}

static void links_check(struct engine *engine)
{
	for (unsigned p = 0; p < engine->nb_ports; p++) {
		struct result_port_counts *counts = &engine->load->ports[p];
		bool up = port_link_up(&engine->ports[p]);

		if (up != counts->link_up)
			counts->link_changed = true;
		counts->gone |= port_is_gone(&engine->ports[p]);
		counts->link_up = up;
	}
}

static void tick(struct engine *engine, const struct result_info *info,
	const struct trial_spec *spec, struct watch *watch)
{
	sleep_ns(TICK_NS);
	rows_ready(engine, info, spec, watch);
	if (++watch->ticks % LINK_CHECK_TICKS == 0)
		links_check(engine);
	/* af_packet keeps accepted frames in its ring until somebody kicks its socket */
	for (unsigned p = 0; p < engine->nb_ports; p++)
		if (port_tx_pending(&engine->ports[p]) > 0)
			for (unsigned s = 0; s < engine->ports[p].nb_sockets; s++)
				kernel_socket_kick(&engine->ports[p].sockets[s]);
}

static void send_phase(struct engine *engine, const struct result_info *info,
	const struct trial_spec *spec, struct watch *watch)
{
	struct trial_shared *sh = &engine->load->shared;

	while (!all_tx_done(engine)) {
		tick(engine, info, spec, watch);
		if ((engine_stopped(engine) || watch->rows_rc < 0) && !watch->interrupted) {
			watch->interrupted = true;
			atomic_store_explicit(&sh->phase, TRIAL_DRAIN, memory_order_release);
		}
	}
	atomic_store_explicit(&sh->phase, TRIAL_DRAIN, memory_order_release);
	sending_over(engine, watch);
	for (unsigned p = 0; p < engine->nb_ports; p++)
		port_kick(&engine->ports[p]);
}

static void drain_phase(struct engine *engine, const struct result_info *info,
	const struct trial_spec *spec, struct watch *watch)
{
	struct trial_shared *sh = &engine->load->shared;
	uint64_t until = rte_rdtsc() + clock_ns_ticks(&sh->clock, engine->plan->drain_ns);

	for (;;) {
		uint64_t sent = 0, good = 0;

		for (unsigned i = 0; i < engine->plan->nb_workers; i++) {
			const struct worker *w = &engine->load->workers[i];

			sent += atomic_load_explicit(&w->pub_sent, memory_order_relaxed);
			good += atomic_load_explicit(&w->pub_good, memory_order_relaxed);
		}
		if (good >= sent || rte_rdtsc() >= until)
			break;
		tick(engine, info, spec, watch);
	}
	atomic_store_explicit(&sh->phase, TRIAL_STOP, memory_order_release);
	rte_eal_mp_wait_lcore();
	for (unsigned i = 0; i < engine->plan->nb_workers; i++)
		epoch_worker_finish(&engine->load->workers[i].epoch, watch->nb_epochs);
	rows_ready(engine, info, spec, watch);
	links_check(engine);
}

/* Which lanes the frames belong to that are still in a kernel ring: they were never sent. */
static uint64_t undelivered_find(struct engine *engine)
{
	struct load *load = engine->load;
	uint64_t nb = 0;

	for (unsigned p = 0; p < engine->nb_ports; p++) {
		const struct engine_port *port = &engine->ports[p];

		for (unsigned s = 0; s < port->nb_sockets; s++) {
			for (unsigned i = 0; i < port->sockets[s].nb_frames; i++) {
				const uint8_t *frame;
				unsigned len;
				struct pkt_rx rx;

				if (!kernel_socket_tx_frame(&port->sockets[s], i, &frame, &len))
					continue;
				pkt_parse(frame, len, engine->plan->test_id, &rx);
				if (rx.cls != PKT_TEST || rx.sig.lane >= engine->plan->nb_lanes)
					continue;
				load->undelivered[rx.sig.lane]++;
				load->undelivered_byte[rx.sig.lane] += len;
				nb++;
			}
		}
	}
	return nb;
}

/* Every frame in exactly one class, and as many as the port says. */
static bool port_conserved(struct engine *engine, unsigned p, const struct rte_eth_stats *before)
{
	const struct engine_port *port = &engine->ports[p];
	struct result_port_counts *c = &engine->load->ports[p];
	struct rte_eth_stats now = {0};
	uint64_t sum = c->good + c->duplicate + c->bad + c->misrouted + c->stray + c->fragment +
		       c->returned + c->host + c->unknown;

	rte_eth_stats_get(port->id, &now);
	c->rx_all = now.ipackets - before->ipackets;
	c->rx_missed = now.imissed + now.ierrors + now.rx_nombuf - before->imissed -
		       before->ierrors - before->rx_nombuf;
	if (!port->kind->counts_in_software)
		return true;
	if (c->rx_all != sum)
		log_error("port %s: the driver counted %llu received frames, the classes add up to "
			  "%llu",
			port->name, (unsigned long long)c->rx_all, (unsigned long long)sum);
	return c->rx_all == sum;
}

/*
 * Frames the driver accepted and the interface's own counter lacks: dropped between the two. Drivers
 * of real cards may be seconds behind with their counters; they are given the time when it matters.
 */
static uint64_t kernel_short(
	const struct engine_port *port, const struct result_port_counts *c, uint64_t before)
{
	uint64_t accepted = c->tx_test + c->tx_other, sent = 0;

	if (!port->kind->has_kernel_if || c->gone)
		return 0;
	for (unsigned i = 0; i < KERNEL_COUNTER_TRIES; i++) {
		sent = port_kernel_tx(port) - before;
		if (sent >= accepted)
			return 0;
		sleep_ns(KERNEL_COUNTER_WAIT_NS);
	}
	return accepted - sent;
}

static void ports_finish(
	struct engine *engine, const struct watch *watch, struct trial_result *result)
{
	result->conserved = true;
	for (unsigned p = 0; p < engine->nb_ports; p++) {
		struct engine_port *port = &engine->ports[p];
		struct result_port_counts *c = &engine->load->ports[p];

		c->rx_kernel_known = port->nb_sockets > 0;
		c->rx_kernel_dropped = port_kernel_drops(port);
		c->tx_other += port->tx_other - watch->tx_other[p];
		c->tx_kernel_short = kernel_short(port, c, watch->kernel_tx[p]);
		c->duplex = port_duplex(port);
		c->rx_missed_known = port->kind->counts_missed;
		c->pause_known = health_pause(port->id, &c->pause_rx, &c->pause_tx);
		c->pause_rx -= watch->pause_rx[p];
		c->pause_tx -= watch->pause_tx[p];
		if (!port_conserved(engine, p, &watch->stats[p]))
			result->conserved = false;
	}
}

/* Streams of which a sequence came before it was sent: somebody else's, with our test-id. */
static unsigned foreign_count(const struct engine *engine)
{
	const struct plan *plan = engine->plan;
	unsigned nb = 0, last = UINT32_MAX;

	for (unsigned l = 0; l < plan->nb_lanes; l++) {
		bool foreign = false;

		for (unsigned q = 0; q < plan->nb_queues; q++)
			foreign |= engine->load->queues[q].rx.colds[l].foreign;
		if (foreign && plan->lanes[l].stream != last) {
			nb++;
			last = plan->lanes[l].stream;
		}
	}
	return nb;
}

/* What the workers' cores did. */
static void use_finish(struct engine *engine, struct result_health *h)
{
	const struct plan *plan = engine->plan;
	struct load *load = engine->load;

	for (unsigned l = 0; l < plan->nb_lanes; l++)
		load->workers[plan->queues[plan->lanes[l].queue].worker].use.tx_frames +=
			tx_lane_sent(&load->lanes[l]);
	for (unsigned i = 0; i < plan->nb_workers; i++) {
		const struct worker_use *use = &load->workers[i].use;

		load->use[i] = (struct result_worker){.cpu = plan->workers[i].cpu,
			.tx_ticks = use->tx_tsc,
			.rx_ticks = use->rx_tsc,
			.idle_ticks = use->idle_tsc,
			.tx_frames = use->tx_frames,
			.rx_frames = use->rx_frames};
	}
	for (unsigned q = 0; q < plan->nb_queues; q++)
		load->use[plan->queues[q].worker].ports |= UINT64_C(1) << plan->queues[q].port;
	h->workers = load->use;
	h->nb_workers = plan->nb_workers;
}

static void health_finish(
	struct engine *engine, const struct watch *watch, struct trial_result *result)
{
	struct result_health *h = &result->health;
	/* the first worker's hold all; they are at rest until the next trial empties them */
	struct tx_gaps *gaps = engine->load->workers[0].gaps;
	uint64_t steal_ns;

	for (unsigned i = 0; i < engine->plan->nb_workers; i++) {
		const struct worker *w = &engine->load->workers[i];

		h->queue_full += w->queue_full;
		h->late_bursts += w->late_bursts;
		h->catch_up += w->catch_up;
		if (i == 0)
			continue;
		hist_merge(&gaps->lag, &w->gaps->lag);
		hist_merge(&gaps->longer, &w->gaps->longer);
		hist_merge(&gaps->shorter, &w->gaps->shorter);
	}
	h->schedule_error = &gaps->lag;
	h->gap_longer = &gaps->longer;
	h->gap_shorter = &gaps->shorter;
	use_finish(engine, h);
	h->unsent = result->total.n.unsent;
	result_latency_of(&h->lag, &gaps->lag);
	h->steal_known = watch->steal_known && health_steal_ns(engine->plan, &steal_ns);
	h->steal_ns = h->steal_known && steal_ns > watch->steal_ns ? steal_ns - watch->steal_ns : 0;
	h->cpu_ns = engine->plan->nb_workers *
		    clock_ticks_ns(&engine->clock, rte_rdtsc() - watch->begin_tsc);
}

int engine_trial(struct engine *engine, const struct result_info *info,
	const struct trial_spec *spec, struct trial_result *result, struct err *err)
{
	struct watch watch = {.nb_epochs = UINT64_MAX, .duration_ns = spec->duration_ns};
	struct result_info named = *info;
	struct load *load = engine->load;

	assert(load != NULL);
	load->spec = spec;
	*result = (struct trial_result){0};
	memset(load->ports, 0, engine->nb_ports * sizeof(*load->ports));
	prepare(engine, &watch);
	start(engine, spec);
	health_begin(engine, &watch);
	named.start_unix_ns = start_unix(engine);
	if (launch(engine, err) < 0) {
		atomic_store(&engine->load->shared.phase, TRIAL_STOP);
		rte_eal_mp_wait_lcore();
		return -EIO;
	}
	if (spec->on_start != NULL)
		watch.rows_rc = spec->on_start(spec->ctx, named.start_unix_ns);
	send_phase(engine, &named, spec, &watch);
	drain_phase(engine, &named, spec, &watch);
	result->start_unix_ns = named.start_unix_ns;
	result->send_ns = watch.send_ns;
	result->interrupted = watch.interrupted;
	result->undelivered = undelivered_find(engine);
	rows_totals(engine, &named, result);
	health_finish(engine, &watch, result);
	ports_finish(engine, &watch, result);
	result->foreign = foreign_count(engine);
	result->latency = rows_latency;
	result->latency_ctx = engine;
	return watch.rows_rc;
}
