/* SPDX-License-Identifier: BSD-3-Clause */
/* What RFC 9971 makes of trials at one load. */
#include "../../src/proc/mlrsearch.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#define NB(array) (sizeof(array) / sizeof((array)[0]))
#define LOAD	  1e6

struct run {
	unsigned nb;
	double seconds, loss_pct;
};

/* 60 × 1 s without loss, 60 × 1 s with 1 %, 1 × 60 s with 0.1 %, 1 × 60 s without. */
#define VECTOR                                                                                     \
	{                                                                                          \
		{60, 1, 0}, {60, 1, 1}, {1, 60, 0.1},                                              \
		{                                                                                  \
			1, 60, 0                                                                   \
		}                                                                                  \
	}

static const struct {
	const char *name;
	struct run runs[4];
	struct mlr_goal goal;
	enum mlr_class class;
	double throughput; /* of a lower bound */
} rows[] = {
	{"60f60d0l0e", VECTOR, {"", 60, 60, 0, 0, 0}, MLR_UPPER, 0},
	{"60f120d0l50e", VECTOR, {"", 60, 120, 0, 0.5, 0}, MLR_LOWER, LOAD},
	{"1f120d0.5l50e", VECTOR, {"", 1, 120, 0.005, 0.5, 0}, MLR_LOWER, LOAD},
	{"no trial", {{0}}, {"", 1, 21, 0, 0.5, 0}, MLR_UNDECIDED, 0},
	{"one good trial of 60 s", {{1, 60, 0}}, {"", 60, 60, 0, 0, 0}, MLR_LOWER, LOAD},
	{"one bad trial of 60 s", {{1, 60, 0.1}}, {"", 60, 60, 0, 0, 0}, MLR_UPPER, 0},
	{"10 good of 21", {{10, 1, 0}}, {"", 1, 21, 0, 0.5, 0}, MLR_UNDECIDED, 0},
	{"11 good of 21", {{11, 1, 0}}, {"", 1, 21, 0, 0.5, 0}, MLR_LOWER, LOAD},
	{"10 bad of 21", {{10, 1, 1}}, {"", 1, 21, 0, 0.5, 0}, MLR_UNDECIDED, 0},
	{"11 bad of 21", {{11, 1, 1}}, {"", 1, 21, 0, 0.5, 0}, MLR_UPPER, 0},
	{"10 bad, 11 good", {{10, 1, 1}, {11, 1, 0}}, {"", 1, 21, 0, 0.5, 0}, MLR_LOWER, LOAD},
	{"loss as much as allowed", {{21, 1, 0.5}}, {"", 1, 21, 0.005, 0.5, 0}, MLR_LOWER,
		LOAD * 0.995},
	{"half at nothing, half at half a percent", {{9, 1, 0}, {12, 1, 0.5}},
		{"", 1, 21, 0.005, 0.5, 0}, MLR_LOWER, LOAD * 0.995},
	{"short good ones decide nothing", {{100, 1, 0}}, {"", 60, 60, 0, 0, 0}, MLR_UNDECIDED, 0},
	{"a short bad one decides when none may be", {{1, 1, 1}}, {"", 60, 60, 0, 0, 0}, MLR_UPPER,
		0},
	{"short bad ones, balanced by short good ones", {{30, 1, 1}, {30, 1, 0}},
		{"", 60, 120, 0, 0.5, 0}, MLR_UNDECIDED, 0},
	{"short bad ones, more than half of the sum", {{61, 1, 1}}, {"", 60, 120, 0, 0.5, 0},
		MLR_UPPER, 0},
};

static void test_a_load_is_what_its_trials_say(void **state)
{
	for (unsigned i = 0; i < NB(rows); i++) {
		struct mlr_trial trials[256];
		unsigned nb = 0;
		double ct;

		for (unsigned r = 0; r < NB(rows[i].runs); r++)
			for (unsigned k = 0; k < rows[i].runs[r].nb; k++)
				trials[nb++] = (struct mlr_trial){
					rows[i].runs[r].seconds, rows[i].runs[r].loss_pct / 100};
		if (mlr_classify(&rows[i].goal, trials, nb) != rows[i].class)
			fail_msg("%s: class %d", rows[i].name,
				mlr_classify(&rows[i].goal, trials, nb));
		if (rows[i].class != MLR_LOWER)
			continue;
		ct = mlr_conditional_throughput(&rows[i].goal, LOAD, trials, nb);
		if (fabs(ct - rows[i].throughput) > 1e-6 * LOAD)
			fail_msg("%s: conditional throughput %f", rows[i].name, ct);
	}
}

static void test_goals_have_names(void **state)
{
	assert_true(mlr_preset("ndr")->loss == 0);
	assert_true(mlr_preset("pdr")->loss == 0.005);
	assert_true(mlr_preset("tst009")->sum_s == 120);
	assert_true(mlr_preset("rfc2544")->exceed == 0);
	assert_null(mlr_preset("x"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_a_load_is_what_its_trials_say),
		cmocka_unit_test(test_goals_have_names),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
