/* SPDX-License-Identifier: BSD-3-Clause */
#include "tgen/units.h"

#include <errno.h>
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#define NB(array) (sizeof(array) / sizeof((array)[0]))

#define G UINT64_C(1000000000)

struct parse_case {
	const char *in;
	int rc;
	uint64_t out;
};

/* A refused text must leave the output alone. */
static void check_parse(
	int (*parse)(const char *, uint64_t *), const struct parse_case *cases, size_t nb)
{
	for (size_t i = 0; i < nb; i++) {
		uint64_t out = 12345;
		int rc = parse(cases[i].in, &out);

		if (rc != cases[i].rc || out != (rc == 0 ? cases[i].out : 12345))
			fail_msg("\"%s\": %d, %" PRIu64, cases[i].in, rc, out);
	}
}

static void u64_takes_decimal_and_hex_only(void **state)
{
	static const struct parse_case cases[] = {
		{"0", 0, 0},
		{"007", 0, 7},
		{"65535", 0, 65535},
		{"0xff", 0, 255},
		{"0xFf", 0, 255},
		{"18446744073709551615", 0, UINT64_MAX},
		{"0xffffffffffffffff", 0, UINT64_MAX},
		{"18446744073709551616", -ERANGE, 0},
		{"99999999999999999999999", -ERANGE, 0},
		{"0x10000000000000000", -ERANGE, 0},
		{"99999999999999999999999x", -EINVAL, 0},
		{"", -EINVAL, 0},
		{"0x", -EINVAL, 0},
		{"x", -EINVAL, 0},
		{"-1", -EINVAL, 0},
		{"+1", -EINVAL, 0},
		{" 1", -EINVAL, 0},
		{"1 ", -EINVAL, 0},
		{"1.0", -EINVAL, 0},
		{"59x", -EINVAL, 0},
		{"ff", -EINVAL, 0},
	};

	(void)state;
	check_parse(units_parse_u64, cases, NB(cases));
}

static int parse_micro_plain(const char *text, uint64_t *out)
{
	return units_parse_micro(text, false, out);
}

static int parse_micro_suffix(const char *text, uint64_t *out)
{
	return units_parse_micro(text, true, out);
}

static void micro_takes_six_decimals(void **state)
{
	static const struct parse_case plain[] = {
		{"0", 0, 0},
		{"300", 0, 300000000},
		{"2.5", 0, 2500000},
		{"0.000001", 0, 1},
		{"1.100000", 0, 1100000},
		{"18446744073709.551615", 0, UINT64_MAX},
		{"18446744073709.551616", -ERANGE, 0},
		{"18446744073709551616", -ERANGE, 0},
		{"0.0000001", -EINVAL, 0},
		{"1.0000000", -EINVAL, 0},
		{"1k", -EINVAL, 0},
		{"300x", -EINVAL, 0},
		{"1.", -EINVAL, 0},
		{".5", -EINVAL, 0},
		{"1.2.3", -EINVAL, 0},
		{"1,5", -EINVAL, 0},
		{"-1", -EINVAL, 0},
		{"1e3", -EINVAL, 0},
		{"", -EINVAL, 0},
		{"nan", -EINVAL, 0},
	};
	static const struct parse_case suffix[] = {
		{"83", 0, 83000000},
		{"1k", 0, UINT64_C(1000000000)},
		{"1.488095M", 0, UINT64_C(1488095000000)},
		{"0.000001k", 0, 1000},
		{"2G", 0, UINT64_C(2000000000000000)},
		{"18446G", 0, UINT64_C(18446000000000000000)},
		{"18447G", -ERANGE, 0},
		{"1K", -EINVAL, 0},
		{"1m", -EINVAL, 0},
		{"1kk", -EINVAL, 0},
		{"1T", -EINVAL, 0},
		{"k", -EINVAL, 0},
	};

	(void)state;
	check_parse(parse_micro_plain, plain, NB(plain));
	check_parse(parse_micro_suffix, suffix, NB(suffix));
}

static void time_takes_every_documented_form(void **state)
{
	static const struct parse_case cases[] = {
		{"10s", 0, 10 * G},
		{"1m30s", 0, 90 * G},
		{"1h", 0, 3600 * G},
		{"1h2m3s4ms5us6ns", 0, 3723 * G + 4005006},
		{"1h5s", 0, 3605 * G},
		{"00:01:30", 0, 90 * G},
		{"100:00:00", 0, 360000 * G},
		{"00:00:00.25", 0, 250000000},
		{"500ms", 0, 500000000},
		{"20us", 0, 20000},
		{"7ns", 0, 7},
		{"1.5s", 0, 1500000000},
		{"1.5h", 0, 5400 * G},
		{"1m0.5s", 0, 60 * G + 500000000},
		{"90s", 0, 90 * G},
		{"60", 0, 60 * G},
		{"0.5", 0, 500000000},
		{"0", 0, 0},
		{"18446744073709551615ns", 0, UINT64_MAX},
		{"18446744073.709551615", 0, UINT64_MAX},
		{"18446744073709551616ns", -ERANGE, 0},
		{"18446744073.709551616s", -ERANGE, 0},
		{"5124096h", -ERANGE, 0},
		{"5124095h40m", -ERANGE, 0},
		{"5124096:00:00", -ERANGE, 0},
		{"99999999999999999999:00:00", -ERANGE, 0},
		{"9223372036854775807:00:00", -ERANGE, 0},
		{"99999999999999999999s", -ERANGE, 0},
		{"1.5ns", -EINVAL, 0},
		{"0.0000000001s", -EINVAL, 0},
		{"1.5h1m", -EINVAL, 0},
		{"30s1m", -EINVAL, 0},
		{"1s1s", -EINVAL, 0},
		{"1m30", -EINVAL, 0},
		{"1x", -EINVAL, 0},
		{"1sm", -EINVAL, 0},
		{"s", -EINVAL, 0},
		{"", -EINVAL, 0},
		{"-1s", -EINVAL, 0},
		{"1 s", -EINVAL, 0},
		{"01:30", -EINVAL, 0},
		{"00:60:00", -EINVAL, 0},
		{"00:00:60", -EINVAL, 0},
		{"00:1:30", -EINVAL, 0},
		{"0.5:00:00", -EINVAL, 0},
		{"00:01:30.", -EINVAL, 0},
		{"00:01:30s", -EINVAL, 0},
		{"00:01:30:00", -EINVAL, 0},
		{"1.s", -EINVAL, 0},
		{"1.0000000000000000000s", -EINVAL, 0},
	};

	(void)state;
	check_parse(units_parse_time, cases, NB(cases));
}

static void mac_takes_six_octets(void **state)
{
	static const struct parse_case cases[] = {
		{"aa:bb:cc:dd:ee:ff", 0, UINT64_C(0xaabbccddeeff)},
		{"02-00-00-00-00-01", 0, UINT64_C(0x020000000001)},
		{"FF:FF:FF:FF:FF:FF", 0, UINT64_C(0xffffffffffff)},
		{"aa:bb:cc-dd:ee:ff", -EINVAL, 0},
		{"aa:bb:cc:dd:ee", -EINVAL, 0},
		{"aa:bb:cc:dd:ee:ff:00", -EINVAL, 0},
		{"aa:bb:cc:dd:ee:f", -EINVAL, 0},
		{"aa:bb:cc:dd:ee:fg", -EINVAL, 0},
		{"aabbccddeeff", -EINVAL, 0},
		{"aa:bb:cc:dd:ee:ff ", -EINVAL, 0},
		{"a", -EINVAL, 0},
		{"", -EINVAL, 0},
	};

	(void)state;
	check_parse(units_parse_mac, cases, NB(cases));
}

static int parse_ip4_wide(const char *text, uint64_t *out)
{
	uint32_t ip = 12345;
	int rc = units_parse_ip4(text, &ip);

	*out = ip;
	return rc;
}

static void ip4_takes_a_dotted_quad(void **state)
{
	static const struct parse_case cases[] = {
		{"0.0.0.0", 0, 0},
		{"198.18.1.2", 0, UINT64_C(0xc6120102)},
		{"255.255.255.255", 0, UINT64_C(0xffffffff)},
		{"1.2.3.256", -ERANGE, 0},
		{"1.2.3.99999999999999999999", -ERANGE, 0},
		{"1.2.3", -EINVAL, 0},
		{"1.2.3.4.5", -EINVAL, 0},
		{"1.2.3.4 ", -EINVAL, 0},
		{"1.2.3.04", -EINVAL, 0},
		{"1..3.4", -EINVAL, 0},
		{"1.2.3.", -EINVAL, 0},
		{"1.2.3.x", -EINVAL, 0},
		{"", -EINVAL, 0},
	};

	(void)state;
	check_parse(parse_ip4_wide, cases, NB(cases));
}

static void bps_takes_link_speeds(void **state)
{
	static const struct parse_case cases[] = {
		{"100M", 0, 100000000},
		{"1G", 0, G},
		{"2.5G", 0, 2500000000},
		{"9600", 0, 9600},
		{"64k", 0, 64000},
		{"18446744073G", 0, UINT64_C(18446744073000000000)},
		{"18446744074G", -ERANGE, 0},
		{"2.5", -EINVAL, 0},
		{"1.0000000001G", -EINVAL, 0},
		{"1GG", -EINVAL, 0},
		{"1g", -EINVAL, 0},
		{"G", -EINVAL, 0},
		{"", -EINVAL, 0},
		{"-1G", -EINVAL, 0},
	};

	(void)state;
	check_parse(units_parse_bps, cases, NB(cases));
}

static void ip6_takes_every_form_and_is_written_in_the_shortest(void **state)
{
	static const struct {
		const char *in, *out;
		uint64_t up, lo;
	} good[] = {
		{"::", "::", 0, 0},
		{"2001:DB8:0:0:0:0:0:1", "2001:db8::1", UINT64_C(0x20010db800000000), 1},
		{"1:2:3:4:5:6:7:8", "1:2:3:4:5:6:7:8", UINT64_C(0x0001000200030004),
			UINT64_C(0x0005000600070008)},
		{"1:0:2:0:0:0:3:4", "1:0:2::3:4", UINT64_C(0x0001000000020000),
			UINT64_C(0x0000000000030004)},
		{"1:0:0:2:3:0:0:4", "1::2:3:0:0:4", UINT64_C(0x0001000000000002),
			UINT64_C(0x0003000000000004)},
		{"1:0:2:3:4:5:6:7", "1:0:2:3:4:5:6:7", UINT64_C(0x0001000000020003),
			UINT64_C(0x0004000500060007)},
		{"::ffff:192.0.2.1", "::ffff:192.0.2.1", 0, UINT64_C(0xffffc0000201)},
		{"ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff",
			"ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff", UINT64_MAX, UINT64_MAX},
	};
	static const char *const bad[] = {"", ":", ":::", "1::2::3", "1:2:3:4:5:6:7",
		"12345::", "1:2:3:4:5:6:7:8:9", "g::", "::1%lo", " ::1", "::1 ", "::1/64",
		"1.2.3.4"};

	(void)state;
	for (size_t i = 0; i < NB(good); i++) {
		uint64_t up = 1, lo = 2;
		char text[UNITS_TEXT_MAX];

		assert_int_equal(units_parse_ip6(good[i].in, &up, &lo), 0);
		assert_true(up == good[i].up && lo == good[i].lo);
		assert_string_equal(units_fmt_ip6(text, up, lo), good[i].out);
	}
	for (size_t i = 0; i < NB(bad); i++) {
		uint64_t up = 1, lo = 2;

		assert_int_equal(units_parse_ip6(bad[i], &up, &lo), -EINVAL);
		assert_true(up == 1 && lo == 2);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(u64_takes_decimal_and_hex_only),
		cmocka_unit_test(micro_takes_six_decimals),
		cmocka_unit_test(time_takes_every_documented_form),
		cmocka_unit_test(mac_takes_six_octets),
		cmocka_unit_test(ip4_takes_a_dotted_quad),
		cmocka_unit_test(ip6_takes_every_form_and_is_written_in_the_shortest),
		cmocka_unit_test(bps_takes_link_speeds),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
