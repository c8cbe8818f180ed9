/* SPDX-License-Identifier: BSD-3-Clause */
#include "pkt_walk.h"

#include <errno.h>

#define NB(array) (sizeof(array) / sizeof((array)[0]))
#define MAX_SIZE  512

static void give_raw(struct opt_set *set, const char *const *words)
{
	struct err err = {0};

	opt_set_init(set, &pkt_raw_menu);
	for (unsigned i = 0; i < MAX_WORDS && words[i] != NULL; i++) {
		if (opt_set_arg(set, words[i], &err) != 0)
			fail_msg("%s", err.text);
	}
}

static void build_raw(const char *const *words, unsigned size, struct pkt_frame *frame)
{
	struct err err = {0};
	struct opt_set set;

	give_raw(&set, words);
	if (pkt_build(&set, &(struct pkt_assumed){0}, size, frame, &err) != 0)
		fail_msg("%s", err.text);
	opt_set_fini(&set);
}

/* ---- the same as the template it is made from ---- */

struct twin {
	const char *tmpl[MAX_WORDS]; /* of a packet-template */
	unsigned zeros[4][2];	     /* bytes of its header that raw has to fill: offset, number */
	const char *raw[6];
};

/* clang-format off */
static const struct twin twins[] = {
	{{"ip-dst=1.2.3.4"}, {{16, 2}, {24, 2}, {38, 2}},
		{"ip-header-offset=14", "udp-header-offset=34"}},
	{{"ip-dst=1.2.3.4", "udp-checksum=good", "data=random"}, {{16, 2}, {24, 2}, {38, 4}},
		{"ip-header-offset=14", "udp-header-offset=34", "udp-compute-checksum=yes", "data=random"}},
	{{"ip-dst=1.2.3.4", "udp-checksum=good"}, {{16, 2}, {24, 2}, {38, 4}},
		{"ip-header-offset=14", "udp-header-offset=34", "compute-checksum-from-offset=34"}},
	/* the UDP length is not asked for */
	{{"ip-dst=1.2.3.4", "udp-checksum=0x1234"}, {{16, 2}, {24, 2}}, {"ip-header-offset=14"}},
	{{"header-stack=mac,vlan,ip,tcp", "ip-dst=1.2.3.4", "data=incrementing"},
		{{20, 2}, {28, 2}, {54, 2}},
		{"ip-header-offset=18", "tcp-header-offset=38", "data=incrementing"}},
	{{"header-stack=mac,ip,icmp", "ip-dst=1.2.3.4"}, {{16, 2}, {24, 2}, {36, 2}},
		{"ip-header-offset=14", "compute-checksum-from-offset=34"}},
	{{"header-stack=mac,ipv6,udp", "ipv6-src=2001:db8::1", "ipv6-dst=2001:db8::2",
		"udp-checksum=good"}, {{18, 2}, {58, 4}},
		{"ipv6-header-offset=14", "udp-header-offset=54", "udp-compute-checksum=yes"}},
	{{"header-stack=mac,ipv6,tcp", "ipv6-src=2001:db8::1", "ipv6-dst=2001:db8::2"},
		{{18, 2}, {70, 2}}, {"ipv6-header-offset=14", "tcp-header-offset=54"}},
	{{"header-stack=mac,ipv6,icmpv6", "ipv6-src=2001:db8::1", "ipv6-dst=2001:db8::2"},
		{{18, 2}, {56, 2}}, {"ipv6-header-offset=14", "compute-checksum-from-offset=54"}},
	{{"header-stack=mac", "mac-protocol=0x1234", "special-footer=no", "data=specific-byte",
		"data-byte=7f"}, {{0}}, {"special-footer=no", "data=specific-byte", "data-byte=7f"}},
};
/* clang-format on */

static void put_hex(char *out, const uint8_t *bytes, unsigned nb)
{
	out += sprintf(out, "header=");
	for (unsigned i = 0; i < nb; i++)
		out += sprintf(out, "%02x", bytes[i]);
}

static void lengths_and_checksums_are_mended_where_offsets_say(void **state)
{
	uint16_t bytes[] = {96, 131, 400}, order[] = {0, 1, 2};
	const struct pkt_sizes sizes = {.nb = 3, .bytes = bytes, .period = 3, .order = order};

	(void)state;
	for (unsigned i = 0; i < NB(twins); i++) {
		char header[2 * PKT_HDR_MAX + 16];
		const char *words[MAX_WORDS + 1] = {header};
		struct pkt_frame several;
		struct err err = {0};
		struct opt_set set;

		for (unsigned k = 0; k < 3; k++) {
			uint8_t out[MAX_SIZE], twin[MAX_SIZE], hdr[PKT_HDR_MAX];
			struct pkt_frame frame;

			build(twins[i].tmpl, bytes[k], &frame);
			pkt_render(&frame, 0, &sample, twin);
			memcpy(hdr, frame.hdr, sizeof(hdr));
			for (unsigned z = 0; z < 4; z++)
				memset(hdr + twins[i].zeros[z][0], 0, twins[i].zeros[z][1]);
			put_hex(header, hdr, frame.hdr_bytes);
			memcpy(words + 1, twins[i].raw, sizeof(twins[i].raw));
			give_raw(&set, words);
			assert_int_equal(pkt_raw_bytes(&set), frame.hdr_bytes);
			opt_set_fini(&set);
			pkt_frame_fini(&frame);
			build_raw(words, bytes[k], &frame);
			pkt_render(&frame, 0, &sample, out);
			assert_memory_equal(out, twin, bytes[k]);
			pkt_frame_fini(&frame);
			/* and as one of several sizes */
			give_raw(&set, words);
			assert_int_equal(pkt_build_sizes(&set, &(struct pkt_assumed){0}, &sizes,
						 &several, &err),
				0);
			assert_int_equal(pkt_render(&several, k, &sample, out), bytes[k]);
			assert_memory_equal(out, twin, bytes[k]);
			pkt_frame_fini(&several);
			opt_set_fini(&set);
		}
	}
}

#define MACS "020000000002020000000001"
#define IP4  "4500000000000000401100000a0000010a000102"
#define IP4_24                                                                                     \
	"460000000000000040010000"                                                                 \
	"0a0000010a00010294040000" /* router alert (RFC 2113) */
#define UDP  "006400c800000000"
#define ICMP "0800000000010001"

static void what_receivers_need_to_know_is_found(void **state)
{
	const char *const words[] = {"header=" MACS "8100000788a8000808004500000000000000401100000a"
				     "0000010a000102" UDP,
		"ip-header-offset=22", "udp-header-offset=42", NULL};
	struct pkt_frame frame;
	uint8_t out[MAX_SIZE];
	struct pkt_rx rx;

	(void)state;
	build_raw(words, 100, &frame);
	assert_int_equal(frame.nb_tags, 2);
	assert_int_equal(frame.l3_off, 22);
	assert_int_equal(frame.in_off, 22);
	assert_int_equal(frame.l3_version, 4);
	assert_int_equal(frame.l4_off, 42);
	assert_int_equal(frame.l4_proto, 17);
	assert_true(frame.l4_right);
	pkt_render(&frame, 0, &sample, out);
	pkt_parse(out, 100, sample.test_id, &rx);
	assert_int_equal(rx.cls, PKT_TEST);
	pkt_frame_fini(&frame);
}

static void random_bytes_leave_the_checksums_right(void **state)
{
	static const char *const cases[][8] = {
		{"header=" MACS "0800" IP4 UDP, "ip-header-offset=14", "udp-header-offset=34",
			"udp-compute-checksum=yes",
			"random-ranges=26:32:1-0xfffffff0,35:8:1-9,47:32:7-999999", "name=r"},
		{"header=" MACS "0800" IP4_24 ICMP, "ip-header-offset=14",
			"compute-checksum-from-offset=38",
			"random-ranges=45:32:0-0xffffffff,34:8:1-9"},
	};

	(void)state;
	for (unsigned i = 0; i < NB(cases); i++) {
		struct pkt_frame frame;
		uint8_t out[MAX_SIZE], first[MAX_SIZE];

		build_raw(cases[i], 101, &frame);
		pkt_render(&frame, 0, &sample, first);
		for (unsigned n = 1; n < 500; n++) {
			pkt_render(&frame, n, &sample, out);
			assert_memory_not_equal(out, first, 101 - SIG_BYTES);
			if (i == 0) {
				walk_ether(out, 101);
			} else {
				assert_sum("IPv4", out + 14, 24, 0);
				assert_sum("ICMP", out + 38, 101 - 38, 0);
			}
		}
		pkt_frame_fini(&frame);
	}
}

/* A user of stacks and sizes need not know the menus apart. */
static void a_raw_set_is_taken_wherever_a_template_is(void **state)
{
	const char *const words[] = {
		"header=" MACS "0800" IP4 UDP, "name=r", "port=p1", "special-footer=no", NULL};
	const struct pkt_hdr *stack[PKT_MAX_HEADERS];
	struct err err = {0};
	struct opt_set raw, tmpl;

	(void)state;
	give_raw(&raw, words);
	give(&tmpl, (const char *const[]){"name=t", NULL});
	assert_true(pkt_is_raw(&raw));
	assert_false(pkt_is_raw(&tmpl));
	assert_string_equal(opt_set_one(&raw, &pkt_template_opts[TMPL_NAME]).text, "r");
	assert_string_equal(opt_set_one(&raw, &pkt_template_opts[TMPL_PORT]).text, "p1");
	assert_false(pkt_is_signed(&raw));
	assert_int_equal(pkt_template_check(&raw, &err), 0);
	assert_int_equal(pkt_min_size(&raw, &err), 60);
	assert_int_equal(pkt_stack(&raw, stack, &err), 1);
	assert_string_equal(stack[0]->name, "raw");
	assert_int_equal(pkt_raw_mac_dst(&raw), 0x020000000002);
	opt_set_fini(&raw);
	opt_set_fini(&tmpl);
}

static void the_checksum_of_any_header_is_right_from_its_offset(void **state)
{
	/* clang-format off */
	static const struct {
		const char *stack, *word;
		const char *text; /* NULL: right */
	} cases[] = {
		{"header-stack=mac,ip,udp", "compute-checksum-from-offset=34", NULL},
		{"header-stack=mac,ip,tcp", "compute-checksum-from-offset=34", NULL},
		{"header-stack=mac,ip,icmp", "compute-checksum-from-offset=34", NULL},
		{"header-stack=mac,ip,udp", "compute-checksum-from-offset=14", NULL},
		{"header-stack=mac,ip,udp", "compute-checksum-from-offset=0",
			"compute-checksum-from-offset: no header that has a checksum begins at byte 0"},
		{"header-stack=mac,ip,udp", "compute-checksum-from-offset=35",
			"compute-checksum-from-offset: no header that has a checksum begins at byte 35"},
	};
	/* clang-format on */

	(void)state;
	for (unsigned i = 0; i < NB(cases); i++) {
		const char *const words[] = {cases[i].stack, "ip-dst=1.2.3.4", cases[i].word, NULL};
		struct pkt_frame frame;
		struct err err = {0};
		uint8_t out[MAX_SIZE];
		int rc = try_build(words, &assumed, 100, &frame, &err);

		assert_int_equal(rc, cases[i].text == NULL ? 0 : -EINVAL);
		if (rc != 0) {
			assert_string_equal(err.text, cases[i].text);
			continue;
		}
		pkt_render(&frame, 0, &sample, out);
		walk_ether(out, 100);
		if (out[23] == 17 && strstr(cases[i].word, "34") != NULL)
			assert_int_not_equal(pkt_get16(out + 40), 0);
		pkt_frame_fini(&frame);
	}
}

static void wrong_raw_templates_are_refused_with_place_and_reason(void **state)
{
	static const struct {
		const char *words[4], *text;
	} cases[] = {
		{{"name=r"}, "header: is missing"},
		{{"header=0102"}, "header: has 2 bytes (14..512 are allowed)"},
		{{"header=" MACS "0800" IP4, "ip-header-offset=15"},
			"ip-header-offset: no IPv4 header begins at byte 15"},
		{{"header=" MACS "0800" IP4, "ip-header-offset=500"},
			"ip-header-offset: no IPv4 header begins at byte 500"},
		{{"header=" MACS "0800" IP4, "ipv6-header-offset=14"},
			"ipv6-header-offset: no IPv6 header begins at byte 14"},
		{{"header=" MACS "0800" IP4, "udp-header-offset=34"},
			"udp-header-offset: 34 leaves no room for its header of 8 bytes in the 34"},
		{{"header=" MACS "0800" IP4 UDP, "tcp-header-offset=34"},
			"tcp-header-offset: 34 leaves no room for its header of 20 bytes in the "
			"42"},
		{{"header=" MACS "0800" IP4 UDP, "compute-checksum-from-offset=34"},
			"compute-checksum-from-offset: no header whose checksum is known begins at "
			"byte 34"},
	};

	(void)state;
	for (unsigned i = 0; i < NB(cases); i++) {
		struct err err = {0}, check = {0};
		struct pkt_frame frame;
		struct opt_set set;

		give_raw(&set, cases[i].words);
		assert_int_equal(
			pkt_build(&set, &(struct pkt_assumed){0}, 100, &frame, &err), -EINVAL);
		assert_int_equal(pkt_template_check(&set, &check), -EINVAL);
		assert_string_equal(err.text, check.text);
		if (strncmp(err.text, cases[i].text, strlen(cases[i].text)) != 0)
			fail_msg("%s, not: %s", err.text, cases[i].text);
		opt_set_fini(&set);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(lengths_and_checksums_are_mended_where_offsets_say),
		cmocka_unit_test(what_receivers_need_to_know_is_found),
		cmocka_unit_test(random_bytes_leave_the_checksums_right),
		cmocka_unit_test(a_raw_set_is_taken_wherever_a_template_is),
		cmocka_unit_test(the_checksum_of_any_header_is_right_from_its_offset),
		cmocka_unit_test(wrong_raw_templates_are_refused_with_place_and_reason),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
