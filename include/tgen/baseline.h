/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <stdbool.h>
#include <stdio.h>

#include "tgen/err.h"

#include <cjson/cJSON.h>

/*
 * Baselines: the summaries of a run, kept as JSON to compare later runs with. A file of the
 * repository of whoever tests a device.
 */
struct baseline;

/* The JSON of a baseline's file, for whoever compares. NULL with err. */
cJSON *baseline_tree(const char *path, struct err *err);
/* NULL with err. */
struct baseline *baseline_read(const char *path, struct err *err);
void baseline_free(struct baseline *baseline);
/*
 * The mean of a figure, in base units. variant, frame_size, scope may be NULL. False: there is none.
 * A metric of the metric table is the mean of the trials that counted.
 */
bool baseline_figure(const struct baseline *baseline, const char *test, const char *variant,
	const char *frame_size, const char *metric, const char *scope, double *value,
	const char **unit);
/* What of a results tree a baseline keeps. NULL: no memory. */
cJSON *baseline_of(const cJSON *results);
