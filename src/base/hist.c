/* SPDX-License-Identifier: BSD-3-Clause */
#include "tgen/hist.h"

#include <string.h>

_Static_assert(HIST_NB_BUCKETS == 3968, "the documented size of a histogram");

void hist_reset(struct hist *h)
{
	memset(h, 0, sizeof(*h));
	h->min = UINT64_MAX;
}

/* The buckets that hold anything. */
static void used_buckets(const struct hist *h, unsigned *first, unsigned *last)
{
	const uint64_t most = (UINT64_C(1) << HIST_MAX_BITS) - 1;

	*first = hist_index(h->min < most ? h->min : most);
	*last = hist_index(h->max < most ? h->max : most);
}

void hist_clear(struct hist *h)
{
	unsigned first, last;

	if (h->count > 0) {
		used_buckets(h, &first, &last);
		memset(&h->bucket[first], 0, (last - first + 1) * sizeof(h->bucket[0]));
	}
	h->count = h->sum = h->max = h->overflow = 0;
	h->min = UINT64_MAX;
}

void hist_merge(struct hist *into, const struct hist *from)
{
	unsigned first, last;

	if (from->count == 0)
		return;
	used_buckets(from, &first, &last);
	into->count += from->count;
	into->sum += from->sum;
	into->min = from->min < into->min ? from->min : into->min;
	into->max = from->max > into->max ? from->max : into->max;
	into->overflow += from->overflow;
	for (unsigned i = first; i <= last; i++)
		into->bucket[i] += from->bucket[i];
}

/* log2 of the bucket's width; the first two octaves are exact. */
static unsigned bucket_shift(unsigned index)
{
	return index < HIST_SUB ? 0 : (index >> HIST_SUB_BITS) - 1;
}

uint64_t hist_bucket_low(unsigned index)
{
	unsigned shift = bucket_shift(index);

	return (uint64_t)(index - (shift << HIST_SUB_BITS)) << shift;
}

uint64_t hist_bucket_high(unsigned index)
{
	return hist_bucket_low(index) + (UINT64_C(1) << bucket_shift(index)) - 1;
}

uint64_t hist_mean(const struct hist *h)
{
	return h->count == 0 ? 0 : h->sum / h->count;
}

uint64_t hist_percentile(const struct hist *h, uint32_t ppm)
{
	uint64_t seen = 0, rank, value = h->max;

	if (h->count == 0)
		return 0;
	if (ppm >= 1000000)
		return h->max;
	/* Rounded up, so that at least this share lies at or under the answer. */
	rank = (uint64_t)(((unsigned __int128)h->count * ppm + 999999) / 1000000);
	if (rank == 0)
		return h->min;
	for (unsigned i = 0; i < HIST_NB_BUCKETS; i++) {
		seen += h->bucket[i];
		if (seen >= rank) {
			value = hist_bucket_high(i);
			break;
		}
	}
	value = value > h->max ? h->max : value;
	return value < h->min ? h->min : value;
}
