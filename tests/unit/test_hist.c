/* SPDX-License-Identifier: BSD-3-Clause */
#include "tgen/hist.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

#define NB(array) (sizeof(array) / sizeof((array)[0]))
#define LIMIT	  (UINT64_C(1) << HIST_MAX_BITS)

static struct hist *hist_make(void)
{
	struct hist *h = malloc(sizeof(*h));

	assert_non_null(h);
	hist_reset(h);
	return h;
}

static void buckets_are_contiguous_and_narrow(void **state)
{
	uint64_t next = 0;

	(void)state;
	for (unsigned i = 0; i < HIST_NB_BUCKETS; i++) {
		uint64_t low = hist_bucket_low(i), high = hist_bucket_high(i);

		assert_int_equal(low, next);
		assert_true(high >= low);
		/* Exact under 128, else no wider than 1/128 of the smallest value in it. */
		assert_true(low < HIST_SUB ? high == low : (high - low + 1) * HIST_SUB <= low);
		assert_int_equal(hist_index(low), i);
		assert_int_equal(hist_index(high), i);
		next = high + 1;
	}
	assert_int_equal(next, LIMIT);
}

static void without_samples_all_is_zero(void **state)
{
	struct hist *h = hist_make();

	(void)state;
	assert_int_equal(h->count, 0);
	assert_int_equal(h->min, UINT64_MAX);
	assert_int_equal(hist_mean(h), 0);
	assert_int_equal(hist_percentile(h, 0), 0);
	assert_int_equal(hist_percentile(h, 500000), 0);
	assert_int_equal(hist_percentile(h, 1000000), 0);
	free(h);
}

static void one_sample_is_every_percentile(void **state)
{
	static const uint64_t values[] = {
		0, 1, 127, 128, 12345, 1000000007, LIMIT - 1, LIMIT, UINT64_MAX};
	static const uint32_t ppms[] = {0, 1, 500000, 999999, 1000000, UINT32_MAX};

	(void)state;
	for (size_t i = 0; i < NB(values); i++) {
		struct hist *h = hist_make();

		hist_record(h, values[i]);
		for (size_t j = 0; j < NB(ppms); j++)
			assert_int_equal(hist_percentile(h, ppms[j]), values[i]);
		assert_int_equal(hist_mean(h), values[i]);
		free(h);
	}
}

static void percentiles_of_exact_values_are_exact(void **state)
{
	static const struct {
		uint32_t ppm;
		uint64_t value;
	} cases[] = {
		{0, 1},
		{1, 1},
		{10000, 1},
		{10001, 2},
		{500000, 50},
		{500001, 51},
		{900000, 90},
		{990000, 99},
		{990001, 100},
		{999000, 100},
		{1000000, 100},
	};
	struct hist *h = hist_make();

	(void)state;
	for (uint64_t ns = 100; ns >= 1; ns--)
		hist_record(h, ns);
	for (size_t i = 0; i < NB(cases); i++)
		assert_int_equal(hist_percentile(h, cases[i].ppm), cases[i].value);
	assert_int_equal(hist_mean(h), 50);
	assert_int_equal(h->min, 1);
	assert_int_equal(h->max, 100);
	free(h);
}

static void percentiles_are_within_a_bucket_of_the_truth(void **state)
{
	struct hist *h = hist_make();

	(void)state;
	/* 1 us, 2 us … 10 ms: the truth is the rank itself. */
	for (uint64_t us = 1; us <= 10000; us++)
		hist_record(h, us * 1000);
	for (uint32_t ppm = 1000; ppm <= 1000000; ppm += 1000) {
		uint64_t truth = (uint64_t)ppm * 10;
		uint64_t value = hist_percentile(h, ppm);

		assert_true(value >= truth);
		assert_true((value - truth) * HIST_SUB <= truth);
	}
	free(h);
}

static void percentiles_stay_within_the_extremes(void **state)
{
	struct hist *h = hist_make();

	(void)state;
	hist_record(h, 1000001);
	hist_record(h, 1000002);
	assert_int_equal(hist_percentile(h, 500000), 1000002);
	assert_int_equal(hist_percentile(h, 0), 1000001);
	free(h);
}

static void overflow_keeps_its_place(void **state)
{
	struct hist *h = hist_make();

	(void)state;
	for (int i = 0; i < 9; i++)
		hist_record(h, 10);
	hist_record(h, LIMIT + 5);
	assert_int_equal(h->overflow, 1);
	assert_int_equal(h->count, 10);
	assert_int_equal(h->sum, 90 + LIMIT + 5);
	assert_int_equal(h->max, LIMIT + 5);
	assert_int_equal(hist_percentile(h, 900000), 10);
	assert_int_equal(hist_percentile(h, 900001), LIMIT + 5);
	free(h);
}

static void merging_equals_recording_both(void **state)
{
	struct hist *a = hist_make(), *b = hist_make(), *both = hist_make();
	uint64_t seed = 7;

	(void)state;
	for (int i = 0; i < 10000; i++) {
		uint64_t ns;

		seed = seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
		ns = seed >> 25 >> (seed >> 9) % 39;
		hist_record(i % 3 == 0 ? a : b, ns);
		hist_record(both, ns);
	}
	assert_true(both->overflow > 0);
	hist_merge(a, b);
	assert_memory_equal(a, both, sizeof(*a));
	free(a);
	free(b);
	free(both);
}

static void merging_nothing_changes_nothing(void **state)
{
	struct hist *a = hist_make(), *empty = hist_make(), *zeroed = hist_make();

	(void)state;
	*zeroed = (struct hist){0};
	hist_record(a, 55);
	hist_merge(a, empty);
	hist_merge(a, zeroed);
	assert_int_equal(a->count, 1);
	assert_int_equal(a->min, 55);
	assert_int_equal(a->max, 55);
	hist_merge(empty, a);
	assert_memory_equal(empty, a, sizeof(*a));
	free(a);
	free(empty);
	free(zeroed);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(buckets_are_contiguous_and_narrow),
		cmocka_unit_test(without_samples_all_is_zero),
		cmocka_unit_test(one_sample_is_every_percentile),
		cmocka_unit_test(percentiles_of_exact_values_are_exact),
		cmocka_unit_test(percentiles_are_within_a_bucket_of_the_truth),
		cmocka_unit_test(percentiles_stay_within_the_extremes),
		cmocka_unit_test(overflow_keeps_its_place),
		cmocka_unit_test(merging_equals_recording_both),
		cmocka_unit_test(merging_nothing_changes_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
