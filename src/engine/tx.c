/* SPDX-License-Identifier: BSD-3-Clause */
#include "worker.h"

#include <rte_cycles.h>

#include <string.h>

#include "tgen/units.h"

/*
 * The sender. Buffers come from pools whose payload is written already; a frame costs its header, its
 * varying fields and its signature. The stamp is taken just before the frames of a burst are written
 * and sent, and again when the driver did not take them.
 */

/*
 * A driver that is full is left alone for so many ticks, well under a microsecond: asking it all the
 * time takes the memory it shares with its reader away from that, and from receiving.
 */
#define TX_RETRY_TSC 1000u

/* The frames that a run's last moment leaves over belong to its last interval. */
static inline uint64_t tx_epoch(const struct worker *w)
{
	return w->cur_epoch < w->tx_epoch_max ? w->cur_epoch : w->tx_epoch_max;
}

static inline void stamp_take(struct worker *w, struct tx_stamp *st)
{
	const struct trial_shared *sh = w->shared;
	uint64_t epoch = tx_epoch(w), time;
	uint8_t *image = st->image + st->sig_off;

	/* a round's first burst is made at once after the clock was read */
	st->tsc = w->fresh_tsc != 0 ? w->fresh_tsc : rte_rdtsc();
	w->fresh_tsc = 0;
	st->ns = clock_ns(&sh->clock, st->tsc);
	time = st->ns & SIG_TIME_MASK;
	st->time = time;
	st->head = (uint64_t)SIG_MAGIC << 48 | (uint64_t)sh->plan->test_id << 40 |
		   (epoch & 0xff) << 32;
	st->sum = SIG_MAGIC + (uint32_t)(st->head >> 32 & 0xffff) + (uint32_t)(time >> 32) +
		  (uint32_t)(time >> 16 & 0xffff) + (uint32_t)(time & 0xffff);
	st->slot = epoch_place(&w->epoch, epoch) == EPOCH_IN_SLOT ? (uint32_t)(epoch % EPOCH_SLOTS)
								  : TX_SPILL;
	w->tx_epoch_last = epoch;
	/* the signature as it lies in frames of one line, lane, sequence and complement apart */
	pkt_put32(image, (uint32_t)(st->head >> 32));
	pkt_put16(image + 10, (uint16_t)(time >> 32));
	pkt_put32(image + 12, (uint32_t)time);
}

/* ---- schedules kept ---- */

static inline void record_many(struct hist *h, uint64_t ns, uint64_t nb)
{
	h->count += nb;
	h->sum += ns * nb;
	h->min = ns < h->min ? ns : h->min;
	h->max = ns > h->max ? ns : h->max;
	if (__builtin_expect(ns >> HIST_MAX_BITS != 0, 0))
		h->overflow += nb;
	else
		h->bucket[hist_index(ns)] += nb;
}

/* nb gaps that are wrong by the same time. */
static inline void gap_record(
	struct tx_gaps *gaps, const struct clock *clock, int64_t longer_tsc, uint64_t nb)
{
	if (longer_tsc >= 0)
		record_many(&gaps->longer, clock_ticks_ns(clock, (uint64_t)longer_tsc), nb);
	else
		record_many(&gaps->shorter, clock_ticks_ns(clock, (uint64_t)-longer_tsc), nb);
}

/* Lags up to this are multiplied in 64 bits; a tick is never much longer than a nanosecond. */
#define LAG_SHORT_TSC (1ull << 31)

static inline uint64_t lag_ns(const struct clock *clock, uint64_t ticks)
{
	if (__builtin_expect(ticks < LAG_SHORT_TSC && clock->mult >> 32 == 0, 1))
		return ticks * clock->mult >> 32;
	return clock_ticks_ns(clock, ticks);
}

/* How late frames left; sums are kept apart from the buckets, so that none waits for another. */
static uint64_t lags_account(struct worker *w, const uint64_t *due, uint32_t nb, uint64_t now_tsc)
{
	const struct clock clock = w->shared->clock;
	uint64_t count = 0, sum = 0, late = 0, min = UINT64_MAX, max = 0, late_tsc = w->late_tsc;
	struct hist *h = &w->gaps->lag;

	for (uint32_t i = 0; i < nb; i++) {
		uint64_t ticks = now_tsc - due[i], ns;

		if (__builtin_expect(due[i] == 0, 0))
			continue;
		ticks = (int64_t)ticks < 0 ? 0 : ticks;
		ns = lag_ns(&clock, ticks);
		late += ticks > late_tsc;
		count++;
		sum += ns;
		min = ns < min ? ns : min;
		max = ns > max ? ns : max;
		if (__builtin_expect(ns >> HIST_MAX_BITS != 0, 0))
			h->overflow++;
		else
			h->bucket[hist_index(ns)]++;
	}
	h->count += count;
	h->sum += sum;
	h->min = min < h->min ? min : h->min;
	h->max = max > h->max ? max : h->max;
	return late;
}

/*
 * What lags made of the gaps between frames. Only where one schedule has the queue for itself is a
 * frame's gap to the one before it something that was asked for.
 */
static void gaps_account(
	struct worker *w, struct tx_queue *q, const uint64_t *due, uint32_t nb, uint64_t now_tsc)
{
	const struct clock *clock = &w->shared->clock;
	int64_t last = q->last_lag;

	for (uint32_t i = 0; i < nb; i++) {
		int64_t lag = (int64_t)(now_tsc - due[i]);

		if (due[i] == 0)
			continue;
		if (last != INT64_MIN)
			gap_record(w->gaps, clock, lag - last, 1);
		last = lag;
	}
	q->last_lag = last;
}

/* The same of a burst whose frames are due one after the other: all but its first left too early. */
static void burst_gaps(struct worker *w, struct tx_queue *q, const struct tx_turn *t, uint32_t nb,
	uint64_t now_tsc)
{
	const struct clock *clock = &w->shared->clock;

	if (q->last_lag != INT64_MIN)
		gap_record(w->gaps, clock, (int64_t)(now_tsc - t->due) - q->last_lag, 1);
	if (nb > 1)
		gap_record(w->gaps, clock, -(int64_t)(t->step_fp >> 16), nb - 1);
	q->last_lag = (int64_t)(now_tsc - t->due - ((nb - 1) * t->step_fp >> 16));
}

/* The lags of such a burst fall steadily; far behind, all of them have one bucket. */
static uint64_t burst_lags(struct worker *w, const struct tx_turn *t, uint32_t nb, uint64_t now_tsc)
{
	const struct clock clock = w->shared->clock;
	uint64_t first = now_tsc - t->due, last = first - ((nb - 1) * t->step_fp >> 16);
	uint64_t max = lag_ns(&clock, first), min = lag_ns(&clock, last), lag_fp = first << 16;
	struct hist *h = &w->gaps->lag;

	if (hist_index(max) == hist_index(min) || max >> HIST_MAX_BITS != 0) {
		record_many(h, (max + min) / 2, nb);
	} else {
		uint64_t sum = 0;

		for (uint32_t i = 0; i < nb; i++, lag_fp -= t->step_fp) {
			uint64_t ns = lag_ns(&clock, lag_fp >> 16);

			sum += ns;
			h->bucket[hist_index(ns)]++;
		}
		h->count += nb;
		h->sum += sum;
	}
	h->min = min < h->min ? min : h->min;
	h->max = max > h->max ? max : h->max;
	if (first <= w->late_tsc)
		return 0;
	return last > w->late_tsc ? nb : 1 + ((first - w->late_tsc) << 16) / (t->step_fp + 1);
}

/* How well the schedules of frames that were sent were kept; due: of those that are not in turn. */
static void schedule_account(
	struct worker *w, struct tx_queue *q, const uint64_t *due, uint32_t nb, uint64_t now_tsc)
{
	uint64_t late = lags_account(w, due, nb, now_tsc);

	w->late_bursts += late > 0;
	w->catch_up += late;
	if (q->sched.nb_classes == 1)
		gaps_account(w, q, due, nb, now_tsc);
}

static void turn_account(struct worker *w, struct tx_queue *q, const struct tx_turn *t, uint32_t nb,
	uint64_t now_tsc)
{
	uint64_t late;

	if (!t->uniform) {
		schedule_account(w, q, q->sched.due_of, nb, now_tsc);
		return;
	}
	late = burst_lags(w, t, nb, now_tsc);
	w->late_bursts += late > 0;
	w->catch_up += late;
	burst_gaps(w, q, t, nb, now_tsc);
}

/* For the receiver's second latency series: known before the frame can arrive. */
static void lags_remember(const struct trial_shared *sh, struct tx_lane *lane, uint64_t due,
	const struct rte_mbuf *m, uint64_t now_tsc)
{
	const uint8_t *sig = rte_pktmbuf_mtod_offset(m, uint8_t *, m->data_len - SIG_BYTES);
	uint32_t seq = pkt_get32(sig + 6);
	uint64_t lag_ns = 0;

	if (lane->lag_ring == NULL || (lane->flags & TX_UNSIGNED) != 0)
		return;
	if (due != 0 && now_tsc > due)
		lag_ns = clock_ticks_ns(&sh->clock, now_tsc - due);
	if (lag_ns > UINT32_MAX)
		lag_ns = UINT32_MAX;
	atomic_store_explicit(&lane->lag_ring[seq % TX_LAG_RING], (uint64_t)seq << 32 | lag_ns,
		memory_order_relaxed);
}

static inline void sent_publish(struct worker *w, uint64_t signed_frames)
{
	atomic_store_explicit(&w->pub_sent,
		atomic_load_explicit(&w->pub_sent, memory_order_relaxed) + signed_frames,
		memory_order_relaxed);
}

/* ---- what a driver did not take ---- */

/* Frames k .. of a turn, built and counted, wait for the driver; they are not sent. */
static void pending_keep(struct worker *w, struct tx_queue *q, const struct tx_turn *t,
	struct rte_mbuf *const *m, uint32_t k)
{
	unsigned slot = q->stamp.slot;

	w->queue_full++;
	q->retry_tsc = q->stamp.tsc + TX_RETRY_TSC;
	q->pending_paced = t->paced;
	for (q->nb_pending = 0; k < t->nb; k++) {
		struct tx_lane *lane = tx_turn_lane(t, k);
		uint32_t at = q->nb_pending++;

		lane->slot[slot]--;
		if (lane->flags & TX_SIZED)
			lane->slot_byte[slot] -= m[k]->data_len;
		q->pending[at] = m[k];
		q->pending_lane[at] = lane;
		q->pending_due[at] = tx_turn_due(&q->sched, t, k);
	}
}

/* A new stamp for a frame that carries its sequence already. */
static void pending_stamp(const struct trial_shared *sh, struct tx_queue *q, uint32_t i)
{
	struct tx_lane *lane = q->pending_lane[i];
	struct rte_mbuf *m = q->pending[i];
	uint8_t *sig = rte_pktmbuf_mtod_offset(m, uint8_t *, m->data_len - SIG_BYTES);

	if ((lane->flags & TX_UNSIGNED) == 0)
		tx_sign(sig, lane->id, pkt_get32(sig + 6), &q->stamp);
	if (lane->flags & TX_CRC)
		pkt_seal(lane->frame, m->data_len, rte_pktmbuf_mtod(m, uint8_t *));
	lags_remember(sh, lane, q->pending_due[i], m, q->stamp.tsc);
}

/* What is read of the buffers is read before the driver has them. */
static void pending_count(struct tx_queue *q, uint32_t i, uint16_t size, uint32_t seq)
{
	struct tx_lane *lane = q->pending_lane[i];

	lane->slot[q->stamp.slot]++;
	if (lane->flags & TX_SIZED)
		lane->slot_byte[q->stamp.slot] += size;
	lane->last_ns = q->stamp.ns;
	if ((lane->flags & TX_UNSIGNED) == 0 && seq == (uint32_t)lane->start_seq)
		lane->first_ns = q->stamp.ns;
}

static void pending_send(struct worker *w, struct tx_queue *q)
{
	uint64_t nb_signed = 0;
	uint16_t size[TX_BURST], sent;
	uint32_t seq[TX_BURST];

	stamp_take(w, &q->stamp);
	for (uint32_t i = 0; i < q->nb_pending; i++) {
		const struct rte_mbuf *m = q->pending[i];

		pending_stamp(w->shared, q, i);
		size[i] = m->data_len;
		seq[i] = pkt_get32(
			rte_pktmbuf_mtod_offset(m, uint8_t *, m->data_len - SIG_BYTES + 6));
	}
	sent = rte_eth_tx_burst(q->port_id, q->queue_id, q->pending, (uint16_t)q->nb_pending);
	for (uint32_t i = 0; i < sent; i++) {
		pending_count(q, i, size[i], seq[i]);
		nb_signed += (q->pending_lane[i]->flags & TX_UNSIGNED) == 0;
	}
	if (q->pending_paced && sent > 0)
		schedule_account(w, q, q->pending_due, sent, q->stamp.tsc);
	sent_publish(w, nb_signed);
	q->nb_pending -= sent;
	if (q->nb_pending == 0)
		return;
	w->queue_full++;
	q->retry_tsc = q->stamp.tsc + TX_RETRY_TSC;
	memmove(q->pending, q->pending + sent, q->nb_pending * sizeof(q->pending[0]));
	memmove(q->pending_lane, q->pending_lane + sent,
		q->nb_pending * sizeof(q->pending_lane[0]));
	memmove(q->pending_due, q->pending_due + sent, q->nb_pending * sizeof(q->pending_due[0]));
}

/* ---- buffers ---- */

/* As many as there are, when the pool has not enough for a whole burst. */
static void stash_fill(struct tx_stash *s)
{
	for (uint32_t want = TX_BURST - s->nb; want > 0; want /= 2)
		if (rte_mempool_get_bulk(s->pool, (void **)&s->m[s->nb], want) == 0) {
			s->nb += want;
			return;
		}
}

static void stash_drop(struct tx_stash *s)
{
	if (s->nb > 0)
		rte_mempool_put_bulk(s->pool, (void **)s->m, s->nb);
	s->nb = 0;
}

/* Buffers for a turn from several stashes; what finds none waits. Returns how many there are. */
static uint32_t gather(struct tx_queue *q, struct tx_turn *t)
{
	uint32_t k, nb = t->nb;

	for (k = 0; k < nb; k++) {
		struct tx_stash *s = &q->stashes[tx_turn_lane(t, k)->stash];

		if (s->nb == 0)
			stash_fill(s);
		if (s->nb == 0)
			break;
		q->gathered[k] = s->m[--s->nb];
	}
	t->nb = k;
	q->nb_waiting = nb - k;
	q->waiting_paced = t->paced;
	return k;
}

/* After the frames before them were sent: those that wait are the first of the next turn. */
static void waiting_keep(struct tx_queue *q, const struct tx_turn *t)
{
	for (uint32_t i = 0; i < q->nb_waiting; i++) {
		q->sched.pick[i] = tx_turn_lane(t, t->nb + i);
		q->sched.due_of[i] = tx_turn_due(&q->sched, t, t->nb + i);
	}
}

/* ---- a burst ---- */

static uint64_t signed_count(const struct tx_queue *q, const struct tx_turn *t, uint32_t nb)
{
	uint64_t nb_signed = 0;

	if (__builtin_expect(q->all_signed, 1))
		return nb;
	for (uint32_t k = 0; k < nb; k++)
		nb_signed += (tx_turn_lane(t, k)->flags & TX_UNSIGNED) == 0;
	return nb_signed;
}

static inline void burst_send(
	struct worker *w, struct tx_queue *q, const struct tx_turn *t, struct rte_mbuf **m)
{
	uint16_t sent;

	stamp_take(w, &q->stamp);
	q->fill(t, m, &q->stamp);
	if (__builtin_expect(q->has_lag_ring, 0))
		for (uint32_t k = 0; k < t->nb; k++)
			lags_remember(w->shared, tx_turn_lane(t, k), tx_turn_due(&q->sched, t, k),
				m[k], q->stamp.tsc);
	sent = rte_eth_tx_burst(q->port_id, q->queue_id, m, (uint16_t)t->nb);
	if (t->paced && sent > 0)
		turn_account(w, q, t, sent, q->stamp.tsc);
	sent_publish(w, signed_count(q, t, sent));
	if (__builtin_expect(sent < t->nb, 0))
		pending_keep(w, q, t, m, sent);
}

/* All lanes have one pool: its buffers go as they lie in the stash. */
static enum tx_state poll_one(struct worker *w, struct tx_queue *q, uint64_t now_tsc)
{
	struct tx_stash *s = &q->stashes[0];
	struct tx_turn t;

	if (s->nb < TX_BURST / 2)
		stash_fill(s);
	if (__builtin_expect(s->nb == 0, 0))
		return TX_BUSY;
	if (tx_sched_take(&q->sched, now_tsc, !w->ended, s->nb, &t) == 0)
		return q->sched.nb_finished < q->sched.nb_classes ? TX_IDLE : TX_DONE;
	s->nb -= t.nb;
	burst_send(w, q, &t, s->m + s->nb);
	return TX_BUSY;
}

static enum tx_state poll_many(struct worker *w, struct tx_queue *q, uint64_t now_tsc)
{
	struct tx_turn t = {.lanes = q->sched.pick,
		.nb_lanes = TX_BURST,
		.nb = q->nb_waiting,
		.paced = q->waiting_paced};

	if (q->nb_waiting == 0 && tx_sched_take(&q->sched, now_tsc, !w->ended, TX_BURST, &t) == 0)
		return q->sched.nb_finished < q->sched.nb_classes ? TX_IDLE : TX_DONE;
	if (gather(q, &t) > 0)
		burst_send(w, q, &t, q->gathered);
	waiting_keep(q, &t);
	return TX_BUSY;
}

void tx_start(struct tx_queue *q, uint64_t start_tsc, uint64_t hz)
{
	q->last_lag = INT64_MIN;
	tx_sched_start(&q->sched, start_tsc, hz);
}

enum tx_state tx_poll(struct worker *w, struct tx_queue *q, uint64_t now_tsc)
{
	if (q->sched.nb_classes == 0)
		return TX_DONE;
	if (__builtin_expect(q->nb_pending > 0, 0)) {
		if ((int64_t)(now_tsc - q->retry_tsc) < 0 && !w->ended)
			return TX_BUSY;
		pending_send(w, q);
		if (q->nb_pending > 0)
			return TX_BUSY;
	}
	/* before the start when the run is stopped at once */
	if (__builtin_expect((int64_t)(now_tsc - q->sched.start_tsc) < 0, 0))
		return q->sched.nb_finished < q->sched.nb_classes ? TX_IDLE : TX_DONE;
	return q->nb_stashes == 1 ? poll_one(w, q, now_tsc) : poll_many(w, q, now_tsc);
}

uint64_t tx_next_due(const struct tx_queue *q)
{
	return q->nb_pending + q->nb_waiting > 0 ? 0 : tx_sched_next(&q->sched);
}

void tx_finish(struct tx_queue *q)
{
	for (uint32_t i = 0; i < q->nb_pending; i++) {
		struct tx_lane *lane = q->pending_lane[i];

		atomic_store_explicit(tx_lane_seq(lane),
			atomic_load_explicit(tx_lane_seq(lane), memory_order_relaxed) - 1,
			memory_order_relaxed);
		lane->unsent++;
		lane->remaining += lane->remaining != UINT64_MAX;
		rte_pktmbuf_free(q->pending[i]);
	}
	for (uint32_t i = 0; i < q->nb_waiting; i++)
		q->sched.pick[i]->unsent++;
	q->nb_pending = q->nb_waiting = 0;
	for (uint32_t i = 0; i < q->nb_stashes; i++)
		stash_drop(&q->stashes[i]);
}
