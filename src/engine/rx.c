/* SPDX-License-Identifier: BSD-3-Clause */
#include "rx_private.h"

#include <rte_cycles.h>
#include <rte_prefetch.h>

#include "tgen/pkt_udp4.h"

/*
 * The receiver's short way, for frames as they usually are: IP and UDP, right, of a lane in step.
 * All others go the long way (rx_judge.c), which counts the same frame alike. Time is taken once a
 * burst, at once after it; latency is that time less the stamp.
 */

/* What holds for a whole burst. */
struct quick {
	const struct trial_shared *sh;
	struct rx_queue *q;
	uint64_t now_ns;
	uint32_t mark, nb_lanes;
	uint8_t open, nb_open; /* epochs that have slots: the low bits of the first, how many */
};

static inline void quick_init(
	struct quick *k, struct worker *w, struct rx_queue *q, uint64_t now_ns)
{
	/* acquire: the zeroing of a slot is seen before the first addition to it */
	uint64_t returned = atomic_load_explicit(&w->epoch.reader->returned, memory_order_acquire),
		 open = w->epoch.open;

	k->sh = w->shared;
	k->q = q;
	k->now_ns = now_ns;
	k->mark = pkt_udp4_mark(k->sh->plan->test_id);
	k->nb_lanes = k->sh->plan->nb_lanes;
	k->open = (uint8_t)open;
	k->nb_open = 0;
	/* so far behind that 8 bits might be those of another epoch: the long way tells */
	if (w->cur_epoch - open < 100 && returned <= open && returned + EPOCH_SLOTS > open)
		k->nb_open = (uint8_t)(returned + EPOCH_SLOTS - open);
}

/* The sequence begins a new word of the order window. */
static __attribute__((noinline)) void turn_word(
	struct rx_lane *lane, struct rx_cold *cold, uint32_t seq)
{
	*order_word(&cold->order, seq - 1) = lane->seen;
	lane->seen = *order_word(&cold->order, seq);
	if (lane->mixed)
		rx_highest_set(cold, seq - 1);
}

/* The frame's turn among the sizes of its lane. */
static __attribute__((noinline)) void count_size(struct rx_cold *cold, unsigned slot)
{
	struct rx_sizes *sizes = &cold->sizes;
	uint32_t turn = sizes->turn + sizes->step;

	cold->slot[slot].good_byte += sizes->bytes[sizes->order[sizes->turn]];
	sizes->turn = turn >= sizes->period ? turn - sizes->period : turn;
}

static __attribute__((noinline)) bool is_whole_other(
	const struct rx_lane *lane, const struct rx_cold *cold, unsigned ip_bytes, bool ip6)
{
	const struct rx_sizes *sizes = &cold->sizes;

	if (lane->ip6 != ip6 || sizes->ip_bytes == 0)
		return false;
	if (!lane->mixed)
		return ip_bytes == sizes->ip_bytes;
	/* they differ in their payload alone */
	return ip_bytes + sizes->largest ==
	       (unsigned)sizes->ip_bytes + sizes->bytes[sizes->order[sizes->turn]];
}

/* The packet is as long as it was sent. */
static inline __attribute__((always_inline)) bool is_whole(
	const struct quick *k, const struct rx_lane *lane, const struct pkt_udp4 *udp)
{
	if (__builtin_expect(!udp->ip6 && udp->ip_bytes == lane->ip4_bytes, 1))
		return true;
	return is_whole_other(lane, &k->q->colds[udp->lane], udp->ip_bytes, udp->ip6);
}

static inline __attribute__((always_inline)) void record(const struct quick *k,
	struct rx_lane *lane, unsigned slot, uint64_t latency_ns, const bool many)
{
	struct hist *h = lane->hists;

	if (many) {
		lane->good[slot]++;
		hist_record_small(&h[RX_HIST_REST], latency_ns);
		hist_record_small(&k->q->interval[slot], latency_ns);
		return;
	}
	hist_record_small(&h[RX_HIST_SLOT + slot], latency_ns);
	rx_ipdv_record(lane, (int64_t)(latency_ns - lane->last_latency_ns));
	lane->last_latency_ns = latency_ns;
}

/* The device has looked at the checksum. */
static inline bool told_right(const struct rx_queue *q, const struct rte_mbuf *m)
{
	return q->csum_in_hardware &&
	       (m->ol_flags & RTE_MBUF_F_RX_L4_CKSUM_MASK) == RTE_MBUF_F_RX_L4_CKSUM_GOOD;
}

/* A frame that was read. False: it goes the long way, and nothing is counted. */
static inline __attribute__((always_inline)) bool take_read(const struct quick *k,
	const struct rte_mbuf *m, const struct pkt_udp4 *udp, const bool many)
{
	const uint8_t *frame = rte_pktmbuf_mtod(m, const uint8_t *);
	struct rx_lane *lane;
	uint64_t latency_ns;

	if (udp->lane >= k->nb_lanes)
		return false;
	lane = &k->q->lanes[udp->lane];
	latency_ns = (k->now_ns - udp->time_ns - lane->minus_ns) & SIG_TIME_MASK;
	if (!lane->in_step || lane->next != udp->seq || latency_ns >> HIST_MAX_BITS != 0 ||
		(uint8_t)(udp->epoch - k->open) >= k->nb_open ||
		rx_before_trial(k->sh, udp->time_ns) ||
		!rx_was_sent(k->sh, lane, udp->lane, udp->seq))
		return false;
	if (udp->has_csum && lane->verify && !told_right(k->q, m) &&
		(!is_whole(k, lane, udp) || !pkt_udp4_right(frame, udp)))
		return false;
	if (__builtin_expect(udp->seq % 64 == 0, 0))
		turn_word(lane, &k->q->colds[udp->lane], udp->seq);
	lane->seen |= 1ull << udp->seq % 64;
	lane->next = udp->seq + 1;
	lane->last_ns = udp->time_ns;
	record(k, lane, udp->epoch % EPOCH_SLOTS, latency_ns, many);
	if (__builtin_expect(lane->mixed, 0))
		count_size(&k->q->colds[udp->lane], udp->epoch % EPOCH_SLOTS);
	return true;
}

static inline __attribute__((always_inline)) bool take(
	const struct quick *k, const struct rte_mbuf *m, const bool many)
{
	struct pkt_udp4 udp;

	return pkt_udp4_read(rte_pktmbuf_mtod(m, const uint8_t *), m->data_len, k->mark, &udp) &&
	       take_read(k, m, &udp, many);
}

/* With a tag, or of IPv6. What holds for the burst is made anew: its copy stays in registers. */
static __attribute__((noinline)) bool take_other(
	struct worker *w, struct rx_queue *q, const struct rte_mbuf *m, uint64_t now_ns)
{
	struct pkt_udp4 udp;
	struct quick k;

	quick_init(&k, w, q, now_ns);
	return pkt_udp4_read_other(
		       rte_pktmbuf_mtod(m, const uint8_t *), m->data_len, k.mark, &udp) &&
	       take_read(&k, m, &udp, q->interval != NULL);
}

/* Where a frame's signature is if it comes in short; NULL: it does not. */
static inline const uint8_t *peek(const struct rte_mbuf *m)
{
	const uint8_t *frame = rte_pktmbuf_mtod(m, const uint8_t *);
	unsigned len = m->data_len, bytes;

	if (len < PKT_MIN_BYTES)
		return NULL;
	bytes = pkt_get16(frame + PKT_UDP4_L3_OFF + 2);
	if (bytes < SIG_BYTES || bytes + PKT_UDP4_L3_OFF > len)
		return NULL;
	return frame + PKT_UDP4_L3_OFF + bytes - SIG_BYTES;
}

static inline void fetch_bucket(const struct hist *h, uint64_t ns)
{
	rte_prefetch0(h);
	rte_prefetch0(&h->bucket[hist_index(ns)]);
}

/* Where record will count. */
static inline __attribute__((always_inline)) void fetch_hists(
	const struct quick *k, const uint8_t *sig, const bool many)
{
	const struct rx_lane *lane = &k->q->lanes[pkt_get16(sig + 4)];
	uint64_t stamp_ns = __builtin_bswap64(pkt_load64(sig + 8)) & SIG_TIME_MASK;
	uint64_t ns = k->now_ns - stamp_ns - lane->minus_ns;
	int64_t longer = (int64_t)(ns - lane->last_latency_ns);

	/* such a frame goes the long way */
	if (lane->hists == NULL || ns >> HIST_MAX_BITS != 0)
		return;
	if (many) {
		fetch_bucket(&lane->hists[RX_HIST_REST], ns);
		return;
	}
	fetch_bucket(&lane->hists[RX_HIST_SLOT + sig[3] % EPOCH_SLOTS], ns);
	ns = (uint64_t)(longer > 0 ? longer : -longer) & ((1ull << HIST_MAX_BITS) - 1);
	rte_prefetch0(&rx_lane_ipdv(lane)->bucket[longer > 0][hist_index(ns)]);
}

/* Many lanes: their lines come into the cache while the first frames are counted. */
static inline __attribute__((always_inline)) void fetch(
	const struct quick *k, struct rte_mbuf *const *m, unsigned n, const bool many)
{
	const uint8_t *sig[ENGINE_BURST];

	for (unsigned i = 0; i < n; i++) {
		unsigned lane;

		sig[i] = peek(m[i]);
		lane = sig[i] != NULL ? pkt_get16(sig[i] + 4) : UINT32_MAX;
		if (lane >= k->nb_lanes) {
			sig[i] = NULL;
			continue;
		}
		rte_prefetch0(&k->q->lanes[lane]);
		if (many)
			rte_prefetch0(k->q->lanes[lane].good);
		rte_prefetch0(k->sh->tx_seqs[lane]);
	}
	for (unsigned i = 0; i < n; i++)
		if (sig[i] != NULL)
			fetch_hists(k, sig[i], many);
}

/* Buffers that are whole and nobody else's go back to their pool at once. */
static inline void give_back(struct rte_mbuf **m, unsigned n)
{
	struct rte_mempool *pool = m[0]->pool;
	uint64_t odd = 0;

	for (unsigned i = 0; i < n; i++)
		odd |= (uint64_t)((uintptr_t)m[i]->pool ^ (uintptr_t)pool) |
		       (m[i]->ol_flags & (RTE_MBUF_F_INDIRECT | RTE_MBUF_F_EXTERNAL)) |
		       (uint64_t)(rte_mbuf_refcnt_read(m[i]) ^ 1) | (uint64_t)(m[i]->nb_segs ^ 1);
	if (__builtin_expect(odd == 0, 1))
		rte_mempool_put_bulk(pool, (void **)m, n);
	else
		rte_pktmbuf_free_bulk(m, n);
}

static inline __attribute__((always_inline)) uint64_t take_all(struct worker *w,
	struct worker_queue *q, struct rte_mbuf **m, unsigned n, const bool many, const bool far)
{
	struct rx_burst burst = {0};
	struct quick k;

	quick_init(&k, w, &q->rx, clock_ns(&w->shared->clock, rte_rdtsc()));
	burst.now_ns = k.now_ns;
	for (unsigned i = 0; i < n; i++)
		rte_prefetch0(rte_pktmbuf_mtod(m[i], const uint8_t *));
	if (far)
		fetch(&k, m, n, many);
	for (unsigned i = 0; i < n; i++) {
		if (__builtin_expect((m[i]->ol_flags & RTE_MBUF_F_RX_VLAN_STRIPPED) == 0, 1) &&
			(__builtin_expect(take(&k, m[i], many), 1) ||
				take_other(w, &q->rx, m[i], k.now_ns)))
			burst.nb_good++;
		else
			rx_judge(w, q, &burst, m[i]);
	}
	return burst.nb_good;
}

unsigned rx_poll(struct worker *w, struct worker_queue *q)
{
	struct rte_mbuf *m[ENGINE_BURST];
	uint16_t n = rte_eth_rx_burst(q->rx.port_id, q->rx.queue_id, m, ENGINE_BURST);
	uint64_t nb_good;

	if (n == 0)
		return 0;
	if (q->rx.interval != NULL)
		nb_good = take_all(w, q, m, n, true, true);
	else if (q->rx.far)
		nb_good = take_all(w, q, m, n, false, true);
	else
		nb_good = take_all(w, q, m, n, false, false);
	give_back(m, n);
	atomic_store_explicit(&w->pub_good,
		atomic_load_explicit(&w->pub_good, memory_order_relaxed) + nb_good,
		memory_order_relaxed);
	return n;
}
