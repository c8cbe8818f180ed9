/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "engine_private.h"

#include "tgen/hist.h"
#include "tx_fill.h"
#include "tx_sched.h"

/*
 * The sender's side of a queue. One writer, the queue's worker.
 */

struct worker;

/*
 * How well schedules were kept, ns. The lag of a frame is its stamp less its schedule; the gap to the
 * frame before it on the queue is too long, or too short, by the change of that lag.
 */
struct tx_gaps {
	struct hist lag;
	struct hist longer, shorter; /* of queues with one schedule, but for their first frame */
};

/* Buffers in hand of one pool, taken from the end. */
struct tx_stash {
	struct rte_mempool *pool;
	uint32_t nb;
	struct rte_mbuf *m[TX_BURST];
};

struct tx_queue {
	uint16_t port_id, queue_id;
	bool all_signed, has_lag_ring;
	struct tx_sched sched;
	void (*fill)(const struct tx_turn *t, struct rte_mbuf *const *m, const struct tx_stamp *st);
	struct tx_many *many;  /* of its only class; NULL: none */
	struct tx_stamp stamp; /* what is the same in all of them is set */
	struct tx_stash *stashes;
	uint32_t nb_stashes;
	int64_t last_lag; /* of the paced frame before, ticks; INT64_MIN: there was none */
	/* taken, but their pools were empty: the first of sched.pick */
	uint32_t nb_waiting;
	bool waiting_paced;
	/* built, not accepted by the driver */
	uint32_t nb_pending;
	bool pending_paced;
	uint64_t retry_tsc; /* not before */
	struct rte_mbuf *pending[TX_BURST];
	struct tx_lane *pending_lane[TX_BURST];
	uint64_t pending_due[TX_BURST];
	struct rte_mbuf *gathered[TX_BURST]; /* of several stashes, for one burst */
};

enum tx_state {
	TX_DONE, /* every packet-count is sent */
	TX_IDLE, /* nothing is due */
	TX_BUSY, /* sent, or the driver is full */
};
/* Puts a queue whose classes are at the start of their schedules at the start. hz: of the clock. */
void tx_start(struct tx_queue *q, uint64_t start_tsc, uint64_t hz);
/* Sends what is due on a queue at now_tsc. */
enum tx_state tx_poll(struct worker *w, struct tx_queue *q, uint64_t now_tsc);
/* When the next frame is to be sent, tsc; UINT64_MAX: never. */
uint64_t tx_next_due(const struct tx_queue *q);
/* The sending phase is over: gives up what the driver did not take. */
void tx_finish(struct tx_queue *q);
