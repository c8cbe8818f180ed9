/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <stdint.h>

#include "tgen/sched.h"

/* A reduced fraction whose terms have at most so many bits. */
#define SCHED_RATE_BITS 47
struct sched_rate {
	uint64_t num, den;
};
struct sched_rate sched_rate(uint64_t num, uint64_t den);

/*
 * Frames of the first ns of point i of a profile, in 2^-64 frames, rounded down; of a straight line
 * only its whole length can be asked for.
 */
unsigned __int128 sched_point_frames(const struct sched *s, unsigned i, uint64_t ns);
