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

/* Takes what class k, which is no simple one, has due by the horizon. */
static uint32_t class_visit(
	struct tx_sched *s, uint32_t k, uint64_t now_tsc, uint32_t n, uint32_t room)
{
	uint64_t horizon_tsc = s->start_tsc + s->horizon;
	struct tx_class *c = &s->classes[k];

	if (c->walk != NULL) {
		n = tx_walk_take(s, c, horizon_tsc, now_tsc, n, room);
		s->due[k] = c->walk->w.due;
	} else {
		n = tx_class_take(s, c, horizon_tsc, n, room);
		s->due[k] = c->pacer.due_tsc - s->start_tsc;
	}
	if (c->nb_done == c->nb_lanes) {
		s->due[k] = UINT64_MAX;
		s->nb_finished++;
	}
	return n;
}

/*
 * Takes of a group what is due, one frame of each simple class, which is no choice that could be
 * guessed wrong; what more they have is seen at the next look.
 */
static inline uint32_t group_visit(
	struct tx_sched *s, uint32_t first, uint64_t now_tsc, uint32_t n, uint32_t room)
{
	uint64_t todo = group_mask(&s->due[first], s->horizon);

	for (; todo != 0 && n < room; todo &= todo - 1) {
		uint32_t k = first + (uint32_t)__builtin_ctzll(todo);
		struct tx_class *c = &s->classes[k];

		if (__builtin_expect(c->simple, 1)) {
			s->pick[n] = c->lanes[0];
			s->due_of[n++] = c->pacer.due_tsc;
			pacer_advance(&c->pacer);
			s->due[k] = c->pacer.due_tsc - s->start_tsc;
		} else {
			n = class_visit(s, k, now_tsc, n, room);
		}
	}
	s->group_due[first / TX_GROUP] = group_least(&s->due[first]);
	return n;
}

/* Goes on with the pass over all groups, until nothing is due in any by the horizon, or room is up. */
static inline uint32_t pass(struct tx_sched *s, uint64_t now_tsc, uint32_t n, uint32_t room)
{
	uint32_t groups = tx_sched_groups(s->nb_classes), group = s->at;

	for (; group < groups; group++)
		while (s->group_due[group] <= s->horizon) {
			if (n == room) {
				s->at = group;
				return n;
			}
			n = group_visit(s, group * TX_GROUP, now_tsc, n, room);
		}
	s->passing = false;
	s->at = 0;
	return n;
}

uint32_t NAME(tx_scan_, TX_CPU)(struct tx_sched *s, uint64_t now_tsc, uint32_t room)
{
	uint64_t now = now_tsc - s->start_tsc;
	uint32_t n = 0;

	while (n < room) {
		if (!s->passing) {
			bool behind = now - s->horizon > s->catch_up_tsc;

			if (s->horizon >= now || (behind && n > 0))
				break;
			if (__builtin_expect(behind, 0))
				tx_sched_give_up(s, now_tsc);
			s->horizon = now - s->horizon > s->step ? s->horizon + s->step : now;
			s->passing = true;
		}
		n = pass(s, now_tsc, n, room);
	}
	return n;
}
