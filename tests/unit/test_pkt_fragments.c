/* SPDX-License-Identifier: BSD-3-Clause */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tgen/pkt.h"

/* A frame of MAC, IPv4 and payload; sizes are without FCS, the MTU counts from the IP header. */
static void pieces_are_as_a_router_cuts_them(void **state)
{
	static const struct {
		unsigned size, mtu, nb, last;
	} cases[] = {
		{1514, 1500, 1, 1480},
		{1514, 9000, 1, 1480},
		{1514, 1499, 2, 8},    /* 1472 + 8 */
		{1514, 1400, 2, 104},  /* 1376 + 104 */
		{1418, 1400, 2, 8},    /* 1376 + 8 */
		{1414, 1400, 1, 1380}, /* just fits */
		{1514, 576, 3, 376},   /* 552 + 552 + 376 */
		{60, 68, 1, 26},
		{82, 68, 1, 48},
		{83, 68, 2, 1},	  /* 48 + 1 */
		{130, 68, 2, 48}, /* the last may fill the MTU */
		{1514, 68, 31, 40},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const struct pkt_frame frame = {
			.size = (uint16_t)cases[i].size, .l3_off = 14, .l3_version = 4};
		unsigned last;

		assert_int_equal(pkt_fragments(&frame, cases[i].mtu, &last), cases[i].nb);
		assert_int_equal(last, cases[i].last);
	}
}

static void a_frame_without_ip_is_never_cut(void **state)
{
	const struct pkt_frame frame = {.size = 1514};
	unsigned last;

	(void)state;
	assert_int_equal(pkt_fragments(&frame, 576, &last), 1);
}

/* RFC 8200 §5: only its sender fragments an IPv6 packet. */
static void an_ipv6_packet_is_never_cut_on_the_way(void **state)
{
	const struct pkt_frame frame = {.size = 1514, .l3_off = 14, .l3_version = 6};
	unsigned last;

	(void)state;
	assert_int_equal(pkt_fragments(&frame, 1280, &last), 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(pieces_are_as_a_router_cuts_them),
		cmocka_unit_test(a_frame_without_ip_is_never_cut),
		cmocka_unit_test(an_ipv6_packet_is_never_cut_on_the_way),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
