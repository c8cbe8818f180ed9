/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <stdint.h>

/*
 * Random numbers by place: number k of the sequence of a seed, without state, so that any number of
 * senders makes the same sequence together. The mixing function is splitmix64's (Steele, Lea and
 * Flood, OOPSLA 2014), whose output for consecutive inputs passes the usual batteries.
 */
#define RANDOM_INCREMENT UINT64_C(0x9e3779b97f4a7c15)

static inline uint64_t random_mix(uint64_t z)
{
	z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
	return z ^ (z >> 31);
}

static inline uint64_t random_at(uint64_t seed, uint64_t k)
{
	return random_mix(seed + (k + 1) * RANDOM_INCREMENT);
}

/* One of 0 .. span-1, span > 0; the bias is below span / 2^64. */
static inline uint64_t random_below(uint64_t random, uint64_t span)
{
	return (uint64_t)((unsigned __int128)random * span >> 64);
}
