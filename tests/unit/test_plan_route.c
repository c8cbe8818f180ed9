/* SPDX-License-Identifier: BSD-3-Clause */
/* Where a template's frames leave, to whom, and where they must arrive. */
#include "plan_help.h"

#define PORTS_ROUTING                                                                              \
	"{'ports': ["                                                                              \
	"{'name': 'ether1', 'device': 'ring:a', 'address': ['1.1.1.1/24']},"                       \
	"{'name': 'ether2', 'device': 'ring:b', 'address': ['2.2.2.2/24']},"                       \
	"{'name': 'ether3', 'device': 'ring:c', 'address': ['3.3.3.3/24', '10.0.0.3/8']},"         \
	"{'name': 'ether4', 'device': 'ring:d'},"                                                  \
	"{'name': 'off', 'device': 'ring:e', 'disabled': true, 'address': ['5.5.5.5/24']}],"
#define PORTS_BRIDGING                                                                             \
	"{'ports': ["                                                                              \
	"{'name': 'ether1', 'device': 'ring:a', 'address': ['1.1.1.1/24']},"                       \
	"{'name': 'ether2', 'device': 'ring:b', 'address': ['1.1.1.2/24']}],"
#define PORTS_ONE  "{'ports': [{'name': 'ether1', 'device': 'ring:a', 'address': ['1.1.1.1/24']}],"
#define PORTS_BARE "{'ports': [{'name': 'ether1', 'device': 'ring:a'}],"

#define ROUTING	 PORTS_ROUTING "\n'packet-templates': [{'name': 't', %s}]}"
#define BRIDGING PORTS_BRIDGING "\n'packet-templates': [{'name': 't', %s}]}"
#define ONE	 PORTS_ONE "\n'packet-templates': [{'name': 't', %s}]}"
#define BARE	 PORTS_BARE "\n'packet-templates': [{'name': 't', %s}]}"

#define MAC_GIVEN 0x02000000000aull
#define MAC_WORD  "'mac-dst': '02:00:00:00:00:0a'"
#define IP(a, b, c, d)                                                                             \
	((uint32_t)(a) << 24 | (uint32_t)(b) << 16 | (uint32_t)(c) << 8 | (uint32_t)(d))

static void make_template(struct made *m, const char *conf, const char *template, const char *words)
{
	char json[CONF_BYTES_MAX], all[256];

	snprintf(json, sizeof(json), conf, template);
	snprintf(all, sizeof(all), "tx-template=t pps=1 %s", words);
	make(m, json, all, 2);
}

static const struct {
	const char *what, *conf, *template, *words;
	unsigned tx_port;
	int rx_port;
	enum plan_next_hop hop;
	uint64_t to; /* next hop with ARP; else mac-dst */
	uint32_t ip_src;
} routes[] = {
	/* which port sends */
	{"port", ROUTING, "'port': 'ether2', 'ip-dst': '9.9.9.9', " MAC_WORD, "", 1, -1,
		PLAN_HOP_GIVEN, MAC_GIVEN, IP(2, 2, 2, 2)},
	{"interface", ROUTING, "'interface': 'ether2', 'ip-dst': '9.9.9.9', " MAC_WORD, "", 1, -1,
		PLAN_HOP_GIVEN, MAC_GIVEN, IP(2, 2, 2, 2)},
	{"port before gateway", ROUTING,
		"'port': 'ether2', 'ip-gateway': '1.1.1.254', 'ip-dst': '9.9.9.9'", "", 1, -1,
		PLAN_HOP_ARP, IP(1, 1, 1, 254), IP(2, 2, 2, 2)},
	{"port of the command before the template's", ROUTING,
		"'port': 'ether2', 'ip-dst': '3.3.3.9'", "port=ether3", 2, 2, PLAN_HOP_ARP,
		IP(3, 3, 3, 9), IP(3, 3, 3, 3)},
	{"interface of the command", ROUTING, "'ip-dst': '3.3.3.9'", "interface=ether3", 2, 2,
		PLAN_HOP_ARP, IP(3, 3, 3, 9), IP(3, 3, 3, 3)},
	{"gateway's network", ROUTING, "'ip-gateway': '1.1.1.254', 'ip-dst': '2.2.2.2'", "", 0, 1,
		PLAN_HOP_ARP, IP(1, 1, 1, 254), IP(1, 1, 1, 1)},
	{"gateway in a port's second network", ROUTING,
		"'ip-gateway': '10.200.0.1', 'ip-dst': '2.2.2.2'", "", 2, 1, PLAN_HOP_ARP,
		IP(10, 200, 0, 1), IP(10, 0, 0, 3)},
	{"gateway before ip-src", ROUTING,
		"'ip-gateway': '1.1.1.254', 'ip-src': '2.2.2.2', 'ip-dst': '3.3.3.3'", "", 0, 2,
		PLAN_HOP_ARP, IP(1, 1, 1, 254), IP(1, 1, 1, 1)},
	{"owner of ip-src", ROUTING, "'ip-src': '2.2.2.2', 'ip-dst': '1.1.1.9'", "", 1, 0,
		PLAN_HOP_ARP, IP(1, 1, 1, 9), IP(2, 2, 2, 2)},
	{"owner of ip-src, a second address", ROUTING, "'ip-src': '10.0.0.3', 'ip-dst': '10.9.9.9'",
		"", 2, 2, PLAN_HOP_ARP, IP(10, 9, 9, 9), IP(10, 0, 0, 3)},
	{"gateway in several ports' network: the first", BRIDGING,
		"'ip-gateway': '1.1.1.254', 'ip-dst': '9.9.9.9'", "", 0, -1, PLAN_HOP_ARP,
		IP(1, 1, 1, 254), IP(1, 1, 1, 1)},
	{"one port only", ONE, "'ip-dst': '1.1.1.7'", "", 0, 0, PLAN_HOP_ARP, IP(1, 1, 1, 7),
		IP(1, 1, 1, 1)},
	{"one port, gateway elsewhere", ONE, "'ip-gateway': '7.7.7.7', 'ip-dst': '8.8.8.8'", "", 0,
		-1, PLAN_HOP_ARP, IP(7, 7, 7, 7), IP(1, 1, 1, 1)},
	{"one port, ip-src of nobody", ONE, "'ip-src': '7.7.7.7', 'ip-dst': '1.1.1.9'", "", 0, 0,
		PLAN_HOP_ARP, IP(1, 1, 1, 9), IP(1, 1, 1, 1)},
	{"port without address, ip-src given", BARE, "'ip-src': '7.7.7.7', 'ip-dst': '1.1.1.9'", "",
		0, -1, PLAN_HOP_ARP, IP(1, 1, 1, 9), 0},
	/* to whom */
	{"mac-dst before gateway", ROUTING,
		"'ip-gateway': '1.1.1.254', 'ip-dst': '2.2.2.2', " MAC_WORD, "", 0, 1,
		PLAN_HOP_GIVEN, MAC_GIVEN, IP(1, 1, 1, 1)},
	{"mac-dst without IP", BARE, "'header-stack': ['mac'], " MAC_WORD, "", 0, -1,
		PLAN_HOP_GIVEN, MAC_GIVEN, 0},
	{"multicast", ROUTING, "'port': 'ether1', 'ip-dst': '224.1.2.3'", "", 0, -1,
		PLAN_HOP_MULTICAST, 0x01005e010203, IP(1, 1, 1, 1)},
	{"multicast, only 23 bits", ROUTING, "'port': 'ether1', 'ip-dst': '239.255.255.255'", "", 0,
		-1, PLAN_HOP_MULTICAST, 0x01005e7fffff, IP(1, 1, 1, 1)},
	{"just above multicast", ROUTING, "'port': 'ether1', 'ip-dst': '240.0.0.1'", "", 0, -1,
		PLAN_HOP_ARP, IP(240, 0, 0, 1), IP(1, 1, 1, 1)},
	{"just below multicast", ROUTING, "'port': 'ether1', 'ip-dst': '223.255.255.255'", "", 0,
		-1, PLAN_HOP_ARP, IP(223, 255, 255, 255), IP(1, 1, 1, 1)},
	{"broadcast", ROUTING, "'port': 'ether1', 'ip-dst': '255.255.255.255'", "", 0, -1,
		PLAN_HOP_MULTICAST, 0xffffffffffff, IP(1, 1, 1, 1)},
	/* where frames must arrive */
	{"rx-port", ROUTING, "'ip-gateway': '1.1.1.254', 'ip-dst': '2.2.2.2', 'rx-port': 'ether4'",
		"", 0, 3, PLAN_HOP_ARP, IP(1, 1, 1, 254), IP(1, 1, 1, 1)},
	{"rx-port by address", ROUTING, "'ip-gateway': '1.1.1.254', 'ip-dst': '10.0.0.3'", "", 0, 2,
		PLAN_HOP_ARP, IP(1, 1, 1, 254), IP(1, 1, 1, 1)},
	{"rx-port by network", ROUTING, "'ip-gateway': '1.1.1.254', 'ip-dst': '2.2.2.77'", "", 0, 1,
		PLAN_HOP_ARP, IP(1, 1, 1, 254), IP(1, 1, 1, 1)},
	{"rx-port not told by a disabled port", ROUTING,
		"'ip-gateway': '1.1.1.254', 'ip-dst': '5.5.5.5'", "", 0, -1, PLAN_HOP_ARP,
		IP(1, 1, 1, 254), IP(1, 1, 1, 1)},
	{"rx-port by address within one network", BRIDGING,
		"'ip-src': '1.1.1.1', 'ip-dst': '1.1.1.2'", "", 0, 1, PLAN_HOP_ARP, IP(1, 1, 1, 2),
		IP(1, 1, 1, 1)},
	{"rx-port by network, several", BRIDGING, "'ip-src': '1.1.1.2', 'ip-dst': '1.1.1.77'", "",
		1, -1, PLAN_HOP_ARP, IP(1, 1, 1, 77), IP(1, 1, 1, 2)},
};

static void routes_follow_the_rules_in_their_order(void **state)
{
	(void)state;
	for (unsigned i = 0; i < NB(routes); i++) {
		const struct plan_route *r;
		struct made m;

		make_template(&m, routes[i].conf, routes[i].template, routes[i].words);
		assert_made(&m, routes[i].what);
		r = &m.plan->streams[0].route;
		if (r->tx_port != routes[i].tx_port || r->rx_port != routes[i].rx_port ||
			r->hop != routes[i].hop || (uint32_t)r->ip_src.lo != routes[i].ip_src ||
			(r->hop == PLAN_HOP_ARP ? (uint32_t)r->next_hop.lo : r->mac_dst) !=
				routes[i].to)
			fail_msg("%s: tx %u, rx %d, hop %d, next %08x, mac %012llx, src %08x",
				routes[i].what, r->tx_port, r->rx_port, r->hop,
				(uint32_t)r->next_hop.lo, (unsigned long long)r->mac_dst,
				(uint32_t)r->ip_src.lo);
		made_fini(&m);
	}
}

/* Columns count from the second line, where the template is. */
#define TEMPLATE "tgen.json:2:22: packet-templates[0]: "
#define AT(name) "packet-templates[0]." name ": "

static const struct {
	const char *what, *conf, *template, *words;
	const char *place, *says;
} refused[] = {
	{"unknown port", ROUTING, "'port': 'nope', 'ip-dst': '1.1.1.9'", "",
		"tgen.json:2:44: " AT("port"), "there is no enabled port \"nope\""},
	{"disabled port", ROUTING, "'port': 'off', 'ip-dst': '1.1.1.9'", "",
		"tgen.json:2:44: " AT("port"), "there is no enabled port \"off\""},
	{"unknown interface", ROUTING, "'interface': 'nope', 'ip-dst': '1.1.1.9'", "",
		"tgen.json:2:49: " AT("interface"), "there is no enabled port \"nope\""},
	{"port and interface", ROUTING, "'port': 'ether1', 'interface': 'ether1'", "",
		"tgen.json:2:67: " AT("interface"), "give one of them"},
	{"unknown rx-port", ROUTING, "'rx-port': 'nope', 'port': 'ether1', 'ip-dst': '1.1.1.9'", "",
		"tgen.json:2:47: " AT("rx-port"), "there is no enabled port \"nope\""},
	{"unknown port of the command", ROUTING, "'ip-dst': '1.1.1.9'", "port=nope",
		"port: ", "there is no enabled port \"nope\""},
	{"unknown interface of the command", ROUTING, "'ip-dst': '1.1.1.9'", "interface=nope", "",
		"there is no enabled port \"nope\""},
	{"port and interface of the command", ROUTING, "'ip-dst': '1.1.1.9'",
		"port=ether1 interface=ether1", "interface: ", "give one of them"},
	{"gateway of no network", ROUTING, "'ip-gateway': '7.7.7.7', 'ip-dst': '1.1.1.9'", "",
		"tgen.json:2:50: " AT("ip-gateway"),
		"template t: no port has an address in the network of 7.7.7.7"},
	{"gateway of a disabled port's network", ROUTING,
		"'ip-gateway': '5.5.5.7', 'ip-dst': '1.1.1.9'", "",
		"tgen.json:2:50: " AT("ip-gateway"), "in the network of 5.5.5.7"},
	{"gateway a range", ROUTING, "'ip-gateway': '1.1.1.7-1.1.1.9', 'ip-dst': '1.1.1.9'", "",
		"tgen.json:2:50: " AT("ip-gateway"), "one plain address"},
	{"gateway a network", ROUTING, "'ip-gateway': '1.1.1.0/24', 'ip-dst': '1.1.1.9'", "",
		"tgen.json:2:50: " AT("ip-gateway"), "one plain address"},
	{"ip-src of nobody", ROUTING, "'ip-src': '1.1.1.7', 'ip-dst': '1.1.1.9'", "",
		"tgen.json:2:46: " AT("ip-src"), "no port owns its ip-src 1.1.1.7"},
	{"nothing tells the port", ROUTING, "'ip-dst': '1.1.1.9'", "", TEMPLATE,
		"template t: cannot tell which port sends"},
	{"nothing tells mac-dst", ROUTING, "'port': 'ether1'", "", TEMPLATE,
		"template t: mac-dst cannot be found"},
	{"nothing tells mac-dst, without IP", ROUTING, "'port': 'ether1', 'header-stack': ['mac']",
		"", TEMPLATE, "template t: mac-dst cannot be found"},
	{"nothing tells ip-src", ROUTING, "'port': 'ether4', 'ip-dst': '1.1.1.9'", "", TEMPLATE,
		"template t: no ip-src: port ether4 has no address"},
	{"wrong stack", ROUTING, "'port': 'ether1', 'header-stack': ['ip'], 'ip-dst': '1.1.1.9'",
		"", "tgen.json:2:71: " AT("header-stack"), "begins with ip"},
};

static void routes_that_cannot_be_told_are_refused_with_place_and_remedy(void **state)
{
	(void)state;
	for (unsigned i = 0; i < NB(refused); i++) {
		struct made m;

		make_template(&m, refused[i].conf, refused[i].template, refused[i].words);
		assert_refused(&m, refused[i].what, refused[i].place, refused[i].says);
		made_fini(&m);
	}
}

static void wrong_ports_are_refused(void **state)
{
	static const struct {
		const char *what, *json, *place, *says;
	} cases[] = {
		{"none", "{'packet-templates': [{'name': 't', 'ip-dst': '1.1.1.1'}]}",
			"tgen.json: ", "no ports to use"},
		{"all disabled",
			"{'ports': [{'name': 'a', 'device': 'ring:a', 'disabled': true}],"
			"'packet-templates': [{'name': 't', 'ip-dst': '1.1.1.1'}]}",
			"tgen.json: ", "no ports to use"},
		{"an address twice",
			"{'ports': [{'name': 'a', 'device': 'ring:a', 'address': ['1.1.1.1/24']},"
			"\n{'name': 'b', 'device': 'ring:b', 'address': ['2.2.2.2/24', "
			"'1.1.1.1/16']}],"
			"'packet-templates': [{'name': 't', 'ip-dst': '1.1.1.1'}]}",
			"tgen.json:2:47: ports[1].address: ",
			"1.1.1.1 is an address of port a already"},
		{"a multicast MAC",
			"{'ports': [{'name': 'a', 'device': 'ring:a', 'mac': '01:00:00:00:00:01'}],"
			"'packet-templates': [{'name': 't', 'ip-dst': '1.1.1.1'}]}",
			"tgen.json:1:53: ports[0].mac: ", "multicast"},
		{"a MAC with a mask",
			"{'ports': [{'name': 'a', 'device': 'ring:a', "
			"'mac': '02:00:00:00:00:01/ff:ff:ff:00:00:00'}],"
			"'packet-templates': [{'name': 't', 'ip-dst': '1.1.1.1'}]}",
			"tgen.json:1:53: ports[0].mac: ", "not several"},
	};

	(void)state;
	for (unsigned i = 0; i < NB(cases); i++) {
		struct made m;

		make(&m, cases[i].json, "tx-template=t pps=1", 2);
		assert_refused(&m, cases[i].what, cases[i].place, cases[i].says);
		made_fini(&m);
	}
}

static void ports_alone_can_be_planned(void **state)
{
	struct conf *conf = conf_make(PORTS_ROUTING "'packet-templates': []}");
	struct plan_cpu cpus[2];
	struct err err = {0};
	struct plan *plan;

	(void)state;
	cpus_make(cpus, 2);
	plan = plan_new_ports(conf, NULL, cpus, 2, &err);
	assert_non_null(plan);
	assert_int_equal(plan->nb_ports, 4); /* the disabled one is left alone */
	assert_int_equal(plan->nb_workers, 1);
	plan_free(plan);
	plan = plan_new_ports(conf, "off", cpus, 2, &err); /* unless it is named */
	assert_non_null(plan);
	assert_int_equal(plan->nb_ports, 1);
	assert_string_equal(plan->ports[0].name, "off");
	assert_string_equal(plan->ports[0].device, "ring:e");
	plan_free(plan);
	assert_null(plan_new_ports(conf, "ether5", cpus, 2, &err));
	assert_string_equal(err.text, "no port \"ether5\" in tgen.json, did you mean \"ether1\"?");
	assert_int_equal(err.status, TGEN_USAGE);
	conf_free(conf);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(routes_follow_the_rules_in_their_order),
		cmocka_unit_test(routes_that_cannot_be_told_are_refused_with_place_and_remedy),
		cmocka_unit_test(wrong_ports_are_refused),
		cmocka_unit_test(ports_alone_can_be_planned),
	};

	return cmocka_run_group_tests(tests, plan_enter, plan_leave);
}
