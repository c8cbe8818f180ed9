/* SPDX-License-Identifier: BSD-3-Clause */
#include "hdr.h"

/* RFC 792: type, code and checksum; the rest as echo messages have it. */
enum { ICMP_OFF_CSUM = 2, ICMP_BYTES = 8 };

enum { ICMP_TYPE, ICMP_CODE, ICMP_CHECKSUM, ICMP_ID, ICMP_SEQ };

static const struct opt_word types[] = {
	{"echo-reply", 0},
	{"unreachable", 3},
	{"source-quench", 4},
	{"redirect", 5},
	{"echo-request", 8},
	{"router-advertisement", 9},
	{"router-solicitation", 10},
	{"time-exceeded", 11},
	{"parameter-problem", 12},
	{"timestamp", 13},
	{"timestamp-reply", 14},
	{NULL, 0},
};

/* clang-format off */
static const struct pkt_field fields[] = {
	[ICMP_TYPE] = {
		.opt = {.name = "icmp-type", .type = OPT_UINT, HDR_VARY, .max = 255, .words = types,
			.dflt = "echo-request",
			.help = "type"},
		.bit_off = 0, .bits = 8},
	[ICMP_CODE] = {
		.opt = {.name = "icmp-code", .type = OPT_UINT, HDR_VARY, .max = 255, .dflt = "0",
			.help = "code"},
		.bit_off = 8, .bits = 8},
	[ICMP_CHECKSUM] = {
		.opt = {.name = "icmp-checksum", .type = OPT_UINT, HDR_VARY, .max = 65535,
			.words = hdr_good_bad, .dflt = "good",
			.help = "checksum: good, bad or a number"},
		.bit_off = 16, .bits = 16},
	[ICMP_ID] = {
		.opt = {.name = "icmp-id", .type = OPT_UINT, HDR_VARY, .max = 65535, .dflt = "0",
			.help = "identifier of an echo message"},
		.bit_off = 32, .bits = 16},
	[ICMP_SEQ] = {
		.opt = {.name = "icmp-seq", .type = OPT_UINT, HDR_VARY, .max = 65535, .dflt = "0",
			.help = "sequence number of an echo message"},
		.bit_off = 48, .bits = 16},
};
/* clang-format on */

static void icmp_finish(struct hdr_build *b, unsigned i)
{
	unsigned off = b->place[i].off;
	struct hdr_csum csum = {.off = off + ICMP_OFF_CSUM, .from = off};

	hdr_is_l4(b, i, PKT_IP_PROTO_ICMP, hdr_is_good(b, i, ICMP_CHECKSUM));
	hdr_checksum(b, i, ICMP_CHECKSUM, &csum);
}

const struct hdr_type hdr_icmp = {
	.hdr = {.name = "icmp",
		.title = "ICMP header",
		.min_bytes = ICMP_BYTES,
		.fields = &hdr_icmp.section},
	.section = OPT_SECTION("icmp header", fields),
	.child_of = {{HDR_SPACE_IP_PROTO, PKT_IP_PROTO_ICMP}},
	.finish = icmp_finish,
};
