/* SPDX-License-Identifier: BSD-3-Clause */
#include "tx_sched.h"

#include "tgen/units.h"

/* Lanes with schedules of their own: bursts, profiles, random gaps, a start delay. */

#define GIVE_UP_MAX 4096u /* frames at once, so that receiving goes on meanwhile */

static uint64_t ns_ticks(uint64_t ns, uint64_t hz)
{
	unsigned __int128 ticks = (unsigned __int128)ns * hz / UNITS_NS_PER_S;

	return ticks > INT64_MAX ? INT64_MAX : (uint64_t)ticks;
}

static uint64_t div_up(uint64_t a, uint64_t b)
{
	return a / b + (a % b != 0);
}

static void walk_check_done(struct tx_class *c)
{
	c->nb_done = c->walk->w.due == UINT64_MAX || c->lanes[0]->remaining == 0;
}

void tx_walk_start(
	struct tx_class *c, const struct plan_lane *lane, uint64_t start_tsc, uint64_t hz)
{
	const struct plan_stream *stream = c->model;
	const struct sched *s = &stream->sched;
	struct tx_walk *k = c->walk;
	uint64_t bursts;

	sched_walk_init(&k->w, s, hz, lane->index, lane->nb);
	k->start_tsc = start_tsc;
	k->last_due = UINT64_MAX;
	k->together = s->points == NULL && s->burst_packets != 0 && s->num == 0;
	walk_check_done(c);
	if (!k->together)
		return;
	bursts = s->burst_count;
	if (stream->packet_count != UINT64_MAX &&
		div_up(stream->packet_count, s->burst_packets) < bursts)
		bursts = div_up(stream->packet_count, s->burst_packets);
	k->gap = ns_ticks(s->gap_ns, hz);
	k->last_burst = UINT64_MAX;
	if (bursts > 0 && bursts - 1 <= UINT64_MAX / s->burst_packets)
		k->last_burst = (bursts - 1) * s->burst_packets;
}

/* nb frames of the schedule that are not sent. */
static void walk_lose(struct tx_class *c, uint64_t nb)
{
	struct tx_lane *lane = c->lanes[0];

	lane->unsent += nb;
	if (lane->remaining != UINT64_MAX)
		lane->remaining -= nb;
}

/*
 * Frames of a burst without a rate have no time of their own but the burst's: they may take until
 * the next one, and those of the last as long as it takes. What is left then is given up.
 */
static void burst_give_up(const struct tx_sched *q, struct tx_class *c, uint64_t now)
{
	struct tx_walk *k = c->walk;
	const struct sched *s = k->w.s;

	while (k->w.due != UINT64_MAX && k->w.n < k->last_burst && now > k->w.due &&
		now - k->w.due > k->gap + q->catch_up_tsc) {
		uint64_t next = (k->w.n / s->burst_packets + 1) * s->burst_packets;
		uint64_t nb = div_up(next - k->w.n, k->w.stride), left = c->lanes[0]->remaining;

		walk_lose(c, nb < left ? nb : left);
		sched_walk_init(&k->w, s, k->w.hz, k->w.n + nb * k->w.stride, k->w.stride);
		if (nb >= left)
			break;
	}
}

/* Too far behind to catch up. */
static void walk_give_up(const struct tx_sched *q, struct tx_class *c, uint64_t now)
{
	struct tx_walk *k = c->walk;

	for (unsigned i = 0; i < GIVE_UP_MAX && now > k->w.due && c->lanes[0]->remaining > 0 &&
			     now - k->w.due > q->catch_up_tsc;
		i++) {
		walk_lose(c, 1);
		sched_walk_next(&k->w);
	}
}

uint32_t tx_walk_take(struct tx_sched *s, struct tx_class *c, uint64_t horizon_tsc,
	uint64_t now_tsc, uint32_t n, uint32_t room)
{
	uint64_t now = now_tsc - s->start_tsc, horizon = horizon_tsc - s->start_tsc;
	struct tx_lane *lane = c->lanes[0];
	struct tx_walk *k = c->walk;

	if (k->w.due < now && now - k->w.due > s->catch_up_tsc) {
		if (k->together)
			burst_give_up(s, c, now);
		else
			walk_give_up(s, c, now);
	}
	/* the end of a walk is never due */
	while (n < room && k->w.due <= horizon && lane->remaining > 0) {
		/* only the first of frames due together can be late */
		s->due_of[n] = s->start_tsc + k->w.due;
		if (k->together && k->w.due == k->last_due)
			s->due_of[n] = 0;
		s->pick[n++] = lane;
		k->last_due = k->w.due;
		k->last_n = k->w.n;
		lane->remaining -= lane->remaining != UINT64_MAX;
		sched_walk_next(&k->w);
	}
	walk_check_done(c);
	return n;
}

void tx_walk_count_missing(struct tx_class *c, uint64_t end_tsc)
{
	uint64_t left = c->lanes[0]->remaining, nb = 0, count;
	struct tx_walk *k = c->walk;
	uint64_t end = end_tsc - k->start_tsc;

	if (k->w.due == UINT64_MAX || (int64_t)end <= 0)
		return;
	if (k->together) {
		unsigned __int128 ns = (unsigned __int128)end * UNITS_NS_PER_S;

		count = sched_count(k->w.s, (uint64_t)((ns + k->w.hz - 1) / k->w.hz));
		nb = count > k->w.n ? div_up(count - k->w.n, k->w.stride) : 0;
	}
	/* what is not given up yet is of the last moments only */
	for (; !k->together && nb < left && k->w.due < end; nb++)
		sched_walk_next(&k->w);
	walk_lose(c, nb < left ? nb : left);
}

uint64_t tx_walk_end(const struct tx_walk *k, uint64_t now_tsc)
{
	const struct sched *s = k->w.s;
	uint64_t end_ns;

	if (k->last_due == UINT64_MAX)
		return 0;
	if (k->together)
		return now_tsc;
	if (s->poisson && s->points == NULL && s->num != 0)
		return k->start_tsc + k->last_due +
		       (uint64_t)((unsigned __int128)s->den * k->w.hz / s->num);
	end_ns = sched_end_ns(s, k->last_n + 1);
	if (end_ns == SCHED_NO_END)
		return k->start_tsc + k->last_due;
	return k->start_tsc + ns_ticks(end_ns, k->w.hz);
}
