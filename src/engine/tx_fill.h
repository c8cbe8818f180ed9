/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <stdint.h>
#include <string.h>

#include "tgen/sig.h"
#include "tx_sched.h"

struct rte_mbuf;

/*
 * Writing the frames of a burst into buffers that hold their payload already. Which form is used is
 * chosen when the queue is set up: by what its lanes need, and by what the CPU can do.
 */

/* What a driver reads of a buffer, the 32 bytes from its rearm_data on. */
struct tx_meta {
	uint64_t rearm, ol_flags;
	uint32_t packet_type, pkt_len;
	uint16_t data_len, vlan_tci;
	uint32_t hash;
};

/* What all frames of a burst have in common. */
struct tx_stamp {
	uint8_t image[TX_LINE] __attribute__((aligned(TX_LINE))); /* of frames of one line: the
								     signature in its place */
	uint64_t head, time; /* the signature's first four bytes, high; its time */
	uint32_t sum;	     /* of its words, but for lane and sequence */
	uint32_t slot;	     /* of the lane's */
	uint64_t tsc, ns;    /* of the clock */
	struct tx_meta meta;
	uint16_t sig_off; /* of frames of one line */
	int sig_field; /* of a mix's buffers: offset of the field that tells where the last signature
			  lies */
};

/* Makes the frames of a turn in its buffers and counts them. */
struct tx_fill {
	const char *name; /* the CPU's kind */
	/* frames of one lane, of a few, of more lanes in turn: all of one line and one size */
	void (*one)(const struct tx_turn *t, struct rte_mbuf *const *m, const struct tx_stamp *st);
	void (*few)(const struct tx_turn *t, struct rte_mbuf *const *m, const struct tx_stamp *st);
	void (*line)(const struct tx_turn *t, struct rte_mbuf *const *m, const struct tx_stamp *st);
	/* the same of a class with a struct tx_many */
	void (*many)(const struct tx_turn *t, struct rte_mbuf *const *m, const struct tx_stamp *st);
	/* the same with varying fields that have fast forms */
	void (*one_varies)(
		const struct tx_turn *t, struct rte_mbuf *const *m, const struct tx_stamp *st);
	void (*line_varies)(
		const struct tx_turn *t, struct rte_mbuf *const *m, const struct tx_stamp *st);
	/* frames of several sizes, with images of one line */
	void (*sized)(
		const struct tx_turn *t, struct rte_mbuf *const *m, const struct tx_stamp *st);
	/* longer frames of one size, whose headers are within a line */
	void (*plain)(
		const struct tx_turn *t, struct rte_mbuf *const *m, const struct tx_stamp *st);
	/* any frames */
	void (*any)(const struct tx_turn *t, struct rte_mbuf *const *m, const struct tx_stamp *st);
	uint32_t (*scan)(struct tx_sched *s, uint64_t now_tsc, uint32_t room);
};

extern const struct tx_fill tx_fill_base, tx_fill_avx512;
/* tx_vary.c: tx_fill.one_varies. */
void tx_vary_base(const struct tx_turn *t, struct rte_mbuf *const *m, const struct tx_stamp *st);
void tx_vary_avx512(const struct tx_turn *t, struct rte_mbuf *const *m, const struct tx_stamp *st);
/* The best form for this CPU; a name (base, avx512) asks for that one. NULL: not on this CPU. */
const struct tx_fill *tx_fill_find(const char *name);

/* Writes the signature of a frame whose sequence is seq, with this stamp. */
static inline void tx_sign(uint8_t *p, uint16_t lane, uint32_t seq, const struct tx_stamp *st)
{
	uint64_t high = __builtin_bswap64(st->head | (uint64_t)lane << 16 | seq >> 16);
	uint64_t low = __builtin_bswap64((uint64_t)seq << 48 | st->time);
	uint16_t complement = (uint16_t)~sig_fold(st->sum + lane + (seq >> 16) + (seq & 0xffff));

	complement = __builtin_bswap16(complement);
	memcpy(p, &high, sizeof(high));
	memcpy(p + 8, &low, sizeof(low));
	memcpy(p + 16, &complement, sizeof(complement));
}
