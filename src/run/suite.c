/* SPDX-License-Identifier: BSD-3-Clause */
#include "suite.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "tgen/log.h"
#include "tgen/units.h"

/* The matrix: test × variant × frame size × repeat, one cell after the other. */

#define OPT(which) (&conf_test_opts[which])

static uint64_t now_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (uint64_t)ts.tv_sec * UNITS_NS_PER_S + (uint64_t)ts.tv_nsec;
}

/* Where the commands of a variant are kept: with the run, or with the test. */
static cJSON *commands_of(struct suite *suite, const struct suite_test *t, cJSON *test_node)
{
	bool per_run = opt_set_one(t->set, OPT(TEST_SETUP_SCOPE)).lo == SETUP_PER_RUN;

	return cJSON_GetObjectItemCaseSensitive(per_run ? suite->root : test_node, "commands");
}

/* A file that is whole at every moment: after a kill it is as of the last cell. */
static void results_save(struct suite *suite)
{
	struct err err = {0};

	if (results_write(suite->dir, &results_forms[0], suite->root, &err) == 0)
		return;
	progress_clear(&suite->progress);
	log_error("%s; trials are in %s/trials.jsonl", err.text, suite->dir);
	suite->output_failed = true;
}

static void cell_finish(struct suite_cell *cell, uint64_t began_ns)
{
	struct suite *suite = cell->suite;
	cJSON *commands = rig_commands(suite->rig), *command;
	cJSON *list = cJSON_GetObjectItemCaseSensitive(cell->test_node, "commands");

	while (commands != NULL && (command = cJSON_DetachItemFromArray(commands, 0)) != NULL)
		cJSON_AddItemToArray(list, command);
	cJSON_Delete(commands);
	cJSON_ReplaceItemInObjectCaseSensitive(cell->node, "seconds",
		cJSON_CreateNumber((double)(now_ns() - began_ns) / UNITS_NS_PER_S));
	progress_cell_done(&suite->progress, cell->node);
	results_save(suite);
}

/* The same cell of the first variant. */
static const cJSON *first_cell(const cJSON *first, const cJSON *cells)
{
	return first != NULL ? cJSON_GetArrayItem(cJSON_GetObjectItemCaseSensitive(first, "cells"),
				       cJSON_GetArraySize(cells) - 1)
			     : NULL;
}

struct matrix_row { /* a test × variant */
	struct suite *suite;
	const struct suite_test *test;
	const struct opt_set *variant;
	cJSON *node;
	const cJSON *first; /* of the first variant; NULL: this is it */
	uint64_t deadline_ns;
};

static int cell_do(struct matrix_row *row, unsigned size, unsigned repeat, struct err *err)
{
	struct suite *suite = row->suite;
	const char *variant = suite_variant_name(row->variant);
	struct suite_cell cell = {.suite = suite,
		.test = row->test,
		.variant = row->variant,
		.size = row->test->sizes[size],
		.repeat = repeat,
		.key = {row->test->name, variant, row->test->sizes[size], repeat},
		.test_node = row->node,
		.deadline_ns = row->deadline_ns};
	uint64_t began_ns = now_ns();
	unsigned nb;
	int rc;

	cell.node = suite_cell_node(row->node, cell.size, repeat);
	if (cell.node == NULL)
		return err_device(err, ENOMEM, "results");
	cell.first = first_cell(row->first, cJSON_GetObjectItemCaseSensitive(row->node, "cells"));
	suite->progress.test = row->test->name;
	suite->progress.variant = variant;
	suite->progress.size = cell.size;
	suite->progress.repeat = repeat;
	suite->progress.repeats = row->test->repeats;
	progress_cell(&suite->progress);
	rig_hooks_set(suite->rig,
		&(struct rig_hooks){.rows = suite_on_rows, .trial = suite_on_trial, .ctx = &cell});
	rc = suite_cell_run(&cell, err);
	suite->progress.done_planned_ns += suite_cell_estimate_ns(row->test, size, &nb);
	cell_finish(&cell, began_ns);
	return rc;
}

/* What failed about the device is the test's error: others may still go. */
static int row_error(struct matrix_row *row, int rc, struct err *err)
{
	cJSON_ReplaceItemInObjectCaseSensitive(
		row->node, "status", cJSON_CreateString(rc == -EINTR ? "interrupted" : "error"));
	cJSON_ReplaceItemInObjectCaseSensitive(row->node, "reason",
		cJSON_CreateString(rc == -EINTR ? "stopped by the user" : err->text));
	if (rc == -EINTR)
		return rc;
	progress_clear(&row->suite->progress);
	log_error("%s", err->text);
	*err = (struct err){0};
	return 0;
}

static int row_run(struct matrix_row *row, struct err *err)
{
	struct suite *suite = row->suite;
	const struct suite_test *t = row->test;
	cJSON *commands = commands_of(suite, t, row->node);
	int rc = suite_device(suite, row->variant, commands, err);

	if (rc < 0) {
		suite_device_release(suite, &(struct err){0});
		return row_error(row, rc, err);
	}
	for (unsigned s = 0; rc == 0 && s < t->nb_sizes; s++)
		for (unsigned r = 1; rc == 0 && r <= t->repeats; r++) {
			rc = cell_do(row, s, r, err);
			if (rc == 0)
				*err = (struct err){0};
		}
	suite_summarise(t, row->node, row->first);
	if (opt_set_one(t->set, OPT(TEST_SETUP_SCOPE)).lo != SETUP_PER_RUN) {
		struct err why = {0};

		if (suite_device_release(suite, &why) < 0)
			row_error(row, -EIO, &why);
	}
	return rc;
}

static int test_run(struct suite *suite, const struct suite_test *t, struct err *err)
{
	const struct opt_slot *most = opt_set_get(t->set, OPT(TEST_MAX_DURATION));
	struct matrix_row row = {.suite = suite, .test = t};
	int rc = 0;

	if (most != NULL)
		row.deadline_ns = now_ns() + most->vals[0].lo;
	for (unsigned v = 0; rc == 0 && v < t->nb_variants; v++) {
		row.variant = t->variants[v];
		row.node = suite_test_node(suite->root, t, row.variant);
		if (row.node == NULL)
			return err_device(err, ENOMEM, "results");
		rc = row_run(&row, err);
		if (v == 0)
			row.first = row.node;
	}
	return rc;
}

static void plan_progress(struct suite *suite)
{
	struct progress *p = &suite->progress;

	for (unsigned i = 0; i < suite->nb_tests; i++) {
		const struct suite_test *t = &suite->tests[i];

		for (unsigned s = 0; s < t->nb_sizes; s++) {
			unsigned nb, times = t->nb_variants * t->repeats;

			p->planned_ns += suite_cell_estimate_ns(t, s, &nb) * times;
			p->nb_cells += times;
		}
	}
}

int suite_run(struct suite *suite, struct err *err)
{
	struct err released = {0};
	int rc = 0;

	plan_progress(suite);
	for (unsigned i = 0; rc == 0 && i < suite->nb_tests; i++)
		rc = test_run(suite, &suite->tests[i], err);
	if (suite_device_release(suite, &released) < 0)
		log_error("%s", released.text);
	progress_clear(&suite->progress);
	return rc;
}
