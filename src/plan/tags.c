/* SPDX-License-Identifier: BSD-3-Clause */
#include "plan_private.h"

#include <errno.h>
#include <string.h>

/* Item i of a field of the VLAN header, or its default; false: it has neither. */
static bool item(const struct opt_set *tmpl, const char *field, unsigned i, struct opt_val *val)
{
	const struct opt *opt = opt_menu_find(&pkt_template_menu, field);

	return opt != NULL && opt_set_val(tmpl, opt, i, val);
}

/* The tags between the MAC header and the outermost IP header; VLAN ID 0 is in no VLAN. */
void plan_tags_read(const struct opt_set *tmpl, const struct pkt_hdr *const *stack, unsigned nb,
	struct plan_tags *out)
{
	unsigned nb_vids = 0;

	*out = (struct plan_tags){0};
	for (unsigned i = 1; i < nb && stack[i]->is_tag; i++) {
		struct opt_val vid, tpid;

		out->nb++;
		if (!item(tmpl, "vlan-id", i - 1, &vid))
			continue;
		if (vid.is_vary || vid.lo != vid.hi) {
			out->varies = true;
			continue;
		}
		if (vid.lo == 0)
			continue;
		if (nb_vids == HOST_MAX_TAGS) {
			out->too_many = true;
			continue;
		}
		out->vlan.vid[nb_vids] = (uint16_t)vid.lo;
		if (item(tmpl, "vlan-tpid", i - 1, &tpid))
			out->vlan.tpid[nb_vids] = (uint16_t)tpid.lo;
		nb_vids++;
	}
	if (out->varies || out->too_many)
		out->vlan = (struct host_vlan){0};
}

static unsigned template_tags(const struct opt_set *tmpl)
{
	const struct pkt_hdr *stack[PKT_MAX_HEADERS];
	struct plan_tags tags;
	struct err ignored = {0};
	int nb = pkt_stack(tmpl, stack, &ignored);

	if (nb < 0)
		return 0;
	plan_tags_read(tmpl, stack, (unsigned)nb, &tags);
	return tags.nb;
}

/* The port answers with the tags that its templates send with. */
static void addresses_settle(struct plan_port *port, const struct host_vlan *vlan)
{
	for (unsigned a = 0; a < port->nb_addrs; a++) {
		struct host_vlan *mine = &port->addrs[a].vlan;

		if (host_vlan_equal(mine, vlan) && mine->tpid[0] == 0)
			*mine = *vlan;
	}
}

/* DPDK 22.11's af_xdp driver drops the tags of what it receives. */
static bool loses_tags(const struct plan_port *port)
{
	return strncmp(port->device, "af_xdp:", 7) == 0 ||
	       strncmp(port->device, "vdev:net_af_xdp", 15) == 0;
}

static const char *interface_of(const struct plan_port *port)
{
	return strncmp(port->device, "af_xdp:", 7) == 0 ? port->device + 7 : "IFACE";
}

static int refuse(const struct plan_port *port, const struct opt_set *set, const struct opt *opt,
	const char *what, struct err *err)
{
	return opt_error(err, set, opt,
		"%s, and %s of port %s loses VLAN tags on receipt; give the port "
		"device=af_packet:%s",
		what, port->device, port->name, interface_of(port));
}

static int check_addresses(const struct plan_port *port, struct err *err)
{
	for (unsigned a = 0; a < port->nb_addrs; a++)
		if (port->addrs[a].vlan.vid[0] != 0)
			return refuse(port, port->conf, &conf_port_opts[PORT_ADDRESS],
				"an address within a VLAN", err);
	return 0;
}

int plan_tags_settle(struct plan *plan, struct err *err)
{
	for (unsigned p = 0; p < plan->nb_ports; p++)
		if (loses_tags(&plan->ports[p]) && check_addresses(&plan->ports[p], err) < 0)
			return -EINVAL;
	for (unsigned i = 0; i < plan->nb_streams; i++) {
		const struct plan_stream *s = &plan->streams[i];
		struct plan_port *tx = &plan->ports[s->route.tx_port];
		struct plan_port *rx = s->route.rx_port >= 0 ? &plan->ports[s->route.rx_port] : tx;
		const struct plan_port *bad = loses_tags(tx) ? tx : loses_tags(rx) ? rx : NULL;

		if (bad != NULL && template_tags(s->tmpl) > 0)
			return refuse(bad, s->tmpl, &pkt_template_opts[TMPL_HEADER_STACK],
				"VLAN tags", err);
		addresses_settle(tx, &s->route.vlan);
		addresses_settle(rx, &s->route.vlan);
	}
	return 0;
}
