/* SPDX-License-Identifier: BSD-3-Clause */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "dut.h"
#include "tgen/text.h"

/* Numbers that probes print. */

#define VALUES_MAX 256 /* of a probe */
#define KEY_BYTES  128
#define DEPTH_MAX  8

static int value_add(cJSON *values, const char *key, double value)
{
	if (key[0] == '\0' || !isfinite(value) || cJSON_GetArraySize(values) >= VALUES_MAX)
		return 0;
	if (cJSON_HasObjectItem(values, key))
		return 0;
	return cJSON_AddNumberToObject(values, key, value) != NULL;
}

/* Nested keys are joined by dots, items of arrays are numbered. */
static int json_walk(const cJSON *node, const char *key, unsigned depth, cJSON *values)
{
	const cJSON *item;
	int nb = 0, i = 0;

	if (cJSON_IsNumber(node))
		return value_add(values, key, node->valuedouble);
	if (depth == DEPTH_MAX || (!cJSON_IsObject(node) && !cJSON_IsArray(node)))
		return 0;
	cJSON_ArrayForEach(item, node)
	{
		char inner[KEY_BYTES], number[16];

		snprintf(number, sizeof(number), "%d", i++);
		if ((size_t)snprintf(inner, sizeof(inner), "%s%s%s", key, key[0] != '\0' ? "." : "",
			    item->string != NULL ? item->string : number) < sizeof(inner))
			nb += json_walk(item, inner, depth + 1, values);
	}
	return nb;
}

/* `cpu=12.5%`; what is no number is left out. */
static int pair_add(char *word, cJSON *values)
{
	char *equals = strchr(word, '='), *end;
	double value;

	if (equals == NULL || equals == word)
		return 0;
	*equals = '\0';
	value = strtod(equals + 1, &end);
	if (end == equals + 1 || (*end != '\0' && strcmp(end, "%") != 0))
		return 0;
	return text_is_printable(word) && strlen(word) < KEY_BYTES ? value_add(values, word, value)
								   : 0;
}

static int line_parse(char *line, cJSON *values)
{
	char *word, *rest = line;
	int nb = 0;

	line += strspn(line, " \t");
	if (line[0] == '{') {
		cJSON *node = cJSON_Parse(line);

		nb = json_walk(node, "", 0, values);
		cJSON_Delete(node);
		return nb;
	}
	while ((word = strsep(&rest, " \t")) != NULL)
		nb += pair_add(word, values);
	return nb;
}

int dut_probe_parse(const char *text, cJSON *values)
{
	char *copy = strdup(text), *rest = copy, *line;
	int nb = 0;

	while (copy != NULL && (line = strsep(&rest, "\n")) != NULL)
		nb += line_parse(line, values);
	free(copy);
	return nb;
}
