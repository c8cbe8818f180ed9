/* SPDX-License-Identifier: BSD-3-Clause */
#include "mlrsearch.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define SECONDS_NEAR 1e-9 /* sums of durations are compared to that */

static const struct mlr_goal presets[] = {
	{"ndr", 1, 21, 0, 0.5, 0.005},
	{"pdr", 1, 21, 0.005, 0.5, 0.005},
	{"rfc2544", 60, 60, 0, 0, 0.005},
	{"tst009", 60, 120, 0, 0.5, 0.005},
};

const struct mlr_goal *mlr_preset(const char *name)
{
	for (unsigned i = 0; i < sizeof(presets) / sizeof(presets[0]); i++)
		if (strcmp(presets[i].name, name) == 0)
			return &presets[i];
	return NULL;
}

static bool is_full(const struct mlr_goal *goal, const struct mlr_trial *trial)
{
	return trial->seconds + SECONDS_NEAR >= goal->final_s;
}

enum mlr_class mlr_classify(
	const struct mlr_goal *goal, const struct mlr_trial *trials, unsigned nb)
{
	double full_low = 0, full_high = 0, short_low = 0, short_high = 0;
	double balance, high, whole, quantile;
	bool pessimistic, optimistic;

	for (unsigned i = 0; i < nb; i++) {
		bool lossy = trials[i].loss > goal->loss;

		if (is_full(goal, &trials[i]))
			*(lossy ? &full_high : &full_low) += trials[i].seconds;
		else
			*(lossy ? &short_high : &short_low) += trials[i].seconds;
	}
	balance = short_low * goal->exceed / (1 - goal->exceed);
	high = full_high + fmax(0, short_high - balance);
	whole = fmax(full_low + high, goal->sum_s);
	quantile = whole * goal->exceed + SECONDS_NEAR;
	pessimistic = whole - full_low <= quantile;
	optimistic = high <= quantile;
	if (pessimistic && optimistic)
		return MLR_LOWER;
	return pessimistic || optimistic ? MLR_UNDECIDED : MLR_UPPER;
}

static int by_loss(const void *a, const void *b)
{
	double x = ((const struct mlr_trial *)a)->loss, y = ((const struct mlr_trial *)b)->loss;

	return (x > y) - (x < y);
}

double mlr_conditional_throughput(
	const struct mlr_goal *goal, double load, const struct mlr_trial *trials, unsigned nb)
{
	struct mlr_trial *full = calloc(nb + 1, sizeof(*full));
	double sum = 0, rest, loss = 1;
	unsigned nb_full = 0;

	if (full == NULL)
		return 0;
	for (unsigned i = 0; i < nb; i++) {
		if (!is_full(goal, &trials[i]))
			continue;
		full[nb_full++] = trials[i];
		sum += trials[i].seconds;
	}
	qsort(full, nb_full, sizeof(*full), by_loss);
	rest = fmax(goal->sum_s, sum) * (1 - goal->exceed);
	for (unsigned i = 0; i < nb_full && (i == 0 || rest > SECONDS_NEAR); i++) {
		loss = full[i].loss;
		rest -= full[i].seconds;
	}
	if (rest > SECONDS_NEAR)
		loss = 1;
	free(full);
	return load * (1 - loss);
}
