/* SPDX-License-Identifier: BSD-3-Clause */
#include "hdr.h"

#include "tgen/sig.h"

/* IANA: reserved; no host has a protocol that takes it. */
#define IP_PROTO_RESERVED 255
#define IP_VERSION_IHL	  0x45 /* version 4, 5 words: no options */

/* RFC 791, byte offsets. */
enum { IP_OFF_LENGTH = 2, IP_OFF_CSUM = 10, IP_BYTES = 20 };

enum { IP_SRC, IP_DST, IP_DSCP, IP_ID, IP_FRAG_OFF, IP_TTL, IP_PROTOCOL };

static const struct opt_word protocols[] = {
	{"icmp", PKT_IP_PROTO_ICMP},
	{"igmp", 2},
	{"ipencap", 4},
	{"tcp", PKT_IP_PROTO_TCP},
	{"egp", 8},
	{"udp", PKT_IP_PROTO_UDP},
	{"dccp", 33},
	{"ipv6-encap", 41},
	{"rsvp", 46},
	{"gre", 47},
	{"ipsec-esp", 50},
	{"ipsec-ah", 51},
	{"icmpv6", 58},
	{"ospf", 89},
	{"ipip", 94},
	{"etherip", 97},
	{"encap", 98},
	{"pim", 103},
	{"vrrp", 112},
	{"l2tp", 115},
	{"sctp", 132},
	{"udp-lite", 136},
	{NULL, 0},
};

#define IP_LIST .flags = OPT_LIST, .max_items = PKT_MAX_HEADERS

/* clang-format off */
static const struct pkt_field fields[] = {
	[IP_SRC] = {
		.opt = {.name = "ip-src", .type = OPT_IP4, IP_LIST,
			.help = "source address or range; when not given, the sending port's address"},
		.bit_off = 96, .bits = 32},
	[IP_DST] = {
		.opt = {.name = "ip-dst", .type = OPT_IP4, IP_LIST,
			.help = "destination address or range; needed when the stack has an ip header"},
		.bit_off = 128, .bits = 32},
	[IP_DSCP] = {
		.opt = {.name = "ip-dscp", .type = OPT_UINT, IP_LIST, .max = 255, .dflt = "0",
			.help = "the whole DS byte, ECN bits included: DSCP 46 (EF) is 184"},
		.bit_off = 8, .bits = 8},
	[IP_ID] = {
		.opt = {.name = "ip-id", .type = OPT_UINT, IP_LIST, .max = 65535, .dflt = "0",
			.help = "identification"},
		.bit_off = 32, .bits = 16},
	[IP_FRAG_OFF] = {
		.opt = {.name = "ip-frag-off", .type = OPT_UINT, IP_LIST, .max = 65535, .dflt = "0",
			.help = "the whole 16 bits of flags and fragment offset: "
				"16384 is don't-fragment"},
		.bit_off = 48, .bits = 16},
	[IP_TTL] = {
		.opt = {.name = "ip-ttl", .type = OPT_UINT, IP_LIST, .max = 255, .dflt = "64",
			.help = "time to live"},
		.bit_off = 64, .bits = 8},
	[IP_PROTOCOL] = {
		.opt = {.name = "ip-protocol", .type = OPT_UINT, IP_LIST, .max = 255,
			.words = protocols,
			.help = "protocol; when not given, from the next header "
				"(255, reserved, when there is none)"},
		.bit_off = 72, .bits = 8},
};
/* clang-format on */

static int ip_assume(const struct hdr_build *b, const struct opt *opt, uint64_t *value)
{
	if (opt == &fields[IP_DST].opt && b->assumed->ip_dst != 0) {
		*value = b->assumed->ip_dst;
		return 0;
	}
	if (opt == &fields[IP_DST].opt)
		return opt_error(b->err, b->tmpl, opt,
			"is missing: the header stack has an ip header (give an address or A-B)");
	*value = b->assumed->ip_src;
	if (*value != 0)
		return 0;
	return opt_error(b->err, b->tmpl, opt,
		"is neither given nor known (give it, or an address to the sending port)");
}

static void ip_finish(struct hdr_build *b, unsigned i)
{
	struct pkt_frame *frame = b->frame;
	unsigned off = b->place[i].off;
	uint8_t *ip = frame->hdr + off;

	ip[0] = IP_VERSION_IHL;
	pkt_put16(ip + IP_OFF_LENGTH, (uint16_t)(frame->size - off));
	pkt_put16(ip + IP_OFF_CSUM, (uint16_t)~sig_fold(pkt_csum_add(ip, IP_BYTES, 0)));
	hdr_csum_covers(frame, off, off + IP_BYTES, 0, (uint16_t)(off + IP_OFF_CSUM));
	frame->l3_off = (uint16_t)off; /* the outermost is finished last */
}

const struct hdr_type hdr_ip = {
	.hdr = {.name = "ip",
		.title = "IPv4 header",
		.min_bytes = IP_BYTES,
		.fields = &hdr_ip.section},
	.section = OPT_SECTION("ip header", fields),
	.child_of = {{HDR_SPACE_ETHERTYPE, PKT_ETHERTYPE_IP4}},
	.next_space = HDR_SPACE_IP_PROTO,
	.next_field = IP_PROTOCOL,
	.next_none = IP_PROTO_RESERVED,
	.assume = ip_assume,
	.finish = ip_finish,
};
