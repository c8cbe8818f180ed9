/* SPDX-License-Identifier: BSD-3-Clause */
#include "plan_private.h"

#include <errno.h>
#include <string.h>

/* What a template says about its way: by its outermost IP header, IPv4 or IPv6. */
struct way {
	const struct plan_port *ports;
	unsigned nb_ports;
	const struct opt_set *tmpl;
	bool has_ip4, has_ip6; /* headers of that version, anywhere */
	bool is_ip6;	       /* the outermost one is */
	bool no_mac;	       /* the stack begins with bytes of the user's */
	struct plan_tags tags;
	const struct opt *gateway_opt, *src_opt, *dst_opt;
	struct units_ip gateway, src, dst; /* none: not given */
};

/* Item 0 of a template's field, as the user gave it; false when not given. */
static bool given(const struct opt_set *tmpl, const struct opt *field, struct opt_val *val)
{
	const struct opt_slot *slot = field != NULL ? opt_set_get(tmpl, field) : NULL;

	if (slot == NULL)
		return false;
	*val = slot->vals[0];
	return true;
}

/* The first address of a field; none when it is not given. */
static struct units_ip given_ip(const struct opt_set *tmpl, const struct opt *field)
{
	struct opt_val val;

	if (!given(tmpl, field, &val))
		return (struct units_ip){0};
	return val.is_ip6 ? (struct units_ip){.up = val.up.lo, .lo = val.lo}
			  : units_ip4((uint32_t)val.lo);
}

static const char *template_name(const struct opt_set *tmpl)
{
	return opt_set_one(tmpl, &pkt_template_opts[TMPL_NAME]).text;
}

static int port_by_name(const struct plan_port *ports, unsigned nb_ports, const char *name)
{
	for (unsigned p = 0; p < nb_ports; p++)
		if (strcmp(ports[p].name, name) == 0)
			return (int)p;
	return -1;
}

/* One in the template's VLANs before all others. */
static int port_owning(const struct way *w, struct units_ip ip)
{
	int found = -1;

	for (unsigned p = 0; p < w->nb_ports; p++) {
		for (unsigned a = 0; a < w->ports[p].nb_addrs; a++) {
			const struct host_addr *addr = &w->ports[p].addrs[a];

			if (!units_ip_equal(addr->ip, ip))
				continue;
			if (host_vlan_equal(&addr->vlan, &w->tags.vlan))
				return (int)p;
			found = found < 0 ? (int)p : found;
		}
	}
	return found;
}

static bool port_covers(const struct plan_port *port, struct units_ip ip)
{
	for (unsigned a = 0; a < port->nb_addrs; a++)
		if (host_addr_covers(&port->addrs[a], ip))
			return true;
	return false;
}

/* The first port in whose network ip lies, one in the template's VLANs before all others. */
static int port_covering(const struct way *w, struct units_ip ip)
{
	for (unsigned p = 0; p < w->nb_ports; p++)
		for (unsigned a = 0; a < w->ports[p].nb_addrs; a++)
			if (host_addr_covers(&w->ports[p].addrs[a], ip) &&
				host_vlan_equal(&w->ports[p].addrs[a].vlan, &w->tags.vlan))
				return (int)p;
	for (unsigned p = 0; p < w->nb_ports; p++)
		if (port_covers(&w->ports[p], ip))
			return (int)p;
	return -1;
}

/* The only port in whose network ip lies; -1: none, or several. */
static int port_alone_covering(const struct way *w, struct units_ip ip)
{
	int found = -1;

	for (unsigned p = 0; p < w->nb_ports; p++) {
		if (!port_covers(&w->ports[p], ip))
			continue;
		if (found >= 0)
			return -1;
		found = (int)p;
	}
	return found;
}

static int named_port(const struct way *w, enum pkt_template_opt which, struct err *err)
{
	const struct opt *opt = &pkt_template_opts[which];
	const char *name = opt_set_get(w->tmpl, opt)->vals[0].text;
	int p = port_by_name(w->ports, w->nb_ports, name);

	if (p < 0)
		return opt_error(err, w->tmpl, opt,
			"there is no enabled port \"%s\" (tgen port print shows them)", name);
	return p;
}

static int port_of_gateway(const struct way *w, struct err *err)
{
	char ip[UNITS_TEXT_MAX];
	int p;

	units_fmt_ip(ip, w->gateway);
	if (units_ip_is_link_local(w->gateway) && w->nb_ports > 1)
		return opt_error(err, w->tmpl, w->gateway_opt,
			"template %s: %s is a link-local address, which every port may have on its "
			"link; give the template port=",
			template_name(w->tmpl), ip);
	p = port_covering(w, w->gateway);
	if (p >= 0 || w->nb_ports == 1)
		return p >= 0 ? p : 0;
	return opt_error(err, w->tmpl, w->gateway_opt,
		"template %s: no port has an address in the network of %s; give the port one "
		"(tgen port set PORT address=A/LEN) or the template port=",
		template_name(w->tmpl), ip);
}

static int port_of_src(const struct way *w, struct err *err)
{
	int p = port_owning(w, w->src);
	char ip[UNITS_TEXT_MAX];

	if (p >= 0 || w->nb_ports == 1)
		return p >= 0 ? p : 0;
	return opt_error(err, w->tmpl, w->src_opt,
		"template %s: it has no port and no %s, and no port owns its %s %s; give the "
		"template port=, or the port that address",
		template_name(w->tmpl), w->is_ip6 ? "ipv6-gateway" : "ip-gateway", w->src_opt->name,
		units_fmt_ip(ip, w->src));
}

/*
 * RouterOS's order: the port that is named; else the one in whose network the gateway lies; else the
 * owner of ip-src. With one port only there is nothing to choose.
 */
static int find_tx_port(const struct way *w, const char *port, struct err *err)
{
	int p;

	if (port != NULL) {
		p = port_by_name(w->ports, w->nb_ports, port);
		return p >= 0 ? p
			      : err_usage(err,
					"port: there is no enabled port \"%s\" (tgen port print "
					"shows them)",
					port);
	}
	if (opt_set_get(w->tmpl, &pkt_template_opts[TMPL_PORT]) != NULL)
		return named_port(w, TMPL_PORT, err);
	if (opt_set_get(w->tmpl, &pkt_template_opts[TMPL_INTERFACE]) != NULL)
		return named_port(w, TMPL_INTERFACE, err);
	if (!units_ip_is_none(w->gateway))
		return port_of_gateway(w, err);
	if (!units_ip_is_none(w->src))
		return port_of_src(w, err);
	if (w->nb_ports == 1)
		return 0;
	return opt_error(err, w->tmpl, NULL,
		"template %s: cannot tell which port sends: it has no port, no %s and no "
		"%s; give it one of them",
		template_name(w->tmpl), w->is_ip6 ? "ipv6-gateway" : "ip-gateway",
		w->is_ip6 ? "ipv6-src" : "ip-src");
}

static int find_rx_port(const struct way *w, int32_t *out, struct err *err)
{
	*out = -1;
	if (opt_set_get(w->tmpl, &pkt_template_opts[TMPL_RX_PORT]) != NULL) {
		*out = named_port(w, TMPL_RX_PORT, err);
		return *out < 0 ? -EINVAL : 0;
	}
	if (units_ip_is_none(w->dst))
		return 0;
	*out = port_owning(w, w->dst);
	if (*out < 0)
		*out = port_alone_covering(w, w->dst);
	return 0;
}

/* RFC 1112 §6.4: the low 23 bits of the group; RFC 2464 §7: the low 32. */
static uint64_t multicast_mac(struct units_ip ip)
{
	return units_ip_is4(ip) ? 0x01005e000000ull | (ip.lo & 0x7fffff)
				: 0x333300000000ull | (uint32_t)ip.lo;
}

/* To all on a port's own network (RFC 919), or to all there are: nobody answers ARP for these. */
static bool is_broadcast(const struct plan_port *port, struct units_ip ip)
{
	if (!units_ip_is4(ip))
		return false;
	for (unsigned a = 0; a < port->nb_addrs; a++) {
		const struct host_addr *addr = &port->addrs[a];
		uint32_t hosts = host_addr_hosts(addr);

		if (hosts > 1 && host_addr_covers(addr, ip) && ((uint32_t)ip.lo & hosts) == hosts)
			return true;
	}
	return (uint32_t)ip.lo == UINT32_MAX;
}

/* ARP and neighbour discovery go within the tags: these must be few and the same in every frame. */
static int check_ask(const struct way *w, struct err *err)
{
	if (!w->tags.varies && !w->tags.too_many)
		return 0;
	return opt_error(err, w->tmpl, NULL,
		"template %s: mac-dst cannot be asked for within tags that %s; give it mac-dst",
		template_name(w->tmpl), w->tags.varies ? "vary" : "are more than two");
}

static int find_next_hop(const struct way *w, struct plan_route *out, struct err *err)
{
	struct opt_val val;

	if (given(w->tmpl, pkt_template_opt("mac-dst"), &val)) {
		out->hop = PLAN_HOP_GIVEN;
		out->mac_dst = val.lo;
		return 0;
	}
	/* its bytes say where it goes; and where there is no MAC header, nobody need be asked */
	if (w->no_mac) {
		out->hop = PLAN_HOP_GIVEN;
		out->mac_dst = pkt_is_raw(w->tmpl) ? pkt_raw_mac_dst(w->tmpl) : 0;
		return 0;
	}
	out->hop = PLAN_HOP_ARP;
	if (!units_ip_is_none(w->gateway)) {
		out->next_hop = w->gateway;
		return check_ask(w, err);
	}
	if (opt_set_get(w->tmpl, &pkt_template_opts[TMPL_REPLY_TO]) != NULL) {
		out->hop = PLAN_HOP_REPLY;
		return 0;
	}
	if (units_ip_is_none(w->dst))
		return opt_error(err, w->tmpl, NULL,
			"template %s: mac-dst cannot be found: it has no mac-dst, no %s and no %s "
			"to ask %s for; give it mac-dst",
			template_name(w->tmpl), w->is_ip6 ? "ipv6-gateway" : "ip-gateway",
			w->is_ip6 ? "ipv6-dst" : "ip-dst",
			w->is_ip6 ? "neighbour discovery" : "ARP");
	out->next_hop = w->dst;
	if (is_broadcast(&w->ports[out->tx_port], w->dst)) {
		out->hop = PLAN_HOP_MULTICAST;
		out->mac_dst = 0xffffffffffffull;
	} else if (units_ip_is_group(w->dst)) {
		out->hop = PLAN_HOP_MULTICAST;
		out->mac_dst = multicast_mac(w->dst);
	} else if (check_ask(w, err) < 0) {
		return -EINVAL;
	}
	/* what goes to many belongs on no port of its own, unless the user says so */
	if (out->hop == PLAN_HOP_MULTICAST &&
		opt_set_get(w->tmpl, &pkt_template_opts[TMPL_RX_PORT]) == NULL)
		out->rx_port = -1;
	return 0;
}

/* By the next hop; from behind a router that is known by its link-local address, by ipv6-dst. */
static void assume_sources(const struct way *w, struct plan_route *out)
{
	const struct plan_port *tx = &w->ports[out->tx_port];
	const struct host_if hif = {.mac = tx->mac, .addrs = tx->addrs, .nb_addrs = tx->nb_addrs};
	struct units_ip hop = out->next_hop, dst6 = {0};

	out->ip_src = host_source(&hif, &out->vlan, units_ip_is4(hop) ? hop : units_ip4(0));
	if (!units_ip_is4(hop))
		dst6 = units_ip_is_link_local(hop) ? w->dst : hop;
	if (units_ip_is4(dst6))
		dst6 = (struct units_ip){0};
	if (!units_ip_is_link_local(dst6)) /* the port's MAC, of which that is made, comes later */
		out->ip6_src = host_source(&hif, &out->vlan, dst6);
}

static bool has_ip6_address(const struct plan_port *port)
{
	for (unsigned a = 0; a < port->nb_addrs; a++)
		if (!units_ip_is4(port->addrs[a].ip))
			return true;
	return false;
}

struct units_ip plan_ip6_src(const struct plan_port *port, const struct plan_route *route)
{
	if (!units_ip_is_none(route->ip6_src) || !has_ip6_address(port))
		return route->ip6_src;
	return host_link_local(port->mac);
}

static int check_sources(const struct way *w, const struct plan_route *route, struct err *err)
{
	const struct plan_port *tx = &w->ports[route->tx_port];
	struct opt_val val;

	if (w->has_ip4 && units_ip_is_none(route->ip_src) &&
		!given(w->tmpl, pkt_template_opt("ip-src"), &val))
		return opt_error(err, w->tmpl, NULL,
			"template %s: no ip-src: port %s has no %saddress; give the template "
			"ip-src or the port an address",
			template_name(w->tmpl), tx->name, tx->nb_addrs > 0 ? "IPv4 " : "");
	if (w->has_ip6 && !has_ip6_address(tx) &&
		!given(w->tmpl, pkt_template_opt("ipv6-src"), &val))
		return opt_error(err, w->tmpl, NULL,
			"template %s: no ipv6-src: port %s has no IPv6 address; give the template "
			"ipv6-src or the port an address",
			template_name(w->tmpl), tx->name);
	return 0;
}

/* Both gateways given: that of the outermost header's version; one given: that one. */
static int read_gateway(struct way *w, struct err *err)
{
	const struct opt *first =
		&pkt_template_opts[w->is_ip6 ? TMPL_IPV6_GATEWAY : TMPL_IP_GATEWAY];
	const struct opt *other =
		&pkt_template_opts[w->is_ip6 ? TMPL_IP_GATEWAY : TMPL_IPV6_GATEWAY];
	struct opt_val val;

	w->gateway_opt = opt_set_get(w->tmpl, first) != NULL ? first : other;
	if (!given(w->tmpl, w->gateway_opt, &val))
		return 0;
	w->gateway = given_ip(w->tmpl, w->gateway_opt);
	/* a gateway is one host: a range or a mask cannot be asked for */
	if (val.lo == val.hi && val.up.lo == val.up.hi &&
		(val.is_ip6 ? (val.mask & val.up.mask) == UINT64_MAX
			    : (uint32_t)val.mask == UINT32_MAX))
		return 0;
	return opt_error(err, w->tmpl, w->gateway_opt,
		"template %s: the gateway must be one plain address", template_name(w->tmpl));
}

static int read_way(struct way *w, struct err *err)
{
	const struct pkt_hdr *stack[PKT_MAX_HEADERS];
	int nb = pkt_stack(w->tmpl, stack, err);

	if (nb < 0)
		return -EINVAL;
	w->no_mac = strcmp(stack[0]->name, "mac") != 0;
	for (int i = 0; i < nb; i++) {
		bool is_ip6 = strcmp(stack[i]->name, "ipv6") == 0;

		w->is_ip6 |= is_ip6 && !w->has_ip4;
		w->has_ip6 |= is_ip6;
		w->has_ip4 |= strcmp(stack[i]->name, "ip") == 0;
	}
	plan_tags_read(w->tmpl, stack, (unsigned)nb, &w->tags);
	w->src_opt = opt_menu_find(&pkt_template_menu, w->is_ip6 ? "ipv6-src" : "ip-src");
	w->dst_opt = opt_menu_find(&pkt_template_menu, w->is_ip6 ? "ipv6-dst" : "ip-dst");
	w->src = given_ip(w->tmpl, w->src_opt);
	if (w->has_ip4 || w->has_ip6)
		w->dst = given_ip(w->tmpl, w->dst_opt);
	return read_gateway(w, err);
}

int plan_route(const struct plan_port *ports, unsigned nb_ports, const struct opt_set *tmpl,
	const char *port, struct plan_route *out, struct err *err)
{
	struct way w = {.ports = ports, .nb_ports = nb_ports, .tmpl = tmpl};
	int p;

	*out = (struct plan_route){.rx_port = -1};
	if (read_way(&w, err) < 0)
		return -EINVAL;
	out->vlan = w.tags.vlan;
	if (opt_set_get(tmpl, &pkt_template_opts[TMPL_PORT]) != NULL &&
		opt_set_get(tmpl, &pkt_template_opts[TMPL_INTERFACE]) != NULL)
		return opt_error(err, tmpl, &pkt_template_opts[TMPL_INTERFACE],
			"port and interface are two names of one thing; give one of them");
	p = find_tx_port(&w, port, err);
	if (p < 0)
		return -EINVAL;
	out->tx_port = (uint16_t)p;
	if (find_rx_port(&w, &out->rx_port, err) < 0 || find_next_hop(&w, out, err) < 0)
		return -EINVAL;
	assume_sources(&w, out);
	return check_sources(&w, out, err);
}
