/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/*
 * The time stamp counter against CLOCK_MONOTONIC, measured by ourselves: EAL rounds its figure to
 * 10 MHz, which can be off by 0.2 %. Two readings half a second apart are good for about 1 ppm.
 */
struct clock_mark {
	uint64_t tsc, mono_ns;
};

struct clock {
	uint64_t hz;
	uint64_t base_tsc, base_ns; /* ns of CLOCK_MONOTONIC at base_tsc */
	uint64_t mult;		    /* ns = ticks · mult / 2^32 */
};

/*
 * Whether the counter runs at one rate whatever the CPU does, and alike on all of them, so that a
 * stamp taken on one core can be compared with one of another.
 */
bool clock_is_invariant(void);
struct clock_mark clock_mark_take(void);
/* Calibrates over the time since first, waiting until at least 200 ms have passed. */
void clock_calibrate(struct clock *clock, struct clock_mark first);

static inline uint64_t clock_ticks_ns(const struct clock *clock, uint64_t ticks)
{
	return (uint64_t)((unsigned __int128)ticks * clock->mult >> 32);
}

static inline uint64_t clock_ns(const struct clock *clock, uint64_t tsc)
{
	return clock->base_ns + clock_ticks_ns(clock, tsc - clock->base_tsc);
}

static inline uint64_t clock_ns_ticks(const struct clock *clock, uint64_t ns)
{
	return (uint64_t)((unsigned __int128)ns * clock->hz / 1000000000u);
}
