/* SPDX-License-Identifier: BSD-3-Clause */
#include "raw.h"

#include <string.h>

#include "tgen/units.h"

/*
 * A raw-packet-template: header bytes as the user wrote them. Where offsets say that a header
 * begins, a place of no bytes of its own has its lengths and checksums mended; the last place is the
 * header bytes, whole.
 */

enum raw_opt {
	RAW_HEADER,
	RAW_IP,
	RAW_IP6,
	RAW_UDP,
	RAW_TCP,
	RAW_UDP_CSUM,
	RAW_LENGTH,
};

#define RAW_OFFSET .type = OPT_UINT, .max = PKT_HDR_MAX

/* clang-format off */
static const struct opt opts[] = {
	[RAW_HEADER] = {.name = "header", .type = OPT_HEX, .flags = OPT_REQUIRED,
		.help = "the bytes of all headers in hex, from the destination MAC on"},
	[RAW_IP] = {.name = "ip-header-offset", RAW_OFFSET,
		.help = "where an IPv4 header begins, whose total length and checksum are to be right"},
	[RAW_IP6] = {.name = "ipv6-header-offset", RAW_OFFSET,
		.help = "where an IPv6 header begins, whose payload length is to be right"},
	[RAW_UDP] = {.name = "udp-header-offset", RAW_OFFSET,
		.help = "where a UDP header begins, whose length is to be right"},
	[RAW_TCP] = {.name = "tcp-header-offset", RAW_OFFSET,
		.help = "where a TCP header begins, whose checksum is to be right"},
	[RAW_UDP_CSUM] = {.name = "udp-compute-checksum", .type = OPT_BOOL, .dflt = "no",
		.help = "the UDP checksum at udp-header-offset is to be right, too"},
	[RAW_LENGTH] = {.name = "header-length", .type = OPT_UINT, .flags = OPT_READONLY,
		.unit = "bytes", .help = "how long header is"},
};
/* clang-format on */

static const struct opt_section common = {
	.title = "template",
	.base = pkt_template_opts,
	.stride = sizeof(pkt_template_opts[0]),
	.nb = TMPL_NB_COMMON,
};
static const struct opt_section section = OPT_SECTION("header", opts);
static const struct opt_section *const sections[] = {&common, &section};

const struct opt_menu pkt_raw_menu = {
	.name = "raw-packet-template",
	.help = "Frames whose header is given byte by byte.",
	.sections = sections,
	.nb_sections = sizeof(sections) / sizeof(sections[0]),
};

bool pkt_is_raw(const struct opt_set *tmpl)
{
	return tmpl->menu == &pkt_raw_menu;
}

/* Header bytes as they were given; zeros beyond them. */
static void get_header(const struct opt_set *tmpl, uint8_t out[PKT_HDR_MAX])
{
	memset(out, 0, PKT_HDR_MAX);
	hdr_hex_put(tmpl, &opts[RAW_HEADER], 0, out);
}

static unsigned header_bytes(const struct opt_set *tmpl)
{
	return hdr_hex_bytes(tmpl, &opts[RAW_HEADER], 0);
}

/* ---- what is mended ---- */

enum {
	IP4_BYTES = 20,
	IP4_OFF_LENGTH = 2,
	IP4_OFF_PROTO = 9,
	IP4_OFF_CSUM = 10,
	IP6_BYTES = 40,
	IP6_OFF_LENGTH = 4,
	IP6_OFF_NEXT = 6,
	UDP_BYTES = 8,
	UDP_OFF_LENGTH = 4,
	UDP_OFF_CSUM = 6,
	TCP_BYTES = 20,
	TCP_OFF_CSUM = 16,
	ICMP_BYTES = 4,
	ICMP_OFF_CSUM = 2,
};

static void ip4_finish(struct hdr_build *b, unsigned i)
{
	unsigned off = b->place[i].off, bytes = b->place[i].bytes;

	pkt_put16(b->frame->hdr + off + IP4_OFF_LENGTH, (uint16_t)(b->frame->size - off));
	hdr_checksum_good(
		b, &(struct hdr_csum){.off = off + IP4_OFF_CSUM, .from = off, .to = off + bytes});
	b->csum_found |= b->csum_from == off;
	hdr_is_ip(b, i, 4);
}

static void ip6_finish(struct hdr_build *b, unsigned i)
{
	unsigned off = b->place[i].off;

	pkt_put16(
		b->frame->hdr + off + IP6_OFF_LENGTH, (uint16_t)(b->frame->size - off - IP6_BYTES));
	hdr_is_ip(b, i, 6);
}

/* The checksum of a transport header; pseudo: with the addresses of the IP header before it. */
static void l4_checksum(struct hdr_build *b, unsigned i, unsigned at, uint8_t proto, bool pseudo)
{
	unsigned off = b->place[i].off;
	struct hdr_csum csum = {
		.off = off + at, .from = off, .zero_is_none = proto == PKT_IP_PROTO_UDP};

	if (pseudo)
		hdr_pseudo(b, i, proto, b->frame->size - off, &csum);
	hdr_checksum_good(b, &csum);
	b->csum_found |= b->csum_from == off;
}

static void udp_finish(struct hdr_build *b, unsigned i)
{
	unsigned off = b->place[i].off;
	uint8_t *udp = b->frame->hdr + off;
	bool compute = opt_set_one(b->tmpl, &opts[RAW_UDP_CSUM]).lo != 0 || b->csum_from == off;

	pkt_put16(udp + UDP_OFF_LENGTH, (uint16_t)(b->frame->size - off));
	if (compute)
		l4_checksum(b, i, UDP_OFF_CSUM, PKT_IP_PROTO_UDP, true);
	hdr_is_l4(b, i, PKT_IP_PROTO_UDP, compute || pkt_get16(udp + UDP_OFF_CSUM) == 0);
}

static void tcp_finish(struct hdr_build *b, unsigned i)
{
	l4_checksum(b, i, TCP_OFF_CSUM, PKT_IP_PROTO_TCP, true);
	hdr_is_l4(b, i, PKT_IP_PROTO_TCP, true);
}

static void icmp_finish(struct hdr_build *b, unsigned i)
{
	l4_checksum(b, i, ICMP_OFF_CSUM, PKT_IP_PROTO_ICMP, false);
	hdr_is_l4(b, i, PKT_IP_PROTO_ICMP, true);
}

static void icmp6_finish(struct hdr_build *b, unsigned i)
{
	l4_checksum(b, i, ICMP_OFF_CSUM, PKT_IP_PROTO_ICMP6, true);
	hdr_is_l4(b, i, PKT_IP_PROTO_ICMP6, true);
}

/* The last place, finished first. */
static void whole_finish(struct hdr_build *b, unsigned i)
{
	(void)i;
	get_header(b->tmpl, b->frame->hdr);
}

#define RAW_TYPE .hdr = {.name = "raw"}, .next_field = HDR_NO_FIELD
static const struct hdr_type whole_type = {RAW_TYPE, .finish = whole_finish};
static const struct hdr_type tag_type = {
	.hdr = {.name = "raw", .is_tag = true}, .next_field = HDR_NO_FIELD};
static const struct hdr_type ip4_type = {RAW_TYPE, .ip_version = 4, .finish = ip4_finish};
static const struct hdr_type ip6_type = {RAW_TYPE, .ip_version = 6, .finish = ip6_finish};
static const struct hdr_type udp_type = {RAW_TYPE, .finish = udp_finish};
static const struct hdr_type tcp_type = {RAW_TYPE, .finish = tcp_finish};
static const struct hdr_type icmp_type = {RAW_TYPE, .finish = icmp_finish};
static const struct hdr_type icmp6_type = {RAW_TYPE, .finish = icmp6_finish};

/* ---- places ---- */

/* Headers by the offsets that say where they are. */
static const struct {
	enum raw_opt opt;
	const struct hdr_type *type;
	unsigned bytes; /* of an IP header: as it says itself */
} fixed[] = {
	{RAW_IP, &ip4_type, 0},
	{RAW_IP6, &ip6_type, 0},
	{RAW_UDP, &udp_type, UDP_BYTES},
	{RAW_TCP, &tcp_type, TCP_BYTES},
};
#define NB_FIXED (sizeof(fixed) / sizeof(fixed[0]))

/* What transport header a protocol number stands for, when its checksum is known. */
static const struct {
	uint8_t proto;
	const struct hdr_type *type;
	unsigned bytes;
} transports[] = {
	{PKT_IP_PROTO_ICMP, &icmp_type, ICMP_BYTES},
	{2, &icmp_type, ICMP_BYTES}, /* IGMP has its checksum in the same place */
	{PKT_IP_PROTO_TCP, &tcp_type, TCP_BYTES},
	{PKT_IP_PROTO_UDP, &udp_type, UDP_BYTES},
	{PKT_IP_PROTO_ICMP6, &icmp6_type, ICMP_BYTES},
};

struct placing {
	const struct opt_set *tmpl;
	struct hdr_place *place;
	struct err *err;
	uint8_t hdr[PKT_HDR_MAX];
	unsigned bytes;
	unsigned nb;
};

static int put_place(struct placing *p, const struct opt *opt, const struct hdr_type *type,
	unsigned off, unsigned bytes)
{
	unsigned at = p->nb++;

	if (off + bytes > p->bytes)
		return opt_error(p->err, p->tmpl, opt,
			"%u leaves no room for its header of %u bytes in the %u that are given",
			off, bytes, p->bytes);
	/* the outermost first */
	for (; at > 0 && p->place[at - 1].off > off; at--)
		p->place[at] = p->place[at - 1];
	p->place[at] =
		(struct hdr_place){.type = type, .off = (uint16_t)off, .bytes = (uint16_t)bytes};
	return 0;
}

/* An IP header must say its version itself; an IPv4 header says its length. */
static int put_ip(
	struct placing *p, const struct opt *opt, const struct hdr_type *type, unsigned off)
{
	uint8_t first = off < p->bytes ? p->hdr[off] : 0;
	unsigned bytes = type->ip_version == 6 ? IP6_BYTES : (first & 15u) * 4;

	if (first >> 4 != type->ip_version || (type->ip_version == 4 && bytes < IP4_BYTES))
		return opt_error(p->err, p->tmpl, opt, "no IPv%u header begins at byte %u",
			type->ip_version, off);
	return put_place(p, opt, type, off, bytes);
}

static int put_fixed(struct placing *p)
{
	struct opt_val val;
	int rc = 0;

	for (unsigned k = 0; rc == 0 && k < NB_FIXED; k++) {
		const struct opt *opt = &opts[fixed[k].opt];

		if (!opt_set_val(p->tmpl, opt, 0, &val))
			continue;
		rc = fixed[k].type->ip_version != 0
			     ? put_ip(p, opt, fixed[k].type, (unsigned)val.lo)
			     : put_place(p, opt, fixed[k].type, (unsigned)val.lo, fixed[k].bytes);
	}
	return rc;
}

/* compute-checksum-from-offset behind an IP header: its protocol says what begins there. */
static int put_csum_from(struct placing *p)
{
	const struct opt *opt = &pkt_template_opts[TMPL_CSUM_FROM];
	unsigned from = (uint32_t)opt_set_one(p->tmpl, opt).lo;
	int proto = -1;

	if (from == UINT32_MAX)
		return 0;
	for (unsigned i = 0; i < p->nb; i++) {
		const struct hdr_place *ip = &p->place[i];

		if (ip->off == from)
			return 0; /* known already */
		if (ip->type->ip_version != 0 && ip->off + ip->bytes == from)
			proto = p->hdr[ip->off +
				       (ip->type->ip_version == 4 ? IP4_OFF_PROTO : IP6_OFF_NEXT)];
	}
	for (unsigned k = 0; k < sizeof(transports) / sizeof(transports[0]); k++)
		if (transports[k].proto == proto)
			return put_place(p, opt, transports[k].type, from, transports[k].bytes);
	return opt_error(p->err, p->tmpl, opt,
		"no header whose checksum is known begins at byte %u: it must be that of an offset "
		"given, or right behind the IP header of one",
		from);
}

/* Tags right behind the MAC addresses: the MTU does not count them. */
static void put_tags(struct placing *p)
{
	for (unsigned off = 12; off + 4 <= p->bytes && p->nb < PKT_MAX_HEADERS / 2; off += 4) {
		unsigned type = pkt_get16(p->hdr + off);

		if (type != PKT_ETHERTYPE_VLAN && type != PKT_ETHERTYPE_QINQ)
			break;
		put_place(p, NULL, &tag_type, off, 4);
	}
}

int raw_place(const struct opt_set *tmpl, struct hdr_place *place, struct err *err)
{
	const struct opt *opt = &opts[RAW_HEADER];
	struct placing p = {.tmpl = tmpl, .place = place, .err = err, .bytes = header_bytes(tmpl)};
	int rc;

	if (p.bytes == 0)
		return opt_error(err, tmpl, opt, "is missing (the bytes of all headers in hex)");
	if (p.bytes < 14 || p.bytes > PKT_HDR_MAX)
		return opt_error(err, tmpl, opt, "has %u byte%s (14..%u are allowed)", p.bytes,
			p.bytes == 1 ? "" : "s", PKT_HDR_MAX);
	if (opt_set_one(tmpl, &opts[RAW_UDP_CSUM]).lo != 0 &&
		opt_set_get(tmpl, &opts[RAW_UDP]) == NULL)
		return opt_error(err, tmpl, &opts[RAW_UDP_CSUM],
			"needs udp-header-offset, which says where the UDP header begins");
	get_header(tmpl, p.hdr);
	put_tags(&p);
	rc = put_fixed(&p);
	if (rc == 0)
		rc = put_csum_from(&p);
	if (rc != 0)
		return rc;
	place[p.nb++] = (struct hdr_place){.type = &whole_type, .bytes = (uint16_t)p.bytes};
	return (int)p.nb;
}

unsigned pkt_raw_bytes(const struct opt_set *tmpl)
{
	return header_bytes(tmpl);
}

uint64_t pkt_raw_mac_dst(const struct opt_set *tmpl)
{
	uint8_t hdr[PKT_HDR_MAX];

	get_header(tmpl, hdr);
	return units_mac_number(hdr);
}
