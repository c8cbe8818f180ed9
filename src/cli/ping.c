/* SPDX-License-Identifier: BSD-3-Clause */
#include "cli.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "objects.h"
#include "tgen/conf.h"
#include "tgen/engine.h"
#include "tgen/hist.h"
#include "tgen/plan.h"

struct ping {
	const char *port;
	char address[UNITS_TEXT_MAX];
	struct hist rtt;
	uint32_t nb_sent;
	const char *asks; /* how its MAC is asked for */
	bool found;	  /* and that was answered */
};

static void on_arp(void *ctx, uint64_t mac, uint64_t rtt_ns)
{
	struct ping *p = ctx;
	char mac_text[UNITS_TEXT_MAX], time[UNITS_TEXT_MAX];

	p->found = true;
	printf("%s is at %s on %s (%s answer in %s)\n", p->address, units_fmt_mac(mac_text, mac),
		p->port, p->asks, units_fmt_time(time, rtt_ns));
	fflush(stdout);
}

static void on_reply(void *ctx, uint32_t seq, uint64_t rtt_ns, const struct host_echo *reply)
{
	struct ping *p = ctx;
	char time[UNITS_TEXT_MAX];

	p->nb_sent++;
	if (rtt_ns == UINT64_MAX) {
		printf("seq=%" PRIu32 " no reply\n", seq);
	} else {
		hist_record(&p->rtt, rtt_ns);
		printf("%u bytes from %s: seq=%" PRIu32 " ttl=%u time=%s\n", reply->bytes,
			p->address, seq, reply->ttl, units_fmt_time(time, rtt_ns));
	}
	fflush(stdout);
}

static void print_summary(const struct ping *p, int replies)
{
	char lost[UNITS_TEXT_MAX], min[UNITS_TEXT_MAX], mean[UNITS_TEXT_MAX], max[UNITS_TEXT_MAX];

	printf("sent=%" PRIu32 " received=%d packet-loss=%s", p->nb_sent, replies,
		units_fmt_ratio(lost, p->nb_sent - (uint32_t)replies, p->nb_sent));
	if (replies > 0)
		printf(" min-rtt=%s avg-rtt=%s max-rtt=%s", units_fmt_time(min, p->rtt.min),
			units_fmt_time(mean, hist_mean(&p->rtt)), units_fmt_time(max, p->rtt.max));
	printf("\n");
}

static int size_check(
	const struct opt_set *words, const struct engine_ping *ping, uint32_t mtu, struct err *err)
{
	if (ping->bytes <= mtu + UNITS_ETH_BYTES)
		return 0;
	return opt_error(err, words, &conf_ping_opts[PING_SIZE],
		"%u is more than the port's MTU of %u "
		"allows (%u)",
		ping->bytes, mtu, mtu + UNITS_ETH_BYTES);
}

static struct units_ip address_of(const struct opt_set *words)
{
	struct opt_val val = opt_set_one(words, &conf_ping_opts[PING_ADDRESS]);

	return val.is_ip6 ? (struct units_ip){.up = val.up.lo, .lo = val.lo}
			  : units_ip4((uint32_t)val.lo);
}

static struct host_vlan vlan_of(const struct opt_set *words)
{
	const struct opt_slot *slot = opt_set_get(words, &conf_ping_opts[PING_VLAN]);
	struct host_vlan vlan = {0};

	for (unsigned i = 0; slot != NULL && i < slot->nb_vals && i < HOST_MAX_TAGS; i++)
		vlan.vid[i] = (uint16_t)slot->vals[i].lo;
	return vlan;
}

/* The headers take room, and there must be an address to ask from. */
static int request_check(const struct opt_set *words, const struct plan_port *port,
	const struct engine_ping *ping, struct err *err)
{
	const struct host_if hif = {.addrs = port->addrs, .nb_addrs = port->nb_addrs};
	unsigned least = host_echo_min(&ping->vlan, ping->address);

	if (ping->bytes < least)
		return opt_error(err, words, &conf_ping_opts[PING_SIZE],
			"%u is too small for the headers (%u at least)", ping->bytes, least);
	if (units_ip_is_none(host_source(&hif, &ping->vlan, ping->address)))
		return opt_error(err, words, &conf_ping_opts[PING_ADDRESS],
			"port %s has no IPv%d address to ask from; give it one (tgen port set %s "
			"address=A/LEN)",
			port->name, units_ip_is4(ping->address) ? 4 : 6, port->name);
	return 0;
}

static int run(
	const struct cli *cli, const struct opt_set *words, struct plan *plan, struct err *err)
{
	struct engine_options options = {
		.force = cli->force, .eal_args = cli->eal_args, .stop = cli->stop};
	struct ping *p = calloc(1, sizeof(*p));
	struct engine_ping ping = {
		.address = address_of(words),
		.vlan = vlan_of(words),
		.count = (uint32_t)opt_set_one(words, &conf_ping_opts[PING_COUNT]).lo,
		.interval_ns = opt_set_one(words, &conf_ping_opts[PING_INTERVAL]).lo,
		.arp_timeout_ns = opt_set_one(words, &conf_ping_opts[PING_ARP_TIMEOUT]).lo,
		.bytes = (unsigned)opt_set_one(words, &conf_ping_opts[PING_SIZE]).lo,
		.ttl = (uint8_t)opt_set_one(words, &conf_ping_opts[PING_TTL]).lo,
		.on_reply = on_reply,
		.on_arp = on_arp,
		.ctx = p,
	};
	struct plan_facts facts;
	struct engine *engine;
	int rc = -EINVAL;

	if (p == NULL)
		return err_device(err, ENOMEM, "ping");
	hist_reset(&p->rtt);
	p->port = plan->ports[0].name;
	units_fmt_ip(p->address, ping.address);
	p->asks = units_ip_is4(ping.address) ? "ARP" : "ND";
	if (request_check(words, &plan->ports[0], &ping, err) < 0) {
		free(p);
		return -EINVAL;
	}
	engine = engine_open(plan, &options, &facts, err);
	if (engine != NULL && size_check(words, &ping, facts.mtu, err) == 0)
		rc = engine_resolve(engine, plan, err);
	if (rc == 0)
		rc = engine_ping(engine, &ping, err);
	if (rc == -EINTR)
		rc = 0;
	if (rc >= 0 && p->nb_sent > 0)
		print_summary(p, rc);
	else if (rc >= 0)
		printf("stopped before %s answered %s on %s\n", p->address,
			p->found ? "the first request" : p->asks, p->port);
	engine_close(engine);
	free(p);
	return rc < 0 ? rc : rc > 0 ? TGEN_OK : TGEN_MISSED;
}

int cli_ping(const struct cli *cli, int argc, char **argv, struct err *err)
{
	struct plan_cpu *cpus = NULL;
	struct plan *plan = NULL;
	struct conf *conf = NULL;
	struct opt_set words;
	char *path = NULL;
	int rc = 0, nb_cpus;

	opt_set_init(&words, &conf_ping_menu);
	for (int i = 0; rc == 0 && i < argc; i++)
		rc = opt_set_arg(&words, argv[i], err);
	if (rc == 0)
		rc = opt_set_check_required(&words, err);
	if (rc == 0)
		path = conf_path_find(cli->config, true, err);
	if (path != NULL)
		conf = conf_load(path, cli_conf_kinds, cli_nb_conf_kinds, false, err);
	nb_cpus = engine_cpus(&cpus);
	if (conf != NULL && nb_cpus > 0)
		plan = plan_new_ports(conf, opt_set_one(&words, &conf_ping_opts[PING_PORT]).text,
			cpus, (unsigned)nb_cpus, err);
	rc = plan != NULL ? run(cli, &words, plan, err) : -EINVAL;
	plan_free(plan);
	conf_free(conf);
	free(cpus);
	free(path);
	opt_set_fini(&words);
	return rc;
}
