/* SPDX-License-Identifier: BSD-3-Clause */
#include "html.h"

#include <math.h>
#include <string.h>

#include "results_text.h"

/* Small parts of the report's text. */

static const struct {
	const char *unit, *shown;
	double at_least, factor;
} scales[] = {
	{"ns", "s", 1e9, 1e9},
	{"ns", "ms", 1e6, 1e6},
	{"ns", "µs", 1e3, 1e3},
	{"ns", "ns", 0, 1},
	{"bps", "Gbit/s", 1e9, 1e9},
	{"bps", "Mbit/s", 1e6, 1e6},
	{"bps", "kbit/s", 1e3, 1e3},
	{"bps", "bit/s", 0, 1},
	{"pps", "Mpps", 1e6, 1e6},
	{"pps", "kpps", 1e3, 1e3},
	{"ratio", "%", 0, 0.01},
	{"bytes", "MiB", 1 << 20, 1 << 20},
	{"s", "s", 100, 1},
};

void html_value(FILE *out, double value, const char *unit)
{
	if (isinf(value)) {
		fputs(value > 0 ? "∞" : "−∞", out);
		return;
	}
	for (size_t i = 0; i < sizeof(scales) / sizeof(scales[0]); i++) {
		if (strcmp(scales[i].unit, unit) != 0 || fabs(value) < scales[i].at_least)
			continue;
		fprintf(out, "%.5g %s", value / scales[i].factor, scales[i].shown);
		return;
	}
	if (strcmp(unit, "s") == 0) {
		fprintf(out, "%.2f s", value);
		return;
	}
	fprintf(out, "%.7g", value);
	if (unit[0] != '\0')
		fputs(" ", out);
	text_write_xml(out, unit);
}

void html_member(FILE *out, const cJSON *object, const char *key, const char *unit)
{
	double value;

	if (tree_number(object, key, &value))
		html_value(out, value, unit);
	else
		fputs("–", out);
}

void html_status(FILE *out, const char *status)
{
	static const struct {
		const char *word, *shown;
	} statuses[] = {
		{"pass", "✓ pass"},
		{"fail", "✗ fail"},
		{"invalid", "? invalid"},
		{"skip", "– skipped"},
		{"error", "! error"},
		{"interrupted", "‖ interrupted"},
	};

	for (size_t i = 0; i < sizeof(statuses) / sizeof(statuses[0]); i++) {
		if (strcmp(statuses[i].word, status) != 0)
			continue;
		fprintf(out, "<span class=\"status %s\">%s</span>", statuses[i].word,
			statuses[i].shown);
		return;
	}
	text_write_xml(out, status);
}

void html_heading(FILE *out, unsigned level, const char *id, const char *text)
{
	fprintf(out, "<h%u", level);
	if (id != NULL)
		fprintf(out, " id=\"%s\"", id);
	fputc('>', out);
	text_write_xml(out, text);
	fprintf(out, "</h%u>\n", level);
}

void html_fact(FILE *out, const char *name, const char *text)
{
	if (text[0] == '\0')
		return;
	fprintf(out, "<dt>%s</dt><dd>", name);
	text_write_xml(out, text);
	fputs("</dd>\n", out);
}

/* U+2028 and U+2029 end lines in scripts; < might begin the end of the element. */
void html_json(FILE *out, const cJSON *node)
{
	char *text = cJSON_PrintUnformatted(node);

	for (const char *p = text; p != NULL && *p != '\0'; p++) {
		if (*p == '<' || *p == '>' || *p == '&')
			fprintf(out, "\\u%04x", (unsigned char)*p);
		else if (strncmp(p, "\xe2\x80\xa8", 3) == 0 || strncmp(p, "\xe2\x80\xa9", 3) == 0) {
			fprintf(out, "\\u202%c", p[2] == '\xa8' ? '8' : '9');
			p += 2;
		} else
			fputc(*p, out);
	}
	cJSON_free(text);
}
