/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "mlrsearch.h"
#include "tgen/procedure.h"

/*
 * A search for the bounds of several goals (RFC 9971), one after the other, that shares its trials:
 * what one goal measured counts for the next.
 */

struct mlr_bounds {
	double lower_pps, upper_pps; /* relevant bounds, as sent by a port; 0: none */
	double throughput_pps;	     /* conditional throughput of the lower bound */
	bool irregular;	     /* the highest load is a lower bound, or the least an upper one */
	bool tester_limited; /* the highest load that the generator sent cleanly */
	bool unfinished;
};

/* Fewest sent for a load to be looked at: min_upps; initial_upps: where it begins. */
struct mlr_limits {
	uint64_t min_upps, initial_upps, max_upps;
};

/* out: one a goal. 0; -EINTR; negative with err. */
int mlr_run(struct proc_env *env, const struct mlr_limits *limits, const struct mlr_goal *goals,
	unsigned nb_goals, struct mlr_bounds *out, struct err *err);
/* Adds what a goal needs at most. */
void mlr_estimate(const struct mlr_goal *goal, struct proc_estimate *sum);
