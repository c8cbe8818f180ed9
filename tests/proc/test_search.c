/* SPDX-License-Identifier: BSD-3-Clause */
/* Every search finds the known answer of every simulated device, in a bounded number of trials. */
#include <errno.h>
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
#define WIDTH	  (LINE * 0.005)
#define TRIALS	  60u /* more than any search of these may need */

struct row {
	struct sim_dut dut;
	const char *words;  /* of the search; NULL: none */
	double low, high;   /* the throughput is between them */
	const char *remark; /* begins so; NULL: none */
	enum proc_outcome outcome;
};

static const struct row rows[] = {
	{{.name = "perfect"}, NULL, LINE - 1, LINE, ">= max-rate", PROC_DONE},
	{{.name = "perfect, from below"}, "initial-rate=10%", LINE - 1, LINE, ">= max-rate",
		PROC_DONE},
	{{.name = "perfect up to max-rate"}, "max-rate=20kpps", 19999, 20000, ">= max-rate",
		PROC_DONE},
	{{.name = "sharp", .knee_pps = 700000}, NULL, 700000 - WIDTH, 700000, NULL, PROC_DONE},
	{{.name = "sharp, low", .knee_pps = 20000}, NULL, 20000 - WIDTH, 20000, NULL, PROC_DONE},
	{{.name = "sharp, at the top", .knee_pps = LINE - 10}, NULL, LINE - WIDTH, LINE - 10, NULL,
		PROC_DONE},
	{{.name = "sharp, with loss allowed", .knee_pps = 700000}, "acceptable-loss=10",
		700000 / 0.9 - WIDTH, 700000 / 0.9, NULL, PROC_DONE},
	{{.name = "noisy", .knee_pps = 700000, .noise = 0.01}, NULL, 693000 - WIDTH, 707000, NULL,
		PROC_DONE},
	{{.name = "noisy, short trials", .knee_pps = 700000, .noise = 0.01}, "search-duration=1s",
		693000 - 4 * WIDTH, 707000, NULL, PROC_DONE},
	/* 60 s pass with 1 M frames of buffer: knee + 1 M / 60 */
	{{.name = "buffer", .knee_pps = 700000, .burst = 1000000}, NULL, 716666 - WIDTH, 716667,
		NULL, PROC_DONE},
	{{.name = "buffer, short trials", .knee_pps = 200000, .burst = 300000},
		"search-duration=1s", 205000 - WIDTH, 205000, NULL, PROC_DONE},
	/* R + 8·B/T = 100 Mbit/s + 8 Mbit/s, of 480 bits a frame */
	{{.name = "policer", .policer_bps = 100e6, .policer_bytes = 60e6}, NULL,
		108e6 / 480 - WIDTH, 108e6 / 480, NULL, PROC_DONE},
	{{.name = "grows", .grow_pps = 300000, .grow_after_s = 10, .grow_per_s = 1e-4},
		"search-duration=2s", 300000 - WIDTH, 300000, NULL, PROC_DONE},
	{{.name = "dead", .dead = true}, NULL, 0, 0, "< 1488 pps", PROC_FAILED},
	{{.name = "tester-limited", .tester_pps = 900000}, NULL, 900000 - WIDTH, 900000,
		"tester-limited at ", PROC_DONE},
	{{.name = "tester-limited above the knee", .tester_pps = 900000, .knee_pps = 500000}, NULL,
		500000 - WIDTH, 500000, NULL, PROC_DONE},
	{{.name = "tester at the knee", .tester_pps = 500000, .knee_pps = 500000}, NULL,
		500000 - WIDTH, 500000, "tester-limited at ", PROC_DONE},
	{{.name = "hysteresis", .knee_pps = 700000, .hysteresis_pps = 650000}, NULL, 650000 - WIDTH,
		700000, NULL, PROC_DONE},
	{{.name = "flaky", .knee_pps = 700000, .flaky = 3}, NULL, 700000 - WIDTH, 700000, NULL,
		PROC_DONE},
	{{.name = "flaky, often", .knee_pps = 700000, .flaky = 2}, "search-duration=1s",
		700000 - WIDTH, 700000, NULL, PROC_DONE},
};

static void run_row(struct sim *sim, const struct row *row, const char *procedure,
	enum proc_outcome *outcome, unsigned nb_ports)
{
	char words[256];
	struct err err;

	sim_init(sim, &row->dut, nb_ports, 64);
	sim->seed = 7;
	snprintf(words, sizeof(words), "name=t procedure=%s %s", procedure,
		row->words != NULL ? row->words : "");
	sim_words(sim, words);
	assert_int_equal(sim_run(sim, outcome, &err), 0);
}

static void check_row(const struct sim *sim, const struct row *row, enum proc_outcome outcome)
{
	const struct proc_figure *f = sim_figure(sim, "throughput", NULL);

	if (outcome != row->outcome || f == NULL || f->value < row->low ||
		f->value > row->high + 1 || sim->nb_clean > TRIALS)
		fail_msg("%s: outcome %d, %f pps (%f to %f), %u trials", row->dut.name, outcome,
			f != NULL ? f->value : -1, row->low, row->high, sim->nb_clean);
	if (row->remark == NULL && f->remark != NULL)
		fail_msg("%s: remark %s", row->dut.name, f->remark);
	if (row->remark != NULL &&
		(f->remark == NULL || strncmp(f->remark, row->remark, strlen(row->remark)) != 0))
		fail_msg("%s: remark %s", row->dut.name, f->remark);
}

static void test_throughput_is_that_of_the_device(void **state)
{
	struct sim *sim = malloc(sizeof(*sim));

	for (unsigned ports = 2; ports <= 8; ports += 6) {
		for (unsigned i = 0; i < NB(rows); i++) {
			enum proc_outcome outcome;

			run_row(sim, &rows[i], "rfc2544-throughput", &outcome, ports);
			check_row(sim, &rows[i], outcome);
			if (strcmp(rows[i].dut.name, "sharp") == 0) {
				double pps = sim_value(sim, "throughput");

				assert_true(fabs(sim_value(sim, "throughput-line-ratio") -
						    pps / LINE) < 1e-9);
				assert_true(
					fabs(sim_value(sim, "throughput-l1-bps") - pps * 672) < 1);
				assert_true(
					fabs(sim_value(sim, "throughput-l2-bps") - pps * 512) < 1);
				assert_true(fabs(sim_value(sim, "zero-loss-bound") -
						    3 / (pps * 60 * ports / 2)) < 1e-12);
			}
			sim_fini(sim);
		}
	}
	free(sim);
}

static void test_nothing_is_said_of_a_device_when_no_trial_was_clean(void **state)
{
	static const struct row row = {{.name = "bad", .always_bad = 1}, NULL};
	static const char *const names[] = {"rfc2544-throughput", "rfc2544-latency",
		"rfc2544-frame-loss", "rfc2544-back-to-back", "rfc2544"};
	struct sim *sim = malloc(sizeof(*sim));

	for (unsigned i = 0; i < NB(names); i++) {
		enum proc_outcome outcome;

		run_row(sim, &row, names[i], &outcome, 2);
		assert_int_equal(outcome, PROC_INVALID);
		assert_int_equal(sim->nb_figures, 0);
		assert_true(sim->nb_trials < 200);
		sim_fini(sim);
	}
	free(sim);
}

static void test_a_user_or_a_device_ends_it(void **state)
{
	static const struct sim_dut duts[] = {
		{.name = "stopped", .interrupt_at = 3}, {.name = "gone", .fail_at = 3}};
	static const int rcs[] = {-EINTR, -ENODEV};
	struct sim *sim = malloc(sizeof(*sim));

	for (unsigned i = 0; i < NB(duts); i++) {
		enum proc_outcome outcome;
		struct err err;

		sim_init(sim, &duts[i], 2, 64);
		sim_words(sim, "name=t procedure=rfc2544");
		assert_int_equal(sim_run(sim, &outcome, &err), rcs[i]);
		assert_int_equal(err.text[0] == '\0', rcs[i] == -EINTR);
		sim_fini(sim);
	}
	free(sim);
}

static void test_words_that_do_not_fit_are_refused(void **state)
{
	static const char *const words[] = {"min-rate=50% max-rate=40%",
		"initial-rate=50% max-rate=40%", "initial-rate=1% min-rate=2%"};
	static const struct sim_dut dut = {.name = "perfect"};
	struct sim *sim = malloc(sizeof(*sim));
	char all[256];

	for (unsigned i = 0; i < NB(words); i++) {
		enum proc_outcome outcome;
		struct err err = {0};

		sim_init(sim, &dut, 2, 64);
		snprintf(all, sizeof(all), "name=t procedure=rfc2544-throughput %s", words[i]);
		sim_words(sim, all);
		assert_int_equal(sim_run(sim, &outcome, &err), -EINVAL);
		assert_true(err.text[0] != '\0');
		assert_int_equal(sim->nb_trials, 0);
		sim_fini(sim);
	}
	sim_init(sim, &dut, 2, 64);
	assert_false(sim_words_ok(
		sim, "name=t procedure=rfc2544-throughput search-duration=90s", &(struct err){0}));
	sim_fini(sim);
	free(sim);
}

static void test_latency_is_at_the_throughput_rate(void **state)
{
	static const struct row row = {
		{.name = "sharp", .knee_pps = 700000}, "search-duration=1s latency-repeats=20"};
	struct sim *sim = malloc(sizeof(*sim));
	enum proc_outcome outcome;

	run_row(sim, &row, "rfc2544-latency", &outcome, 2);
	assert_int_equal(outcome, PROC_DONE);
	assert_true(sim_value(sim, "latency-mean") > 10000);
	assert_true(sim_value(sim, "latency-min") <= sim_value(sim, "latency-p50"));
	assert_true(sim_value(sim, "latency-p999") <= sim_value(sim, "latency-max"));
	assert_true(sim_noted(sim, "FILO"));
	assert_true(sim_noted(sim, "of every frame"));
	sim_fini(sim);
	free(sim);
}

static void test_frame_loss_ends_after_two_loads_without_loss(void **state)
{
	static const struct {
		struct row row;
		unsigned trials;
		double at_max, free_pps;
	} cases[] = {
		{{{.name = "perfect"}}, 2, 0, LINE},
		{{{.name = "half", .knee_pps = LINE / 2}}, 7, 0.5, LINE / 2},
		{{{.name = "half", .knee_pps = LINE / 2}, "loss-step=25"}, 4, 0.5, LINE / 2},
		{{{.name = "dead", .dead = true}}, 10, 1, 0},
	};
	struct sim *sim = malloc(sizeof(*sim));

	for (unsigned i = 0; i < NB(cases); i++) {
		enum proc_outcome outcome;

		run_row(sim, &cases[i].row, "rfc2544-frame-loss", &outcome, 2);
		assert_int_equal(outcome, PROC_DONE);
		assert_int_equal(sim->nb_trials, cases[i].trials);
		assert_true(fabs(sim_value(sim, "loss-at-max") - cases[i].at_max) < 1e-3);
		if (cases[i].free_pps == 0)
			assert_null(sim_figure(sim, "loss-free-rate", NULL));
		else
			assert_true(fabs(sim_value(sim, "loss-free-rate") - cases[i].free_pps) < 2);
		sim_fini(sim);
	}
	free(sim);
}

static void test_back_to_back_is_the_buffer(void **state)
{
	static const struct {
		struct row row;
		enum proc_outcome outcome;
		double burst; /* longest without loss: N / (1 - knee / line) */
	} cases[] = {
		{{{.name = "buffer", .knee_pps = LINE / 2, .burst = 5000}, "burst-repeats=50"},
			PROC_DONE, 10000},
		{{{.name = "one frame", .knee_pps = LINE / 4, .burst = 12}, "burst-repeats=3"},
			PROC_DONE, 16},
		{{{.name = "near the cap", .knee_pps = LINE / 2, .burst = 5000}, "burst-cap=10010"},
			PROC_INVALID, 0},
		{{{.name = "perfect"}}, PROC_SKIPPED, 0},
		{{{.name = "dead", .dead = true}}, PROC_FAILED, 0},
	};
	struct sim *sim = malloc(sizeof(*sim));

	for (unsigned i = 0; i < NB(cases); i++) {
		enum proc_outcome outcome;

		run_row(sim, &cases[i].row, "rfc2544-back-to-back", &outcome, 2);
		assert_int_equal(outcome, cases[i].outcome);
		if (outcome != PROC_DONE) {
			assert_null(sim_figure(sim, "buffer-time", NULL));
			sim_fini(sim);
			continue;
		}
		if (fabs(sim_value(sim, "back-to-back") - cases[i].burst) >
			fmax(1, cases[i].burst * 0.01))
			fail_msg("%s: %f frames", cases[i].row.dut.name,
				sim_value(sim, "back-to-back"));
		/* corrected: what the device held, in frames at the highest rate */
		assert_true(
			fabs(sim_value(sim, "buffer-time") / 1e9 * LINE - cases[i].row.dut.burst) <
			fmax(2, cases[i].row.dut.burst * 0.03));
		sim_fini(sim);
	}
	free(sim);
}

static void test_all_of_rfc2544_uses_the_throughput_found(void **state)
{
	static const struct row row = {{.name = "buffer", .knee_pps = 700000, .burst = 2000},
		"search-duration=1s burst-repeats=5 latency-repeats=3"};
	struct sim *sim = malloc(sizeof(*sim));
	enum proc_outcome outcome;

	run_row(sim, &row, "rfc2544", &outcome, 2);
	assert_int_equal(outcome, PROC_DONE);
	assert_non_null(sim_figure(sim, "latency-mean", NULL));
	assert_non_null(sim_figure(sim, "loss-at-max", NULL));
	assert_non_null(sim_figure(sim, "buffer-time", NULL));
	sim_fini(sim);
	free(sim);
}

/* sim_run asserts that no run needs more than its estimate; every device, every test. */
static void test_each_test_ends_with_each_device(void **state)
{
	static const char *const names[] = {"rfc2544-latency rate=40%", "rfc2544-latency",
		"rfc2544-frame-loss", "rfc2544-back-to-back burst-repeats=3",
		"rfc2544-back-to-back burst-repeats=3 rate=40%",
		"rfc2544 burst-repeats=3 latency-repeats=2"};
	struct sim *sim = malloc(sizeof(*sim));
	char words[256];

	for (unsigned n = 0; n < NB(names); n++) {
		for (unsigned i = 0; i < NB(rows); i++) {
			enum proc_outcome outcome;
			struct err err;

			sim_init(sim, &rows[i].dut, 4, 64);
			snprintf(words, sizeof(words), "name=t procedure=%s", names[n]);
			sim_words(sim, words);
			assert_int_equal(sim_run(sim, &outcome, &err), 0);
			if (rows[i].dut.dead && strstr(names[n], "latency rate") == NULL &&
				strcmp(names[n], "rfc2544-frame-loss") != 0)
				assert_int_equal(outcome, PROC_FAILED);
			if (sim->nb_clean > 400)
				fail_msg("%s, %s: %u trials", rows[i].dut.name, words,
					sim->nb_clean);
			sim_fini(sim);
		}
	}
	free(sim);
}

/* Whatever a noisy device and a flaky generator do, searches end in the noise, and in time. */
static void test_noise_neither_prolongs_nor_misleads_a_search(void **state)
{
	static const struct {
		const char *words, *figure;
	} searches[] = {
		{"procedure=rfc2544-throughput", "throughput"},
		{"procedure=rfc2544-throughput search-duration=1s", "throughput"},
		{"procedure=rfc2544-throughput resolution=0.05 search-duration=1s", "throughput"},
		{"procedure=ndr-pdr", "ndr-load"},
		{"procedure=ndr-pdr goals=tst009,rfc2544,ndr", "tst009-load"},
		{"procedure=ndr-pdr search=binary-verify", "ndr-load"},
	};
	static const struct sim_dut dut = {
		.name = "noisy", .knee_pps = 700000, .noise = 0.05, .flaky = 7};
	struct sim *sim = malloc(sizeof(*sim));
	char words[128];

	for (unsigned i = 0; i < NB(searches); i++) {
		for (unsigned seed = 0; seed < 50; seed++) {
			enum proc_outcome outcome;
			struct err err;

			sim_init(sim, &dut, 2, 64);
			sim->seed = seed;
			snprintf(words, sizeof(words), "name=t %s", searches[i].words);
			sim_words(sim, words);
			assert_int_equal(sim_run(sim, &outcome, &err), 0);
			if (outcome != PROC_DONE ||
				sim_value(sim, searches[i].figure) < 700000 * 0.94 ||
				sim_value(sim, searches[i].figure) > 700000 * 1.06)
				fail_msg("%s, seed %u: outcome %d, %s", words, seed, outcome,
					sim->nb_notes > 0 ? sim->notes[0] : "");
			sim_fini(sim);
		}
	}
	free(sim);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_throughput_is_that_of_the_device),
		cmocka_unit_test(test_nothing_is_said_of_a_device_when_no_trial_was_clean),
		cmocka_unit_test(test_a_user_or_a_device_ends_it),
		cmocka_unit_test(test_words_that_do_not_fit_are_refused),
		cmocka_unit_test(test_latency_is_at_the_throughput_rate),
		cmocka_unit_test(test_frame_loss_ends_after_two_loads_without_loss),
		cmocka_unit_test(test_back_to_back_is_the_buffer),
		cmocka_unit_test(test_all_of_rfc2544_uses_the_throughput_found),
		cmocka_unit_test(test_each_test_ends_with_each_device),
		cmocka_unit_test(test_noise_neither_prolongs_nor_misleads_a_search),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
