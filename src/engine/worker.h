/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "rx.h"
#include "tx.h"

/*
 * What runs on a worker's core. A worker owns queues; a queue owns tx lanes (grouped in classes of
 * equal rate) and one rx_lane for every lane of the plan. Nothing here is written by two threads.
 */

struct worker_queue {
	struct tx_queue tx;
	struct rx_queue rx;
};

/* TRIAL_DRAIN: all have sent what they will, or are told to send no more. */
enum trial_phase { TRIAL_SEND, TRIAL_DRAIN, TRIAL_STOP };

/* What all workers of a trial share. Immutable but for the atomics. */
struct trial_shared {
	const struct plan *plan;
	struct clock clock;
	uint64_t start_tsc, end_tsc; /* end_tsc UINT64_MAX: no end by time */
	uint64_t start_ns;	     /* clock time of start_tsc */
	struct epoch_reader reader;
	_Atomic int phase;	     /* enum trial_phase; main: wo, workers: ro */
	_Atomic int32_t *first_port; /* of a stream without a port of its own; -1: none yet */
	const int32_t *rx_port;	     /* of each stream */
	const struct plan_lane *lanes;
	_Atomic uint64_t *const *tx_seqs; /* of each lane: tx_lane_seq */
	const struct pkt_quote *quotes;	  /* of each stream: how an ICMP error quotes it */
	const uint8_t *const
		*payloads; /* of each stream: a whole frame's bytes; NULL: not verified */
	_Atomic uint64_t *const *lag_rings; /* of each lane */
	const uint32_t *first_lane;	    /* of each stream */
	struct rte_mempool *ctl_pool;
	const struct host_if *hosts; /* of each port */
};

/*
 * What a worker did with its time while there was something to send, in ticks of the clock; a round
 * of its loop that had nothing to do is idle.
 */
struct worker_use {
	uint64_t tx_tsc, rx_tsc, idle_tsc;
	uint64_t tx_frames; /* main: from the lanes, after the trial */
	uint64_t rx_frames;
};

struct worker {
	struct trial_shared *shared;
	struct worker_queue **queues;
	uint32_t nb_queues;
	unsigned lcore;
	struct epoch_worker epoch;
	uint64_t cur_epoch;	/* of now */
	uint64_t fresh_tsc;	/* the clock as just read; 0: too long ago for a stamp */
	uint64_t epoch_end_tsc; /* when cur_epoch ends */
	uint64_t epoch_ticks;
	uint64_t tx_epoch_max;	/* the last epoch of a run with a duration */
	uint64_t tx_epoch_last; /* the last epoch in which a frame was sent */
	uint64_t catch_up_tsc;	/* behind by more than this, frames are given up */
	uint64_t send_end_tsc;	/* when this worker's sending was over */
	bool ended;		/* past the end: only what was due before it still goes */
	struct tx_gaps *gaps;	/* of every frame that has a schedule */
	struct worker_use use;
	uint64_t late_bursts, catch_up;
	uint64_t late_tsc; /* RESULT_LATE_NS */
	uint64_t queue_full;
	uint8_t *scratch;	   /* HOST_FRAME_MAX bytes */
	_Atomic uint64_t pub_sent; /* worker: wo, main: ro; frames accepted, with signature */
	_Atomic uint64_t pub_good; /* worker: wo, main: ro; good frames */
	_Atomic bool tx_done;	   /* worker: wo, main: ro; will send no more */
};

/* When the earliest frame of a queue is due, tsc; UINT64_MAX: it has no more. */
uint64_t tx_next_due(const struct tx_queue *q);

/* Body of a worker's core; arg: struct worker. */
int worker_main(void *arg);
