/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/*
 * What RFC 9971 (MLRsearch) makes of trials, free of any search: goals, classification of a load,
 * conditional throughput.
 */

#define MLR_NAME_MAX 64

struct mlr_goal {
	char name[MLR_NAME_MAX];
	double final_s; /* length of a full-length trial */
	double sum_s;	/* so long in all until a load is decided */
	double loss;	/* a trial above it is a high-loss one */
	double exceed;	/* share of the time that may be of high-loss trials; below 1 */
	double width;	/* (upper - lower) / upper of the bounds when the goal is reached */
};

/* One trial at the load in question. */
struct mlr_trial {
	double seconds; /* effective duration */
	double loss;	/* ratio */
};

enum mlr_class { MLR_UNDECIDED, MLR_LOWER, MLR_UPPER };

/* What the trials at one load say of it for a goal. */
enum mlr_class mlr_classify(
	const struct mlr_goal *goal, const struct mlr_trial *trials, unsigned nb);
/*
 * Rate that the load forwards for the goal, in the unit of load: of a relevant lower bound. Trials
 * shorter than final_s do not count. 0 without memory or full-length trials.
 */
double mlr_conditional_throughput(
	const struct mlr_goal *goal, double load, const struct mlr_trial *trials, unsigned nb);
/* Goals that have names: ndr, pdr, rfc2544, tst009. NULL: unknown. */
const struct mlr_goal *mlr_preset(const char *name);
