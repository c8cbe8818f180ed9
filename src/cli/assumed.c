/* SPDX-License-Identifier: BSD-3-Clause */
#include "objects.h"

#include <stdio.h>
#include <string.h>

#include "run_dir.h"
#include "tgen/pkt.h"
#include "tgen/plan.h"

static bool is_repeated(const struct pkt_hdr *const stack[], int i)
{
	for (int j = 0; j < i; j++) {
		if (stack[j] == stack[i])
			return true;
	}
	return false;
}

static bool is_given(const struct opt_set *tmpl, const char *name)
{
	return opt_set_get(tmpl, pkt_template_opt(name)) != NULL;
}

static bool has_header(const struct opt_set *tmpl, const char *name)
{
	const struct pkt_hdr *stack[PKT_MAX_HEADERS];
	struct err ignored = {0};
	int nb = pkt_stack(tmpl, stack, &ignored);

	for (int i = 0; i < nb; i++)
		if (strcmp(stack[i]->name, name) == 0)
			return true;
	return false;
}

/* What a run would find out from the ports of the file: the plan's own rules. */
static void assumed_route(const struct conf *conf, const struct opt_set *tmpl,
	void (*emit)(void *ctx, const char *name, const char *value), void *ctx)
{
	const struct plan_cpu any = {.cpu = 0, .numa_node = -1};
	char text[UNITS_TEXT_MAX], arp[UNITS_TEXT_MAX + 8];
	const struct plan_port *port;
	struct plan_route route;
	struct err err = {0};
	struct plan *plan = plan_new_ports(conf, NULL, &any, 1, &err);

	/* without ports, or with an error that a run would tell, there is nothing to assume */
	if (plan == NULL || plan_route(plan->ports, plan->nb_ports, tmpl, NULL, &route, &err) < 0) {
		plan_free(plan);
		return;
	}
	port = &plan->ports[route.tx_port];
	if (!is_given(tmpl, "port") && !is_given(tmpl, "interface"))
		emit(ctx, "port", port->name);
	if (!is_given(tmpl, "rx-port"))
		emit(ctx, "rx-port", route.rx_port >= 0 ? plan->ports[route.rx_port].name : "any");
	if (!is_given(tmpl, "mac-src"))
		emit(ctx, "mac-src", port->mac ? units_fmt_mac(text, port->mac) : "of-the-device");
	if (route.hop == PLAN_HOP_MULTICAST) {
		emit(ctx, "mac-dst", units_fmt_mac(text, route.mac_dst));
	} else if (route.hop == PLAN_HOP_ARP) {
		snprintf(arp, sizeof(arp), "%s:%s", units_ip_is4(route.next_hop) ? "arp" : "nd",
			units_fmt_ip(text, route.next_hop));
		emit(ctx, "mac-dst", arp);
	}
	if (has_header(tmpl, "ip") && !is_given(tmpl, "ip-src") && !units_ip_is_none(route.ip_src))
		emit(ctx, "ip-src", units_fmt_ip(text, route.ip_src));
	if (has_header(tmpl, "ipv6") && !is_given(tmpl, "ipv6-src"))
		emit(ctx, "ipv6-src",
			units_ip_is_none(route.ip6_src) ? "link-local"
							: units_fmt_ip(text, route.ip6_src));
	plan_free(plan);
}

void cli_assumed_packet_template(const struct conf *conf, const struct opt_set *tmpl,
	void (*emit)(void *ctx, const char *name, const char *value), void *ctx)
{
	const struct opt *stack_opt = &pkt_template_opts[TMPL_HEADER_STACK];
	const struct pkt_hdr *stack[PKT_MAX_HEADERS];
	struct err err = {0};
	char text[128];
	int nb;

	if (opt_set_get(tmpl, stack_opt) == NULL)
		emit(ctx, stack_opt->name, stack_opt->dflt);
	assumed_route(conf, tmpl, emit, ctx);
	nb = pkt_stack(tmpl, stack, &err); /* a wrong stack has no fields to show */
	for (int i = 0; i < nb; i++) {
		const struct opt_section *fields = stack[i]->fields;

		for (size_t f = 0; f < fields->nb && !is_repeated(stack, i); f++) {
			const struct opt *opt = opt_section_at(fields, f);

			if (opt_set_get(tmpl, opt) == NULL &&
				pkt_default_text(
					tmpl, (unsigned)i, (unsigned)f, text, sizeof(text)))
				emit(ctx, opt->name, text);
		}
	}
}

void cli_assumed_raw_packet_template(const struct conf *conf, const struct opt_set *tmpl,
	void (*emit)(void *ctx, const char *name, const char *value), void *ctx)
{
	char text[UNITS_TEXT_MAX];

	(void)conf;
	snprintf(text, sizeof(text), "%u", pkt_raw_bytes(tmpl));
	emit(ctx, "header-length", text);
}

void cli_assumed_settings(const struct conf *conf, const struct opt_set *settings,
	void (*emit)(void *ctx, const char *name, const char *value), void *ctx)
{
	pid_t pid;

	(void)conf;
	(void)settings;
	emit(ctx, "running", cli_run_is_running(&pid) ? "yes" : "no");
}

void cli_assumed_port(const struct conf *conf, const struct opt_set *port,
	void (*emit)(void *ctx, const char *name, const char *value), void *ctx)
{
	(void)conf;
	(void)port;
	emit(ctx, "first-header", "mac");
}

void cli_assumed_stream(const struct conf *conf, const struct opt_set *stream,
	void (*emit)(void *ctx, const char *name, const char *value), void *ctx)
{
	const char *name = opt_set_one(stream, &conf_stream_obj_opts[STREAM_OBJ_TX_TEMPLATE]).text;
	const struct opt_set *tmpl = conf_find(conf, cli_packet_template.key, name);
	const struct plan_cpu any = {.cpu = 0, .numa_node = -1};
	struct plan_route route;
	struct err err = {0};
	struct plan *plan = plan_new_ports(conf, NULL, &any, 1, &err);

	if (tmpl == NULL)
		tmpl = conf_find(conf, cli_raw_packet_template.key, name);
	if (plan != NULL && tmpl != NULL &&
		plan_route(plan->ports, plan->nb_ports, tmpl, NULL, &route, &err) == 0)
		emit(ctx, "default-port", plan->ports[route.tx_port].name);
	plan_free(plan);
}
