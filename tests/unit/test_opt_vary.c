/* SPDX-License-Identifier: BSD-3-Clause */
#include "tgen/opt.h"

#include <errno.h>
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define NB(array) (sizeof(array) / sizeof((array)[0]))
#define ONES	  UINT64_MAX
#define DB8	  UINT64_C(0x20010db800000000)

static const struct opt_word protocols[] = {
	{"arp", 0x0806}, {"ip", 0x0800}, {"service-vlan", 0x88a8}, {"good", 1ull << 40}, {0}};

enum {
	V_TTL,
	V_ID,
	V_PORT,
	V_DST_PORT,
	V_PROTOCOL,
	V_MAC,
	V_IP,
	V_IP_DST,
	V_IP6,
	V_LABEL,
	V_PLAIN
};

#define VARY .flags = OPT_LIST | OPT_VARY, .max_items = 4

/* clang-format off */
static const struct opt table[] = {
	[V_TTL] = {.name = "ip-ttl", .type = OPT_UINT, VARY, .max = 255, .dflt = "64"},
	[V_ID] = {.name = "vlan-id", .type = OPT_UINT, VARY, .min = 1, .max = 4094},
	[V_PORT] = {.name = "udp-src-port", .type = OPT_URANGE, VARY, .max = 65535},
	[V_DST_PORT] = {.name = "udp-dst-port", .type = OPT_URANGE, VARY, .max = 65535},
	[V_PROTOCOL] = {.name = "mac-protocol", .type = OPT_UINT, VARY, .max = 65535,
		.words = protocols},
	[V_MAC] = {.name = "mac-src", .type = OPT_MAC, VARY},
	[V_IP] = {.name = "ip-src", .type = OPT_IP4, VARY},
	[V_IP_DST] = {.name = "ip-dst", .type = OPT_IP4, VARY},
	[V_IP6] = {.name = "ipv6-dst", .type = OPT_IP6, VARY},
	[V_LABEL] = {.name = "tcp-syn", .type = OPT_UINT, VARY},
	[V_PLAIN] = {.name = "id", .type = OPT_UINT, .max = 255},
};
/* clang-format on */

static const struct opt_section section = OPT_SECTION("fields", table);
static const struct opt_section *const sections[] = {&section};
static const struct opt_menu menu = {"packet-template", "Templates", sections, 1};

static struct opt_num value_at(const struct opt_vary *vary, uint64_t step)
{
	unsigned __int128 first = (unsigned __int128)vary->first.up << 64 | vary->first.lo;
	unsigned __int128 by = (unsigned __int128)vary->step.up << 64 | vary->step.lo;

	if (vary->kind == OPT_VARY_LIST)
		return vary->values[step];
	first += by * step;
	return (struct opt_num){(uint64_t)(first >> 64), (uint64_t)first};
}

/* ---- what goes in order ---- */

static const struct {
	unsigned opt;
	const char *item;
	enum opt_vary_kind kind;
	uint64_t nb;
	uint64_t values[6]; /* the first ones, of the lower half */
	uint64_t last;
} ordered[] = {
	{V_TTL, "7", OPT_VARY_ONE, 1, {7}, 7},
	{V_TTL, "7-7", OPT_VARY_ONE, 1, {7}, 7},
	{V_TTL, "3-6", OPT_VARY_STEP, 4, {3, 4, 5, 6}, 6},
	{V_TTL, "inc:0-255", OPT_VARY_STEP, 256, {0, 1, 2}, 255},
	{V_TTL, "inc:1-10+step=4", OPT_VARY_STEP, 3, {1, 5, 9}, 9},
	{V_TTL, "inc:1-9+step=100", OPT_VARY_ONE, 1, {1}, 1},
	{V_TTL, "inc:5+step=50+count=6", OPT_VARY_STEP, 6, {5, 55, 105, 155, 205, 255}, 255},
	{V_TTL, "inc:5+count=3", OPT_VARY_STEP, 3, {5, 6, 7}, 7},
	{V_TTL, "inc:5+count=3+step=0x10", OPT_VARY_STEP, 3, {5, 21, 37}, 37},
	{V_TTL, "inc:9+count=1", OPT_VARY_ONE, 1, {9}, 9},
	{V_TTL, "dec:1-9", OPT_VARY_STEP, 9, {9, 8, 7, 6}, 1},
	{V_TTL, "dec:1-9+step=3", OPT_VARY_STEP, 3, {9, 6, 3}, 3},
	{V_TTL, "dec:9+count=10", OPT_VARY_STEP, 10, {9, 8, 7}, 0},
	{V_ID, "dec:4094+step=4093+count=2", OPT_VARY_STEP, 2, {4094, 1}, 1},
	{V_PORT, "1000-1003", OPT_VARY_STEP, 4, {1000, 1001}, 1003},
	{V_PORT, "list:80+443+53", OPT_VARY_LIST, 3, {80, 443, 53}, 53},
	{V_PORT, "list:80", OPT_VARY_ONE, 1, {80}, 80},
	{V_PORT, "list:80=3+443=1", OPT_VARY_LIST, 4, {80, 80, 443, 80}, 80},
	{V_PORT, "list:1=2+2=2", OPT_VARY_LIST, 4, {1, 2, 1, 2}, 2},
	{V_PORT, "list:1=1+2=4", OPT_VARY_LIST, 5, {2, 2, 1, 2, 2}, 2},
	{V_PROTOCOL, "list:arp+ip+0x1234", OPT_VARY_LIST, 3, {0x0806, 0x0800, 0x1234}, 0x1234},
	{V_PROTOCOL, "inc:arp-service-vlan", OPT_VARY_STEP, 0x88a8 - 0x0806 + 1, {0x0806, 0x0807},
		0x88a8},
	{V_MAC, "02:00:00:00:00:01-02:00:00:00:00:03", OPT_VARY_STEP, 3,
		{0x020000000001, 0x020000000002}, 0x020000000003},
	{V_MAC, "dec:02-00-00-00-00-01-02-00-00-00-00-03", OPT_VARY_STEP, 3,
		{0x020000000003, 0x020000000002}, 0x020000000001},
	{V_MAC, "inc:ff:ff:ff:ff:ff:fe+count=2", OPT_VARY_STEP, 2, {0xfffffffffffe},
		0xffffffffffff},
	{V_IP, "10.0.0.1-10.0.1.0", OPT_VARY_STEP, 256, {0x0a000001, 0x0a000002}, 0x0a000100},
	{V_IP, "0.0.0.0-255.255.255.255", OPT_VARY_STEP, 1ull << 32, {0, 1}, 0xffffffff},
	{V_IP, "inc:10.0.0.1+step=0.0.1.0+count=3", OPT_VARY_STEP, 3,
		{0x0a000001, 0x0a000101, 0x0a000201}, 0x0a000201},
	{V_IP, "list:10.0.0.1=2+10.0.0.9=1", OPT_VARY_LIST, 3, {0x0a000001, 0x0a000009},
		0x0a000001},
	{V_LABEL, "inc:0-18446744073709551614", OPT_VARY_STEP, ONES, {0, 1}, ONES - 1},
};

static void forms_in_order_have_these_values(void **state)
{
	(void)state;
	for (size_t i = 0; i < NB(ordered); i++) {
		struct opt_vary vary;
		bool right;

		if (opt_vary_parse(&table[ordered[i].opt], ordered[i].item, &vary) != 0)
			fail_msg("%s: refused", ordered[i].item);
		right = vary.kind == ordered[i].kind && vary.nb == ordered[i].nb &&
			vary.first.lo == ordered[i].values[0] &&
			value_at(&vary, vary.nb - 1).lo == ordered[i].last;
		for (unsigned k = 0; k < 6 && k < vary.nb && ordered[i].values[k] != 0; k++)
			right = right && value_at(&vary, k).lo == ordered[i].values[k];
		if (!right)
			fail_msg("%s: kind %d, %" PRIu64 " values, first %" PRIx64, ordered[i].item,
				(int)vary.kind, vary.nb, vary.first.lo);
		opt_vary_fini(&vary);
	}
}

/* ---- both halves of IPv6 addresses ---- */

static const struct {
	const char *item;
	enum opt_vary_kind kind;
	uint64_t nb;
	struct opt_num first, last, mask, span;
} wide[] = {
	{"2001:db8::1", OPT_VARY_ONE, 1, {DB8, 1}, {DB8, 1}, {0}, {0}},
	{"2001:db8::1-2001:db8::ffff", OPT_VARY_STEP, 65535, {DB8, 1}, {DB8, 65535}, {0}, {0}},
	{"2001:db8::-2001:db8::ffff:ffff:ffff:fffe", OPT_VARY_STEP, ONES, {DB8, 0}, {DB8, ONES - 1},
		{0}, {0}},
	{"2001:db8::ffff:ffff:ffff:ffff-2001:db8:0:1::1", OPT_VARY_STEP, 3, {DB8, ONES},
		{DB8 + 1, 1}, {0}, {0}},
	{"inc:2001:db8::7+step=0:0:0:1::+count=16", OPT_VARY_STEP, 16, {DB8, 7}, {DB8 + 15, 7}, {0},
		{0}},
	{"dec:2001:db8::-2001:db8:0:1::1+step=2", OPT_VARY_STEP, (1ull << 63) + 1, {DB8 + 1, 1},
		{DB8, 1}, {0}, {0}},
	{"dec:1::1-1::9", OPT_VARY_STEP, 9, {1ull << 48, 9}, {1ull << 48, 1}, {0}, {0}},
	{"list:::1+2001:db8::2=2", OPT_VARY_LIST, 3, {DB8, 2}, {DB8, 2}, {0}, {0}},
	{"2001:db8::5/64", OPT_VARY_MASKED, 0, {DB8, 5}, {DB8, 5}, {ONES, 0}, {0}},
	{"2001:db8::5/48", OPT_VARY_MASKED, 0, {DB8, 5}, {DB8, 5}, {ONES << 16, 0}, {0}},
	{"2001:db8::5/120", OPT_VARY_MASKED, 0, {DB8, 5}, {DB8, 5}, {ONES, ONES << 8}, {0}},
	{"2001:db8::5/ffff:ffff:ff00::ff00:0:ffff", OPT_VARY_MASKED, 0, {DB8, 5}, {DB8, 5},
		{UINT64_C(0xffffffffff000000), UINT64_C(0x0000ff000000ffff)}, {0}},
	{"2001:db8::5/128", OPT_VARY_ONE, 1, {DB8, 5}, {DB8, 5}, {0}, {0}},
	{"rand:2001:db8::5/32+count=9", OPT_VARY_MASKED, 9, {DB8, 5}, {DB8, 5}, {ONES << 32, 0},
		{0}},
	{"rand:2001:db8::-2001:db8::ffff:ffff:ffff:ffff", OPT_VARY_RANDOM, 0, {DB8, 0}, {DB8, 0},
		{0}, {1, 0}},
	{"rand:2001:db8::1-2001:db8::2", OPT_VARY_RANDOM, 0, {DB8, 1}, {DB8, 1}, {0}, {0, 2}},
};

static void addresses_of_128_bits_vary_in_both_halves(void **state)
{
	(void)state;
	for (size_t i = 0; i < NB(wide); i++) {
		struct opt_vary vary;
		struct opt_num last;

		if (opt_vary_parse(&table[V_IP6], wide[i].item, &vary) != 0)
			fail_msg("%s: refused", wide[i].item);
		last = vary.nb != 0 && vary.kind <= OPT_VARY_LIST ? value_at(&vary, vary.nb - 1)
								  : vary.first;
		if (vary.kind != wide[i].kind || vary.nb != wide[i].nb ||
			memcmp(&vary.first, &wide[i].first, sizeof(last)) != 0 ||
			memcmp(&last, &wide[i].last, sizeof(last)) != 0 ||
			memcmp(&vary.mask, &wide[i].mask, sizeof(last)) != 0 ||
			memcmp(&vary.span, &wide[i].span, sizeof(last)) != 0)
			fail_msg("%s: kind %d, %" PRIu64 " values", wide[i].item, (int)vary.kind,
				vary.nb);
		opt_vary_fini(&vary);
	}
}

/* ---- what is random ---- */

static const struct {
	unsigned opt;
	const char *item;
	enum opt_vary_kind kind;
	uint64_t first, mask, span, nb;
} randoms[] = {
	{V_TTL, "rand:1-9", OPT_VARY_RANDOM, 1, 0, 9, 0},
	{V_TTL, "rand:1-9+count=5", OPT_VARY_RANDOM, 1, 0, 9, 5},
	{V_TTL, "64/0xf0", OPT_VARY_MASKED, 64, ONES << 8 | 0xf0, 0, 0},
	{V_TTL, "64/255", OPT_VARY_ONE, 64, 0, 0, 1},
	{V_PORT, "1000/0xff00", OPT_VARY_MASKED, 1000, ONES << 16 | 0xff00, 0, 0},
	{V_IP, "10.0.0.0/8", OPT_VARY_MASKED, 0x0a000000, ONES << 24, 0, 0},
	{V_IP, "rand:10.0.0.0/255.0.0.255", OPT_VARY_MASKED, 0x0a000000, ONES << 32 | 0xff0000ff, 0,
		0},
	{V_IP, "rand:10.0.0.1-10.0.0.4", OPT_VARY_RANDOM, 0x0a000001, 0, 4, 0},
	{V_MAC, "02:00:00:00:00:00/ff:ff:ff:00:00:00", OPT_VARY_MASKED, 0x020000000000, ONES << 24,
		0, 0},
	{V_PORT, "rfc4814", OPT_VARY_RANDOM, 1024, 0, 65535 - 1024 + 1, 0},
	{V_DST_PORT, "rfc4814", OPT_VARY_RANDOM, 1, 0, 49151, 0},
	{V_IP, "rfc4814", OPT_VARY_RANDOM, 0xc6120001, 0, 65534, 0},
	{V_IP_DST, "rfc4814", OPT_VARY_RANDOM, 0xc6130001, 0, 65534, 0},
	{V_MAC, "rfc4814", OPT_VARY_MASKED, 0x000001000000, ONES << 48 | UINT64_C(0x03ffff000000),
		0, 0},
};

static void random_forms_say_their_range_or_mask(void **state)
{
	(void)state;
	for (size_t i = 0; i < NB(randoms); i++) {
		struct opt_vary vary;

		if (opt_vary_parse(&table[randoms[i].opt], randoms[i].item, &vary) != 0)
			fail_msg("%s: refused", randoms[i].item);
		if (vary.kind != randoms[i].kind || vary.first.lo != randoms[i].first ||
			vary.span.lo != randoms[i].span || vary.nb != randoms[i].nb ||
			(vary.kind == OPT_VARY_MASKED &&
				(vary.mask.lo != randoms[i].mask || vary.mask.up != ONES)))
			fail_msg("%s: kind %d, first %" PRIx64 " mask %" PRIx64 " span %" PRIx64,
				randoms[i].item, (int)vary.kind, vary.first.lo, vary.mask.lo,
				vary.span.lo);
		opt_vary_fini(&vary);
	}
}

static void seeds_are_of_the_name_unless_given(void **state)
{
	struct opt_val val = {.is_vary = true, .text = "rand:1-9"};
	struct opt_vary a, b;

	(void)state;
	assert_int_equal(opt_vary_parse(&table[V_PORT], "rand:1-9", &a), 0);
	assert_int_equal(opt_vary_parse(&table[V_DST_PORT], "rand:1-9", &b), 0);
	assert_true(a.seed != b.seed);
	assert_int_equal(opt_vary_parse(&table[V_PORT], "rand:1-9", &b), 0);
	assert_true(a.seed == b.seed);
	assert_int_equal(opt_vary_of(&table[V_PORT], &val, 0, &b), 0);
	assert_true(a.seed == b.seed);
	assert_int_equal(opt_vary_of(&table[V_PORT], &val, 1, &b), 0);
	assert_true(a.seed != b.seed); /* two tags do not move alike */
	val.text = "rand:1-9+seed=7";
	assert_int_equal(opt_vary_of(&table[V_PORT], &val, 1, &b), 0);
	assert_true(b.seed == 7);
	assert_int_equal(opt_vary_parse(&table[V_IP], "10.0.0.0/8", &b), 0);
	assert_true(b.seed != 0);
}

static void a_shuffle_has_each_value_once_in_another_order(void **state)
{
	static const char *const items[] = {
		"shuffle:100-1123", "shuffle:100-1123+seed=1", "shuffle:100-1123+seed=2"};
	struct opt_vary vary[NB(items)];

	(void)state;
	for (size_t i = 0; i < NB(items); i++) {
		bool seen[1024] = {false};
		unsigned in_place = 0;

		assert_int_equal(opt_vary_parse(&table[V_PORT], items[i], &vary[i]), 0);
		assert_int_equal(vary[i].kind, OPT_VARY_LIST);
		assert_int_equal(vary[i].nb, 1024);
		for (unsigned k = 0; k < 1024; k++) {
			uint64_t at = vary[i].values[k].lo - 100;

			assert_true(at < 1024 && !seen[at]);
			seen[at] = true;
			in_place += at == k;
		}
		assert_true(in_place < 20);
		assert_true(vary[i].first.lo == vary[i].values[0].lo);
		for (size_t j = 0; j < i; j++)
			assert_memory_not_equal(vary[i].values, vary[j].values, 1024 * 16);
	}
	for (size_t i = 0; i < NB(items); i++)
		opt_vary_fini(&vary[i]);
}

/* ---- options ---- */

static void a_varying_item_shows_its_first_value(void **state)
{
	static const struct {
		const char *arg;
		uint64_t up, lo, hi;
		bool is_vary;
	} cases[] = {
		{"ip-ttl=9", 0, 9, 9, false},
		{"ip-ttl=3-9", 0, 3, 9, false},
		{"ip-ttl=dec:3-9", 0, 9, 9, true},
		{"ip-ttl=list:7+8", 0, 7, 7, true},
		{"ip-src=10.0.0.1-10.0.0.2", 0, 0x0a000001, 0x0a000002, false},
		{"ip-src=rand:10.0.0.1-10.0.0.2", 0, 0x0a000001, 0x0a000001, true},
		{"ip-src=rfc4814", 0, 0xc6120001, 0xc6120001, true},
		{"ipv6-dst=inc:2001:db8::7+step=0:0:0:1::+count=16", DB8, 7, 7, true},
		{"udp-src-port=list:80=3+443=1", 0, 80, 80, true},
	};

	(void)state;
	for (size_t i = 0; i < NB(cases); i++) {
		struct err err = {0};
		struct opt_set set;
		struct opt_val val;

		opt_set_init(&set, &menu);
		if (opt_set_arg(&set, cases[i].arg, &err) != 0)
			fail_msg("%s", err.text);
		val = set.slots[0].vals[0];
		if (val.lo != cases[i].lo || val.hi != cases[i].hi || val.up.lo != cases[i].up ||
			val.is_vary != cases[i].is_vary)
			fail_msg("%s: %" PRIx64, cases[i].arg, val.lo);
		assert_string_equal(val.text, strchr(cases[i].arg, '=') + 1);
		opt_set_fini(&set);
	}
}

#define TTL_FORMS " (0..255, N-M or N/MASK, or varying: inc:|dec:|rand:|shuffle:|list:, default 64)"
#define IP6_FORMS " (A, A-B, A/LEN or A/MASK, or varying: inc:|dec:|rand:|shuffle:|list:|rfc4814)"

static const struct {
	const char *arg, *text;
} refusals[] = {
	{"ip-ttl=256", "\"256\" is out of range" TTL_FORMS},
	{"ip-ttl=9-3", "\"9-3\" is a range that runs backwards" TTL_FORMS},
	{"ip-ttl=3-300", "\"3-300\" is out of range" TTL_FORMS},
	{"ip-ttl=x", "\"x\" is not a number" TTL_FORMS},
	{"ip-ttl=incr:1-9", "\"incr:1-9\": did you mean \"inc:\"?" TTL_FORMS},
	{"ip-ttl=random:1-9", "\"random:1-9\": did you mean \"rand:\"?" TTL_FORMS},
	{"ip-ttl=foobar:1-9", "\"foobar:1-9\" is not a number" TTL_FORMS},
	{"ip-ttl=inc:", "\"inc:\": \"\" is not a number" TTL_FORMS},
	{"ip-ttl=inc:1", "\"inc:1\": it needs a range A-B, or count=" TTL_FORMS},
	{"ip-ttl=inc:1-300", "\"inc:1-300\": \"1-300\" is out of range" TTL_FORMS},
	{"ip-ttl=inc:1-x", "\"inc:1-x\": \"1-x\" is not a number" TTL_FORMS},
	{"ip-ttl=dec:9-1", "\"dec:9-1\": \"9-1\" runs backwards" TTL_FORMS},
	{"ip-ttl=inc:1-9+step=0", "\"inc:1-9+step=0\": the step is 0" TTL_FORMS},
	{"ip-ttl=inc:1-9+step=1+step=2",
		"\"inc:1-9+step=1+step=2\": step= is given twice" TTL_FORMS},
	{"ip-ttl=inc:1+count=2+step=3+count=2",
		"\"inc:1+count=2+step=3+count=2\": count= is given twice" TTL_FORMS},
	{"ip-ttl=rand:1-9+seed=0+seed=0",
		"\"rand:1-9+seed=0+seed=0\": seed= is given twice" TTL_FORMS},
	{"ip-ttl=inc:1-9+step=x", "\"inc:1-9+step=x\": \"x\" is no step" TTL_FORMS},
	{"ip-ttl=inc:1+count=0", "\"inc:1+count=0\": the count is 0" TTL_FORMS},
	{"ip-ttl=inc:1+count=", "\"inc:1+count=\": \"\" is no count" TTL_FORMS},
	{"ip-ttl=inc:1-9+count=3",
		"\"inc:1-9+count=3\": A-B and count= both say where it ends; give one" TTL_FORMS},
	{"ip-ttl=inc:1+count=256", "\"inc:1+count=256\": its last value is out of range" TTL_FORMS},
	{"ip-ttl=dec:1+count=3", "\"dec:1+count=3\": its last value is out of range" TTL_FORMS},
	{"ip-ttl=inc:1/3", "\"inc:1/3\": a mask has no order; give A-B" TTL_FORMS},
	{"ip-ttl=inc:1-9+setp=2", "\"inc:1-9+setp=2\": \"setp\" is not known here, did you mean "
				  "\"step=\"?" TTL_FORMS},
	{"ip-ttl=inc:1-9+seed=2", "\"inc:1-9+seed=2\": \"seed\" is not known here, did you mean "
				  "\"step=\"?" TTL_FORMS},
	{"ip-ttl=shuffle:1-9+x=2", "\"shuffle:1-9+x=2\": \"x\" is not known here "
				   "(known: seed=)" TTL_FORMS},
	{"ip-ttl=rand:1", "\"rand:1\": it needs a range A-B, or A/len" TTL_FORMS},
	{"ip-ttl=rand:1-9+seed=x", "\"rand:1-9+seed=x\": \"x\" is no seed" TTL_FORMS},
	{"ip-ttl=shuffle:1", "\"shuffle:1\": it needs a range A-B" TTL_FORMS},
	{"ip-ttl=list:", "\"list:\": \"\" is not a number" TTL_FORMS},
	{"ip-ttl=list:1++2", "\"list:1++2\": \"\" is not a number" TTL_FORMS},
	{"ip-ttl=list:1+256", "\"list:1+256\": \"256\" is out of range" TTL_FORMS},
	{"ip-ttl=list:1-3+7", "\"list:1-3+7\": \"1-3\" is not a number" TTL_FORMS},
	{"ip-ttl=list:1=0+2", "\"list:1=0+2\": the weight of \"1\" is 0" TTL_FORMS},
	{"ip-ttl=list:1=x+2", "\"list:1=x+2\": \"x\" is no weight" TTL_FORMS},
	{"ip-ttl=list:1=1048576+2",
		"\"list:1=1048576+2\": its round has more than 1048576 values" TTL_FORMS},
	{"ip-ttl=300/3", "\"300/3\": \"300\" is out of range" TTL_FORMS},
	{"ip-ttl=3/x", "\"3/x\": \"x\" is no mask" TTL_FORMS},
	{"ipv6-dst=shuffle:::-::10:0",
		"\"shuffle:::-::10:0\": its round has more than 1048576 values" IP6_FORMS},
	{"ipv6-dst=rand:::-1::",
		"\"rand:::-1::\": it has more than 2^64 values; give A/len" IP6_FORMS},
	{"ipv6-dst=inc:::-1::", "\"inc:::-1::\": it has more than 2^64 values" IP6_FORMS},
	{"ipv6-dst=inc:ffff::+step=1::+count=2",
		"\"inc:ffff::+step=1::+count=2\": its last value is out of range" IP6_FORMS},
	/* not the address: none begins with 0dec */
	{"ipv6-dst=dec::1", "\"dec::1\": \":1\" is not an IPv6 address" IP6_FORMS},
	{"ipv6-dst=rand:::/129", "\"rand:::/129\": \"::/129\" is out of range" IP6_FORMS},
	{"ipv6-dst=rand:1.2.3.4-::1",
		"\"rand:1.2.3.4-::1\": \"1.2.3.4-::1\" is not an IPv6 address" IP6_FORMS},
	{"mac-protocol=list:arp+good", "\"list:arp+good\": \"good\" is out of range"},
	{"vlan-id=4090/0xff0", "\"4090/0xff0\": the bits outside of the mask reach out of range"},
	{"vlan-id=5/0xff0", "\"5/0xff0\": the bits outside of the mask reach out of range"},
	{"vlan-id=rand:16/0", "\"rand:16/0\": the bits outside of the mask reach out of range"},
	{"ip-ttl=rfc4814", "\"rfc4814\" is not a number" TTL_FORMS},
	{"id=1-9", "\"1-9\" is not a number (0..255)"},
	{"id=inc:1-9", "\"inc:1-9\" is not a number (0..255)"},
};

static void wrong_forms_say_what_is_wrong_with_them(void **state)
{
	(void)state;
	for (size_t i = 0; i < NB(refusals); i++) {
		const char *value = strchr(refusals[i].arg, '=');
		struct err err = {0};
		struct opt_set set;
		const char *text;

		opt_set_init(&set, &menu);
		if (opt_set_arg(&set, refusals[i].arg, &err) == 0)
			fail_msg("%s: taken", refusals[i].arg);
		text = err.text + (value - refusals[i].arg) + 2;
		if (strncmp(text, refusals[i].text, strlen(refusals[i].text)) != 0)
			fail_msg("%s, not: %s", err.text, refusals[i].text);
		opt_set_fini(&set);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(forms_in_order_have_these_values),
		cmocka_unit_test(addresses_of_128_bits_vary_in_both_halves),
		cmocka_unit_test(random_forms_say_their_range_or_mask),
		cmocka_unit_test(seeds_are_of_the_name_unless_given),
		cmocka_unit_test(a_shuffle_has_each_value_once_in_another_order),
		cmocka_unit_test(a_varying_item_shows_its_first_value),
		cmocka_unit_test(wrong_forms_say_what_is_wrong_with_them),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
