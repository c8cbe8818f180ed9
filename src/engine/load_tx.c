/* SPDX-License-Identifier: BSD-3-Clause */
#include "load.h"

#include <rte_errno.h>
#include <rte_mbuf_dyn.h>

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "tgen/num.h"
#include "tgen/pkt_mods.h"

/* The senders' lanes, and classes of those that share a schedule and a pool. */

enum lane_kind { LANE_PACED, LANE_FLAT_OUT, LANE_WALK };

/* Lanes with the same key are one class; found through a hash, as there may be tens of thousands. */
struct class_key {
	uint64_t num, den; /* reduced; flat out: num is the delay */
	uint32_t queue;
	uint32_t walk;	    /* 1 + index of the lane that has a schedule of its own; 0 */
	uint16_t index, nb; /* which of its stream's lanes, of how many */
	uint32_t kind;	    /* no padding: compared as bytes */
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

static struct class_key key_of(const struct plan *plan, unsigned l)
{
	const struct plan_lane *lane = &plan->lanes[l];
	const struct plan_stream *s = &plan->streams[lane->stream];
	struct class_key key = {
		.queue = lane->queue, .index = lane->index, .nb = lane->nb, .kind = LANE_PACED};

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
static struct tx_class *class_get(
	struct engine *engine, struct load *load, unsigned l, struct class_table *table)
{
	const struct plan_lane *lane = &engine->plan->lanes[l];
	const struct plan_stream *s = &engine->plan->streams[lane->stream];
	struct tx_sched *sched = &load->queues[lane->queue].tx.sched;
	struct class_key key = key_of(engine->plan, l);
	struct class_slot *slot = slot_of(table, &key);
	struct tx_class *c;

	if (slot->class_of_queue != 0)
		return &sched->classes[slot->class_of_queue - 1];
	slot->key = key;
	c = &sched->classes[sched->nb_classes++];
	slot->class_of_queue = sched->nb_classes;
	c->flat_out = key.kind == LANE_FLAT_OUT;
	if (c->flat_out)
		sched->flat[sched->nb_flat++] = sched->nb_classes - 1;
	if (key.kind == LANE_WALK)
		c->walk = &load->walks[load->nb_walks++];
	c->model = s;
	c->lane_index = lane->index;
	c->lanes_of_stream = lane->nb;
	return c;
}

/* ---- buffers ---- */

/* The stash of a pool on a queue, opened when there is none; negative without memory. */
static int stash_get(struct engine *engine, struct tx_queue *q, unsigned pool)
{
	struct rte_mempool *mp = engine->pools[pool].pool;
	struct tx_stash *more;

	for (uint32_t i = q->nb_stashes; i-- > 0;)
		if (q->stashes[i].pool == mp)
			return (int)i;
	if (q->nb_stashes == UINT16_MAX)
		return -ENOMEM;
	more = realloc(q->stashes, (q->nb_stashes + 1) * sizeof(*more));
	if (more == NULL)
		return -ENOMEM;
	q->stashes = more;
	more[q->nb_stashes] = (struct tx_stash){.pool = mp};
	return (int)q->nb_stashes++;
}

static int lane_stash(struct engine *engine, struct load *load, unsigned l, struct err *err)
{
	const struct plan_lane *pl = &engine->plan->lanes[l];
	const struct engine_port *port = &engine->ports[engine->plan->queues[pl->queue].port];
	struct tx_lane *lane = &load->lanes[l];
	int pool = load_pool_get(engine, lane->frame, port->socket, err), stash;

	if (pool < 0)
		return -ENOMEM;
	stash = stash_get(engine, &load->queues[pl->queue].tx, (unsigned)pool);
	if (stash < 0)
		return err_device(err, ENOMEM, "send buffers");
	lane->stash = (uint16_t)stash;
	lane->whole = engine->pools[pool].whole;
	return 0;
}

/* Where the mbufs of a mix's pool remember the place of the last signature; negative with err. */
static int sig_field_get(struct err *err)
{
	static const struct rte_mbuf_dynfield field = {
		.name = "tgen_sig", .size = sizeof(uint16_t), .align = sizeof(uint16_t)};
	int offset = rte_mbuf_dynfield_register(&field);

	return offset < 0 ? err_device(err, rte_errno, "a field of DPDK's buffers") : offset;
}

/* ---- lanes ---- */

static uint8_t flags_of(const struct pkt_frame *f)
{
	unsigned flags = 0;

	if (f->hdr_bytes > TX_LINE)
		flags |= TX_LONG;
	if (f->nb_mods > 0)
		flags |= TX_VARIES;
	if (f->sizes != NULL && f->sizes->nb > 1)
		flags |= TX_SIZED;
	if (f->sig_off == 0)
		flags |= TX_UNSIGNED;
	if (f->crc_off != 0)
		flags |= TX_CRC;
	return (uint8_t)flags;
}

static int lane_init(
	struct engine *engine, struct load *load, unsigned l, uint8_t **steps, struct err *err)
{
	const struct plan_lane *pl = &engine->plan->lanes[l];
	struct tx_lane *lane = &load->lanes[l];
	const struct pkt_frame *f = &engine->plan->streams[pl->stream].frame;
	unsigned hdr = f->hdr_bytes < TX_LINE ? f->hdr_bytes : TX_LINE;
	unsigned end = f->size < TX_LINE ? f->size : TX_LINE;

	lane->id = (uint16_t)l;
	load->seqs[l] = &lane->seq;
	lane->stream = pl->stream;
	lane->frame = f;
	lane->stride = pl->nb;
	lane->size = f->size;
	lane->flags = flags_of(f);
	lane->fast = f->fast;
	if (lane->flags & TX_SIZED) {
		lane->turn_step = lane->stride % f->sizes->period;
		lane->period = f->sizes->period;
		lane->order = f->sizes->order;
		lane->bytes = f->sizes->bytes;
		lane->images = f->images;
	}
	if (lane_stash(engine, load, l, err) < 0)
		return -ENOMEM;
	memcpy(lane->image, f->hdr, hdr);
	if (end > hdr)
		memcpy(lane->image + hdr, lane->whole + hdr, end - hdr);
	if (f->sig_off != 0 && f->sig_off < TX_LINE)
		memset(lane->image + f->sig_off, 0, TX_LINE - f->sig_off);
	/* the lane's number is the same in all its signatures */
	if (f->sig_off != 0 && f->sig_off + SIG_BYTES <= TX_LINE)
		pkt_put16(lane->image + f->sig_off + 4, lane->id);
	if (f->nb_mods == 0)
		return 0;
	lane->steps = (struct pkt_steps *)(void *)*steps;
	*steps += load_steps_bytes(f);
	return 0;
}

/* The lanes of a class side by side in the queue's array. */
static void refs_fill(struct load *load, const struct plan *plan, struct tx_class **of_lane)
{
	for (unsigned q = 0; q < plan->nb_queues; q++) {
		struct tx_sched *s = &load->queues[q].tx.sched;
		struct tx_lane **refs = s->lane_refs;

		for (uint32_t k = 0; k < s->nb_classes; k++) {
			s->classes[k].lanes = refs;
			refs += s->classes[k].nb_lanes;
			s->classes[k].nb_lanes = 0;
		}
	}
	for (unsigned l = 0; l < plan->nb_lanes; l++) {
		struct tx_class *c = of_lane[l];

		c->lanes[c->nb_lanes++] = &load->lanes[l];
		c->counted |= plan->lanes[l].packet_count != UINT64_MAX;
	}
}

/* ---- queues ---- */

#define FEW_LANES  16u /* each has several frames in a burst */
#define MANY_LANES 64u /* more than a burst */

/* What the frames of a queue have in common. */
struct form {
	const struct tx_lane *first;
	unsigned nb;
	unsigned flags;	  /* of any of them */
	bool one_size;	  /* of a line at most */
	bool fast;	  /* fields are written from their fast forms */
	bool line_images; /* all have several sizes, with images of one line */
};

static struct form form_of(const struct load *load, const struct plan *plan, unsigned q)
{
	struct form form = {.one_size = true, .fast = true, .line_images = true};

	for (unsigned l = 0; l < plan->nb_lanes; l++) {
		const struct tx_lane *lane = &load->lanes[l];

		if (plan->lanes[l].queue != q)
			continue;
		form.first = form.first != NULL ? form.first : lane;
		form.nb++;
		form.flags |= lane->flags;
		form.one_size &= lane->size <= TX_LINE && lane->size == form.first->size;
		form.fast &= lane->fast != NULL && lane->fast->nb_steps > 0;
		form.line_images &= lane->images != NULL && lane->frame->image_bytes == TX_LINE;
	}
	return form;
}

/* All of a queue's lanes are one class, and their frames go as they are taken. */
static bool many_wanted(const struct tx_queue *tx, unsigned nb)
{
	const struct tx_class *c = &tx->sched.classes[0];

	return nb > MANY_LANES && tx->sched.nb_classes == 1 && tx->nb_stashes == 1 &&
	       c->walk == NULL && !c->counted;
}

/* What the frames of a queue's only class need is put side by side; negative without memory. */
static int many_make(struct engine *engine, struct load *load, unsigned q)
{
	int node = engine->ports[engine->plan->queues[q].port].node;
	struct tx_queue *tx = &load->queues[q].tx;
	struct tx_class *c = &tx->sched.classes[0];
	struct tx_many *many = engine_mem_get(&engine->mem, sizeof(*many), node);

	if (many == NULL)
		return -ENOMEM;
	many->nb_lanes = c->nb_lanes;
	many->image = engine_mem_get(&engine->mem, (size_t)c->nb_lanes * TX_LINE, node);
	many->seq = engine_mem_get(&engine->mem, c->nb_lanes * sizeof(*many->seq), node);
	many->last_ns = engine_mem_get(&engine->mem, c->nb_lanes * sizeof(*many->last_ns), node);
	many->id = engine_mem_get(&engine->mem, c->nb_lanes * sizeof(*many->id), node);
	if (!many->image || !many->seq || !many->last_ns || !many->id)
		return -ENOMEM;
	for (uint32_t k = 0; k < c->nb_lanes; k++) {
		struct tx_lane *lane = c->lanes[k];

		memcpy(many->image + (size_t)k * TX_LINE, lane->image, TX_LINE);
		many->id[k] = lane->id;
		lane->many = many;
		lane->place = k;
		load->seqs[lane->id] = &many->seq[k];
	}
	tx->many = c->many = many;
	return 0;
}

/* The quickest way of writing a queue's frames that does for all of them. */
static void form_choose(struct load *load, const struct plan *plan, unsigned q)
{
	struct tx_queue *tx = &load->queues[q].tx;
	struct form form = form_of(load, plan, q);
	const struct tx_fill *fill = load->fill;

	tx->all_signed = (form.flags & TX_UNSIGNED) == 0;
	for (unsigned l = 0; l < plan->nb_lanes; l++)
		if (plan->lanes[l].queue == q)
			tx->has_lag_ring |= load->lanes[l].lag_ring != NULL;
	tx->sched.scan = fill->scan;
	tx->fill = fill->any;
	if (form.nb == 0)
		return;
	if (form.flags == 0)
		tx->fill = fill->plain;
	if (form.flags == TX_SIZED && form.line_images)
		tx->fill = fill->sized;
	if (!form.one_size || (form.flags & ~(unsigned)TX_VARIES) != 0)
		return;
	if (form.flags == 0 && many_wanted(tx, form.nb))
		tx->fill = fill->many;
	else if (form.flags == 0)
		tx->fill = form.nb == 1 ? fill->one : form.nb <= FEW_LANES ? fill->few : fill->line;
	else if (form.fast)
		tx->fill = form.nb == 1 ? fill->one_varies : fill->line_varies;
	tx->stamp.sig_off = form.first->frame->sig_off;
	tx->stamp.meta.pkt_len = form.first->size;
	tx->stamp.meta.data_len = form.first->size;
}

static void meta_init(struct tx_meta *meta)
{
	struct rte_mbuf m = {
		.data_off = RTE_PKTMBUF_HEADROOM, .nb_segs = 1, .port = RTE_MBUF_PORT_INVALID};

	rte_mbuf_refcnt_set(&m, 1);
	memcpy(&meta->rearm, &m.rearm_data, sizeof(meta->rearm));
}

static int queues_init(struct engine *engine, struct load *load, int sig_field, struct err *err)
{
	const struct plan *plan = engine->plan;

	for (unsigned q = 0; q < plan->nb_queues; q++) {
		struct tx_queue *tx = &load->queues[q].tx;

		meta_init(&tx->stamp.meta);
		tx->stamp.sig_field = sig_field;
		form_choose(load, plan, q);
		if (tx->fill == load->fill->many && many_make(engine, load, q) < 0)
			return err_device(err, ENOMEM, "lanes");
	}
	return 0;
}

static int classes_make(
	struct engine *engine, struct load *load, struct class_table *table, struct err *err)
{
	const struct plan *plan = engine->plan;
	uint8_t *steps = load->steps;
	bool mixed = false;
	int sig_field = 0;

	for (unsigned l = 0; l < plan->nb_lanes; l++) {
		if (lane_init(engine, load, l, &steps, err) < 0)
			return -ENOMEM;
		mixed |= (load->lanes[l].flags & TX_SIZED) != 0;
		table->of_lane[l] = class_get(engine, load, l, table);
		table->of_lane[l]->nb_lanes++;
	}
	if (mixed)
		sig_field = sig_field_get(err);
	if (sig_field < 0)
		return -ENOMEM;
	refs_fill(load, plan, table->of_lane);
	return queues_init(engine, load, sig_field, err);
}

int load_lanes(struct engine *engine, struct load *load, struct err *err)
{
	unsigned nb = engine->plan->nb_lanes;
	struct class_table table = {0};
	size_t size = 16;
	int rc;

	load->fill = tx_fill_find(getenv(LOAD_TX_FORM_ENV));
	if (load->fill == NULL)
		return err_device(err, 0, "%s=%s: not on this CPU (base, avx512)", LOAD_TX_FORM_ENV,
			getenv(LOAD_TX_FORM_ENV));
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
