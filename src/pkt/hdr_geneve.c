/* SPDX-License-Identifier: BSD-3-Clause */
#include "hdr.h"

/* RFC 8926 §3.4, without options. */
#define GENEVE_BYTES 8

enum { GENEVE_FLAGS, GENEVE_PROTOCOL, GENEVE_VNI };

/* clang-format off */
static const struct pkt_field fields[] = {
	[GENEVE_FLAGS] = {
		.opt = {.name = "geneve-flags", .type = OPT_UINT, HDR_VARY, .max = 255, .dflt = "0",
			.help = "flags; 128: control, 64: critical options"},
		.bit_off = 8, .bits = 8},
	[GENEVE_PROTOCOL] = {
		.opt = {.name = "geneve-protocol", .type = OPT_UINT, HDR_VARY, .max = 0xffff,
			.words = hdr_ethertypes,
			.help = "protocol type, an EtherType; when not given, from the next header "
				"(0x88b5, local experimental, when there is none)"},
		.bit_off = 16, .bits = 16},
	[GENEVE_VNI] = {
		.opt = {.name = "geneve-vni", .type = OPT_UINT, HDR_VARY, .max = 0xffffff,
			.dflt = "1",
			.help = "network identifier"},
		.bit_off = 32, .bits = 24},
};
/* clang-format on */

const struct hdr_type hdr_geneve = {
	.hdr = {.name = "geneve",
		.title = "Geneve header",
		.min_bytes = GENEVE_BYTES,
		.fields = &hdr_geneve.section},
	.section = OPT_SECTION("geneve header", fields),
	.child_of = {{HDR_SPACE_UDP_PORT, 6081}},
	.next_space = HDR_SPACE_TUNNEL_TYPE,
	.next_field = GENEVE_PROTOCOL,
	.next_none = HDR_ETHERTYPE_NONE,
};
