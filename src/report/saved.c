/* SPDX-License-Identifier: BSD-3-Clause */
#include "saved.h"

#include "json_parts.h"
#include "value.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* ---- numbers with all their digits: cJSON keeps doubles ---- */

/* The next number outside of strings, of a text that was found to be JSON. */
static char *next_number(const char **at)
{
	for (const char *p = *at; *p != '\0'; p++) {
		if (*p == '"') {
			for (p++; *p != '"'; p++)
				p += *p == '\\';
		} else if (*p == '-' || (*p >= '0' && *p <= '9')) {
			size_t len = strspn(p, "+-.0123456789eE");

			*at = p + len;
			return strndup(p, len);
		}
	}
	return NULL;
}

/* The tree keeps the order of the text, so its numbers come in the same order. */
static bool numbers_keep(cJSON *node, const char **at)
{
	for (; node; node = node->next) {
		if (cJSON_IsNumber(node)) {
			node->valuestring = next_number(at);
			if (!node->valuestring)
				return false;
			node->type = (node->type & ~cJSON_Number) | cJSON_Raw;
		}
		if (!numbers_keep(node->child, at))
			return false;
	}
	return true;
}

const char *saved_number_text(const cJSON *item)
{
	return cJSON_IsRaw(item) ? item->valuestring : NULL;
}

bool saved_number(const cJSON *object, const char *key, uint64_t *out)
{
	const cJSON *item = cJSON_GetObjectItemCaseSensitive(object, key);
	const char *text = saved_number_text(item);

	if (cJSON_IsString(item) && strcmp(item->valuestring, VALUE_INFINITE) == 0) {
		*out = RESULT_INFINITE;
		return true;
	}
	return text && units_parse_u64(text, out) == 0;
}

/* ---- the file ---- */

/* Caller frees; NULL with errno. */
static char *read_text(const char *path)
{
	FILE *file = fopen(path, "re");
	char *text = NULL;
	size_t size = 0;

	if (!file)
		return NULL;
	if (getdelim(&text, &size, '\0', file) < 0) {
		int errnum = errno;

		free(text);
		text = feof(file) ? strdup("") : NULL; /* it is empty */
		errno = errnum;
	}
	fclose(file);
	return text;
}

static bool is_result(const cJSON *root)
{
	const cJSON *schema = cJSON_GetObjectItemCaseSensitive(root, "schema");

	return cJSON_IsString(schema) && strcmp(schema->valuestring, JSON_SCHEMA) == 0;
}

struct report_saved *report_saved_open(const char *path, struct err *err)
{
	char *text = read_text(path);
	struct report_saved *saved = NULL;
	const char *at = text;

	if (!text) {
		err_usage(err, "%s: %s", path, strerrordesc_np(errno));
		return NULL;
	}
	saved = calloc(1, sizeof(*saved));
	if (saved)
		saved->path = strdup(path);
	if (!saved || !saved->path) {
		err_device(err, ENOMEM, "%s", path);
		goto fail;
	}
	saved->root = cJSON_ParseWithOpts(text, NULL, true);
	if (!is_result(saved->root)) {
		err_usage(err, "%s is not a result in JSON (%s)", path, JSON_SCHEMA);
		goto fail;
	}
	if (!numbers_keep(saved->root->child, &at)) {
		err_device(err, ENOMEM, "%s", path);
		goto fail;
	}
	free(text);
	return saved;
fail:
	free(text);
	report_saved_close(saved);
	return NULL;
}

void report_saved_close(struct report_saved *saved)
{
	if (!saved)
		return;
	cJSON_Delete(saved->root);
	free(saved->path);
	free(saved);
}

/* ---- one stream of it ---- */

static bool has_id(const cJSON *item, uint32_t id)
{
	uint64_t n;

	return saved_number(item, "id", &n) && n == id;
}

static unsigned keep_id(cJSON *array, uint32_t id)
{
	unsigned nb = 0;

	for (cJSON *item = array ? array->child : NULL, *next; item; item = next) {
		next = item->next;
		if (has_id(item, id))
			nb++;
		else
			cJSON_Delete(cJSON_DetachItemViaPointer(array, item));
	}
	return nb;
}

/* `0, 4, 7`, cut off where size ends. */
static void print_ids(char *out, size_t size, const cJSON *streams)
{
	const char *separator = "";
	const cJSON *stream;
	size_t len = 0;

	out[0] = '\0';
	cJSON_ArrayForEach(stream, streams)
	{
		const char *id = saved_number_text(cJSON_GetObjectItemCaseSensitive(stream, "id"));

		if (id && len < size)
			len += (size_t)snprintf(out + len, size - len, "%s%s", separator, id);
		separator = ", ";
	}
}

int report_saved_choose(struct report_saved *saved, uint32_t id, struct err *err)
{
	static const char *const keys[] = {"totals", "latency-distribution"};
	char ids[256];

	print_ids(ids, sizeof(ids), cJSON_GetObjectItemCaseSensitive(saved->root, "streams"));
	if (keep_id(cJSON_GetObjectItemCaseSensitive(saved->root, "streams"), id) == 0)
		return err_usage(
			err, "stream-id: %s has no stream %u (it has %s)", saved->path, id, ids);
	for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++)
		keep_id(cJSON_GetObjectItemCaseSensitive(saved->root, keys[i]), id);
	cJSON_DeleteItemFromObjectCaseSensitive(saved->root, "total");
	return 0;
}

const char *report_saved_start(const struct report_saved *saved)
{
	return cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(saved->root, "start"));
}

/* ---- as JSON ---- */

int report_saved_json(const struct report_saved *saved, FILE *out, const char *key, struct err *err)
{
	const char *const keys[] = {
		"schema", "command", "start", key, strcmp(key, "totals") == 0 ? "total" : NULL};
	cJSON *object = cJSON_CreateObject();
	char *text = NULL;
	int rc = 0;

	if (!cJSON_HasObjectItem(saved->root, key)) {
		cJSON_Delete(object);
		return err_usage(err, "%s has no %s", saved->path, key);
	}
	for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++) {
		cJSON *item =
			keys[i] ? cJSON_GetObjectItemCaseSensitive(saved->root, keys[i]) : NULL;

		if (item && !cJSON_AddItemReferenceToObject(object, keys[i], item))
			rc = -ENOMEM;
	}
	text = rc == 0 ? cJSON_Print(object) : NULL;
	cJSON_Delete(object);
	if (!text)
		return err_device(err, ENOMEM, "%s", saved->path);
	fprintf(out, "%s\n", text);
	cJSON_free(text);
	return 0;
}
