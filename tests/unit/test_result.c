/* SPDX-License-Identifier: BSD-3-Clause */
#include "tgen/result.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define NB(array) (sizeof(array) / sizeof((array)[0]))
#define S	  UNITS_NS_PER_S

static void adding_counts_forgets_no_field(void **state)
{
	enum { NB_FIELDS = sizeof(struct result_counts) / sizeof(uint64_t) };
	uint64_t a[NB_FIELDS], b[NB_FIELDS];
	struct result_counts into, from;

	for (unsigned i = 0; i < NB_FIELDS; i++) {
		a[i] = 1000 + i;
		b[i] = (i + 1) * 1000000;
	}
	memcpy(&into, a, sizeof(into));
	memcpy(&from, b, sizeof(from));
	result_counts_add(&into, &from);
	memcpy(b, &into, sizeof(b));
	for (unsigned i = 0; i < NB_FIELDS; i++)
		assert_int_equal(b[i], 1000 + i + (i + 1) * 1000000);
}

static void rates_count_layer_bytes_of_sent_received_and_lost(void **state)
{
	static const struct {
		uint64_t tx, good, length_ns;
		uint32_t size, layer;
		bool transmit_only;
		int64_t lost;
		uint64_t tx_bps, rx_bps, lost_bps, tx_upps;
	} cases[] = {
		{250000, 250000, S, 60, 60, false, 0, 120000000, 120000000, 0, 250000000000},
		{250000, 0, S, 60, 84, false, 250000, 168000000, 0, 168000000, 250000000000},
		{28897, 28896, S, 1514, 1514, false, 1, 350000464, 349988352, 12112, 28897000000},
		/* half an interval, and a rate below a frame a second */
		{100, 60, S / 2, 60, 60, false, 40, 96000, 57600, 38400, 200000000},
		{1, 1, 3 * S, 60, 60, false, 0, 160, 160, 0, 333333},
		/* 400 Gbit/s of small frames for a month */
		{UINT64_C(1542857142240000), UINT64_C(1542857142240000), 2592000 * S, 60, 84, false,
			0, 399999999840, 399999999840, 0, UINT64_C(595238095000000)},
		{1000, 0, S, 60, 60, true, 0, 480000, 0, 0, 1000000000},
		/* never negative */
		{10, 12, S, 60, 60, false, 0, 4800, 5760, 0, 10000000},
		{10, 10, 0, 60, 60, false, 0, 0, 0, 0, 0},
	};

	for (size_t i = 0; i < NB(cases); i++) {
		struct result_stream stream = {
			.id = 7,
			.packet_size = cases[i].size,
			.layer_bytes = cases[i].layer,
			.transmit_only = cases[i].transmit_only,
		};
		struct result_info info = {.streams = &stream, .nb_streams = 1};
		struct result_row row = {
			.seq = 1,
			.length_ns = cases[i].length_ns,
			.n = {.tx_packet = cases[i].tx, .good = cases[i].good},
		};

		result_row_derive(&row, &info, NULL);
		assert_int_equal(row.id, 7);
		assert_int_equal(row.lost_packet, cases[i].lost);
		assert_int_equal(row.tx_bps, cases[i].tx_bps);
		assert_int_equal(row.rx_bps, cases[i].rx_bps);
		assert_int_equal(row.lost_bps, cases[i].lost_bps);
		assert_int_equal(row.tx_upps, cases[i].tx_upps);
		assert_int_equal(row.tx_byte, cases[i].tx * cases[i].size);
		assert_int_equal(row.rx_byte, cases[i].good * cases[i].size);
		assert_int_equal(row.lost_byte, (uint64_t)cases[i].lost * cases[i].size);
		assert_int_equal(row.lat.count, 0);
	}
}

static struct hist *new_hist(uint64_t from, uint64_t to)
{
	struct hist *h = malloc(sizeof(*h));

	assert_non_null(h);
	hist_reset(h);
	for (uint64_t ns = from; ns <= to; ns++)
		hist_record(h, ns);
	return h;
}

static void latency_comes_from_the_histogram_and_jitter_is_its_span(void **state)
{
	static const struct result_stream stream = {.packet_size = 60, .layer_bytes = 60};
	static const struct result_info info = {.streams = &stream, .nb_streams = 1};
	struct hist *h = new_hist(1, 100);
	struct result_row row = {.seq = 1, .length_ns = S};

	result_row_derive(&row, &info, h);
	assert_int_equal(row.lat.count, 100);
	assert_int_equal(row.lat.min, 1);
	assert_int_equal(row.lat.mean, 50);
	assert_int_equal(row.lat.max, 100);
	assert_int_equal(row.lat.p50, 50);
	assert_int_equal(row.lat.p90, 90);
	assert_int_equal(row.lat.p99, 99);
	assert_int_equal(row.lat.p999, 100);
	assert_int_equal(row.jitter_ns, 99);
	/* a row used again keeps nothing of its earlier samples */
	hist_reset(h);
	result_row_derive(&row, &info, h);
	assert_int_equal(row.lat.count, 0);
	assert_int_equal(row.lat.max, 0);
	assert_int_equal(row.jitter_ns, 0);
	free(h);
}

static void total_sums_streams_of_different_sizes(void **state)
{
	static const struct result_stream streams[] = {
		{.id = 0, .packet_size = 60, .layer_bytes = 84},
		{.id = 4, .packet_size = 1514, .layer_bytes = 1538},
		{.id = 5, .packet_size = 100, .layer_bytes = 124, .transmit_only = true},
	};
	static const struct result_info info = {.streams = streams, .nb_streams = 3};
	struct result_row rows[3] = {
		{.seq = 9, .stream = 0, .length_ns = 2 * S, .n = {.tx_packet = 1000, .good = 990}},
		{.seq = 9, .stream = 1, .length_ns = 2 * S, .n = {.tx_packet = 500, .good = 500}},
		{.seq = 9, .stream = 2, .length_ns = 2 * S, .n = {.tx_packet = 300}},
	};
	struct hist *h = new_hist(10, 20);
	struct result_row tot;

	rows[1].incomplete = true;
	rows[0].end_unix_ns = 77;
	for (unsigned i = 0; i < 3; i++)
		result_row_derive(&rows[i], &info, NULL);
	result_row_total(&tot, rows, 3, &info, h);
	assert_int_equal(tot.seq, 9);
	assert_int_equal(tot.stream, RESULT_TOT);
	assert_int_equal(tot.end_unix_ns, 77);
	assert_int_equal(tot.length_ns, 2 * S);
	assert_true(tot.incomplete);
	assert_int_equal(tot.n.tx_packet, 1800);
	assert_int_equal(tot.n.good, 1490);
	assert_int_equal(tot.lost_packet, 10);
	assert_int_equal(tot.tx_byte, 60 * 1000 + 1514 * 500 + 100 * 300);
	assert_int_equal(tot.rx_byte, 60 * 990 + 1514 * 500);
	assert_int_equal(tot.lost_byte, 600);
	assert_int_equal(tot.tx_bps, (84 * 1000 + 1538 * 500 + 124 * 300) * 4);
	assert_int_equal(tot.rx_bps, (84 * 990 + 1538 * 500) * 4);
	assert_int_equal(tot.lost_bps, 84 * 10 * 4);
	assert_int_equal(tot.tx_upps, 900 * UNITS_MICROS);
	assert_int_equal(tot.jitter_ns, 10);
	/* frames whose loss cannot be told do not make the ratio look better */
	assert_int_equal(metric_whole(&tot), 1500);
	free(h);
}

static void delay_variation_is_known_of_the_whole_run_only(void **state)
{
	static const struct result_stream stream = {.packet_size = 60, .layer_bytes = 60};
	static const struct result_info info = {.streams = &stream, .nb_streams = 1};
	static const struct {
		uint32_t seq;
		bool known;
		uint64_t pdv;
	} cases[] = {{1, false, 0}, {RESULT_TOT, true, 99}};
	struct hist *h = new_hist(1, 100);

	for (size_t i = 0; i < NB(cases); i++) {
		struct result_row row = {.seq = cases[i].seq, .length_ns = S};

		result_row_derive(&row, &info, h);
		assert_int_equal(row.pdv_ns, cases[i].pdv);
		assert_int_equal(metric_known(metric_find("pdv"), &row, &info), cases[i].known);
	}
	free(h);
}

static void deriving_keeps_what_the_engine_filled(void **state)
{
	static const struct result_stream stream = {.packet_size = 60, .layer_bytes = 60};
	static const struct result_info info = {.streams = &stream, .nb_streams = 1};
	struct result_row row = {.seq = RESULT_TOT,
		.length_ns = S,
		.intended = {.count = 3, .max = RESULT_INFINITE},
		.ipdv = {2, -5, 1, 7},
		.outage = {true, 10, 20, 30}};

	result_row_derive(&row, &info, NULL);
	assert_int_equal(row.intended.count, 3);
	assert_true(row.intended.max == RESULT_INFINITE);
	assert_int_equal(row.ipdv.count, 2);
	assert_int_equal(row.ipdv.min, -5);
	assert_true(row.outage.known);
	assert_int_equal(row.outage.lost, 30);
}

static void outage_of_all_streams_is_the_longest(void **state)
{
	static const struct result_stream streams[3] = {
		{.packet_size = 60}, {.packet_size = 60}, {.packet_size = 60}};
	static const struct result_info info = {.streams = streams, .nb_streams = 3};
	static const struct {
		struct result_outage of[3], all;
	} cases[] = {
		{{{true, 5, 1, 2}, {true, 9, 3, 4}, {true, 7, 5, 6}}, {true, 9, 3, 4}},
		/* of a stream of which nothing is known its fields mean nothing */
		{{{false, 99, 1, 2}, {true, 0, 0, 0}, {false, 0, 0, 0}}, {true, 0, 0, 0}},
		{{{false, 99, 1, 2}, {false, 0, 0, 0}, {false, 0, 0, 0}}, {false, 0, 0, 0}},
		{{{true, 1, 2, 3}, {true, UINT64_C(1) << 40, 8, 9}, {false, 0, 0, 0}},
			{true, UINT64_C(1) << 40, 8, 9}},
	};

	for (size_t i = 0; i < NB(cases); i++) {
		struct result_row rows[3] = {0}, tot;

		for (unsigned s = 0; s < 3; s++) {
			rows[s].seq = RESULT_TOT;
			rows[s].stream = s;
			rows[s].outage = cases[i].of[s];
			rows[s].ipdv.count = rows[s].intended.count = 7;
		}
		result_row_total(&tot, rows, 3, &info, NULL);
		assert_int_equal(tot.outage.known, cases[i].all.known);
		assert_int_equal(tot.outage.length_ns, cases[i].all.length_ns);
		assert_int_equal(tot.outage.begin_ns, cases[i].all.begin_ns);
		assert_int_equal(tot.outage.lost, cases[i].all.lost);
		/* medians do not add up: for the engine to fill */
		assert_int_equal(tot.ipdv.count, 0);
		assert_int_equal(tot.intended.count, 0);
	}
}

static void frames_asked_are_rate_by_time_or_the_packet_count(void **state)
{
	static const struct {
		struct result_stream stream;
		uint64_t send_ns, asked;
	} cases[] = {
		{{.asked_upps = 1000000000, .packet_count = UINT64_MAX}, 3 * S, 3000},
		{{.asked_upps = 1000000000, .packet_count = 700}, 3 * S, 700},
		{{.asked_upps = 333333, .packet_count = UINT64_MAX}, 3 * S, 1},
		{{.asked_upps = 4166666666, .packet_count = UINT64_MAX}, 10 * S, 41667},
		{{.flat_out = true, .packet_count = UINT64_MAX}, 3 * S, UINT64_MAX},
		/* flat out sends what it can until its count or the end of time: no figure to miss */
		{{.flat_out = true, .packet_count = 50}, 3 * S, UINT64_MAX},
		/* 595 238 095 pps for a month */
		{{.asked_upps = UINT64_C(595238095000000), .packet_count = UINT64_MAX}, 2592000 * S,
			UINT64_C(1542857142240000)},
	};

	for (size_t i = 0; i < NB(cases); i++)
		assert_int_equal(
			result_stream_asked(&cases[i].stream, cases[i].send_ns), cases[i].asked);
}

static void quick_table_has_the_columns_of_routeros_and_the_outage(void **state)
{
	char columns[512] = "SEQ ID";

	for (unsigned i = 0; i < metric_nb; i++) {
		if (!metric_table[i].in_table)
			continue;
		strcat(columns, " ");
		strcat(columns, metric_table[i].heading);
	}
	assert_string_equal(columns,
		"SEQ ID TX-PACKET TX-RATE RX-PACKET RX-RATE RX-OOO RX-BAD-CSUM LOST-PACKET "
		"LOST-RATE LOST-RATIO LAT-MIN LAT-AVG LAT-MAX JITTER OUTAGE");
}

static void metrics_are_found_by_their_unique_names(void **state)
{
	for (unsigned i = 0; i < metric_nb; i++) {
		const struct metric *metric = &metric_table[i];

		assert_ptr_equal(metric_find(metric->name), metric);
		assert_int_equal(strspn(metric->name, "abcdefghijklmnopqrstuvwxyz0123456789-."),
			strlen(metric->name));
		assert_in_range(metric->offset, 0, sizeof(struct result_row) - sizeof(uint64_t));
		assert_true(strlen(metric->heading) <= metric->width);
		assert_non_null(metric->help);
	}
	assert_null(metric_find("tx-packets"));
	assert_null(metric_find(""));
}

/* What each figure must point at in the row of the next test. */
static const struct {
	const char *name;
	uint64_t value;
} numbers[] = {
	{"tx-packet", 1},
	{"rx-packet", 2},
	{"rx-ooo", 3},
	{"late", 4},
	{"spill", 5},
	{"duplicate", 6},
	{"rx-bad-csum", 7},
	{"misrouted", 8},
	{"stray", 9},
	{"returned", 10},
	{"unsent", 11},
	{"lat-negative", 12},
	{"tx-byte", 13},
	{"rx-byte", 14},
	{"lost-packet", 15},
	{"lost-ratio", 15},
	{"tx-rate", 16},
	{"rx-rate", 17},
	{"lost-rate", 18},
	{"tx-pps", 19},
	{"rx-pps", 20},
	{"jitter", 21},
	{"lost-byte", 22},
	{"lat-count", 23},
	{"lat-min", 24},
	{"lat-avg", 25},
	{"lat-max", 26},
	{"lat-p50", 27},
	{"lat-p90", 28},
	{"lat-p99", 29},
	{"lat-p99.9", 30},
	{"last-fragment", 31},
	{"pdv", 32},
	{"ipdv-min", (uint64_t)-33},
	{"ipdv-median", (uint64_t)-34},
	{"ipdv-max", 35},
	{"lat-intended-p50", 36},
	{"lat-intended-p99", 37},
	{"lat-intended-p99.9", 38},
	{"lat-intended-max", RESULT_INFINITE},
	{"outage", 39},
	{"outage-begin", 40},
	{"outage-lost", 41},
	{"last-loss", 42},
};

static void metric_points_at_its_number(void **state)
{
	static const struct result_row row = {
		.n = {.tx_packet = 1,
			.good = 2,
			.ooo = 3,
			.late = 4,
			.spill = 5,
			.duplicate = 6,
			.bad = 7,
			.misrouted = 8,
			.stray = 9,
			.returned = 10,
			.unsent = 11,
			.lat_negative = 12,
			.last_fragment = 31},
		.tx_byte = 13,
		.rx_byte = 14,
		.lost_packet = 15,
		.tx_bps = 16,
		.rx_bps = 17,
		.lost_bps = 18,
		.tx_upps = 19,
		.rx_upps = 20,
		.jitter_ns = 21,
		.lost_byte = 22,
		.lat = {.count = 23,
			.min = 24,
			.mean = 25,
			.max = 26,
			.p50 = 27,
			.p90 = 28,
			.p99 = 29,
			.p999 = 30},
		.pdv_ns = 32,
		.ipdv = {.min = -33, .median = -34, .max = 35},
		.intended = {.p50 = 36, .p99 = 37, .p999 = 38, .max = RESULT_INFINITE},
		.outage = {.length_ns = 39, .begin_ns = 40, .lost = 41, .last_loss_ns = 42},
	};

	assert_int_equal(NB(numbers), metric_nb);
	for (size_t i = 0; i < NB(numbers); i++) {
		const struct metric *metric = metric_find(numbers[i].name);

		assert_non_null(metric);
		assert_int_equal(metric_value(metric, &row), numbers[i].value);
	}
}

/* Figures that the engine gives at the end, where it can. */
static void assert_end_figures(struct result_info *info)
{
	static const struct {
		const char *name;
		uint32_t seq, stream;
		uint64_t ipdv, intended;
		bool outage, known;
		uint64_t gap;
	} cases[] = {
		{"ipdv-min", RESULT_TOT, 0, 1, 0, false, true, 0},
		{"ipdv-min", RESULT_TOT, 0, 0, 0, false, false, 0},
		{"ipdv-median", 1, 0, 1, 0, false, false, 0},
		{"lat-intended-max", RESULT_TOT, RESULT_TOT, 0, 1, false, true, 0},
		{"lat-intended-max", RESULT_TOT, RESULT_TOT, 0, 0, false, false, 0},
		{"outage", RESULT_TOT, 0, 0, 0, true, true, 0},
		{"outage", RESULT_TOT, 0, 0, 0, false, false, 0},
		{"outage", RESULT_TOT, 1, 0, 0, true, false, 0},
		{"outage", 1, 0, 0, 0, true, false, 0},
		{"outage-lost", RESULT_TOT, 0, 0, 0, true, true, 0},
		{"last-loss", RESULT_TOT, 0, 0, 0, true, true, 0},
		{"outage-begin", RESULT_TOT, 0, 0, 0, true, false, 0},
		{"outage-begin", RESULT_TOT, 0, 0, 0, true, true, 1},
	};

	info->intended_measured = true;
	for (size_t i = 0; i < NB(cases); i++) {
		struct result_row row = {.seq = cases[i].seq,
			.stream = cases[i].stream,
			.ipdv.count = cases[i].ipdv,
			.intended.count = cases[i].intended,
			.outage = {.known = cases[i].outage, .length_ns = cases[i].gap}};

		assert_int_equal(
			metric_known(metric_find(cases[i].name), &row, info), cases[i].known);
	}
}

static void metric_is_unknown_where_nothing_measures_it(void **state)
{
	static const struct result_stream streams[] = {
		{.packet_size = 60},
		{.packet_size = 60, .transmit_only = true},
	};
	enum { PLAIN, TX_ONLY, ALL = -1 };
	static const struct {
		const char *name;
		int stream;
		bool total, order, latency, known;
	} cases[] = {
		{"tx-packet", TX_ONLY, false, false, false, true},
		{"rx-packet", PLAIN, false, false, false, true},
		{"rx-packet", TX_ONLY, false, false, false, false},
		{"lost-ratio", TX_ONLY, true, false, false, false},
		{"lost-packet", ALL, true, false, false, true},
		{"rx-ooo", PLAIN, false, false, false, false},
		{"rx-ooo", PLAIN, false, true, false, true},
		{"rx-ooo", TX_ONLY, false, true, false, false},
		{"lat-min", PLAIN, false, false, false, false},
		{"lat-min", PLAIN, false, false, true, true},
		{"lat-count", PLAIN, false, false, false, true},
		{"rx-bad-csum", PLAIN, false, false, false, true},
		{"rx-bad-csum", PLAIN, true, false, false, true},
		{"late", PLAIN, false, false, false, false},
		{"spill", TX_ONLY, true, false, false, true},
	};
	struct result_info info = {.streams = streams, .nb_streams = 2};

	for (size_t i = 0; i < NB(cases); i++) {
		struct result_row row = {
			.seq = cases[i].total ? RESULT_TOT : 1,
			.stream = cases[i].stream == ALL ? RESULT_TOT : (uint32_t)cases[i].stream,
			.lat = {.count = cases[i].latency},
		};

		info.order_measured = cases[i].order;
		assert_int_equal(
			metric_known(metric_find(cases[i].name), &row, &info), cases[i].known);
	}
	assert_end_figures(&info);
	/* nothing but transmit-only streams: their TOT row has no loss either */
	info.streams = &streams[1];
	info.nb_streams = 1;
	assert_false(metric_known(metric_find("lost-packet"),
		&(struct result_row){.seq = 1, .stream = RESULT_TOT}, &info));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(adding_counts_forgets_no_field),
		cmocka_unit_test(rates_count_layer_bytes_of_sent_received_and_lost),
		cmocka_unit_test(latency_comes_from_the_histogram_and_jitter_is_its_span),
		cmocka_unit_test(total_sums_streams_of_different_sizes),
		cmocka_unit_test(delay_variation_is_known_of_the_whole_run_only),
		cmocka_unit_test(deriving_keeps_what_the_engine_filled),
		cmocka_unit_test(outage_of_all_streams_is_the_longest),
		cmocka_unit_test(frames_asked_are_rate_by_time_or_the_packet_count),
		cmocka_unit_test(quick_table_has_the_columns_of_routeros_and_the_outage),
		cmocka_unit_test(metrics_are_found_by_their_unique_names),
		cmocka_unit_test(metric_points_at_its_number),
		cmocka_unit_test(metric_is_unknown_where_nothing_measures_it),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
