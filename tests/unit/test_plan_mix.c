/* SPDX-License-Identifier: BSD-3-Clause */
/* Streams of several sizes: what fits, and rates that are exact on average. */
#include "plan_help.h"

#include <errno.h>

#define G 1000000000ull

#define CONF                                                                                       \
	"{'ports': ["                                                                              \
	"{'name': 'ether1', 'device': 'ring:a', 'address': ['1.1.1.1/24']},"                       \
	"{'name': 'ether2', 'device': 'ring:b', 'address': ['2.2.2.2/24']}],"                      \
	"'packet-templates': ["                                                                    \
	"{'name': 'r12', 'mac-dst': '02:00:00:00:00:0a', 'ip-dst': '2.2.2.2', 'port': 'ether1'},"  \
	"{'name': 'tag', 'mac-dst': '02:00:00:00:00:0a', 'ip-dst': '2.2.2.2', 'port': 'ether1',"   \
	" 'header-stack': ['mac', 'vlan', 'ip', 'udp'], 'vlan-id': 5}],"                           \
	"'streams': [\n{'name': 's', 'tx-template': 'tag', 'pps': 1, 'packet-size': '60-70'}]}"

static int make_sized(struct made *m, const char *words, uint64_t speed_bps)
{
	struct plan_facts facts[2];

	make(m, CONF, words, 2);
	assert_made(m, words);
	facts_make(m->plan, facts);
	facts[0].speed_bps = facts[1].speed_bps = speed_bps;
	return plan_size(m->plan, facts, &m->err);
}

static void rates_are_exact_on_average(void **state)
{
	static const struct {
		const char *words;
		uint64_t num, den; /* packets a second */
	} cases[] = {
		/* 60·7 + 590·4 + 1514 = 4294 bytes in 12 packets */
		{"packet-size=60=7+590=4+1514=1 mbps=300", 300000000ull * 12, 8 * 4294},
		{"packet-size=60=7+590=4+1514=1 mbps=300 rate-layer=l1", 300000000ull * 12,
			8 * (4294 + 12 * 24)},
		{"packet-size=60=7+590=4+1514=1 mbps=300 rate-layer=l2", 300000000ull * 12,
			8 * (4294 + 12 * 4)},
		{"packet-size=60=7+590=4+1514=1 mbps=300 rate-layer=l3", 300000000ull * 12,
			8 * (4294 - 12 * 14)},
		{"frame-size=imix mbps=300", 300000000ull * 12, 8 * (4342 - 48)},
		{"packet-size=imix pps=max", G * 12, 8 * (4342 + 12 * 20)},
		{"packet-size=imix percent=100", G * 12, 8 * (4342 + 12 * 20)},
		{"packet-size=imix percent=50", G * 6, 8 * (4342 + 12 * 20)},
		{"packet-size=imix percent=0.000001", G * 12, 8ull * (4342 + 12 * 20) * 100000000},
		{"packet-size=60-1514 mbps=0.000001", 1, 8 * 787},
		{"packet-size=genome:aaafg mbps=7", 7000000ull * 5, 8 * (192 + 1280 + 1518 - 20)},
		{"packet-size=60-1514 pps=1.5k", 1500, 1},
	};

	(void)state;
	for (unsigned i = 0; i < NB(cases); i++) {
		const struct plan_stream *s;
		char words[256];
		struct made m;

		snprintf(words, sizeof(words), "tx-template=r12 %s", cases[i].words);
		if (make_sized(&m, words, G) != 0)
			fail_msg("%s: %s", words, m.err.text);
		s = &m.plan->streams[0];
		if ((unsigned __int128)s->configured.num * cases[i].den !=
			(unsigned __int128)s->configured.den * cases[i].num)
			fail_msg("%s: %llu/%llu", words, (unsigned long long)s->configured.num,
				(unsigned long long)s->configured.den);
		assert_int_equal(s->sched.num, s->asked.num);
		assert_int_equal(s->sched.den, s->asked.den);
		assert_true(sched_is_plain(&s->sched));
		assert_int_equal(m.plan->nb_notes, 0);
		made_fini(&m);
	}
}

/* What leaves in an hour of the asked rate, frame for frame, is the asked number of bits. */
static void an_hour_has_the_bits_that_were_asked_for(void **state)
{
	static const char *const sizes[] = {"imix", "60-1514", "64-128=2+1514=1", "genome:ababz"};

	(void)state;
	for (unsigned i = 0; i < NB(sizes); i++) {
		const struct plan_stream *s;
		uint64_t frames, bytes, rounds;
		char words[256];
		struct made m;

		snprintf(words, sizeof(words), "tx-template=r12 mbps=1 packet-size=%s", sizes[i]);
		assert_int_equal(make_sized(&m, words, 0), 0);
		s = &m.plan->streams[0];
		frames = sched_count(&s->sched, 3600 * UNITS_NS_PER_S);
		rounds = frames / s->sizes.period;
		bytes = rounds * s->sizes.sum;
		for (uint64_t n = rounds * s->sizes.period; n < frames; n++)
			bytes += s->sizes.bytes[s->sizes.order[n % s->sizes.period]];
		/* to less than what a mix can be away from its mean in a round of a range */
		if (bytes * 8 < 3600000000ull - 8 * 200000 ||
			bytes * 8 > 3600000000ull + 8 * 200000)
			fail_msg("%s: %llu bits", sizes[i], (unsigned long long)bytes * 8);
		made_fini(&m);
	}
}

static void several_sizes_over_the_line_are_lowered_by_their_mean(void **state)
{
	const struct plan_stream *s;
	struct made m;
	double load = 0;

	(void)state;
	assert_int_equal(
		make_sized(&m, "tx-template=r12,r12 packet-size=imix,60 mbps=800,300", G), 0);
	s = m.plan->streams;
	for (unsigned i = 0; i < 2; i++)
		load += (double)s[i].asked.num / (double)s[i].asked.den * 8 *
			((double)s[i].sizes.sum / s[i].sizes.period + 24);
	assert_true(load <= (double)G && load > 0.999999 * (double)G);
	assert_int_equal(m.plan->nb_notes, 1);
	assert_int_equal(s[0].sched.num, s[0].asked.num);
	made_fini(&m);
}

static void a_size_that_does_not_fit_names_what_does(void **state)
{
	static const struct {
		const char *words, *says;
	} cases[] = {
		{"tx-template=r12 packet-size=60-1515",
			"packet-size: 1515 is more than port ether1 "
			"carries: its MTU of 1500 makes packets of "
			"at most 1514 bytes"},
		{"tx-template=r12 frame-size=64=1+1519=1",
			"frame-size: 1519 is more than port ether1 carries: its MTU of 1500 makes "
			"packets of at most 1518 bytes with FCS"},
		{"tx-template=r12 packet-size=genome:ah",
			"packet-size: genome:ah: 2108 is more than"},
		{"tx-template=tag packet-size=60-100",
			"packet-size: 60 is too small for template tag: its headers and the "
			"signature need at least 64 bytes"},
		{"tx-template=tag packet-size=imix",
			"packet-size: imix: 60 is too small for template tag"},
		{"tx-template=tag frame-size=imix",
			"frame-size: imix: 64 is too small for template tag"},
		{"tx-template=tag frame-size=64",
			"frame-size: 64 is too small for template tag: its headers and the "
			"signature need at least 68 bytes with FCS"},
		/* what the file says is told with its place */
		{"stream=s", "tgen.json:2:62: streams[0].packet-size: 60 is too small"},
	};

	(void)state;
	for (unsigned i = 0; i < NB(cases); i++) {
		char words[256];
		struct made m;

		snprintf(words, sizeof(words), "%s pps=1", cases[i].words);
		if (make_sized(&m, words, 0) != -EINVAL)
			fail_msg("%s is taken", words);
		if (strncmp(m.err.text, cases[i].says, strlen(cases[i].says)) != 0)
			fail_msg("%s: %s", words, m.err.text);
		made_fini(&m);
	}
}

static void tags_come_on_top_of_the_mtu(void **state)
{
	struct made m;

	(void)state;
	assert_int_equal(make_sized(&m,
				 "tx-template=tag,tag,tag pps=1 "
				 "packet-size=0,genome:z,68-1518",
				 0),
		0);
	for (unsigned i = 0; i < 3; i++)
		assert_int_equal(m.plan->streams[i].size, 1518);
	made_fini(&m);
}

static void streams_of_the_same_sizes_share_them(void **state)
{
	const struct plan_stream *s;
	struct made m;

	(void)state;
	assert_int_equal(make_sized(&m,
				 "tx-template=r12,r12,r12 pps=1 packet-size=60-1514 "
				 "seed=1,1,2",
				 0),
		0);
	s = m.plan->streams;
	assert_ptr_equal(s[0].sizes.order, s[1].sizes.order);
	assert_ptr_not_equal(s[0].sizes.order, s[2].sizes.order);
	made_fini(&m);
}

static void frames_are_built_in_all_their_sizes(void **state)
{
	struct pkt_frame *frame;
	uint8_t out[1514];
	struct made m;

	(void)state;
	assert_int_equal(make_sized(&m, "tx-template=r12,r12 pps=1 packet-size=imix,100", 0), 0);
	if (plan_build(m.plan, &m.err) != 0)
		fail_msg("%s", m.err.text);
	frame = &m.plan->streams[0].frame;
	assert_ptr_equal(frame->sizes, &m.plan->streams[0].sizes);
	for (unsigned n = 0; n < 24; n++)
		assert_int_equal(pkt_render(frame, n, NULL, out),
			m.plan->streams[0].sizes.bytes[m.plan->streams[0].sizes.order[n % 12]]);
	assert_int_equal(pkt_render(&m.plan->streams[1].frame, 5, NULL, out), 100);
	made_fini(&m);
}

static void the_serialisation_of_a_mix_is_told_for_its_largest_size(void **state)
{
	struct made m;

	(void)state;
	assert_int_equal(
		make_sized(&m, "tx-template=r12 pps=1 packet-size=imix latency-type=lilo", G), 0);
	/* of 1514 bytes and FCS at 1 Gbit/s; the receiver takes each packet's own share of it */
	assert_int_equal(m.plan->streams[0].lat_minus_ns, 8 * 1518);
	made_fini(&m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(rates_are_exact_on_average),
		cmocka_unit_test(an_hour_has_the_bits_that_were_asked_for),
		cmocka_unit_test(several_sizes_over_the_line_are_lowered_by_their_mean),
		cmocka_unit_test(a_size_that_does_not_fit_names_what_does),
		cmocka_unit_test(tags_come_on_top_of_the_mtu),
		cmocka_unit_test(streams_of_the_same_sizes_share_them),
		cmocka_unit_test(frames_are_built_in_all_their_sizes),
		cmocka_unit_test(the_serialisation_of_a_mix_is_told_for_its_largest_size),
	};

	return cmocka_run_group_tests(tests, plan_enter, plan_leave);
}
