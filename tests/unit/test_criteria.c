/* SPDX-License-Identifier: BSD-3-Clause */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tgen/criteria.h"

struct known {
	const char *metric, *scope;
	double value;
	const char *unit;
};

/* A cell, its baseline and the first variant. */
static const struct known here[] = {
	{"throughput", NULL, 90000, "pps"},
	{"lost-ratio", NULL, 0.02, "ratio"},
	{"lat-p99", NULL, 1500000, "ns"},
	{"lat-p99.9", NULL, INFINITY, "ns"},
	{"lost-ratio", "voice", 0, "ratio"},
	{"lost-ratio", "data", 0.04, "ratio"},
	{"rx-ooo", "a", 0, "frames"},
	{"rx-ooo", "b", 3, "frames"},
	{"late", "a", 3, "frames"},
	{"late", "b", 500, "frames"},
	{"memory", NULL, 12, "bytes"},
};
static const struct known before[] = {{"throughput", NULL, 100000, "pps"}};
static const char *const streams[] = {"a", "b"}, *const groups[] = {"voice", "data"};

static bool find(const struct known *all, size_t nb, const char *metric, const char *scope,
	double *value, const char **unit)
{
	for (size_t i = 0; i < nb; i++) {
		bool same = scope == all[i].scope || (scope != NULL && all[i].scope != NULL &&
							     strcmp(scope, all[i].scope) == 0);

		if (strcmp(all[i].metric, metric) != 0 || !same)
			continue;
		*value = all[i].value;
		*unit = all[i].unit;
		return true;
	}
	return false;
}

static bool here_find(
	void *ctx, const char *metric, const char *scope, double *value, const char **unit)
{
	(void)ctx;
	return find(here, sizeof(here) / sizeof(here[0]), metric, scope, value, unit);
}

static bool before_find(
	void *ctx, const char *metric, const char *scope, double *value, const char **unit)
{
	(void)ctx;
	return find(before, 1, metric, scope, value, unit);
}

static const char *scope_at(void *ctx, bool of_groups, unsigned i)
{
	(void)ctx;
	return i < 2 ? (of_groups ? groups : streams)[i] : NULL;
}

static void criteria_hold_or_say_why_not(void **state)
{
	static const struct {
		const char *text;
		enum criterion_status status;
		const char *says; /* in the verdict */
	} cases[] = {
		{"throughput >= 80kpps", CRITERION_MET, "90000 pps"},
		{"throughput>=80000", CRITERION_MET, ""},
		{"throughput > 90kpps", CRITERION_MISSED, "not more than 90000 pps"},
		{"throughput == 90 kpps", CRITERION_MET, ""},
		{"throughput != 0", CRITERION_MET, ""},
		{"lost-ratio <= 2%", CRITERION_MET, ""},
		{"loss < 1 %", CRITERION_MISSED, "2 %, not less than 1 %"},
		{"latency-p99 < 2ms", CRITERION_MET, "1.5 ms"},
		{"latency-p99 < 1000us", CRITERION_MISSED, ""},
		{"latency-p999 < 1s", CRITERION_MISSED, "inf"},
		{"throughput >= 95% of baseline", CRITERION_MISSED, "baseline"},
		{"throughput >= 90% of baseline", CRITERION_MET, ""},
		{"throughput >= 90% of first", CRITERION_UNKNOWN, "first variant"},
		{"lost-ratio <= baseline", CRITERION_UNKNOWN, "baseline has no such figure"},
		{"group voice lost-ratio == 0", CRITERION_MET, "voice"},
		{"group none lost-ratio == 0", CRITERION_UNKNOWN, "not known"},
		{"each group lost-ratio <= 1%", CRITERION_MISSED, "data"},
		{"each group lost-ratio <= 5%", CRITERION_MET, ""},
		{"each stream rx-ooo == 0", CRITERION_MISSED, "b: rx-ooo is 3"},
		{"each stream late == 0", CRITERION_MISSED, "b: late is 500"},
		{"stream a rx-ooo == 0 frames", CRITERION_MET, ""},
		{"unheard-of > 1", CRITERION_UNKNOWN, "not known"},
		{"throughput < 5ms", CRITERION_UNKNOWN, "cannot be compared"},
		{"throughput > 1 at 64", CRITERION_MET, ""},
		{"throughput > 1 at 1518", CRITERION_APART, ""},
		{"throughput > 1 at 64=7+594=4", CRITERION_APART, ""},
	};
	const struct criterion_source cell = {here_find, scope_at, NULL},
				      baseline = {before_find, NULL, NULL};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct err err = {0};
		struct criterion *c = criterion_parse(cases[i].text, &err);
		struct criterion_verdict verdict;

		if (c == NULL)
			fail_msg("%s", err.text);
		assert_string_equal(criterion_text(c), cases[i].text);
		criterion_judge(c, "64", &cell, &baseline, NULL, &verdict);
		if (verdict.status != cases[i].status ||
			strstr(verdict.text, cases[i].says) == NULL)
			fail_msg("%s: %d, %s", cases[i].text, verdict.status, verdict.text);
		criterion_free(c);
	}
}

static void what_is_wrong_is_named(void **state)
{
	static const struct {
		const char *text, *says;
	} cases[] = {
		{"", "ends where a figure"},
		{"throughput", "ends where one of <"},
		{"throughput is 5", "\"is\" stands where one of <"},
		{"throughput >=", "ends where a value"},
		{"throughput >= fast", "\"fast\" stands where a number"},
		{"latency-p99 <= 1e305s", "too large"},
		{"throughput >= 5 parsecs", "\"parsecs\" stands where the end"},
		{"throughput >= 5parsecs", "\"parsecs\" is not a unit"},
		{"throughput >= 0x10", "a number"},
		{"throughput >= nan", "a number"},
		{"throughput >= 5pps of baseline", "in %"},
		{"throughput >= 95% of last", "\"last\" stands where baseline or first"},
		{"throughput >= 5 at", "ends where a frame size"},
		{"each throughput > 1", "\"throughput\" stands where stream or group"},
		{"group > 1", "the name of a group"},
		{"a b c d e f g h i j k l m n o p q", "more than 16 words"},
		{"throughput => 5", "stands where one of <"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct err err = {0};

		assert_null(criterion_parse(cases[i].text, &err));
		if (strstr(err.text, cases[i].says) == NULL)
			fail_msg("%s: %s", cases[i].text, err.text);
	}
}

static void what_it_needs_is_known(void **state)
{
	struct err err = {0};
	struct criterion *a = criterion_parse("x > 5% of baseline", &err),
			 *b = criterion_parse("x > first", &err),
			 *c = criterion_parse("x > 5", &err);

	(void)state;
	assert_true(criterion_needs_baseline(a) && !criterion_needs_first(a));
	assert_true(criterion_needs_first(b) && !criterion_needs_baseline(b));
	assert_false(criterion_needs_first(c) || criterion_needs_baseline(c));
	criterion_free(a);
	criterion_free(b);
	criterion_free(c);
	criterion_free(NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(criteria_hold_or_say_why_not),
		cmocka_unit_test(what_is_wrong_is_named),
		cmocka_unit_test(what_it_needs_is_known),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
