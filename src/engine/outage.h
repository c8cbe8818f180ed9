/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "order.h"

/*
 * Outages of one lane as one rx queue sees them: the longest stretches by send time in which no good
 * frame was sent. The largest few gaps are kept; a frame that comes late splits the gap it belongs
 * to. Several queues, or several lanes of a stream, are combined by intersecting their gaps: the
 * stream was out only while all were. No DPDK: tested on its own.
 */
#define OUTAGE_GAPS 8u

/* Times are ns since the start of the trial plus this, so that an interval before it is positive. */
#define OUTAGE_BASE_NS (1ull << 47)

/* Between two good frames: those with sequences lo+1 .. hi-1 did not come. */
struct outage_gap {
	uint32_t lo_seq, hi_seq;
	uint64_t lo_ns, hi_ns;
};

struct outage_track {
	bool any;
	uint32_t first_seq, last_seq; /* lowest and highest good sequence */
	uint64_t first_ns, last_ns;
	unsigned nb_gaps;
	struct outage_gap gaps[OUTAGE_GAPS];
	struct outage_gap last; /* the latest gap, also a short one; empty: lo_seq == hi_seq */
};

/* Gaps of one lane or stream, for combining. */
struct outage_set {
	unsigned nb;
	struct outage_gap gaps[OUTAGE_GAPS + 2];
};

/* What was sent on a lane: nothing when nb is 0. */
struct outage_sent {
	uint64_t nb;
	uint32_t first_seq;
	uint64_t first_ns, last_ns; /* stamps of the first and the last frame */
	uint64_t interval_ns;	    /* of the lane's schedule */
};

void outage_reset(struct outage_track *t);
/* Slow path of outage_take: a gap opens, or a frame comes late. */
void outage_disorder(struct outage_track *t, uint32_t seq, uint64_t ns);

/* Takes a good frame (not a duplicate). */
static inline void outage_take(struct outage_track *t, uint32_t seq, uint64_t ns)
{
	if (__builtin_expect(t->any && seq == t->last_seq + 1, 1)) {
		t->last_seq = seq;
		t->last_ns = ns;
		return;
	}
	outage_disorder(t, seq, ns);
}

/* The gaps of one queue with those before its first and after its last frame. */
void outage_close(
	const struct outage_track *t, const struct outage_sent *sent, struct outage_set *out);
/*
 * When the last frame that did not come had been sent, with OUTAGE_BASE_NS; 0: all came. A late frame
 * that fills the last gap whole leaves what is known of those before it: the longest ones.
 */
uint64_t outage_last_loss(const struct outage_track *t, const struct outage_sent *sent);
/* Keeps in `a` only what is in both: gaps of one lane on two queues. */
void outage_intersect(struct outage_set *a, const struct outage_set *b);
/* Of different lanes, whose sequences have nothing to do with each other: only times count. */
void outage_forget_seqs(struct outage_set *set);
/* Frames missing in the gaps of a set that overlap gap. */
uint64_t outage_lost(const struct outage_set *set, const struct outage_gap *gap);
/* The longest gap of a set; NULL when there is none. */
const struct outage_gap *outage_longest(const struct outage_set *set);
