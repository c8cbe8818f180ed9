/* SPDX-License-Identifier: BSD-3-Clause */
#include <math.h>
#include <string.h>

#include "html.h"
#include "results_text.h"

/* A test in the report: what it is, what it found, cell by cell. */

static void text_cell(FILE *out, const char *text)
{
	fputs("<td>", out);
	text_write_xml(out, text[0] != '\0' ? text : "–");
	fputs("</td>", out);
}

static void lines(FILE *out, const cJSON *list)
{
	const cJSON *line;
	bool first = true;

	cJSON_ArrayForEach(line, list)
	{
		const char *text = cJSON_GetStringValue(line);

		fputs(first ? "" : "<br>", out);
		text_write_xml(out, text != NULL ? text : "");
		first = false;
	}
}

/* ---- verdicts, a row a cell ---- */

static void criteria(FILE *out, const cJSON *cell)
{
	const cJSON *one;
	bool first = true;

	cJSON_ArrayForEach(one, tree_member(cell, "criteria"))
	{
		const char *status = tree_text(one, "status");

		if (strcmp(status, "apart") == 0)
			continue;
		fputs(first ? "" : "<br>", out);
		fputs(strcmp(status, "met") == 0	? "✓ met: "
			: strcmp(status, "missed") == 0 ? "✗ missed: "
							: "? unknown: ",
			out);
		text_write_xml(out, tree_text(one, "text"));
		if (tree_text(one, "verdict")[0] != '\0') {
			fputs(" <span class=\"soft\">(", out);
			text_write_xml(out, tree_text(one, "verdict"));
			fputs(")</span>", out);
		}
		first = false;
	}
}

static void cell_row(FILE *out, const cJSON *variant, const cJSON *cell, bool several)
{
	const cJSON *figure = cJSON_GetArrayItem(tree_member(cell, "figures"), 0);

	fputs("<tr>", out);
	if (several)
		text_cell(out, tree_text(variant, "variant"));
	text_cell(out, tree_text(cell, "frame-size"));
	fputs("<td class=\"n\">", out);
	html_member(out, cell, "repeat", "");
	fputs("</td><td>", out);
	html_status(out, tree_text(cell, "status"));
	fputs("</td><td>", out);
	if (figure != NULL) {
		text_write_xml(out, tree_text(figure, "name"));
		fputs(" ", out);
		html_member(out, figure, "value", tree_text(figure, "unit"));
		if (tree_text(figure, "remark")[0] != '\0') {
			fputs(" <strong>", out);
			text_write_xml(out, tree_text(figure, "remark"));
			fputs("</strong>", out);
		}
	}
	fprintf(out, "</td><td class=\"n\">%d</td><td class=\"n\">",
		cJSON_GetArraySize(tree_member(cell, "trials")));
	html_member(out, cell, "seconds", "s");
	fputs("</td><td class=\"text\">", out);
	criteria(out, cell);
	if (cJSON_GetArraySize(tree_member(cell, "criteria")) > 0)
		fputs("<br>", out);
	lines(out, tree_member(cell, "reasons"));
	fputs("</td></tr>\n", out);
}

static void cells(FILE *out, const struct html_test *t)
{
	bool several = t->nb > 1;
	const cJSON *cell;

	fprintf(out,
		"<div class=\"scroll\"><table><caption>Cells</caption><thead><tr>%s<th "
		"scope=\"col\">"
		"frame size</th><th scope=\"col\" class=\"n\">repeat</th><th "
		"scope=\"col\">verdict</th>"
		"<th scope=\"col\">main figure</th><th scope=\"col\" class=\"n\">trials</th><th "
		"scope=\"col\" class=\"n\">time</th><th scope=\"col\">criteria and "
		"reasons</th></tr>"
		"</thead><tbody>\n",
		several ? "<th scope=\"col\">variant</th>" : "");
	for (unsigned v = 0; v < t->nb; v++)
		cJSON_ArrayForEach(cell, tree_member(t->variants[v], "cells"))
			cell_row(out, t->variants[v], cell, several);
	fputs("</tbody></table></div>\n", out);
}

/* ---- figures, over the repeats ---- */

static void summary_row(
	FILE *out, const cJSON *variant, const cJSON *line, bool several, bool repeats)
{
	const char *unit = tree_text(line, "unit");
	double change;

	fputs("<tr>", out);
	if (several)
		text_cell(out, tree_text(variant, "variant"));
	text_cell(out, tree_text(line, "frame-size"));
	fputs("<td>", out);
	text_write_xml(out, tree_text(line, "figure"));
	if (tree_text(line, "scope")[0] != '\0') {
		fputs(" <span class=\"soft\">", out);
		text_write_xml(out, tree_text(line, "scope"));
		fputs("</span>", out);
	}
	fputs("</td><td class=\"n\">", out);
	html_member(out, line, "mean", unit);
	fputs("</td>", out);
	if (repeats) {
		static const char *const keys[] = {"stdev", "min", "max", "half-95"};

		for (size_t i = 0; i < 4; i++) {
			fputs("<td class=\"n\">", out);
			html_member(out, line, keys[i], unit);
			fputs("</td>", out);
		}
	}
	if (several) {
		fputs("<td class=\"n\">", out);
		if (tree_number(line, "change-to-first", &change))
			fprintf(out, "%+.2f %%", change * 100);
		else
			fputs("–", out);
		fputs("</td>", out);
	}
	fputs("</tr>\n", out);
}

static void summary(FILE *out, const struct html_test *t)
{
	double nb = 1;
	bool several = t->nb > 1, repeats;
	const cJSON *line;

	tree_number(t->variants[0], "repeats", &nb);
	repeats = nb > 1;
	fprintf(out,
		"<details class=\"paper\"%s><summary>All figures</summary>\n<div "
		"class=\"scroll\"><table><caption>Figures%s"
		"</caption><thead><tr>%s<th scope=\"col\">frame size</th><th "
		"scope=\"col\">figure</th><th "
		"scope=\"col\" class=\"n\">%s</th>%s%s</tr></thead><tbody>\n",
		repeats ? " open" : "", repeats ? ", over the repeats that were valid" : "",
		several ? "<th scope=\"col\">variant</th>" : "", repeats ? "mean" : "value",
		repeats ? "<th scope=\"col\" class=\"n\">deviation</th><th scope=\"col\" "
			  "class=\"n\">"
			  "least</th><th scope=\"col\" class=\"n\">most</th><th scope=\"col\" "
			  "class=\"n\">±95 %</th>"
			: "",
		several ? "<th scope=\"col\" class=\"n\">against the first</th>" : "");
	for (unsigned v = 0; v < t->nb; v++)
		cJSON_ArrayForEach(line, tree_member(t->variants[v], "summary"))
			summary_row(out, t->variants[v], line, several, repeats);
	fputs("</tbody></table></div></details>\n", out);
}

/* ---- trials, with the generator's health ---- */

static void trial_row(FILE *out, const cJSON *variant, const cJSON *cell, const cJSON *trial)
{
	const cJSON *load = tree_member(trial, "load"), *total = tree_member(trial, "total"),
		    *health = tree_member(trial, "health");

	fputs("<tr>", out);
	text_cell(out, tree_text(variant, "variant"));
	text_cell(out, tree_text(cell, "frame-size"));
	text_cell(out, tree_text(trial, "purpose"));
	fputs("<td class=\"n\">", out);
	html_member(out, trial, "send-ns", "ns");
	fputs("</td><td class=\"n\">", out);
	html_member(out, load, "pps", "pps");
	fputs("</td><td class=\"n\">", out);
	html_member(out, load, "sent-pps", "pps");
	fputs("</td><td class=\"n\">", out);
	html_member(out, total, "tx-packet", "");
	fputs("</td><td class=\"n\">", out);
	html_member(out, total, "lost-packet", "");
	fputs("</td><td class=\"n\">", out);
	html_member(out, total, "lost-ratio", "ratio");
	fputs("</td><td class=\"n\">", out);
	html_member(out, total, "lat-avg", "ns");
	fputs("</td><td class=\"n\">", out);
	html_member(out, total, "lat-p99", "ns");
	fputs("</td><td class=\"n\">", out);
	html_member(out, health, "lag-p99-ns", "ns");
	fputs("</td><td>", out);
	fputs(cJSON_IsTrue(tree_member(trial, "valid")) ? "✓ clean" : "? not clean: ", out);
	lines(out, tree_member(trial, "reasons"));
	fputs("</td></tr>\n", out);
}

static void trials(FILE *out, const struct html_test *t)
{
	static const char *const heads[] = {"variant", "frame size", "purpose", "time",
		"asked a port", "sent a port", "frames sent", "lost", "loss", "mean latency",
		"99 %", "schedule lag, 99 %", "generator"};
	const cJSON *cell, *trial;

	fputs("<details><summary>All trials, and how the generator did</summary>\n<div "
	      "class=\"scroll\"><table><caption>Trials</caption><thead><tr>",
		out);
	for (size_t i = 0; i < sizeof(heads) / sizeof(heads[0]); i++)
		fprintf(out, "<th scope=\"col\"%s>%s</th>", i > 2 && i < 12 ? " class=\"n\"" : "",
			heads[i]);
	fputs("</tr></thead><tbody>\n", out);
	for (unsigned v = 0; v < t->nb; v++)
		cJSON_ArrayForEach(cell, tree_member(t->variants[v], "cells"))
		{
			cJSON_ArrayForEach(trial, tree_member(cell, "trials"))
				trial_row(out, t->variants[v], cell, trial);
		}
	fputs("</tbody></table></div></details>\n", out);
}

/* ---- commands ---- */

static void command(FILE *out, const cJSON *one)
{
	const cJSON *word;

	fputs("<p><strong>", out);
	text_write_xml(out, tree_text(one, "phase"));
	fputs("</strong> <code>", out);
	cJSON_ArrayForEach(word, tree_member(one, "argv"))
	{
		text_write_xml(out, cJSON_GetStringValue(word));
		fputs(word->next != NULL ? " " : "", out);
	}
	fputs("</code> <span class=\"soft\">status ", out);
	html_member(out, one, "exit-status", "");
	fputs(", ", out);
	html_member(out, one, "seconds", "s");
	fputs("</span></p>\n", out);
	if (tree_text(one, "output")[0] == '\0')
		return;
	fputs("<pre tabindex=\"0\">", out);
	text_write_xml(out, tree_text(one, "output"));
	fputs("</pre>\n", out);
}

void html_commands(FILE *out, const cJSON *list)
{
	const cJSON *one;

	if (cJSON_GetArraySize(list) == 0)
		return;
	fprintf(out, "<details><summary>Commands for the device (%d)</summary>\n",
		cJSON_GetArraySize(list));
	cJSON_ArrayForEach(one, list) command(out, one);
	fputs("</details>\n", out);
}

/* ---- the test ---- */

/* What procedures noted, each sentence once. */
static void notes(FILE *out, const struct html_test *t)
{
	const cJSON *cell, *note, *seen[64];
	unsigned nb = 0;

	for (unsigned v = 0; v < t->nb; v++)
		cJSON_ArrayForEach(cell, tree_member(t->variants[v], "cells"))
		{
			cJSON_ArrayForEach(note, tree_member(cell, "notes"))
			{
				unsigned i = 0;

				while (i < nb && strcmp(cJSON_GetStringValue(seen[i]),
							 cJSON_GetStringValue(note)) != 0)
					i++;
				if (i == nb && nb < 64)
					seen[nb++] = note;
			}
		}
	if (nb == 0)
		return;
	fputs("<ul>\n", out);
	for (unsigned i = 0; i < nb; i++) {
		fputs("<li>", out);
		text_write_xml(out, cJSON_GetStringValue(seen[i]));
		fputs("</li>\n", out);
	}
	fputs("</ul>\n", out);
}

void html_test_write(FILE *out, const struct html_test *t, unsigned nr)
{
	const cJSON *first = t->variants[0];
	char id[32];

	snprintf(id, sizeof(id), "test-%u", nr);
	fprintf(out, "<section aria-labelledby=\"%s\">\n", id);
	html_heading(out, 2, id, tree_text(first, "name"));
	fputs("<p>", out);
	text_write_xml(out, tree_text(first, "comment"));
	fputs(" <span class=\"soft\">Procedure: ", out);
	text_write_xml(out, tree_text(first, "procedure"));
	fputs("</span></p>\n", out);
	cells(out, t);
	notes(out, t);
	html_test_charts(out, t);
	summary(out, t);
	trials(out, t);
	for (unsigned v = 0; v < t->nb; v++)
		html_commands(out, tree_member(t->variants[v], "commands"));
	fputs("</section>\n", out);
}
