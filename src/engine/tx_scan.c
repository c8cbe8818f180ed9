/* SPDX-License-Identifier: BSD-3-Clause */
#include "tx_sched.h"

#ifdef __AVX512F__
#include <immintrin.h>
#endif

/*
 * The look over all classes for what is due, compiled once for each kind of CPU: a group of times is
 * compared with the horizon at once where vectors have eight of them.
 */

#define CONCAT(a, b)	a##b
#define NAME(base, cpu) CONCAT(base, cpu)
#ifndef TX_CPU
#define TX_CPU base
#endif

/* Bit i: due[i] has come. */
static inline uint64_t group_mask(const uint64_t due[TX_GROUP], uint64_t horizon)
{
	uint64_t mask = 0;

#ifdef __AVX512F__
	for (uint32_t i = 0; i < TX_GROUP; i += 8)
		mask |= (uint64_t)_mm512_cmple_epu64_mask(
				_mm512_loadu_si512(due + i), _mm512_set1_epi64((long long)horizon))
			<< i;
#else
	for (uint32_t i = 0; i < TX_GROUP; i++)
		mask |= (uint64_t)(due[i] <= horizon) << i;
#endif
	return mask;
}

static inline uint64_t group_least(const uint64_t due[TX_GROUP])
{
#ifdef __AVX512F__
	__m512i least = _mm512_loadu_si512(due);

	for (uint32_t i = 8; i < TX_GROUP; i += 8)
		least = _mm512_min_epu64(least, _mm512_loadu_si512(due + i));
	return _mm512_reduce_min_epu64(least);
#else
	uint64_t least = due[0];

	for (uint32_t i = 1; i < TX_GROUP; i++)
		least = due[i] < least ? due[i] : least;
	return least;
#endif
}

/* Takes what class k has due by the horizon. */
static inline uint32_t class_visit(
	struct tx_sched *s, uint32_t k, uint64_t now_tsc, uint32_t n, uint32_t room)
{
	uint64_t horizon_tsc = s->start_tsc + s->horizon;
	struct tx_class *c = &s->classes[k];

	if (c->walk != NULL) {
		n = tx_walk_take(s, c, horizon_tsc, now_tsc, n, room);
		s->due[k] = c->walk->w.due;
	} else if (c->nb_lanes == 1 && !c->counted &&
		   now_tsc - c->pacer.due_tsc <= s->catch_up_tsc) {
		for (; n < room && pacer_is_due(&c->pacer, horizon_tsc); n++) {
			s->pick[n] = c->lanes[0];
			s->due_of[n] = c->pacer.due_tsc;
			pacer_advance(&c->pacer);
		}
		s->due[k] = c->pacer.due_tsc - s->start_tsc;
		return n;
	} else {
		n = tx_class_take(s, c, horizon_tsc, now_tsc, n, room);
		s->due[k] = c->pacer.due_tsc - s->start_tsc;
	}
	if (c->nb_done == c->nb_lanes) {
		s->due[k] = UINT64_MAX;
		s->nb_finished++;
	}
	return n;
}

/* Goes on with the pass over all classes; s->at is 0 again when it is complete. */
static inline uint32_t pass(struct tx_sched *s, uint64_t now_tsc, uint32_t n, uint32_t room)
{
	uint32_t from = s->at == 0 ? 0 : s->at - 1;
	uint32_t group = from / TX_GROUP, groups = tx_sched_groups(s->nb_classes);
	uint64_t todo = UINT64_MAX << from % TX_GROUP;

	for (; group < groups; group++, todo = UINT64_MAX) {
		uint64_t *due = &s->due[group * TX_GROUP];

		if (s->group_due[group] > s->horizon)
			continue;
		for (todo &= group_mask(due, s->horizon); todo != 0; todo &= todo - 1) {
			uint32_t k = group * TX_GROUP + (uint32_t)__builtin_ctzll(todo);

			/* class k and those behind it have not had their turn in this pass */
			s->at = k + 1;
			if (n == room)
				break;
			n = class_visit(s, k, now_tsc, n, room);
			/* nor has this one, when there was no room for all of it */
			if (n == room && due[k % TX_GROUP] <= s->horizon)
				break;
		}
		s->group_due[group] = group_least(due);
		if (todo != 0)
			return n;
	}
	s->at = 0;
	return n;
}

uint32_t NAME(tx_scan_, TX_CPU)(struct tx_sched *s, uint64_t now_tsc, uint32_t room)
{
	uint64_t now = now_tsc - s->start_tsc;
	uint32_t n = 0;
	bool complete = s->at == 0;

	while (n < room) {
		if (complete) {
			if (s->horizon >= now)
				break;
			if (__builtin_expect(now - s->horizon > s->catch_up_tsc, 0))
				tx_sched_give_up(s, now_tsc);
			s->horizon = now - s->horizon > s->step ? s->horizon + s->step : now;
		}
		n = pass(s, now_tsc, n, room);
		complete = s->at == 0;
		if (!complete)
			break;
	}
	return n;
}
