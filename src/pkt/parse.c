/* SPDX-License-Identifier: BSD-3-Clause */
#include "parse.h"

#include <stddef.h>
#include <string.h>

#include "verify.h"

#define MAX_TAGS    4
#define UDP_BYTES   8u
#define LABEL_BYTES 4u
#define PPPOE_BYTES 8u /* RFC 2516: with the PPP protocol */

static bool ip4_csum_right(const struct ip4 *ip)
{
	return sig_fold(pkt_csum_add(ip->p, ip->hdr_bytes, 0)) == 0xffff;
}

bool pkt_icmp4_is_error(uint8_t type)
{
	/* RFC 792: unreachable, source quench, redirect, time exceeded, parameter problem */
	return type == 3 || type == 4 || type == 5 || type == 11 || type == 12;
}

/* Its own checksum is right, it is no fragment. */
static void parse_icmp(const struct ip4 *ip, uint8_t test_id, struct pkt_rx *out)
{
	bool echo;

	if (ip->l4_bytes < ICMP_BYTES)
		return;
	out->icmp_type = ip->l4[0];
	out->icmp_code = ip->l4[1];
	if (pkt_icmp4_is_error(out->icmp_type)) {
		out->cls = PKT_ICMP_ERROR;
		pkt_quote4(ip->l4 + ICMP_BYTES, ip->l4_bytes - ICMP_BYTES, test_id, out);
		return;
	}
	echo = out->icmp_type == PKT_ICMP_ECHO_REPLY || out->icmp_type == PKT_ICMP_ECHO_REQUEST;
	out->cls = pkt_sig_class(pkt_sig_at_end(ip->l4, ip->l4_bytes, test_id, &out->sig),
		echo ? PKT_ECHO : PKT_UNKNOWN);
}

/* An ICMP error ends with our bytes; of a later fragment of ICMP nobody can say what it is. */
static bool may_quote(const struct ip4 *ip)
{
	return ip->proto == PKT_IP_PROTO_ICMP &&
	       ((ip->frag & IP4_FRAG_OFF) != 0 || ip->l4_bytes == 0 ||
		       pkt_icmp4_is_error(ip->l4[0]));
}

static void parse_fragment(const struct ip4 *ip, uint8_t test_id, struct pkt_rx *out)
{
	out->cls = PKT_FRAGMENT;
	if ((ip->frag & IP4_FRAG_MORE) != 0 || may_quote(ip))
		return;
	out->cls = pkt_sig_class(
		pkt_sig_at_end(ip->l4, ip->l4_bytes, test_id, &out->sig), PKT_FRAGMENT);
	out->last_fragment = out->cls == PKT_TEST;
}

/* The usual frame goes straight through: UDP, signature good, checksums right. */
static inline __attribute__((always_inline)) void parse_ip4(
	const uint8_t *p, unsigned len, uint8_t test_id, struct pkt_rx *out)
{
	enum sig_state state;
	struct ip4 ip;

	if (!pkt_ip4_read(p, len, &ip))
		return;
	out->end_off = (uint16_t)(out->l3_off + ip.hdr_bytes + ip.l4_bytes);
	out->l4_off = (uint16_t)(out->l3_off + ip.hdr_bytes);
	out->ip_src = units_ip4(pkt_get32(p + IP4_SRC_OFF));
	out->ip_dst = units_ip4(pkt_get32(p + IP4_DST_OFF));
	out->ip_proto = ip.proto;
	if ((ip.frag & IP4_FRAG_OFF) == 0)
		pkt_ports(ip.proto, ip.l4, ip.l4_bytes, &out->l4_src, &out->l4_dst);
	if (!ip4_csum_right(&ip)) {
		state = pkt_sig_at_end(ip.l4, ip.l4_bytes, test_id, &out->sig);
		out->cls = state != SIG_NONE && !may_quote(&ip) ? PKT_BAD : PKT_UNKNOWN;
		out->sig_good = out->cls == PKT_BAD && state == SIG_GOOD;
		return;
	}
	if ((ip.frag & (IP4_FRAG_MORE | IP4_FRAG_OFF)) != 0) {
		parse_fragment(&ip, test_id, out);
		return;
	}
	if (ip.proto == PKT_IP_PROTO_ICMP) {
		parse_icmp(&ip, test_id, out);
		return;
	}
	out->cls =
		pkt_sig_class(pkt_sig_at_end(ip.l4, ip.l4_bytes, test_id, &out->sig), PKT_UNKNOWN);
	if (__builtin_expect(pkt_may_tunnel(ip.proto, out->l4_dst), 0) && out->cls == PKT_TEST &&
		pkt_tunnel_holds_error(ip.proto, ip.l4, ip.l4_bytes))
		out->cls = PKT_UNKNOWN;
}

/* Where what follows the MAC header and its tags begins. */
static unsigned skip_tags(const uint8_t *frame, unsigned len, uint16_t *ethertype)
{
	unsigned off = UNITS_ETH_BYTES;

	*ethertype = pkt_get16(frame + off - 2);
	for (unsigned i = 0; i < MAX_TAGS; i++) {
		if (*ethertype != PKT_ETHERTYPE_VLAN && *ethertype != PKT_ETHERTYPE_QINQ)
			break;
		if (off + UNITS_TAG_BYTES > len)
			break;
		off += UNITS_TAG_BYTES;
		*ethertype = pkt_get16(frame + off - 2);
	}
	return off;
}

/* Behind a stack of labels nothing says what follows: an IP packet is told by its version. */
static unsigned skip_labels(const uint8_t *p, unsigned len, uint16_t *ethertype)
{
	unsigned off = 0;
	bool bottom = false;

	while (!bottom && len - off >= LABEL_BYTES) {
		bottom = p[off + 2] & 1; /* RFC 3032 */
		off += LABEL_BYTES;
	}
	if (!bottom || off == len)
		return 0;
	switch (p[off] >> 4) {
	case 4:
		*ethertype = PKT_ETHERTYPE_IP4;
		return off;
	case 6:
		*ethertype = PKT_ETHERTYPE_IP6;
		return off;
	}
	return 0;
}

static unsigned skip_pppoe(const uint8_t *p, unsigned len, uint16_t *ethertype)
{
	if (len < PPPOE_BYTES || p[0] != 0x11 || p[1] != 0)
		return 0;
	switch (pkt_get16(p + 6)) {
	case 0x0021:
		*ethertype = PKT_ETHERTYPE_IP4;
		return PPPOE_BYTES;
	case 0x0057:
		*ethertype = PKT_ETHERTYPE_IP6;
		return PPPOE_BYTES;
	}
	return 0;
}

/* Anything but IPv4 directly behind the MAC header and its tags. */
static __attribute__((noinline)) void parse_other(
	const uint8_t *frame, unsigned len, uint8_t test_id, struct pkt_rx *out)
{
	const uint8_t *l3 = frame + out->l3_off;
	unsigned skip = 0;

	len -= out->l3_off;
	if (out->ethertype == PKT_ETHERTYPE_MPLS || out->ethertype == PKT_ETHERTYPE_MPLS_MC)
		skip = skip_labels(l3, len, &out->ethertype);
	else if (out->ethertype == PKT_ETHERTYPE_PPPOE)
		skip = skip_pppoe(l3, len, &out->ethertype);
	out->l3_off = (uint16_t)(out->l3_off + skip);
	l3 += skip;
	len -= skip;
	if (out->ethertype == PKT_ETHERTYPE_IP6)
		pkt_parse_ip6(l3, len, test_id, out);
	else if (out->ethertype == PKT_ETHERTYPE_IP4)
		parse_ip4(l3, len, test_id, out);
	else if (out->ethertype ==
		 PKT_ETHERTYPE_ARP) /* padding may leak old frames: no signature */
		out->cls = PKT_ARP;
	else
		out->cls = pkt_sig_class(pkt_sig_at_end(l3, len, test_id, &out->sig), PKT_UNKNOWN);
}

void pkt_parse_headers(const uint8_t *frame, unsigned len, uint8_t test_id, struct pkt_rx *out)
{
	unsigned off;

	memset(out, 0, offsetof(struct pkt_rx, quote));
	if (len < UNITS_ETH_BYTES)
		return;
	off = skip_tags(frame, len, &out->ethertype);
	out->nb_tags = (uint8_t)((off - UNITS_ETH_BYTES) / UNITS_TAG_BYTES);
	out->l3_off = (uint16_t)off;
	out->end_off = (uint16_t)len;
	if (__builtin_expect(out->ethertype == PKT_ETHERTYPE_IP4, 1))
		parse_ip4(frame + off, len - off, test_id, out);
	else
		parse_other(frame, len, test_id, out);
}

/* Of the outermost packet. RFC 768; a UDP checksum of 0 is none. */
static bool csum_right(const uint8_t *frame, const struct pkt_rx *rx)
{
	const uint8_t *l4 = frame + rx->l4_off;
	unsigned length = (unsigned)(rx->end_off - rx->l4_off);

	if (rx->ip_proto == PKT_IP_PROTO_UDP) {
		if (pkt_get16(l4 + 6) == 0)
			return true;
		if (pkt_get16(l4 + 4) < UDP_BYTES || pkt_get16(l4 + 4) > length)
			return false;
		length = pkt_get16(l4 + 4);
	} else if (rx->ip_proto != PKT_IP_PROTO_TCP) {
		return true;
	}
	return pkt_csum_right(frame + rx->l3_off, rx->ethertype == PKT_ETHERTYPE_IP4 ? 4 : 6,
		rx->ip_proto, l4, length);
}

void pkt_parse(const uint8_t *frame, unsigned len, uint8_t test_id, struct pkt_rx *out)
{
	pkt_parse_headers(frame, len, test_id, out);
	if (out->cls != PKT_TEST || out->last_fragment || out->l4_off == 0 ||
		csum_right(frame, out))
		return;
	out->cls = PKT_BAD;
	out->sig_good = true;
}
