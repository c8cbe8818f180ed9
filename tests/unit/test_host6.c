/* SPDX-License-Identifier: BSD-3-Clause */
/* The host's IPv6 side: neighbour discovery (RFC 4861), link-local addresses. */
#include "tgen/host.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "tgen/pkt.h"

#define OUR_MAC	  0x020000000001ull
#define PEER_MAC  0x020000000002ull
#define OTHER_MAC 0x020000000009ull
#define ETH	  14
#define IP6	  40
#define NS_BYTES  (ETH + IP6 + 32)

#define GLOBAL(n)                                                                                  \
	{                                                                                          \
		0x20010db800000000, (n)                                                            \
	}
#define IP4(ip)                                                                                    \
	{                                                                                          \
		.lo = UNITS_IP4_MARK | (ip)                                                        \
	}

static const struct units_ip our_ip = GLOBAL(1), peer_ip = GLOBAL(2), none;
static const struct units_ip our_link = {0xfe80000000000000, 0x000000fffe000001};
static const struct units_ip all_nodes = {0xff02000000000000, 1};
static const struct units_ip our_group = {0xff02000000000000, 0x1ff000001};
static const struct host_vlan untagged, vlan7 = {.vid = {7}}, vlan9 = {.vid = {9}};
static const struct host_addr addrs[] = {
	{GLOBAL(1), 64, {{0}}},
	{IP4(0x0a000001), 24, {{0}}},
	{{0x20010db800000007, 1}, 64, {.vid = {7}}},
};
static const struct host_if us = {OUR_MAC, addrs, 3};
static const struct host_addr peer_addrs[] = {{GLOBAL(2), 64, {{0}}}};
static const struct host_if peer = {PEER_MAC, peer_addrs, 1};

static uint16_t plain_sum(const uint8_t *p, unsigned bytes, uint32_t sum)
{
	for (unsigned i = 0; i < bytes; i++)
		sum += i % 2 == 0 ? (uint32_t)p[i] << 8 : p[i];
	while (sum > 0xffff)
		sum = (sum & 0xffff) + (sum >> 16);
	return (uint16_t)sum;
}

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

/* A message field by field, as RFC 4861 lays it out; opt 0: without an option. */
struct nd {
	uint64_t eth_dst, eth_src;
	struct units_ip src, dst, target;
	uint64_t mac;
	uint8_t type, flags, opt, hop_limit;
};

static unsigned put_nd(uint8_t *out, const struct nd *m)
{
	unsigned bytes = m->opt != 0 ? 32 : 24;
	uint8_t *ip = out + ETH, *p = ip + IP6;

	memset(out, 0, NS_BYTES);
	units_mac_bytes(m->eth_dst, out);
	units_mac_bytes(m->eth_src, out + 6);
	pkt_put16(out + 12, 0x86dd);
	ip[0] = 0x60;
	pkt_put16(ip + 4, (uint16_t)bytes);
	ip[6] = 58;
	ip[7] = m->hop_limit;
	units_ip6_write(ip + 8, m->src);
	units_ip6_write(ip + 24, m->dst);
	p[0] = m->type;
	p[4] = m->flags;
	units_ip6_write(p + 8, m->target);
	if (m->opt != 0) {
		p[24] = m->opt;
		p[25] = 1;
		units_mac_bytes(m->mac, p + 26);
	}
	mend(ip);
	return ETH + IP6 + bytes;
}

static void assert_nd(const uint8_t *got, unsigned len, const struct nd *m)
{
	uint8_t want[NS_BYTES];

	assert_int_equal(len, put_nd(want, m));
	assert_memory_equal(got, want, len);
}

/* From the peer to our solicited-node group. */
static struct nd question(void)
{
	return (struct nd){.eth_dst = 0x3333ff000001,
		.eth_src = PEER_MAC,
		.src = peer_ip,
		.dst = our_group,
		.target = our_ip,
		.mac = PEER_MAC,
		.type = 135,
		.opt = 1,
		.hop_limit = 255};
}

static struct nd answer_to(struct units_ip target)
{
	return (struct nd){.eth_dst = PEER_MAC,
		.eth_src = OUR_MAC,
		.src = target,
		.dst = peer_ip,
		.target = target,
		.mac = OUR_MAC,
		.type = 136,
		.flags = 0x60,
		.opt = 2,
		.hop_limit = 255};
}

/* In a buffer of the exact length, so that the sanitizer sees every byte read beyond it. */
static enum host_verdict input(
	const struct host_if *hif, const uint8_t *in, unsigned len, uint8_t *reply, unsigned *nb)
{
	uint8_t *exact = malloc(len ? len : 1);
	enum host_verdict verdict;

	memcpy(exact, in, len);
	verdict = host_input(hif, exact, len, reply, nb);
	free(exact);
	return verdict;
}

static void solicitations_for_our_addresses_are_answered(void **state)
{
	uint8_t in[NS_BYTES], reply[HOST_FRAME_MAX];
	struct nd ask = question(), want = answer_to(our_ip);
	unsigned len = 0;

	(void)state;
	assert_int_equal(input(&us, in, put_nd(in, &ask), reply, &len), HOST_ANSWER);
	assert_nd(reply, len, &want);

	ask.eth_dst = OUR_MAC; /* is it still there? */
	ask.dst = our_ip;
	assert_int_equal(input(&us, in, put_nd(in, &ask), reply, &len), HOST_ANSWER);
	assert_nd(reply, len, &want);

	ask = question(); /* without an option: back to where it came from */
	ask.opt = 0;
	assert_int_equal(input(&us, in, put_nd(in, &ask), reply, &len), HOST_ANSWER);
	assert_nd(reply, len, &want);

	ask = question(); /* the link-local address has the same group */
	ask.target = our_link;
	want = answer_to(our_link);
	assert_int_equal(input(&us, in, put_nd(in, &ask), reply, &len), HOST_ANSWER);
	assert_nd(reply, len, &want);

	ask = question(); /* duplicate address detection: told to all */
	ask.src = none;
	ask.opt = 0;
	want = answer_to(our_ip);
	want.eth_dst = 0x333300000001;
	want.dst = all_nodes;
	want.flags = 0x20;
	assert_int_equal(input(&us, in, put_nd(in, &ask), reply, &len), HOST_ANSWER);
	assert_nd(reply, len, &want);
}

enum field { F_NONE, F_DST, F_SRC, F_IP_SRC, F_IP_DST, F_TARGET, F_HOPS, F_MAC };

static void solicitations_that_are_not_for_us_or_broken_are_not_answered(void **state)
{
	static const struct {
		const char *what;
		enum field field;
		struct units_ip value;
	} cases[] = {
		{"another's address", F_TARGET, GLOBAL(0x1000001)},
		{"another's MAC", F_DST, {0, OTHER_MAC}},
		{"another's group", F_DST, {0, 0x3333ff000002}},
		{"a group as sender", F_SRC, {0, 0x010000000001}},
		{"from our MAC", F_SRC, {0, OUR_MAC}},
		{"from our address", F_IP_SRC, GLOBAL(1)},
		{"from a group", F_IP_SRC, {0xff02000000000000, 1}},
		{"from loopback", F_IP_SRC, {0, 1}},
		{"from nobody, with an option", F_IP_SRC, {0, 0}},
		{"from an address that stands for IPv4's", F_IP_SRC, IP4(0x0a000002)},
		{"to another group", F_IP_DST, {0xff02000000000000, 1}},
		{"target a group", F_TARGET, {0xff02000000000000, 0x1ff000001}},
		{"passed on by a router", F_HOPS, {0, 254}},
		{"a group's MAC in the option", F_MAC, {0, 0x333300000001}},
		{"target in another VLAN", F_TARGET, {0x20010db800000007, 1}},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		uint8_t in[NS_BYTES], reply[HOST_FRAME_MAX];
		struct nd ask = question();
		unsigned len = 0;

		switch (cases[i].field) {
		case F_DST:
			ask.eth_dst = cases[i].value.lo;
			break;
		case F_SRC:
			ask.eth_src = cases[i].value.lo;
			break;
		case F_IP_SRC:
			ask.src = cases[i].value;
			break;
		case F_IP_DST:
			ask.dst = cases[i].value;
			break;
		case F_TARGET:
			ask.target = cases[i].value;
			break;
		case F_HOPS:
			ask.hop_limit = (uint8_t)cases[i].value.lo;
			break;
		case F_MAC:
			ask.mac = cases[i].value.lo;
			break;
		case F_NONE:
			break;
		}
		if (input(&us, in, put_nd(in, &ask), reply, &len) != HOST_NOT_OURS)
			fail_msg("%s: taken", cases[i].what);
	}
}

/* One byte of a good solicitation is another; the checksum is mended where it is not the point. */
static void broken_messages_are_not_answered(void **state)
{
	static const struct {
		const char *what;
		unsigned off;
		uint8_t value;
		bool mended;
	} cases[] = {
		{"checksum", ETH + IP6 + 2, 0xab, false},
		{"code", ETH + IP6 + 1, 1, true},
		{"an option of no length", ETH + IP6 + 25, 0, true},
		{"an option longer than the message", ETH + IP6 + 25, 2, true},
		{"a router's solicitation", ETH + IP6, 133, true},
		{"redirect", ETH + IP6, 137, true},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		uint8_t in[NS_BYTES], reply[HOST_FRAME_MAX];
		struct nd ask = question();
		unsigned len = 0, nb = put_nd(in, &ask);

		in[cases[i].off] = cases[i].value;
		if (cases[i].mended)
			mend(in + ETH);
		if (input(&us, in, nb, reply, &len) != HOST_NOT_OURS)
			fail_msg("%s: taken", cases[i].what);
	}
}

static void a_cut_solicitation_is_not_answered(void **state)
{
	uint8_t in[NS_BYTES], reply[HOST_FRAME_MAX];
	struct nd ask = question();
	unsigned len = 0, nb = put_nd(in, &ask);

	(void)state;
	for (unsigned cut = 0; cut < nb; cut++)
		assert_int_equal(input(&us, in, cut, reply, &len), HOST_NOT_OURS);
	for (unsigned bytes = 0; bytes < 24; bytes++) { /* too short by its own word */
		put_nd(in, &ask);
		pkt_put16(in + ETH + 4, (uint16_t)bytes);
		mend(in + ETH);
		assert_int_equal(input(&us, in, nb, reply, &len), HOST_NOT_OURS);
	}
}

static void an_address_within_a_vlan_is_there_alone(void **state)
{
	static const uint8_t tag7[4] = {0x81, 0, 0x60, 7};
	static const struct units_ip in_vlan = {0x20010db800000007, 1};
	const struct units_ip targets[] = {in_vlan, our_link, our_ip};
	uint8_t in[NS_BYTES + 4], reply[HOST_FRAME_MAX];

	(void)state;
	for (unsigned i = 0; i < 3; i++) {
		struct nd ask = question();
		unsigned len = 0, nb;

		ask.target = targets[i];
		nb = put_nd(in, &ask);
		memmove(in + 16, in + 12, nb - 12);
		memcpy(in + 12, tag7, 4);
		assert_int_equal(
			input(&us, in, nb + 4, reply, &len), i < 2 ? HOST_ANSWER : HOST_NOT_OURS);
		if (i < 2)
			assert_memory_equal(reply + 12, tag7, 4);
	}
}

static void advertisements_are_taken_and_learnt_from(void **state)
{
	uint8_t in[NS_BYTES], reply[HOST_FRAME_MAX];
	struct host_neighbour got;
	struct nd ask = question(), tell = answer_to(our_ip);
	unsigned len = 0;

	(void)state;
	assert_int_equal(input(&peer, in, put_nd(in, &tell), reply, &len), HOST_TAKEN);
	assert_true(host_learn(in, NS_BYTES, &got));
	assert_true(units_ip_equal(got.ip, our_ip));
	assert_int_equal(got.mac, OUR_MAC);
	tell.mac = OTHER_MAC; /* the option says it */
	put_nd(in, &tell);
	assert_true(host_learn(in, NS_BYTES, &got));
	assert_int_equal(got.mac, OTHER_MAC);
	put_nd(in, &ask);
	assert_true(host_learn(in, NS_BYTES, &got));
	assert_true(units_ip_equal(got.ip, peer_ip));
	assert_int_equal(got.mac, PEER_MAC);

	tell = answer_to(our_ip); /* solicited, and yet to all: wrong */
	tell.dst = all_nodes;
	tell.eth_dst = 0x333300000001;
	assert_int_equal(input(&peer, in, put_nd(in, &tell), reply, &len), HOST_NOT_OURS);
	assert_false(host_learn(in, NS_BYTES, &got));
	tell.flags = 0x20;
	assert_int_equal(input(&peer, in, put_nd(in, &tell), reply, &len), HOST_TAKEN);
	in[ETH + 7] = 254;
	assert_false(host_learn(in, NS_BYTES, &got));
}

static void a_request_is_understood_by_the_one_asked(void **state)
{
	static const struct {
		struct units_ip target, from;
	} cases[] = {{GLOBAL(1), GLOBAL(2)}, {{0xfe80000000000000, 0x000000fffe000001},
						     {0xfe80000000000000, 0x000000fffe000002}}};

	(void)state;
	for (unsigned i = 0; i < 2; i++) {
		uint8_t out[HOST_ASK_BYTES], reply[HOST_FRAME_MAX];
		struct nd want = question();
		struct host_neighbour got;
		unsigned len, nb = 0;

		want.src = cases[i].from;
		want.target = cases[i].target;
		len = host_request(&peer, &untagged, cases[i].target, out);
		assert_nd(out, len, &want);
		assert_int_equal(input(&us, out, len, reply, &nb), HOST_ANSWER);
		assert_true(host_learn(reply, nb, &got));
		assert_true(units_ip_equal(got.ip, cases[i].target));
		assert_int_equal(got.mac, OUR_MAC);
	}
	assert_int_equal(
		host_request(&us, &vlan7, peer_ip, (uint8_t[HOST_ASK_BYTES]){0}), NS_BYTES + 4);
}

static void every_address_is_announced_link_local_ones_too(void **state)
{
	static const struct {
		struct units_ip ip;
		bool tagged;
	} cases[] = {{GLOBAL(1), false}, {IP4(0x0a000001), false}, {{0x20010db800000007, 1}, true},
		{{0xfe80000000000000, 0x000000fffe000001}, false},
		{{0xfe80000000000000, 0x000000fffe000001}, true}};
	uint8_t out[HOST_ASK_BYTES];

	(void)state;
	for (unsigned n = 0; n < 5; n++) {
		unsigned len = host_announce(&us, n, out), tag = cases[n].tagged ? 4 : 0;
		struct host_neighbour got;

		assert_int_equal(len, n == 1 ? 60 : NS_BYTES + tag);
		assert_true(host_learn(out, len, &got));
		assert_true(units_ip_equal(got.ip, cases[n].ip));
		assert_int_equal(got.vlan.vid[0], cases[n].tagged ? 7 : 0);
		assert_int_equal(got.mac, OUR_MAC);
	}
	assert_int_equal(host_announce(&us, 5, out), 0);
}

static void the_source_is_the_address_that_is_nearest(void **state)
{
	const struct {
		struct host_vlan vlan;
		struct units_ip to, from;
	} cases[] = {
		{untagged, peer_ip, our_ip},
		{untagged, GLOBAL(0), our_ip},
		{vlan7, {0x20010db800000007, 5}, {0x20010db800000007, 1}},
		{vlan7, {0x20010db800000099, 5}, {0x20010db800000007, 1}}, /* the VLAN's first */
		{vlan7, peer_ip, our_ip},				   /* covered, elsewhere */
		{vlan9, {0x20010db800000099, 5}, our_ip},		   /* the first */
		{untagged, {0xfe80000000000000, 9}, our_link},
		{vlan7, {0xfe80000000000000, 9}, our_link},
		{vlan7, IP4(0x0a000009), IP4(0x0a000001)},
	};
	static const struct host_if v4_only = {OUR_MAC, &addrs[1], 1};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		if (!units_ip_equal(host_source(&us, &cases[i].vlan, cases[i].to), cases[i].from))
			fail_msg("case %zu", i);
	assert_true(units_ip_is_none(host_source(&v4_only, &untagged, peer_ip)));
	assert_false(host_owns(&v4_only, &untagged, our_link));
	assert_true(host_owns(&us, &vlan7, our_link));
	assert_false(host_owns(&us, &vlan9, our_link));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(solicitations_for_our_addresses_are_answered),
		cmocka_unit_test(solicitations_that_are_not_for_us_or_broken_are_not_answered),
		cmocka_unit_test(broken_messages_are_not_answered),
		cmocka_unit_test(a_cut_solicitation_is_not_answered),
		cmocka_unit_test(an_address_within_a_vlan_is_there_alone),
		cmocka_unit_test(advertisements_are_taken_and_learnt_from),
		cmocka_unit_test(a_request_is_understood_by_the_one_asked),
		cmocka_unit_test(every_address_is_announced_link_local_ones_too),
		cmocka_unit_test(the_source_is_the_address_that_is_nearest),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
