/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <cjson/cJSON.h>

#include "tgen/baseline.h"
#include "journal.h"
#include "progress.h"
#include "rig.h"
#include "tgen/criteria.h"
#include "tgen/procedure.h"
#include "tgen/run.h"

/* A test of the file as it will be run. */
struct suite_test {
	const struct opt_set *set;
	const char *name;
	const struct procedure *procedure;
	const struct opt_set *dut;	 /* NULL: none */
	const struct opt_set **variants; /* at least one; the only one may be NULL */
	unsigned nb_variants;
	char **sizes; /* as trial_spec.frame_size; at least one; the only one may be NULL */
	unsigned nb_sizes;
	unsigned repeats, needed; /* that must meet the criteria */
	struct criterion **criteria;
	unsigned nb_criteria;
	struct baseline *baseline; /* NULL: none */
};

/* The run of a file. */
struct suite {
	const struct run_options *options;
	struct conf *conf;
	struct suite_test *tests; /* those that were chosen, in the order of the file */
	unsigned nb_tests;
	struct rig *rig;
	char *dir;
	cJSON *root; /* of the results tree */
	struct journal *journal;
	struct results_rows *rows;
	struct progress progress;
	/* The variant that the device is set up as; NULL: none. */
	const struct opt_set *set_up;
	cJSON *set_up_commands; /* where its teardown goes: in the tree */
	bool output_failed;
};

/* A cell of the matrix while it is measured. */
struct suite_cell {
	struct suite *suite;
	const struct suite_test *test;
	const struct opt_set *variant; /* NULL: none */
	const char *size;
	unsigned repeat; /* from 1 */
	struct journal_key key;
	cJSON *node;	      /* of the tree */
	const cJSON *first;   /* the same cell of the first variant; NULL: this is it */
	cJSON *test_node;     /* its test */
	uint64_t deadline_ns; /* CLOCK_MONOTONIC; 0: none */
	unsigned nb_trials;
	bool warm;
	struct results_replay *replay; /* of the last trial */
};

/* ---- choose.c: which tests, variants, sizes; what can be said before anything is opened ---- */
int suite_choose(struct suite *suite, struct err *err);
void suite_tests_free(struct suite *suite);
const char *suite_variant_name(const struct opt_set *variant); /* NULL: none */

/* ---- list.c ---- */
int suite_list(const struct suite *suite);
int suite_dry_run(const struct suite *suite);
/* How long a cell takes at most, with all that is around its trials. */
uint64_t suite_cell_estimate_ns(const struct suite_test *test, unsigned size, unsigned *nb_trials);

/* ---- tree.c: the results tree but for its cells ---- */
/* The root, as far as it is known before anything is opened. NULL with err. */
cJSON *suite_root(const struct suite *suite, struct err *err);
/* `configuration` of the schema: the texts of all files. NULL with err. */
cJSON *suite_configuration(const struct conf *conf, struct err *err);
/* A test × variant, a cell, appended to the tree. NULL: no memory. */
cJSON *suite_test_node(cJSON *root, const struct suite_test *test, const struct opt_set *variant);
cJSON *suite_cell_node(cJSON *test_node, const char *size, unsigned repeat);
/* ISO 8601, UTC, of now. */
char *suite_time_text(char out[32]);

/* ---- suite.c ---- */
/* All cells; the tree is complete then. -EINTR: stopped by the user. */
int suite_run(struct suite *suite, struct err *err);

/* ---- cell.c, trials.c ---- */
/* Measures a cell; its node is complete then. -EINTR: stopped; else 0, or negative: no use to go on. */
int suite_cell_run(struct suite_cell *cell, struct err *err);
/* The runner of a cell: what was measured before is played back, the rest goes to the rig. */
struct runner suite_cell_runner(struct suite_cell *cell);
/* rig_hooks. */
int suite_on_rows(void *ctx, const struct result_info *info, const struct result_row *rows,
	unsigned nb, struct err *err);
int suite_on_trial(void *ctx, const struct results_trial *trial, struct err *err);

/* ---- device.c: variants ---- */
int suite_device(
	struct suite *suite, const struct opt_set *variant, cJSON *commands, struct err *err);
/* Tears down what is set up. */
int suite_device_release(struct suite *suite, struct err *err);

/* ---- verdict.c ---- */
/* Judges the criteria of a cell that was measured: adds them to its node. Whether all are met. */
bool suite_judge(const struct suite_cell *cell);
/* Of all cells of a test × variant: status, reason and summary into its node. */
void suite_summarise(const struct suite_test *test, cJSON *node, const cJSON *first);
enum tgen_status suite_status(const cJSON *root);
