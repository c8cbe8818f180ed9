/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "engine_private.h"

#include <rte_spinlock.h>

#include "order.h"
#include "outage.h"
#include "tgen/epoch.h"
#include "tgen/pkt.h"

/*
 * The receiver's side of a queue: one rx_lane for every lane of the plan. One writer, the queue's
 * worker.
 */

struct trial_shared;
struct worker;
struct worker_queue;

#define RX_UNKNOWN_KINDS  RESULT_UNKNOWN_KINDS
#define RX_RETURNED_KINDS 64u

/*
 * The histograms of a lane on a queue, side by side. Lanes of a plan with few streams have all of
 * them (the last when it is asked for), others only the first, which then holds the whole trial.
 */
enum rx_hist {
	RX_HIST_REST, /* latency of frames in no interval's histogram */
	RX_HIST_SLOT, /* of the epochs' slots */
	RX_HIST_INTENDED = RX_HIST_SLOT + EPOCH_SLOTS, /* latency against the schedule */
	RX_HIST_NB
};

/*
 * |IPDV| of a lane in a trial, in the buckets of struct hist. Values vary much and lanes are many, so
 * that every frame finds another bucket out of the cache: small ones are four times as many a line.
 */
enum rx_ipdv_side { RX_EARLIER, RX_LATER, RX_SIDES }; /* took not longer than the frame before */

struct rx_ipdv {
	uint16_t bucket[RX_SIDES][HIST_NB_BUCKETS];
	uint32_t carry[RX_SIDES][HIST_NB_BUCKETS]; /* of the bucket's 65536 */
	uint64_t spare[8]; /* an odd number of lines: lanes differ in where their buckets go */
};

/* Duplicates over all rx queues of a port that has several. */
struct rx_shared_lane {
	rte_spinlock_t lock;
	struct order_window order;
};

/*
 * What every frame needs, in one cache line (of lanes without interval histograms: two). A lane is
 * in step while its good frames come one after the other: then `next` stands for the highest
 * sequence of the order window, the outage track and the IPDV, whose own figures are not kept up.
 */
struct rx_lane {
	uint64_t seen;		  /* in step: the order window's word of the sequence before next */
	uint64_t last_ns;	  /* in step: stamp of the frame before, modulo 2^48 */
	uint64_t last_latency_ns; /* of the good frame before */
	struct hist *hists; /* NULL: this queue's port is not the stream's; see rx_lane_ipdv */
	int64_t ipdv_low, ipdv_high; /* the extremes; low > high: none */
	uint32_t next;		     /* the sequence that keeps the step */
	uint32_t seq_sent;	     /* those below it were sent, when last looked */
	uint32_t minus_ns;  /* of a quick one: serialisation that is no part of the latency */
	uint16_t ip4_bytes; /* all are IPv4 and UDP, and so long; 0: others */
	bool in_step : 1;
	bool quick : 1;	 /* may be in step at all */
	bool verify : 1; /* its checksum is to be right */
	bool ip6 : 1;
	bool mixed : 1; /* frames have several sizes, told by their number: rx_sizes */
	/* of slots without histograms of their own: good frames that came in step */
	uint64_t good[EPOCH_SLOTS] __attribute__((aligned(64)));
};

/* Of a lane with interval histograms: what lies before them. */
static inline struct rx_ipdv *rx_lane_ipdv(const struct rx_lane *lane)
{
	/* as a number: a lane without histograms has no place before them, and is not looked into */
	return (struct rx_ipdv *)((uintptr_t)lane->hists - sizeof(struct rx_ipdv));
}

/* Sizes of a lane's frames, which take turns when there are several. */
struct rx_sizes {
	const uint16_t *order, *bytes;
	uint16_t largest;	     /* bytes of the largest frame */
	uint16_t ip_bytes;	     /* of its packet, IP and UDP; 0: another */
	uint32_t turn, step, period; /* in step: turn is that of the next frame */
};

/* The rest of a lane: what is not touched for frames that come in step, unless they are a mix. */
struct rx_cold {
	struct rx_sizes sizes;
	struct order_window order;
	struct outage_track outage;
	bool foreign;  /* one came that had not been sent */
	bool has_last; /* last_seq and the lane's last_latency_ns are of the good frame before */
	uint32_t last_seq;
	uint32_t start_seq; /* of this trial */
	uint64_t highest;   /* highest sequence of a good frame, from start_seq, all its bits */
	uint64_t ipdv_overflow[RX_SIDES]; /* too long for a bucket */
	uint64_t intended_unknown;	  /* the lag ring had moved on */
	/* good: but for those in a slot's histogram and in rx_lane.good, see rx_slot_good */
	struct result_counts slot[EPOCH_SLOTS];
	struct result_counts rest; /* in no slot */
	struct result_counts sum;  /* main: rw; slots that were collected */
};

struct rx_unknown {
	uint64_t count;
	struct pkt_rx what;
	uint64_t mac_dst;
};

struct rx_queue {
	uint16_t port_id, queue_id, port; /* port: index in the plan */
	struct rx_lane *lanes;		  /* plan.nb_lanes */
	struct rx_cold *colds;		  /* plan.nb_lanes */
	struct hist *interval;	       /* EPOCH_SLOTS, of all lanes; NULL: lanes have their own */
	uint32_t nb_hists;	       /* of a lane that has any */
	bool far;		       /* so many lanes that they are fetched beforehand */
	struct rx_shared_lane *shared; /* plan.nb_lanes; NULL: the port has one queue */
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

/* Good frames of a slot. */
static inline uint64_t rx_slot_good(const struct rx_queue *q, unsigned lane, unsigned slot)
{
	const struct hist *h = q->lanes[lane].hists;
	uint64_t in_hist = h != NULL && q->interval == NULL ? h[RX_HIST_SLOT + slot].count : 0;

	return q->colds[lane].slot[slot].good + q->lanes[lane].good[slot] + in_hist;
}

/* One of the sides into a histogram; the sum of its values is not known. */
void rx_ipdv_merge(
	const struct rx_queue *q, unsigned lane, enum rx_ipdv_side side, struct hist *out);

/* A lane that leaves the step has its order window, outage track and IPDV told. */
void rx_lane_settle(const struct trial_shared *sh, struct rx_queue *q, unsigned lane);

/* Receives one burst. Returns the number of frames. */
unsigned rx_poll(struct worker *w, struct worker_queue *q);

/* rx_setup.c: what a plan's lanes need on a queue. */
struct engine;
struct load;
size_t rx_queue_bytes(const struct plan *plan, unsigned queue);
int rx_queue_memory(struct engine *engine, struct load *load, unsigned queue);
/* What one trial begins with; next_seq: of each lane. */
void rx_queue_reset(struct rx_queue *q, const struct load *load);
