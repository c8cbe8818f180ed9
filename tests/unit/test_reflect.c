/* SPDX-License-Identifier: BSD-3-Clause */
#include "pkt_help.h"

/*
 * A reflected frame is compared, byte for byte, with one that was built from nothing the other way
 * round, its checksums summed over all they cover.
 */

#define FRAME_MAX 256
#define TTL_BACK  64
#define UDP	  17
#define TCP	  6
#define ICMP	  1
#define GRE	  47
#define ICMP6	  58

struct shape {
	const char *name;
	unsigned nb_tags;
	uint16_t ethertype; /* behind the tags */
	uint8_t proto;
	uint8_t ttl;
	uint16_t frag;	      /* flags and offset, IPv4 */
	unsigned opt_bytes;   /* IPv4 options */
	unsigned data_bytes;  /* behind the L4 header; ends with the signature */
	unsigned trail_bytes; /* behind the IP packet */
	bool no_csum;	      /* UDP without */
	bool back;	      /* the other way round */
};

struct buf {
	uint8_t b[FRAME_MAX];
	unsigned len, l3;
};

static const struct shape shapes[] = {
	{.name = "udp", .ethertype = 0x0800, .proto = UDP, .ttl = 61, .data_bytes = 18},
	{.name = "udp, odd length, trailer",
		.ethertype = 0x0800,
		.proto = UDP,
		.ttl = 1,
		.data_bytes = 19,
		.trail_bytes = 7},
	{.name = "udp, no checksum",
		.ethertype = 0x0800,
		.proto = UDP,
		.ttl = 255,
		.data_bytes = 40,
		.no_csum = true},
	{.name = "udp, ttl as it will be",
		.ethertype = 0x0800,
		.proto = UDP,
		.ttl = TTL_BACK,
		.data_bytes = 30},
	{.name = "udp, one tag",
		.nb_tags = 1,
		.ethertype = 0x0800,
		.proto = UDP,
		.ttl = 0,
		.data_bytes = 18},
	{.name = "udp, two tags",
		.nb_tags = 2,
		.ethertype = 0x0800,
		.proto = UDP,
		.ttl = 63,
		.data_bytes = 18},
	{.name = "udp, options",
		.ethertype = 0x0800,
		.proto = UDP,
		.ttl = 60,
		.opt_bytes = 8,
		.data_bytes = 18},
	{.name = "udp, first fragment",
		.ethertype = 0x0800,
		.proto = UDP,
		.ttl = 60,
		.frag = 0x2000,
		.data_bytes = 24},
	{.name = "udp, later fragment",
		.ethertype = 0x0800,
		.proto = UDP,
		.ttl = 60,
		.frag = 0x0003,
		.data_bytes = 24},
	{.name = "tcp",
		.ethertype = 0x0800,
		.proto = TCP,
		.ttl = 9,
		.frag = 0x4000,
		.data_bytes = 21},
	{.name = "gre", .ethertype = 0x0800, .proto = GRE, .ttl = 33, .data_bytes = 30},
	{.name = "udp, ipv6", .ethertype = 0x86dd, .proto = UDP, .ttl = 60, .data_bytes = 18},
	{.name = "tcp, ipv6, one tag",
		.nb_tags = 1,
		.ethertype = 0x86dd,
		.proto = TCP,
		.ttl = 60,
		.data_bytes = 19},
	{.name = "gre, ipv6", .ethertype = 0x86dd, .proto = GRE, .ttl = 60, .data_bytes = 30},
	{.name = "no ip", .ethertype = 0x88b5, .data_bytes = 46},
	{.name = "no ip, four tags", .nb_tags = 4, .ethertype = 0x88b5, .data_bytes = 46},
	{.name = "802.3 length", .ethertype = 0x0030, .data_bytes = 48},
};
#define NB_SHAPES (sizeof(shapes) / sizeof(shapes[0]))

static const uint8_t macs[2][6] = {{2, 0, 0, 0, 0, 1}, {2, 0x10, 0x20, 0x30, 0x40, 0x50}};
static const uint8_t ip4s[2][4] = {{10, 0, 0, 1}, {192, 168, 77, 200}};
static const uint8_t ip6s[2][16] = {
	{0x20, 1, 0xd, 0xb8, [15] = 1}, {0xfe, 0x80, [9] = 0xab, [14] = 0xff, 0xfe}};
static const uint16_t ports[2] = {4660, 53};

static bool has_l4(const struct shape *s)
{
	return s->proto == UDP || s->proto == TCP;
}

static unsigned l4_bytes(const struct shape *s)
{
	return s->proto == UDP ? 8 : s->proto == TCP ? 20 : 0;
}

/* pseudo: the sum of the pseudo header's addresses. A fragment's checksum is of the whole packet. */
static void put_l4(const struct shape *s, uint8_t *p, unsigned bytes, uint32_t pseudo)
{
	unsigned csum_off = s->proto == UDP ? 6 : 16;

	pkt_put16(p, ports[s->back]);
	pkt_put16(p + 2, ports[!s->back]);
	if (s->proto == UDP)
		pkt_put16(p + 4, (uint16_t)bytes);
	else
		p[12] = 0x50;
	pkt_put16(p + csum_off, 0);
	if (s->frag & 0x3fff)
		pkt_put16(p + csum_off, 0x1234);
	else if (!s->no_csum)
		pkt_put16(p + csum_off, (uint16_t)~plain_sum(p, bytes, pseudo + s->proto + bytes));
}

static unsigned put_ip4(const struct shape *s, uint8_t *p, unsigned payload)
{
	unsigned hdr = 20 + s->opt_bytes;

	p[0] = (uint8_t)(0x40 | hdr / 4);
	pkt_put16(p + 2, (uint16_t)(hdr + payload));
	pkt_put16(p + 4, 0xbeef);
	pkt_put16(p + 6, s->frag);
	p[8] = s->ttl;
	p[9] = s->proto;
	memcpy(p + 12, ip4s[s->back], 4);
	memcpy(p + 16, ip4s[!s->back], 4);
	memset(p + 20, 1, s->opt_bytes); /* no operation */
	pkt_put16(p + 10, (uint16_t)~plain_sum(p, hdr, 0));
	return hdr;
}

static unsigned put_ip6(const struct shape *s, uint8_t *p, unsigned payload)
{
	p[0] = 0x60;
	pkt_put16(p + 4, (uint16_t)payload);
	p[6] = s->proto;
	p[7] = s->ttl;
	memcpy(p + 8, ip6s[s->back], 16);
	memcpy(p + 24, ip6s[!s->back], 16);
	return 40;
}

static void make(const struct shape *s, struct buf *f)
{
	bool later = (s->frag & 0x1fff) != 0, ip6 = s->ethertype == 0x86dd;
	unsigned off = 12, payload = l4_bytes(s) * !later + s->data_bytes;
	uint8_t *l4;

	*f = (struct buf){0};
	memcpy(f->b, macs[!s->back], 6);
	memcpy(f->b + 6, macs[s->back], 6);
	for (unsigned i = 0; i < s->nb_tags; i++, off += 4)
		pkt_put32(
			f->b + off, (i == 0 && s->nb_tags > 1 ? 0x88a80000u : 0x81000000u) + 5 + i);
	pkt_put16(f->b + off, s->ethertype);
	f->l3 = off += 2;
	if (s->ethertype == 0x0800)
		off += put_ip4(s, f->b + off, payload);
	else if (ip6)
		off += put_ip6(s, f->b + off, payload);
	l4 = f->b + off;
	f->len = off + payload + s->trail_bytes;
	assert_true(f->len <= FRAME_MAX);
	for (unsigned i = 0; i < s->data_bytes; i++)
		l4[payload - s->data_bytes + i] = (uint8_t)(i * 7);
	sig_write(l4 + payload - SIG_BYTES, &sample);
	memset(l4 + payload, 0xee, s->trail_bytes);
	if (has_l4(s) && !later)
		put_l4(s, l4, payload,
			ip6 ? plain_sum(f->b + f->l3 + 8, 32, 0)
			    : plain_sum(f->b + f->l3 + 12, 8, 0));
}

/* In a buffer of the exact length, so that the sanitizer sees every byte beyond it. */
static bool reflect(struct buf *f)
{
	uint8_t *exact = malloc(f->len == 0 ? 1 : f->len);
	bool done;

	memcpy(exact, f->b, f->len);
	done = pkt_reflect(exact, f->len);
	memcpy(f->b, exact, f->len);
	free(exact);
	return done;
}

static void assert_same(const char *name, const struct buf *f, const struct buf *expected)
{
	for (unsigned i = 0; i < expected->len; i++)
		if (f->b[i] != expected->b[i])
			fail_msg("%s: byte %u is %02x, not %02x", name, i, f->b[i], expected->b[i]);
}

static void assert_refused(const char *name, const struct buf *f)
{
	struct buf copy = *f;

	if (reflect(&copy))
		fail_msg("%s: sent back", name);
	assert_same(name, &copy, f);
}

static void what_goes_back_is_the_frame_that_the_far_end_would_have_built(void **state)
{
	(void)state;
	for (size_t i = 0; i < NB_SHAPES; i++) {
		struct shape back = shapes[i];
		struct buf f, expected;
		struct sig sig;

		back.back = true;
		back.ttl = TTL_BACK;
		make(&shapes[i], &f);
		make(&back, &expected);
		if (!reflect(&f))
			fail_msg("%s: refused", shapes[i].name);
		assert_same(shapes[i].name, &f, &expected);
		assert_int_equal(
			sig_read(f.b + f.len - back.trail_bytes - SIG_BYTES, sample.test_id, &sig),
			SIG_GOOD);
		assert_memory_equal(&sig, &sample, sizeof(sig));
	}
}

static void twice_is_the_frame_itself_but_for_the_ttl(void **state)
{
	(void)state;
	for (size_t i = 0; i < NB_SHAPES; i++) {
		struct shape fresh = shapes[i];
		struct buf f, expected;

		fresh.ttl = TTL_BACK;
		make(&shapes[i], &f);
		make(&fresh, &expected);
		assert_true(reflect(&f) && reflect(&f));
		assert_same(shapes[i].name, &f, &expected);
	}
}

static void every_ttl_and_many_ids_leave_the_ip_checksum_right(void **state)
{
	struct shape s = shapes[0];

	(void)state;
	for (unsigned ttl = 0; ttl < 256; ttl++) {
		for (unsigned id = 0; id < 0x10000; id += 251) {
			struct buf f;
			uint8_t *ip;

			s.ttl = (uint8_t)ttl;
			make(&s, &f);
			ip = f.b + f.l3;
			pkt_put16(ip + 4, (uint16_t)id);
			pkt_put16(ip + 10, 0);
			pkt_put16(ip + 10, (uint16_t)~plain_sum(ip, 20, 0));
			assert_true(pkt_reflect(f.b, f.len));
			assert_ip_csum_right(f.b);
			assert_int_equal(ip[8], TTL_BACK);
		}
	}
}

static void a_wrong_checksum_stays_wrong(void **state)
{
	struct buf f;

	(void)state;
	make(&shapes[0], &f);
	f.b[f.l3 + 10] ^= 0x40;
	assert_true(reflect(&f));
	assert_int_not_equal(plain_sum(f.b + f.l3, 20, 0), 0xffff);
}

struct change {
	const char *name;
	const char *shape;
	int off; /* from the L3 header; negative: before it */
	uint8_t value;
};

static const struct change refused[] = {
	{"broadcast", "udp", -14, 0xff},
	{"multicast MAC", "udp", -14, 0x01},
	{"multicast MAC, no IP", "no ip", -14, 0x33},
	{"multicast source MAC", "udp", -8, 0x03},
	{"icmp", "gre", 9, ICMP},
	{"igmp", "gre", 9, 2},
	{"icmpv6", "gre, ipv6", 6, ICMP6},
	{"ipv6 hop by hop", "gre, ipv6", 6, 0},
	{"ipv6 routing", "gre, ipv6", 6, 43},
	{"ipv6 fragment", "gre, ipv6", 6, 44},
	{"ipv6 destination options", "gre, ipv6", 6, 60},
	{"ip to a group", "udp", 16, 224},
	{"ip to the broadcast address", "udp", 16, 255},
	{"ip to network 0", "udp", 16, 0},
	{"ip to loopback", "udp", 16, 127},
	{"ip from a group", "udp", 12, 239},
	{"ip from network 0", "udp", 12, 0},
	{"ipv6 to a group", "udp, ipv6", 24, 0xff},
	{"ipv6 from a group", "udp, ipv6", 8, 0xff},
	{"ip version 5", "udp", 0, 0x55},
	{"ip version 4 in ipv6", "udp, ipv6", 0, 0x40},
	{"ip header too short", "udp", 0, 0x44},
	{"ip header longer than the packet", "udp", 0, 0x4f},
	{"ip packet longer than the frame", "udp", 3, 255},
	{"ip packet shorter than its header", "udp", 3, 19},
	{"ip packet that ends in the ports", "udp", 3, 23},
	{"ipv6 packet longer than the frame", "udp, ipv6", 5, 255},
	{"ipv6 packet that ends in the ports", "udp, ipv6", 5, 3},
};

static const struct shape *shape_find(const char *name)
{
	for (size_t i = 0; i < NB_SHAPES; i++)
		if (strcmp(shapes[i].name, name) == 0)
			return &shapes[i];
	fail_msg("no shape %s", name);
	return NULL;
}

static void what_must_not_go_back_is_left_as_it_was(void **state)
{
	static const uint16_t ethertypes[] = {0x0806, 0x8035};

	(void)state;
	for (size_t i = 0; i < sizeof(refused) / sizeof(refused[0]); i++) {
		struct buf f;

		make(shape_find(refused[i].shape), &f);
		f.b[(int)f.l3 + refused[i].off] = refused[i].value;
		assert_refused(refused[i].name, &f);
	}
	for (size_t i = 0; i < sizeof(ethertypes) / sizeof(ethertypes[0]); i++) {
		struct shape s = *shape_find("no ip");
		struct buf f;

		s.ethertype = ethertypes[i];
		make(&s, &f);
		assert_refused("ARP or RARP", &f);
	}
}

static void icmp_in_any_form_is_left_to_the_host(void **state)
{
	static const uint16_t frags[] = {0, 0x2000, 0x0010};

	(void)state;
	for (unsigned type = 0; type < 256; type++) {
		for (size_t i = 0; i < sizeof(frags) / sizeof(frags[0]); i++) {
			struct shape s = *shape_find("gre");
			struct buf f;

			s.proto = ICMP;
			s.frag = frags[i];
			make(&s, &f);
			f.b[f.l3 + 20] = (uint8_t)type;
			assert_refused("ICMP", &f);
		}
	}
}

static void unspecified_and_loopback_ipv6_addresses_are_refused(void **state)
{
	(void)state;
	for (unsigned last = 0; last < 3; last++) {
		for (unsigned off = 8; off <= 24; off += 16) {
			struct buf f;

			make(shape_find("udp, ipv6"), &f);
			memset(f.b + f.l3 + off, 0, 16);
			f.b[f.l3 + off + 15] = (uint8_t)last;
			if (last < 2)
				assert_refused("IPv6 address", &f);
			else
				assert_true(reflect(&f));
		}
	}
}

static void a_frame_that_is_cut_off_is_refused(void **state)
{
	(void)state;
	for (size_t i = 0; i < NB_SHAPES; i++) {
		bool is_ip = shapes[i].ethertype == 0x0800 || shapes[i].ethertype == 0x86dd;
		struct buf f;
		unsigned whole;

		make(&shapes[i], &f);
		whole = is_ip ? f.len - shapes[i].trail_bytes : f.l3;
		for (f.len = 0; f.len < whole; f.len++)
			assert_refused(shapes[i].name, &f);
		assert_true(reflect(&f));
	}
}

static void five_tags_are_more_than_can_be_seen_through(void **state)
{
	struct shape s = *shape_find("no ip");
	struct buf f;

	(void)state;
	s.nb_tags = 5;
	make(&s, &f);
	assert_refused("five tags", &f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_goes_back_is_the_frame_that_the_far_end_would_have_built),
		cmocka_unit_test(twice_is_the_frame_itself_but_for_the_ttl),
		cmocka_unit_test(every_ttl_and_many_ids_leave_the_ip_checksum_right),
		cmocka_unit_test(a_wrong_checksum_stays_wrong),
		cmocka_unit_test(what_must_not_go_back_is_left_as_it_was),
		cmocka_unit_test(icmp_in_any_form_is_left_to_the_host),
		cmocka_unit_test(unspecified_and_loopback_ipv6_addresses_are_refused),
		cmocka_unit_test(a_frame_that_is_cut_off_is_refused),
		cmocka_unit_test(five_tags_are_more_than_can_be_seen_through),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
