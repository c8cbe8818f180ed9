/* SPDX-License-Identifier: BSD-3-Clause */
#include "tgen/host.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <cmocka.h>

#include "tgen/pkt.h"
#include "tgen/units.h"

#define OUR_MAC	 0x020000000001ull
#define PEER_MAC 0x020000000002ull
#define BCAST	 0xffffffffffffull
#define OUR_IP	 0x0a000001u /* 10.0.0.1/24 */
#define OUR_IP2	 0xc0a80101u /* 192.168.1.1/16 */
#define PEER_IP	 0x0a000002u
#define ETH	 14
#define IP	 20

#define IP4(ip)                                                                                    \
	{                                                                                          \
		.lo = UNITS_IP4_MARK | (ip)                                                        \
	}

static const struct host_vlan untagged;
static const struct host_addr addrs[] = {{IP4(OUR_IP), 24, {{0}}}, {IP4(OUR_IP2), 16, {{0}}}};
static const struct host_if us = {OUR_MAC, addrs, 2};
static const struct host_addr peer_addrs[] = {{IP4(PEER_IP), 24, {{0}}}};
static const struct host_if peer = {PEER_MAC, peer_addrs, 1};

/* An ARP frame field by field, as RFC 826 lays it out. */
struct arp {
	uint64_t eth_dst, eth_src;
	uint16_t hw, proto, lengths, op;
	uint64_t sender_mac;
	uint32_t sender_ip;
	uint64_t target_mac;
	uint32_t target_ip;
};

static const struct arp request = {
	BCAST, PEER_MAC, 1, 0x0800, 0x0604, 1, PEER_MAC, PEER_IP, 0, OUR_IP};

static unsigned put_arp(uint8_t *out, const struct arp *a)
{
	memset(out, 0, 60);
	units_mac_bytes(a->eth_dst, out);
	units_mac_bytes(a->eth_src, out + 6);
	pkt_put16(out + 12, 0x0806);
	pkt_put16(out + 14, a->hw);
	pkt_put16(out + 16, a->proto);
	pkt_put16(out + 18, a->lengths);
	pkt_put16(out + 20, a->op);
	units_mac_bytes(a->sender_mac, out + 22);
	pkt_put32(out + 28, a->sender_ip);
	units_mac_bytes(a->target_mac, out + 32);
	pkt_put32(out + 38, a->target_ip);
	return 60;
}

static void assert_arp(const uint8_t *got, const struct arp *want)
{
	uint8_t bytes[60];

	put_arp(bytes, want);
	assert_memory_equal(got, bytes, 60);
}

static void arp_requests_for_our_addresses_are_answered(void **state)
{
	static const struct {
		uint64_t eth_dst;
		uint32_t sender_ip, target_ip;
	} cases[] = {{BCAST, PEER_IP, OUR_IP}, {OUR_MAC, PEER_IP, OUR_IP},
		{BCAST, PEER_IP, OUR_IP2}, {BCAST, 0, OUR_IP} /* a probe */};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		uint8_t in[60], reply[HOST_FRAME_MAX];
		struct arp a = request;
		unsigned len = 0;

		a.eth_dst = cases[i].eth_dst;
		a.sender_ip = cases[i].sender_ip;
		a.target_ip = cases[i].target_ip;
		put_arp(in, &a);
		memset(reply, 0xff, 60);
		assert_int_equal(host_input(&us, in, 60, reply, &len), HOST_ANSWER);
		assert_int_equal(len, 60);
		assert_arp(reply, &(struct arp){PEER_MAC, OUR_MAC, 1, 0x0800, 0x0604, 2, OUR_MAC,
					  a.target_ip, PEER_MAC, a.sender_ip});
	}
}

/* Two tags, VLANs 5 and 7 with a priority; the address is there, elsewhere, or in no VLAN. */
static void an_answer_keeps_the_vlan_tags_of_an_address_within_them(void **state)
{
	static const struct {
		uint16_t vid[2];
		bool answered;
	} cases[] = {{{5, 7}, true}, {{0, 0}, false}, {{5, 0}, false}, {{7, 0}, false},
		{{7, 5}, false}, {{5, 8}, false}};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const struct host_addr addr = {
			IP4(OUR_IP), 24, {.vid = {cases[i].vid[0], cases[i].vid[1]}}};
		const struct host_if tagged = {OUR_MAC, &addr, 1};
		uint8_t in[68], reply[HOST_FRAME_MAX];
		unsigned len = 0;

		put_arp(in, &request);
		memmove(in + 20, in + 12, 40);
		memcpy(in + 12, "\x88\xa8\x00\x05\x81\x00\x60\x07", 8);
		if (!cases[i].answered) {
			if (host_input(&tagged, in, 60, reply, &len) != HOST_NOT_OURS)
				fail_msg("case %zu", i);
			continue;
		}
		assert_int_equal(host_input(&tagged, in, 60, reply, &len), HOST_ANSWER);
		assert_int_equal(len, 60);
		assert_memory_equal(reply + 12, "\x88\xa8\x00\x05\x81\x00\x60\x07\x08\x06", 10);
		assert_int_equal(pkt_get16(reply + 28), 2);
	}
}

static void an_untagged_request_is_not_for_an_address_in_a_vlan(void **state)
{
	static const struct host_addr addr = {IP4(OUR_IP), 24, {.vid = {100}}};
	const struct host_if tagged = {OUR_MAC, &addr, 1};
	uint8_t in[64], reply[HOST_FRAME_MAX];
	unsigned len = 0;

	(void)state;
	put_arp(in, &request);
	assert_int_equal(host_input(&tagged, in, 60, reply, &len), HOST_NOT_OURS);
	memmove(in + 16, in + 12, 44); /* VLAN ID 0 is a priority alone */
	memcpy(in + 12, "\x81\x00\xe0\x00", 4);
	assert_int_equal(host_input(&tagged, in, 64, reply, &len), HOST_NOT_OURS);
	assert_int_equal(host_input(&us, in, 64, reply, &len), HOST_ANSWER);
	assert_memory_equal(reply + 12, "\x81\x00\xe0\x00\x08\x06", 6);
}

/* A driver that puts a tag back may not know its TPID. */
static void the_tpid_that_an_address_gives_wins(void **state)
{
	static const struct host_addr addr = {
		IP4(OUR_IP), 24, {.vid = {5, 7}, .tpid = {0x88a8, 0x8100}}};
	const struct host_if tagged = {OUR_MAC, &addr, 1};
	uint8_t in[68], reply[HOST_FRAME_MAX];
	unsigned len = 0;

	(void)state;
	put_arp(in, &request);
	memmove(in + 20, in + 12, 40);
	memcpy(in + 12, "\x81\x00\x00\x05\x81\x00\x60\x07", 8);
	assert_int_equal(host_input(&tagged, in, 60, reply, &len), HOST_ANSWER);
	assert_memory_equal(reply + 12, "\x88\xa8\x00\x05\x81\x00\x60\x07\x08\x06", 10);
}

static void arp_that_is_not_for_us_or_broken_is_not_answered(void **state)
{
	/* clang-format off */
	static const struct {
		struct arp a;
		unsigned len;
		enum host_verdict verdict;
	} cases[] = {
		/* another's address, another's MAC */
		{{BCAST, PEER_MAC, 1, 0x0800, 0x0604, 1, PEER_MAC, PEER_IP, 0, 0x0a000003}, 60,
			HOST_NOT_OURS},
		{{0x020000000009, PEER_MAC, 1, 0x0800, 0x0604, 1, PEER_MAC, PEER_IP, 0, OUR_IP}, 60,
			HOST_NOT_OURS},
		/* hardware, protocol, lengths, operation */
		{{BCAST, PEER_MAC, 6, 0x0800, 0x0604, 1, PEER_MAC, PEER_IP, 0, OUR_IP}, 60,
			HOST_NOT_OURS},
		{{BCAST, PEER_MAC, 1, 0x86dd, 0x0604, 1, PEER_MAC, PEER_IP, 0, OUR_IP}, 60,
			HOST_NOT_OURS},
		{{BCAST, PEER_MAC, 1, 0x0800, 0x0804, 1, PEER_MAC, PEER_IP, 0, OUR_IP}, 60,
			HOST_NOT_OURS},
		{{BCAST, PEER_MAC, 1, 0x0800, 0x0604, 3, PEER_MAC, PEER_IP, 0, OUR_IP}, 60,
			HOST_NOT_OURS},
		/* senders that cannot be */
		{{BCAST, PEER_MAC, 1, 0x0800, 0x0604, 1, 0, PEER_IP, 0, OUR_IP}, 60, HOST_NOT_OURS},
		{{BCAST, PEER_MAC, 1, 0x0800, 0x0604, 1, BCAST, PEER_IP, 0, OUR_IP}, 60,
			HOST_NOT_OURS},
		{{BCAST, PEER_MAC, 1, 0x0800, 0x0604, 1, OUR_MAC, PEER_IP, 0, OUR_IP}, 60,
			HOST_NOT_OURS},
		{{BCAST, PEER_MAC, 1, 0x0800, 0x0604, 1, PEER_MAC, 0xe0000001, 0, OUR_IP}, 60,
			HOST_NOT_OURS},
		{{BCAST, PEER_MAC, 1, 0x0800, 0x0604, 1, PEER_MAC, 0x0a0000ff, 0, OUR_IP}, 60,
			HOST_NOT_OURS},
		{{BCAST, PEER_MAC, 1, 0x0800, 0x0604, 1, PEER_MAC, OUR_IP2, 0, OUR_IP}, 60,
			HOST_NOT_OURS},
		/* cut */
		{{BCAST, PEER_MAC, 1, 0x0800, 0x0604, 1, PEER_MAC, PEER_IP, 0, OUR_IP}, 41,
			HOST_NOT_OURS},
		/* gratuitous, replies */
		{{BCAST, PEER_MAC, 1, 0x0800, 0x0604, 1, PEER_MAC, PEER_IP, 0, PEER_IP}, 60,
			HOST_TAKEN},
		{{OUR_MAC, PEER_MAC, 1, 0x0800, 0x0604, 2, PEER_MAC, PEER_IP, OUR_MAC, OUR_IP}, 60,
			HOST_TAKEN},
		{{BCAST, PEER_MAC, 1, 0x0800, 0x0604, 2, PEER_MAC, PEER_IP, OUR_MAC, 0x0a000009},
			60, HOST_NOT_OURS},
	};
	/* clang-format on */

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		uint8_t in[60], reply[HOST_FRAME_MAX];
		unsigned len = 0;
		enum host_verdict verdict;

		put_arp(in, &cases[i].a);
		verdict = host_input(&us, in, cases[i].len, reply, &len);
		if (verdict != cases[i].verdict)
			fail_msg("case %zu: verdict %d", i, verdict);
	}
}

static void a_request_asks_from_the_address_of_the_same_network(void **state)
{
	static const struct {
		uint32_t target, sender;
	} cases[] = {{PEER_IP, OUR_IP}, {0xc0a8ffff, OUR_IP2}, {0x08080808, OUR_IP}};
	static const struct host_if bare = {OUR_MAC, NULL, 0};
	uint8_t out[HOST_ASK_BYTES];

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		assert_int_equal(host_request(&us, &untagged, units_ip4(cases[i].target), out), 60);
		assert_arp(out, &(struct arp){BCAST, OUR_MAC, 1, 0x0800, 0x0604, 1, OUR_MAC,
					cases[i].sender, 0, cases[i].target});
	}
	assert_int_equal(host_request(&bare, &untagged, units_ip4(PEER_IP), out), 0);
}

static void a_request_goes_within_the_tags_asked_for(void **state)
{
	static const struct {
		struct host_vlan vlan;
		const char *bytes;
		unsigned nb;
	} cases[] = {
		{{.vid = {100}}, "\x81\x00\x00\x64\x08\x06", 6},
		{{.vid = {100, 200}}, "\x88\xa8\x00\x64\x81\x00\x00\xc8\x08\x06", 10},
		{{.vid = {1, 4094}, .tpid = {0x8100, 0x9100}},
			"\x81\x00\x00\x01\x91\x00\x0f\xfe\x08\x06", 10},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		uint8_t out[HOST_ASK_BYTES];

		assert_int_equal(host_request(&us, &cases[i].vlan, units_ip4(PEER_IP), out), 60);
		assert_memory_equal(out + 12, cases[i].bytes, cases[i].nb);
	}
}

static void an_announcement_tells_our_mac_and_address(void **state)
{
	static const uint32_t ips[] = {OUR_IP, OUR_IP2};
	static const struct host_if bare = {OUR_MAC, NULL, 0};
	uint8_t out[HOST_ASK_BYTES];

	(void)state;
	for (unsigned n = 0; n < 2; n++) {
		assert_int_equal(host_announce(&us, n, out), 60);
		assert_arp(out, &(struct arp){BCAST, OUR_MAC, 1, 0x0800, 0x0604, 1, OUR_MAC, ips[n],
					0, ips[n]});
	}
	assert_int_equal(host_announce(&us, 2, out), 0);
	assert_int_equal(host_announce(&bare, 0, out), 60);
	assert_arp(out, &(struct arp){BCAST, OUR_MAC, 1, 0x0800, 0x0604, 1, OUR_MAC, 0, 0, 0});
	assert_int_equal(host_announce(&bare, 1, out), 0);
}

static void a_mac_is_learnt_from_requests_and_replies(void **state)
{
	struct host_neighbour got;
	uint8_t in[60];
	struct arp a = request;

	(void)state;
	for (a.op = 1; a.op <= 2; a.op++) {
		put_arp(in, &a);
		assert_true(host_learn(in, 60, &got));
		assert_true(units_ip_equal(got.ip, units_ip4(PEER_IP)));
		assert_int_equal(got.mac, PEER_MAC);
		assert_int_equal(got.vlan.vid[0], 0);
	}
	put_arp(in, &a); /* neither request nor reply */
	assert_false(host_learn(in, 60, &got));
}

static void nothing_is_learnt_from_probes_and_broken_arp(void **state)
{
	struct host_neighbour got;
	uint8_t in[60];
	struct arp a = request;

	(void)state;
	a.sender_ip = 0;
	put_arp(in, &a);
	assert_false(host_learn(in, 60, &got));
	a = request;
	a.sender_mac = BCAST;
	put_arp(in, &a);
	assert_false(host_learn(in, 60, &got));
	put_arp(in, &request);
	assert_false(host_learn(in, 41, &got));
}

/* ---- echo ---- */

static const struct host_echo question = {
	.src = IP4(PEER_IP),
	.dst = IP4(OUR_IP),
	.mac_dst = OUR_MAC,
	.id = 0x1234,
	.seq = 7,
	.ttl = 9,
	.bytes = 60,
};

static void mend_ip(uint8_t *frame)
{
	pkt_put16(frame + ETH + 10, 0);
	pkt_put16(frame + ETH + 10, (uint16_t)~sig_fold(pkt_csum_add(frame + ETH, IP, 0)));
}

static void an_echo_request_is_answered_and_the_answer_understood(void **state)
{
	static const unsigned sizes[] = {60, 61, 99, 1514, 9014};

	(void)state;
	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		uint8_t in[HOST_FRAME_MAX], reply[HOST_FRAME_MAX];
		struct host_echo echo = question, got;
		unsigned len = 0;

		echo.bytes = sizes[i];
		assert_int_equal(host_echo_request(&peer, &echo, in), sizes[i]);
		assert_int_equal(in[ETH + 8], 9);
		assert_int_equal(in[ETH + IP + 8], 0);
		assert_int_equal(in[ETH + IP + 9], 1);
		assert_int_equal(host_input(&us, in, sizes[i], reply, &len), HOST_ANSWER);
		assert_int_equal(len, sizes[i]);
		assert_memory_equal(reply + ETH + IP + 4, in + ETH + IP + 4, len - ETH - IP - 4);
		assert_true(host_echo_reply(&peer, reply, len, &got));
		assert_true(units_ip_equal(got.src, units_ip4(OUR_IP)));
		assert_true(units_ip_equal(got.dst, units_ip4(PEER_IP)));
		assert_int_equal(got.id, 0x1234);
		assert_int_equal(got.seq, 7);
		assert_int_equal(got.ttl, 64);
		assert_int_equal(got.bytes, sizes[i]);
		assert_int_equal(host_input(&peer, reply, len, in, &len), HOST_TAKEN);
	}
}

static void a_short_echo_is_answered_with_zeros_behind_it(void **state)
{
	uint8_t in[60], reply[HOST_FRAME_MAX];
	unsigned len = 0;

	(void)state;
	host_echo_request(&peer, &question, in);
	memset(in + ETH + IP + 8, 0xee, 18);
	pkt_put16(in + ETH + 2, IP + 8); /* no data: what follows is padding */
	mend_ip(in);
	memcpy(in + ETH + IP, "\x08\x00\xf7\xff\x00\x00\x00\x00", 8);
	memset(reply, 0xff, sizeof(reply));
	assert_int_equal(host_input(&us, in, 60, reply, &len), HOST_ANSWER);
	assert_int_equal(len, 60);
	for (unsigned i = ETH + IP + 8; i < 60; i++)
		assert_int_equal(reply[i], 0);
	assert_memory_equal(reply + ETH + IP, "\x00\x00\xff\xff\x00\x00\x00\x00", 8);
}

/* Where a byte of a good request is changed; the IP checksum is mended when mend is set. */
static void echo_requests_not_for_us_or_broken_are_not_answered(void **state)
{
	/* clang-format off */
	static const struct {
		unsigned off, bytes;
		uint64_t value;
		bool mend;
	} cases[] = {
		{0, 6, BCAST, false},
		{0, 6, 0x020000000009, false},
		{6, 6, BCAST, false},
		{6, 6, OUR_MAC, false},
		{ETH + 16, 4, 0x0a000003, true},	/* another's address */
		{ETH + 16, 4, 0x0a0000ff, true},	/* broadcast of the network */
		{ETH + 16, 4, 0xffffffff, true},
		{ETH + 12, 4, 0, true},			/* senders that cannot be */
		{ETH + 12, 4, 0xe0000001, true},
		{ETH + 12, 4, 0x7f000001, true},
		{ETH + 12, 4, 0x0a0000ff, true},
		{ETH + 12, 4, OUR_IP2, true},
		{ETH + 6, 2, 0x2000, true},		/* fragments */
		{ETH + 6, 2, 0x0001, true},
		{ETH + 8, 1, 10, false},		/* IP checksum */
		{ETH + IP + 9, 1, 9, false},		/* ICMP checksum */
		{ETH + 9, 1, 17, true},			/* not ICMP */
	};
	/* clang-format on */

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		uint8_t in[60], reply[HOST_FRAME_MAX];
		unsigned len = 0;

		host_echo_request(&peer, &question, in);
		for (unsigned b = 0; b < cases[i].bytes; b++)
			in[cases[i].off + b] =
				(uint8_t)(cases[i].value >> 8 * (cases[i].bytes - 1 - b));
		if (cases[i].mend)
			mend_ip(in);
		if (host_input(&us, in, 60, reply, &len) != HOST_NOT_OURS)
			fail_msg("case %zu", i);
	}
}

static void only_an_echo_reply_to_us_counts_as_one(void **state)
{
	uint8_t in[60], reply[HOST_FRAME_MAX];
	struct host_echo got;
	unsigned len = 0;

	(void)state;
	host_echo_request(&peer, &question, in);
	assert_false(host_echo_reply(&us, in, 60, &got)); /* a request */
	host_input(&us, in, 60, reply, &len);
	assert_false(host_echo_reply(&us, reply, len, &got)); /* not to us */
	assert_true(host_echo_reply(&peer, reply, len, &got));
	reply[len - 1] ^= 1;
	assert_false(host_echo_reply(&peer, reply, len, &got));
}

static void addresses_and_their_networks_are_told_apart(void **state)
{
	static const struct host_addr all = {IP4(1), 0, {{0}}}, one = {IP4(OUR_IP), 32, {{0}}};
	static const struct host_vlan tagged = {.vid = {1}};

	(void)state;
	assert_true(host_owns(&us, &untagged, units_ip4(OUR_IP2)));
	assert_false(host_owns(&us, &tagged, units_ip4(OUR_IP2)));
	assert_false(host_owns(&us, &untagged, units_ip4(PEER_IP)));
	assert_true(host_addr_covers(&addrs[0], units_ip4(PEER_IP)));
	assert_false(host_addr_covers(&addrs[0], units_ip4(0x0a000102)));
	assert_true(host_addr_covers(&all, units_ip4(0xffffffff)));
	assert_false(host_addr_covers(&all, (struct units_ip){.lo = 1}));
	assert_true(host_addr_covers(&one, units_ip4(OUR_IP)));
	assert_false(host_addr_covers(&one, units_ip4(PEER_IP)));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(arp_requests_for_our_addresses_are_answered),
		cmocka_unit_test(an_answer_keeps_the_vlan_tags_of_an_address_within_them),
		cmocka_unit_test(an_untagged_request_is_not_for_an_address_in_a_vlan),
		cmocka_unit_test(the_tpid_that_an_address_gives_wins),
		cmocka_unit_test(arp_that_is_not_for_us_or_broken_is_not_answered),
		cmocka_unit_test(a_request_asks_from_the_address_of_the_same_network),
		cmocka_unit_test(a_request_goes_within_the_tags_asked_for),
		cmocka_unit_test(an_announcement_tells_our_mac_and_address),
		cmocka_unit_test(a_mac_is_learnt_from_requests_and_replies),
		cmocka_unit_test(nothing_is_learnt_from_probes_and_broken_arp),
		cmocka_unit_test(an_echo_request_is_answered_and_the_answer_understood),
		cmocka_unit_test(a_short_echo_is_answered_with_zeros_behind_it),
		cmocka_unit_test(echo_requests_not_for_us_or_broken_are_not_answered),
		cmocka_unit_test(only_an_echo_reply_to_us_counts_as_one),
		cmocka_unit_test(addresses_and_their_networks_are_told_apart),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
