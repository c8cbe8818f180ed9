/* SPDX-License-Identifier: BSD-3-Clause */
/* What came in, when it is IPv6, or something is before or around the IP packet. */
#include "pkt_help.h"

#define TEST_ID 7
#define ETH	14
#define IP6	40

static const struct units_ip src6 = {0x20010db800000000, 1}, dst6 = {0x20010db800010000, 2};
static const struct pkt_assumed known = {
	.mac_src = 0x020000000001,
	.mac_dst = 0x020000000002,
	.ip_src = 0x0a000001,
	.ip6_src_up = 0x20010db800000000,
	.ip6_src_lo = 1,
};

struct buf {
	uint8_t b[1024];
	unsigned len;
	struct pkt_frame frame;
};

/* Words of a template, separated by spaces. */
static void make(struct buf *f, const char *words, unsigned size)
{
	char text[512], *save = NULL;
	struct opt_set set;
	struct err err = {0};

	opt_set_init(&set, &pkt_template_menu);
	snprintf(text, sizeof(text), "%s", words);
	for (char *w = strtok_r(text, " ", &save); w != NULL; w = strtok_r(NULL, " ", &save))
		if (opt_set_arg(&set, w, &err) != 0)
			fail_msg("%s", err.text);
	memset(f, 0, sizeof(*f));
	if (pkt_build(&set, &known, size, &f->frame, &err) != 0)
		fail_msg("%s: %s", words, err.text);
	opt_set_fini(&set);
	f->len = pkt_render(&f->frame, 0, &sample, f->b);
}

static void fini(struct buf *f)
{
	pkt_frame_fini(&f->frame);
}

/* In a buffer of the exact length, so that the sanitizer sees every byte read beyond it. */
static struct pkt_rx parse(const struct buf *f)
{
	uint8_t *exact = malloc(f->len == 0 ? 1 : f->len);
	struct pkt_rx rx;

	memset(&rx, 0xff, sizeof(rx));
	memcpy(exact, f->b, f->len);
	pkt_parse(exact, f->len, TEST_ID, &rx);
	free(exact);
	return rx;
}

static void assert_class(const struct buf *f, enum pkt_class cls, const char *what)
{
	if (parse(f).cls != cls)
		fail_msg("%s: class %d, not %d", what, parse(f).cls, cls);
}

static void insert(struct buf *f, unsigned off, const void *bytes, unsigned nb)
{
	memmove(f->b + off + nb, f->b + off, f->len - off);
	memcpy(f->b + off, bytes, nb);
	f->len += nb;
}

#define V6 "header-stack=mac,ipv6,udp ipv6-dst=2001:db8:1::2 udp-checksum=good "

static void an_ipv6_test_frame_is_known_with_all_its_fields(void **state)
{
	struct buf f;
	struct pkt_rx rx;

	(void)state;
	make(&f, V6, 80);
	rx = parse(&f);
	assert_int_equal(rx.cls, PKT_TEST);
	assert_int_equal(rx.sig.seq, sample.seq);
	assert_int_equal(rx.ethertype, 0x86dd);
	assert_int_equal(rx.l3_off, ETH);
	assert_int_equal(rx.l4_off, ETH + IP6);
	assert_true(units_ip_equal(rx.ip_src, src6));
	assert_true(units_ip_equal(rx.ip_dst, dst6));
	assert_int_equal(rx.ip_proto, 17);
	assert_int_equal(rx.l4_src, pkt_get16(f.b + ETH + IP6));
	assert_int_equal(rx.l4_dst, pkt_get16(f.b + ETH + IP6 + 2));
	f.len += 9; /* the payload length says where the packet ends */
	assert_class(&f, PKT_TEST, "trailer");
	f.len -= 10;
	assert_class(&f, PKT_UNKNOWN, "cut");
	fini(&f);
}

static void every_stack_is_known_again_and_its_checksum_verified(void **state)
{
	static const char *const stacks[] = {
		"header-stack=mac,ip,udp ip-dst=1.2.3.4 udp-checksum=good",
		"header-stack=mac,ip,tcp ip-dst=1.2.3.4",
		"header-stack=mac,ip,icmp ip-dst=1.2.3.4 icmp-type=8",
		"header-stack=mac,ip,sctp ip-dst=1.2.3.4",
		"header-stack=mac,ip,igmp ip-dst=224.1.2.3",
		"header-stack=mac,ipv6,udp ipv6-dst=2001:db8:1::2 udp-checksum=good",
		"header-stack=mac,ipv6,tcp ipv6-dst=2001:db8:1::2",
		"header-stack=mac,ipv6,icmpv6 ipv6-dst=2001:db8:1::2",
		"header-stack=mac,ipv6,sctp ipv6-dst=2001:db8:1::2",
		"header-stack=mac,vlan,ipv6,tcp ipv6-dst=2001:db8:1::2",
		"header-stack=mac,vlan,vlan,ip,udp ip-dst=1.2.3.4 udp-checksum=good",
		"header-stack=mac,mpls,mpls,ip,udp ip-dst=1.2.3.4 udp-checksum=good",
		"header-stack=mac,mpls,ipv6,udp ipv6-dst=2001:db8:1::2 udp-checksum=good",
		"header-stack=mac,pppoe,ip,udp ip-dst=1.2.3.4 udp-checksum=good",
		"header-stack=mac,pppoe,ipv6,tcp ipv6-dst=2001:db8:1::2",
		"header-stack=mac,ipv6,hop-by-hop,destination,udp ipv6-dst=2001:db8:1::2 "
		"udp-checksum=good",
		"header-stack=mac,ipv6,fragment,udp ipv6-dst=2001:db8:1::2 udp-checksum=good",
		"header-stack=mac,ip,gre,ip,udp ip-dst=1.2.3.4 udp-checksum=good",
		"header-stack=mac,ip,ipv6,udp ip-dst=1.2.3.4 ipv6-dst=2001:db8:1::2 "
		"udp-checksum=good",
		"header-stack=mac,ipv6,ipv6,tcp ipv6-dst=2001:db8:1::2",
		"header-stack=mac,ip,udp,vxlan,mac,ip,tcp ip-dst=1.2.3.4 mac-dst=02:00:00:00:00:02",
		"header-stack=mac,ip,udp,geneve,mac,ipv6,udp ip-dst=1.2.3.4 ipv6-dst=2001:db8:1::2 "
		"mac-dst=02:00:00:00:00:02 udp-checksum=good",
		"header-stack=mac,ip,udp,gtpu,ip,udp ip-dst=1.2.3.4 udp-checksum=good",
		"header-stack=mac,ip,esp ip-dst=1.2.3.4",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(stacks) / sizeof(stacks[0]); i++) {
		for (unsigned size = 200; size < 203; size++) {
			struct pkt_rx rx;
			struct buf f;

			make(&f, stacks[i], size);
			assert_class(&f, PKT_TEST, stacks[i]);
			rx = parse(&f);
			if (!pkt_l4_right(&f.frame, size, f.b, &rx))
				fail_msg("%s: called wrong", stacks[i]);
			f.b[size - SIG_BYTES - 1] ^= 4; /* data */
			rx = parse(&f);
			if (f.frame.l4_right == pkt_l4_right(&f.frame, size, f.b, &rx))
				fail_msg("%s: damage is not seen", stacks[i]);
			f.b[size - SIG_BYTES - 1] ^= 4;
			for (; f.len > 0; f.len--)
				if (parse(&f).cls == PKT_TEST && f.len != size)
					fail_msg("%s: known at %u bytes", stacks[i], f.len);
			fini(&f);
		}
	}
}

static void damage_in_an_ipv6_frame_is_seen(void **state)
{
	static const struct {
		unsigned off, bit;
		enum pkt_class cls;
	} cases[] = {
		{ETH + 8 + 3, 0, PKT_BAD},   /* source */
		{ETH + 24 + 15, 7, PKT_BAD}, /* destination */
		{ETH + IP6, 0, PKT_BAD},     /* port */
		{ETH + IP6 + 9, 3, PKT_BAD}, /* data */
		{ETH + 7, 2, PKT_TEST},	     /* hop limit: nothing covers it */
		{ETH + 1, 1, PKT_TEST},	     /* flow label */
		{ETH, 4, PKT_UNKNOWN},	     /* version 7 */
		{100 - 10, 0, PKT_BAD},	     /* sequence */
		{100 - 18, 0, PKT_UNKNOWN},  /* magic */
	};
	struct buf f;

	(void)state;
	make(&f, V6, 100);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		f.b[cases[i].off] ^= (uint8_t)(1 << cases[i].bit);
		if (parse(&f).cls != cases[i].cls)
			fail_msg("case %zu: class %d", i, parse(&f).cls);
		f.b[cases[i].off] ^= (uint8_t)(1 << cases[i].bit);
	}
	fini(&f);
}

/* A fragment header with the given offset and flags, of a packet whose next header is next. */
static void add_fragment(struct buf *f, uint16_t frag, uint8_t next)
{
	const uint8_t ext[8] = {next, 0, (uint8_t)(frag >> 8), (uint8_t)frag, 1, 2, 3, 4};

	f->b[ETH + 6] = 44;
	pkt_put16(f->b + ETH + 4, (uint16_t)(pkt_get16(f->b + ETH + 4) + 8));
	insert(f, ETH + IP6, ext, 8);
}

static void only_the_last_ipv6_fragment_can_carry_the_signature(void **state)
{
	static const struct {
		const char *what;
		uint16_t frag;
		uint8_t next;
		enum pkt_class cls;
	} cases[] = {
		{"atomic", 0, 17, PKT_TEST},
		{"first", 1, 17, PKT_FRAGMENT},
		{"middle", 8 * 4 + 1, 17, PKT_FRAGMENT},
		{"last", 8 * 4, 17, PKT_TEST},
		{"last, of ICMPv6", 8 * 4, 58, PKT_FRAGMENT},
		{"last, behind destination options", 8 * 4, 60, PKT_FRAGMENT},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		bool later = cases[i].frag > 7;
		struct buf f;

		make(&f, V6, 100);
		add_fragment(&f, cases[i].frag, cases[i].next);
		assert_class(&f, cases[i].cls, cases[i].what);
		assert_int_equal(parse(&f).last_fragment, cases[i].cls == PKT_TEST && later);
		assert_int_equal(parse(&f).l4_dst == 0, later);
		assert_int_equal(parse(&f).l4_off, ETH + IP6 + 8);
		fini(&f);
	}
}

/* Puts an ICMPv6 error before the packet; nb_ext: bytes of hop-by-hop options before that. */
static void add_error(struct buf *f, uint8_t type, uint8_t code, unsigned nb_ext)
{
	uint8_t hdr[IP6 + 8 + 8] = {0x60};

	pkt_put16(hdr + 4, (uint16_t)(f->len - ETH + 8 + nb_ext));
	hdr[6] = nb_ext ? 0 : 58;
	hdr[7] = 64;
	units_ip6_write(hdr + 8, (struct units_ip){0xfe80000000000000, 9});
	units_ip6_write(hdr + 24, src6);
	if (nb_ext)
		hdr[IP6] = 58;
	hdr[IP6 + nb_ext] = type;
	hdr[IP6 + nb_ext + 1] = code;
	insert(f, ETH, hdr, IP6 + nb_ext + 8);
}

static void an_icmpv6_error_is_never_received_and_tells_whom_it_quotes(void **state)
{
	static const uint8_t types[] = {1, 2, 3, 4, 127};

	(void)state;
	for (size_t i = 0; i < sizeof(types); i++) {
		for (unsigned nb_ext = 0; nb_ext <= 8; nb_ext += 8) {
			struct buf f;
			struct pkt_rx rx;

			make(&f, V6 "udp-src-port=100 udp-dst-port=200", 100);
			add_error(&f, types[i], 5, nb_ext);
			rx = parse(&f);
			assert_int_equal(rx.cls, PKT_ICMP_ERROR);
			assert_int_equal(rx.icmp_type, types[i]);
			assert_int_equal(rx.icmp_code, 5);
			assert_true(units_ip_equal(
				rx.ip_src, (struct units_ip){0xfe80000000000000, 9}));
			assert_true(units_ip_equal(rx.quote.ip_src, src6));
			assert_true(units_ip_equal(rx.quote.ip_dst, dst6));
			assert_int_equal(rx.quote.ip_proto, 17);
			assert_int_equal(rx.quote.l4_src, 100);
			assert_int_equal(rx.quote.l4_dst, 200);
			assert_true(rx.quote.has_sig);
			assert_int_equal(rx.sig.seq, sample.seq);
			fini(&f);
		}
	}
}

static void a_cut_quote_tells_what_it_holds(void **state)
{
	static const struct {
		unsigned bytes; /* of the quoted packet */
		bool ports, addrs;
	} cases[] = {{85, true, true}, {44, true, true}, {43, false, true}, {40, false, true},
		{39, false, false}, {0, false, false}};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct buf f;
		struct pkt_rx rx;

		make(&f, V6 "udp-src-port=100 udp-dst-port=200", 100);
		add_error(&f, 1, 0, 0);
		f.len = ETH + IP6 + 8 + cases[i].bytes;
		pkt_put16(f.b + ETH + 4, (uint16_t)(8 + cases[i].bytes));
		rx = parse(&f);
		assert_int_equal(rx.cls, PKT_ICMP_ERROR);
		assert_false(rx.quote.has_sig);
		assert_int_equal(rx.quote.l4_dst, cases[i].ports ? 200 : 0);
		assert_int_equal(units_ip_equal(rx.quote.ip_dst, dst6), cases[i].addrs);
		fini(&f);
	}
}

static void icmpv6_is_sorted_by_type(void **state)
{
	static const struct {
		uint8_t type;
		enum pkt_class cls;
	} cases[] = {{0, PKT_ICMP_ERROR}, {127, PKT_ICMP_ERROR}, {128, PKT_TEST}, {129, PKT_TEST},
		{130, PKT_TEST}, {132, PKT_TEST}, {133, PKT_ND}, {134, PKT_ND}, {135, PKT_ND},
		{136, PKT_ND}, {137, PKT_ND}, {138, PKT_TEST}, {143, PKT_TEST}};
	struct buf f;

	(void)state;
	make(&f, "header-stack=mac,ipv6,icmpv6 ipv6-dst=2001:db8:1::2", 120);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		f.b[ETH + IP6] = cases[i].type;
		assert_class(&f, cases[i].cls, "type");
		assert_int_equal(parse(&f).icmp_type, cases[i].type);
	}
	f.b[ETH + IP6] = 128;
	f.b[f.len - 18] ^= 1; /* no signature of ours */
	assert_class(&f, PKT_ECHO, "echo");
	fini(&f);
}

/* Our frame, quoted by an ICMP error of IPv4, as a tunnel would carry that. */
static void an_error_within_a_tunnel_is_not_received(void **state)
{
	static const struct {
		const char *stack;
		unsigned off; /* of the inner ICMP header's type */
		uint8_t error, other;
	} cases[] = {
		{"mac,ip,ip,icmp", 14 + 20 + 20, 3, 8},
		{"mac,ipv6,ip,icmp", 14 + 40 + 20, 11, 0},
		{"mac,ip,ipv6,icmpv6", 14 + 20 + 40, 1, 128},
		{"mac,ip,gre,ip,icmp", 14 + 20 + 4 + 20, 3, 8},
		{"mac,ip,gre,mac,ip,icmp", 14 + 20 + 4 + 14 + 20, 3, 8},
		{"mac,ip,gre,mac,vlan,ipv6,icmpv6", 14 + 20 + 4 + 18 + 40, 3, 129},
		{"mac,ip,udp,vxlan,mac,ip,icmp", 14 + 20 + 8 + 8 + 14 + 20, 3, 8},
		{"mac,ip,udp,geneve,mac,ip,icmp", 14 + 20 + 8 + 8 + 14 + 20, 3, 8},
		{"mac,ip,udp,gtpu,ip,icmp", 14 + 20 + 8 + 8 + 20, 3, 8},
		{"mac,vlan,ip,udp,vxlan,mac,ip,ip,icmp", 18 + 20 + 8 + 8 + 14 + 20 + 20, 3, 8},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		char words[256];
		struct buf f;

		snprintf(words, sizeof(words), "header-stack=%s mac-dst=02:00:00:00:00:02 %s%s",
			cases[i].stack,
			strstr(cases[i].stack, "ip,") || strstr(cases[i].stack, ",ip,")
				? "ip-dst=1.2.3.4 "
				: "",
			strstr(cases[i].stack, "ipv6") ? "ipv6-dst=2001:db8:1::2" : "");
		make(&f, words, 250);
		f.b[cases[i].off] = cases[i].other;
		assert_class(&f, PKT_TEST, cases[i].stack);
		f.b[cases[i].off] = cases[i].error;
		assert_class(&f, PKT_UNKNOWN, cases[i].stack);
		fini(&f);
	}
}

static void a_stream_is_told_by_how_it_is_quoted(void **state)
{
	static const struct {
		const char *words;
		bool src, dst;
		uint16_t l4_src, l4_dst;
	} cases[] = {
		{V6 "udp-src-port=100 udp-dst-port=200", true, true, 100, 200},
		{V6 "udp-src-port=100-200 udp-dst-port=200", true, true, 0, 200},
		{"header-stack=mac,ipv6,tcp ipv6-dst=2001:db8:1::1-2001:db8:1::9 tcp-src-port=7 "
		 "tcp-dst-port=8-9",
			true, false, 7, 0},
		{"header-stack=mac,ipv6,hop-by-hop,udp ipv6-dst=2001:db8:1::2 udp-src-port=5 "
		 "udp-dst-port=6",
			true, true, 5, 6},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct pkt_quote q;
		struct buf f;

		make(&f, cases[i].words, 150);
		pkt_quote_of(&f.frame, &q);
		if (units_ip_equal(q.ip_src, src6) != cases[i].src ||
			units_ip_equal(q.ip_dst, dst6) != cases[i].dst ||
			units_ip_is_none(q.ip_dst) == cases[i].dst || q.l4_src != cases[i].l4_src ||
			q.l4_dst != cases[i].l4_dst)
			fail_msg("%s: %u %u", cases[i].words, q.l4_src, q.l4_dst);
		fini(&f);
	}
}

static void labels_without_ip_behind_them_hide_nothing(void **state)
{
	struct buf f;

	(void)state;
	make(&f, "header-stack=mac,mpls mac-dst=02:00:00:00:00:02 data=specific-byte data-byte=11",
		100);
	assert_class(&f, PKT_TEST, "mpls");
	assert_int_equal(parse(&f).end_off, 100);
	fini(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_ipv6_test_frame_is_known_with_all_its_fields),
		cmocka_unit_test(every_stack_is_known_again_and_its_checksum_verified),
		cmocka_unit_test(damage_in_an_ipv6_frame_is_seen),
		cmocka_unit_test(only_the_last_ipv6_fragment_can_carry_the_signature),
		cmocka_unit_test(an_icmpv6_error_is_never_received_and_tells_whom_it_quotes),
		cmocka_unit_test(a_cut_quote_tells_what_it_holds),
		cmocka_unit_test(icmpv6_is_sorted_by_type),
		cmocka_unit_test(an_error_within_a_tunnel_is_not_received),
		cmocka_unit_test(a_stream_is_told_by_how_it_is_quoted),
		cmocka_unit_test(labels_without_ip_behind_them_hide_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
