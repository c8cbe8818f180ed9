/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "tgen/procedure.h"

#include <cjson/cJSON.h>

/*
 * What a run shows while it goes on: on a terminal a line that is drawn again, else a plain line a
 * trial, both on standard error; and events as JSON lines where they were asked for.
 */
struct progress {
	FILE *out; /* standard error */
	bool is_terminal;
	FILE *events;			   /* --output jsonl; NULL: none */
	const char *test, *variant, *size; /* of the cell; NULL: none */
	unsigned repeat, repeats;
	unsigned cell, nb_cells;
	uint64_t began_ns, planned_ns; /* of the run: CLOCK_MONOTONIC; estimate of all */
	uint64_t done_planned_ns;      /* estimate of the cells that are over */
	bool line_open;		       /* the live line is there */
	bool events_failed;
};

void progress_init(struct progress *progress);
/* A cell begins. */
void progress_cell(struct progress *progress);
/* A trial begins: proc_sink.progress. */
void progress_trial(struct progress *progress, const struct proc_progress *now);
/* A trial is over: what came of it, or was played back from an earlier run. */
void progress_trial_done(struct progress *progress, const struct trial_result *result,
	const struct trial_spec *spec, double sent_pps, bool replayed);
/* A cell is over. */
void progress_cell_done(struct progress *progress, const cJSON *cell);
/* Anything else: `setup of variant nat`. */
void progress_say(struct progress *progress, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
/* An event of its own; takes event over. */
void progress_event(struct progress *progress, const char *kind, cJSON *event);
/* Clears the live line before other output. */
void progress_clear(struct progress *progress);
