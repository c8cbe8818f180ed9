/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "tgen/opt.h"
#include "tgen/result.h"

enum cli_stats_opt {
	STATS_STREAM_ID,
	STATS_FILE,
	STATS_OUTPUT,
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
