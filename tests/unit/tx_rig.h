/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

/*
 * A sender's schedules on a clock of the test's own. Every frame that is taken is held against the
 * time that its number stands for, in exact arithmetic, and counted by its lane.
 */

#include "../../src/engine/tx_sched.h"

#include "tgen/random.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define NB(array)    (sizeof(array) / sizeof((array)[0]))
#define RIG_HZ	     2100000123ull
#define RIG_START    (1ull << 50)
#define RIG_FIRST    (RIG_START + 1) /* a look at the very start finds nothing yet */
#define RIG_MS	     (RIG_HZ / 1000)
#define RIG_CATCH_UP (100 * RIG_MS)
#define NO_END	     UINT64_MAX

enum rig_kind { RIG_PLAIN, RIG_WALK, RIG_FLAT };

struct rig_lane {
	struct tx_lane lane; /* the first: found from it */
	enum rig_kind kind;
	uint64_t num, den;  /* frames a second; plain */
	uint32_t nb, index; /* of its class */
	uint64_t offset;    /* ticks from the start to that of its class */
	uint64_t count;	    /* packet-count */
	uint64_t taken;
	uint64_t first_tsc, last_tsc; /* when it was taken */
	uint64_t last_frame, gap;     /* number of the last on the port; the longest from one on */
	struct sched_walk next;	      /* walk: where it must be */
	uint64_t next_k;
};

struct rig {
	struct tx_sched s;
	struct plan_stream *streams; /* one a class */
	struct tx_walk *walks;
	struct rig_lane *lanes;
	struct tx_lane **refs;
	uint32_t nb_lanes, max_classes, max_lanes;
	uint64_t frames;    /* of the port */
	uint64_t latest;    /* latest time given */
	uint64_t due_max;   /* latest due time taken */
	uint64_t inversion; /* how far a frame came behind a later one, ticks */
	bool gave_up;	    /* counted lanes have lost turns: their numbers no longer tell times */
	struct tx_turn turn;
};

static inline void *rig_alloc(size_t nb, size_t size)
{
	size_t bytes = (nb * size + TX_LINE) / TX_LINE * TX_LINE;
	void *p = aligned_alloc(TX_LINE, bytes);

	assert_non_null(p);
	memset(p, 0, bytes);
	return p;
}

static inline void rig_init(struct rig *r, uint32_t max_classes, uint32_t max_lanes)
{
	uint32_t groups = tx_sched_groups(max_classes);

	memset(r, 0, sizeof(*r));
	r->max_classes = max_classes;
	r->max_lanes = max_lanes;
	r->streams = rig_alloc(max_classes, sizeof(*r->streams));
	r->walks = rig_alloc(max_classes, sizeof(*r->walks));
	r->lanes = rig_alloc(max_lanes, sizeof(*r->lanes));
	r->refs = rig_alloc(max_lanes, sizeof(struct tx_lane *));
	r->s.classes = rig_alloc(max_classes, sizeof(*r->s.classes));
	r->s.flat = rig_alloc(max_classes, sizeof(*r->s.flat));
	r->s.due = rig_alloc((size_t)groups * TX_GROUP, sizeof(*r->s.due));
	r->s.group_due = rig_alloc(groups, sizeof(*r->s.group_due));
	r->s.catch_up_tsc = RIG_CATCH_UP;
	r->s.scan = tx_scan_base;
	r->latest = RIG_START;
}

static inline void rig_free(struct rig *r)
{
	free(r->streams);
	free(r->walks);
	free(r->lanes);
	free(r->refs);
	free(r->s.classes);
	free(r->s.flat);
	free(r->s.due);
	free(r->s.group_due);
}

/* A class of nb lanes; count: packet-count of each. */
static inline struct tx_class *rig_class(
	struct rig *r, enum rig_kind kind, uint32_t nb, uint64_t count)
{
	uint32_t k = r->s.nb_classes++;
	struct tx_class *c = &r->s.classes[k];

	assert_true(k < r->max_classes && r->nb_lanes + nb <= r->max_lanes);
	c->model = &r->streams[k];
	c->lanes = &r->refs[r->nb_lanes];
	c->nb_lanes = nb;
	c->lanes_of_stream = 1;
	c->counted = count != NO_END;
	r->streams[k].asked = (struct plan_rate){0, 1};
	r->streams[k].packet_count = count;
	for (uint32_t i = 0; i < nb; i++) {
		struct rig_lane *l = &r->lanes[r->nb_lanes++];

		l->kind = kind;
		l->nb = nb;
		l->index = i;
		l->count = l->lane.remaining = count;
		c->lanes[i] = &l->lane;
	}
	return c;
}

static inline void rig_plain(struct rig *r, uint64_t num, uint64_t den, uint32_t nb, uint64_t count)
{
	struct rig_lane *l = &r->lanes[r->nb_lanes];
	struct tx_class *c = rig_class(r, RIG_PLAIN, nb, count);

	r->streams[c - r->s.classes].asked = (struct plan_rate){num, den};
	pacer_init(&c->pacer, RIG_START, RIG_HZ, num, den, nb);
	for (uint32_t i = 0; i < nb; i++) {
		l[i].num = num;
		l[i].den = den;
	}
}

static inline void rig_walk(struct rig *r, const struct sched *sched, uint64_t count)
{
	struct rig_lane *l = &r->lanes[r->nb_lanes];
	struct tx_class *c = rig_class(r, RIG_WALK, 1, count);
	const struct plan_lane lane = {.index = 0, .nb = 1, .packet_count = count};

	c->walk = &r->walks[c - r->s.classes];
	r->streams[c - r->s.classes].sched = *sched;
	tx_walk_start(c, &lane, RIG_START, RIG_HZ);
	sched_walk_init(&l->next, &c->model->sched, RIG_HZ, 0, 1);
}

static inline void rig_flat(struct rig *r, uint32_t nb, uint64_t from_tsc, uint64_t count)
{
	struct tx_class *c = rig_class(r, RIG_FLAT, nb, count);

	c->flat_out = true;
	c->from_tsc = from_tsc;
	r->s.flat[r->s.nb_flat++] = (uint32_t)(c - r->s.classes);
}

/* Classes begin apart, as those of a load do. */
static inline void rig_start(struct rig *r)
{
	for (uint32_t k = 0; k < r->s.nb_classes; k++) {
		struct tx_class *c = &r->s.classes[k];
		uint64_t offset =
			(uint64_t)((unsigned __int128)c->pacer.step * k / r->s.nb_classes);

		if (c->walk != NULL || c->flat_out)
			continue;
		c->pacer.due_tsc += offset;
		for (uint32_t i = 0; i < c->nb_lanes; i++)
			((struct rig_lane *)(void *)c->lanes[i])->offset = offset;
	}
	tx_sched_start(&r->s, RIG_START, RIG_HZ);
}

/* ---- what must be ---- */

/* When frame k of a lane of equal ones is due, ticks after the start. */
static inline uint64_t rig_due(const struct rig_lane *l, uint64_t k)
{
	unsigned __int128 ticks = ((unsigned __int128)k * l->nb + l->index) * RIG_HZ * l->den;

	return l->offset + (uint64_t)(ticks / ((unsigned __int128)l->num * l->nb));
}

/* Its frames due at now or before. */
static inline uint64_t rig_count(struct rig_lane *l, uint64_t now_tsc)
{
	unsigned __int128 ticks = (unsigned __int128)(now_tsc - RIG_START - l->offset) + 1;
	unsigned __int128 interval = (unsigned __int128)RIG_HZ * l->den;
	uint64_t slots, frames;

	if (l->kind == RIG_WALK) {
		for (; l->next.due <= now_tsc - RIG_START && l->next_k < l->count; l->next_k++)
			sched_walk_next(&l->next);
		return l->next_k;
	}
	if (l->kind == RIG_FLAT || now_tsc < RIG_START + l->offset)
		return 0;
	slots = (uint64_t)((ticks * l->num * l->nb + interval - 1) / interval);
	frames = slots > l->index ? (slots - l->index - 1) / l->nb + 1 : 0;
	return frames < l->count ? frames : l->count;
}

static inline void rig_due_check(struct rig *r, struct rig_lane *l, uint64_t due, uint64_t now)
{
	uint64_t k = l->taken + l->lane.unsent;

	assert_true(due <= (now > r->latest ? now : r->latest));
	if (l->kind == RIG_PLAIN && !(r->gave_up && l->count != NO_END) &&
		due != RIG_START + rig_due(l, k))
		fail_msg("frame %llu of %llu/%llu pps: due at %llu, not %llu",
			(unsigned long long)k, (unsigned long long)l->num,
			(unsigned long long)l->den, (unsigned long long)(due - RIG_START),
			(unsigned long long)rig_due(l, k));
	if (r->due_max > due && r->due_max - due > r->inversion)
		r->inversion = r->due_max - due;
	r->due_max = due > r->due_max ? due : r->due_max;
}

/* Takes once. Returns how many of them have a time. */
static inline uint32_t rig_take(struct rig *r, uint64_t now, uint32_t room)
{
	uint32_t n = tx_sched_take(&r->s, now, true, room, &r->turn), paced = 0;

	assert_int_equal(n, r->turn.nb);
	assert_true(n <= room);
	for (uint32_t k = 0; k < n; k++) {
		struct rig_lane *l = (struct rig_lane *)(void *)tx_turn_lane(&r->turn, k);

		if (l->kind != RIG_FLAT) {
			assert_true(r->turn.paced);
			paced++;
			if (r->s.due_of[k] != 0)
				rig_due_check(r, l, r->s.due_of[k], now);
		}
		r->frames++;
		if (l->taken++ == 0)
			l->first_tsc = now;
		else if (r->frames - l->last_frame > l->gap)
			l->gap = r->frames - l->last_frame;
		l->last_tsc = now;
		l->last_frame = r->frames;
	}
	r->latest = now > r->latest ? now : r->latest;
	return paced;
}

/* Until nothing is due at now, in turns of 1 .. 64. */
static inline void rig_drain(struct rig *r, uint64_t now, uint64_t *seed)
{
	uint32_t room;

	do
		room = 1 + (uint32_t)random_below(random_at(7, (*seed)++), TX_BURST);
	while (rig_take(r, now, room) == room);
}

/* Everything due at the latest time is taken, or given up. */
static inline void rig_assert_exact(struct rig *r)
{
	for (uint32_t i = 0; i < r->nb_lanes; i++) {
		struct rig_lane *l = &r->lanes[i];
		uint64_t is = l->taken + l->lane.unsent, must;

		if (l->kind == RIG_FLAT || (r->gave_up && l->count != NO_END))
			continue;
		must = rig_count(l, r->latest);
		if (is != must)
			fail_msg("lane %u: %llu taken and %llu given up, not %llu in all", i,
				(unsigned long long)l->taken, (unsigned long long)l->lane.unsent,
				(unsigned long long)must);
	}
}
