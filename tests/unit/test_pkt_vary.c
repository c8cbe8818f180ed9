/* SPDX-License-Identifier: BSD-3-Clause */
#include "pkt_walk.h"

#include <errno.h>

#include "../../src/pkt/vary.h"
#include "tgen/random.h"

#define NB(array) (sizeof(array) / sizeof((array)[0]))
#define BYTES	  64u /* of the frame that fields are tried in */
#define STEPS	  40u

typedef unsigned __int128 wide;

/* ---- any width, any place ---- */

static wide get_bits(const uint8_t *p, unsigned bit_off, unsigned bits)
{
	wide value = 0;

	for (unsigned i = bit_off; i < bit_off + bits; i++)
		value = value << 1 | (p[i / 8] >> (7 - i % 8) & 1);
	return value;
}

static void put_bits(uint8_t *p, unsigned bit_off, unsigned bits, wide value)
{
	for (unsigned i = 0; i < bits; i++) {
		unsigned bit = bit_off + bits - 1 - i;

		p[bit / 8] &= (uint8_t) ~(1u << (7 - bit % 8));
		p[bit / 8] |= (uint8_t)((unsigned)(value >> i & 1) << (7 - bit % 8));
	}
}

static wide ones(unsigned bits)
{
	return bits == 128 ? ~(wide)0 : ((wide)1 << bits) - 1;
}

static struct opt_num num(wide value)
{
	return (struct opt_num){(uint64_t)(value >> 64), (uint64_t)value};
}

static wide to_wide(struct opt_num value)
{
	return (wide)value.up << 64 | value.lo;
}

/* What each step should be, without the code under test. */
static wide expected(const struct opt_vary *vary, uint64_t step)
{
	if (vary->nb != 0)
		step %= vary->nb;
	if (vary->kind == OPT_VARY_LIST)
		return to_wide(vary->values[step]);
	if (vary->kind == OPT_VARY_RANDOM)
		return to_wide(vary->first) +
		       random_below(random_at(vary->seed, step), vary->span.lo);
	return to_wide(vary->first) + to_wide(vary->step) * step;
}

static const struct opt field_opt = {.name = "field", .type = OPT_UINT, .flags = OPT_VARY};

/* A frame of 0xa5 that has the first value in its field, and what makes it vary. */
static void make_field(
	struct pkt_frame *frame, const struct opt_vary *vary, unsigned bit_off, unsigned bits)
{
	struct err err = {0};
	struct opt_set set;
	struct hdr_build b = {.tmpl = &set, .frame = frame, .err = &err};

	opt_set_init(&set, &pkt_template_menu);
	*frame = (struct pkt_frame){.hdr_bytes = BYTES, .size = BYTES};
	memset(frame->hdr, 0xa5, BYTES);
	put_bits(frame->hdr, bit_off, bits, to_wide(vary->first));
	if (vary_field(&b, &field_opt, vary, bit_off, bits) != 0)
		fail_msg("%u bits at %u: %s", bits, bit_off, err.text);
	vary_note_bases(frame);
}

static void frame_at(const struct pkt_frame *frame, uint64_t n, uint8_t *out)
{
	struct pkt_steps steps;

	memcpy(out, frame->hdr, BYTES);
	pkt_steps_init(&steps, frame, n);
	pkt_mods_apply(frame, &steps, out);
}

static void check_field(const struct opt_vary *vary, unsigned bit_off, unsigned bits)
{
	struct pkt_frame frame;
	wide changed = 0;

	make_field(&frame, vary, bit_off, bits);
	for (uint64_t n = 0; n < STEPS; n++) {
		uint8_t out[BYTES], untouched[BYTES];
		wide value;

		frame_at(&frame, n, out);
		value = get_bits(out, bit_off, bits);
		if (vary->kind == OPT_VARY_MASKED) {
			changed |= value ^ to_wide(vary->first);
			assert_true(((value ^ to_wide(vary->first)) & to_wide(vary->mask)) == 0);
		} else if (value != expected(vary, n)) {
			fail_msg("kind %d, %u bits at %u, frame %u", (int)vary->kind, bits, bit_off,
				(unsigned)n);
		}
		put_bits(out, bit_off, bits, 0);
		memset(untouched, 0xa5, BYTES);
		put_bits(untouched, bit_off, bits, 0);
		assert_memory_equal(out, untouched, BYTES);
	}
	/* in 40 frames every random bit was another one at least once */
	if (vary->kind == OPT_VARY_MASKED)
		assert_true(changed == (~to_wide(vary->mask) & ones(bits)));
	pkt_frame_fini(&frame);
}

/* A form of each kind that fits in so many bits. */
static void check_kinds(unsigned bit_off, unsigned bits)
{
	wide top = ones(bits), half = top >> 1, span = top < 21 ? top : 21;
	struct opt_num values[3] = {num(top), num(0), num(half)};
	wide near = bits > 64 ? ((wide)1 << 64) - 5 : 0; /* carries into the upper half */
	const struct opt_vary kinds[] = {
		{.kind = OPT_VARY_STEP, .first = num(near), .step = num(1), .nb = (uint64_t)span},
		{.kind = OPT_VARY_STEP,
			.first = num(near + span - 1),
			.step = num(-(wide)1),
			.nb = (uint64_t)span},
		{.kind = OPT_VARY_STEP,
			.first = num(half & 1),
			.step = num(bits > 8 ? top >> 5 : 1),
			.nb = bits > 8 ? 30 : (uint64_t)span},
		{.kind = OPT_VARY_LIST, .values = values, .first = values[0], .nb = 3},
		{.kind = OPT_VARY_RANDOM,
			.first = num(top - span + 1),
			.span = num(span),
			.seed = 7},
		{.kind = OPT_VARY_RANDOM,
			.first = num(near),
			.span = num(span),
			.seed = 8,
			.nb = 9},
		{.kind = OPT_VARY_MASKED, .first = num(half), .mask = num(~top), .seed = 9},
		{.kind = OPT_VARY_MASKED,
			.first = num(half),
			.mask = num(~top | 0x0f0f | (wide)0xf0f0 << 72),
			.seed = 10},
	};

	for (unsigned k = 0; k < NB(kinds); k++)
		check_field(&kinds[k], bit_off, bits);
}

static void a_field_of_any_width_and_place_has_the_values_of_its_form(void **state)
{
	static const unsigned widths[] = {1, 2, 3, 7, 8, 9, 12, 16, 17, 20, 24, 31, 32, 33, 48, 57,
		58, 60, 63, 64, 65, 96, 121, 127, 128};

	(void)state;
	for (unsigned w = 0; w < NB(widths); w++) {
		for (unsigned off = 0; off < 24; off++)
			check_kinds(112 + off, widths[w]);
		/* and at both ends of the header */
		check_kinds(0, widths[w]);
		check_kinds(BYTES * 8 - widths[w], widths[w]);
	}
}

static void ranges_of_128_bits_that_are_too_long_to_lay_out_are_refused(void **state)
{
	const struct opt_vary cases[] = {
		{.kind = OPT_VARY_STEP,
			.first = {1, UINT64_MAX},
			.step = {0, 1},
			.nb = OPT_VARY_TABLE_MAX + 1ull},
		{.kind = OPT_VARY_RANDOM, .first = {1, UINT64_MAX}, .span = {0, 2}},
	};

	(void)state;
	for (unsigned i = 0; i < NB(cases); i++) {
		struct pkt_frame frame = {.hdr_bytes = BYTES};
		struct err err = {0};
		struct opt_set set;
		struct hdr_build b = {.tmpl = &set, .frame = &frame, .err = &err};

		opt_set_init(&set, &pkt_template_menu);
		assert_int_equal(vary_field(&b, &field_opt, &cases[i], 0, 128), -EINVAL);
		assert_non_null(strstr(err.text, "upper 64 bits"));
		pkt_frame_fini(&frame);
	}
}

/* ---- whole templates ---- */

#define MAX_SIZE 512

/* clang-format off */
static const char *const templates[][MAX_WORDS] = {
	{"ip-dst=10.0.1.2-10.0.1.6", "udp-src-port=1-7", "udp-checksum=good"},
	{"ip-dst=10.0.0.0/8", "ip-src=rand:10.0.0.1-10.9.0.1", "udp-dst-port=rand:1-65535",
		"udp-checksum=good", "mac-src=02:00:00:00:00:00/ff:ff:00:00:00:00"},
	{"ip-dst=list:1.2.3.4=3+5.6.7.8", "ip-ttl=dec:1-255", "ip-dscp=0-255", "ip-id=inc:0+step=257+count=200",
		"udp-checksum=good", "data=random"},
	{"header-stack=mac,vlan,vlan,ip,tcp", "vlan-id=1-4000,rand:1-9", "vlan-priority=0-7",
		"ip-dst=1.2.3.4", "tcp-src-port=shuffle:1000-1999", "tcp-syn=inc:0+step=1000001+count=4000",
		"tcp-flags=list:syn+ack+fin"},
	{"header-stack=mac,ipv6,udp", "ipv6-src=2001:db8::1-2001:db8::9",
		"ipv6-dst=2001:db8:ffff::/33", "ipv6-flow-label=rand:0-0xfffff",
		"ipv6-traffic-class=0-255", "udp-checksum=good", "udp-src-port=rfc4814"},
	{"header-stack=mac,ipv6,tcp", "ipv6-src=2001:db8::ffff:ffff:ffff:fff0-2001:db8:0:1::f",
		"ipv6-dst=inc:2001:db8::1+step=0:0:0:1::+count=99", "ipv6-hop-limit=1-255"},
	{"header-stack=mac,ip,udp,vxlan,mac,ip,udp", "ip-dst=1.1.1.1-1.1.1.9,2.2.2.2-2.2.2.12",
		"ip-src=1.1.1.1,10.0.0.0/16", "udp-dst-port=4789,rand:5000-6000", "udp-checksum=good,good",
		"vxlan-vni=rand:0-0xffffff", "mac-dst=02:00:00:00:00:01,02:00:00:00:00:00-02:00:00:00:01:00"},
	{"header-stack=mac,ip,icmp", "ip-dst=1.2.3.4", "icmp-id=1-9", "icmp-seq=shuffle:0-511"},
	{"header-stack=mac,ip,icmp", "ip-dst=1.2.3.4", "random-ranges=41:32:0-0xffffffff"},
	{"header-stack=mac,ip,tcp", "ip-dst=1.2.3.4", "random-ranges=53:16:0-0xffff,33:32:7-0xfffffff"},
	{"header-stack=mac,ipv6,icmpv6", "ipv6-src=2001:db8::1", "ipv6-dst=2001:db8::/64",
		"icmpv6-seq=dec:0-999", "data=incrementing"},
	/* bytes anywhere: the payload, addresses, across the end of a header */
	{"ip-dst=1.2.3.4", "udp-checksum=good", "data=random", "name=t",
		"random-ranges=26:32:1-0xffffffff,44:16:0-65535,50:8:3-9,33:16:5-6000",
		"random-byte-offsets-and-masks=60:0f,61:ff,15:fc", "udp-dst-port=5-9"},
	{"header-stack=mac,ip,udp,vxlan,mac,ip,udp", "ip-src=1.1.1.1", "ip-dst=1.1.1.1,2.2.2.2",
		"udp-dst-port=4789,7", "udp-checksum=good,good", "random-ranges=95:32:0-0xffffffff,76:32:1-9,83:32:1-99"},
};
/* clang-format on */
#define TEMPLATE_SIZE 150u

static void every_checksum_is_right_in_every_frame(void **state)
{
	(void)state;
	for (unsigned t = 0; t < NB(templates); t++) {
		for (unsigned size = TEMPLATE_SIZE; size < TEMPLATE_SIZE + 4; size++) {
			struct pkt_frame frame;
			uint8_t out[MAX_SIZE];

			build(templates[t], size, &frame);
			for (uint64_t n = 0; n < 500; n++) {
				assert_int_equal(pkt_render(&frame, n, &sample, out), size);
				walk_ether(out, size);
			}
			pkt_frame_fini(&frame);
		}
	}
}

/* As a sender does: buffers are used again with what the last frame left in them. */
static void frames_are_the_same_whatever_the_stride_and_the_buffer(void **state)
{
	(void)state;
	for (unsigned t = 0; t < NB(templates); t++) {
		uint8_t buffers[3][MAX_SIZE] = {{0}}, whole[MAX_SIZE];
		struct pkt_steps steps[3];
		struct pkt_frame frame;

		build(templates[t], TEMPLATE_SIZE, &frame);
		for (unsigned lane = 0; lane < 3; lane++) {
			pkt_steps_init(&steps[lane], &frame, lane);
			pkt_payload_fill(&frame, buffers[lane]);
		}
		for (unsigned n = 0; n < 600; n++) {
			uint8_t *out = buffers[(n / 7) % 3]; /* of any lane */

			memcpy(out, frame.hdr, frame.hdr_bytes);
			pkt_mods_apply(&frame, &steps[n % 3], out);
			pkt_steps_advance(&steps[n % 3], &frame, 3);
			pkt_render(&frame, n, NULL, whole);
			assert_memory_equal(out, whole, TEMPLATE_SIZE);
		}
		pkt_frame_fini(&frame);
	}
}

static void a_frame_of_several_sizes_is_each_of_them_alone(void **state)
{
	uint16_t bytes[] = {138, 139, 200, 411};
	uint16_t order[] = {2, 0, 0, 3, 1};
	const struct pkt_sizes sizes = {.nb = 4, .bytes = bytes, .period = 5, .order = order};

	(void)state;
	for (unsigned t = 0; t < NB(templates); t++) {
		uint8_t out[MAX_SIZE], alone[MAX_SIZE];
		struct pkt_frame frame, one[4];
		struct err err = {0};
		struct opt_set set;

		give(&set, templates[t]);
		if (pkt_build_sizes(&set, &assumed, &sizes, &frame, &err) != 0)
			fail_msg("%s", err.text);
		for (unsigned k = 0; k < 4; k++)
			build(templates[t], bytes[k], &one[k]);
		for (uint64_t n = 0; n < 100; n++) {
			unsigned k = order[n % 5];

			assert_int_equal(pkt_render(&frame, n, &sample, out), bytes[k]);
			pkt_render(&one[k], n, &sample, alone);
			assert_memory_equal(out, alone, bytes[k]);
		}
		for (unsigned k = 0; k < 4; k++)
			pkt_frame_fini(&one[k]);
		pkt_frame_fini(&frame);
		opt_set_fini(&set);
	}
}

/* ---- sets of values ---- */

struct tuple {
	uint32_t src, dst;
	uint16_t src_port, dst_port;
};

static int compare_tuples(const void *a, const void *b)
{
	return memcmp(a, b, sizeof(struct tuple));
}

static unsigned count_tuples(const struct pkt_frame *frame, unsigned nb)
{
	struct tuple *tuples = calloc(nb, sizeof(*tuples));
	unsigned distinct = 1;
	uint8_t out[60];

	for (unsigned n = 0; n < nb; n++) {
		pkt_render(frame, n, &sample, out);
		tuples[n] = (struct tuple){pkt_get32(out + 26), pkt_get32(out + 30),
			pkt_get16(out + 34), pkt_get16(out + 36)};
	}
	qsort(tuples, nb, sizeof(*tuples), compare_tuples);
	for (unsigned n = 1; n < nb; n++)
		distinct += compare_tuples(&tuples[n - 1], &tuples[n]) != 0;
	free(tuples);
	return distinct;
}

static void each_set_of_values_is_complete_after_its_period(void **state)
{
	/* clang-format off */
	static const struct {
		const char *words[MAX_WORDS];
		unsigned distinct, period;
	} cases[] = {
		{{"ip-dst=10.0.1.1-10.0.1.4", "ip-src=10.0.0.1-10.0.0.6"}, 12, 12},
		{{"ip-dst=10.0.1.1-10.0.1.4", "ip-src=10.0.0.1-10.0.0.6", "nest=all"}, 24, 24},
		{{"ip-dst=10.0.1.1-10.0.1.4", "ip-src=10.0.0.1-10.0.0.6", "udp-src-port=1-10",
			"udp-dst-port=list:80+443+53", "nest=all"}, 720, 720},
		{{"ip-dst=10.0.1.1-10.0.1.9", "ip-src=10.0.0.1-10.0.0.9", "udp-src-port=1-100"}, 900, 900},
		{{"ip-dst=10.0.1.1-10.0.1.9", "ip-src=10.0.0.1-10.0.0.9", "udp-src-port=1-99",
			"nest=ip-src+ip-dst,udp-src-port"}, 891, 891},
		{{"ip-dst=10.0.1.1-10.0.1.4", "ip-src=10.0.0.1-10.0.0.6",
			"udp-src-port=shuffle:1-50", "nest=udp-src-port,ip-src+ip-dst"}, 600, 600},
		{{"ip-dst=10.0.1.1-10.0.1.9", "udp-src-port=rand:1-65535+count=100", "nest=all"}, 900, 900},
		{{"ip-dst=10.0.1.1-10.0.1.250", "ip-src=10.0.0.1-10.0.0.200",
			"nest=ip-src,ip-dst"}, 50000, 50000},
		{{"ip-dst=10.0.1.1", "udp-src-port=shuffle:0-65535"}, 65536, 65536},
	};
	/* clang-format on */

	(void)state;
	for (unsigned i = 0; i < NB(cases); i++) {
		struct pkt_frame frame;

		build(cases[i].words, 60, &frame);
		assert_int_equal(pkt_period(&frame), cases[i].period);
		assert_int_equal(count_tuples(&frame, cases[i].period), cases[i].distinct);
		assert_int_equal(count_tuples(&frame, 2 * cases[i].period), cases[i].distinct);
		pkt_frame_fini(&frame);
	}
}

static void nested_groups_move_when_those_before_have_gone_round(void **state)
{
	/* clang-format off */
	static const struct {
		const char *words[MAX_WORDS];
		uint16_t ports[8][2]; /* source, destination */
	} cases[] = {
		{{"udp-src-port=1-3", "udp-dst-port=11-12"},
			{{1, 11}, {2, 12}, {3, 11}, {1, 12}, {2, 11}, {3, 12}, {1, 11}, {2, 12}}},
		{{"udp-src-port=1-3", "udp-dst-port=11-12", "nest=all"},
			{{1, 11}, {2, 11}, {3, 11}, {1, 12}, {2, 12}, {3, 12}, {1, 11}, {2, 11}}},
		{{"udp-src-port=1-3", "udp-dst-port=11-12", "nest=udp-dst-port,udp-src-port"},
			{{1, 11}, {1, 12}, {2, 11}, {2, 12}, {3, 11}, {3, 12}, {1, 11}, {1, 12}}},
		{{"udp-src-port=1-3", "udp-dst-port=11-13", "nest=udp-src-port+udp-dst-port"},
			{{1, 11}, {2, 12}, {3, 13}, {1, 11}, {2, 12}, {3, 13}, {1, 11}, {2, 12}}},
		/* not named: with each frame */
		{{"udp-src-port=1-3", "udp-dst-port=11-14", "ip-src=1.1.1.1-1.1.1.2",
			"nest=ip-src,udp-src-port"},
			{{1, 11}, {1, 12}, {2, 13}, {2, 14}, {3, 11}, {3, 12}, {1, 13}, {1, 14}}},
	};
	/* clang-format on */

	(void)state;
	for (unsigned i = 0; i < NB(cases); i++) {
		const char *words[MAX_WORDS + 1] = {"ip-dst=1.2.3.4"};
		struct pkt_frame frame;
		uint8_t out[60];

		memcpy(words + 1, cases[i].words, (MAX_WORDS - 1) * sizeof(words[0]));
		build(words, 60, &frame);
		for (unsigned n = 0; n < 8; n++) {
			pkt_render(&frame, n, &sample, out);
			assert_int_equal(pkt_get16(out + ETH_UDP), cases[i].ports[n][0]);
			assert_int_equal(pkt_get16(out + ETH_UDP + 2), cases[i].ports[n][1]);
		}
		pkt_frame_fini(&frame);
	}
}

static void tags_of_one_item_vary_each_for_itself(void **state)
{
	const char *const words[] = {
		"header-stack=mac,vlan,vlan,ip,udp", "ip-dst=1.2.3.4", "vlan-id=rand:0-4095", NULL};
	struct pkt_frame frame;
	unsigned same = 0;
	uint8_t out[70];

	(void)state;
	build(words, 70, &frame);
	for (unsigned n = 0; n < 1000; n++) {
		pkt_render(&frame, n, &sample, out);
		same += pkt_get16(out + 14) == pkt_get16(out + 18);
	}
	assert_true(same < 10);
	pkt_frame_fini(&frame);
}

static void what_cannot_vary_so_is_refused_with_its_reason(void **state)
{
	/* clang-format off */
	static const struct {
		const char *words[MAX_WORDS], *text;
	} cases[] = {
		{{"nest=ip-srcc"}, "nest: there is no field \"ip-srcc\", did you mean \"ip-src\"?"},
		{{"nest=xyzzy"}, "nest: there is no field \"xyzzy\""},
		{{"nest=ip-src"}, "nest: ip-src does not vary"},
		{{"ip-src=1.1.1.1-1.1.1.2", "nest=ip-src,ip-src"}, "nest: names ip-src twice"},
		{{"ip-src=1.1.1.1-1.1.1.2", "nest=ip-src+"}, "nest: there is no field \"\""},
		{{"ip-src=1.1.1.0/24", "udp-src-port=1-2", "nest=ip-src,udp-src-port"},
			"nest: udp-src-port comes after a random field"},
		{{"ip-src=1.1.1.0/24", "udp-src-port=1-2", "nest=all"},
			"nest: udp-src-port comes after a random field"},
		{{"ip-src=0.0.0.0-255.255.255.255", "udp-src-port=1-2", "ip-id=0-9",
			"nest=ip-src,udp-src-port"}, "nest: udp-src-port would move after more than 2^32"},
		{{"ip-dscp=0-9", "random-ranges=15:8:1-2"},
			"random-ranges: varies bits that ip-dscp varies already"},
	};
	/* clang-format on */

	(void)state;
	for (unsigned i = 0; i < NB(cases); i++) {
		const char *words[MAX_WORDS + 1] = {"ip-dst=1.2.3.4"};
		struct err err = {0};
		struct pkt_frame frame;

		memcpy(words + 1, cases[i].words, (MAX_WORDS - 1) * sizeof(words[0]));
		assert_int_equal(try_build(words, &assumed, 60, &frame, &err), -EINVAL);
		if (strncmp(err.text, cases[i].text, strlen(cases[i].text)) != 0)
			fail_msg("%s, not: %s", err.text, cases[i].text);
		assert_null(frame.mods);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_field_of_any_width_and_place_has_the_values_of_its_form),
		cmocka_unit_test(ranges_of_128_bits_that_are_too_long_to_lay_out_are_refused),
		cmocka_unit_test(every_checksum_is_right_in_every_frame),
		cmocka_unit_test(frames_are_the_same_whatever_the_stride_and_the_buffer),
		cmocka_unit_test(a_frame_of_several_sizes_is_each_of_them_alone),
		cmocka_unit_test(each_set_of_values_is_complete_after_its_period),
		cmocka_unit_test(nested_groups_move_when_those_before_have_gone_round),
		cmocka_unit_test(tags_of_one_item_vary_each_for_itself),
		cmocka_unit_test(what_cannot_vary_so_is_refused_with_its_reason),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
