/* SPDX-License-Identifier: BSD-3-Clause */
#include "pkt_help.h"

#include <errno.h>

/* ---- whole frames; these bytes were computed apart, not by this code ---- */

struct bytes_case {
	const char *words[MAX_WORDS];
	unsigned size;
	const char *hex;
};

/* clang-format off */
static const struct bytes_case bytes_cases[] = {
	{{"ip-dst=10.0.1.2"}, 60,
		"02000000000202000000000108004500"
		"002e00000000401165bd0a0000010a00"
		"0102006400c8001a0000746707030102"
		"11223344a1a2a3a4a5a6543f"},
	/* odd payload: the signature lies at an odd offset of the checksum's data */
	{{"ip-src=192.0.2.1", "ip-dst=198.51.100.7", "ip-dscp=184", "ip-id=0xbeef",
		 "ip-frag-off=16384", "ip-ttl=7", "udp-src-port=4660", "udp-dst-port=53",
		 "udp-checksum=compute", "data=incrementing"}, 65,
		"020000000002020000000001080045b8"
		"0033beef40000711c7d6c0000201c633"
		"640712340035001ffb06000102030474"
		"670703010211223344a1a2a3a4a5a654"
		"3f"},
};
/* clang-format on */

static void frames_are_these_bytes(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(bytes_cases) / sizeof(bytes_cases[0]); i++) {
		const struct bytes_case *c = &bytes_cases[i];
		char hex[2 * 128 + 1] = "";
		struct pkt_frame frame;
		uint8_t out[128];

		build(c->words, c->size, &frame);
		assert_int_equal(frame.size, c->size);
		pkt_render(&frame, 0, &sample, out);
		for (unsigned b = 0; b < c->size; b++)
			sprintf(hex + 2 * b, "%02x", out[b]);
		assert_string_equal(hex, c->hex);
	}
}

static void offsets_of_the_default_frame_are_told(void **state)
{
	struct pkt_frame frame;

	(void)state;
	build((const char *const[]){"ip-dst=10.0.1.2", NULL}, 60, &frame);
	assert_int_equal(frame.hdr_bytes, 42);
	assert_int_equal(frame.sig_off, 42);
	assert_int_equal(frame.l3_off, ETH_IP);
	assert_int_equal(frame.l4_off, ETH_UDP);
	assert_int_equal(frame.nb_tags, 0);
	assert_int_equal(frame.nb_mods, 0);
}

static void udp_checksum_is_right_at_every_size_with_any_signature(void **state)
{
	static const char *const data[] = {
		"data=uninitialized", "data=incrementing", "data=specific-byte"};
	static const unsigned sizes[] = {60, 61, 62, 63, 64, 65, 508, 1513, 1514, 9014, 65535};
	uint8_t *out = malloc(65536);

	(void)state;
	for (unsigned d = 0; d < 3; d++) {
		for (unsigned i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
			struct pkt_frame frame;

			build((const char *const[]){"ip-dst=10.0.1.2", "udp-checksum=compute",
				      data[d], "data-byte=E7", NULL},
				sizes[i], &frame);
			pkt_render(&frame, 0, &sample, out);
			assert_udp_csum_right(out, sizes[i]);
			assert_ip_csum_right(out);
			assert_int_equal(pkt_get16(out + ETH_IP + 2), sizes[i] - 14);
			assert_int_equal(pkt_get16(out + ETH_UDP + 4), sizes[i] - 34);
			pkt_render(&frame, 0, NULL, out);
			assert_udp_csum_right(out, sizes[i]);
		}
	}
	free(out);
}

static void a_checksum_given_as_a_number_is_sent_as_it_is(void **state)
{
	struct pkt_frame frame;

	(void)state;
	build((const char *const[]){"ip-dst=10.0.1.2", "udp-checksum=0x1234", "udp-src-port=1-9",
		      NULL},
		60, &frame);
	assert_int_equal(pkt_get16(frame.hdr + ETH_UDP + 6), 0x1234);
	assert_int_equal(frame.nb_csums, 1); /* IPv4's */
	pkt_frame_fini(&frame);
}

/* ---- stacks ---- */

static void what_follows_is_told_by_each_header(void **state)
{
	/* clang-format off */
	static const struct {
		const char *words[MAX_WORDS];
		unsigned ethertype, ip_proto, l3_off, l4_off;
	} cases[] = {
		{{"header-stack=mac"}, 0x88b5, 0, 0, 0},
		{{"header-stack=mac", "mac-protocol=arp"}, 0x0806, 0, 0, 0},
		{{"header-stack=mac", "mac-protocol=0x1234"}, 0x1234, 0, 0, 0},
		{{"header-stack=mac,ip", "ip-dst=1.2.3.4"}, 0x0800, 255, ETH_IP, 0},
		{{"header-stack=mac,ip", "ip-dst=1.2.3.4", "ip-protocol=gre"}, 0x0800, 47, ETH_IP,
			0},
		{{"ip-dst=1.2.3.4"}, 0x0800, 17, ETH_IP, ETH_UDP},
		{{"ip-dst=1.2.3.4", "mac-protocol=ipv6", "ip-protocol=6"}, 0x86dd, 6, ETH_IP,
			ETH_UDP},
	};
	/* clang-format on */

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct pkt_frame frame;
		uint8_t out[60];

		build(cases[i].words, 60, &frame);
		pkt_render(&frame, 0, &sample, out);
		assert_int_equal(pkt_get16(out + 12), cases[i].ethertype);
		assert_int_equal(frame.l3_off, cases[i].l3_off);
		assert_int_equal(frame.l4_off, cases[i].l4_off);
		if (frame.l3_off != 0) {
			assert_int_equal(out[ETH_IP + 9], cases[i].ip_proto);
			assert_ip_csum_right(out);
		}
	}
}

static void stack_of_a_template_is_listed_outermost_first(void **state)
{
	static const struct {
		const char *words[MAX_WORDS];
		int nb;
	} cases[] = {{{NULL}, 3}, {{"header-stack=mac,ip,udp"}, 3}, {{"header-stack=mac,ip"}, 2},
		{{"header-stack=mac"}, 1}};
	static const char *const names[] = {"mac", "ip", "udp"};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const struct pkt_hdr *stack[PKT_MAX_HEADERS];
		struct err err = {0};
		struct opt_set set;

		give(&set, cases[i].words);
		assert_int_equal(pkt_stack(&set, stack, &err), cases[i].nb);
		for (int h = 0; h < cases[i].nb; h++)
			assert_ptr_equal(stack[h], pkt_hdr_find(names[h]));
		opt_set_fini(&set);
	}
	assert_null(pkt_hdr_find("nonsense"));
}

static void smallest_size_is_headers_and_signature_but_60_at_least(void **state)
{
	static const struct {
		const char *words[MAX_WORDS];
		int size;
	} cases[] = {{{NULL}, 60}, {{"header-stack=mac"}, 60}, {{"header-stack=mac,ip"}, 60},
		{{"special-footer=no"}, 60}, {{"header-stack=ip"}, -EINVAL}};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct err err = {0};
		struct opt_set set;

		give(&set, cases[i].words);
		assert_int_equal(pkt_min_size(&set, &err), cases[i].size);
		opt_set_fini(&set);
	}
}

/* ---- errors ---- */

static void wrong_templates_are_refused_with_place_and_reason(void **state)
{
	/* clang-format off */
	static const struct {
		const char *words[MAX_WORDS];
		unsigned size;
		const char *text[2]; /* parts of the message */
	} cases[] = {
		{{"ip-dst=1.2.3.4"}, 59, {"packet-size 59", "60 at least"}},
		{{"ip-dst=1.2.3.4"}, 65536, {"packet-size 65536", "65535"}},
		{{NULL}, 60, {"ip-dst: ", "is missing"}},
		{{"ip-dst=1.2.3.4", "udp-dst-port=1,2,3"}, 60,
			{"udp-dst-port: ", "3 values for 1 udp header"}},
		{{"ip-dst=1.2.3.4,1.2.3.5"}, 60, {"ip-dst: ", "2 values for 1 ip header"}},
		{{"header-stack=mac", "ip-dst=1.2.3.4"}, 60, {"ip-dst: ", "no ip header"}},
		{{"header-stack=ip,udp", "ip-dst=1.2.3.4"}, 60, {"header-stack: ", "mac"}},
		{{"header-stack=mac,udp", "ip-dst=1.2.3.4"}, 60,
			{"header-stack: ", "udp cannot follow mac"}},
		{{"header-stack=mac,ip,udp,udp", "ip-dst=1.2.3.4"}, 60,
			{"header-stack: ", "udp cannot follow udp"}},
		{{"header-stack=mac,mac"}, 60, {"header-stack: ", "mac cannot follow mac"}},
		{{"header-stack=udp"}, 60, {"header-stack: ", "must begin with mac"}},
		{{"ip-dst=1.2.3.4", "data-byte=0102"}, 60, {"data-byte: ", "one byte"}},
	};
	/* clang-format on */

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct err err = {0};
		struct pkt_frame frame;

		assert_int_equal(
			try_build(cases[i].words, &assumed, cases[i].size, &frame, &err), -EINVAL);
		assert_int_equal(err.status, TGEN_USAGE);
		for (unsigned t = 0; t < 2; t++) {
			if (strstr(err.text, cases[i].text[t]) == NULL)
				fail_msg("no `%s` in: %s", cases[i].text[t], err.text);
		}
	}
}

static void an_address_neither_given_nor_known_is_refused(void **state)
{
	static const struct {
		struct pkt_assumed known;
		const char *field, *word;
	} cases[] = {
		{{.mac_src = 1, .ip_src = 1}, "mac-dst: ", "mac-dst=02:00:00:00:00:02"},
		{{.mac_dst = 1, .ip_src = 1}, "mac-src: ", "mac-src=02:00:00:00:00:02"},
		{{.mac_dst = 1, .mac_src = 1}, "ip-src: ", "ip-src=10.0.0.1"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const char *words[] = {"ip-dst=1.2.3.4", NULL, NULL};
		struct err err = {0};
		struct pkt_frame frame;

		assert_int_equal(try_build(words, &cases[i].known, 60, &frame, &err), -EINVAL);
		assert_non_null(strstr(err.text, cases[i].field));
		words[1] = cases[i].word;
		assert_int_equal(try_build(words, &cases[i].known, 60, &frame, &err), 0);
	}
}

static void every_field_of_every_header_is_in_the_menu(void **state)
{
	static const char *const names[] = {"mac-src", "mac-dst", "mac-protocol", "ip-src",
		"ip-dst", "ip-dscp", "ip-id", "ip-frag-off", "ip-ttl", "ip-protocol",
		"udp-src-port", "udp-dst-port", "udp-checksum"};

	(void)state;
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		assert_string_equal(pkt_template_opt(names[i])->name, names[i]);
		assert_int_equal(pkt_template_opt(names[i])->max_items, 16);
	}
	assert_ptr_equal(pkt_template_opt("header-stack"), &pkt_template_opts[TMPL_HEADER_STACK]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(frames_are_these_bytes),
		cmocka_unit_test(offsets_of_the_default_frame_are_told),
		cmocka_unit_test(udp_checksum_is_right_at_every_size_with_any_signature),
		cmocka_unit_test(a_checksum_given_as_a_number_is_sent_as_it_is),
		cmocka_unit_test(what_follows_is_told_by_each_header),
		cmocka_unit_test(stack_of_a_template_is_listed_outermost_first),
		cmocka_unit_test(smallest_size_is_headers_and_signature_but_60_at_least),
		cmocka_unit_test(wrong_templates_are_refused_with_place_and_reason),
		cmocka_unit_test(an_address_neither_given_nor_known_is_refused),
		cmocka_unit_test(every_field_of_every_header_is_in_the_menu),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
