/* SPDX-License-Identifier: BSD-3-Clause */
#include <stdio.h>

#include "procedures.h"
#include "rfc2544.h"

/* RFC 2544 §26.3: downwards from the highest rate, until two trials in a row lose nothing. */

enum loss_opt { LOSS_STEP, LOSS_NB_OPTS };
/* clang-format off */
static const struct opt loss_opts[LOSS_NB_OPTS] = {
	[LOSS_STEP] = {.name = "loss-step", .type = OPT_PERCENT, .min = 100000, .max = 50000000,
		.dflt = "10", .unit = "%",
		.help = "how much lower each load of the frame loss test is, of max-rate (RFC 2544 "
			"§26.3: at most 10)"},
};
/* clang-format on */
const struct opt_section rfc2544_loss_section = OPT_SECTION("frame loss", loss_opts);

static const struct opt_section *const sections[] = {
	&proc_load_section, &proc_trial_section, &rfc2544_loss_section};

#define ALL (100 * UNITS_MICROS)

void rfc2544_loss_estimate(const struct proc_env *env, struct proc_estimate *out)
{
	uint64_t step = opt_set_one(env->test, &loss_opts[LOSS_STEP]).lo;

	out->nb_trials = (unsigned)((ALL + step - 1) / step);
	out->duration_ns =
		out->nb_trials * opt_set_one(env->test, &proc_trial_opts[TRIAL_DURATION]).lo;
}

struct seen {
	double top_ratio, top_pps;  /* of the highest load that was sent cleanly */
	double free_pps;	    /* highest rate from which on two trials lost nothing */
	unsigned nb_clean, nb_free; /* free: in a row, at the end */
	bool top_unclean;
};

static void see(struct seen *seen, const struct proc_env *env, const struct trial_result *result)
{
	double pps = proc_sent_pps(env->info, result);

	if (seen->nb_clean++ == 0) {
		seen->top_pps = pps;
		seen->top_ratio = proc_loss_ratio(result);
	}
	if (!search_passes(result, 0)) {
		seen->nb_free = 0;
		return;
	}
	if (seen->nb_free++ == 0)
		seen->free_pps = pps;
}

/* clang-format off */
static const struct proc_figure_doc docs[] = {
	{"loss-at-max", "ratio", "loss at max-rate, or at the highest load that the generator sent "
		"cleanly (RFC 2544 §26.3)"},
	{"loss-free-rate", "pps", "rate sent by each sending port at the higher of the two successive "
		"loads without loss that ended the test"},
};
/* clang-format on */
const struct proc_figure_docs rfc2544_loss_docs = PROC_FIGURE_DOCS(docs);

static int tell(const struct proc_env *env, const struct seen *seen)
{
	char text[SEARCH_REMARK_MAX];
	int rc;

	snprintf(text, sizeof(text), "tester-limited at %.0f pps", seen->top_pps);
	rc = proc_figure(
		env, "loss-at-max", seen->top_ratio, "ratio", seen->top_unclean ? text : NULL);
	if (rc == 0 && seen->nb_free >= 2)
		rc = proc_figure(env, "loss-free-rate", seen->free_pps, "pps",
			seen->top_unclean && seen->free_pps == seen->top_pps ? text : NULL);
	return rc;
}

int rfc2544_loss_run(struct proc_env *env, enum proc_outcome *outcome, struct err *err)
{
	const uint64_t step = opt_set_one(env->test, &loss_opts[LOSS_STEP]).lo;
	const uint64_t ns = opt_set_one(env->test, &proc_trial_opts[TRIAL_DURATION]).lo;
	struct seen seen = {0};
	uint64_t max;
	int rc = proc_max_upps(env, &max, err);

	for (uint64_t share = ALL; rc == 0 && seen.nb_free < 2; share -= step) {
		uint64_t upps = (uint64_t)((double)max * ((double)share / ALL));
		struct trial_result result;

		rc = search_trial_run(env, "loss", upps, ns, &result, err);
		if (rc == 0 && result.clean) {
			see(&seen, env, &result);
		} else if (rc == 0) {
			seen.top_unclean |= seen.nb_clean == 0;
			proc_note(env,
				"at %.0f pps of a port the generator was not clean: no loss "
				"of the device is known there",
				(double)upps / UNITS_MICROS);
		}
		if (share <= step)
			break;
	}
	if (rc < 0)
		return rc;
	*outcome = seen.nb_clean > 0 ? PROC_DONE : PROC_INVALID;
	if (seen.nb_clean == 0)
		return 0;
	if (seen.nb_free < 2)
		proc_note(env, "no two loads in a row were without loss");
	return tell(env, &seen);
}

static int run(struct proc_env *env, enum proc_outcome *outcome, struct err *err)
{
	int rc = proc_begin(env, err);

	return rc < 0 ? rc : rfc2544_loss_run(env, outcome, err);
}

static const struct proc_figure_docs *const figures[] = {&rfc2544_loss_docs};

const struct procedure proc_rfc2544_frame_loss = {
	.name = "rfc2544-frame-loss",
	.help = "loss at the highest rate and below it, step by step, until two loads lose nothing "
		"(RFC 2544 §26.3)",
	.sections = sections,
	.nb_sections = sizeof(sections) / sizeof(sections[0]),
	.flags = PROC_OWN_LOADS,
	.estimate = rfc2544_loss_estimate,
	.run = run,
	.figures = figures,
	.nb_figures = sizeof(figures) / sizeof(figures[0]),
};
