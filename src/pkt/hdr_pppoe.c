/* SPDX-License-Identifier: BSD-3-Clause */
#include "hdr.h"

/* RFC 2516 §4 and the PPP protocol field (RFC 1661 §2), which a session packet begins with. */
enum { PPPOE_OFF_LENGTH = 4, PPPOE_HEADER_BYTES = 6, PPPOE_BYTES = 8 };
#define PPPOE_VERSION_TYPE 0x11
#define PPP_PADDING	   1 /* receivers drop it */

enum { PPPOE_CODE, PPPOE_SESSION_ID, PPPOE_LENGTH, PPPOE_PROTOCOL };

/* clang-format off */
static const struct pkt_field fields[] = {
	[PPPOE_CODE] = {
		.opt = {.name = "pppoe-code", .type = OPT_UINT, HDR_VARY, .max = 255, .dflt = "0",
			.help = "code; 0 is session data"},
		.bit_off = 8, .bits = 8},
	[PPPOE_SESSION_ID] = {
		.opt = {.name = "pppoe-session-id", .type = OPT_UINT, HDR_VARY, .max = 65535,
			.dflt = "1",
			.help = "session"},
		.bit_off = 16, .bits = 16},
	[PPPOE_LENGTH] = {
		.opt = {.name = "pppoe-length", .type = OPT_UINT, HDR_VARY, .max = 65535,
			.words = hdr_good_bad, .dflt = "good",
			.help = "length of what follows the six bytes of PPPoE: good, bad (one more) or a "
				"number"},
		.bit_off = 32, .bits = 16},
	[PPPOE_PROTOCOL] = {
		.opt = {.name = "pppoe-protocol", .type = OPT_UINT, HDR_VARY, .max = 65535,
			.words = hdr_ppp_protocols,
			.help = "PPP protocol; when not given, from the next header (padding when there "
				"is none)"},
		.bit_off = 48, .bits = 16},
};
/* clang-format on */

static void pppoe_finish(struct hdr_build *b, unsigned i)
{
	unsigned off = b->place[i].off;

	b->frame->hdr[off] = PPPOE_VERSION_TYPE;
	hdr_length(b, i, PPPOE_LENGTH, off + PPPOE_OFF_LENGTH, 2,
		b->frame->size - off - PPPOE_HEADER_BYTES);
}

const struct hdr_type hdr_pppoe = {
	.hdr = {.name = "pppoe",
		.title = "PPPoE session header with the PPP protocol",
		.min_bytes = PPPOE_BYTES,
		.fields = &hdr_pppoe.section},
	.section = OPT_SECTION("pppoe header", fields),
	.child_of = {{HDR_SPACE_ETHERTYPE, 0x8864}},
	.next_space = HDR_SPACE_PPP,
	.next_field = PPPOE_PROTOCOL,
	.next_none = PPP_PADDING,
	.finish = pppoe_finish,
};
