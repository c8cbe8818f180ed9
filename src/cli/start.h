/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <stdio.h>

#include "quick.h"
#include "tgen/samples.h"

struct start_files {
	int lock;  /* of the run directory */
	int log;   /* standard output and error of the run */
	int ready; /* the child says here how it goes */
	int wait;  /* the other end */
};

/* Where the results of a detached run go: its run directory. */
struct start_sink {
	FILE *null;
	struct samples_writer *samples;
	const struct result_info *info;
	uint32_t keep;
	uint64_t distribution_max_ns;
	int ready;
};

/* Fills hooks. 0 or negative with err. */
int start_sink_init(struct start_sink *sink, struct quick_hooks *hooks, const struct quick *q,
	int ready, struct err *err);
void start_sink_fini(struct start_sink *sink);
/* start.c: the first frame goes out. */
void start_say_started(int ready);
