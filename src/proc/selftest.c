/* SPDX-License-Identifier: BSD-3-Clause */
#include "tgen/proc.h"

#include <errno.h>
#include <stdio.h>

/*
 * What the generator can do: probe the loop, find the upper end, halve towards the highest clean
 * rate, then the latency floor. Sees only the runner.
 */

#define PPM		1000000u
#define PROBE_PPS	1000u
#define PROBE_NS	200000000u
#define LOWEST_PPS	100u /* below it no clean rate is looked for */
#define FLOOR_PPS_MAX	10000u
#define FLOOR_DIVISOR	100u /* 1 % of the clean rate */
#define NOISY_TRIES	3u   /* a trial that should be clean, and its two repetitions */
#define FLAT_OUT_TRIES	3u
#define DESCENT_DIVISOR 4u /* while no rate was clean: fewer repetitions than by halving */
#define REASON_BYTES	512u

struct search {
	const struct runner *runner;
	const struct proc_selftest *spec;
	struct proc_selftest_result *out;
	struct err *err;
	char reason[REASON_BYTES]; /* of the last trial */
	uint64_t good;		   /* frames of the last trial that came back */
};

static uint64_t rate_pps(uint64_t frames, uint64_t ns)
{
	return ns > 0 ? (uint64_t)((unsigned __int128)frames * UNITS_NS_PER_S / ns) : 0;
}

/* NULL: clean, and every frame came back. */
static const char *reason_of(
	struct search *s, const struct trial_result *trial, const struct proc_verdict *verdict)
{
	uint64_t sent = trial->total.n.tx_packet, good = trial->total.n.good;
	char lost[UNITS_TEXT_MAX], all[UNITS_TEXT_MAX];

	if (!verdict->summary.clean)
		snprintf(s->reason, sizeof(s->reason), "%s", verdict->summary.reasons[0]);
	else if (good < sent)
		snprintf(s->reason, sizeof(s->reason), "%s of %s frames did not come back",
			units_fmt_count(lost, (int64_t)(sent - good)),
			units_fmt_count(all, (int64_t)sent));
	else
		return NULL;
	return s->reason;
}

/* One trial; step says what came of it. */
static int trial_run(struct search *s, enum proc_selftest_kind kind, uint64_t pps,
	struct proc_selftest_step *step)
{
	const struct proc_selftest *spec = s->spec;
	struct trial_spec trial_spec = {.duration_ns = spec->duration_ns, .pps = pps};
	struct proc_verdict verdict;
	struct trial_result trial;
	int rc;

	if (kind == SELFTEST_PROBE && trial_spec.duration_ns > PROBE_NS)
		trial_spec.duration_ns = PROBE_NS;
	rc = s->runner->trial(s->runner->ctx, &trial_spec, &trial, s->err);
	if (rc < 0)
		return rc;
	s->out->nb_trials++;
	if (trial.interrupted)
		return -EINTR;
	rc = proc_quick_judge(spec->info, &trial, &spec->limits, &verdict);
	if (rc == 0) {
		s->good = trial.total.n.good;
		*step = (struct proc_selftest_step){
			.kind = kind,
			.pps = pps,
			.sent_pps = rate_pps(trial.total.n.tx_packet, trial.send_ns),
			.reason = reason_of(s, &trial, &verdict),
			.lat = trial.total.lat,
		};
		step->clean = step->reason == NULL;
		if (spec->on_step != NULL)
			spec->on_step(spec->ctx, step);
	}
	proc_verdict_fini(&verdict);
	return rc < 0 ? err_device(s->err, ENOMEM, "verdict") : 0;
}

/* The last ones are kept for the floor. */
static bool may_try(const struct search *s, enum proc_selftest_kind kind)
{
	unsigned kept = kind == SELFTEST_FLOOR ? 0 : NOISY_TRIES;

	return s->out->nb_trials + kept < PROC_SELFTEST_TRIALS_MAX;
}

/* Until a trial is clean, nb times at most; step is the last one's. */
static int trial_repeat(struct search *s, enum proc_selftest_kind kind, uint64_t pps, unsigned nb,
	struct proc_selftest_step *step)
{
	int rc = 0;

	*step = (struct proc_selftest_step){0};
	while (rc == 0 && nb-- > 0 && !step->clean && may_try(s, kind))
		rc = trial_run(s, kind, pps, step);
	return rc;
}

/* A wire in the wrong place should not be flooded to find out. */
static int loop_probe(struct search *s)
{
	uint64_t pps = s->spec->max_pps != 0 && s->spec->max_pps < PROBE_PPS ? s->spec->max_pps
									     : PROBE_PPS;
	struct proc_selftest_step step;
	int rc = 0;

	for (unsigned i = 0; rc == 0 && i < NOISY_TRIES && !s->out->looped; i++) {
		rc = trial_run(s, SELFTEST_PROBE, pps, &step);
		s->out->looped = rc == 0 && s->good > 0;
	}
	return rc;
}

/* A core that is taken away for a while sends less than it can: the best of several trials. */
static int top_find(struct search *s)
{
	struct proc_selftest_step step;
	int rc = 0;

	s->out->top_pps = s->spec->max_pps;
	if (s->out->top_pps != 0)
		return 0;
	for (unsigned i = 0; rc == 0 && i < FLAT_OUT_TRIES; i++) {
		rc = trial_run(s, SELFTEST_FLAT_OUT, TRIAL_FLAT_OUT, &step);
		if (rc == 0 && step.sent_pps > s->out->top_pps)
			s->out->top_pps = step.sent_pps;
	}
	if (rc == 0 && s->out->top_pps == 0)
		return err_invalid(s->err, "nothing was sent flat out");
	return rc;
}

/* Whether the interval between clean and not clean is as small as asked. */
static bool is_found(const struct search *s, uint64_t clean, uint64_t unclean)
{
	if (clean == 0)
		return unclean <= LOWEST_PPS;
	return unclean - clean <= 1 || (unsigned __int128)(unclean - clean) * PPM <=
					       (unsigned __int128)unclean * s->spec->resolution_ppm;
}

static int clean_find(struct search *s)
{
	uint64_t top = s->out->top_pps, clean = 0, unclean = top, pps = top;

	while (may_try(s, SELFTEST_SEARCH)) {
		struct proc_selftest_step step;
		int rc = trial_repeat(
			s, SELFTEST_SEARCH, pps, pps <= top / 2 ? NOISY_TRIES : 1, &step);

		if (rc < 0)
			return rc;
		if (step.clean)
			clean = pps;
		else
			unclean = pps;
		s->out->clean_pps = clean;
		if (clean == top || is_found(s, clean, unclean))
			break;
		pps = clean != 0 ? clean + (unclean - clean) / 2 : unclean / DESCENT_DIVISOR;
		if (pps < LOWEST_PPS && clean == 0)
			pps = LOWEST_PPS;
	}
	return 0;
}

static int floor_find(struct search *s)
{
	uint64_t pps = s->out->clean_pps / FLOOR_DIVISOR;
	struct proc_selftest_step step;
	int rc;

	if (s->out->clean_pps == 0)
		return 0;
	if (pps > FLOOR_PPS_MAX)
		pps = FLOOR_PPS_MAX;
	if (pps < LOWEST_PPS)
		pps = LOWEST_PPS < s->out->clean_pps ? LOWEST_PPS : s->out->clean_pps;
	s->out->floor_pps = pps;
	rc = trial_repeat(s, SELFTEST_FLOOR, pps, NOISY_TRIES, &step);
	if (rc == 0 && step.clean)
		s->out->floor = step.lat;
	return rc;
}

int proc_selftest_search(const struct runner *runner, const struct proc_selftest *spec,
	struct proc_selftest_result *out, struct err *err)
{
	struct search s = {.runner = runner, .spec = spec, .out = out, .err = err};
	int rc;

	*out = (struct proc_selftest_result){0};
	rc = loop_probe(&s);
	if (rc < 0 || !out->looped)
		return rc;
	rc = top_find(&s);
	if (rc == 0)
		rc = clean_find(&s);
	if (rc == 0)
		rc = floor_find(&s);
	return rc;
}
