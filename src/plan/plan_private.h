/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "tgen/plan.h"

/* Fills plan.ports from the enabled ports of conf (all, or the one called name). */
int plan_ports_read(struct plan *plan, const struct conf *conf, const char *name, struct err *err);
/* Fills plan.streams from the command; routes and wanted rates included. */
int plan_streams_read(
	struct plan *plan, const struct conf *conf, const struct opt_set *quick, struct err *err);
/* Chooses plan.workers among cpus. wanted NULL: all but one. */
int plan_workers_choose(struct plan *plan, const struct opt_set *quick, const struct plan_cpu *cpus,
	unsigned nb_cpus, struct err *err);
/* Sets configured and asked of all streams from their sizes, and caps them to the lines. */
int plan_rates_set(struct plan *plan, struct err *err);
/* One lane a stream, on the least loaded queue of its port. */
int plan_lanes_make(struct plan *plan);
/* Adds a line for the user; takes the text. 0 or -ENOMEM. */
int plan_note(struct plan *plan, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
