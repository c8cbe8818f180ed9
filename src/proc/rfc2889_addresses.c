/* SPDX-License-Identifier: BSD-3-Clause */
#include <errno.h>
#include <stdlib.h>

#include "groups.h"
#include "procedures.h"
#include "tgen/units.h"

/*
 * RFC 2889 §5.7 and §5.8: N addresses are learned at one port, then frames go to all of them from a
 * second one. A frame that a third port sees was flooded: its address was not known.
 */

enum {
	MIN_ADDRESSES,
	MAX_ADDRESSES,
	ADDRESSES,
	LEARNING_RATE,
	MAX_LEARNING_RATE,
	TEST_RATE,
	NB_OPTS
};
/* clang-format off */
static const struct opt opts[NB_OPTS] = {
	[MIN_ADDRESSES] = {.name = "min-addresses", .type = OPT_UINT, .min = 1, .max = 1048576,
		.dflt = "1", .help = "fewest addresses to try"},
	[MAX_ADDRESSES] = {.name = "max-addresses", .type = OPT_UINT, .min = 1, .max = 1048576,
		.dflt = "65536", .help = "most addresses to try"},
	[ADDRESSES] = {.name = "addresses", .type = OPT_UINT, .min = 1, .max = 1048576,
		.dflt = "1000", .help = "addresses of each trial of rfc2889-address-learning: no more "
			"than the table holds"},
	[LEARNING_RATE] = {.name = "learning-rate", .type = OPT_RATE, .dflt = "1000pps",
		.help = "load at which addresses are learned; the lowest one to try where the rate is "
			"what is looked for"},
	[MAX_LEARNING_RATE] = {.name = "max-learning-rate", .type = OPT_RATE, .dflt = "100kpps",
		.help = "highest load to try"},
	[TEST_RATE] = {.name = "test-rate", .type = OPT_RATE, .dflt = "1000pps",
		.help = "load at which frames go to the addresses that were learned"},
};
/* clang-format on */
const struct opt_section proc_addresses_section = OPT_SECTION("addresses", opts);
static const struct opt_section *const sections[] = {&proc_addresses_section};

#define LEARN	   "learn"
#define TEST	   "test"
#define NEAR_RATIO 64u /* a learning rate is found to 1/64 */
#define TRIALS_MAX 40u

struct addresses {
	struct proc_env *env;
	struct trial_load *loads;
	uint64_t test_upps;
	struct err *err;
};

static void estimate(const struct proc_env *env, struct proc_estimate *out)
{
	uint64_t most = opt_set_one(env->test, &opts[MAX_ADDRESSES]).lo;

	/* halving; a trial learns and tests at the rates given, some seconds at most */
	*out = (struct proc_estimate){
		.nb_trials = 24, .duration_ns = 24 * (2 * most / 1000 + 4) * UNITS_NS_PER_S};
}

static int rate(struct addresses *a, int which, uint64_t *out)
{
	const struct result_info *info = a->env->info;
	struct opt_val val = opt_set_one(a->env->test, &opts[which]);

	return proc_rate_upps(a->env, &opts[which], &val, info->streams[0].tx_port, out, a->err);
}

/* Learns nb addresses at a rate and sends a frame to each; *known: none was flooded or lost. */
static int try(struct addresses *a, uint64_t nb, uint64_t upps, bool *known, bool *valid)
{
	const struct result_info *info = a->env->info;
	const struct trial_spec spec = {.purpose = "search",
		.frame_size = a->env->frame_size,
		.loads = a->loads,
		.addresses = nb};
	struct trial_result r;
	struct result_row row;
	int rc;

	for (unsigned i = 0; i < info->nb_streams; i++)
		a->loads[i] = (struct trial_load){.packet_count = nb,
			.upps = group_has(info, i, LEARN) ? upps : a->test_upps};
	rc = proc_trial(a->env, &spec, &r, a->err);
	if (rc < 0)
		return rc;
	*valid = r.clean;
	if (!r.clean)
		proc_note_invalid(a->env, &r);
	*known = r.clean && group_total(info, &r, TEST, &row) && row.n.tx_packet > 0 &&
		 row.n.good == row.n.tx_packet && row.n.misrouted == 0 && row.n.duplicate == 0;
	return 0;
}

static int begin(struct addresses *a, struct proc_env *env, struct err *err)
{
	int rc = proc_begin(env, err);

	*a = (struct addresses){.env = env, .err = err};
	if (rc < 0)
		return rc;
	if (group_name(env->info, 0) == NULL || group_name(env->info, 1) == NULL)
		return opt_error(err, env->test, NULL,
			"%s needs topology=learning, with its ports for learning, test and "
			"monitoring",
			"this procedure");
	a->loads = calloc(env->info->nb_streams, sizeof(*a->loads));
	if (a->loads == NULL)
		return err_device(err, ENOMEM, "loads");
	return rate(a, TEST_RATE, &a->test_upps);
}

/* ---- how many ---- */

static int caching_search(struct addresses *a, uint64_t *found, bool *valid)
{
	uint64_t low = 0, least = opt_set_one(a->env->test, &opts[MIN_ADDRESSES]).lo,
		 high = opt_set_one(a->env->test, &opts[MAX_ADDRESSES]).lo + 1, nb = high - 1, upps;
	int rc = rate(a, LEARNING_RATE, &upps);

	*valid = true;
	for (unsigned i = 0; rc == 0 && *valid && i < TRIALS_MAX; i++) {
		bool known = false;

		rc = try(a, nb, upps, &known, valid);
		if (known)
			low = nb;
		else
			high = nb;
		if (high - low <= 1 || (low == 0 && high <= least))
			break;
		nb = low + (high - low) / 2;
		if (nb < least)
			nb = least;
	}
	*found = low;
	return rc;
}

static int caching_run(struct proc_env *env, enum proc_outcome *outcome, struct err *err)
{
	uint64_t most = opt_set_one(env->test, &opts[MAX_ADDRESSES]).lo, found = 0;
	struct addresses a;
	bool valid = false;
	int rc = begin(&a, env, err);

	if (rc == 0)
		rc = caching_search(&a, &found, &valid);
	free(a.loads);
	if (rc < 0)
		return rc;
	*outcome = valid ? PROC_DONE : PROC_INVALID;
	return valid ? proc_figure(env, "addresses", (double)found, "addresses",
			       found == most ? ">= max-addresses"
			       : found == 0  ? "< min-addresses"
					     : NULL)
		     : 0;
}

static const struct proc_figure_doc caching_docs[] = {
	{"addresses", "addresses", "most addresses of which none was flooded"},
};
static const struct proc_figure_docs caching_figures = PROC_FIGURE_DOCS(caching_docs);
static const struct proc_figure_docs *const caching_all[] = {&caching_figures};

const struct procedure proc_rfc2889_caching = {
	.name = "rfc2889-address-caching",
	.help = "how many addresses the table of a switch holds, by halving (RFC 2889 §5.7)",
	.sections = sections,
	.nb_sections = 1,
	.flags = PROC_OWN_LOADS,
	.estimate = estimate,
	.run = caching_run,
	.figures = caching_all,
	.nb_figures = sizeof(caching_all) / sizeof(caching_all[0]),
};

/* ---- how fast ---- */

static int learning_search(struct addresses *a, uint64_t *found, bool *at_max, bool *valid)
{
	uint64_t nb = opt_set_one(a->env->test, &opts[ADDRESSES]).lo, low = 0, least = 0, high = 0,
		 upps;
	int rc = rate(a, LEARNING_RATE, &least);

	*valid = true;
	if (rc == 0)
		rc = rate(a, MAX_LEARNING_RATE, &high);
	upps = high;
	for (unsigned i = 0; rc == 0 && *valid && i < TRIALS_MAX; i++) {
		bool known = false;

		rc = try(a, nb, upps, &known, valid);
		*at_max = known && i == 0;
		if (known)
			low = upps;
		else
			high = upps;
		if (*at_max || (low > 0 && high - low <= low / NEAR_RATIO) ||
			(low == 0 && high <= least))
			break;
		upps = low + (high - low) / 2;
		if (upps < least)
			upps = least;
	}
	*found = low;
	return rc;
}

static int learning_run(struct proc_env *env, enum proc_outcome *outcome, struct err *err)
{
	struct addresses a;
	uint64_t found = 0;
	bool valid = false, at_max = false;
	int rc = begin(&a, env, err);

	if (rc == 0)
		rc = learning_search(&a, &found, &at_max, &valid);
	free(a.loads);
	if (rc < 0)
		return rc;
	*outcome = valid ? PROC_DONE : PROC_INVALID;
	return valid ? proc_figure(env, "learning-rate", (double)found / UNITS_MICROS, "pps",
			       at_max	    ? ">= max-learning-rate"
			       : found == 0 ? "< learning-rate"
					    : NULL)
		     : 0;
}

static const struct proc_figure_doc learning_docs[] = {
	{"learning-rate", "pps", "highest rate at which all addresses were learned"},
};
static const struct proc_figure_docs learning_figures = PROC_FIGURE_DOCS(learning_docs);
static const struct proc_figure_docs *const learning_all[] = {&learning_figures};

const struct procedure proc_rfc2889_learning = {
	.name = "rfc2889-address-learning",
	.help = "how fast a switch learns addresses, by halving (RFC 2889 §5.8)",
	.sections = sections,
	.nb_sections = 1,
	.flags = PROC_OWN_LOADS,
	.estimate = estimate,
	.run = learning_run,
	.figures = learning_all,
	.nb_figures = sizeof(learning_all) / sizeof(learning_all[0]),
};
