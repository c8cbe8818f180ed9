/* SPDX-License-Identifier: BSD-3-Clause */
#include "hdr.h"

/* RFC 7348 §5. */
#define VXLAN_BYTES 8

enum { VXLAN_FLAGS, VXLAN_VNI };

/* clang-format off */
static const struct pkt_field fields[] = {
	[VXLAN_FLAGS] = {
		.opt = {.name = "vxlan-flags", .type = OPT_UINT, HDR_VARY, .max = 255, .dflt = "8",
			.help = "flags; 8: the VNI is valid"},
		.bit_off = 0, .bits = 8},
	[VXLAN_VNI] = {
		.opt = {.name = "vxlan-vni", .type = OPT_UINT, HDR_VARY, .max = 0xffffff,
			.dflt = "1",
			.help = "network identifier"},
		.bit_off = 32, .bits = 24},
};
/* clang-format on */

const struct hdr_type hdr_vxlan = {
	.hdr = {.name = "vxlan",
		.title = "VXLAN header",
		.min_bytes = VXLAN_BYTES,
		.fields = &hdr_vxlan.section},
	.section = OPT_SECTION("vxlan header", fields),
	.child_of = {{HDR_SPACE_UDP_PORT, 4789}},
	.next_space = HDR_SPACE_WIRE,
	.next_field = HDR_NO_FIELD,
};
