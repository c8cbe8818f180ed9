/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/*
 * The signature: the last 18 bytes of the IP payload (of the frame, when there is no IP), network
 * byte order. The complement makes the ones'-complement sum of the 18 bytes 0xffff, so that a
 * TCP/UDP checksum over the frame does not change with the signature, at even and odd offsets.
 *
 *	offset	bytes	field
 *	0	2	magic 0x7467
 *	2	1	test-id
 *	3	1	epoch: interval in which the frame was sent, modulo 256
 *	4	2	lane: one (stream, tx queue) pair
 *	6	4	seq, per lane
 *	10	6	time, ns modulo 2^48
 *	16	2	complement
 */
#define SIG_BYTES     18u
#define SIG_MAGIC     0x7467u
#define SIG_TIME_MASK ((1ull << 48) - 1)

struct sig {
	uint8_t test_id;
	uint8_t epoch;
	uint16_t lane;
	uint32_t seq;
	uint64_t time_ns; /* modulo 2^48 */
};

static inline uint16_t sig_fold(uint32_t sum)
{
	sum = (sum & 0xffff) + (sum >> 16);
	sum = (sum & 0xffff) + (sum >> 16);
	return (uint16_t)sum;
}

/* p need not be aligned. */
static inline void sig_write(uint8_t *p, const struct sig *s)
{
	uint16_t word[9];
	uint32_t sum = 0;

	word[0] = SIG_MAGIC;
	word[1] = (uint16_t)(s->test_id << 8 | s->epoch);
	word[2] = s->lane;
	word[3] = (uint16_t)(s->seq >> 16);
	word[4] = (uint16_t)s->seq;
	word[5] = (uint16_t)(s->time_ns >> 32);
	word[6] = (uint16_t)(s->time_ns >> 16);
	word[7] = (uint16_t)s->time_ns;
	for (int i = 0; i < 8; i++)
		sum += word[i];
	word[8] = (uint16_t)~sig_fold(sum);
	for (int i = 0; i < 9; i++) {
		p[2 * i] = (uint8_t)(word[i] >> 8);
		p[2 * i + 1] = (uint8_t)word[i];
	}
}

enum sig_state {
	SIG_NONE, /* no magic, or another test-id */
	SIG_BAD,  /* magic and test-id are ours, the sum is not 0xffff */
	SIG_GOOD,
};

static inline enum sig_state sig_read(const uint8_t *p, uint8_t test_id, struct sig *s)
{
	uint16_t word[9];
	uint32_t sum = 0;

	for (int i = 0; i < 9; i++) {
		word[i] = (uint16_t)(p[2 * i] << 8 | p[2 * i + 1]);
		sum += word[i];
	}
	if (word[0] != SIG_MAGIC || word[1] >> 8 != test_id)
		return SIG_NONE;
	s->test_id = (uint8_t)(word[1] >> 8);
	s->epoch = (uint8_t)word[1];
	s->lane = word[2];
	s->seq = (uint32_t)word[3] << 16 | word[4];
	s->time_ns = (uint64_t)word[5] << 32 | (uint64_t)word[6] << 16 | word[7];
	return sig_fold(sum) == 0xffff ? SIG_GOOD : SIG_BAD;
}
