/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <stdbool.h>
#include <stdio.h>

#include "tgen/result.h"

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
