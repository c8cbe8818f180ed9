/* SPDX-License-Identifier: BSD-3-Clause */
#include "hdr.h"

/* RFC 8200 §4.3: the options, padded to whole 8 bytes (§4.2). */
#define NO_NEXT 59

enum { HBH_NEXT, HBH_OPTIONS };

/* clang-format off */
static const struct pkt_field fields[] = {
	[HBH_NEXT] = {
		.opt = {.name = "hop-by-hop-next-header", .type = OPT_UINT, HDR_VARY, .max = 255,
			.words = hdr_ip_protocols,
			.help = "next header; when not given, from the next header of the stack"},
		.bit_off = 0, .bits = 8},
	[HBH_OPTIONS] = {
		.opt = {.name = "hop-by-hop-options", .type = OPT_HEX, HDR_ITEMS,
			.help = "the options in hex; padding to whole 8 bytes follows by itself"}},
};
/* clang-format on */

static int hbh_bytes(const struct opt_set *tmpl, unsigned nth, struct err *err)
{
	return hdr_options_bytes(tmpl, &fields[HBH_OPTIONS].opt, nth, err);
}

static void hbh_finish(struct hdr_build *b, unsigned i)
{
	hdr_options_put(b, i, &fields[HBH_OPTIONS].opt);
}

const struct hdr_type hdr_hop_by_hop = {
	.hdr = {.name = "hop-by-hop",
		.title = "IPv6 hop-by-hop options header",
		.min_bytes = 8,
		.fields = &hdr_hop_by_hop.section},
	.section = OPT_SECTION("hop-by-hop header", fields),
	.child_of = {{HDR_SPACE_IP6_NEXT, 0}},
	.next_space = HDR_SPACE_IP6_NEXT,
	.next_field = HBH_NEXT,
	.next_none = NO_NEXT,
	.bytes = hbh_bytes,
	.finish = hbh_finish,
};
