/* SPDX-License-Identifier: BSD-3-Clause */
/* The simulated devices do what tests of procedures rely on. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

#include "sim.h"

static void test_a_trial_loses_what_the_device_is_made_to_lose(void **state)
{
	static const struct {
		struct sim_dut dut;
		uint64_t pps, duration_s, sent, lost;
		bool clean;
	} rows[] = {
		{{.name = "perfect"}, 100000, 10, 1000000, 0, true},
		{{.name = "dead", .dead = true}, 1000, 10, 10000, 10000, true},
		{{.name = "below the knee", .knee_pps = 1000}, 1000, 10, 10000, 0, true},
		{{.name = "above the knee", .knee_pps = 1000}, 1001, 10, 10010, 10, true},
		{{.name = "buffer", .knee_pps = 1000, .burst = 100}, 1001, 10, 10010, 0, true},
		{{.name = "buffer, longer", .knee_pps = 1000, .burst = 100}, 1001, 101, 101101, 1,
			true},
		{{.name = "policer", .policer_bps = 480000, .policer_bytes = 60 * 50}, 1010, 10,
			10100, 50, true},
		{{.name = "tester", .tester_pps = 1000}, 2000, 10, 10000, 0, false},
		{{.name = "grows", .grow_pps = 500, .grow_after_s = 5, .grow_per_s = 0.01}, 1000,
			10, 10000, 125, true},
	};
	struct sim *sim = malloc(sizeof(*sim));

	for (unsigned i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct trial_load load;
		struct trial_spec spec = {.purpose = "test",
			.duration_ns = rows[i].duration_s * UNITS_NS_PER_S,
			.loads = &load};
		struct trial_result result;
		struct err err = {0};

		sim_init(sim, &rows[i].dut, 2, 64);
		sim->env.max_invalid = 0;
		proc_loads_even(&sim->info, rows[i].pps * UNITS_MICROS, &load);
		assert_int_equal(proc_trial(&sim->env, &spec, &result, &err), 0);
		assert_int_equal(result.total.n.tx_packet, rows[i].sent);
		assert_int_equal(result.total.lost_packet, rows[i].lost);
		assert_int_equal(result.clean, rows[i].clean);
		sim_fini(sim);
	}
	free(sim);
}

static void test_the_words_of_a_procedure_run_it(void **state)
{
	static const struct sim_dut dut = {.name = "perfect"};
	struct sim *sim = malloc(sizeof(*sim));
	enum proc_outcome outcome;
	struct err err;

	sim_init(sim, &dut, 4, 128);
	sim_words(sim, "name=t procedure=quick trial-duration=10s");
	assert_int_equal(sim_run(sim, &outcome, &err), 0);
	assert_int_equal(outcome, PROC_DONE);
	assert_true(sim_value(sim, "sent") == 1000);
	assert_true(sim_value(sim, "lost-ratio") == 0);
	sim_fini(sim);
	free(sim);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_a_trial_loses_what_the_device_is_made_to_lose),
		cmocka_unit_test(test_the_words_of_a_procedure_run_it),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
