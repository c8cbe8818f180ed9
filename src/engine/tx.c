/* SPDX-License-Identifier: BSD-3-Clause */
#include "worker.h"

#include <rte_cycles.h>

#include <string.h>

/*
 * The sender. Buffers come from a pool whose payload is written already; a frame costs its header,
 * its varying fields and its signature. The stamp is taken just before the burst that sends it, and
 * again when the driver did not take the frame.
 */

/* The frames that a run's last moment leaves over belong to its last interval. */
static inline uint64_t tx_epoch(const struct worker *w)
{
	return w->cur_epoch < w->tx_epoch_max ? w->cur_epoch : w->tx_epoch_max;
}

/* For the receiver's second latency series: known before the frame can arrive. */
static inline void remember_lag(
	const struct trial_shared *sh, const struct tx_queue *q, uint16_t i, uint64_t now_tsc)
{
	uint64_t due = q->pending_due[i], lag_ns = 0;
	uint32_t seq = q->pending_seq[i];

	if (due != 0 && now_tsc > due)
		lag_ns = clock_ticks_ns(&sh->clock, now_tsc - due);
	if (lag_ns > UINT32_MAX)
		lag_ns = UINT32_MAX;
	atomic_store_explicit(&q->pending_lane[i]->lag_ring[seq % TX_LAG_RING],
		(uint64_t)seq << 32 | lag_ns, memory_order_relaxed);
}

/* Checksums that cover the signature, which every stamp changes. */
static void seal(const struct tx_queue *q)
{
	for (uint16_t i = 0; i < q->nb_pending; i++) {
		const struct pkt_frame *f = q->pending_lane[i]->frame;
		struct rte_mbuf *m = q->pending[i];

		if (f->crc_off != 0)
			pkt_seal(f, m->data_len, rte_pktmbuf_mtod(m, uint8_t *));
	}
}

/* Returns the time of the stamp. */
static inline uint64_t stamp(struct worker *w, struct tx_queue *q)
{
	const struct trial_shared *sh = w->shared;
	uint64_t now_tsc = rte_rdtsc();
	struct sig sig = {
		.test_id = sh->plan->test_id,
		.epoch = (uint8_t)tx_epoch(w),
		.time_ns = clock_ns(&sh->clock, now_tsc) & SIG_TIME_MASK,
	};

	for (uint16_t i = 0; i < q->nb_pending; i++) {
		const struct tx_lane *lane = q->pending_lane[i];
		struct rte_mbuf *m = q->pending[i];

		if (lane->frame->sig_off == 0)
			continue;
		sig.lane = lane->id;
		sig.seq = q->pending_seq[i];
		/* the frame ends with it */
		sig_write(rte_pktmbuf_mtod_offset(m, uint8_t *, m->data_len - SIG_BYTES), &sig);
		if (lane->lag_ring != NULL)
			remember_lag(sh, q, i, now_tsc);
	}
	if (__builtin_expect(q->has_crc, 0))
		seal(q);
	return now_tsc;
}

/*
 * A frame of one of several sizes. The buffer may have carried a shorter one, whose signature lies
 * where this one has payload: the bytes under it are put back.
 */
static inline uint16_t fill_size(const struct tx_queue *q, const struct tx_class *c,
	struct rte_mbuf *m, struct tx_lane *lane)
{
	uint16_t *sig_at = RTE_MBUF_DYNFIELD(m, q->sig_field, uint16_t *);
	const struct pkt_frame *f = lane->frame;
	uint8_t *data = rte_pktmbuf_mtod(m, uint8_t *);
	unsigned index = f->sizes->order[lane->turn];
	uint16_t size = f->sizes->bytes[index];

	if (*sig_at != 0)
		memcpy(data + *sig_at, c->whole + *sig_at, SIG_BYTES);
	*sig_at = f->sig_off != 0 ? (uint16_t)(size - SIG_BYTES) : 0;
	pkt_size_apply(f, index, data);
	lane->turn += lane->turn_step;
	if (lane->turn >= f->sizes->period)
		lane->turn -= f->sizes->period;
	return size;
}

/* What is not the same in each frame of a lane; returns the frame's size. */
static inline uint16_t fill_varying(const struct tx_queue *q, const struct tx_class *c,
	struct rte_mbuf *m, struct tx_lane *lane)
{
	const struct pkt_frame *f = lane->frame;
	uint16_t size = f->size;

	if (lane->mixed)
		size = fill_size(q, c, m, lane);
	if (f->nb_mods > 0) {
		pkt_mods_apply(f, lane->steps, rte_pktmbuf_mtod(m, uint8_t *));
		pkt_steps_advance(lane->steps, f, lane->stride);
	}
	lane->n += lane->stride;
	return size;
}

static inline void fill(struct tx_queue *q, const struct tx_class *c, uint16_t i)
{
	struct tx_lane *lane = q->pending_lane[i];
	struct rte_mbuf *m = q->pending[i];
	const struct pkt_frame *f = lane->frame;
	uint16_t size = f->size;

	memcpy(rte_pktmbuf_mtod(m, uint8_t *), f->hdr, f->hdr_bytes);
	if (lane->varies) {
		size = fill_varying(q, c, m, lane);
		q->pending_size[i] = size;
	}
	m->data_len = size;
	m->pkt_len = size;
}

/*
 * Returns the sequence of the next frame and moves it on. Receivers take a higher one for somebody
 * else's, so it is stored before the frame can leave: the call that sends it is not before that.
 */
static inline uint32_t next_seq(struct tx_lane *lane, int step)
{
	uint64_t seq = atomic_load_explicit(&lane->seq, memory_order_relaxed);

	atomic_store_explicit(&lane->seq, seq + (uint64_t)(int64_t)step, memory_order_relaxed);
	return (uint32_t)seq;
}

/* Takes back what fill did: the frame was never sent. */
static void unfill(struct tx_lane *lane)
{
	const struct pkt_frame *f = lane->frame;

	if (lane->varies)
		lane->n -= lane->stride;
	if (f->nb_mods > 0)
		pkt_steps_init(lane->steps, f, lane->n);
	if (lane->mixed)
		lane->turn = (uint32_t)(lane->n % f->sizes->period);
	next_seq(lane, -1);
	if (lane->remaining != UINT64_MAX)
		lane->remaining++;
}

/* How late the frames of a burst left. */
static inline void account_lag(
	struct worker *w, const struct tx_queue *q, uint16_t sent, uint64_t now_tsc)
{
	uint16_t late = 0;

	for (uint16_t i = 0; i < sent; i++) {
		uint64_t lag = now_tsc - q->pending_due[i];

		if (q->pending_due[i] == 0)
			continue;
		if ((int64_t)lag < 0)
			lag = 0;
		hist_record(&w->gaps->lag, clock_ticks_ns(&w->shared->clock, lag));
		late += lag > w->late_tsc;
	}
	w->late_bursts += late > 0;
	w->catch_up += late;
}

/* Of frames of several sizes; the driver may have freed the buffers. */
static void account_bytes(const struct tx_queue *q, uint16_t sent, bool in_slot, unsigned slot)
{
	for (uint16_t i = 0; i < sent; i++) {
		struct tx_lane *lane = q->pending_lane[i];

		if (!lane->mixed)
			continue;
		lane->sent_byte += q->pending_size[i];
		if (in_slot)
			lane->slot_byte[slot] += q->pending_size[i];
	}
}

static inline void account(struct worker *w, struct tx_queue *q, uint16_t sent, uint64_t now_tsc)
{
	uint64_t epoch = tx_epoch(w), now_ns = clock_ns(&w->shared->clock, now_tsc);
	bool in_slot = epoch_place(&w->epoch, epoch) == EPOCH_IN_SLOT;
	unsigned slot = (unsigned)(epoch % EPOCH_SLOTS);
	uint64_t signed_frames = 0;

	w->tx_epoch_last = epoch;
	for (uint16_t i = 0; i < sent; i++) {
		struct tx_lane *lane = q->pending_lane[i];

		if (lane->sent++ == 0)
			lane->first_ns = now_ns;
		lane->last_ns = now_ns;
		if (in_slot)
			lane->slot[slot]++;
		else
			lane->spill++;
		signed_frames += lane->frame->sig_off != 0;
	}
	if (__builtin_expect(q->has_mix, 0))
		account_bytes(q, sent, in_slot, slot);
	account_lag(w, q, sent, now_tsc);
	atomic_store_explicit(&w->pub_sent,
		atomic_load_explicit(&w->pub_sent, memory_order_relaxed) + signed_frames,
		memory_order_relaxed);
}

/* Offers all pending frames to the driver; what it does not take stays, stamped again next time. */
static inline void flush(struct worker *w, struct tx_queue *q)
{
	uint64_t now_tsc = stamp(w, q);
	uint16_t sent = rte_eth_tx_burst(q->port_id, q->queue_id, q->pending, q->nb_pending);

	if (sent > 0)
		account(w, q, sent, now_tsc);
	if (__builtin_expect(sent < q->nb_pending, 0)) {
		uint16_t left = q->nb_pending - sent;

		w->queue_full++;
		memmove(q->pending, q->pending + sent, left * sizeof(q->pending[0]));
		memmove(q->pending_lane, q->pending_lane + sent, left * sizeof(q->pending_lane[0]));
		memmove(q->pending_seq, q->pending_seq + sent, left * sizeof(q->pending_seq[0]));
		memmove(q->pending_due, q->pending_due + sent, left * sizeof(q->pending_due[0]));
		memmove(q->pending_size, q->pending_size + sent, left * sizeof(q->pending_size[0]));
	}
	q->nb_pending -= sent;
}

/* The next lane of a class in turn that has frames left; NULL when it is this one's turn to rest. */
static inline struct tx_lane *class_next(struct tx_class *c)
{
	struct tx_lane *lane = c->lanes[c->next];

	c->next = c->next + 1 == c->nb_lanes ? 0 : c->next + 1;
	if (lane->remaining == UINT64_MAX)
		return lane;
	if (lane->remaining == 0)
		return NULL;
	if (--lane->remaining == 0)
		c->nb_done++;
	return lane;
}

/*
 * Too far behind to catch up: the frames of whole turns are given up and counted, so that the
 * schedule is not followed by a burst that nobody asked for.
 */
static void class_give_up(struct worker *w, struct tx_class *c, uint64_t now_tsc)
{
	uint64_t too_old = pacer_nb_due(&c->pacer, now_tsc - w->catch_up_tsc);
	uint64_t turns = too_old / c->nb_lanes;

	if (turns == 0)
		return;
	pacer_skip(&c->pacer, turns * c->nb_lanes);
	for (uint32_t i = 0; i < c->nb_lanes; i++)
		if (c->lanes[i]->remaining == UINT64_MAX)
			c->lanes[i]->unsent += turns;
}

/* Notes whose turn it is of the frames of a class that are due; returns their number. */
static inline uint16_t class_take(
	struct worker *w, struct tx_queue *q, struct tx_class *c, uint64_t now_tsc)
{
	uint16_t room = ENGINE_BURST - q->nb_pending, nb = 0;
	struct tx_lane **lanes = q->pending_lane + q->nb_pending;

	if (!c->flat_out && pacer_is_due(&c->pacer, now_tsc) &&
		__builtin_expect(now_tsc - c->pacer.due_tsc > w->catch_up_tsc, 0))
		class_give_up(w, c, now_tsc);
	while (nb < room && c->nb_done < c->nb_lanes &&
		(c->flat_out ? !w->ended : pacer_is_due(&c->pacer, now_tsc))) {
		struct tx_lane *lane = class_next(c);
		uint64_t due = 0;

		if (!c->flat_out) {
			due = c->pacer.due_tsc;
			pacer_advance(&c->pacer);
		}
		if (lane == NULL)
			continue;
		q->pending_due[q->nb_pending + nb] = due;
		lanes[nb++] = lane;
	}
	return nb;
}

/* The driver holds all buffers: the schedule has moved on without these frames. */
static void class_untake(struct tx_class *c, struct tx_lane **lanes, uint16_t nb)
{
	if (c->walk != NULL) {
		tx_walk_untake(c, nb);
		return;
	}
	for (uint16_t i = nb; i-- > 0;) {
		lanes[i]->unsent++;
		if (lanes[i]->remaining != UINT64_MAX && lanes[i]->remaining++ == 0)
			c->nb_done--;
	}
}

/* Adds the frames of a class that are due, as far as there are buffers. */
static inline void class_build(
	struct worker *w, struct tx_queue *q, struct tx_class *c, uint64_t now_tsc)
{
	uint16_t from = q->nb_pending, nb;

	nb = c->walk != NULL ? tx_walk_take(w, q, c, now_tsc) : class_take(w, q, c, now_tsc);
	if (nb == 0)
		return;
	if (rte_pktmbuf_alloc_bulk(c->pool, q->pending + from, nb) != 0) {
		class_untake(c, q->pending_lane + from, nb);
		return;
	}
	for (uint16_t i = from; i < from + nb; i++) {
		q->pending_seq[i] = next_seq(q->pending_lane[i], 1);
		fill(q, c, i);
	}
	q->nb_pending += nb;
}

/* The time of a class's next frame is known beside it, so that those to come cost nothing. */
static inline void class_due_set(struct tx_queue *q, uint32_t k)
{
	const struct tx_class *c = &q->classes[k];
	uint32_t from = k - k % TX_GROUP, to = from + TX_GROUP;
	uint64_t least = UINT64_MAX;

	if (c->nb_done == c->nb_lanes) {
		q->due[k] = UINT64_MAX;
		q->nb_finished++;
	} else if (c->walk != NULL) {
		q->due[k] = c->walk->w.due;
	} else if (!c->flat_out) {
		q->due[k] = c->pacer.due_tsc - q->start_tsc;
	}
	for (uint32_t i = from; i < to && i < q->nb_classes; i++)
		least = q->due[i] < least ? q->due[i] : least;
	q->group_due[k / TX_GROUP] = least;
}

void tx_start(struct tx_queue *q, uint64_t start_tsc)
{
	q->start_tsc = start_tsc;
	q->first = q->nb_finished = 0;
	for (uint32_t k = 0; k < q->nb_classes; k++)
		q->due[k] = q->classes[k].flat_out ? q->classes[k].from_tsc - start_tsc : 0;
	for (uint32_t k = 0; k < q->nb_classes; k++)
		class_due_set(q, k);
}

/* Builds what is due of all classes, beginning with the one whose turn it is. */
static inline void queue_build(struct worker *w, struct tx_queue *q, uint64_t now_tsc)
{
	uint64_t now = now_tsc - q->start_tsc;
	uint32_t k = q->first, left = q->nb_classes;

	while (left > 0 && q->nb_pending < ENGINE_BURST) {
		uint32_t end = k + TX_GROUP < q->nb_classes ? k + TX_GROUP : q->nb_classes;
		uint32_t step = 1;

		if (k % TX_GROUP == 0 && left >= end - k && q->group_due[k / TX_GROUP] > now) {
			step = end - k;
		} else if (q->due[k] <= now) {
			class_build(w, q, &q->classes[k], now_tsc);
			class_due_set(q, k);
		}
		left -= step;
		k = k + step == q->nb_classes ? 0 : k + step;
	}
	/* no class waits behind another that always has more */
	if (q->nb_pending == ENGINE_BURST)
		q->first = k;
}

enum tx_state tx_poll(struct worker *w, struct tx_queue *q, uint64_t now_tsc)
{
	if (q->nb_pending > 0) {
		flush(w, q);
		if (q->nb_pending > 0)
			return TX_BUSY;
	}
	/* before the start when the run is stopped at once */
	if ((int64_t)(now_tsc - q->start_tsc) >= 0)
		queue_build(w, q, now_tsc);
	if (q->nb_pending > 0) {
		flush(w, q);
		return TX_BUSY;
	}
	return q->nb_finished < q->nb_classes ? TX_IDLE : TX_DONE;
}

uint64_t tx_schedule_end(const struct tx_queue *q, uint64_t now_tsc)
{
	uint64_t end = 0;

	for (uint32_t k = 0; k < q->nb_classes; k++) {
		const struct tx_class *c = &q->classes[k];
		uint64_t one = 0;

		if (c->walk != NULL)
			one = tx_walk_end(c->walk, now_tsc);
		else if (!c->flat_out)
			one = c->pacer.due_tsc;
		end = one > end ? one : end;
	}
	return end;
}

void tx_finish(struct tx_queue *q)
{
	for (uint16_t i = q->nb_pending; i-- > 0;) {
		unfill(q->pending_lane[i]);
		q->pending_lane[i]->unsent++;
		rte_pktmbuf_free(q->pending[i]);
	}
	q->nb_pending = 0;
}

/* Whole turns at once: a rate far beyond what can be sent leaves very many. */
static void class_count_turns(struct tx_class *c, uint64_t turns)
{
	for (uint32_t i = 0; i < c->nb_lanes; i++) {
		struct tx_lane *lane = c->lanes[i];
		uint64_t missing = turns < lane->remaining ? turns : lane->remaining;

		lane->unsent += missing;
		if (lane->remaining == UINT64_MAX || missing == 0)
			continue;
		lane->remaining -= missing;
		c->nb_done += lane->remaining == 0;
	}
	pacer_skip(&c->pacer, turns * c->nb_lanes);
}

void tx_count_missing(struct tx_queue *q, uint64_t end_tsc)
{
	for (uint32_t k = 0; k < q->nb_classes; k++) {
		struct tx_class *c = &q->classes[k];
		uint64_t due;

		if (c->flat_out)
			continue;
		if (c->walk != NULL) {
			tx_walk_count_missing(c, end_tsc);
			continue;
		}
		due = pacer_nb_due(&c->pacer, end_tsc - 1);
		class_count_turns(c, due / c->nb_lanes);
		for (due %= c->nb_lanes; due > 0 && c->nb_done < c->nb_lanes; due--) {
			struct tx_lane *lane = class_next(c);

			pacer_advance(&c->pacer);
			if (lane != NULL)
				lane->unsent++;
		}
	}
}
