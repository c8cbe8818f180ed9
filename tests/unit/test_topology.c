/* SPDX-License-Identifier: BSD-3-Clause */
/* Who sends to whom: RFC 2544 §16, RFC 2889 §5; and the streams that are made of it. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "../../src/run/topology.h"
#include "tgen/pkt.h"
#include "tgen/run.h"

static void pairs_are_those_of_the_rfcs(void **state)
{
	static const struct {
		enum conf_topology topology;
		unsigned nb_ports;
		const char *pairs; /* NULL: refused */
	} cases[] = {
		{TOPOLOGY_PAIR, 2, "0>1"},
		{TOPOLOGY_PAIR, 4, "0>1 2>3"},
		{TOPOLOGY_PAIR, 3, NULL},
		{TOPOLOGY_BIDIRECTIONAL, 4, "0>1 1>0 2>3 3>2"},
		{TOPOLOGY_BIDIRECTIONAL, 5, NULL},
		/* RFC 2889 §5.1.3: port 1 to 2 3 4, port 2 to 3 4 1 … */
		{TOPOLOGY_FULL_MESH, 4, "0>1 0>2 0>3 1>2 1>3 1>0 2>3 2>0 2>1 3>0 3>1 3>2"},
		{TOPOLOGY_FULL_MESH, 2, "0>1 1>0"},
		{TOPOLOGY_FULL_MESH, 1, NULL},
		{TOPOLOGY_ONE_TO_MANY, 4, "0>1 0>2 0>3"},
		{TOPOLOGY_MANY_TO_ONE, 4, "1>0 2>0 3>0"},
		/* RFC 2544 §16: every input follows the same order of outputs */
		{TOPOLOGY_BACKBONE, 4, "0>2 0>3 1>2 1>3 2>0 2>1 3>0 3>1"},
		{TOPOLOGY_BACKBONE, 3, NULL},
		{TOPOLOGY_LEARNING, 3, "0>1 1>0"},
		{TOPOLOGY_LEARNING, 2, NULL},
		{TOPOLOGY_CONGESTION, 4, "0>2 0>3 1>3"},
		{TOPOLOGY_CONGESTION, 3, NULL},
		{TOPOLOGY_BROADCAST, 3, "0>1"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct topology_pair *pairs;
		int nb = topology_pairs(cases[i].topology, cases[i].nb_ports, &pairs);
		char text[512] = "";

		if (cases[i].pairs == NULL) {
			assert_int_equal(nb, -EINVAL);
			assert_true(strlen(topology_needs(cases[i].topology)) > 0);
			continue;
		}
		for (int k = 0; k < nb; k++)
			snprintf(text + strlen(text), sizeof(text) - strlen(text), "%s%u>%u",
				k > 0 ? " " : "", pairs[k].from, pairs[k].to);
		assert_string_equal(text, cases[i].pairs);
		free(pairs);
	}
}

static const struct conf_kind kinds[] = {
	{.key = "ports", .menu = &conf_port_menu},
	{.key = "packet-templates", .menu = &pkt_template_menu},
	{.key = "streams", .menu = &conf_stream_menu},
	{.key = "tests", .menu = &run_test_menu, .check = run_test_check},
};

#define PORT(n, more)                                                                              \
	"{\"name\":\"e" n "\",\"device\":\"ring:r" n "\",\"address\":[\"1.1." n ".1/24\"]" more "}"

static struct conf *conf_of(const char *tests)
{
	char path[] = "/tmp/tgen-topology-XXXXXX";
	FILE *f = fdopen(mkstemp(path), "w");
	struct err err = {0};
	struct conf *conf;

	fprintf(f,
		"{\"ports\":[" PORT("1", ",\"gateway\":\"1.1.1.254\"") "," PORT("2", "") "," PORT(
			"3",
			"") "],\"packet-templates\":[{\"name\":\"t\",\"ip-ttl\":9}],\"streams\":[{"
			    "\"name\":\"own\",\"tx-template\":\"t\"}],\"tests\":[%s]}",
		tests);
	fclose(f);
	conf = conf_load(path, kinds, 4, false, &err);
	unlink(path);
	if (conf == NULL)
		fail_msg("%s", err.text);
	return conf;
}

static const char *word_of(const struct conf *conf, const char *name, const char *word)
{
	const struct opt_set *tmpl = conf_find(conf, "packet-templates", name);
	const struct opt_slot *slot;

	assert_non_null(tmpl);
	slot = opt_set_get(tmpl, pkt_template_opt(word));
	return slot != NULL ? slot->vals[0].text : "";
}

static const char *group_of(const struct conf *conf, const char *name)
{
	return opt_set_one(
		conf_find(conf, "streams", name), &conf_stream_obj_opts[STREAM_OBJ_GROUP])
		.text;
}

/* The streams of the only test, joined. */
static const char *streams_of(struct conf *conf, struct err *err)
{
	static char text[1024];
	char **names;
	unsigned nb;

	text[0] = '\0';
	if (topology_add(conf, conf_at(conf, "tests", 0), &names, &nb, err) < 0)
		return NULL;
	for (unsigned i = 0; i < nb; i++) {
		snprintf(text + strlen(text), sizeof(text) - strlen(text), "%s%s", i > 0 ? " " : "",
			names[i]);
		free(names[i]);
	}
	free(names);
	return text;
}

static void streams_are_made_between_the_ports(void **state)
{
	struct conf *conf =
		conf_of("{\"name\":\"m\",\"procedure\":\"quick\",\"topology\":\"full-mesh\","
			"\"template\":\"t\"}");
	struct err err = {0};

	(void)state;
	assert_string_equal(
		streams_of(conf, &err), "m.e1.e2 m.e1.e3 m.e2.e3 m.e2.e1 m.e3.e1 m.e3.e2");
	assert_string_equal(word_of(conf, "m.e1.e2", "ip-dst"), "1.1.2.1");
	assert_string_equal(word_of(conf, "m.e1.e2", "ip-gateway"), "1.1.1.254");
	assert_string_equal(word_of(conf, "m.e2.e1", "ip-gateway"), "");
	assert_string_equal(word_of(conf, "m.e2.e1", "ip-ttl"), "9");
	assert_string_equal(word_of(conf, "m.e2.e1", "rx-port"), "e1");
	assert_string_equal(group_of(conf, "m.e3.e1"), "e3-to-e1");
	conf_free(conf);
}

static void without_a_template_frames_are_those_of_rfc_2544(void **state)
{
	struct conf *conf = conf_of("{\"name\":\"p\",\"procedure\":\"quick\",\"topology\":\"pair\","
				    "\"ports\":[\"e3\",\"e1\"]}");
	struct err err = {0};

	(void)state;
	assert_string_equal(streams_of(conf, &err), "p.e3.e1");
	assert_string_equal(word_of(conf, "p.e3.e1", "ip-ttl"), "10");
	assert_string_equal(word_of(conf, "p.e3.e1", "udp-dst-port"), "7");
	assert_string_equal(word_of(conf, "p.e3.e1", "udp-src-port"), "49184");
	conf_free(conf);
}

static void learned_addresses_take_as_many_values_as_asked(void **state)
{
	struct conf *conf =
		conf_of("{\"name\":\"l\",\"procedure\":\"quick\",\"topology\":\"learning\"}");
	struct err err = {0};

	(void)state;
	assert_string_equal(streams_of(conf, &err), "l.e1.e2 l.e2.e1");
	assert_string_equal(group_of(conf, "l.e1.e2"), "learn");
	assert_string_equal(group_of(conf, "l.e2.e1"), "test");
	assert_int_equal(topology_addresses(conf, conf_at(conf, "tests", 0), 77, &err), 0);
	assert_string_equal(word_of(conf, "l.e1.e2", "mac-src"), "inc:02:11:00:00:00:01+count=77");
	assert_string_equal(word_of(conf, "l.e2.e1", "mac-dst"), "inc:02:11:00:00:00:01+count=77");
	conf_free(conf);
}

static void what_is_named_is_taken_as_it_is(void **state)
{
	static const struct {
		const char *test, *streams; /* NULL: refused */
	} cases[] = {
		{"\"stream\":[\"own\"]", "own"},
		{"\"tx-template\":[\"t\",\"t\"]", "x.t x.t.2"},
		{"\"comment\":\"all that are enabled\"", "own"},
		{"\"stream\":[\"none\"]", NULL},
		{"\"stream\":[\"own\"],\"tx-template\":[\"t\"]", NULL},
		{"\"topology\":\"backbone\"", NULL},
		{"\"topology\":\"pair\",\"ports\":[\"e1\",\"e9\"]", NULL},
		{"\"topology\":\"full-mesh\",\"template\":\"none\"", NULL},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct err err = {0};
		const char *streams;
		struct conf *conf;
		char test[256];

		snprintf(test, sizeof(test), "{\"name\":\"x\",\"procedure\":\"quick\",%s}",
			cases[i].test);
		conf = conf_of(test);
		streams = streams_of(conf, &err);
		if (cases[i].streams == NULL) {
			assert_null(streams);
			/* the place in the file is told */
			assert_non_null(strstr(err.text, "tests[0]"));
		} else {
			assert_string_equal(streams, cases[i].streams);
		}
		conf_free(conf);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(pairs_are_those_of_the_rfcs),
		cmocka_unit_test(streams_are_made_between_the_ports),
		cmocka_unit_test(without_a_template_frames_are_those_of_rfc_2544),
		cmocka_unit_test(learned_addresses_take_as_many_values_as_asked),
		cmocka_unit_test(what_is_named_is_taken_as_it_is),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
