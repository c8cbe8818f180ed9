/* SPDX-License-Identifier: BSD-3-Clause */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "html.h"
#include "results_text.h"

/* The charts of a test. */

#define SERIES_MAX 12 /* of one chart; more cannot be told apart */
#define SIZES_MAX  64

struct sizes {
	const char *names[SIZES_MAX];
	unsigned nb;
};

static bool same_text(const char *a, const char *b)
{
	return strcmp(a, b) == 0;
}

/* Frame sizes of a test in the order of its cells; "" stands for as the streams have it. */
static struct sizes sizes_of(const struct html_test *t)
{
	struct sizes sizes = {.nb = 0};

	for (unsigned v = 0; v < t->nb; v++) {
		const cJSON *cell;

		cJSON_ArrayForEach(cell, tree_member(t->variants[v], "cells"))
		{
			const char *size = tree_text(cell, "frame-size");
			unsigned i = 0;

			while (i < sizes.nb && !same_text(sizes.names[i], size))
				i++;
			if (i == sizes.nb && sizes.nb < SIZES_MAX)
				sizes.names[sizes.nb++] = size;
		}
	}
	return sizes;
}

static const char *size_text(const char *size)
{
	return size[0] != '\0' ? size : "as the streams";
}

static const char *variant_text(const cJSON *variant)
{
	const char *name = tree_text(variant, "variant");

	return name[0] != '\0' ? name : "measured";
}

/* The mean of a figure without scope, over the repeats of a size; false: not known. */
static bool mean_of(const cJSON *variant, const char *size, const char *figure, double *value)
{
	const cJSON *line;

	cJSON_ArrayForEach(line, tree_member(variant, "summary"))
	{
		if (same_text(tree_text(line, "frame-size"), size) &&
			same_text(tree_text(line, "figure"), figure) &&
			tree_text(line, "scope")[0] == '\0')
			return tree_number(line, "mean", value) && isfinite(*value);
	}
	return false;
}

static bool any_has(const struct html_test *t, const struct sizes *sizes, const char *figure)
{
	double value;

	for (unsigned v = 0; v < t->nb; v++)
		for (unsigned i = 0; i < sizes->nb; i++)
			if (mean_of(t->variants[v], sizes->names[i], figure, &value))
				return true;
	return false;
}

/* ---- figures against the size, a series a variant ---- */

/* False: the speed of the line is not known. */
static bool line_rate(
	struct html_chart *chart, const struct html_test *t, const struct sizes *sizes)
{
	cJSON *points = NULL;

	for (unsigned i = 0; i < sizes->nb; i++) {
		const cJSON *cell;
		double line = NAN;

		cJSON_ArrayForEach(cell, tree_member(t->variants[0], "cells"))
		{
			if (same_text(tree_text(cell, "frame-size"), sizes->names[i]))
				tree_number(cell, "line-pps", &line);
		}
		if (points == NULL && !isfinite(line))
			return false;
		if (points == NULL)
			points = html_chart_series(chart, "line (theoretical)", "line", true);
		if (isfinite(line))
			html_point(points, i, line);
		else
			html_gap(points);
	}
	return true;
}

static void by_size(FILE *out, const struct html_test *t, const struct sizes *sizes,
	const char *figure, const char *title, const char *y, const char *unit, bool theoretical)
{
	const char *style = t->nb > 1 || sizes->nb == 1 ? "bar" : "line";
	struct html_chart chart;

	if (!any_has(t, sizes, figure))
		return;
	chart = html_chart_new(title, "category", "frame size, bytes with FCS", y, unit);
	html_chart_number(&chart, "yMin", 0);
	for (unsigned i = 0; i < sizes->nb; i++)
		html_chart_category(&chart, size_text(sizes->names[i]));
	for (unsigned v = 0; v < t->nb && v < SERIES_MAX; v++) {
		cJSON *points =
			html_chart_series(&chart, variant_text(t->variants[v]), style, false);

		for (unsigned i = 0; i < sizes->nb; i++) {
			double value;

			if (mean_of(t->variants[v], sizes->names[i], figure, &value))
				html_point(points, i, value);
			else
				html_gap(points);
		}
	}
	theoretical = theoretical && line_rate(&chart, t, sizes);
	html_chart_write(out, &chart,
		theoretical ? "Against the frame size, with the rate of the line as a dashed line."
			    : "Against the frame size, one series a variant.");
}

/* ---- latency against the size ---- */

static const char *const latencies[][2] = {{"latency-min", "least"}, {"latency-mean", "mean"},
	{"latency-p99", "99 %"}, {"latency-max", "most"}};

static void latency_point(
	cJSON *points, unsigned at, const cJSON *variant, const char *size, const char *figure)
{
	double value;

	if (mean_of(variant, size, figure, &value) && value > 0)
		html_point(points, at, value);
	else
		html_gap(points);
}

/* One size: the variants side by side. */
static void latency_by_variant(FILE *out, const struct html_test *t, const char *size)
{
	struct html_chart chart = html_chart_new("Latency", "category", "variant", "latency", "ns");

	cJSON_AddTrueToObject(chart.node, "yLog");
	for (unsigned v = 0; v < t->nb; v++)
		html_chart_category(&chart, variant_text(t->variants[v]));
	for (unsigned f = 0; f < 4; f++) {
		cJSON *points = html_chart_series(&chart, latencies[f][1], "bar", false);

		for (unsigned v = 0; v < t->nb; v++)
			latency_point(points, v, t->variants[v], size, latencies[f][0]);
	}
	html_chart_write(
		out, &chart, "Least, mean, 99 % and most of each variant, on a logarithmic axis.");
}

static void latency_by_size(FILE *out, const struct html_test *t, const struct sizes *sizes)
{
	if (sizes->nb == 1 && t->nb > 1) {
		latency_by_variant(out, t, sizes->names[0]);
		return;
	}
	for (unsigned v = 0; v < t->nb && v < SERIES_MAX; v++) {
		struct html_test one = {.variants = &t->variants[v], .nb = 1};
		struct html_chart chart;
		char title[640];

		if (!any_has(&one, sizes, "latency-mean"))
			continue;
		snprintf(title, sizeof(title), "Latency%s%s", t->nb > 1 ? ", " : "",
			t->nb > 1 ? variant_text(t->variants[v]) : "");
		chart = html_chart_new(
			title, "category", "frame size, bytes with FCS", "latency", "ns");
		cJSON_AddTrueToObject(chart.node, "yLog");
		for (unsigned i = 0; i < sizes->nb; i++)
			html_chart_category(&chart, size_text(sizes->names[i]));
		for (unsigned f = 0; f < 4; f++) {
			cJSON *points = html_chart_series(
				&chart, latencies[f][1], sizes->nb > 1 ? "line" : "bar", false);

			for (unsigned i = 0; i < sizes->nb; i++)
				latency_point(points, i, t->variants[v], sizes->names[i],
					latencies[f][0]);
		}
		html_chart_write(out, &chart,
			"Least, mean, 99 % and most against the frame size, on a logarithmic "
			"axis.");
	}
}

/* ---- loss against load ---- */

struct point {
	double x, y;
};

static int by_x(const void *a, const void *b)
{
	double x = ((const struct point *)a)->x, y = ((const struct point *)b)->x;

	return (x > y) - (x < y);
}

static double highest_load(const struct html_test *t)
{
	const cJSON *cell, *trial;
	double most = 0, pps;

	for (unsigned v = 0; v < t->nb; v++)
		cJSON_ArrayForEach(cell, tree_member(t->variants[v], "cells"))
		{
			cJSON_ArrayForEach(trial, tree_member(cell, "trials"))
			{
				if (tree_number(tree_member(trial, "load"), "sent-pps", &pps) &&
					pps > most)
					most = pps;
			}
		}
	return most;
}

/* Loss and load of the valid trials of a size, by load; their number. */
static unsigned loads_of(const cJSON *variant, const char *size, double most, struct point *out,
	unsigned room, bool *of_line)
{
	const cJSON *cell, *trial;
	unsigned nb = 0;

	cJSON_ArrayForEach(cell, tree_member(variant, "cells"))
	{
		if (!same_text(tree_text(cell, "frame-size"), size))
			continue;
		cJSON_ArrayForEach(trial, tree_member(cell, "trials"))
		{
			const cJSON *load = tree_member(trial, "load");
			double pps, line, loss;

			if (!cJSON_IsTrue(tree_member(trial, "valid")) || nb == room ||
				!tree_number(load, "sent-pps", &pps) ||
				!tree_number(tree_member(trial, "total"), "lost-ratio", &loss))
				continue;
			*of_line = tree_number(load, "sent-line-ratio", &line);
			out[nb++] = (struct point){*of_line   ? line * 100
						   : most > 0 ? pps / most * 100
							      : 0,
				loss * 100};
		}
	}
	qsort(out, nb, sizeof(*out), by_x);
	return nb;
}

static void loss_by_load(FILE *out, const struct html_test *t, const struct sizes *sizes)
{
	double most = highest_load(t);
	struct html_chart chart =
		html_chart_new("Loss against load", "value", "load, %", "frames lost, %", "%");
	bool of_line = false, several = false;
	unsigned nb_series = 0;

	html_chart_number(&chart, "xMin", 0);
	html_chart_number(&chart, "xMax", 100);
	html_chart_number(&chart, "yMin", 0);
	html_chart_number(&chart, "yMax", 100);
	for (unsigned v = 0; v < t->nb; v++)
		for (unsigned i = 0; i < sizes->nb && nb_series < SERIES_MAX; i++) {
			struct point points[512];
			unsigned nb = loads_of(
				t->variants[v], sizes->names[i], most, points, 512, &of_line);
			char name[256];
			cJSON *list;

			if (nb < 2)
				continue;
			several |= points[0].x != points[nb - 1].x;
			snprintf(name, sizeof(name), "%s%s%s",
				t->nb > 1 ? variant_text(t->variants[v]) : "",
				t->nb > 1 ? ", " : "", size_text(sizes->names[i]));
			list = html_chart_series(&chart, name, "line", false);
			for (unsigned k = 0; k < nb; k++)
				html_point(list, points[k].x, points[k].y);
			nb_series++;
		}
	if (several)
		html_chart_write(out, &chart,
			of_line ? "Every valid trial: the load that was sent as a share of the "
				  "line, and "
				  "what of it was lost."
				: "Every valid trial: the load that was sent as a share of the "
				  "highest one, "
				  "as the speed of the line is not known, and what of it was "
				  "lost.");
	else
		cJSON_Delete(chart.node);
}

/* ---- of one trial ---- */

/* The last valid trial of a size's last cell, warm-ups aside. */
static const cJSON *last_trial(const cJSON *variant, const char *size)
{
	const cJSON *cell, *trial, *last = NULL;

	cJSON_ArrayForEach(cell, tree_member(variant, "cells"))
	{
		if (!same_text(tree_text(cell, "frame-size"), size))
			continue;
		cJSON_ArrayForEach(trial, tree_member(cell, "trials"))
		{
			if (cJSON_IsTrue(tree_member(trial, "valid")) &&
				!same_text(tree_text(trial, "purpose"), "warm-up"))
				last = trial;
		}
	}
	return last;
}

static void percentiles(FILE *out, const struct html_test *t, const struct sizes *sizes)
{
	struct html_chart chart = html_chart_new(
		"Distribution of latency", "percentile", "share of the frames, %", "latency", "ns");
	unsigned nb_series = 0;

	cJSON_AddTrueToObject(chart.node, "yLog");
	for (unsigned v = 0; v < t->nb; v++)
		for (unsigned i = 0; i < sizes->nb && nb_series < SERIES_MAX; i++) {
			const cJSON *trial = last_trial(t->variants[v], sizes->names[i]), *pair;
			const cJSON *curve =
				tree_member(tree_member(trial, "latency"), "percentiles");
			char name[256];
			cJSON *points;

			if (cJSON_GetArraySize(curve) == 0)
				continue;
			snprintf(name, sizeof(name), "%s%s%s",
				t->nb > 1 ? variant_text(t->variants[v]) : "",
				t->nb > 1 ? ", " : "", size_text(sizes->names[i]));
			points = html_chart_series(&chart, name, "line", false);
			cJSON_ArrayForEach(pair, curve)
			{
				const cJSON *x = cJSON_GetArrayItem(pair, 0),
					    *y = cJSON_GetArrayItem(pair, 1);

				if (cJSON_IsNumber(x) && cJSON_IsNumber(y) && y->valuedouble > 0)
					html_point(points, x->valuedouble, y->valuedouble);
			}
			nb_series++;
		}
	html_chart_write(out, &chart,
		"Of the last trial of each size: the latency that so many frames do not exceed; "
		"both axes "
		"are logarithmic, to the right towards the slowest frames.");
}

static void series_of(struct html_chart *chart, const cJSON *points, const char *key,
	const char *name, double factor)
{
	cJSON *list = html_chart_series(chart, name, "line", false);
	const cJSON *point;

	cJSON_ArrayForEach(point, points)
	{
		double t, value;

		if (tree_number(point, "t", &t) && tree_number(point, key, &value))
			html_point(list, t, value * factor);
	}
}

static void time_of_trial(FILE *out, const cJSON *trial, const char *name)
{
	static const struct {
		const char *title, *unit, *keys[3], *names[3];
		double factor;
	} charts[] = {
		{"Rate over time", "pps", {"tx-pps", "rx-pps", NULL}, {"sent", "received", NULL},
			1},
		{"Loss over time", "%", {"lost-ratio", NULL, NULL}, {"frames lost", NULL, NULL},
			100},
		{"Latency over time", "ns", {"lat-mean", "lat-p99", "lat-max"},
			{"mean", "99 %", "most"}, 1},
	};
	const cJSON *points = tree_member(trial, "intervals");

	for (size_t i = 0;
		cJSON_GetArraySize(points) >= 3 && i < sizeof(charts) / sizeof(charts[0]); i++) {
		char title[640];
		struct html_chart chart;

		snprintf(title, sizeof(title), "%s, %s", charts[i].title, name);
		chart = html_chart_new(title, "value", "seconds", charts[i].title, charts[i].unit);
		html_chart_number(&chart, "yMin", 0);
		for (unsigned k = 0; k < 3 && charts[i].keys[k] != NULL; k++)
			series_of(&chart, points, charts[i].keys[k], charts[i].names[k],
				charts[i].factor);
		html_chart_write(out, &chart, "Each second of the last trial.");
	}
}

/* What the device said of itself meanwhile. */
static void probe_of_trial(FILE *out, const cJSON *trial, const char *name)
{
	const cJSON *points = tree_member(trial, "probe"), *point;
	const cJSON *first = tree_member(cJSON_GetArrayItem(points, 0), "values"), *value;
	unsigned nb = 0;

	if (cJSON_GetArraySize(points) < 2)
		return;
	cJSON_ArrayForEach(value, first)
	{
		struct html_chart chart;
		char title[640];
		cJSON *list;

		if (nb++ == SERIES_MAX)
			break;
		snprintf(title, sizeof(title), "The device: %s, %s", value->string, name);
		chart = html_chart_new(title, "value", "seconds", value->string, "");
		list = html_chart_series(&chart, value->string, "line", false);
		cJSON_ArrayForEach(point, points)
		{
			double t, y;

			if (tree_number(point, "t", &t) &&
				tree_number(tree_member(point, "values"), value->string, &y))
				html_point(list, t, y);
		}
		html_chart_write(out, &chart, "What the probe printed each second of the trial.");
	}
}

/* One trial a variant: the pictures of all would be no help. */
static void times(FILE *out, const struct html_test *t, const struct sizes *sizes)
{
	for (unsigned v = 0; v < t->nb && v < SERIES_MAX; v++) {
		const cJSON *trial = last_trial(t->variants[v], sizes->names[0]);
		char name[256];

		snprintf(name, sizeof(name), "%s%s%s",
			t->nb > 1 ? variant_text(t->variants[v]) : "", t->nb > 1 ? ", " : "",
			size_text(sizes->names[0]));
		time_of_trial(out, trial, name);
		probe_of_trial(out, trial, name);
	}
}

/* The first figure of a test that has none of those with a chart of their own. */
static const cJSON *first_figure(const struct html_test *t)
{
	return cJSON_GetArrayItem(tree_member(t->variants[0], "summary"), 0);
}

void html_test_charts(FILE *out, const struct html_test *t)
{
	struct sizes sizes = sizes_of(t);
	const cJSON *first = first_figure(t);

	if (sizes.nb == 0)
		return;
	by_size(out, t, &sizes, "throughput", "Throughput", "packets/s of each port", "pps", true);
	by_size(out, t, &sizes, "throughput-line-ratio", "Throughput, of the line",
		"share of the line", "ratio", false);
	by_size(out, t, &sizes, "throughput-l1-bps", "Throughput on the wire (layer 1)",
		"bit/s of each port", "bps", false);
	if (first != NULL && strncmp(tree_text(first, "figure"), "throughput", 10) != 0)
		by_size(out, t, &sizes, tree_text(first, "figure"), tree_text(first, "figure"),
			tree_text(first, "figure"), tree_text(first, "unit"), false);
	html_compare_charts(out, t);
	loss_by_load(out, t, &sizes);
	latency_by_size(out, t, &sizes);
	percentiles(out, t, &sizes);
	times(out, t, &sizes);
}
