/* SPDX-License-Identifier: BSD-3-Clause */
/* As many streams as there can be are planned, each as its object says, in seconds. */
#include "plan_help.h"

#include <time.h>

#define NB_ALL PLAN_MAX_STREAMS
#define NB_FEW (NB_ALL / 4)
/* Times the work of a quarter: linear work has 4, quadratic 16. */
#define RATIO_MAX 10

/*
 * Every stream has a template, an id, sizes and a rate of its own, lasts a second and follows the one
 * before it. The second template answers the third one's flows.
 */
static void write_file(unsigned nb)
{
	FILE *f = fopen(CONF_NAME, "w");

	assert_non_null(f);
	fputs("{\"ports\":[{\"name\":\"ether1\",\"device\":\"ring:a\",\"speed\":\"1G\"}],\n"
	      "\"packet-templates\":[",
		f);
	for (unsigned i = 0; i < nb; i++)
		fprintf(f,
			"%s\n{\"name\":\"t%u\",\"port\":\"ether1\",\"ip-src\":\"1.0.0.1\","
			"\"ip-dst\":\"2.0.0.1\",\"mac-dst\":\"02:00:00:00:00:01\"%s}",
			i > 0 ? "," : "", i, i == 1 ? ",\"reply-to\":\"t2\"" : "");
	fputs("],\n\"streams\":[", f);
	for (unsigned i = 0; i < nb; i++) {
		unsigned pps = 1 + i % 10;

		fprintf(f,
			"%s\n{\"name\":\"s%u\",\"tx-template\":\"t%u\",\"id\":%u,\"pps\":%u,"
			"\"packet-count\":%u,\"packet-size\":\"%u-%u\"",
			i > 0 ? "," : "", i, i, nb - i, pps, pps, 60 + i % 100, 160 + i % 100);
		if (i > 0)
			fprintf(f, ",\"after\":\"s%u\"", i - 1);
		fputs("}", f);
	}
	fputs("]}\n", f);
	assert_int_equal(fclose(f), 0);
}

static void check_streams(const struct plan *plan, unsigned nb)
{
	assert_int_equal(plan->nb_streams, nb);
	for (unsigned i = 0; i < nb; i++) {
		const struct plan_stream *s = &plan->streams[i];

		assert_int_equal(s->id, nb - i);
		assert_int_equal(s->sizes.bytes[0], 60 + i % 100);
		assert_int_equal(s->size, 160 + i % 100);
		assert_int_equal(plan_rate_upps(s->asked), (1 + i % 10) * UNITS_MICROS);
		assert_int_equal(s->sched.delay_ns, i * UNITS_NS_PER_S);
		assert_int_equal(s->reply.stream, i == 1 ? 2 : -1);
		assert_int_equal(s->is_answered, i == 2);
	}
	assert_int_equal(plan->nb_lanes, nb);
	assert_int_equal(plan->nb_notes, 0);
}

/* Seconds of CPU from the file to the sized plan. */
static double plan_them(unsigned nb)
{
	struct timespec began, ended;
	struct plan_facts facts[1];
	struct plan_cpu cpus[2];
	struct err err = {0};
	struct opt_set quick;
	struct conf *conf;
	struct plan *plan;

	write_file(nb);
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &began);
	conf = conf_load(CONF_NAME, plan_kinds, NB(plan_kinds), false, &err);
	if (conf == NULL)
		fail_msg("%s", err.text);
	cpus_make(cpus, 2);
	opt_set_init(&quick, &conf_quick_menu);
	plan = plan_new(conf, &quick, cpus, 2, &err);
	if (plan == NULL)
		fail_msg("%s", err.text);
	facts_make(plan, facts);
	if (plan_size(plan, facts, &err) != 0)
		fail_msg("%s", err.text);
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &ended);
	check_streams(plan, nb);
	plan_free(plan);
	opt_set_fini(&quick);
	conf_free(conf);
	return (double)(ended.tv_sec - began.tv_sec) +
	       (double)(ended.tv_nsec - began.tv_nsec) / (double)UNITS_NS_PER_S;
}

static void the_work_grows_no_faster_than_the_streams(void **state)
{
	double few = plan_them(NB_FEW), all = plan_them(NB_ALL);

	(void)state;
	if (all > RATIO_MAX * few)
		fail_msg("%.2f s for %u streams, %.2f s for %u", few, NB_FEW, all, NB_ALL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_work_grows_no_faster_than_the_streams),
	};

	return cmocka_run_group_tests(tests, plan_enter, plan_leave);
}
