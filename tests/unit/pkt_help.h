/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

/* What the tests of packet building share: templates from words, sums made anew. */

#include "tgen/pkt.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#define MAX_WORDS 10
#define ETH_IP	  14 /* offset of the IP header without tags */
#define ETH_UDP	  34

static const struct pkt_assumed assumed = {
	.mac_src = 0x020000000001,
	.mac_dst = 0x020000000002,
	.ip_src = 0x0a000001,
};
static const struct sig sample = {7, 3, 0x0102, 0x11223344, 0xa1a2a3a4a5a6};

static inline void give(struct opt_set *set, const char *const *words)
{
	struct err err = {0};

	opt_set_init(set, &pkt_template_menu);
	for (unsigned i = 0; i < MAX_WORDS && words[i] != NULL; i++) {
		if (opt_set_arg(set, words[i], &err) != 0)
			fail_msg("%s", err.text);
	}
}

static inline int try_build(const char *const *words, const struct pkt_assumed *known,
	unsigned size, struct pkt_frame *frame, struct err *err)
{
	struct opt_set set;
	int rc;

	give(&set, words);
	rc = pkt_build(&set, known, size, frame, err);
	opt_set_fini(&set);
	return rc;
}

static inline void build(const char *const *words, unsigned size, struct pkt_frame *frame)
{
	struct err err = {0};

	if (try_build(words, &assumed, size, frame, &err) != 0)
		fail_msg("%s", err.text);
}

/* The plainest sum there is. */
static inline uint16_t plain_sum(const uint8_t *p, unsigned bytes, uint32_t start)
{
	uint64_t sum = start;

	for (unsigned i = 0; i < bytes; i++)
		sum += i % 2 == 0 ? (uint64_t)p[i] << 8 : p[i];
	while (sum > 0xffff)
		sum = (sum & 0xffff) + (sum >> 16);
	return (uint16_t)sum;
}

static inline void assert_ip_csum_right(const uint8_t *frame)
{
	assert_int_equal(plain_sum(frame + ETH_IP, 20, 0), 0xffff);
}

static inline void assert_udp_csum_right(const uint8_t *frame, unsigned size)
{
	uint16_t pseudo = plain_sum(frame + ETH_IP + 12, 8, 17 + size - ETH_UDP);

	assert_int_not_equal(pkt_get16(frame + ETH_UDP + 6), 0);
	assert_int_equal(plain_sum(frame + ETH_UDP, size - ETH_UDP, pseudo), 0xffff);
}
