/* SPDX-License-Identifier: BSD-3-Clause */
/* Routes of IPv6 templates and of those with VLAN tags: the same rules as IPv4's. */
#include "plan_help.h"

#define PORTS                                                                                      \
	"{'ports': ["                                                                              \
	"{'name': 'ether1', 'device': 'ring:a', 'address': ['2001:db8:1::1/64', '1.1.1.1/24', "    \
	"'2001:db8:100::1/64@100', '10.1.0.1/24@100', '10.1.0.1/24@100.200']},"                    \
	"{'name': 'ether2', 'device': 'ring:b', 'address': ['2001:db8:2::2/64', "                  \
	"'10.1.0.2/24@300']},"                                                                     \
	"{'name': 'ether3', 'device': 'ring:c', 'address': ['3.3.3.3/24']},"                       \
	"{'name': 'ether4', 'device': 'af_xdp:eth9', 'address': ['4.4.4.4/24']}],"
#define CONF PORTS "\n'packet-templates': [{'name': 't', %s}]}"
#define ONE                                                                                        \
	"{'ports': [{'name': 'ether1', 'device': 'ring:a', 'address': ['2001:db8:1::1/64']}],"     \
	"\n'packet-templates': [{'name': 't', %s}]}"

#define V6  "'header-stack': ['mac', 'ipv6', 'udp'], "
#define VL  "'header-stack': ['mac', 'vlan', 'ip', 'udp'], "
#define VL6 "'header-stack': ['mac', 'vlan', 'ipv6', 'udp'], "
#define QQ  "'header-stack': ['mac', 'vlan', 'vlan', 'ip', 'udp'], "
#define MAC "'mac-dst': '02:00:00:00:00:0a'"

static void make_template(struct made *m, const char *conf, const char *template)
{
	char json[CONF_BYTES_MAX];

	snprintf(json, sizeof(json), conf, template);
	make(m, json, "tx-template=t pps=1", 2);
}

static const char *fmt(char *out, struct units_ip ip)
{
	return units_ip_is_none(ip) ? "-" : units_fmt_ip(out, ip);
}

static const struct {
	const char *conf, *template;
	unsigned tx_port;
	int rx_port;
	const char *to;	 /* next hop, or the MAC */
	const char *src; /* of the outermost IP header */
	const char *vlan;
} routes[] = {
	/* which port sends, to whom, from which address */
	{CONF, V6 "'ipv6-gateway': '2001:db8:1::fe', 'ipv6-dst': '2001:db8:2::2'", 0, 1,
		"2001:db8:1::fe", "2001:db8:1::1", ""},
	{CONF, V6 "'ipv6-src': '2001:db8:2::2', 'ipv6-dst': '2001:db8:2::9'", 1, 1, "2001:db8:2::9",
		"2001:db8:2::2", ""},
	{CONF, V6 "'port': 'ether1', 'ipv6-gateway': 'fe80::1', 'ipv6-dst': '2001:db8:2::2'", 0, 1,
		"fe80::1", "2001:db8:1::1", ""},
	{CONF, V6 "'port': 'ether1', 'ipv6-dst': 'fe80::1'", 0, -1, "fe80::1", "-", ""},
	{ONE, V6 "'ipv6-gateway': 'fe80::1', 'ipv6-dst': '2001:db8:2::2'", 0, -1, "fe80::1",
		"2001:db8:1::1", ""},
	{CONF, V6 "'port': 'ether1', 'ipv6-dst': 'ff05::1:3'", 0, -1, "33:33:00:01:00:03",
		"2001:db8:1::1", ""},
	{CONF, V6 "'port': 'ether1', 'ipv6-dst': 'ff02::1:ff12:3456'", 0, -1, "33:33:ff:12:34:56",
		"2001:db8:1::1", ""},
	{CONF, V6 "'port': 'ether1', 'ipv6-dst': 'feff::1'", 0, -1, "feff::1", "2001:db8:1::1", ""},
	{CONF, V6 "'port': 'ether1', 'ipv6-dst': '2001:db8:2::9', " MAC, 0, 1, "02:00:00:00:00:0a",
		"2001:db8:1::1", ""},
	{CONF, V6 "'port': 'ether2', 'ipv6-dst': '2001:db8:9::9', 'rx-port': 'ether1', " MAC, 1, 0,
		"02:00:00:00:00:0a", "2001:db8:2::2", ""},
	/* the gateway of one version, the packets of the other (RFC 5549) */
	{CONF, "'ipv6-gateway': '2001:db8:1::fe', 'ip-dst': '3.3.3.9'", 0, 2, "2001:db8:1::fe",
		"1.1.1.1", ""},
	{CONF,
		V6 "'ip-gateway': '1.1.1.254', 'ipv6-gateway': '2001:db8:2::fe', 'ipv6-dst': "
		   "'2001:db8:1::9'",
		1, 0, "2001:db8:2::fe", "2001:db8:2::2", ""},
	/* the template's VLAN first */
	{CONF, VL "'vlan-id': 100, 'ip-gateway': '10.1.0.254', 'ip-dst': '9.9.9.9'", 0, -1,
		"10.1.0.254", "10.1.0.1", " in VLAN 100"},
	{CONF, VL "'vlan-id': 300, 'ip-gateway': '10.1.0.254', 'ip-dst': '9.9.9.9'", 1, -1,
		"10.1.0.254", "10.1.0.2", " in VLAN 300"},
	{CONF, VL "'vlan-id': 5, 'ip-gateway': '10.1.0.254', 'ip-dst': '9.9.9.9'", 0, -1,
		"10.1.0.254", "10.1.0.1", " in VLAN 5"},
	{CONF, VL "'vlan-id': 0, 'ip-gateway': '1.1.1.254', 'ip-dst': '9.9.9.9'", 0, -1,
		"1.1.1.254", "1.1.1.1", ""},
	{CONF, QQ "'vlan-id': [100, 200], 'ip-gateway': '10.1.0.254', 'ip-dst': '9.9.9.9'", 0, -1,
		"10.1.0.254", "10.1.0.1", " in VLAN 100.200"},
	{CONF, VL6 "'vlan-id': 100, 'ipv6-gateway': '2001:db8:100::9', 'ipv6-dst': '2001:db8:2::2'",
		0, 1, "2001:db8:100::9", "2001:db8:100::1", " in VLAN 100"},
	{CONF,
		VL6 "'vlan-id': 100, 'port': 'ether1', 'ipv6-gateway': 'fe80::9', 'ipv6-dst': "
		    "'2001:db8:2::2'",
		0, 1, "fe80::9", "2001:db8:100::1", " in VLAN 100"},
	{CONF, VL "'vlan-id': '1-9', 'port': 'ether1', 'ip-dst': '1.1.1.9', " MAC, 0, 0,
		"02:00:00:00:00:0a", "1.1.1.1", ""},
};

static void routes_follow_the_rules_for_ipv6_and_within_tags(void **state)
{
	(void)state;
	for (unsigned i = 0; i < NB(routes); i++) {
		char to[UNITS_TEXT_MAX], src[UNITS_TEXT_MAX], vlan[UNITS_TEXT_MAX];
		const struct plan_route *r;
		struct made m;
		bool is_ip6;

		make_template(&m, routes[i].conf, routes[i].template);
		assert_made(&m, routes[i].template);
		r = &m.plan->streams[0].route;
		is_ip6 = strstr(routes[i].template, "'ipv6', 'udp'") != NULL;
		if (r->hop == PLAN_HOP_ARP)
			units_fmt_ip(to, r->next_hop);
		else
			units_fmt_mac(to, r->mac_dst);
		host_fmt_vlan(vlan, &r->vlan);
		if (r->tx_port != routes[i].tx_port || r->rx_port != routes[i].rx_port ||
			strcmp(to, routes[i].to) != 0 || strcmp(vlan, routes[i].vlan) != 0 ||
			strcmp(fmt(src, is_ip6 ? r->ip6_src : r->ip_src), routes[i].src) != 0)
			fail_msg("%s: tx %u, rx %d, to %s, from %s, vlan '%s'", routes[i].template,
				r->tx_port, r->rx_port, to, src, vlan);
		made_fini(&m);
	}
}

static const struct {
	const char *template, *place, *says;
} refused[] = {
	{V6 "'ipv6-gateway': 'fe80::1', 'ipv6-dst': '2001:db8:2::2'", "tgen.json:2:",
		"fe80::1 is a link-local address, which every port may have on its link; give the "
		"template port="},
	{V6 "'ipv6-gateway': '2001:db8:9::1', 'ipv6-dst': '2001:db8:2::2'",
		"tgen.json:2:", "no port has an address in the network of 2001:db8:9::1"},
	{V6 "'ipv6-gateway': '2001:db8:1::/64', 'ipv6-dst': '2001:db8:2::2'",
		"tgen.json:2:", "one plain address"},
	{V6 "'ipv6-gateway': '2001:db8:1::1-2001:db8:1::2', 'ipv6-dst': '2001:db8:2::2'",
		"tgen.json:2:", "one plain address"},
	{V6 "'ipv6-src': '2001:db8:7::7', 'ipv6-dst': '2001:db8:2::2'",
		"tgen.json:2:", "no port owns its ipv6-src 2001:db8:7::7"},
	{V6 "'ipv6-dst': '2001:db8:2::2'", "tgen.json:2:", "no ipv6-gateway and no ipv6-src"},
	{V6 "'port': 'ether1'", "tgen.json:2:", "no ipv6-dst to ask neighbour discovery for"},
	{V6 "'port': 'ether3', 'ipv6-dst': '2001:db8:2::2'",
		"tgen.json:2:", "port ether3 has no IPv6 address"},
	{VL "'vlan-id': '1-9', 'port': 'ether1', 'ip-dst': '1.1.1.9'",
		"tgen.json:2:", "within tags that vary; give it mac-dst"},
	{"'header-stack': ['mac', 'vlan', 'vlan', 'vlan', 'ip', 'udp'], 'vlan-id': [1, 2, 3], "
	 "'port': 'ether1', 'ip-dst': '1.1.1.9'",
		"tgen.json:2:", "within tags that are more than two; give it mac-dst"},
	{VL "'vlan-id': 7, 'port': 'ether4', 'ip-dst': '4.4.4.9'", "tgen.json:2:",
		"VLAN tags, and af_xdp:eth9 of port ether4 loses VLAN tags on receipt; give the "
		"port "
		"device=af_packet:eth9"},
	{VL "'vlan-id': 7, 'port': 'ether1', 'ip-dst': '4.4.4.9'",
		"tgen.json:2:", "af_xdp:eth9 of port ether4 loses VLAN tags"},
};

static void what_cannot_be_told_is_refused_with_place_and_remedy(void **state)
{
	(void)state;
	for (unsigned i = 0; i < NB(refused); i++) {
		struct made m;

		make_template(&m, CONF, refused[i].template);
		assert_refused(&m, refused[i].template, refused[i].place, refused[i].says);
		made_fini(&m);
	}
}

static void addresses_within_a_vlan_on_af_xdp_are_refused(void **state)
{
	struct made m;

	(void)state;
	make(&m,
		"{'ports': [{'name': 'a', 'device': 'af_xdp:eth0', 'address': ['1.1.1.1/24@7']}],"
		"'packet-templates': [{'name': 't', 'ip-dst': '1.1.1.9'}]}",
		"tx-template=t pps=1", 2);
	assert_refused(&m, "af_xdp", "tgen.json:1:", "device=af_packet:eth0");
	made_fini(&m);
}

static void the_ports_answer_with_the_tags_that_their_templates_send_with(void **state)
{
	const struct host_addr *addrs;
	struct made m;

	(void)state;
	make_template(&m, CONF,
		QQ "'vlan-id': [100, 200], 'vlan-tpid': ['802.1ad', '802.1q'], "
		   "'ip-gateway': '10.1.0.254', 'ip-dst': '9.9.9.9'");
	assert_made(&m, "qinq");
	addrs = m.plan->ports[0].addrs;
	assert_int_equal(addrs[4].vlan.tpid[0], 0x88a8);
	assert_int_equal(addrs[4].vlan.tpid[1], 0x8100);
	assert_int_equal(addrs[3].vlan.tpid[0], 0);
	made_fini(&m);
}

static void one_address_may_be_in_several_vlans_but_once_in_each(void **state)
{
	static const struct {
		const char *a, *b;
		bool fine;
	} cases[] = {
		{"1.1.1.1/24", "1.1.1.1/24@7", true},
		{"1.1.1.1/24@7", "1.1.1.1/24@7.8", true},
		{"1.1.1.1/24@7", "1.1.1.1/16@7", false},
		{"2001:db8::1/64", "2001:db8::1/64@7", true},
		{"2001:db8::1/64@7", "2001:db8::1/48@7", false},
		{"2001:db8::1/64", "2001:db8::2/64", true},
	};

	(void)state;
	for (unsigned i = 0; i < NB(cases); i++) {
		char json[CONF_BYTES_MAX];
		struct made m;

		snprintf(json, sizeof(json),
			"{'ports': [{'name': 'a', 'device': 'ring:a', 'address': ['%s']},"
			"{'name': 'b', 'device': 'ring:b', 'address': ['%s']}],"
			"'packet-templates': [{'name': 't', 'port': 'a', 'header-stack': ['mac'], "
			"%s}]}",
			cases[i].a, cases[i].b, MAC);
		make(&m, json, "tx-template=t pps=1", 2);
		if (cases[i].fine)
			assert_made(&m, cases[i].b);
		else
			assert_refused(&m, cases[i].b,
				"tgen.json:1:", "is an address of port a in VLAN 7 already");
		made_fini(&m);
	}
}

static void a_link_local_source_is_made_of_the_mac_in_use(void **state)
{
	struct plan_facts facts[4];
	struct err err = {0};
	struct made m;

	(void)state;
	make_template(&m, CONF, V6 "'port': 'ether1', 'ipv6-dst': 'fe80::1'");
	assert_made(&m, "link-local");
	facts_make(m.plan, facts);
	facts[0].mac = 0x001122334455;
	m.plan->streams[0].route.mac_dst = 0x020000000009; /* the answer */
	if (plan_size(m.plan, facts, &err) < 0 || plan_build(m.plan, &err) < 0)
		fail_msg("%s", err.text);
	assert_memory_equal(m.plan->streams[0].frame.hdr + 14 + 8,
		"\xfe\x80\0\0\0\0\0\0\x02\x11\x22\xff\xfe\x33\x44\x55", 16);
	made_fini(&m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(routes_follow_the_rules_for_ipv6_and_within_tags),
		cmocka_unit_test(what_cannot_be_told_is_refused_with_place_and_remedy),
		cmocka_unit_test(addresses_within_a_vlan_on_af_xdp_are_refused),
		cmocka_unit_test(the_ports_answer_with_the_tags_that_their_templates_send_with),
		cmocka_unit_test(one_address_may_be_in_several_vlans_but_once_in_each),
		cmocka_unit_test(a_link_local_source_is_made_of_the_mac_in_use),
	};

	return cmocka_run_group_tests(tests, plan_enter, plan_leave);
}
