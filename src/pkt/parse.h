/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "tgen/pkt.h"

/* What the parts of the parser share. None reads beyond the length it is given. */

/* RFC 791. */
#define IP4_MIN_BYTES 20u
#define IP4_FRAG_MORE 0x2000u
#define IP4_FRAG_OFF  0x1fffu
#define IP4_SRC_OFF   12u
#define IP4_DST_OFF   16u

/* RFC 8200. */
#define IP6_BYTES    40u
#define IP6_LEN_OFF  4u
#define IP6_NEXT_OFF 6u
#define IP6_SRC_OFF  8u
#define IP6_DST_OFF  24u

#define PORTS_BYTES	 4u
#define ICMP_BYTES	 8u   /* both versions' */
#define ICMP6_FIRST_INFO 128u /* RFC 4443: types below are errors */

/* An IPv4 packet that is whole in the buffer: hdr_bytes <= total. */
struct ip4 {
	const uint8_t *p;
	const uint8_t *l4;
	unsigned hdr_bytes;
	unsigned l4_bytes;
	uint16_t frag;
	uint8_t proto;
};

/* What follows the IPv6 header and its extension headers. */
struct ip6_end {
	unsigned off;	/* from the IPv6 header */
	uint8_t proto;	/* behind the extension headers that are there */
	bool whole;	/* false: an extension header is cut off */
	bool more;	/* a fragment, not the last one */
	bool later;	/* a fragment, not the first one: proto is the next header's number */
	bool is_routed; /* a routing header has segments left: ip-dst is not the last address */
};

/* The header only: total may be more than there is (an ICMP quote). */
static inline bool pkt_ip4_header(
	const uint8_t *p, unsigned len, unsigned *hdr_bytes, unsigned *total)
{
	if (len < IP4_MIN_BYTES || p[0] >> 4 != 4)
		return false;
	*hdr_bytes = 4u * (p[0] & 0xf);
	*total = pkt_get16(p + 2);
	return *hdr_bytes >= IP4_MIN_BYTES && *hdr_bytes <= len && *hdr_bytes <= *total;
}

static inline bool pkt_ip4_read(const uint8_t *p, unsigned len, struct ip4 *ip)
{
	unsigned total;

	if (!pkt_ip4_header(p, len, &ip->hdr_bytes, &total) || total > len)
		return false;
	ip->p = p;
	ip->l4 = p + ip->hdr_bytes;
	ip->l4_bytes = total - ip->hdr_bytes;
	ip->frag = pkt_get16(p + 6);
	ip->proto = p[9];
	return true;
}

/* total: bytes of the packet, which may be more than there is. */
bool pkt_ip6_header(const uint8_t *p, unsigned len, unsigned *total);
/* p: at least IP6_BYTES; the extension headers within p[0 .. len). */
struct ip6_end pkt_ip6_walk(const uint8_t *p, unsigned len);

bool pkt_icmp4_is_error(uint8_t type);

static inline enum sig_state pkt_sig_at_end(
	const uint8_t *p, unsigned len, uint8_t test_id, struct sig *sig)
{
	if (len < SIG_BYTES)
		return SIG_NONE;
	return sig_read(p + len - SIG_BYTES, test_id, sig);
}

static inline enum pkt_class pkt_sig_class(enum sig_state state, enum pkt_class none)
{
	switch (state) {
	case SIG_GOOD:
		return PKT_TEST;
	case SIG_BAD:
		return PKT_BAD;
	case SIG_NONE:
		break;
	}
	return none;
}

/* Leaves *src and *dst alone when the protocol has no ports, or they are cut off. */
static inline void pkt_ports(
	uint8_t proto, const uint8_t *l4, unsigned len, uint16_t *src, uint16_t *dst)
{
	if ((proto != PKT_IP_PROTO_UDP && proto != PKT_IP_PROTO_TCP &&
		    proto != PKT_IP_PROTO_SCTP) ||
		len < PORTS_BYTES)
		return;
	*src = pkt_get16(l4);
	*dst = pkt_get16(l4 + 2);
}

/* parse_quote.c: what an ICMP error of IPv4 quotes; of IPv6. */
void pkt_quote4(const uint8_t *p, unsigned len, uint8_t test_id, struct pkt_rx *out);
void pkt_quote6(const uint8_t *p, unsigned len, uint8_t test_id, struct pkt_rx *out);

/* parse_ip6.c: the packet at frame + out->l3_off. */
void pkt_parse_ip6(const uint8_t *p, unsigned len, uint8_t test_id, struct pkt_rx *out);

/* parse_tunnel.c */
/* Whether a packet of that protocol, to that port, may be a tunnel. */
static inline bool pkt_may_tunnel(uint8_t proto, uint16_t l4_dst)
{
	switch (proto) {
	case PKT_IP_PROTO_UDP:
		return l4_dst == 4789 || l4_dst == 6081 || l4_dst == 2152;
	case 4:
	case 41:
	case 47:
		return true;
	}
	return false;
}
/* Whether such a tunnel holds, in the end, an ICMP or ICMPv6 error: l4 follows the outer IP header. */
bool pkt_tunnel_holds_error(uint8_t proto, const uint8_t *l4, unsigned len);
