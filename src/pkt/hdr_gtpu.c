/* SPDX-License-Identifier: BSD-3-Clause */
#include "hdr.h"

/* 3GPP TS 29.281 §5.1, the mandatory part. */
enum { GTPU_OFF_LENGTH = 2, GTPU_BYTES = 8 };
#define GTPU_VERSION_PT 0x30

enum { GTPU_MESSAGE_TYPE, GTPU_LENGTH, GTPU_TEID };

/* clang-format off */
static const struct pkt_field fields[] = {
	[GTPU_MESSAGE_TYPE] = {
		.opt = {.name = "gtpu-message-type", .type = OPT_UINT, HDR_VARY, .max = 255,
			.dflt = "255",
			.help = "message type; 255 is user data (G-PDU)"},
		.bit_off = 8, .bits = 8},
	[GTPU_LENGTH] = {
		.opt = {.name = "gtpu-length", .type = OPT_UINT, HDR_VARY, .max = 65535,
			.words = hdr_good_bad, .dflt = "good",
			.help = "length of what follows the header: good, bad (one more) or a number"},
		.bit_off = 16, .bits = 16},
	[GTPU_TEID] = {
		.opt = {.name = "gtpu-teid", .type = OPT_UINT, HDR_VARY, .max = 0xffffffff,
			.dflt = "1",
			.help = "tunnel endpoint identifier"},
		.bit_off = 32, .bits = 32},
};
/* clang-format on */

static void gtpu_finish(struct hdr_build *b, unsigned i)
{
	unsigned off = b->place[i].off;

	b->frame->hdr[off] = GTPU_VERSION_PT;
	hdr_length(b, i, GTPU_LENGTH, off + GTPU_OFF_LENGTH, 2, b->frame->size - off - GTPU_BYTES);
}

const struct hdr_type hdr_gtpu = {
	.hdr = {.name = "gtpu",
		.title = "GTP-U header",
		.min_bytes = GTPU_BYTES,
		.fields = &hdr_gtpu.section},
	.section = OPT_SECTION("gtpu header", fields),
	.child_of = {{HDR_SPACE_UDP_PORT, 2152}},
	.next_space = HDR_SPACE_GTP,
	.next_field = HDR_NO_FIELD,
	.finish = gtpu_finish,
};
