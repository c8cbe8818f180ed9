/* SPDX-License-Identifier: BSD-3-Clause */
#include "search.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#define DOUBLINGS_MAX	 40u
#define TRIALS_MAX	 200u
#define SHORTFALLS_MAX	 4u /* jumps to what the generator sent; then halves */
#define MIN_RATE_DIVISOR 1000u
#define PERCENT_ALL	 (100.0 * UNITS_MICROS)

struct search {
	struct proc_env *env;
	const struct search_spec *spec;
	struct search_found *out;
	struct err *err;
	uint64_t duration_ns; /* of the trials now */
	uint64_t low;	      /* highest load that passed; 0: none yet */
	uint64_t high;	      /* lowest load that the device did not pass; 0: none yet */
	uint64_t top;	      /* highest that may be tried: max, or what the generator can do */
	unsigned nb_short;
	uint64_t back_upps; /* step downwards while no full-length trial has passed */
	bool dead;	    /* nothing came back */
};

enum answer { ANSWER_PASS, ANSWER_FAIL, ANSWER_UNCLEAN };

int search_trial_run(struct proc_env *env, const char *purpose, uint64_t upps, uint64_t duration_ns,
	struct trial_result *result, struct err *err)
{
	struct trial_load *loads = calloc(env->info->nb_streams, sizeof(*loads));
	const struct trial_spec spec = {.purpose = purpose,
		.frame_size = env->frame_size,
		.duration_ns = duration_ns,
		.loads = loads};
	int rc;

	if (loads == NULL)
		return err_device(err, ENOMEM, "loads of %u streams", env->info->nb_streams);
	proc_loads_even(env->info, upps, loads);
	rc = proc_trial(env, &spec, result, err);
	free(loads);
	return rc;
}

bool search_passes(const struct trial_result *result, double loss)
{
	return result->total.n.tx_packet > 0 && result->total.n.good > 0 &&
	       proc_loss_ratio(result) <= loss;
}

static bool is_full(const struct search *s)
{
	return s->duration_ns >= s->spec->final_ns;
}

/* One answer of the device; repeated when it lost and verification is asked for. */
static int ask(struct search *s, uint64_t upps, enum answer *answer, struct trial_result *result)
{
	for (unsigned i = 0; i <= s->spec->verify; i++) {
		int rc = search_trial_run(s->env,
			i > 0	     ? "verify"
			: is_full(s) ? "final"
				     : "search",
			upps, s->duration_ns, result, s->err);

		if (rc < 0)
			return rc;
		s->out->nb_trials++;
		*answer = !result->clean			 ? ANSWER_UNCLEAN
			  : search_passes(result, s->spec->loss) ? ANSWER_PASS
								 : ANSWER_FAIL;
		if (*answer != ANSWER_FAIL)
			break;
	}
	return 0;
}

static struct search_trial trial_of(
	const struct search *s, uint64_t upps, const struct trial_result *result)
{
	return (struct search_trial){.upps = upps,
		.pps = proc_sent_pps(s->env->info, result),
		.loss = proc_loss_ratio(result),
		.total = result->total};
}

/* The generator was not clean at a load: what is left to try is below it; no bound moves. */
static void limit_top(struct search *s, uint64_t upps, const struct trial_result *result)
{
	uint64_t floor = s->low != 0 ? s->low : s->spec->min_upps;
	uint64_t sent = (uint64_t)(proc_sent_pps(s->env->info, result) * UNITS_MICROS);
	uint64_t half = floor + (upps > floor ? (upps - floor) / 2 : 0);

	s->out->tester_limited = true;
	s->nb_short++;
	if (s->nb_short == 1)
		proc_note(s->env,
			"at %.0f pps of a port the generator was not clean (%s): loads above "
			"that tell nothing of the device",
			(double)upps / UNITS_MICROS,
			result->nb_reasons > 0 ? result->reasons[0] : "no reason given");
	s->top = half;
	/* what it could send is the best guess at what it can */
	if (result->fell_short && s->nb_short <= SHORTFALLS_MAX && sent > half && sent < upps)
		s->top = sent;
	if (s->top < floor)
		s->top = floor;
}

static int step(struct search *s, uint64_t upps)
{
	struct trial_result result;
	enum answer answer;
	int rc = ask(s, upps, &answer, &result);

	if (rc < 0)
		return rc;
	if (answer == ANSWER_UNCLEAN) {
		if (upps <= s->spec->min_upps)
			s->top = 0;
		else
			limit_top(s, upps, &result);
		return 0;
	}
	if (answer == ANSWER_PASS) {
		s->low = upps;
		if (is_full(s))
			s->out->best = trial_of(s, upps, &result);
		s->env->low_pps = proc_sent_pps(s->env->info, &result);
		return 0;
	}
	s->high = upps;
	s->dead = result.total.n.good == 0;
	s->out->last = trial_of(s, upps, &result);
	s->env->high_pps = proc_sent_pps(s->env->info, &result);
	return 0;
}

/* The highest load that may still be tried and has not been. */
static uint64_t ceiling(const struct search *s)
{
	return s->high != 0 && s->high <= s->top ? s->high : s->top;
}

/*
 * The next load; 0: the bounds are as near as asked. An end that was not tried itself (the top, the
 * least) is tried when the bounds have come near it.
 */
static uint64_t next_load(struct search *s)
{
	uint64_t up = ceiling(s), min = s->spec->min_upps, width = s->spec->width_upps;
	bool failed = s->high != 0 && s->high <= s->top;

	if (up == 0 || (failed && up <= min))
		return 0;
	if (s->low == 0 && s->dead && failed)
		return min;
	if (s->low == 0 && s->back_upps != 0) {
		uint64_t back = s->back_upps;

		s->back_upps *= 2;
		return up > min + back ? up - back : min;
	}
	if (s->low == 0)
		return up - min <= width ? min : min + (up - min) / 2;
	if (up - s->low > width)
		return s->low + (up - s->low) / 2;
	return failed || up == s->low ? 0 : up;
}

static int bisect(struct search *s, uint64_t first)
{
	uint64_t load = first != 0 ? first : next_load(s);

	while (load != 0) {
		int rc;

		if (s->out->nb_trials >= TRIALS_MAX) {
			s->out->unfinished = true;
			return 0;
		}
		rc = step(s, load);
		if (rc < 0)
			return rc;
		load = next_load(s);
	}
	return 0;
}

int search_run(struct proc_env *env, const struct search_spec *spec, struct search_found *out,
	struct err *err)
{
	struct search s = {.env = env,
		.spec = spec,
		.out = out,
		.err = err,
		.duration_ns = spec->search_ns,
		.top = spec->max_upps};
	uint64_t found;
	int rc;

	*out = (struct search_found){0};
	env->low_pps = env->high_pps = 0;
	rc = bisect(&s, spec->initial_upps);
	if (rc == 0 && !is_full(&s) && s.low != 0 && !out->unfinished) {
		/* RFC 2544 §24: only full-length trials count; downwards from what the short ones say */
		found = s.low;
		s.low = 0;
		s.duration_ns = spec->final_ns;
		s.back_upps = spec->width_upps;
		rc = bisect(&s, found);
	}
	out->at_max = out->best.upps != 0 && out->best.upps == spec->max_upps;
	/* a device that failed within the resolution is the limit, not the generator */
	if (out->best.upps != 0 && s.high != 0 &&
		(s.high <= s.top || s.high - out->best.upps <= spec->width_upps))
		out->tester_limited = false;
	return rc;
}

enum proc_outcome search_outcome(const struct proc_env *env, const struct search_found *found)
{
	if (found->unfinished) {
		proc_note(env, "the search was given up after %u trials", found->nb_trials);
		return PROC_INVALID;
	}
	if (found->best.upps != 0) {
		if (found->tester_limited)
			proc_note(env,
				"tester-limited: the device passed all that the generator could "
				"send cleanly, %.0f pps of a port; it may pass more",
				found->best.pps);
		return PROC_DONE;
	}
	if (found->last.upps == 0) {
		proc_note(
			env, "in no trial was the generator clean: nothing is known of the device");
		return PROC_INVALID;
	}
	proc_note(env, "even at %.0f pps of a port %.4f %% were lost: no load passed",
		found->last.pps, found->last.loss * 100);
	return PROC_FAILED;
}

const char *search_remark(const struct search_found *found, char *text)
{
	if (found->best.upps == 0 && found->last.upps != 0)
		snprintf(text, SEARCH_REMARK_MAX, "< %.0f pps", found->last.pps);
	else if (found->tester_limited)
		snprintf(text, SEARCH_REMARK_MAX, "tester-limited at %.0f pps", found->best.pps);
	else if (found->at_max)
		snprintf(text, SEARCH_REMARK_MAX, ">= max-rate");
	else
		return NULL;
	return text;
}

/* ---- words ---- */

/* A rate word as the lowest load of the ports that send; false: not given. */
static int word_upps(
	const struct proc_env *env, const struct opt *opt, uint64_t *out, struct err *err)
{
	struct opt_val val;

	if (!opt_set_val(env->test, opt, 0, &val))
		return 0;
	*out = UINT64_MAX;
	for (unsigned i = 0; i < env->info->nb_streams; i++) {
		uint64_t upps;
		int rc = proc_rate_upps(env, opt, &val, env->info->streams[i].tx_port, &upps, err);

		if (rc < 0)
			return rc;
		if (upps < *out)
			*out = upps;
	}
	return 0;
}

static void durations(const struct opt_set *test, uint64_t *search_ns, uint64_t *final_ns)
{
	struct opt_val val;

	*final_ns = opt_set_one(test, &proc_trial_opts[TRIAL_DURATION]).lo;
	*search_ns = *final_ns;
	if (opt_set_val(test, &proc_search_opts[SEARCH_DURATION], 0, &val) && val.lo < *final_ns)
		*search_ns = val.lo;
}

int search_range_of(const struct proc_env *env, struct search_spec *out, struct err *err)
{
	int rc;

	*out = (struct search_spec){0};
	rc = proc_max_upps(env, &out->max_upps, err);
	out->min_upps = out->max_upps / MIN_RATE_DIVISOR;
	out->initial_upps = out->max_upps;
	if (rc == 0)
		rc = word_upps(env, &proc_search_opts[SEARCH_MIN_RATE], &out->min_upps, err);
	if (rc == 0)
		rc = word_upps(
			env, &proc_search_opts[SEARCH_INITIAL_RATE], &out->initial_upps, err);
	if (rc < 0)
		return rc;
	if (out->min_upps == 0)
		out->min_upps = 1;
	if (out->min_upps > out->max_upps)
		return opt_error(err, env->test, &proc_search_opts[SEARCH_MIN_RATE],
			"more than max-rate, which is %.0f pps of a port here",
			(double)out->max_upps / UNITS_MICROS);
	if (out->initial_upps < out->min_upps || out->initial_upps > out->max_upps)
		return opt_error(err, env->test, &proc_search_opts[SEARCH_INITIAL_RATE],
			"not between min-rate and max-rate, which are %.0f and %.0f pps of a port "
			"here",
			(double)out->min_upps / UNITS_MICROS, (double)out->max_upps / UNITS_MICROS);
	return 0;
}

int search_spec_of(const struct proc_env *env, struct search_spec *out, struct err *err)
{
	double share = (double)opt_set_one(env->test, &proc_search_opts[SEARCH_RESOLUTION]).lo;
	int rc = search_range_of(env, out, err);

	if (rc < 0)
		return rc;
	out->loss = (double)opt_set_one(env->test, &proc_search_opts[SEARCH_LOSS]).lo / PERCENT_ALL;
	durations(env->test, &out->search_ns, &out->final_ns);
	out->width_upps = (uint64_t)((double)out->max_upps * share / PERCENT_ALL);
	if (out->width_upps == 0)
		out->width_upps = 1;
	return 0;
}

int search_check(const struct opt_set *test, struct err *err)
{
	const struct opt *opt = &proc_search_opts[SEARCH_DURATION];
	struct opt_val val;

	if (opt_set_val(test, opt, 0, &val) &&
		val.lo > opt_set_one(test, &proc_trial_opts[TRIAL_DURATION]).lo)
		return opt_error(err, test, opt, "longer than trial-duration: only shorter helps");
	return 0;
}

void search_estimate(const struct proc_env *env, struct proc_estimate *out)
{
	double share = (double)opt_set_one(env->test, &proc_search_opts[SEARCH_RESOLUTION]).lo;
	uint64_t search_ns, final_ns;
	unsigned halves = 0;

	while (share < PERCENT_ALL && halves < DOUBLINGS_MAX) {
		share *= 2;
		halves++;
	}
	durations(env->test, &search_ns, &final_ns);
	/* the initial load, the halves, both ends */
	out->nb_trials = halves + 3;
	out->duration_ns = out->nb_trials * search_ns;
	if (search_ns < final_ns) {
		/* downwards in growing steps, and between the last two of them again */
		unsigned nb = 2 * halves + 3;

		out->nb_trials += nb;
		out->duration_ns += nb * final_ns;
	}
}

/* ---- figures ---- */

/* clang-format off */
static const struct proc_figure_doc docs[] = {
	{"throughput", "pps", "highest rate sent by each sending port at which a full-length trial "
		"lost no more than acceptable-loss (RFC 2544 §26.1)"},
	{"throughput-line-ratio", "ratio", "the same as a share of the line of the port"},
	{"throughput-l1-bps", "bps", "the same with preamble and gap"},
	{"throughput-l2-bps", "bps", "the same in frames with FCS"},
	{"throughput-lost-ratio", "ratio", "frames lost of those sent in the trial that decided"},
	{"zero-loss-bound", "ratio", "95 % upper bound of the loss ratio when none of N frames was "
		"lost: 3/N"},
};
/* clang-format on */
const struct proc_figure_docs search_figure_docs = PROC_FIGURE_DOCS(docs);

/* The lowest line of the ports that send, pps; 0: not known. */
static double line_pps(const struct proc_env *env)
{
	uint64_t line = UINT64_MAX;

	for (unsigned i = 0; i < env->info->nb_streams; i++) {
		uint64_t upps = proc_line_upps(env, env->info->streams[i].tx_port);

		if (upps < line)
			line = upps;
	}
	return line == UINT64_MAX ? 0 : (double)line / UNITS_MICROS;
}

int search_figures(const struct proc_env *env, const struct search_found *found)
{
	const struct search_trial *best = &found->best;
	char text[SEARCH_REMARK_MAX];
	const char *remark = search_remark(found, text);
	double pps = best->pps, line = line_pps(env), packet;
	int rc;

	if (best->upps == 0 && found->last.upps == 0)
		return 0;
	rc = proc_figure(env, "throughput", pps, "pps", remark);
	if (rc == 0 && line > 0)
		rc = proc_figure(env, "throughput-line-ratio", pps / line, "ratio", remark);
	if (rc < 0 || best->upps == 0)
		return rc;
	packet = (double)best->total.n.tx_byte / (double)best->total.n.tx_packet;
	rc = proc_figure(env, "throughput-l1-bps",
		pps * 8 * (packet + UNITS_FCS_BYTES + UNITS_WIRE_BYTES), "bps", remark);
	if (rc == 0)
		rc = proc_figure(env, "throughput-l2-bps", pps * 8 * (packet + UNITS_FCS_BYTES),
			"bps", remark);
	if (rc == 0)
		rc = proc_figure(env, "throughput-lost-ratio", best->loss, "ratio", NULL);
	if (rc == 0 && best->loss == 0)
		rc = proc_figure(env, "zero-loss-bound", 3.0 / (double)best->total.n.tx_packet,
			"ratio", NULL);
	return rc;
}
