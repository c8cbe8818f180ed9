/* SPDX-License-Identifier: BSD-3-Clause */
#include <stdlib.h>

#include "fixed.h"
#include "groups.h"
#include "procedures.h"

/* Classes of traffic at once: what each of them gets while they compete. */

static const struct opt_section *const sections[] = {&proc_trial_section, &rfc2544_rate_section};

static void estimate(const struct proc_env *env, struct proc_estimate *out)
{
	fixed_estimate(env, 1, out);
}

static int run(struct proc_env *env, enum proc_outcome *outcome, struct err *err)
{
	struct trial_spec spec = {.purpose = "final",
		.frame_size = env->frame_size,
		.duration_ns = fixed_duration_ns(env->test)};
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
	rc = proc_figure(env, "lost-ratio", proc_loss_ratio(&result), "ratio", NULL);
	return rc == 0 ? group_figures(env, &result) : rc;
}

static const struct proc_figure_doc qos_docs[] = {
	{"lost-ratio", "ratio", "frames lost of those sent, in all and of each group"},
	{"received", "pps", "what of a group arrived"},
};
static const struct proc_figure_docs qos_figures = PROC_FIGURE_DOCS(qos_docs);
static const struct proc_figure_docs *const qos_all[] = {&qos_figures, &proc_latency_docs};

const struct procedure proc_qos = {
	.name = "qos",
	.help = "several classes at once, one a group of streams: rate, loss and latency of each",
	.sections = sections,
	.nb_sections = sizeof(sections) / sizeof(sections[0]),
	.estimate = estimate,
	.run = run,
	.figures = qos_all,
	.nb_figures = sizeof(qos_all) / sizeof(qos_all[0]),
};
