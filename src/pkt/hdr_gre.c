/* SPDX-License-Identifier: BSD-3-Clause */
#include "hdr.h"

/* RFC 2784 §2 and RFC 2890 §2: what is optional is there when it was given. */
enum { GRE_BYTES = 4, GRE_OPTIONAL_BYTES = 4 };
enum { GRE_HAS_CHECKSUM = 0x80, GRE_HAS_KEY = 0x20, GRE_HAS_SEQUENCE = 0x10 };

enum { GRE_PROTOCOL, GRE_CHECKSUM, GRE_KEY, GRE_SEQUENCE };

/* clang-format off */
static const struct pkt_field fields[] = {
	[GRE_PROTOCOL] = {
		.opt = {.name = "gre-protocol", .type = OPT_UINT, HDR_VARY, .max = 0xffff,
			.words = hdr_ethertypes,
			.help = "protocol type, an EtherType; when not given, from the next header "
				"(0x88b5, local experimental, when there is none)"},
		.bit_off = 16, .bits = 16},
	[GRE_CHECKSUM] = {
		.opt = {.name = "gre-checksum", .type = OPT_UINT, HDR_VARY, .max = 65535,
			.words = hdr_good_bad,
			.help = "checksum: good, bad or a number; when not given, the header has none"},
		.bit_off = 32, .bits = 16},
	[GRE_KEY] = {
		.opt = {.name = "gre-key", .type = OPT_UINT, HDR_VARY, .max = 0xffffffff,
			.help = "key; when not given, the header has none"},
		.bit_off = 32, .bits = 32},
	[GRE_SEQUENCE] = {
		.opt = {.name = "gre-sequence", .type = OPT_UINT, HDR_VARY, .max = 0xffffffff,
			.help = "sequence number; when not given, the header has none"},
		.bit_off = 32, .bits = 32},
};
/* clang-format on */

static bool has(const struct opt_set *tmpl, unsigned field)
{
	return opt_set_get(tmpl, &fields[field].opt) != NULL;
}

static int gre_bytes(const struct opt_set *tmpl, unsigned nth, struct err *err)
{
	unsigned bytes = GRE_BYTES;

	(void)nth;
	(void)err;
	for (unsigned f = GRE_CHECKSUM; f <= GRE_SEQUENCE; f++)
		bytes += has(tmpl, f) ? GRE_OPTIONAL_BYTES : 0;
	return (int)bytes;
}

/* In the order of the table, as many as there are. */
static int gre_bit_off(const struct opt_set *tmpl, unsigned nth, unsigned field)
{
	unsigned off = GRE_BYTES;

	(void)nth;
	if (field == GRE_PROTOCOL)
		return fields[field].bit_off;
	if (!has(tmpl, field))
		return -1;
	for (unsigned f = GRE_CHECKSUM; f < field; f++)
		off += has(tmpl, f) ? GRE_OPTIONAL_BYTES : 0;
	return (int)off * 8;
}

static void gre_finish(struct hdr_build *b, unsigned i)
{
	unsigned off = b->place[i].off;

	b->frame->hdr[off] = (uint8_t)((has(b->tmpl, GRE_CHECKSUM) ? GRE_HAS_CHECKSUM : 0) |
				       (has(b->tmpl, GRE_KEY) ? GRE_HAS_KEY : 0) |
				       (has(b->tmpl, GRE_SEQUENCE) ? GRE_HAS_SEQUENCE : 0));
	if (has(b->tmpl, GRE_CHECKSUM))
		hdr_checksum(b, i, GRE_CHECKSUM,
			&(struct hdr_csum){.off = off + GRE_BYTES, .from = off});
}

const struct hdr_type hdr_gre = {
	.hdr = {.name = "gre",
		.title = "GRE header",
		.min_bytes = GRE_BYTES,
		.fields = &hdr_gre.section},
	.section = OPT_SECTION("gre header", fields),
	.child_of = {{HDR_SPACE_IP_PROTO, 47}, {HDR_SPACE_IP6_NEXT, 47}},
	.next_space = HDR_SPACE_TUNNEL_TYPE,
	.next_field = GRE_PROTOCOL,
	.next_none = HDR_ETHERTYPE_NONE,
	.bytes = gre_bytes,
	.bit_off = gre_bit_off,
	.finish = gre_finish,
};
