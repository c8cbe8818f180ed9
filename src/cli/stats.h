/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "tgen/opt.h"
#include "tgen/result.h"
#include "tgen/samples.h"
#include "tgen/stats.h"

enum cli_stats_opt {
	STATS_STREAM_ID,
	STATS_FILE,
	STATS_OUTPUT,
	STATS_AS_VALUE_OPT,
	STATS_LATENCY_DISTRIBUTION_MAX,
	STATS_NB_OPTS
};
extern const struct opt cli_stats_opts[STATS_NB_OPTS];
extern const struct opt_menu cli_stats_menu; /* for help and reference */

/*
 * Keeps the totals and histograms of a run for `tgen stats`. That it cannot is no error of the run:
 * a debug message.
 */
void cli_stats_save(const struct result_info *info, const struct result_row *rows, unsigned nb,
	const struct result_summary *summary);

/* stats_run.c: of a run that start began. */
struct stats_request {
	enum stats_form form;
	uint32_t stream_id; /* REPORT_ALL_STREAMS: all */
	bool has_max;	    /* latency_max_ns is the user's */
	uint64_t latency_max_ns;
};

/*
 * The samples of the run that goes on, or of the last one when last_start (`2031-05-01T…`; NULL: no
 * other run is known) is its begin. NULL without err: there are none.
 */
struct samples *stats_samples_open(const char *last_start, bool *running, struct err *err);
int stats_samples_print(struct samples *samples, bool running, enum stats_what what,
	const struct stats_request *request, struct err *err);
int stats_samples_distribution(struct samples *samples, bool running,
	const struct stats_request *request, struct err *err);
