/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <stdbool.h>
#include <stdio.h>

#include <cjson/cJSON.h>

/* Parts of report.html: static text, tables and sketch; charts are drawn by report.js from their data. */

/* A value as people read it, escaped: `812.3 kpps`, `1.2 ms`, `0.1 %`. */
void html_value(FILE *out, double value, const char *unit);
/* The same of a member of an object; a dash when it is not known. */
void html_member(FILE *out, const cJSON *object, const char *key, const char *unit);
/* Verdict as word and sign, never by colour alone. */
void html_status(FILE *out, const char *status);
/* `<h3>` with text that may be anything. */
void html_heading(FILE *out, unsigned level, const char *id, const char *text);
/* One fact of a `<dl class="facts">`; nothing when the text is empty. */
void html_fact(FILE *out, const char *name, const char *text);
/* JSON within a script element: nothing in it ends the element. */
void html_json(FILE *out, const cJSON *node);

/* ---- html_chart.c ---- */

struct html_chart {
	cJSON *node, *series;
};
/* kind of the x axis: category, value or percentile. */
struct html_chart html_chart_new(
	const char *title, const char *kind, const char *x, const char *y, const char *unit);
/* A new series, with its list of points; style: line, bar, scatter; mean, low and high
 * together make a mean with its error bar. */
cJSON *html_chart_series(struct html_chart *chart, const char *name, const char *style, bool dash);
/* A point; of a chart of categories x is not looked at: points follow the categories. */
void html_point(cJSON *points, double x, double y);
void html_gap(cJSON *points); /* a category without a value */
void html_chart_category(struct html_chart *chart, const char *name);
void html_chart_number(struct html_chart *chart, const char *key, double value);
/* Figure, text alternative and the data as a table; frees. Nothing when there is no point. */
void html_chart_write(FILE *out, struct html_chart *chart, const char *alt);

/* ---- html_test.c, html_parts.c ---- */

/* All variants of a test: nodes of the tree, the first variant first. */
struct html_test {
	const cJSON **variants;
	unsigned nb;
};
void html_test_write(FILE *out, const struct html_test *test, unsigned nr);
void html_test_charts(FILE *out, const struct html_test *test);
/* Charts of variants against the first, and of repeats; html_compare.c */
void html_compare_charts(FILE *out, const struct html_test *test);
void html_commands(FILE *out, const cJSON *list);
void html_sketch(FILE *out, const cJSON *root);
void html_circumstances(FILE *out, const cJSON *root);
void html_appendix(FILE *out, const cJSON *root);
