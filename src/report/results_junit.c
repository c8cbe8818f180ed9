/* SPDX-License-Identifier: BSD-3-Clause */
#include <errno.h>
#include <string.h>

#include "results_text.h"
#include "tgen/results.h"

/*
 * JUnit XML: a suite a test × variant, a case a cell. failure: a criterion was missed; error: invalid,
 * failed or stopped; skipped: not possible here. Figures are in system-out.
 */

/* The element that says what a status means; NULL: it passed. */
static const char *element_of(const char *status)
{
	if (strcmp(status, "pass") == 0)
		return NULL;
	if (strcmp(status, "fail") == 0)
		return "failure";
	return strcmp(status, "skip") == 0 ? "skipped" : "error";
}

static unsigned count(const cJSON *test, const char *element)
{
	const cJSON *cell;
	unsigned nb = 0;

	cJSON_ArrayForEach(cell, tree_member(test, "cells"))
	{
		const char *own = element_of(tree_text(cell, "status"));

		nb += element == NULL || (own != NULL && strcmp(own, element) == 0);
	}
	return nb;
}

static double seconds(const cJSON *test)
{
	const cJSON *cell;
	double sum = 0, value;

	cJSON_ArrayForEach(cell, tree_member(test, "cells"))
	{
		if (tree_number(cell, "seconds", &value))
			sum += value;
	}
	return sum;
}

static void reasons_write(FILE *out, const cJSON *cell)
{
	const cJSON *reason;
	bool first = true;

	cJSON_ArrayForEach(reason, tree_member(cell, "reasons"))
	{
		fputs(first ? "" : "\n", out);
		text_write_xml(out, cJSON_GetStringValue(reason));
		first = false;
	}
}

static void figures_write(FILE *out, const cJSON *cell)
{
	const cJSON *figure, *note;
	double value;

	cJSON_ArrayForEach(figure, tree_member(cell, "figures"))
	{
		text_write_xml(out, tree_text(figure, "name"));
		if (tree_text(figure, "scope")[0] != '\0') {
			fputc(' ', out);
			text_write_xml(out, tree_text(figure, "scope"));
		}
		fputs(" = ", out);
		if (tree_number(figure, "value", &value))
			text_write_number(out, value);
		else
			fputs("unknown", out);
		fputc(' ', out);
		text_write_xml(out, tree_text(figure, "unit"));
		if (tree_text(figure, "remark")[0] != '\0') {
			fputs(" (", out);
			text_write_xml(out, tree_text(figure, "remark"));
			fputc(')', out);
		}
		fputc('\n', out);
	}
	cJSON_ArrayForEach(note, tree_member(cell, "notes"))
	{
		text_write_xml(out, cJSON_GetStringValue(note));
		fputc('\n', out);
	}
}

static void cell_write(FILE *out, const cJSON *test, const cJSON *cell)
{
	const char *status = tree_text(cell, "status"), *element = element_of(status);
	const cJSON *first = cJSON_GetArrayItem(tree_member(cell, "reasons"), 0);
	double repeat = 1, took = 0;

	tree_number(cell, "repeat", &repeat);
	tree_number(cell, "seconds", &took);
	fputs("    <testcase classname=\"tgen.", out);
	tree_write_test(out, test);
	fputs("\" name=\"", out);
	text_write_xml(out, tree_text(test, "procedure"));
	if (tree_text(cell, "frame-size")[0] != '\0') {
		fputs(" size ", out);
		text_write_xml(out, tree_text(cell, "frame-size"));
	}
	fprintf(out, " repeat %.0f\" time=\"%.3f\">\n", repeat, took);
	if (element != NULL) {
		const char *why = cJSON_GetStringValue(first);

		fprintf(out, "      <%s message=\"", element);
		text_write_xml(out, why != NULL ? why : status);
		fputs("\"", out);
		if (strcmp(element, "skipped") != 0) {
			fputs(" type=\"", out);
			text_write_xml(out, status);
			fputs("\"", out);
		}
		fputs(">", out);
		reasons_write(out, cell);
		fprintf(out, "</%s>\n", element);
	}
	fputs("      <system-out>", out);
	figures_write(out, cell);
	fputs("</system-out>\n    </testcase>\n", out);
}

/* A test whose device could not even be set up has no cell: it is one case. */
static void no_cell_write(FILE *out, const cJSON *test)
{
	fputs("    <testcase classname=\"tgen.", out);
	tree_write_test(out, test);
	fputs("\" name=\"setup\" time=\"0.000\">\n      <error message=\"", out);
	text_write_xml(out, tree_text(test, "reason"));
	fputs("\" type=\"error\"></error>\n    </testcase>\n", out);
}

static void suite_write(FILE *out, const cJSON *root, const cJSON *test)
{
	unsigned nb = count(test, NULL);
	const cJSON *cell = cJSON_GetArrayItem(tree_member(test, "cells"), 0);
	const char *begun = tree_text(cell != NULL ? cell : root, "started");
	char when[32];

	fputs("  <testsuite name=\"", out);
	tree_write_test(out, test);
	fprintf(out, "\" tests=\"%u\" failures=\"%u\" errors=\"%u\" skipped=\"%u\" time=\"%.3f\"",
		nb > 0 ? nb : 1, count(test, "failure"), nb > 0 ? count(test, "error") : 1,
		count(test, "skipped"), seconds(test));
	/* ISO 8601 without the zone, as the form has it */
	fputs(" timestamp=\"", out);
	snprintf(when, sizeof(when), "%.19s", begun);
	text_write_xml(out, when);
	fputs("\" hostname=\"", out);
	text_write_xml(out, tree_text(tree_member(root, "environment"), "host"));
	fputs("\">\n    <properties>\n      <property name=\"procedure\" value=\"", out);
	text_write_xml(out, tree_text(test, "procedure"));
	fputs("\"/>\n      <property name=\"tgen\" value=\"", out);
	text_write_xml(out, tree_text(root, "tgen"));
	fputs("\"/>\n    </properties>\n", out);
	cJSON_ArrayForEach(cell, tree_member(test, "cells")) cell_write(out, test, cell);
	if (nb == 0)
		no_cell_write(out, test);
	fputs("  </testsuite>\n", out);
}

int results_junit(const cJSON *root, FILE *out)
{
	const cJSON *test;
	unsigned nb = 0, failures = 0, errors = 0, skipped = 0;

	cJSON_ArrayForEach(test, tree_member(root, "tests"))
	{
		unsigned cells = count(test, NULL);

		nb += cells > 0 ? cells : 1;
		failures += count(test, "failure");
		errors += cells > 0 ? count(test, "error") : 1;
		skipped += count(test, "skipped");
	}
	fputs("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"", out);
	text_write_xml(out, tree_text(root, "file"));
	fprintf(out, "\" tests=\"%u\" failures=\"%u\" errors=\"%u\" skipped=\"%u\">\n", nb,
		failures, errors, skipped);
	cJSON_ArrayForEach(test, tree_member(root, "tests")) suite_write(out, root, test);
	fputs("</testsuites>\n", out);
	return ferror(out) != 0 ? -EIO : 0;
}
