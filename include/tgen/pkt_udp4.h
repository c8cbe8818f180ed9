/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <string.h>

#include "tgen/pkt.h"

/*
 * Usual test frames read in few loads: Ethernet without a tag or with one, IPv4 without options or
 * fragments or IPv6 without extensions, UDP to no tunnel's port, the signature and the checksum of
 * IPv4 good. Whatever is read here is what pkt_parse_headers says of the frame; all others are left to
 * it.
 *
 * Sums are of words as a little-endian machine loads them: a ones'-complement sum is 0 modulo 65535
 * in either byte order (RFC 1071), and 2^64 is 1 modulo 65535.
 */
struct pkt_udp4 {
	uint64_t time_ns; /* modulo 2^48 */
	uint64_t sum;	  /* of pseudo header and UDP header; the rest is pkt_udp4_right's */
	uint32_t seq;
	uint16_t lane;
	uint16_t ip_bytes; /* length of the packet with its header */
	uint16_t data_off; /* of the UDP payload in the frame */
	uint16_t end_off;  /* of the packet */
	uint8_t epoch;
	bool has_csum; /* the UDP checksum is not 0 */
	bool ip6;
};

#define PKT_UDP4_L3_OFF	  14u
#define PKT_UDP4_L4_OFF	  34u
#define PKT_UDP4_DATA_OFF 42u
#define PKT_UDP4_IP_MIN	  (PKT_UDP4_DATA_OFF - PKT_UDP4_L3_OFF + SIG_BYTES)
#define PKT_UDP6_IP_BYTES 40u
#define PKT_UDP6_IP_MIN	  (PKT_UDP6_IP_BYTES + 8 + SIG_BYTES)

static inline uint64_t pkt_load64(const uint8_t *p)
{
	uint64_t word;

	memcpy(&word, p, sizeof(word));
	return word;
}

static inline uint32_t pkt_load32(const uint8_t *p)
{
	uint32_t word;

	memcpy(&word, p, sizeof(word));
	return word;
}

static inline uint16_t pkt_load16(const uint8_t *p)
{
	uint16_t word;

	memcpy(&word, p, sizeof(word));
	return word;
}

/* The carry out of 64 bits is worth 1 modulo 65535. */
static inline uint64_t pkt_sum64(uint64_t a, uint64_t b)
{
	uint64_t sum = a + b;

	return sum + (sum < b);
}

/* Magic and test-id as the first bytes of a signature hold them, for pkt_udp4_read. */
static inline uint32_t pkt_udp4_mark(uint8_t test_id)
{
	return SIG_MAGIC >> 8 | (SIG_MAGIC & 0xff) << 8 | (uint32_t)test_id << 16;
}

static inline bool pkt_udp4_is_tunnel(uint64_t udp)
{
	/* 4789 VXLAN, 6081 Geneve, 2152 GTP-U: as pkt_may_tunnel has them */
	uint16_t dst = __builtin_bswap16((uint16_t)(udp >> 16));

	return dst == 4789 || dst == 6081 || dst == 2152;
}

/* The signature before the end of the packet; false: it is not good, or not ours. */
static inline __attribute__((always_inline)) bool pkt_udp4_signed(
	const uint8_t *end, uint32_t mark, struct pkt_udp4 *out)
{
	uint64_t sig = pkt_load64(end - SIG_BYTES), time = pkt_load64(end - SIG_BYTES + 8);
	uint32_t sig_end = pkt_load16(end - 2);

	if (((uint32_t)sig & 0xffffff) != mark ||
		pkt_sum64(pkt_sum64(sig, time), sig_end) % 0xffff != 0)
		return false;
	out->epoch = (uint8_t)(sig >> 24);
	out->lane = __builtin_bswap16((uint16_t)(sig >> 32));
	out->seq = __builtin_bswap32((uint32_t)(sig >> 48) | (uint32_t)time << 16);
	out->time_ns = __builtin_bswap64(time) & SIG_TIME_MASK;
	return true;
}

/* IPv4 at l3; the ethertype is known. Reads only frame[0 .. len), which holds the least packet. */
static inline __attribute__((always_inline)) bool pkt_udp4_read_at(
	const uint8_t *frame, unsigned len, unsigned l3, uint32_t mark, struct pkt_udp4 *out)
{
	uint64_t head = pkt_load64(frame + l3);	   /* version .. fragment offset */
	uint32_t mid = pkt_load32(frame + l3 + 8); /* TTL, protocol, checksum */
	uint64_t addrs = pkt_load64(frame + l3 + 12);
	uint64_t udp = pkt_load64(frame + l3 + 20);
	unsigned bytes = __builtin_bswap16((uint16_t)(head >> 16));

	/* 0x3fff: more fragments and offset, in network order */
	if (((head ^ 0x45) & 0xff3f0000000000ff) | ((mid ^ PKT_IP_PROTO_UDP << 8) & 0xff00))
		return false;
	if (bytes - PKT_UDP4_IP_MIN > len - l3 - PKT_UDP4_IP_MIN || pkt_udp4_is_tunnel(udp))
		return false;
	if (!pkt_udp4_signed(frame + l3 + bytes, mark, out) ||
		pkt_sum64(pkt_sum64(head, addrs), mid) % 0xffff != 0)
		return false;
	out->ip_bytes = (uint16_t)bytes;
	out->data_off = (uint16_t)(l3 + PKT_UDP4_DATA_OFF - PKT_UDP4_L3_OFF);
	out->end_off = (uint16_t)(l3 + bytes);
	out->has_csum = udp >> 48 != 0;
	out->ip6 = false;
	/* protocol and UDP length: 17 + bytes - 20, which is bytes - 3, in network order */
	out->sum = pkt_sum64(pkt_sum64(addrs, udp), (uint16_t)(head >> 16) + 0xfcffu);
	return true;
}

/* The same of IPv6. A checksum of 0 is for others to judge. */
static inline bool pkt_udp6_read_at(
	const uint8_t *frame, unsigned len, unsigned l3, uint32_t mark, struct pkt_udp4 *out)
{
	uint64_t head = pkt_load64(frame + l3); /* version .. hop limit */
	uint64_t udp = pkt_load64(frame + l3 + PKT_UDP6_IP_BYTES), sum;
	unsigned bytes = PKT_UDP6_IP_BYTES + __builtin_bswap16((uint16_t)(head >> 32));

	if (((head ^ 0x60) & 0xf0) | ((head >> 48 ^ PKT_IP_PROTO_UDP) & 0xff))
		return false;
	if (bytes - PKT_UDP6_IP_MIN > len - l3 - PKT_UDP6_IP_MIN || pkt_udp4_is_tunnel(udp) ||
		udp >> 48 == 0)
		return false;
	if (!pkt_udp4_signed(frame + l3 + bytes, mark, out))
		return false;
	sum = pkt_sum64(pkt_load64(frame + l3 + 8), pkt_load64(frame + l3 + 16));
	sum = pkt_sum64(sum, pkt_load64(frame + l3 + 24));
	sum = pkt_sum64(sum, pkt_load64(frame + l3 + 32));
	out->ip_bytes = (uint16_t)bytes;
	out->data_off = (uint16_t)(l3 + PKT_UDP6_IP_BYTES + 8);
	out->end_off = (uint16_t)(l3 + bytes);
	out->has_csum = true;
	out->ip6 = true;
	/* next header in network order, and UDP length */
	out->sum = pkt_sum64(
		pkt_sum64(sum, udp), (uint16_t)(head >> 32) + ((uint32_t)PKT_IP_PROTO_UDP << 8));
	return true;
}

/*
 * IPv4 directly behind the MAC header. False: it is for the next, or for pkt_parse_headers, to say
 * what it is. Reads only frame[0 .. len).
 */
static inline __attribute__((always_inline)) bool pkt_udp4_read(
	const uint8_t *frame, unsigned len, uint32_t mark, struct pkt_udp4 *out)
{
	if (__BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__ || len < PKT_MIN_BYTES ||
		pkt_load16(frame + 12) != __builtin_bswap16(PKT_ETHERTYPE_IP4))
		return false;
	return pkt_udp4_read_at(frame, len, PKT_UDP4_L3_OFF, mark, out);
}

/* IPv4 behind a tag, IPv6 behind one or none. */
static inline bool pkt_udp4_read_other(
	const uint8_t *frame, unsigned len, uint32_t mark, struct pkt_udp4 *out)
{
	unsigned l3 = PKT_UDP4_L3_OFF;
	uint16_t type;

	if (__BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__ ||
		len < PKT_UDP4_L3_OFF + UNITS_TAG_BYTES + PKT_UDP4_IP_MIN)
		return false;
	type = pkt_load16(frame + 12);
	if (type == __builtin_bswap16(PKT_ETHERTYPE_VLAN) ||
		type == __builtin_bswap16(PKT_ETHERTYPE_QINQ)) {
		type = pkt_load16(frame + l3 + 2);
		l3 += UNITS_TAG_BYTES;
		if (type == __builtin_bswap16(PKT_ETHERTYPE_IP4))
			return pkt_udp4_read_at(frame, len, l3, mark, out);
	}
	return type == __builtin_bswap16(PKT_ETHERTYPE_IP6) && len >= l3 + PKT_UDP6_IP_MIN &&
	       pkt_udp6_read_at(frame, len, l3, mark, out);
}

/*
 * Whether the UDP checksum of what was read is right. The signature adds nothing: its sum is 0xffff,
 * at an odd offset as well.
 */
static inline __attribute__((always_inline)) bool pkt_udp4_right(
	const uint8_t *frame, const struct pkt_udp4 *udp)
{
	unsigned bytes = udp->end_off - udp->data_off - SIG_BYTES;
	uint64_t sum = udp->sum;

	if (bytes > 0)
		sum = pkt_sum64(sum, pkt_sum_words(frame + udp->data_off, bytes));
	return sum % 0xffff == 0;
}
