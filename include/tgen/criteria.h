/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <stdbool.h>

#include "tgen/err.h"

/*
 * Criteria of `expect`:
 *
 *	[group NAME | stream NAME | each stream | each group] METRIC OP VALUE [at SIZE]
 *
 * METRIC: a figure of the procedure (`throughput`) or a metric of the metric table of the last trial
 * that counts (`lost-ratio`, `latency-p99`). OP: < <= == != >= >. VALUE: a number with its unit
 * (`500us`, `95%`, `100mbps`, `20kpps`, `0`), or `N% of baseline`, `baseline`, `N% of first` (the
 * first variant). `at SIZE`: only cells of that frame size.
 */
struct criterion;

/* NULL with err: what is wrong, at which word, and what belongs there. */
struct criterion *criterion_parse(const char *text, struct err *err);
void criterion_free(struct criterion *criterion);
/* As it was written. */
const char *criterion_text(const struct criterion *criterion);
/* Whether it compares with a baseline, with the first variant. */
bool criterion_needs_baseline(const struct criterion *criterion);
bool criterion_needs_first(const struct criterion *criterion);

/* Where figures come from. scope NULL: of all. False: there is none. Units are base units. */
struct criterion_source {
	bool (*figure)(
		void *ctx, const char *metric, const char *scope, double *value, const char **unit);
	/* The i-th name of a scope of this kind (stream, or group); NULL: no more. */
	const char *(*scope)(void *ctx, bool groups, unsigned i);
	void *ctx;
};

enum criterion_status {
	CRITERION_MET,
	CRITERION_MISSED,
	CRITERION_UNKNOWN, /* no such figure here, or nothing to compare with: never met */
	CRITERION_APART,   /* it is about another frame size */
};

struct criterion_verdict {
	enum criterion_status status;
	double value, limit; /* in base units; NAN: not known */
	char text[256];	     /* `lost-ratio is 2.1 %, more than 0.1 %`; worst scope of `each` */
};

/* cell's frame size: as the test has it, may be NULL. baseline, first: NULL when there is none. */
void criterion_judge(const struct criterion *criterion, const char *frame_size,
	const struct criterion_source *cell, const struct criterion_source *baseline,
	const struct criterion_source *first, struct criterion_verdict *out);
