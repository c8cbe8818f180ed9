/* SPDX-License-Identifier: BSD-3-Clause */
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/*
 * The best that a core of this machine can do: a loop that reads the clock until the next moment is
 * due, and notes when that was. What is wrong with its gaps is the machine's, not the generator's.
 * Usage: bench_spin CPU PER-SECOND MILLISECONDS; prints JSON, ns.
 */

#define NEAR_NS 256u

static inline uint64_t ticks(void)
{
#if defined(__x86_64__)
	return __builtin_ia32_rdtsc();
#elif defined(__aarch64__)
	uint64_t t;

	__asm__ volatile("mrs %0, cntvct_el0" : "=r"(t));
	return t;
#else
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
#endif
}

static uint64_t now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC_RAW, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

/* Ticks a second, against the kernel's clock over a tenth of a second. */
static double measure_hz(void)
{
	uint64_t from_ns = now_ns(), from = ticks(), to_ns;

	while ((to_ns = now_ns()) - from_ns < 100000000u)
		;
	return (double)(ticks() - from) * 1e9 / (double)(to_ns - from_ns);
}

static int compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

/* error_ns: of each gap, in order; sorted here. */
static void print_errors(double *error_ns, size_t nb, double hz)
{
	size_t near = 0;

	for (size_t i = 0; i < nb; i++)
		near += error_ns[i] < NEAR_NS;
	qsort(error_ns, nb, sizeof(*error_ns), compare);
	printf("{\"tsc-hz\": %.0f, \"count\": %zu, \"within-256ns-pct\": %.4f, \"p50\": %.0f, "
	       "\"p99\": %.0f, \"p99.9\": %.0f, \"max\": %.0f}\n",
		hz, nb, 100.0 * (double)near / (double)nb, error_ns[nb / 2],
		error_ns[nb * 99 / 100], error_ns[nb * 999 / 1000], error_ns[nb - 1]);
}

static void spin(double *error_ns, size_t nb, double hz, double per_second)
{
	double gap = hz / per_second;
	uint64_t begin = ticks(), last = begin;

	for (size_t i = 0; i < nb; i++) {
		uint64_t due = begin + (uint64_t)((double)(i + 1) * gap), now;

		while ((now = ticks()) < due)
			;
		error_ns[i] = ((double)(now - last) - gap) * 1e9 / hz;
		if (error_ns[i] < 0)
			error_ns[i] = -error_ns[i];
		last = now;
	}
}

int main(int argc, char **argv)
{
	double hz, per_second, *error_ns;
	cpu_set_t set;
	size_t nb;

	if (argc != 4 || (per_second = atof(argv[2])) < 1) {
		fprintf(stderr, "usage: bench_spin CPU PER-SECOND MILLISECONDS\n");
		return 2;
	}
	CPU_ZERO(&set);
	CPU_SET((size_t)atoi(argv[1]), &set);
	nb = (size_t)(per_second * atof(argv[3]) / 1e3);
	if (nb == 0)
		nb = 1;
	error_ns = malloc(nb * sizeof(*error_ns));
	if (sched_setaffinity(0, sizeof(set), &set) != 0 || !error_ns) {
		perror("bench_spin");
		free(error_ns);
		return 4;
	}
	memset(error_ns, 0, nb * sizeof(*error_ns)); /* no page fault later */
	hz = measure_hz();
	spin(error_ns, nb, hz, per_second);
	print_errors(error_ns, nb, hz);
	free(error_ns);
	return 0;
}
