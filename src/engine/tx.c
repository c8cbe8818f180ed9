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

		if (lane->frame->sig_off == 0)
			continue;
		sig.lane = lane->id;
		sig.seq = q->pending_seq[i];
		sig_write(rte_pktmbuf_mtod_offset(q->pending[i], uint8_t *, lane->frame->sig_off),
			&sig);
		if (lane->lag_ring != NULL)
			remember_lag(sh, q, i, now_tsc);
	}
	return now_tsc;
}

static inline void fill(struct rte_mbuf *m, struct tx_lane *lane)
{
	const struct pkt_frame *f = lane->frame;
	uint8_t *data = rte_pktmbuf_mtod(m, uint8_t *);

	memcpy(data, f->hdr, f->hdr_bytes);
	for (unsigned i = 0; i < f->nb_mods; i++) {
		const struct pkt_mod *mod = &f->mods[i];

		if (lane->step[i] != 0 || mod->table != NULL)
			pkt_mod_apply(data, mod, lane->step[i]);
		lane->step[i] += lane->stride;
		while (lane->step[i] >= mod->nb)
			lane->step[i] -= mod->nb;
	}
	m->data_len = f->size;
	m->pkt_len = f->size;
}

/*
 * Returns the sequence of the next frame and moves it on. Receivers take a higher one for somebody
 * else's, so it is stored before the frame can leave: the call that sends it is not before that.
 */
static inline uint32_t next_seq(struct tx_lane *lane, int step)
{
	uint32_t seq = atomic_load_explicit(&lane->seq, memory_order_relaxed);

	atomic_store_explicit(&lane->seq, seq + (uint32_t)step, memory_order_relaxed);
	return seq;
}

/* Takes back what fill did: the frame was never sent. */
static void unfill(struct tx_lane *lane)
{
	const struct pkt_frame *f = lane->frame;

	for (unsigned i = 0; i < f->nb_mods; i++)
		lane->step[i] = (lane->step[i] + f->mods[i].nb - lane->stride % f->mods[i].nb) %
				f->mods[i].nb;
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
		hist_record(w->lag, clock_ticks_ns(&w->shared->clock, lag));
		late += lag > w->late_tsc;
	}
	w->late_bursts += late > 0;
	w->catch_up += late;
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

/* Adds the frames of a class that are due; returns false when the pool is empty. */
static bool class_build(struct worker *w, struct tx_queue *q, struct tx_class *c, uint64_t now_tsc)
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
	if (nb == 0)
		return true;
	if (rte_pktmbuf_alloc_bulk(c->pool, q->pending + q->nb_pending, nb) != 0) {
		/* the driver holds all buffers: the schedule has moved on without these */
		for (uint16_t i = nb; i-- > 0;) {
			lanes[i]->unsent++;
			if (lanes[i]->remaining != UINT64_MAX && lanes[i]->remaining++ == 0)
				c->nb_done--;
		}
		return false;
	}
	for (uint16_t i = 0; i < nb; i++) {
		q->pending_seq[q->nb_pending + i] = next_seq(lanes[i], 1);
		fill(q->pending[q->nb_pending + i], lanes[i]);
	}
	q->nb_pending += nb;
	return true;
}

enum tx_state tx_poll(struct worker *w, struct tx_queue *q, uint64_t now_tsc)
{
	uint32_t nb_finished = 0;

	if (q->nb_pending > 0) {
		flush(w, q);
		if (q->nb_pending > 0)
			return TX_BUSY;
	}
	for (uint32_t k = 0; k < q->nb_classes && q->nb_pending < ENGINE_BURST; k++) {
		struct tx_class *c = &q->classes[(q->first + k) % q->nb_classes];

		if (c->nb_done == c->nb_lanes)
			nb_finished++;
		else
			class_build(w, q, c, now_tsc);
	}
	if (q->nb_pending > 0) {
		/* no class waits behind another that always has more */
		q->first = q->first + 1 >= q->nb_classes ? 0 : q->first + 1;
		flush(w, q);
		return TX_BUSY;
	}
	return nb_finished < q->nb_classes ? TX_IDLE : TX_DONE;
}

uint64_t tx_schedule_end(const struct tx_queue *q)
{
	uint64_t end = 0;

	for (uint32_t k = 0; k < q->nb_classes; k++)
		if (!q->classes[k].flat_out && q->classes[k].pacer.due_tsc > end)
			end = q->classes[k].pacer.due_tsc;
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
