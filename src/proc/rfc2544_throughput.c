/* SPDX-License-Identifier: BSD-3-Clause */
#include "procedures.h"
#include "rfc2544.h"

/* RFC 2544 §26.1. */

static const struct opt_section *const sections[] = {
	&proc_load_section, &proc_trial_section, &proc_search_section};

int rfc2544_throughput_run(struct proc_env *env, struct search_found *found,
	enum proc_outcome *outcome, struct err *err)
{
	struct search_spec spec;
	int rc = search_spec_of(env, &spec, err);

	if (rc == 0)
		rc = search_run(env, &spec, found, err);
	if (rc < 0)
		return rc;
	*outcome = search_outcome(env, found);
	return found->unfinished ? 0 : search_figures(env, found);
}

static int run(struct proc_env *env, enum proc_outcome *outcome, struct err *err)
{
	struct search_found found;
	int rc = proc_begin(env, err);

	return rc < 0 ? rc : rfc2544_throughput_run(env, &found, outcome, err);
}

static const struct proc_figure_docs *const figures[] = {&search_figure_docs};

const struct procedure proc_rfc2544_throughput = {
	.name = "rfc2544-throughput",
	.help = "the highest rate at which nothing is lost, by binary search (RFC 2544 §26.1)",
	.sections = sections,
	.nb_sections = sizeof(sections) / sizeof(sections[0]),
	.flags = PROC_OWN_LOADS,
	.check = search_check,
	.estimate = search_estimate,
	.run = run,
	.figures = figures,
	.nb_figures = sizeof(figures) / sizeof(figures[0]),
};

/* ---- the throughput that other tests rest on ---- */

/* clang-format off */
const struct opt rfc2544_rate_opts[RFC2544_NB_RATE_OPTS] = {
	[RFC2544_RATE] = {.name = "rate", .type = OPT_RATE,
		.help = "load of each port that sends, as 50%, 100mbps or 20kpps; for latency and "
			"back-to-back the throughput that was found at this size; not given: that is "
			"searched for first, elsewhere the streams say"},
};
/* clang-format on */
const struct opt_section rfc2544_rate_section =
	OPT_SECTION("throughput known before", rfc2544_rate_opts);

void rfc2544_rate_estimate(const struct proc_env *env, struct proc_estimate *out)
{
	*out = (struct proc_estimate){0};
	if (opt_set_get(env->test, &rfc2544_rate_opts[RFC2544_RATE]) == NULL)
		search_estimate(env, out);
}

int rfc2544_rate(struct proc_env *env, uint64_t *upps, double *sent_pps, enum proc_outcome *outcome,
	struct err *err)
{
	const struct opt *opt = &rfc2544_rate_opts[RFC2544_RATE];
	struct search_found found;
	struct opt_val val;
	int rc;

	*upps = 0;
	*outcome = PROC_DONE;
	if (opt_set_val(env->test, opt, 0, &val)) {
		uint64_t most = UINT64_MAX;

		for (unsigned i = 0; i < env->info->nb_streams; i++) {
			rc = proc_rate_upps(
				env, opt, &val, env->info->streams[i].tx_port, upps, err);
			if (rc < 0)
				return rc;
			most = *upps < most ? *upps : most;
		}
		*upps = most;
		*sent_pps = (double)most / UNITS_MICROS;
		return 0;
	}
	rc = rfc2544_throughput_run(env, &found, outcome, err);
	if (rc == 0 && *outcome == PROC_DONE) {
		*upps = found.best.upps;
		*sent_pps = found.best.pps;
	}
	return rc;
}
