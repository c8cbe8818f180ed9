/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/*
 * An absolute schedule in integer arithmetic: frame n is due at start + floor(n · interval), the
 * interval being an exact fraction of clock ticks. The remainder is carried from frame to frame, so
 * nothing drifts however long it runs, and there is no division a frame.
 * One writer: the worker that owns it.
 */
struct pacer {
	uint64_t due_tsc; /* of the next frame */
	uint64_t step;	  /* whole ticks of the interval */
	uint64_t rem;	  /* rest of the interval, in 1/mod ticks; < mod */
	uint64_t mod;
	uint64_t acc; /* carried rest, < mod */
};

/* nb_streams of num/den frames a second each, in turn, on a clock of hz ticks a second. */
void pacer_init(struct pacer *p, uint64_t start_tsc, uint64_t hz, uint64_t num, uint64_t den,
	uint32_t nb_streams);

static inline bool pacer_is_due(const struct pacer *p, uint64_t now_tsc)
{
	return (int64_t)(now_tsc - p->due_tsc) >= 0;
}

static inline void pacer_advance(struct pacer *p)
{
	uint64_t acc = p->acc + p->rem, over = acc - p->mod;
	/* no branch: there is no guessing when a remainder carries */
	bool carry = acc >= p->mod;

	p->due_tsc += p->step + carry;
	p->acc = carry ? over : acc;
}

/* How many frames are due at now_tsc. */
uint64_t pacer_nb_due(const struct pacer *p, uint64_t now_tsc);
/* Passes over nb frames. */
void pacer_skip(struct pacer *p, uint64_t nb);
