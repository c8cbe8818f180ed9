/* SPDX-License-Identifier: BSD-3-Clause */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "html.h"
#include "results_text.h"
#include "tgen/results.h"

/*
 * report.html: one file with all in it. Text, tables and the sketch are here; report.js draws the charts
 * (Apache ECharts) from the data beside them.
 */

extern const char report_css[], report_js[];

static const char *title_of(const cJSON *root)
{
	const char *title = tree_text(tree_member(root, "meta"), "title");

	return title[0] != '\0' ? title : tree_text(root, "file");
}

static void head(FILE *out, const cJSON *root)
{
	fputs("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<meta "
	      "name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<meta "
	      "name=\"color-scheme\" content=\"light dark\">\n<title>",
		out);
	text_write_xml(out, title_of(root));
	fputs("</title>\n<style>\n", out);
	fputs(report_css, out);
	fputs("</style>\n</head>\n<body>\n", out);
}

static void facts(FILE *out, const cJSON *root)
{
	const cJSON *one;

	fputs("<dl class=\"facts\">\n", out);
	cJSON_ArrayForEach(one, tree_member(root, "meta"))
	{
		if (strcmp(one->string, "title") == 0 || cJSON_GetStringValue(one) == NULL)
			continue;
		fputs("<dt>", out);
		text_write_xml(out, one->string);
		fputs("</dt><dd>", out);
		text_write_xml(out, one->valuestring);
		fputs("</dd>\n", out);
	}
	html_fact(out, "begun", tree_text(root, "started"));
	html_fact(out, "ended", tree_text(root, "ended"));
	html_fact(out, "file", tree_text(root, "file"));
	fputs("</dl>\n", out);
}

static unsigned count(const cJSON *root, const char *status)
{
	const cJSON *test, *cell;
	unsigned nb = 0;

	cJSON_ArrayForEach(test, tree_member(root, "tests"))
	{
		cJSON_ArrayForEach(cell, tree_member(test, "cells")) nb +=
			strcmp(tree_text(cell, "status"), status) == 0;
	}
	return nb;
}

static void verdict(FILE *out, const cJSON *root)
{
	static const char *const words[] = {
		"pass", "fail", "invalid", "skip", "error", "interrupted"};
	const char *separator = "";

	fputs("<p class=\"verdict\">", out);
	html_status(out, tree_text(root, "status"));
	fputs(" <span class=\"soft\">", out);
	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		unsigned nb = count(root, words[i]);

		if (nb == 0)
			continue;
		fprintf(out, "%s%u %s", separator, nb, words[i]);
		separator = ", ";
	}
	fputs("</span></p>\n", out);
}

/* ---- tests by name, their variants together ---- */

static unsigned tests_of(const cJSON *root, struct html_test **out)
{
	const cJSON *node;
	struct html_test *tests =
		calloc((size_t)cJSON_GetArraySize(tree_member(root, "tests")) + 1, sizeof(*tests));
	unsigned nb = 0;

	*out = tests;
	cJSON_ArrayForEach(node, tree_member(root, "tests"))
	{
		unsigned i = 0;
		const cJSON **more;

		while (tests != NULL && i < nb &&
			strcmp(tree_text(tests[i].variants[0], "name"), tree_text(node, "name")) !=
				0)
			i++;
		if (tests == NULL)
			return 0;
		more = realloc(tests[i].variants, (tests[i].nb + 1) * sizeof(const cJSON *));
		if (more == NULL)
			return nb;
		tests[i].variants = more;
		more[tests[i].nb++] = node;
		nb = i == nb ? nb + 1 : nb;
	}
	return nb;
}

static void summary_row(FILE *out, const cJSON *test, unsigned nr)
{
	const cJSON *line = cJSON_GetArrayItem(tree_member(test, "summary"), 0);

	fprintf(out, "<tr><th scope=\"row\"><a href=\"#test-%u\">", nr);
	text_write_xml(out, tree_text(test, "name"));
	fputs("</a></th><td>", out);
	text_write_xml(
		out, tree_text(test, "variant")[0] != '\0' ? tree_text(test, "variant") : "–");
	fputs("</td><td>", out);
	html_status(out, tree_text(test, "status"));
	fputs("</td><td>", out);
	if (line != NULL) {
		text_write_xml(out, tree_text(line, "figure"));
		if (tree_text(line, "frame-size")[0] != '\0') {
			fputs(" at ", out);
			text_write_xml(out, tree_text(line, "frame-size"));
		}
		fputs(": ", out);
		html_member(out, line, "mean", tree_text(line, "unit"));
	}
	fputs("</td><td class=\"text\">", out);
	text_write_xml(out, tree_text(test, "reason"));
	fputs("</td></tr>\n", out);
}

static void summary(FILE *out, const cJSON *root, const struct html_test *tests, unsigned nb)
{
	fputs("<section aria-labelledby=\"summary\">\n", out);
	html_heading(out, 2, "summary", "Summary");
	verdict(out, root);
	fputs("<div class=\"scroll\"><table><caption>Tests</caption><thead><tr><th "
	      "scope=\"col\">test</th><th scope=\"col\">variant</th><th "
	      "scope=\"col\">verdict</th><th "
	      "scope=\"col\">main figure</th><th scope=\"col\">reason</th></tr></thead><tbody>\n",
		out);
	for (unsigned i = 0; i < nb; i++)
		for (unsigned v = 0; v < tests[i].nb; v++)
			summary_row(out, tests[i].variants[v], i);
	fputs("</tbody></table></div>\n</section>\n", out);
}

static void contents(FILE *out, const struct html_test *tests, unsigned nb)
{
	fputs("<nav aria-label=\"Contents\"><ul><li><a href=\"#summary\">Summary</a></li>", out);
	for (unsigned i = 0; i < nb; i++) {
		fprintf(out, "<li><a href=\"#test-%u\">", i);
		text_write_xml(out, tree_text(tests[i].variants[0], "name"));
		fputs("</a></li>", out);
	}
	fputs("<li><a href=\"#circumstances\">Device and circumstances</a></li><li><a "
	      "href=\"#configuration\">Configuration</a></li><li><a "
	      "href=\"#definitions\">Definitions</a>"
	      "</li></ul></nav>\n",
		out);
}

int results_html(const cJSON *root, FILE *out)
{
	struct html_test *tests;
	unsigned nb = tests_of(root, &tests);

	head(out, root);
	fputs("<header>\n", out);
	html_heading(out, 1, NULL, title_of(root));
	facts(out, root);
	contents(out, tests, nb);
	fputs("</header>\n<main>\n", out);
	summary(out, root, tests, nb);
	for (unsigned i = 0; i < nb; i++)
		html_test_write(out, &tests[i], i);
	html_commands(out, tree_member(root, "commands"));
	html_circumstances(out, root);
	html_appendix(out, root);
	fputs("</main>\n<footer><p>Made by tgen ", out);
	text_write_xml(out, tree_text(root, "tgen"));
	fputs(" from results.json. The charts are drawn by "
	      "Apache ECharts "
	      "(© The Apache Software Foundation, Apache License 2.0: "
	      "ECHARTS-LICENSE and ECHARTS-NOTICE in the documentation of tgen). Without scripts "
	      "the tables say the "
	      "same.</p></footer>\n<script>\n",
		out);
	fputs(report_js, out);
	fputs("</script>\n</body>\n</html>\n", out);
	for (unsigned i = 0; i < nb; i++)
		free(tests[i].variants);
	free(tests);
	return ferror(out) != 0 ? -EIO : 0;
}
