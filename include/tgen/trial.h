/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "tgen/result.h"

/*
 * One trial as a procedure sees it: rates for a time, and what came of it. A procedure knows only a
 * runner, so that every search can be tested against simulated devices.
 */

/* Takes the rows of one interval as they are ready. Negative: stop the run (-errno). */
typedef int trial_rows_fn(void *ctx, const struct result_row *rows, unsigned nb);

/*
 * What a port did in an interval, beside what the rows of the streams tell: test frames by the
 * interval in which they were sent, unknown frames by the one in which they came.
 */
struct trial_port {
	uint64_t tx_packet, tx_byte,
		tx_layer_byte; /* bytes without FCS; on the plan's rate-layer */
	uint64_t rx_packet, rx_byte, rx_layer_byte; /* good */
	uint64_t ooo, bad;			    /* of test frames that came in here */
	uint64_t unk_packet, unk_byte;
};

#define TRIAL_FLAT_OUT UINT64_MAX

/* What one stream sends in a trial of a procedure. */
struct trial_load {
	uint64_t upps;	       /* micro-pps; 0: nothing; TRIAL_FLAT_OUT */
	uint64_t packet_count; /* UINT64_MAX: as many as the time allows */
	uint64_t step_ns;      /* after so long the rate is step_upps; 0: it stays */
	uint64_t step_upps;
};

struct trial_spec {
	uint64_t duration_ns; /* 0: until every packet-count is sent or the stop flag is set */
	/*
	 * Packets/s of every stream, for runners that can change it; 0: as the plan has it;
	 * TRIAL_FLAT_OUT: pps=max. engine_trial itself sends what is loaded.
	 */
	uint64_t pps;

	/* ---- of procedures; runners of quick and selftest leave them alone ---- */
	const char *purpose; /* a word for records: `warm-up`, `search`, `final`, `latency` … */
	const char *frame_size; /* as a test has it, FCS included; NULL: as the streams have it */
	const struct trial_load
		*loads;	    /* one a stream of the runner's info; NULL: as the plan has it */
	uint64_t addresses; /* how many values the learning topology's addresses take; 0: none */
	uint64_t event_ns, mend_ns; /* when the test's event and mend commands run; 0: not */

	/* ---- who takes what comes ---- */
	/* Called once, when the first frame goes out; may be NULL. Negative: stop the run. */
	int (*on_start)(void *ctx, uint64_t start_unix_ns);
	trial_rows_fn *on_rows; /* may be NULL */
	/* The same interval, before on_rows; may be NULL: one entry a port of the plan. */
	void (*on_ports)(void *ctx, const struct trial_port *ports, unsigned nb);
	/*
	 * The same, may be NULL: the interval's latencies of a stream, or of all (RESULT_TOT). Not
	 * called when there are too many streams for histograms of intervals.
	 */
	void (*on_latency)(void *ctx, uint32_t stream, const struct hist *h);
	void *ctx;
};

/* All arrays are owned by the runner and valid until its next trial. */
struct trial_result {
	uint64_t start_unix_ns;
	uint64_t send_ns; /* length of the sending phase */
	struct result_health health;

	bool interrupted;     /* by the stop flag */
	unsigned foreign;     /* streams of which frames came that had not been sent */
	bool conserved;	      /* every class sum equals its port's own counter */
	uint64_t undelivered; /* accepted by a driver, not sent at the end; not in tx_packet */
	const struct result_row *totals; /* one a stream, derived */
	/* Writes the latency histogram (by info.latency_type) of a stream, or of all (RESULT_TOT), into out. */
	void (*latency)(void *ctx, uint32_t stream, struct hist *out);
	void *latency_ctx;
	unsigned nb_totals;
	struct result_row total;
	const struct result_port_counts *ports;
	const struct result_unknown *unknowns;
	unsigned nb_unknowns;
	const struct result_returned *returned;
	unsigned nb_returned;

	/* ---- filled by the runners of procedures ---- */
	bool clean;		    /* the generator was: proc_quick_judge */
	bool fell_short;	    /* not clean, and the rate it was asked for is a reason */
	const char *const *reasons; /* why not clean; one sentence each */
	unsigned nb_reasons;
	struct trial_event {
		bool done, failed;
		uint64_t begin_ns, end_ns; /* of its commands, after the first frame */
	} event, mend;
};

struct runner {
	/* -EINTR with err empty: stopped by the user. */
	int (*trial)(void *ctx, const struct trial_spec *spec, struct trial_result *result,
		struct err *err);
	/*
	 * What trials of a frame size are about (trial_spec.frame_size): ports, streams, their mean
	 * sizes. Valid until the next call of either. NULL with err. Procedures only.
	 */
	const struct result_info *(*info)(void *ctx, const char *frame_size, struct err *err);
	void *ctx;
};
