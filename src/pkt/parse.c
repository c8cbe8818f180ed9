/* SPDX-License-Identifier: BSD-3-Clause */
#include "tgen/pkt.h"

#include "tgen/units.h"
#include "verify.h"

#define MAX_TAGS 4

/* RFC 791. */
#define IP_MIN_BYTES   20u
#define IP_FRAG_MORE   0x2000u
#define IP_FRAG_OFF    0x1fffu
#define IP_ADDRS_OFF   12u
#define IP_ADDRS_BYTES 8u
#define UDP_BYTES      8u
#define ICMP_BYTES     8u
#define PORTS_BYTES    4u

/* RFC 8200, RFC 4443: types below 128 are errors. */
#define IP6_BYTES	 40u
#define IP6_NEXT_OFF	 6u
#define IP6_NEXT_ICMP	 58u
#define ICMP6_FIRST_INFO 128u

/* An IPv4 packet that is whole in the buffer: hdr_bytes <= total. */
struct ip4 {
	const uint8_t *p;
	const uint8_t *l4;
	unsigned hdr_bytes;
	unsigned l4_bytes;
	uint16_t frag;
	uint8_t proto;
};

/* The header only: total may be more than there is (an ICMP quote). */
static bool read_ip4_header(const uint8_t *p, unsigned len, unsigned *hdr_bytes, unsigned *total)
{
	if (len < IP_MIN_BYTES || p[0] >> 4 != 4)
		return false;
	*hdr_bytes = 4u * (p[0] & 0xf);
	*total = pkt_get16(p + 2);
	return *hdr_bytes >= IP_MIN_BYTES && *hdr_bytes <= len && *hdr_bytes <= *total;
}

static bool read_ip4(const uint8_t *p, unsigned len, struct ip4 *ip)
{
	unsigned total;

	if (!read_ip4_header(p, len, &ip->hdr_bytes, &total) || total > len)
		return false;
	ip->p = p;
	ip->l4 = p + ip->hdr_bytes;
	ip->l4_bytes = total - ip->hdr_bytes;
	ip->frag = pkt_get16(p + 6);
	ip->proto = p[9];
	return true;
}

static bool ip4_csum_right(const struct ip4 *ip)
{
	return sig_fold(pkt_csum_add(ip->p, ip->hdr_bytes, 0)) == 0xffff;
}

/* Of the packet that is nothing but IP and UDP. RFC 768; a checksum of 0 is none. */
static bool udp_csum_right(const struct ip4 *ip)
{
	unsigned length = pkt_get16(ip->l4 + 4);

	return pkt_get16(ip->l4 + 6) == 0 || (length >= UDP_BYTES && length <= ip->l4_bytes &&
						     pkt_udp_csum_right(ip->p, ip->l4, length));
}

static enum sig_state read_sig_at_end(
	const uint8_t *p, unsigned len, uint8_t test_id, struct sig *sig)
{
	if (len < SIG_BYTES)
		return SIG_NONE;
	return sig_read(p + len - SIG_BYTES, test_id, sig);
}

static enum pkt_class sig_class(enum sig_state state, enum pkt_class none)
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

static bool icmp_type_is_error(uint8_t type)
{
	/* RFC 792: unreachable, source quench, redirect, time exceeded, parameter problem */
	return type == 3 || type == 4 || type == 5 || type == 11 || type == 12;
}

static void read_ports(uint8_t proto, const uint8_t *l4, unsigned len, uint16_t *src, uint16_t *dst)
{
	if ((proto != PKT_IP_PROTO_UDP && proto != PKT_IP_PROTO_TCP) || len < PORTS_BYTES)
		return;
	*src = pkt_get16(l4);
	*dst = pkt_get16(l4 + 2);
}

/*
 * What an ICMP error quotes. The quoted total length says where the signature would be; routers
 * quote all of a packet or its beginning, and may append more (RFC 4884).
 */
static void read_quote(const uint8_t *p, unsigned len, uint8_t test_id, struct pkt_rx *out)
{
	struct pkt_quote *quote = &out->quote;
	unsigned hdr_bytes, total;

	if (!read_ip4_header(p, len, &hdr_bytes, &total))
		return;
	quote->ip_src = pkt_get32(p + IP_ADDRS_OFF);
	quote->ip_dst = pkt_get32(p + IP_ADDRS_OFF + 4);
	quote->ip_proto = p[9];
	if ((pkt_get16(p + 6) & IP_FRAG_OFF) == 0)
		read_ports(quote->ip_proto, p + hdr_bytes, (total < len ? total : len) - hdr_bytes,
			&quote->l4_src, &quote->l4_dst);
	if (total <= len)
		quote->has_sig = read_sig_at_end(p + hdr_bytes, total - hdr_bytes, test_id,
					 &out->sig) == SIG_GOOD;
}

/* Its own checksum is right, it is no fragment. */
static void parse_icmp(const struct ip4 *ip, uint8_t test_id, struct pkt_rx *out)
{
	bool echo;

	if (ip->l4_bytes < ICMP_BYTES)
		return;
	out->icmp_type = ip->l4[0];
	out->icmp_code = ip->l4[1];
	if (icmp_type_is_error(out->icmp_type)) {
		out->cls = PKT_ICMP_ERROR;
		read_quote(ip->l4 + ICMP_BYTES, ip->l4_bytes - ICMP_BYTES, test_id, out);
		return;
	}
	echo = out->icmp_type == PKT_ICMP_ECHO_REPLY || out->icmp_type == PKT_ICMP_ECHO_REQUEST;
	out->cls = sig_class(read_sig_at_end(ip->l4, ip->l4_bytes, test_id, &out->sig),
		echo ? PKT_ECHO : PKT_UNKNOWN);
}

/* An ICMP error ends with our bytes; of a later fragment of ICMP nobody can say what it is. */
static bool may_quote(const struct ip4 *ip)
{
	return ip->proto == PKT_IP_PROTO_ICMP &&
	       ((ip->frag & IP_FRAG_OFF) != 0 || ip->l4_bytes == 0 ||
		       icmp_type_is_error(ip->l4[0]));
}

static void parse_fragment(const struct ip4 *ip, uint8_t test_id, struct pkt_rx *out)
{
	out->cls = PKT_FRAGMENT;
	if ((ip->frag & IP_FRAG_MORE) != 0 || may_quote(ip))
		return;
	out->cls =
		sig_class(read_sig_at_end(ip->l4, ip->l4_bytes, test_id, &out->sig), PKT_FRAGMENT);
	out->last_fragment = out->cls == PKT_TEST;
}

/* The usual frame goes straight through: UDP, signature good, checksums right. */
static void parse_ip4(const uint8_t *p, unsigned len, uint8_t test_id, struct pkt_rx *out)
{
	enum sig_state state;
	struct ip4 ip;

	if (!read_ip4(p, len, &ip))
		return;
	out->end_off = (uint16_t)(out->l3_off + ip.hdr_bytes + ip.l4_bytes);
	out->ip_src = pkt_get32(p + IP_ADDRS_OFF);
	out->ip_dst = pkt_get32(p + IP_ADDRS_OFF + 4);
	out->ip_proto = ip.proto;
	if ((ip.frag & IP_FRAG_OFF) == 0)
		read_ports(ip.proto, ip.l4, ip.l4_bytes, &out->l4_src, &out->l4_dst);
	if (!ip4_csum_right(&ip)) {
		state = read_sig_at_end(ip.l4, ip.l4_bytes, test_id, &out->sig);
		out->cls = state != SIG_NONE && !may_quote(&ip) ? PKT_BAD : PKT_UNKNOWN;
		out->sig_good = out->cls == PKT_BAD && state == SIG_GOOD;
		return;
	}
	if ((ip.frag & (IP_FRAG_MORE | IP_FRAG_OFF)) != 0) {
		parse_fragment(&ip, test_id, out);
		return;
	}
	if (ip.proto == PKT_IP_PROTO_ICMP) {
		parse_icmp(&ip, test_id, out);
		return;
	}
	out->cls = sig_class(read_sig_at_end(ip.l4, ip.l4_bytes, test_id, &out->sig), PKT_UNKNOWN);
}

/* Such an error may quote a frame of ours that the DUT put into a tunnel. */
static bool is_icmp6_error(uint16_t ethertype, const uint8_t *p, unsigned len)
{
	return ethertype == PKT_ETHERTYPE_IP6 && len > IP6_BYTES &&
	       p[IP6_NEXT_OFF] == IP6_NEXT_ICMP && p[IP6_BYTES] < ICMP6_FIRST_INFO;
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

void pkt_parse_headers(const uint8_t *frame, unsigned len, uint8_t test_id, struct pkt_rx *out)
{
	const uint8_t *l3;
	unsigned off;

	*out = (struct pkt_rx){.cls = PKT_UNKNOWN};
	if (len < UNITS_ETH_BYTES)
		return;
	off = skip_tags(frame, len, &out->ethertype);
	out->l3_off = (uint16_t)off;
	l3 = frame + off;
	out->end_off = (uint16_t)len;
	len -= off;
	if (out->ethertype == PKT_ETHERTYPE_IP4)
		parse_ip4(l3, len, test_id, out);
	else if (out->ethertype ==
		 PKT_ETHERTYPE_ARP) /* padding may leak old frames: no signature */
		out->cls = PKT_ARP;
	else if (!is_icmp6_error(out->ethertype, l3, len))
		out->cls = sig_class(read_sig_at_end(l3, len, test_id, &out->sig), PKT_UNKNOWN);
}

void pkt_parse(const uint8_t *frame, unsigned len, uint8_t test_id, struct pkt_rx *out)
{
	struct ip4 ip;

	pkt_parse_headers(frame, len, test_id, out);
	if (out->cls != PKT_TEST || out->last_fragment || out->ip_proto != PKT_IP_PROTO_UDP ||
		!read_ip4(frame + out->l3_off, len - out->l3_off, &ip) || udp_csum_right(&ip))
		return;
	out->cls = PKT_BAD;
	out->sig_good = true;
}
