/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "tgen/procedure.h"

/*
 * Simulated devices for procedures: a runner whose answers are known, a sink that keeps what it is
 * told, and the words of a test. Nothing here waits: a trial of an hour takes no time.
 */

#define SIM_PORTS_MAX	16u
#define SIM_STREAMS_MAX 256u
#define SIM_FIGURES_MAX 64u
#define SIM_NOTES_MAX	32u

struct sim;

/* What a device is like; fields at 0 do nothing, and all go together. Rates are of a sending port. */
struct sim_dut {
	const char *name;
	bool dead;	      /* nothing comes back */
	double knee_pps;      /* what it forwards; 0: everything */
	double noise;	      /* the knee of each trial differs by up to this share, evenly */
	double burst;	      /* frames it holds in front of the knee, or a policer's bucket */
	double policer_bps;   /* instead of knee_pps: of frames without FCS … */
	double policer_bytes; /* … and its bucket instead of burst */
	/* At loads above grow_pps the share that is lost grows after a while, so much a second. */
	double grow_pps, grow_after_s, grow_per_s;
	/* After loss it forwards only hysteresis_pps, until a trial at or below that. */
	double hysteresis_pps;
	double out_pps; /* of each receiving port, all that is sent to it together; 0: everything */
	double down_s;	/* after the event it forwards nothing for so long; 0: until the mend */

	/* the generator, not the device */
	double tester_pps;   /* it sends no more than that, and is not clean */
	unsigned flaky;	     /* every so many trials one is not clean, and half of it is missing */
	unsigned always_bad; /* 1: no trial is ever clean */
	unsigned interrupt_at; /* number of the trial in which the user stops it */
	unsigned fail_at;      /* number of the trial in which a device fails */
	/* Changes the counts of a trial (one a stream) before figures are made of them. */
	void (*bend)(struct sim *sim, const struct trial_spec *spec, struct result_row *rows);
};

struct sim {
	/* ---- set by the test, before sim_begin or after it ---- */
	const struct sim_dut *dut;
	void *user; /* for bend */
	uint64_t seed;

	/* ---- what the runner tells of ---- */
	struct result_port ports[SIM_PORTS_MAX];
	struct result_stream streams[SIM_STREAMS_MAX];
	struct result_info info;

	/* ---- of the last trial ---- */
	struct result_row rows[SIM_STREAMS_MAX];
	struct result_port_counts counts[SIM_PORTS_MAX];
	double latency_ns; /* mean */
	struct hist hist;
	bool degraded;

	/* ---- what was seen ---- */
	unsigned nb_trials, nb_clean; /* all; those that were clean */
	uint64_t asked_ns, clean_ns;  /* their durations, as asked or as the counts took */
	double highest_pps;	      /* asked of a port, flat out aside */
	unsigned nb_progress;
	struct proc_figure figures[SIM_FIGURES_MAX];
	unsigned nb_figures;
	char *notes[SIM_NOTES_MAX];
	unsigned nb_notes;

	/* ---- the cell ---- */
	struct opt_set test;
	struct runner runner;
	struct proc_sink sink;
	struct proc_env env;
};

/*
 * Ports of 1 Gbit/s, half of which send to the other half: port i to port nb_ports/2 + i (2: 0 to 1).
 * sim->streams, nb_streams and the rest may be changed afterwards.
 */
void sim_init(struct sim *sim, const struct sim_dut *dut, unsigned nb_ports, uint32_t frame_size);
/* One stream more, of the frame size given to sim_init. */
struct result_stream *sim_add_stream(struct sim *sim, unsigned tx_port, unsigned rx_port);
/*
 * The words of the test, separated by blanks (`procedure=rfc2544-throughput resolution=1`); asserts
 * that they are right. A word in double quotes may have blanks.
 */
void sim_words(struct sim *sim, const char *words);
/* The same; whether the test was accepted as run would, with err. */
bool sim_words_ok(struct sim *sim, const char *words, struct err *err);
/* Runs the procedure of the words. As procedure.run; asserts that the estimate was enough. */
int sim_run(struct sim *sim, enum proc_outcome *outcome, struct err *err);
/* NULL: there is none. scope NULL: of all. */
const struct proc_figure *sim_figure(const struct sim *sim, const char *name, const char *scope);
/* The value of a figure of all; asserts that there is one. */
double sim_value(const struct sim *sim, const char *name);
/* Whether a note has that text in it. */
bool sim_noted(const struct sim *sim, const char *text);
void sim_fini(struct sim *sim);
