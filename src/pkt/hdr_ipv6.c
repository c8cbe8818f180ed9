/* SPDX-License-Identifier: BSD-3-Clause */
#include "hdr.h"

/* RFC 8200 §3, byte offsets. */
enum { IP6_OFF_LENGTH = 4, IP6_BYTES = 40 };
#define IP6_VERSION 0x60
#define IP6_NO_NEXT 59

/* RFC 5180 §8: addresses inside a tunnel that nobody gave, 2001:2::1 and 2001:2:0:1::1. */
#define INNER_UP     0x2001000200000000u
#define INNER_DST_UP (INNER_UP | 1)
#define INNER_LO     1

enum {
	IP6_SRC,
	IP6_DST,
	IP6_TRAFFIC_CLASS,
	IP6_DSCP,
	IP6_ECN,
	IP6_FLOW_LABEL,
	IP6_LENGTH,
	IP6_NEXT_HEADER,
	IP6_HOP_LIMIT
};

/* clang-format off */
static const struct pkt_field fields[] = {
	[IP6_SRC] = {
		.opt = {.name = "ipv6-src", .type = OPT_IP6, HDR_VARY,
			.help = "source address or range; when not given, the sending port's address "
				"(inside a tunnel of a port without: 2001:2::1)"},
		.bit_off = 64, .bits = 128},
	[IP6_DST] = {
		.opt = {.name = "ipv6-dst", .type = OPT_IP6, HDR_VARY,
			.help = "destination address or range; needed when the stack begins with an ipv6 "
				"header (inside another: 2001:2:0:1::1)"},
		.bit_off = 192, .bits = 128},
	[IP6_TRAFFIC_CLASS] = {
		.opt = {.name = "ipv6-traffic-class", .type = OPT_UINT, HDR_VARY, .max = 255,
			.dflt = "0",
			.help = "the whole traffic class, ECN bits included: DSCP 46 (EF) is 184"},
		.bit_off = 4, .bits = 8},
	[IP6_DSCP] = {
		.opt = {.name = "ipv6-dscp", .type = OPT_UINT, HDR_VARY, .max = 63,
			.words = hdr_dscps,
			.help = "the six bits of the DSCP alone, in the place of ipv6-traffic-class"},
		.bit_off = 4, .bits = 6},
	[IP6_ECN] = {
		.opt = {.name = "ipv6-ecn", .type = OPT_UINT, HDR_VARY, .max = 3, .words = hdr_ecns,
			.help = "the two ECN bits alone, in the place of ipv6-traffic-class"},
		.bit_off = 10, .bits = 2},
	[IP6_FLOW_LABEL] = {
		.opt = {.name = "ipv6-flow-label", .type = OPT_UINT, HDR_VARY, .max = 0xfffff,
			.dflt = "0",
			.help = "flow label"},
		.bit_off = 12, .bits = 20},
	[IP6_LENGTH] = {
		.opt = {.name = "ipv6-payload-length", .type = OPT_UINT, HDR_VARY, .max = 65535,
			.words = hdr_good_bad, .dflt = "good",
			.help = "payload length: good, bad (one more) or a number"},
		.bit_off = 32, .bits = 16},
	[IP6_NEXT_HEADER] = {
		.opt = {.name = "ipv6-next-header", .type = OPT_UINT, HDR_VARY, .max = 255,
			.words = hdr_ip_protocols,
			.help = "next header; when not given, from the next header of the stack (59, no "
				"next header, when there is none)"},
		.bit_off = 48, .bits = 8},
	[IP6_HOP_LIMIT] = {
		.opt = {.name = "ipv6-hop-limit", .type = OPT_UINT, HDR_VARY, .max = 255,
			.dflt = "64",
			.help = "hop limit"},
		.bit_off = 56, .bits = 8},
};
/* clang-format on */

/* The whole traffic class, or its parts. */
static int ip6_bytes(const struct opt_set *tmpl, unsigned nth, struct err *err)
{
	static const unsigned parts[] = {IP6_DSCP, IP6_ECN};

	(void)nth;
	for (unsigned k = 0; k < 2; k++) {
		const struct opt *part = &fields[parts[k]].opt;

		if (opt_set_get(tmpl, part) != NULL &&
			opt_set_get(tmpl, &fields[IP6_TRAFFIC_CLASS].opt) != NULL)
			return opt_error(err, tmpl, part,
				"given beside ipv6-traffic-class, which is the whole byte; give "
				"one "
				"of them");
	}
	return IP6_BYTES;
}

static int ip6_assume(
	const struct hdr_build *b, unsigned i, const struct opt *opt, struct opt_val *val)
{
	bool inner = hdr_is_inner(b, i), dst = opt == &fields[IP6_DST].opt;

	if (opt != &fields[IP6_SRC].opt && !dst)
		return 0;
	if (!dst) {
		val->up.lo = b->assumed->ip6_src_up;
		val->lo = b->assumed->ip6_src_lo;
	}
	if (inner && val->up.lo == 0 && val->lo == 0) {
		val->up.lo = dst ? INNER_DST_UP : INNER_UP;
		val->lo = INNER_LO;
	}
	if (val->up.lo != 0 || val->lo != 0)
		return 0;
	if (dst)
		return opt_error(b->err, b->tmpl, opt,
			"is missing: the header stack has an ipv6 header (give an address or A-B)");
	return opt_error(b->err, b->tmpl, opt,
		"is neither given nor known (give it, or an IPv6 address to the sending port)");
}

static void ip6_finish(struct hdr_build *b, unsigned i)
{
	unsigned off = b->place[i].off;

	b->frame->hdr[off] |= IP6_VERSION;
	hdr_length(b, i, IP6_LENGTH, off + IP6_OFF_LENGTH, 2, b->frame->size - off - IP6_BYTES);
	hdr_is_ip(b, i, 6);
}

const struct hdr_type hdr_ipv6 = {
	.hdr = {.name = "ipv6",
		.title = "IPv6 header",
		.min_bytes = IP6_BYTES,
		.fields = &hdr_ipv6.section},
	.section = OPT_SECTION("ipv6 header", fields),
	.child_of = {{HDR_SPACE_ETHERTYPE, PKT_ETHERTYPE_IP6},
		{HDR_SPACE_TUNNEL_TYPE, PKT_ETHERTYPE_IP6}, {HDR_SPACE_IP_PROTO, 41},
		{HDR_SPACE_IP6_NEXT, 41}, {HDR_SPACE_PPP, 0x57}, {HDR_SPACE_MPLS, 1},
		{HDR_SPACE_GTP, 0}},
	.ip_version = 6,
	.next_space = HDR_SPACE_IP6_NEXT,
	.next_field = IP6_NEXT_HEADER,
	.next_none = IP6_NO_NEXT,
	.bytes = ip6_bytes,
	.assume = ip6_assume,
	.finish = ip6_finish,
};
