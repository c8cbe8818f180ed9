/* SPDX-License-Identifier: BSD-3-Clause */
#include <stdio.h>
#include <string.h>

#include "mlrsearch_run.h"
#include "procedures.h"
#include "search.h"

/* No-drop and partial-drop rate: goals of RFC 9971, or TST 009's binary search with verification. */

#define GOALS_MAX   16u
#define PERCENT_ALL (100.0 * UNITS_MICROS)

enum goal_opt { GOAL_GOALS, GOAL_GOAL, GOAL_SEARCH, GOAL_VERIFY, GOAL_NB_OPTS };
enum { SEARCH_MLR, SEARCH_BINARY_VERIFY };
/* clang-format off */
static const struct opt_word search_words[] = {
	{"mlr", SEARCH_MLR},
	{"binary-verify", SEARCH_BINARY_VERIFY},
	{NULL, 0},
};
static const struct opt goal_opts[GOAL_NB_OPTS] = {
	[GOAL_GOALS] = {.name = "goals", .type = OPT_NAME, .flags = OPT_LIST, .max_items = GOALS_MAX,
		.help = "what is looked for: ndr and pdr (1s trials, 21s in all, no loss or 0.5%, half "
			"of the time may be worse), rfc2544 (60s), tst009 (60s, 120s in all); neither "
			"goals nor goal: ndr,pdr"},
	[GOAL_GOAL] = {.name = "goal", .type = OPT_TEXT, .flags = OPT_LIST | OPT_WHOLE,
		.max_items = GOALS_MAX,
		.help = "goals of one's own: a name, then what differs from ndr, as strict final=60s "
			"sum=120s loss=0.1 exceed=50 width=0.5 (RFC 9971: final trial duration, "
			"duration sum, then percentages)"},
	[GOAL_SEARCH] = {.name = "search", .type = OPT_WORD, .words = search_words, .dflt = "mlr",
		.help = "mlr: RFC 9971; binary-verify: binary search in which a load that lost is tried "
			"again before it counts as failed (ETSI GS NFV-TST 009 §12.3.2), each trial as "
			"long as the goal's final one"},
	[GOAL_VERIFY] = {.name = "verify-repeats", .type = OPT_UINT, .min = 1, .max = 100,
		.dflt = "1", .help = "how often search=binary-verify tries a load again that lost"},
};
/* clang-format on */
const struct opt_section proc_goal_section = OPT_SECTION("goals", goal_opts);
/* Of the searches only where to begin and to end. */
static const struct opt_section range_section = {.title = "search",
	.base = &proc_search_opts[SEARCH_MIN_RATE],
	.stride = sizeof(proc_search_opts[0]),
	.nb = SEARCH_INITIAL_RATE - SEARCH_MIN_RATE + 1};

static const struct opt_section *const sections[] = {
	&proc_load_section, &range_section, &proc_goal_section};

/* ---- goals ---- */

static int percent(const char *text, double *out)
{
	char copy[32];
	uint64_t micro;
	size_t len = strlen(text);

	if (len == 0 || len >= sizeof(copy))
		return -1;
	memcpy(copy, text, len + 1);
	if (copy[len - 1] == '%')
		copy[len - 1] = '\0';
	if (units_parse_micro(copy, false, &micro) < 0 || micro >= 100 * UNITS_MICROS)
		return -1;
	*out = (double)micro / PERCENT_ALL;
	return 0;
}

static int seconds(const char *text, double *out)
{
	uint64_t ns;

	if (units_parse_time(text, &ns) < 0 || ns < 10000000)
		return -1;
	*out = (double)ns / UNITS_NS_PER_S;
	return 0;
}

/* One `key=value` of a goal. */
static int goal_word(struct mlr_goal *goal, const char *word)
{
	const struct {
		const char *key;
		int (*parse)(const char *, double *);
		double *out;
	} keys[] = {
		{"final=", seconds, &goal->final_s},
		{"sum=", seconds, &goal->sum_s},
		{"loss=", percent, &goal->loss},
		{"exceed=", percent, &goal->exceed},
		{"width=", percent, &goal->width},
	};

	for (unsigned i = 0; i < sizeof(keys) / sizeof(keys[0]); i++) {
		size_t len = strlen(keys[i].key);

		if (strncmp(word, keys[i].key, len) == 0)
			return keys[i].parse(word + len, keys[i].out);
	}
	return -1;
}

static int goal_parse(
	const struct opt_set *test, const char *text, struct mlr_goal *goal, struct err *err)
{
	const struct opt *opt = &goal_opts[GOAL_GOAL];
	char copy[256], *save = NULL, *word;

	*goal = *mlr_preset("ndr");
	if (strlen(text) >= sizeof(copy))
		return opt_error(err, test, opt, "too long");
	strcpy(copy, text);
	word = strtok_r(copy, " ", &save);
	if (word == NULL || strlen(word) >= MLR_NAME_MAX ||
		word[strspn(word, "abcdefghijklmnopqrstuvwxyz0123456789-")] != '\0')
		return opt_error(err, test, opt,
			"\"%s\" does not begin with a name of small letters, digits and -", text);
	strcpy(goal->name, word);
	while ((word = strtok_r(NULL, " ", &save)) != NULL)
		if (goal_word(goal, word) < 0)
			return opt_error(err, test, opt,
				"\"%s\" is not one of final=TIME sum=TIME loss=PERCENT "
				"exceed=PERCENT width=PERCENT, or out of range",
				word);
	if (goal->width <= 0)
		return opt_error(err, test, opt, "width must be above 0");
	if (goal->sum_s < goal->final_s)
		return opt_error(err, test, opt, "sum is less than final");
	return 0;
}

/* The goals of a test; nb at most GOALS_MAX. */
static int goals_of(
	const struct opt_set *test, struct mlr_goal *goals, unsigned *nb, struct err *err)
{
	const struct opt_slot *names = opt_set_get(test, &goal_opts[GOAL_GOALS]);
	const struct opt_slot *own = opt_set_get(test, &goal_opts[GOAL_GOAL]);

	*nb = 0;
	for (unsigned i = 0; names != NULL && i < names->nb_vals; i++) {
		const struct mlr_goal *preset = mlr_preset(names->vals[i].text);

		if (preset == NULL)
			return opt_error(err, test, names->opt,
				"there is no goal \"%s\" (ndr pdr rfc2544 tst009, or one of your "
				"own with goal)",
				names->vals[i].text);
		goals[(*nb)++] = *preset;
	}
	for (unsigned i = 0; own != NULL && i < own->nb_vals; i++) {
		int rc;

		if (*nb == GOALS_MAX)
			return opt_error(err, test, own->opt, "more than %u goals", GOALS_MAX);
		rc = goal_parse(test, own->vals[i].text, &goals[*nb], err);
		if (rc < 0)
			return rc;
		(*nb)++;
	}
	if (*nb == 0) {
		goals[(*nb)++] = *mlr_preset("ndr");
		goals[(*nb)++] = *mlr_preset("pdr");
	}
	for (unsigned i = 1; i < *nb; i++)
		for (unsigned j = 0; j < i; j++)
			if (strcmp(goals[i].name, goals[j].name) == 0)
				return opt_error(
					err, test, NULL, "goal %s is there twice", goals[i].name);
	return 0;
}

static int check(const struct opt_set *test, struct err *err)
{
	struct mlr_goal goals[GOALS_MAX];
	unsigned nb;

	return goals_of(test, goals, &nb, err);
}

static unsigned verify_of(const struct opt_set *test)
{
	return (unsigned)opt_set_one(test, &goal_opts[GOAL_VERIFY]).lo;
}

static bool is_binary(const struct opt_set *test)
{
	return opt_set_one(test, &goal_opts[GOAL_SEARCH]).lo == SEARCH_BINARY_VERIFY;
}

static void estimate(const struct proc_env *env, struct proc_estimate *out)
{
	struct mlr_goal goals[GOALS_MAX];
	struct err err = {0};
	unsigned nb;

	*out = (struct proc_estimate){0};
	if (goals_of(env->test, goals, &nb, &err) < 0)
		return;
	for (unsigned i = 0; i < nb; i++) {
		unsigned trials = 3;

		if (!is_binary(env->test)) {
			mlr_estimate(&goals[i], out);
			continue;
		}
		for (double w = goals[i].width; w < 1; w *= 2)
			trials++;
		trials *= 1 + verify_of(env->test);
		out->nb_trials += trials;
		out->duration_ns += (uint64_t)(trials * goals[i].final_s * UNITS_NS_PER_S);
	}
}

/* ---- figures ---- */

/* clang-format off */
static const struct proc_figure_doc docs[] = {
	{"NAME-load", "pps", "rate sent by each sending port at the relevant lower bound of a goal "
		"(RFC 9971)"},
	{"NAME-conditional-throughput", "pps", "what is forwarded of that for the goal (RFC 9971)"},
	{"NAME-upper-load", "pps", "the same as load at the relevant upper bound"},
};
/* clang-format on */
static const struct proc_figure_docs goal_docs = PROC_FIGURE_DOCS(docs);

static int tell(const struct proc_env *env, const struct mlr_goal *goal, const char *what,
	double pps, const char *remark)
{
	char name[MLR_NAME_MAX + 32];

	snprintf(name, sizeof(name), "%.*s-%.24s", MLR_NAME_MAX, goal->name, what);
	return proc_figure(env, name, pps, "pps", remark);
}

static void outcome_add(enum proc_outcome *all, enum proc_outcome part)
{
	if (part == PROC_FAILED || (part == PROC_INVALID && *all == PROC_DONE))
		*all = part;
}

static int bounds_tell(const struct proc_env *env, const struct mlr_goal *goal,
	const struct mlr_bounds *b, enum proc_outcome *outcome)
{
	char text[SEARCH_REMARK_MAX], *remark = b->irregular || b->tester_limited ? text : NULL;
	int rc;

	if (b->unfinished || (b->lower_pps == 0 && b->upper_pps == 0)) {
		proc_note(env,
			b->unfinished ? "%s: given up, its bounds came no nearer"
				      : "%s: in no trial was the generator clean",
			goal->name);
		outcome_add(outcome, PROC_INVALID);
		return 0;
	}
	if (b->lower_pps == 0) {
		proc_note(env, "%s: even %.0f pps of a port is an upper bound: irregular",
			goal->name, b->upper_pps);
		snprintf(text, sizeof(text), "irregular: < %.0f pps", b->upper_pps);
		outcome_add(outcome, PROC_FAILED);
		return tell(env, goal, "load", 0, text);
	}
	if (b->tester_limited)
		snprintf(text, sizeof(text), "tester-limited at %.0f pps", b->lower_pps);
	else if (b->irregular)
		snprintf(text, sizeof(text), "irregular: >= max-rate");
	if (remark != NULL)
		proc_note(env, "%s: the highest load that could be tried is a lower bound: %s",
			goal->name, text);
	rc = tell(env, goal, "load", b->lower_pps, remark);
	if (rc == 0)
		rc = tell(env, goal, "conditional-throughput", b->throughput_pps, remark);
	return rc == 0 && b->upper_pps > 0 ? tell(env, goal, "upper-load", b->upper_pps, NULL) : rc;
}

static int binary_goal(struct proc_env *env, const struct search_spec *range,
	const struct mlr_goal *goal, enum proc_outcome *outcome, struct err *err)
{
	struct search_spec spec = *range;
	struct search_found found;
	char text[SEARCH_REMARK_MAX];
	const char *remark;
	int rc;

	spec.loss = goal->loss;
	spec.search_ns = spec.final_ns = (uint64_t)(goal->final_s * UNITS_NS_PER_S);
	spec.width_upps = (uint64_t)((double)spec.max_upps * goal->width) + 1;
	spec.verify = verify_of(env->test);
	rc = search_run(env, &spec, &found, err);
	if (rc < 0)
		return rc;
	outcome_add(outcome, search_outcome(env, &found));
	if (found.unfinished || (found.best.upps == 0 && found.last.upps == 0))
		return 0;
	remark = search_remark(&found, text);
	rc = tell(env, goal, "load", found.best.pps, remark);
	if (rc == 0 && found.best.upps != 0)
		rc = tell(env, goal, "conditional-throughput",
			found.best.pps * (1 - found.best.loss), remark);
	return rc;
}

static int run(struct proc_env *env, enum proc_outcome *outcome, struct err *err)
{
	struct mlr_goal goals[GOALS_MAX];
	struct mlr_bounds bounds[GOALS_MAX];
	struct search_spec spec;
	struct mlr_limits limits;
	unsigned nb;
	int rc = proc_begin(env, err);

	if (rc == 0)
		rc = goals_of(env->test, goals, &nb, err);
	if (rc == 0)
		rc = search_range_of(env, &spec, err);
	if (rc < 0)
		return rc;
	*outcome = PROC_DONE;
	if (is_binary(env->test)) {
		for (unsigned i = 0; rc == 0 && i < nb; i++)
			rc = binary_goal(env, &spec, &goals[i], outcome, err);
		return rc;
	}
	limits = (struct mlr_limits){spec.min_upps, spec.initial_upps, spec.max_upps};
	rc = mlr_run(env, &limits, goals, nb, bounds, err);
	for (unsigned i = 0; rc == 0 && i < nb; i++)
		rc = bounds_tell(env, &goals[i], &bounds[i], outcome);
	return rc;
}

static const struct proc_figure_docs *const figures[] = {&goal_docs};

const struct procedure proc_ndr_pdr = {
	.name = "ndr-pdr",
	.help = "no-drop and partial-drop rate, or other goals in one search (RFC 9971 MLRsearch)",
	.sections = sections,
	.nb_sections = sizeof(sections) / sizeof(sections[0]),
	.flags = PROC_OWN_LOADS,
	.check = check,
	.estimate = estimate,
	.run = run,
	.figures = figures,
	.nb_figures = sizeof(figures) / sizeof(figures[0]),
};
