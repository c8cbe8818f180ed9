/* SPDX-License-Identifier: BSD-3-Clause */
#include "check_plan.h"

#include <stdio.h>
#include <string.h>

#include "tgen/pkt.h"

/* Figures and reasons that the table and the JSON of a plan share. */

#define LOAD_BITS 32 /* of plan_wire_load's fraction */

static bool is_paced(const struct plan_stream *s)
{
	return !s->flat_out && s->asked.den != 0;
}

uint64_t check_wire_bps(const struct plan_stream *s)
{
	return is_paced(s) ? (uint64_t)(plan_wire_load(s) >> LOAD_BITS) : 0;
}

uint64_t check_packet_bps(const struct plan_stream *s)
{
	/* the mean size: bytes of a period of sizes by its packets */
	uint64_t bytes = s->sizes.nb > 0 ? s->sizes.sum : s->size;
	uint64_t packets = s->sizes.nb > 0 ? s->sizes.period : 1;
	unsigned __int128 bits = (unsigned __int128)s->asked.num * 8 * bytes;

	if (!is_paced(s))
		return 0;
	return (uint64_t)((bits / packets + s->asked.den - 1) / s->asked.den);
}

void check_load_of(const struct check_plan *c, unsigned port, struct check_load *out)
{
	unsigned __int128 load = 0;

	*out = (struct check_load){0};
	for (unsigned i = 0; i < c->plan->nb_streams; i++) {
		const struct plan_stream *s = &c->plan->streams[i];
		uint64_t upps = is_paced(s) ? plan_rate_upps(s->asked) : 0;

		if (s->route.rx_port == (int32_t)port && !s->transmit_only) {
			out->rx_upps += upps;
			out->rx_flat_out |= s->flat_out;
		}
		if (s->route.tx_port != port)
			continue;
		out->nb_streams++;
		out->flat_out |= s->flat_out;
		out->tx_upps += upps;
		out->tx_bps += check_packet_bps(s);
		load += is_paced(s) ? plan_wire_load(s) : 0;
	}
	out->wire_bps = (uint64_t)(load >> LOAD_BITS);
}

static bool has(const struct opt_set *tmpl, enum pkt_template_opt which)
{
	return opt_set_get(tmpl, &pkt_template_opts[which]) != NULL;
}

static bool has_field(const struct opt_set *tmpl, const char *name)
{
	for (unsigned i = 0; i < tmpl->nb_slots; i++)
		if (strcmp(tmpl->slots[i].opt->name, name) == 0)
			return true;
	return false;
}

/* In the order in which the plan looks. */
const char *check_tx_reason(const struct check_plan *c, const struct plan_stream *s)
{
	if (opt_set_get(c->words, &conf_stream_opts[STREAM_PORT]) != NULL ||
		opt_set_get(c->words, &conf_stream_opts[STREAM_INTERFACE]) != NULL)
		return "by port of the command";
	if (has(s->tmpl, TMPL_PORT) || has(s->tmpl, TMPL_INTERFACE))
		return "by port of the template";
	if (c->plan->nb_ports == 1)
		return "the only port";
	if (has_field(s->tmpl, "ip-gateway") || has_field(s->tmpl, "ipv6-gateway"))
		return "by gateway";
	return "by source address";
}

const char *check_rx_reason(const struct check_plan *c, const struct plan_stream *s)
{
	(void)c;
	if (s->transmit_only)
		return "special-footer=no";
	if (has(s->tmpl, TMPL_RX_PORT))
		return "by rx-port";
	if (s->route.rx_port < 0)
		return "where the first frame arrives";
	if (has(s->tmpl, TMPL_REPLY_TO))
		return "by reply-to";
	return "by destination address";
}

void check_next_hop(char *out, size_t size, const struct plan_stream *s)
{
	char text[UNITS_TEXT_MAX], vlan[UNITS_TEXT_MAX];

	switch (s->route.hop) {
	case PLAN_HOP_GIVEN:
		snprintf(out, size, "mac-dst %s", units_fmt_mac(text, s->route.mac_dst));
		return;
	case PLAN_HOP_MULTICAST:
		snprintf(out, size, "group %s", units_fmt_mac(text, s->route.mac_dst));
		return;
	case PLAN_HOP_ARP:
		snprintf(out, size, "%s %s%s", units_ip_is4(s->route.next_hop) ? "arp" : "nd",
			units_fmt_ip(text, s->route.next_hop), host_fmt_vlan(vlan, &s->route.vlan));
		return;
	case PLAN_HOP_REPLY:
		snprintf(out, size, "from where the answered frames come");
		return;
	}
}

const char *check_source(enum engine_source source)
{
	static const char *const words[] = {
		[ENGINE_ASSUMED] = "assumed",
		[ENGINE_CONFIGURED] = "configured",
		[ENGINE_OF_DEVICE] = "of the device",
	};

	return words[source];
}
