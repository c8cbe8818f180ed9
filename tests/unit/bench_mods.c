/* SPDX-License-Identifier: BSD-3-Clause */
#include "pkt_help.h"

#include <time.h>

#include "tgen/pkt_mods.h"

/*
 * What the varying fields of a frame cost: header copied, fields and checksums written, steps moved.
 * Against the header alone. Run it on a core of its own; under an
 * instruction counter with the number of frames and of a case as arguments.
 */

#define NB(array) (sizeof(array) / sizeof((array)[0]))
#define NB_BUFS	  64u
#define BUF_BYTES 192u
#define RUNS	  7u

/* clang-format off */
static const struct {
	const char *name, *words[MAX_WORDS];
} cases[] = {
	{"udp-dst-port", {"ip-dst=10.0.0.1", "udp-dst-port=1000-2000"}},
	{"udp-dst-port, checksum", {"ip-dst=10.0.0.1", "udp-dst-port=1000-2000", "udp-checksum=good"}},
	{"ip-dst", {"ip-dst=10.0.0.1-10.0.3.250"}},
	{"ip-dst, checksum", {"ip-dst=10.0.0.1-10.0.3.250", "udp-checksum=good"}},
	{"ip-src, ip-dst, udp-src-port, checksum", {"ip-dst=10.0.0.1-10.0.3.250",
		"ip-src=10.1.0.1-10.1.0.200", "udp-src-port=1000-2000", "udp-checksum=good"}},
	{"random ip-dst, checksum", {"ip-dst=rand:10.0.0.1-10.0.3.250", "udp-checksum=good"}},
	{"shuffled port, checksum", {"ip-dst=10.0.0.1", "udp-src-port=shuffle:1000-2000", "udp-checksum=good"}},
};
/* clang-format on */

enum way { WAY_NONE, WAY_PLAIN, WAY_FAST, NB_WAYS };

static uint8_t bufs[NB_BUFS][BUF_BYTES] __attribute__((aligned(64)));

static __attribute__((noinline)) void send_none(const struct pkt_frame *f, unsigned nb)
{
	const uint8_t *image = f->hdr;

	for (unsigned n = 0; n < nb; n++) {
		memcpy(bufs[n % NB_BUFS], image, 64);
		__asm__ volatile("" ::: "memory");
	}
}

static __attribute__((noinline)) void send_plain(const struct pkt_frame *f, unsigned nb)
{
	const uint8_t *image = f->hdr;
	struct pkt_steps steps;

	pkt_steps_init(&steps, f, 0);
	for (unsigned n = 0; n < nb; n++) {
		memcpy(bufs[n % NB_BUFS], image, 64);
		pkt_mods_apply(f, &steps, bufs[n % NB_BUFS]);
		pkt_steps_advance(&steps, f, 1);
		__asm__ volatile("" ::: "memory");
	}
}

static __attribute__((noinline)) void send_fast(const struct pkt_frame *f, unsigned nb)
{
	const uint8_t *image = f->hdr;
	struct pkt_steps steps;

	pkt_steps_init(&steps, f, 0);
	for (unsigned n = 0; n < nb; n++) {
		memcpy(bufs[n % NB_BUFS], image, 64);
		pkt_mods_next(f, &steps, 1, bufs[n % NB_BUFS]);
		__asm__ volatile("" ::: "memory");
	}
}

static double now_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (double)ts.tv_sec * 1e9 + (double)ts.tv_nsec;
}

/* ns a frame, the best of several runs. */
static double measure(const struct pkt_frame *f, enum way way, unsigned nb)
{
	static void (*const send[])(const struct pkt_frame *f, unsigned nb) = {
		send_none, send_plain, send_fast};
	double best = 1e9;

	for (unsigned i = 0; i < RUNS; i++) {
		double from = now_ns(), ns;

		send[way](f, nb);
		ns = (now_ns() - from) / nb;
		best = ns < best ? ns : best;
	}
	return best;
}

int main(int argc, char **argv)
{
	unsigned nb = argc > 1 ? (unsigned)strtoul(argv[1], NULL, 10) : 2000000;

	unsigned from = argc > 2 ? (unsigned)strtoul(argv[2], NULL, 10) : 0;
	unsigned to = argc > 2 ? from + 1 : NB(cases);

	printf("%-40s %8s %8s %8s ns a frame\n", "", "none", "plain", "fast");
	for (unsigned i = from; i < to && i < NB(cases); i++) {
		struct pkt_frame f;

		build(cases[i].words, 60, &f);
		printf("%-40s", cases[i].name);
		for (unsigned way = 0; way < NB_WAYS; way++)
			printf(" %8.2f", measure(&f, (enum way)way, nb));
		printf("\n");
		pkt_frame_fini(&f);
	}
	return 0;
}
