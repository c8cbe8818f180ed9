/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

/*
 * Interval rows without locks. Every (rx or tx queue, lane) has EPOCH_SLOTS slots; the counters of
 * epoch e (interval number, from 0) live in slot e % EPOCH_SLOTS. A worker opens and closes epochs
 * by its own clock and never waits:
 *
 *	closed  <= e, e < returned + EPOCH_SLOTS	the worker may add to slot e % EPOCH_SLOTS
 *	e < closed					too late: totals and `late`
 *	otherwise					too far ahead of a stalled reader: totals and
 *							`spill`; the row is incomplete
 *
 * The reader owns slot E once every worker's closed > E (acquire); it merges and zeroes it and
 * then publishes returned = E + 1 (release), which gives the slot to epoch E + EPOCH_SLOTS.
 * At the end: total = rows + late + spill.
 */
#define EPOCH_SLOTS 4u

struct epoch_reader {
	_Atomic uint64_t returned; /* main: wo, worker: ro */
};

struct epoch_worker {
	_Atomic uint64_t closed; /* worker: wo, main: ro; epochs below it take no more frames */
	uint64_t open;		 /* worker: its own copy of closed */
	uint64_t length_ns;	 /* of an epoch; immutable during a trial */
	uint64_t grace_ns;
	uint64_t next_close_ns; /* trial time at which `open` closes */
	const struct epoch_reader *reader;
};

enum epoch_place { EPOCH_IN_SLOT, EPOCH_LATE, EPOCH_SPILL };

void epoch_worker_init(struct epoch_worker *w, const struct epoch_reader *reader,
	uint64_t length_ns, uint64_t grace_ns);

/* The full number of the epoch whose low 8 bits a frame carries; now: the clock's epoch. */
static inline uint64_t epoch_full(uint64_t now_epoch, uint8_t low)
{
	int8_t behind = (int8_t)(uint8_t)((uint8_t)now_epoch - low);

	if (behind >= 0 && (uint64_t)behind > now_epoch)
		return 0;
	return now_epoch - (uint64_t)(int64_t)behind;
}

static inline enum epoch_place epoch_place(const struct epoch_worker *w, uint64_t epoch)
{
	if (epoch < w->open)
		return EPOCH_LATE;
	/* acquire: the zeroing of the slot is seen before the first addition to it */
	if (epoch < atomic_load_explicit(&w->reader->returned, memory_order_acquire) + EPOCH_SLOTS)
		return EPOCH_IN_SLOT;
	return EPOCH_SPILL;
}

/* Closes what is due at now_ns (trial time). Cheap when nothing is. */
void epoch_worker_close_due(struct epoch_worker *w, uint64_t now_ns);
static inline void epoch_worker_tick(struct epoch_worker *w, uint64_t now_ns)
{
	if (__builtin_expect(now_ns >= w->next_close_ns, 0))
		epoch_worker_close_due(w, now_ns);
}
/* The worker has finished: all epochs below `epochs` are closed. */
void epoch_worker_finish(struct epoch_worker *w, uint64_t epochs);

/* Whether every worker has closed epoch: the reader may then own its slots. */
bool epoch_reader_owns(const struct epoch_worker *const *workers, unsigned nb, uint64_t epoch);
/* The reader has merged and zeroed all slots of epoch. */
void epoch_reader_return(struct epoch_reader *r, uint64_t epoch);
