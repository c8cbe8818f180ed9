/* SPDX-License-Identifier: BSD-3-Clause */
#include "tgen/names.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char *next_hop_text(const struct plan_stream *s, const char *port)
{
	static const char *const how[] = {
		[PLAN_HOP_GIVEN] = "as given, no ARP",
		[PLAN_HOP_MULTICAST] = "of the group",
		[PLAN_HOP_REPLY] = "from which the answered frames came",
	};
	char ip[UNITS_TEXT_MAX], mac[UNITS_TEXT_MAX], vlan[UNITS_TEXT_MAX], *text = NULL;
	int rc;

	units_fmt_mac(mac, s->route.mac_dst);
	if (s->route.hop == PLAN_HOP_ARP)
		rc = asprintf(&text, "%s: %s is at %s on %s%s",
			units_ip_is4(s->route.next_hop) ? "ARP" : "ND",
			units_fmt_ip(ip, s->route.next_hop), mac, port,
			host_fmt_vlan(vlan, &s->route.vlan));
	else
		rc = asprintf(&text, "mac-dst %s %s", mac, how[s->route.hop]);
	return rc < 0 ? NULL : text;
}

static void ports_name(
	struct run_names *names, const struct plan *plan, const struct engine *engine)
{
	for (unsigned p = 0; p < plan->nb_ports; p++) {
		const struct plan_port *port = &plan->ports[p];

		names->ports[p] = (struct result_port){
			.name = port->name,
			.device = port->device,
			.driver = engine_driver(engine, p),
			.mac = port->mac,
			.speed_bps = port->speed_bps,
			.mtu = port->mtu,
		};
	}
}

void run_names_sizes(struct result_stream *out, const struct plan_stream *s)
{
	const struct pkt_sizes *sizes = &s->sizes;
	/* what the layer adds to a packet is the same for every size */
	uint32_t extra = s->layer_bytes - s->size;

	if (sizes->nb <= 1)
		return;
	out->size_min = sizes->bytes[0];
	out->size_max = sizes->bytes[sizes->nb - 1];
	out->size_sum = sizes->sum;
	out->size_nb = sizes->period;
	out->packet_size = (uint32_t)((sizes->sum + sizes->period / 2) / sizes->period);
	out->layer_bytes = out->packet_size + extra;
}

/* Its share of its port's load; 1 without a stream object. */
static uint32_t stream_weight(const struct plan_stream *s)
{
	return s->conf != NULL ? (uint32_t)opt_set_one(s->conf, &conf_stream_opts[STREAM_WEIGHT]).lo
			       : 1;
}

/* Its group, else its direction. NULL: no memory. */
static char *group_text(const struct plan *plan, const struct plan_stream *s)
{
	const struct opt_slot *slot =
		s->conf != NULL ? opt_set_get(s->conf, &conf_stream_obj_opts[STREAM_OBJ_GROUP])
				: NULL;
	char *text = NULL;

	if (slot != NULL)
		return strdup(slot->vals[0].text);
	return asprintf(&text, "%s-to-%s", plan->ports[s->route.tx_port].name,
		       s->route.rx_port >= 0 ? plan->ports[s->route.rx_port].name : "any") < 0
		       ? NULL
		       : text;
}

static void streams_name(struct run_names *names, const struct plan *plan)
{
	for (unsigned i = 0; i < plan->nb_streams; i++) {
		const struct plan_stream *s = &plan->streams[i];

		names->groups[i] = group_text(plan, s);
		names->next_hops[i] = next_hop_text(s, plan->ports[s->route.tx_port].name);
		names->streams[i] = (struct result_stream){
			.id = s->id,
			.name = s->name,
			.tx_port = s->route.tx_port,
			.rx_port = s->route.rx_port,
			.packet_size = s->size,
			.layer_bytes = s->layer_bytes,
			.size_min = s->size,
			.size_max = s->size,
			.sched = sched_is_plain(&s->sched) ? NULL : &s->sched,
			.transmit_only = s->transmit_only,
			.flat_out = s->flat_out,
			.configured_upps = s->flat_out ? 0 : plan_rate_upps(s->configured),
			.asked_upps = s->flat_out ? 0 : plan_rate_upps(s->asked),
			.packet_count = s->packet_count,
			.weight = stream_weight(s),
			.group = names->groups[i],
			.next_hop = names->next_hops[i],
		};
		run_names_sizes(&names->streams[i], s);
	}
}

int run_names_make(struct run_names *names, const struct plan *plan, const struct engine *engine,
	struct err *err)
{
	names->ports = calloc(plan->nb_ports, sizeof(*names->ports));
	names->streams = calloc(plan->nb_streams, sizeof(*names->streams));
	names->next_hops = calloc(plan->nb_streams, sizeof(*names->next_hops));
	names->groups = calloc(plan->nb_streams, sizeof(*names->groups));
	if (names->ports == NULL || names->streams == NULL || names->next_hops == NULL ||
		names->groups == NULL)
		return err_device(err, ENOMEM, "names of the results");
	ports_name(names, plan, engine);
	streams_name(names, plan);
	names->info = (struct result_info){
		.version = TGEN_VERSION,
		.interval_ns = plan->interval_ns,
		.duration_ns = plan->duration_ns,
		.test_id = plan->test_id,
		.order_measured = plan->measure_order,
		.layer = plan->layer,
		.latency_type = (enum latency_type)plan->latency_type,
		.intended_measured = plan->measure_intended,
		.ports = names->ports,
		.nb_ports = plan->nb_ports,
		.streams = names->streams,
		.nb_streams = plan->nb_streams,
	};
	return 0;
}

void run_names_fini(struct run_names *names)
{
	for (unsigned i = 0; names->next_hops != NULL && i < names->info.nb_streams; i++)
		free(names->next_hops[i]);
	for (unsigned i = 0; names->groups != NULL && i < names->info.nb_streams; i++)
		free(names->groups[i]);
	free(names->next_hops);
	free(names->groups);
	free(names->ports);
	free(names->streams);
	*names = (struct run_names){0};
}
