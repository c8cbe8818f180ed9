/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <stdint.h>
#include <string.h>

/*
 * Order and duplicates of one lane's sequences: the highest seen and a window of bits behind it.
 * Sequences have 32 bits and wrap after 2^32 frames (29 s of smallest frames at 100G); they are
 * compared by their difference, so a wrap is nothing special. No DPDK: tested on its own.
 */
#define ORDER_WINDOW 4096u /* sequences back to which a duplicate is told from a late frame */

enum order {
	ORDER_NEW,	 /* the highest so far */
	ORDER_OLD,	 /* lower than the highest, not seen before as far as can be told */
	ORDER_DUPLICATE, /* seen before */
};

struct order_window {
	uint32_t highest;
	uint64_t bits[ORDER_WINDOW / 64]; /* bit s % ORDER_WINDOW: sequence s was seen */
};

/* next_seq: the first sequence that will be sent. */
static inline void order_reset(struct order_window *w, uint32_t next_seq)
{
	w->highest = next_seq - 1;
	memset(w->bits, 0, sizeof(w->bits));
}

/* Where the bits of 64 sequences are, `seq` among them. */
static inline uint64_t *order_word(struct order_window *w, uint32_t seq)
{
	return &w->bits[seq / 64 % (ORDER_WINDOW / 64)];
}

/* The window moves on: the places of the sequences after `from` up to `to` are free again. */
static inline void order_clear(struct order_window *w, uint32_t from, uint32_t to)
{
	if (to - from >= ORDER_WINDOW) {
		memset(w->bits, 0, sizeof(w->bits));
		return;
	}
	for (uint32_t s = from + 1; s != to + 1; s++)
		w->bits[s / 64 % (ORDER_WINDOW / 64)] &= ~(1ull << s % 64);
}

/* Takes one sequence. One older than the window is taken for late: a duplicate cannot be told. */
static inline enum order order_take(struct order_window *w, uint32_t seq)
{
	int32_t ahead = (int32_t)(seq - w->highest);
	uint64_t bit = 1ull << seq % 64;
	uint64_t *word = order_word(w, seq);

	if (__builtin_expect(ahead > 0, 1)) {
		order_clear(w, w->highest, seq);
		w->highest = seq;
		*word |= bit;
		return ORDER_NEW;
	}
	if (w->highest - seq >= ORDER_WINDOW)
		return ORDER_OLD;
	if (*word & bit)
		return ORDER_DUPLICATE;
	*word |= bit;
	return ORDER_OLD;
}
