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

static inline void stamp(struct worker *w, struct tx_queue *q, uint16_t first, uint16_t nb)
{
	const struct trial_shared *sh = w->shared;
	struct sig sig = {
		.test_id = sh->plan->test_id,
		.epoch = (uint8_t)tx_epoch(w),
		.time_ns = clock_ns(&sh->clock, rte_rdtsc()) & SIG_TIME_MASK,
	};

	for (uint16_t i = first; i < first + nb; i++) {
		const struct tx_lane *lane = q->pending_lane[i];

		if (lane->frame->sig_off == 0)
			continue;
		sig.lane = lane->id;
		sig.seq = q->pending_seq[i];
		sig_write(rte_pktmbuf_mtod_offset(q->pending[i], uint8_t *, lane->frame->sig_off),
			&sig);
	}
}

static inline void fill(struct rte_mbuf *m, struct tx_lane *lane)
{
	const struct pkt_frame *f = lane->frame;
	uint8_t *data = rte_pktmbuf_mtod(m, uint8_t *);

	memcpy(data, f->hdr, f->hdr_bytes);
	for (unsigned i = 0; i < f->nb_mods; i++) {
		const struct pkt_mod *mod = &f->mods[i];

		if (lane->step[i] != 0)
			pkt_mod_apply(data, mod, lane->step[i]);
		lane->step[i] = lane->step[i] + 1 == mod->nb ? 0 : lane->step[i] + 1;
	}
	m->data_len = f->size;
	m->pkt_len = f->size;
}

/* Takes back what fill did: the frame was never sent. */
static void unfill(struct tx_lane *lane)
{
	const struct pkt_frame *f = lane->frame;

	for (unsigned i = 0; i < f->nb_mods; i++)
		lane->step[i] = lane->step[i] == 0 ? f->mods[i].nb - 1 : lane->step[i] - 1;
	lane->seq--;
	if (lane->remaining != UINT64_MAX)
		lane->remaining++;
}

static inline void account(struct worker *w, struct tx_queue *q, uint16_t sent)
{
	uint64_t epoch = tx_epoch(w);
	bool in_slot = epoch_place(&w->epoch, epoch) == EPOCH_IN_SLOT;
	unsigned slot = (unsigned)(epoch % EPOCH_SLOTS);
	uint64_t signed_frames = 0;

	w->tx_epoch_last = epoch;
	for (uint16_t i = 0; i < sent; i++) {
		struct tx_lane *lane = q->pending_lane[i];

		lane->sent++;
		if (in_slot)
			lane->slot[slot]++;
		else
			lane->spill++;
		signed_frames += lane->frame->sig_off != 0;
	}
	atomic_store_explicit(&w->pub_sent,
		atomic_load_explicit(&w->pub_sent, memory_order_relaxed) + signed_frames,
		memory_order_relaxed);
}

/* Offers all pending frames to the driver; what it does not take stays, stamped again next time. */
static inline void flush(struct worker *w, struct tx_queue *q)
{
	uint16_t sent;

	stamp(w, q, 0, q->nb_pending);
	sent = rte_eth_tx_burst(q->port_id, q->queue_id, q->pending, q->nb_pending);
	if (sent > 0)
		account(w, q, sent);
	if (__builtin_expect(sent < q->nb_pending, 0)) {
		uint16_t left = q->nb_pending - sent;

		w->queue_full++;
		memmove(q->pending, q->pending + sent, left * sizeof(q->pending[0]));
		memmove(q->pending_lane, q->pending_lane + sent, left * sizeof(q->pending_lane[0]));
		memmove(q->pending_seq, q->pending_seq + sent, left * sizeof(q->pending_seq[0]));
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

	if (!c->flat_out && pacer_is_due(&c->pacer, now_tsc)) {
		uint64_t lag = now_tsc - c->pacer.due_tsc;

		if (lag > w->lag_max_tsc)
			w->lag_max_tsc = lag;
		if (__builtin_expect(lag > w->catch_up_tsc, 0))
			class_give_up(w, c, now_tsc);
	}
	while (nb < room && c->nb_done < c->nb_lanes &&
		(c->flat_out ? !w->ended : pacer_is_due(&c->pacer, now_tsc))) {
		struct tx_lane *lane = class_next(c);

		if (!c->flat_out)
			pacer_advance(&c->pacer);
		if (lane != NULL)
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
		q->pending_seq[q->nb_pending + i] = lanes[i]->seq++;
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

void tx_count_missing(struct tx_queue *q, uint64_t end_tsc)
{
	for (uint32_t k = 0; k < q->nb_classes; k++) {
		struct tx_class *c = &q->classes[k];
		uint64_t due = c->flat_out ? 0 : pacer_nb_due(&c->pacer, end_tsc - 1);

		for (; due > 0 && c->nb_done < c->nb_lanes; due--) {
			struct tx_lane *lane = class_next(c);

			pacer_advance(&c->pacer);
			if (lane != NULL)
				lane->unsent++;
		}
	}
}
