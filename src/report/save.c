/* SPDX-License-Identifier: BSD-3-Clause */
#include "tgen/report.h"

#include "writer.h"

#include <errno.h>
#include <string.h>

/* The end of a run as a JSON file, apart from the outputs that the user asked for. */

static int write_all(struct place *place, const struct result_row *rows, unsigned nb,
	const struct result_summary *summary, struct err *err)
{
	const struct report_writer *writer = place->writer;
	int rc;

	if (writer->open(place) < 0)
		return err_device(err, ENOMEM, "%s", place->path);
	errno = 0;
	rc = writer->begin(place);
	if (rc == 0)
		rc = writer->end(place, rows, nb, summary);
	rc = place_check(place, rc, err);
	return rc < 0 ? rc : place_finish(place, err);
}

int report_save(const char *path, const struct result_info *info, const struct result_row *rows,
	unsigned nb, const struct result_summary *summary, struct err *err)
{
	const struct report_context context = {.info = info, .latency_distribution = true};
	struct place place = {.context = &context, .writer = &report_json, .path = strdup(path)};
	int rc;

	if (!place.path)
		return err_device(err, ENOMEM, "%s", path);
	rc = place_open(&place, err);
	if (rc == 0)
		rc = write_all(&place, rows, nb, summary, err);
	place.writer->close(&place);
	place_close(&place);
	return rc;
}
