/* SPDX-License-Identifier: BSD-3-Clause */
#include "tgen/opt.h"

#include "tgen/err.h"

#include <cjson/cJSON.h>

#include <errno.h>
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "opt_menu.h"

#define MAC_MASK UINT64_C(0xffffffffffff)
#define IP_MASK	 UINT64_C(0xffffffff)

static void every_word_of_every_section_is_found(void **state)
{
	(void)state;
	assert_ptr_equal(opt_menu_find(&menu, "disabled"), &table_a[A_BOOL].opt);
	assert_ptr_equal(opt_menu_find(&menu, "comment"), &table_a[A_TEXT].opt);
	assert_ptr_equal(opt_menu_find(&menu, "cpu-core"), &table_b[B_CPUS]);
	assert_ptr_equal(opt_section_at(&section_a, 3), &table_a[3].opt);
	assert_null(opt_menu_find(&menu, "packet"));
	assert_null(opt_menu_find(&menu, ""));
}

static const struct {
	const char *name, *text;
	uint64_t lo, hi, mask;
	bool is_word;
} values[] = {
	{"disabled", "yes", 1, 1, 0, false},
	{"disabled", "no", 0, 0, 0, false},
	{"disabled", "true", 1, 1, 0, false},
	{"disabled", "false", 0, 0, 0, false},
	{"ip-ttl", "0", 0, 0, 0, false},
	{"ip-ttl", "0xff", 255, 255, 0, false},
	{"packet-size", "60", 60, 60, 0, false},
	{"packet-size", "60-65535", 60, 65535, 0, false},
	{"packet-size", "64-64", 64, 64, 0, false},
	{"packet-count", "1000", 1000, 1000, 0, false},
	{"packet-count", "unlimited", UINT64_MAX, UINT64_MAX, 0, false},
	{"pps", "0", 0, 0, 0, false},
	{"pps", "1.5k", 1500000000, 1500000000, 0, false},
	{"pps", "max", UINT64_MAX, UINT64_MAX, 0, false},
	{"mbps", "300", 300000000, 300000000, 0, false},
	{"mbps", "0.5", 500000, 500000, 0, false},
	{"speed", "1G", TEST_SECOND, TEST_SECOND, 0, false},
	{"freeze-frame-interval", "20ms", 20000000, 20000000, 0, false},
	{"freeze-frame-interval", "00:00:30", 30 * TEST_SECOND, 30 * TEST_SECOND, 0, false},
	{"data", "incrementing", 2, 2, 0, true},
	{"name", "r12.a_b-c-D", 0, 0, 0, false},
	{"comment", "a, b = \"c\" \xc3\xa9", 0, 0, 0, false},
	{"comment", "", 0, 0, 0, false},
	{"raw-header", "00aAfF", 0, 0, 0, false},
	{"mac-src", "02:00:00:00:00:01", 0x020000000001, 0x020000000001, MAC_MASK, false},
	{"mac-src", "02:00:00:00:00:01/ff:ff:ff:00:00:00", 0x020000000001, 0x020000000001,
		UINT64_C(0xffffff000000), false},
	{"ip-dst", "10.0.0.1", 0x0a000001, 0x0a000001, IP_MASK, false},
	{"ip-dst", "10.0.0.1-10.0.0.9", 0x0a000001, 0x0a000009, IP_MASK, false},
	{"ip-dst", "10.0.0.1/24", 0x0a000001, 0x0a000001, 0xffffff00, false},
	{"ip-dst", "10.0.0.1/32", 0x0a000001, 0x0a000001, IP_MASK, false},
	{"ip-dst", "10.0.0.1/0", 0x0a000001, 0x0a000001, 0, false},
	{"ip-dst", "10.0.0.1/255.0.0.255", 0x0a000001, 0x0a000001, 0xff0000ff, false},
	{"ip-dst", "10.0.0.1/255.255.255.255", 0x0a000001, 0x0a000001, IP_MASK, false},
	{"address", "192.0.2.1/24", 0xc0000201, 0xc0000201, 0xffffff00, false},
	{"cpu-core", "2-5", 2, 5, 0, false},
	{"mac-protocol", "arp", 0x0806, 0x0806, 0, true},
	{"mac-protocol", "0x88cc", 0x88cc, 0x88cc, 0, false},
};

static void values_are_parsed_as_their_type_says(void **state)
{

	(void)state;
	for (size_t i = 0; i < NB(values); i++) {
		struct opt_set set;
		struct opt_val val;

		opt_set_init(&set, &menu);
		give(&set, values[i].name, values[i].text);
		val = opt_set_one(&set, opt_named(values[i].name));
		if (val.lo != values[i].lo || val.hi != values[i].hi ||
			val.mask != values[i].mask || val.is_word != values[i].is_word)
			fail_msg("%s=%s: %" PRIx64 " %" PRIx64 " %" PRIx64, values[i].name,
				values[i].text, val.lo, val.hi, val.mask);
		assert_string_equal(val.text, values[i].text);
		opt_set_fini(&set);
	}
}

#define ONES UINT64_MAX
#define DB8  UINT64_C(0x20010db800000000)

/* Addresses of either family, both halves, and the tags. */
static const struct {
	const char *name, *text;
	uint64_t lo, hi, mask, up_lo, up_hi, up_mask;
	bool is_ip6;
	uint16_t tags[2];
} addresses[] = {
	{"mac-src", "02:00:00:00:00:01-02:00:00:00:01:00", 0x020000000001, 0x020000000100, MAC_MASK,
		0, 0, 0, false, {0}},
	{"mac-src", "02-00-00-00-00-01-02-00-00-00-00-02", 0x020000000001, 0x020000000002, MAC_MASK,
		0, 0, 0, false, {0}},
	{"ipv6-dst", "2001:db8::1", 1, 1, ONES, DB8, DB8, ONES, true, {0}},
	{"ipv6-dst", "::", 0, 0, ONES, 0, 0, ONES, true, {0}},
	{"ipv6-dst", "::FFFF:1.2.3.4", 0xffff01020304, 0xffff01020304, ONES, 0, 0, ONES, true, {0}},
	{"ipv6-dst", "2001:db8::1-2001:db8::ff", 1, 255, ONES, DB8, DB8, ONES, true, {0}},
	{"ipv6-dst", "2001:db8::5-2001:db8:0:1::1", 5, 1, ONES, DB8, DB8 + 1, ONES, true, {0}},
	{"ipv6-dst", "2001:db8::1/0", 1, 1, 0, DB8, DB8, 0, true, {0}},
	{"ipv6-dst", "2001:db8::1/32", 1, 1, 0, DB8, DB8, ONES << 32, true, {0}},
	{"ipv6-dst", "2001:db8::1/64", 1, 1, 0, DB8, DB8, ONES, true, {0}},
	{"ipv6-dst", "2001:db8::1/65", 1, 1, 1ull << 63, DB8, DB8, ONES, true, {0}},
	{"ipv6-dst", "2001:db8::1/127", 1, 1, ONES - 1, DB8, DB8, ONES, true, {0}},
	{"ipv6-dst", "2001:db8::1/128", 1, 1, ONES, DB8, DB8, ONES, true, {0}},
	{"ipv6-dst", "2001:db8::1/ffff::ff", 1, 1, 0xff, DB8, DB8, 0xffffull << 48, true, {0}},
	{"router", "192.0.2.1", 0xc0000201, 0xc0000201, IP_MASK, 0, 0, 0, false, {0}},
	{"router", "2001:db8::1", 1, 1, ONES, DB8, DB8, ONES, true, {0}},
	{"addresses", "192.0.2.1/24", 0xc0000201, 0xc0000201, 0xffffff00, 0, 0, 0, false, {0}},
	{"addresses", "192.0.2.1/24@7", 0xc0000201, 0xc0000201, 0xffffff00, 0, 0, 0, false, {7, 0}},
	{"addresses", "192.0.2.1/32@4094.1", 0xc0000201, 0xc0000201, IP_MASK, 0, 0, 0, false,
		{4094, 1}},
	{"addresses", "2001:db8::1/64", 1, 1, 0, DB8, DB8, ONES, true, {0}},
	{"addresses", "2001:db8::1/127@0x64.200", 1, 1, ONES - 1, DB8, DB8, ONES, true, {100, 200}},
};

static void addresses_have_both_halves_and_their_tags(void **state)
{
	(void)state;
	for (size_t i = 0; i < NB(addresses); i++) {
		struct opt_set set;
		struct opt_val val;

		opt_set_init(&set, &menu);
		give(&set, addresses[i].name, addresses[i].text);
		val = opt_set_one(&set, opt_named(addresses[i].name));
		if (val.lo != addresses[i].lo || val.hi != addresses[i].hi ||
			val.mask != addresses[i].mask || val.up.lo != addresses[i].up_lo ||
			val.up.hi != addresses[i].up_hi || val.up.mask != addresses[i].up_mask ||
			val.is_ip6 != addresses[i].is_ip6 ||
			memcmp(val.tags, addresses[i].tags, sizeof(val.tags)) != 0)
			fail_msg("%s=%s", addresses[i].name, addresses[i].text);
		opt_set_fini(&set);
	}
}

#define ADDR_IF_FORMS                                                                              \
	"(A/LEN, as 192.0.2.1/24 or 2001:db8::1/64, in VLANs A/LEN@VID or A/LEN@OUTER.INNER)"

/* What a refused value says, in full. */
static const struct {
	const char *arg, *text;
} refusals[] = {
	{"packet-size=59x", "packet-size: \"59x\" is not a number (60..65535, or a range N-M)"},
	{"packet-size=59", "packet-size: \"59\" is out of range (60..65535, or a range N-M)"},
	{"packet-size=60-70000",
		"packet-size: \"60-70000\" is out of range (60..65535, or a range N-M)"},
	{"packet-size=70-60", "packet-size: \"70-60\" is a range that runs backwards "
			      "(60..65535, or a range N-M)"},
	{"packet-size=60-", "packet-size: \"60-\" is not a number (60..65535, or a range N-M)"},
	{"packet-size=", "packet-size: \"\" is an empty list (60..65535, or a range N-M)"},
	{"packet-size=60,,64",
		"packet-size: \"60,,64\" has an empty item (60..65535, or a range N-M)"},
	{"packet-size=60,", "packet-size: \"60,\" has an empty item (60..65535, or a range N-M)"},
	{"packet-size=,60", "packet-size: \",60\" has an empty item (60..65535, or a range N-M)"},
	{"packet-size=60,61,62,63,64", "packet-size: has 5 values, at most 4 are allowed "
				       "(60..65535, or a range N-M)"},
	{"packet-size=60,5", "packet-size: \"5\" is out of range (60..65535, or a range N-M)"},
	{"ip-ttl=256", "ip-ttl: \"256\" is out of range (0..255, default 64)"},
	{"ip-ttl=-1", "ip-ttl: \"-1\" is not a number (0..255, default 64)"},
	{"ip-ttl=", "ip-ttl: \"\" is not a number (0..255, default 64)"},
	{"ip-ttl=1,2", "ip-ttl: \"1,2\" is a list, but this takes one value (0..255, default 64)"},
	{"disabled=ja", "disabled: \"ja\" is not yes or no (yes|no, default no)"},
	{"packet-count=all", "packet-count: \"all\" is not a count "
			     "(N, or unlimited, default unlimited)"},
	{"packet-count=18446744073709551615", "packet-count: \"18446744073709551615\" is "
					      "out of range (N, or unlimited, default "
					      "unlimited)"},
	{"pps=1T", "pps: \"1T\" is not a number of packets per second "
		   "(N, Nk, NM or NG, or max)"},
	{"mbps=300x", "mbps: \"300x\" is not a number of Mbit/s (0..400000 Mbit/s)"},
	{"mbps=400000.1", "mbps: \"400000.1\" is out of range (0..400000 Mbit/s)"},
	{"speed=1k", "speed: \"1k\" is out of range (1M..400G, as 100M, 1G or 2.5G)"},
	{"freeze-frame-interval=31s", "freeze-frame-interval: \"31s\" is out of range "
				      "(20ms..30s, in h, m, s, ms, us or ns, default 1s)"},
	{"freeze-frame-interval=soon", "freeze-frame-interval: \"soon\" is not a time "
				       "(20ms..30s, in h, m, s, ms, us or ns, default 1s)"},
	{"data=randon", "data: \"randon\" is not a known word, did you mean \"random\"? "
			"(random|incrementing, default random)"},
	{"data=1", "data: \"1\" is not a known word (random|incrementing, default random)"},
	{"name=a b", "name: \"a b\" is not a name (up to 63 letters, digits and (not first) -_.)"},
	{"name=", "name: \"\" is not a name (up to 63 letters, digits and (not first) -_.)"},
	{"comment=a\nb\x1b[0m",
		"comment: \"a\\nb\\x1b[0m\" is not printable UTF-8 text (text, default empty)"},
	{"comment=a\xff", "comment: \"a\\xff\" is not printable UTF-8 text (text, default empty)"},
	{"name=../x",
		"name: \"../x\" is not a name (up to 63 letters, digits and (not first) -_.)"},
	{"name=--force",
		"name: \"--force\" is not a name (up to 63 letters, digits and (not first) -_.)"},
	{"raw-header=abc", "raw-header: \"abc\" is not hex data (an even number of hex digits)"},
	{"raw-header=", "raw-header: \"\" is not hex data (an even number of hex digits)"},
	{"mac-src=1:2", "mac-src: \"1:2\" is not a MAC address "
			"(aa:bb:cc:dd:ee:ff)"},
	{"mac-src=02:00:00:00:00:01/24", "mac-src: \"02:00:00:00:00:01/24\" is not a MAC "
					 "address (aa:bb:cc:dd:ee:ff)"},
	{"ip-dst=1.2.3", "ip-dst: \"1.2.3\" is not an IPv4 address "
			 "(an address as 192.0.2.1)"},
	{"ip-dst=1.2.3.4/33", "ip-dst: \"1.2.3.4/33\" is out of range (an address as 192.0.2.1)"},
	{"ip-dst=1.2.3.4/0x8", "ip-dst: \"1.2.3.4/0x8\" is not an IPv4 address "
			       "(an address as 192.0.2.1)"},
	{"ip-dst=1.2.3.4/", "ip-dst: \"1.2.3.4/\" is not an IPv4 address "
			    "(an address as 192.0.2.1)"},
	{"ip-dst=1.2.3.9-1.2.3.4", "ip-dst: \"1.2.3.9-1.2.3.4\" is a range that runs "
				   "backwards (an address as 192.0.2.1)"},
	{"address=192.0.2.1", "address: \"192.0.2.1\" is not an IPv4 address with its "
			      "length (A/LEN, as 192.0.2.1/24)"},
	{"address=192.0.2.1/255.255.255.0",
		"address: \"192.0.2.1/255.255.255.0\" is not an IPv4 address with its "
		"length (A/LEN, as 192.0.2.1/24)"},
	{"mac-src=02:00:00:00:00:02-02:00:00:00:00:01",
		"mac-src: \"02:00:00:00:00:02-02:00:00:00:00:01\" is a range that runs backwards "
		"(aa:bb:cc:dd:ee:ff)"},
	{"ipv6-dst=1::2::3", "ipv6-dst: \"1::2::3\" is not an IPv6 address "
			     "(an address as 2001:db8::1)"},
	{"ipv6-dst=fe80::1%eth0", "ipv6-dst: \"fe80::1%eth0\" is not an IPv6 address "
				  "(an address as 2001:db8::1)"},
	{"ipv6-dst=::1/129", "ipv6-dst: \"::1/129\" is out of range (an address as 2001:db8::1)"},
	{"ipv6-dst=::1/", "ipv6-dst: \"::1/\" is not an IPv6 address (an address as 2001:db8::1)"},
	{"ipv6-dst=1.2.3.4",
		"ipv6-dst: \"1.2.3.4\" is not an IPv6 address (an address as 2001:db8::1)"},
	{"ipv6-dst=1::-::1",
		"ipv6-dst: \"1::-::1\" is a range that runs backwards (an address as 2001:db8::1)"},
	{"router=1.2.3.4-1.2.3.5", "router: \"1.2.3.4-1.2.3.5\" is not an IPv4 or IPv6 address "
				   "(192.0.2.1 or 2001:db8::1)"},
	{"router=::1/64", "router: \"::1/64\" is not an IPv4 or IPv6 address "
			  "(192.0.2.1 or 2001:db8::1)"},
	{"router=1.2.3.256", "router: \"1.2.3.256\" is out of range (192.0.2.1 or 2001:db8::1)"},
	{"addresses=::1",
		"addresses: \"::1\" is not an IPv4 or IPv6 address with its length " ADDR_IF_FORMS},
	{"addresses=192.0.2.1/24@", "addresses: \"192.0.2.1/24@\" is not an IPv4 or IPv6 address "
				    "with its length " ADDR_IF_FORMS},
	{"addresses=192.0.2.1/24@0",
		"addresses: \"192.0.2.1/24@0\" is out of range " ADDR_IF_FORMS},
	{"addresses=192.0.2.1/24@4095",
		"addresses: \"192.0.2.1/24@4095\" is out of range " ADDR_IF_FORMS},
	{"addresses=::1/64@1.2.3", "addresses: \"::1/64@1.2.3\" is not an IPv4 or IPv6 address "
				   "with its length " ADDR_IF_FORMS},
	{"addresses=::1/129@1", "addresses: \"::1/129@1\" is out of range " ADDR_IF_FORMS},
	{"cpu-core=70000", "cpu-core: \"70000\" is out of range (N, or a range N-M)"},
	{"mac-protocol=arpp", "mac-protocol: \"arpp\" is not a number, did you mean "
			      "\"arp\"? (0..65535, or arp|ip|vlan)"},
	{"mac-protocol=65536",
		"mac-protocol: \"65536\" is out of range (0..65535, or arp|ip|vlan)"},
	{"running=yes", "running: is read-only: it is shown, not set"},
	{"foo", "\"foo\" is not name=value"},
	{"=foo", "\"=foo\" is not name=value"},
	{"pakcet-size=60", "unknown word \"pakcet-size\" (did you mean \"packet-size\"?)"},
};

static void refusals_name_the_value_and_what_is_allowed(void **state)
{

	(void)state;
	for (size_t i = 0; i < NB(refusals); i++) {
		struct err err = {0};
		struct opt_set set;

		opt_set_init(&set, &menu);
		assert_int_equal(opt_set_arg(&set, refusals[i].arg, &err), -EINVAL);
		assert_string_equal(err.text, refusals[i].text);
		assert_int_equal(err.status, TGEN_USAGE);
		assert_int_equal(set.nb_slots, 0);
		opt_set_fini(&set);
	}
}

static void the_nearest_word_is_near(void **state)
{
	static const char *const words[] = {"pps", "mbps", "packet-size", "id", "duration"};
	static const struct {
		const char *name, *near;
	} cases[] = {
		{"pp", "pps"},
		{"mbp", "mbps"},
		{"bps", "pps"},
		{"paket-sise", "packet-size"},
		{"packetsize", "packet-size"},
		{"duratoin", "duration"},
		{"durations", "duration"},
		{"xy", NULL},
		{"foobar", NULL},
		{"", NULL},
		{"packet", NULL},
	};
	char endless[200];

	(void)state;
	for (size_t i = 0; i < NB(cases); i++) {
		const char *near = opt_nearest(cases[i].name, words, NB(words));

		if (cases[i].near == NULL)
			assert_null(near);
		else
			assert_string_equal(near, cases[i].near);
	}
	memset(endless, 'p', sizeof(endless) - 1);
	endless[sizeof(endless) - 1] = '\0';
	assert_null(opt_nearest(endless, words, NB(words)));
	assert_string_equal(opt_menu_nearest(&menu, "ip-tl"), "ip-ttl");
	assert_null(opt_menu_nearest(&menu, "runing")); /* read-only: cannot be given */
}

static void descriptions_say_range_list_and_default(void **state)
{
	static const struct {
		const char *name, *text;
	} cases[] = {
		{"ip-ttl", "0..255, default 64"},
		{"packet-size", "60..65535, or a range N-M, a list of up to 4"},
		{"mbps", "0..400000 Mbit/s, a list"},
		{"pps", "N, Nk, NM or NG, or max, a list"},
		{"freeze-frame-interval", "20ms..30s, in h, m, s, ms, us or ns, default 1s"},
		{"header-stack", "mac|ip|udp, a list of up to 3, default mac,ip,udp"},
		{"mac-protocol", "0..65535, or arp|ip|vlan"},
	};

	(void)state;
	for (size_t i = 0; i < NB(cases); i++) {
		char *text = opt_describe(opt_named(cases[i].name));

		assert_string_equal(text, cases[i].text);
		free(text);
	}
}

static void ranges_are_offered_where_they_are_taken(void **state)
{
	static const struct {
		struct opt opt;
		const char *text;
	} cases[] = {
		{{.type = OPT_MAC}, "aa:bb:cc:dd:ee:ff"},
		{{.type = OPT_IP4}, "an address as 192.0.2.1"},
		{{.type = OPT_IP6}, "an address as 2001:db8::1"},
		{{.type = OPT_MAC, .flags = OPT_VARY},
			"aa:bb:cc:dd:ee:ff, MAC-MAC or MAC/MASK, or varying"},
		{{.type = OPT_IP4, .flags = OPT_VARY}, "A, A-B, A/LEN or A/MASK, or varying"},
		{{.type = OPT_SPEED, .min = 1, .max = UINT64_MAX},
			"1 or more, as 100M, 1G or 2.5G"},
	};

	(void)state;
	for (size_t i = 0; i < NB(cases); i++) {
		struct opt opt = cases[i].opt;
		char *text;

		opt.name = "x";
		text = opt_describe(&opt);
		assert_non_null(text);
		if ((opt.flags & OPT_VARY) != 0)
			assert_memory_equal(text, cases[i].text, strlen(cases[i].text));
		else
			assert_string_equal(text, cases[i].text);
		free(text);
	}
}

static void every_type_has_a_name_and_a_json_type(void **state)
{
	(void)state;
	for (int type = OPT_BOOL; type <= OPT_ARGV; type++) {
		const struct opt opt = {
			.name = "x", .type = (enum opt_type)type, .words = protocols};
		cJSON *json = cJSON_Parse(opt_type_json(opt.type));
		char *text = opt_describe(&opt);

		assert_non_null(json);
		cJSON_Delete(json);
		assert_true(strlen(opt_type_name(opt.type)) > 0);
		assert_true(strlen(text) > 0);
		free(text);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_word_of_every_section_is_found),
		cmocka_unit_test(values_are_parsed_as_their_type_says),
		cmocka_unit_test(addresses_have_both_halves_and_their_tags),
		cmocka_unit_test(refusals_name_the_value_and_what_is_allowed),
		cmocka_unit_test(the_nearest_word_is_near),
		cmocka_unit_test(descriptions_say_range_list_and_default),
		cmocka_unit_test(ranges_are_offered_where_they_are_taken),
		cmocka_unit_test(every_type_has_a_name_and_a_json_type),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
