/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "rig.h"
#include "topology.h"
#include "tgen/names.h"
#include "tgen/plan.h"

/* A test and its streams, as stream objects of the configuration. */
struct rig_test {
	const struct opt_set *test;
	char **names;
	unsigned nb;
};

/* A second of a trial, all streams together. */
struct rig_point {
	double t_s;
	uint64_t tx_upps, rx_upps, tx_bps, rx_bps;
	int64_t lost;
	uint64_t whole; /* what lost is a part of */
	struct result_latency lat;
};

/* A plan and what its figures are about. */
struct rig_load {
	struct plan *plan;
	struct run_names names;
	unsigned *streams; /* the test's stream of each of the plan's */
};

struct rig {
	struct conf *conf;
	const struct run_options *options;
	struct rig_hooks hooks;
	struct rig_test *tests;
	unsigned nb_tests;
	struct plan_cpu *cpus;
	unsigned nb_cpus;

	struct plan *opened;		      /* what the engine was opened for */
	struct engine_options engine_options; /* the engine looks at them as long as it is open */
	struct engine *engine;
	struct plan_facts facts[PLAN_MAX_PORTS];

	const struct rig_test *test; /* of the trials that follow */
	const struct opt_set *variant;
	struct rig_load about; /* of info(): all streams of the test */
	struct rig_load load;  /* of the last trial */
	struct rig_load
		failed; /* that could not be loaded: the engine may look at it until it closes */
	cJSON *commands;

	/* of the last trial, as a procedure sees it: a row for each stream of `about` */
	struct result_row *totals;
	struct proc_verdict verdict;
	struct trial_result inner; /* the engine's own */

	/* while a trial runs */
	struct dut_beside *beside;
	struct rig_point *points;
	unsigned nb_points, room;
	struct err *err;
	const struct trial_spec *spec;
	int hook_rc;
};

/* ---- rig_words.c: what quick would be told ---- */

/*
 * The words of a trial of a test: spec's size and loads, what the test says itself of the rest.
 * streams: of the plan, the indexes of the test's, *nb of them; at least the test's number of room.
 * all: streams without load are in, too, and a rate is not needed. out: opt_set_fini in any case.
 */
int rig_words(const struct rig *rig, const struct trial_spec *spec, bool all, struct opt_set *out,
	unsigned *streams, unsigned *nb, struct err *err);
/* Those of a run with a stream for every template and size of all tests: memory for all. */
int rig_words_of_all(const struct rig *rig, struct opt_set *out, struct err *err);
struct plan *rig_plan(const struct rig *rig, const struct opt_set *words, struct err *err);

/* ---- rig_trial.c ---- */
int rig_trial(
	void *ctx, const struct trial_spec *spec, struct trial_result *result, struct err *err);
void rig_load_fini(struct rig_load *load);

/* ---- rig_series.c ---- */
/* The rows of an interval: the point of it is kept. */
void rig_point_add(struct rig *rig, const struct result_row *rows, unsigned nb);
/* `intervals` of the schema. NULL: no memory. */
cJSON *rig_points_json(const struct rig *rig);
