/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "worker.h"

/* What the parts of the receiver share. */

/* What a worker knows of a burst. */
struct rx_burst {
	uint64_t now_ns, nb_good;
};
/* rx_judge.c: any frame; says what it is, exactly once. */
void rx_judge(struct worker *w, struct worker_queue *q, struct rx_burst *burst, struct rte_mbuf *m);
/* Of a lane whose frames have several sizes: a sequence that came. */
void rx_highest_set(struct rx_cold *cold, uint32_t seq);
/* The slot's counters of a frame that was sent in an epoch; NULL when its row is closed. */
struct result_counts *rx_slot(
	struct worker *w, struct rx_queue *q, unsigned lane, uint8_t epoch_low);
/* rx_other.c: anything but a test frame of ours. */
void rx_other(struct worker *w, struct worker_queue *q, const struct pkt_rx *rx,
	const uint8_t *frame, unsigned len);
/* One of the unknown. */
void rx_count_unknown(
	struct rx_queue *q, const struct pkt_rx *what, const uint8_t *frame, unsigned len);
void rx_count_bad(struct worker *w, struct rx_queue *q, const struct pkt_rx *rx);

static inline void rx_ipdv_extremes(struct rx_lane *lane, int64_t longer)
{
	if (__builtin_expect(longer < lane->ipdv_low, 0))
		lane->ipdv_low = longer;
	if (__builtin_expect(longer > lane->ipdv_high, 0))
		lane->ipdv_high = longer;
}

/* A value whose magnitude has a bucket. */
static inline __attribute__((always_inline)) void rx_ipdv_record(
	struct rx_lane *lane, int64_t longer)
{
	enum rx_ipdv_side side = longer > 0 ? RX_LATER : RX_EARLIER;
	unsigned i = hist_index((uint64_t)(longer > 0 ? longer : -longer));
	struct rx_ipdv *ipdv = rx_lane_ipdv(lane);

	rx_ipdv_extremes(lane, longer);
	if (__builtin_expect(++ipdv->bucket[side][i] == 0, 0))
		ipdv->carry[side][i]++;
}

static inline bool rx_before_trial(const struct trial_shared *sh, uint64_t stamp_ns)
{
	return ((stamp_ns - sh->start_ns) & SIG_TIME_MASK) >> 47 != 0;
}

/* The time of an outage track. */
static inline uint64_t rx_outage_ns(const struct trial_shared *sh, uint64_t stamp_ns)
{
	return OUTAGE_BASE_NS + ((stamp_ns - sh->start_ns) & SIG_TIME_MASK);
}

/*
 * A sequence that was not sent yet is that of another generator with our test-id. The sender's own
 * count is looked at only when the one last seen does not do: not for each frame.
 */
static inline __attribute__((always_inline)) bool rx_was_sent(
	const struct trial_shared *sh, struct rx_lane *lane, unsigned id, uint32_t seq)
{
	if (__builtin_expect((int32_t)(seq - lane->seq_sent) < 0, 1))
		return true;
	lane->seq_sent = (uint32_t)atomic_load_explicit(sh->tx_seqs[id], memory_order_relaxed);
	return (int32_t)(seq - lane->seq_sent) < 0;
}
