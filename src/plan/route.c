/* SPDX-License-Identifier: BSD-3-Clause */
#include "plan_private.h"

#include <errno.h>
#include <string.h>

/* Item 0 of a template's field, as the user gave it; false when not given. */
static bool given(const struct opt_set *tmpl, const char *field, struct opt_val *val)
{
	const struct opt_slot *slot = opt_set_get(tmpl, pkt_template_opt(field));

	if (slot == NULL)
		return false;
	*val = slot->vals[0];
	return true;
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

static int port_owning(const struct plan_port *ports, unsigned nb_ports, uint32_t ip)
{
	for (unsigned p = 0; p < nb_ports; p++)
		for (unsigned a = 0; a < ports[p].nb_addrs; a++)
			if (ports[p].addrs[a].ip == ip)
				return (int)p;
	return -1;
}

static const struct host_addr *addr_covering(const struct plan_port *port, uint32_t ip)
{
	for (unsigned a = 0; a < port->nb_addrs; a++)
		if (host_addr_covers(&port->addrs[a], ip))
			return &port->addrs[a];
	return NULL;
}

/* The first port in whose network ip lies. unique: -1 when there are several. */
static int port_covering(const struct plan_port *ports, unsigned nb_ports, uint32_t ip, bool unique)
{
	int found = -1;

	for (unsigned p = 0; p < nb_ports; p++) {
		if (addr_covering(&ports[p], ip) == NULL)
			continue;
		if (!unique)
			return (int)p;
		if (found >= 0)
			return -1;
		found = (int)p;
	}
	return found;
}

/* A gateway is one host: a range or a mask cannot be asked for by ARP. */
static int check_gateway(const struct opt_set *tmpl, struct err *err)
{
	struct opt_val val;

	if (!given(tmpl, "ip-gateway", &val) ||
		(val.lo == val.hi && (uint32_t)val.mask == UINT32_MAX))
		return 0;
	return opt_error(err, tmpl, pkt_template_opt("ip-gateway"),
		"template %s: the gateway must be one plain address", template_name(tmpl));
}

static int named_port(const struct plan_port *ports, unsigned nb_ports, const struct opt_set *tmpl,
	enum pkt_template_opt which, struct err *err)
{
	const struct opt *opt = &pkt_template_opts[which];
	const char *name = opt_set_get(tmpl, opt)->vals[0].text;
	int p = port_by_name(ports, nb_ports, name);

	if (p < 0)
		return opt_error(err, tmpl, opt,
			"there is no enabled port \"%s\" (tgen port print shows them)", name);
	return p;
}

/*
 * RouterOS's order: the port that is named; else the one in whose network the gateway lies; else the
 * owner of ip-src. With one port only there is nothing to choose.
 */
static int find_tx_port(const struct plan_port *ports, unsigned nb_ports,
	const struct opt_set *tmpl, const char *port, struct err *err)
{
	char ip[UNITS_TEXT_MAX];
	struct opt_val val;
	int p;

	if (port != NULL) {
		p = port_by_name(ports, nb_ports, port);
		return p >= 0 ? p
			      : err_usage(err,
					"port: there is no enabled port \"%s\" (tgen port print "
					"shows them)",
					port);
	}
	if (opt_set_get(tmpl, &pkt_template_opts[TMPL_PORT]) != NULL)
		return named_port(ports, nb_ports, tmpl, TMPL_PORT, err);
	if (opt_set_get(tmpl, &pkt_template_opts[TMPL_INTERFACE]) != NULL)
		return named_port(ports, nb_ports, tmpl, TMPL_INTERFACE, err);
	if (given(tmpl, "ip-gateway", &val)) {
		p = port_covering(ports, nb_ports, (uint32_t)val.lo, false);
		if (p >= 0 || nb_ports == 1)
			return p >= 0 ? p : 0;
		return opt_error(err, tmpl, pkt_template_opt("ip-gateway"),
			"template %s: no port has an address in the network of %s; give the port "
			"one "
			"(tgen port set PORT address=A/LEN) or the template port=",
			template_name(tmpl), units_fmt_ip4(ip, (uint32_t)val.lo));
	}
	if (given(tmpl, "ip-src", &val)) {
		p = port_owning(ports, nb_ports, (uint32_t)val.lo);
		if (p >= 0 || nb_ports == 1)
			return p >= 0 ? p : 0;
		return opt_error(err, tmpl, pkt_template_opt("ip-src"),
			"template %s: it has no port and no ip-gateway, and no port owns its "
			"ip-src %s; "
			"give the template port=, or the port that address",
			template_name(tmpl), units_fmt_ip4(ip, (uint32_t)val.lo));
	}
	if (nb_ports == 1)
		return 0;
	return opt_error(err, tmpl, NULL,
		"template %s: cannot tell which port sends: it has no port, no ip-gateway and no "
		"ip-src; give it one of them",
		template_name(tmpl));
}

static int find_rx_port(const struct plan_port *ports, unsigned nb_ports,
	const struct opt_set *tmpl, int32_t *out, struct err *err)
{
	struct opt_val val;

	*out = -1;
	if (opt_set_get(tmpl, &pkt_template_opts[TMPL_RX_PORT]) != NULL) {
		*out = named_port(ports, nb_ports, tmpl, TMPL_RX_PORT, err);
		return *out < 0 ? -EINVAL : 0;
	}
	if (!given(tmpl, "ip-dst", &val))
		return 0;
	*out = port_owning(ports, nb_ports, (uint32_t)val.lo);
	if (*out < 0)
		*out = port_covering(ports, nb_ports, (uint32_t)val.lo, true);
	return 0;
}

/* RFC 1112 §6.4: the low 23 bits of the group. */
static uint64_t multicast_mac(uint32_t ip)
{
	return 0x01005e000000ull | (ip & 0x7fffff);
}

/* To all on a port's own network (RFC 919), or to all there are: nobody answers ARP for these. */
static bool is_broadcast(const struct plan_port *port, uint32_t ip)
{
	for (unsigned a = 0; a < port->nb_addrs; a++) {
		uint32_t hosts = ~host_prefix_mask(port->addrs[a].prefix);

		if (hosts > 1 && host_addr_covers(&port->addrs[a], ip) && (ip & hosts) == hosts)
			return true;
	}
	return ip == UINT32_MAX;
}

static int find_next_hop(const struct plan_port *tx, const struct opt_set *tmpl, bool has_ip,
	struct plan_route *out, struct err *err)
{
	struct opt_val val;

	if (given(tmpl, "mac-dst", &val)) {
		out->hop = PLAN_HOP_GIVEN;
		out->mac_dst = val.lo;
		return 0;
	}
	out->hop = PLAN_HOP_ARP;
	if (given(tmpl, "ip-gateway", &val)) {
		out->next_hop = (uint32_t)val.lo;
		return 0;
	}
	if (opt_set_get(tmpl, &pkt_template_opts[TMPL_REPLY_TO]) != NULL) {
		out->hop = PLAN_HOP_REPLY;
		return 0;
	}
	if (!has_ip || !given(tmpl, "ip-dst", &val))
		return opt_error(err, tmpl, NULL,
			"template %s: mac-dst cannot be found: it has no mac-dst, no ip-gateway "
			"and no "
			"ip-dst to ask ARP for; give it mac-dst",
			template_name(tmpl));
	out->next_hop = (uint32_t)val.lo;
	if (is_broadcast(tx, out->next_hop)) {
		out->hop = PLAN_HOP_MULTICAST;
		out->mac_dst = 0xffffffffffffull;
	} else if (val.lo >> 28 == 0xe) {
		out->hop = PLAN_HOP_MULTICAST;
		out->mac_dst = multicast_mac(out->next_hop);
	}
	/* what goes to many belongs on no port of its own, unless the user says so */
	if (out->hop == PLAN_HOP_MULTICAST &&
		opt_set_get(tmpl, &pkt_template_opts[TMPL_RX_PORT]) == NULL)
		out->rx_port = -1;
	return 0;
}

int plan_route(const struct plan_port *ports, unsigned nb_ports, const struct opt_set *tmpl,
	const char *port, struct plan_route *out, struct err *err)
{
	const struct pkt_hdr *stack[PKT_MAX_HEADERS];
	const struct plan_port *tx;
	const struct host_addr *addr;
	struct opt_val val;
	bool has_ip = false;
	int nb = pkt_stack(tmpl, stack, err);
	int p;

	*out = (struct plan_route){.rx_port = -1};
	if (nb < 0)
		return -EINVAL;
	for (int i = 0; i < nb; i++)
		has_ip |= strcmp(stack[i]->name, "ip") == 0;
	if (opt_set_get(tmpl, &pkt_template_opts[TMPL_PORT]) != NULL &&
		opt_set_get(tmpl, &pkt_template_opts[TMPL_INTERFACE]) != NULL)
		return opt_error(err, tmpl, &pkt_template_opts[TMPL_INTERFACE],
			"port and interface are two names of one thing; give one of them");
	if (check_gateway(tmpl, err) < 0)
		return -EINVAL;
	p = find_tx_port(ports, nb_ports, tmpl, port, err);
	if (p < 0)
		return -EINVAL;
	out->tx_port = (uint16_t)p;
	if (find_rx_port(ports, nb_ports, tmpl, &out->rx_port, err) < 0 ||
		find_next_hop(&ports[p], tmpl, has_ip, out, err) < 0)
		return -EINVAL;
	tx = &ports[p];
	addr = addr_covering(tx, out->next_hop);
	if (addr == NULL && tx->nb_addrs > 0)
		addr = &tx->addrs[0];
	out->ip_src = addr != NULL ? addr->ip : 0;
	if (has_ip && out->ip_src == 0 && !given(tmpl, "ip-src", &val))
		return opt_error(err, tmpl, NULL,
			"template %s: no ip-src: port %s has no address; give the template ip-src "
			"or "
			"the port an address",
			template_name(tmpl), tx->name);
	return 0;
}
