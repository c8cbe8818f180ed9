/* SPDX-License-Identifier: BSD-3-Clause */
/* ICMPv6 echo: asked, answered, understood. */
#include "pkt_help.h"
#include "tgen/host.h"

#define OUR_MAC	 0x020000000001ull
#define PEER_MAC 0x020000000002ull
#define ETH	 14
#define IP6	 40

#define GLOBAL(n)                                                                                  \
	{                                                                                          \
		0x20010db800000000, (n)                                                            \
	}

static const struct units_ip our_ip = GLOBAL(1), peer_ip = GLOBAL(2);
static const struct host_vlan untagged, vlan7 = {.vid = {7}};
static const struct host_addr addrs[] = {{GLOBAL(1), 64, {{0}}}};
static const struct host_addr peer_addrs[] = {{GLOBAL(2), 64, {{0}}}};
static const struct host_if us = {OUR_MAC, addrs, 1}, peer = {PEER_MAC, peer_addrs, 1};

static uint16_t icmp6_sum(const uint8_t *ip)
{
	unsigned bytes = pkt_get16(ip + 4);

	return plain_sum(ip + 40, bytes, 58 + bytes + plain_sum(ip + 8, 32, 0));
}

static void mend(uint8_t *ip)
{
	pkt_put16(ip + 42, 0);
	pkt_put16(ip + 42, (uint16_t)~icmp6_sum(ip));
}

/* In a buffer of the exact length, so that the sanitizer sees every byte read beyond it. */
static enum host_verdict input(
	const struct host_if *hif, const uint8_t *in, unsigned len, uint8_t *reply, unsigned *nb)
{
	uint8_t *exact = malloc(len);
	enum host_verdict verdict;

	memcpy(exact, in, len);
	verdict = host_input(hif, exact, len, reply, nb);
	free(exact);
	return verdict;
}

static void an_echo_request_is_answered_and_the_answer_understood(void **state)
{
	static const unsigned sizes[] = {62, 63, 99, 1514, 9014};

	(void)state;
	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		uint8_t in[HOST_FRAME_MAX], reply[HOST_FRAME_MAX];
		const struct host_echo echo = {.src = peer_ip,
			.dst = our_ip,
			.mac_dst = OUR_MAC,
			.id = 0x1234,
			.seq = 7,
			.ttl = 9,
			.bytes = sizes[i]};
		struct host_echo got;
		unsigned len = 0;

		assert_int_equal(host_echo_request(&peer, &echo, in), sizes[i]);
		assert_int_equal(in[ETH + 7], 9);
		assert_int_equal(icmp6_sum(in + ETH), 0xffff);
		assert_int_equal(input(&us, in, sizes[i], reply, &len), HOST_ANSWER);
		assert_int_equal(len, sizes[i]);
		assert_int_equal(icmp6_sum(reply + ETH), 0xffff);
		assert_true(host_echo_reply(&peer, reply, len, &got));
		assert_true(units_ip_equal(got.src, our_ip));
		assert_true(units_ip_equal(got.dst, peer_ip));
		assert_int_equal(got.id, 0x1234);
		assert_int_equal(got.seq, 7);
		assert_int_equal(got.ttl, 64);
		assert_int_equal(got.bytes, sizes[i]);
		assert_int_equal(input(&peer, reply, len, in, &len), HOST_TAKEN);
		reply[len - 1] ^= 1;
		assert_false(host_echo_reply(&peer, reply, len, &got));
	}
}

static void echo_requests_not_for_us_or_broken_are_not_answered(void **state)
{
	static const struct {
		unsigned off;
		uint8_t value;
		bool mended;
	} cases[] = {
		{5, 9, false},		   /* another's MAC */
		{ETH + 24 + 15, 9, true},  /* another's address */
		{ETH + 24, 0xff, true},	   /* a group */
		{ETH + 8, 0xff, true},	   /* from a group */
		{ETH + 8 + 15, 1, true},   /* from our address */
		{ETH + 6, 17, false},	   /* not ICMPv6 */
		{ETH + IP6 + 1, 1, true},  /* code */
		{ETH + IP6 + 9, 9, false}, /* checksum */
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const struct host_echo echo = {
			.src = peer_ip, .dst = our_ip, .mac_dst = OUR_MAC, .ttl = 64, .bytes = 80};
		uint8_t in[HOST_FRAME_MAX], reply[HOST_FRAME_MAX];
		unsigned len = 0;

		host_echo_request(&peer, &echo, in);
		in[cases[i].off] = cases[i].value;
		if (cases[i].mended)
			mend(in + ETH);
		if (input(&us, in, 80, reply, &len) != HOST_NOT_OURS)
			fail_msg("case %zu", i);
	}
}

static void an_echo_request_takes_room_for_its_headers(void **state)
{
	(void)state;
	assert_int_equal(host_echo_min(&untagged, peer_ip), 62);
	assert_int_equal(host_echo_min(&vlan7, peer_ip), 66);
	assert_int_equal(host_echo_min(&untagged, units_ip4(1)), 60);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_echo_request_is_answered_and_the_answer_understood),
		cmocka_unit_test(echo_requests_not_for_us_or_broken_are_not_answered),
		cmocka_unit_test(an_echo_request_takes_room_for_its_headers),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
