/* SPDX-License-Identifier: BSD-3-Clause */
#include "tx_sched.h"

/* ---- one class ---- */

/* The next lane in turn that has frames left; NULL when it is this one's turn to rest. */
static inline struct tx_lane *class_next(struct tx_class *c)
{
	struct tx_lane *lane = c->lanes[c->next];

	c->next = c->next + 1 == c->nb_lanes ? 0 : c->next + 1;
	if (lane->remaining == UINT64_MAX)
		return lane;
	if (lane->remaining == 0)
		return NULL;
	if (--lane->remaining == 0)
		c->nb_done++;
	return lane;
}

/*
 * Too far behind to catch up: the frames of whole turns are given up and counted, so that the
 * schedule is not followed by a burst that nobody asked for.
 */
static void class_give_up(struct tx_class *c, uint64_t before_tsc)
{
	uint64_t turns = pacer_nb_due(&c->pacer, before_tsc) / c->nb_lanes;

	if (turns == 0)
		return;
	pacer_skip(&c->pacer, turns * c->nb_lanes);
	for (uint32_t i = 0; i < c->nb_lanes; i++)
		if (c->lanes[i]->remaining == UINT64_MAX)
			c->lanes[i]->unsent += turns;
}

/* Half of what may be caught up stays, so that this is not to be done for every frame. */
static inline void class_behind(const struct tx_sched *s, struct tx_class *c, uint64_t now_tsc)
{
	if (__builtin_expect((int64_t)(now_tsc - c->pacer.due_tsc) > (int64_t)s->catch_up_tsc, 0))
		class_give_up(c, now_tsc - s->catch_up_tsc / 2);
}

uint32_t tx_class_take(
	struct tx_sched *s, struct tx_class *c, uint64_t horizon_tsc, uint32_t n, uint32_t room)
{
	while (n < room && pacer_is_due(&c->pacer, horizon_tsc) && c->nb_done < c->nb_lanes) {
		struct tx_lane *lane = class_next(c);
		uint64_t due = c->pacer.due_tsc;

		pacer_advance(&c->pacer);
		if (lane == NULL)
			continue;
		s->pick[n] = lane;
		s->due_of[n++] = due;
	}
	return n;
}

/*
 * How many frames of a schedule are due, at most room; passes over them. Usually none or one, and all
 * of room when the sender is behind: both are told without walking through them.
 */
static uint32_t pacer_take(struct pacer *p, uint64_t now_tsc, uint32_t room)
{
	uint64_t last_tsc;
	uint32_t n = 0;

	if (!pacer_is_due(p, now_tsc))
		return 0;
	last_tsc = p->due_tsc + (room - 1) * (p->step + 1);
	if (p->mod <= UINT32_MAX && p->step <= UINT32_MAX && (int64_t)(now_tsc - last_tsc) >= 0) {
		uint64_t rest = p->acc + p->rem * room;

		p->due_tsc += p->step * room + rest / p->mod;
		p->acc = rest % p->mod;
		return room;
	}
	do {
		pacer_advance(p);
	} while (++n < room && pacer_is_due(p, now_tsc));
	return n;
}

/* The whole queue is one class without packet-counts: its lanes are in turn as they lie. */
static uint32_t turn_take(struct tx_sched *s, struct tx_class *c, uint64_t now_tsc, uint32_t room,
	struct tx_turn *out)
{
	uint32_t n = room;

	*out = (struct tx_turn){
		.lanes = c->lanes, .nb_lanes = c->nb_lanes, .first = c->next, .many = c->many};
	if (!c->flat_out) {
		class_behind(s, c, now_tsc);
		out->paced = out->uniform = true;
		out->due = c->pacer.due_tsc;
		out->step_fp = c->step_fp;
		n = pacer_take(&c->pacer, now_tsc, room);
	}
	out->nb = n;
	c->next = c->nb_lanes == 1 ? 0 : (c->next + n) % c->nb_lanes;
	return n;
}

static uint32_t flat_take(struct tx_sched *s, struct tx_class *c, uint32_t n, uint32_t room)
{
	while (n < room && c->nb_done < c->nb_lanes) {
		struct tx_lane *lane = class_next(c);

		if (lane == NULL)
			continue;
		s->pick[n] = lane;
		s->due_of[n++] = 0;
	}
	return n;
}

/* ---- all classes of a queue ---- */

static void finished_count(struct tx_sched *s)
{
	s->nb_finished = 0;
	for (uint32_t k = 0; k < s->nb_classes; k++)
		s->nb_finished += s->classes[k].nb_done == s->classes[k].nb_lanes;
}

/* Classes that are flat out share what others leave of a burst. */
static uint32_t flats_take(struct tx_sched *s, uint64_t now_tsc, uint32_t n, uint32_t room)
{
	for (uint32_t i = 0; i < s->nb_flat && n < room; i++) {
		uint32_t at = (s->flat_first + i) % s->nb_flat;
		struct tx_class *c = &s->classes[s->flat[at]];
		uint32_t share = (room - n + s->nb_flat - i - 1) / (s->nb_flat - i);
		bool was_done = c->nb_done == c->nb_lanes;

		if ((int64_t)(now_tsc - c->from_tsc) >= 0)
			n = flat_take(s, c, n, n + share);
		s->nb_finished += !was_done && c->nb_done == c->nb_lanes;
	}
	s->flat_first = s->flat_first + 1 >= s->nb_flat ? 0 : s->flat_first + 1;
	return n;
}

/* The time of a class's next frame, kept beside it so that those to come cost nothing. */
static uint64_t class_due(const struct tx_sched *s, const struct tx_class *c)
{
	if (c->nb_done == c->nb_lanes || c->flat_out)
		return UINT64_MAX;
	return c->walk != NULL ? c->walk->w.due : c->pacer.due_tsc - s->start_tsc;
}

static void group_set(struct tx_sched *s, uint32_t group)
{
	uint64_t least = UINT64_MAX;

	for (uint32_t i = group * TX_GROUP; i < (group + 1) * TX_GROUP; i++)
		least = s->due[i] < least ? s->due[i] : least;
	s->group_due[group] = least;
}

void tx_sched_give_up(struct tx_sched *s, uint64_t now_tsc)
{
	uint64_t least = now_tsc - s->start_tsc - s->catch_up_tsc / 2;

	s->horizon = now_tsc - s->start_tsc - s->catch_up_tsc;
	for (uint32_t k = 0; k < s->nb_classes; k++) {
		struct tx_class *c = &s->classes[k];

		if (c->walk != NULL || c->flat_out || c->nb_done == c->nb_lanes)
			continue;
		class_give_up(c, now_tsc - s->catch_up_tsc / 2);
		s->due[k] = class_due(s, c);
	}
	for (uint32_t g = 0; g < tx_sched_groups(s->nb_classes); g++) {
		group_set(s, g);
		least = s->group_due[g] < least ? s->group_due[g] : least;
	}
	/* nothing is due before that: no need to go there by steps */
	s->horizon = least > s->horizon ? least : s->horizon;
}

/* Ticks in which all plain schedules together ask for a step of the horizon. */
static uint64_t step_ticks(const struct tx_sched *s, uint64_t hz)
{
	double pps = 0;

	for (uint32_t k = 0; k < s->nb_classes; k++) {
		const struct tx_class *c = &s->classes[k];
		const struct plan_rate *rate = &c->model->asked;

		if (c->walk == NULL && !c->flat_out)
			pps += (double)rate->num / (double)rate->den / c->lanes_of_stream *
			       c->nb_lanes;
	}
	return pps > 0 ? (uint64_t)((double)hz * TX_BURST * TX_STEP_BURSTS / pps) + 1 : INT64_MAX;
}

void tx_sched_start(struct tx_sched *s, uint64_t start_tsc, uint64_t hz)
{
	uint32_t groups = tx_sched_groups(s->nb_classes);

	s->start_tsc = start_tsc;
	s->horizon = s->at = s->flat_first = 0;
	s->passing = false;
	s->step = step_ticks(s, hz);
	for (uint32_t k = 0; k < s->nb_classes; k++) {
		struct tx_class *c = &s->classes[k];

		c->simple = c->walk == NULL && !c->flat_out && !c->counted && c->nb_lanes == 1;
		/* of long intervals no two are ever due at once */
		if (c->walk == NULL && !c->flat_out && c->pacer.step < UINT64_C(1) << 40)
			c->step_fp =
				(c->pacer.step << 16) +
				(uint64_t)(((unsigned __int128)c->pacer.rem << 16) / c->pacer.mod);
	}
	for (uint32_t k = 0; k < groups * TX_GROUP; k++)
		s->due[k] = k < s->nb_classes ? class_due(s, &s->classes[k]) : UINT64_MAX;
	for (uint32_t g = 0; g < groups; g++)
		group_set(s, g);
	finished_count(s);
}

static uint32_t only_take(struct tx_sched *s, uint64_t now_tsc, uint32_t room)
{
	struct tx_class *c = &s->classes[0];
	uint32_t n;

	if (c->walk != NULL) {
		n = tx_walk_take(s, c, now_tsc, now_tsc, 0, room);
	} else {
		class_behind(s, c, now_tsc);
		n = tx_class_take(s, c, now_tsc, 0, room);
	}
	s->nb_finished = c->nb_done == c->nb_lanes;
	return n;
}

uint32_t tx_sched_take(
	struct tx_sched *s, uint64_t now_tsc, bool flat_out, uint32_t room, struct tx_turn *out)
{
	struct tx_class *c = &s->classes[0];
	uint32_t n = 0;

	out->nb = 0;
	if (s->nb_classes == 0)
		return 0;
	if (s->nb_classes == 1 && c->walk == NULL && !c->counted) {
		if (c->flat_out && (!flat_out || (int64_t)(now_tsc - c->from_tsc) < 0))
			return 0;
		return turn_take(s, c, now_tsc, room, out);
	}
	if (s->nb_classes == 1 && !c->flat_out)
		n = only_take(s, now_tsc, room);
	else if (s->nb_classes > s->nb_flat)
		n = s->scan(s, now_tsc, room);
	*out = (struct tx_turn){.lanes = s->pick, .nb_lanes = TX_BURST, .paced = n > 0};
	if (flat_out && s->nb_flat > 0)
		n = flats_take(s, now_tsc, n, room);
	out->nb = n;
	return n;
}

uint64_t tx_sched_next(const struct tx_sched *s)
{
	uint64_t least = UINT64_MAX;

	if (s->nb_classes == 1 && !s->classes[0].flat_out) {
		least = class_due(s, &s->classes[0]);
	} else {
		for (uint32_t g = 0; g < tx_sched_groups(s->nb_classes); g++)
			least = s->group_due[g] < least ? s->group_due[g] : least;
	}
	least = least == UINT64_MAX ? least : s->start_tsc + least;
	for (uint32_t i = 0; i < s->nb_flat; i++) {
		const struct tx_class *c = &s->classes[s->flat[i]];

		if (c->nb_done < c->nb_lanes && c->from_tsc < least)
			least = c->from_tsc;
	}
	return least;
}

uint64_t tx_sched_end(const struct tx_sched *s, uint64_t now_tsc)
{
	uint64_t end = 0;

	for (uint32_t k = 0; k < s->nb_classes; k++) {
		const struct tx_class *c = &s->classes[k];
		uint64_t one = 0;

		if (c->walk != NULL)
			one = tx_walk_end(c->walk, now_tsc);
		else if (!c->flat_out)
			one = c->pacer.due_tsc;
		end = one > end ? one : end;
	}
	return end;
}

/* ---- what was never taken ---- */

/* Whole turns at once: a rate far beyond what can be sent leaves very many. */
static void class_count_turns(struct tx_class *c, uint64_t turns)
{
	for (uint32_t i = 0; i < c->nb_lanes; i++) {
		struct tx_lane *lane = c->lanes[i];
		uint64_t missing = turns < lane->remaining ? turns : lane->remaining;

		lane->unsent += missing;
		if (lane->remaining == UINT64_MAX || missing == 0)
			continue;
		lane->remaining -= missing;
		c->nb_done += lane->remaining == 0;
	}
	pacer_skip(&c->pacer, turns * c->nb_lanes);
}

static void class_count_missing(struct tx_class *c, uint64_t end_tsc)
{
	uint64_t due = pacer_nb_due(&c->pacer, end_tsc - 1);

	class_count_turns(c, due / c->nb_lanes);
	for (due %= c->nb_lanes; due > 0 && c->nb_done < c->nb_lanes; due--) {
		struct tx_lane *lane = class_next(c);

		pacer_advance(&c->pacer);
		if (lane != NULL)
			lane->unsent++;
	}
}

void tx_sched_count_missing(struct tx_sched *s, uint64_t end_tsc)
{
	for (uint32_t k = 0; k < s->nb_classes; k++) {
		struct tx_class *c = &s->classes[k];

		if (c->walk != NULL)
			tx_walk_count_missing(c, end_tsc);
		else if (!c->flat_out)
			class_count_missing(c, end_tsc);
	}
}
