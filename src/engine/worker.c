/* SPDX-License-Identifier: BSD-3-Clause */
#include "worker.h"

#include <rte_cycles.h>
#include <rte_pause.h>

/* After the end of a trial: bursts that may still be taken from a port that never falls silent. */
#define STOP_ROUNDS_MAX 256u

static inline void epoch_advance(struct worker *w, uint64_t now_tsc)
{
	while (__builtin_expect((int64_t)(now_tsc - w->epoch_end_tsc) >= 0, 0)) {
		w->cur_epoch++;
		w->epoch_end_tsc += w->epoch_ticks;
	}
}

/* The busiest state of the queues. */
static enum tx_state send_round(struct worker *w, uint64_t now_tsc)
{
	enum tx_state state = TX_DONE;

	for (uint32_t i = 0; i < w->nb_queues; i++) {
		enum tx_state s = tx_poll(w, &w->queues[i]->tx, now_tsc);

		state = s > state ? s : state;
	}
	return state;
}

static void sending_over(struct worker *w, uint64_t end_tsc, bool all_sent)
{
	uint64_t last = 0;

	for (uint32_t i = 0; i < w->nb_queues; i++) {
		struct tx_queue *q = &w->queues[i]->tx;

		tx_finish(q);
		if (!all_sent)
			tx_sched_count_missing(&q->sched, end_tsc);
		else if (tx_sched_end(&q->sched, end_tsc) > last)
			last = tx_sched_end(&q->sched, end_tsc);
	}
	w->send_end_tsc = all_sent && last != 0 ? last : end_tsc;
	atomic_store_explicit(&w->tx_done, true, memory_order_release);
}

/*
 * Sends until the end; then what was due before it and is still to go, but not for longer than a
 * schedule may lag. true: it is over.
 */
static bool send_step(struct worker *w, uint64_t now_tsc, uint64_t *end_tsc)
{
	uint64_t horizon = now_tsc < *end_tsc ? now_tsc : *end_tsc - 1;
	enum tx_state state;

	if (horizon == now_tsc &&
		atomic_load_explicit(&w->shared->phase, memory_order_relaxed) != TRIAL_SEND) {
		*end_tsc = now_tsc;
		horizon = now_tsc - 1;
	}
	w->ended = horizon != now_tsc;
	state = send_round(w, horizon);
	if (state == TX_DONE ||
		(w->ended && (state == TX_IDLE || now_tsc - *end_tsc > w->catch_up_tsc))) {
		sending_over(w, w->ended ? *end_tsc : now_tsc, state == TX_DONE);
		return true;
	}
	return false;
}

int worker_main(void *arg)
{
	struct worker *w = arg;
	struct trial_shared *sh = w->shared;
	uint64_t end_tsc = sh->end_tsc;
	bool sending = true;
	unsigned stop_rounds = 0;

	while ((int64_t)(rte_rdtsc() - sh->start_tsc) < 0)
		rte_pause();
	for (;;) {
		uint64_t now = rte_rdtsc();
		bool stop = atomic_load_explicit(&sh->phase, memory_order_acquire) == TRIAL_STOP;
		unsigned received = 0;

		epoch_advance(w, now);
		if (sending)
			sending = !send_step(w, now, &end_tsc);
		for (uint32_t i = 0; i < w->nb_queues; i++)
			received += rx_poll(w, w->queues[i]);
		epoch_worker_tick(&w->epoch, clock_ticks_ns(&sh->clock, now - sh->start_tsc));
		if (stop && !sending && (received == 0 || ++stop_rounds > STOP_ROUNDS_MAX))
			break;
		if (received == 0)
			rte_pause();
	}
	return 0;
}
