/* SPDX-License-Identifier: BSD-3-Clause */
#include "saved.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* The distribution of a result read back: histograms from buckets. */

static bool read_bucket(struct hist *h, const cJSON *bucket)
{
	uint64_t n[3];

	if (cJSON_GetArraySize(bucket) != 3)
		return false;
	for (int i = 0; i < 3; i++) {
		const char *text = saved_number_text(cJSON_GetArrayItem(bucket, i));

		if (!text || units_parse_u64(text, &n[i]) < 0)
			return false;
	}
	if (n[0] >> HIST_MAX_BITS != 0 || hist_bucket_low(hist_index(n[0])) != n[0] ||
		hist_bucket_high(hist_index(n[0])) != n[1])
		return false;
	h->bucket[hist_index(n[0])] = n[2];
	return true;
}

static unsigned first_bucket(const struct hist *h)
{
	unsigned i = 0;

	while (i < HIST_NB_BUCKETS && h->bucket[i] == 0)
		i++;
	return i;
}

/* False: it is none of this program's, or does not agree with itself. */
static bool read_hist(struct hist *h, const cJSON *item)
{
	const cJSON *buckets = cJSON_GetObjectItemCaseSensitive(item, "buckets"), *bucket;
	uint64_t sum = 0;
	unsigned first;

	hist_reset(h);
	if (!saved_number(item, "count", &h->count) ||
		!saved_number(item, "overflow", &h->overflow) || !cJSON_IsArray(buckets))
		return false;
	cJSON_ArrayForEach(bucket, buckets) if (!read_bucket(h, bucket)) return false;
	for (unsigned i = 0; i < HIST_NB_BUCKETS; i++)
		sum += h->bucket[i];
	if (sum + h->overflow != h->count)
		return false;
	if (h->count == 0)
		return true;
	first = first_bucket(h);
	return saved_number(item, "min", &h->min) && saved_number(item, "max", &h->max) &&
	       h->min <= h->max &&
	       (first == HIST_NB_BUCKETS ? h->min >> HIST_MAX_BITS != 0
					 : hist_bucket_low(first) <= h->min &&
						   h->min <= hist_bucket_high(first));
}

/* The id of the stream, or TOT. */
static const char *stream_text(const cJSON *item)
{
	const char *id = saved_number_text(cJSON_GetObjectItemCaseSensitive(item, "id"));

	return id ? id : "TOT";
}

int report_saved_distribution(
	const struct report_saved *saved, FILE *out, uint64_t max_ns, struct err *err)
{
	const cJSON *array = cJSON_GetObjectItemCaseSensitive(saved->root, "latency-distribution");
	int nb = cJSON_GetArraySize(array), at = 0, rc = 0;
	struct hist *h;
	const cJSON *item;

	if (nb == 0)
		return err_usage(err, "%s has no latency distribution (latency-distribution=yes)",
			saved->path);
	h = malloc(sizeof(*h));
	if (!h)
		return err_device(err, ENOMEM, "%s", saved->path);
	cJSON_ArrayForEach(item, array)
	{
		struct report_distribution_options options = {
			.stream = stream_text(item), .max_ns = max_ns};

		if (!read_hist(h, item)) {
			rc = err_usage(err,
				"%s: latency-distribution[%d] is not a histogram of tgen",
				saved->path, at);
			break;
		}
		at++;
		/* TOT over one stream says the same again */
		if (nb == 2 && at == 2)
			break;
		report_distribution(out, h, &options);
	}
	free(h);
	return rc;
}
