/* SPDX-License-Identifier: BSD-3-Clause */
#include "clock.h"

#include <rte_cycles.h>

#if defined(__x86_64__) || defined(__i386__)
#include <cpuid.h>
#endif
#include <time.h>

#define CALIBRATION_MIN_NS 200000000ull

#if defined(__x86_64__) || defined(__i386__)
#define CPUID_POWER	    0x80000007u
#define CPUID_INVARIANT_TSC (1u << 8) /* EDX */

bool clock_is_invariant(void)
{
	unsigned a, b, c, d;

	return __get_cpuid(CPUID_POWER, &a, &b, &c, &d) != 0 && (d & CPUID_INVARIANT_TSC) != 0;
}
#else
/* The generic timer of arm64 is one for all cores by its architecture. */
bool clock_is_invariant(void)
{
	return true;
}
#endif

static uint64_t mono_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (uint64_t)ts.tv_sec * 1000000000ull + (uint64_t)ts.tv_nsec;
}

struct clock_mark clock_mark_take(void)
{
	struct clock_mark best = {0};
	uint64_t narrowest = UINT64_MAX;

	/* the tightest of several brackets: a preempted one would be microseconds off */
	for (int i = 0; i < 16; i++) {
		uint64_t before = rte_rdtsc();
		uint64_t ns = mono_ns();
		uint64_t after = rte_rdtsc();

		if (after - before < narrowest) {
			narrowest = after - before;
			best = (struct clock_mark){
				.tsc = before + (after - before) / 2, .mono_ns = ns};
		}
	}
	return best;
}

void clock_calibrate(struct clock *clock, struct clock_mark first)
{
	struct clock_mark last = clock_mark_take();
	uint64_t ticks, ns;

	while (last.mono_ns - first.mono_ns < CALIBRATION_MIN_NS) {
		struct timespec ts = {
			.tv_nsec = (long)(CALIBRATION_MIN_NS - (last.mono_ns - first.mono_ns))};

		nanosleep(&ts, NULL);
		last = clock_mark_take();
	}
	ticks = last.tsc - first.tsc;
	ns = last.mono_ns - first.mono_ns;
	clock->hz = (uint64_t)((unsigned __int128)ticks * 1000000000u / ns);
	clock->mult = (uint64_t)(((unsigned __int128)ns << 32) / ticks);
	clock->base_tsc = last.tsc;
	clock->base_ns = last.mono_ns;
}
