/* SPDX-License-Identifier: BSD-3-Clause */
#include "hdr.h"

/* RFC 9293 §3.1, byte offsets. */
enum { TCP_OFF_CSUM = 16, TCP_BYTES = 20, TCP_WORD = 4 };

enum {
	TCP_SRC_PORT,
	TCP_DST_PORT,
	TCP_SYN,
	TCP_ACK,
	TCP_DATA_OFFSET,
	TCP_FLAGS,
	TCP_WINDOW,
	TCP_CHECKSUM,
	TCP_URGENT
};

static const struct opt_word flags[] = {
	{"fin", 0x001},
	{"syn", 0x002},
	{"rst", 0x004},
	{"psh", 0x008},
	{"ack", 0x010},
	{"urg", 0x020},
	{"ece", 0x040},
	{"cwr", 0x080},
	{"ns", 0x100},
	{NULL, 0},
};

/* clang-format off */
static const struct pkt_field fields[] = {
	[TCP_SRC_PORT] = {
		.opt = {.name = "tcp-src-port", .type = OPT_URANGE, HDR_VARY, .max = 65535,
			.dflt = "100",
			.help = "source port or range; a range is sent in order, again and again"},
		.bit_off = 0, .bits = 16},
	[TCP_DST_PORT] = {
		.opt = {.name = "tcp-dst-port", .type = OPT_URANGE, HDR_VARY, .max = 65535,
			.dflt = "200",
			.help = "destination port or range; a range is sent in order, again and again"},
		.bit_off = 16, .bits = 16},
	[TCP_SYN] = {
		.opt = {.name = "tcp-syn", .type = OPT_URANGE, HDR_VARY, .max = 0xffffffff,
			.dflt = "0",
			.help = "sequence number or range"},
		.bit_off = 32, .bits = 32},
	[TCP_ACK] = {
		.opt = {.name = "tcp-ack", .type = OPT_URANGE, HDR_VARY, .max = 0xffffffff,
			.dflt = "0",
			.help = "acknowledgement number or range"},
		.bit_off = 64, .bits = 32},
	[TCP_DATA_OFFSET] = {
		.opt = {.name = "tcp-data-offset", .type = OPT_UINT, HDR_ITEMS, .max = 15,
			.dflt = "5", .unit = "words of 4 bytes",
			.help = "length of the header; more than 5 adds options that are zeros"},
		.bit_off = 96, .bits = 4},
	[TCP_FLAGS] = {
		.opt = {.name = "tcp-flags", .type = OPT_FLAGS, HDR_VARY, .max = 0x1ff,
			.words = flags, .dflt = "0",
			.help = "flags joined by +, as syn+ack, or a number"},
		.bit_off = 103, .bits = 9},
	[TCP_WINDOW] = {
		.opt = {.name = "tcp-window-size", .type = OPT_UINT, HDR_VARY, .max = 65535,
			.dflt = "0",
			.help = "window size"},
		.bit_off = 112, .bits = 16},
	[TCP_CHECKSUM] = {
		.opt = {.name = "tcp-checksum", .type = OPT_UINT, HDR_VARY, .max = 65535,
			.words = hdr_good_bad, .dflt = "good",
			.help = "checksum: good, bad or a number"},
		.bit_off = 128, .bits = 16},
	[TCP_URGENT] = {
		.opt = {.name = "tcp-urgent-pointer", .type = OPT_UINT, HDR_VARY, .max = 65535,
			.dflt = "0",
			.help = "urgent pointer"},
		.bit_off = 144, .bits = 16},
};
/* clang-format on */

static int tcp_bytes(const struct opt_set *tmpl, unsigned nth, struct err *err)
{
	struct opt_val val = {0};

	(void)err;
	opt_set_val(tmpl, &fields[TCP_DATA_OFFSET].opt, nth, &val);
	return val.lo * TCP_WORD > TCP_BYTES ? (int)val.lo * TCP_WORD : TCP_BYTES;
}

static void tcp_finish(struct hdr_build *b, unsigned i)
{
	unsigned off = b->place[i].off, length = b->frame->size - off;
	struct hdr_csum csum = {.off = off + TCP_OFF_CSUM, .from = off};

	hdr_is_l4(b, i, PKT_IP_PROTO_TCP, hdr_is_good(b, i, TCP_CHECKSUM));
	hdr_pseudo(b, i, PKT_IP_PROTO_TCP, length, &csum);
	hdr_checksum(b, i, TCP_CHECKSUM, &csum);
}

const struct hdr_type hdr_tcp = {
	.hdr = {.name = "tcp",
		.title = "TCP header",
		.min_bytes = TCP_BYTES,
		.fields = &hdr_tcp.section},
	.section = OPT_SECTION("tcp header", fields),
	.child_of = {{HDR_SPACE_IP_PROTO, PKT_IP_PROTO_TCP},
		{HDR_SPACE_IP6_NEXT, PKT_IP_PROTO_TCP}},
	.bytes = tcp_bytes,
	.finish = tcp_finish,
};
