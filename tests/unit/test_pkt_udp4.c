/* SPDX-License-Identifier: BSD-3-Clause */
/* The short way of reading a frame says what the general parser says, of any bytes. */
#include "tgen/pkt_udp4.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define NB(array) (sizeof(array) / sizeof((array)[0]))
#define TEST_ID	  7
#define L3	  PKT_UDP4_L3_OFF
#define MUTATIONS 2000u

static const struct sig sample = {TEST_ID, 3, 0x0102, 0x11223344, 0xa1a2a3a4a5a6};

static const struct {
	const char *words[5];
} templates[] = {
	{{"ip-dst=10.0.1.2", "udp-checksum=compute", "data=random"}},
	{{"ip-dst=10.0.1.2", "udp-checksum=0", "data=incrementing"}},
	{{"ip-dst=10.0.1.2", "udp-checksum=compute", "udp-dst-port=4788", "data=random"}},
	{{"ip-dst=10.0.1.2", "header-stack=mac,ip,tcp"}},
	{{"ip-dst=10.0.1.2", "header-stack=mac,vlan,ip,udp", "vlan-id=9", "udp-checksum=compute"}},
	{{"ip-dst=10.0.1.2", "header-stack=mac,vlan,vlan,ip,udp", "vlan-id=9"}},
	{{"header-stack=mac,ipv6,udp", "ipv6-src=fd00::1", "ipv6-dst=fd00::2", "data=random"}},
	{{"header-stack=mac,vlan,ipv6,udp", "vlan-id=9", "ipv6-src=fd00::1", "ipv6-dst=fd00::2"}},
	{{"header-stack=mac,mpls,ip,udp", "ip-dst=10.0.1.2"}},
};
static const unsigned sizes[] = {60, 61, 62, 63, 79, 128, 191, 192, 193, 511, 1514};

static uint64_t seed;

static uint32_t random_below(uint32_t n)
{
	seed = seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return (uint32_t)((seed >> 33) % n);
}

static void make(struct pkt_frame *frame, unsigned t, unsigned size)
{
	static const struct pkt_assumed assumed = {1, 2, 0x0a000001};
	struct err err = {0};
	struct opt_set set;

	opt_set_init(&set, &pkt_template_menu);
	for (unsigned i = 0; templates[t].words[i] != NULL; i++)
		if (opt_set_arg(&set, templates[t].words[i], &err) != 0)
			fail_msg("%s", err.text);
	if (pkt_min_size(&set, &err) > (int)size)
		size = (unsigned)pkt_min_size(&set, &err);
	if (pkt_build(&set, &assumed, size, frame, &err) != 0)
		fail_msg("%s", err.text);
	opt_set_fini(&set);
}

/* True only of frames that the short way must take. */
static bool is_usual(const uint8_t *frame, unsigned len, const struct pkt_rx *rx)
{
	unsigned least = rx->ethertype == PKT_ETHERTYPE_IP6 ? PKT_UDP6_IP_MIN : PKT_UDP4_IP_MIN;

	if (rx->cls != PKT_TEST || rx->last_fragment || len < PKT_MIN_BYTES || rx->nb_tags > 1 ||
		rx->l3_off != L3 + rx->nb_tags * 4 || rx->ip_proto != PKT_IP_PROTO_UDP ||
		rx->end_off < rx->l3_off + least || rx->l4_dst == 4789 || rx->l4_dst == 6081 ||
		rx->l4_dst == 2152)
		return false;
	if (rx->ethertype == PKT_ETHERTYPE_IP6)
		return rx->l4_off == rx->l3_off + PKT_UDP6_IP_BYTES &&
		       pkt_get16(frame + rx->l4_off + 6) != 0;
	return rx->ethertype == PKT_ETHERTYPE_IP4 && frame[rx->l3_off] == 0x45;
}

/* Returns whether the short way took it. */
static bool compare(const struct pkt_frame *sent, const uint8_t *frame, unsigned len)
{
	uint32_t mark = pkt_udp4_mark(TEST_ID);
	struct pkt_udp4 udp = {0};
	struct pkt_rx rx;
	bool taken = pkt_udp4_read(frame, len, mark, &udp) ||
		     pkt_udp4_read_other(frame, len, mark, &udp);

	pkt_parse_headers(frame, len, TEST_ID, &rx);
	assert_int_equal(taken, is_usual(frame, len, &rx));
	if (!taken)
		return false;
	assert_int_equal(udp.lane, rx.sig.lane);
	assert_int_equal(udp.seq, rx.sig.seq);
	assert_int_equal(udp.epoch, rx.sig.epoch);
	assert_int_equal(udp.time_ns, rx.sig.time_ns);
	assert_int_equal(udp.ip_bytes, rx.end_off - rx.l3_off);
	assert_int_equal(udp.end_off, rx.end_off);
	assert_int_equal(udp.data_off, rx.l4_off + 8);
	assert_int_equal(udp.ip6, rx.ethertype == PKT_ETHERTYPE_IP6);
	assert_int_equal(udp.has_csum, pkt_get16(frame + rx.l4_off + 6) != 0);
	if (udp.has_csum && sent->l4_right && sent->l4_proto == PKT_IP_PROTO_UDP &&
		sent->size - sent->in_off == udp.ip_bytes && sent->in_version == (udp.ip6 ? 6 : 4))
		assert_int_equal(
			pkt_udp4_right(frame, &udp), pkt_l4_right(sent, sent->size, frame, &rx));
	return true;
}

/* Damages that leave most sums right, so that what lies behind them is looked at. */
static void mutate(uint8_t *frame, unsigned *len, unsigned most)
{
	uint8_t *sig = frame + *len - SIG_BYTES;
	struct sig other = sample;

	switch (random_below(9)) {
	case 0: /* any byte */
		frame[random_below(*len)] ^= (uint8_t)(1 + random_below(255));
		break;
	case 1: /* of the headers */
		frame[12 + random_below(30)] ^= (uint8_t)(1u << random_below(8));
		break;
	case 2: /* of the length, the fragment's field, the protocol */
		frame[(const unsigned[]){16, 17, 20, 21, 23, 14}[random_below(6)]] ^=
			(uint8_t)(1u << random_below(8));
		break;
	case 3:
		other.test_id = (uint8_t)random_below(9);
		other.lane = (uint16_t)random_below(65536);
		other.seq = random_below(UINT32_MAX);
		other.time_ns = (uint64_t)random_below(UINT32_MAX) * random_below(UINT32_MAX);
		other.time_ns &= SIG_TIME_MASK;
		sig_write(sig, &other);
		break;
	case 4: /* a port of a tunnel */
		pkt_put16(frame + PKT_UDP4_L4_OFF + 2,
			(const uint16_t[]){4789, 6081, 2152, 4788}[random_below(4)]);
		break;
	case 7: /* of IPv6: version, length, next header */
		frame[(const unsigned[]){14, 18, 19, 20, 22, 23, 24}[random_below(7)]] ^=
			(uint8_t)(1u << random_below(8));
		break;
	case 5: /* cut off, or padded */
		*len = 1 + random_below(most);
		break;
	case 6: /* two words change places, which no sum sees */
		for (unsigned i = 0; i < 2; i++) {
			uint8_t swap = frame[26 + i];

			frame[26 + i] = frame[30 + i];
			frame[30 + i] = swap;
		}
		break;
	default:
		frame[PKT_UDP4_L4_OFF + 6 + random_below(2)] = (uint8_t)random_below(256);
	}
}

static void mend_ip(uint8_t *frame)
{
	pkt_put16(frame + L3 + 10, 0);
	pkt_put16(frame + L3 + 10, (uint16_t)~sig_fold(pkt_csum_add(frame + L3, 20, 0)));
}

/* Returns how many of a frame's damaged copies were taken. */
static unsigned compare_damaged(const struct pkt_frame *sent)
{
	unsigned taken = 0, len = sent->size;
	uint8_t frame[2048] = {0};

	pkt_render(sent, 0, &sample, frame);
	taken += compare(sent, frame, len);
	/* one damage, or several */
	do
		mutate(frame, &len, sent->size + 20u);
	while (random_below(3) == 0 && len >= PKT_MIN_BYTES);
	taken += compare(sent, frame, len);
	if (len >= PKT_MIN_BYTES)
		mend_ip(frame);
	return taken + compare(sent, frame, len);
}

static void both_ways_say_the_same_of_damaged_frames(void **state)
{
	unsigned taken = 0, nb = 0;

	(void)state;
	seed = 1;
	for (unsigned t = 0; t < NB(templates); t++) {
		for (unsigned i = 0; i < NB(sizes); i++) {
			struct pkt_frame sent;

			make(&sent, t, sizes[i]);
			for (unsigned n = 0; n < MUTATIONS; n++, nb++)
				taken += compare_damaged(&sent);
			pkt_frame_fini(&sent);
		}
	}
	/* neither all nor none: what is compared is told apart */
	assert_true(taken > nb);
	assert_true(taken < 2 * nb);
}

/* RFC 1071, a word at a time. */
static uint32_t plain_sum(const uint8_t *p, unsigned bytes)
{
	uint32_t sum = 0;

	for (unsigned i = 0; i < bytes; i++)
		sum += i % 2 == 0 ? (uint32_t)p[i] << 8 : p[i];
	return sum;
}

static void sums_of_any_length_are_those_of_words(void **state)
{
	static uint8_t data[9001];

	(void)state;
	for (unsigned i = 0; i < sizeof(data); i++)
		data[i] = (uint8_t)(i % 3 == 0 ? 0xff : random_below(256));
	for (unsigned bytes = 0; bytes < sizeof(data); bytes += bytes < 400 ? 1 : 97)
		for (unsigned off = 0; off < 2 && off < bytes; off++)
			assert_int_equal(sig_fold(pkt_csum_add(data + off, bytes - off, 0)),
				sig_fold(plain_sum(data + off, bytes - off)));
	memset(data, 0xff, sizeof(data));
	assert_int_equal(sig_fold(pkt_csum_add(data, 9000, 0xffff)), 0xffff);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(both_ways_say_the_same_of_damaged_frames),
		cmocka_unit_test(sums_of_any_length_are_those_of_words),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
