/* SPDX-License-Identifier: BSD-3-Clause */
#include "hdr.h"

/* RFC 8200 §4.6: the options, padded to whole 8 bytes (§4.2). */
#define NO_NEXT 59

enum { DST_NEXT, DST_OPTIONS };

/* clang-format off */
static const struct pkt_field fields[] = {
	[DST_NEXT] = {
		.opt = {.name = "destination-next-header", .type = OPT_UINT, HDR_VARY, .max = 255,
			.words = hdr_ip_protocols,
			.help = "next header; when not given, from the next header of the stack"},
		.bit_off = 0, .bits = 8},
	[DST_OPTIONS] = {
		.opt = {.name = "destination-options", .type = OPT_HEX, HDR_ITEMS,
			.help = "the options in hex; padding to whole 8 bytes follows by itself"}},
};
/* clang-format on */

static int dst_bytes(const struct opt_set *tmpl, unsigned nth, struct err *err)
{
	return hdr_options_bytes(tmpl, &fields[DST_OPTIONS].opt, nth, err);
}

static void dst_finish(struct hdr_build *b, unsigned i)
{
	hdr_options_put(b, i, &fields[DST_OPTIONS].opt);
}

const struct hdr_type hdr_destination = {
	.hdr = {.name = "destination",
		.title = "IPv6 destination options header",
		.min_bytes = 8,
		.fields = &hdr_destination.section},
	.section = OPT_SECTION("destination header", fields),
	.child_of = {{HDR_SPACE_IP6_NEXT, 60}},
	.next_space = HDR_SPACE_IP6_NEXT,
	.next_field = DST_NEXT,
	.next_none = NO_NEXT,
	.bytes = dst_bytes,
	.finish = dst_finish,
};
