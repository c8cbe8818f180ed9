/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "tgen/procedure.h"

/*
 * Binary search for the highest load at which a trial passes: what throughput, latency and their
 * like have in common. Loads are micro-pps asked of every sending port; what is told are rates sent.
 */

struct search_spec {
	uint64_t min_upps, initial_upps, max_upps;
	uint64_t width_upps;	      /* how near passing and failing loads have to come */
	double loss;		      /* share that still passes */
	uint64_t search_ns, final_ns; /* lengths of the trials before the last ones, and of those */
	unsigned verify; /* how often a load that lost is tried again (TST009 §12.3.2); 0: never */
};

/* The trial that decides, in what of it outlives the next one. */
struct search_trial {
	uint64_t upps; /* asked; 0: there was none */
	double pps;    /* sent, of a port */
	double loss;
	struct result_row total;
};

struct search_found {
	struct search_trial best; /* highest full-length trial that passed; upps 0: none */
	struct search_trial last; /* lowest that did not pass; upps 0: none */
	bool at_max;		  /* max_upps itself passed */
	bool tester_limited;	  /* the generator cannot do more than best */
	bool unfinished;	  /* too many trials */
	unsigned nb_trials;	  /* loads tried; repeats of invalid ones aside */
};

/*
 * From the words of the test: proc_search_section, proc_load_section, proc_trial_section. 0, or
 * -EINVAL with err.
 */
int search_spec_of(const struct proc_env *env, struct search_spec *out, struct err *err);
/* The same of min-rate, initial-rate and max-rate alone; the rest of out is 0. */
int search_range_of(const struct proc_env *env, struct search_spec *out, struct err *err);
/* Trials that may be needed at most, and their time. env: its test only. */
void search_estimate(const struct proc_env *env, struct proc_estimate *out);
/* The words of proc_search_section against one another, as far as no line is needed. */
int search_check(const struct opt_set *test, struct err *err);
/* 0; -EINTR; negative with err. A search that found nothing is no error: see out. */
int search_run(struct proc_env *env, const struct search_spec *spec, struct search_found *out,
	struct err *err);
/* What came of it for the cell, with a note unless it is PROC_DONE. */
enum proc_outcome search_outcome(const struct proc_env *env, const struct search_found *found);
/*
 * What a figure of the load found has to say; "": nothing. text: SEARCH_REMARK_MAX bytes, returned;
 * NULL when there is nothing to say.
 */
#define SEARCH_REMARK_MAX 80
const char *search_remark(const struct search_found *found, char *text);
/* One trial at a load of every sending port. purpose: a word for records. */
int search_trial_run(struct proc_env *env, const char *purpose, uint64_t upps, uint64_t duration_ns,
	struct trial_result *result, struct err *err);
/* Something was sent, something received, and no more lost than that. */
bool search_passes(const struct trial_result *result, double loss);
/* throughput and what belongs to it, of the load that was found; nothing found: throughput 0. */
int search_figures(const struct proc_env *env, const struct search_found *found);

extern const struct proc_figure_docs search_figure_docs;
