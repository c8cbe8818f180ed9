/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

/*
 * What the tests of the engine share: a configuration becomes a plan, and the plan trials, as the
 * quick command does it; and a process for every case, since EAL starts once in each.
 */

#include "tgen/engine.h"
#include "tgen/proc.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define NB(array)	  (sizeof(array) / sizeof((array)[0]))
#define BENCH_STREAMS_MAX 128u
#define BENCH_ATTEMPTS	  5u /* trials, until the generator was clean */
#define BENCH_MS	  1000000ull

struct bench {
	struct conf *conf;
	struct opt_set quick;
	struct plan *plan;
	struct engine *engine;
	struct engine_options options;
	struct plan_facts facts[PLAN_MAX_PORTS];
	struct result_port *ports;
	struct result_stream *streams;
	struct result_info info;
	struct err err;
	volatile sig_atomic_t stop;
	void (*adjust)(struct plan *plan); /* after plan_size; NULL: nothing */
	/* of the last trial */
	uint64_t duration_ns; /* asked */
	struct trial_result result;
	struct proc_verdict verdict;
	uint32_t nb_rows; /* intervals */
	struct result_counts
		rows[BENCH_STREAMS_MAX + 1]; /* sums of each stream's rows; the last: TOT */
	uint32_t stop_at_row;		     /* sets the stop flag when this row comes; 0: never */
	int rows_rc;			     /* what the taker of rows answers */
};

/* The steps of the quick command up to engine_load. json: ' for ", words: separated by spaces. */
void bench_plan(struct bench *b, const char *json, const char *words);
int bench_open_engine(struct bench *b); /* negative with err */
int bench_load_engine(struct bench *b); /* negative with err */
/* All of them, and fails the test when one does. */
void bench_open(struct bench *b, const char *json, const char *words);
/* The same; adjust may give the sized plan's streams sizes and schedules. */
void bench_open_adjusted(
	struct bench *b, const char *json, const char *words, void (*adjust)(struct plan *plan));
void bench_close(struct bench *b);

/* One trial as it comes; result, verdict and rows are in the bench. Returns engine_trial's answer. */
int bench_trial_once(struct bench *b, uint64_t duration_ns);
/*
 * Trials until one was clean and lost no frame of its schedule: a machine that others share may take
 * the core away. Never repeated because of what was received. Fails the test after BENCH_ATTEMPTS.
 */
void bench_trial(struct bench *b, uint64_t duration_ns);

/*
 * What holds for every trial on ports that lose nothing: all is back on its port, once, in order;
 * rows and the rest are the totals; the classes are the ports' own counts.
 */
void bench_assert_rows_are_totals(const struct bench *b);
void bench_assert_conserved(const struct bench *b);
void bench_assert_all_back(const struct bench *b);
/* sent is what the schedule of the time that was sent holds, give or take a frame. */
void bench_assert_schedule(const struct bench *b);

/*
 * Runs every case in a process of its own (argv[1] names it) and adds up. With TGEN_TEST_HUGE=1 in
 * the environment huge pages are reserved before, and given back after. An exit status.
 */
int bench_main(int argc, char **argv, const struct CMUnitTest *tests, size_t nb);
bool bench_huge_wanted(void);
/* Ends a case that cannot be run here: it counts as skipped. */
void bench_skip(const char *why) __attribute__((noreturn));
