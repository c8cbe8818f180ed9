/* SPDX-License-Identifier: BSD-3-Clause */
#include "hdr.h"

/* An inner frame's destination when the user does not say: of nobody (locally administered). */
#define MAC_INNER_DST 0x020000000001

enum { MAC_DST, MAC_SRC, MAC_PROTOCOL };

/* clang-format off */
static const struct pkt_field fields[] = {
	[MAC_DST] = {
		.opt = {.name = "mac-dst", .type = OPT_MAC, HDR_VARY,
			.help = "destination MAC; when not given, the ARP answer of ip-gateway or ip-dst "
				"(inside a tunnel: 02:00:00:00:00:01)"},
		.bit_off = 0, .bits = 48},
	[MAC_SRC] = {
		.opt = {.name = "mac-src", .type = OPT_MAC, HDR_VARY,
			.help = "source MAC; when not given, the sending port's"},
		.bit_off = 48, .bits = 48},
	[MAC_PROTOCOL] = {
		.opt = {.name = "mac-protocol", .type = OPT_UINT, HDR_VARY, .max = 0xffff, .words = hdr_ethertypes,
			.help = "EtherType; when not given, from the next header "
				"(0x88b5, local experimental, when there is none)"},
		.bit_off = 96, .bits = 16},
};
/* clang-format on */

static int mac_assume(
	const struct hdr_build *b, unsigned i, const struct opt *opt, struct opt_val *val)
{
	bool dst = opt == &fields[MAC_DST].opt, inner = b->place[i].nth > 0;

	val->lo = dst ? b->assumed->mac_dst : b->assumed->mac_src;
	if (dst && inner)
		val->lo = MAC_INNER_DST;
	if (val->lo != 0)
		return 0;
	return opt_error(b->err, b->tmpl, opt, "is neither given nor known (give %s)",
		dst ? "it, or an ip-gateway that answers ARP" : "it, or a port with a MAC");
}

const struct hdr_type hdr_mac = {
	.hdr = {.name = "mac",
		.title = "Ethernet header",
		.min_bytes = 14,
		.fields = &hdr_mac.section},
	.section = OPT_SECTION("mac header", fields),
	.child_of = {{HDR_SPACE_WIRE, 0}, {HDR_SPACE_TUNNEL_TYPE, 0x6558}, {HDR_SPACE_MPLS, 1}},
	.next_space = HDR_SPACE_ETHERTYPE,
	.next_field = MAC_PROTOCOL,
	.next_none = HDR_ETHERTYPE_NONE,
	.assume = mac_assume,
};
