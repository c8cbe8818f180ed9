/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "tx_fill.h"

#include <rte_mbuf.h>

#include <string.h>

/* What the writers of frames share. They are compiled once for each kind of CPU (TX_CPU). */

#define CONCAT(a, b)	a##b
#define NAME(base, cpu) CONCAT(base, cpu)
#ifndef TX_CPU
#define TX_CPU base
#endif

_Static_assert(
	offsetof(struct rte_mbuf, ol_flags) == offsetof(struct rte_mbuf, rearm_data) + 8 &&
		offsetof(struct rte_mbuf, packet_type) ==
			offsetof(struct rte_mbuf, rearm_data) + 16 &&
		offsetof(struct rte_mbuf, pkt_len) == offsetof(struct rte_mbuf, rearm_data) + 20 &&
		offsetof(struct rte_mbuf, data_len) == offsetof(struct rte_mbuf, rearm_data) + 24,
	"struct tx_meta is what lies there");
_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "meta_put_size, tx_sign");
_Static_assert(sizeof(struct tx_meta) == 32, "two vectors of the smallest kind");

#pragma GCC diagnostic ignored "-Wpsabi" /* nothing of it is called: all is inlined */

typedef uint64_t line __attribute__((vector_size(TX_LINE), aligned(8)));

/* Our pools' buffers have no private area and the usual headroom. */
static inline uint8_t *data_of(struct rte_mbuf *m)
{
	return (uint8_t *)(m + 1) + RTE_PKTMBUF_HEADROOM;
}

static inline void meta_put(struct rte_mbuf *m, const struct tx_meta *meta)
{
	memcpy((uint8_t *)m + offsetof(struct rte_mbuf, rearm_data), meta, sizeof(*meta));
}

/*
 * The same with a size of its own, piece by piece: a vector that is put together in memory would have
 * to wait for its pieces.
 */
static inline void meta_put_size(struct rte_mbuf *m, const struct tx_meta *meta, uint32_t size)
{
	uint64_t lengths = (uint64_t)size << 32;

	memcpy((uint8_t *)m + offsetof(struct rte_mbuf, rearm_data), meta, 16);
	memcpy((uint8_t *)m + offsetof(struct rte_mbuf, packet_type), &lengths, sizeof(lengths));
	memcpy((uint8_t *)m + offsetof(struct rte_mbuf, data_len), &size, sizeof(size));
}

static inline line line_get(const void *p)
{
	line l;

	memcpy(&l, p, sizeof(l));
	return l;
}

static inline void line_put(uint8_t *p, line l)
{
	memcpy(p, &l, sizeof(l));
}

static inline void lane_started(struct tx_lane *lane, uint64_t now_ns)
{
	if (__builtin_expect(!lane->started, 0)) {
		lane->started = true;
		lane->first_ns = now_ns;
	}
	lane->last_ns = now_ns;
}

/*
 * Receivers take a higher sequence for somebody else's, so it is stored before the frame can leave:
 * the call that sends it is not before that. Returns the first of nb.
 */
static inline uint32_t lane_take(struct tx_lane *lane, uint32_t nb, const struct tx_stamp *st)
{
	uint64_t seq = atomic_load_explicit(&lane->seq, memory_order_relaxed);

	atomic_store_explicit(&lane->seq, seq + nb, memory_order_relaxed);
	lane->slot[st->slot] += nb;
	lane_started(lane, st->ns);
	return (uint32_t)seq;
}

static inline uint16_t complement_of(uint32_t sum)
{
	sum = (sum & 0xffff) + (sum >> 16);
	sum = ~((sum & 0xffff) + (sum >> 16));
	return (uint16_t)((sum & 0xff) << 8 | (sum >> 8 & 0xff));
}

/* Sequences and complements of a whole burst of one lane, as they lie in frames. */
struct numbers {
	uint32_t seq[TX_BURST];
	uint16_t complement[TX_BURST];
};

static inline void numbers_make(struct numbers *out, uint32_t first, uint32_t sum, unsigned nb)
{
	for (unsigned k = 0; k < nb; k++) {
		uint32_t s = first + k;

		out->seq[k] = __builtin_bswap32(s);
		out->complement[k] = complement_of(sum + (s >> 16) + (s & 0xffff));
	}
}
