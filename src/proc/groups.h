/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "tgen/procedure.h"

/* Streams by group: direction, class or service. */

/* The i-th different group of the streams, in their order; NULL: no more. */
const char *group_name(const struct result_info *info, unsigned i);
bool group_has(const struct result_info *info, unsigned stream, const char *group);
/*
 * The row of a group, derived from its streams' totals and merged latencies; false: no memory, or no
 * such group.
 */
bool group_total(const struct result_info *info, const struct trial_result *result,
	const char *group, struct result_row *out);
/* A figure of a group. */
int group_figure(const struct proc_env *env, const char *group, const char *name, double value,
	const char *unit);
/* received (pps), lost-ratio, latency-…, of every group. */
int group_figures(const struct proc_env *env, const struct trial_result *result);
/* Frames lost of those of the row, 0..1; nothing sent: 1. */
double row_loss_ratio(const struct result_row *row);
