/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What a received frame costs: a ring is filled with prepared frames, then the time is taken that
 * rx_poll needs to empty it. Not a test: it judges nothing.
 *
 *	bench_rx LANES none|compute BYTES [ROUNDS [WORDS]]
 */
#include "../../src/engine/load.h"
#include "bench.h"

#include <rte_cycles.h>
#include <rte_lcore.h>

#include <inttypes.h>
#include <stdio.h>

#define CONF                                                                                       \
	"{'ports': [{'name': 'loop', 'device': 'ring:loop', 'address': ['1.1.1.1/24']}],"          \
	"'packet-templates': ["                                                                    \
	"{'name': 'none', 'ip-dst': '1.1.1.1', 'udp-checksum': '0'},"                              \
	"{'name': 'compute', 'ip-dst': '1.1.1.1', 'udp-checksum': 'compute'}]}"
#define FRAMES	     256u /* in the ring at a time */
#define ROUNDS	     3000u
#define NAME_MAX_LEN 16u

struct rig {
	struct bench b;
	struct worker w;
	struct worker_queue *q;
	struct rte_mempool *pool;
	unsigned nb_lanes, next, size;
	uint8_t *images;
};

static char *words_of(unsigned nb, const char *name, const char *bytes, const char *more)
{
	size_t size = (size_t)nb * NAME_MAX_LEN + strlen(more) + 128, used;
	char *words = malloc(size);

	assert_non_null(words);
	used = (size_t)snprintf(
		words, size, "%s packet-size=%s pps=1 tx-template=%s", more, bytes, name);
	for (unsigned i = 1; i < nb; i++)
		used += (size_t)snprintf(words + used, size - used, ",%s", name);
	return words;
}

/* As a trial starts it, without worker threads: this thread is the worker. */
static void rig_start(struct rig *r)
{
	struct engine *engine = r->b.engine;
	struct load *load = engine->load;
	struct trial_shared *sh = &load->shared;

	clock_calibrate(&engine->clock, engine->clock_start);
	sh->clock = engine->clock;
	sh->start_tsc = rte_rdtsc();
	sh->start_ns = clock_ns(&sh->clock, sh->start_tsc) & SIG_TIME_MASK;
	load_reset(engine);
	r->w.shared = sh;
	epoch_worker_init(&r->w.epoch, &sh->reader, UNITS_NS_PER_S, UNITS_NS_PER_S);
	r->q = &load->queues[0];
	r->nb_lanes = r->b.plan->nb_lanes;
	r->pool = rte_pktmbuf_pool_create("bench", 2047, 256, 0, 2048, (int)rte_socket_id());
	assert_non_null(r->pool);
}

/* A frame of every lane; one of another sequence differs in its signature only. */
static void images_make(struct rig *r)
{
	r->size = r->b.plan->streams[0].frame.size;
	r->images = calloc(r->nb_lanes, r->size);
	assert_non_null(r->images);
	for (unsigned l = 0; l < r->nb_lanes; l++) {
		const struct sig sig = {.lane = (uint16_t)l};

		pkt_render(&r->b.plan->streams[r->b.plan->lanes[l].stream].frame, 0, &sig,
			r->images + (size_t)l * r->size);
	}
}

/* The next frame of the next lane. */
static void next_frame(struct rig *r, struct rte_mbuf *m, struct sig *sig)
{
	struct tx_lane *lane = &r->b.engine->load->lanes[r->next];
	uint64_t seq = atomic_load_explicit(tx_lane_seq(lane), memory_order_relaxed);

	*sig = (struct sig){
		.test_id = r->b.plan->test_id, .lane = (uint16_t)r->next, .seq = (uint32_t)seq};
	memcpy(rte_pktmbuf_mtod(m, uint8_t *), r->images + (size_t)r->next * r->size, r->size);
	m->data_len = (uint16_t)r->size;
	m->pkt_len = r->size;
	atomic_store_explicit(tx_lane_seq(lane), seq + 1, memory_order_relaxed);
	r->next = r->next + 1 < r->nb_lanes ? r->next + 1 : 0;
}

/* Bursts are stamped when they are sent, as a sender does it. */
static void fill(struct rig *r)
{
	const struct clock *clock = &r->b.engine->load->shared.clock;
	struct rte_mbuf *m[FRAMES];
	struct sig sig[FRAMES];

	assert_int_equal(rte_pktmbuf_alloc_bulk(r->pool, m, FRAMES), 0);
	for (unsigned i = 0; i < FRAMES; i++)
		next_frame(r, m[i], &sig[i]);
	for (unsigned i = 0; i < FRAMES; i += ENGINE_BURST) {
		uint64_t ns = clock_ns(clock, rte_rdtsc()) & SIG_TIME_MASK;

		for (unsigned k = i; k < i + ENGINE_BURST; k++) {
			sig[k].time_ns = ns;
			sig_write(rte_pktmbuf_mtod_offset(
					  m[k], uint8_t *, m[k]->data_len - SIG_BYTES),
				&sig[k]);
		}
		assert_int_equal(
			rte_eth_tx_burst(r->q->tx.port_id, 0, &m[i], ENGINE_BURST), ENGINE_BURST);
	}
}

static int by_size(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return x < y ? -1 : x > y;
}

int main(int argc, char **argv)
{
	unsigned nb = argc > 1 ? (unsigned)atoi(argv[1]) : 6;
	const char *csum = argc > 2 ? argv[2] : "compute", *bytes = argc > 3 ? argv[3] : "60";
	unsigned rounds = argc > 4 ? (unsigned)atoi(argv[4]) : ROUNDS;
	char *words = words_of(nb, csum, bytes, argc > 5 ? argv[5] : "");
	uint64_t *took = calloc(rounds, sizeof(*took));
	struct rig r = {0};

	assert_non_null(took);
	bench_open(&r.b, CONF, words);
	rig_start(&r);
	images_make(&r);
	for (unsigned i = 0; i < rounds; i++) {
		uint64_t from;

		fill(&r);
		from = rte_rdtsc();
		while (rx_poll(&r.w, r.q) > 0)
			;
		took[i] = rte_rdtsc() - from;
	}
	qsort(took, rounds, sizeof(*took), by_size);
	printf("%u lanes, checksum %s, %s bytes: %.1f cycles a frame (least %.1f), %" PRIu64
	       " of %u good\n",
		nb, csum, bytes, (double)took[rounds / 2] / FRAMES, (double)took[0] / FRAMES,
		atomic_load(&r.w.pub_good), rounds * FRAMES);
	free(took);
	free(r.images);
	free(words);
	bench_close(&r.b);
	return 0;
}
