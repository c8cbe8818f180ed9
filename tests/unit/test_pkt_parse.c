/* SPDX-License-Identifier: BSD-3-Clause */
#include "tgen/pkt.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#define TEST_ID 7
#define ETH	14
#define IP	20
#define ICMP	8

static const struct sig sample = {TEST_ID, 3, 0x0102, 0x11223344, 0xa1a2a3a4a5a6};

/* A frame to be changed; ip is where its IP header is. */
struct buf {
	uint8_t b[512];
	unsigned len;
	unsigned ip;
};

static void make(struct buf *f, const char *const *words, unsigned size)
{
	static const struct pkt_assumed assumed = {1, 2, 0x0a000001};
	struct pkt_frame frame;
	struct err err = {0};
	struct opt_set set;

	opt_set_init(&set, &pkt_template_menu);
	for (unsigned i = 0; words[i] != NULL; i++)
		assert_int_equal(opt_set_arg(&set, words[i], &err), 0);
	if (pkt_build(&set, &assumed, size, &frame, &err) != 0)
		fail_msg("%s", err.text);
	opt_set_fini(&set);
	*f = (struct buf){.len = size, .ip = ETH};
	pkt_render(&frame, 0, &sample, f->b);
}

/* 10.0.0.1:100 to 10.0.1.2:200, incrementing data; more: one more word or NULL. */
static void make_udp(struct buf *f, const char *more, unsigned size)
{
	make(f, (const char *const[]){"ip-dst=10.0.1.2", "data=incrementing", more, NULL}, size);
}

static void mend_ip(struct buf *f)
{
	uint8_t *ip = f->b + f->ip;

	pkt_put16(ip + 10, 0);
	pkt_put16(ip + 10, (uint16_t)~sig_fold(pkt_csum_add(ip, 4u * (ip[0] & 0xf), 0)));
}

/* Opens a gap of nb zeros at off. */
static void insert(struct buf *f, unsigned off, unsigned nb)
{
	memmove(f->b + off + nb, f->b + off, f->len - off);
	memset(f->b + off, 0, nb);
	f->len += nb;
}

static void tag(struct buf *f, uint16_t ethertype)
{
	insert(f, 12, 4);
	pkt_put16(f->b + 12, ethertype);
	f->ip += 4;
}

/* Puts a header of IP and nb bytes more before the packet, as a tunnel or an ICMP error does. */
static void wrap(struct buf *f, uint8_t proto, unsigned nb)
{
	uint8_t *ip = f->b + f->ip;

	insert(f, f->ip, IP + nb);
	ip[0] = 0x45;
	pkt_put16(ip + 2, (uint16_t)(f->len - f->ip));
	ip[8] = 60;
	ip[9] = proto;
	pkt_put32(ip + 12, 0xc0000201);
	pkt_put32(ip + 16, 0x0a000001);
	mend_ip(f);
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

static void assert_class(const struct buf *f, enum pkt_class cls)
{
	assert_int_equal(parse(f).cls, cls);
}

static void assert_ip4(struct units_ip ip, uint32_t expected)
{
	assert_true(units_ip_equal(ip, units_ip4(expected)));
}

static void a_test_frame_is_known_with_all_its_fields(void **state)
{
	struct buf f;
	struct pkt_rx rx;

	(void)state;
	make_udp(&f, NULL, 60);
	rx = parse(&f);
	assert_int_equal(rx.cls, PKT_TEST);
	assert_int_equal(rx.sig.epoch, sample.epoch);
	assert_int_equal(rx.sig.lane, sample.lane);
	assert_int_equal(rx.sig.seq, sample.seq);
	assert_int_equal(rx.sig.time_ns, sample.time_ns);
	assert_false(rx.last_fragment);
	assert_int_equal(rx.ethertype, 0x0800);
	assert_int_equal(rx.l3_off, ETH);
	assert_ip4(rx.ip_src, 0x0a000001);
	assert_ip4(rx.ip_dst, 0x0a000102);
	assert_int_equal(rx.ip_proto, 17);
	assert_int_equal(rx.l4_src, 100);
	assert_int_equal(rx.l4_dst, 200);
}

static void every_template_is_known_again_at_every_size(void **state)
{
	static const char *const words[][4] = {
		{"ip-dst=1.2.3.4"},
		{"ip-dst=1.2.3.4", "udp-checksum=compute", "data=incrementing"},
		{"ip-dst=1.2.3.4", "header-stack=mac,ip"},
		{"header-stack=mac", "data=incrementing"},
	};

	(void)state;
	for (unsigned i = 0; i < 4; i++) {
		for (unsigned size = 60; size < 300; size++) {
			struct buf f;

			make(&f, words[i], size);
			assert_class(&f, PKT_TEST);
		}
	}
}

static void vlan_tags_and_padding_hide_nothing(void **state)
{
	struct buf f;

	(void)state;
	make_udp(&f, "udp-checksum=compute", 60);
	for (unsigned nb = 1; nb <= 4; nb++) {
		tag(&f, nb == 2 ? 0x88a8 : 0x8100);
		assert_class(&f, PKT_TEST);
		assert_int_equal(parse(&f).l3_off, ETH + 4 * nb);
		assert_int_equal(parse(&f).ethertype, 0x0800);
	}
	f.len += 9; /* the trailing bytes that a switch leaves when it removes tags */
	assert_class(&f, PKT_TEST);
}

static void options_and_tunnels_hide_nothing(void **state)
{
	struct buf f;

	(void)state;
	make_udp(&f, NULL, 70);
	insert(&f, ETH + IP, 8);
	f.b[ETH] = 0x47;
	pkt_put16(f.b + ETH + 2, (uint16_t)(f.len - ETH));
	mend_ip(&f);
	assert_class(&f, PKT_TEST);
	assert_int_equal(parse(&f).l4_dst, 200);
	wrap(&f, 4, 0);
	assert_class(&f, PKT_TEST);
	assert_int_equal(parse(&f).ip_proto, 4);
}

/* One bit of the frame is wrong. */
static void damage_of_our_frames_is_told_from_other_frames(void **state)
{
	/* clang-format off */
	static const struct {
		const char *word;
		unsigned off, bit;
		enum pkt_class cls;
	} cases[] = {
		{"udp-checksum=0", ETH + 1, 0, PKT_BAD},	 /* DS byte */
		{"udp-checksum=0", ETH + 8, 0, PKT_BAD},	 /* TTL */
		{"udp-checksum=0", ETH + 12, 0, PKT_BAD},	 /* source */
		{"udp-checksum=0", ETH, 4, PKT_UNKNOWN},	 /* version 5 */
		{"udp-checksum=0", ETH + IP, 0, PKT_TEST},	 /* port, nothing covers it */
		{"udp-checksum=0", ETH + IP + 9, 0, PKT_TEST},	 /* data */
		{"udp-checksum=compute", ETH + IP, 0, PKT_BAD},	 /* port */
		{"udp-checksum=compute", ETH + IP + 9, 0, PKT_BAD},
		{"udp-checksum=compute", ETH + IP + 4, 6, PKT_BAD}, /* length, too long */
		{"udp-checksum=0", ETH + IP + 4, 6, PKT_TEST},
		{"udp-checksum=0", 100 - 10, 0, PKT_BAD},	 /* sequence */
		{"udp-checksum=0", 100 - 1, 0, PKT_BAD},	 /* complement */
		{"udp-checksum=0", 100 - 16, 0, PKT_UNKNOWN},	 /* test-id */
		{"udp-checksum=0", 100 - 18, 0, PKT_UNKNOWN},	 /* magic */
	};
	/* clang-format on */

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct buf f;

		make_udp(&f, cases[i].word, 100);
		assert_class(&f, PKT_TEST);
		f.b[cases[i].off] ^= (uint8_t)(1 << cases[i].bit);
		if (parse(&f).cls != cases[i].cls)
			fail_msg("case %zu: class %d", i, parse(&f).cls);
	}
}

static void addresses_and_ports_may_be_translated(void **state)
{
	struct buf f;

	(void)state;
	make_udp(&f, NULL, 60);
	pkt_put32(f.b + ETH + 12, 0x01020304);
	pkt_put16(f.b + ETH + IP, 4242);
	mend_ip(&f);
	assert_class(&f, PKT_TEST);
	assert_ip4(parse(&f).ip_src, 0x01020304);
	assert_int_equal(parse(&f).l4_src, 4242);
}

static void a_broken_ip_header_without_signature_is_unknown(void **state)
{
	struct buf f;

	(void)state;
	make_udp(&f, "special-footer=no", 100);
	assert_class(&f, PKT_UNKNOWN);
	f.b[ETH + 8] ^= 1;
	assert_class(&f, PKT_UNKNOWN);
}

static void a_cut_frame_is_never_a_test_frame(void **state)
{
	struct buf f;

	(void)state;
	make_udp(&f, "udp-checksum=compute", 100);
	tag(&f, 0x8100);
	for (; f.len > 0; f.len--)
		assert_int_equal(parse(&f).cls == PKT_TEST, f.len == 104);
	assert_class(&f, PKT_UNKNOWN);
}

static void only_the_last_fragment_can_carry_the_signature(void **state)
{
	static const struct {
		uint16_t frag;
		bool footer;
		enum pkt_class cls;
	} cases[] = {
		{0x4000, true, PKT_TEST}, /* don't fragment */
		{0x2000, true, PKT_FRAGMENT},
		{0x2010, true, PKT_FRAGMENT},
		{0x0010, true, PKT_TEST},
		{0x0010, false, PKT_FRAGMENT},
		{0x2000, false, PKT_FRAGMENT},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct buf f;

		make_udp(&f, cases[i].footer ? NULL : "special-footer=no", 100);
		pkt_put16(f.b + ETH + 6, cases[i].frag);
		mend_ip(&f);
		assert_class(&f, cases[i].cls);
		assert_int_equal(parse(&f).last_fragment,
			cases[i].cls == PKT_TEST && (cases[i].frag & 0x1fff) != 0);
		assert_int_equal(parse(&f).l4_dst, (cases[i].frag & 0x1fff) != 0 ? 0 : 200);
	}
}

static void a_fragment_with_half_a_signature_is_a_fragment(void **state)
{
	struct buf f;

	(void)state;
	make_udp(&f, NULL, 100);
	memmove(f.b + ETH + IP, f.b + 88, 12);
	f.len = ETH + IP + 12;
	pkt_put16(f.b + ETH + 2, IP + 12);
	pkt_put16(f.b + ETH + 6, 0x0007);
	mend_ip(&f);
	assert_class(&f, PKT_FRAGMENT);
}

static void an_icmp_error_is_never_received_and_tells_whom_it_quotes(void **state)
{
	static const uint8_t types[] = {3, 4, 5, 11, 12};

	(void)state;
	for (size_t i = 0; i < sizeof(types); i++) {
		struct buf f;
		struct pkt_rx rx;

		make_udp(&f, NULL, 100);
		wrap(&f, 1, ICMP);
		f.b[ETH + IP] = types[i];
		f.b[ETH + IP + 1] = 1;
		rx = parse(&f);
		assert_int_equal(rx.cls, PKT_ICMP_ERROR);
		assert_int_equal(rx.icmp_type, types[i]);
		assert_int_equal(rx.icmp_code, 1);
		assert_ip4(rx.ip_src, 0xc0000201);
		assert_ip4(rx.quote.ip_src, 0x0a000001);
		assert_ip4(rx.quote.ip_dst, 0x0a000102);
		assert_int_equal(rx.quote.ip_proto, 17);
		assert_int_equal(rx.quote.l4_src, 100);
		assert_int_equal(rx.quote.l4_dst, 200);
		assert_true(rx.quote.has_sig);
		assert_int_equal(rx.sig.seq, sample.seq);
		f.b[ETH + 8] ^= 1; /* its IP checksum is wrong: nothing is believed */
		assert_class(&f, PKT_UNKNOWN);
	}
}

static void a_quote_has_our_signature_only_when_it_is_whole_good_and_ours(void **state)
{
	struct buf f;

	(void)state;
	make_udp(&f, NULL, 100);
	wrap(&f, 1, ICMP);
	f.b[ETH + IP] = 3;

	f.b[f.len - 1] ^= 1;
	assert_false(parse(&f).quote.has_sig);
	assert_class(&f, PKT_ICMP_ERROR);
	f.b[f.len - 1] ^= 1;
	f.b[f.len - 16] ^= 1;
	assert_false(parse(&f).quote.has_sig);
	f.b[f.len - 16] ^= 1;

	f.len += 20; /* RFC 4884: an extension follows what is quoted */
	pkt_put16(f.b + ETH + 2, (uint16_t)(f.len - ETH));
	mend_ip(&f);
	assert_true(parse(&f).quote.has_sig);

	/* A header and 8 bytes, then no ports, then not even a header. */
	f.len = ETH + IP + ICMP + IP + 8;
	pkt_put16(f.b + ETH + 2, (uint16_t)(f.len - ETH));
	mend_ip(&f);
	assert_class(&f, PKT_ICMP_ERROR);
	assert_false(parse(&f).quote.has_sig);
	assert_int_equal(parse(&f).quote.l4_dst, 200);
	f.len -= 5;
	pkt_put16(f.b + ETH + 2, (uint16_t)(f.len - ETH));
	mend_ip(&f);
	assert_class(&f, PKT_ICMP_ERROR);
	assert_int_equal(parse(&f).quote.l4_dst, 0);
	assert_ip4(parse(&f).quote.ip_dst, 0x0a000102);
	f.len -= 4;
	pkt_put16(f.b + ETH + 2, (uint16_t)(f.len - ETH));
	mend_ip(&f);
	assert_class(&f, PKT_ICMP_ERROR);
	assert_true(units_ip_is_none(parse(&f).quote.ip_dst));
}

static void an_icmp_error_in_pieces_is_a_fragment(void **state)
{
	struct buf f;

	(void)state;
	make_udp(&f, NULL, 100);
	wrap(&f, 1, ICMP);
	pkt_put16(f.b + ETH + 6, 0x0040);
	mend_ip(&f);
	assert_class(&f, PKT_FRAGMENT);
}

static void other_icmp_is_sorted_by_type(void **state)
{
	static const struct {
		uint8_t type;
		enum pkt_class plain, with_sig, damaged;
	} cases[] = {
		{0, PKT_ECHO, PKT_TEST, PKT_BAD},
		{8, PKT_ECHO, PKT_TEST, PKT_BAD},
		{13, PKT_UNKNOWN, PKT_TEST, PKT_BAD},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct buf f;

		make_udp(&f, NULL, 100);
		wrap(&f, 1, ICMP);
		f.b[ETH + IP] = cases[i].type;
		assert_class(&f, cases[i].with_sig);
		f.b[f.len - 1] ^= 1;
		assert_class(&f, cases[i].damaged);
		f.b[f.len - 18] ^= 1;
		assert_class(&f, cases[i].plain);
		assert_int_equal(parse(&f).icmp_type, cases[i].type);
	}
}

/* Padding of an ARP reply may hold what was in the host's buffer before: one of our frames. */
static void arp_is_arp_even_with_our_bytes_behind_it(void **state)
{
	struct buf f;

	(void)state;
	make(&f, (const char *const[]){"header-stack=mac", "mac-protocol=arp", NULL}, 60);
	assert_class(&f, PKT_ARP);
	f.len = ETH;
	assert_class(&f, PKT_ARP);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_test_frame_is_known_with_all_its_fields),
		cmocka_unit_test(every_template_is_known_again_at_every_size),
		cmocka_unit_test(vlan_tags_and_padding_hide_nothing),
		cmocka_unit_test(options_and_tunnels_hide_nothing),
		cmocka_unit_test(damage_of_our_frames_is_told_from_other_frames),
		cmocka_unit_test(addresses_and_ports_may_be_translated),
		cmocka_unit_test(a_broken_ip_header_without_signature_is_unknown),
		cmocka_unit_test(a_cut_frame_is_never_a_test_frame),
		cmocka_unit_test(only_the_last_fragment_can_carry_the_signature),
		cmocka_unit_test(a_fragment_with_half_a_signature_is_a_fragment),
		cmocka_unit_test(an_icmp_error_is_never_received_and_tells_whom_it_quotes),
		cmocka_unit_test(a_quote_has_our_signature_only_when_it_is_whole_good_and_ours),
		cmocka_unit_test(an_icmp_error_in_pieces_is_a_fragment),
		cmocka_unit_test(other_icmp_is_sorted_by_type),
		cmocka_unit_test(arp_is_arp_even_with_our_bytes_behind_it),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
