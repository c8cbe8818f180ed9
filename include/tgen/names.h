/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "tgen/engine.h"
#include "tgen/plan.h"
#include "tgen/result.h"

/* What results are about, as a sized plan and its engine tell; they must stay as long as it does. */
struct run_names {
	struct result_info info; /* without config_path, command and start */
	struct result_port *ports;
	struct result_stream *streams;
	char **next_hops, **groups;
};

int run_names_make(struct run_names *names, const struct plan *plan, const struct engine *engine,
	struct err *err);
/*
 * The sizes of a stream that has several: the mean stands for all where one figure is shown. Others
 * stay as they are.
 */
void run_names_sizes(struct result_stream *out, const struct plan_stream *s);
/* Also of names that are all zero. */
void run_names_fini(struct run_names *names);
