/* SPDX-License-Identifier: BSD-3-Clause */
#include "plan_private.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define MAC_ALL 0xffffffffffffull /* mask of a plain address */

static bool is_disabled(const struct opt_set *port)
{
	return opt_set_one(port, &conf_port_opts[PORT_DISABLED]).lo != 0;
}

static void address_read(const struct opt_val *val, struct host_addr *addr)
{
	unsigned prefix = (unsigned)__builtin_popcountll(val->mask);

	if (val->is_ip6) {
		addr->ip = (struct units_ip){.up = val->up.lo, .lo = val->lo};
		prefix += (unsigned)__builtin_popcountll(val->up.mask);
	} else {
		addr->ip = units_ip4((uint32_t)val->lo);
		prefix = (unsigned)__builtin_popcount((uint32_t)val->mask);
	}
	addr->prefix = (uint8_t)prefix;
	addr->vlan = (struct host_vlan){.vid = {val->tags[0], val->tags[1]}};
}

static int addresses_read(struct plan_port *port, struct err *err)
{
	const struct opt_slot *slot = opt_set_get(port->conf, &conf_port_opts[PORT_ADDRESS]);

	if (slot == NULL)
		return 0;
	port->addrs = calloc(slot->nb_vals, sizeof(*port->addrs));
	if (port->addrs == NULL)
		return err_device(err, ENOMEM, "port %s", port->name);
	for (unsigned i = 0; i < slot->nb_vals; i++)
		address_read(&slot->vals[i], &port->addrs[i]);
	port->nb_addrs = slot->nb_vals;
	return 0;
}

static int port_read(struct plan_port *port, const struct opt_set *conf, struct err *err)
{
	struct opt_val val;

	port->conf = conf;
	port->name = opt_set_one(conf, &conf_port_opts[PORT_NAME]).text;
	port->device = opt_set_one(conf, &conf_port_opts[PORT_DEVICE]).text;
	if (opt_set_val(conf, &conf_port_opts[PORT_MAC], 0, &val)) {
		if (val.mask != MAC_ALL || val.lo != val.hi)
			return opt_error(err, conf, &conf_port_opts[PORT_MAC],
				"a port has one MAC address, not several");
		if (val.lo >> 40 & 1)
			return opt_error(err, conf, &conf_port_opts[PORT_MAC],
				"a port cannot have a multicast MAC address");
		port->mac = val.lo;
	}
	if (opt_set_val(conf, &conf_port_opts[PORT_MTU], 0, &val))
		port->mtu = (uint32_t)val.lo;
	if (opt_set_val(conf, &conf_port_opts[PORT_SPEED], 0, &val))
		port->speed_bps = val.lo;
	return addresses_read(port, err);
}

/* The first address of a that b has in the same VLAN; NULL: there is none. */
static const struct host_addr *address_shared(const struct plan_port *a, const struct plan_port *b)
{
	for (unsigned i = 0; i < a->nb_addrs; i++)
		for (unsigned j = 0; j < b->nb_addrs; j++)
			if (units_ip_equal(a->addrs[i].ip, b->addrs[j].ip) &&
				host_vlan_equal(&a->addrs[i].vlan, &b->addrs[j].vlan))
				return &a->addrs[i];
	return NULL;
}

/* An address on two ports would make answers to ARP contradict each other. */
static int addresses_unique(const struct plan *plan, struct err *err)
{
	char text[UNITS_TEXT_MAX], vlan[UNITS_TEXT_MAX];

	for (unsigned p = 0; p < plan->nb_ports; p++) {
		const struct plan_port *a = &plan->ports[p];

		for (unsigned q = 0; q < p; q++) {
			const struct plan_port *b = &plan->ports[q];
			const struct host_addr *addr = address_shared(a, b);

			if (addr != NULL)
				return opt_error(err, a->conf, &conf_port_opts[PORT_ADDRESS],
					"%s is an address of port %s%s already",
					units_fmt_ip(text, addr->ip), b->name,
					host_fmt_vlan(vlan, &addr->vlan));
		}
	}
	return 0;
}

int plan_ports_read(struct plan *plan, const struct conf *conf, const char *name, struct err *err)
{
	unsigned nb = conf_nb(conf, "ports");

	if (name != NULL && conf_find(conf, "ports", name) == NULL)
		return conf_not_found(conf, "ports", "port", name, err);
	plan->ports = calloc(nb ? nb : 1, sizeof(*plan->ports));
	if (plan->ports == NULL)
		return err_device(err, ENOMEM, "ports");
	for (unsigned i = 0; i < nb; i++) {
		const struct opt_set *port = conf_at(conf, "ports", i);
		const char *its_name = opt_set_one(port, &conf_port_opts[PORT_NAME]).text;

		if (name != NULL ? strcmp(its_name, name) != 0 : is_disabled(port))
			continue;
		if (plan->nb_ports == PLAN_MAX_PORTS)
			return err_usage(
				err, "%s: more than %u ports", conf_path(conf), PLAN_MAX_PORTS);
		if (port_read(&plan->ports[plan->nb_ports++], port, err) < 0)
			return -EINVAL;
	}
	if (plan->nb_ports == 0)
		return err_usage(err,
			"%s: no ports to use; add one: "
			"tgen port add name=ether1 device=auto:INTERFACE address=A/LEN (tgen "
			"devices "
			"lists what there is)",
			conf_path(conf));
	return addresses_unique(plan, err);
}
