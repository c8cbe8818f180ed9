/* SPDX-License-Identifier: BSD-3-Clause */
#include "figures.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const cJSON *member(const cJSON *object, const char *key)
{
	return cJSON_GetObjectItemCaseSensitive(object, key);
}

static const char *text_of(const cJSON *object, const char *key)
{
	const char *text = cJSON_GetStringValue(member(object, key));

	return text != NULL ? text : "";
}

static bool same_key(const struct figure_key *a, const struct figure_key *b)
{
	return strcmp(a->test, b->test) == 0 && strcmp(a->variant, b->variant) == 0 &&
	       strcmp(a->size, b->size) == 0 && strcmp(a->name, b->name) == 0 &&
	       strcmp(a->scope, b->scope) == 0;
}

/* The line of a key, made when it is new. NULL: no memory. */
static struct figure_line *line_of(struct figure_table *table, const struct figure_key *key)
{
	struct figure_line *lines;

	for (unsigned i = 0; i < table->nb_lines; i++)
		if (same_key(&table->lines[i].key, key))
			return &table->lines[i];
	lines = realloc(table->lines, (table->nb_lines + 1) * sizeof(*lines));
	if (lines == NULL)
		return NULL;
	table->lines = lines;
	lines += table->nb_lines;
	*lines = (struct figure_line){
		.key = *key, .of = calloc(table->nb_results, sizeof(*lines->of))};
	if (lines->of == NULL)
		return NULL;
	table->nb_lines++;
	return lines;
}

static bool number_of(const cJSON *object, const char *key, double *value)
{
	const cJSON *node = member(object, key);

	*value = cJSON_IsNumber(node) ? node->valuedouble : NAN;
	return cJSON_IsNumber(node);
}

/* A line of a summary or a baseline: mean, stdev, nb. */
static int summary_add(struct figure_table *table, unsigned result, const struct figure_key *key,
	const cJSON *summary, const char *figure)
{
	struct figure_line *line;
	double mean, stdev, nb;

	if ((figure != NULL && strcmp(figure, key->name) != 0) || key->name[0] == '\0' ||
		!number_of(summary, "mean", &mean) || !number_of(summary, "nb", &nb) ||
		!isfinite(mean) || !(nb >= 1 && nb < 1e9))
		return 0;
	line = line_of(table, key);
	if (line == NULL)
		return -ENOMEM;
	if (!number_of(summary, "stdev", &stdev) || !isfinite(stdev))
		stdev = 0;
	line->of[result] =
		(struct series){.nb = (size_t)nb, .mean = mean, .stdev = stdev, .half_95 = NAN};
	number_of(summary, "half-95", &line->of[result].half_95);
	return 0;
}

static int result_add(
	struct figure_table *table, unsigned result, const cJSON *root, const char *figure)
{
	const cJSON *test, *line;
	int rc = 0;

	cJSON_ArrayForEach(test, member(root, "tests"))
	{
		cJSON_ArrayForEach(line, member(test, "summary"))
		{
			const struct figure_key key = {text_of(test, "name"),
				text_of(test, "variant"), text_of(line, "frame-size"),
				text_of(line, "figure"), text_of(line, "scope"),
				text_of(line, "unit")};

			rc = rc == 0 ? summary_add(table, result, &key, line, figure) : rc;
		}
	}
	cJSON_ArrayForEach(line, member(root, "figures"))
	{
		const struct figure_key key = {text_of(line, "test"), text_of(line, "variant"),
			text_of(line, "frame-size"), text_of(line, "figure"),
			text_of(line, "scope"), text_of(line, "unit")};

		rc = rc == 0 ? summary_add(table, result, &key, line, figure) : rc;
	}
	return rc;
}

int figure_table_make(
	struct figure_table *table, const cJSON *const *results, unsigned nb, const char *figure)
{
	int rc = 0;

	*table = (struct figure_table){.nb_results = nb};
	for (unsigned i = 0; rc == 0 && i < nb; i++)
		rc = result_add(table, i, results[i], figure);
	return rc;
}

void figure_table_fini(struct figure_table *table)
{
	for (unsigned i = 0; i < table->nb_lines; i++)
		free(table->lines[i].of);
	free(table->lines);
}

void figure_key_print(FILE *out, const struct figure_key *key)
{
	char test[160], name[160];

	snprintf(test, sizeof(test), "%s%s%s", key->test, key->variant[0] != '\0' ? "/" : "",
		key->variant);
	snprintf(name, sizeof(name), "%s%s%s%s", key->name, key->scope[0] != '\0' ? " (" : "",
		key->scope, key->scope[0] != '\0' ? ")" : "");
	fprintf(out, "%-28s %-10s %-28s", test, key->size[0] != '\0' ? key->size : "-", name);
}

/* Base units and what people read instead of them. */
static const struct {
	const char *unit, *shown;
	double at_least, factor;
} shown[] = {
	{"ns", "s", 1e9, 1e9},
	{"ns", "ms", 1e6, 1e6},
	{"ns", "us", 1e3, 1e3},
	{"bps", "Gbit/s", 1e9, 1e9},
	{"bps", "Mbit/s", 1e6, 1e6},
	{"bps", "kbit/s", 1e3, 1e3},
	{"pps", "Mpps", 1e6, 1e6},
	{"pps", "kpps", 1e3, 1e3},
	{"ratio", "%", 0, 0.01},
};

const char *figure_text(char out[48], double value, const char *unit)
{
	for (size_t i = 0; i < sizeof(shown) / sizeof(shown[0]); i++) {
		if (strcmp(shown[i].unit, unit) != 0 || fabs(value) < shown[i].at_least)
			continue;
		snprintf(out, 48, "%.5g %s", value / shown[i].factor, shown[i].shown);
		return out;
	}
	snprintf(out, 48, "%.5g%s%s", value, unit[0] != '\0' ? " " : "", unit);
	return out;
}
