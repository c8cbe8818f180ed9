/* SPDX-License-Identifier: BSD-3-Clause */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "../../src/run/dut_beside.h"
#include "dut_help.h"

#define MS 1000000ull

/* A slot of commands, as a test has them. */
struct commands {
	struct opt_val vals[2];
	struct opt_slot slot;
};

static const struct opt_slot *commands(struct commands *c, const char *a, const char *b)
{
	*c = (struct commands){.vals = {{.text = a}, {.text = b}}};
	c->slot = (struct opt_slot){.vals = c->vals, .nb_vals = b != NULL ? 2 : 1};
	return a != NULL ? &c->slot : NULL;
}

/* Until the thread has done that many rounds of probes. */
static void wait_rounds(const struct dut_beside *beside, unsigned nb)
{
	for (int n = 0; dut_beside_probes(beside).rounds < nb && n < 3000; n++)
		usleep(10000);
	assert_true(dut_beside_probes(beside).rounds >= nb);
}

static void events_run_in_order_and_what_broke_is_mended(void **state)
{
	static const struct {
		const char *event[2], *mend;
		uint64_t event_ns, mend_ns;
		bool event_done, event_failed, mend_done;
		int nb_records;
	} cases[] = {
		{{NULL}, NULL, 0, 0, false, false, false, 0},
		{{"true", "true"}, NULL, 0, 0, true, false, false, 2},
		{{"false", "true"}, "true", 0, 1, true, true, true, 3},
		/* the end of the trial comes before its time: mended all the same */
		{{"true", "true"}, "true", 0, 86400000 * MS, true, false, true, 3},
		/* what never broke needs no mending */
		{{"true", "true"}, "true", 86400000 * MS, 86400001 * MS, false, false, false, 0},
	};
	static const char *const words[] = {"name=v", "probe=echo n=1", NULL};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct commands event, mend;
		struct opt_set variant;
		struct dut_beside_spec spec = {
			.event = commands(&event, cases[i].event[0], cases[i].event[1]),
			.mend = commands(&mend, cases[i].mend, NULL),
			.event_ns = cases[i].event_ns,
			.mend_ns = cases[i].mend_ns,
			.variant = &variant,
			.probe_interval_ns = 20 * MS,
		};
		struct dut_beside_event e, m;
		struct dut_beside *beside;
		struct err err = {0};
		cJSON *records = cJSON_CreateArray(), *probe = NULL, *sample;

		variant_init(&variant, words);
		beside = dut_beside_new(&spec, &err);
		assert_non_null(beside);
		dut_beside_start(beside);
		wait_rounds(beside, 3);
		dut_beside_finish(beside, &e, &m, &probe, records);
		assert_int_equal(e.done, cases[i].event_done);
		assert_int_equal(e.failed, cases[i].event_failed);
		assert_int_equal(m.done, cases[i].mend_done);
		assert_true(e.begin_ns <= e.end_ns && m.begin_ns <= m.end_ns);
		assert_true(!m.done || e.end_ns <= m.begin_ns);
		assert_int_equal(cJSON_GetArraySize(records), cases[i].nb_records);
		assert_true(cJSON_GetArraySize(probe) >= 3);
		cJSON_ArrayForEach(sample, probe)
			assert_true(cJSON_GetObjectItem(cJSON_GetObjectItem(sample, "values"), "n")
					    ->valuedouble == 1);
		cJSON_Delete(records);
		cJSON_Delete(probe);
		opt_set_fini(&variant);
	}
}

static void slow_probes_are_passed_over_and_counted(void **state)
{
	static const char *const words[] = {"name=v", "probe=sh -c 'sleep 0.05; echo n=1'", NULL};
	struct opt_set variant;
	struct dut_beside_spec spec = {.variant = &variant, .probe_interval_ns = 10 * MS};
	struct dut_beside *beside;
	struct err err = {0};
	cJSON *probe = NULL;

	(void)state;
	variant_init(&variant, words);
	beside = dut_beside_new(&spec, &err);
	dut_beside_start(beside);
	wait_rounds(beside, 2);
	assert_true(dut_beside_probes(beside).skipped >= 1);
	assert_int_equal(dut_beside_probes(beside).failed, 0);
	dut_beside_finish(beside, NULL, NULL, &probe, NULL);
	cJSON_Delete(probe);
	opt_set_fini(&variant);
}

static void a_trial_that_never_starts_ends(void **state)
{
	static const char *const words[] = {"name=v", "probe=sleep 1000", NULL};

	(void)state;
	for (int started = 0; started < 2; started++) {
		struct opt_set variant;
		struct commands event;
		struct dut_beside_spec spec = {.event = commands(&event, "true", NULL),
			.event_ns = 86400000 * MS,
			.variant = &variant,
			.probe_interval_ns = 20 * MS};
		struct dut_beside_event e;
		struct err err = {0};
		struct dut_beside *beside;
		cJSON *probe = NULL;

		variant_init(&variant, words);
		beside = dut_beside_new(&spec, &err);
		if (started) /* and a probe that hangs does not hold it up */
			dut_beside_start(beside);
		dut_beside_finish(beside, &e, NULL, &probe, NULL);
		assert_false(e.done);
		assert_int_equal(cJSON_GetArraySize(probe), 0);
		cJSON_Delete(probe);
		opt_set_fini(&variant);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(events_run_in_order_and_what_broke_is_mended),
		cmocka_unit_test(slow_probes_are_passed_over_and_counted),
		cmocka_unit_test(a_trial_that_never_starts_ends),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
