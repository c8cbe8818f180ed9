/* SPDX-License-Identifier: BSD-3-Clause */
/* RFC 2889, RFC 8219, Y.1564, QoS, outage, recovery and soak against simulated devices. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "sim.h"

/* Streams of a mesh of three ports, in groups of their direction. */
static void mesh(struct sim *sim, const struct sim_dut *dut)
{
	sim_init(sim, dut, 4, 64);
	sim->info.nb_streams = 0;
	for (unsigned i = 0; i < 3; i++)
		for (unsigned k = 1; k < 3; k++)
			sim_add_stream(sim, i, (i + k) % 3);
}

static void lose(struct result_row *row, double ratio)
{
	row->n.good = (uint64_t)((double)row->n.tx_packet * (1 - ratio));
}

static enum proc_outcome done(struct sim *sim)
{
	enum proc_outcome outcome = PROC_INVALID;
	struct err err = {0};
	int rc = sim_run(sim, &outcome, &err);

	if (rc != 0)
		fail_msg("%d: %s", rc, err.text);
	return outcome;
}

/* ---- RFC 2889 ---- */

static void forwarding_rates_are_those_of_the_device(void **state)
{
	static const struct {
		struct sim_dut dut;
		double frmol, mfr; /* all ports together */
	} cases[] = {
		{{.name = "perfect"}, 3 * 100000, 3 * 100000},
		{{.name = "knee", .knee_pps = 60000}, 3 * 60000, 3 * 60000},
		{{.name = "slow outputs", .out_pps = 40000}, 3 * 40000, 3 * 40000},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct sim sim;

		mesh(&sim, &cases[i].dut);
		sim_words(&sim, "procedure=rfc2889-mesh max-rate=100kpps trial-duration=1s");
		assert_int_equal(done(&sim), PROC_DONE);
		assert_true(fabs(sim_value(&sim, "frmol") / cases[i].frmol - 1) < 0.01);
		assert_true(fabs(sim_value(&sim, "mfr") / cases[i].mfr - 1) < 0.01);
		assert_true(sim_value(&sim, "flood-count") == 0);
		sim_fini(&sim);
	}
}

static void a_generator_that_falls_short_is_said(void **state)
{
	const struct sim_dut dut = {.name = "tester", .tester_pps = 50000};
	struct sim sim;

	(void)state;
	mesh(&sim, &dut);
	sim_words(&sim, "procedure=rfc2889-mesh max-rate=100kpps trial-duration=1s");
	assert_int_equal(done(&sim), PROC_DONE);
	assert_string_equal(sim_figure(&sim, "frmol", NULL)->remark, "tester-limited");
	assert_true(sim_value(&sim, "mfr") <= 3 * 50000 * 1.01);
	sim_fini(&sim);
}

/* Stream 1 goes to the congested port and is blocked with stream 0 behind it, or not. */
static void block(struct sim *sim, const struct trial_spec *spec, struct result_row *rows)
{
	(void)spec;
	lose(&rows[1], 0.4);
	lose(&rows[2], 0.4);
	if (sim->user != NULL)
		lose(&rows[0], 0.3);
}

static void head_of_line_blocking_is_told_from_loss(void **state)
{
	const struct sim_dut dut = {.name = "switch", .bend = block};
	static int blocks;

	(void)state;
	for (int blocking = 0; blocking < 2; blocking++) {
		struct sim sim;

		sim_init(&sim, &dut, 4, 64);
		sim.user = blocking ? &blocks : NULL;
		sim.info.nb_streams = 0;
		sim_add_stream(&sim, 0, 2);
		sim_add_stream(&sim, 0, 3);
		sim_add_stream(&sim, 1, 3);
		sim_words(&sim, "procedure=rfc2889-congestion max-rate=10kpps trial-duration=1s "
				"topology=congestion");
		assert_int_equal(done(&sim), PROC_DONE);
		assert_true(sim_value(&sim, "head-of-line-blocking") == blocking);
		assert_true(sim_value(&sim, "back-pressure") == 0);
		sim_fini(&sim);
	}
}

static void without_a_free_port_nothing_is_said_of_congestion(void **state)
{
	const struct sim_dut dut = {.name = "switch"};
	struct sim sim;

	(void)state;
	sim_init(&sim, &dut, 4, 64);
	sim_words(&sim, "procedure=rfc2889-congestion max-rate=10kpps trial-duration=1s");
	assert_int_equal(done(&sim), PROC_SKIPPED);
	assert_int_equal(sim.nb_figures, 0);
	sim_fini(&sim);
}

/* A table of *user addresses: what is beyond is flooded, to the monitor too. */
static void table(struct sim *sim, const struct trial_spec *spec, struct result_row *rows)
{
	uint64_t room = *(uint64_t *)sim->user;

	if (spec->addresses > room)
		rows[1].n.misrouted = spec->addresses - room;
}

static void a_table_is_found_to_the_address(void **state)
{
	static const struct {
		uint64_t room;
		double found;
		const char *remark;
	} cases[] = {{1000, 1000, NULL}, {1, 1, NULL}, {777, 777, NULL},
		{9999, 4096, ">= max-addresses"}, {0, 0, "< min-addresses"}};
	const struct sim_dut dut = {.name = "table", .bend = table};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		uint64_t room = cases[i].room;
		const struct proc_figure *f;
		struct sim sim;

		sim_init(&sim, &dut, 4, 64);
		sim.user = &room;
		sim.info.nb_streams = 0;
		sim_add_stream(&sim, 0, 1)->group = "learn";
		sim_add_stream(&sim, 1, 0)->group = "test";
		sim_words(&sim,
			"procedure=rfc2889-address-caching max-addresses=4096 topology=learning");
		assert_int_equal(done(&sim), PROC_DONE);
		f = sim_figure(&sim, "addresses", NULL);
		assert_true(f->value == cases[i].found);
		assert_true((f->remark == NULL) == (cases[i].remark == NULL));
		if (f->remark != NULL)
			assert_string_equal(f->remark, cases[i].remark);
		assert_true(sim.nb_trials <= 20);
		sim_fini(&sim);
	}
}

/* ---- RFC 8219 ---- */

static void latency_is_the_median_of_repeated_trials(void **state)
{
	const struct sim_dut dut = {.name = "perfect"};
	struct sim sim;

	(void)state;
	sim_init(&sim, &dut, 2, 64);
	sim_words(
		&sim, "procedure=rfc8219-latency rate=1kpps trial-duration=10s repeated-trials=5");
	assert_int_equal(done(&sim), PROC_DONE);
	assert_int_equal(sim.nb_trials, 5);
	assert_true(sim_value(&sim, "typical-latency") > 0);
	assert_true(sim_value(&sim, "worst-case-latency") >= sim_value(&sim, "typical-latency"));
	sim_fini(&sim);
}

static void too_few_frames_are_no_measurement(void **state)
{
	const struct sim_dut dut = {.name = "perfect"};
	struct sim sim;

	(void)state;
	sim_init(&sim, &dut, 2, 64);
	sim_words(
		&sim, "procedure=rfc8219-latency rate=100pps trial-duration=1s repeated-trials=2");
	assert_int_equal(done(&sim), PROC_INVALID);
	assert_int_equal(sim.nb_figures, 0);
	assert_true(sim_noted(&sim, "fewer than 500"));
	sim_fini(&sim);
}

/* ---- Y.1564 ---- */

static double offered_pps(const struct result_row *row, const struct trial_spec *spec)
{
	return (double)row->n.tx_packet * 1e9 / (double)spec->duration_ns;
}

/* Polices each stream at 1200 packets/s (*user 0), or not at all (1); loses 1 % of voice (2). */
static void police(struct sim *sim, const struct trial_spec *spec, struct result_row *rows)
{
	int kind = *(int *)sim->user;

	for (unsigned i = 0; i < sim->info.nb_streams; i++) {
		double pps = offered_pps(&rows[i], spec);

		if (pps > 1200 && kind != 1)
			lose(&rows[i], 1 - 1200 / pps);
		if (kind == 2 && i == 0)
			lose(&rows[i], 0.01);
	}
}

static void services_are_judged_by_their_limits(void **state)
{
	static const struct {
		int kind;
		enum proc_outcome outcome;
		const char *noted;
	} cases[] = {{0, PROC_DONE, NULL}, {1, PROC_FAILED, "rate that passed"},
		{2, PROC_FAILED, "service voice"}};
	const struct sim_dut dut = {.name = "policer", .bend = police};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		int kind = cases[i].kind;
		struct sim sim;

		sim_init(&sim, &dut, 4, 64);
		sim.user = &kind;
		sim.streams[0].group = "voice";
		sim.streams[1].group = "data";
		sim_words(&sim,
			"procedure=y1564 services=voice,data cir=1kpps,1kpps eir=200pps,200pps "
			"flr=0.1 step-duration=1s performance-duration=5s");
		assert_int_equal(done(&sim), cases[i].outcome);
		if (cases[i].noted != NULL)
			assert_true(sim_noted(&sim, cases[i].noted));
		/* four steps, the excess and policing of each, and all together */
		assert_int_equal(sim.nb_trials, 13);
		assert_true(fabs(sim_figure(&sim, "cir-50-ir", "data")->value - 500) < 5);
		sim_fini(&sim);
	}
}

static void a_service_without_streams_is_refused(void **state)
{
	const struct sim_dut dut = {.name = "perfect"};
	enum proc_outcome outcome;
	struct err err = {0};
	struct sim sim;

	(void)state;
	sim_init(&sim, &dut, 2, 64);
	assert_false(sim_words_ok(&sim, "procedure=y1564 services=voice", &err));
	err = (struct err){0};
	sim_words(&sim, "procedure=y1564 services=none cir=1kpps");
	assert_true(sim_run(&sim, &outcome, &err) < 0);
	assert_non_null(strstr(err.text, "none"));
	sim_fini(&sim);
}

/* ---- QoS, recovery ---- */

static void starve(struct sim *sim, const struct trial_spec *spec, struct result_row *rows)
{
	(void)sim;
	(void)spec;
	lose(&rows[1], 0.75);
}

static void each_class_has_its_figures(void **state)
{
	const struct sim_dut dut = {.name = "priorities", .bend = starve};
	struct sim sim;

	(void)state;
	sim_init(&sim, &dut, 4, 64);
	sim.streams[0].group = "gold";
	sim.streams[1].group = "bronze";
	sim_words(&sim, "procedure=qos rate=1kpps trial-duration=4s");
	assert_int_equal(done(&sim), PROC_DONE);
	assert_true(fabs(sim_figure(&sim, "received", "gold")->value - 1000) < 2);
	assert_true(fabs(sim_figure(&sim, "received", "bronze")->value - 250) < 2);
	assert_true(fabs(sim_figure(&sim, "lost-ratio", "bronze")->value - 0.75) < 1e-3);
	sim_fini(&sim);
}

/* Loses until *user ns after the overload has ended. */
static void recover(struct sim *sim, const struct trial_spec *spec, struct result_row *rows)
{
	for (unsigned i = 0; i < sim->info.nb_streams; i++) {
		lose(&rows[i], 0.05);
		rows[i].outage = (struct result_outage){.known = true,
			.last_loss_ns = spec->duration_ns / 2 + *(uint64_t *)sim->user};
	}
}

static void recovery_is_from_the_end_of_the_overload(void **state)
{
	static const struct {
		uint64_t after_ns;
		enum proc_outcome outcome;
	} cases[] = {{250000000, PROC_DONE}, {0, PROC_DONE}, {10000000000, PROC_FAILED}};
	const struct sim_dut dut = {.name = "recovers", .bend = recover};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		uint64_t after = cases[i].after_ns;
		struct sim sim;

		sim_init(&sim, &dut, 2, 64);
		sim.user = &after;
		sim_words(&sim,
			"procedure=rfc2544-system-recovery throughput=100kpps trial-duration=10s");
		assert_int_equal(done(&sim), cases[i].outcome);
		if (cases[i].outcome == PROC_DONE)
			assert_true(fabs(sim_value(&sim, "recovery") - (double)after) < 1);
		assert_true(fabs(sim_value(&sim, "overload") - 110000) < 1);
		sim_fini(&sim);
	}
}

static void invalid_trials_have_no_figures(void **state)
{
	static const char *const tests[] = {
		"procedure=quick trial-duration=1s",
		"procedure=qos rate=1kpps trial-duration=1s",
		"procedure=soak rate=1kpps trial-duration=1s",
		"procedure=rfc2889-broadcast max-rate=1kpps trial-duration=1s",
		"procedure=rfc2889-mesh max-rate=1kpps trial-duration=1s",
		"procedure=rfc2544-system-recovery throughput=1kpps trial-duration=1s",
		"procedure=rfc8219-pdv rate=1kpps trial-duration=1s",
	};
	const struct sim_dut dut = {.name = "bad", .always_bad = 1};

	(void)state;
	for (size_t i = 0; i < sizeof(tests) / sizeof(tests[0]); i++) {
		struct sim sim;

		sim_init(&sim, &dut, 2, 64);
		sim_words(&sim, tests[i]);
		assert_int_equal(done(&sim), PROC_INVALID);
		assert_int_equal(sim.nb_figures, 0);
		sim_fini(&sim);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(forwarding_rates_are_those_of_the_device),
		cmocka_unit_test(a_generator_that_falls_short_is_said),
		cmocka_unit_test(head_of_line_blocking_is_told_from_loss),
		cmocka_unit_test(without_a_free_port_nothing_is_said_of_congestion),
		cmocka_unit_test(a_table_is_found_to_the_address),
		cmocka_unit_test(latency_is_the_median_of_repeated_trials),
		cmocka_unit_test(too_few_frames_are_no_measurement),
		cmocka_unit_test(services_are_judged_by_their_limits),
		cmocka_unit_test(a_service_without_streams_is_refused),
		cmocka_unit_test(each_class_has_its_figures),
		cmocka_unit_test(recovery_is_from_the_end_of_the_overload),
		cmocka_unit_test(invalid_trials_have_no_figures),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
