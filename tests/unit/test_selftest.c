/* SPDX-License-Identifier: BSD-3-Clause */
/* The search for what a generator can do, against generators that are known. */
#include "tgen/proc.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define NB(array)  (sizeof(array) / sizeof((array)[0]))
#define S	   UNITS_NS_PER_S
#define RESOLUTION 20000u /* 2 % */
#define STEPS_MAX  128u
#define FLOOR_P50  1800u
#define NEVER	   UINT64_MAX

/* A generator: what it sends flat out, and what it does at a rate. */
struct sim {
	/* how it is */
	uint64_t flat_pps;
	uint64_t flat_first_pps; /* of the first flat-out trial; 0: the same */
	uint64_t knee_pps;	 /* above it frames are lost on the way back, or not sent */
	bool knee_is_unsent;
	unsigned noise_low; /* of the trials of a rate up to half, so many are spoilt first */
	bool dead_wire, dead_driver;
	unsigned interrupt_at, fail_at; /* number of the trial, from 1; 0: never */
	/* what is written */
	struct result_port port;
	struct result_stream stream;
	struct result_info info;
	struct result_row total;
	struct result_port_counts counts;
	uint64_t last_pps;
	unsigned nb_at_rate; /* trials at last_pps in a row */
	unsigned nb_trials, nb_steps;
	uint64_t highest_pps; /* asked, flat out aside */
	struct proc_selftest_step steps[STEPS_MAX];
};

static uint64_t sent_of(struct sim *sim, uint64_t pps)
{
	if (sim->dead_driver)
		return 0;
	if (pps == TRIAL_FLAT_OUT)
		return sim->flat_first_pps != 0 && sim->nb_at_rate == 1 ? sim->flat_first_pps
									: sim->flat_pps;
	if (sim->knee_is_unsent && pps > sim->knee_pps)
		return sim->knee_pps;
	return pps;
}

static bool is_spoilt(const struct sim *sim, uint64_t pps)
{
	return pps != TRIAL_FLAT_OUT && pps > 1000 && pps <= sim->flat_pps / 2 &&
	       sim->nb_at_rate <= sim->noise_low;
}

static int sim_trial(
	void *ctx, const struct trial_spec *spec, struct trial_result *result, struct err *err)
{
	struct sim *sim = ctx;
	uint64_t sent, good;

	sim->nb_trials++;
	if (sim->nb_trials == sim->fail_at)
		return err_device(err, ENODEV, "the port went away");
	sim->nb_at_rate = spec->pps == sim->last_pps ? sim->nb_at_rate + 1 : 1;
	sim->last_pps = spec->pps;
	if (spec->pps != TRIAL_FLAT_OUT && spec->pps > sim->highest_pps)
		sim->highest_pps = spec->pps;
	sent = (uint64_t)((unsigned __int128)sent_of(sim, spec->pps) * spec->duration_ns / S);
	good = sent;
	if (sim->dead_wire || sim->dead_driver)
		good = 0;
	else if (is_spoilt(sim, spec->pps) ||
		 (!sim->knee_is_unsent && spec->pps != TRIAL_FLAT_OUT && spec->pps > sim->knee_pps))
		good = sent - 1;
	sim->stream = (struct result_stream){.name = "selftest",
		.packet_count = UINT64_MAX,
		.flat_out = spec->pps == TRIAL_FLAT_OUT,
		.asked_upps = spec->pps == TRIAL_FLAT_OUT ? 0 : spec->pps * UNITS_MICROS};
	sim->total = (struct result_row){.n = {.tx_packet = sent, .good = good},
		.lat = {.count = good, .min = 20, .p50 = FLOOR_P50, .p99 = 9000}};
	*result = (struct trial_result){.send_ns = spec->duration_ns,
		.conserved = true,
		.interrupted = sim->nb_trials == sim->interrupt_at,
		.totals = &sim->total,
		.nb_totals = 1,
		.total = sim->total,
		.ports = &sim->counts};
	return 0;
}

static void on_step(void *ctx, const struct proc_selftest_step *step)
{
	struct sim *sim = ctx;

	assert_true(sim->nb_steps < STEPS_MAX);
	assert_true(step->clean == (step->reason == NULL));
	sim->steps[sim->nb_steps] = *step;
	sim->steps[sim->nb_steps++].reason = NULL; /* is the search's */
}

static int search(
	struct sim *sim, uint64_t max_pps, struct proc_selftest_result *out, struct err *err)
{
	const struct runner runner = {.trial = sim_trial, .ctx = sim};
	const struct proc_selftest spec = {
		.info = &sim->info,
		.limits = {.short_ppm = 1000, .steal_ppm = 1000000},
		.duration_ns = S,
		.resolution_ppm = RESOLUTION,
		.max_pps = max_pps,
		.on_step = on_step,
		.ctx = sim,
	};

	sim->port = (struct result_port){.name = "loop"};
	sim->info = (struct result_info){
		.ports = &sim->port, .nb_ports = 1, .streams = &sim->stream, .nb_streams = 1};
	*err = (struct err){0};
	return proc_selftest_search(&runner, &spec, out, err);
}

/* At most as far below the knee as asked, and never above it. */
static void assert_found(uint64_t clean_pps, uint64_t knee_pps, uint64_t slack_pps)
{
	assert_true(clean_pps <= knee_pps + slack_pps);
	assert_true(clean_pps >= knee_pps - knee_pps * 21 / 1000 - 1);
}

static void a_knee_is_found_within_the_resolution(void **state)
{
	static const uint64_t flats[] = {1000, 50000, 7727361, 148809523};
	static const unsigned knees_pct[] = {1, 3, 26, 49, 50, 51, 75, 99};

	(void)state;
	for (size_t f = 0; f < NB(flats); f++) {
		for (size_t k = 0; k < NB(knees_pct); k++) {
			struct sim sim = {
				.flat_pps = flats[f], .knee_pps = flats[f] * knees_pct[k] / 100};
			struct proc_selftest_result out;
			struct err err;

			if (sim.knee_pps < 200)
				continue; /* below what is looked for */
			assert_int_equal(search(&sim, 0, &out, &err), 0);
			assert_true(out.looped);
			assert_int_equal(out.top_pps, flats[f]);
			assert_found(out.clean_pps, sim.knee_pps, 0);
			assert_true(out.nb_trials < 40);
			assert_int_equal(out.nb_trials, sim.nb_trials);
		}
	}
}

/* Within 0.1 % a generator that falls short is still clean. */
static void a_generator_that_falls_short_has_its_knee_there(void **state)
{
	struct sim sim = {.flat_pps = 2000000, .knee_pps = 1400000, .knee_is_unsent = true};
	struct proc_selftest_result out;
	struct err err;

	(void)state;
	assert_int_equal(search(&sim, 0, &out, &err), 0);
	assert_found(out.clean_pps, 1400000, 1400);
}

static void spoilt_trials_at_low_rates_do_not_count_when_a_repetition_is_clean(void **state)
{
	static const struct {
		unsigned noise;
		bool found;
	} cases[] = {{0, true}, {1, true}, {2, true}, {3, false}};

	(void)state;
	for (size_t i = 0; i < NB(cases); i++) {
		struct sim sim = {
			.flat_pps = 1000000, .knee_pps = 400000, .noise_low = cases[i].noise};
		struct proc_selftest_result out;
		struct err err;

		assert_int_equal(search(&sim, 0, &out, &err), 0);
		if (cases[i].found)
			assert_found(out.clean_pps, 400000, 0);
		else
			assert_true(out.clean_pps < 1001); /* as far as this noise goes */
	}
}

static void a_slow_first_flat_out_trial_does_not_lower_the_upper_end(void **state)
{
	struct sim sim = {.flat_pps = 1000000, .flat_first_pps = 48640, .knee_pps = 700000};
	struct proc_selftest_result out;
	struct err err;

	(void)state;
	assert_int_equal(search(&sim, 0, &out, &err), 0);
	assert_int_equal(out.top_pps, 1000000);
	assert_found(out.clean_pps, 700000, 0);
}

static void a_perfect_generator_is_clean_at_its_upper_end(void **state)
{
	struct sim sim = {.flat_pps = 14880952, .knee_pps = NEVER};
	struct proc_selftest_result out;
	struct err err;

	(void)state;
	assert_int_equal(search(&sim, 0, &out, &err), 0);
	assert_int_equal(out.clean_pps, 14880952);
	assert_int_equal(out.nb_trials, 6); /* probe, flat out three times, once there, floor */
}

static void no_rate_above_max_rate_is_tried_and_nothing_is_flat_out(void **state)
{
	static const struct {
		uint64_t max, knee;
	} cases[] = {{500, NEVER}, {300000, NEVER}, {300000, 120000}};

	(void)state;
	for (size_t i = 0; i < NB(cases); i++) {
		struct sim sim = {.flat_pps = 1000000, .knee_pps = cases[i].knee};
		struct proc_selftest_result out;
		struct err err;

		assert_int_equal(search(&sim, cases[i].max, &out, &err), 0);
		assert_int_equal(out.top_pps, cases[i].max);
		assert_int_equal(sim.highest_pps, cases[i].max);
		for (unsigned k = 0; k < sim.nb_steps; k++)
			assert_int_not_equal(sim.steps[k].pps, TRIAL_FLAT_OUT);
		if (cases[i].knee == NEVER)
			assert_int_equal(out.clean_pps, cases[i].max);
		else
			assert_found(out.clean_pps, cases[i].knee, 0);
	}
}

static void a_dead_wire_is_told_after_few_frames(void **state)
{
	struct sim sim = {.flat_pps = 1000000, .knee_pps = NEVER, .dead_wire = true};
	struct proc_selftest_result out;
	struct err err;

	(void)state;
	assert_int_equal(search(&sim, 0, &out, &err), 0);
	assert_false(out.looped);
	assert_int_equal(out.clean_pps, 0);
	assert_int_equal(sim.nb_trials, 3);
	assert_int_equal(sim.highest_pps, 1000);
	for (unsigned k = 0; k < sim.nb_steps; k++) {
		assert_int_equal(sim.steps[k].kind, SELFTEST_PROBE);
		assert_false(sim.steps[k].clean);
	}
}

static void a_driver_that_sends_nothing_is_not_looped_either(void **state)
{
	struct sim sim = {.flat_pps = 1000000, .dead_driver = true};
	struct proc_selftest_result out;
	struct err err;

	(void)state;
	assert_int_equal(search(&sim, 0, &out, &err), 0);
	assert_false(out.looped);
}

static void a_generator_that_is_never_clean_has_no_rate_and_no_floor(void **state)
{
	struct sim sim = {.flat_pps = 148809523, .knee_pps = 0};
	struct proc_selftest_result out;
	struct err err;

	(void)state;
	assert_int_equal(search(&sim, 0, &out, &err), 0);
	assert_true(out.looped);
	assert_int_equal(out.clean_pps, 0);
	assert_int_equal(out.floor.count, 0);
	assert_true(out.nb_trials <= PROC_SELFTEST_TRIALS_MAX);
}

static void the_floor_is_measured_at_a_low_rate(void **state)
{
	static const struct {
		uint64_t flat, floor;
	} cases[] = {{50, 50}, {5000, 100}, {500000, 5000}, {1000000, 10000}, {14880952, 10000}};

	(void)state;
	for (size_t i = 0; i < NB(cases); i++) {
		struct sim sim = {.flat_pps = cases[i].flat, .knee_pps = NEVER};
		struct proc_selftest_result out;
		struct err err;

		assert_int_equal(search(&sim, 0, &out, &err), 0);
		assert_int_equal(out.floor_pps, cases[i].floor);
		assert_int_equal(out.floor.p50, FLOOR_P50);
		assert_int_equal(sim.steps[sim.nb_steps - 1].kind, SELFTEST_FLOOR);
		assert_int_equal(sim.steps[sim.nb_steps - 1].pps, cases[i].floor);
	}
}

static void the_end_of_a_trial_by_the_user_or_a_fault_ends_the_search(void **state)
{
	(void)state;
	for (unsigned at = 1; at <= 8; at++) {
		struct sim stopped = {.flat_pps = 1000000, .knee_pps = 700000, .interrupt_at = at};
		struct sim broken = {.flat_pps = 1000000, .knee_pps = 700000, .fail_at = at};
		struct proc_selftest_result out;
		struct err err;

		assert_int_equal(search(&stopped, 0, &out, &err), -EINTR);
		assert_string_equal(err.text, "");
		assert_int_equal(stopped.nb_trials, at);
		assert_int_equal(search(&broken, 0, &out, &err), -ENODEV);
		assert_non_null(strstr(err.text, "the port went away"));
		assert_int_equal(broken.nb_trials, at);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_knee_is_found_within_the_resolution),
		cmocka_unit_test(a_generator_that_falls_short_has_its_knee_there),
		cmocka_unit_test(
			spoilt_trials_at_low_rates_do_not_count_when_a_repetition_is_clean),
		cmocka_unit_test(a_slow_first_flat_out_trial_does_not_lower_the_upper_end),
		cmocka_unit_test(a_perfect_generator_is_clean_at_its_upper_end),
		cmocka_unit_test(no_rate_above_max_rate_is_tried_and_nothing_is_flat_out),
		cmocka_unit_test(a_dead_wire_is_told_after_few_frames),
		cmocka_unit_test(a_driver_that_sends_nothing_is_not_looped_either),
		cmocka_unit_test(a_generator_that_is_never_clean_has_no_rate_and_no_floor),
		cmocka_unit_test(the_floor_is_measured_at_a_low_rate),
		cmocka_unit_test(the_end_of_a_trial_by_the_user_or_a_fault_ends_the_search),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
