/* SPDX-License-Identifier: BSD-3-Clause */
#include "report_run.h"

#include <cjson/cJSON.h>

/* The whole file, or NULL. Caller frees. */
static char *read_file(const char *path)
{
	FILE *file = fopen(path, "r");
	size_t size = 0;
	char *text = NULL;

	if (!file)
		return NULL;
	if (getdelim(&text, &size, '\0', file) < 0) {
		free(text);
		text = NULL;
	}
	fclose(file);
	return text;
}

/* With TGEN_GOLDEN_UPDATE in the environment the file is written, to be looked at as a diff. */
static void assert_golden(const char *text, const char *name)
{
	char path[512];
	char *expected;
	FILE *file;

	snprintf(path, sizeof(path), "%s/report/%s.expected", TGEN_GOLDEN_DIR, name);
	if (getenv("TGEN_GOLDEN_UPDATE")) {
		file = fopen(path, "w");
		assert_non_null(file);
		fputs(text, file);
		fclose(file);
	}
	expected = read_file(path);
	assert_non_null(expected);
	assert_string_equal(text, expected);
	free(expected);
}

static void every_form_of_a_fixed_run_is_as_recorded(void **state)
{
	static const char *const forms[] = {"table", "json", "jsonl", "csv", "as-value"};

	for (size_t i = 0; i < NB(forms); i++) {
		struct memory memory;
		struct run run;

		run_init(&run);
		memory_init(&memory);
		memory.options.outputs = &forms[i];
		memory.options.nb_outputs = 1;
		memory_report(&memory, &run);
		assert_golden(memory.text, forms[i]);
		memory_fini(&memory);
	}
}

/* Figures recorded from RouterOS: numbers in, text out. */
static void recorded_routeros_figures_appear_as_cells(void **state)
{
	static const char *const proplist[] = {"tx-packet", "tx-rate", "rx-packet", "rx-rate",
		"lost-packet", "lost-rate", "lost-ratio", "lat-min"};
	static const struct {
		uint32_t seq, stream;
		uint64_t tx, tx_bps, rx, rx_bps;
		int64_t lost;
		uint64_t lost_bps, lat_min;
		const char *line;
	} cases[] = {
		{24, 0, 185422, 91912345, 185190, 88899999, 232, 3000000, 16000,
			"   24      0      185 422    91.9Mbps      185 190    88.8Mbps          "
			"232"
			"     3.0Mbps      0.125%     16us\n"},
		{24, 1, 249142, 119588000, 180400, 86592000, 68742, 32996160, 13200,
			"   24      4      249 142   119.5Mbps      180 400    86.5Mbps       68 "
			"742"
			"    32.9Mbps     27.591%   13.2us\n"},
		{24, RESULT_TOT, 1297032, 635300000, 1170641, 561900001, 126391, 73499999, 10600,
			"   24    TOT    1 297 032   635.3Mbps    1 170 641   561.9Mbps      126 "
			"391"
			"    73.4Mbps      9.744%   10.6us\n"},
		{46, RESULT_TOT, 1498751, 735300000, 516513, 247900000, 982238, 487400000, 3150000,
			"   46    TOT    1 498 751   735.3Mbps      516 513   247.9Mbps      982 "
			"238"
			"   487.4Mbps     65.537%   3.15ms\n"},
		{30, RESULT_TOT, 323389, 3917000000, 311743, 3776000000, 11646, 143600000, 341000,
			"   30    TOT      323 389     3.9Gbps      311 743     3.7Gbps       11 "
			"646"
			"   143.6Mbps      3.601%    341us\n"},
		{1, 0, 83, 1005200, 0, 0, 83, 1005200, 0,
			"    1      0           83  1005.2kbps            0        0bps           "
			"83"
			"  1005.2kbps    100.000%\n"},
		{RESULT_TOT, 0, 166, 1005200, 0, 0, 166, 1005200, 0,
			"  TOT      0          166  1005.2kbps            0        0bps          "
			"166"
			"  1005.2kbps    100.000%\n"},
	};
	struct memory memory;
	struct run run;
	struct err err = {0};
	struct report *report;

	run_init(&run);
	memory_init(&memory);
	memory.options.proplist = proplist;
	memory.options.nb_proplist = NB(proplist);
	report = report_open(&memory.options, &run.info, &err);
	assert_non_null(report);
	for (size_t i = 0; i < NB(cases); i++) {
		struct result_row row = {
			.seq = cases[i].seq,
			.stream = cases[i].stream,
			.id = cases[i].stream == 1 ? 4 : 0,
			.n = {.tx_packet = cases[i].tx, .good = cases[i].rx},
			.lost_packet = cases[i].lost,
			.tx_bps = cases[i].tx_bps,
			.rx_bps = cases[i].rx_bps,
			.lost_bps = cases[i].lost_bps,
			.lat = {.count = cases[i].lat_min > 0, .min = cases[i].lat_min},
		};
		size_t before = memory.len;

		assert_int_equal(report_rows(report, &row, 1, &err), 0);
		if (i == 0)
			before = (size_t)(strchr(memory.text, '\n') + 1 - memory.text);
		assert_string_equal(memory.text + before, cases[i].line);
	}
	report_close(report);
	memory_fini(&memory);
}

static void heading_has_the_properties_asked_for_in_their_order(void **state)
{
	static const char *const proplist[] = {"id", "lat-p99.9", "seq", "tx-packet"};
	static const struct {
		const char *form, *line;
	} cases[] = {
		{"table", "  SEQ     ID  LAT-P99.9    TX-PACKET\n"},
		{"csv", "seq,time,stream,id,name,length (ns),incomplete,lat-p99.9 "
			"(ns),tx-packet\n"},
		{"as-value", "seq=TOT;id=4;lat-p99.9=13000;tx-packet=2444589\n"},
	};

	for (size_t i = 0; i < NB(cases); i++) {
		struct memory memory;
		struct run run;

		run_init(&run);
		memory_init(&memory);
		memory.options.outputs = &cases[i].form;
		memory.options.nb_outputs = 1;
		memory.options.proplist = proplist;
		memory.options.nb_proplist = NB(proplist);
		memory_report(&memory, &run);
		assert_int_equal(count_text(memory.text, cases[i].line), 1);
		memory_fini(&memory);
	}
}

static void cells_that_nothing_measures_are_empty_or_null(void **state)
{
	static const struct {
		const char *form, *text;
	} cases[] = {
		{"table", "\n    1      0        4 166  1999.6kbps\n"},
		{"as-value",
			"seq=1;id=0;tx-packet=4166;tx-rate=1999680;rx-packet=;rx-rate=;rx-ooo=;"
			"rx-bad-csum=;lost-packet=;lost-rate=;lost-ratio=;lat-min=;lat-avg=;"
			"lat-max=;jitter=;outage=\n"},
		{"jsonl",
			"\"rx-packet\":null,\"rx-rate\":null,\"rx-ooo\":null,\"rx-bad-csum\":null,"
			"\"lost-packet\":null,\"lost-rate\":null,\"lost-ratio\":null,"
			"\"lat-min\":null,\"lat-avg\":null,\"lat-max\":null,\"jitter\":null"},
		/* the other stream has loss, but its order was not measured */
		{"as-value",
			"rx-packet=814863;rx-rate=9869620656;rx-ooo=;rx-bad-csum=0;lost-packet=0"},
		{"csv", "1,2026-01-02T03:04:06.678Z,0,0,r12,1000000000,no,4166,1999680,,,,,,,,,,,"
			","},
	};

	for (size_t i = 0; i < NB(cases); i++) {
		struct memory memory;
		struct run run;

		run_init(&run);
		run.info.order_measured = false;
		run.streams[0].transmit_only = true;
		run.rows[0][0].n.good = 0;
		result_row_derive(&run.rows[0][0], &run.info, NULL);
		memory_init(&memory);
		memory.options.outputs = &cases[i].form;
		memory.options.nb_outputs = 1;
		memory_report(&memory, &run);
		assert_non_null(strstr(memory.text, cases[i].text));
		memory_fini(&memory);
	}
}

static void lost_ratio_is_of_frames_whose_loss_can_be_told(void **state)
{
	static const char *const proplist[] = {"tx-packet", "lost-ratio"};
	/* 900 of the frames sent are of a transmit-only stream */
	static const struct result_row tot = {.seq = 1,
		.stream = RESULT_TOT,
		.n = {.tx_packet = 1000, .good = 90},
		.lost_packet = 10};
	static const struct {
		bool as_value;
		const char *text;
	} cases[] = {
		{false, "    1    TOT        1 000     10.000%\n"},
		{true, "seq=1;id=TOT;tx-packet=1000;lost-ratio=0.1\n"},
	};

	for (size_t i = 0; i < NB(cases); i++) {
		struct memory memory;
		struct err err = {0};
		struct report *report;
		struct run run;

		run_init(&run);
		memory_init(&memory);
		memory.options.as_value = cases[i].as_value;
		memory.options.proplist = proplist;
		memory.options.nb_proplist = NB(proplist);
		report = report_open(&memory.options, &run.info, &err);
		assert_int_equal(report_rows(report, &tot, 1, &err), 0);
		assert_non_null(strstr(memory.text, cases[i].text));
		report_close(report);
		memory_fini(&memory);
	}
}

static void table_leaves_out_tot_of_a_single_stream(void **state)
{
	struct memory memory;
	struct run run;
	struct err err = {0};
	struct report *report;

	run_init(&run);
	run.info.nb_streams = 1;
	memory_init(&memory);
	report = report_open(&memory.options, &run.info, &err);
	assert_int_equal(report_rows(report, run.rows[0], 1, &err), 0);
	run.totals[1] = run.totals[0];
	run.totals[1].stream = RESULT_TOT;
	assert_int_equal(report_end(report, run.totals, 2, &run.summary, &err), 0);
	report_close(report);
	assert_int_equal(count_text(memory.text, "  TOT      0  "), 1);
	assert_int_equal(count_text(memory.text, "TOT"), 1);
	memory_fini(&memory);
}

static void columns_grow_and_cut_nothing(void **state)
{
	static const char *const proplist[] = {"tx-packet", "tx-rate", "lost-ratio"};
	struct memory memory;
	struct run run;
	struct err err = {0};
	struct report *report;

	run_init(&run);
	memory_init(&memory);
	memory.options.proplist = proplist;
	memory.options.nb_proplist = NB(proplist);
	report = report_open(&memory.options, &run.info, &err);
	run.rows[0][0].seq = 31536000;
	run.rows[0][0].id = 65535;
	run.rows[0][0].n.tx_packet = 1542857142240000;
	assert_int_equal(report_rows(report, run.rows[0], 2, &err), 0);
	assert_string_equal(memory.text,
		"     SEQ     ID              TX-PACKET     TX-RATE  LOST-RATIO\n"
		"31536000  65535  1 542 857 142 240 000  1999.6kbps      0.000%\n"
		"       1      4                814 863     9.8Gbps      0.000%\n");
	report_close(report);
	memory_fini(&memory);
}

static void heading_comes_again_in_a_long_plain_table(void **state)
{
	struct memory memory;
	struct run run;
	struct err err = {0};
	struct report *report;

	run_init(&run);
	memory_init(&memory);
	report = report_open(&memory.options, &run.info, &err);
	for (unsigned i = 0; i < 40; i++)
		assert_int_equal(report_rows(report, run.rows[0], RUN_ROWS, &err), 0);
	report_close(report);
	assert_int_equal(count_text(memory.text, "SEQ"), 3);
	assert_int_equal(count_text(memory.text, "    1    TOT  "), 40);
	memory_fini(&memory);
}

static void first_lines_say_what_is_asked_and_why(void **state)
{
	static const struct {
		uint64_t configured, asked, count;
		bool flat_out, transmit_only;
		const char *line;
	} cases[] = {
		{4166666667, 4166666667, ANY_COUNT, false, false,
			"  0 r12 ether1 -> ether2 60 bytes 4166.666667 pps 2.0Mbps\n"},
		{2000000000000, 1488095000000, ANY_COUNT, false, false,
			"60 bytes 1488095 pps (capped from 2000000 pps) 714.2Mbps\n"},
		{ANY_COUNT, 1488095000000, ANY_COUNT, false, false,
			"60 bytes 1488095 pps (pps=max: the line's rate) 714.2Mbps\n"},
		{ANY_COUNT, 0, 1000, true, true,
			"  0 r12 ether1 -> nowhere (transmit only) 60 bytes as fast as it goes, "
			"1 000 packets\n"},
	};

	for (size_t i = 0; i < NB(cases); i++) {
		struct memory memory;
		struct run run;

		run_init(&run);
		run.streams[0].configured_upps = cases[i].configured;
		run.streams[0].asked_upps = cases[i].asked;
		run.streams[0].packet_count = cases[i].count;
		run.streams[0].flat_out = cases[i].flat_out;
		run.streams[0].transmit_only = cases[i].transmit_only;
		memory_init(&memory);
		memory_report(&memory, &run);
		assert_non_null(strstr(memory.text, cases[i].line));
		memory_fini(&memory);
	}
}

static const cJSON *item(const cJSON *object, const char *key)
{
	const cJSON *found = cJSON_GetObjectItemCaseSensitive(object, key);

	assert_non_null(found);
	return found;
}

static void json_is_one_object_with_exact_integers(void **state)
{
	static const char *const outputs[] = {"json"};
	struct memory memory;
	struct run run;
	cJSON *root;
	const cJSON *row;

	run_init(&run);
	memory_init(&memory);
	memory.options.outputs = outputs;
	memory.options.nb_outputs = 1;
	memory_report(&memory, &run);
	assert_non_null(strstr(memory.text, "9007199254740993"));
	root = cJSON_ParseWithOpts(memory.text, NULL, true);
	assert_non_null(root);
	assert_string_equal(item(root, "schema")->valuestring, "tgen.quick/1");
	assert_string_equal(item(root, "verdict")->valuestring, "not clean");
	assert_int_equal(item(root, "status")->valueint, TGEN_INVALID);
	assert_string_equal(item(root, "start")->valuestring, "2026-01-02T03:04:05.678Z");
	assert_int_equal(cJSON_GetArraySize(item(root, "ports")), 2);
	assert_int_equal(cJSON_GetArraySize(item(root, "streams")), 2);
	assert_int_equal(cJSON_GetArraySize(item(root, "rows")), RUN_INTERVALS * RUN_ROWS);
	assert_int_equal(cJSON_GetArraySize(item(root, "totals")), 2);
	assert_string_equal(item(item(root, "total"), "stream")->valuestring, "TOT");
	assert_true(cJSON_IsNull(item(item(root, "total"), "id")));
	row = cJSON_GetArrayItem(item(root, "rows"), 4);
	assert_int_equal(cJSON_GetArraySize(row), 6 + (int)metric_nb);
	assert_int_equal(item(row, "seq")->valueint, 2);
	assert_int_equal(item(row, "stream")->valueint, 1);
	assert_true(cJSON_IsTrue(item(row, "incomplete")));
	assert_true(cJSON_IsNull(item(row, "lat-avg")));
	assert_true(item(row, "lost-ratio")->valuedouble == 1.0);
	assert_string_equal(
		item(cJSON_GetArrayItem(item(root, "totals"), 1), "name")->valuestring, "r21");
	cJSON_Delete(root);
	memory_fini(&memory);
}

static void jsonl_has_one_object_a_line(void **state)
{
	static const char *const outputs[] = {"jsonl"};
	char types[256] = "";
	struct memory memory;
	struct run run;
	char *save = NULL;

	run_init(&run);
	run.info.command = "tgen quick \"a\nb\"";
	memory_init(&memory);
	memory.options.outputs = outputs;
	memory.options.nb_outputs = 1;
	memory_report(&memory, &run);
	for (char *line = strtok_r(memory.text, "\n", &save); line;
		line = strtok_r(NULL, "\n", &save)) {
		cJSON *root = cJSON_ParseWithOpts(line, NULL, true);

		assert_non_null(root);
		strcat(types, item(root, "type")->valuestring);
		strcat(types, " ");
		cJSON_Delete(root);
	}
	assert_string_equal(
		types, "start row row row row row row row row row total total total end ");
	memory_fini(&memory);
}

/* Fields of one record, quotes obeyed; *text is moved to the next record. */
static unsigned csv_count_fields(const char **text)
{
	bool quoted = false;
	unsigned nb = 1;

	for (; **text && (quoted || **text != '\n'); ++*text) {
		if (**text == '"')
			quoted = !quoted;
		else if (**text == ',' && !quoted)
			nb++;
	}
	*text += **text == '\n';
	return nb;
}

static void csv_records_have_as_many_fields_as_the_heading(void **state)
{
	static const char *const outputs[] = {"csv"};
	struct memory memory;
	struct run run;
	const char *text;
	unsigned nb_records = 0;

	run_init(&run);
	run.streams[0].name = "r,\"12\"\nx";
	memory_init(&memory);
	memory.options.outputs = outputs;
	memory.options.nb_outputs = 1;
	memory_report(&memory, &run);
	for (text = memory.text; *text; nb_records++)
		assert_int_equal(csv_count_fields(&text), 7 + metric_nb);
	assert_int_equal(nb_records, 1 + (RUN_INTERVALS + 1) * RUN_ROWS);
	assert_int_equal(count_text(memory.text, ",\"r,\"\"12\"\"\nx\","), RUN_INTERVALS + 1);
	memory_fini(&memory);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_form_of_a_fixed_run_is_as_recorded),
		cmocka_unit_test(recorded_routeros_figures_appear_as_cells),
		cmocka_unit_test(heading_has_the_properties_asked_for_in_their_order),
		cmocka_unit_test(cells_that_nothing_measures_are_empty_or_null),
		cmocka_unit_test(lost_ratio_is_of_frames_whose_loss_can_be_told),
		cmocka_unit_test(table_leaves_out_tot_of_a_single_stream),
		cmocka_unit_test(columns_grow_and_cut_nothing),
		cmocka_unit_test(heading_comes_again_in_a_long_plain_table),
		cmocka_unit_test(first_lines_say_what_is_asked_and_why),
		cmocka_unit_test(json_is_one_object_with_exact_integers),
		cmocka_unit_test(jsonl_has_one_object_a_line),
		cmocka_unit_test(csv_records_have_as_many_fields_as_the_heading),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
