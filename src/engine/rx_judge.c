/* SPDX-License-Identifier: BSD-3-Clause */
#include "rx_private.h"

#include "tags.h"

/*
 * The receiver's long way: any frame, said what it is, exactly once. rx.c takes the usual ones before
 * they come here.
 */

/* The port a stream belongs on; one without a port of its own gets the first it arrives on. */
static bool on_its_port(struct trial_shared *sh, uint16_t stream, uint16_t port)
{
	int32_t its = sh->rx_port[stream];

	if (__builtin_expect(its < 0, 0)) {
		its = atomic_load_explicit(&sh->first_port[stream], memory_order_relaxed);
		if (its < 0) {
			int32_t none = -1;

			atomic_compare_exchange_strong(&sh->first_port[stream], &none, port);
			its = atomic_load_explicit(&sh->first_port[stream], memory_order_relaxed);
		}
	}
	return its == port;
}

/* RFC 8219 §7.2: between two frames sent one after the other and received in order. */
static void record_ipdv(
	struct rx_lane *lane, struct rx_cold *cold, uint32_t seq, uint64_t latency_ns)
{
	int64_t longer = (int64_t)(latency_ns - lane->last_latency_ns);

	if (cold->has_last && seq == cold->last_seq + 1) {
		if ((uint64_t)(longer > 0 ? longer : -longer) >> HIST_MAX_BITS == 0) {
			rx_ipdv_record(lane, longer);
		} else {
			rx_ipdv_extremes(lane, longer);
			cold->ipdv_overflow[longer > 0 ? RX_LATER : RX_EARLIER]++;
		}
	}
	cold->has_last = true;
	cold->last_seq = seq;
	lane->last_latency_ns = latency_ns;
}

/* Latency against the schedule: the sender left the frame's lag in the lane's ring. */
static void record_intended(
	struct worker *w, struct rx_queue *q, const struct sig *sig, uint64_t latency_ns)
{
	_Atomic uint64_t *ring = w->shared->lag_rings[sig->lane];
	uint64_t entry;

	entry = atomic_load_explicit(&ring[sig->seq % TX_LAG_RING], memory_order_relaxed);
	if (entry >> 32 == sig->seq)
		hist_record(
			&q->lanes[sig->lane].hists[RX_HIST_INTENDED], latency_ns + (uint32_t)entry);
	else
		q->colds[sig->lane].intended_unknown++;
}

static void record_latency(struct worker *w, struct rx_queue *q, const struct sig *sig,
	uint64_t latency_ns, enum order order, int slot)
{
	struct rx_lane *lane = &q->lanes[sig->lane];
	bool few = q->interval == NULL;

	if (slot >= 0 && few)
		hist_record(&lane->hists[RX_HIST_SLOT + slot], latency_ns);
	else
		hist_record(&lane->hists[RX_HIST_REST], latency_ns);
	if (slot >= 0 && !few)
		hist_record(&q->interval[slot], latency_ns);
	if (few && order == ORDER_NEW)
		record_ipdv(lane, &q->colds[sig->lane], sig->seq, latency_ns);
	if (few && w->shared->plan->measure_intended)
		record_intended(w, q, sig, latency_ns);
}

/*
 * The size that a received frame was sent with. Of a mix it is told by the frame's number: the
 * sequence, with more bits than it carries as they follow from the highest so far.
 */
static inline uint64_t nth_of_lane(const struct rx_cold *cold, uint32_t seq)
{
	uint32_t highest = cold->start_seq + (uint32_t)cold->highest;
	uint64_t nth = cold->highest + (uint64_t)(int64_t)(int32_t)(seq - highest);

	return nth >> 63 == 0 ? nth : 0;
}

void rx_highest_set(struct rx_cold *cold, uint32_t seq)
{
	uint64_t nth = nth_of_lane(cold, seq);

	if (nth > cold->highest)
		cold->highest = nth;
}

/* The number of a received frame in its stream. */
static uint64_t number_of(
	const struct trial_shared *sh, const struct rx_cold *cold, const struct sig *sig)
{
	const struct plan_lane *pl = &sh->lanes[sig->lane];

	return nth_of_lane(cold, sig->seq) * pl->nb + pl->index;
}

static unsigned sent_size(
	const struct trial_shared *sh, const struct rx_cold *cold, const struct sig *sig)
{
	const struct pkt_frame *frame = &sh->plan->streams[sh->lanes[sig->lane].stream].frame;

	if (__builtin_expect(cold->sizes.order == NULL, 1))
		return frame->size;
	return pkt_size_bytes(frame, pkt_size_index(frame, number_of(sh, cold, sig)));
}

/* Serialisation takes as long as the frame is. */
static uint64_t latency_minus(const struct plan_stream *stream, bool mixed, unsigned size)
{
	if (__builtin_expect(mixed && stream->lat_minus_ns != 0, 0))
		return stream->lat_minus_ns * (size + UNITS_FCS_BYTES) /
		       (stream->frame.size + UNITS_FCS_BYTES);
	return stream->lat_minus_ns;
}

/* What is known of the frames of a mix beside their number. */
static void count_mixed(
	struct rx_cold *cold, struct result_counts *counts, uint32_t seq, unsigned size)
{
	counts->good_byte += size;
	rx_highest_set(cold, seq);
}

static void enter_step(const struct trial_shared *sh, struct rx_queue *q, const struct sig *sig)
{
	struct rx_lane *lane = &q->lanes[sig->lane];
	struct rx_sizes *sizes = &q->colds[sig->lane].sizes;

	lane->in_step = true;
	lane->next = sig->seq + 1;
	lane->seen = *order_word(&q->colds[sig->lane].order, sig->seq);
	lane->last_ns = sig->time_ns;
	if (lane->mixed)
		sizes->turn = (uint32_t)((number_of(sh, &q->colds[sig->lane], sig) + sizes->step) %
					 sizes->period);
}

void rx_lane_settle(const struct trial_shared *sh, struct rx_queue *q, unsigned lane_id)
{
	struct rx_lane *lane = &q->lanes[lane_id];
	struct rx_cold *cold = &q->colds[lane_id];
	uint32_t last = lane->next - 1;

	if (!lane->in_step)
		return;
	lane->in_step = false;
	cold->order.highest = last;
	*order_word(&cold->order, last) = lane->seen;
	cold->outage.last_seq = last;
	cold->outage.last_ns = rx_outage_ns(sh, lane->last_ns);
	cold->has_last = true;
	cold->last_seq = last;
	if (lane->mixed)
		rx_highest_set(cold, last);
}

struct result_counts *rx_slot(
	struct worker *w, struct rx_queue *q, unsigned lane, uint8_t epoch_low)
{
	uint64_t epoch = epoch_full(w->cur_epoch, epoch_low);

	if (epoch_place(&w->epoch, epoch) != EPOCH_IN_SLOT)
		return NULL;
	return &q->colds[lane].slot[epoch % EPOCH_SLOTS];
}

/* Where a good frame is counted: its epoch's slot (*slot, else -1), or beside the slots. */
static struct result_counts *good_counts(
	struct worker *w, struct rx_cold *cold, uint8_t epoch_low, int *slot)
{
	uint64_t epoch = epoch_full(w->cur_epoch, epoch_low);

	*slot = -1;
	switch (epoch_place(&w->epoch, epoch)) {
	case EPOCH_LATE:
		cold->rest.late++;
		return &cold->rest;
	case EPOCH_SPILL:
		cold->rest.spill++;
		return &cold->rest;
	case EPOCH_IN_SLOT:
		break;
	}
	*slot = (int)(epoch % EPOCH_SLOTS);
	return &cold->slot[*slot];
}

static void count_good(struct worker *w, struct rx_queue *q, const struct pkt_rx *rx, unsigned size,
	uint64_t now_ns, enum order order)
{
	const struct trial_shared *sh = w->shared;
	const struct sig *sig = &rx->sig;
	const struct plan_stream *stream = &sh->plan->streams[sh->lanes[sig->lane].stream];
	struct rx_lane *lane = &q->lanes[sig->lane];
	struct rx_cold *cold = &q->colds[sig->lane];
	/* below zero when serialisation would have taken longer than the frame did */
	uint64_t latency_ns =
		(now_ns - sig->time_ns - latency_minus(stream, lane->mixed, size)) & SIG_TIME_MASK;
	bool negative = latency_ns >> 47 != 0;
	int slot;
	struct result_counts *counts = good_counts(w, cold, sig->epoch, &slot);

	if (lane->mixed)
		count_mixed(cold, counts, sig->seq, size);
	counts->ooo += order == ORDER_OLD;
	counts->last_fragment += rx->last_fragment;
	counts->lat_negative += negative;
	if (negative || lane->hists == NULL || slot < 0 || q->interval != NULL)
		counts->good++; /* in a slot's histogram it is counted there */
	if (!negative && lane->hists != NULL)
		record_latency(w, q, sig, latency_ns, order, slot);
	if (sh->plan->measure_order)
		outage_take(&cold->outage, sig->seq, rx_outage_ns(sh, sig->time_ns));
	if (lane->quick && order == ORDER_NEW && latency_ns >> HIST_MAX_BITS == 0)
		enter_step(sh, q, sig);
}

/* Order by the queue's own window; a copy that took another queue of the port is known to all. */
static enum order take_order(struct rx_queue *q, const struct sig *sig)
{
	enum order own = order_take(&q->colds[sig->lane].order, sig->seq), all;
	struct rx_shared_lane *shared;

	if (q->shared == NULL)
		return own;
	shared = &q->shared[sig->lane];
	rte_spinlock_lock(&shared->lock);
	all = order_take(&shared->order, sig->seq);
	rte_spinlock_unlock(&shared->lock);
	return all == ORDER_DUPLICATE ? ORDER_DUPLICATE : own;
}

/* The innermost checksum and, when asked for, every payload byte. */
static bool frame_right(const struct trial_shared *sh, const struct rx_queue *q,
	const struct pkt_rx *rx, unsigned size, const uint8_t *frame, uint64_t ol_flags)
{
	unsigned stream = sh->lanes[rx->sig.lane].stream;
	const struct pkt_frame *sent = &sh->plan->streams[stream].frame;
	const struct rx_cold *cold = &q->colds[rx->sig.lane];
	bool told = q->csum_in_hardware &&
		    (ol_flags & RTE_MBUF_F_RX_L4_CKSUM_MASK) == RTE_MBUF_F_RX_L4_CKSUM_GOOD;

	/* a device that calls it bad may mean the outer one of a tunnel: software has the last word */
	if (sh->plan->verify_checksum != VERIFY_NO && !told && !pkt_l4_right(sent, size, frame, rx))
		return false;
	return sh->payloads == NULL || pkt_data_right(sent, number_of(sh, cold, &rx->sig), size,
					       sh->payloads[stream], frame, rx);
}

static void test_frame(struct worker *w, struct worker_queue *q, struct pkt_rx *rx,
	struct rx_burst *burst, const struct rte_mbuf *m)
{
	const uint8_t *frame = rte_pktmbuf_mtod(m, const uint8_t *);
	unsigned len = rte_pktmbuf_data_len(m), size;
	struct trial_shared *sh = w->shared;
	struct result_counts *counts;
	enum order order = ORDER_NEW;
	struct rx_cold *cold;

	if (rx->sig.lane >= sh->plan->nb_lanes) {
		/* somebody else's frame with our test-id */
		rx_count_unknown(&q->rx, rx, frame, len);
		return;
	}
	cold = &q->rx.colds[rx->sig.lane];
	if (rx_before_trial(sh, rx->sig.time_ns)) {
		cold->rest.stray++;
		return;
	}
	size = sent_size(sh, cold, &rx->sig);
	if (!frame_right(sh, &q->rx, rx, size, frame, m->ol_flags)) {
		rx->sig_good = true;
		rx_count_bad(w, &q->rx, rx);
		return;
	}
	if (!rx_was_sent(sh, &q->rx.lanes[rx->sig.lane], rx->sig.lane, rx->sig.seq)) {
		cold->foreign = true;
		rx_count_unknown(&q->rx, rx, frame, len);
		return;
	}
	rx_lane_settle(sh, &q->rx, rx->sig.lane);
	counts = rx_slot(w, &q->rx, rx->sig.lane, rx->sig.epoch);
	if (counts == NULL)
		counts = &cold->rest;
	if (sh->plan->measure_order)
		order = take_order(&q->rx, &rx->sig);
	if (order == ORDER_DUPLICATE) {
		counts->duplicate++;
		return;
	}
	if (!on_its_port(sh, sh->lanes[rx->sig.lane].stream, q->rx.port)) {
		counts->misrouted++;
		return;
	}
	count_good(w, &q->rx, rx, size, burst->now_ns, order);
	burst->nb_good++;
}

void rx_judge(struct worker *w, struct worker_queue *q, struct rx_burst *burst, struct rte_mbuf *m)
{
	const uint8_t *frame;
	struct pkt_rx rx;
	unsigned len;

	tags_restore(&m);
	frame = rte_pktmbuf_mtod(m, const uint8_t *);
	len = rte_pktmbuf_data_len(m);
	pkt_parse_headers(frame, len, w->shared->plan->test_id, &rx);
	if (__builtin_expect(rx.cls == PKT_TEST, 1))
		test_frame(w, q, &rx, burst, m);
	else
		rx_other(w, q, &rx, frame, len);
}
