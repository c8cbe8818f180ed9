/* SPDX-License-Identifier: BSD-3-Clause */
#include "report_run.h"

#include <unistd.h>

struct saved_run {
	struct run run;
	char directory[32], path[64];
};

static int set_up(void **state)
{
	struct saved_run *s = calloc(1, sizeof(*s));
	struct err err = {0};

	assert_non_null(s);
	strcpy(s->directory, "/tmp/tgen-saved.XXXXXX");
	assert_non_null(mkdtemp(s->directory));
	snprintf(s->path, sizeof(s->path), "%s/r.json", s->directory);
	run_init(&s->run);
	s->run.totals[1].tx_byte = UINT64_C(9007199254740993); /* 2^53 + 1 */
	s->run.totals[1].n.tx_packet = UINT64_C(9007199254740993);
	assert_int_equal(
		report_save(s->path, &s->run.info, s->run.totals, RUN_ROWS, &s->run.summary, &err),
		0);
	*state = s;
	return 0;
}

static int tear_down(void **state)
{
	struct saved_run *s = *state;

	unlink(s->path);
	/* nothing else was left there */
	assert_int_equal(rmdir(s->directory), 0);
	free(s);
	return 0;
}

enum part { STREAMS, PORTS, DISTRIBUTION, JSON_TOTALS, JSON_DISTRIBUTION };

/* What a part of the saved run prints; NULL with err. Caller frees. */
static char *print_part(const char *path, enum part part, int64_t id, struct err *err)
{
	struct report_saved *saved = report_saved_open(path, err);
	char *text = NULL;
	size_t len = 0;
	FILE *out = open_memstream(&text, &len);
	int rc = saved ? 0 : -1;

	if (rc == 0 && id >= 0)
		rc = report_saved_choose(saved, (uint32_t)id, err);
	if (rc == 0 && part == STREAMS)
		rc = report_saved_streams(saved, out, err);
	else if (rc == 0 && part == PORTS)
		rc = report_saved_ports(saved, out, err);
	else if (rc == 0 && part == DISTRIBUTION)
		rc = report_saved_distribution(saved, out, 0, err);
	else if (rc == 0)
		rc = report_saved_json(
			saved, out, part == JSON_TOTALS ? "totals" : "latency-distribution", err);
	fclose(out);
	report_saved_close(saved);
	if (rc < 0) {
		free(text);
		return NULL;
	}
	return text;
}

static void figures_come_back_as_they_were(void **state)
{
	static const struct {
		enum part part;
		int64_t id;
		const char *has, *has_not;
	} cases[] = {
		{STREAMS, -1, "  0   r12      ", NULL},
		{STREAMS, -1, "9 007 199 254 740 993", NULL},
		{STREAMS, -1, "\nTOT       ", NULL},
		{STREAMS, -1, "    16ms\n", NULL}, /* OUTAGE */
		{STREAMS, -1, "    0.536%   12.1us   12.5us     13us   900ns", NULL},
		{STREAMS, 4, " r21 ", "r12"},
		{STREAMS, 4, " r21 ", "TOT"},
		{PORTS, -1, "ether2", NULL},
		{PORTS, -1, "9 007 199 254 740 993", NULL},
		{DISTRIBUTION, -1, "\n        0    12.096us-15.167us           10   90.909%  ---",
			NULL},
		{DISTRIBUTION, -1, "  >137.438s            1    4.761%  --*\n", NULL},
		{DISTRIBUTION, -1, "      TOT  ", NULL},
		{DISTRIBUTION, 4, "        4  ", "  TOT  "},
		{JSON_TOTALS, -1, "\"tx-byte\":\t9007199254740993", NULL},
		{JSON_TOTALS, -1, "\"total\":", NULL},
		{JSON_TOTALS, 0, "\"lat-intended-max\":\t\"inf\"", "\"total\":"},
		{JSON_DISTRIBUTION, 4, "\"id\":\t4", "\"id\":\t0"},
	};
	struct saved_run *s = *state;

	for (size_t i = 0; i < NB(cases); i++) {
		struct err err = {0};
		char *text = print_part(s->path, cases[i].part, cases[i].id, &err);

		assert_non_null(text);
		if (!strstr(text, cases[i].has))
			fail_msg("no \"%s\" in:\n%s", cases[i].has, text);
		if (cases[i].has_not && strstr(text, cases[i].has_not))
			fail_msg("\"%s\" in:\n%s", cases[i].has_not, text);
		free(text);
	}
}

static void graph_of_a_saved_run_is_that_of_the_run(void **state)
{
	struct saved_run *s = *state;
	struct err err = {0};
	struct memory memory;
	char *text, *graph;

	memory_init(&memory);
	memory.options.latency_distribution = true;
	memory_report(&memory, &s->run);
	graph = strstr(memory.text, "STREAM-ID");
	assert_non_null(graph);
	text = print_part(s->path, DISTRIBUTION, -1, &err);
	assert_non_null(text);
	assert_int_equal(strncmp(graph, text, strlen(text)), 0);
	free(text);
	memory_fini(&memory);
}

static void a_stream_that_is_not_there_is_named_with_those_that_are(void **state)
{
	struct saved_run *s = *state;
	struct err err = {0};

	assert_null(print_part(s->path, STREAMS, 3, &err));
	assert_int_equal(err.status, TGEN_USAGE);
	assert_non_null(strstr(err.text, "has no stream 3 (it has 0, 4)"));
}

static void what_is_no_result_is_refused(void **state)
{
	static const struct {
		enum part part;
		const char *text, *says;
	} cases[] = {
		{STREAMS, NULL, "No such file"},
		{STREAMS, "", "not a result"},
		{STREAMS, "{\"schema\":\"tgen.quick/1\"", "not a result"},
		{STREAMS, "[]", "not a result"},
		{STREAMS, "{\"schema\":\"tgen.devices/1\"}", "not a result"},
		{STREAMS, "{\"schema\":\"tgen.quick/1\"}", "has no totals"},
		{STREAMS, "{\"schema\":\"tgen.quick/1\",\"totals\":7}", "has no totals"},
		{PORTS, "{\"schema\":\"tgen.quick/1\"}", "has no ports"},
		{DISTRIBUTION, "{\"schema\":\"tgen.quick/1\"}", "has no latency distribution"},
		{JSON_DISTRIBUTION, "{\"schema\":\"tgen.quick/1\"}", "has no latency-distribution"},
		{DISTRIBUTION,
			"{\"schema\":\"tgen.quick/1\",\"latency-distribution\":[{\"count\":1,"
			"\"overflow\":0,\"min\":5,\"max\":5,\"buckets\":[[5,6,1]]}]}",
			"latency-distribution[0] is not a histogram"},
		{DISTRIBUTION,
			"{\"schema\":\"tgen.quick/1\",\"latency-distribution\":[{\"count\":2,"
			"\"overflow\":0,\"min\":5,\"max\":5,\"buckets\":[[5,5,1]]}]}",
			"latency-distribution[0] is not a histogram"},
		{DISTRIBUTION,
			"{\"schema\":\"tgen.quick/1\",\"latency-distribution\":[{\"count\":1,"
			"\"overflow\":0,\"min\":9,\"max\":9,\"buckets\":[[5,5,1]]}]}",
			"latency-distribution[0] is not a histogram"},
	};
	char path[] = "/tmp/tgen-saved.XXXXXX";
	int fd = mkstemp(path);

	assert_true(fd >= 0);
	close(fd);
	for (size_t i = 0; i < NB(cases); i++) {
		struct err err = {0};

		unlink(path);
		if (cases[i].text) {
			FILE *file = fopen(path, "w");

			assert_non_null(file);
			fputs(cases[i].text, file);
			fclose(file);
		}
		assert_null(print_part(path, cases[i].part, -1, &err));
		assert_int_equal(err.status, TGEN_USAGE);
		assert_non_null(strstr(err.text, cases[i].says));
		assert_non_null(strstr(err.text, path));
	}
	unlink(path);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(figures_come_back_as_they_were, set_up, tear_down),
		cmocka_unit_test_setup_teardown(
			graph_of_a_saved_run_is_that_of_the_run, set_up, tear_down),
		cmocka_unit_test_setup_teardown(
			a_stream_that_is_not_there_is_named_with_those_that_are, set_up, tear_down),
		cmocka_unit_test(what_is_no_result_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
