/* SPDX-License-Identifier: BSD-3-Clause */
#include "worker.h"

#include <rte_cycles.h>

#include <string.h>

#include "tags.h"

/*
 * The receiver: says of every frame what it is, exactly once. Time is taken once a burst, at once
 * after it; latency is that time less the stamp.
 */

static inline bool before_trial(const struct trial_shared *sh, uint64_t stamp_ns)
{
	return ((stamp_ns - sh->start_ns) & SIG_TIME_MASK) >> 47 != 0;
}

/* The port a stream belongs on; one without a port of its own gets the first it arrives on. */
static inline bool on_its_port(struct trial_shared *sh, uint16_t stream, uint16_t port)
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
static inline void record_ipdv(struct rx_lane *lane, uint32_t seq, uint64_t latency_ns)
{
	struct rx_detail *d = lane->detail;

	if (lane->has_last && seq == lane->last_seq + 1) {
		if (latency_ns > lane->last_latency_ns)
			hist_record(&d->ipdv_later, latency_ns - lane->last_latency_ns);
		else
			hist_record(&d->ipdv_earlier, lane->last_latency_ns - latency_ns);
	}
	lane->has_last = true;
	lane->last_seq = seq;
	lane->last_latency_ns = latency_ns;
}

/* Latency against the schedule: the sender left the frame's lag in the lane's ring. */
static inline void record_intended(
	struct worker *w, struct rx_lane *lane, const struct sig *sig, uint64_t latency_ns)
{
	_Atomic uint64_t *ring = w->shared->lag_rings[sig->lane];
	uint64_t entry;

	if (ring == NULL)
		return;
	entry = atomic_load_explicit(&ring[sig->seq % TX_LAG_RING], memory_order_relaxed);
	if (entry >> 32 == sig->seq)
		hist_record(&lane->detail->intended, latency_ns + (uint32_t)entry);
	else
		lane->detail->intended_unknown++;
}

static inline void record_latency(struct worker *w, struct rx_lane *lane, const struct sig *sig,
	uint64_t latency_ns, enum order order)
{
	if (lane->hist == NULL)
		return;
	hist_record(lane->hist, latency_ns);
	if (lane->detail == NULL)
		return;
	if (order == ORDER_NEW)
		record_ipdv(lane, sig->seq, latency_ns);
	record_intended(w, lane, sig, latency_ns);
}

/*
 * The size that a received frame was sent with. Of a mix it is told by the frame's number: the
 * sequence, with more bits than it carries as they follow from the highest so far.
 */
static inline uint64_t nth_of_lane(const struct rx_lane *lane, uint32_t seq)
{
	uint32_t highest = lane->start_seq + (uint32_t)lane->highest;
	uint64_t nth = lane->highest + (uint64_t)(int64_t)(int32_t)(seq - highest);

	return nth >> 63 == 0 ? nth : 0;
}

/* The number of a received frame in its stream. */
static inline uint64_t number_of(
	const struct trial_shared *sh, const struct rx_lane *lane, const struct sig *sig)
{
	const struct plan_lane *pl = &sh->lanes[sig->lane];

	return nth_of_lane(lane, sig->seq) * pl->nb + pl->index;
}

static inline unsigned sent_size(
	const struct trial_shared *sh, const struct rx_lane *lane, const struct sig *sig)
{
	const struct pkt_frame *frame = &sh->plan->streams[sh->lanes[sig->lane].stream].frame;

	if (__builtin_expect(!lane->mixed, 1))
		return frame->size;
	return pkt_size_bytes(frame, pkt_size_index(frame, number_of(sh, lane, sig)));
}

/* Serialisation takes as long as the frame is. */
static inline uint64_t latency_minus(
	const struct plan_stream *stream, const struct rx_lane *lane, unsigned size)
{
	if (__builtin_expect(lane->mixed && stream->lat_minus_ns != 0, 0))
		return stream->lat_minus_ns * (size + UNITS_FCS_BYTES) /
		       (stream->frame.size + UNITS_FCS_BYTES);
	return stream->lat_minus_ns;
}

/* What is known of the frames of a mix beside their number. */
static inline void count_mixed(struct rx_lane *lane, uint32_t seq, unsigned size)
{
	uint64_t nth = nth_of_lane(lane, seq);

	lane->total.good_byte += size;
	if (nth > lane->highest)
		lane->highest = nth;
}

static inline void count_good(struct worker *w, struct rx_lane *lane, const struct pkt_rx *rx,
	unsigned size, uint64_t now_ns, enum order order)
{
	const struct sig *sig = &rx->sig;
	const struct plan_stream *stream =
		&w->shared->plan->streams[w->shared->lanes[sig->lane].stream];
	uint64_t epoch = epoch_full(w->cur_epoch, sig->epoch);
	enum epoch_place place = epoch_place(&w->epoch, epoch);
	/* below zero when serialisation would have taken longer than the frame did */
	uint64_t latency_ns =
		(now_ns - sig->time_ns - latency_minus(stream, lane, size)) & SIG_TIME_MASK;
	bool negative = latency_ns >> 47 != 0, out_of_order = order == ORDER_OLD;
	struct result_counts *slot = NULL;

	lane->total.good++;
	if (__builtin_expect(lane->mixed, 0))
		count_mixed(lane, sig->seq, size);
	lane->total.ooo += out_of_order;
	lane->total.last_fragment += rx->last_fragment;
	lane->total.lat_negative += negative;
	if (!negative)
		record_latency(w, lane, sig, latency_ns, order);
	if (w->shared->plan->measure_order)
		outage_take(&lane->outage, sig->seq,
			OUTAGE_BASE_NS + ((sig->time_ns - w->shared->start_ns) & SIG_TIME_MASK));
	if (place == EPOCH_LATE) {
		lane->total.late++;
		return;
	}
	if (place == EPOCH_SPILL) {
		lane->total.spill++;
		return;
	}
	slot = &lane->slot[epoch % EPOCH_SLOTS];
	slot->good++;
	slot->good_byte += lane->mixed ? size : 0;
	slot->ooo += out_of_order;
	slot->last_fragment += rx->last_fragment;
	slot->lat_negative += negative;
	if (lane->hist_slot[epoch % EPOCH_SLOTS] != NULL && !negative)
		hist_record(lane->hist_slot[epoch % EPOCH_SLOTS], latency_ns);
}

/* The slot of a frame that is counted beside the good ones; NULL when its row is closed. */
static struct result_counts *slot_of(struct worker *w, struct rx_lane *lane, uint8_t epoch_low)
{
	uint64_t epoch = epoch_full(w->cur_epoch, epoch_low);

	if (epoch_place(&w->epoch, epoch) != EPOCH_IN_SLOT)
		return NULL;
	return &lane->slot[epoch % EPOCH_SLOTS];
}

static bool same_look(const struct rx_unknown *u, const struct pkt_rx *what, uint64_t mac_dst)
{
	return u->mac_dst == mac_dst && u->what.ethertype == what->ethertype &&
	       units_ip_equal(u->what.ip_src, what->ip_src) &&
	       units_ip_equal(u->what.ip_dst, what->ip_dst) && u->what.ip_proto == what->ip_proto &&
	       u->what.l4_dst == what->l4_dst;
}

/* Keeps the commonest kinds: a new one takes over the rarest and its count (space saving). */
static void count_unknown(
	struct rx_queue *q, const struct pkt_rx *what, const uint8_t *frame, unsigned len)
{
	uint64_t mac_dst = len >= 6 ? units_mac_number(frame) : 0;
	struct rx_unknown *rarest = &q->unknown[0];

	q->nb_class[RX_UNKNOWN]++;
	q->unknown_byte += len;
	for (unsigned i = 0; i < RX_UNKNOWN_KINDS; i++) {
		struct rx_unknown *u = &q->unknown[i];

		if (u->count > 0 && same_look(u, what, mac_dst)) {
			u->count++;
			return;
		}
		if (u->count < rarest->count)
			rarest = u;
	}
	rarest->what = *what;
	rarest->mac_dst = mac_dst;
	rarest->count++;
}

/* An address that varies is no mark of a stream. */
static bool is_quoted(struct units_ip mine, struct units_ip quoted)
{
	return units_ip_is_none(mine) || units_ip_equal(mine, quoted);
}

/* The stream that an ICMP error quotes: by lane when the signature is whole, else by its headers. */
static int quoted_stream(const struct trial_shared *sh, const struct pkt_rx *rx)
{
	const struct pkt_quote *quote = &rx->quote;

	if (quote->has_sig) {
		if (rx->sig.lane >= sh->plan->nb_lanes || before_trial(sh, rx->sig.time_ns))
			return -1;
		return sh->lanes[rx->sig.lane].stream;
	}
	for (unsigned i = 0; i < sh->plan->nb_streams; i++) {
		const struct pkt_quote *mine = &sh->quotes[i];

		if (mine->ip_proto != 0 && mine->ip_proto == quote->ip_proto &&
			is_quoted(mine->ip_src, quote->ip_src) &&
			is_quoted(mine->ip_dst, quote->ip_dst) &&
			(mine->l4_src == quote->l4_src || mine->l4_src == 0) &&
			(mine->l4_dst == quote->l4_dst || mine->l4_dst == 0))
			return (int)i;
	}
	return -1;
}

static void count_returned(
	struct worker *w, struct rx_queue *q, const struct pkt_rx *rx, int stream)
{
	/* the stream's first lane stands for it: an error without a signature names no lane */
	struct rx_lane *lane = &q->lanes[w->shared->first_lane[stream]];
	struct result_returned *entry = NULL;

	lane->total.returned++;
	if (rx->quote.has_sig) {
		struct result_counts *slot = slot_of(w, lane, rx->sig.epoch);

		if (slot != NULL)
			slot->returned++;
	}
	q->nb_class[RX_RETURNED]++;
	for (uint32_t i = 0; i < q->nb_returned && entry == NULL; i++) {
		struct result_returned *r = &q->returned[i];

		if (r->stream == (uint32_t)stream && r->type == rx->icmp_type &&
			r->code == rx->icmp_code && units_ip_equal(r->from, rx->ip_src))
			entry = r;
	}
	if (entry == NULL) {
		if (q->nb_returned == RX_RETURNED_KINDS)
			return;
		entry = &q->returned[q->nb_returned++];
		*entry = (struct result_returned){.stream = (uint32_t)stream,
			.type = rx->icmp_type,
			.code = rx->icmp_code,
			.from = rx->ip_src};
	}
	entry->count++;
}

/* A damaged signature names no lane that could be trusted: the port counts it, when it came. */
static void count_bad(struct worker *w, struct rx_queue *q, const struct pkt_rx *rx)
{
	struct result_counts *slot;
	struct rx_lane *lane;

	if (rx->sig_good && rx->sig.lane < w->shared->plan->nb_lanes &&
		!before_trial(w->shared, rx->sig.time_ns)) {
		lane = &q->lanes[rx->sig.lane];
		lane->total.bad++;
		slot = slot_of(w, lane, rx->sig.epoch);
		if (slot != NULL)
			slot->bad++;
		return;
	}
	q->nb_class[RX_BAD]++;
	if (epoch_place(&w->epoch, w->cur_epoch) == EPOCH_IN_SLOT)
		q->bad_slot[w->cur_epoch % EPOCH_SLOTS]++;
}

static void unknown_frame(struct worker *w, struct rx_queue *q, const struct pkt_rx *rx,
	const uint8_t *frame, unsigned len)
{
	unsigned slot = (unsigned)(w->cur_epoch % EPOCH_SLOTS);

	count_unknown(q, rx, frame, len);
	if (epoch_place(&w->epoch, w->cur_epoch) != EPOCH_IN_SLOT)
		return;
	q->unknown_slot[slot]++;
	q->unknown_byte_slot[slot] += len;
}

/* Anything but a test frame of ours. */
static void other_frame(struct worker *w, struct worker_queue *q, const struct pkt_rx *rx,
	const uint8_t *frame, unsigned len)
{
	const struct trial_shared *sh = w->shared;
	unsigned reply_len = 0;
	struct rte_mbuf *m;
	int stream;

	if (rx->cls == PKT_BAD) {
		count_bad(w, &q->rx, rx);
		return;
	}
	if (rx->cls == PKT_ICMP_ERROR) {
		stream = quoted_stream(sh, rx);
		if (stream >= 0) {
			count_returned(w, &q->rx, rx, stream);
			return;
		}
	}
	switch (host_input(&sh->hosts[q->rx.port], frame, len, w->scratch, &reply_len)) {
	case HOST_NOT_OURS:
		if (rx->cls == PKT_FRAGMENT)
			q->rx.nb_class[RX_FRAGMENT]++;
		else
			unknown_frame(w, &q->rx, rx, frame, len);
		return;
	case HOST_ANSWER:
		m = rte_pktmbuf_alloc(sh->ctl_pool);
		if (m != NULL && reply_len <= rte_pktmbuf_tailroom(m)) {
			memcpy(rte_pktmbuf_append(m, (uint16_t)reply_len), w->scratch, reply_len);
			if (rte_eth_tx_burst(q->tx.port_id, q->tx.queue_id, &m, 1) == 1) {
				q->rx.nb_class[RX_TX_HOST]++;
				m = NULL;
			}
		}
		rte_pktmbuf_free(m);
		break;
	case HOST_TAKEN:
		break;
	}
	q->rx.nb_class[RX_HOST]++;
}

/* Order by the queue's own window; a copy that took another queue of the port is known to all. */
static inline enum order take_order(struct rx_queue *q, const struct sig *sig)
{
	enum order own = order_take(&q->lanes[sig->lane].order, sig->seq), all;
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
static inline bool frame_right(const struct trial_shared *sh, const struct rx_queue *q,
	const struct pkt_rx *rx, unsigned size, const uint8_t *frame, uint64_t ol_flags)
{
	unsigned stream = sh->lanes[rx->sig.lane].stream;
	const struct pkt_frame *sent = &sh->plan->streams[stream].frame;
	const struct rx_lane *lane = &q->lanes[rx->sig.lane];
	bool told = q->csum_in_hardware &&
		    (ol_flags & RTE_MBUF_F_RX_L4_CKSUM_MASK) == RTE_MBUF_F_RX_L4_CKSUM_GOOD;

	/* a device that calls it bad may mean the outer one of a tunnel: software has the last word */
	if (sh->plan->verify_checksum != VERIFY_NO && !told && !pkt_l4_right(sent, size, frame, rx))
		return false;
	return sh->payloads == NULL || pkt_data_right(sent, number_of(sh, lane, &rx->sig), size,
					       sh->payloads[stream], frame, rx);
}

/*
 * A sequence that was not sent yet is that of another generator with our test-id. The sender's own
 * count is looked at only when the one last seen does not do: not for each frame.
 */
static inline bool was_sent(
	const struct trial_shared *sh, struct rx_lane *lane, const struct sig *sig)
{
	if (__builtin_expect((int32_t)(sig->seq - lane->seq_sent) < 0, 1))
		return true;
	lane->seq_sent =
		(uint32_t)atomic_load_explicit(&sh->tx_lanes[sig->lane].seq, memory_order_relaxed);
	return (int32_t)(sig->seq - lane->seq_sent) < 0;
}

static inline void test_frame(struct worker *w, struct worker_queue *q, struct pkt_rx *rx,
	uint64_t now_ns, const struct rte_mbuf *m, uint64_t *nb_good)
{
	const uint8_t *frame = rte_pktmbuf_mtod(m, const uint8_t *);
	unsigned len = rte_pktmbuf_data_len(m);
	struct trial_shared *sh = w->shared;
	struct rx_lane *lane;
	struct result_counts *slot;
	enum order order = ORDER_NEW;
	unsigned size;

	if (rx->sig.lane >= sh->plan->nb_lanes) {
		/* somebody else's frame with our test-id */
		count_unknown(&q->rx, rx, frame, len);
		return;
	}
	lane = &q->rx.lanes[rx->sig.lane];
	if (before_trial(sh, rx->sig.time_ns)) {
		lane->total.stray++;
		return;
	}
	size = sent_size(sh, lane, &rx->sig);
	if (__builtin_expect(!frame_right(sh, &q->rx, rx, size, frame, m->ol_flags), 0)) {
		rx->sig_good = true;
		count_bad(w, &q->rx, rx);
		return;
	}
	if (__builtin_expect(!was_sent(sh, lane, &rx->sig), 0)) {
		lane->foreign = true;
		count_unknown(&q->rx, rx, frame, len);
		return;
	}
	if (sh->plan->measure_order)
		order = take_order(&q->rx, &rx->sig);
	if (order == ORDER_DUPLICATE) {
		lane->total.duplicate++;
		slot = slot_of(w, lane, rx->sig.epoch);
		if (slot != NULL)
			slot->duplicate++;
		return;
	}
	if (!on_its_port(sh, sh->lanes[rx->sig.lane].stream, q->rx.port)) {
		lane->total.misrouted++;
		slot = slot_of(w, lane, rx->sig.epoch);
		if (slot != NULL)
			slot->misrouted++;
		return;
	}
	count_good(w, lane, rx, size, now_ns, order);
	(*nb_good)++;
}

unsigned rx_poll(struct worker *w, struct worker_queue *q)
{
	struct rte_mbuf *burst[ENGINE_BURST];
	uint16_t n = rte_eth_rx_burst(q->rx.port_id, q->rx.queue_id, burst, ENGINE_BURST);
	uint64_t now_ns, nb_good = 0;

	if (n == 0)
		return 0;
	now_ns = clock_ns(&w->shared->clock, rte_rdtsc());
	for (uint16_t i = 0; i < n; i++) {
		const uint8_t *frame;
		struct pkt_rx rx;
		unsigned len;

		tags_restore(&burst[i]);
		frame = rte_pktmbuf_mtod(burst[i], const uint8_t *);
		len = rte_pktmbuf_data_len(burst[i]);
		pkt_parse_headers(frame, len, w->shared->plan->test_id, &rx);
		if (__builtin_expect(rx.cls == PKT_TEST, 1))
			test_frame(w, q, &rx, now_ns, burst[i], &nb_good);
		else
			other_frame(w, q, &rx, frame, len);
	}
	rte_pktmbuf_free_bulk(burst, n);
	atomic_store_explicit(&w->pub_good,
		atomic_load_explicit(&w->pub_good, memory_order_relaxed) + nb_good,
		memory_order_relaxed);
	return n;
}
