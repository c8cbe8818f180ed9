/* SPDX-License-Identifier: BSD-3-Clause */
#include "parse.h"

/*
 * A tunnel may hold an ICMP error about our frame: it ends with our bytes, and is none of our
 * frames. Tunnels are looked through only as far as this question goes.
 */

#define MAX_LAYERS 16
#define MAX_TAGS   4

#define UDP_BYTES   8u
#define VXLAN_BYTES 8u
#define PORT_VXLAN  4789u
#define PORT_GENEVE 6081u
#define PORT_GTPU   2152u
#define ETHER_FRAME 0x6558u /* transparent Ethernet bridging, RFC 1701 */

enum layer_kind {
	LAYER_END, /* nothing more to look through */
	LAYER_ERROR,
	LAYER_IP,
	LAYER_ETHERNET,
	LAYER_L4, /* behind an IP header, proto says what */
};

struct layer {
	enum layer_kind kind;
	const uint8_t *p;
	unsigned len;
	uint8_t proto;
};

static const struct layer end_of_all = {.kind = LAYER_END};

/* What is `bytes` further on; the end when that is beyond the last byte. */
static struct layer further(const struct layer *l, unsigned bytes, enum layer_kind kind)
{
	if (bytes > l->len)
		return end_of_all;
	return (struct layer){.kind = kind, .p = l->p + bytes, .len = l->len - bytes};
}

static enum layer_kind of_ethertype(uint16_t ethertype)
{
	switch (ethertype) {
	case PKT_ETHERTYPE_IP4:
	case PKT_ETHERTYPE_IP6:
		return LAYER_IP;
	case ETHER_FRAME:
		return LAYER_ETHERNET;
	}
	return LAYER_END;
}

static struct layer through_ethernet(const struct layer *l)
{
	unsigned off = UNITS_ETH_BYTES;
	uint16_t ethertype;

	for (unsigned i = 0; i <= MAX_TAGS && off <= l->len; i++, off += UNITS_TAG_BYTES) {
		ethertype = pkt_get16(l->p + off - 2);
		if (ethertype != PKT_ETHERTYPE_VLAN && ethertype != PKT_ETHERTYPE_QINQ)
			return further(l, off, of_ethertype(ethertype));
	}
	return end_of_all;
}

static struct layer through_ip6(const struct layer *l)
{
	struct layer next = end_of_all;
	struct ip6_end end;
	unsigned total;

	if (!pkt_ip6_header(l->p, l->len, &total))
		return end_of_all;
	end = pkt_ip6_walk(l->p, l->len);
	if (!end.whole || end.later)
		return end_of_all;
	next = further(l, end.off, LAYER_L4);
	next.proto = end.proto;
	return next;
}

static struct layer through_ip(const struct layer *l)
{
	struct layer next = end_of_all;
	unsigned hdr_bytes, total;

	if (l->len > 0 && l->p[0] >> 4 == 6)
		return through_ip6(l);
	if (!pkt_ip4_header(l->p, l->len, &hdr_bytes, &total) ||
		(pkt_get16(l->p + 6) & IP4_FRAG_OFF) != 0)
		return end_of_all;
	next = further(l, hdr_bytes, LAYER_L4);
	next.proto = l->p[9];
	return next;
}

/* RFC 2784 and 2890. */
static struct layer through_gre(const struct layer *l)
{
	unsigned bytes = 4;

	if (l->len < 4 || (l->p[1] & 7) != 0) /* version 0 */
		return end_of_all;
	bytes += l->p[0] & 0x80 ? 4 : 0; /* checksum */
	bytes += l->p[0] & 0x20 ? 4 : 0; /* key */
	bytes += l->p[0] & 0x10 ? 4 : 0; /* sequence */
	return further(l, bytes, of_ethertype(pkt_get16(l->p + 2)));
}

/* 3GPP TS 29.281 §5: a G-PDU, with extension headers of any number. */
static struct layer through_gtpu(const struct layer *l)
{
	const uint8_t *gtp = l->p + UDP_BYTES;
	unsigned off = UDP_BYTES + 8;
	uint8_t next;

	if (l->len < off || gtp[0] >> 5 != 1 || gtp[1] != 255)
		return end_of_all;
	if ((gtp[0] & 7) == 0)
		return further(l, off, LAYER_IP);
	off += 4;
	if (l->len < off)
		return end_of_all;
	for (next = gtp[0] & 4 ? l->p[off - 1] : 0; next != 0; next = l->p[off - 1]) {
		if (off >= l->len || l->p[off] == 0 || 4u * l->p[off] > l->len - off)
			return end_of_all;
		off += 4u * l->p[off];
	}
	return further(l, off, LAYER_IP);
}

static struct layer through_udp(const struct layer *l)
{
	if (l->len < UDP_BYTES + VXLAN_BYTES)
		return end_of_all;
	switch (pkt_get16(l->p + 2)) {
	case PORT_VXLAN:
		return further(l, UDP_BYTES + VXLAN_BYTES, LAYER_ETHERNET);
	case PORT_GENEVE: /* RFC 8926: options in words of four bytes */
		return further(l, UDP_BYTES + 8 + 4u * (l->p[UDP_BYTES] & 0x3f),
			of_ethertype(pkt_get16(l->p + UDP_BYTES + 2)));
	case PORT_GTPU:
		return through_gtpu(l);
	}
	return end_of_all;
}

static struct layer through_l4(const struct layer *l)
{
	switch (l->proto) {
	case PKT_IP_PROTO_ICMP:
		return (struct layer){.kind = l->len > 0 && pkt_icmp4_is_error(l->p[0])
						      ? LAYER_ERROR
						      : LAYER_END};
	case PKT_IP_PROTO_ICMP6:
		return (struct layer){
			.kind = l->len > 0 && l->p[0] < ICMP6_FIRST_INFO ? LAYER_ERROR : LAYER_END};
	case PKT_IP_PROTO_UDP:
		return through_udp(l);
	case 4:
	case 41:
		return further(l, 0, LAYER_IP);
	case 47:
		return through_gre(l);
	}
	return end_of_all;
}

bool pkt_tunnel_holds_error(uint8_t proto, const uint8_t *l4, unsigned len)
{
	struct layer l = {.kind = LAYER_L4, .p = l4, .len = len, .proto = proto};

	for (unsigned i = 0; i < MAX_LAYERS; i++) {
		switch (l.kind) {
		case LAYER_END:
			return false;
		case LAYER_ERROR:
			return true;
		case LAYER_IP:
			l = through_ip(&l);
			break;
		case LAYER_ETHERNET:
			l = through_ethernet(&l);
			break;
		case LAYER_L4:
			l = through_l4(&l);
			break;
		}
	}
	return false;
}
