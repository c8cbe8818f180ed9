/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "engine_private.h"

#include <rte_spinlock.h>

#include "order.h"
#include "outage.h"
#include "pacer.h"
#include "tgen/epoch.h"
#include "tgen/pkt.h"
#include "tgen/sched.h"

/*
 * What runs on a worker's core. A worker owns queues; a queue owns tx lanes (grouped in classes of
 * equal rate) and one rx_lane for every lane of the plan. Nothing here is written by two threads.
 */

#define RX_UNKNOWN_KINDS  RESULT_UNKNOWN_KINDS
#define RX_RETURNED_KINDS 64u

/* ---- tx: worker rw; main reads after the trial (slots: after their epoch is closed) ---- */

struct tx_lane {
	const struct pkt_frame *frame;
	uint16_t id; /* on the wire */
	uint16_t stream;
	_Atomic uint32_t seq;	 /* of the next frame; goes on across trials; receivers: ro */
	uint64_t remaining;	 /* frames still to be sent (packet-count) */
	uint64_t n;		 /* number in the stream of the next frame, of a lane that varies */
	uint32_t stride;	 /* lanes of the stream: they share out its frames */
	struct pkt_steps *steps; /* of frame n, as large as its fields need; NULL: none vary */
	bool varies;		 /* frames are not all the same, signature apart */
	bool mixed;		 /* frames have several sizes */
	uint32_t turn, turn_step; /* of a mix: n and stride modulo the period of its sizes */
	_Atomic uint64_t
		*lag_ring;  /* seq << 32 | lag in ns, of the last frames; NULL: not asked for */
	uint32_t start_seq; /* of this trial */
	uint64_t first_ns, last_ns; /* stamps of the first and last frame accepted */
	uint64_t sent;		    /* accepted by the driver in this trial */
	uint64_t unsent;	    /* wanted by the schedule, not sent */
	uint64_t spill;
	uint64_t slot[EPOCH_SLOTS];		    /* sent in the epoch */
	uint64_t sent_byte, slot_byte[EPOCH_SLOTS]; /* of a mix: the bytes of sent and slot */
};

/* A lane with a schedule of its own. */
struct tx_walk {
	struct sched_walk w;
	uint64_t start_tsc;
	uint64_t last_due, last_n; /* of the frame taken last; last_due UINT64_MAX: none yet */
	/* bursts without a rate: their frames are due together */
	bool together;
	uint64_t gap;	     /* ticks */
	uint64_t last_burst; /* number of its first frame */
	/* before the frames that were taken last, for giving them back */
	struct sched_walk w_before;
	uint64_t due_before, n_before;
};

/*
 * Streams of equal rate and payload: one schedule, served in turn. A stream that has more than a
 * rate is alone in its class, and has a walk; one that is flat out has neither.
 */
struct tx_class {
	struct pacer pacer;
	struct tx_walk *walk;
	struct tx_lane **lanes;
	uint32_t nb_lanes, next;
	uint32_t nb_done; /* lanes whose packet-count is sent */
	bool flat_out;
	uint64_t from_tsc;		      /* flat out: from then on */
	const struct plan_stream *model;      /* one of its streams */
	uint16_t lane_index, lanes_of_stream; /* which of its lanes, of how many */
	struct rte_mempool *pool;	      /* buffers that hold the payload already */
	const uint8_t *whole; /* of a mix: a frame's payload, unspoilt by signatures */
};

#define TX_GROUP 64u /* classes whose earliest is known together */

struct tx_queue {
	uint16_t port_id, queue_id;
	struct tx_class *classes;
	struct tx_lane **lane_refs; /* where the classes keep their lanes */
	uint32_t nb_classes, first; /* first: the class that is served first, in turn */
	uint32_t nb_finished;	    /* classes with nothing more to send */
	bool has_mix, has_crc;	    /* some lane has several sizes; an SCTP checksum */
	uint64_t start_tsc;
	uint64_t *due;	     /* of each class, ticks after the start; UINT64_MAX: finished */
	uint64_t *group_due; /* the least of each TX_GROUP of them */
	int sig_field; /* of a mix's buffers: offset of the mbuf's field that tells where the last
			  signature lies */
	uint16_t nb_pending; /* built, not yet accepted */
	struct rte_mbuf *pending[ENGINE_BURST];
	struct tx_lane *pending_lane[ENGINE_BURST];
	uint32_t pending_seq[ENGINE_BURST];
	uint64_t pending_due[ENGINE_BURST];  /* schedule, tsc; 0: flat out */
	uint16_t pending_size[ENGINE_BURST]; /* of those that vary */
};

/* Frames of a lane whose lag is remembered for the receiver; a power of two. */
#define TX_LAG_RING 16384u

/* ---- rx ---- */

/* Of the good frames of a whole trial, beside the latency histogram. */
struct rx_detail {
	struct hist ipdv_later, ipdv_earlier; /* |IPDV| of frames that took longer / not longer */
	struct hist intended;		      /* latency against the schedule */
	uint64_t intended_unknown;	      /* the lag ring had moved on */
};

/* Duplicates over all rx queues of a port that has several. */
struct rx_shared_lane {
	rte_spinlock_t lock;
	struct order_window order;
};

struct rx_lane {
	struct order_window order;
	uint32_t seq_sent; /* those below it were sent, when last looked */
	bool foreign;	   /* one came that had not been sent */
	struct outage_track outage;
	bool mixed;	    /* frames have several sizes, told by their number */
	uint32_t start_seq; /* of this trial */
	uint64_t highest;   /* highest sequence of a good frame, from start_seq, all its bits */
	bool has_last;	    /* last_seq and last_latency_ns are of the good frame before */
	uint32_t last_seq;
	uint64_t last_latency_ns;
	struct rx_detail *detail; /* as hist */
	struct result_counts total;
	struct result_counts slot[EPOCH_SLOTS];
	struct hist *hist; /* whole trial; NULL: this queue's port is not the stream's */
	struct hist *hist_slot[EPOCH_SLOTS]; /* NULL: too many streams for interval histograms */
};

struct rx_unknown {
	uint64_t count;
	struct pkt_rx what;
	uint64_t mac_dst;
};

struct rx_queue {
	uint16_t port_id, queue_id, port; /* port: index in the plan */
	struct rx_lane *lanes;		  /* plan.nb_lanes */
	struct rx_shared_lane *shared;	  /* plan.nb_lanes; NULL: the port has one queue */
	bool csum_in_hardware;
	uint64_t nb_class[8];		/* frames without a lane: of enum rx_count */
	uint64_t bad_slot[EPOCH_SLOTS]; /* of nb_class[RX_BAD], by the interval they came in */
	uint64_t unknown_byte;
	uint64_t unknown_slot[EPOCH_SLOTS], unknown_byte_slot[EPOCH_SLOTS]; /* by arrival */
	struct rx_unknown unknown[RX_UNKNOWN_KINDS];
	struct result_returned returned[RX_RETURNED_KINDS];
	uint32_t nb_returned;
};

enum rx_count { RX_BAD, RX_FRAGMENT, RX_RETURNED, RX_HOST, RX_UNKNOWN, RX_TX_HOST };

struct worker_queue {
	struct tx_queue tx;
	struct rx_queue rx;
};

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
	const struct tx_lane *tx_lanes; /* of each lane; of another worker's only seq */
	const struct pkt_quote *quotes; /* of each stream: how an ICMP error quotes it */
	const uint8_t *const
		*payloads; /* of each stream: a whole frame's bytes; NULL: not verified */
	_Atomic uint64_t *const *lag_rings; /* of each lane */
	const uint32_t *first_lane;	    /* of each stream */
	struct rte_mempool *ctl_pool;
	const struct host_if *hosts; /* of each port */
};

struct worker {
	struct trial_shared *shared;
	struct worker_queue **queues;
	uint32_t nb_queues;
	unsigned lcore;
	struct epoch_worker epoch;
	uint64_t cur_epoch;	/* of now */
	uint64_t epoch_end_tsc; /* when cur_epoch ends */
	uint64_t epoch_ticks;
	uint64_t tx_epoch_max;	/* the last epoch of a run with a duration */
	uint64_t tx_epoch_last; /* the last epoch in which a frame was sent */
	uint64_t catch_up_tsc;	/* behind by more than this, frames are given up */
	uint64_t send_end_tsc;	/* when this worker's sending was over */
	bool ended;		/* past the end: only what was due before it still goes */
	struct hist *lag;	/* of every frame that has a schedule */
	uint64_t late_bursts, catch_up;
	uint64_t late_tsc; /* RESULT_LATE_NS */
	uint64_t queue_full;
	uint8_t *scratch;	   /* HOST_FRAME_MAX bytes */
	_Atomic uint64_t pub_sent; /* worker: wo, main: ro; frames accepted, with signature */
	_Atomic uint64_t pub_good; /* worker: wo, main: ro; good frames */
	_Atomic bool tx_done;	   /* worker: wo, main: ro; will send no more */
};

enum tx_state {
	TX_DONE, /* every packet-count is sent */
	TX_IDLE, /* nothing is due */
	TX_BUSY, /* sent, or the driver is full */
};
/* Puts a queue whose classes are at the start of their schedules at the start. */
void tx_start(struct tx_queue *q, uint64_t start_tsc);
/* Sends what is due on a queue at now_tsc. */
enum tx_state tx_poll(struct worker *w, struct tx_queue *q, uint64_t now_tsc);

/* tx_walk.c: adds frames that are due on a class's own schedule to the pending ones; how many. */
uint16_t tx_walk_take(struct worker *w, struct tx_queue *q, struct tx_class *c, uint64_t now_tsc);
/* Gives the last nb taken back: they are due as before. */
void tx_walk_untake(struct tx_class *c, uint16_t nb);
/* Frames due before end_tsc and never built. */
void tx_walk_count_missing(struct tx_class *c, uint64_t end_tsc);
/* When the interval of its last frame ends; a burst without a rate ends when it is sent: now. */
uint64_t tx_walk_end(const struct tx_walk *k, uint64_t now_tsc);
/* Puts it at the first frame of its lane. */
void tx_walk_start(
	struct tx_class *c, const struct plan_lane *lane, uint64_t start_tsc, uint64_t hz);

/* When the interval of the last frame ended, by the schedules; 0: there is none. */
uint64_t tx_schedule_end(const struct tx_queue *q, uint64_t now_tsc);
/* The sending phase is over: gives up what the driver did not take. */
void tx_finish(struct tx_queue *q);
/* Frames that the schedule wanted by end_tsc and that were never built count as unsent. */
void tx_count_missing(struct tx_queue *q, uint64_t end_tsc);
/* Receives one burst. Returns the number of frames. */
unsigned rx_poll(struct worker *w, struct worker_queue *q);
/* Body of a worker's core; arg: struct worker. */
int worker_main(void *arg);
