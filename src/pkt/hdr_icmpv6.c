/* SPDX-License-Identifier: BSD-3-Clause */
#include "hdr.h"

/* RFC 4443: type, code and checksum; the rest as echo messages have it. */
enum { ICMP6_OFF_CSUM = 2, ICMP6_BYTES = 8 };

enum { ICMP6_TYPE, ICMP6_CODE, ICMP6_CHECKSUM, ICMP6_ID, ICMP6_SEQ };

static const struct opt_word types[] = {
	{"unreachable", 1},
	{"packet-too-big", 2},
	{"time-exceeded", 3},
	{"parameter-problem", 4},
	{"echo-request", 128},
	{"echo-reply", 129},
	{"listener-query", 130},
	{"listener-report", 131},
	{"listener-done", 132},
	{"router-solicitation", 133},
	{"router-advertisement", 134},
	{"neighbor-solicitation", 135},
	{"neighbor-advertisement", 136},
	{"redirect", 137},
	{NULL, 0},
};

/* clang-format off */
static const struct pkt_field fields[] = {
	[ICMP6_TYPE] = {
		.opt = {.name = "icmpv6-type", .type = OPT_UINT, HDR_VARY, .max = 255, .words = types,
			.dflt = "echo-request",
			.help = "type"},
		.bit_off = 0, .bits = 8},
	[ICMP6_CODE] = {
		.opt = {.name = "icmpv6-code", .type = OPT_UINT, HDR_VARY, .max = 255, .dflt = "0",
			.help = "code"},
		.bit_off = 8, .bits = 8},
	[ICMP6_CHECKSUM] = {
		.opt = {.name = "icmpv6-checksum", .type = OPT_UINT, HDR_VARY, .max = 65535,
			.words = hdr_good_bad, .dflt = "good",
			.help = "checksum: good, bad or a number"},
		.bit_off = 16, .bits = 16},
	[ICMP6_ID] = {
		.opt = {.name = "icmpv6-id", .type = OPT_UINT, HDR_VARY, .max = 65535, .dflt = "0",
			.help = "identifier of an echo message"},
		.bit_off = 32, .bits = 16},
	[ICMP6_SEQ] = {
		.opt = {.name = "icmpv6-seq", .type = OPT_UINT, HDR_VARY, .max = 65535, .dflt = "0",
			.help = "sequence number of an echo message"},
		.bit_off = 48, .bits = 16},
};
/* clang-format on */

static void icmpv6_finish(struct hdr_build *b, unsigned i)
{
	unsigned off = b->place[i].off;
	struct hdr_csum csum = {.off = off + ICMP6_OFF_CSUM, .from = off};

	hdr_is_l4(b, i, PKT_IP_PROTO_ICMP6, hdr_is_good(b, i, ICMP6_CHECKSUM));
	hdr_pseudo(b, i, PKT_IP_PROTO_ICMP6, b->frame->size - off, &csum);
	hdr_checksum(b, i, ICMP6_CHECKSUM, &csum);
}

const struct hdr_type hdr_icmpv6 = {
	.hdr = {.name = "icmpv6",
		.title = "ICMPv6 header",
		.min_bytes = ICMP6_BYTES,
		.fields = &hdr_icmpv6.section},
	.section = OPT_SECTION("icmpv6 header", fields),
	.child_of = {{HDR_SPACE_IP6_NEXT, PKT_IP_PROTO_ICMP6}},
	.finish = icmpv6_finish,
};
