/* SPDX-License-Identifier: BSD-3-Clause */
/* Stacks of headers: what can follow what, and what each says by itself; tshark judges the bytes. */
#include "pkt_help.h"

#include <errno.h>

#define NB(array) (sizeof(array) / sizeof((array)[0]))

#define IP4    "ip-dst=10.0.1.2"
#define IP6    "ipv6-dst=2001:db8::2", "ipv6-src=2001:db8::1"
#define TUNNEL "header-stack=mac,ip,udp,vxlan,mac,ip,udp"

/* Built for its smallest size. */
static void build_least(const char *const *words, struct pkt_frame *frame)
{
	struct err err = {0};
	struct opt_set set;
	int least;

	give(&set, words);
	least = pkt_min_size(&set, &err);
	if (least < 0 || pkt_build(&set, &assumed, (unsigned)least, frame, &err) != 0)
		fail_msg("%s: %s", words[0], err.text);
	opt_set_fini(&set);
}

static void smallest_sizes_are_headers_and_signature(void **state)
{
	static const struct {
		const char *stack;
		int least;
	} cases[] = {
		{"header-stack=mac,ip,udp", 60},
		{"header-stack=mac,vlan,ip,udp", 64},
		{"header-stack=mac,vlan,vlan,ip,udp", 68},
		{"header-stack=mac,ip,tcp", 72},
		{"header-stack=mac,ipv6,udp", 80},
		{TUNNEL, 110},
		{"header-stack=mac,arp", 60},
		{"header-stack=mac,vlan,arp", 64},
		{"header-stack=mac,ip,sctp", 80},
		{"header-stack=mac,mpls,mpls,ip,udp", 68},
		{"header-stack=mac,pppoe,ip,udp", 68},
		{"header-stack=mac,ipv6,hop-by-hop,routing,fragment,destination,udp", 128},
	};

	(void)state;
	for (size_t i = 0; i < NB(cases); i++) {
		struct err err = {0};
		struct opt_set set;

		give(&set, (const char *const[]){cases[i].stack, NULL});
		assert_int_equal(pkt_min_size(&set, &err), cases[i].least);
		opt_set_fini(&set);
	}
}

static void what_cannot_be_is_refused_with_what_can(void **state)
{
	static const struct {
		const char *words[MAX_WORDS];
		const char *part;
	} cases[] = {
		{{"header-stack=ip,udp"}, "must begin with mac"},
		{{"header-stack=mac,udp"}, "udp cannot follow mac (what can: vlan, mpls"},
		{{"header-stack=mac,ip,icmpv6", IP4}, "icmpv6 cannot follow ip"},
		{{"header-stack=mac,ip,hop-by-hop", IP4}, "hop-by-hop cannot follow ip"},
		{{"header-stack=mac,ipv6,igmp", IP6}, "igmp cannot follow ipv6"},
		{{"header-stack=mac,mac"}, "mac cannot follow mac"},
		{{"header-stack=mac,arp,ip"}, "ip cannot follow arp"},
		{{"header-stack=mac,ip,udp,ip", IP4}, "ip cannot follow udp"},
		{{"header-stack=mac,raw"}, "raw-header: is missing"},
		{{"header-stack=mac,arp"}, "arp-dst-ip: is missing"},
		{{"header-stack=mac,ipv6", "ipv6-src=2001:db8::1"}, "ipv6-dst: is missing"},
		{{"header-stack=mac,ip,sctp,raw,sctp", "raw-header=00", IP4}, "more than one sctp"},
		{{"dscp=ef", "ip-dscp=184", IP4}, "dscp: given beside ip-dscp"},
		{{"header-stack=mac,ipv6,udp", "ipv6-ecn=1", "ipv6-traffic-class=1", IP6},
			"ipv6-ecn: given beside ipv6-traffic-class"},
		{{"vlan-id=5", IP4}, "header-stack has no vlan header"},
		{{TUNNEL, "udp-dst-port=1,2,3", IP4}, "3 values for 2 udp headers"},
	};

	(void)state;
	for (size_t i = 0; i < NB(cases); i++) {
		struct pkt_frame frame;
		struct err err = {0};

		assert_int_equal(try_build(cases[i].words, &assumed, 300, &frame, &err), -EINVAL);
		if (strstr(err.text, cases[i].part) == NULL)
			fail_msg("\"%s\" is not in \"%s\"", cases[i].part, err.text);
	}
}

static void every_header_says_what_follows_unless_the_user_does(void **state)
{
	/* clang-format off */
	static const struct {
		const char *words[MAX_WORDS];
		unsigned off, bytes, value;
	} cases[] = {
		{{"header-stack=mac,vlan,ip", IP4}, 12, 2, 0x8100},
		{{"header-stack=mac,vlan,ip", "vlan-tpid=802.1ad", IP4}, 12, 2, 0x88a8},
		{{"header-stack=mac,vlan,vlan,ip", "vlan-tpid=802.1ad,802.1q", IP4}, 16, 2, 0x8100},
		{{"header-stack=mac,vlan,vlan,ip", "vlan-protocol=0x9200,ip", IP4}, 16, 2, 0x9200},
		{{"header-stack=mac,vlan,vlan,ip", IP4}, 20, 2, 0x0800},
		{{"header-stack=mac,mpls,mpls,ip", IP4}, 12, 2, 0x8847},
		{{"header-stack=mac,mpls,mpls,ip", IP4}, 14, 4, 16u << 12 | 64},
		{{"header-stack=mac,mpls,mpls,ip", IP4}, 18, 4, 16u << 12 | 1 << 8 | 64},
		{{"header-stack=mac,mpls", "mpls-bottom=0"}, 14, 4, 16u << 12 | 64},
		{{"header-stack=mac,pppoe,ipv6", IP6}, 20, 2, 0x0057},
		{{"header-stack=mac,ip,ip", IP4}, 23, 1, 4},
		{{"header-stack=mac,ip,ipv6", IP4, IP6}, 23, 1, 41},
		{{"header-stack=mac,ipv6,ipv6", IP6}, 20, 1, 41},
		{{"header-stack=mac,ipv6,ip", IP6}, 20, 1, 4},
		{{"header-stack=mac,ipv6", IP6}, 20, 1, 59},
		{{"header-stack=mac,ipv6,fragment,tcp", IP6}, 20, 1, 44},
		{{"header-stack=mac,ipv6,fragment,tcp", IP6}, 54, 1, 6},
		{{"header-stack=mac,ip,gre,mac", IP4}, 36, 2, 0x6558},
		{{"header-stack=mac,ip,gre,ipv6", IP4, IP6}, 36, 2, 0x86dd},
		{{"header-stack=mac,ip,gre,ip", "gre-protocol=0x1234", IP4}, 36, 2, 0x1234},
		{{TUNNEL, IP4}, 36, 2, 4789},
		{{TUNNEL, IP4}, 86, 2, 200},
		{{TUNNEL, "udp-dst-port=8472,7", IP4}, 36, 2, 8472},
		{{"header-stack=mac,ip,udp,geneve,mac", IP4}, 36, 2, 6081},
		{{"header-stack=mac,ip,udp,geneve,mac", IP4}, 44, 2, 0x6558},
		{{"header-stack=mac,ip,udp,gtpu,ip", IP4}, 36, 2, 2152},
		{{"header-stack=mac,ip,udp,l2tp,ip", IP4}, 36, 2, 1701},
		{{"header-stack=mac,ip,udp,l2tp,ip", IP4}, 50, 2, 0x0021},
		/* raw bytes are not announced, and anything may follow them */
		{{"header-stack=mac,raw,ip,udp", "raw-header=aabbcc", IP4}, 12, 2, 0x88b5},
		{{"header-stack=mac,raw,ip,udp", "raw-header=aabbcc", IP4}, 17, 2, 0x4500},
		{{"header-stack=mac,ip,udp,raw", "raw-header=1234", IP4}, 36, 2, 200},
		{{"header-stack=mac,ip,udp,raw", "raw-header=1234", IP4}, 42, 2, 0x1234},
	};
	/* clang-format on */

	(void)state;
	for (size_t i = 0; i < NB(cases); i++) {
		struct pkt_frame frame;
		const uint8_t *p;
		unsigned got;

		build_least(cases[i].words, &frame);
		p = frame.hdr + cases[i].off;
		got = cases[i].bytes == 1 ? *p : cases[i].bytes == 2 ? pkt_get16(p) : pkt_get32(p);
		if (got != cases[i].value)
			fail_msg("%s: 0x%x at %u instead of 0x%x", cases[i].words[0], got,
				cases[i].off, cases[i].value);
		pkt_frame_fini(&frame);
	}
}

static void items_of_a_list_go_to_the_headers_in_turn(void **state)
{
	struct pkt_frame frame;

	(void)state;
	build_least((const char *const[]){TUNNEL, "ip-dst=10.0.0.1,10.0.0.2", "ip-ttl=7",
			    "udp-src-port=1,2", NULL},
		&frame);
	assert_int_equal(pkt_get32(frame.hdr + 30), 0x0a000001);
	assert_int_equal(pkt_get32(frame.hdr + 80), 0x0a000002);
	assert_int_equal(frame.hdr[22], 7);
	assert_int_equal(frame.hdr[72], 7);
	assert_int_equal(pkt_get16(frame.hdr + 34), 1);
	assert_int_equal(pkt_get16(frame.hdr + 84), 2);
	pkt_frame_fini(&frame);
}

static void headers_inside_a_tunnel_have_addresses_of_their_own(void **state)
{
	static const uint8_t inner_dst[16] = {0x20, 0x01, 0, 2, 0, 0, 0, 1, [15] = 1};
	static const struct pkt_assumed no_ip = {
		.mac_src = 0x020000000001, .mac_dst = 0x020000000002};
	struct pkt_frame frame;
	struct err err = {0};

	(void)state;
	assert_int_equal(
		try_build((const char *const[]){"header-stack=mac,ipv6,udp,vxlan,mac,ip,udp", IP6,
				  NULL},
			&no_ip, 200, &frame, &err),
		0);
	assert_int_equal(pkt_get16(frame.hdr + 70), 0x0200); /* 02:00:00:00:00:01 */
	assert_int_equal(pkt_get32(frame.hdr + 72), 1);
	assert_int_equal(pkt_get32(frame.hdr + 96), 0xc6120001);
	assert_int_equal(pkt_get32(frame.hdr + 100), 0xc6130001);
	pkt_frame_fini(&frame);
	assert_int_equal(try_build((const char *const[]){"header-stack=mac,ip,ipv6", IP4,
					   "ip-src=10.0.0.9", NULL},
				 &no_ip, 200, &frame, &err),
		0);
	assert_memory_equal(frame.hdr + 58, inner_dst, 16);
	pkt_frame_fini(&frame);
}

static void what_receivers_look_for_is_the_innermost(void **state)
{
	/* clang-format off */
	static const struct {
		const char *words[MAX_WORDS];
		unsigned l3_version, in_off, in_version, l4_off, l4_proto;
		bool l4_right;
	} cases[] = {
		{{"header-stack=mac,ip,tcp", IP4}, 4, 14, 4, 34, 6, true},
		{{"header-stack=mac,ip,tcp", "tcp-checksum=bad", IP4}, 4, 14, 4, 34, 6, false},
		{{"header-stack=mac,ip,tcp", "tcp-checksum=7", IP4}, 4, 14, 4, 34, 6, false},
		{{"header-stack=mac,ip,udp", "udp-length=bad", IP4}, 4, 14, 4, 34, 17, false},
		{{"header-stack=mac,ip,udp", "udp-checksum=0", IP4}, 4, 14, 4, 34, 17, true},
		{{"header-stack=mac,ipv6,sctp", IP6}, 6, 14, 6, 54, 132, true},
		{{"header-stack=mac,ipv6,icmpv6", IP6}, 6, 14, 6, 54, 58, true},
		{{"header-stack=mac,ip,icmp", IP4}, 4, 14, 4, 34, 1, true},
		{{"header-stack=mac,ipv6,ip,udp", IP4, IP6}, 6, 54, 4, 74, 17, true},
		{{TUNNEL, IP4}, 4, 64, 4, 84, 17, true},
		/* only the tunnel has one: it is not where receivers look */
		{{"header-stack=mac,ip,udp,gtpu,ip", IP4}, 4, 50, 4, 34, 17, false},
		{{"header-stack=mac,ip,esp", IP4}, 4, 14, 4, 0, 0, false},
		/* its checksum covers an address that is not in the IP header */
		{{"header-stack=mac,ipv6,routing,tcp", "routing-segments-left=1", IP6}, 6, 14, 6,
			78, 6, false},
		{{"header-stack=mac,ipv6,routing,tcp", IP6}, 6, 14, 6, 78, 6, true},
	};
	/* clang-format on */

	(void)state;
	for (size_t i = 0; i < NB(cases); i++) {
		struct pkt_frame frame;

		build_least(cases[i].words, &frame);
		assert_int_equal(frame.l3_off, 14);
		assert_int_equal(frame.l3_version, cases[i].l3_version);
		assert_int_equal(frame.in_off, cases[i].in_off);
		assert_int_equal(frame.in_version, cases[i].in_version);
		assert_int_equal(frame.l4_off, cases[i].l4_off);
		assert_int_equal(frame.l4_proto, cases[i].l4_proto);
		assert_int_equal(frame.l4_right, cases[i].l4_right);
		pkt_frame_fini(&frame);
	}
}

static void dscp_and_ecn_share_the_byte(void **state)
{
	static const struct {
		const char *words[MAX_WORDS];
		unsigned byte;
	} cases[] = {
		{{"dscp=ef", IP4}, 0xb8},
		{{"dscp=af41", "ecn=ce", IP4}, 0x8b},
		{{"ecn=ect0", IP4}, 0x02},
		{{"dscp=63", "ecn=3", IP4}, 0xff},
		{{"ip-dscp=46", IP4}, 46},
	};

	(void)state;
	for (size_t i = 0; i < NB(cases); i++) {
		struct pkt_frame frame;

		build_least(cases[i].words, &frame);
		assert_int_equal(frame.hdr[15], cases[i].byte);
		pkt_frame_fini(&frame);
	}
}

static void gre_grows_by_what_it_is_given(void **state)
{
	struct pkt_frame frame;

	(void)state;
	build_least((const char *const[]){"header-stack=mac,ip,gre", "gre-key=7", "gre-sequence=9",
			    IP4, NULL},
		&frame);
	assert_int_equal(frame.hdr_bytes, 46);
	assert_int_equal(pkt_get16(frame.hdr + 34), 0x3000);
	assert_int_equal(pkt_get32(frame.hdr + 38), 7);
	assert_int_equal(pkt_get32(frame.hdr + 42), 9);
	pkt_frame_fini(&frame);
	build_least(
		(const char *const[]){"header-stack=mac,ip,gre", "gre-checksum=0x1234", IP4, NULL},
		&frame);
	assert_int_equal(frame.hdr_bytes, 42);
	assert_int_equal(pkt_get16(frame.hdr + 34), 0x8000);
	assert_int_equal(pkt_get16(frame.hdr + 38), 0x1234);
	pkt_frame_fini(&frame);
}

static void udp_over_ipv6_has_a_checksum_unless_the_user_wants_none(void **state)
{
	struct pkt_frame frame;

	(void)state;
	build_least((const char *const[]){"header-stack=mac,ipv6,udp", IP6, NULL}, &frame);
	assert_int_not_equal(pkt_get16(frame.hdr + 60), 0);
	pkt_frame_fini(&frame);
	build_least((const char *const[]){"header-stack=mac,ipv6,udp", "udp-checksum=0", IP6, NULL},
		&frame);
	assert_int_equal(pkt_get16(frame.hdr + 60), 0);
	pkt_frame_fini(&frame);
	/* the nearest IP header counts */
	build_least((const char *const[]){"header-stack=mac,ipv6,ip,udp", IP6, IP4, NULL}, &frame);
	assert_int_equal(pkt_get16(frame.hdr + 80), 0);
	pkt_frame_fini(&frame);
}

static void arp_templates_are_sent_only(void **state)
{
	static const struct {
		const char *stack;
		bool is_signed;
	} cases[] = {{"header-stack=mac,arp", false}, {"header-stack=mac,ip,udp", true},
		{"header-stack=mac", true}};
	struct pkt_frame frame;

	(void)state;
	for (size_t i = 0; i < NB(cases); i++) {
		struct opt_set set;

		give(&set, (const char *const[]){cases[i].stack, NULL});
		assert_int_equal(pkt_is_signed(&set), cases[i].is_signed);
		opt_set_fini(&set);
	}
	build_least(
		(const char *const[]){"header-stack=mac,arp", "arp-dst-ip=10.0.0.9", NULL}, &frame);
	assert_int_equal(frame.sig_off, 0);
	pkt_frame_fini(&frame);
}

static void defaults_are_shown_as_they_will_be(void **state)
{
	static const struct {
		const char *stack;
		unsigned header;
		const char *name, *text;
	} cases[] = {
		{"header-stack=mac,ip,udp", 0, "mac-protocol", "ip"},
		{"header-stack=mac,ip,udp", 1, "ip-protocol", "udp"},
		{"header-stack=mac,ip,udp", 2, "udp-dst-port", "200"},
		{TUNNEL, 2, "udp-dst-port", "4789"},
		{TUNNEL, 6, "udp-dst-port", "200"},
		{TUNNEL, 2, "udp-checksum", "0"},
		{"header-stack=mac,ipv6,udp", 2, "udp-checksum", "good"},
		{"header-stack=mac,ip,udp", 1, "ip-dst", NULL},
	};

	(void)state;
	for (size_t i = 0; i < NB(cases); i++) {
		const struct pkt_hdr *stack[PKT_MAX_HEADERS];
		struct err err = {0};
		struct opt_set set;
		unsigned field = 0;
		char text[64];

		give(&set, (const char *const[]){cases[i].stack, NULL});
		assert_true(pkt_stack(&set, stack, &err) > 0);
		while (strcmp(opt_section_at(stack[cases[i].header]->fields, field)->name,
			       cases[i].name) != 0)
			field++;
		assert_int_equal(pkt_default_text(&set, cases[i].header, field, text, sizeof(text)),
			cases[i].text != NULL);
		if (cases[i].text != NULL)
			assert_string_equal(text, cases[i].text);
		opt_set_fini(&set);
	}
}

static void flags_are_words_joined_by_plus_or_a_number(void **state)
{
	static const struct {
		const char *word;
		int flags; /* -1: refused */
	} cases[] = {{"tcp-flags=syn", 0x002}, {"tcp-flags=syn+ack", 0x012},
		{"tcp-flags=fin+psh+ns", 0x109}, {"tcp-flags=0x1ff", 0x1ff}, {"tcp-flags=512", -1},
		{"tcp-flags=syn+foo", -1}, {"tcp-flags=syn+", -1}, {"tcp-flags=", -1}};

	(void)state;
	for (size_t i = 0; i < NB(cases); i++) {
		struct pkt_frame frame;
		struct err err = {0};
		struct opt_set set;
		int rc;

		opt_set_init(&set, &pkt_template_menu);
		assert_int_equal(opt_set_arg(&set, "header-stack=mac,ip,tcp", &err), 0);
		assert_int_equal(opt_set_arg(&set, IP4, &err), 0);
		rc = opt_set_arg(&set, cases[i].word, &err);
		assert_int_equal(rc == 0, cases[i].flags >= 0);
		if (rc == 0) {
			assert_int_equal(pkt_build(&set, &assumed, 72, &frame, &err), 0);
			assert_int_equal(pkt_get16(frame.hdr + 46), 0x5000 | cases[i].flags);
			pkt_frame_fini(&frame);
		}
		opt_set_fini(&set);
	}
}

static void options_headers_are_padded_to_whole_eights(void **state)
{
	static const struct {
		const char *options;
		unsigned bytes;
		const char *hex;
	} cases[] = {
		{NULL, 8, "3b00010400000000"},
		{"hop-by-hop-options=05020000", 8, "3b00050200000100"},
		{"hop-by-hop-options=0503000000", 8, "3b00050300000000"},
		{"hop-by-hop-options=050400000000", 8, "3b00050400000000"},
		{"hop-by-hop-options=05050000000000", 16, "3b01050500000000000105"},
	};

	(void)state;
	for (size_t i = 0; i < NB(cases); i++) {
		char hex[64] = "";
		struct pkt_frame frame;

		build_least((const char *const[]){"header-stack=mac,ipv6,hop-by-hop", IP6,
				    cases[i].options, NULL},
			&frame);
		assert_int_equal(frame.hdr_bytes, 54 + cases[i].bytes);
		for (unsigned b = 0; b < strlen(cases[i].hex) / 2; b++)
			sprintf(hex + 2 * b, "%02x", frame.hdr[54 + b]);
		assert_string_equal(hex, cases[i].hex);
		pkt_frame_fini(&frame);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(smallest_sizes_are_headers_and_signature),
		cmocka_unit_test(what_cannot_be_is_refused_with_what_can),
		cmocka_unit_test(every_header_says_what_follows_unless_the_user_does),
		cmocka_unit_test(items_of_a_list_go_to_the_headers_in_turn),
		cmocka_unit_test(headers_inside_a_tunnel_have_addresses_of_their_own),
		cmocka_unit_test(what_receivers_look_for_is_the_innermost),
		cmocka_unit_test(dscp_and_ecn_share_the_byte),
		cmocka_unit_test(gre_grows_by_what_it_is_given),
		cmocka_unit_test(udp_over_ipv6_has_a_checksum_unless_the_user_wants_none),
		cmocka_unit_test(arp_templates_are_sent_only),
		cmocka_unit_test(defaults_are_shown_as_they_will_be),
		cmocka_unit_test(flags_are_words_joined_by_plus_or_a_number),
		cmocka_unit_test(options_headers_are_padded_to_whole_eights),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
