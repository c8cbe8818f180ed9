/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "engine_private.h"

#include "pacer.h"
#include "tgen/epoch.h"
#include "tgen/pkt.h"
#include "tgen/sched.h"

/*
 * The sender's side of a queue: lanes, in classes of equal rate. One writer, the queue's worker.
 */

struct worker;

/* Worker: rw; main reads after the trial (slots: after their epoch is closed) ---- */

struct tx_lane {
	const struct pkt_frame *frame;
	uint16_t id; /* on the wire */
	uint16_t stream;
	_Atomic uint64_t seq; /* of the next frame, its low half on the wire; goes on across trials;
				 receivers: ro */
	uint64_t remaining;   /* frames still to be sent (packet-count) */
	uint64_t n;	      /* number in the stream of the next frame, of a lane that varies */
	uint32_t stride;      /* lanes of the stream: they share out its frames */
	struct pkt_steps *steps;  /* of frame n, as large as its fields need; NULL: none vary */
	bool varies;		  /* frames are not all the same, signature apart */
	bool mixed;		  /* frames have several sizes */
	uint32_t turn, turn_step; /* of a mix: n and stride modulo the period of its sizes */
	_Atomic uint64_t
		*lag_ring;  /* seq << 32 | lag in ns, of the last frames; NULL: not asked for */
	uint64_t start_seq; /* of this trial */
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

/*
 * How well schedules were kept, ns. The lag of a frame is its stamp less its schedule; the gap to the
 * frame before it on the queue is too long, or too short, by the change of that lag.
 */
struct tx_gaps {
	struct hist lag;
	struct hist longer, shorter; /* of paced frames, but for a queue's first */
};

/* Frames of a lane whose lag is remembered for the receiver; a power of two. */
#define TX_LAG_RING 16384u

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
