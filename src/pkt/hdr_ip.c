/* SPDX-License-Identifier: BSD-3-Clause */
#include "hdr.h"

/* IANA: reserved; no host has a protocol that takes it. */
#define IP_PROTO_RESERVED 255
#define IP_VERSION_IHL	  0x45 /* version 4, 5 words: no options */

/* RFC 791, byte offsets. */
enum { IP_OFF_LENGTH = 2, IP_OFF_CSUM = 10, IP_BYTES = 20 };

/* RFC 2544 appendix C.2.2: addresses inside a tunnel that nobody gave. */
#define INNER_SRC 0xc6120001u
#define INNER_DST 0xc6130001u

enum {
	IP_SRC,
	IP_DST,
	IP_DSCP,
	IP_DSCP6,
	IP_ECN,
	IP_LENGTH,
	IP_ID,
	IP_FRAG_OFF,
	IP_TTL,
	IP_PROTOCOL,
	IP_CHECKSUM
};

/* clang-format off */
static const struct pkt_field fields[] = {
	[IP_SRC] = {
		.opt = {.name = "ip-src", .type = OPT_IP4, HDR_VARY,
			.help = "source address or range; when not given, the sending port's address "
				"(inside a tunnel of a port without: 198.18.0.1)"},
		.bit_off = 96, .bits = 32},
	[IP_DST] = {
		.opt = {.name = "ip-dst", .type = OPT_IP4, HDR_VARY,
			.help = "destination address or range; needed when the stack begins with an ip header "
				"(inside another: 198.19.0.1)"},
		.bit_off = 128, .bits = 32},
	[IP_DSCP] = {
		.opt = {.name = "ip-dscp", .type = OPT_UINT, HDR_VARY, .max = 255, .dflt = "0",
			.help = "the whole DS byte, ECN bits included: DSCP 46 (EF) is 184"},
		.bit_off = 8, .bits = 8},
	[IP_DSCP6] = {
		.opt = {.name = "dscp", .type = OPT_UINT, HDR_VARY, .max = 63, .words = hdr_dscps,
			.help = "the six bits of the DSCP alone, in the place of ip-dscp"},
		.bit_off = 8, .bits = 6},
	[IP_ECN] = {
		.opt = {.name = "ecn", .type = OPT_UINT, HDR_VARY, .max = 3, .words = hdr_ecns,
			.help = "the two ECN bits alone, in the place of ip-dscp"},
		.bit_off = 14, .bits = 2},
	[IP_LENGTH] = {
		.opt = {.name = "ip-length", .type = OPT_UINT, HDR_VARY, .max = 65535,
			.words = hdr_good_bad, .dflt = "good",
			.help = "total length: good, bad (one more) or a number"},
		.bit_off = 16, .bits = 16},
	[IP_ID] = {
		.opt = {.name = "ip-id", .type = OPT_UINT, HDR_VARY, .max = 65535, .dflt = "0",
			.help = "identification"},
		.bit_off = 32, .bits = 16},
	[IP_FRAG_OFF] = {
		.opt = {.name = "ip-frag-off", .type = OPT_UINT, HDR_VARY, .max = 65535, .dflt = "0",
			.help = "the whole 16 bits of flags and fragment offset: "
				"16384 is don't-fragment"},
		.bit_off = 48, .bits = 16},
	[IP_TTL] = {
		.opt = {.name = "ip-ttl", .type = OPT_UINT, HDR_VARY, .max = 255, .dflt = "64",
			.help = "time to live"},
		.bit_off = 64, .bits = 8},
	[IP_PROTOCOL] = {
		.opt = {.name = "ip-protocol", .type = OPT_UINT, HDR_VARY, .max = 255,
			.words = hdr_ip_protocols,
			.help = "protocol; when not given, from the next header "
				"(255, reserved, when there is none)"},
		.bit_off = 72, .bits = 8},
	[IP_CHECKSUM] = {
		.opt = {.name = "ip-checksum", .type = OPT_UINT, HDR_VARY, .max = 65535,
			.words = hdr_good_bad, .dflt = "good",
			.help = "header checksum: good, bad or a number"},
		.bit_off = 80, .bits = 16},
};
/* clang-format on */

/* The whole DS byte, or its parts. */
static int ip_bytes(const struct opt_set *tmpl, unsigned nth, struct err *err)
{
	static const unsigned parts[] = {IP_DSCP6, IP_ECN};

	(void)nth;
	for (unsigned k = 0; k < 2; k++) {
		const struct opt *part = &fields[parts[k]].opt;

		if (opt_set_get(tmpl, part) != NULL &&
			opt_set_get(tmpl, &fields[IP_DSCP].opt) != NULL)
			return opt_error(err, tmpl, part,
				"given beside ip-dscp, which is the whole DS byte; give one of "
				"them");
	}
	return IP_BYTES;
}

static int ip_assume(
	const struct hdr_build *b, unsigned i, const struct opt *opt, struct opt_val *val)
{
	bool inner = hdr_is_inner(b, i), dst = opt == &fields[IP_DST].opt;

	if (opt != &fields[IP_SRC].opt && !dst)
		return 0;
	val->lo = dst ? b->assumed->ip_dst : b->assumed->ip_src;
	if (val->lo == 0 && inner)
		val->lo = dst ? INNER_DST : INNER_SRC;
	if (val->lo != 0)
		return 0;
	if (dst)
		return opt_error(b->err, b->tmpl, opt,
			"is missing: the header stack has an ip header (give an address or A-B)");
	return opt_error(b->err, b->tmpl, opt,
		"is neither given nor known (give it, or an address to the sending port)");
}

static void ip_finish(struct hdr_build *b, unsigned i)
{
	unsigned off = b->place[i].off;

	b->frame->hdr[off] = IP_VERSION_IHL;
	hdr_length(b, i, IP_LENGTH, off + IP_OFF_LENGTH, 2, b->frame->size - off);
	hdr_checksum(b, i, IP_CHECKSUM,
		&(struct hdr_csum){.off = off + IP_OFF_CSUM, .from = off, .to = off + IP_BYTES});
	hdr_is_ip(b, i, 4);
}

const struct hdr_type hdr_ip = {
	.hdr = {.name = "ip",
		.title = "IPv4 header",
		.min_bytes = IP_BYTES,
		.fields = &hdr_ip.section},
	.section = OPT_SECTION("ip header", fields),
	.child_of = {{HDR_SPACE_ETHERTYPE, PKT_ETHERTYPE_IP4},
		{HDR_SPACE_TUNNEL_TYPE, PKT_ETHERTYPE_IP4}, {HDR_SPACE_IP_PROTO, 4},
		{HDR_SPACE_IP6_NEXT, 4}, {HDR_SPACE_PPP, 0x21}, {HDR_SPACE_MPLS, 1},
		{HDR_SPACE_GTP, 0}},
	.ip_version = 4,
	.next_space = HDR_SPACE_IP_PROTO,
	.next_field = IP_PROTOCOL,
	.next_none = IP_PROTO_RESERVED,
	.bytes = ip_bytes,
	.assume = ip_assume,
	.finish = ip_finish,
};
