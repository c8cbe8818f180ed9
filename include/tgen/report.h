/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <stdbool.h>
#include <stdio.h>

#include "tgen/result.h"
#include "tgen/stats.h"

/*
 * Writers over the metric table. A run has one or more outputs: each a form (table, json, jsonl,
 * csv, as-value) and a place (stdout or a file, which appears whole: written beside it and renamed
 * at the end, except jsonl and csv, which grow line by line in place).
 */
struct report;

struct report_options {
	/*
	 * `table`, `json=FILE`, `csv=-` …; without a file, or with `-`: out. At most one goes there;
	 * when none does, the table does too, so that the user sees how it goes.
	 */
	const char *const *outputs;
	unsigned nb_outputs;
	bool as_value; /* as-value instead of table on stdout */
	/* Metrics to show in table, as-value and csv, in this order; none: the quick table's, in csv all. */
	const char *const *proplist;
	unsigned nb_proplist;
	unsigned entries_to_show; /* rows of the live table on a terminal, TOT included */
	uint64_t freeze_frame_ns; /* redraw interval on a terminal */
	FILE *out;		  /* stdout */
	bool is_terminal;	  /* out redraws in place */
	/* After the totals, in table, json and jsonl: the summary's histograms. */
	bool latency_distribution;
	uint64_t latency_distribution_max_ns; /* range of the table's graph; 0: all there is */
};

/*
 * NULL with err (unknown form: the known ones; a file that cannot be written). info stays the
 * caller's and must live as long as the report. The caller ignores SIGPIPE.
 */
struct report *report_open(
	const struct report_options *options, const struct result_info *info, struct err *err);
/* First lines: configuration file, ports, ids with names, rate layer. */
int report_begin(struct report *report, struct err *err);
/* The rows of one interval: one a stream, then TOT when there is more than one stream. */
int report_rows(struct report *report, const struct result_row *rows, unsigned nb, struct err *err);
/*
 * Totals: one row a stream, then TOT (given also when there is only one stream; the table leaves
 * it out then), and the summary.
 * Negative when an output cannot be written (disk full, closed pipe): -errno, once an output; the
 * others are written on.
 */
int report_end(struct report *report, const struct result_row *rows, unsigned nb,
	const struct result_summary *summary, struct err *err);
/*
 * NULL is fine. A file that was to appear whole and is not finished is removed; jsonl and csv keep
 * the lines they have.
 */
void report_close(struct report *report);
/*
 * Writes the totals of a run and its histograms as JSON into path, which appears whole: what
 * report_saved_open reads back.
 */
int report_save(const char *path, const struct result_info *info, const struct result_row *rows,
	unsigned nb, const struct result_summary *summary, struct err *err);

/* ---- the distribution of latency ---- */

#define REPORT_DISTRIBUTION_ROWS 64u

struct report_bin {
	uint64_t low_ns, high_ns; /* both inclusive */
	uint64_t count;
};

/* The bins follow one another without a gap. They and overflow add up to the samples. */
struct report_bins {
	struct report_bin bin[REPORT_DISTRIBUTION_ROWS];
	unsigned nb;
	uint64_t overflow; /* samples above above_ns */
	uint64_t above_ns;
};

/*
 * Bins from the lowest sample to max_ns, of equal width as far as the histogram's buckets allow;
 * max_ns 0: to the highest sample, and of equal width an octave when the range is wide.
 */
void report_distribution_bins(struct report_bins *out, const struct hist *h, uint64_t max_ns);

struct report_distribution_options {
	const char *stream; /* text of the column STREAM-ID */
	uint64_t max_ns;    /* 0: all there is */
};
/* The graph of a histogram and its percentiles. 0, or -EIO when out cannot be written. */
int report_distribution(
	FILE *out, const struct hist *h, const struct report_distribution_options *options);

/* ---- a result that was written as JSON, read back ---- */

struct report_saved;

/* NULL with err: no such file, or not a result of tgen. */
struct report_saved *report_saved_open(const char *path, struct err *err);
/* NULL is fine. */
void report_saved_close(struct report_saved *saved);
/* The part of a key (`totals`, `ports`, `latency-distribution`), with when and what the run was. */
int report_saved_json(
	const struct report_saved *saved, FILE *out, const char *key, struct err *err);
/* The same as tables: the columns of the quick table; what the ports counted. */
int report_saved_streams(const struct report_saved *saved, FILE *out, struct err *err);
int report_saved_ports(const struct report_saved *saved, FILE *out, struct err *err);

/* When the run began, as the file has it; NULL: it does not say. */
const char *report_saved_start(const struct report_saved *saved);
/* The totals with RouterOS's columns; of STATS_STREAM and STATS_RAW. */
int report_saved_stats(const struct report_saved *saved, FILE *out, enum stats_form form,
	enum stats_what what, struct err *err);

#define REPORT_ALL_STREAMS UINT32_MAX
/* Leaves only the figures of the stream with this id. An error names the ids there are. */
int report_saved_choose(struct report_saved *saved, uint32_t id, struct err *err);
/* The graphs of all streams and of their sum. An error when the result has no distribution. */
int report_saved_distribution(
	const struct report_saved *saved, FILE *out, uint64_t max_ns, struct err *err);

/* A stream's sizes: `60 bytes`, or `64..1518, mean 353.8 bytes` for a mix. */
void report_print_size(FILE *out, const struct result_stream *stream);
/* What a schedule that is not plain adds to the mean rate: `, bursts of 10, 1s apart`. */
void report_print_sched(FILE *out, const struct sched *s);
