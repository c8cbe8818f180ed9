/* SPDX-License-Identifier: BSD-3-Clause */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "metrics.h"
#include "suite.h"
#include "tgen/result.h"
#include "tgen/series.h"

/* What cells come to: criteria, repeats, the status of tests and of the run. */

static const cJSON *member(const cJSON *object, const char *key)
{
	return cJSON_GetObjectItemCaseSensitive(object, key);
}

static const char *text_of(const cJSON *object, const char *key)
{
	return cJSON_GetStringValue(member(object, key));
}

static bool same_text(const char *a, const char *b)
{
	return a == b || (a != NULL && b != NULL && strcmp(a, b) == 0);
}

static bool number_of(const cJSON *node, double *value)
{
	if (cJSON_IsNumber(node))
		*value = node->valuedouble;
	else if (cJSON_IsString(node) && strcmp(node->valuestring, "inf") == 0)
		*value = INFINITY;
	else
		return false;
	return true;
}

/* ---- where criteria find figures ---- */

static bool cell_figure(
	void *ctx, const char *name, const char *scope, double *value, const char **unit)
{
	const cJSON *cell = ctx, *figure;
	const struct metric *metric = metric_find(name);

	cJSON_ArrayForEach(figure, member(cell, "figures"))
	{
		if (!same_text(text_of(figure, "name"), name) ||
			!same_text(text_of(figure, "scope"), scope))
			continue;
		*unit = text_of(figure, "unit");
		return number_of(member(figure, "value"), value);
	}
	if (metric == NULL)
		return false;
	*unit = metrics_unit(metric->kind);
	return number_of(member(metrics_of(metrics_last_trial(cell), scope), metric->name), value);
}

static const char *cell_scope(void *ctx, bool groups, unsigned i)
{
	const cJSON *list = member(metrics_last_trial(ctx), groups ? "groups" : "streams");

	return text_of(cJSON_GetArrayItem(list, (int)i), "name");
}

/* ---- of a baseline file ---- */

struct of_baseline {
	const struct suite_cell *cell;
};

static bool baseline_find(
	void *ctx, const char *name, const char *scope, double *value, const char **unit)
{
	const struct suite_cell *cell = ((struct of_baseline *)ctx)->cell;

	return baseline_figure(cell->test->baseline, cell->test->name,
		suite_variant_name(cell->variant), cell->size, name, scope, value, unit);
}

/* ---- cells ---- */

static cJSON *number_node(double value)
{
	if (isnan(value))
		return cJSON_CreateNull();
	return isinf(value) ? cJSON_CreateString("inf") : cJSON_CreateNumber(value);
}

bool suite_judge(const struct suite_cell *cell)
{
	static const char *const words[] = {[CRITERION_MET] = "met",
		[CRITERION_MISSED] = "missed",
		[CRITERION_UNKNOWN] = "unknown",
		[CRITERION_APART] = "apart"};
	const struct criterion_source here = {cell_figure, cell_scope, cell->node},
				      first = {cell_figure, cell_scope,
					      (void *)(uintptr_t)cell->first};
	struct of_baseline of = {cell};
	const struct criterion_source baseline = {baseline_find, NULL, &of};
	cJSON *list = cJSON_GetObjectItemCaseSensitive(cell->node, "criteria");
	cJSON *reasons = cJSON_GetObjectItemCaseSensitive(cell->node, "reasons");
	bool all = true;

	for (unsigned i = 0; i < cell->test->nb_criteria; i++) {
		const struct criterion *criterion = cell->test->criteria[i];
		struct criterion_verdict verdict;
		cJSON *node = cJSON_CreateObject();

		/* the first variant is what others are compared with, not with itself */
		if (criterion_needs_first(criterion) && cell->first == NULL)
			verdict = (struct criterion_verdict){
				.status = CRITERION_APART, .value = NAN, .limit = NAN};
		else
			criterion_judge(criterion, cell->size, &here,
				cell->test->baseline != NULL ? &baseline : NULL,
				cell->first != NULL ? &first : NULL, &verdict);
		cJSON_AddStringToObject(node, "text", criterion_text(criterion));
		cJSON_AddStringToObject(node, "status", words[verdict.status]);
		cJSON_AddItemToObject(node, "value", number_node(verdict.value));
		cJSON_AddItemToObject(node, "limit", number_node(verdict.limit));
		cJSON_AddStringToObject(node, "verdict", verdict.text);
		cJSON_AddItemToArray(list, node);
		if (verdict.status == CRITERION_MET || verdict.status == CRITERION_APART)
			continue;
		all = false;
		cJSON_AddItemToArray(reasons, cJSON_CreateString(verdict.text));
	}
	return all;
}

/* ---- tests ---- */

/* From best to worst. */
static const char *const statuses[] = {"skip", "pass", "fail", "invalid", "error", "interrupted"};
#define NB_STATUSES (sizeof(statuses) / sizeof(statuses[0]))

static size_t status_rank(const char *status)
{
	for (size_t i = 0; i < NB_STATUSES; i++)
		if (same_text(statuses[i], status))
			return i;
	return 0;
}

#define RANK_PASS 1u

/* The values of a figure over the repeats of a size; nb of them in out. */
static size_t values_of(const cJSON *test, const char *size, const char *name, const char *scope,
	double *out, size_t most)
{
	const cJSON *cell;
	size_t nb = 0;

	cJSON_ArrayForEach(cell, member(test, "cells"))
	{
		const cJSON *figure;

		if (!same_text(text_of(cell, "frame-size"), size) ||
			status_rank(text_of(cell, "status")) > 2)
			continue;
		cJSON_ArrayForEach(figure, member(cell, "figures"))
		{
			if (same_text(text_of(figure, "name"), name) &&
				same_text(text_of(figure, "scope"), scope) && nb < most &&
				number_of(member(figure, "value"), &out[nb]) && isfinite(out[nb]))
				nb++;
		}
	}
	return nb;
}

static void text_or_null(cJSON *object, const char *key, const char *text)
{
	cJSON_AddItemToObject(
		object, key, text != NULL ? cJSON_CreateString(text) : cJSON_CreateNull());
}

struct size_sum {
	const char *size;
	unsigned passed, nb;
	size_t worst; /* status */
};

static void summary_add(const struct suite_test *test, cJSON *node, const cJSON *first,
	const struct size_sum *sum, const cJSON *figure)
{
	const char *name = text_of(figure, "name"), *scope = text_of(figure, "scope");
	double *values = calloc(test->repeats, sizeof(*values)), change;
	struct series s, of_first;
	cJSON *line;

	if (values == NULL)
		return;
	if (series_of(values, values_of(node, sum->size, name, scope, values, test->repeats), &s)) {
		line = cJSON_CreateObject();
		text_or_null(line, "frame-size", sum->size);
		cJSON_AddStringToObject(line, "figure", name);
		text_or_null(line, "scope", scope);
		cJSON_AddStringToObject(line, "unit", text_of(figure, "unit"));
		cJSON_AddNumberToObject(line, "nb", (double)s.nb);
		cJSON_AddItemToObject(line, "mean", number_node(s.mean));
		cJSON_AddItemToObject(line, "stdev", number_node(s.stdev));
		cJSON_AddItemToObject(line, "min", number_node(s.min));
		cJSON_AddItemToObject(line, "max", number_node(s.max));
		cJSON_AddItemToObject(line, "half-95", number_node(s.half_95));
		cJSON_AddNumberToObject(line, "passed", sum->passed);
		cJSON_AddNumberToObject(line, "needed", test->needed);
		change = NAN;
		if (first != NULL &&
			series_of(values,
				values_of(first, sum->size, name, scope, values, test->repeats),
				&of_first) &&
			of_first.mean != 0)
			change = s.mean / of_first.mean - 1;
		cJSON_AddItemToObject(line, "change-to-first", number_node(change));
		cJSON_AddItemToArray(cJSON_GetObjectItemCaseSensitive(node, "summary"), line);
	}
	free(values);
}

static struct size_sum size_sum_of(const cJSON *node, const char *size)
{
	struct size_sum sum = {.size = size};
	const cJSON *cell;

	cJSON_ArrayForEach(cell, member(node, "cells"))
	{
		size_t rank = status_rank(text_of(cell, "status"));

		if (!same_text(text_of(cell, "frame-size"), size))
			continue;
		sum.nb++;
		sum.passed += rank == RANK_PASS;
		if (rank > sum.worst)
			sum.worst = rank;
	}
	return sum;
}

/* The first cell of a size that has figures names them. */
static const cJSON *figures_of(const cJSON *node, const char *size)
{
	const cJSON *cell;

	cJSON_ArrayForEach(cell, member(node, "cells"))
	{
		if (same_text(text_of(cell, "frame-size"), size) &&
			cJSON_GetArraySize(member(cell, "figures")) > 0)
			return member(cell, "figures");
	}
	return NULL;
}

static const char *first_reason(const cJSON *node, size_t rank)
{
	const cJSON *cell;

	cJSON_ArrayForEach(cell, member(node, "cells"))
	{
		if (status_rank(text_of(cell, "status")) == rank)
			return cJSON_GetStringValue(cJSON_GetArrayItem(member(cell, "reasons"), 0));
	}
	return NULL;
}

void suite_summarise(const struct suite_test *test, cJSON *node, const cJSON *first)
{
	size_t worst = 0;
	const char *why;

	for (unsigned i = 0; i < test->nb_sizes; i++) {
		struct size_sum sum = size_sum_of(node, test->sizes[i]);
		const cJSON *figure;

		/* enough repeats have passed: retries are shown, and do not decide */
		if (sum.nb > 0 && sum.passed >= test->needed && sum.worst < NB_STATUSES - 2)
			sum.worst = RANK_PASS;
		if (sum.worst > worst)
			worst = sum.worst;
		cJSON_ArrayForEach(figure, figures_of(node, test->sizes[i]))
			summary_add(test, node, first, &sum, figure);
	}
	cJSON_ReplaceItemInObjectCaseSensitive(node, "status", cJSON_CreateString(statuses[worst]));
	why = worst != RANK_PASS ? first_reason(node, worst) : NULL;
	if (why != NULL)
		cJSON_ReplaceItemInObjectCaseSensitive(node, "reason", cJSON_CreateString(why));
}

enum tgen_status suite_status(const cJSON *root)
{
	static const enum tgen_status of_rank[NB_STATUSES] = {
		TGEN_OK, TGEN_OK, TGEN_MISSED, TGEN_INVALID, TGEN_DEVICE, TGEN_INVALID};
	enum tgen_status worst = TGEN_OK;
	const cJSON *test;

	cJSON_ArrayForEach(test, member(root, "tests"))
	{
		enum tgen_status status = of_rank[status_rank(text_of(test, "status"))];

		if (status > worst)
			worst = status;
	}
	return worst;
}
