/* SPDX-License-Identifier: BSD-3-Clause */
/* Which streams a run has, and whose word counts: the command's or the stream's own. */
#include "plan_help.h"

#include <errno.h>

#define CONF                                                                                       \
	"{'ports': ["                                                                              \
	"{'name': 'ether1', 'device': 'ring:a', 'address': ['1.1.1.1/24'], 'speed': '1G'},"        \
	"{'name': 'ether2', 'device': 'ring:b', 'address': ['2.2.2.2/24']}],"                      \
	"'packet-templates': ["                                                                    \
	"{'name': 'r12', 'ip-gateway': '1.1.1.254', 'ip-dst': '2.2.2.2'},"                         \
	"{'name': 'r21', 'ip-gateway': '2.2.2.254', 'ip-dst': '1.1.1.1'},"                         \
	"{'name': 'voice', 'ip-gateway': '1.1.1.254', 'ip-dst': '2.2.2.2', 'ip-dscp': 46},"        \
	"{'name': 'whole', 'ip-gateway': '1.1.1.254', 'ip-dst': '2.2.2.2', 'ip-dscp': 184}],"      \
	"'streams': ["                                                                             \
	"{'name': 'a', 'tx-template': 'r12', 'packet-size': 60, 'mbps': 10, 'id': 5},"             \
	"{'name': 'b', 'tx-template': 'r21', 'frame-size': 'imix', 'pps': 100, 'seed': 3,"         \
	" 'packet-count': 50, 'weight': 3},"                                                       \
	"{'name': 'c', 'tx-template': 'r12', 'pps': '1k', 'disabled': true, 'after': 'b',"         \
	" 'start-delay': '2s', 'cpu-core': '1'},"                                                  \
	"{'name': 'd', 'tx-template': 'r12', 'weight': 2}]}"

#define OBJECTS_BEGIN                                                                              \
	"{'ports': [{'name': 'ether1', 'device': 'ring:a', 'address': ['1.1.1.1/24']}],"           \
	"'packet-templates': ["                                                                    \
	"{'name': 'r12', 'ip-gateway': '1.1.1.254', 'ip-dst': '2.2.2.2'}],"                        \
	"'streams': ["

static const struct plan_stream *of(const struct made *m, unsigned i)
{
	assert_true(i < m->plan->nb_streams);
	return &m->plan->streams[i];
}

static void streams_are_those_named_else_the_templates_else_all_enabled(void **state)
{
	static const struct {
		const char *words;
		unsigned nb;
		const char *names[4], *templates[4];
	} cases[] = {
		{"pps=1", 3, {"a", "b", "d"}, {"r12", "r21", "r12"}},
		{"stream=c,b pps=1", 2, {"c", "b"}, {"r12", "r21"}},
		{"tx-template=r21 pps=1", 1, {"r21"}, {"r21"}},
		{"stream=a,b pps=1 tx-template=r21", 2, {"a", "b"}, {"r21", "r21"}},
		{"stream=a,b pps=1 tx-template=r21,r12", 2, {"a", "b"}, {"r21", "r12"}},
	};

	(void)state;
	for (unsigned i = 0; i < NB(cases); i++) {
		struct made m;

		make(&m, CONF, cases[i].words, 2);
		assert_made(&m, cases[i].words);
		assert_int_equal(m.plan->nb_streams, cases[i].nb);
		for (unsigned k = 0; k < cases[i].nb; k++) {
			assert_string_equal(of(&m, k)->name, cases[i].names[k]);
			assert_string_equal(
				opt_set_one(of(&m, k)->tmpl, &pkt_template_opts[TMPL_NAME]).text,
				cases[i].templates[k]);
		}
		made_fini(&m);
	}
}

static void what_is_not_there_is_refused_with_the_nearest(void **state)
{
	static const struct {
		const char *words, *place, *says;
	} cases[] = {
		{"stream=aa pps=1", "no stream \"aa\"", "in tgen.json"},
		{"stream=a,b pps=1 tx-template=r21,r12,r12", "tx-template: ", "3 values for 2"},
		{"stream=c,a pps=1", "tgen.json:", "streams[2].after: no stream \"b\" in this run"},
		{"tx-template=r13 pps=1", "no packet-template \"r13\"", "did you mean"},
	};
	struct made m;

	(void)state;
	for (unsigned i = 0; i < NB(cases); i++) {
		make(&m, CONF, cases[i].words, 2);
		assert_refused(&m, cases[i].words, cases[i].place, cases[i].says);
		made_fini(&m);
	}
	make(&m, OBJECTS_BEGIN "{'name': 's', 'tx-template': 'r13', 'pps': 1}]}", "stream=s", 2);
	assert_refused(&m, "template of a stream", "tgen.json:1:",
		"streams[0].tx-template: no "
		"packet-template \"r13\"");
	made_fini(&m);
	make(&m, OBJECTS_BEGIN "]}", "pps=1", 2);
	assert_refused(&m, "none", "tx-template= is missing", "no stream that is enabled");
	made_fini(&m);
}

static void the_command_goes_before_the_stream(void **state)
{
	struct made m;

	(void)state;
	make(&m, CONF, "stream=a,b,d pps=0,7,8 packet-size=0,1514,60-100", 2);
	assert_made(&m, "words over objects");
	assert_int_equal(of(&m, 0)->want_bps, 10000000); /* pps=0 gives none */
	assert_int_equal(of(&m, 0)->want_upps, 0);
	assert_int_equal(of(&m, 1)->want_upps, 7 * UNITS_MICROS);
	assert_int_equal(of(&m, 2)->want_upps, 8 * UNITS_MICROS);
	assert_int_equal(of(&m, 0)->size, 0);
	assert_int_equal(of(&m, 1)->size, 1514);
	assert_false(of(&m, 1)->size_with_fcs);
	assert_int_equal(of(&m, 2)->size, 100);
	assert_int_equal(of(&m, 1)->packet_count, 50);
	made_fini(&m);
	/* another word for the rate takes the object's word out, and one value serves all */
	make(&m, CONF, "stream=a,b mbps=3 packet-count=9 seed=4 port=ether2", 2);
	assert_made(&m, "one value for all");
	for (unsigned i = 0; i < 2; i++) {
		assert_int_equal(of(&m, i)->want_bps, 3000000);
		assert_int_equal(of(&m, i)->want_upps, 0);
		assert_int_equal(of(&m, i)->packet_count, 9);
		assert_int_equal(of(&m, i)->seed, 4);
		assert_int_equal(of(&m, i)->route.tx_port, 1);
	}
	made_fini(&m);
	make(&m, CONF, "stream=a,b,d mbps=3,4", 2);
	assert_refused(&m, "list of two for three", "mbps: ", "2 values for 3 streams");
	made_fini(&m);
}

static void ids_are_given_or_the_lowest_left(void **state)
{
	struct made m;

	(void)state;
	make(&m, CONF, "pps=1", 2);
	assert_made(&m, "ids of objects");
	assert_int_equal(of(&m, 0)->id, 5);
	assert_int_equal(of(&m, 1)->id, 0);
	assert_int_equal(of(&m, 2)->id, 1);
	made_fini(&m);
	make(&m, CONF, "pps=1 id=0,65535,7", 2);
	assert_made(&m, "ids of the command");
	assert_int_equal(of(&m, 1)->id, 65535);
	made_fini(&m);
	make(&m, CONF, "stream=a,a pps=1", 2);
	assert_refused(&m, "one twice", "tgen.json:", "5 is given to two streams");
	made_fini(&m);
}

static void a_total_is_shared_by_weight(void **state)
{
	static const struct {
		const char *words;
		uint64_t upps[3]; /* of weights 1, 3, 2; b is on the other port */
	} cases[] = {
		{"total-pps=600 packet-size=60", {100000000, 300000000, 200000000}},
		{"total-mbps=2.88 packet-size=60", {1000000000, 3000000000, 2000000000}},
		{"total-pps=600 packet-size=60 weight=1", {200000000, 200000000, 200000000}},
		/* of 1 Gbit/s: 1488095.24 frames of 60 bytes; ether1 has a third and two thirds */
		{"total-percent=30 packet-size=60 port=ether1",
			{74404761904, 223214285714, 148809523809}},
		/* the whole line is not too much */
		{"total-percent=100 packet-size=60 port=ether1",
			{248015873015, 744047619047, 496031746031}},
		{"total-pps=max packet-size=60 port=ether1",
			{248015873015, 744047619047, 496031746031}},
	};
	static const struct {
		const char *words, *place, *says;
	} bad[] = {
		{"total-pps=1 pps=1", "pps: ", "a total- word"},
		{"total-pps=1 rate-profile=0s=1pps", "rate-profile: ", "a total- word"},
		{"total-pps=1 total-mbps=1", "total-pps: ", "the second total rate"},
		{"total-pps=max gaps=poisson", "gaps: ", "not total-pps=max"},
	};

	(void)state;
	for (unsigned i = 0; i < NB(cases); i++) {
		struct plan_facts facts[2];
		struct made m;

		make(&m, CONF, cases[i].words, 2);
		assert_made(&m, cases[i].words);
		facts_make(m.plan, facts);
		if (plan_size(m.plan, facts, &m.err) != 0)
			fail_msg("%s: %s", cases[i].words, m.err.text);
		for (unsigned k = 0; k < 3; k++)
			assert_int_equal(plan_rate_upps(of(&m, k)->asked), cases[i].upps[k]);
		assert_int_equal(m.plan->nb_notes, 0);
		made_fini(&m);
	}
	for (unsigned i = 0; i < NB(bad); i++) {
		struct made m;

		make(&m, CONF, bad[i].words, 2);
		assert_refused(&m, bad[i].words, bad[i].place, bad[i].says);
		made_fini(&m);
	}
}

static void a_share_of_a_line_needs_its_speed(void **state)
{
	static const struct {
		const char *words, *says;
	} cases[] = {
		{"stream=b percent=50",
			"percent: stream b: the link speed of port ether2 is not known"},
		{"stream=b total-percent=50",
			"total-percent: stream b: the link speed of port ether2 is not known"},
		{"stream=b rate-profile=0s=50%",
			"rate-profile: stream b: the link speed of port ether2 is not known"},
	};

	(void)state;
	for (unsigned i = 0; i < NB(cases); i++) {
		struct plan_facts facts[2];
		struct made m;

		make(&m, CONF, cases[i].words, 2);
		assert_made(&m, cases[i].words);
		facts_make(m.plan, facts);
		assert_int_equal(plan_size(m.plan, facts, &m.err), -EINVAL);
		if (strncmp(m.err.text, cases[i].says, strlen(cases[i].says)) != 0)
			fail_msg("%s: %s", cases[i].words, m.err.text);
		made_fini(&m);
	}
}

static void objects_that_contradict_themselves_are_refused_when_read(void **state)
{
	static const struct {
		const char *words, *says;
	} cases[] = {
		{"'packet-size': ['60', '61']", "packet-size: 2 values for one stream"},
		{"'pps': 1, 'mbps': 1", "pps: stream s: mbps and pps both give a rate"},
		{"'pps': 1, 'rate-profile': '0s=1pps'", "rate-profile: stream s: pps and"},
		{"'packet-size': 60, 'frame-size': 64", "frame-size: packet-size and frame-size"},
		{"'port': 'ether1', 'interface': 'ether1'", "interface: port and interface"},
		{"'packet-size': 59", "packet-size: 59 is less than 60"},
		{"'frame-size': 63", "frame-size: 63 is less than 64"},
		{"'packet-size': 'genome:x'", "packet-size: 'x' is no size"},
		{"'rate-profile': '1s=1pps'", "rate-profile: begins at 1s"},
		{"'burst-count': 3", "burst-count: stream s has no bursts: give burst-packets"},
		{"'inter-burst-gap': '1s'", "inter-burst-gap: stream s has no bursts"},
		{"'burst-packets': 3, 'rate-profile': '0s=1pps'",
			"burst-packets: stream s: bursts"},
		{"'burst-packets': 3, 'pps': 1, 'gaps': 'poisson'", "gaps: stream s: poisson"},
		{"'rate-profile': '0s=1pps', 'gaps': 'poisson'", "not a rate-profile"},
		{"'pps': 'max', 'gaps': 'poisson'", "not pps=max"},
		{"'pps': 'max', 'burst-packets': 3, 'inter-burst-gap': 0", "no gap"},
	};

	(void)state;
	for (unsigned i = 0; i < NB(cases); i++) {
		char json[1024];
		struct err err = {0};
		struct conf *conf;
		FILE *f = fopen(CONF_NAME, "w");

		snprintf(json, sizeof(json),
			OBJECTS_BEGIN "\n{'name': 's', 'tx-template': 'r12', %s}]}",
			cases[i].words);
		for (const char *p = json; *p != '\0'; p++)
			fputc(*p == '\'' ? '"' : *p, f);
		fclose(f);
		conf = conf_load(CONF_NAME, plan_kinds, NB(plan_kinds), false, &err);
		if (conf != NULL)
			fail_msg("%s is taken", cases[i].words);
		if (strncmp(err.text, "tgen.json:2:", 12) != 0 ||
			strstr(err.text, "streams[0].") == NULL ||
			strstr(err.text, cases[i].says) == NULL)
			fail_msg("%s: %s", cases[i].words, err.text);
	}
}

static void a_numeric_dscp_below_64_is_explained_once(void **state)
{
	struct made m;

	(void)state;
	make(&m, CONF, "tx-template=voice,voice,whole,r12 pps=1", 2);
	assert_made(&m, "ip-dscp");
	assert_int_equal(m.plan->nb_notes, 1);
	assert_non_null(strstr(m.plan->notes[0], "template voice: ip-dscp=46 is the whole byte"));
	assert_non_null(strstr(m.plan->notes[0], "so DSCP is 11"));
	made_fini(&m);
}

static void a_stream_with_cpus_is_sent_by_them_alone(void **state)
{
	static const char json[] = OBJECTS_BEGIN
		"{'name': 's', 'tx-template': 'r12', 'pps': 1, 'cpu-core': ['0', '2-3']},"
		"{'name': 't', 'tx-template': 'r12', 'pps': 1}]}";
	struct plan_facts facts[1];
	unsigned nb = 0;
	struct made m;

	(void)state;
	/* 0 is the control thread's otherwise */
	make(&m, json, "", 4);
	assert_made(&m, "cpu-core of a stream");
	assert_int_equal(m.plan->nb_workers, 4);
	facts_make(m.plan, facts);
	facts[0].nb_queues = 4;
	assert_int_equal(plan_size(m.plan, facts, &m.err), 0);
	for (unsigned l = 0; l < m.plan->nb_lanes; l++) {
		const struct plan_lane *lane = &m.plan->lanes[l];
		unsigned worker = m.plan->queues[lane->queue].worker;

		if (lane->stream == 0) {
			assert_int_not_equal(m.plan->workers[worker].cpu, 1);
			nb++;
		}
	}
	assert_int_equal(nb, 2); /* four queues for two streams */
	made_fini(&m);
	make(&m, json, "cpu-core=1", 4);
	assert_made(&m, "the run has another CPU");
	facts_make(m.plan, facts);
	assert_int_equal(plan_size(m.plan, facts, &m.err), -EINVAL);
	assert_non_null(strstr(m.err.text, "streams[0].cpu-core: no queue of port ether1"));
	made_fini(&m);
	make(&m, json, "", 3);
	assert_refused(&m, "a CPU that is not there", "tgen.json:", "CPU 3 is not one");
	made_fini(&m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(streams_are_those_named_else_the_templates_else_all_enabled),
		cmocka_unit_test(what_is_not_there_is_refused_with_the_nearest),
		cmocka_unit_test(the_command_goes_before_the_stream),
		cmocka_unit_test(ids_are_given_or_the_lowest_left),
		cmocka_unit_test(a_total_is_shared_by_weight),
		cmocka_unit_test(a_share_of_a_line_needs_its_speed),
		cmocka_unit_test(objects_that_contradict_themselves_are_refused_when_read),
		cmocka_unit_test(a_numeric_dscp_below_64_is_explained_once),
		cmocka_unit_test(a_stream_with_cpus_is_sent_by_them_alone),
	};

	return cmocka_run_group_tests(tests, plan_enter, plan_leave);
}
