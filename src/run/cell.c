/* SPDX-License-Identifier: BSD-3-Clause */
#include <errno.h>
#include <math.h>
#include <string.h>

#include "suite.h"
#include "tgen/log.h"
#include "tgen/units.h"

/* One cell of the matrix: a procedure's run, its figures and notes, its verdict. */

#define OPT(which) (&conf_test_opts[which])

static cJSON *list_of(const struct suite_cell *cell, const char *key)
{
	return cJSON_GetObjectItemCaseSensitive(cell->node, key);
}

/* A number as the schema has it: JSON knows no infinity. */
static cJSON *number(double value)
{
	if (isnan(value))
		return cJSON_CreateNull();
	return isinf(value) ? cJSON_CreateString("inf") : cJSON_CreateNumber(value);
}

static void text_or_null(cJSON *object, const char *key, const char *text)
{
	cJSON_AddItemToObject(
		object, key, text != NULL ? cJSON_CreateString(text) : cJSON_CreateNull());
}

static int on_figure(void *ctx, const struct proc_figure *figure)
{
	struct suite_cell *cell = ctx;
	cJSON *node = cJSON_CreateObject();

	cJSON_AddStringToObject(node, "name", figure->name);
	cJSON_AddItemToObject(node, "value", number(figure->value));
	cJSON_AddStringToObject(node, "unit", figure->unit);
	text_or_null(node, "scope", figure->scope);
	text_or_null(node, "remark", figure->remark);
	if (cJSON_AddItemToArray(list_of(cell, "figures"), node))
		return 0;
	cJSON_Delete(node);
	return -ENOMEM;
}

static void on_note(void *ctx, const char *text)
{
	struct suite_cell *cell = ctx;

	cJSON_AddItemToArray(list_of(cell, "notes"), cJSON_CreateString(text));
	progress_say(&cell->suite->progress, "  %s", text);
}

static void on_progress(void *ctx, const struct proc_progress *now)
{
	struct suite_cell *cell = ctx;

	if (cell->suite->rows != NULL)
		results_rows_trial(cell->suite->rows, cell->test->name,
			suite_variant_name(cell->variant), cell->size, cell->repeat,
			cell->nb_trials + 1);
	progress_trial(&cell->suite->progress, now);
}

static void reason_add(struct suite_cell *cell, const char *text)
{
	cJSON_AddItemToArray(list_of(cell, "reasons"), cJSON_CreateString(text));
}

static void status_set(struct suite_cell *cell, const char *status)
{
	cJSON_ReplaceItemInObjectCaseSensitive(cell->node, "status", cJSON_CreateString(status));
}

/* Why it is not done: the notes of the procedure, which say so last. */
static void reason_of_note(struct suite_cell *cell, const char *otherwise)
{
	const cJSON *notes = list_of(cell, "notes");
	int nb = cJSON_GetArraySize(notes);

	reason_add(
		cell, nb > 0 ? cJSON_GetStringValue(cJSON_GetArrayItem(notes, nb - 1)) : otherwise);
}

/* The last trial says what the generator had against it. */
static void reasons_of_trial(struct suite_cell *cell)
{
	const cJSON *trials = list_of(cell, "trials");
	const cJSON *last = cJSON_GetArrayItem(trials, cJSON_GetArraySize(trials) - 1), *reason;

	cJSON_ArrayForEach(reason, cJSON_GetObjectItemCaseSensitive(last, "reasons"))
		reason_add(cell, cJSON_GetStringValue(reason));
	if (cJSON_GetArraySize(list_of(cell, "reasons")) == 0)
		reason_of_note(cell, "the generator was not clean");
}

static void settle(struct suite_cell *cell, enum proc_outcome outcome)
{
	switch (outcome) {
	case PROC_DONE:
		status_set(cell, suite_judge(cell) ? "pass" : "fail");
		break;
	case PROC_FAILED:
		suite_judge(cell);
		status_set(cell, "fail");
		reason_of_note(cell, "the device did not do what the procedure asks for");
		break;
	case PROC_INVALID:
		status_set(cell, "invalid");
		reasons_of_trial(cell);
		break;
	case PROC_SKIPPED:
		status_set(cell, "skip");
		reason_of_note(cell, "not possible here");
		break;
	}
}

/* `streams` of the test, with its first cell. */
static void streams_set(struct suite_cell *cell, const struct result_info *info)
{
	cJSON *list = cJSON_GetObjectItemCaseSensitive(cell->test_node, "streams");

	if (cJSON_GetArraySize(list) > 0)
		return;
	for (unsigned i = 0; i < info->nb_streams; i++) {
		const struct result_stream *s = &info->streams[i];
		cJSON *node = cJSON_CreateObject();

		cJSON_AddNumberToObject(node, "id", s->id);
		cJSON_AddStringToObject(node, "name", s->name);
		text_or_null(node, "group", s->group);
		cJSON_AddStringToObject(node, "tx-port", info->ports[s->tx_port].name);
		text_or_null(
			node, "rx-port", s->rx_port >= 0 ? info->ports[s->rx_port].name : NULL);
		cJSON_AddNumberToObject(node, "weight", s->weight);
		cJSON_AddNumberToObject(node, "packet-size",
			s->size_nb > 0 ? (double)s->size_sum / (double)s->size_nb : s->packet_size);
		cJSON_AddItemToArray(list, node);
	}
}

/* The mean size and the line, from what the runner says of it. */
static void line_set(struct suite_cell *cell, const struct proc_env *env)
{
	const struct result_info *info = env->info;
	double sum = 0, nb = 0;
	uint64_t line = UINT64_MAX;

	if (info == NULL)
		return;
	for (unsigned i = 0; i < info->nb_streams; i++) {
		const struct result_stream *s = &info->streams[i];
		uint64_t upps = proc_line_upps(env, s->tx_port);

		sum += s->size_nb > 0 ? (double)s->size_sum / (double)s->size_nb : s->packet_size;
		nb++;
		if (upps != 0 && upps < line)
			line = upps;
	}
	streams_set(cell, info);
	if (nb > 0)
		cJSON_ReplaceItemInObjectCaseSensitive(
			cell->node, "frame-bytes", cJSON_CreateNumber(sum / nb + UNITS_FCS_BYTES));
	if (line != UINT64_MAX)
		cJSON_ReplaceItemInObjectCaseSensitive(
			cell->node, "line-pps", cJSON_CreateNumber((double)(line / UNITS_MICROS)));
}

int suite_cell_run(struct suite_cell *cell, struct err *err)
{
	const struct opt_set *test = cell->test->set;
	const struct runner runner = suite_cell_runner(cell);
	const struct proc_sink sink = {
		.progress = on_progress, .figure = on_figure, .note = on_note, .ctx = cell};
	struct proc_env env = {.test = test,
		.frame_size = cell->size,
		.runner = &runner,
		.sink = &sink,
		.settle_ns = opt_set_one(test, OPT(TEST_SETTLE)).lo +
			     opt_set_one(test, OPT(TEST_PAUSE)).lo,
		.event_ns = opt_set_get(test, OPT(TEST_EVENT)) != NULL
				    ? opt_set_one(test, OPT(TEST_EVENT_AFTER)).lo
				    : 0,
		.mend_ns = opt_set_get(test, OPT(TEST_MEND)) != NULL
				   ? opt_set_one(test, OPT(TEST_MEND_AFTER)).lo
				   : 0,
		.max_invalid = (unsigned)opt_set_one(test, OPT(TEST_MAX_INVALID)).lo};
	enum proc_outcome outcome = PROC_INVALID;
	int rc = (cell->test->procedure->flags & PROC_NO_TRAFFIC) == 0
			 ? rig_select(cell->suite->rig, test, cell->variant, err)
			 : 0;

	if (rc == 0)
		rc = cell->test->procedure->run(&env, &outcome, err);
	line_set(cell, &env);
	results_replay_free(cell->replay);
	cell->replay = NULL;
	if (rc == -EINTR) {
		status_set(cell, "interrupted");
		reason_add(cell, "stopped by the user");
		return rc;
	}
	if (rc < 0) {
		status_set(cell, "error");
		reason_add(cell, err->text[0] != '\0' ? err->text : strerror(-rc));
		log_error("%s", err->text);
		/* what is wrong with a file or a measurement does not keep other cells from going */
		return err->status == TGEN_DEVICE ? rc : 0;
	}
	settle(cell, outcome);
	return 0;
}
