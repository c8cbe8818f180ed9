/* SPDX-License-Identifier: BSD-3-Clause */
#include "tgen/units.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <cmocka.h>

#define DB8 0x20010db800000000

static void a_network_covers_its_own_addresses_of_its_own_version(void **state)
{
	const struct {
		struct units_ip net;
		unsigned prefix;
		struct units_ip ip;
		bool covers;
	} cases[] = {
		{units_ip4(0x0a000001), 24, units_ip4(0x0a0000ff), true},
		{units_ip4(0x0a000001), 24, units_ip4(0x0a000101), false},
		{units_ip4(0x0a000001), 32, units_ip4(0x0a000000), false},
		{units_ip4(0x0a000001), 31, units_ip4(0x0a000000), true},
		{units_ip4(0x0a000001), 0, units_ip4(0xffffffff), true},
		{units_ip4(0x0a000001), 0, {DB8, 1}, false},
		{{DB8, 1}, 64, {DB8, UINT64_MAX}, true},
		{{DB8, 1}, 64, {DB8 + 1, 1}, false},
		{{DB8, 1}, 63, {DB8 + 1, 1}, true},
		{{DB8, 1}, 65, {DB8, 1ull << 63}, false},
		{{DB8, 1}, 127, {DB8, 0}, true},
		{{DB8, 1}, 128, {DB8, 0}, false},
		{{DB8, 1}, 128, {DB8, 1}, true},
		{{DB8, 1}, 0, {0, 1}, true},
		{{DB8, 1}, 0, units_ip4(1), false},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		if (units_ip_covers(cases[i].net, cases[i].prefix, cases[i].ip) != cases[i].covers)
			fail_msg("case %zu", i);
}

static void kinds_of_addresses_are_told_apart(void **state)
{
	const struct {
		struct units_ip ip;
		bool is4, none, link_local, group;
		const char *text;
	} cases[] = {
		{{0, 0}, false, true, false, false, "::"},
		{{0, 1}, false, false, false, false, "::1"},
		{units_ip4(0), true, false, false, false, "0.0.0.0"},
		{units_ip4(0xdfffffff), true, false, false, false, "223.255.255.255"},
		{units_ip4(0xe0000000), true, false, false, true, "224.0.0.0"},
		{units_ip4(0xf0000000), true, false, false, false, "240.0.0.0"},
		{{0xfe80000000000000, 1}, false, false, true, false, "fe80::1"},
		{{0xfebfffffffffffff, 1}, false, false, true, false, "febf:ffff:ffff:ffff::1"},
		{{0xfec0000000000000, 1}, false, false, false, false, "fec0::1"},
		{{0xff02000000000000, 1}, false, false, false, true, "ff02::1"},
		{{DB8, 0x100000000}, false, false, false, false, "2001:db8::1:0:0"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct units_ip ip = cases[i].ip;
		char text[UNITS_TEXT_MAX];

		if (units_ip_is4(ip) != cases[i].is4 || units_ip_is_none(ip) != cases[i].none ||
			units_ip_is_link_local(ip) != cases[i].link_local ||
			units_ip_is_group(ip) != cases[i].group)
			fail_msg("%s", cases[i].text);
		assert_string_equal(units_fmt_ip(text, ip), cases[i].text);
	}
}

static void bytes_are_in_network_order(void **state)
{
	static const uint8_t bytes[16] = {
		0x20, 1, 0xd, 0xb8, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12};
	struct units_ip ip = units_ip6_read(bytes);
	uint8_t back[16];

	(void)state;
	assert_true(units_ip_equal(ip, (struct units_ip){0x20010db801020304, 0x05060708090a0b0c}));
	units_ip6_write(back, ip);
	assert_memory_equal(back, bytes, 16);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_network_covers_its_own_addresses_of_its_own_version),
		cmocka_unit_test(kinds_of_addresses_are_told_apart),
		cmocka_unit_test(bytes_are_in_network_order),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
