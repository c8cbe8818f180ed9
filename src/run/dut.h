/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <signal.h>
#include <stdint.h>

#include "tgen/conf.h"
#include "tgen/err.h"

#include <cjson/cJSON.h>

/*
 * Commands that are run on or for the device under test: argv, no shell unless asked, each in a
 * process group of its own with a time limit; what they print is kept. Nothing here knows the engine.
 */

/* One that is over, whatever came of it. */
struct dut_command_result {
	int status; /* of exit; -1: it could not be started, was killed or took too long */
	bool timed_out, interrupted;
	uint64_t begin_ns, end_ns; /* CLOCK_MONOTONIC */
	char *output; /* standard output and error, the last 64 KiB, made printable UTF-8 */
};

struct dut_command {
	const char *text;	/* as in OPT_ARGV */
	bool shell;		/* a line for sh */
	uint64_t time_limit_ns; /* 0: none */
	/* Beside the environment of tgen: NAME=value words and a NULL; NULL: none. */
	const char *const *env;
	const volatile sig_atomic_t *stop; /* ends it early; may be NULL */
};

/*
 * Blocks until its first process is over; what that leaves in its process group is killed then (a
 * server that is to stay makes a session of its own: setsid). 0, also when it failed: out says; or
 * -ENOMEM. out: dut_command_fini.
 */
int dut_command_run(const struct dut_command *command, struct dut_command_result *out);
void dut_command_fini(struct dut_command_result *result);

/* ---- variants ---- */

/* Asks an address from a port of the generator; 0 when it answers ARP (or ND) and echo. */
typedef int dut_ping_fn(void *ctx, const char *port, const char *address);

/*
 * Setup, and what wait-ready asks; teardown. Every command is appended to `commands` (the schema's
 * array; of wait-ready the last attempt). 0; -EINTR; or negative with err that names variant,
 * command, what it printed last.
 * Teardown goes on after a command that failed and tells the first.
 */
int dut_setup(const struct opt_set *variant, dut_ping_fn *ping, void *ctx,
	const volatile sig_atomic_t *stop, cJSON *commands, struct err *err);
int dut_teardown(const struct opt_set *variant, cJSON *commands, struct err *err);

/* ---- what happens beside a trial: events, mending, probes, on a thread of their own ---- */

struct dut_beside;
struct dut_beside_spec {
	const struct opt_slot *event, *mend; /* lists of commands; NULL: none */
	uint64_t event_ns, mend_ns;	     /* after the first frame */
	const struct opt_set *variant;	     /* whose probe, shell and time-limit; NULL: none */
	uint64_t probe_interval_ns;	     /* 1 s */
};
/* Before the trial; NULL with err. The thread waits for dut_beside_start. */
struct dut_beside *dut_beside_new(const struct dut_beside_spec *spec, struct err *err);
/* At the first frame, from the control thread. */
void dut_beside_start(struct dut_beside *beside);
struct dut_beside_event {
	bool done, failed;
	uint64_t begin_ns, end_ns; /* after dut_beside_start */
};
/*
 * When sending is over: waits for what runs, frees. An event that was not mended yet is mended now, so
 * that no path stays broken; a probe has one interval more. probe: the schema's array, the caller's
 * then; commands: those of events are appended.
 */
void dut_beside_finish(struct dut_beside *beside, struct dut_beside_event *event,
	struct dut_beside_event *mend, cJSON **probe, cJSON *commands);

/*
 * Numbers that a probe printed: lines `key=value`, or JSON objects (nested keys joined by dots). Adds
 * them to `values`, an object; what is no number is left out. Number of values.
 */
int dut_probe_parse(const char *text, cJSON *values);
