/* SPDX-License-Identifier: BSD-3-Clause */
/* Rates are exact fractions, and what a line cannot carry is lowered in proportion and said. */
#include "plan_help.h"

#define G	  1000000000ull
#define NB_ROUNDS 2000
#define CAP_MAX	  40

#define CONF                                                                                       \
	"{'ports': ["                                                                              \
	"{'name': 'ether1', 'device': 'ring:a', 'address': ['1.1.1.1/24']},"                       \
	"{'name': 'ether2', 'device': 'ring:b', 'address': ['2.2.2.2/24']}],"                      \
	"'packet-templates': ["                                                                    \
	"{'name': 'r12', 'ip-gateway': '1.1.1.254', 'ip-dst': '2.2.2.2'},"                         \
	"{'name': 'r21', 'ip-gateway': '2.2.2.254', 'ip-dst': '1.1.1.1'}]}"

/* A plan of the words, sized for ports of this speed. */
static void make_sized(struct made *m, const char *words, uint64_t speed_bps)
{
	struct plan_facts facts[2];

	make(m, CONF, words, 2);
	assert_made(m, words);
	facts_make(m->plan, facts);
	facts[0].speed_bps = facts[1].speed_bps = speed_bps;
	if (plan_size(m->plan, facts, &m->err) < 0)
		fail_msg("%s: %s", words, m->err.text);
}

static bool same_rate(struct plan_rate a, struct plan_rate b)
{
	return (unsigned __int128)a.num * b.den == (unsigned __int128)b.num * a.den;
}

/* Bits that a stream's frames take of the line: FCS, preamble, SFD and gap are 24 bytes. */
static double wire_bps(const struct plan_stream *s)
{
	return (double)s->asked.num / (double)s->asked.den * 8 * (s->size + 24);
}

static void rates_are_exact_fractions(void **state)
{
	static const struct {
		const char *words;
		struct plan_rate rate;
		uint32_t layer_bytes;
	} cases[] = {
		{"mbps=300 packet-size=60", {300000000, 480}, 60},
		{"mbps=0.000001 packet-size=1514", {1, 12112}, 1514},
		{"mbps=300 packet-size=60 rate-layer=l1", {300000000, 672}, 84},
		{"mbps=300 packet-size=60 rate-layer=l2", {300000000, 512}, 64},
		{"mbps=300 packet-size=60 rate-layer=l3", {300000000, 368}, 46},
		{"pps=1.5k packet-size=60", {1500, 1}, 60},
		{"pps=0.000001 packet-size=60", {1, 1000000}, 60},
		{"pps=148.80952M packet-size=60", {148809520, 1}, 60},
		{"pps=10 packet-size=60 rate-layer=l1", {10, 1}, 84},
	};

	(void)state;
	for (unsigned i = 0; i < NB(cases); i++) {
		const struct plan_stream *s;
		char words[256];
		struct made m;

		snprintf(words, sizeof(words), "tx-template=r12 %s", cases[i].words);
		make_sized(&m, words, 0);
		s = &m.plan->streams[0];
		if (!same_rate(s->configured, cases[i].rate) || !same_rate(s->asked, s->configured))
			fail_msg("%s: %llu/%llu", words, (unsigned long long)s->configured.num,
				(unsigned long long)s->configured.den);
		assert_int_equal(s->layer_bytes, cases[i].layer_bytes);
		assert_false(s->flat_out);
		assert_int_equal(m.plan->nb_notes, 0);
		made_fini(&m);
	}
}

static void max_is_the_line_where_there_is_one(void **state)
{
	const struct plan_stream *s;
	struct made m;

	(void)state;
	make_sized(&m, "tx-template=r12 pps=max packet-size=60", G);
	s = &m.plan->streams[0];
	assert_false(s->flat_out);
	assert_true(same_rate(s->configured, (struct plan_rate){G, 672}));
	assert_true(same_rate(s->asked, s->configured));
	assert_int_equal(plan_rate_upps(s->asked), 1488095238095);
	assert_int_equal(m.plan->nb_notes, 0);
	made_fini(&m);
	make_sized(&m, "tx-template=r12 pps=max packet-size=60", 0);
	assert_true(m.plan->streams[0].flat_out);
	assert_int_equal(m.plan->nb_notes, 0);
	made_fini(&m);
}

static void several_at_max_share_the_line_without_a_note(void **state)
{
	struct made m;

	(void)state;
	make_sized(&m, "tx-template=r12,r12,r21 pps=max packet-size=60,1514,60", G);
	assert_true(wire_bps(&m.plan->streams[0]) + wire_bps(&m.plan->streams[1]) <= (double)G);
	assert_true(wire_bps(&m.plan->streams[0]) > 0.499 * (double)G);
	assert_true(wire_bps(&m.plan->streams[1]) > 0.499 * (double)G);
	assert_true(same_rate(m.plan->streams[2].asked, (struct plan_rate){G, 672}));
	assert_int_equal(m.plan->nb_notes, 0);
	made_fini(&m);
}

static void what_exceeds_the_line_is_lowered_alike_and_said(void **state)
{
	const struct plan_stream *s;
	struct made m;
	double sum;

	(void)state;
	/* 1000 Mbit/s of packets are 1047.2 on the wire */
	make_sized(&m, "tx-template=r12,r12,r21 packet-size=508 mbps=500", G);
	s = m.plan->streams;
	sum = wire_bps(&s[0]) + wire_bps(&s[1]);
	assert_true(sum <= (double)G && sum > 0.999999 * (double)G);
	assert_true(same_rate(s[0].asked, s[1].asked));
	assert_true(same_rate(s[0].configured, (struct plan_rate){500000000, 4064}));
	assert_true(same_rate(s[1].configured, s[0].configured));
	/* the port in the other direction carries its one */
	assert_true(same_rate(s[2].asked, s[2].configured));
	assert_int_equal(m.plan->nb_notes, 1);
	assert_non_null(strstr(m.plan->notes[0], "port ether1: its 2 streams ask for 1047.2Mbps"));
	assert_non_null(strstr(m.plan->notes[0], "more than the line's 1G"));
	made_fini(&m);
}

static void exactly_the_line_is_not_lowered(void **state)
{
	struct made m;

	(void)state;
	make_sized(&m, "tx-template=r12,r12 packet-size=60 mbps=500 rate-layer=l1", G);
	assert_int_equal(m.plan->nb_notes, 0);
	assert_true(same_rate(m.plan->streams[0].asked, m.plan->streams[0].configured));
	made_fini(&m);
	make_sized(&m, "tx-template=r12,r12 packet-size=60 mbps=500,500.000001 rate-layer=l1", G);
	assert_int_equal(m.plan->nb_notes, 1);
	made_fini(&m);
}

static void lowering_keeps_the_proportion(void **state)
{
	const struct plan_stream *s;
	struct made m;
	double ratio;

	(void)state;
	make_sized(&m, "tx-template=r12,r12 packet-size=60,1514 mbps=300,900", G);
	s = m.plan->streams;
	ratio = wire_bps(&s[0]) / wire_bps(&s[1]) / (300.0 * 84 / 60) * (900.0 * 1538 / 1514);
	assert_true(ratio > 0.999999 && ratio < 1.000001);
	made_fini(&m);
}

/* The same numbers in every run (xorshift64). */
static uint64_t next_random(uint64_t *state)
{
	*state ^= *state << 13;
	*state ^= *state >> 7;
	*state ^= *state << 17;
	return *state;
}

static void no_lowered_sum_is_ever_above_the_line(void **state)
{
	struct plan_stream streams[CAP_MAX], *pointers[CAP_MAX];
	uint64_t seed = 0x7467;

	(void)state;
	for (unsigned i = 0; i < CAP_MAX; i++)
		pointers[i] = &streams[i];
	for (unsigned round = 0; round < NB_ROUNDS; round++) {
		unsigned nb = 1 + (unsigned)(next_random(&seed) % CAP_MAX);
		uint64_t speed = 1000 + next_random(&seed) % (400 * G);
		unsigned __int128 load = 0;

		memset(streams, 0, sizeof(streams));
		for (unsigned i = 0; i < nb; i++) {
			streams[i].size = 60 + (uint32_t)(next_random(&seed) % 9000);
			streams[i].sizes.period = 1;
			streams[i].sizes.sum = streams[i].size;
			streams[i].asked.num = 1 + next_random(&seed) % (400 * G);
			streams[i].asked.den = 1 + (next_random(&seed) >> next_random(&seed) % 60) %
							   (8 * 9000 + UNITS_MICROS);
			load += plan_wire_load(&streams[i]);
		}
		if (!plan_cap(pointers, nb, load, speed))
			continue;
		load = 0;
		for (unsigned i = 0; i < nb; i++) {
			assert_true(streams[i].asked.den > 0);
			/* a stream that was asked for is never lowered to nothing */
			assert_true(streams[i].asked.num > 0);
			/* in micro-bit/s, exact: the denominator is a million */
			assert_int_equal(streams[i].asked.den, UNITS_MICROS);
			load += (unsigned __int128)streams[i].asked.num * 8 *
				(streams[i].size + 24);
		}
		assert_true(load <= (unsigned __int128)speed * UNITS_MICROS);
	}
}

static void the_slowest_stream_beside_the_fastest_still_sends(void **state)
{
	struct made m;

	(void)state;
	make_sized(&m, "tx-template=r12,r12 packet-size=60 pps=0.000001,10M", G);
	assert_true(m.plan->streams[0].asked.num > 0);
	assert_true(wire_bps(&m.plan->streams[0]) + wire_bps(&m.plan->streams[1]) <= (double)G);
	assert_int_equal(m.plan->nb_notes, 1);
	made_fini(&m);
}

static void micro_pps_round_down_and_saturate(void **state)
{
	(void)state;
	assert_int_equal(plan_rate_upps((struct plan_rate){300000000, 480}), 625000000000);
	assert_int_equal(plan_rate_upps((struct plan_rate){2, 3}), 666666);
	assert_int_equal(plan_rate_upps((struct plan_rate){1, 1000001}), 0);
	assert_true(plan_rate_upps((struct plan_rate){UINT64_MAX, 1}) == UINT64_MAX);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(rates_are_exact_fractions),
		cmocka_unit_test(max_is_the_line_where_there_is_one),
		cmocka_unit_test(several_at_max_share_the_line_without_a_note),
		cmocka_unit_test(what_exceeds_the_line_is_lowered_alike_and_said),
		cmocka_unit_test(exactly_the_line_is_not_lowered),
		cmocka_unit_test(lowering_keeps_the_proportion),
		cmocka_unit_test(no_lowered_sum_is_ever_above_the_line),
		cmocka_unit_test(the_slowest_stream_beside_the_fastest_still_sends),
		cmocka_unit_test(micro_pps_round_down_and_saturate),
	};

	return cmocka_run_group_tests(tests, plan_enter, plan_leave);
}
