/* SPDX-License-Identifier: BSD-3-Clause */
#include "worker.h"

#include <rte_cycles.h>
#include <rte_pause.h>

#include <sys/prctl.h>
#include <time.h>

/* After the end of a trial: bursts that may still be taken from a port that never falls silent. */
#define STOP_ROUNDS_MAX 256u

static inline void epoch_advance(struct worker *w, uint64_t now_tsc)
{
	while (__builtin_expect((int64_t)(now_tsc - w->epoch_end_tsc) >= 0, 0)) {
		w->cur_epoch++;
		w->epoch_end_tsc += w->epoch_ticks;
	}
}

/*
 * Rounds in which at most as much is received as may be sent in one: neither waits for the other
 * longer than that, and a core that sends to itself keeps up.
 */
#define RX_BURSTS_MAX 2u

/* idle=sleep: rounds without anything to do before it; the longest, which is by how much a received
 * frame may wait for its stamp; what waking up may take before a frame is due. */
#define SLEEP_AFTER_ROUNDS 64u
#define SLEEP_MAX_NS	   50000u
#define SLEEP_MIN_NS	   5000u
#define SLEEP_WAKE_UP_NS   60000u

/* A round of the loop, for telling where the time went. */
struct round {
	uint64_t begin_tsc, mid_tsc; /* sending ended at mid_tsc */
	bool sent;
	unsigned received;
};

/*
 * The clock is read once a round. Only where both happen it is read between sending and receiving,
 * too; a round that only sent, its look for frames included, is sending's.
 */
static inline void round_account(struct worker_use *use, const struct round *r, uint64_t now_tsc)
{
	uint64_t ticks = now_tsc - r->begin_tsc;

	if (r->received > 0) {
		use->rx_frames += r->received;
		use->tx_tsc += r->mid_tsc - r->begin_tsc;
		use->rx_tsc += now_tsc - r->mid_tsc;
	} else if (r->sent) {
		use->tx_tsc += ticks;
	} else {
		use->idle_tsc += ticks;
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
static bool send_step(struct worker *w, uint64_t now_tsc, uint64_t *end_tsc, struct round *round)
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
	round->sent = state == TX_BUSY;
	if (state == TX_DONE ||
		(w->ended && (state == TX_IDLE || now_tsc - *end_tsc > w->catch_up_tsc))) {
		sending_over(w, w->ended ? *end_tsc : now_tsc, state == TX_DONE);
		return true;
	}
	return false;
}

/* Leaves the core to others until shortly before something is due. */
static void sleep_until_due(const struct worker *w, bool sending)
{
	const struct clock *clock = &w->shared->clock;
	uint64_t due = UINT64_MAX, now_tsc = rte_rdtsc(), ns = SLEEP_MAX_NS;

	for (uint32_t i = 0; i < w->nb_queues && sending; i++) {
		uint64_t one = tx_next_due(&w->queues[i]->tx);

		due = one < due ? one : due;
	}
	if (due <= now_tsc)
		return;
	if (due - now_tsc < clock_ns_ticks(clock, SLEEP_MAX_NS + SLEEP_WAKE_UP_NS)) {
		uint64_t left = clock_ticks_ns(clock, due - now_tsc);

		if (left < SLEEP_WAKE_UP_NS + SLEEP_MIN_NS)
			return;
		ns = left - SLEEP_WAKE_UP_NS;
	}
	nanosleep(&(struct timespec){.tv_nsec = (long)ns}, NULL);
}

/* After a round that had nothing to do; rounds: how many of them there were in a row. */
static inline void idle(const struct worker *w, bool sending, unsigned rounds)
{
	enum conf_idle policy = w->shared->plan->idle;

	if (policy == IDLE_SLEEP && rounds > SLEEP_AFTER_ROUNDS)
		sleep_until_due(w, sending);
	else if (policy != IDLE_BUSY)
		rte_pause();
}

/* As much as arrived, but no more than its turn. Returns the number of frames. */
static inline unsigned receive_round(struct worker *w)
{
	unsigned received = 0;

	for (uint32_t i = 0; i < w->nb_queues; i++)
		for (unsigned b = 0; b < RX_BURSTS_MAX; b++) {
			unsigned nb = rx_poll(w, w->queues[i]);

			received += nb;
			if (nb < ENGINE_BURST)
				break;
		}
	return received;
}

int worker_main(void *arg)
{
	struct worker *w = arg;
	struct trial_shared *sh = w->shared;
	uint64_t end_tsc = sh->end_tsc;
	struct worker_use use = {0};
	bool sending = true, counted = false;
	unsigned stop_rounds = 0, idle_rounds = 0;
	struct round round = {0};

	if (sh->plan->idle == IDLE_SLEEP)
		prctl(PR_SET_TIMERSLACK, 1UL); /* else 50 us more each time */
	while ((int64_t)(rte_rdtsc() - sh->start_tsc) < 0)
		rte_pause();
	for (;;) {
		uint64_t now = rte_rdtsc();
		int phase = atomic_load_explicit(&sh->phase, memory_order_acquire);

		if (counted)
			round_account(&use, &round, now);
		counted = phase == TRIAL_SEND && now < sh->end_tsc;
		round = (struct round){.begin_tsc = now, .mid_tsc = now};
		w->fresh_tsc = now;
		epoch_advance(w, now);
		if (sending)
			sending = !send_step(w, now, &end_tsc, &round);
		if (round.sent && use.rx_frames > 0)
			round.mid_tsc = rte_rdtsc();
		round.received = receive_round(w);
		epoch_worker_tick(&w->epoch, clock_ticks_ns(&sh->clock, now - sh->start_tsc));
		if (phase == TRIAL_STOP && !sending &&
			(round.received == 0 || ++stop_rounds > STOP_ROUNDS_MAX))
			break;
		idle_rounds = round.sent || round.received > 0 ? 0 : idle_rounds + 1;
		if (idle_rounds > 0)
			idle(w, sending, idle_rounds);
	}
	w->use = use;
	return 0;
}
