/* SPDX-License-Identifier: BSD-3-Clause */
#include "hdr.h"

#include "tgen/sig.h"

/* Outside of the field, so that it can be told from every number. */
#define CHECKSUM_COMPUTE 0x10000

/* RFC 768 and, for the pseudo-header, RFC 791: byte offsets. */
enum { UDP_OFF_LENGTH = 4, UDP_OFF_CSUM = 6, UDP_BYTES = 8, IP_OFF_ADDRS = 12, IP_ADDRS_BYTES = 8 };

enum { UDP_SRC_PORT, UDP_DST_PORT, UDP_CHECKSUM };

static const struct opt_word checksums[] = {{"compute", CHECKSUM_COMPUTE}, {NULL, 0}};

#define UDP_LIST .flags = OPT_LIST, .max_items = PKT_MAX_HEADERS, .max = 65535

/* clang-format off */
static const struct pkt_field fields[] = {
	[UDP_SRC_PORT] = {
		.opt = {.name = "udp-src-port", .type = OPT_URANGE, UDP_LIST, .dflt = "100",
			.help = "source port or range; a range is sent in order, again and again"},
		.bit_off = 0, .bits = 16},
	[UDP_DST_PORT] = {
		.opt = {.name = "udp-dst-port", .type = OPT_URANGE, UDP_LIST, .dflt = "200",
			.help = "destination port or range; a range is sent in order, again and again"},
		.bit_off = 16, .bits = 16},
	[UDP_CHECKSUM] = {
		.opt = {.name = "udp-checksum", .type = OPT_UINT, UDP_LIST, .words = checksums,
			.dflt = "0",
			.help = "checksum as a number (0: none), or computed"},
		.bit_off = 48, .bits = 16},
};
/* clang-format on */

static void udp_finish(struct hdr_build *b, unsigned i)
{
	struct pkt_frame *frame = b->frame;
	unsigned off = b->place[i].off, addrs = b->place[i - 1].off + IP_OFF_ADDRS;
	uint16_t length = (uint16_t)(frame->size - off), csum;
	uint8_t *udp = frame->hdr + off;
	struct opt_val val;
	uint32_t sum;

	if (frame->l4_off == 0) /* the innermost is finished first */
		frame->l4_off = (uint16_t)off;
	pkt_put16(udp + UDP_OFF_LENGTH, length);
	hdr_field_val(b, i, UDP_CHECKSUM, &val);
	if (!val.is_word)
		return;
	pkt_put16(udp + UDP_OFF_CSUM, 0);
	sum = pkt_csum_add(frame->hdr + addrs, IP_ADDRS_BYTES, PKT_IP_PROTO_UDP + length);
	sum = pkt_csum_add(udp, frame->hdr_bytes - off, sum);
	csum = (uint16_t)~sig_fold(sum + payload_sum(frame, off));
	pkt_put16(udp + UDP_OFF_CSUM, csum == 0 ? 0xffff : csum);
	hdr_csum_covers(frame, off, off + UDP_BYTES, 1, (uint16_t)(off + UDP_OFF_CSUM));
	hdr_csum_covers(frame, addrs, addrs + IP_ADDRS_BYTES, 1, (uint16_t)(off + UDP_OFF_CSUM));
}

const struct hdr_type hdr_udp = {
	.hdr = {.name = "udp",
		.title = "UDP header",
		.min_bytes = UDP_BYTES,
		.fields = &hdr_udp.section},
	.section = OPT_SECTION("udp header", fields),
	.child_of = {{HDR_SPACE_IP_PROTO, PKT_IP_PROTO_UDP}},
	.finish = udp_finish,
};
