/* SPDX-License-Identifier: BSD-3-Clause */
#include "plan_help.h"

#include "tgen/result.h"

#define CONF                                                                                       \
	"{'ports': [{'name': 'ether1', 'device': 'null:', 'address': '1.1.1.1/24', 'speed': "      \
	"'1G'},"                                                                                   \
	"{'name': 'ether2', 'device': 'null:', 'address': '2.2.2.2/24', 'speed': '100M'},"         \
	"{'name': 'ether3', 'device': 'null:', 'address': '3.3.3.3/24'}],"                         \
	"'packet-templates': [{'name': 'r12', 'ip-gateway': '1.1.1.254', 'ip-dst': '2.2.2.2'},"    \
	"{'name': 'r13', 'ip-gateway': '1.1.1.254', 'ip-dst': '3.3.3.3'},"                         \
	"{'name': 'r31', 'ip-gateway': '3.3.3.254', 'ip-dst': '1.1.1.1'},"                         \
	"{'name': 'far', 'ip-gateway': '1.1.1.254', 'ip-dst': '9.9.9.9'}]}"

/* RFC 1242 §3.8: 1518 bytes take 12.144 us at 1G and 121.44 us at 100M. */
static void types_take_off_what_serialisation_takes(void **state)
{
	static const struct {
		const char *words;
		uint64_t minus_ns;
	} cases[] = {
		{"tx-template=r12 packet-size=1514 pps=1", 0},
		{"tx-template=r12 packet-size=1514 pps=1 latency-type=filo", 0},
		{"tx-template=r12 packet-size=1514 pps=1 latency-type=fifo", 121440},
		{"tx-template=r12 packet-size=1514 pps=1 latency-type=lifo", 133584},
		{"tx-template=r12 packet-size=1514 pps=1 latency-type=lilo", 12144},
		{"tx-template=r12 packet-size=60 pps=1 latency-type=lilo", 512},
		{"tx-template=r13 packet-size=60 pps=1 latency-type=lilo", 512},
		{"tx-template=r31 packet-size=60 pps=1 latency-type=fifo", 512},
		{"tx-template=r31 packet-size=60 pps=1 latency-type=filo", 0},
	};

	(void)state;
	for (unsigned i = 0; i < NB(cases); i++) {
		struct plan_facts facts[3];
		struct made m;

		make(&m, CONF, cases[i].words, 2);
		assert_made(&m, cases[i].words);
		facts_make(m.plan, facts);
		if (plan_size(m.plan, facts, &m.err) < 0)
			fail_msg("%s: %s", cases[i].words, m.err.text);
		assert_int_equal(m.plan->streams[0].lat_minus_ns, cases[i].minus_ns);
		made_fini(&m);
	}
}

static void a_type_that_needs_an_unknown_speed_is_refused(void **state)
{
	static const struct {
		const char *words, *text;
	} cases[] = {
		{"tx-template=r13 pps=1 latency-type=fifo",
			"the link speed of port ether3 is not known"},
		{"tx-template=r31 pps=1 latency-type=lilo",
			"the link speed of port ether3 is not known"},
		{"tx-template=r31 pps=1 latency-type=lifo",
			"the link speed of port ether3 is not known"},
		{"tx-template=far pps=1 latency-type=fifo", "no port of its own to arrive on"},
	};

	(void)state;
	for (unsigned i = 0; i < NB(cases); i++) {
		struct plan_facts facts[3];
		struct made m;

		make(&m, CONF, cases[i].words, 2);
		assert_made(&m, cases[i].words);
		facts_make(m.plan, facts);
		assert_true(plan_size(m.plan, facts, &m.err) < 0);
		assert_int_equal(m.err.status, TGEN_USAGE);
		if (strstr(m.err.text, cases[i].text) == NULL)
			fail_msg("%s: %s", cases[i].words, m.err.text);
		made_fini(&m);
	}
}

/* The words' values are written in conf, which does not include result.h. */
static void words_mean_the_types_of_the_results(void **state)
{
	static const struct {
		const char *word;
		enum latency_type type;
	} cases[] = {{"filo", LATENCY_FILO}, {"fifo", LATENCY_FIFO}, {"lifo", LATENCY_LIFO},
		{"lilo", LATENCY_LILO}};

	(void)state;
	for (unsigned i = 0; i < NB(cases); i++) {
		char words[96];
		struct made m;

		snprintf(words, sizeof(words), "tx-template=r12 pps=1 latency-type=%s",
			cases[i].word);
		make(&m, CONF, words, 2);
		assert_made(&m, words);
		assert_int_equal(m.plan->latency_type, cases[i].type);
		made_fini(&m);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(types_take_off_what_serialisation_takes),
		cmocka_unit_test(a_type_that_needs_an_unknown_speed_is_refused),
		cmocka_unit_test(words_mean_the_types_of_the_results),
	};

	return cmocka_run_group_tests(tests, plan_enter, plan_leave);
}
