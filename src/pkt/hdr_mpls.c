/* SPDX-License-Identifier: BSD-3-Clause */
#include "hdr.h"

/* RFC 3032 §2.1: one label stack entry; RFC 5462: EXP is the traffic class. */
enum { MPLS_LABEL, MPLS_EXP, MPLS_BOTTOM, MPLS_TTL };

/* clang-format off */
static const struct pkt_field fields[] = {
	[MPLS_LABEL] = {
		.opt = {.name = "mpls-label", .type = OPT_UINT, HDR_VARY, .max = 0xfffff,
			.dflt = "16",
			.help = "label; 0 to 15 are reserved"},
		.bit_off = 0, .bits = 20},
	[MPLS_EXP] = {
		.opt = {.name = "mpls-exp", .type = OPT_UINT, HDR_VARY, .max = 7, .dflt = "0",
			.help = "traffic class, once called experimental bits"},
		.bit_off = 20, .bits = 3},
	[MPLS_BOTTOM] = {
		.opt = {.name = "mpls-bottom", .type = OPT_UINT, HDR_VARY, .max = 1,
			.help = "bottom-of-stack bit; when not given, 1 unless another mpls header "
				"follows"},
		.bit_off = 23, .bits = 1},
	[MPLS_TTL] = {
		.opt = {.name = "mpls-ttl", .type = OPT_UINT, HDR_VARY, .max = 255, .dflt = "64",
			.help = "time to live of the label stack entry"},
		.bit_off = 24, .bits = 8},
};
/* clang-format on */

const struct hdr_type hdr_mpls = {
	.hdr = {.name = "mpls",
		.title = "MPLS label stack entry",
		.min_bytes = 4,
		.fields = &hdr_mpls.section},
	.section = OPT_SECTION("mpls header", fields),
	.child_of = {{HDR_SPACE_ETHERTYPE, 0x8847}, {HDR_SPACE_TUNNEL_TYPE, 0x8847},
		{HDR_SPACE_MPLS, 0}, {HDR_SPACE_PPP, 0x281}, {HDR_SPACE_IP_PROTO, 137},
		{HDR_SPACE_IP6_NEXT, 137}},
	.next_space = HDR_SPACE_MPLS,
	.next_field = MPLS_BOTTOM,
	.next_none = 1,
};
