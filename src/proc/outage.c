/* SPDX-License-Identifier: BSD-3-Clause */
#include <stdlib.h>

#include "fixed.h"
#include "groups.h"
#include "procedures.h"
#include "tgen/units.h"

/*
 * How long traffic is away while commands break the path and mend it, or reset the device: by the
 * send times of the frames that did not come (RFC 6201 §4's second method), and by their number.
 */

static const struct opt_section *const sections[] = {&proc_trial_section, &rfc2544_rate_section};

static void estimate(const struct proc_env *env, struct proc_estimate *out)
{
	fixed_estimate(env, 1, out);
}

/* Of a row: length, frames, and what lost / offered rate says. */
static int row_figures(const struct proc_env *env, const char *scope, const struct result_row *row)
{
	double offered = (double)row->tx_upps / UNITS_MICROS;
	int rc = 0;

	if (row->outage.known)
		rc = group_figure(env, scope, "outage", (double)row->outage.length_ns, "ns");
	if (rc == 0 && row->outage.known && row->outage.length_ns > 0)
		rc = group_figure(env, scope, "outage-begin", (double)row->outage.begin_ns, "ns");
	if (rc == 0)
		rc = group_figure(env, scope, "lost-frames", (double)row->lost_packet, "frames");
	if (rc == 0 && offered > 0)
		rc = group_figure(env, scope, "outage-by-loss",
			(double)row->lost_packet / offered * UNITS_NS_PER_S, "ns");
	return rc;
}

static int figures(const struct proc_env *env, const struct trial_result *result)
{
	const char *group;
	int rc = row_figures(env, NULL, &result->total);

	for (unsigned i = 0; rc == 0 && (group = group_name(env->info, i)) != NULL; i++) {
		struct result_row row;

		if (group_total(env->info, result, group, &row) && row.n.tx_packet > 0)
			rc = row_figures(env, group, &row);
	}
	if (rc == 0 && result->event.done)
		rc = proc_figure(env, "event-begin", (double)result->event.begin_ns, "ns", NULL);
	if (rc == 0 && result->mend.done)
		rc = proc_figure(env, "mend-begin", (double)result->mend.begin_ns, "ns", NULL);
	return rc;
}

static int run(struct proc_env *env, enum proc_outcome *outcome, struct err *err)
{
	struct trial_spec spec = {.purpose = "final",
		.frame_size = env->frame_size,
		.duration_ns = fixed_duration_ns(env->test),
		.event_ns = env->event_ns,
		.mend_ns = env->mend_ns};
	struct trial_load *loads = NULL;
	struct trial_result result;
	int rc = proc_begin(env, err);

	if (rc == 0)
		rc = fixed_loads(env, &loads, err);
	spec.loads = loads;
	if (rc == 0)
		rc = proc_trial(env, &spec, &result, err);
	free(loads);
	if (rc < 0)
		return rc;
	*outcome = result.clean ? PROC_DONE : PROC_INVALID;
	if (*outcome == PROC_INVALID) {
		proc_note_invalid(env, &result);
		return 0;
	}
	if (!result.event.done || result.event.failed || result.mend.failed) {
		*outcome = PROC_FAILED;
		proc_note(env, "the command of %s %s; see the device commands",
			result.event.failed || !result.event.done ? "event" : "mend",
			!result.event.done ? "was not run: event-after is beyond the trial"
					   : "failed");
	}
	return figures(env, &result);
}

static const struct proc_figure_doc outage_docs[] = {
	{"outage", "ns", "longest time, by send times, without a frame that arrived"},
	{"outage-begin", "ns", "begin of that time, after the first frame"},
	{"lost-frames", "frames", "frames lost"},
	{"outage-by-loss", "ns", "frames lost divided by the rate that was offered (RFC 6201)"},
	{"event-begin", "ns", "when the commands of event began, after the first frame"},
	{"mend-begin", "ns", "when the commands of mend began"},
};
static const struct proc_figure_docs outage_figures = PROC_FIGURE_DOCS(outage_docs);
static const struct proc_figure_docs *const outage_all[] = {&outage_figures};

const struct procedure proc_outage = {
	.name = "outage",
	.help = "how long traffic is away while event breaks the path and mend mends it "
		"(convergence time)",
	.sections = sections,
	.nb_sections = sizeof(sections) / sizeof(sections[0]),
	.flags = PROC_EVENT,
	.estimate = estimate,
	.run = run,
	.figures = outage_all,
	.nb_figures = sizeof(outage_all) / sizeof(outage_all[0]),
};

const struct procedure proc_rfc2544_reset = {
	.name = "rfc2544-reset",
	.help = "how long the device is away after event resets it: from the last frame before to "
		"the "
		"first after (RFC 2544 §26.6, RFC 6201); give the throughput of the size as rate",
	.sections = sections,
	.nb_sections = sizeof(sections) / sizeof(sections[0]),
	.flags = PROC_EVENT,
	.estimate = estimate,
	.run = run,
	.figures = outage_all,
	.nb_figures = sizeof(outage_all) / sizeof(outage_all[0]),
};
