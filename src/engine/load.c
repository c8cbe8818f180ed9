/* SPDX-License-Identifier: BSD-3-Clause */
#include "load.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* ---- workers ---- */

static int workers_load(struct engine *engine, struct load *load)
{
	const struct plan *plan = engine->plan;

	load->use = engine_mem_get(&engine->mem, plan->nb_workers * sizeof(*load->use), -1);
	if (load->use == NULL)
		return -ENOMEM;
	for (unsigned i = 0; i < plan->nb_workers; i++) {
		struct worker *w = &load->workers[i];
		unsigned nb = 0;

		w->shared = &load->shared;
		w->lcore = i + 1;
		w->scratch = engine_mem_get(&engine->mem, HOST_FRAME_MAX, -1);
		w->queues = engine_mem_get(&engine->mem, plan->nb_queues * sizeof(*w->queues), -1);
		w->gaps =
			engine_mem_get(&engine->mem, sizeof(*w->gaps), plan->workers[i].numa_node);
		if (w->scratch == NULL || w->queues == NULL || w->gaps == NULL)
			return -ENOMEM;
		for (unsigned q = 0; q < plan->nb_queues; q++)
			if (plan->queues[q].worker == i)
				w->queues[nb++] = &load->queues[q];
		w->nb_queues = nb;
	}
	return 0;
}

/* How an ICMP error would quote each stream's frames. */
static void quotes_load(const struct plan *plan, struct load *load)
{
	for (unsigned i = 0; i < plan->nb_streams; i++)
		pkt_quote_of(&plan->streams[i].frame, &load->quotes[i]);
}

static void shared_load(struct engine *engine, struct load *load)
{
	const struct plan *plan = engine->plan;

	for (unsigned i = 0; i < plan->nb_streams; i++)
		load->rx_port[i] = plan->streams[i].route.rx_port;
	for (unsigned p = 0; p < plan->nb_ports; p++)
		load->hosts[p] = engine->ports[p].hif;
	for (unsigned l = plan->nb_lanes; l-- > 0;)
		load->first_lane[plan->lanes[l].stream] = l;
	quotes_load(plan, load);
	load->shared.plan = plan;
	load->shared.rx_port = load->rx_port;
	load->shared.first_port = load->first_port;
	load->shared.lanes = plan->lanes;
	load->shared.tx_seqs = load->seqs;
	load->shared.quotes = load->quotes;
	load->shared.first_lane = load->first_lane;
	load->shared.ctl_pool = engine->ctl_pool;
	load->shared.hosts = load->hosts;
}

struct load *load_new(struct engine *engine, const struct plan *plan, struct err *err)
{
	struct load *load = calloc(1, sizeof(*load));
	int rc = load != NULL ? 0 : -ENOMEM;

	engine->plan = plan;
	if (rc == 0)
		load->nb_queues = plan->nb_queues;
	if (rc == 0 && load_memory_check(plan, err) < 0) {
		free(load);
		return NULL;
	}
	if (rc == 0)
		rc = load_memory(engine, load);
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
	if (load == NULL)
		return;
	for (unsigned q = 0; load->queues != NULL && q < load->nb_queues; q++)
		free(load->queues[q].tx.stashes);
	free(load);
}

/* ---- between trials ---- */

/* The lanes of a stream share out its frames, with their sizes and values: every nb-th is a lane's. */
static void tx_lane_reset(struct tx_lane *lane, const struct plan_lane *pl)
{
	lane->remaining = pl->packet_count;
	lane->start_seq = *tx_lane_seq(lane);
	lane->unsent = lane->first_ns = lane->last_ns = 0;
	lane->started = false;
	memset(lane->slot, 0, sizeof(lane->slot));
	memset(lane->slot_byte, 0, sizeof(lane->slot_byte));
	if (lane->steps != NULL)
		pkt_steps_init(lane->steps, lane->frame, pl->index);
	if (lane->flags & TX_SIZED)
		lane->turn = pl->index % lane->frame->sizes->period;
}

static void tx_many_reset(struct tx_many *many)
{
	many->nb_begun = 0;
	memset(many->run, 0, sizeof(many->run));
	memset(many->last_ns, 0, many->nb_lanes * sizeof(*many->last_ns));
}

void load_reset(struct engine *engine)
{
	const struct plan *plan = engine->plan;
	struct load *load = engine->load;

	for (unsigned i = 0; i < plan->nb_streams; i++)
		atomic_store_explicit(&load->first_port[i], -1, memory_order_relaxed);
	for (unsigned l = 0; l < plan->nb_lanes; l++) {
		struct tx_lane *lane = &load->lanes[l];

		tx_lane_reset(lane, &plan->lanes[l]);
		load->undelivered[l] = load->undelivered_byte[l] = load->sent_byte[l] = 0;
	}
	for (unsigned q = 0; q < plan->nb_queues; q++) {
		if (load->queues[q].tx.many != NULL)
			tx_many_reset(load->queues[q].tx.many);
		rx_queue_reset(&load->queues[q].rx, load);
	}
	rows_reset(load);
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

/* The plan's lane that a class of one stream's lane serves. */
static const struct plan_lane *lane_of(const struct engine *engine, const struct tx_class *c)
{
	return &engine->plan->lanes[c->lanes[0]->id];
}

void load_schedule(struct engine *engine, uint64_t start_tsc)
{
	const struct plan *plan = engine->plan;
	uint64_t hz = engine->clock.hz;
	unsigned nb = 0, k = 0;

	for (unsigned q = 0; q < plan->nb_queues; q++)
		nb += engine->load->queues[q].tx.sched.nb_classes;
	for (unsigned q = 0; q < plan->nb_queues; q++) {
		struct tx_queue *tx = &engine->load->queues[q].tx;

		for (uint32_t i = 0; i < tx->sched.nb_classes; i++, k++) {
			struct tx_class *c = &tx->sched.classes[i];

			c->next = c->nb_done = 0;
			for (uint32_t l = 0; l < c->nb_lanes; l++)
				c->nb_done += c->lanes[l]->remaining == 0;
			c->from_tsc = start_tsc +
				      clock_ns_ticks(&engine->clock, c->model->sched.delay_ns);
			if (c->walk != NULL)
				tx_walk_start(c, lane_of(engine, c), start_tsc, hz);
			else if (!c->flat_out)
				class_schedule(c, start_tsc, hz, k, nb);
		}
		tx->sched.catch_up_tsc = clock_ns_ticks(&engine->clock, LOAD_CATCH_UP_NS);
		tx_start(tx, start_tsc, hz);
	}
}
