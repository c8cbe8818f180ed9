/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "dut.h"
#include "tgen/conf.h"
#include "tgen/engine.h"
#include "tgen/procedure.h"
#include "tgen/results.h"
#include "tgen/run.h"

/*
 * The engine as procedures see it: a runner of one test at a time. EAL starts once for all tests of a
 * file, with memory for all their frame sizes and streams; every trial has a plan of its own.
 */
struct rig;

/* Who takes what comes beside the results of trials. */
struct rig_hooks {
	int (*rows)(void *ctx, const struct result_info *info, const struct result_row *rows,
		unsigned nb, struct err *err);
	/* After each trial: the trial of the results tree; negative stops the test. */
	int (*trial)(void *ctx, const struct results_trial *trial, struct err *err);
	void *ctx;
};

/*
 * conf: with the streams of topologies in it (topology.h). tests: all that will run. NULL with err:
 * every error of words, names and routes of all tests, before any device is touched.
 */
struct rig *rig_new(struct conf *conf, const struct opt_set *const *tests, unsigned nb_tests,
	const struct run_options *options, const struct rig_hooks *hooks, struct err *err);
/* Another taker: hooks are copied. */
void rig_hooks_set(struct rig *rig, const struct rig_hooks *hooks);
/* Opens the ports; at the first trial otherwise. */
int rig_open(struct rig *rig, struct err *err);
/* What the trials that follow are of. variant: whose probes run; NULL: none. */
int rig_select(struct rig *rig, const struct opt_set *test, const struct opt_set *variant,
	struct err *err);
struct runner rig_runner(struct rig *rig);
/* For wait-ready-ping; the ports are opened for it. */
int rig_ping(void *rig, const char *port, const char *address);
/* Commands of events since the last call, the schema's array; the caller's then. */
cJSON *rig_commands(struct rig *rig);
/* `ports` of the schema. NULL: no memory. */
cJSON *rig_ports_json(const struct rig *rig);
void rig_free(struct rig *rig);
