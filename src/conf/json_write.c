/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The form of a file that tgen wrote: two spaces an indentation, one object of a list a line while
 * it fits. All else is as it was: the order of keys, the text of numbers.
 */
#include "conf_private.h"

#include <stdlib.h>
#include <string.h>

#define LINE_BYTES   100
#define INDENT_BYTES 2

struct writer {
	FILE *f;
	bool failed; /* no memory for a part */
};

static bool is_container(const cJSON *node)
{
	return cJSON_IsObject(node) || cJSON_IsArray(node);
}

static void put_scalar(struct writer *w, const cJSON *node)
{
	char *text;

	if (cJSON_IsNumber(node) && node->valuestring != NULL) {
		fputs(node->valuestring, w->f);
		return;
	}
	text = cJSON_PrintUnformatted(node);
	if (text == NULL)
		w->failed = true;
	else
		fputs(text, w->f);
	cJSON_free(text);
}

static void put_key(struct writer *w, const cJSON *member)
{
	const cJSON key = {.type = cJSON_String, .valuestring = member->string};

	put_scalar(w, &key);
	fputs(": ", w->f);
}

static void put_inline(struct writer *w, const cJSON *node)
{
	bool object = cJSON_IsObject(node);

	if (!is_container(node)) {
		put_scalar(w, node);
		return;
	}
	fputc(object ? '{' : '[', w->f);
	for (const cJSON *child = node->child; child != NULL; child = child->next) {
		if (object)
			put_key(w, child);
		put_inline(w, child);
		if (child->next != NULL)
			fputs(", ", w->f);
	}
	fputc(object ? '}' : ']', w->f);
}

/* Writes a container in one line, if it fits into room bytes. */
static bool try_inline(struct writer *w, const cJSON *node, size_t room)
{
	char *text = NULL;
	size_t len;
	struct writer line = {.f = open_memstream(&text, &len)};
	bool fits = false;

	if (line.f != NULL) {
		put_inline(&line, node);
		line.failed |= fclose(line.f) != 0;
		fits = !line.failed && len <= room;
	} else {
		line.failed = true;
	}
	w->failed |= line.failed;
	if (fits)
		fputs(text, w->f);
	free(text);
	return fits;
}

static bool holds_containers(const cJSON *node)
{
	for (const cJSON *child = node->child; child != NULL; child = child->next) {
		if (is_container(child))
			return true;
	}
	return false;
}

static void put_indent(struct writer *w, unsigned depth)
{
	fprintf(w->f, "%*s", (int)(INDENT_BYTES * depth), "");
}

/* in_list: node is an item of a list; used: bytes of the line that are taken. */
static void put_value(
	struct writer *w, const cJSON *node, unsigned depth, bool in_list, size_t used)
{
	bool object = cJSON_IsObject(node);
	bool compact = node->child == NULL || in_list || (!object && !holds_containers(node));
	size_t room = used + 1 < LINE_BYTES ? LINE_BYTES - used - 1 : 0; /* one for a comma */

	if (!is_container(node)) {
		put_scalar(w, node);
		return;
	}
	if (compact && try_inline(w, node, room))
		return;
	fputs(object ? "{\n" : "[\n", w->f);
	for (const cJSON *child = node->child; child != NULL; child = child->next) {
		size_t taken = (depth + 1) * INDENT_BYTES;

		put_indent(w, depth + 1);
		if (object) {
			put_key(w, child);
			taken += strlen(child->string) + strlen("\"\": ");
		}
		put_value(w, child, depth + 1, !object, taken);
		fputs(child->next != NULL ? ",\n" : "\n", w->f);
	}
	put_indent(w, depth);
	fputc(object ? '}' : ']', w->f);
}

char *json_write(const cJSON *root, size_t *len)
{
	char *text = NULL;
	struct writer w = {.f = open_memstream(&text, len)};

	if (w.f == NULL)
		return NULL;
	put_value(&w, root, 0, false, 0);
	fputc('\n', w.f);
	w.failed |= fclose(w.f) != 0;
	if (w.failed) {
		free(text);
		return NULL;
	}
	return text;
}
