/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <stdint.h>

/*
 * Log-linear histogram of nanoseconds: values under 128 exactly, then 128 buckets an octave
 * (width at most 1/128 = 0.78 % of the value) up to 2^37 ns (137 s); larger ones are counted in
 * `overflow` and keep their place in count, sum and max. 8 bytes a bucket, about 31 KiB in all.
 * Mergeable by addition. Count, sum, min and max are kept exactly, so mean, extremes and
 * percentiles come from the same samples.
 */
#define HIST_SUB_BITS	7
#define HIST_SUB	(1u << HIST_SUB_BITS)
#define HIST_MAX_BITS	37
#define HIST_NB_BUCKETS (HIST_SUB * (HIST_MAX_BITS - HIST_SUB_BITS + 1))

struct hist {
	uint64_t count; /* samples, overflow included */
	uint64_t sum;	/* ns */
	uint64_t min;	/* ns; UINT64_MAX when count is 0 */
	uint64_t max;	/* ns */
	uint64_t overflow;
	uint64_t spare[3]; /* buckets begin with a cache line of their own */
	uint64_t bucket[HIST_NB_BUCKETS];
};

/* Index of the bucket of a value under 2^HIST_MAX_BITS. */
static inline unsigned hist_index(uint64_t ns)
{
	/* without a branch: the first two octaves have one width */
	unsigned msb = 63u - (unsigned)__builtin_clzll(ns | HIST_SUB);
	unsigned shift = msb - HIST_SUB_BITS;
	return (shift << HIST_SUB_BITS) + (unsigned)(ns >> shift);
}

/* Of a value under 2^HIST_MAX_BITS. */
static inline __attribute__((always_inline)) void hist_record_small(struct hist *h, uint64_t ns)
{
	h->count++;
	h->sum += ns;
	if (__builtin_expect(ns < h->min, 0))
		h->min = ns;
	if (__builtin_expect(ns > h->max, 0))
		h->max = ns;
	h->bucket[hist_index(ns)]++;
}

static inline void hist_record(struct hist *h, uint64_t ns)
{
	if (__builtin_expect(ns >> HIST_MAX_BITS == 0, 1)) {
		hist_record_small(h, ns);
		return;
	}
	h->count++;
	h->sum += ns;
	h->min = ns < h->min ? ns : h->min;
	h->max = ns > h->max ? ns : h->max;
	h->overflow++;
}

/* Of any memory. */
void hist_reset(struct hist *h);
/* Of a histogram: writes no more than was recorded, or all zeros, which becomes an empty one. */
void hist_clear(struct hist *h);
void hist_merge(struct hist *into, const struct hist *from);
/* Smallest and largest value of a bucket, both inclusive. */
uint64_t hist_bucket_low(unsigned index);
uint64_t hist_bucket_high(unsigned index);
/* 0 when there are no samples. */
uint64_t hist_mean(const struct hist *h);
/*
 * The value that at least `ppm` millionths of the samples do not exceed (500000: median,
 * 999000: P99.9): the upper end of its bucket, never outside min..max. 0 without samples.
 */
uint64_t hist_percentile(const struct hist *h, uint32_t ppm);
