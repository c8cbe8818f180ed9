/* SPDX-License-Identifier: BSD-3-Clause */
#include <math.h>
#include <string.h>

#include "html.h"
#include "results_text.h"

/* A chart's data: what report.js draws, and the table that says the same. */

#define ROWS_MAX 200 /* of the table; a longer series is thinned out there */

struct html_chart html_chart_new(
	const char *title, const char *kind, const char *x, const char *y, const char *unit)
{
	struct html_chart chart = {.node = cJSON_CreateObject()};

	cJSON_AddStringToObject(chart.node, "title", title);
	cJSON_AddStringToObject(chart.node, "xType", kind);
	cJSON_AddStringToObject(chart.node, "xLabel", x);
	cJSON_AddStringToObject(chart.node, "yLabel", y);
	cJSON_AddStringToObject(chart.node, "unit", unit);
	if (strcmp(kind, "category") == 0)
		cJSON_AddArrayToObject(chart.node, "categories");
	chart.series = cJSON_AddArrayToObject(chart.node, "series");
	return chart;
}

cJSON *html_chart_series(struct html_chart *chart, const char *name, const char *style, bool dash)
{
	cJSON *one = cJSON_CreateObject();

	cJSON_AddStringToObject(one, "name", name);
	cJSON_AddStringToObject(one, "type", style);
	cJSON_AddBoolToObject(one, "dash", dash);
	cJSON_AddItemToArray(chart->series, one);
	return cJSON_AddArrayToObject(one, "data");
}

void html_point(cJSON *points, double x, double y)
{
	cJSON *pair;

	if (!isfinite(x) || !isfinite(y))
		return;
	pair = cJSON_CreateArray();
	cJSON_AddItemToArray(pair, cJSON_CreateNumber(x));
	cJSON_AddItemToArray(pair, cJSON_CreateNumber(y));
	cJSON_AddItemToArray(points, pair);
}

void html_gap(cJSON *points)
{
	cJSON_AddItemToArray(points, cJSON_CreateNull());
}

void html_chart_category(struct html_chart *chart, const char *name)
{
	cJSON_AddItemToArray(cJSON_GetObjectItemCaseSensitive(chart->node, "categories"),
		cJSON_CreateString(name));
}

void html_chart_number(struct html_chart *chart, const char *key, double value)
{
	cJSON_AddNumberToObject(chart->node, key, value);
}

static unsigned nb_points(const struct html_chart *chart)
{
	const cJSON *one, *point;
	unsigned nb = 0;

	cJSON_ArrayForEach(one, chart->series)
	{
		cJSON_ArrayForEach(point, tree_member(one, "data")) nb += !cJSON_IsNull(point);
	}
	return nb;
}

/* ---- the table ---- */

static void cell(FILE *out, double value, const char *unit)
{
	fputs("<td class=\"n\">", out);
	html_value(out, value, unit);
	fputs("</td>", out);
}

static void head(FILE *out, const struct html_chart *chart, const char *const *names, unsigned nb)
{
	fputs("<div class=\"scroll\"><table><caption>", out);
	text_write_xml(out, tree_text(chart->node, "title"));
	fputs("</caption><thead><tr>", out);
	for (unsigned i = 0; i < nb; i++) {
		fputs("<th scope=\"col\">", out);
		text_write_xml(out, names[i]);
		fputs("</th>", out);
	}
	fputs("</tr></thead><tbody>\n", out);
}

static double second(const cJSON *point)
{
	const cJSON *y = cJSON_GetArrayItem(point, 1);

	return cJSON_IsNumber(y) ? y->valuedouble : NAN;
}

/* A row a category, a column a series. */
static void table_of_categories(FILE *out, const struct html_chart *chart)
{
	const char *unit = tree_text(chart->node, "unit");
	const cJSON *names = tree_member(chart->node, "categories"), *name, *one;
	int i = 0;

	fputs("<div class=\"scroll\"><table><caption>", out);
	text_write_xml(out, tree_text(chart->node, "title"));
	fputs("</caption><thead><tr><th scope=\"col\">", out);
	text_write_xml(out, tree_text(chart->node, "xLabel"));
	fputs("</th>", out);
	cJSON_ArrayForEach(one, chart->series)
	{
		fputs("<th scope=\"col\" class=\"n\">", out);
		text_write_xml(out, tree_text(one, "name"));
		fputs("</th>", out);
	}
	fputs("</tr></thead><tbody>\n", out);
	cJSON_ArrayForEach(name, names)
	{
		fputs("<tr><th scope=\"row\">", out);
		text_write_xml(out, cJSON_GetStringValue(name));
		fputs("</th>", out);
		cJSON_ArrayForEach(one, chart->series)
		{
			double y = second(cJSON_GetArrayItem(tree_member(one, "data"), i));

			if (isnan(y))
				fputs("<td class=\"n\">–</td>", out);
			else
				cell(out, y, unit);
		}
		fputs("</tr>\n", out);
		i++;
	}
	fputs("</tbody></table></div>\n", out);
}

/* A row a point. */
static void table_of_points(FILE *out, const struct html_chart *chart)
{
	const char *const names[] = {
		"series", tree_text(chart->node, "xLabel"), tree_text(chart->node, "yLabel")};
	const char *unit = tree_text(chart->node, "unit");
	unsigned step = nb_points(chart) / ROWS_MAX + 1, at = 0;
	const cJSON *one, *point;

	head(out, chart, names, 3);
	cJSON_ArrayForEach(one, chart->series)
	{
		cJSON_ArrayForEach(point, tree_member(one, "data"))
		{
			const cJSON *x = cJSON_GetArrayItem(point, 0);

			if (at++ % step != 0 || x == NULL)
				continue;
			fputs("<tr><td>", out);
			text_write_xml(out, tree_text(one, "name"));
			fputs("</td>", out);
			cell(out, x->valuedouble, "");
			cell(out, second(point), unit);
			fputs("</tr>\n", out);
		}
	}
	fputs("</tbody></table></div>\n", out);
	if (step > 1)
		fprintf(out,
			"<p class=\"soft\">Every %uth point; all of them are in "
			"results.json.</p>\n",
			step);
}

void html_chart_write(FILE *out, struct html_chart *chart, const char *alt)
{
	bool categories = strcmp(tree_text(chart->node, "xType"), "category") == 0;

	if (nb_points(chart) > 0) {
		char whole[1024];

		snprintf(whole, sizeof(whole), "%s. %s The figures are in the table below.",
			tree_text(chart->node, "title"), alt);
		cJSON_AddStringToObject(chart->node, "alt", whole);
		fputs("<figure class=\"chart\">\n<figcaption>", out);
		text_write_xml(out, tree_text(chart->node, "title"));
		fputs(" <span class=\"soft\">", out);
		text_write_xml(out, alt);
		fputs("</span></figcaption>\n<div class=\"plot\" role=\"img\" aria-label=\"", out);
		text_write_xml(out, tree_text(chart->node, "alt"));
		fputs("\"></div>\n<script type=\"application/json\">", out);
		html_json(out, chart->node);
		fputs("</script>\n<details><summary>The figures of this chart</summary>\n", out);
		if (categories)
			table_of_categories(out, chart);
		else
			table_of_points(out, chart);
		fputs("</details>\n</figure>\n", out);
	}
	cJSON_Delete(chart->node);
	chart->node = chart->series = NULL;
}
