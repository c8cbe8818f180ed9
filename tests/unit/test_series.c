/* SPDX-License-Identifier: BSD-3-Clause */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "tgen/series.h"

static void assert_near(double is, double should, double within)
{
	if (!(fabs(is - should) <= within))
		fail_msg("%.10g is not %.10g", is, should);
}

/* The 0.975 quantiles of Student's t are those of the usual tables (e.g. NIST, section 1.3.6.7.2). */
static void intervals_are_students(void **state)
{
	static const struct {
		unsigned nb;
		double t;
	} cases[] = {{2, 12.706}, {3, 4.303}, {5, 2.776}, {10, 2.262}, {21, 2.086}, {31, 2.042},
		{101, 1.984}};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		double values[128];
		struct series s;

		for (unsigned k = 0; k < cases[i].nb; k++)
			values[k] = 100 + (k * 37 % 11);
		assert_true(series_of(values, cases[i].nb, &s));
		assert_near(s.half_95 / (s.stdev / sqrt(cases[i].nb)), cases[i].t, 0.0006);
	}
}

static void summaries_are_exact(void **state)
{
	const double values[] = {2, 4, 4, 4, 5, 5, 7, 9};
	struct series s;

	(void)state;
	assert_true(series_of(values, 8, &s));
	assert_near(s.mean, 5, 1e-12);
	assert_near(s.stdev, sqrt(32.0 / 7), 1e-12); /* of the sample */
	assert_near(s.median, 4.5, 1e-12);
	assert_near(s.min, 2, 0);
	assert_near(s.max, 9, 0);
	assert_true(series_of(values, 1, &s));
	assert_true(isnan(s.half_95) && s.stdev == 0);
	assert_false(series_of(values, 0, &s));
	assert_false(series_of((double[]){1, INFINITY}, 2, &s));
	assert_false(series_of((double[]){NAN}, 1, &s));
}

static struct series of(const double *values, size_t nb)
{
	struct series s;

	assert_true(series_of(values, nb, &s));
	return s;
}

static void a_change_is_told_from_chance(void **state)
{
	const double a[] = {100, 101, 99, 100, 100}, b[] = {90, 91, 89, 90, 90},
		     c[] = {99, 102, 98, 101, 101};
	struct series sa = of(a, 5), sb = of(b, 5), sc = of(c, 5), one = of(a, 1),
		      zero = of((double[]){0, 0}, 2);
	struct series_change change;

	(void)state;
	series_compare(&sa, &sb, &change);
	assert_near(change.ratio, -0.1, 1e-12);
	assert_true(
		change.significant && change.low < -0.1 && change.high > -0.1 && change.high < 0);
	series_compare(&sa, &sc, &change);
	assert_false(change.significant);
	series_compare(&sa, &one, &change);
	assert_true(isnan(change.low) && !change.significant && !isnan(change.ratio));
	series_compare(&zero, &sa, &change);
	assert_true(isnan(change.ratio));
}

/* Numbers that repeat for ever, evenly spread over -1 .. 1. */
static double noise(uint32_t *seed)
{
	*seed = *seed * 1664525u + 1013904223u;
	return (double)*seed / 2147483648.0 - 1;
}

static void changes_of_level_are_found_where_they_are(void **state)
{
	static const struct {
		size_t nb, steps[2], nb_steps;
	} cases[] = {{40, {0}, 0}, {40, {20}, 1}, {60, {20, 40}, 2}, {5, {0}, 0}};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		uint32_t seed = 7;
		double values[64], level = 100;
		size_t found[8], nb;

		for (size_t k = 0; k < cases[i].nb; k++) {
			for (size_t s = 0; s < cases[i].nb_steps; s++)
				if (k == cases[i].steps[s])
					level -= 10;
			values[k] = level + noise(&seed);
		}
		nb = series_changes(values, cases[i].nb, found, 8);
		assert_int_equal(nb, cases[i].nb_steps);
		for (size_t s = 0; s < nb; s++)
			assert_int_equal(found[s], cases[i].steps[s]);
	}
}

static void a_constant_history_has_no_change(void **state)
{
	double values[32];
	size_t found[4];

	(void)state;
	for (size_t i = 0; i < 32; i++)
		values[i] = 5;
	assert_int_equal(series_changes(values, 32, found, 4), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(intervals_are_students),
		cmocka_unit_test(summaries_are_exact),
		cmocka_unit_test(a_change_is_told_from_chance),
		cmocka_unit_test(changes_of_level_are_found_where_they_are),
		cmocka_unit_test(a_constant_history_has_no_change),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
