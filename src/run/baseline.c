/* SPDX-License-Identifier: BSD-3-Clause */
#include "tgen/baseline.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "metrics.h"
#include "tgen/result.h"
#include "tgen/series.h"

#define SCHEMA	   "tgen-baseline"
#define VERSION	   1
#define BYTES_MAX  (64l << 20)
#define VALUES_MAX 1024

struct baseline {
	cJSON *root;
};

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

/* ---- reading ---- */

static char *file_text(const char *path, struct err *err)
{
	FILE *f = fopen(path, "re");
	char *text = NULL;
	long len = -1;

	if (f != NULL && fseek(f, 0, SEEK_END) == 0)
		len = ftell(f);
	if (f == NULL || len < 0 || len > BYTES_MAX) {
		err_usage(err, "%s: %s; tgen baseline save makes one", path,
			f == NULL ? strerror(errno) : "not a file of a baseline");
	} else if ((text = malloc((size_t)len + 1)) == NULL) {
		err_device(err, ENOMEM, "%s", path);
	} else {
		rewind(f);
		text[fread(text, 1, (size_t)len, f)] = '\0';
	}
	if (f != NULL)
		fclose(f);
	return text;
}

cJSON *baseline_tree(const char *path, struct err *err)
{
	char *text = file_text(path, err);
	cJSON *root = text != NULL ? cJSON_Parse(text) : NULL;
	const cJSON *version = member(root, "version");

	if (text != NULL &&
		(!same_text(text_of(root, "schema"), SCHEMA) || !cJSON_IsNumber(version) ||
			version->valueint != VERSION || !cJSON_IsArray(member(root, "figures")))) {
		err_usage(err,
			"%s is no baseline of this version of tgen; tgen baseline save makes one",
			path);
		cJSON_Delete(root);
		root = NULL;
	}
	free(text);
	return root;
}

struct baseline *baseline_read(const char *path, struct err *err)
{
	struct baseline *b = calloc(1, sizeof(*b));

	if (b == NULL) {
		err_device(err, ENOMEM, "%s", path);
		return NULL;
	}
	b->root = baseline_tree(path, err);
	if (b->root != NULL)
		return b;
	free(b);
	return NULL;
}

void baseline_free(struct baseline *baseline)
{
	if (baseline == NULL)
		return;
	cJSON_Delete(baseline->root);
	free(baseline);
}

bool baseline_figure(const struct baseline *baseline, const char *test, const char *variant,
	const char *frame_size, const char *metric, const char *scope, double *value,
	const char **unit)
{
	const cJSON *line;

	cJSON_ArrayForEach(line, member(baseline->root, "figures"))
	{
		const cJSON *mean = member(line, "mean");

		if (!same_text(text_of(line, "test"), test) ||
			!same_text(text_of(line, "variant"), variant) ||
			!same_text(text_of(line, "frame-size"), frame_size) ||
			!same_text(text_of(line, "figure"), metric) ||
			!same_text(text_of(line, "scope"), scope) || !cJSON_IsNumber(mean))
			continue;
		*value = mean->valuedouble;
		*unit = text_of(line, "unit") != NULL ? text_of(line, "unit") : "";
		return true;
	}
	return false;
}

/* ---- making ---- */

struct key {
	const char *test, *variant, *size, *figure, *scope, *unit;
};

static void text_or_null(cJSON *object, const char *key, const char *text)
{
	cJSON_AddItemToObject(
		object, key, text != NULL ? cJSON_CreateString(text) : cJSON_CreateNull());
}

static void line_add(cJSON *list, const struct key *key, const struct series *s)
{
	cJSON *line = cJSON_CreateObject();

	cJSON_AddStringToObject(line, "test", key->test);
	text_or_null(line, "variant", key->variant);
	text_or_null(line, "frame-size", key->size);
	cJSON_AddStringToObject(line, "figure", key->figure);
	text_or_null(line, "scope", key->scope);
	cJSON_AddStringToObject(line, "unit", key->unit != NULL ? key->unit : "");
	cJSON_AddNumberToObject(line, "nb", (double)s->nb);
	cJSON_AddNumberToObject(line, "mean", s->mean);
	cJSON_AddNumberToObject(line, "stdev", s->stdev);
	cJSON_AddItemToArray(list, line);
}

static void figures_add(cJSON *list, const cJSON *test)
{
	const cJSON *line;

	cJSON_ArrayForEach(line, member(test, "summary"))
	{
		const cJSON *mean = member(line, "mean"), *stdev = member(line, "stdev"),
			    *nb = member(line, "nb");
		const struct key key = {text_of(test, "name"), text_of(test, "variant"),
			text_of(line, "frame-size"), text_of(line, "figure"),
			text_of(line, "scope"), text_of(line, "unit")};
		struct series s = {0};

		if (key.test == NULL || key.figure == NULL || !cJSON_IsNumber(mean) ||
			!cJSON_IsNumber(nb))
			continue;
		s.nb = (size_t)nb->valuedouble;
		s.mean = mean->valuedouble;
		s.stdev = cJSON_IsNumber(stdev) ? stdev->valuedouble : 0;
		line_add(list, &key, &s);
	}
}

/* A metric of the last trials of a size, over the repeats. */
static void metric_add(cJSON *list, const cJSON *test, const struct metric *m, const char *size)
{
	const struct key key = {text_of(test, "name"), text_of(test, "variant"), size, m->name,
		NULL, metrics_unit(m->kind)};
	double values[VALUES_MAX];
	const cJSON *cell;
	struct series s;
	size_t nb = 0;

	cJSON_ArrayForEach(cell, member(test, "cells"))
	{
		const cJSON *value = member(metrics_of(metrics_last_trial(cell), NULL), m->name);

		if (same_text(text_of(cell, "frame-size"), size) && cJSON_IsNumber(value) &&
			nb < VALUES_MAX)
			values[nb++] = value->valuedouble;
	}
	if (key.test != NULL && series_of(values, nb, &s))
		line_add(list, &key, &s);
}

static void metrics_add(cJSON *list, const cJSON *test)
{
	const cJSON *cells = member(test, "cells"), *cell, *before;

	cJSON_ArrayForEach(cell, cells)
	{
		const char *size = text_of(cell, "frame-size");
		bool seen = false;

		for (before = cells->child; before != cell && !seen; before = before->next)
			seen = same_text(text_of(before, "frame-size"), size);
		for (unsigned i = 0; !seen && i < metric_nb; i++)
			metric_add(list, test, &metric_table[i], size);
	}
}

cJSON *baseline_of(const cJSON *results)
{
	static const char *const kept[] = {"started", "tgen", "file", "command"};
	cJSON *root = cJSON_CreateObject(), *list;
	const cJSON *test;

	cJSON_AddStringToObject(root, "schema", SCHEMA);
	cJSON_AddNumberToObject(root, "version", VERSION);
	for (size_t i = 0; i < sizeof(kept) / sizeof(kept[0]); i++)
		text_or_null(root, kept[i], text_of(results, kept[i]));
	list = cJSON_AddArrayToObject(root, "figures");
	cJSON_ArrayForEach(test, member(results, "tests"))
	{
		figures_add(list, test);
		metrics_add(list, test);
	}
	return root;
}
