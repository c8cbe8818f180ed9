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

struct worker;
struct worker_queue;

#define RX_UNKNOWN_KINDS  RESULT_UNKNOWN_KINDS
#define RX_RETURNED_KINDS 64u

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

/* Receives one burst. Returns the number of frames. */
unsigned rx_poll(struct worker *w, struct worker_queue *q);
