/* SPDX-License-Identifier: BSD-3-Clause */
#include "hdr.h"

enum { VLAN_ID, VLAN_PRIORITY, VLAN_DEI, VLAN_PROTOCOL, VLAN_TPID };

static const struct opt_word tpids[] = {
	{"802.1q", PKT_ETHERTYPE_VLAN},
	{"802.1ad", PKT_ETHERTYPE_QINQ},
	{NULL, 0},
};

/* clang-format off */
static const struct pkt_field fields[] = {
	[VLAN_ID] = {
		.opt = {.name = "vlan-id", .type = OPT_UINT, HDR_VARY, .max = 4095, .dflt = "1",
			.help = "VLAN identifier"},
		.bit_off = 4, .bits = 12},
	[VLAN_PRIORITY] = {
		.opt = {.name = "vlan-priority", .type = OPT_UINT, HDR_VARY, .max = 7, .dflt = "0",
			.help = "priority code point"},
		.bit_off = 0, .bits = 3},
	[VLAN_DEI] = {
		.opt = {.name = "vlan-dei", .type = OPT_UINT, HDR_VARY, .max = 1, .dflt = "0",
			.help = "drop eligible indicator"},
		.bit_off = 3, .bits = 1},
	[VLAN_PROTOCOL] = {
		.opt = {.name = "vlan-protocol", .type = OPT_UINT, HDR_VARY, .max = 0xffff,
			.words = hdr_ethertypes,
			.help = "EtherType of what the tag carries; when not given, from the next header "
				"(0x88b5, local experimental, when there is none)"},
		.bit_off = 16, .bits = 16},
	[VLAN_TPID] = {
		.opt = {.name = "vlan-tpid", .type = OPT_UINT, HDR_ITEMS, .max = 0xffff,
			.words = tpids, .dflt = "802.1q",
			.help = "EtherType of the tag itself, which the header before it holds; every "
				"tag is 802.1q unless given: a QinQ stack says vlan-tpid=802.1ad,802.1q"}},
};
/* clang-format on */

static uint32_t vlan_bind(
	const struct opt_set *tmpl, unsigned nth, enum hdr_space space, uint32_t value)
{
	struct opt_val val;

	(void)space;
	return opt_set_val(tmpl, &fields[VLAN_TPID].opt, nth, &val) ? (uint32_t)val.lo : value;
}

const struct hdr_type hdr_vlan = {
	.hdr = {.name = "vlan",
		.title = "VLAN tag",
		.min_bytes = 4,
		.is_tag = true,
		.fields = &hdr_vlan.section},
	.section = OPT_SECTION("vlan header", fields),
	.child_of = {{HDR_SPACE_ETHERTYPE, PKT_ETHERTYPE_VLAN}},
	.next_space = HDR_SPACE_ETHERTYPE,
	.next_field = VLAN_PROTOCOL,
	.next_none = HDR_ETHERTYPE_NONE,
	.bind = vlan_bind,
};
