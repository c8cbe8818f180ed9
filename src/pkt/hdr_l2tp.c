/* SPDX-License-Identifier: BSD-3-Clause */
#include "hdr.h"

/*
 * RFC 2661 §3.1: a data message of version 2 without what is optional, and the beginning of the PPP
 * frame in it (RFC 1662 §3.1: address, control, protocol).
 */
enum { L2TP_OFF_ADDRESS = 6, L2TP_BYTES = 10 };
#define L2TP_VERSION 2
#define PPP_ADDRESS  0xff03
#define PPP_PADDING  1 /* receivers drop it */

enum { L2TP_TUNNEL_ID, L2TP_SESSION_ID, L2TP_PROTOCOL };

/* clang-format off */
static const struct pkt_field fields[] = {
	[L2TP_TUNNEL_ID] = {
		.opt = {.name = "l2tp-tunnel-id", .type = OPT_UINT, HDR_VARY, .max = 65535,
			.dflt = "1",
			.help = "tunnel"},
		.bit_off = 16, .bits = 16},
	[L2TP_SESSION_ID] = {
		.opt = {.name = "l2tp-session-id", .type = OPT_UINT, HDR_VARY, .max = 65535,
			.dflt = "1",
			.help = "session"},
		.bit_off = 32, .bits = 16},
	[L2TP_PROTOCOL] = {
		.opt = {.name = "l2tp-protocol", .type = OPT_UINT, HDR_VARY, .max = 65535,
			.words = hdr_ppp_protocols,
			.help = "PPP protocol; when not given, from the next header (padding when there "
				"is none)"},
		.bit_off = 64, .bits = 16},
};
/* clang-format on */

static void l2tp_finish(struct hdr_build *b, unsigned i)
{
	uint8_t *p = b->frame->hdr + b->place[i].off;

	pkt_put16(p, L2TP_VERSION);
	pkt_put16(p + L2TP_OFF_ADDRESS, PPP_ADDRESS);
}

const struct hdr_type hdr_l2tp = {
	.hdr = {.name = "l2tp",
		.title = "L2TP data header with PPP's",
		.min_bytes = L2TP_BYTES,
		.fields = &hdr_l2tp.section},
	.section = OPT_SECTION("l2tp header", fields),
	.child_of = {{HDR_SPACE_UDP_PORT, 1701}},
	.next_space = HDR_SPACE_PPP,
	.next_field = L2TP_PROTOCOL,
	.next_none = PPP_PADDING,
	.finish = l2tp_finish,
};
