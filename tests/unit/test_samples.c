/* SPDX-License-Identifier: BSD-3-Clause */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tgen/samples.h"
#include "tgen/stats.h"

/* The samples of a detached run: what is written is read, and never half of it. */

#define SECOND UNITS_NS_PER_S

static const struct result_port ports[] = {{.name = "p1"}, {.name = "p2"}};
static const struct result_stream streams[] = {
	{.id = 7, .name = "a", .tx_port = 0, .rx_port = 1, .packet_size = 100, .layer_bytes = 100},
	{.id = 9, .name = "b", .tx_port = 1, .rx_port = -1, .packet_size = 60, .layer_bytes = 60},
};
static const struct result_info info = {.version = TGEN_VERSION,
	.command = "tgen start \"x\"",
	.start_unix_ns = 1000 * SECOND,
	.interval_ns = SECOND,
	.order_measured = true,
	.ports = ports,
	.nb_ports = 2,
	.streams = streams,
	.nb_streams = 2};

struct place {
	char path[64];
	struct err err;
};

static int setup(void **state)
{
	struct place *p = calloc(1, sizeof(*p));
	int fd;

	assert_non_null(p);
	strcpy(p->path, "/tmp/tgen-samples-XXXXXX");
	fd = mkstemp(p->path);
	assert_true(fd >= 0);
	close(fd);
	*state = p;
	return 0;
}

static int teardown(void **state)
{
	struct place *p = *state;

	unlink(p->path);
	free(p);
	return 0;
}

static void row_make(
	struct result_row *row, uint32_t seq, uint32_t stream, uint64_t tx, uint64_t rx)
{
	memset(row, 0, sizeof(*row));
	row->seq = seq;
	row->stream = stream;
	row->length_ns = SECOND;
	row->end_unix_ns = info.start_unix_ns + seq * SECOND;
	row->n.tx_packet = tx;
	row->n.good = rx;
	result_row_derive(row, &info, NULL);
	row->lat = (struct result_latency){
		.count = rx, .min = 10 * seq, .mean = 20 * seq, .max = 100 * seq};
	row->jitter_ns = row->lat.max - row->lat.min;
}

/* Interval n: 10 n and 5 n frames sent, one of each lost. */
static void interval_put(struct samples_writer *w, uint32_t seq)
{
	struct trial_port seen[2] = {
		{.tx_packet = 10 * seq,
			.tx_byte = 1000 * seq,
			.tx_layer_byte = 1000 * seq,
			.unk_packet = 1,
			.unk_byte = 64},
		{.tx_packet = 5 * seq, .rx_packet = 10 * seq - 1, .rx_byte = 1000 * seq - 100},
	};
	struct result_row rows[3];
	struct hist *h = malloc(sizeof(*h));

	assert_non_null(h);
	row_make(&rows[0], seq, 0, 10 * seq, 10 * seq - 1);
	row_make(&rows[1], seq, 1, 5 * seq, 5 * seq - 1);
	result_row_total(&rows[2], rows, 2, &info, NULL);
	rows[2].n.bad = 2; /* of nobody known */
	hist_reset(h);
	hist_record(h, 1000 * seq);
	samples_latency(w, 0, h);
	samples_latency(w, RESULT_TOT, h);
	free(h);
	samples_ports(w, seen, 2);
	samples_rows(w, rows, 3);
}

static struct samples_writer *writer(struct place *p, uint32_t keep)
{
	struct samples_writer *w = samples_create(p->path, &info, keep, 77, &p->err);

	assert_non_null(w);
	return w;
}

static struct samples *reader(struct place *p)
{
	struct samples *s = samples_open(p->path, &p->err);

	if (s == NULL)
		print_error("%s\n", p->err.text);
	assert_non_null(s);
	return s;
}

static void names_are_read_back(void **state)
{
	struct place *p = *state;
	struct samples_writer *w = writer(p, 3);
	struct samples *s = reader(p);
	const struct result_info *got = samples_info(s);
	struct samples_interval total;

	assert_int_equal(got->nb_streams, 2);
	assert_string_equal(got->command, info.command);
	assert_null(got->config_path);
	assert_int_equal(got->start_unix_ns, info.start_unix_ns);
	assert_int_equal(got->streams[1].id, 9);
	assert_string_equal(got->streams[1].name, "b");
	assert_int_equal(got->streams[1].rx_port, -1);
	assert_string_equal(got->ports[1].name, "p2");
	assert_int_equal(samples_distribution_max_ns(s), 77);
	assert_int_equal(samples_total(s, &total, &p->err), 0);
	samples_free(s);
	samples_close(w);
}

static void the_last_intervals_are_kept(void **state)
{
	static const uint32_t written[] = {0, 1, 2, 3, 4, 9};
	struct place *p = *state;

	for (size_t i = 0; i < sizeof(written) / sizeof(written[0]); i++) {
		struct samples_writer *w = writer(p, 3);
		uint64_t first, nb, expected = written[i] < 3 ? written[i] : 3;
		struct samples *s;

		for (uint32_t seq = 1; seq <= written[i]; seq++)
			interval_put(w, seq);
		s = reader(p);
		assert_int_equal(samples_range(s, &first, &nb, &p->err), 0);
		assert_int_equal(nb, expected);
		for (uint64_t at = first; at < first + nb; at++) {
			struct samples_interval interval;

			assert_int_equal(samples_read(s, at, &interval, &p->err), 1);
			assert_int_equal(interval.nb_rows, 3);
			assert_int_equal(interval.rows[0].seq, at + 1);
			assert_int_equal(interval.rows[2].n.tx_packet, 15 * (at + 1));
			assert_int_equal(interval.ports[1].rx_packet, 10 * (at + 1) - 1);
		}
		samples_free(s);
		samples_close(w);
	}
}

static void an_interval_that_was_overwritten_is_not_given(void **state)
{
	struct place *p = *state;
	struct samples_writer *w = writer(p, 2);
	struct samples_interval interval;
	struct samples *s = reader(p);
	uint64_t first, nb;

	interval_put(w, 1);
	interval_put(w, 2);
	assert_int_equal(samples_range(s, &first, &nb, &p->err), 0);
	assert_int_equal(nb, 2);
	/* one more slot than are kept: the first two survive the third */
	interval_put(w, 3);
	assert_int_equal(samples_read(s, first, &interval, &p->err), 1);
	interval_put(w, 4);
	assert_int_equal(samples_read(s, first, &interval, &p->err), 0);
	assert_int_equal(samples_read(s, first + 1, &interval, &p->err), 1);
	assert_int_equal(samples_read(s, 4, &interval, &p->err), 0);
	samples_free(s);
	samples_close(w);
}

static void totals_are_of_all_intervals(void **state)
{
	struct place *p = *state;
	struct samples_writer *w = writer(p, 0);
	struct samples_interval total;
	struct samples *s = reader(p);
	struct hist *h = malloc(sizeof(*h));
	uint64_t first, nb;

	assert_non_null(h);
	for (uint32_t seq = 1; seq <= 4; seq++)
		interval_put(w, seq);
	assert_int_equal(samples_range(s, &first, &nb, &p->err), 0);
	assert_int_equal(nb, 0);
	assert_int_equal(samples_total(s, &total, &p->err), 1);
	assert_int_equal(total.rows[0].seq, RESULT_TOT);
	assert_int_equal(total.rows[0].n.tx_packet, 100);
	assert_int_equal(total.rows[0].lost_packet, 4);
	assert_int_equal(total.rows[0].length_ns, 4 * SECOND);
	assert_int_equal(total.rows[0].tx_bps, 100 * 800 / 4);
	assert_int_equal(total.rows[0].lat.min, 10);
	assert_int_equal(total.rows[0].lat.max, 400);
	/* (9·20 + 19·40 + 29·60 + 39·80) / 96 */
	assert_int_equal(total.rows[0].lat.mean, 60);
	assert_int_equal(total.rows[0].jitter_ns, 390);
	assert_int_equal(total.rows[2].n.tx_packet, 150);
	assert_int_equal(total.rows[2].n.bad, 8);
	assert_int_equal(total.ports[0].unk_packet, 4);
	assert_int_equal(total.ports[0].unk_byte, 256);
	assert_true(samples_hist(s, RESULT_TOT, h));
	assert_int_equal(h->count, 4);
	assert_int_equal(h->max, 4000);
	assert_true(samples_hist(s, 1, h));
	assert_int_equal(h->count, 0);
	free(h);
	samples_free(s);
	samples_close(w);
}

static void the_end_has_the_totals_of_the_run(void **state)
{
	const struct result_port_counts counts[2] = {
		{.tx_test = 10, .unknown = 3, .unknown_byte = 300}, {.good = 11, .bad = 1}};
	const struct result_summary summary = {.ports = counts};
	struct place *p = *state;
	struct samples_writer *w = writer(p, 2);
	struct samples_interval total;
	struct result_row rows[3];
	struct samples *s;

	interval_put(w, 1);
	row_make(&rows[0], 0, 0, 12, 12); /* late frames */
	row_make(&rows[1], 0, 1, 5, 5);
	rows[0].seq = rows[1].seq = RESULT_TOT;
	result_row_total(&rows[2], rows, 2, &info, NULL);
	samples_end(w, rows, 3, &summary);
	samples_close(w);
	s = reader(p);
	assert_int_equal(samples_total(s, &total, &p->err), 1);
	assert_int_equal(total.rows[0].n.good, 12);
	assert_int_equal(total.ports[0].unk_packet, 3);
	assert_int_equal(total.ports[1].rx_packet, 11);
	/* 9 frames had 900 bytes */
	assert_int_equal(total.ports[1].rx_byte, 1100);
	samples_free(s);
}

static void other_files_are_refused(void **state)
{
	struct place *p = *state;
	struct samples_writer *w;
	int fd;

	assert_null(samples_open("/nonexistent/samples", &p->err));
	assert_null(samples_open(p->path, &p->err)); /* empty */
	w = writer(p, 1);
	samples_close(w);
	fd = open(p->path, O_WRONLY);
	assert_int_equal(pwrite(fd, "X", 1, 0), 1);
	close(fd);
	assert_null(samples_open(p->path, &p->err));
	assert_non_null(strstr(p->err.text, "no file of samples"));
}

/* ---- what is made of them ---- */

static void ports_have_what_must_arrive_there(void **state)
{
	struct trial_port seen[2] = {{0}, {.rx_packet = 9,
						  .rx_byte = 900,
						  .rx_layer_byte = 900,
						  .unk_packet = 2,
						  .unk_byte = 125}};
	struct result_row rows[3];
	struct samples_interval interval = {.ports = seen, .rows = rows, .nb_rows = 3};
	struct stats_row out;

	(void)state;
	row_make(&rows[0], 1, 0, 10, 9);
	row_make(&rows[1], 1, 1, 5, 0);
	result_row_total(&rows[2], rows, 2, &info, NULL);
	stats_row_port(&out, &info, 1, &interval);
	assert_string_equal(out.port, "p2");
	assert_int_equal(out.unk_bps, 1000);
	assert_int_equal(out.row.n.good, 9);
	assert_int_equal(out.row.lost_packet, 1);
	assert_int_equal(out.row.lost_byte, 100);
	assert_int_equal(out.row.rx_bps, 7200);
	assert_int_equal(out.row.lat.mean, 20);
	/* b has no port of its own: what it lost is no port's */
	stats_row_port(&out, &info, 0, &interval);
	assert_int_equal(out.row.lost_packet, 0);
	assert_int_equal(out.row.lat.count, 0);
}

static void raw_rows_are_the_ends_of_a_stream(void **state)
{
	struct stats_row out[2];
	struct result_row row;

	(void)state;
	row_make(&row, 1, 0, 10, 9);
	assert_int_equal(stats_rows_raw(out, &info, &row), 2);
	assert_string_equal(out[0].port, "p1");
	assert_true(out[0].no_rx && !out[0].no_tx);
	assert_string_equal(out[1].port, "p2");
	assert_true(out[1].no_tx && !out[1].no_rx);
	row_make(&row, 1, 1, 10, 9);
	assert_int_equal(stats_rows_raw(out, &info, &row), 2);
	assert_null(out[1].port);
}

static void every_form_says_the_same(void **state)
{
	static const struct {
		enum stats_form form;
		const char *parts[3];
	} cases[] = {
		{STATS_CSV, {"seq,time,port,id,tx-packet,",
				    "\n1,1970-01-01T00:16:41.000Z,p1,7,10,1000,8000,,,",
				    "\n1,1970-01-01T00:16:41.000Z,p2,7,,,,9,900,7200,0,0,1,100,800,"
				    "0.1,10,20,"
				    "100,90\n"}},
		{STATS_AS_VALUE,
			{"seq=1;", ";port=p1;id=7;tx-packet=10;", ";port=p2;id=7;tx-packet=;"}},
		{STATS_JSONL, {"{\"seq\":1,", "\"port\":\"p1\",\"id\":7,\"tx-packet\":10,",
				      "\"lat-max\":100,\"jitter\":90}\n"}},
		{STATS_JSON, {"\"command\":\"tgen start \\\"x\\\"\"",
				     "\"running\":true,\"what\":\"raw\"",
				     "\"port\":null,\"id\":9,\"tx-packet\":null,"}},
		{STATS_TABLE, {"  SEQ          PORT     ID    TX-PACKET", "p1      7           10",
				      "10.000%"}},
	};
	struct result_row rows[3];
	struct samples_interval interval = {.rows = rows, .nb_rows = 3};

	(void)state;
	row_make(&rows[0], 1, 0, 10, 9);
	row_make(&rows[1], 1, 1, 5, 5);
	result_row_total(&rows[2], rows, 2, &info, NULL);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		char *text = NULL;
		size_t size = 0;
		FILE *out = open_memstream(&text, &size);
		struct stats_writer *w = stats_begin(out, cases[i].form, STATS_RAW, &info, true);

		assert_non_null(w);
		stats_put_interval(w, &interval);
		assert_int_equal(stats_end(w), 0);
		fclose(out);
		for (size_t k = 0; k < 3; k++) {
			if (strstr(text, cases[i].parts[k]) == NULL)
				print_error("\"%s\" is not in:\n%s", cases[i].parts[k], text);
			assert_non_null(strstr(text, cases[i].parts[k]));
		}
		free(text);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(names_are_read_back, setup, teardown),
		cmocka_unit_test_setup_teardown(the_last_intervals_are_kept, setup, teardown),
		cmocka_unit_test_setup_teardown(
			an_interval_that_was_overwritten_is_not_given, setup, teardown),
		cmocka_unit_test_setup_teardown(totals_are_of_all_intervals, setup, teardown),
		cmocka_unit_test_setup_teardown(the_end_has_the_totals_of_the_run, setup, teardown),
		cmocka_unit_test_setup_teardown(other_files_are_refused, setup, teardown),
		cmocka_unit_test(ports_have_what_must_arrive_there),
		cmocka_unit_test(raw_rows_are_the_ends_of_a_stream),
		cmocka_unit_test(every_form_says_the_same),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
