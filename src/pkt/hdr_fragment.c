/* SPDX-License-Identifier: BSD-3-Clause */
#include "hdr.h"

/* RFC 8200 §4.5; with its defaults an atomic fragment (RFC 6946): the whole packet. */
#define FRAG_BYTES 8
#define NO_NEXT	   59

enum { FRAG_NEXT, FRAG_OFFSET, FRAG_MORE, FRAG_ID };

/* clang-format off */
static const struct pkt_field fields[] = {
	[FRAG_NEXT] = {
		.opt = {.name = "fragment-next-header", .type = OPT_UINT, HDR_VARY, .max = 255,
			.words = hdr_ip_protocols,
			.help = "next header; when not given, from the next header of the stack"},
		.bit_off = 0, .bits = 8},
	[FRAG_OFFSET] = {
		.opt = {.name = "fragment-offset", .type = OPT_UINT, HDR_VARY, .max = 8191,
			.dflt = "0", .unit = "units of 8 bytes",
			.help = "offset in the packet"},
		.bit_off = 16, .bits = 13},
	[FRAG_MORE] = {
		.opt = {.name = "fragment-more", .type = OPT_UINT, HDR_VARY, .max = 1, .dflt = "0",
			.help = "1: more fragments follow"},
		.bit_off = 31, .bits = 1},
	[FRAG_ID] = {
		.opt = {.name = "fragment-id", .type = OPT_UINT, HDR_VARY, .max = 0xffffffff,
			.dflt = "0",
			.help = "identification"},
		.bit_off = 32, .bits = 32},
};
/* clang-format on */

const struct hdr_type hdr_fragment = {
	.hdr = {.name = "fragment",
		.title = "IPv6 fragment header",
		.min_bytes = FRAG_BYTES,
		.fields = &hdr_fragment.section},
	.section = OPT_SECTION("fragment header", fields),
	.child_of = {{HDR_SPACE_IP6_NEXT, 44}},
	.next_space = HDR_SPACE_IP6_NEXT,
	.next_field = FRAG_NEXT,
	.next_none = NO_NEXT,
};
