/* SPDX-License-Identifier: BSD-3-Clause */
#include "load.h"

#include <rte_errno.h>

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* ---- memory ---- */

static bool wants_hist(const struct plan *plan, unsigned lane, unsigned port)
{
	const struct plan_stream *s = &plan->streams[plan->lanes[lane].stream];

	return !s->transmit_only && (s->route.rx_port < 0 || s->route.rx_port == (int)port);
}

static bool wants_detail(const struct plan *plan)
{
	return plan->nb_streams <= LOAD_INTERVAL_HIST_STREAMS;
}

static size_t queue_bytes(const struct plan *plan, unsigned q, unsigned nb_mine)
{
	unsigned per_lane = wants_detail(plan) ? 1 + EPOCH_SLOTS : 1;
	size_t bytes = plan->nb_lanes * sizeof(struct rx_lane);

	for (unsigned l = 0; l < plan->nb_lanes; l++)
		if (wants_hist(plan, l, plan->queues[q].port))
			bytes += per_lane * sizeof(struct hist) +
				 (wants_detail(plan) ? sizeof(struct rx_detail) : 0);
	bytes += nb_mine * (sizeof(struct tx_class) + sizeof(struct tx_lane *));
	return bytes;
}

static unsigned lanes_of_queue(const struct plan *plan, unsigned q)
{
	unsigned nb = 0;

	for (unsigned l = 0; l < plan->nb_lanes; l++)
		nb += plan->lanes[l].queue == q;
	return nb;
}

static int queue_memory(struct engine *engine, struct load *load, unsigned q)
{
	const struct plan *plan = engine->plan;
	struct worker_queue *wq = &load->queues[q];
	int node = engine->ports[plan->queues[q].port].node;
	unsigned nb_mine = lanes_of_queue(plan, q), per_lane = 1;
	struct rx_detail *d = NULL;
	struct hist *h;
	size_t nb_hists = 0;

	wq->rx.lanes = engine_mem_get(&engine->mem, plan->nb_lanes * sizeof(struct rx_lane), node);
	wq->tx.classes = engine_mem_get(&engine->mem, nb_mine * sizeof(struct tx_class), node);
	wq->tx.lane_refs = engine_mem_get(&engine->mem, nb_mine * sizeof(struct tx_lane *), node);
	if (wants_detail(plan))
		per_lane += EPOCH_SLOTS;
	for (unsigned l = 0; l < plan->nb_lanes; l++)
		nb_hists += wants_hist(plan, l, plan->queues[q].port) ? per_lane : 0;
	h = engine_mem_get(&engine->mem, nb_hists * sizeof(*h), node);
	if (wants_detail(plan)) {
		d = engine_mem_get(&engine->mem, nb_hists / per_lane * sizeof(*d), node);
		if (d == NULL)
			return -ENOMEM;
	}
	if (wq->rx.lanes == NULL || wq->tx.classes == NULL || wq->tx.lane_refs == NULL || h == NULL)
		return -ENOMEM;
	for (unsigned l = 0; l < plan->nb_lanes; l++) {
		if (!wants_hist(plan, l, plan->queues[q].port))
			continue;
		wq->rx.lanes[l].detail = d != NULL ? d++ : NULL;
		wq->rx.lanes[l].hist = h++;
		for (unsigned s = 0; s + 1 < per_lane; s++)
			wq->rx.lanes[l].hist_slot[s] = h++;
	}
	wq->tx.port_id = wq->rx.port_id = engine->ports[plan->queues[q].port].id;
	wq->tx.queue_id = wq->rx.queue_id = plan->queues[q].queue;
	wq->rx.port = plan->queues[q].port;
	wq->rx.csum_in_hardware = engine->ports[wq->rx.port].csum_in_hardware;
	return 0;
}

/* Ports with several rx queues share their lanes' windows, so that no copy is taken for a frame. */
static int shared_memory(struct engine *engine, struct load *load)
{
	const struct plan *plan = engine->plan;
	struct rx_shared_lane *shared = NULL;

	for (unsigned q = 0; q < plan->nb_queues; q++) {
		const struct engine_port *port = &engine->ports[plan->queues[q].port];

		if (port->nb_queues == 1)
			continue;
		if (plan->queues[q].queue == 0)
			shared = engine_mem_get(
				&engine->mem, plan->nb_lanes * sizeof(*shared), port->node);
		if (shared == NULL)
			return -ENOMEM;
		load->queues[q].rx.shared = shared;
	}
	return 0;
}

/* What the second latency series and the comparison of payloads need, when they are asked for. */
static int extras_memory(struct engine *engine, struct load *load)
{
	const struct plan *plan = engine->plan;
	_Atomic uint64_t **rings =
		engine_mem_get(&engine->mem, plan->nb_lanes * sizeof(*rings), -1);
	uint8_t **payloads = NULL;

	if (rings == NULL)
		return -ENOMEM;
	for (unsigned l = 0; plan->measure_intended && l < plan->nb_lanes; l++) {
		rings[l] = engine_mem_get(&engine->mem, TX_LAG_RING * sizeof(*rings[l]), -1);
		if (rings[l] == NULL)
			return -ENOMEM;
		load->lanes[l].lag_ring = rings[l];
	}
	load->shared.lag_rings = rings;
	if (!plan->verify_data)
		return 0;
	payloads = engine_mem_get(&engine->mem, plan->nb_streams * sizeof(*payloads), -1);
	for (unsigned i = 0; payloads != NULL && i < plan->nb_streams; i++) {
		payloads[i] = engine_mem_get(&engine->mem, plan->streams[i].frame.size, -1);
		if (payloads[i] == NULL)
			return -ENOMEM;
		pkt_payload_fill(&plan->streams[i].frame, payloads[i]);
	}
	load->shared.payloads = (const uint8_t *const *)payloads;
	return payloads != NULL ? 0 : -ENOMEM;
}

static int main_memory(struct engine *engine, struct load *load)
{
	const struct plan *plan = engine->plan;
	struct engine_mem *mem = &engine->mem;
	size_t nb = plan->nb_streams, queues = plan->nb_queues;

	load->lanes = engine_mem_get(mem, plan->nb_lanes * sizeof(*load->lanes), -1);
	load->queues = engine_mem_get(mem, queues * sizeof(*load->queues), -1);
	load->workers = engine_mem_get(mem, plan->nb_workers * sizeof(*load->workers), -1);
	load->rx_port = engine_mem_get(mem, nb * sizeof(*load->rx_port), -1);
	load->first_port = engine_mem_get(mem, nb * sizeof(*load->first_port), -1);
	load->quotes = engine_mem_get(mem, nb * sizeof(*load->quotes), -1);
	load->hosts = engine_mem_get(mem, plan->nb_ports * sizeof(*load->hosts), -1);
	load->rows = engine_mem_get(mem, (nb + 1) * sizeof(*load->rows), -1);
	load->totals = engine_mem_get(mem, nb * sizeof(*load->totals), -1);
	load->hist_one = engine_mem_get(mem, sizeof(*load->hist_one), -1);
	load->hist_sum = engine_mem_get(mem, sizeof(*load->hist_sum), -1);
	load->hist_detail = engine_mem_get(mem, 3 * sizeof(*load->hist_detail), -1);
	load->undelivered = engine_mem_get(mem, plan->nb_lanes * sizeof(*load->undelivered), -1);
	load->ports = engine_mem_get(mem, plan->nb_ports * sizeof(*load->ports), -1);
	load->unknowns =
		engine_mem_get(mem, queues * RX_UNKNOWN_KINDS * sizeof(*load->unknowns), -1);
	load->returned =
		engine_mem_get(mem, queues * RX_RETURNED_KINDS * sizeof(*load->returned), -1);
	if (!load->lanes || !load->queues || !load->workers || !load->rx_port ||
		!load->first_port || !load->quotes || !load->hosts || !load->rows ||
		!load->totals || !load->hist_one || !load->hist_sum || !load->hist_detail ||
		!load->undelivered || !load->ports || !load->unknowns || !load->returned)
		return -ENOMEM;
	return 0;
}

static int memory_check(const struct plan *plan, struct err *err)
{
	size_t need = plan->nb_lanes * sizeof(struct tx_lane), have = engine_mem_available();

	for (unsigned q = 0; q < plan->nb_queues; q++)
		need += queue_bytes(plan, q, lanes_of_queue(plan, q));
	if (need > have)
		return err_device(err, 0,
			"counters of %u streams on %u queues need %zu MiB of memory, "
			"%zu MiB are available: use fewer streams or ports",
			plan->nb_streams, plan->nb_queues, (need >> 20) + 1, have >> 20);
	return 0;
}

/* ---- workers ---- */

static int workers_load(struct engine *engine, struct load *load)
{
	const struct plan *plan = engine->plan;

	for (unsigned i = 0; i < plan->nb_workers; i++) {
		struct worker *w = &load->workers[i];
		unsigned nb = 0;

		w->shared = &load->shared;
		w->lcore = i + 1;
		w->scratch = engine_mem_get(&engine->mem, HOST_FRAME_MAX, -1);
		w->queues = engine_mem_get(&engine->mem, plan->nb_queues * sizeof(*w->queues), -1);
		w->lag = engine_mem_get(&engine->mem, sizeof(*w->lag), plan->workers[i].numa_node);
		if (w->scratch == NULL || w->queues == NULL || w->lag == NULL)
			return -ENOMEM;
		for (unsigned q = 0; q < plan->nb_queues; q++)
			if (plan->queues[q].worker == i)
				w->queues[nb++] = &load->queues[q];
		w->nb_queues = nb;
	}
	return 0;
}

static uint32_t be32(const uint8_t *p)
{
	return (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 | p[3];
}

static uint16_t be16(const uint8_t *p)
{
	return (uint16_t)(p[0] << 8 | p[1]);
}

/* How an ICMP error would quote each stream's frames. */
static void quotes_load(const struct plan *plan, struct load *load)
{
	for (unsigned i = 0; i < plan->nb_streams; i++) {
		const struct pkt_frame *f = &plan->streams[i].frame;
		struct pkt_quote *quote = &load->quotes[i];

		if (f->l3_off == 0)
			continue;
		quote->ip_proto = f->hdr[f->l3_off + 9];
		quote->ip_src = be32(f->hdr + f->l3_off + 12);
		quote->ip_dst = be32(f->hdr + f->l3_off + 16);
		if (f->l4_off == 0)
			continue;
		quote->l4_src = be16(f->hdr + f->l4_off);
		quote->l4_dst = be16(f->hdr + f->l4_off + 2);
		/* a port that varies is no mark of the stream */
		for (unsigned m = 0; m < f->nb_mods; m++) {
			if (f->mods[m].off == f->l4_off)
				quote->l4_src = 0;
			if (f->mods[m].off == f->l4_off + 2)
				quote->l4_dst = 0;
		}
	}
}

static void shared_load(struct engine *engine, struct load *load)
{
	const struct plan *plan = engine->plan;

	for (unsigned i = 0; i < plan->nb_streams; i++)
		load->rx_port[i] = plan->streams[i].route.rx_port;
	for (unsigned p = 0; p < plan->nb_ports; p++)
		load->hosts[p] = engine->ports[p].hif;
	quotes_load(plan, load);
	load->shared.plan = plan;
	load->shared.rx_port = load->rx_port;
	load->shared.first_port = load->first_port;
	load->shared.lanes = plan->lanes;
	load->shared.tx_lanes = load->lanes;
	load->shared.quotes = load->quotes;
	load->shared.ctl_pool = engine->ctl_pool;
	load->shared.hosts = load->hosts;
}

struct load *load_new(struct engine *engine, const struct plan *plan, struct err *err)
{
	struct load *load = calloc(1, sizeof(*load));
	int rc = load != NULL ? 0 : -ENOMEM;

	engine->plan = plan;
	if (rc == 0 && memory_check(plan, err) < 0) {
		free(load);
		return NULL;
	}
	if (rc == 0)
		rc = main_memory(engine, load);
	for (unsigned q = 0; rc == 0 && q < plan->nb_queues; q++)
		rc = queue_memory(engine, load, q);
	if (rc == 0)
		rc = shared_memory(engine, load);
	if (rc == 0)
		rc = extras_memory(engine, load);
	if (rc == 0)
		rc = workers_load(engine, load);
	if (rc < 0) {
		err_device(err, -rc, "memory for the counters");
		load_free(load);
		return NULL;
	}
	if (load_lanes(engine, load, err) < 0) {
		load_free(load);
		return NULL;
	}
	shared_load(engine, load);
	return load;
}

void load_free(struct load *load)
{
	free(load);
}

/* ---- between trials ---- */

static void rx_lane_reset(struct rx_lane *rx, uint32_t next_seq)
{
	order_reset(&rx->order, next_seq);
	outage_reset(&rx->outage);
	rx->seq_sent = next_seq;
	rx->foreign = rx->has_last = false;
	if (rx->detail != NULL) {
		hist_reset(&rx->detail->ipdv_later);
		hist_reset(&rx->detail->ipdv_earlier);
		hist_reset(&rx->detail->intended);
		rx->detail->intended_unknown = 0;
	}
	memset(&rx->total, 0, sizeof(rx->total));
	memset(rx->slot, 0, sizeof(rx->slot));
	if (rx->hist != NULL)
		hist_reset(rx->hist);
	for (unsigned s = 0; s < EPOCH_SLOTS; s++)
		if (rx->hist_slot[s] != NULL)
			hist_reset(rx->hist_slot[s]);
}

/* The lanes of a stream share out the values of its varying fields: every nb-th is a lane's. */
static void lane_values_reset(struct tx_lane *lane, const struct plan_lane *pl)
{
	for (unsigned i = 0; i < lane->frame->nb_mods; i++)
		lane->step[i] = pl->index % lane->frame->mods[i].nb;
}

void load_reset(struct engine *engine)
{
	const struct plan *plan = engine->plan;
	struct load *load = engine->load;

	for (unsigned i = 0; i < plan->nb_streams; i++)
		atomic_store_explicit(&load->first_port[i], -1, memory_order_relaxed);
	for (unsigned l = 0; l < plan->nb_lanes; l++) {
		struct tx_lane *lane = &load->lanes[l];

		lane->remaining = plan->lanes[l].packet_count;
		lane->start_seq = lane->seq;
		lane->sent = lane->unsent = lane->spill = 0;
		lane_values_reset(lane, &plan->lanes[l]);
		memset(lane->slot, 0, sizeof(lane->slot));
		load->undelivered[l] = 0;
		for (unsigned q = 0; q < plan->nb_queues; q++)
			rx_lane_reset(&load->queues[q].rx.lanes[l], lane->seq);
	}
	for (unsigned q = 0; q < plan->nb_queues; q++) {
		struct rx_queue *rx = &load->queues[q].rx;

		memset(rx->nb_class, 0, sizeof(rx->nb_class));
		memset(rx->bad_slot, 0, sizeof(rx->bad_slot));
		memset(rx->unknown, 0, sizeof(rx->unknown));
		rx->unknown_byte = 0;
		rx->nb_returned = 0;
		for (unsigned l = 0; rx->shared != NULL && l < plan->nb_lanes; l++) {
			rte_spinlock_init(&rx->shared[l].lock);
			order_reset(&rx->shared[l].order, load->lanes[l].seq);
		}
	}
}

/*
 * A lane has its share of the stream's rate and begins with its share of the interval; classes begin
 * apart as well, so that equal rates on several ports do not all fire at once. k of nb classes.
 */
static void class_schedule(
	struct tx_class *c, uint64_t start_tsc, uint64_t hz, unsigned k, unsigned nb)
{
	const struct plan_rate *rate = &c->model->asked;
	unsigned __int128 turn;

	pacer_init(
		&c->pacer, start_tsc, hz, rate->num, rate->den * c->lanes_of_stream, c->nb_lanes);
	turn = (unsigned __int128)c->pacer.step * c->nb_lanes; /* of one lane */
	c->pacer.due_tsc += (uint64_t)(turn * c->lane_index / c->lanes_of_stream) +
			    (uint64_t)((unsigned __int128)c->pacer.step * k /
				       ((uint64_t)nb * c->lanes_of_stream));
}

void load_schedule(struct engine *engine, uint64_t start_tsc)
{
	const struct plan *plan = engine->plan;
	unsigned nb = 0, k = 0;

	for (unsigned q = 0; q < plan->nb_queues; q++)
		nb += engine->load->queues[q].tx.nb_classes;
	for (unsigned q = 0; q < plan->nb_queues; q++) {
		struct tx_queue *tx = &engine->load->queues[q].tx;

		tx->first = 0;
		for (uint32_t i = 0; i < tx->nb_classes; i++, k++) {
			struct tx_class *c = &tx->classes[i];

			c->next = c->nb_done = 0;
			if (c->flat_out)
				continue;
			class_schedule(c, start_tsc, engine->clock.hz, k, nb);
		}
	}
}
