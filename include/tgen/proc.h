/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "tgen/trial.h"

/* When a generator counts as clean. */
struct proc_limits {
	uint32_t short_ppm;  /* sent less than asked, in millionths, beyond one frame a stream */
	uint64_t rx_missed;  /* frames that the driver and the kernel may lose, in all */
	uint64_t lag_p99_ns; /* schedule lag; 0: no limit */
	uint32_t steal_ppm;  /* of the workers' CPU time; 1000000: no limit */
};

/* What a trial means; owns its texts. */
struct proc_verdict {
	struct result_summary summary;
	char **reasons, **notes;
};

/*
 * Judges the trial of a quick run: was the generator clean, did anything arrive, and when a stream
 * received nothing, what is known about it. Status as documented for quick. 0 or -ENOMEM.
 */
int proc_quick_judge(const struct result_info *info, const struct trial_result *trial,
	const struct proc_limits *limits, struct proc_verdict *out);
/* Whether less was sent than asked for, beyond the limit: the rate is more than the generator can. */
bool proc_fell_short(const struct result_info *info, const struct trial_result *trial,
	const struct proc_limits *limits);
void proc_verdict_fini(struct proc_verdict *verdict);

/* ---- selftest: what the generator itself can do over a loop ---- */

enum proc_selftest_kind {
	SELFTEST_PROBE,	   /* few frames, to see that they come back at all */
	SELFTEST_FLAT_OUT, /* as fast as it goes: the upper end */
	SELFTEST_SEARCH,
	SELFTEST_FLOOR, /* latency at a low rate */
};

/* A trial that is over, for the user to see. */
struct proc_selftest_step {
	enum proc_selftest_kind kind;
	uint64_t pps;	    /* asked; TRIAL_FLAT_OUT */
	uint64_t sent_pps;  /* over the sending phase */
	bool clean;	    /* a clean generator, and every frame came back */
	const char *reason; /* why not; NULL when clean */
	struct result_latency lat;
};

struct proc_selftest {
	/* Names and rates of the trial that was run last: the runner keeps it up to date. */
	const struct result_info *info;
	struct proc_limits limits;
	uint64_t duration_ns;	 /* of each trial */
	uint32_t resolution_ppm; /* of the rate that is found */
	uint64_t max_pps;	 /* highest rate to try; 0: what flat out shows */
	void (*on_step)(void *ctx, const struct proc_selftest_step *step); /* may be NULL */
	void *ctx;
};

struct proc_selftest_result {
	bool looped;	    /* false: no frame came back, and nothing below is known */
	uint64_t top_pps;   /* upper end of the search */
	uint64_t clean_pps; /* highest rate at which a trial was clean; 0: at none */
	uint64_t floor_pps;
	struct result_latency floor; /* count 0: no clean trial at floor_pps */
	unsigned nb_trials;
};

/*
 * Finds the highest clean rate of the one stream that the runner sends, and its latency floor at
 * 1 % of that rate or 10 000 pps, whichever is lower (but 100 pps at least). The upper end is
 * max_pps, else the best of three flat-out trials; between it and the highest clean rate the
 * interval is halved until it is as small as resolution asks. An unclean trial at half the upper end
 * or less is repeated, at most twice, before it counts: a busy machine spoils some. Trials are at
 * most PROC_SELFTEST_TRIALS_MAX. -EINTR with err empty when a trial was interrupted; else 0, or
 * negative with err.
 */
#define PROC_SELFTEST_TRIALS_MAX 64u
int proc_selftest_search(const struct runner *runner, const struct proc_selftest *spec,
	struct proc_selftest_result *out, struct err *err);
