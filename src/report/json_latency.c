/* SPDX-License-Identifier: BSD-3-Clause */
#include "json_parts.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

/*
 * The buckets with something in them as text: a tree of as many numbers would be large. negative:
 * of the samples below zero, by their size; NULL: there are none.
 */
static char *buckets_text(const struct hist *h, const struct hist *negative)
{
	const char *separator = "";
	char *text = NULL;
	size_t size = 0;
	FILE *out = open_memstream(&text, &size);

	if (!out)
		return NULL;
	fputc('[', out);
	for (unsigned i = HIST_NB_BUCKETS; i-- > 0 && negative;) {
		if (negative->bucket[i] == 0)
			continue;
		fprintf(out, "%s[-%" PRIu64 ",-%" PRIu64 ",%" PRIu64 "]", separator,
			hist_bucket_high(i), hist_bucket_low(i), negative->bucket[i]);
		separator = ",";
	}
	for (unsigned i = 0; i < HIST_NB_BUCKETS; i++) {
		if (h->bucket[i] == 0)
			continue;
		fprintf(out, "%s[%" PRIu64 ",%" PRIu64 ",%" PRIu64 "]", separator,
			hist_bucket_low(i), hist_bucket_high(i), h->bucket[i]);
		separator = ",";
	}
	fputc(']', out);
	if (fclose(out) != 0) {
		free(text);
		return NULL;
	}
	return text;
}

bool json_add_hist(
	cJSON *array, uint32_t stream, const struct hist *h, const struct result_info *info)
{
	char *buckets = buckets_text(h, NULL);
	cJSON *o = json_append_object(array);
	bool ok = json_add_index(o, "stream", stream);

	ok &= json_add_u64_or_null(
		o, "id", stream != RESULT_TOT, stream != RESULT_TOT ? info->streams[stream].id : 0);
	ok &= json_add_u64(o, "count", h->count);
	ok &= json_add_u64_or_null(o, "min", h->count > 0, h->min);
	ok &= json_add_u64_or_null(o, "mean", h->count > 0, hist_mean(h));
	ok &= json_add_u64_or_null(o, "max", h->count > 0, h->max);
	ok &= buckets && cJSON_AddRawToObject(o, "buckets", buckets) != NULL;
	ok &= json_add_u64(o, "overflow", h->overflow);
	free(buckets);
	return ok;
}

/* sizes: of all samples, those below zero with the others. */
static bool add_error(cJSON *object, const char *key, const struct hist *sizes, char *buckets)
{
	struct result_latency figures;
	char near[UNITS_TEXT_MAX];
	cJSON *o;
	bool ok;

	result_latency_of(&figures, sizes);
	ok = json_add_latency(object, key, &figures);
	o = cJSON_GetObjectItemCaseSensitive(object, key);
	units_fmt_micro(near, result_near_ppm(sizes) * UINT64_C(100));
	ok &= cJSON_AddRawToObject(o, "within-256ns-pct", sizes->count > 0 ? near : "null") != NULL;
	ok &= buckets && cJSON_AddRawToObject(o, "buckets", buckets) != NULL;
	ok &= json_add_u64(o, "overflow", sizes->overflow);
	return ok;
}

bool json_add_errors(cJSON *object, const struct result_health *health)
{
	const struct hist *longer = health->gap_longer, *shorter = health->gap_shorter;
	struct hist *sizes = malloc(sizeof(*sizes));
	char *buckets = NULL;
	bool ok = sizes != NULL;

	if (ok && health->schedule_error) {
		buckets = buckets_text(health->schedule_error, NULL);
		ok = add_error(object, "schedule-error-ns", health->schedule_error, buckets);
		free(buckets);
	} else {
		ok &= json_add_text(object, "schedule-error-ns", NULL);
	}
	if (ok && longer) {
		*sizes = *longer;
		hist_merge(sizes, shorter);
		buckets = buckets_text(longer, shorter);
		ok = add_error(object, "gap-error-ns", sizes, buckets);
		free(buckets);
	} else {
		ok &= json_add_text(object, "gap-error-ns", NULL);
	}
	free(sizes);
	return ok;
}

bool json_add_distribution(
	cJSON *object, const struct result_info *info, const struct result_summary *summary)
{
	cJSON *array = cJSON_AddArrayToObject(object, "latency-distribution");
	struct hist *h = malloc(sizeof(*h));
	bool ok = array && h;

	/* one more than there are streams: all of them */
	for (unsigned i = 0; ok && i <= info->nb_streams; i++) {
		uint32_t stream = i < info->nb_streams ? i : RESULT_TOT;

		if (stream != RESULT_TOT && info->streams[stream].transmit_only)
			continue;
		hist_reset(h);
		summary->latency(summary->latency_ctx, stream, h);
		ok = json_add_hist(array, stream, h, info);
	}
	free(h);
	return ok;
}
