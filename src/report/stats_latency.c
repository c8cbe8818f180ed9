/* SPDX-License-Identifier: BSD-3-Clause */
#include "tgen/stats.h"

#include "json_parts.h"
#include "value.h"

#include <errno.h>
#include <stdlib.h>

char *stats_time(char *out, uint64_t unix_ns)
{
	return value_time(out, unix_ns);
}

static bool hists_add(cJSON *array, const struct samples *samples, uint32_t only)
{
	const struct result_info *info = samples_info(samples);
	struct hist *h = malloc(sizeof(*h));
	bool ok = h && array;

	for (unsigned i = 0; ok && i <= info->nb_streams; i++) {
		uint32_t stream = i < info->nb_streams ? i : RESULT_TOT;

		if (only != RESULT_TOT && stream != only)
			continue;
		if (stream != RESULT_TOT && info->streams[stream].transmit_only)
			continue;
		if (samples_hist(samples, stream, h))
			ok = json_add_hist(array, stream, h, info);
	}
	free(h);
	return ok;
}

int stats_distribution_json(
	FILE *out, const struct samples *samples, bool running, uint32_t stream, struct err *err)
{
	const struct result_info *info = samples_info(samples);
	cJSON *object = cJSON_CreateObject();
	char time[UNITS_TEXT_MAX], *text = NULL;
	bool ok;

	ok = json_add_text(object, "schema", "tgen.stats/1") &&
	     json_add_text(object, "command", info->command) &&
	     json_add_text(object, "start", value_time(time, info->start_unix_ns)) &&
	     cJSON_AddBoolToObject(object, "running", running);
	ok = ok &&
	     hists_add(cJSON_AddArrayToObject(object, "latency-distribution"), samples, stream);
	if (ok)
		text = cJSON_Print(object);
	cJSON_Delete(object);
	if (text == NULL)
		return err_device(err, ENOMEM, "stats");
	fprintf(out, "%s\n", text);
	cJSON_free(text);
	return fflush(out) == 0 && !ferror(out)
		       ? 0
		       : err_device(err, 0, "standard output cannot be written");
}
