/* SPDX-License-Identifier: BSD-3-Clause */
#include "tgen/units.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#define NB(array) (sizeof(array) / sizeof((array)[0]))

#define G UINT64_C(1000000000)

struct fmt_case {
	uint64_t in;
	const char *out;
};

static void check_fmt(char *(*fmt)(char *, uint64_t), const struct fmt_case *cases, size_t nb)
{
	char text[UNITS_TEXT_MAX];

	for (size_t i = 0; i < nb; i++) {
		assert_ptr_equal(fmt(text, cases[i].in), text);
		assert_string_equal(text, cases[i].out);
	}
}

static void line_pps_matches_the_rfc_table(void **state)
{
	static const uint64_t links[] = {1 * G, 10 * G, 25 * G, 100 * G, 400 * G};
	static const struct {
		uint32_t frame;
		uint64_t pps[5];
	} rows[] = {
		{64, {1488095, 14880952, 37202380, 148809523, 595238095}},
		{128, {844594, 8445945, 21114864, 84459459, 337837837}},
		{256, {452898, 4528985, 11322463, 45289855, 181159420}},
		{512, {234962, 2349624, 5874060, 23496240, 93984962}},
		{1024, {119731, 1197318, 2993295, 11973180, 47892720}},
		{1280, {96153, 961538, 2403846, 9615384, 38461538}},
		{1518, {81274, 812743, 2031859, 8127438, 32509752}},
	};

	(void)state;
	for (size_t i = 0; i < NB(rows); i++) {
		for (size_t j = 0; j < NB(links); j++)
			assert_int_equal(units_line_pps(links[j], rows[i].frame - UNITS_FCS_BYTES),
				rows[i].pps[j]);
	}
	assert_int_equal(units_line_pps(0, 60), 0);
	assert_int_equal(units_line_pps(G, UINT32_MAX), 0);
}

static void layers_count_their_own_bytes(void **state)
{
	static const struct {
		enum rate_layer layer;
		uint32_t packet;
		unsigned tags;
		uint32_t bytes;
	} cases[] = {
		{RATE_LAYER_PACKET, 60, 0, 60},
		{RATE_LAYER_PACKET, 64, 1, 64},
		{RATE_LAYER_L1, 60, 0, 84},
		{RATE_LAYER_L1, 1514, 2, 1538},
		{RATE_LAYER_L2, 60, 0, 64},
		{RATE_LAYER_L2, 64, 1, 68},
		{RATE_LAYER_L3, 60, 0, 46},
		{RATE_LAYER_L3, 64, 1, 46},
		{RATE_LAYER_L3, 68, 2, 46},
		{RATE_LAYER_L3, 14, 0, 0},
		{RATE_LAYER_L3, 10, 3, 0},
	};

	(void)state;
	for (size_t i = 0; i < NB(cases); i++)
		assert_int_equal(units_layer_bytes(cases[i].layer, cases[i].packet, cases[i].tags),
			cases[i].bytes);
}

static void counts_have_spaced_thousands(void **state)
{
	static const struct {
		int64_t in;
		const char *out;
	} cases[] = {
		{83, "83"},
		{166, "166"},
		{232, "232"},
		{185422, "185 422"},
		{185190, "185 190"},
		{249142, "249 142"},
		{180400, "180 400"},
		{68742, "68 742"},
		{1297032, "1 297 032"},
		{1170641, "1 170 641"},
		{126391, "126 391"},
		{1498751, "1 498 751"},
		{516513, "516 513"},
		{982238, "982 238"},
		{323389, "323 389"},
		{311743, "311 743"},
		{11646, "11 646"},
		{1645468, "1 645 468"},
		{0, "0"},
		{999, "999"},
		{1000, "1 000"},
		{-1, "-1"},
		{-999, "-999"},
		{-1234567, "-1 234 567"},
		{INT64_MAX, "9 223 372 036 854 775 807"},
		{INT64_MIN, "-9 223 372 036 854 775 808"},
	};
	char text[UNITS_TEXT_MAX];

	(void)state;
	for (size_t i = 0; i < NB(cases); i++)
		assert_string_equal(units_fmt_count(text, cases[i].in), cases[i].out);
}

static void rates_look_as_recorded(void **state)
{
	static const struct fmt_case cases[] = {
		{0, "0bps"},
		{1005264, "1005.2kbps"},
		{1744128, "1744.1kbps"},
		{91969312, "91.9Mbps"},
		{88891200, "88.8Mbps"},
		{3099999, "3.0Mbps"},
		{119588160, "119.5Mbps"},
		{86592000, "86.5Mbps"},
		{32996160, "32.9Mbps"},
		{635300000, "635.3Mbps"},
		{561907680, "561.9Mbps"},
		{73499999, "73.4Mbps"},
		{735300000, "735.3Mbps"},
		{247926240, "247.9Mbps"},
		{487400001, "487.4Mbps"},
		{3916162790, "3.9Gbps"},
		{3775831216, "3.7Gbps"},
		{143600000, "143.6Mbps"},
		{960, "960bps"},
		{1999, "1999bps"},
		{2000, "2.0kbps"},
		{1999999, "1999.9kbps"},
		{2000000, "2.0Mbps"},
		{1999999999, "1999.9Mbps"},
		{2 * G, "2.0Gbps"},
		{400 * G, "400.0Gbps"},
		{2000 * G - 1, "1999.9Gbps"},
		{2000 * G, "2.0Tbps"},
		{UINT64_MAX, "18446744.0Tbps"},
	};

	(void)state;
	check_fmt(units_fmt_rate, cases, NB(cases));
}

static void times_look_as_recorded(void **state)
{
	static const struct fmt_case cases[] = {
		{16000, "16us"},
		{13200, "13.2us"},
		{10600, "10.6us"},
		{3150000, "3.15ms"},
		{341000, "341us"},
		{12100, "12.1us"},
		{3220000, "3.22ms"},
		{984000, "984us"},
		{0, "0ns"},
		{7, "7ns"},
		{999, "999ns"},
		{1000, "1us"},
		{1009, "1us"},
		{1010, "1.01us"},
		{92000, "92us"},
		{12199, "12.1us"},
		{100900, "100us"},
		{531999, "531us"},
		{999900, "999us"},
		{999999, "999us"},
		{1000000, "1ms"},
		{999999999, "999ms"},
		{G, "1s"},
		{1500000000, "1.5s"},
		{60 * G, "60s"},
		{1234567890123, "1234s"},
		{UINT64_MAX, "18446744073s"},
	};

	(void)state;
	check_fmt(units_fmt_time, cases, NB(cases));
}

static void ratios_never_claim_all_or_nothing_falsely(void **state)
{
	static const struct {
		uint64_t part, whole;
		const char *out;
	} cases[] = {
		{83, 83, "100.000%"},
		{166, 166, "100.000%"},
		{0, 83, "0.000%"},
		{0, 0, "0.000%"},
		{5, 0, "0.000%"},
		{1, 3, "33.333%"},
		{2, 3, "66.666%"},
		{1, G, "0.001%"},
		{G - 1, G, "99.999%"},
		{1, 100000, "0.001%"},
		{99999, 100000, "99.999%"},
		{3, 2, "150.000%"},
		{G + 1, G, "100.001%"},
		{1, UINT64_MAX, "0.001%"},
		{UINT64_MAX - 1, UINT64_MAX, "99.999%"},
		{UINT64_MAX, UINT64_MAX, "100.000%"},
		{UINT64_MAX, 1, "1844674407370955161500.000%"},
	};
	char text[UNITS_TEXT_MAX];

	(void)state;
	for (size_t i = 0; i < NB(cases); i++)
		assert_string_equal(
			units_fmt_ratio(text, cases[i].part, cases[i].whole), cases[i].out);
}

static void micro_is_shortest(void **state)
{
	static const struct fmt_case cases[] = {
		{0, "0"},
		{1, "0.000001"},
		{500000, "0.5"},
		{2500000, "2.5"},
		{10000000, "10"},
		{1000001, "1.000001"},
		{UINT64_MAX, "18446744073709.551615"},
	};

	(void)state;
	check_fmt(units_fmt_micro, cases, NB(cases));
}

static void durations_are_canonical(void **state)
{
	static const struct fmt_case cases[] = {
		{0, "0s"},
		{10 * G, "10s"},
		{90 * G, "1m30s"},
		{60 * G, "1m"},
		{3600 * G, "1h"},
		{3601 * G, "1h1s"},
		{86400 * G, "24h"},
		{500000000, "500ms"},
		{20000, "20us"},
		{7, "7ns"},
		{1500000000, "1.5s"},
		{1500000, "1.5ms"},
		{1000001, "1.000001ms"},
		{UINT64_MAX, "5124095h34m33.709551615s"},
	};

	(void)state;
	check_fmt(units_fmt_duration, cases, NB(cases));
}

static void speeds_use_the_largest_unit(void **state)
{
	static const struct fmt_case cases[] = {
		{0, "0"},
		{100, "100"},
		{1500, "1.5k"},
		{100000000, "100M"},
		{G, "1G"},
		{2500000000, "2.5G"},
		{1600 * G, "1600G"},
		{UINT64_MAX, "18446744073.709551615G"},
	};

	(void)state;
	check_fmt(units_fmt_bps, cases, NB(cases));
}

static void what_is_formatted_reads_back(void **state)
{
	uint64_t seed = 1, back;
	char text[UNITS_TEXT_MAX];

	(void)state;
	for (int i = 0; i < 20000; i++) {
		uint64_t value;
		uint32_t ip;

		/* Values of every length, some of them round. */
		seed = seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
		value = seed >> (seed >> 7) % 64;
		if (i % 3 == 0)
			value -= value % 1000;
		assert_int_equal(units_parse_micro(units_fmt_micro(text, value), false, &back), 0);
		assert_int_equal(back, value);
		assert_int_equal(units_parse_time(units_fmt_duration(text, value), &back), 0);
		assert_int_equal(back, value);
		assert_int_equal(units_parse_bps(units_fmt_bps(text, value), &back), 0);
		assert_int_equal(back, value);
		assert_int_equal(units_parse_mac(units_fmt_mac(text, value >> 16), &back), 0);
		assert_int_equal(back, value >> 16);
		assert_int_equal(units_parse_ip4(units_fmt_ip4(text, (uint32_t)value), &ip), 0);
		assert_int_equal(ip, (uint32_t)value);
	}
}

static void mac_bytes_are_in_network_order(void **state)
{
	static const uint8_t bytes[6] = {0xaa, 0xbb, 0xcc, 0xdd, 0xee, 0xff};
	uint8_t out[6];

	(void)state;
	units_mac_bytes(UINT64_C(0xaabbccddeeff), out);
	assert_memory_equal(out, bytes, 6);
	assert_int_equal(units_mac_number(bytes), UINT64_C(0xaabbccddeeff));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(line_pps_matches_the_rfc_table),
		cmocka_unit_test(layers_count_their_own_bytes),
		cmocka_unit_test(counts_have_spaced_thousands),
		cmocka_unit_test(rates_look_as_recorded),
		cmocka_unit_test(times_look_as_recorded),
		cmocka_unit_test(ratios_never_claim_all_or_nothing_falsely),
		cmocka_unit_test(micro_is_shortest),
		cmocka_unit_test(durations_are_canonical),
		cmocka_unit_test(speeds_use_the_largest_unit),
		cmocka_unit_test(what_is_formatted_reads_back),
		cmocka_unit_test(mac_bytes_are_in_network_order),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
