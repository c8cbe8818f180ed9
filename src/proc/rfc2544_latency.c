/* SPDX-License-Identifier: BSD-3-Clause */
#include <errno.h>

#include "procedures.h"
#include "rfc2544.h"

/* RFC 2544 §26.2: at the throughput rate, repeated and averaged. */

enum latency_opt { LATENCY_DURATION, LATENCY_REPEATS, LATENCY_NB_OPTS };
/* clang-format off */
static const struct opt latency_opts[LATENCY_NB_OPTS] = {
	[LATENCY_DURATION] = {.name = "latency-duration", .type = OPT_TIME, .min = 10000000,
		.max = 86400 * UNITS_NS_PER_S, .dflt = "120s",
		.help = "length of each latency trial (RFC 2544 §26.2: at least 120s)"},
	[LATENCY_REPEATS] = {.name = "latency-repeats", .type = OPT_UINT, .min = 1, .max = 10000,
		.dflt = "20",
		.help = "latency trials that are averaged (RFC 2544 §26.2: at least 20)"},
};
/* clang-format on */
const struct opt_section rfc2544_latency_section = OPT_SECTION("latency", latency_opts);

static const struct opt_section *const sections[] = {&proc_load_section, &proc_trial_section,
	&proc_search_section, &rfc2544_rate_section, &rfc2544_latency_section};

void rfc2544_latency_estimate(const struct proc_env *env, struct proc_estimate *out)
{
	out->nb_trials = (unsigned)opt_set_one(env->test, &latency_opts[LATENCY_REPEATS]).lo;
	out->duration_ns =
		out->nb_trials * opt_set_one(env->test, &latency_opts[LATENCY_DURATION]).lo;
}

/* Sums over repeats; of min and max the least and most. */
static void latency_add(struct result_latency *sum, const struct result_latency *lat, unsigned nb)
{
	sum->min = nb == 0 || lat->min < sum->min ? lat->min : sum->min;
	sum->max = lat->max > sum->max ? lat->max : sum->max;
	sum->count += lat->count;
	sum->mean += lat->mean;
	sum->p50 += lat->p50;
	sum->p90 += lat->p90;
	sum->p99 += lat->p99;
	sum->p999 += lat->p999;
}

static void latency_divide(struct result_latency *sum, unsigned nb)
{
	sum->mean /= nb;
	sum->p50 /= nb;
	sum->p90 /= nb;
	sum->p99 /= nb;
	sum->p999 /= nb;
}

static void note_definition(const struct proc_env *env, double pps, unsigned nb)
{
	static const char *const texts[] = {
		[LATENCY_FILO] =
			"FILO: from before the first bit is sent to after the last has come",
		[LATENCY_FIFO] = "FIFO: first bit in to first bit out (RFC 1242 §3.8, bit "
				 "forwarding devices)",
		[LATENCY_LIFO] = "LIFO: last bit in to first bit out (RFC 1242 §3.8, store and "
				 "forward devices)",
		[LATENCY_LILO] = "LILO: last bit in to last bit out",
	};

	proc_note(env,
		"latency is %s; at %.0f pps of a port; of every frame, not of one tagged "
		"frame a trial as RFC 2544 §26.2 has it; %u trials: mean and percentiles are "
		"the averages of theirs, min and max the least and the most of all",
		texts[env->info->latency_type], pps, nb);
}

int rfc2544_latency_run(
	struct proc_env *env, uint64_t upps, enum proc_outcome *outcome, struct err *err)
{
	const uint64_t ns = opt_set_one(env->test, &latency_opts[LATENCY_DURATION]).lo;
	const unsigned nb = (unsigned)opt_set_one(env->test, &latency_opts[LATENCY_REPEATS]).lo;
	struct result_latency sum = {0};
	unsigned measured = 0, lossy = 0;
	double pps = 0;

	for (unsigned i = 0; i < nb; i++) {
		struct trial_result result;
		int rc = search_trial_run(env, "latency", upps, ns, &result, err);

		if (rc < 0)
			return rc;
		if (!result.clean || result.total.lat.count == 0)
			continue;
		latency_add(&sum, &result.total.lat, measured++);
		pps += proc_sent_pps(env->info, &result);
		lossy += result.total.lost_packet > 0;
	}
	*outcome = PROC_INVALID;
	if (measured < nb)
		proc_note(env,
			"%u of %u latency trials gave no latency: the generator was not "
			"clean, or nothing came back",
			nb - measured, nb);
	if (measured == 0)
		return 0;
	latency_divide(&sum, measured);
	note_definition(env, pps / measured, measured);
	if (lossy > 0)
		proc_note(env, "in %u of %u latency trials frames were lost", lossy, measured);
	*outcome = measured == nb ? PROC_DONE : PROC_INVALID;
	return proc_latency_figures(env, NULL, &sum);
}

static void estimate(const struct proc_env *env, struct proc_estimate *out)
{
	struct proc_estimate search;

	rfc2544_rate_estimate(env, &search);
	rfc2544_latency_estimate(env, out);
	out->nb_trials += search.nb_trials;
	out->duration_ns += search.duration_ns;
}

static int run(struct proc_env *env, enum proc_outcome *outcome, struct err *err)
{
	uint64_t upps;
	double pps;
	int rc = proc_begin(env, err);

	if (rc == 0)
		rc = rfc2544_rate(env, &upps, &pps, outcome, err);
	if (rc < 0 || upps == 0)
		return rc;
	return rfc2544_latency_run(env, upps, outcome, err);
}

static const struct proc_figure_docs *const figures[] = {&search_figure_docs, &proc_latency_docs};

const struct procedure proc_rfc2544_latency = {
	.name = "rfc2544-latency",
	.help = "latency at the throughput rate (RFC 2544 §26.2)",
	.sections = sections,
	.nb_sections = sizeof(sections) / sizeof(sections[0]),
	.flags = PROC_OWN_LOADS,
	.check = search_check,
	.estimate = estimate,
	.run = run,
	.figures = figures,
	.nb_figures = sizeof(figures) / sizeof(figures[0]),
};
