/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

/*
 * One fixed run for the tests of the writers: two streams, three intervals, some loss; and what
 * opens a report onto memory.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tgen/report.h"

#define NB(array) (sizeof(array) / sizeof((array)[0]))
#define S	  UNITS_NS_PER_S
#define ANY_COUNT UINT64_MAX

#define RUN_INTERVALS 3
#define RUN_ROWS      3 /* an interval: two streams and TOT */

struct run {
	struct result_port ports[2];
	struct result_stream streams[2];
	struct result_info info;
	struct result_row rows[RUN_INTERVALS][RUN_ROWS];
	struct result_row totals[RUN_ROWS];
	struct result_port_counts port_counts[2];
	struct result_unknown unknowns[1];
	struct result_returned returned[1];
	struct hist schedule_error, gap_longer, gap_shorter;
	struct result_summary summary;
};

static inline void run_init_info(struct run *run)
{
	run->ports[0] = (struct result_port){.name = "ether1",
		.device = "af_packet:ether1",
		.driver = "net_af_packet",
		.mac = 0x020000000001,
		.mtu = 1500};
	run->ports[1] = (struct result_port){.name = "ether2",
		.device = "pci:0000:01:00.0",
		.driver = "net_ixgbe",
		.mac = 0x020000000002,
		.speed_bps = 10 * S,
		.mtu = 1500};
	run->streams[0] = (struct result_stream){.id = 0,
		.name = "r12",
		.rx_port = 1,
		.packet_size = 60,
		.layer_bytes = 60,
		.configured_upps = 4166666667,
		.asked_upps = 4166666667,
		.packet_count = ANY_COUNT};
	run->streams[1] = (struct result_stream){.id = 4,
		.name = "r21",
		.tx_port = 1,
		.rx_port = -1,
		.packet_size = 1514,
		.layer_bytes = 1514,
		.configured_upps = 1000000000000,
		.asked_upps = 814863000000,
		.packet_count = 3000000};
	run->info = (struct result_info){.version = "1.2.3",
		.config_path = "tgen.json",
		.command = "tgen quick tx-template=r12,r21",
		.start_unix_ns = 1767323045678000000,
		.interval_ns = S,
		.duration_ns = 3 * S,
		.test_id = 7,
		.order_measured = true,
		.intended_measured = true,
		.floor_ns = 1800,
		.ports = run->ports,
		.nb_ports = 2,
		.streams = run->streams,
		.nb_streams = 2};
}

/* The rows of one interval, or the totals: tx and good of both streams, latency about lat_ns. */
static inline void run_fill(struct run *run, struct result_row *rows, uint32_t seq,
	uint64_t length_ns, const uint64_t packets[4], uint64_t lat_ns)
{
	struct hist *hist = malloc(2 * sizeof(*hist));
	uint64_t end = seq == RESULT_TOT ? RUN_INTERVALS : seq;

	assert_non_null(hist);
	hist_reset(&hist[1]);
	for (uint32_t i = 0; i < 2; i++) {
		hist_reset(&hist[0]);
		for (uint64_t n = 0; n < 10 && packets[2 * i + 1] > 0; n++)
			hist_record(&hist[0], lat_ns + n * 100);
		rows[i] = (struct result_row){.seq = seq,
			.stream = i,
			.end_unix_ns = run->info.start_unix_ns + end * S,
			.length_ns = length_ns,
			.n = {.tx_packet = packets[2 * i], .good = packets[2 * i + 1]}};
		result_row_derive(&rows[i], &run->info, &hist[0]);
		hist_merge(&hist[1], &hist[0]);
	}
	result_row_total(&rows[2], rows, 2, &run->info, &hist[1]);
	free(hist);
}

/* What the engine knows at the end beside the counts. */
static inline void run_fill_totals(struct run *run)
{
	struct result_row *t = run->totals;

	t[0].ipdv = (struct result_ipdv){9, -1300, -20, 4200};
	t[2].ipdv = (struct result_ipdv){18, -1300, 0, 5000000};
	t[0].intended = (struct result_latency){.count = 12500,
		.p50 = 13000,
		.p99 = 15000,
		.p999 = RESULT_INFINITE,
		.max = RESULT_INFINITE};
	t[2].n.late = t[1].n.late = 5;
	t[0].n.ooo = t[2].n.ooo = 1;
	t[0].n.bad = t[2].n.bad = 2;
	t[0].n.last_fragment = t[2].n.last_fragment = 40;
	t[0].outage = (struct result_outage){true, 16080000, 1003200000, 67};
	t[1].outage = (struct result_outage){true, 1000077312, 1000000000, 814863};
	t[2].outage = t[1].outage;
}

/* The latency of the run, as a summary gives it: ten frames a stream, and one far off. */
static inline void run_latency(void *ctx, uint32_t stream, struct hist *out)
{
	const struct run *run = ctx;

	for (unsigned i = 0; i < run->info.nb_streams; i++)
		for (uint64_t n = 0; n < 10 && (stream == RESULT_TOT || stream == i); n++)
			hist_record(out, 12100 + n * 100);
	if (stream != 1)
		hist_record(out, UINT64_C(1) << HIST_MAX_BITS);
}

/* How the schedule was kept: of four frames of a queue one late, and the next one at once. */
static inline void run_errors(struct run *run)
{
	static const uint64_t lag[] = {10, 10, 81000, 300};

	hist_reset(&run->schedule_error);
	hist_reset(&run->gap_longer);
	hist_reset(&run->gap_shorter);
	for (unsigned i = 0; i < 4; i++) {
		hist_record(&run->schedule_error, lag[i]);
		if (i > 0 && lag[i] >= lag[i - 1])
			hist_record(&run->gap_longer, lag[i] - lag[i - 1]);
		else if (i > 0)
			hist_record(&run->gap_shorter, lag[i - 1] - lag[i]);
	}
	run->summary.health.schedule_error = &run->schedule_error;
	run->summary.health.gap_longer = &run->gap_longer;
	run->summary.health.gap_shorter = &run->gap_shorter;
}

static inline void run_init(struct run *run)
{
	static const char *const reasons[] = {
		"ether2: the kernel dropped 5 frames", "sent 2 % less than asked"};
	static const char *const notes[] = {"r21: capped to the speed of ether2"};
	static const struct result_worker workers[] = {
		{.cpu = 2, .ports = 1, .tx_ticks = 123456, .idle_ticks = 876544, .tx_frames = 1000},
		{.cpu = 3, .ports = 2, .rx_ticks = 20, .idle_ticks = 80},
	};
	static const uint64_t packets[RUN_INTERVALS + 1][4] = {
		{4166, 4166, 814863, 814863},
		{4167, 4100, 814863, 0},
		{4167, 4167, 814863, 814800},
		{12500, 12433, 2444589, 1629668},
	};

	memset(run, 0, sizeof(*run));
	run_init_info(run);
	for (unsigned i = 0; i < RUN_INTERVALS; i++)
		run_fill(run, run->rows[i], i + 1, S, packets[i], 12100 + 1000 * i);
	run->rows[1][1].incomplete = run->rows[1][2].incomplete = true;
	run_fill(run, run->totals, RESULT_TOT, 3 * S, packets[RUN_INTERVALS], 12100);
	run_fill_totals(run);
	run->port_counts[0] = (struct result_port_counts){.rx_all = 1629670,
		.good = 1629668,
		.host = 2,
		.tx_test = 12500,
		.tx_other = 3,
		.rx_kernel_known = true,
		.link_up = true};
	run->port_counts[1] = (struct result_port_counts){.rx_all = 12445,
		.good = 12433,
		.bad = 2,
		.returned = 3,
		.unknown = 7,
		.unknown_byte = 420,
		.tx_test = 2444589,
		.rx_missed = 9007199254740993, /* 2^53 + 1 */
		.rx_missed_known = true,
		.pause_rx = 3,
		.pause_known = true,
		.link_up = true};
	run->unknowns[0] = (struct result_unknown){1, 7, "ARP who-has 1.1.1.9"};
	run->returned[0] = (struct result_returned){0, 3, 1, units_ip4(0x010101fe), 3};
	run->summary = (struct result_summary){.status = TGEN_INVALID,
		.reasons = reasons,
		.nb_reasons = 2,
		.notes = notes,
		.nb_notes = 1,
		.health = {.queue_full = 4,
			.unsent = 2,
			.lag = {.count = 2457089,
				.min = 10,
				.mean = 1500,
				.max = 81000,
				.p50 = 1200,
				.p90 = 9000,
				.p99 = 35000,
				.p999 = 60000},
			.late_bursts = 2,
			.catch_up = 5,
			.steal_known = true,
			.cpu_ns = 3 * S,
			.workers = workers,
			.nb_workers = 2},
		.latency = run_latency,
		.latency_ctx = run,
		.send_ns = 3 * S,
		.ports = run->port_counts,
		.unknowns = run->unknowns,
		.nb_unknowns = 1,
		.returned = run->returned,
		.nb_returned = 1};
	run_errors(run);
}

/* A report whose standard output is memory. */
struct memory {
	struct report_options options;
	char *text;
	size_t len;
};

static inline void memory_init(struct memory *memory)
{
	memset(memory, 0, sizeof(*memory));
	memory->options.entries_to_show = 20;
	memory->options.out = open_memstream(&memory->text, &memory->len);
	assert_non_null(memory->options.out);
}

static inline void memory_fini(struct memory *memory)
{
	fclose(memory->options.out);
	free(memory->text);
}

/* Writes the whole run; text is complete afterwards. */
static inline void memory_report(struct memory *memory, const struct run *run)
{
	struct err err = {0};
	struct report *report = report_open(&memory->options, &run->info, &err);

	assert_non_null(report);
	assert_int_equal(report_begin(report, &err), 0);
	for (unsigned i = 0; i < RUN_INTERVALS; i++)
		assert_int_equal(report_rows(report, run->rows[i], RUN_ROWS, &err), 0);
	assert_int_equal(report_end(report, run->totals, RUN_ROWS, &run->summary, &err), 0);
	report_close(report);
	fflush(memory->options.out);
}

/* How often text has what. */
static inline unsigned count_text(const char *text, const char *what)
{
	unsigned n = 0;

	for (; (text = strstr(text, what)); text += strlen(what))
		n++;
	return n;
}
