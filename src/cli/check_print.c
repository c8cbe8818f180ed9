/* SPDX-License-Identifier: BSD-3-Clause */
#include "check_plan.h"

#include <inttypes.h>
#include <stdio.h>

#include "tgen/names.h"
#include "objects.h"
#include "tgen/pkt.h"
#include "tgen/report.h"

/* The plan of a run as text. */

static void print_addresses(const struct plan_port *port)
{
	const struct opt_slot *slot = opt_set_get(port->conf, &conf_port_opts[PORT_ADDRESS]);

	if (slot == NULL)
		printf(" no address");
	for (unsigned i = 0; slot != NULL && i < slot->nb_vals; i++)
		printf("%s%s", i ? "," : " ", slot->vals[i].text);
}

static void print_port(const struct check_plan *c, unsigned p)
{
	const struct plan_port *port = &c->plan->ports[p];
	const struct engine_guess *guess = &c->guesses[p];
	char text[UNITS_TEXT_MAX];

	printf("  %s %s", port->name, port->device);
	print_addresses(port);
	printf(", MTU %u (%s)", guess->facts.mtu, check_source(guess->mtu));
	if (guess->facts.speed_bps != 0)
		printf(", %s (%s)", units_fmt_bps(text, guess->facts.speed_bps),
			check_source(guess->speed));
	else
		printf(", speed not known");
	if (guess->mac != ENGINE_ASSUMED)
		printf(", %s", units_fmt_mac(text, guess->facts.mac));
	printf("\n");
}

static void print_rate(const struct plan_stream *s)
{
	char pps[UNITS_TEXT_MAX], rate[UNITS_TEXT_MAX], count[UNITS_TEXT_MAX];
	struct result_stream sizes = {.packet_size = s->size};

	run_names_sizes(&sizes, s);
	printf(", ");
	report_print_size(stdout, &sizes);
	if (s->flat_out) {
		printf(", as fast as it goes");
	} else {
		printf(", %s pps %s", units_fmt_micro(pps, plan_rate_upps(s->asked)),
			units_fmt_rate(rate, check_packet_bps(s)));
		if (s->want_upps == UINT64_MAX)
			printf(" (pps=max: the line's rate)");
		else if (plan_rate_upps(s->asked) != plan_rate_upps(s->configured))
			printf(" (capped from %s pps)",
				units_fmt_micro(pps, plan_rate_upps(s->configured)));
		report_print_sched(stdout, &s->sched);
	}
	if (s->packet_count != UINT64_MAX)
		printf(", %s packets",
			units_fmt_count(count, (int64_t)(s->packet_count & INT64_MAX)));
}

static void print_stream(const struct check_plan *c, const struct plan_stream *s)
{
	const struct plan *plan = c->plan;
	char hop[96];

	check_next_hop(hop, sizeof(hop), s);
	printf("  ");
	if (c->is_run)
		printf("%u ", s->id);
	printf("%s: %s (%s) -> %s (%s), %s", s->name, plan->ports[s->route.tx_port].name,
		check_tx_reason(c, s),
		s->transmit_only	? "nowhere"
		: s->route.rx_port >= 0 ? plan->ports[s->route.rx_port].name
					: "any port",
		check_rx_reason(c, s), hop);
	if (c->is_run)
		print_rate(s);
	printf("\n");
}

static void print_load(const struct check_plan *c, unsigned p)
{
	const struct engine_guess *guess = &c->guesses[p];
	char pps[UNITS_TEXT_MAX], wire[UNITS_TEXT_MAX], share[UNITS_TEXT_MAX];
	struct check_load load;

	check_load_of(c, p, &load);
	printf("  %s: ", c->plan->ports[p].name);
	if (load.flat_out) {
		printf("%u stream%s, as fast as it goes", load.nb_streams,
			load.nb_streams == 1 ? "" : "s");
	} else {
		printf("%u stream%s, %s pps, %s on the wire", load.nb_streams,
			load.nb_streams == 1 ? "" : "s", units_fmt_micro(pps, load.tx_upps),
			units_fmt_rate(wire, load.wire_bps));
		if (guess->facts.speed_bps != 0)
			printf(" (%s of the line)",
				units_fmt_ratio(share, load.wire_bps, guess->facts.speed_bps));
	}
	if (load.rx_flat_out)
		printf("; must receive as fast as it goes\n");
	else if (load.rx_upps == 0)
		printf("; nothing to receive\n");
	else
		printf("; must receive %s pps\n", units_fmt_micro(pps, load.rx_upps));
}

/* A stream has several lanes on a queue's port, but one at most on a queue. */
static void print_queue(const struct plan *plan, unsigned q)
{
	const char *separator = " of stream ";

	printf(" %s/%u", plan->ports[plan->queues[q].port].name, plan->queues[q].queue);
	for (unsigned l = 0; l < plan->nb_lanes; l++) {
		if (plan->lanes[l].queue != q)
			continue;
		printf("%s%u", separator, plan->streams[plan->lanes[l].stream].id);
		separator = ",";
	}
}

static void print_cores(const struct plan *plan)
{
	printf("cores (port/queue):\n");
	for (unsigned w = 0; w < plan->nb_workers; w++) {
		const char *separator = "";

		printf("  CPU %u:", plan->workers[w].cpu);
		for (unsigned q = 0; q < plan->nb_queues; q++) {
			if (plan->queues[q].worker != w)
				continue;
			printf("%s", separator);
			print_queue(plan, q);
			separator = ";";
		}
		printf("%s\n", separator[0] == '\0' ? " nothing to do" : "");
	}
}

static void print_memory(const struct engine_needs *needs)
{
	printf("memory: DPDK %" PRIu64 " MiB (free huge pages: %" PRIu64 " MiB), counters %" PRIu64
	       " MiB; %" PRIu64 " MiB are available\n",
		needs->eal_mb, needs->hugepages_mb, (needs->counter_bytes >> 20) + 1,
		needs->available_bytes >> 20);
}

static void print_assumed_one(void *ctx, const char *name, const char *value)
{
	(void)ctx;
	printf(" %s=%s", name, value);
}

static void print_assumed(const struct check_plan *c)
{
	const struct plan *plan = c->plan;

	printf("assumed:\n");
	for (unsigned i = 0; i < plan->nb_streams; i++) {
		bool is_again = false;

		for (unsigned k = 0; k < i && !is_again; k++)
			is_again = plan->streams[k].tmpl == plan->streams[i].tmpl;
		if (is_again)
			continue;
		printf("  %s:",
			opt_set_one(plan->streams[i].tmpl, &pkt_template_opts[TMPL_NAME]).text);
		(pkt_is_raw(plan->streams[i].tmpl) ? cli_assumed_raw_packet_template
						   : cli_assumed_packet_template)(
			c->conf, plan->streams[i].tmpl, print_assumed_one, NULL);
		printf("\n");
	}
}

static void print_duration(const struct plan *plan)
{
	char text[UNITS_TEXT_MAX];

	printf("test-id %u, %s%s\n", plan->test_id,
		plan->duration_ns != 0 ? "duration "
				       : "until stopped or every packet-count is sent",
		plan->duration_ns != 0 ? units_fmt_duration(text, plan->duration_ns) : "");
}

void check_print(const struct check_plan *c)
{
	const struct plan *plan = c->plan;

	printf("configuration file: %s\n", conf_path(c->conf));
	if (plan != NULL) {
		printf("ports:\n");
		for (unsigned p = 0; p < plan->nb_ports; p++)
			print_port(c, p);
		printf(c->is_run ? "streams:\n" : "templates:\n");
		for (unsigned i = 0; i < plan->nb_streams; i++)
			print_stream(c, &plan->streams[i]);
	}
	if (c->is_run) {
		printf("load:\n");
		for (unsigned p = 0; p < plan->nb_ports; p++)
			print_load(c, p);
		print_cores(plan);
		print_memory(&c->needs);
		print_duration(plan);
	}
	if (plan != NULL)
		print_assumed(c);
	for (unsigned i = 0; plan != NULL && i < plan->nb_notes; i++)
		printf("note: %s\n", plan->notes[i]);
	for (unsigned i = 0; i < c->nb_warnings; i++)
		printf("warning: %s\n", c->warnings[i]);
	if (!c->is_run)
		printf("no rate is given (mbps=, pps=): no run is planned\n");
	printf("%s: %u ports, %u packet-templates, %u frames built: no errors, %u warnings\n",
		conf_path(c->conf), conf_nb(c->conf, "ports"),
		conf_nb(c->conf, "packet-templates") + conf_nb(c->conf, "raw-packet-templates"),
		c->nb_built, c->nb_warnings);
}
