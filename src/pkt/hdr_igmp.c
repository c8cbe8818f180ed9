/* SPDX-License-Identifier: BSD-3-Clause */
#include "hdr.h"

/* RFC 2236 §2, version 2; the checksum covers the whole IP payload. */
enum { IGMP_OFF_CSUM = 2, IGMP_BYTES = 8 };

enum { IGMP_TYPE, IGMP_MAX_RESP, IGMP_CHECKSUM, IGMP_GROUP };

static const struct opt_word types[] = {
	{"query", 0x11},
	{"v1-report", 0x12},
	{"v2-report", 0x16},
	{"leave", 0x17},
	{NULL, 0},
};

/* clang-format off */
static const struct pkt_field fields[] = {
	[IGMP_TYPE] = {
		.opt = {.name = "igmp-type", .type = OPT_UINT, HDR_VARY, .max = 255, .words = types,
			.dflt = "v2-report",
			.help = "type; receivers take a query with a payload for one of version 3"},
		.bit_off = 0, .bits = 8},
	[IGMP_MAX_RESP] = {
		.opt = {.name = "igmp-max-resp", .type = OPT_UINT, HDR_VARY, .max = 255, .dflt = "0",
			.unit = "tenths of a second",
			.help = "longest time to answer a query in"},
		.bit_off = 8, .bits = 8},
	[IGMP_CHECKSUM] = {
		.opt = {.name = "igmp-checksum", .type = OPT_UINT, HDR_VARY, .max = 65535,
			.words = hdr_good_bad, .dflt = "good",
			.help = "checksum: good, bad or a number"},
		.bit_off = 16, .bits = 16},
	[IGMP_GROUP] = {
		.opt = {.name = "igmp-group", .type = OPT_IP4, HDR_VARY, .dflt = "239.1.1.1",
			.help = "group; a query of 0.0.0.0 asks about all"},
		.bit_off = 32, .bits = 32},
};
/* clang-format on */

static void igmp_finish(struct hdr_build *b, unsigned i)
{
	unsigned off = b->place[i].off;

	hdr_checksum(
		b, i, IGMP_CHECKSUM, &(struct hdr_csum){.off = off + IGMP_OFF_CSUM, .from = off});
}

const struct hdr_type hdr_igmp = {
	.hdr = {.name = "igmp",
		.title = "IGMP header, version 2",
		.min_bytes = IGMP_BYTES,
		.fields = &hdr_igmp.section},
	.section = OPT_SECTION("igmp header", fields),
	.child_of = {{HDR_SPACE_IP_PROTO, 2}},
	.finish = igmp_finish,
};
