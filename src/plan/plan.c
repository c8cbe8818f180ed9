/* SPDX-License-Identifier: BSD-3-Clause */
#include "plan_private.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#define PLAN_INTERVAL_NS UNITS_NS_PER_S /* a row a second, as RouterOS */

int plan_note(struct plan *plan, const char *fmt, ...)
{
	char **notes = realloc(plan->notes, (plan->nb_notes + 1) * sizeof(*notes));
	va_list ap;
	int rc;

	if (notes == NULL)
		return -ENOMEM;
	plan->notes = notes;
	va_start(ap, fmt);
	rc = vasprintf(&notes[plan->nb_notes], fmt, ap);
	va_end(ap);
	if (rc < 0)
		return -ENOMEM;
	plan->nb_notes++;
	return 0;
}

static uint64_t quick_u64(
	const struct opt_set *quick, enum conf_quick_opt which, uint64_t otherwise)
{
	struct opt_val val;

	return opt_set_val(quick, &conf_quick_opts[which], 0, &val) ? val.lo : otherwise;
}

/* A word of the command, else the setting of the file, else the setting's default. */
static uint64_t quick_or_setting(const struct opt_set *quick, enum conf_quick_opt word,
	const struct conf *conf, enum conf_settings_opt setting)
{
	const struct opt_set *settings = conf_find(conf, "settings", NULL);
	struct opt_set none;
	uint64_t value;

	opt_set_init(&none, &conf_settings_menu);
	value = opt_set_one(settings != NULL ? settings : &none, &conf_settings_opts[setting]).lo;
	opt_set_fini(&none);
	return quick_u64(quick, word, value);
}

static void read_run_options(
	struct plan *plan, const struct conf *conf, const struct opt_set *quick)
{
	plan->test_id = (uint8_t)quick_or_setting(quick, QUICK_TEST_ID, conf, SET_TEST_ID);
	plan->measure_order = quick_or_setting(quick, QUICK_MEASURE_OUT_OF_ORDER, conf,
				      SET_MEASURE_OUT_OF_ORDER) != 0;
	plan->layer =
		(enum rate_layer)quick_or_setting(quick, QUICK_RATE_LAYER, conf, SET_RATE_LAYER);
	plan->idle = (enum conf_idle)quick_or_setting(quick, QUICK_IDLE, conf, SET_IDLE);
	plan->duration_ns = quick_u64(quick, QUICK_DURATION, 0);
	plan->grace_ns = quick_u64(quick, QUICK_GRACE, 0);
	plan->drain_ns = quick_u64(quick, QUICK_DRAIN, 0);
	plan->arp_timeout_ns = quick_u64(quick, QUICK_ARP_TIMEOUT, 0);
	plan->interval_ns = PLAN_INTERVAL_NS;
	plan->verify_checksum = (enum conf_verify)quick_u64(quick, QUICK_VERIFY_CHECKSUM, 0);
	plan->verify_data = quick_u64(quick, QUICK_VERIFY_DATA, 0) != 0;
	plan->measure_intended = quick_u64(quick, QUICK_LATENCY_INTENDED, 0) != 0;
	plan->latency_type = (unsigned)quick_u64(quick, QUICK_LATENCY_TYPE, 0);
}

struct plan *plan_new(const struct conf *conf, const struct opt_set *quick,
	const struct plan_cpu *cpus, unsigned nb_cpus, struct err *err)
{
	struct plan *plan = calloc(1, sizeof(*plan));

	if (plan == NULL) {
		err_device(err, ENOMEM, "plan");
		return NULL;
	}
	read_run_options(plan, conf, quick);
	if (plan_ports_read(plan, conf, NULL, err) < 0 ||
		plan_streams_read(plan, conf, quick, err) < 0 || plan_tags_settle(plan, err) < 0 ||
		plan_workers_choose(plan, quick, cpus, nb_cpus, err) < 0) {
		plan_free(plan);
		return NULL;
	}
	return plan;
}

struct plan *plan_new_ports(const struct conf *conf, const char *name, const struct plan_cpu *cpus,
	unsigned nb_cpus, struct err *err)
{
	struct plan *plan = calloc(1, sizeof(*plan));

	if (plan == NULL) {
		err_device(err, ENOMEM, "plan");
		return NULL;
	}
	plan->interval_ns = PLAN_INTERVAL_NS;
	if (plan_ports_read(plan, conf, name, err) < 0 ||
		plan_workers_choose(plan, NULL, cpus, nb_cpus, err) < 0) {
		plan_free(plan);
		return NULL;
	}
	return plan;
}

void plan_free(struct plan *plan)
{
	if (plan == NULL)
		return;
	for (unsigned i = 0; i < plan->nb_ports; i++)
		free(plan->ports[i].addrs);
	for (unsigned i = 0; i < plan->nb_notes; i++)
		free(plan->notes[i]);
	for (unsigned i = 0; i < plan->nb_streams; i++) {
		pkt_frame_fini(&plan->streams[i].frame);
		free(plan->streams[i].reply.ips);
		free(plan->streams[i].reply.ports);
		free((void *)plan->streams[i].sched.points);
		plan_profile_fini(&plan->streams[i].profile);
	}
	plan_mixes_free(plan->mixes);
	free(plan->notes);
	free(plan->ports);
	free(plan->streams);
	free(plan->workers);
	free(plan->queues);
	free(plan->lanes);
	free(plan);
}

/* Takes a device's facts over into the port; the user's own words win where they can. */
static void port_take_facts(struct plan_port *port, const struct plan_facts *facts)
{
	struct opt_val val;

	if (!opt_set_val(port->conf, &conf_port_opts[PORT_MAC], 0, &val))
		port->mac = facts->mac;
	port->mtu = facts->mtu;
	port->speed_bps = facts->speed_bps;
	if (opt_set_val(port->conf, &conf_port_opts[PORT_SPEED], 0, &val))
		port->speed_bps = val.lo;
}

static int queues_make(struct plan *plan, const struct plan_facts *facts)
{
	int nodes[PLAN_MAX_PORTS];
	uint16_t *worker;
	unsigned nb = 0;

	for (unsigned p = 0; p < plan->nb_ports; p++) {
		nodes[p] = facts[p].numa_node;
		nb += facts[p].nb_queues;
	}
	plan->queues = calloc(nb, sizeof(*plan->queues));
	worker = calloc(nb, sizeof(*worker));
	if (plan->queues == NULL || worker == NULL) {
		free(worker);
		return -ENOMEM;
	}
	for (unsigned p = 0; p < plan->nb_ports; p++)
		for (uint16_t q = 0; q < facts[p].nb_queues; q++)
			plan->queues[plan->nb_queues++] =
				(struct plan_queue){.port = (uint16_t)p, .queue = q};
	plan_assign_workers(plan->queues, nb, nodes, plan->workers, plan->nb_workers, worker);
	for (unsigned i = 0; i < nb; i++)
		plan->queues[i].worker = worker[i];
	free(worker);
	return 0;
}

/* Bits of the RFC 1242 definitions in the order of enum latency_type: filo fifo lifo lilo. */
static bool minus_in(unsigned type)
{
	return type == 2 || type == 3; /* from the last bit in */
}

static bool minus_out(unsigned type)
{
	return type == 1 || type == 2; /* to the first bit out */
}

static int serialisation(const struct plan *plan, const struct plan_stream *s, int32_t port,
	uint64_t *ns, struct err *err)
{
	uint64_t bits = 8ull * (s->size + UNITS_FCS_BYTES);

	if (port < 0)
		return err_usage(err,
			"latency-type: template %s has no port of its own to arrive on, so "
			"the link speed is not known; give it rx-port, or use latency-type=filo",
			s->name);
	if (plan->ports[port].speed_bps == 0)
		return err_usage(err,
			"latency-type: the link speed of port %s is not known; give it "
			"(tgen port set %s speed=1G), or use latency-type=filo",
			plan->ports[port].name, plan->ports[port].name);
	*ns += bits * UNITS_NS_PER_S / plan->ports[port].speed_bps;
	return 0;
}

/* Stamps before the first bit leaves and after the last has come give FILO: RFC 1242 §3.8. */
static int latency_types_set(struct plan *plan, struct err *err)
{
	for (unsigned i = 0; i < plan->nb_streams; i++) {
		struct plan_stream *s = &plan->streams[i];

		s->lat_minus_ns = 0;
		if (minus_in(plan->latency_type) &&
			serialisation(plan, s, s->route.tx_port, &s->lat_minus_ns, err) < 0)
			return -EINVAL;
		if (minus_out(plan->latency_type) &&
			serialisation(plan, s, s->route.rx_port, &s->lat_minus_ns, err) < 0)
			return -EINVAL;
	}
	return 0;
}

int plan_size(struct plan *plan, const struct plan_facts *facts, struct err *err)
{
	for (unsigned p = 0; p < plan->nb_ports; p++)
		port_take_facts(&plan->ports[p], &facts[p]);
	if (plan_sizes_set(plan, err) < 0 || latency_types_set(plan, err) < 0 ||
		plan_rates_set(plan, err) < 0 || plan_chains_set(plan, err) < 0)
		return -EINVAL;
	if (queues_make(plan, facts) < 0)
		return err_device(err, ENOMEM, "plan");
	return plan_lanes_make(plan, err);
}

#define REPLY_FLOWS_MAX (1u << 20) /* flows that are learned one by one */

/* Room for what will be learned: one entry for every different frame of the stream that is answered. */
static int replies_prepare(struct plan *plan, struct err *err)
{
	for (unsigned i = 0; i < plan->nb_streams; i++) {
		struct plan_stream *s = &plan->streams[i];

		if (s->reply.stream < 0)
			continue;
		s->reply.nb = pkt_period(&plan->streams[s->reply.stream].frame);
		if (s->reply.nb > REPLY_FLOWS_MAX)
			return opt_error(err, s->tmpl, &pkt_template_opts[TMPL_REPLY_TO],
				"template %s: %u flows are more than can be learned (%u)", s->name,
				s->reply.nb, REPLY_FLOWS_MAX);
		s->reply.ips = calloc(s->reply.nb, sizeof(*s->reply.ips));
		s->reply.ports = calloc(s->reply.nb, sizeof(*s->reply.ports));
		if (s->reply.ips == NULL || s->reply.ports == NULL)
			return err_device(err, ENOMEM, "%u flows", s->reply.nb);
	}
	return 0;
}

static int stream_build(struct plan *plan, struct plan_stream *s, uint32_t ip_dst, struct err *err)
{
	struct units_ip src6 = plan_ip6_src(&plan->ports[s->route.tx_port], &s->route);
	struct pkt_assumed assumed = {
		.mac_src = plan->ports[s->route.tx_port].mac,
		.mac_dst = s->route.mac_dst,
		.ip_src = (uint32_t)s->route.ip_src.lo,
		.ip6_src_up = src6.up,
		.ip6_src_lo = src6.lo,
		.ip_dst = ip_dst,
	};

	return pkt_build_sizes(s->tmpl, &assumed, &s->sizes, &s->frame, err);
}

int plan_build(struct plan *plan, struct err *err)
{
	for (unsigned i = 0; i < plan->nb_streams; i++)
		if (plan->streams[i].reply.stream < 0 &&
			stream_build(plan, &plan->streams[i], 0, err) < 0)
			return -EINVAL;
	return replies_prepare(plan, err);
}

bool plan_is_answered(const struct plan *plan, unsigned stream)
{
	return plan->streams[stream].is_answered;
}

/* A reply comes from the port that the flow went to. */
static uint32_t reply_src_port(const struct plan_stream *s, const struct pkt_frame *asked)
{
	if (opt_set_get(s->tmpl, pkt_template_opt("udp-src-port")) != NULL || asked->l4_off == 0)
		return UINT32_MAX;
	return (uint32_t)asked->hdr[asked->l4_off + 2] << 8 | asked->hdr[asked->l4_off + 3];
}

int plan_build_replies(struct plan *plan, struct err *err)
{
	for (unsigned i = 0; i < plan->nb_streams; i++) {
		struct plan_stream *s = &plan->streams[i];

		if (s->reply.stream < 0)
			continue;
		if (s->route.hop == PLAN_HOP_REPLY)
			s->route.mac_dst = s->reply.mac;
		if (stream_build(plan, s, (uint32_t)s->reply.ips[0], err) < 0)
			return -EINVAL;
		if (!pkt_reply(&s->frame, s->reply.ips, s->reply.ports, s->reply.nb,
			    reply_src_port(s, &plan->streams[s->reply.stream].frame)))
			return opt_error(err, s->tmpl, &pkt_template_opts[TMPL_REPLY_TO],
				"template %s: only mac,ip,udp frames with a few varying fields can "
				"answer",
				s->name);
	}
	return 0;
}
