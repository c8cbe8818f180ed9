/* SPDX-License-Identifier: BSD-3-Clause */
#include "hdr.h"

/* RFC 768, byte offsets. */
enum { UDP_OFF_LENGTH = 4, UDP_OFF_CSUM = 6, UDP_BYTES = 8 };

#define UDP_DST_PORT_NONE 200 /* RouterOS's; as the option's default says */

enum { UDP_SRC_PORT, UDP_DST_PORT, UDP_LENGTH, UDP_CHECKSUM };

#define UDP_VARY HDR_VARY, .max = 65535

/* clang-format off */
static const struct pkt_field fields[] = {
	[UDP_SRC_PORT] = {
		.opt = {.name = "udp-src-port", .type = OPT_URANGE, UDP_VARY, .dflt = "100",
			.help = "source port or range; a range is sent in order, again and again"},
		.bit_off = 0, .bits = 16},
	[UDP_DST_PORT] = {
		.opt = {.name = "udp-dst-port", .type = OPT_URANGE, UDP_VARY, .dflt = "200",
			.help = "destination port or range; a range is sent in order, again and again; "
				"vxlan, geneve, gtpu and l2tp have their own port by default"},
		.bit_off = 16, .bits = 16},
	[UDP_LENGTH] = {
		.opt = {.name = "udp-length", .type = OPT_UINT, UDP_VARY, .words = hdr_good_bad,
			.dflt = "good",
			.help = "length: good, bad (one more) or a number"},
		.bit_off = 32, .bits = 16},
	[UDP_CHECKSUM] = {
		.opt = {.name = "udp-checksum", .type = OPT_UINT, UDP_VARY, .words = hdr_good_bad,
			.dflt = "0",
			.help = "checksum: good, bad or a number (0: none); over IPv6, where none "
				"is not allowed, good when not given"},
		.bit_off = 48, .bits = 16},
};
/* clang-format on */

/* RFC 8200 §8.1 wants a checksum where IPv6 carries it, and RouterOS's 0 is none. */
static bool udp_dflt(const struct hdr_build *b, unsigned i, unsigned field, struct opt_val *out)
{
	if (field != UDP_CHECKSUM)
		return false;
	while (i-- > 0 && b->place[i].type->ip_version == 0)
		;
	out->lo = HDR_GOOD;
	return i < b->nb && b->place[i].type->ip_version == 6;
}

static void udp_finish(struct hdr_build *b, unsigned i)
{
	unsigned off = b->place[i].off, length = b->frame->size - off;
	struct hdr_csum csum = {.off = off + UDP_OFF_CSUM, .from = off, .zero_is_none = true};
	struct opt_val val;

	/* a number that is not 0 stays what it is, whatever the frame: it cannot be verified */
	hdr_field_val(b, i, UDP_CHECKSUM, &val);
	hdr_is_l4(b, i, PKT_IP_PROTO_UDP,
		(val.lo == HDR_GOOD || (val.lo == 0 && val.hi == 0 && !val.is_vary)) &&
			hdr_is_good(b, i, UDP_LENGTH));
	hdr_length(b, i, UDP_LENGTH, off + UDP_OFF_LENGTH, 2, length);
	hdr_pseudo(b, i, PKT_IP_PROTO_UDP, length, &csum);
	hdr_checksum(b, i, UDP_CHECKSUM, &csum);
}

const struct hdr_type hdr_udp = {
	.hdr = {.name = "udp",
		.title = "UDP header",
		.min_bytes = UDP_BYTES,
		.fields = &hdr_udp.section},
	.section = OPT_SECTION("udp header", fields),
	.child_of = {{HDR_SPACE_IP_PROTO, PKT_IP_PROTO_UDP},
		{HDR_SPACE_IP6_NEXT, PKT_IP_PROTO_UDP}},
	.next_space = HDR_SPACE_UDP_PORT,
	.next_field = UDP_DST_PORT,
	.next_none = UDP_DST_PORT_NONE,
	.dflt = udp_dflt,
	.finish = udp_finish,
};
