/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <stdio.h>

#include "tgen/series.h"

#include <cjson/cJSON.h>

/* Figures of several results side by side: one line a test, variant, frame size, figure and scope. */

struct figure_key {
	const char *test, *variant, *size, *name, *scope, *unit; /* "" where there is none */
};

struct figure_line {
	struct figure_key key;
	struct series *of; /* one a result; nb 0: it does not have it */
};

struct figure_table {
	struct figure_line *lines;
	unsigned nb_lines, nb_results;
};

/* results: trees of results or of baselines, which the table points into. 0 or -ENOMEM. */
int figure_table_make(
	struct figure_table *table, const cJSON *const *results, unsigned nb, const char *figure);
void figure_table_fini(struct figure_table *table);
/* `64 routing/nat throughput (voice)` as columns. */
void figure_key_print(FILE *out, const struct figure_key *key);
/* A value with its unit, in few digits. */
const char *figure_text(char out[48], double value, const char *unit);
