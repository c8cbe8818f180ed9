/* SPDX-License-Identifier: BSD-3-Clause */
#include "mlrsearch_run.h"

#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>

#include "search.h"

#define RANGE	       1000.0 /* of max to min */
#define LOADS_MAX      512u
#define REFINE_MAX     16u /* loads of a goal that are decided, beyond the coarse search */
#define SHORTFALLS_MAX 4u

/* All that was seen at one load. */
struct load {
	uint64_t upps;
	double pps_sum; /* sent */
	struct mlr_trial *trials;
	unsigned nb;
};

/* Where the search for a goal is. */
struct state {
	uint64_t hint_low, hint_high; /* of single trials */
	unsigned doublings;
	unsigned nb; /* loads that were decided for it */
	bool unfinished;
};

struct mlr {
	struct proc_env *env;
	struct err *err;
	const struct mlr_limits *limits;
	const struct mlr_goal *goal;
	struct load loads[LOADS_MAX];
	unsigned nb_loads;
	uint64_t top; /* highest that may be tried; 0: the generator was never clean */
	unsigned nb_short;
	bool tester;	     /* top is the generator's */
	bool unclean;	     /* the last trial was */
	bool dead;	     /* nothing came back in it */
	struct state *state; /* of the goal */
	unsigned long nb_trials;
};

static struct load *load_at(struct mlr *m, uint64_t upps)
{
	for (unsigned i = 0; i < m->nb_loads; i++)
		if (m->loads[i].upps == upps)
			return &m->loads[i];
	if (m->nb_loads == LOADS_MAX)
		return NULL;
	m->loads[m->nb_loads].upps = upps;
	return &m->loads[m->nb_loads++];
}

static double load_pps(const struct load *load)
{
	return load->nb > 0 ? load->pps_sum / load->nb : 0;
}

static unsigned trials_of(const struct mlr_goal *goal)
{
	return (unsigned)ceil(goal->sum_s / goal->final_s - 1e-9);
}

static unsigned coarse_of(const struct mlr_goal *goal)
{
	return (unsigned)ceil(log2(RANGE / goal->width)) + 2;
}

void mlr_estimate(const struct mlr_goal *goal, struct proc_estimate *sum)
{
	unsigned nb = coarse_of(goal) + REFINE_MAX * trials_of(goal);

	sum->nb_trials += nb;
	sum->duration_ns += (uint64_t)(nb * goal->final_s * UNITS_NS_PER_S);
}

/* ---- trials ---- */

static void limit_top(struct mlr *m, const struct load *load, const struct trial_result *result)
{
	uint64_t sent = (uint64_t)(proc_sent_pps(m->env->info, result) * UNITS_MICROS);
	uint64_t min = m->limits->min_upps, half = min + (load->upps - min) / 2;

	m->tester = true;
	if (m->nb_short++ == 0)
		proc_note(m->env,
			"at %.0f pps of a port the generator was not clean (%s): loads above "
			"that tell nothing of the device",
			(double)load->upps / UNITS_MICROS,
			result->nb_reasons > 0 ? result->reasons[0] : "no reason given");
	if (load->upps <= min)
		m->top = 0;
	else if (result->fell_short && m->nb_short <= SHORTFALLS_MAX && sent > half &&
		 sent < load->upps)
		m->top = sent;
	else
		m->top = half;
}

/* One full-length trial of the goal at a load; m->unclean: it tells nothing. */
static int trial_add(struct mlr *m, struct load *load, const char *purpose)
{
	struct trial_result result;
	struct mlr_trial *trials;
	int rc = search_trial_run(m->env, purpose, load->upps,
		(uint64_t)(m->goal->final_s * UNITS_NS_PER_S), &result, m->err);

	if (rc < 0)
		return rc;
	m->nb_trials++;
	m->unclean = !result.clean;
	if (m->unclean) {
		limit_top(m, load, &result);
		return 0;
	}
	trials = realloc(load->trials, (load->nb + 1) * sizeof(*trials));
	if (trials == NULL)
		return err_device(m->err, ENOMEM, "trials");
	m->dead = !search_passes(&result, 1) || result.total.n.good == 0;
	trials[load->nb] =
		(struct mlr_trial){m->goal->final_s, m->dead ? 1 : proc_loss_ratio(&result)};
	load->trials = trials;
	load->nb++;
	load->pps_sum += proc_sent_pps(m->env->info, &result);
	return 0;
}

static enum mlr_class class_of(const struct mlr *m, const struct load *load)
{
	return mlr_classify(m->goal, load->trials, load->nb);
}

/* The relevant bounds: the lowest upper one, the highest lower one below it. */
static void bounds_of(const struct mlr *m, const struct load **lower, const struct load **upper)
{
	*lower = *upper = NULL;
	for (unsigned i = 0; i < m->nb_loads; i++)
		if (class_of(m, &m->loads[i]) == MLR_UPPER &&
			(*upper == NULL || m->loads[i].upps < (*upper)->upps))
			*upper = &m->loads[i];
	for (unsigned i = 0; i < m->nb_loads; i++)
		if (class_of(m, &m->loads[i]) == MLR_LOWER &&
			(*upper == NULL || m->loads[i].upps < (*upper)->upps) &&
			(*lower == NULL || m->loads[i].upps > (*lower)->upps))
			*lower = &m->loads[i];
	m->env->low_pps = *lower != NULL ? load_pps(*lower) : 0;
	m->env->high_pps = *upper != NULL ? load_pps(*upper) : 0;
}

static bool near_enough(const struct mlr *m, uint64_t low, uint64_t high)
{
	return high - low <= 1 || (double)(high - low) <= (double)high * m->goal->width;
}

/* ---- where the bounds may be: single trials ---- */

static int coarse(struct mlr *m)
{
	const struct load *lower, *upper;
	uint64_t next = m->limits->initial_upps;
	int rc = 0;

	bounds_of(m, &lower, &upper);
	m->state->hint_low = lower != NULL ? lower->upps : 0;
	m->state->hint_high = upper != NULL ? upper->upps : 0;
	if (lower != NULL || upper != NULL || next > m->top)
		next = 0;
	for (unsigned i = 0; rc == 0 && m->top != 0 && i < 2 * coarse_of(m->goal); i++) {
		uint64_t low = m->state->hint_low != 0 ? m->state->hint_low : m->limits->min_upps;
		uint64_t high = m->state->hint_high != 0 && m->state->hint_high <= m->top
					? m->state->hint_high
					: m->top;
		struct load *load;

		if (next == 0 && near_enough(m, low, high)) {
			if (high == m->state->hint_high || m->state->hint_low == m->top)
				break;
			next = m->top;
		}
		load = load_at(m, next != 0 ? next : low + (high - low) / 2);
		next = 0;
		if (load == NULL)
			break;
		rc = trial_add(m, load, "search");
		if (rc < 0 || m->unclean)
			continue;
		*(load->trials[load->nb - 1].loss <= m->goal->loss ? &m->state->hint_low
								   : &m->state->hint_high) =
			load->upps;
		if (m->dead)
			break;
	}
	if (m->state->hint_low == 0 || m->state->hint_low > m->top)
		m->state->hint_low = m->limits->min_upps < m->top ? m->limits->min_upps : m->top;
	return rc;
}

/* ---- the bounds themselves ---- */

/* The next load to decide; 0: the goal is reached, or there is nowhere to go. */
static uint64_t next_load(struct mlr *m)
{
	const struct load *lower, *upper;
	uint64_t min = m->limits->min_upps, step, next;

	bounds_of(m, &lower, &upper);
	if (m->top == 0 || (lower != NULL && lower->upps >= m->top))
		return 0;
	if (upper != NULL && upper->upps <= min)
		return 0;
	if (lower == NULL && upper == NULL)
		return m->state->hint_low;
	if (lower != NULL && upper != NULL) {
		if (near_enough(m, lower->upps, upper->upps))
			return 0;
		next = lower->upps + (upper->upps - lower->upps) / 2;
		return next < m->top ? next : m->top;
	}
	step = (uint64_t)ldexp(m->goal->width * (double)(lower != NULL ? lower : upper)->upps,
		       (int)m->state->doublings) +
	       1;
	if (lower != NULL && m->state->doublings == 0 && m->state->hint_high > lower->upps)
		next = m->state->hint_high;
	else if (lower != NULL)
		next = lower->upps + step;
	else
		next = upper->upps > min + step ? upper->upps - step : min;
	m->state->doublings++;
	return next < m->top ? next : m->top;
}

/* Trials at a load until it is decided. */
static int decide(struct mlr *m, struct load *load)
{
	int rc = 0;

	for (unsigned i = 0; rc == 0 && i < trials_of(m->goal) + 1; i++) {
		if (class_of(m, load) != MLR_UNDECIDED)
			break;
		rc = trial_add(m, load, "final");
		if (m->unclean)
			break;
	}
	return rc;
}

static int goal_search(struct mlr *m)
{
	struct state *state = m->state;
	uint64_t next;
	int rc = 0;

	state->doublings = 0;
	state->unfinished = false;
	while (rc == 0 && (next = next_load(m)) != 0) {
		struct load *load = load_at(m, next);

		state->unfinished = load == NULL || state->nb == REFINE_MAX;
		if (state->unfinished)
			break;
		rc = decide(m, load);
		/* a load that the generator could not send is not one of the device */
		if (!m->unclean || m->nb_short > REFINE_MAX)
			state->nb++;
	}
	return rc;
}

static void goal_tell(struct mlr *m, struct mlr_bounds *out)
{
	const struct load *lower, *upper;

	bounds_of(m, &lower, &upper);
	if (upper != NULL)
		out->upper_pps = load_pps(upper);
	if (lower != NULL) {
		out->lower_pps = load_pps(lower);
		out->throughput_pps = mlr_conditional_throughput(
			m->goal, out->lower_pps, lower->trials, lower->nb);
	}
	out->irregular = lower == NULL || upper == NULL;
	out->tester_limited = m->tester && lower != NULL &&
			      (upper == NULL || !near_enough(m, lower->upps, upper->upps));
}

/* Trials of one goal may change what another says of a load: until none asks for more. */
static int goals_search(
	struct mlr *m, const struct mlr_goal *goals, unsigned nb_goals, struct state *states)
{
	unsigned long before = ULONG_MAX;
	int rc = 0;

	for (unsigned i = 0; rc == 0 && i < nb_goals; i++) {
		m->goal = &goals[i];
		m->state = &states[i];
		rc = coarse(m);
		if (rc == 0)
			rc = goal_search(m);
	}
	while (rc == 0 && before != m->nb_trials) {
		before = m->nb_trials;
		for (unsigned i = 0; rc == 0 && i < nb_goals; i++) {
			m->goal = &goals[i];
			m->state = &states[i];
			rc = goal_search(m);
		}
	}
	return rc;
}

int mlr_run(struct proc_env *env, const struct mlr_limits *limits, const struct mlr_goal *goals,
	unsigned nb_goals, struct mlr_bounds *out, struct err *err)
{
	struct state *states = calloc(nb_goals, sizeof(*states));
	struct mlr *m = calloc(1, sizeof(*m));
	int rc;

	if (m == NULL || states == NULL) {
		free(m);
		free(states);
		return err_device(err, ENOMEM, "search");
	}
	m->env = env;
	m->err = err;
	m->limits = limits;
	m->top = limits->max_upps;
	rc = goals_search(m, goals, nb_goals, states);
	for (unsigned i = 0; rc == 0 && i < nb_goals; i++) {
		m->goal = &goals[i];
		out[i] = (struct mlr_bounds){.unfinished = states[i].unfinished};
		goal_tell(m, &out[i]);
	}
	for (unsigned i = 0; i < m->nb_loads; i++)
		free(m->loads[i].trials);
	free(m);
	free(states);
	return rc;
}
