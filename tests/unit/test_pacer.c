/* SPDX-License-Identifier: BSD-3-Clause */
/* The schedule against the arithmetic it stands for: frame n is due at start + floor(n · interval). */
#include "../../src/engine/pacer.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#define NB(array)    (sizeof(array) / sizeof((array)[0]))
#define MONTH_S	     2592000ull
#define NB_RANDOM    2000
#define NB_ADVANCES  1000000u
#define RATE_MAX_NUM 400000000000ull /* bit/s of the fastest link … */
#define RATE_MAX_DEN 524288u	     /* … over the bits of a large frame */
#define STREAMS_MAX  4096u
#define HZ_MIN	     1000000000ull
#define HZ_SPAN	     4000000000ull
#define YEARS_TICKS  ((uint64_t)INT64_MAX / 4) /* fourteen years of the fastest clock */
#define START_TSC    0xfffffffff0000000ull     /* the counter wraps during the run */

struct rate {
	uint64_t hz, num, den;
	uint32_t nb_streams;
};

static const struct rate known[] = {
	{2400000000, 1, 1, 1},
	{2399998765, 14880952, 1, 1},
	{2400000000, 10000000000, 672, 1},
	{3700000001, 300000000, 480, 2},
	{2100000123, 1, 1000000, 1}, /* a frame in eleven days */
	{2100000123, 4166666667, 1000000, 12},
	{2400000000, 2400000000, 1, 1},	     /* a frame a tick */
	{1000000000, 400000000000, 672, 16}, /* many frames a tick */
	{2999999999, 7, 3, 7919},
};

/* The same numbers in every run (xorshift64). */
static uint64_t next_random(uint64_t *state)
{
	*state ^= *state << 13;
	*state ^= *state >> 7;
	*state ^= *state << 17;
	return *state;
}

/* Small and large values alike: the number of bits is random first. */
static uint64_t random_to(uint64_t *state, uint64_t max)
{
	uint64_t value = next_random(state) >> next_random(state) % 40;

	return 1 + value % max;
}

static struct rate rate_random(uint64_t *state)
{
	struct rate rate = {
		.hz = HZ_MIN + next_random(state) % HZ_SPAN,
		.num = random_to(state, RATE_MAX_NUM),
		.den = random_to(state, RATE_MAX_DEN),
		.nb_streams = (uint32_t)random_to(state, STREAMS_MAX),
	};

	return rate;
}

static void start(struct pacer *p, const struct rate *r)
{
	pacer_init(p, START_TSC, r->hz, r->num, r->den, r->nb_streams);
}

/* Ticks from the start to frame n, exactly. Products stay under 2^128 for what is tested here. */
static uint64_t due_ticks(const struct rate *r, uint64_t n)
{
	return (uint64_t)((unsigned __int128)n * r->hz * r->den /
			  ((unsigned __int128)r->num * r->nb_streams));
}

/* floor(schedule): whole frames that the rate makes in so many ticks. */
static uint64_t schedule(const struct rate *r, uint64_t ticks)
{
	return (uint64_t)((unsigned __int128)ticks * r->num * r->nb_streams /
			  ((unsigned __int128)r->hz * r->den));
}

/* Whether the due time of frame n is within what the counter can tell apart. */
static bool is_in_range(const struct rate *r, uint64_t n)
{
	return (unsigned __int128)n * r->hz * r->den / ((unsigned __int128)r->num * r->nb_streams) <
	       INT64_MAX;
}

static void sent_is_the_schedule_give_or_take_one_at_every_moment(void **state)
{
	uint64_t seed = 0x7467;

	(void)state;
	for (unsigned i = 0; i < NB_RANDOM; i++) {
		struct rate r = i < NB(known) ? known[i] : rate_random(&seed);
		struct pacer p;

		start(&p, &r);
		for (unsigned k = 0; k < 50; k++) {
			uint64_t ticks = next_random(&seed) % (r.hz * 3600);
			uint64_t sent = pacer_nb_due(&p, START_TSC + ticks);

			/* a reading of the counter stands for the whole tick */
			if (sent < schedule(&r, ticks) || sent > schedule(&r, ticks + 1) + 1)
				fail_msg(
					"%llu/%llu pps × %u at %llu Hz: %llu sent after %llu ticks",
					(unsigned long long)r.num, (unsigned long long)r.den,
					r.nb_streams, (unsigned long long)r.hz,
					(unsigned long long)sent, (unsigned long long)ticks);
		}
	}
}

static void nothing_drifts_in_a_month_of_large_steps(void **state)
{
	uint64_t seed = 0x1234567;

	(void)state;
	for (unsigned i = 0; i < NB_RANDOM; i++) {
		struct rate r = i < NB(known) ? known[i] : rate_random(&seed);
		uint64_t total = schedule(&r, r.hz * MONTH_S), n = 0;
		struct pacer p;

		start(&p, &r);
		while (n < total) {
			uint64_t step = 1 + next_random(&seed) % (total / 50 + 1);

			pacer_skip(&p, step);
			n += step;
			assert_true(is_in_range(&r, n));
			assert_int_equal(p.due_tsc - START_TSC, due_ticks(&r, n));
		}
	}
}

static void nothing_drifts_in_a_million_single_frames(void **state)
{
	(void)state;
	for (unsigned i = 0; i < NB(known); i++) {
		const struct rate *r = &known[i];
		struct pacer p;

		start(&p, r);
		for (uint64_t n = 0; n < NB_ADVANCES; n++) {
			if (p.due_tsc - START_TSC != due_ticks(r, n))
				assert_int_equal(p.due_tsc - START_TSC, due_ticks(r, n));
			pacer_advance(&p);
		}
	}
}

static void skipping_is_advancing_as_often(void **state)
{
	uint64_t seed = 0xabcdef;

	(void)state;
	for (unsigned i = 0; i < NB_RANDOM; i++) {
		struct rate r = i < NB(known) ? known[i] : rate_random(&seed);
		uint64_t n = next_random(&seed) % 3000;
		struct pacer skipped, advanced;

		start(&skipped, &r);
		pacer_skip(&skipped, next_random(&seed) % 1000);
		advanced = skipped;
		pacer_skip(&skipped, n);
		while (n-- > 0)
			pacer_advance(&advanced);
		assert_int_equal(skipped.due_tsc, advanced.due_tsc);
		assert_int_equal(skipped.acc, advanced.acc);
	}
}

static void what_is_due_is_what_can_be_advanced(void **state)
{
	uint64_t seed = 0x55aa;

	(void)state;
	for (unsigned i = 0; i < NB_RANDOM; i++) {
		struct rate r = i < NB(known) ? known[i] : rate_random(&seed);
		uint64_t wanted = next_random(&seed) % 2000, now, nb = 0, due;
		struct pacer p;

		start(&p, &r);
		pacer_skip(&p, next_random(&seed) % 1000);
		now = p.due_tsc + due_ticks(&r, wanted);
		due = pacer_nb_due(&p, now);
		while (pacer_is_due(&p, now) && nb <= due) {
			pacer_advance(&p);
			nb++;
		}
		assert_int_equal(nb, due);
		assert_true(due + schedule(&r, 1) + 1 >= wanted);
	}
}

static void nothing_is_due_before_its_time(void **state)
{
	struct pacer p;

	(void)state;
	for (unsigned i = 0; i < NB(known); i++) {
		start(&p, &known[i]);
		assert_int_equal(pacer_nb_due(&p, START_TSC - 1), 0);
		assert_false(pacer_is_due(&p, START_TSC - 1));
		assert_true(pacer_is_due(&p, START_TSC));
	}
}

static void absurd_rates_do_not_overflow(void **state)
{
	static const struct {
		struct rate rate;
		bool slow; /* never due again; else always due */
	} cases[] = {
		{{5000000000, UINT64_MAX, 1, UINT32_MAX}, false},
		{{5000000000, UINT64_MAX, 1, 1}, false}, {{1, UINT64_MAX, 3, 65535}, false},
		{{5000000000, UINT64_MAX, 2, 7}, false}, {{5000000000, 1, UINT64_MAX, 1}, true},
		{{5000000000, 3, UINT64_MAX, 2}, true},
		{{5000000000, 1, 18446744073, 1}, true}, /* just over 2^64 ticks */
	};

	(void)state;
	for (unsigned i = 0; i < NB(cases); i++) {
		struct pacer p;

		start(&p, &cases[i].rate);
		assert_true(p.rem < p.mod || p.rem == 0);
		pacer_advance(&p);
		assert_true(p.acc < p.mod);
		if (cases[i].slow) {
			assert_int_equal(pacer_nb_due(&p, START_TSC + YEARS_TICKS), 0);
			assert_false(pacer_is_due(&p, START_TSC + 5000000000));
		} else {
			assert_true(pacer_is_due(&p, START_TSC + 1));
			assert_true(pacer_nb_due(&p, START_TSC + 1) > 1000000000);
			pacer_skip(&p, UINT32_MAX);
			assert_true(pacer_is_due(&p, START_TSC + 20));
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(sent_is_the_schedule_give_or_take_one_at_every_moment),
		cmocka_unit_test(nothing_drifts_in_a_month_of_large_steps),
		cmocka_unit_test(nothing_drifts_in_a_million_single_frames),
		cmocka_unit_test(skipping_is_advancing_as_often),
		cmocka_unit_test(what_is_due_is_what_can_be_advanced),
		cmocka_unit_test(nothing_is_due_before_its_time),
		cmocka_unit_test(absurd_rates_do_not_overflow),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
