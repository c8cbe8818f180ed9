/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

/* Goes through a frame from its first byte and sums every checksum anew. Uses pkt_help.h. */

#include "pkt_help.h"

static inline void walk_ether(const uint8_t *p, unsigned bytes);

static inline void assert_sum(const char *what, const uint8_t *p, unsigned bytes, uint32_t start)
{
	if (plain_sum(p, bytes, start) != 0xffff)
		fail_msg("%s checksum wrong", what);
}

/* pseudo: the sum of the addresses. A UDP checksum of 0 is none. */
static inline void walk_l4(unsigned proto, const uint8_t *p, unsigned bytes, uint32_t pseudo)
{
	switch (proto) {
	case 17:
		assert_int_equal(pkt_get16(p + 4), bytes);
		if (pkt_get16(p + 6) != 0)
			assert_sum("UDP", p, bytes, pseudo + 17 + bytes);
		if (pkt_get16(p + 2) == 4789)
			walk_ether(p + 16, bytes - 16);
		break;
	case 6:
		assert_sum("TCP", p, bytes, pseudo + 6 + bytes);
		break;
	case 1:
		assert_sum("ICMP", p, bytes, 0);
		break;
	case 58:
		assert_sum("ICMPv6", p, bytes, pseudo + 58 + bytes);
		break;
	default:
		break;
	}
}

static inline void walk_l3(unsigned ethertype, const uint8_t *p, unsigned bytes)
{
	if (ethertype == 0x0800) {
		assert_int_equal(pkt_get16(p + 2), bytes);
		assert_sum("IPv4", p, 20, 0);
		walk_l4(p[9], p + 20, bytes - 20, plain_sum(p + 12, 8, 0));
	} else if (ethertype == 0x86dd) {
		assert_int_equal(pkt_get16(p + 4), bytes - 40);
		walk_l4(p[6], p + 40, bytes - 40, plain_sum(p + 8, 32, 0));
	}
}

static inline void walk_ether(const uint8_t *p, unsigned bytes)
{
	unsigned off = 12;

	while (pkt_get16(p + off) == 0x8100 || pkt_get16(p + off) == 0x88a8)
		off += 4;
	walk_l3(pkt_get16(p + off), p + off + 2, bytes - off - 2);
}
