/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "pacer.h"
#include "tgen/plan.h"
#include "tgen/sched.h"
#include "tx_lane.h"

/*
 * Whose frame is due on a queue, and when. Streams of equal rate are a class, served in turn, so that
 * their number costs nothing; the times of all classes lie side by side and are looked through many at
 * a time. No DPDK: tested with a clock of its own. Times are ticks.
 */

#define TX_BURST       64u /* frames at once */
#define TX_STEP_BURSTS 4u  /* of the horizon */
#define TX_GROUP       64u /* classes whose earliest is known together */

/* A lane with a schedule of its own. */
struct tx_walk {
	struct sched_walk w;
	uint64_t start_tsc;
	uint64_t last_due, last_n; /* of the frame taken last; last_due UINT64_MAX: none yet */
	/* bursts without a rate: their frames are due together */
	bool together;
	uint64_t gap;	     /* ticks */
	uint64_t last_burst; /* number of its first frame */
};

/*
 * Streams of equal rate: one schedule, served in turn. A stream that has more than a rate is alone in
 * its class, and has a walk; those that are flat out have neither.
 */
struct tx_class {
	struct pacer pacer;
	struct tx_lane **lanes;
	uint32_t nb_lanes, next;
	uint32_t nb_done; /* lanes whose packet-count is taken */
	bool flat_out;
	bool counted; /* some lane has a packet-count */
	bool simple;  /* one lane with a rate and no end */

	struct tx_walk *walk;
	struct tx_many *many;		      /* NULL: lanes are few, or not in turn */
	uint64_t step_fp;		      /* of the pacer, 2^-16 ticks */
	uint64_t from_tsc;		      /* flat out: from then on */
	const struct plan_stream *model;      /* one of its streams */
	uint16_t lane_index, lanes_of_stream; /* which of its lanes, of how many */
} __attribute__((aligned(TX_LINE)));

_Static_assert(offsetof(struct tx_class, walk) == TX_LINE, "what is looked at often is one line");

struct tx_sched {
	struct tx_class *classes;
	struct tx_lane **lane_refs; /* where the classes keep their lanes */
	uint32_t nb_classes, nb_finished;
	uint32_t nb_flat, flat_first; /* classes flat out; whose turn is first */
	uint32_t *flat;		      /* their indexes */
	uint64_t start_tsc;
	uint64_t catch_up_tsc; /* behind by more than this, frames are given up */
	/* of each class, ticks after the start; UINT64_MAX: finished, or flat out. Whole groups. */
	uint64_t *due;
	uint64_t *group_due; /* the least of each group */
	/*
	 * Several classes: all frames due by the horizon (ticks after the start) are taken before it
	 * moves on, by a step that is worth a few bursts, so that frames leave in the order of their
	 * times to within that, however far behind the sender is.
	 */
	uint64_t horizon, step;
	uint32_t at;  /* group with which the pass over all goes on */
	bool passing; /* it is not complete */
	uint32_t (*scan)(struct tx_sched *s, uint64_t now_tsc, uint32_t room); /* tx_scan_*() */
	/* what was taken last */
	struct tx_lane *pick[TX_BURST];
	uint64_t due_of[TX_BURST]; /* tsc; 0: no time of its own */
};

/* Frames to be sent: nb of them, of lanes in turn from the first one on. */
struct tx_turn {
	struct tx_lane *const *lanes;
	uint32_t nb_lanes, first;
	uint32_t nb;
	bool paced;   /* tx_turn_due tells when each was due */
	bool uniform; /* one after the other, step_fp (2^-16 ticks) apart, the first at due */
	uint64_t due, step_fp;
	struct tx_many *many; /* of the lanes; NULL: none */
};

static inline struct tx_lane *tx_turn_lane(const struct tx_turn *t, uint32_t k)
{
	return t->lanes[(t->first + k) % t->nb_lanes];
}

/* When frame k of a turn was due, tsc; 0: it has no time of its own. */
static inline uint64_t tx_turn_due(const struct tx_sched *s, const struct tx_turn *t, uint32_t k)
{
	if (t->uniform)
		return t->due + (k * t->step_fp >> 16);
	return t->paced ? s->due_of[k] : 0;
}

/* Bytes of due and group_due together, for so many classes. */
static inline uint32_t tx_sched_groups(uint32_t nb_classes)
{
	return (nb_classes + TX_GROUP - 1) / TX_GROUP;
}

/* Puts classes that are at the start of their schedules at the start. hz: of the clock. */
void tx_sched_start(struct tx_sched *s, uint64_t start_tsc, uint64_t hz);
/*
 * Takes what is due at now_tsc, at most room (1 .. TX_BURST) frames: their number, and out. flat_out:
 * streams without a rate send, too.
 */
uint32_t tx_sched_take(
	struct tx_sched *s, uint64_t now_tsc, bool flat_out, uint32_t room, struct tx_turn *out);
/* When the next frame is due, tsc; UINT64_MAX: never. */
uint64_t tx_sched_next(const struct tx_sched *s);
/* When the interval of the last frame ended, by the schedules; 0: there is none. */
uint64_t tx_sched_end(const struct tx_sched *s, uint64_t now_tsc);
/* Frames due before end_tsc and never taken count as unsent. */
void tx_sched_count_missing(struct tx_sched *s, uint64_t end_tsc);

/*
 * The horizon is too far behind to catch up: all plain classes give up the frames of the same time, so
 * that what is sent of each stays in proportion. The horizon moves on.
 */
void tx_sched_give_up(struct tx_sched *s, uint64_t now_tsc);

/* tx_scan.c, one for each kind of CPU: takes what is due by the horizon of all classes with a time. */
uint32_t tx_scan_base(struct tx_sched *s, uint64_t now_tsc, uint32_t room);
uint32_t tx_scan_avx512(struct tx_sched *s, uint64_t now_tsc, uint32_t room);

/* Takes frames of one class from place n of what is taken on, due by horizon_tsc; returns the new n. */
uint32_t tx_class_take(
	struct tx_sched *s, struct tx_class *c, uint64_t horizon_tsc, uint32_t n, uint32_t room);

/* tx_walk.c: the same of a class with a schedule of its own. */
uint32_t tx_walk_take(struct tx_sched *s, struct tx_class *c, uint64_t horizon_tsc,
	uint64_t now_tsc, uint32_t n, uint32_t room);
/* Frames due before end_tsc and never taken. */
void tx_walk_count_missing(struct tx_class *c, uint64_t end_tsc);
/* When the interval of its last frame ends; a burst without a rate ends when it is sent: now. */
uint64_t tx_walk_end(const struct tx_walk *k, uint64_t now_tsc);
/* Puts it at the first frame of its lane. */
void tx_walk_start(
	struct tx_class *c, const struct plan_lane *lane, uint64_t start_tsc, uint64_t hz);
