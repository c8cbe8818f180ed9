/* SPDX-License-Identifier: BSD-3-Clause */
#include "json_parts.h"
#include "writer.h"

#include <errno.h>
#include <stdlib.h>

/* Prints object as one line, flushed so that a reader of the file sees it whole; frees object. */
static int print_line(struct place *place, cJSON *object, bool ok)
{
	char *text = ok ? cJSON_PrintUnformatted(object) : NULL;

	cJSON_Delete(object);
	if (!text)
		return -ENOMEM;
	fprintf(place->file, "%s\n", text);
	cJSON_free(text);
	return fflush(place->file) == 0 ? 0 : -errno;
}

static cJSON *new_line(const char *type)
{
	cJSON *object = cJSON_CreateObject();

	if (!cJSON_AddStringToObject(object, "type", type)) {
		cJSON_Delete(object);
		return NULL;
	}
	return object;
}

static int jsonl_begin(struct place *place)
{
	cJSON *object = new_line("start");
	bool ok = json_add_info(object, place->context->info);

	return print_line(place, object, ok);
}

static int print_rows(
	struct place *place, const char *type, const struct result_row *rows, unsigned nb)
{
	const struct result_info *info = place->context->info;

	for (unsigned i = 0; i < nb; i++) {
		cJSON *object = new_line(type);
		bool ok = json_add_name(object, &rows[i], info);
		int rc;

		ok = ok && json_add_row(object, &rows[i], info);
		rc = print_line(place, object, ok);
		if (rc < 0)
			return rc;
	}
	return 0;
}

static int jsonl_rows(struct place *place, const struct result_row *rows, unsigned nb)
{
	return print_rows(place, "row", rows, nb);
}

static int jsonl_end(struct place *place, const struct result_row *rows, unsigned nb,
	const struct result_summary *summary)
{
	int rc = print_rows(place, "total", rows, nb);
	cJSON *object;
	bool ok;

	if (rc < 0)
		return rc;
	object = new_line("end");
	ok = !report_has_distribution(place->context, summary) ||
	     json_add_distribution(object, place->context->info, summary);
	ok = ok && json_add_summary(object, place->context->info, summary);
	return print_line(place, object, ok);
}

const struct report_writer report_jsonl = {
	.form = "jsonl",
	.grows = true,
	.begin = jsonl_begin,
	.rows = jsonl_rows,
	.end = jsonl_end,
};
