/* SPDX-License-Identifier: BSD-3-Clause */
/* Schedules against the times they stand for, and the sums against walks over every frame. */
#include "tgen/sched.h"

#include "tgen/random.h"
#include "tgen/units.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include <math.h>
#include <string.h>

#define NB(array) (sizeof(array) / sizeof((array)[0]))
#define S	  UNITS_NS_PER_S
#define MS	  1000000ull
#define MONTH_S	  2592000ull
#define NEVER	  UINT64_MAX
#define END	  SCHED_NO_END

static const struct sched_point steps[] = {
	{0, 10, 1}, {S, 21, 2}, {2 * S, 0, 1}, {3 * S, 1000, 3}, {3 * S + 1, 7, 1}, {9 * S, 1, 4}};
static const struct sched_point pause_first[] = {{0, 0, 1}, {2 * S, 100, 1}};
static const struct sched_point ramp[] = {
	{0, 0, 1}, {10 * S, 100, 1}, {20 * S, 100, 1}, {25 * S, 0, 1}};
static const struct sched_point zigzag[] = {
	{0, 3, 7}, {S, 1000, 1}, {S + 3, 999, 1}, {4 * S, 0, 1}, {5 * S, 0, 1}, {6 * S, 250, 3}};
static const struct sched_point thirds[] = {{0, 1, 3}, {S, 2, 3}, {2 * S, 0, 1}, {4 * S, 1, 3}};

#define POINTS(array) .points = (array), .nb_points = NB(array)

static const struct sched known[] = {
	{.num = 1, .den = 1},
	{.num = 100000000, .den = 1},
	{.num = 14880952, .den = 1},
	{.num = 300000000, .den = 480 * 7, .delay_ns = 1500 * MS},
	{.num = 7, .den = 3, .delay_ns = 1},
	{.num = 2, .den = 2000003, .delay_ns = S},
	{.num = 1000, .den = 3, .burst_packets = 7, .burst_count = END, .gap_ns = 40 * MS},
	{.num = 1000, .den = 3, .burst_packets = 1, .burst_count = 5, .gap_ns = 40 * MS},
	{.num = 1000000, .den = 1, .burst_packets = 100, .burst_count = 9, .gap_ns = 777777},
	{.num = 0, .den = 1, .burst_packets = 100, .burst_count = END, .gap_ns = 10 * MS},
	{.num = 0, .den = 1, .burst_packets = 5, .burst_count = 3, .gap_ns = 0, .delay_ns = 7},
	{.num = 3, .den = 1, .burst_packets = 4, .burst_count = 2, .gap_ns = 0},
	{POINTS(steps)},
	{POINTS(steps), .delay_ns = 123456789},
	{POINTS(pause_first)},
	{POINTS(thirds)},
	{POINTS(ramp), .linear = true},
	{POINTS(zigzag), .linear = true, .delay_ns = 17},
	{.num = 5000, .den = 3, .poisson = true, .seed = 7, .delay_ns = 100 * MS},
};

static const uint64_t times[] = {0, 1, 2, 8, 1000, 777777, MS, 40 * MS, 999 * MS, S - 1, S, S + 1,
	1500 * MS, 1500 * MS + 1, 2 * S, 2 * S + 1, 3 * S, 3 * S + 1, 5 * S, 9999 * MS};

/* Walks no more frames than this: the fastest rates are compared for their first milliseconds. */
#define WALK_MAX 2000000u

static void count_is_the_frames_that_a_walk_finds_before_the_time(void **state)
{
	(void)state;
	for (unsigned i = 0; i < NB(known); i++) {
		struct sched_walk w;
		unsigned t = 0;

		sched_walk_init(&w, &known[i], S, 0, 1);
		while (t < NB(times) && w.n < WALK_MAX) {
			if (w.due < times[t]) {
				uint64_t before = w.due;

				sched_walk_next(&w);
				assert_true(w.due >= before);
				continue;
			}
			if (w.due == NEVER || w.due >= times[t])
				assert_int_equal(sched_count(&known[i], times[t]), w.n);
			t++;
		}
		assert_true(t > 6);
	}
}

/* Any number of senders makes the same frames at the same times, on any clock. */
static void senders_together_make_the_same_times(void **state)
{
	static const uint64_t clocks[] = {S, 2399998765, 3700000001};

	(void)state;
	for (unsigned c = 0; c < NB(clocks); c++)
		for (unsigned i = 0; i < NB(known); i++) {
			struct sched_walk one, three[3];

			sched_walk_init(&one, &known[i], clocks[c], 0, 1);
			for (unsigned k = 0; k < 3; k++)
				sched_walk_init(&three[k], &known[i], clocks[c], k, 3);
			for (unsigned n = 0; n < 20000 && one.due != NEVER; n++) {
				assert_int_equal(three[n % 3].due, one.due);
				assert_int_equal(three[n % 3].n, one.n);
				sched_walk_next(&one);
				sched_walk_next(&three[n % 3]);
			}
		}
}

/* floor(n · hz · den / num): nothing is lost on the way, in a month of a frame each 10 ns. */
static void a_constant_rate_does_not_drift_in_a_month(void **state)
{
	static const struct {
		uint64_t num, den, hz;
	} rates[] = {{1, 1, S}, {100000000, 1, 2399998765}, {14880952, 1, 2400000000},
		{10000000000, 672, 3700000001}, {4166666667, 1000000, 2100000123}};

	(void)state;
	for (unsigned i = 0; i < NB(rates); i++) {
		struct sched s = {.num = rates[i].num, .den = rates[i].den};
		uint64_t per_s = s.num / s.den, n = per_s * MONTH_S;
		struct sched_walk w;

		for (unsigned k = 0; k < 3; k++) {
			/* steps as long as the walk can take lead through the whole month */
			uint64_t stride = n / 1000 + k;

			sched_walk_init(&w, &s, rates[i].hz, k, stride);
			for (unsigned m = 0; m < 1000; m++)
				sched_walk_next(&w);
			assert_int_equal(w.n, k + 1000 * stride);
			assert_int_equal(w.due,
				(uint64_t)((unsigned __int128)w.n * rates[i].hz * s.den / s.num));
		}
		assert_int_equal(sched_count(&s, MONTH_S * S),
			(uint64_t)(((unsigned __int128)MONTH_S * s.num + s.den - 1) / s.den));
	}
}

static void bursts_come_where_they_were_asked(void **state)
{
	struct sched s = {.num = 1000,
		.den = 1,
		.burst_packets = 10,
		.burst_count = 4,
		.gap_ns = 91 * MS,
		.delay_ns = S};
	struct sched_walk w;

	(void)state;
	sched_walk_init(&w, &s, S, 0, 1);
	for (unsigned n = 0; n < 40; n++, sched_walk_next(&w))
		/* nine intervals and the gap are 100 ms */
		assert_int_equal(w.due, S + n / 10 * 100 * MS + n % 10 * MS);
	assert_int_equal(w.due, NEVER);
	s.num = 0;
	sched_walk_init(&w, &s, S, 0, 1);
	for (unsigned n = 0; n < 40; n++, sched_walk_next(&w))
		assert_int_equal(w.due, S + n / 10 * 91 * MS);
	assert_int_equal(w.due, NEVER);
	/* in a month of bursts the gaps add up exactly */
	s = (struct sched){.num = 3, .den = 1, .burst_packets = 2, .burst_count = END, .gap_ns = 1};
	sched_walk_init(&w, &s, S, 2 * 7776000, 1);
	assert_int_equal(w.due, MONTH_S * S + 7776000);
}

static void profiles_keep_their_rates_and_pauses(void **state)
{
	static const struct {
		unsigned sched;
		uint64_t ns, count;
	} counts[] = {
		{12, S, 10},			  /* 10 pps */
		{12, S + 1, 11},		  /* the frame at 1 s */
		{12, 2 * S, 21},		  /* 20.5: the pause holds back the next */
		{12, 3 * S, 21},		  /* nothing in the pause */
		{12, 9 * S, 63},		  /* 20.5 + 42.00000033 - 7e-9 */
		{14, 2 * S, 0},			  /* a pause at the beginning */
		{14, 3 * S, 100}, {15, 4 * S, 1}, /* 1/3 + 2/3 */
		{15, 4 * S + 1, 2}, /* the second frame is due when the pause is over */
		{16, 10 * S, 500},  /* 0 to 100 pps */
		{16, 20 * S, 1500}, {16, 25 * S, 1750},
		{16, 1000 * S, 1750}, /* it ended at a rate of 0 */
	};

	(void)state;
	for (unsigned i = 0; i < NB(counts); i++)
		assert_int_equal(
			sched_count(&known[counts[i].sched], counts[i].ns), counts[i].count);
}

/* On a ramp frame n comes at sqrt(2 n / slope), to a nanosecond, after days as well. */
static void ramps_do_not_drift(void **state)
{
	static const struct sched_point week[] = {{0, 0, 1}, {604800 * S, 604800, 1}};
	struct sched s = {POINTS(week), .linear = true};
	static const uint64_t roots[] = {1, 2, 10, 1000, 86400, 604799};
	struct sched_walk w;

	(void)state;
	for (unsigned i = 0; i < NB(roots); i++) {
		uint64_t n = roots[i] * roots[i] / 2, due;

		if (roots[i] % 2 != 0)
			continue;
		sched_walk_init(&w, &s, S, n, 1);
		due = w.due;
		assert_in_range(due, roots[i] * S - 1, roots[i] * S + 1);
		assert_in_range(sched_count(&s, roots[i] * S), n, n + 1);
	}
}

static void end_is_when_the_last_interval_is_over(void **state)
{
	static const struct {
		unsigned sched;
		uint64_t nb, ns;
	} ends[] = {
		{0, 10, 10 * S},
		{0, 0, 0},
		{1, 100000000, S},
		{0, END, END},
		{4, 7, 3 * S + 1},
		{6, 7, 21 * MS}, /* 7 intervals of 3 ms */
		{6, 8, 18 * MS + 40 * MS + 3 * MS},
		{7, 5, 4 * 40 * MS + 3 * MS},
		{7, 6, END}, /* there is no sixth burst */
		{9, 100, 0}, /* together */
		{9, 101, 10 * MS},
		{10, 15, 7},
		{12, 10, S},
		{12, 21, 2 * S}, /* the pause */
		{14, 100, 3 * S},
		{15, 1, 2 * S},
		{16, 1750, 25 * S},
		{16, 1751, END},
	};

	(void)state;
	for (unsigned i = 0; i < NB(ends); i++)
		assert_int_equal(sched_end_ns(&known[ends[i].sched], ends[i].nb), ends[i].ns);
}

static void mean_and_peak_are_fractions_of_the_schedule(void **state)
{
	static const struct {
		unsigned sched;
		uint64_t ns, num, den, peak_num, peak_den;
	} rates[] = {
		{0, S, 1, 1, 1, 1},
		{5, S, 2, 2000003, 2, 2000003},
		{6, S, 3500, 29, 1000, 3}, /* 7 frames each 58 ms */
		{9, S, 10000, 1, 0, 1},
		{10, S, 0, 1, 0, 1},
		{14, 4 * S, 50, 1, 100, 1},
		{16, 20 * S, 75, 1, 100, 1},
		{12, 2 * S, 41, 4, 1000, 3},
	};

	(void)state;
	for (unsigned i = 0; i < NB(rates); i++) {
		uint64_t num, den;
		long double mean = (long double)rates[i].num / (long double)rates[i].den;
		long double peak = (long double)rates[i].peak_num / (long double)rates[i].peak_den;

		sched_mean(&known[rates[i].sched], rates[i].ns, &num, &den);
		if (rates[i].sched == 6)
			mean = 7 / 0.058L;
		assert_true(fabsl((long double)num / (long double)den - mean) <= 1e-6L * mean);
		sched_peak(&known[rates[i].sched], &num, &den);
		assert_true(fabsl((long double)num / (long double)den - peak) <= 1e-12L * peak);
	}
}

static void poisson_keeps_its_mean_and_follows_its_seed(void **state)
{
	struct sched s = {.num = 100000, .den = 1, .poisson = true, .seed = 42}, other = s;
	const unsigned nb = 1000000;
	double sum = 0, squares = 0;
	uint64_t before = 0;
	struct sched_walk w, v;
	unsigned same = 0;

	(void)state;
	other.seed = 43;
	sched_walk_init(&w, &s, S, 0, 1);
	sched_walk_init(&v, &other, S, 0, 1);
	for (unsigned n = 0; n < nb; n++) {
		double gap = (double)(w.due - before);

		sum += gap;
		squares += gap * gap;
		same += w.due == v.due;
		before = w.due;
		sched_walk_next(&w);
		sched_walk_next(&v);
	}
	/* mean and deviation of a gap are both 10 us; five sigma */
	assert_true(fabs(sum / nb - 1e4) < 5 * 1e4 / 1000);
	assert_true(fabs(sqrt(squares / nb - sum / nb * (sum / nb)) - 1e4) < 5 * 1.5e4 / 1000);
	assert_true(same < 100);
	/* beyond the frames that are counted one by one the mean serves */
	s.num = 100000000;
	assert_true(fabs((double)sched_count(&s, S) - 1e8) < 5 * 1e4);
}

/* Random bursts with whole nanoseconds, against the plainest arithmetic. */
static void random_bursts_agree_with_plain_arithmetic(void **state)
{
	(void)state;
	for (unsigned i = 0; i < 2000; i++) {
		uint64_t interval = random_below(random_at(1, i), 5000) + 1;
		struct sched s = {.num = S,
			.den = interval,
			.burst_packets = random_below(random_at(2, i), 50) + 1,
			.burst_count = random_below(random_at(3, i), 20) + 1,
			.gap_ns = random_below(random_at(4, i), 100000),
			.delay_ns = random_below(random_at(5, i), 1000)};
		uint64_t time = random_below(random_at(6, i), 3000000), nb = 0;

		for (uint64_t b = 0; b < s.burst_count; b++)
			for (uint64_t k = 0; k < s.burst_packets; k++)
				nb += s.delay_ns +
					      b * ((s.burst_packets - 1) * interval + s.gap_ns) +
					      k * interval <
				      time;
		assert_int_equal(sched_count(&s, time), nb);
	}
}

static void a_rate_without_schedule_is_due_when_its_delay_is_over(void **state)
{
	struct sched s = {.num = 0, .den = 1, .delay_ns = S};
	struct sched_walk w;

	(void)state;
	sched_walk_init(&w, &s, S, 1, 2);
	for (unsigned i = 0; i < 10; i++, sched_walk_next(&w))
		assert_int_equal(w.due, S);
	assert_int_equal(w.n, 21);
	assert_int_equal(sched_count(&s, S), 0);
	assert_int_equal(sched_count(&s, S + 1), UINT64_MAX);
	assert_false(sched_is_plain(&s));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(count_is_the_frames_that_a_walk_finds_before_the_time),
		cmocka_unit_test(senders_together_make_the_same_times),
		cmocka_unit_test(a_constant_rate_does_not_drift_in_a_month),
		cmocka_unit_test(bursts_come_where_they_were_asked),
		cmocka_unit_test(profiles_keep_their_rates_and_pauses),
		cmocka_unit_test(ramps_do_not_drift),
		cmocka_unit_test(end_is_when_the_last_interval_is_over),
		cmocka_unit_test(mean_and_peak_are_fractions_of_the_schedule),
		cmocka_unit_test(poisson_keeps_its_mean_and_follows_its_seed),
		cmocka_unit_test(random_bursts_agree_with_plain_arithmetic),
		cmocka_unit_test(a_rate_without_schedule_is_due_when_its_delay_is_over),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
