/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "tgen/err.h"
#include "tgen/result.h"
#include "tgen/trial.h"

#include <cjson/cJSON.h>

/*
 * Results of `run`: one JSON tree, as docs/results.schema.json says, is the source of truth; the other
 * files of a results directory are written from it. The tree is made by src/run, trial by trial.
 */

/* ---- trials ---- */

/* What is known of a trial beside what the engine counted. */
struct results_trial {
	unsigned nr;	  /* from 1, of the cell */
	unsigned attempt; /* from 1; repeated when the generator was not clean */
	const struct trial_spec *spec;
	const struct trial_result *result;
	const struct result_info *info;
	/* Series of the trial, arrays as in the schema, taken over; NULL: none. */
	cJSON *intervals, *probe;
};

/* The object of a trial, with all that results_trial_read needs. NULL: no memory. */
cJSON *results_trial_json(const struct results_trial *trial);

/* A trial read back, so that a run that was cut off goes on: what procedures use of a trial_result. */
struct results_replay;
/*
 * info: what the streams and ports of the trial are now; they must be those of then. NULL with err:
 * what does not fit.
 */
struct results_replay *results_trial_read(
	const cJSON *trial, const struct result_info *info, struct err *err);
const struct trial_result *results_replay_result(const struct results_replay *replay);
/* Whether the trial was run as spec says: load, size, duration, purpose, events. */
bool results_trial_is(const cJSON *trial, const struct trial_spec *spec, unsigned nb_streams);
void results_replay_free(struct results_replay *replay);

/* ---- interval rows, to disk as they come ---- */

struct results_rows;
/* Opens rows.csv and rows.jsonl of a directory, to append when they are there. NULL with err. */
struct results_rows *results_rows_open(const char *dir, struct err *err);
/* Names of what comes next. */
void results_rows_trial(struct results_rows *rows, const char *test, const char *variant,
	const char *frame_size, unsigned repeat, unsigned trial);
int results_rows_add(struct results_rows *rows, const struct result_info *info,
	const struct result_row *row, unsigned nb, struct err *err);
int results_rows_close(struct results_rows *rows, struct err *err);

/* ---- the files of a directory ---- */

/* A form of results: one line in the table of results.c. */
struct results_form {
	const char *file; /* `junit.xml` */
	int (*write)(const cJSON *root, FILE *out);
};
extern const struct results_form results_forms[];
extern const unsigned results_nb_forms;

/* Writes one file whole or not at all: beside it, synced, renamed. */
int results_write(
	const char *dir, const struct results_form *form, const cJSON *root, struct err *err);
/* results.json first, then all others; the first error is told when all were tried. */
int results_write_all(const char *dir, const cJSON *root, struct err *err);
/* Reads DIR/results.json, or the file itself. NULL with err; tests the schema's name and version. */
cJSON *results_read(const char *path, struct err *err);

int results_junit(const cJSON *root, FILE *out);
int results_prometheus(const cJSON *root, FILE *out);
int results_html(const cJSON *root, FILE *out);
/* What `tgen schema results` prints. */
extern const char results_schema[];
