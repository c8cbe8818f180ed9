/* SPDX-License-Identifier: BSD-3-Clause */
#include "load.h"

#include <rte_errno.h>
#include <rte_mbuf_dyn.h>

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "tgen/num.h"

/* The senders' lanes, and classes of those that share a schedule and a pool. */

enum lane_kind { LANE_PACED, LANE_FLAT_OUT, LANE_WALK };

/* Lanes with the same key are one class; found through a hash, as there may be tens of thousands. */
struct class_key {
	uint64_t num, den; /* reduced; flat out: num is the delay */
	uint32_t queue, pool;
	uint32_t walk;	    /* 1 + index of the lane that has a schedule of its own; 0 */
	uint16_t index, nb; /* which of its stream's lanes, of how many */
	uint32_t kind;
	uint32_t zero; /* no padding: compared as bytes */
};

struct class_slot {
	struct class_key key;
	uint32_t class_of_queue; /* 1 + index in the queue's classes; 0: the slot is free */
};

struct class_table {
	struct class_slot *slots;
	size_t mask;
	struct tx_class **of_lane;
};

/* No rate, no profile, no bursts: as fast as it goes. */
static bool is_rateless(const struct plan_stream *s)
{
	return s->sched.points == NULL && s->sched.burst_packets == 0 && s->sched.num == 0;
}

bool load_lane_walks(const struct plan_stream *s)
{
	return !sched_is_plain(&s->sched) && !is_rateless(s);
}

static struct class_key key_of(const struct plan *plan, unsigned l, unsigned pool)
{
	const struct plan_lane *lane = &plan->lanes[l];
	const struct plan_stream *s = &plan->streams[lane->stream];
	struct class_key key = {.queue = lane->queue,
		.pool = pool,
		.index = lane->index,
		.nb = lane->nb,
		.kind = LANE_PACED};

	if (load_lane_walks(s)) {
		key.kind = LANE_WALK;
		key.walk = l + 1;
	} else if (s->flat_out || !sched_is_plain(&s->sched)) {
		key.kind = LANE_FLAT_OUT;
		key.num = s->sched.delay_ns;
	} else {
		uint64_t common = num_gcd(s->asked.num, s->asked.den);

		key.num = s->asked.num / common;
		key.den = s->asked.den / common;
	}
	return key;
}

/* FNV-1a over whole words, its high bits stirred in. */
static size_t key_hash(const struct class_key *key)
{
	uint64_t words[sizeof(*key) / sizeof(uint64_t)], hash = 0xcbf29ce484222325u;

	_Static_assert(sizeof(*key) % sizeof(uint64_t) == 0, "hashed by words");
	memcpy(words, key, sizeof(words));
	for (unsigned i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		hash = (hash ^ words[i]) * 0x100000001b3u ^ hash >> 29;
	return (size_t)(hash ^ hash >> 32);
}

static struct class_slot *slot_of(struct class_table *table, const struct class_key *key)
{
	size_t at = key_hash(key) & table->mask;

	while (table->slots[at].class_of_queue != 0 &&
		memcmp(&table->slots[at].key, key, sizeof(*key)) != 0)
		at = (at + 1) & table->mask;
	return &table->slots[at];
}

/* The class of a lane on its queue; a new one is opened when there is none. */
static struct tx_class *class_get(struct engine *engine, struct load *load, unsigned l,
	struct class_table *table, struct err *err)
{
	const struct plan_lane *lane = &engine->plan->lanes[l];
	const struct plan_stream *s = &engine->plan->streams[lane->stream];
	const struct engine_port *port = &engine->ports[engine->plan->queues[lane->queue].port];
	struct tx_queue *q = &load->queues[lane->queue].tx;
	int pool = load_pool_get(engine, &s->frame, port->socket, err);
	struct class_key key;
	struct class_slot *slot;
	struct tx_class *c;

	if (pool < 0)
		return NULL;
	key = key_of(engine->plan, l, (unsigned)pool);
	slot = slot_of(table, &key);
	if (slot->class_of_queue != 0)
		return &q->classes[slot->class_of_queue - 1];
	slot->key = key;
	c = &q->classes[q->nb_classes++];
	slot->class_of_queue = q->nb_classes;
	c->pool = engine->pools[pool].pool;
	c->whole = engine->pools[pool].whole;
	c->flat_out = key.kind == LANE_FLAT_OUT;
	if (key.kind == LANE_WALK)
		c->walk = &load->walks[load->nb_walks++];
	c->model = s;
	c->lane_index = lane->index;
	c->lanes_of_stream = lane->nb;
	return c;
}

/* Where the mbufs of a mix's pool remember the place of the last signature; negative with err. */
static int sig_field_get(struct err *err)
{
	static const struct rte_mbuf_dynfield field = {
		.name = "tgen_sig", .size = sizeof(uint16_t), .align = sizeof(uint16_t)};
	int offset = rte_mbuf_dynfield_register(&field);

	return offset < 0 ? err_device(err, rte_errno, "a field of DPDK's buffers") : offset;
}

static void lane_init(struct load *load, const struct plan *plan, unsigned l, uint8_t **steps)
{
	struct tx_lane *lane = &load->lanes[l];

	lane->id = (uint16_t)l;
	lane->stream = plan->lanes[l].stream;
	lane->frame = &plan->streams[lane->stream].frame;
	lane->stride = plan->lanes[l].nb;
	lane->mixed = lane->frame->sizes != NULL && lane->frame->sizes->nb > 1;
	lane->varies = lane->mixed || lane->frame->nb_mods > 0;
	if (lane->mixed)
		lane->turn_step = lane->stride % lane->frame->sizes->period;
	if (lane->frame->nb_mods == 0)
		return;
	lane->steps = (struct pkt_steps *)(void *)*steps;
	*steps += load_steps_bytes(lane->frame);
}

/* The lanes of a class side by side in the queue's array. */
static void refs_fill(struct load *load, const struct plan *plan, struct tx_class **of_lane)
{
	for (unsigned q = 0; q < plan->nb_queues; q++) {
		struct tx_queue *tx = &load->queues[q].tx;
		struct tx_lane **refs = tx->lane_refs;

		for (uint32_t k = 0; k < tx->nb_classes; k++) {
			tx->classes[k].lanes = refs;
			refs += tx->classes[k].nb_lanes;
			tx->classes[k].nb_lanes = 0;
		}
	}
	for (unsigned l = 0; l < plan->nb_lanes; l++)
		of_lane[l]->lanes[of_lane[l]->nb_lanes++] = &load->lanes[l];
}

static int classes_make(
	struct engine *engine, struct load *load, struct class_table *table, struct err *err)
{
	const struct plan *plan = engine->plan;
	uint8_t *steps = load->steps;
	struct tx_queue *tx;
	bool mixed = false;
	int sig_field = 0;

	for (unsigned l = 0; l < plan->nb_lanes; l++) {
		lane_init(load, plan, l, &steps);
		tx = &load->queues[plan->lanes[l].queue].tx;
		tx->has_mix |= load->lanes[l].mixed;
		tx->has_crc |= load->lanes[l].frame->crc_off != 0;
		mixed |= load->lanes[l].mixed;
		table->of_lane[l] = class_get(engine, load, l, table, err);
		if (table->of_lane[l] == NULL)
			return -ENOMEM;
		table->of_lane[l]->nb_lanes++;
	}
	if (mixed)
		sig_field = sig_field_get(err);
	if (sig_field < 0)
		return -ENOMEM;
	for (unsigned q = 0; q < plan->nb_queues; q++)
		load->queues[q].tx.sig_field = sig_field;
	refs_fill(load, plan, table->of_lane);
	return 0;
}

int load_lanes(struct engine *engine, struct load *load, struct err *err)
{
	unsigned nb = engine->plan->nb_lanes;
	struct class_table table = {0};
	size_t size = 16;
	int rc;

	while (size < 2 * (size_t)nb)
		size *= 2;
	table.mask = size - 1;
	table.slots = calloc(size, sizeof(*table.slots));
	table.of_lane = calloc(nb + 1u, sizeof(*table.of_lane));
	if (table.slots == NULL || table.of_lane == NULL)
		rc = err_device(err, ENOMEM, "lanes");
	else
		rc = classes_make(engine, load, &table, err);
	free(table.slots);
	free(table.of_lane);
	return rc;
}
