/* SPDX-License-Identifier: BSD-3-Clause */
#include "json_parts.h"
#include "writer.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/*
 * One object, written as it grows so that a run of days keeps nothing in memory: the members known
 * at the start, the rows as they come, the totals, and at the end what only the end can tell.
 */
struct json {
	bool has_rows;
};

static int json_open(struct place *place)
{
	place->state = calloc(1, sizeof(struct json));
	return place->state ? 0 : -ENOMEM;
}

/* Prints the members of object without its braces: `\n\t"a": 1,\n\t"b": 2`; frees object. */
static int print_members(struct place *place, cJSON *object, bool ok)
{
	char *text = ok ? cJSON_Print(object) : NULL;
	size_t len;

	cJSON_Delete(object);
	if (!text)
		return -ENOMEM;
	len = strlen(text) - strlen("{") - strlen("\n}");
	fwrite(text + 1, 1, len, place->file);
	cJSON_free(text);
	return 0;
}

static int print_object(struct place *place, cJSON *object, bool ok)
{
	char *text = ok ? cJSON_PrintUnformatted(object) : NULL;

	cJSON_Delete(object);
	if (!text)
		return -ENOMEM;
	fputs(text, place->file);
	cJSON_free(text);
	return 0;
}

static int json_begin(struct place *place)
{
	cJSON *object = cJSON_CreateObject();
	bool ok = json_add_info(object, place->context->info);

	fputc('{', place->file);
	if (print_members(place, object, ok) < 0)
		return -ENOMEM;
	fputs(",\n\t\"rows\":\t[", place->file);
	return 0;
}

static int json_rows(struct place *place, const struct result_row *rows, unsigned nb)
{
	const struct result_info *info = place->context->info;
	struct json *json = place->state;

	for (unsigned i = 0; i < nb; i++) {
		cJSON *object = cJSON_CreateObject();
		bool ok = json_add_row(object, &rows[i], info);

		fputs(json->has_rows ? ",\n\t\t" : "\n\t\t", place->file);
		json->has_rows = true;
		if (print_object(place, object, ok) < 0)
			return -ENOMEM;
	}
	return 0;
}

static int print_total(struct place *place, const struct result_row *row)
{
	const struct result_info *info = place->context->info;
	cJSON *object = cJSON_CreateObject();
	bool ok = json_add_name(object, row, info) && json_add_row(object, row, info);

	return print_object(place, object, ok);
}

static int json_end(struct place *place, const struct result_row *rows, unsigned nb,
	const struct result_summary *summary)
{
	cJSON *object;
	bool ok;

	fputs("\n\t],\n\t\"totals\":\t[", place->file);
	/* the last row is TOT */
	for (unsigned i = 0; i + 1 < nb; i++) {
		fputs(i ? ",\n\t\t" : "\n\t\t", place->file);
		if (print_total(place, &rows[i]) < 0)
			return -ENOMEM;
	}
	fputs("\n\t],\n\t\"total\":\t", place->file);
	if (nb == 0)
		fputs("null", place->file);
	else if (print_total(place, &rows[nb - 1]) < 0)
		return -ENOMEM;
	fputc(',', place->file);
	object = cJSON_CreateObject();
	ok = !report_has_distribution(place->context, summary) ||
	     json_add_distribution(object, place->context->info, summary);
	ok = ok && json_add_summary(object, place->context->info, summary);
	if (print_members(place, object, ok) < 0)
		return -ENOMEM;
	fputs("\n}\n", place->file);
	return 0;
}

static void json_close(struct place *place)
{
	free(place->state);
	place->state = NULL;
}

const struct report_writer report_json = {
	.form = "json",
	.open = json_open,
	.begin = json_begin,
	.rows = json_rows,
	.end = json_end,
	.close = json_close,
};
