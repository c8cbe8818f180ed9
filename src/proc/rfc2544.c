/* SPDX-License-Identifier: BSD-3-Clause */
#include "rfc2544.h"
#include "procedures.h"

/* The tests of RFC 2544 one after the other, all with the throughput that the first finds. */

static const struct opt_section *const sections[] = {&proc_load_section, &proc_trial_section,
	&proc_search_section, &rfc2544_latency_section, &rfc2544_loss_section,
	&rfc2544_burst_section};

static void estimate(const struct proc_env *env, struct proc_estimate *out)
{
	void (*const parts[])(const struct proc_env *, struct proc_estimate *) = {search_estimate,
		rfc2544_latency_estimate, rfc2544_loss_estimate, rfc2544_burst_estimate};

	*out = (struct proc_estimate){0};
	for (unsigned i = 0; i < sizeof(parts) / sizeof(parts[0]); i++) {
		struct proc_estimate part = {0};

		parts[i](env, &part);
		out->nb_trials += part.nb_trials;
		out->duration_ns += part.duration_ns;
	}
}

/* A device that failed counts more than a part that was not valid; what was skipped not at all. */
static void outcome_add(enum proc_outcome *all, enum proc_outcome part)
{
	if (part == PROC_FAILED || (part == PROC_INVALID && *all == PROC_DONE))
		*all = part;
}

static int run(struct proc_env *env, enum proc_outcome *outcome, struct err *err)
{
	struct search_found found = {0};
	enum proc_outcome part = PROC_DONE;
	int rc = proc_begin(env, err);

	if (rc == 0)
		rc = rfc2544_throughput_run(env, &found, outcome, err);
	if (rc < 0)
		return rc;
	if (*outcome == PROC_DONE) {
		rc = rfc2544_latency_run(env, found.best.upps, &part, err);
		outcome_add(outcome, part);
	} else {
		proc_note(env, "no latency and no back-to-back test: no throughput was found");
	}
	if (rc == 0) {
		rc = rfc2544_loss_run(env, &part, err);
		outcome_add(outcome, part);
	}
	if (rc == 0 && found.best.upps != 0 && !found.unfinished) {
		if (found.tester_limited) {
			proc_note(env,
				"no back-to-back test: the generator, not the device, limits "
				"the throughput");
			return 0;
		}
		rc = rfc2544_burst_run(env, found.best.pps, &part, err);
		outcome_add(outcome, part);
	}
	return rc;
}

static const struct proc_figure_docs *const figures[] = {
	&search_figure_docs, &proc_latency_docs, &rfc2544_loss_docs, &rfc2544_burst_docs};

const struct procedure proc_rfc2544 = {
	.name = "rfc2544",
	.help = "throughput, latency at it, frame loss and back-to-back (RFC 2544 §26.1 to §26.4)",
	.sections = sections,
	.nb_sections = sizeof(sections) / sizeof(sections[0]),
	.flags = PROC_OWN_LOADS,
	.check = search_check,
	.estimate = estimate,
	.run = run,
	.figures = figures,
	.nb_figures = sizeof(figures) / sizeof(figures[0]),
};
