/* SPDX-License-Identifier: BSD-3-Clause */
#include "hdr.h"

/* RFC 826, for Ethernet and IPv4. */
#define ARP_BYTES 28

enum {
	ARP_HARDWARE,
	ARP_PROTOCOL,
	ARP_HARDWARE_LENGTH,
	ARP_PROTOCOL_LENGTH,
	ARP_OPERATION,
	ARP_SRC_MAC,
	ARP_SRC_IP,
	ARP_DST_MAC,
	ARP_DST_IP
};

static const struct opt_word operations[] = {
	{"request", 1},
	{"reply", 2},
	{NULL, 0},
};

/* clang-format off */
static const struct pkt_field fields[] = {
	[ARP_HARDWARE] = {
		.opt = {.name = "arp-hardware", .type = OPT_UINT, HDR_VARY, .max = 65535, .dflt = "1",
			.help = "hardware type; 1 is Ethernet"},
		.bit_off = 0, .bits = 16},
	[ARP_PROTOCOL] = {
		.opt = {.name = "arp-protocol", .type = OPT_UINT, HDR_VARY, .max = 65535,
			.words = hdr_ethertypes, .dflt = "ip",
			.help = "protocol type, an EtherType"},
		.bit_off = 16, .bits = 16},
	[ARP_HARDWARE_LENGTH] = {
		.opt = {.name = "arp-hardware-length", .type = OPT_UINT, HDR_VARY, .max = 255,
			.dflt = "6",
			.help = "bytes of a hardware address"},
		.bit_off = 32, .bits = 8},
	[ARP_PROTOCOL_LENGTH] = {
		.opt = {.name = "arp-protocol-length", .type = OPT_UINT, HDR_VARY, .max = 255,
			.dflt = "4",
			.help = "bytes of a protocol address"},
		.bit_off = 40, .bits = 8},
	[ARP_OPERATION] = {
		.opt = {.name = "arp-operation", .type = OPT_UINT, HDR_VARY, .max = 65535,
			.words = operations, .dflt = "request",
			.help = "operation"},
		.bit_off = 48, .bits = 16},
	[ARP_SRC_MAC] = {
		.opt = {.name = "arp-src-mac", .type = OPT_MAC, HDR_VARY,
			.help = "sender's MAC; when not given, the sending port's"},
		.bit_off = 64, .bits = 48},
	[ARP_SRC_IP] = {
		.opt = {.name = "arp-src-ip", .type = OPT_IP4, HDR_VARY,
			.help = "sender's address; when not given, the sending port's"},
		.bit_off = 112, .bits = 32},
	[ARP_DST_MAC] = {
		.opt = {.name = "arp-dst-mac", .type = OPT_MAC, HDR_VARY,
			.dflt = "00:00:00:00:00:00",
			.help = "target's MAC"},
		.bit_off = 144, .bits = 48},
	[ARP_DST_IP] = {
		.opt = {.name = "arp-dst-ip", .type = OPT_IP4, HDR_VARY,
			.help = "target's address; needed when the stack has an arp header"},
		.bit_off = 192, .bits = 32},
};
/* clang-format on */

static int arp_assume(
	const struct hdr_build *b, unsigned i, const struct opt *opt, struct opt_val *val)
{
	(void)i;
	if (opt == &fields[ARP_DST_IP].opt)
		return opt_error(b->err, b->tmpl, opt,
			"is missing: the header stack has an arp header (give an address or A-B)");
	val->lo = opt == &fields[ARP_SRC_MAC].opt ? b->assumed->mac_src : b->assumed->ip_src;
	if (val->lo != 0)
		return 0;
	return opt_error(b->err, b->tmpl, opt, "is neither given nor known");
}

const struct hdr_type hdr_arp = {
	.hdr = {.name = "arp",
		.title = "ARP message",
		.min_bytes = ARP_BYTES,
		.fields = &hdr_arp.section},
	.section = OPT_SECTION("arp header", fields),
	.child_of = {{HDR_SPACE_ETHERTYPE, PKT_ETHERTYPE_ARP}},
	.unsigned_ = true,
	.assume = arp_assume,
};
