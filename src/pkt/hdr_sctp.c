/* SPDX-License-Identifier: BSD-3-Clause */
#include "hdr.h"

/*
 * RFC 9260 §3.1 and §3.3.1: the common header and the header of one DATA chunk, so that the payload
 * is legal. Chunks are padded to whole words: a payload of another length is a packet that is cut
 * short by up to three bytes.
 */
enum { SCTP_OFF_CSUM = 8, SCTP_OFF_CHUNK = 12, SCTP_OFF_LENGTH = 14, SCTP_BYTES = 28 };

enum {
	SCTP_SRC_PORT,
	SCTP_DST_PORT,
	SCTP_VTAG,
	SCTP_CHECKSUM,
	SCTP_CHUNK,
	SCTP_FLAGS,
	SCTP_LENGTH,
	SCTP_TSN,
	SCTP_STREAM_ID,
	SCTP_STREAM_SEQ,
	SCTP_PPID
};

/* clang-format off */
static const struct pkt_field fields[] = {
	[SCTP_SRC_PORT] = {
		.opt = {.name = "sctp-src-port", .type = OPT_URANGE, HDR_VARY, .max = 65535,
			.dflt = "100",
			.help = "source port or range; a range is sent in order, again and again"},
		.bit_off = 0, .bits = 16},
	[SCTP_DST_PORT] = {
		.opt = {.name = "sctp-dst-port", .type = OPT_URANGE, HDR_VARY, .max = 65535,
			.dflt = "200",
			.help = "destination port or range; a range is sent in order, again and again"},
		.bit_off = 16, .bits = 16},
	[SCTP_VTAG] = {
		.opt = {.name = "sctp-vtag", .type = OPT_UINT, HDR_VARY, .max = 0xffffffff,
			.dflt = "1",
			.help = "verification tag"},
		.bit_off = 32, .bits = 32},
	[SCTP_CHECKSUM] = {
		.opt = {.name = "sctp-checksum", .type = OPT_UINT, HDR_VARY, .max = 0xffffffff,
			.words = hdr_good_bad, .dflt = "good",
			.help = "checksum (CRC-32C): good, bad or a number"},
		.bit_off = 64, .bits = 32},
	[SCTP_CHUNK] = {
		.opt = {.name = "sctp-chunk-type", .type = OPT_UINT, HDR_VARY, .max = 255,
			.dflt = "0",
			.help = "type of the chunk; 0 is DATA"},
		.bit_off = 96, .bits = 8},
	[SCTP_FLAGS] = {
		.opt = {.name = "sctp-chunk-flags", .type = OPT_UINT, HDR_VARY, .max = 255,
			.dflt = "3",
			.help = "flags of the chunk; 3 is the whole of a message, in order"},
		.bit_off = 104, .bits = 8},
	[SCTP_LENGTH] = {
		.opt = {.name = "sctp-chunk-length", .type = OPT_UINT, HDR_VARY, .max = 65535,
			.words = hdr_good_bad, .dflt = "good",
			.help = "length of the chunk: good, bad (one more) or a number"},
		.bit_off = 112, .bits = 16},
	[SCTP_TSN] = {
		.opt = {.name = "sctp-tsn", .type = OPT_UINT, HDR_VARY, .max = 0xffffffff,
			.dflt = "0",
			.help = "transmission sequence number"},
		.bit_off = 128, .bits = 32},
	[SCTP_STREAM_ID] = {
		.opt = {.name = "sctp-stream-id", .type = OPT_UINT, HDR_VARY, .max = 65535,
			.dflt = "0",
			.help = "stream identifier"},
		.bit_off = 160, .bits = 16},
	[SCTP_STREAM_SEQ] = {
		.opt = {.name = "sctp-stream-seq", .type = OPT_UINT, HDR_VARY, .max = 65535,
			.dflt = "0",
			.help = "stream sequence number"},
		.bit_off = 176, .bits = 16},
	[SCTP_PPID] = {
		.opt = {.name = "sctp-ppid", .type = OPT_UINT, HDR_VARY, .max = 0xffffffff,
			.dflt = "0",
			.help = "payload protocol identifier"},
		.bit_off = 192, .bits = 32},
};
/* clang-format on */

/* A frame has room for one CRC that is written when it leaves. */
static int sctp_bytes(const struct opt_set *tmpl, unsigned nth, struct err *err)
{
	if (nth > 0)
		return opt_error(err, tmpl, &pkt_template_opts[TMPL_HEADER_STACK],
			"has more than one sctp header");
	return SCTP_BYTES;
}

static void sctp_finish(struct hdr_build *b, unsigned i)
{
	unsigned off = b->place[i].off;
	struct opt_val val = {0};

	hdr_length(
		b, i, SCTP_LENGTH, off + SCTP_OFF_LENGTH, 2, b->frame->size - off - SCTP_OFF_CHUNK);
	hdr_is_l4(b, i, PKT_IP_PROTO_SCTP, hdr_is_good(b, i, SCTP_CHECKSUM));
	hdr_field_val(b, i, SCTP_CHECKSUM, &val);
	if (val.lo != HDR_GOOD && val.lo != HDR_BAD)
		return;
	b->frame->crc_off = (uint16_t)(off + SCTP_OFF_CSUM);
	b->frame->crc_bad = val.lo == HDR_BAD;
}

const struct hdr_type hdr_sctp = {
	.hdr = {.name = "sctp",
		.title = "SCTP header with the header of a DATA chunk",
		.min_bytes = SCTP_BYTES,
		.fields = &hdr_sctp.section},
	.section = OPT_SECTION("sctp header", fields),
	.child_of = {{HDR_SPACE_IP_PROTO, PKT_IP_PROTO_SCTP},
		{HDR_SPACE_IP6_NEXT, PKT_IP_PROTO_SCTP}},
	.bytes = sctp_bytes,
	.finish = sctp_finish,
};
