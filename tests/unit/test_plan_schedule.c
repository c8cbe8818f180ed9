/* SPDX-License-Identifier: BSD-3-Clause */
/* When the frames of a stream leave: bursts, profiles, delays, one after the other. */
#include "plan_help.h"

#include <errno.h>

#define G	1000000000ull
#define S	UNITS_NS_PER_S
#define MS	(S / 1000)
#define WIRE_60 84 /* bytes that a packet of 60 takes of the line */

#define CONF                                                                                       \
	"{'ports': ["                                                                              \
	"{'name': 'ether1', 'device': 'ring:a', 'address': ['1.1.1.1/24']},"                       \
	"{'name': 'ether2', 'device': 'ring:b', 'address': ['2.2.2.2/24']}],"                      \
	"'packet-templates': ["                                                                    \
	"{'name': 'a', 'ip-gateway': '1.1.1.254', 'ip-dst': '2.2.2.2'},"                           \
	"{'name': 'b', 'ip-gateway': '1.1.1.254', 'ip-dst': '2.2.2.2'},"                           \
	"{'name': 'c', 'ip-gateway': '1.1.1.254', 'ip-dst': '2.2.2.2'},"                           \
	"{'name': 'd', 'ip-gateway': '2.2.2.254', 'ip-dst': '1.1.1.1'}]}"

static int try_sized(struct made *m, const char *words, uint64_t speed_bps)
{
	struct plan_facts facts[2];
	char text[512];

	snprintf(text, sizeof(text), "%s packet-size=60", words);
	make(m, CONF, text, 2);
	assert_made(m, words);
	facts_make(m->plan, facts);
	facts[0].speed_bps = facts[1].speed_bps = speed_bps;
	return plan_size(m->plan, facts, &m->err);
}

static void make_sized(struct made *m, const char *words, uint64_t speed_bps)
{
	if (try_sized(m, words, speed_bps) != 0)
		fail_msg("%s: %s", words, m->err.text);
}

static uint64_t upps(uint64_t num, uint64_t den)
{
	return plan_rate_upps((struct plan_rate){num, den});
}

static double wire_bps(const struct plan_stream *s)
{
	return (double)s->asked.num / (double)s->asked.den * 8 * WIRE_60;
}

static void the_rate_of_bursts_is_that_within_them(void **state)
{
	const struct plan_stream *s;
	struct made m;

	(void)state;
	/* 10 packets, 9 intervals of 1 ms and a gap of 91 ms: 100 ms */
	make_sized(
		&m, "tx-template=a pps=1k burst-packets=10 inter-burst-gap=91ms burst-count=7", 0);
	s = &m.plan->streams[0];
	assert_int_equal(s->sched.burst_packets, 10);
	assert_int_equal(s->sched.burst_count, 7);
	assert_int_equal(s->sched.gap_ns, 91 * MS);
	assert_int_equal(upps(s->sched.num, s->sched.den), 1000 * UNITS_MICROS);
	assert_int_equal(upps(s->configured.num, s->configured.den), 100 * UNITS_MICROS);
	assert_int_equal(upps(s->asked.num, s->asked.den), 100 * UNITS_MICROS);
	assert_int_equal(s->packet_count, 70);
	assert_false(s->flat_out);
	made_fini(&m);
	/* packet-count ends it sooner; a burst a second is the default */
	make_sized(&m, "tx-template=a pps=1k burst-packets=10 packet-count=15 burst-count=7", 0);
	s = &m.plan->streams[0];
	assert_int_equal(s->packet_count, 15);
	assert_int_equal(s->sched.gap_ns, S);
	made_fini(&m);
	make_sized(&m, "tx-template=a pps=1k burst-packets=10", 0);
	assert_true(m.plan->streams[0].packet_count == UINT64_MAX);
	assert_true(m.plan->streams[0].sched.burst_count == SCHED_NO_END);
	made_fini(&m);
}

static void bursts_at_max_have_the_line_or_no_interval(void **state)
{
	const struct plan_stream *s;
	struct made m;

	(void)state;
	make_sized(&m, "tx-template=a pps=max burst-packets=10 inter-burst-gap=100ms", G);
	s = &m.plan->streams[0];
	assert_int_equal(upps(s->sched.num, s->sched.den), 1488095238095);
	assert_int_equal(m.plan->nb_notes, 0);
	made_fini(&m);
	make_sized(&m, "tx-template=a pps=max burst-packets=10 inter-burst-gap=100ms", 0);
	s = &m.plan->streams[0];
	assert_int_equal(s->sched.num, 0);
	assert_false(s->flat_out);
	assert_int_equal(upps(s->asked.num, s->asked.den), 100 * UNITS_MICROS);
	made_fini(&m);
}

static void a_peak_above_the_line_is_lowered_and_said(void **state)
{
	const struct plan_stream *s;
	struct made m;

	(void)state;
	make_sized(&m, "tx-template=a,b pps=2M,5 burst-packets=10,0 inter-burst-gap=100ms", G);
	s = m.plan->streams;
	assert_int_equal(upps(s[0].sched.num, s[0].sched.den), 1488095238095);
	assert_int_equal(upps(s[1].asked.num, s[1].asked.den), 5 * UNITS_MICROS);
	assert_int_equal(m.plan->nb_notes, 1);
	assert_non_null(strstr(m.plan->notes[0], "1 of its streams ask for more than the line"));
	made_fini(&m);
	make_sized(&m, "tx-template=a rate-profile=0s=5pps+1s=2000mbps duration=10s", G);
	s = m.plan->streams;
	assert_int_equal(s->sched.points[0].num, 5);
	assert_int_equal(upps(s->sched.points[1].num, s->sched.points[1].den), 1488095238095);
	assert_int_equal(m.plan->nb_notes, 1);
	made_fini(&m);
}

static void bursts_beyond_the_line_get_longer_gaps(void **state)
{
	const struct plan_stream *s;
	uint64_t num, den;
	struct made m;

	(void)state;
	/* two streams of 800 Mbit/s on the wire, one of them in bursts at full line rate */
	make_sized(&m,
		"tx-template=a,b mbps=1000,800 rate-layer=l1 burst-packets=1000,0 "
		"inter-burst-gap=168us",
		G);
	s = m.plan->streams;
	assert_true(wire_bps(&s[0]) + wire_bps(&s[1]) <= (double)G);
	assert_true(wire_bps(&s[0]) + wire_bps(&s[1]) > 0.9999 * (double)G);
	assert_int_equal(upps(s[0].sched.num, s[0].sched.den), 1488095238095);
	assert_true(s[0].sched.gap_ns > 168000);
	sched_mean(&s[0].sched, 0, &num, &den);
	assert_true(upps(num, den) <= upps(s[0].asked.num, s[0].asked.den));
	assert_true(upps(num, den) > upps(s[0].asked.num, s[0].asked.den) / 10000 * 9999);
	made_fini(&m);
}

static void profiles_are_packets_a_second_and_their_mean_is_asked(void **state)
{
	const struct plan_stream *s;
	struct made m;

	(void)state;
	make_sized(&m, "tx-template=a rate-profile=steps:0s=48mbps+1s=10%+3s=7pps duration=4s", G);
	s = &m.plan->streams[0];
	assert_false(s->sched.linear);
	assert_int_equal(s->sched.nb_points, 3);
	assert_int_equal(s->sched.points[1].at_ns, S);
	assert_int_equal(upps(s->sched.points[0].num, s->sched.points[0].den), 100000000000);
	assert_int_equal(upps(s->sched.points[1].num, s->sched.points[1].den), 148809523809);
	assert_int_equal(upps(s->sched.points[2].num, s->sched.points[2].den), 7000000);
	/* (100000 + 2 · 148809.52 + 7) / 4 */
	assert_int_equal(upps(s->asked.num, s->asked.den) / UNITS_MICROS, 99406);
	made_fini(&m);
	/* without a duration: up to the last point */
	make_sized(&m, "tx-template=a rate-profile=linear:0s=0+10s=100pps", 0);
	s = &m.plan->streams[0];
	assert_true(s->sched.linear);
	assert_int_equal(upps(s->asked.num, s->asked.den), 50 * UNITS_MICROS);
	made_fini(&m);
	assert_int_equal(
		try_sized(&m, "tx-template=a rate-profile=0s=0+10s=9pps duration=5s", 0), -EINVAL);
	assert_non_null(strstr(m.err.text, "its rate comes to nothing in this run"));
	made_fini(&m);
}

static void profiles_beyond_the_line_keep_their_form(void **state)
{
	const struct plan_stream *s;
	struct made m;
	double ratio;

	(void)state;
	make_sized(&m,
		"tx-template=a,b rate-layer=l1 rate-profile=0s=600mbps+1s=900mbps duration=2s", G);
	s = m.plan->streams;
	assert_true(wire_bps(&s[0]) + wire_bps(&s[1]) <= (double)G);
	ratio = (double)upps(s[0].sched.points[0].num, s[0].sched.points[0].den) /
		(double)upps(s[0].sched.points[1].num, s[0].sched.points[1].den);
	assert_true(ratio > 0.66666 && ratio < 0.66667);
	assert_int_equal(m.plan->nb_notes, 1);
	made_fini(&m);
}

static void gaps_at_random_keep_the_rate_and_have_the_seed(void **state)
{
	const struct plan_stream *s;
	struct made m;

	(void)state;
	make_sized(&m, "tx-template=a,b pps=1k gaps=poisson,even seed=9", 0);
	s = m.plan->streams;
	assert_true(s[0].sched.poisson);
	assert_int_equal(s[0].sched.seed, 9);
	assert_int_equal(upps(s[0].asked.num, s[0].asked.den), 1000 * UNITS_MICROS);
	assert_true(sched_is_plain(&s[1].sched));
	made_fini(&m);
}

static void a_delay_counts_from_the_start_or_the_end_of_another(void **state)
{
	const struct plan_stream *s;
	struct made m;

	(void)state;
	/* 10 packets of 0.1 s, then a second */
	make_sized(&m,
		"tx-template=a,b,c pps=10,20,5 packet-count=10,100,15 after=none,a,b "
		"start-delay=500ms,1s,0",
		0);
	s = m.plan->streams;
	assert_int_equal(s[0].sched.delay_ns, S / 2);
	assert_int_equal(s[1].sched.delay_ns, S / 2 + S + S);
	assert_int_equal(s[2].sched.delay_ns, S / 2 + S + S + 5 * S);
	assert_int_equal(m.plan->nb_notes, 0);
	made_fini(&m);
}

static void a_stream_too_late_for_the_run_is_told(void **state)
{
	struct made m;

	(void)state;
	make_sized(&m, "tx-template=a,b pps=10 packet-count=20 after=none,a duration=2s", 0);
	assert_int_equal(m.plan->nb_notes, 1);
	assert_non_null(
		strstr(m.plan->notes[0], "stream b would begin after the run has ended: it sends"));
	made_fini(&m);
}

static void chains_sum_up_in_any_order(void **state)
{
	static const char *const orders[] = {
		"stream=s1,s2,s3", "stream=s3,s2,s1", "stream=s2,s3,s1", "stream=s1,s3,s2"};
	static const char json[] =
		"{'ports': [{'name': 'ether1', 'device': 'ring:a', 'address': ['1.1.1.1/24']}],"
		"'packet-templates': ["
		"{'name': 'a', 'ip-gateway': '1.1.1.254', 'ip-dst': '2.2.2.2'}],"
		"'streams': ["
		"{'name': 's1', 'tx-template': 'a', 'pps': 10, 'packet-count': 50},"
		"{'name': 's2', 'tx-template': 'a', 'pps': 4, 'packet-count': 10, 'after': 's1',"
		" 'start-delay': '1s'},"
		"{'name': 's3', 'tx-template': 'a', 'pps': 1, 'after': 's2'}]}";

	(void)state;
	for (unsigned i = 0; i < NB(orders); i++) {
		struct plan_facts facts[1];
		struct made m;

		make(&m, json, orders[i], 2);
		assert_made(&m, orders[i]);
		facts_make(m.plan, facts);
		assert_int_equal(plan_size(m.plan, facts, &m.err), 0);
		for (unsigned k = 0; k < 3; k++) {
			const struct plan_stream *s = &m.plan->streams[k];
			uint64_t at = s->name[1] == '1' ? 0 : s->name[1] == '2' ? 6 : 8;

			/* 5 s; a second's delay; 2.5 s */
			assert_int_equal(s->sched.delay_ns, at == 8 ? 8 * S + S / 2 : at * S);
		}
		made_fini(&m);
	}
}

static void streams_one_after_the_other_have_the_line_each(void **state)
{
	const struct plan_stream *s;
	struct made m;

	(void)state;
	make_sized(&m, "tx-template=a,b,c percent=100 packet-count=99 after=none,a,b", G);
	for (unsigned i = 0; i < 3; i++)
		assert_true(wire_bps(&m.plan->streams[i]) > 0.999999 * (double)G);
	assert_int_equal(m.plan->nb_notes, 0);
	made_fini(&m);
	/* two that follow the same one are together; the one before them is alone */
	make_sized(&m, "tx-template=a,b,c percent=50,75,75 packet-count=99 after=none,a,a", G);
	s = m.plan->streams;
	assert_true(wire_bps(&s[1]) + wire_bps(&s[2]) <= (double)G);
	assert_true(wire_bps(&s[1]) + wire_bps(&s[2]) > 0.999999 * (double)G);
	assert_int_equal(m.plan->nb_notes, 1);
	made_fini(&m);
}

static void what_never_ends_is_followed_by_nothing(void **state)
{
	static const struct {
		const char *words, *says;
	} cases[] = {
		{"tx-template=a,b pps=1 after=none,c", "no stream \"c\" in this run"},
		{"tx-template=a,b pps=1 packet-count=5 after=b,a", "waits in the end for itself"},
		{"tx-template=a,b pps=1 packet-count=5 after=a", "\"a\" waits for itself"},
		{"tx-template=a,a,b pps=1 packet-count=5 after=a", "the name of several streams"},
		{"tx-template=a,b pps=1 packet-count=5,unlimited after=b,a", "\"b\" never ends"},
	};

	(void)state;
	for (unsigned i = 0; i < NB(cases); i++) {
		struct made m;

		make(&m, CONF, cases[i].words, 2);
		assert_refused(&m, cases[i].words, "after: ", cases[i].says);
		made_fini(&m);
	}
}

static void an_end_that_only_the_run_shows_is_waited_for_by_none(void **state)
{
	static const struct {
		const char *words, *says;
	} cases[] = {
		{"tx-template=a,b pps=max,1 packet-count=5 after=none,a",
			"\"a\" is sent as fast as it goes"},
		{"tx-template=a,b rate-profile=0s=3pps+1s=0 packet-count=5 after=none,a",
			"\"a\" never ends: its rate comes to nothing"},
	};

	(void)state;
	for (unsigned i = 0; i < NB(cases); i++) {
		struct made m;

		assert_int_equal(try_sized(&m, cases[i].words, 0), -EINVAL);
		if (strstr(m.err.text, cases[i].says) == NULL)
			fail_msg("%s: %s", cases[i].words, m.err.text);
		made_fini(&m);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_rate_of_bursts_is_that_within_them),
		cmocka_unit_test(bursts_at_max_have_the_line_or_no_interval),
		cmocka_unit_test(a_peak_above_the_line_is_lowered_and_said),
		cmocka_unit_test(bursts_beyond_the_line_get_longer_gaps),
		cmocka_unit_test(profiles_are_packets_a_second_and_their_mean_is_asked),
		cmocka_unit_test(profiles_beyond_the_line_keep_their_form),
		cmocka_unit_test(gaps_at_random_keep_the_rate_and_have_the_seed),
		cmocka_unit_test(a_delay_counts_from_the_start_or_the_end_of_another),
		cmocka_unit_test(a_stream_too_late_for_the_run_is_told),
		cmocka_unit_test(chains_sum_up_in_any_order),
		cmocka_unit_test(streams_one_after_the_other_have_the_line_each),
		cmocka_unit_test(what_never_ends_is_followed_by_nothing),
		cmocka_unit_test(an_end_that_only_the_run_shows_is_waited_for_by_none),
	};

	return cmocka_run_group_tests(tests, plan_enter, plan_leave);
}
