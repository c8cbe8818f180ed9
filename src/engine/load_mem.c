/* SPDX-License-Identifier: BSD-3-Clause */
#include "load.h"

#include <errno.h>
#include <string.h>

/* Memory of the lanes and counters: all of it before the first trial, on the node that uses it. */

/* The times of a queue's classes, and of their groups; at most one class a lane. */
static size_t due_bytes(unsigned nb_classes)
{
	return (size_t)tx_sched_groups(nb_classes) * (TX_GROUP + 1) * sizeof(uint64_t);
}

static int tx_memory(struct engine *engine, struct worker_queue *wq, unsigned nb_mine, int node)
{
	struct tx_sched *s = &wq->tx.sched;
	struct engine_mem *mem = &engine->mem;

	s->classes = engine_mem_get(mem, nb_mine * sizeof(struct tx_class), node);
	s->lane_refs = engine_mem_get(mem, nb_mine * sizeof(struct tx_lane *), node);
	s->flat = engine_mem_get(mem, nb_mine * sizeof(*s->flat), node);
	s->due = engine_mem_get(mem, due_bytes(nb_mine), node);
	if (s->classes == NULL || s->lane_refs == NULL || s->flat == NULL || s->due == NULL)
		return -ENOMEM;
	s->group_due = s->due + tx_sched_groups(nb_mine) * TX_GROUP;
	return 0;
}

/* What a queue's counters and classes take, but for windows that a port's queues share. */
static size_t queue_bytes(const struct plan *plan, unsigned q, unsigned nb_mine)
{
	size_t bytes = rx_queue_bytes(plan, q);

	bytes += nb_mine * (sizeof(struct tx_class) + sizeof(struct tx_lane *) + sizeof(uint32_t));
	bytes += nb_mine * LOAD_MANY_LANE_BYTES;
	bytes += due_bytes(nb_mine);
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
	unsigned nb_mine = lanes_of_queue(plan, q);

	if (tx_memory(engine, wq, nb_mine, node) < 0)
		return -ENOMEM;
	wq->tx.port_id = engine->ports[plan->queues[q].port].id;
	wq->tx.queue_id = plan->queues[q].queue;
	return rx_queue_memory(engine, load, q);
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

static size_t steps_bytes(const struct plan *plan)
{
	size_t bytes = 0;

	for (unsigned l = 0; l < plan->nb_lanes; l++)
		bytes += load_steps_bytes(&plan->streams[plan->lanes[l].stream].frame);
	return bytes;
}

static size_t nb_walks(const struct plan *plan)
{
	size_t nb = 0;

	for (unsigned l = 0; l < plan->nb_lanes; l++)
		nb += load_lane_walks(&plan->streams[plan->lanes[l].stream]);
	return nb;
}

/* Histograms of streams with interval histograms: what the collected ones add up to. */
static size_t nb_sums(const struct plan *plan)
{
	return plan->nb_streams <= LOAD_INTERVAL_HIST_STREAMS ? plan->nb_streams : 0;
}

static int main_memory(struct engine *engine, struct load *load)
{
	const struct plan *plan = engine->plan;
	struct engine_mem *mem = &engine->mem;
	size_t nb = plan->nb_streams, queues = plan->nb_queues;

	load->lanes = engine_mem_get(mem, plan->nb_lanes * sizeof(*load->lanes), -1);
	load->queues = engine_mem_get(mem, queues * sizeof(*load->queues), -1);
	load->seqs = engine_mem_get(mem, plan->nb_lanes * sizeof(*load->seqs), -1);
	load->workers = engine_mem_get(mem, plan->nb_workers * sizeof(*load->workers), -1);
	load->steps = engine_mem_get(mem, steps_bytes(plan), -1);
	load->walks = engine_mem_get(mem, nb_walks(plan) * sizeof(*load->walks), -1);
	load->first_lane = engine_mem_get(mem, nb * sizeof(*load->first_lane), -1);
	load->undelivered_byte =
		engine_mem_get(mem, plan->nb_lanes * sizeof(*load->undelivered_byte), -1);
	load->sent_byte = engine_mem_get(mem, plan->nb_lanes * sizeof(*load->sent_byte), -1);
	if (!load->sent_byte || !load->steps || !load->walks || !load->first_lane ||
		!load->undelivered_byte)
		return -ENOMEM;
	load->rx_port = engine_mem_get(mem, nb * sizeof(*load->rx_port), -1);
	load->first_port = engine_mem_get(mem, nb * sizeof(*load->first_port), -1);
	load->quotes = engine_mem_get(mem, nb * sizeof(*load->quotes), -1);
	load->hosts = engine_mem_get(mem, plan->nb_ports * sizeof(*load->hosts), -1);
	load->rows = engine_mem_get(mem, (nb + 1) * sizeof(*load->rows), -1);
	load->totals = engine_mem_get(mem, nb * sizeof(*load->totals), -1);
	load->sums = engine_mem_get(mem, nb_sums(plan) * sizeof(*load->sums), -1);
	load->hist_one = engine_mem_get(mem, sizeof(*load->hist_one), -1);
	load->hist_sum = engine_mem_get(mem, sizeof(*load->hist_sum), -1);
	load->hist_detail = engine_mem_get(mem, 3 * sizeof(*load->hist_detail), -1);
	load->undelivered = engine_mem_get(mem, plan->nb_lanes * sizeof(*load->undelivered), -1);
	load->ports = engine_mem_get(mem, plan->nb_ports * sizeof(*load->ports), -1);
	load->port_rows = engine_mem_get(mem, plan->nb_ports * sizeof(*load->port_rows), -1);
	load->unknowns =
		engine_mem_get(mem, queues * RX_UNKNOWN_KINDS * sizeof(*load->unknowns), -1);
	load->returned =
		engine_mem_get(mem, queues * RX_RETURNED_KINDS * sizeof(*load->returned), -1);
	if (!load->lanes || !load->seqs || !load->queues || !load->workers || !load->rx_port ||
		!load->first_port || !load->quotes || !load->hosts || !load->rows ||
		!load->totals || !load->sums || !load->hist_one || !load->hist_sum ||
		!load->hist_detail || !load->undelivered || !load->ports || !load->port_rows ||
		!load->unknowns || !load->returned)
		return -ENOMEM;
	return 0;
}

/* What is counted for main and for all queues together. */
static size_t common_bytes(const struct plan *plan)
{
	size_t lane =
		sizeof(struct tx_lane) + 2 * sizeof(_Atomic uint64_t *) + 3 * sizeof(uint64_t);
	size_t stream = sizeof(int32_t) + sizeof(_Atomic int32_t) + sizeof(struct pkt_quote) +
			2 * sizeof(struct result_row) + sizeof(uint32_t);
	size_t bytes = steps_bytes(plan) + nb_walks(plan) * sizeof(struct tx_walk);

	if (plan->measure_intended)
		lane += TX_LAG_RING * sizeof(uint64_t);
	bytes += plan->nb_lanes * lane + plan->nb_streams * stream;
	bytes += nb_sums(plan) * sizeof(struct hist);
	for (unsigned i = 0; plan->verify_data && i < plan->nb_streams; i++)
		bytes += sizeof(uint8_t *) + plan->streams[i].frame.size;
	/* windows that the queues of a port share */
	for (unsigned q = 0; q < plan->nb_queues; q++)
		if (plan->queues[q].queue == 1)
			bytes += plan->nb_lanes * sizeof(struct rx_shared_lane);
	return bytes;
}

size_t load_counter_bytes(const struct plan *plan)
{
	size_t bytes = common_bytes(plan);

	for (unsigned q = 0; q < plan->nb_queues; q++)
		bytes += queue_bytes(plan, q, lanes_of_queue(plan, q));
	return bytes;
}

int load_memory_check(const struct plan *plan, struct err *err)
{
	size_t need = load_counter_bytes(plan), have = engine_mem_available();

	if (need > have)
		return err_device(err, 0,
			"counters of %u streams on %u queues need %zu MiB of memory, "
			"%zu MiB are available: use fewer streams or ports",
			plan->nb_streams, plan->nb_queues, (need >> 20) + 1, have >> 20);
	return 0;
}

int load_memory(struct engine *engine, struct load *load)
{
	int rc = main_memory(engine, load);

	for (unsigned q = 0; rc == 0 && q < engine->plan->nb_queues; q++)
		rc = queue_memory(engine, load, q);
	if (rc == 0)
		rc = shared_memory(engine, load);
	if (rc == 0)
		rc = extras_memory(engine, load);
	return rc;
}
