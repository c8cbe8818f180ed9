/* SPDX-License-Identifier: BSD-3-Clause */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tgen/pkt.h"
#include "tgen/units.h"
#include "topology.h"

/* Templates and streams of a topology, added to the configuration in memory. */

#define TEST(which) (&conf_test_opts[which])
#define NAME_BYTES  256
/* Learned addresses: locally administered, apart from those of ports. */
#define LEARN_MAC "02:11:00:00:00:01"

struct making {
	struct conf *conf;
	const struct opt_set *test;
	enum conf_topology topology;
	const struct opt_set **ports;
	unsigned nb_ports;
	char **names;
	unsigned nb;
	struct err *err;
};

static const char *test_name(const struct making *m)
{
	return opt_set_one(m->test, TEST(TEST_NAME)).text;
}

static const char *port_name(const struct opt_set *port)
{
	return opt_set_one(port, &conf_port_opts[PORT_NAME]).text;
}

static int no_memory(const struct making *m)
{
	return err_device(m->err, ENOMEM, "streams of test %s", test_name(m));
}

/* Gives set a word; one that the user gave stays unless `always`. */
static int give(const struct making *m, struct opt_set *set, const char *word, const char *value,
	bool always)
{
	const struct opt *opt = opt_menu_find(set->menu, word);

	if (opt == NULL || (!always && opt_set_get(set, opt) != NULL))
		return 0;
	return opt_set_text(set, opt, value, (struct opt_pos){0}, m->err);
}

static int names_add(struct making *m, const char *name)
{
	char **names = realloc(m->names, (m->nb + 1) * sizeof(*names));

	if (names == NULL)
		return no_memory(m);
	m->names = names;
	names[m->nb] = strdup(name);
	if (names[m->nb] == NULL)
		return no_memory(m);
	m->nb++;
	return 0;
}

/* ---- ports ---- */

static int ports_find(struct making *m)
{
	const struct opt_slot *slot = opt_set_get(m->test, TEST(TEST_PORTS));
	unsigned all = slot != NULL ? slot->nb_vals : conf_nb(m->conf, "ports");

	m->ports = calloc(all + 1, sizeof(*m->ports));
	if (m->ports == NULL)
		return no_memory(m);
	for (unsigned i = 0; i < all; i++) {
		const struct opt_set *port =
			slot != NULL ? conf_find(m->conf, "ports", slot->vals[i].text)
				     : conf_at(m->conf, "ports", i);

		if (port == NULL)
			return opt_error(m->err, m->test, TEST(TEST_PORTS),
				"there is no port \"%s\"", slot->vals[i].text);
		if (opt_set_one(port, &conf_port_opts[PORT_DISABLED]).lo == 0)
			m->ports[m->nb_ports++] = port;
	}
	return 0;
}

/* The first address of a version; false: the port has none. */
static bool port_address(const struct opt_set *port, bool ip6, char out[UNITS_TEXT_MAX])
{
	const struct opt_slot *slot = opt_set_get(port, &conf_port_opts[PORT_ADDRESS]);

	for (unsigned i = 0; slot != NULL && i < slot->nb_vals; i++) {
		const struct opt_val *v = &slot->vals[i];

		if (v->is_ip6 != ip6)
			continue;
		if (ip6)
			units_fmt_ip6(out, v->up.lo, v->lo);
		else
			units_fmt_ip4(out, (uint32_t)v->lo);
		return true;
	}
	return false;
}

static const char *port_gateway(const struct opt_set *port, bool ip6)
{
	const struct opt_slot *slot = opt_set_get(port, &conf_port_opts[PORT_GATEWAY]);

	for (unsigned i = 0; slot != NULL && i < slot->nb_vals; i++)
		if (slot->vals[i].is_ip6 == ip6)
			return slot->vals[i].text;
	return NULL;
}

/* ---- templates ---- */

/* RFC 2544 appendix C.2.6.4: TTL 10, from port 0xc020 to the echo port, no UDP checksum. */
static int template_default(const struct making *m, struct opt_set *set)
{
	static const char *const words[][2] = {{"header-stack", "mac,ip,udp"}, {"ip-ttl", "10"},
		{"udp-src-port", "49184"}, {"udp-dst-port", "7"}, {"udp-checksum", "0"},
		{"data", "incrementing"}};

	opt_set_init(set, &pkt_template_menu);
	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (give(m, set, words[i][0], words[i][1], true) < 0)
			return -EINVAL;
	return 0;
}

static int template_base(const struct making *m, struct opt_set *set)
{
	const struct opt_slot *slot = opt_set_get(m->test, TEST(TEST_TEMPLATE));
	const struct opt_set *base;

	opt_set_init(set, &pkt_template_menu);
	if (slot == NULL)
		return template_default(m, set);
	base = conf_find(m->conf, "packet-templates", slot->vals[0].text);
	if (base == NULL) {
		char text[sizeof(m->err->text)];

		conf_not_found(
			m->conf, "packet-templates", "packet-template", slot->vals[0].text, m->err);
		snprintf(text, sizeof(text), "%s", m->err->text);
		return opt_error(m->err, m->test, TEST(TEST_TEMPLATE), "%s", text);
	}
	return opt_set_copy(set, base) < 0 ? no_memory(m) : 0;
}

static bool stack_has(const struct opt_set *tmpl, const char *header)
{
	const struct opt_slot *slot = opt_set_get(tmpl, pkt_template_opt("header-stack"));

	/* the default stack is mac,ip,udp */
	if (slot == NULL)
		return strcmp(header, "ip") == 0;
	for (unsigned i = 0; i < slot->nb_vals; i++)
		if (strcmp(slot->vals[i].text, header) == 0)
			return true;
	return false;
}

/* Destination and next hop of one version of IP, where the template leaves them open. */
static int addresses_give(const struct making *m, struct opt_set *set, const struct opt_set *from,
	const struct opt_set *to, bool ip6)
{
	const char *dst = ip6 ? "ipv6-dst" : "ip-dst", *via = ip6 ? "ipv6-gateway" : "ip-gateway";
	const char *gateway = port_gateway(from, ip6);
	char text[UNITS_TEXT_MAX];
	int rc = 0;

	if (!stack_has(set, ip6 ? "ipv6" : "ip"))
		return 0;
	if (opt_set_get(set, pkt_template_opt(dst)) == NULL) {
		if (!port_address(to, ip6, text))
			return opt_error(m->err, to, NULL,
				"port %s has no IPv%d address that streams of test %s could be "
				"sent to; "
				"give it one (address)",
				port_name(to), ip6 ? 6 : 4, test_name(m));
		rc = give(m, set, dst, text, true);
	}
	if (rc == 0 && gateway != NULL)
		rc = give(m, set, via, gateway, false);
	return rc;
}

static int template_add(const struct making *m, const char *name, const struct opt_set *from,
	const struct opt_set *to)
{
	bool broadcast = m->topology == TOPOLOGY_BROADCAST;
	struct opt_set set;
	int rc = template_base(m, &set);

	if (rc == 0)
		rc = give(m, &set, "name", name, true);
	if (rc == 0)
		rc = give(m, &set, "port", port_name(from), true);
	if (rc == 0 && !broadcast)
		rc = give(m, &set, "rx-port", port_name(to), true);
	if (rc == 0 && broadcast)
		rc = give(m, &set, "mac-dst", "ff:ff:ff:ff:ff:ff", true);
	if (rc == 0)
		rc = addresses_give(m, &set, from, to, false);
	if (rc == 0)
		rc = addresses_give(m, &set, from, to, true);
	if (rc == 0)
		rc = conf_add(m->conf, "packet-templates", &set, m->err);
	opt_set_fini(&set);
	return rc;
}

/* ---- streams ---- */

static int stream_add(
	struct making *m, const char *name, const char *tmpl, const char *group, const char *after)
{
	struct opt_set set;
	int rc;

	opt_set_init(&set, &conf_stream_menu);
	rc = give(m, &set, "name", name, true);
	if (rc == 0)
		rc = give(m, &set, "tx-template", tmpl, true);
	if (rc == 0 && group != NULL)
		rc = give(m, &set, "group", group, true);
	if (rc == 0 && after != NULL)
		rc = give(m, &set, "after", after, true);
	if (rc == 0 && after != NULL)
		rc = give(m, &set, "start-delay", "1s", true);
	if (rc == 0)
		rc = conf_add(m->conf, "streams", &set, m->err);
	opt_set_fini(&set);
	return rc == 0 ? names_add(m, name) : rc;
}

static int pair_add(struct making *m, struct topology_pair pair)
{
	const struct opt_set *from = m->ports[pair.from], *to = m->ports[pair.to];
	bool learning = m->topology == TOPOLOGY_LEARNING, tests = learning && pair.from == 1;
	char name[NAME_BYTES], group[NAME_BYTES];
	int rc;

	snprintf(name, sizeof(name), "%s.%s.%s", test_name(m), port_name(from),
		m->topology == TOPOLOGY_BROADCAST ? "all" : port_name(to));
	snprintf(group, sizeof(group), "%s-to-%s", port_name(from),
		m->topology == TOPOLOGY_BROADCAST ? "all" : port_name(to));
	if (learning)
		snprintf(group, sizeof(group), "%s", tests ? "test" : "learn");
	rc = template_add(m, name, from, to);
	return rc == 0 ? stream_add(m, name, name, group, tests ? m->names[0] : NULL) : rc;
}

static int made(struct making *m)
{
	struct topology_pair *pairs;
	int nb, rc = ports_find(m);

	if (rc < 0)
		return rc;
	nb = topology_pairs(m->topology, m->nb_ports, &pairs);
	if (nb == -EINVAL)
		return opt_error(m->err, m->test, TEST(TEST_TOPOLOGY), "%s needs %s, there are %u",
			opt_set_one(m->test, TEST(TEST_TOPOLOGY)).text, topology_needs(m->topology),
			m->nb_ports);
	if (nb < 0)
		return no_memory(m);
	for (int i = 0; rc == 0 && i < nb; i++)
		rc = pair_add(m, pairs[i]);
	free(pairs);
	return rc == 0 && m->topology == TOPOLOGY_LEARNING
		       ? topology_addresses(m->conf, m->test, 1, m->err)
		       : rc;
}

/* Templates that a test names as they are: a stream each. */
static int of_templates(struct making *m, const struct opt_slot *templates)
{
	int rc = 0;

	for (unsigned i = 0; rc == 0 && i < templates->nb_vals; i++) {
		char name[NAME_BYTES];
		unsigned twice = 0;

		for (unsigned k = 0; k < i; k++)
			twice += strcmp(templates->vals[k].text, templates->vals[i].text) == 0;
		snprintf(name, sizeof(name), twice > 0 ? "%s.%s.%u" : "%s.%s", test_name(m),
			templates->vals[i].text, twice + 1);
		rc = stream_add(m, name, templates->vals[i].text, NULL, NULL);
	}
	return rc;
}

static int as_given(struct making *m)
{
	const struct opt_slot *streams = opt_set_get(m->test, TEST(TEST_STREAM)),
			      *templates = opt_set_get(m->test, TEST(TEST_TX_TEMPLATE));
	int rc = 0;

	if (streams != NULL && templates != NULL)
		return opt_error(m->err, m->test, TEST(TEST_TX_TEMPLATE),
			"stream is given too: name streams or templates");
	if (templates != NULL)
		return of_templates(m, templates);
	for (unsigned i = 0; rc == 0 && streams != NULL && i < streams->nb_vals; i++) {
		if (conf_find(m->conf, "streams", streams->vals[i].text) == NULL)
			return opt_error(m->err, m->test, TEST(TEST_STREAM),
				"there is no stream \"%s\"", streams->vals[i].text);
		rc = names_add(m, streams->vals[i].text);
	}
	for (unsigned i = 0; rc == 0 && streams == NULL && i < conf_nb(m->conf, "streams"); i++) {
		const struct opt_set *s = conf_at(m->conf, "streams", i);
		const char *name = opt_set_one(s, &conf_stream_obj_opts[STREAM_OBJ_NAME]).text;

		/* those that other tests made have a dot behind the test's name: they are not meant */
		if (s->origin != NULL &&
			opt_set_one(s, &conf_stream_obj_opts[STREAM_OBJ_DISABLED]).lo == 0)
			rc = names_add(m, name);
	}
	if (rc == 0 && m->nb == 0)
		return opt_error(m->err, m->test, NULL,
			"sends nothing: name streams (stream), templates (tx-template), or a "
			"topology");
	return rc;
}

int topology_add(
	struct conf *conf, const struct opt_set *test, char ***names, unsigned *nb, struct err *err)
{
	struct making m = {.conf = conf,
		.test = test,
		.topology = (enum conf_topology)opt_set_one(test, TEST(TEST_TOPOLOGY)).lo,
		.err = err};
	int rc = m.topology == TOPOLOGY_GIVEN ? as_given(&m) : made(&m);

	free(m.ports);
	if (rc < 0) {
		while (m.nb > 0)
			free(m.names[--m.nb]);
		free(m.names);
		return rc;
	}
	*names = m.names;
	*nb = m.nb;
	return 0;
}

int topology_addresses(struct conf *conf, const struct opt_set *test, uint64_t nb, struct err *err)
{
	struct making m = {.conf = conf, .test = test, .topology = TOPOLOGY_LEARNING, .err = err};
	char name[NAME_BYTES], value[NAME_BYTES];
	int rc = ports_find(&m);

	snprintf(value, sizeof(value), "inc:" LEARN_MAC "+count=%llu", (unsigned long long)nb);
	for (unsigned i = 0; rc == 0 && i < 2; i++) {
		struct opt_set set;

		snprintf(name, sizeof(name), "%s.%s.%s", test_name(&m), port_name(m.ports[i]),
			port_name(m.ports[1 - i]));
		opt_set_init(&set, &pkt_template_menu);
		rc = give(&m, &set, i == 0 ? "mac-src" : "mac-dst", value, true);
		if (rc == 0)
			rc = conf_update(conf, "packet-templates", name, &set, err);
		opt_set_fini(&set);
	}
	free(m.ports);
	return rc;
}
