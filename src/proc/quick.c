/* SPDX-License-Identifier: BSD-3-Clause */
#include <errno.h>

#include "procedures.h"

/* Rates as the streams have them, for a time; what counts is for criteria to say. */

static const struct opt_section *const sections[] = {&proc_trial_section};

static uint64_t duration_ns(const struct opt_set *test)
{
	return opt_set_one(test, &proc_trial_opts[TRIAL_DURATION]).lo;
}

static void estimate(const struct proc_env *env, struct proc_estimate *out)
{
	*out = (struct proc_estimate){.nb_trials = 1, .duration_ns = duration_ns(env->test)};
}

static int run(struct proc_env *env, enum proc_outcome *outcome, struct err *err)
{
	const struct trial_spec spec = {.purpose = "final",
		.frame_size = env->frame_size,
		.duration_ns = duration_ns(env->test)};
	struct trial_result result;
	int rc = proc_begin(env, err);

	if (rc == 0)
		rc = proc_trial(env, &spec, &result, err);
	if (rc < 0)
		return rc;
	*outcome = result.clean ? PROC_DONE : PROC_INVALID;
	if (*outcome == PROC_INVALID) {
		proc_note_invalid(env, &result);
		return 0;
	}
	rc = proc_figure(env, "sent", proc_sent_pps(env->info, &result), "pps", NULL);
	if (rc == 0)
		rc = proc_figure(env, "lost-ratio", proc_loss_ratio(&result), "ratio", NULL);
	return rc == 0 ? proc_latency_figures(env, NULL, &result.total.lat) : rc;
}

static const struct proc_figure_doc quick_docs[] = {
	{"sent", "pps", "what each port that sends sent, on average"},
	{"lost-ratio", "ratio", "frames lost of those sent"},
};
static const struct proc_figure_docs quick_figures = PROC_FIGURE_DOCS(quick_docs);
static const struct proc_figure_docs *const quick_all[] = {&quick_figures, &proc_latency_docs};

const struct procedure proc_quick = {
	.name = "quick",
	.help = "sends as the streams say, for a time: what must come of it is for expect to say",
	.sections = sections,
	.nb_sections = sizeof(sections) / sizeof(sections[0]),
	.estimate = estimate,
	.run = run,
	.figures = quick_all,
	.nb_figures = sizeof(quick_all) / sizeof(quick_all[0]),
};
