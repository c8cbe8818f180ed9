/* SPDX-License-Identifier: BSD-3-Clause */
#include "parse.h"

/* RFC 8200 §4; protocol numbers of IANA. */
#define HOP_BY_HOP 0u
#define ROUTING	   43u
#define FRAGMENT   44u
#define DST_OPTS   60u
#define EXT_BYTES  8u /* the least, and the unit */

/* RFC 4861: router and neighbour solicitation and advertisement, redirect. */
#define ND_FIRST 133u
#define ND_LAST	 137u

bool pkt_ip6_header(const uint8_t *p, unsigned len, unsigned *total)
{
	if (len < IP6_BYTES || p[0] >> 4 != 6)
		return false;
	*total = IP6_BYTES + pkt_get16(p + IP6_LEN_OFF);
	return true;
}

static bool is_extension(uint8_t next)
{
	return next == HOP_BY_HOP || next == ROUTING || next == FRAGMENT || next == DST_OPTS;
}

struct ip6_end pkt_ip6_walk(const uint8_t *p, unsigned len)
{
	struct ip6_end end = {.off = IP6_BYTES, .proto = p[IP6_NEXT_OFF], .whole = true};

	while (is_extension(end.proto) && !end.later) {
		const uint8_t *ext = p + end.off;
		unsigned bytes;

		if (len - end.off < EXT_BYTES) {
			end.whole = false;
			break;
		}
		bytes = end.proto == FRAGMENT ? EXT_BYTES : EXT_BYTES * (1u + ext[1]);
		if (bytes > len - end.off) {
			end.whole = false;
			break;
		}
		if (end.proto == FRAGMENT) { /* one with neither mark is whole: RFC 6946 */
			end.more |= (pkt_get16(ext + 2) & 1) != 0;
			end.later |= pkt_get16(ext + 2) >> 3 != 0;
		}
		end.is_routed |= end.proto == ROUTING && ext[3] > 0;
		end.off += bytes;
		end.proto = ext[0];
	}
	return end;
}

/* Its end may be our bytes, quoted: of a later fragment nobody can say what it is. */
static bool may_quote(const struct ip6_end *end)
{
	return end->proto == PKT_IP_PROTO_ICMP6 || is_extension(end->proto);
}

static void parse_fragment(const struct ip6_end *end, const uint8_t *p, unsigned len,
	uint8_t test_id, struct pkt_rx *out)
{
	out->cls = PKT_FRAGMENT;
	if (end->more || may_quote(end))
		return;
	out->cls = pkt_sig_class(
		pkt_sig_at_end(p + end->off, len - end->off, test_id, &out->sig), PKT_FRAGMENT);
	out->last_fragment = out->cls == PKT_TEST;
}

static void parse_icmp(const uint8_t *icmp, unsigned len, uint8_t test_id, struct pkt_rx *out)
{
	bool echo;

	if (len < ICMP_BYTES)
		return;
	out->icmp_type = icmp[0];
	out->icmp_code = icmp[1];
	if (out->icmp_type < ICMP6_FIRST_INFO) {
		out->cls = PKT_ICMP_ERROR;
		pkt_quote6(icmp + ICMP_BYTES, len - ICMP_BYTES, test_id, out);
		return;
	}
	if (out->icmp_type >= ND_FIRST && out->icmp_type <= ND_LAST) {
		out->cls = PKT_ND;
		return;
	}
	echo = out->icmp_type == PKT_ICMP6_ECHO_REQUEST || out->icmp_type == PKT_ICMP6_ECHO_REPLY;
	out->cls = pkt_sig_class(
		pkt_sig_at_end(icmp, len, test_id, &out->sig), echo ? PKT_ECHO : PKT_UNKNOWN);
}

void pkt_parse_ip6(const uint8_t *p, unsigned len, uint8_t test_id, struct pkt_rx *out)
{
	struct ip6_end end;
	const uint8_t *l4;
	unsigned total;

	if (!pkt_ip6_header(p, len, &total) || total > len)
		return;
	end = pkt_ip6_walk(p, total);
	l4 = p + end.off;
	out->end_off = (uint16_t)(out->l3_off + total);
	out->l4_off = (uint16_t)(out->l3_off + end.off);
	out->ip_src = units_ip6_read(p + IP6_SRC_OFF);
	out->ip_dst = units_ip6_read(p + IP6_DST_OFF);
	out->ip_proto = end.proto;
	if (end.whole && !end.later)
		pkt_ports(end.proto, l4, total - end.off, &out->l4_src, &out->l4_dst);
	if (end.more || end.later) {
		parse_fragment(&end, p, total, test_id, out);
		return;
	}
	if (!end.whole)
		return;
	if (end.proto == PKT_IP_PROTO_ICMP6) {
		parse_icmp(l4, total - end.off, test_id, out);
		return;
	}
	out->cls =
		pkt_sig_class(pkt_sig_at_end(l4, total - end.off, test_id, &out->sig), PKT_UNKNOWN);
	if (out->cls == PKT_TEST && pkt_may_tunnel(end.proto, out->l4_dst) &&
		pkt_tunnel_holds_error(end.proto, l4, total - end.off))
		out->cls = PKT_UNKNOWN;
}
