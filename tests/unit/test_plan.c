/* SPDX-License-Identifier: BSD-3-Clause */
/* The words of a quick run: streams, their numbers, settings, sizes and frames. */
#include "plan_help.h"

#define TWO_PORTS                                                                                  \
	"{'ports': ["                                                                              \
	"{'name': 'ether1', 'device': 'ring:a', 'address': ['1.1.1.1/24']},"                       \
	"{'name': 'ether2', 'device': 'ring:b', 'address': ['2.2.2.2/24']}],"
#define TEMPLATES                                                                                  \
	"'packet-templates': ["                                                                    \
	"{'name': 'r12', 'ip-gateway': '1.1.1.254', 'ip-dst': '2.2.2.2'},"                         \
	"{'name': 'r21', 'ip-gateway': '2.2.2.254', 'ip-dst': '1.1.1.1'},"                         \
	"{'name': 'quiet', 'ip-gateway': '2.2.2.254', 'ip-dst': '1.1.1.1',"                        \
	" 'special-footer': false},"                                                               \
	"{'name': 'wide', 'header-stack': ['mac', 'ip', 'udp'], 'port': 'ether1',"                 \
	" 'mac-dst': '02:00:00:00:00:0a', 'mac-src': '02:00:00:00:00:0b',"                         \
	" 'ip-src': '9.9.9.9', 'ip-dst': '8.8.8.8'}]"
#define CONF TWO_PORTS TEMPLATES "}"

static void lists_must_match_the_streams(void **state)
{
	static const struct {
		const char *words, *place, *says; /* says NULL: taken */
	} cases[] = {
		{"packet-size=60 pps=1", NULL, NULL},
		{"packet-size=60,61 pps=1,2 packet-count=3,4 port=ether1,ether2 id=7,8", NULL,
			NULL},
		{"packet-size=60,60,60 pps=1", "packet-size: ", "3"},
		{"pps=1,2,3", "pps: ", "3"},
		{"mbps=1,2,3", "mbps: ", "3"},
		{"pps=1 packet-count=1,2,3", "packet-count: ", "3"},
		{"pps=1 port=ether1,ether1,ether1", "port: ", "3"},
		{"pps=1 interface=ether1,ether1,ether1", "interface: ", "3"},
		{"pps=1 id=7", "id: ", "1 id for 2 streams"},
		{"pps=1 id=7,8,9", "id: ", "3 ids for 2 streams"},
		{"pps=1 id=7,7", "id: ", "7 is given to two streams"},
	};

	(void)state;
	for (unsigned i = 0; i < NB(cases); i++) {
		char words[256];
		struct made m;

		snprintf(words, sizeof(words), "tx-template=r12,r21 %s", cases[i].words);
		make(&m, CONF, words, 2);
		if (cases[i].says == NULL)
			assert_made(&m, words);
		else
			assert_refused(&m, words, cases[i].place, cases[i].says);
		made_fini(&m);
	}
}

static void one_rate_is_given_and_zero_is_none(void **state)
{
	static const struct {
		const char *words, *says; /* says NULL: taken */
	} cases[] = {
		{"mbps=10", NULL},
		{"pps=10", NULL},
		{"pps=max", NULL},
		{"mbps=10 pps=0", NULL},
		{"mbps=0 pps=10", NULL},
		{"mbps=0,10 pps=10,0", NULL},
		{"", "no rate for template r12: give mbps=, pps= or pps=max"},
		{"mbps=0", "no rate for template r12"},
		{"mbps=0 pps=0", "no rate for template r12"},
		{"mbps=10,0", "no rate for template r21"},
		{"mbps=10 pps=10", "pps: template r12: mbps and pps both give a rate"},
		{"mbps=10 pps=max", "pps: template r12: mbps and pps both give a rate"},
		{"mbps=0,10 pps=10,10", "pps: template r21: mbps and pps both give a rate"},
	};

	(void)state;
	for (unsigned i = 0; i < NB(cases); i++) {
		char words[256];
		struct made m;

		snprintf(words, sizeof(words), "tx-template=r12,r21 %s", cases[i].words);
		make(&m, CONF, words, 2);
		if (cases[i].says == NULL)
			assert_made(&m, words);
		else
			assert_refused(&m, words, "", cases[i].says);
		made_fini(&m);
	}
}

static void unknown_templates_are_refused_with_the_nearest(void **state)
{
	struct made m;

	(void)state;
	make(&m, CONF, "tx-template=r12,r22 pps=1", 2);
	assert_refused(
		&m, "unknown", "no packet-template \"r22\" in tgen.json", "did you mean \"r12\"?");
	made_fini(&m);
	make(&m, CONF, "pps=1", 2);
	assert_refused(&m, "none", "tx-template= is missing", "packet-template print");
	made_fini(&m);
}

static void streams_are_as_the_words_say(void **state)
{
	const struct plan_stream *s;
	struct made m;

	(void)state;
	make(&m, CONF,
		"tx-template=r12,quiet,r12 packet-size=60,0,1514 mbps=1,0,2.5 pps=0,1.5k,0 "
		"packet-count=unlimited,5,18446744073709551614 port=ether2,ether1,ether1 "
		"id=9,255,0",
		2);
	assert_made(&m, "streams");
	s = m.plan->streams;
	assert_int_equal(m.plan->nb_streams, 3);
	assert_string_equal(s[0].name, "r12");
	assert_string_equal(s[1].name, "quiet");
	assert_ptr_equal(s[0].tmpl, s[2].tmpl); /* a template may serve several streams */
	assert_int_equal(s[0].id, 9);
	assert_int_equal(s[1].id, 255);
	assert_int_equal(s[2].id, 0);
	assert_int_equal(s[0].size, 60);
	assert_int_equal(s[1].size, 0);
	assert_int_equal(s[2].size, 1514);
	assert_int_equal(s[0].want_bps, 1000000);
	assert_int_equal(s[0].want_upps, 0);
	assert_int_equal(s[1].want_bps, 0);
	assert_int_equal(s[1].want_upps, 1500000000);
	assert_int_equal(s[2].want_bps, 2500000);
	assert_true(s[0].packet_count == UINT64_MAX);
	assert_int_equal(s[1].packet_count, 5);
	assert_true(s[2].packet_count == UINT64_MAX - 1);
	assert_int_equal(s[0].route.tx_port, 1);
	assert_int_equal(s[1].route.tx_port, 0);
	assert_false(s[0].transmit_only);
	assert_true(s[1].transmit_only);
	made_fini(&m);
}

static void ids_count_from_zero_when_not_given(void **state)
{
	struct made m;

	(void)state;
	make(&m, CONF, "tx-template=r12,r21,r12 pps=max", 2);
	assert_made(&m, "ids");
	for (unsigned i = 0; i < 3; i++) {
		assert_int_equal(m.plan->streams[i].id, i);
		assert_true(m.plan->streams[i].want_upps == UINT64_MAX);
	}
	made_fini(&m);
}

static void words_of_the_run_come_before_settings(void **state)
{
	static const char settings[] = TWO_PORTS TEMPLATES
		",'settings': {'test-id': 7, 'measure-out-of-order': false, 'rate-layer': 'l2'}}";
	static const struct {
		const char *json, *words;
		unsigned test_id;
		bool order;
		enum rate_layer layer;
	} cases[] = {
		{CONF, "", 0, true, RATE_LAYER_PACKET},
		{settings, "", 7, false, RATE_LAYER_L2},
		{settings, "test-id=0 measure-out-of-order=yes rate-layer=packet", 0, true,
			RATE_LAYER_PACKET},
		{CONF, "test-id=255 measure-out-of-order=no rate-layer=l1", 255, false,
			RATE_LAYER_L1},
	};

	(void)state;
	for (unsigned i = 0; i < NB(cases); i++) {
		char words[256];
		struct made m;

		snprintf(words, sizeof(words), "tx-template=r12 pps=1 %s", cases[i].words);
		make(&m, cases[i].json, words, 2);
		assert_made(&m, words);
		assert_int_equal(m.plan->test_id, cases[i].test_id);
		assert_int_equal(m.plan->measure_order, cases[i].order);
		assert_int_equal(m.plan->layer, cases[i].layer);
		made_fini(&m);
	}
}

static void times_are_those_given_or_documented(void **state)
{
	struct made m;

	(void)state;
	make(&m, CONF, "tx-template=r12 pps=1", 2);
	assert_made(&m, "defaults");
	assert_int_equal(m.plan->duration_ns, 0);
	assert_int_equal(m.plan->interval_ns, UNITS_NS_PER_S);
	assert_int_equal(m.plan->grace_ns, UNITS_NS_PER_S / 10);
	assert_int_equal(m.plan->drain_ns, 2 * UNITS_NS_PER_S);
	assert_int_equal(m.plan->arp_timeout_ns, 3 * UNITS_NS_PER_S);
	made_fini(&m);
	make(&m, CONF, "tx-template=r12 pps=1 duration=1m30s grace=7ms drain=0 arp-timeout=1s", 2);
	assert_made(&m, "given");
	assert_int_equal(m.plan->duration_ns, 90 * UNITS_NS_PER_S);
	assert_int_equal(m.plan->grace_ns, 7000000);
	assert_int_equal(m.plan->drain_ns, 0);
	assert_int_equal(m.plan->arp_timeout_ns, UNITS_NS_PER_S);
	made_fini(&m);
}

/* ---- sizes ---- */

static void sizes_fit_between_the_headers_and_the_mtu(void **state)
{
	static const struct {
		const char *template, *word;
		uint32_t mtu, size; /* size 0: refused */
		const char *says;
	} cases[] = {
		{"r12", "packet-size=60", 1500, 60, NULL},
		{"r12", "packet-size=0", 1500, 1514, NULL},
		{"r12", "", 9000, 9014, NULL},
		{"r12", "packet-size=1514", 1500, 1514, NULL},
		{"r12", "packet-size=1515", 1500, 0,
			"packet-size: 1515 is more than port ether1 carries: its MTU of 1500 makes "
			"packets of at most 1514 bytes"},
		{"r12", "packet-size=60", 68, 60, NULL},
		{"r12", "packet-size=83", 68, 0, "at most 82 bytes"},
	};

	(void)state;
	for (unsigned i = 0; i < NB(cases); i++) {
		struct plan_facts facts[2];
		char words[256];
		struct made m;
		int rc;

		snprintf(words, sizeof(words), "tx-template=%s pps=1 %s", cases[i].template,
			cases[i].word);
		make(&m, CONF, words, 2);
		assert_made(&m, words);
		facts_make(m.plan, facts);
		facts[0].mtu = cases[i].mtu;
		rc = plan_size(m.plan, facts, &m.err);
		if (cases[i].size != 0) {
			assert_int_equal(rc, 0);
			assert_int_equal(m.plan->streams[0].size, cases[i].size);
		} else {
			assert_true(rc < 0);
			assert_int_equal(m.err.status, TGEN_USAGE);
			if (strstr(m.err.text, cases[i].says) == NULL)
				assert_string_equal(m.err.text, cases[i].says);
		}
		made_fini(&m);
	}
}

static void sizes_below_ethernets_least_are_refused(void **state)
{
	struct made m;

	(void)state;
	make(&m, CONF, "tx-template=r12,r21 pps=1 packet-size=60,59", 2);
	assert_refused(&m, "59", "packet-size: ", "59 is less than 60");
	made_fini(&m);
}

/* ---- frames ---- */

static void frames_have_the_ports_and_the_resolved_addresses(void **state)
{
	static const uint8_t resolved[] = {
		0x02,
		0,
		0,
		0,
		0,
		0xfe, /* the answer to ARP */
		0x02,
		0,
		0,
		0,
		0,
		0x01, /* the port's */
		0x08,
		0x00,
		0x45,
	};
	static const uint8_t given[] = {
		0x02,
		0,
		0,
		0,
		0,
		0x0a,
		0x02,
		0,
		0,
		0,
		0,
		0x0b,
		0x08,
		0x00,
		0x45,
	};
	struct plan_facts facts[2];
	struct made m;

	(void)state;
	make(&m, CONF, "tx-template=r12,wide,quiet pps=1 packet-size=100", 2);
	assert_made(&m, "frames");
	facts_make(m.plan, facts);
	assert_int_equal(plan_size(m.plan, facts, &m.err), 0);
	m.plan->streams[0].route.mac_dst = 0x0200000000fe;
	m.plan->streams[2].route.mac_dst = 0x0200000000fe;
	assert_int_equal(plan_build(m.plan, &m.err), 0);
	assert_memory_equal(m.plan->streams[0].frame.hdr, resolved, sizeof(resolved));
	assert_int_equal(pkt_get32(m.plan->streams[0].frame.hdr + 26), 0x01010101);
	assert_int_equal(pkt_get32(m.plan->streams[0].frame.hdr + 30), 0x02020202);
	assert_memory_equal(m.plan->streams[1].frame.hdr, given, sizeof(given));
	assert_int_equal(pkt_get32(m.plan->streams[1].frame.hdr + 26), 0x09090909);
	assert_int_equal(m.plan->streams[0].frame.size, 100);
	assert_true(m.plan->streams[0].frame.sig_off != 0);
	assert_int_equal(m.plan->streams[2].frame.sig_off, 0);
	made_fini(&m);
}

static void the_ports_own_words_win_over_the_device(void **state)
{
	struct plan_facts facts[1];
	struct made m;

	(void)state;
	make(&m,
		"{'ports': [{'name': 'a', 'device': 'ring:a', 'mac': '02:00:00:00:00:77',"
		"'address': '1.1.1.1/24', 'mtu': 2000, 'speed': '100M'}],"
		"'packet-templates': [{'name': 't', 'ip-dst': '1.1.1.9'}]}",
		"tx-template=t pps=max", 2);
	assert_made(&m, "port");
	assert_int_equal(m.plan->ports[0].mtu, 2000); /* asked of the device */
	facts_make(m.plan, facts);
	facts[0].mtu = 1900; /* what it made of that */
	facts[0].speed_bps = 1000000000;
	assert_int_equal(plan_size(m.plan, facts, &m.err), 0);
	assert_true(m.plan->ports[0].mac == 0x020000000077);
	assert_int_equal(m.plan->ports[0].mtu, 1900);
	assert_int_equal(m.plan->ports[0].speed_bps, 100000000);
	assert_int_equal(m.plan->ports[0].addrs[0].prefix, 24);
	assert_int_equal(m.plan->streams[0].size, 1914);
	made_fini(&m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(lists_must_match_the_streams),
		cmocka_unit_test(one_rate_is_given_and_zero_is_none),
		cmocka_unit_test(unknown_templates_are_refused_with_the_nearest),
		cmocka_unit_test(streams_are_as_the_words_say),
		cmocka_unit_test(ids_count_from_zero_when_not_given),
		cmocka_unit_test(words_of_the_run_come_before_settings),
		cmocka_unit_test(times_are_those_given_or_documented),
		cmocka_unit_test(sizes_fit_between_the_headers_and_the_mtu),
		cmocka_unit_test(sizes_below_ethernets_least_are_refused),
		cmocka_unit_test(frames_have_the_ports_and_the_resolved_addresses),
		cmocka_unit_test(the_ports_own_words_win_over_the_device),
	};

	return cmocka_run_group_tests(tests, plan_enter, plan_leave);
}
