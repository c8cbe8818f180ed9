/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/* Statistics over repeats and over a history of results. Values that are not finite are refused. */

struct series {
	size_t nb;
	double mean, stdev; /* of the sample, n - 1; 0 of one value */
	double min, max, median;
	double half_95; /* half the 95 % interval of the mean (Student's t); NAN of one value */
};

/* False: no values, or one that is not finite. */
bool series_of(const double *values, size_t nb, struct series *out);

struct series_change {
	double ratio;	  /* (mean of b - mean of a) / mean of a; NAN when that is 0 */
	double low, high; /* 95 % interval of the same (Welch's t); NAN: too few values */
	bool significant; /* the interval does not hold 0; false when it is not known */
};
void series_compare(const struct series *a, const struct series *b, struct series_change *out);

/*
 * Where the level of a history changed: indexes of the first value after each change, rising, at
 * most `most`; their number. Change points by a test on ranks, split recursively, at 1 % chance.
 */
size_t series_changes(const double *values, size_t nb, size_t *out, size_t most);
