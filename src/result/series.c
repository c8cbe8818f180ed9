/* SPDX-License-Identifier: BSD-3-Clause */
#include "tgen/series.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/*
 * Student's t by the incomplete beta function (continued fraction, Lentz's method: Abramowitz and
 * Stegun 26.5.8), its quantile by bisection.
 */

#define LEVEL	     0.95
#define FRACTION_MAX 300
#define TINY	     1e-300
#define CHANGE_LEVEL 0.01 /* of a change point */
#define CHANGE_MIN   3	  /* values on each side of it */

static double away_from_zero(double x)
{
	return fabs(x) < TINY ? TINY : x;
}

static double beta_fraction(double a, double b, double x)
{
	double c = 1, d = 1 / away_from_zero(1 - (a + b) * x / (a + 1)), h = d;

	for (int m = 1; m < FRACTION_MAX; m++) {
		double m2 = 2.0 * m, even = m * (b - m) * x / ((a + m2 - 1) * (a + m2));
		double odd = -(a + m) * (a + b + m) * x / ((a + m2) * (a + m2 + 1)), step;

		d = 1 / away_from_zero(1 + even * d);
		c = away_from_zero(1 + even / c);
		h *= d * c;
		d = 1 / away_from_zero(1 + odd * d);
		c = away_from_zero(1 + odd / c);
		step = d * c;
		h *= step;
		if (fabs(step - 1) < 1e-15)
			break;
	}
	return h;
}

/* The regularised incomplete beta function. */
static double beta(double a, double b, double x)
{
	double front;

	if (x <= 0 || x >= 1)
		return x <= 0 ? 0 : 1;
	front = exp(lgamma(a + b) - lgamma(a) - lgamma(b) + a * log(x) + b * log(1 - x));
	if (x < (a + 1) / (a + b + 2))
		return front * beta_fraction(a, b, x) / a;
	return 1 - front * beta_fraction(b, a, 1 - x) / b;
}

/* The chance that |t| is more, with df degrees of freedom. */
static double t_beyond(double t, double df)
{
	return beta(df / 2, 0.5, df / (df + t * t));
}

/* What |t| exceeds with chance 1 - LEVEL. */
static double t_quantile(double df)
{
	double low = 0, high = 1e6;

	for (int i = 0; i < 200; i++) {
		double middle = low / 2 + high / 2;

		if (t_beyond(middle, df) > 1 - LEVEL)
			low = middle;
		else
			high = middle;
	}
	return low;
}

static int compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static double median_of(const double *values, size_t nb)
{
	double *sorted = malloc(nb * sizeof(*sorted)), median;

	if (sorted == NULL)
		return NAN;
	memcpy(sorted, values, nb * sizeof(*sorted));
	qsort(sorted, nb, sizeof(*sorted), compare);
	median = nb % 2 ? sorted[nb / 2] : sorted[nb / 2 - 1] / 2 + sorted[nb / 2] / 2;
	free(sorted);
	return median;
}

bool series_of(const double *values, size_t nb, struct series *out)
{
	double sum = 0, squares = 0;

	*out = (struct series){.nb = nb, .half_95 = NAN};
	for (size_t i = 0; i < nb; i++) {
		if (!isfinite(values[i]))
			return false;
		sum += values[i];
	}
	if (nb == 0)
		return false;
	out->mean = sum / (double)nb;
	out->min = out->max = values[0];
	for (size_t i = 0; i < nb; i++) {
		squares += (values[i] - out->mean) * (values[i] - out->mean);
		out->min = fmin(out->min, values[i]);
		out->max = fmax(out->max, values[i]);
	}
	out->median = median_of(values, nb);
	if (nb > 1) {
		out->stdev = sqrt(squares / (double)(nb - 1));
		out->half_95 = t_quantile((double)(nb - 1)) * out->stdev / sqrt((double)nb);
	}
	return true;
}

/* Welch: the variances need not be the same. */
void series_compare(const struct series *a, const struct series *b, struct series_change *out)
{
	double va, vb, error, df, half, difference = b->mean - a->mean, scale = fabs(a->mean);

	*out = (struct series_change){.ratio = NAN, .low = NAN, .high = NAN};
	if (scale == 0)
		return;
	out->ratio = difference / scale;
	if (a->nb < 2 || b->nb < 2)
		return;
	va = a->stdev * a->stdev / (double)a->nb;
	vb = b->stdev * b->stdev / (double)b->nb;
	error = sqrt(va + vb);
	half = 0;
	if (error > 0) {
		df = (va + vb) * (va + vb) /
		     (va * va / (double)(a->nb - 1) + vb * vb / (double)(b->nb - 1));
		half = t_quantile(df) * error;
	}
	out->low = (difference - half) / scale;
	out->high = (difference + half) / scale;
	out->significant = out->low > 0 || out->high < 0;
}

/* ---- change points ---- */

/* Ranks of values, ties at their mean. */
static void ranks_of(const double *values, size_t nb, double *ranks)
{
	for (size_t i = 0; i < nb; i++) {
		double less = 0, same = 0;

		for (size_t k = 0; k < nb; k++) {
			less += values[k] < values[i];
			same += values[k] == values[i];
		}
		ranks[i] = less + (same + 1) / 2;
	}
}

/*
 * Pettitt's test on ranks: the split at which the ranks before and after differ most, and the chance
 * of so large a difference without a change (about 2 exp(-6 K² / (n³ + n²))).
 */
static bool split_find(const double *values, size_t nb, size_t *at)
{
	double *ranks = malloc(nb * sizeof(*ranks)), sum = 0, best = 0, n = (double)nb, chance;

	if (ranks == NULL)
		return false;
	ranks_of(values, nb, ranks);
	for (size_t i = 0; i + CHANGE_MIN < nb; i++) {
		double k;

		sum += ranks[i];
		k = fabs(2 * sum - (double)(i + 1) * (n + 1));
		if (i + 1 >= CHANGE_MIN && k > best) {
			best = k;
			*at = i + 1;
		}
	}
	free(ranks);
	chance = 2 * exp(-6 * best * best / (n * n * n + n * n));
	return best > 0 && chance < CHANGE_LEVEL;
}

static size_t changes_within(
	const double *values, size_t from, size_t to, size_t *out, size_t nb, size_t most)
{
	size_t at;

	if (to - from < 2 * CHANGE_MIN || nb == most || !split_find(values + from, to - from, &at))
		return nb;
	nb = changes_within(values, from, from + at, out, nb, most);
	if (nb < most)
		out[nb++] = from + at;
	return changes_within(values, from + at, to, out, nb, most);
}

/*
 * Of two steps in one direction the first split may fall anywhere between them. So each change is
 * looked for again between its neighbours, and goes when there is none.
 */
static size_t changes_settle(const double *values, size_t nb, size_t *changes, size_t nb_changes)
{
	for (size_t i = 0; i < nb_changes;) {
		size_t from = i > 0 ? changes[i - 1] : 0, at;
		size_t to = i + 1 < nb_changes ? changes[i + 1] : nb;

		if (to - from >= 2 * CHANGE_MIN && split_find(values + from, to - from, &at)) {
			changes[i++] = from + at;
			continue;
		}
		nb_changes--;
		memmove(&changes[i], &changes[i + 1], (nb_changes - i) * sizeof(*changes));
		i = 0;
	}
	return nb_changes;
}

size_t series_changes(const double *values, size_t nb, size_t *out, size_t most)
{
	for (size_t i = 0; i < nb; i++)
		if (!isfinite(values[i]))
			return 0;
	return changes_settle(values, nb, out, changes_within(values, 0, nb, out, 0, most));
}
