/* SPDX-License-Identifier: BSD-3-Clause */
/* Goals of RFC 9971 and TST 009 against simulated devices: known answers, bounded trials. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "sim.h"

#define NB(array) (sizeof(array) / sizeof((array)[0]))
#define LINE	  1488095.0 /* 64 bytes, 1 Gbit/s */
#define LEAST(x)  ((x) * (1 - 0.0051))
#define TRIALS	  200u
#define PDR(knee) ((knee) / 0.995)

static const struct row {
	struct sim_dut dut;
	double ndr, pdr; /* the most that each can be; found within half a percent below */
	double slack;	 /* beyond that, of noise: a share */
	const char *remark;
	enum proc_outcome outcome;
} rows[] = {
	{{.name = "perfect"}, LINE, LINE, 0, "irregular: >= max-rate", PROC_DONE},
	{{.name = "sharp", .knee_pps = 700000}, 700000, PDR(700000), 0, NULL, PROC_DONE},
	{{.name = "sharp, low", .knee_pps = 3000}, 3000, PDR(3000), 0, NULL, PROC_DONE},
	{{.name = "noisy", .knee_pps = 700000, .noise = 0.02}, 700000, PDR(700000), 0.02, NULL,
		PROC_DONE},
	{{.name = "buffer", .knee_pps = 700000, .burst = 20000}, 720000, 720000 / 0.995, 0, NULL,
		PROC_DONE},
	{{.name = "policer", .policer_bps = 100e6, .policer_bytes = 1e6}, 108e6 / 480,
		108e6 / 480 / 0.995, 0, NULL, PROC_DONE},
	{{.name = "grows", .grow_pps = 300000, .grow_after_s = 0.5, .grow_per_s = 0.1}, 300000,
		LINE, 1, NULL, PROC_DONE},
	{{.name = "tester-limited", .tester_pps = 900000}, 900000, 900000, 0, "tester-limited at ",
		PROC_DONE},
	{{.name = "tester-limited above the knee", .tester_pps = 900000, .knee_pps = 500000},
		500000, PDR(500000), 0, NULL, PROC_DONE},
	{{.name = "hysteresis", .knee_pps = 700000, .hysteresis_pps = 650000}, 700000, PDR(700000),
		0.08, NULL, PROC_DONE},
	{{.name = "flaky", .knee_pps = 700000, .flaky = 3}, 700000, PDR(700000), 0, NULL,
		PROC_DONE},
	{{.name = "dead", .dead = true}, 0, 0, 0, "irregular: < ", PROC_FAILED},
	{{.name = "never clean", .always_bad = 1}, -1, -1, 0, NULL, PROC_INVALID},
};

static void check_figure(
	const struct sim *sim, const char *name, double most, double slack, const char *remark)
{
	const struct proc_figure *f = sim_figure(sim, name, NULL);

	if (most < 0) {
		assert_null(f);
		return;
	}
	if (f == NULL || f->value > most * (1 + slack) + 1 ||
		f->value < LEAST(most) * (1 - slack) - 1)
		fail_msg("%s: %s is %f, not %f", sim->dut->name, name, f != NULL ? f->value : -1,
			most);
	if (remark == NULL ? f->remark != NULL
			   : f->remark == NULL || strncmp(f->remark, remark, strlen(remark)) != 0)
		fail_msg("%s: %s has remark %s", sim->dut->name, name, f->remark);
}

static void run_row(struct sim *sim, const struct row *row, const char *words)
{
	enum proc_outcome outcome;
	struct err err;

	sim_init(sim, &row->dut, 4, 64);
	sim->seed = 3;
	sim_words(sim, words);
	assert_int_equal(sim_run(sim, &outcome, &err), 0);
	if (outcome != row->outcome || sim->nb_clean > TRIALS)
		fail_msg("%s: outcome %d, %u trials", row->dut.name, outcome, sim->nb_clean);
}

static void test_both_rates_are_those_of_the_device(void **state)
{
	static const char *const searches[] = {"mlr", "binary-verify"};
	struct sim *sim = malloc(sizeof(*sim));

	for (unsigned s = 0; s < NB(searches); s++) {
		for (unsigned i = 0; i < NB(rows); i++) {
			const struct row *row = &rows[i];
			const char *remark = row->remark;
			/* the binary search has one remark for ends, and its width is of the line */
			double slack = row->slack + s * 0.02;
			char words[128];

			if (s == 1 && (row->slack > 0 || row->ndr < 10000) && row->ndr > 0)
				continue;
			if (s == 1 && remark != NULL && strncmp(remark, "irregular: ", 11) == 0)
				remark += 11;
			snprintf(words, sizeof(words), "name=t procedure=ndr-pdr search=%s",
				searches[s]);
			run_row(sim, row, words);
			check_figure(sim, "ndr-load", row->ndr, slack, remark);
			check_figure(sim, "pdr-load", row->pdr, slack, remark);
			if (row->ndr > 0 && row->slack == 0)
				check_figure(
					sim, "ndr-conditional-throughput", row->ndr, slack, remark);
			if (row->ndr > 0 && row->slack == 0 && s == 0)
				assert_true(sim_value(sim, "pdr-conditional-throughput") <=
					    row->ndr + 1);
			sim_fini(sim);
		}
	}
	free(sim);
}

/*
 * Long trials count for goals of short ones: loads that lose all after 10 s are none of either, although
 * ndr alone would take the line.
 */
static void test_trials_of_one_goal_count_for_the_others(void **state)
{
	static const struct row row = {
		{.name = "grows", .grow_pps = 300000, .grow_after_s = 10, .grow_per_s = 1e-3},
		.outcome = PROC_DONE};
	static const char *const words[] = {
		"name=t procedure=ndr-pdr goals=ndr,rfc2544 "
		"\"goal=strict final=5s sum=5s exceed=0 width=1\"",
		"name=t procedure=ndr-pdr goals=rfc2544,ndr "
		"\"goal=strict final=5s sum=5s exceed=0%\"",
	};
	struct sim *sim = malloc(sizeof(*sim));

	for (unsigned i = 0; i < NB(words); i++) {
		run_row(sim, &row, words[i]);
		check_figure(sim, "ndr-load", 300000, 0, NULL);
		check_figure(sim, "strict-load", 300000, 0.005, NULL);
		check_figure(sim, "rfc2544-load", 300000, 0, NULL);
		assert_true(sim_value(sim, "rfc2544-upper-load") > 300000);
		sim_fini(sim);
	}
	run_row(sim, &row, "name=t procedure=ndr-pdr goals=ndr");
	check_figure(sim, "ndr-load", LINE, 0, "irregular: >= max-rate");
	sim_fini(sim);
	free(sim);
}

static void test_goals_that_are_none_are_refused(void **state)
{
	static const char *const words[] = {"goals=x", "goals=ndr,ndr", "goal=ndr goals=ndr",
		"\"goal=a final=60s sum=1s\"", "\"goal=a width=0\"", "\"goal=a exceed=100\"",
		"\"goal=a b\"", "goal=final=1s", "\"goal=A\"", "resolution=1"};
	struct sim *sim = malloc(sizeof(*sim));
	char all[128];

	for (unsigned i = 0; i < NB(words); i++) {
		struct err err = {0};

		sim_init(sim, &rows[0].dut, 2, 64);
		snprintf(all, sizeof(all), "name=t procedure=ndr-pdr %s", words[i]);
		if (sim_words_ok(sim, all, &err))
			fail_msg("%s was taken", words[i]);
		assert_true(err.text[0] != '\0');
		sim_fini(sim);
	}
	free(sim);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_both_rates_are_those_of_the_device),
		cmocka_unit_test(test_trials_of_one_goal_count_for_the_others),
		cmocka_unit_test(test_goals_that_are_none_are_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
