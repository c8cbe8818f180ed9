/* SPDX-License-Identifier: BSD-3-Clause */
#include <errno.h>
#include <math.h>
#include <string.h>

#include "results_text.h"
#include "tgen/results.h"

/* Prometheus's text format, for the textfile collector: figures and statuses of the last run. */

static void label(FILE *out, const char *name, const char *value, bool first)
{
	fprintf(out, "%s%s=\"", first ? "" : ",", name);
	for (; *value != '\0'; value++) {
		if (*value == '\n')
			fputs("\\n", out);
		else if (*value == '\\' || *value == '"')
			fprintf(out, "\\%c", *value);
		else
			fputc(*value, out);
	}
	fputc('"', out);
}

static void number(FILE *out, double value)
{
	if (isinf(value))
		fputs(value > 0 ? "+Inf" : "-Inf", out);
	else
		text_write_number(out, value);
	fputc('\n', out);
}

static void head(FILE *out, const char *name, const char *help)
{
	fprintf(out, "# HELP %s %s\n# TYPE %s gauge\n", name, help, name);
}

static void test_labels(FILE *out, const cJSON *test)
{
	label(out, "test", tree_text(test, "name"), true);
	label(out, "variant", tree_text(test, "variant"), false);
}

static void cell_labels(FILE *out, const cJSON *test, const cJSON *cell)
{
	char text[400];
	double repeat = 1;

	tree_number(cell, "repeat", &repeat);
	snprintf(text, sizeof(text), "%.0f", repeat);
	test_labels(out, test);
	label(out, "frame_size", tree_text(cell, "frame-size"), false);
	label(out, "repeat", text, false);
}

/* A name that a procedure gives twice in a cell: the first one counts, a series is one. */
static bool is_repeated(const cJSON *figures, const cJSON *figure)
{
	const cJSON *other;

	cJSON_ArrayForEach(other, figures)
	{
		if (other == figure)
			return false;
		if (strcmp(tree_text(other, "name"), tree_text(figure, "name")) == 0 &&
			strcmp(tree_text(other, "scope"), tree_text(figure, "scope")) == 0)
			return true;
	}
	return false;
}

static void figures(FILE *out, const cJSON *test, const cJSON *cell)
{
	const cJSON *list = tree_member(cell, "figures"), *figure;
	double value;

	cJSON_ArrayForEach(figure, list)
	{
		if (!tree_number(figure, "value", &value) || is_repeated(list, figure))
			continue;
		fputs("tgen_figure{", out);
		cell_labels(out, test, cell);
		label(out, "figure", tree_text(figure, "name"), false);
		label(out, "scope", tree_text(figure, "scope"), false);
		label(out, "unit", tree_text(figure, "unit"), false);
		fputs("} ", out);
		number(out, value);
	}
}

static double status_number(const char *status)
{
	static const char *const words[] = {
		"pass", "fail", "invalid", "skip", "error", "interrupted"};

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (strcmp(words[i], status) == 0)
			return (double)i;
	return -1;
}

typedef void each_cell(FILE *out, const cJSON *test, const cJSON *cell);

static void for_cells(FILE *out, const cJSON *root, each_cell *each)
{
	const cJSON *test, *cell;

	cJSON_ArrayForEach(test, tree_member(root, "tests"))
	{
		cJSON_ArrayForEach(cell, tree_member(test, "cells")) each(out, test, cell);
	}
}

static void cell_status(FILE *out, const cJSON *test, const cJSON *cell)
{
	fputs("tgen_cell_status{", out);
	cell_labels(out, test, cell);
	fputs("} ", out);
	number(out, status_number(tree_text(cell, "status")));
}

static void cell_trials(FILE *out, const cJSON *test, const cJSON *cell)
{
	fputs("tgen_cell_trials{", out);
	cell_labels(out, test, cell);
	fputs("} ", out);
	number(out, cJSON_GetArraySize(tree_member(cell, "trials")));
}

static void cell_seconds(FILE *out, const cJSON *test, const cJSON *cell)
{
	double value = 0;

	tree_number(cell, "seconds", &value);
	fputs("tgen_cell_duration_seconds{", out);
	cell_labels(out, test, cell);
	fputs("} ", out);
	number(out, value);
}

int results_prometheus(const cJSON *root, FILE *out)
{
	const cJSON *test;

	head(out, "tgen_run_status", "0 pass, 1 fail, 2 invalid, 3 skip, 4 error, 5 interrupted");
	fputs("tgen_run_status{", out);
	label(out, "file", tree_text(root, "file"), true);
	label(out, "version", tree_text(root, "tgen"), false);
	fputs("} ", out);
	number(out, status_number(tree_text(root, "status")));
	head(out, "tgen_test_status", "0 pass, 1 fail, 2 invalid, 3 skip, 4 error, 5 interrupted");
	cJSON_ArrayForEach(test, tree_member(root, "tests"))
	{
		fputs("tgen_test_status{", out);
		test_labels(out, test);
		fputs("} ", out);
		number(out, status_number(tree_text(test, "status")));
	}
	head(out, "tgen_cell_status", "0 pass, 1 fail, 2 invalid, 3 skip, 4 error, 5 interrupted");
	for_cells(out, root, cell_status);
	head(out, "tgen_cell_trials", "trials of a cell");
	for_cells(out, root, cell_trials);
	head(out, "tgen_cell_duration_seconds", "time that a cell took");
	for_cells(out, root, cell_seconds);
	head(out, "tgen_figure", "what a test found, in the unit of its label");
	for_cells(out, root, figures);
	return ferror(out) != 0 ? -EIO : 0;
}
