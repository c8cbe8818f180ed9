/* SPDX-License-Identifier: BSD-3-Clause */
#include "hdr.h"

/*
 * RFC 8200 §4.4, with room for one address: a segment routing header (RFC 8754 §2) of one segment,
 * or type 2 (RFC 6275 §6.4).
 */
enum { RH_OFF_LENGTH = 1, RH_OFF_ADDRESS = 8, RH_BYTES = 24, RH_LENGTH = 2 };
#define NO_NEXT 59

enum { RH_NEXT, RH_TYPE, RH_LEFT, RH_LAST, RH_FLAGS, RH_TAG, RH_ADDRESS };

/* clang-format off */
static const struct pkt_field fields[] = {
	[RH_NEXT] = {
		.opt = {.name = "routing-next-header", .type = OPT_UINT, HDR_VARY, .max = 255,
			.words = hdr_ip_protocols,
			.help = "next header; when not given, from the next header of the stack"},
		.bit_off = 0, .bits = 8},
	[RH_TYPE] = {
		.opt = {.name = "routing-type", .type = OPT_UINT, HDR_VARY, .max = 255, .dflt = "4",
			.help = "routing type; 4 is segment routing"},
		.bit_off = 16, .bits = 8},
	[RH_LEFT] = {
		.opt = {.name = "routing-segments-left", .type = OPT_UINT, HDR_ITEMS, .max = 255,
			.dflt = "0",
			.help = "segments left; when not 0, routing-address is where the packet ends up, "
				"and checksums count it in the place of ipv6-dst"},
		.bit_off = 24, .bits = 8},
	[RH_LAST] = {
		.opt = {.name = "routing-last-entry", .type = OPT_UINT, HDR_VARY, .max = 255,
			.dflt = "0",
			.help = "index of the last segment; there is one, number 0"},
		.bit_off = 32, .bits = 8},
	[RH_FLAGS] = {
		.opt = {.name = "routing-flags", .type = OPT_UINT, HDR_VARY, .max = 255, .dflt = "0",
			.help = "flags of segment routing"},
		.bit_off = 40, .bits = 8},
	[RH_TAG] = {
		.opt = {.name = "routing-tag", .type = OPT_UINT, HDR_VARY, .max = 65535, .dflt = "0",
			.help = "tag of segment routing"},
		.bit_off = 48, .bits = 16},
	[RH_ADDRESS] = {
		.opt = {.name = "routing-address", .type = OPT_IP6, HDR_VARY, .dflt = "::1",
			.help = "the one address of the header"},
		.bit_off = 64, .bits = 128},
};
/* clang-format on */

static unsigned rh_final_dst(const struct hdr_build *b, unsigned i)
{
	struct opt_val val;

	hdr_field_val(b, i, RH_LEFT, &val);
	return val.lo != 0 ? b->place[i].off + RH_OFF_ADDRESS : 0;
}

static void rh_finish(struct hdr_build *b, unsigned i)
{
	b->frame->hdr[b->place[i].off + RH_OFF_LENGTH] = RH_LENGTH;
}

const struct hdr_type hdr_routing = {
	.hdr = {.name = "routing",
		.title = "IPv6 routing header",
		.min_bytes = RH_BYTES,
		.fields = &hdr_routing.section},
	.section = OPT_SECTION("routing header", fields),
	.child_of = {{HDR_SPACE_IP6_NEXT, 43}},
	.next_space = HDR_SPACE_IP6_NEXT,
	.next_field = RH_NEXT,
	.next_none = NO_NEXT,
	.final_dst = rh_final_dst,
	.finish = rh_finish,
};
