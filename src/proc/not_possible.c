/* SPDX-License-Identifier: BSD-3-Clause */
#include <stddef.h>

#include "procedures.h"

/* A place in a report for what tgen cannot measure: it says why. */

enum { REASON, NB_OPTS };
static const struct opt opts[NB_OPTS] = {
	[REASON] = {.name = "reason",
		.type = OPT_TEXT,
		.flags = 0,
		.dflt = "not possible here",
		.help = "why this is not measured; stands in the report"},
};
const struct opt_section proc_not_possible_section = OPT_SECTION("what is left out", opts);

static const struct opt_section *const sections[] = {&proc_not_possible_section};

static void estimate(const struct proc_env *env, struct proc_estimate *out)
{
	(void)env;
	*out = (struct proc_estimate){0};
}

static int run(struct proc_env *env, enum proc_outcome *outcome, struct err *err)
{
	(void)err;
	proc_note(env, "%s", opt_set_one(env->test, &opts[REASON]).text);
	*outcome = PROC_SKIPPED;
	return 0;
}

const struct procedure proc_not_possible = {
	.name = "not-possible",
	.help = "is skipped, with a reason: for the steps of a plan that need what tgen has not",
	.sections = sections,
	.nb_sections = 1,
	.flags = PROC_ONE_CELL | PROC_NO_TRAFFIC,
	.estimate = estimate,
	.run = run,
};
