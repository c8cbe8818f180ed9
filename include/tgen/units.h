/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The only place that knows FCS and wire overhead. packet-size excludes FCS, as in RouterOS. */
#define UNITS_FCS_BYTES	 4u
#define UNITS_WIRE_BYTES 20u /* preamble and SFD 8, inter-frame gap 12 */
#define UNITS_ETH_BYTES	 14u /* MAC header without tags */
#define UNITS_TAG_BYTES	 4u

#define UNITS_NS_PER_S 1000000000ull
#define UNITS_MICROS   1000000ull /* micro-pps in a pps, bit/s in a Mbit/s */
#define UNITS_TEXT_MAX 48	  /* room that every units_fmt_ function needs at most */

/* Which bytes a rate in Mbit/s counts. */
enum rate_layer {
	RATE_LAYER_PACKET, /* packet-size: L2 without FCS (RouterOS) */
	RATE_LAYER_L1,	   /* frame, preamble, SFD and gap */
	RATE_LAYER_L2,	   /* frame with FCS */
	RATE_LAYER_L3,	   /* without MAC header, VLAN tags and FCS */
};

/* Bytes that one packet counts for on a layer. nb_tags: VLAN tags inside packet_bytes. */
uint32_t units_layer_bytes(enum rate_layer layer, uint32_t packet_bytes, unsigned nb_tags);

/*
 * The highest whole number of packets per second that a link carries:
 * floor(link_bps / (8 · wire bytes)), RFC 2544 style.
 */
uint64_t units_line_pps(uint64_t link_bps, uint32_t packet_bytes);

/*
 * Text forms as in RouterOS's quick table; out holds UNITS_TEXT_MAX bytes and is returned.
 *   count: thousands separated by a space: `1 645 468`; negative numbers keep their sign
 *   rate:  bit/s, one decimal, truncated, next unit at >= 2000: `1744.1kbps`, `3.9Gbps`, `0bps`
 *          (whole bit/s under 2000: `960bps`)
 *   time:  ns with three significant digits, truncated, trailing zeros dropped: `16us`, `3.22ms`
 *   ratio: part/whole as `100.000%`, truncated so that 100.000% and 0.000% are never a lie:
 *          1 lost of 10^9 shows 0.001% (rounded up off zero), 10^9-1 of 10^9 99.999%; whole 0
 *          is 0.000%
 */
char *units_fmt_count(char *out, int64_t count);
char *units_fmt_rate(char *out, uint64_t bps);
char *units_fmt_time(char *out, uint64_t ns);
char *units_fmt_ratio(char *out, uint64_t part, uint64_t whole);
/* A decimal number of millionths, shortest form: 2500000 → `2.5`. */
char *units_fmt_micro(char *out, uint64_t micro);

/*
 * Text to number. All return 0 or -EINVAL (malformed) or -ERANGE (does not fit), and never round:
 *   u64:   decimal or 0x hex
 *   micro: decimal with at most six decimals, in millionths; suffix k, M, G when suffixes is true
 *   time:  `10s`, `1m30s`, `1h`, `00:01:30`, `500ms`, `20us`, `7ns`, `1.5s`, plain number =
 *          seconds; ns out
 *   mac:   aa:bb:cc:dd:ee:ff, also with '-'; 48-bit number out
 *   ip4:   dotted quad; host order out
 *   ip6:   any form of RFC 4291 §2.2, without a zone; the upper and the lower 64 bits out
 *   bps:   link speed `100M`, `1G`, `2.5G`, plain number = bit/s; bit/s out
 */
int units_parse_u64(const char *text, uint64_t *out);
/* What a rate was given in: bit/s, micro-pps, millionths of a percent of the line. */
enum units_rate_kind { UNITS_RATE_BPS, UNITS_RATE_UPPS, UNITS_RATE_PERCENT };
/* `100mbps`, `1.5kpps`, `50%`; above 100 % is -ERANGE. */
int units_parse_rate(const char *text, enum units_rate_kind *kind, uint64_t *out);
int units_parse_micro(const char *text, bool suffixes, uint64_t *out);
int units_parse_time(const char *text, uint64_t *out_ns);
int units_parse_mac(const char *text, uint64_t *out);
int units_parse_ip4(const char *text, uint32_t *out);
int units_parse_ip6(const char *text, uint64_t *up, uint64_t *lo);
int units_parse_bps(const char *text, uint64_t *out);

char *units_fmt_mac(char *out, uint64_t mac);
char *units_fmt_ip4(char *out, uint32_t ip);
/* As RFC 5952 says: lower case, the longest run of zeros left out. */
char *units_fmt_ip6(char *out, uint64_t up, uint64_t lo);
/* Text that units_parse_time reads back, in the largest units: `10s`, `1m30s`, `500ms`, `1.5s`. */
char *units_fmt_duration(char *out, uint64_t ns);
/* Link speed, `1G`, `2.5G`, `100M`. */
char *units_fmt_bps(char *out, uint64_t bps);

static inline void units_mac_bytes(uint64_t mac, uint8_t out[6])
{
	for (int i = 0; i < 6; i++)
		out[i] = (uint8_t)(mac >> (40 - 8 * i));
}

static inline uint64_t units_mac_number(const uint8_t mac[6])
{
	uint64_t n = 0;

	for (int i = 0; i < 6; i++)
		n = n << 8 | mac[i];
	return n;
}

/* ---- IP addresses of both versions ---- */

/*
 * IPv4 addresses as ::ffff:a.b.c.d (RFC 4291 §2.5.5.2), which no IPv6 packet carries; so a
 * comparison of addresses tells versions apart as well. All zeros: no address.
 */
struct units_ip {
	uint64_t up, lo; /* host order */
};
#define UNITS_IP4_MARK 0xffff00000000ull /* of lo */

static inline struct units_ip units_ip4(uint32_t ip)
{
	return (struct units_ip){.lo = UNITS_IP4_MARK | ip};
}

static inline bool units_ip_is4(struct units_ip ip)
{
	return ip.up == 0 && ip.lo >> 32 == UNITS_IP4_MARK >> 32;
}

static inline bool units_ip_is_none(struct units_ip ip)
{
	return (ip.up | ip.lo) == 0;
}

static inline bool units_ip_equal(struct units_ip a, struct units_ip b)
{
	return a.up == b.up && a.lo == b.lo;
}

/* fe80::/10 */
static inline bool units_ip_is_link_local(struct units_ip ip)
{
	return ip.up >> 54 == 0xfe80 >> 6;
}

/* An IPv6 multicast group or one of IPv4's. */
static inline bool units_ip_is_group(struct units_ip ip)
{
	return units_ip_is4(ip) ? (uint32_t)ip.lo >> 28 == 0xe : ip.up >> 56 == 0xff;
}

/* Whether the first `prefix` bits (of 32 or 128) are the same and the version is. */
bool units_ip_covers(struct units_ip net, unsigned prefix, struct units_ip ip);
/* 16 bytes in network order. */
struct units_ip units_ip6_read(const uint8_t *bytes);
void units_ip6_write(uint8_t *bytes, struct units_ip ip);
/* `1.2.3.4` or RFC 5952's `2001:db8::1` */
char *units_fmt_ip(char *out, struct units_ip ip);
