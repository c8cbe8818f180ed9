/* SPDX-License-Identifier: BSD-3-Clause */
#include "results_text.h"

#include <math.h>
#include <string.h>

#include "tgen/text.h"

const cJSON *tree_member(const cJSON *object, const char *key)
{
	return cJSON_GetObjectItemCaseSensitive(object, key);
}

const char *tree_text(const cJSON *object, const char *key)
{
	const char *text = cJSON_GetStringValue(tree_member(object, key));

	return text != NULL ? text : "";
}

bool tree_number(const cJSON *object, const char *key, double *value)
{
	const cJSON *node = tree_member(object, key);

	if (cJSON_IsNumber(node))
		*value = node->valuedouble;
	else if (cJSON_IsString(node) && strcmp(node->valuestring, "inf") == 0)
		*value = INFINITY;
	else
		return false;
	return true;
}

static const char *entity(char c)
{
	switch (c) {
	case '&':
		return "&amp;";
	case '<':
		return "&lt;";
	case '>':
		return "&gt;";
	case '"':
		return "&quot;";
	case '\'':
		return "&#39;";
	default:
		return NULL;
	}
}

void text_write_xml(FILE *out, const char *text)
{
	while (*text != '\0') {
		size_t len = text_char_bytes(text);
		const char *name = entity(*text);
		unsigned char c = (unsigned char)*text;

		if (name != NULL)
			fputs(name, out);
		else if (len == 0 || (len == 1 && c < 0x20 && c != '\n' && c != '\t') ||
			 strncmp(text, "\xef\xbf\xbe", 3) == 0 ||
			 strncmp(text, "\xef\xbf\xbf", 3) == 0)
			fputs("\xef\xbf\xbd", out);
		else
			fwrite(text, 1, len, out);
		text += len > 0 ? len : 1;
	}
}

void tree_write_test(FILE *out, const cJSON *test)
{
	text_write_xml(out, tree_text(test, "name"));
	if (tree_text(test, "variant")[0] == '\0')
		return;
	fputc('/', out);
	text_write_xml(out, tree_text(test, "variant"));
}

void text_write_number(FILE *out, double value)
{
	for (int digits = 6; digits <= 17; digits++) {
		char text[64];
		double back;

		snprintf(text, sizeof(text), "%.*g", digits, value);
		if (digits == 17 || (sscanf(text, "%lf", &back) == 1 && back == value)) {
			fputs(text, out);
			return;
		}
	}
}
