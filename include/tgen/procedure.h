/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "tgen/opt.h"
#include "tgen/proc.h"
#include "tgen/trial.h"

/*
 * Procedures: what a test of a file does, RFC by RFC. A procedure is a file of src/proc, with a line
 * in `procedures` of procedure.c. It sees a runner and tells a sink; so every one of them is tested
 * against simulated devices. It is run once for each cell of the matrix test × variant × frame size ×
 * repeat.
 */

/* One figure that a cell found. */
struct proc_figure {
	const char *name;   /* `throughput`, kebab case; of a metric: the metric's name */
	double value;	    /* INFINITY is a value (a percentile of lost probes) */
	const char *unit;   /* `pps`, `bps`, `ns`, `frames`, `ratio`, `addresses`, `s`; "": none */
	const char *scope;  /* name of a group or stream; NULL: of all */
	const char *remark; /* `tester-limited at 1 200 000 pps`, `>=`; NULL: none */
};

/* What a figure means: said once, where it is made. name: NAME- at its front stands for a goal's. */
struct proc_figure_doc {
	const char *name, *unit, *help;
};

struct proc_figure_docs {
	const struct proc_figure_doc *docs;
	unsigned nb;
};
#define PROC_FIGURE_DOCS(table_)                                                                   \
	{                                                                                          \
		.docs = (table_), .nb = sizeof(table_) / sizeof((table_)[0])                       \
	}

/* What a cell came to, but for criteria. */
enum proc_outcome {
	PROC_DONE,   /* figures are there */
	PROC_FAILED, /* the device did not do what the procedure itself asks for (y1564's limits) */
	PROC_INVALID, /* the generator was not clean, or fell short */
	PROC_SKIPPED, /* not possible here */
};

struct proc_progress {
	const char *purpose; /* of the trial that begins */
	unsigned trial;	     /* from 1, of the cell */
	double load_pps;     /* of a port; 0: none in particular, INFINITY: flat out */
	/* What the search knows, packets/s of a port; 0: nothing yet. */
	double low_pps, high_pps;
	uint64_t remaining_ns; /* most the cell may still take; 0: not known */
};

/* Where a procedure tells what it does and finds. All may be called at any time of run. */
struct proc_sink {
	void (*progress)(void *ctx, const struct proc_progress *progress);
	/* Negative: the results cannot be written; the procedure returns it. */
	int (*figure)(void *ctx, const struct proc_figure *figure);
	/* A sentence for the reader of the report. */
	void (*note)(void *ctx, const char *text);
	void *ctx;
};

struct proc_env {
	const struct opt_set *test; /* the words of the test, of run_test_menu */
	const char *frame_size;	    /* of this cell; NULL: as the streams have it */
	const struct runner *runner;
	const struct proc_sink *sink;
	uint64_t settle_ns;   /* what passes before and after each trial, for estimates */
	unsigned max_invalid; /* how often an invalid trial is repeated */
	uint64_t event_ns,
		mend_ns; /* of the test's commands, after the first frame; 0: it has none */

	/* ---- of src/proc/env.c ---- */
	const struct result_info *info;
	unsigned nb_trials;
	double low_pps, high_pps; /* for progress */
};

/* How long a cell takes at most, and with how many trials: for --dry-run. */
struct proc_estimate {
	unsigned nb_trials;
	uint64_t duration_ns; /* of the trials alone */
};

enum proc_flag {
	PROC_OWN_LOADS = 1 << 0,  /* finds or sets the rates: the streams' own are refused */
	PROC_ONE_CELL = 1 << 1,	  /* frame sizes are no matter of it: one cell */
	PROC_EVENT = 1 << 2,	  /* needs `event` */
	PROC_NO_TRAFFIC = 1 << 3, /* sends nothing: no streams are needed */
};

struct procedure {
	const char *name; /* `rfc2544-throughput` */
	const char *help; /* one sentence for the reference, with its RFC and section */
	/* Its words beside those of every test; a section may belong to several procedures. */
	const struct opt_section *const *sections;
	unsigned nb_sections;
	unsigned flags; /* of enum proc_flag */
	unsigned
		topologies; /* bits 1 << enum conf_topology it can do with; 0: any that has streams */
	/* What is wrong with a test beyond single words; NULL: nothing can be. */
	int (*check)(const struct opt_set *test, struct err *err);
	void (*estimate)(const struct proc_env *env, struct proc_estimate *out);
	/*
	 * Measures one cell; *outcome and, unless it is PROC_DONE, a note say what came of it. 0; -EINTR
	 * with err empty when the user stops it; negative with err when it cannot go on at all.
	 */
	int (*run)(struct proc_env *env, enum proc_outcome *outcome, struct err *err);
	const struct proc_figure_docs *const *figures; /* of all that run may tell */
	unsigned nb_figures;
};

/* Latency figures of proc_latency_figures. */
extern const struct proc_figure_docs proc_latency_docs;

extern const struct procedure *const procedures[];
extern const unsigned nb_procedures;
/* NULL when unknown. */
const struct procedure *procedure_find(const char *name);
/* All sections of all procedures, each once: part of the menu of tests. */
extern const struct opt_section *const procedure_sections[];
extern const unsigned nb_procedure_sections;
/* Whether a word belongs to one of its sections. */
bool procedure_takes(const struct procedure *procedure, const struct opt *opt);

/* ---- words that several procedures have ---- */

enum proc_load_opt {
	LOAD_MAX_RATE, /* OPT_RATE, of a port; not given: the line */
	LOAD_NB_OPTS
};
extern const struct opt proc_load_opts[LOAD_NB_OPTS];
extern const struct opt_section proc_load_section;

enum proc_trial_opt {
	TRIAL_DURATION, /* 60s: RFC 2544 §24 */
	TRIAL_NB_OPTS
};
extern const struct opt proc_trial_opts[TRIAL_NB_OPTS];
extern const struct opt_section proc_trial_section;

enum proc_search_opt {
	SEARCH_MIN_RATE,     /* OPT_RATE; below it nothing is looked for */
	SEARCH_INITIAL_RATE, /* OPT_RATE; not given: max-rate */
	SEARCH_RESOLUTION,   /* percent of the rate found */
	SEARCH_LOSS,	     /* acceptable-loss, percent */
	SEARCH_DURATION,     /* of the trials before the final ones; not given: trial-duration */
	SEARCH_NB_OPTS
};
extern const struct opt proc_search_opts[SEARCH_NB_OPTS];
extern const struct opt_section proc_search_section;
extern const struct opt_section proc_not_possible_section;
extern const struct opt_section proc_recovery_section;
extern const struct opt_section proc_soak_section;
extern const struct opt_section proc_rfc2889_section;
extern const struct opt_section proc_addresses_section;
extern const struct opt_section proc_rfc8219_section;
extern const struct opt_section proc_y1564_section;

/* ---- sections of single procedures ---- */

extern const struct opt_section rfc2544_rate_section;
extern const struct opt_section rfc2544_latency_section;
extern const struct opt_section rfc2544_loss_section;
extern const struct opt_section rfc2544_burst_section;
extern const struct opt_section proc_goal_section;

/* ---- what procedures have in common (src/proc/env.c) ---- */

/* Fetches env->info for the cell; the first call of every run. */
int proc_begin(struct proc_env *env, struct err *err);
/* The line of a port at the cell's frame size, micro-pps rounded down; 0: no speed is known. */
uint64_t proc_line_upps(const struct proc_env *env, unsigned port);
/*
 * A rate word in micro-pps of port's load, at the cell's mean size: percent of its line, Mbit/s on
 * info.layer, packets. An error names opt when a percentage is asked and no speed is known.
 */
int proc_rate_upps(const struct proc_env *env, const struct opt *opt, const struct opt_val *val,
	unsigned port, uint64_t *out, struct err *err);
/*
 * max-rate, else the lowest line of the ports that send; an error that says to give max-rate when
 * neither is known.
 */
int proc_max_upps(const struct proc_env *env, uint64_t *out, struct err *err);
/* Load of every port that sends, shared out to its streams by weight; loads: one a stream. */
void proc_loads_even(const struct result_info *info, uint64_t port_upps, struct trial_load *loads);
/*
 * One trial, with progress; repeated while the generator is not clean, max-invalid times at most.
 * result->clean tells how the last one was; its load may be beyond the generator (fell_short).
 */
int proc_trial(struct proc_env *env, const struct trial_spec *spec, struct trial_result *result,
	struct err *err);
/* Frames lost of those sent, 0..1, of all streams; nothing sent: 1. */
double proc_loss_ratio(const struct trial_result *result);
/* What went out of every port that sends, packets/s of one of them on average. */
double proc_sent_pps(const struct result_info *info, const struct trial_result *result);
/* Notes why a trial is not valid: what a procedure says that ends with PROC_INVALID. */
void proc_note_invalid(const struct proc_env *env, const struct trial_result *result);
int proc_figure(const struct proc_env *env, const char *name, double value, const char *unit,
	const char *remark);
/* Latency figures latency-min, -mean, -p50, -p90, -p99, -p999, -max; nothing when none was measured. */
int proc_latency_figures(
	const struct proc_env *env, const char *scope, const struct result_latency *lat);
void proc_note(const struct proc_env *env, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
