/* SPDX-License-Identifier: BSD-3-Clause */
#include "hdr.h"

/* IEEE 802: local experimental EtherType 1; nobody's protocol, so that no host takes our frames. */
#define ETHERTYPE_EXPERIMENTAL 0x88b5

enum { MAC_DST, MAC_SRC, MAC_PROTOCOL };

static const struct opt_word protocols[] = {
	{"802.2", 0x0004},
	{"arp", PKT_ETHERTYPE_ARP},
	{"ip", PKT_ETHERTYPE_IP4},
	{"ipv6", PKT_ETHERTYPE_IP6},
	{"lldp", 0x88cc},
	{"macsec", 0x88e5},
	{"mpls-multicast", 0x8848},
	{"mpls-unicast", 0x8847},
	{"pppoe", 0x8864},
	{"pppoe-discovery", 0x8863},
	{"rarp", 0x8035},
	{"service-vlan", PKT_ETHERTYPE_QINQ},
	{"vlan", PKT_ETHERTYPE_VLAN},
	{NULL, 0},
};

/* clang-format off */
static const struct pkt_field fields[] = {
	[MAC_DST] = {
		.opt = {.name = "mac-dst", .type = OPT_MAC, .flags = OPT_LIST,
			.max_items = PKT_MAX_HEADERS,
			.help = "destination MAC; when not given, the ARP answer of ip-gateway or ip-dst"},
		.bit_off = 0, .bits = 48},
	[MAC_SRC] = {
		.opt = {.name = "mac-src", .type = OPT_MAC, .flags = OPT_LIST,
			.max_items = PKT_MAX_HEADERS,
			.help = "source MAC; when not given, the sending port's"},
		.bit_off = 48, .bits = 48},
	[MAC_PROTOCOL] = {
		.opt = {.name = "mac-protocol", .type = OPT_UINT, .flags = OPT_LIST,
			.max_items = PKT_MAX_HEADERS, .max = 0xffff, .words = protocols,
			.help = "EtherType; when not given, from the next header "
				"(0x88b5, local experimental, when there is none)"},
		.bit_off = 96, .bits = 16},
};
/* clang-format on */

static int mac_assume(const struct hdr_build *b, const struct opt *opt, uint64_t *value)
{
	bool dst = opt == &fields[MAC_DST].opt;

	*value = dst ? b->assumed->mac_dst : b->assumed->mac_src;
	if (*value != 0)
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
	.child_of = {{HDR_SPACE_WIRE, 0}},
	.next_space = HDR_SPACE_ETHERTYPE,
	.next_field = MAC_PROTOCOL,
	.next_none = ETHERTYPE_EXPERIMENTAL,
	.assume = mac_assume,
};
