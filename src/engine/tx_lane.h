/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tgen/epoch.h"
#include "tgen/pkt.h"

/*
 * A lane as its sender sees it: one stream's frames on one queue. One writer, the queue's worker; main
 * reads after the trial (slots: after their epoch is closed). No DPDK.
 */

#define TX_LINE 64u /* bytes of a cache line, and of what is copied at once */

/* What frames of a lane need beyond the first line, a sequence and a stamp. */
enum tx_flag {
	TX_LONG = 1,	 /* the header goes on behind the first line */
	TX_VARIES = 2,	 /* fields vary */
	TX_SIZED = 4,	 /* frames have several sizes */
	TX_UNSIGNED = 8, /* no signature */
	TX_CRC = 16,	 /* a checksum covers the signature */
};

/* The slot of frames whose interval is not open (epoch.h): they are in no row. */
#define TX_SPILL EPOCH_SLOTS

/* Frames of one epoch, of lanes in turn from place first on. */
struct tx_run {
	uint64_t nb;
	uint32_t first;
};

/*
 * Many lanes in turn: what their frames read and write, side by side in the order of their turns. A
 * frame costs a line and a quarter, which lie where the one before had them.
 */
struct tx_many {
	uint8_t *image; /* TX_LINE of each */
	_Atomic uint64_t *seq;
	uint64_t *last_ns;
	uint16_t *id;
	uint32_t nb_lanes;
	uint64_t nb_begun;		/* frames of this trial, until every lane had its first */
	struct tx_run run[EPOCH_SLOTS]; /* what was sent in the epoch, but for lanes' own slots */
};

/* The first two lines are all that a frame of the simplest kind touches. */
struct tx_lane {
	/* how every frame begins, zeros where the signature goes */
	uint8_t image[TX_LINE] __attribute__((aligned(TX_LINE)));

	_Atomic uint64_t seq; /* of the next frame, its low half on the wire; goes on across trials;
				 receivers: ro. The difference to start_seq is what was sent.
				 Of a lane with tx_many it is there: tx_lane_seq. */
	uint64_t slot[EPOCH_SLOTS + 1]; /* sent in the epoch, beside tx_many's */
	uint64_t last_ns;		/* stamp of the last frame, but for tx_many's */
	uint16_t id;			/* on the wire */
	uint16_t stream;
	uint16_t stash; /* of the queue: where its buffers come from */
	uint8_t flags;	/* enum tx_flag */
	bool started;	/* first_ns is known */

	const struct pkt_frame *frame;
	const struct pkt_fast *fast; /* TX_VARIES: how fields are written; NULL: the long way */
	struct pkt_steps *steps;     /* TX_VARIES: of the next frame, as large as its fields need */
	const uint8_t *whole;	     /* TX_SIZED: a frame's payload, unspoilt by signatures */
	const uint8_t *images;	     /* TX_SIZED: of each size; NULL: too many */
	const uint16_t *order,
		*bytes;		  /* TX_SIZED: the size of each frame of a round; of each size */
	uint32_t turn, turn_step; /* TX_SIZED: the frame's number and stride modulo the round */
	uint64_t slot_byte[EPOCH_SLOTS + 1]; /* TX_SIZED: the bytes of what was sent */
	uint32_t period;		     /* TX_SIZED: frames of a round */
	uint32_t stride;		     /* lanes of the stream: they share out its frames */
	uint16_t size;			     /* of every frame, unless TX_SIZED */
	/* seq << 32 | lag in ns, of the last frames; NULL: not asked for */
	_Atomic uint64_t *lag_ring;
	struct tx_many *many; /* NULL: it is not one of so many */
	uint32_t place;	      /* in them */
	uint64_t remaining;   /* frames still to be taken (packet-count); UINT64_MAX: no end */
	uint64_t unsent;      /* wanted by the schedule, not sent */
	uint64_t start_seq;   /* of this trial */
	uint64_t first_ns;    /* stamp of the first frame */
};

_Static_assert(offsetof(struct tx_lane, frame) == 2 * TX_LINE, "two lines a frame");

/* Frames of a lane whose lag is remembered for the receiver; a power of two. */
#define TX_LAG_RING 16384u

static inline _Atomic uint64_t *tx_lane_seq(struct tx_lane *lane)
{
	return lane->many != NULL ? &lane->many->seq[lane->place] : &lane->seq;
}

/* Frames accepted by the driver in this trial; after tx_finish. */
static inline uint64_t tx_lane_sent(const struct tx_lane *lane)
{
	const _Atomic uint64_t *seq =
		lane->many != NULL ? &lane->many->seq[lane->place] : &lane->seq;

	return atomic_load_explicit(seq, memory_order_relaxed) - lane->start_seq;
}

/* Frames sent in the epoch of a slot; main. */
static inline uint64_t tx_lane_slot(const struct tx_lane *lane, unsigned slot)
{
	const struct tx_many *many = lane->many;
	uint64_t nb = lane->slot[slot];
	const struct tx_run *run;
	uint32_t at;

	if (many == NULL)
		return nb;
	run = &many->run[slot];
	at = lane->place - run->first + (lane->place < run->first ? many->nb_lanes : 0);
	return nb + (run->nb > at ? (run->nb - at - 1) / many->nb_lanes + 1 : 0);
}

/* The stamp of the last frame; after the trial. */
static inline uint64_t tx_lane_last_ns(const struct tx_lane *lane)
{
	uint64_t last_ns = lane->many != NULL ? lane->many->last_ns[lane->place] : 0;

	return lane->last_ns > last_ns ? lane->last_ns : last_ns;
}
