/* SPDX-License-Identifier: BSD-3-Clause */
#include <math.h>
#include <string.h>

#include "html.h"
#include "results_text.h"

/* Charts that compare: variants with the first one, repeats with one another; of a test's main figure. */

#define REPEATS_MAX    10 /* series of their own in the chart; the table of cells has all */
#define CATEGORIES_MAX 64
#define CHANGE_SEEN    10 /* %: the scale shows at least so much */

/* The main figure of a test: the first of its summary. */
static const cJSON *main_line(const cJSON *variant)
{
	return cJSON_GetArrayItem(tree_member(variant, "summary"), 0);
}

static bool is_main(const cJSON *line, const char *figure)
{
	return strcmp(tree_text(line, "figure"), figure) == 0 &&
	       tree_text(line, "scope")[0] == '\0';
}

static const char *size_of(const cJSON *line)
{
	const char *size = tree_text(line, "frame-size");

	return size[0] != '\0' ? size : "as the streams";
}

static bool change_at(const cJSON *variant, const char *figure, const char *size, double *change)
{
	const cJSON *line;

	cJSON_ArrayForEach(line, tree_member(variant, "summary"))
	{
		if (is_main(line, figure) && strcmp(size_of(line), size) == 0)
			return tree_number(line, "change-to-first", change);
	}
	return false;
}

/* How much more or less each variant does than the first. */
static void change(FILE *out, const struct html_test *t)
{
	const char *figure = tree_text(main_line(t->variants[0]), "figure");
	const cJSON *line;
	struct html_chart chart;
	double most = 0;
	char title[320];

	if (t->nb < 2 || figure[0] == '\0')
		return;
	snprintf(title, sizeof(title), "Change of %s against %s", figure,
		tree_text(t->variants[0], "variant"));
	chart = html_chart_new(title, "category", "frame size, bytes with FCS", "change, %", "%");
	cJSON_ArrayForEach(line, tree_member(t->variants[0], "summary"))
	{
		if (is_main(line, figure))
			html_chart_category(&chart, size_of(line));
	}
	for (unsigned v = 1; v < t->nb && v < 12; v++) {
		cJSON *points = html_chart_series(
			&chart, tree_text(t->variants[v], "variant"), "bar", false);
		double i = 0, value;

		cJSON_ArrayForEach(line, tree_member(t->variants[0], "summary"))
		{
			if (!is_main(line, figure))
				continue;
			if (change_at(t->variants[v], figure, size_of(line), &value)) {
				html_point(points, i, value * 100);
				most = fmax(most, fabs(value * 100));
			} else
				html_gap(points);
			i++;
		}
	}
	if (most < CHANGE_SEEN) { /* a scale that makes nothing look like much misleads */
		html_chart_number(&chart, "yMin", -CHANGE_SEEN);
		html_chart_number(&chart, "yMax", CHANGE_SEEN);
	}
	html_chart_write(out, &chart,
		"How much each variant differs from the first one; below zero is less.");
}

/* ---- repeats ---- */

/* What a repeat at the line's size measured; NAN: nothing. */
static double repeat_value(const cJSON *variant, const cJSON *line, int nr)
{
	const cJSON *cell, *figure;

	cJSON_ArrayForEach(cell, tree_member(variant, "cells"))
	{
		double repeat, value;

		if (!tree_number(cell, "repeat", &repeat) || (int)repeat != nr ||
			strcmp(size_of(cell), size_of(line)) != 0 ||
			strcmp(tree_text(cell, "status"), "invalid") == 0)
			continue;
		cJSON_ArrayForEach(figure, tree_member(cell, "figures"))
		{
			if (strcmp(tree_text(figure, "name"), tree_text(line, "figure")) == 0 &&
				tree_text(figure, "scope")[0] == '\0' &&
				tree_number(figure, "value", &value))
				return value;
		}
	}
	return NAN;
}

static void point_or_gap(cJSON *points, double x, double y)
{
	if (isfinite(y))
		html_point(points, x, y);
	else
		html_gap(points);
}

struct repeats {
	struct html_chart chart;
	cJSON *mean, *low, *high, *single[REPEATS_MAX];
	unsigned nb, nb_at; /* repeats; categories so far */
};

static void repeats_at(
	struct repeats *r, const cJSON *variant, const cJSON *line, bool several_variants)
{
	double mean = NAN, half = NAN;
	char name[320];

	snprintf(name, sizeof(name), "%s%s%s",
		several_variants ? tree_text(variant, "variant") : "", several_variants ? ", " : "",
		size_of(line));
	html_chart_category(&r->chart, name);
	tree_number(line, "mean", &mean);
	tree_number(line, "half-95", &half);
	point_or_gap(r->mean, r->nb_at, mean);
	point_or_gap(r->low, r->nb_at, mean - half);
	point_or_gap(r->high, r->nb_at, mean + half);
	for (unsigned i = 0; i < r->nb; i++)
		point_or_gap(r->single[i], r->nb_at, repeat_value(variant, line, (int)i + 1));
	r->nb_at++;
}

static void repeats(FILE *out, const struct html_test *t)
{
	const cJSON *first = main_line(t->variants[0]), *line;
	const char *figure = tree_text(first, "figure");
	struct repeats r = {.nb = 0};
	double nb = 1;
	char title[320];

	if (!tree_number(t->variants[0], "repeats", &nb) || nb < 2 || first == NULL)
		return;
	snprintf(title, sizeof(title), "Repeats: %s", figure);
	r.chart = html_chart_new(title, "category",
		t->nb > 1 ? "variant, frame size" : "frame size", figure, tree_text(first, "unit"));
	r.mean = html_chart_series(&r.chart, "mean", "mean", false);
	r.low = html_chart_series(&r.chart, "mean − 95 %", "low", false);
	r.high = html_chart_series(&r.chart, "mean + 95 %", "high", false);
	r.nb = nb < REPEATS_MAX ? (unsigned)nb : REPEATS_MAX;
	for (unsigned i = 0; i < r.nb; i++) {
		char name[32];

		snprintf(name, sizeof(name), "repeat %u", i + 1);
		r.single[i] = html_chart_series(&r.chart, name, "scatter", false);
	}
	for (unsigned v = 0; v < t->nb; v++)
		cJSON_ArrayForEach(line, tree_member(t->variants[v], "summary"))
		{
			if (is_main(line, figure) && r.nb_at < CATEGORIES_MAX)
				repeats_at(&r, t->variants[v], line, t->nb > 1);
		}
	html_chart_write(out, &r.chart,
		"Each repeat, and the mean of the valid ones; the bar is the range that holds the "
		"true mean with a confidence of 95 %.");
}

void html_compare_charts(FILE *out, const struct html_test *t)
{
	change(out, t);
	repeats(out, t);
}
