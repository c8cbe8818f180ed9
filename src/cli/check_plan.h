/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "tgen/conf.h"
#include "tgen/engine.h"
#include "tgen/plan.h"

/* What `tgen check` found: a plan, and whence its values are. */
struct check_plan {
	const struct conf *conf;
	const struct opt_set *words;
	struct plan *plan; /* NULL: the file has no ports */
	struct engine_guess guesses[PLAN_MAX_PORTS];
	bool is_run; /* a run is planned: rates, cores, memory; else only where templates go */
	struct engine_needs needs; /* of a run */
	unsigned nb_built;
	char **warnings;
	unsigned nb_warnings;
};

/* What a port has to carry, of all streams. */
struct check_load {
	unsigned nb_streams;	   /* that leave by it */
	bool flat_out;		   /* one of them as fast as it goes: the rest has no figure */
	bool rx_flat_out;	   /* the same of those that arrive */
	uint64_t tx_upps, rx_upps; /* rx: of the streams that must arrive there */
	uint64_t tx_bps;	   /* packets without FCS */
	uint64_t wire_bps;	   /* with FCS, preamble and gap */
};
void check_load_of(const struct check_plan *c, unsigned port, struct check_load *out);
/* A stream's rate on the wire, and of its packets alone; 0 when it is flat out. */
uint64_t check_wire_bps(const struct plan_stream *s);
uint64_t check_packet_bps(const struct plan_stream *s);

/* Texts for the user, static but for the one with an out (of size bytes). */
const char *check_tx_reason(const struct check_plan *c, const struct plan_stream *s);
const char *check_rx_reason(const struct check_plan *c, const struct plan_stream *s);
void check_next_hop(char *out, size_t size, const struct plan_stream *s);
const char *check_source(enum engine_source source);

/* The plan as text, and as JSON (tgen.plan/1), on stdout. 0 or negative with err. */
void check_print(const struct check_plan *c);
int check_print_json(const struct check_plan *c, struct err *err);
