/* SPDX-License-Identifier: BSD-3-Clause */
#include "dut.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tgen/text.h"

#define BLANKS " \t\r"

/* What a probe may say; what is beyond is left out. */
enum {
	KEY_MAX = 127,	    /* bytes of a name */
	VALUES_MAX = 1000,  /* of one call */
	DEPTH_MAX = 16,	    /* of JSON */
	BAD_JSON_MAX = 100, /* lines that begin as JSON and are none */
};

struct probe {
	cJSON *values;
	int nb;
	int nb_bad_json;
};

/* A decimal number, perhaps with % behind it, and nothing else. */
static bool number_parse(const char *text, size_t len, double *out)
{
	char copy[64], *end;
	size_t digits;

	while (len > 0 && strchr(BLANKS, text[len - 1]) != NULL)
		len--;
	if (len > 0 && text[len - 1] == '%')
		len--;
	while (len > 0 && strchr(BLANKS, text[len - 1]) != NULL)
		len--;
	if (len == 0 || len >= sizeof(copy))
		return false;
	memcpy(copy, text, len);
	copy[len] = '\0';
	/* strtod knows more: blanks, inf, nan, hexadecimal */
	digits = strspn(copy, "0123456789+-.eE");
	if (digits != len || strpbrk(copy, "0123456789") == NULL)
		return false;
	*out = strtod(copy, &end);
	return *end == '\0' && isfinite(*out);
}

static void value_add(struct probe *probe, const char *key, double value)
{
	cJSON *number;

	if (key[0] == '\0' || !text_is_printable(key) || !isfinite(value))
		return;
	number = cJSON_GetObjectItemCaseSensitive(probe->values, key);
	if (number != NULL) { /* said twice: the later counts */
		cJSON_SetNumberValue(number, value);
	} else if (probe->nb < VALUES_MAX &&
		   cJSON_AddNumberToObject(probe->values, key, value) != NULL) {
		probe->nb++;
	}
}

/* key: the path so far, len bytes of it; what has no room in it is left out. */
static void json_walk(struct probe *probe, const cJSON *item, char *key, size_t len, int depth)
{
	double value;
	int index = 0;

	if (cJSON_IsNumber(item)) {
		value_add(probe, key, item->valuedouble);
	} else if (cJSON_IsString(item)) {
		if (number_parse(item->valuestring, strlen(item->valuestring), &value))
			value_add(probe, key, value);
	} else if ((cJSON_IsObject(item) || cJSON_IsArray(item)) && depth < DEPTH_MAX) {
		const cJSON *child;

		cJSON_ArrayForEach(child, item)
		{
			const char *dot = len > 0 ? "." : "";
			size_t room = KEY_MAX + 1 - len;
			int nb = cJSON_IsArray(item)
					 ? snprintf(key + len, room, "%s%d", dot, index++)
					 : snprintf(key + len, room, "%s%s", dot, child->string);

			if (nb >= 0 && (size_t)nb < room)
				json_walk(probe, child, key, len + (size_t)nb, depth + 1);
			key[len] = '\0';
		}
	}
}

/* What is behind the JSON that text begins with; NULL when it does not. */
static const char *json_take(struct probe *probe, const char *text)
{
	char key[KEY_MAX + 1] = "";
	const char *end = NULL;
	cJSON *tree;

	if (probe->nb_bad_json >= BAD_JSON_MAX)
		return NULL;
	tree = cJSON_ParseWithOpts(text, &end, false);
	if (tree == NULL) {
		probe->nb_bad_json++;
		return NULL;
	}
	json_walk(probe, tree, key, 0, 0);
	cJSON_Delete(tree);
	return end;
}

/* The words `key=value` of a line of len bytes. */
static void line_take(struct probe *probe, const char *line, size_t len)
{
	const char *end = line + len;
	double value;

	while (line < end) {
		size_t word = 0, left;
		const char *equals;

		while (line < end && strchr(BLANKS, *line) != NULL)
			line++;
		left = (size_t)(end - line);
		while (word < left && strchr(BLANKS, line[word]) == NULL)
			word++;
		equals = memchr(line, '=', word);
		if (equals != NULL && equals - line <= KEY_MAX &&
			number_parse(equals + 1, word - (size_t)(equals + 1 - line), &value)) {
			char key[KEY_MAX + 1];

			memcpy(key, line, (size_t)(equals - line));
			key[equals - line] = '\0';
			value_add(probe, key, value);
		}
		line += word;
	}
}

int dut_probe_parse(const char *text, cJSON *values)
{
	struct probe probe = {.values = values};

	while (*text != '\0') {
		size_t len;

		text += strspn(text, BLANKS "\n");
		if (*text == '{' || *text == '[') {
			const char *end = json_take(&probe, text);

			if (end != NULL) {
				text = end;
				continue;
			}
		}
		len = strcspn(text, "\n");
		line_take(&probe, text, len);
		text += len;
	}
	return probe.nb;
}
