/* SPDX-License-Identifier: BSD-3-Clause */
#include "selftest_rig.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "objects.h"

#define NAME	 "selftest" /* of the template, and of the port of its own */
#define DRAIN_MS 500u	    /* a loop has no long way */

#define OPT(which) (&conf_selftest_opts[which])

/* ---- the configuration ---- */

static int set_args(struct opt_set *set, const char *const *args, size_t nb, struct err *err)
{
	for (size_t i = 0; i < nb; i++)
		if (opt_set_arg(set, args[i], err) < 0)
			return -EINVAL;
	return 0;
}

static unsigned packet_sizes_max(const struct opt_set *words)
{
	struct opt_val val;
	unsigned max = 0;

	for (unsigned i = 0; opt_set_val(words, OPT(SELFTEST_PACKET_SIZE), i, &val); i++) {
		if (val.lo > max)
			max = (unsigned)val.lo;
		if (opt_set_get(words, OPT(SELFTEST_PACKET_SIZE)) != NULL &&
			opt_set_get(words, OPT(SELFTEST_PACKET_SIZE))->nb_vals == 1)
			break; /* one value is given for every i */
	}
	return max;
}

/* A ring in memory, with an MTU for the largest packets. */
static int own_port_add(struct selftest_rig *rig, struct err *err)
{
	unsigned bytes = packet_sizes_max(rig->words);
	const char *args[] = {"name=" NAME, "device=ring:" NAME, NULL};
	char mtu[32];
	struct opt_set set;
	int rc;

	snprintf(mtu, sizeof(mtu), "mtu=%u",
		bytes > 1500 + UNITS_ETH_BYTES ? bytes - UNITS_ETH_BYTES : 1500);
	args[2] = mtu;
	opt_set_init(&set, &conf_port_menu);
	rc = set_args(&set, args, 3, err);
	if (rc == 0)
		rc = conf_add(rig->conf, "ports", &set, err);
	opt_set_fini(&set);
	return rc;
}

/* A port of the user's, as configured; one that is named is not disabled. */
static int user_port_add(struct selftest_rig *rig, const char *name, struct err *err)
{
	const struct opt_set *port = conf_find(rig->user, "ports", name);
	struct opt_set set;
	int rc;

	if (port == NULL)
		return conf_not_found(rig->user, "ports", "port", name, err);
	if (opt_set_copy(&set, port) < 0)
		return err_device(err, ENOMEM, "port %s", name);
	opt_set_unset(&set, &conf_port_opts[PORT_DISABLED]);
	rc = conf_add(rig->conf, "ports", &set, err);
	opt_set_fini(&set);
	return rc;
}

/* Addresses of RFC 2544 appendix C.2.2; mac-dst is mended when the receiver's is known. */
static int template_add(struct selftest_rig *rig, const char *tx, const char *rx, struct err *err)
{
	char port[80], rx_port[80];
	const char *const args[] = {"name=" NAME, "header-stack=mac,ip,udp", port, rx_port,
		"mac-dst=02:00:00:00:00:01", "ip-src=198.18.0.1", "ip-dst=198.19.0.1"};
	struct opt_set set;
	int rc;

	snprintf(port, sizeof(port), "port=%s", tx);
	snprintf(rx_port, sizeof(rx_port), "rx-port=%s", rx);
	opt_set_init(&set, &pkt_template_menu);
	rc = set_args(&set, args, sizeof(args) / sizeof(args[0]), err);
	if (rc == 0)
		rc = conf_add(rig->conf, "packet-templates", &set, err);
	opt_set_fini(&set);
	return rc;
}

static int user_conf_read(struct selftest_rig *rig, struct err *err)
{
	char *path = conf_path_find(rig->cli->config, true, err);

	if (path == NULL)
		return -EINVAL;
	rig->user = conf_load(path, cli_conf_kinds, cli_nb_conf_kinds, false, err);
	free(path);
	return rig->user != NULL ? 0 : -EINVAL;
}

static int conf_make(struct selftest_rig *rig, struct err *err)
{
	const struct opt_slot *ports = opt_set_get(rig->words, OPT(SELFTEST_PORT));
	const char *tx = NAME, *rx = NAME;
	int rc = 0;

	/* no file has an empty name: an empty configuration */
	rig->conf = conf_load("", cli_conf_kinds, cli_nb_conf_kinds, true, err);
	if (rig->conf == NULL)
		return -EINVAL;
	if (ports == NULL) {
		rc = own_port_add(rig, err);
	} else {
		tx = ports->vals[0].text;
		rx = ports->vals[ports->nb_vals - 1].text;
		rc = user_conf_read(rig, err);
		if (rc == 0)
			rc = user_port_add(rig, tx, err);
		if (rc == 0 && strcmp(tx, rx) != 0) {
			rc = user_port_add(rig, rx, err);
			rig->rx = 1;
		}
	}
	return rc == 0 ? template_add(rig, tx, rx, err) : rc;
}

/* ---- plans ---- */

/* A plan of nb streams of the template; sizes and rate as words of quick have them. */
static struct plan *plan_make(const struct selftest_rig *rig, const char *templates,
	const char *sizes, uint64_t pps, struct err *err)
{
	const struct opt_slot *cores = opt_set_get(rig->words, OPT(SELFTEST_CPU_CORE));
	char *cores_text = cores != NULL ? opt_set_print(rig->words, cores->opt) : NULL;
	struct plan_cpu *cpus = NULL;
	int nb_cpus = engine_cpus(&cpus), rc = 0;
	struct plan *plan = NULL;
	char rate[48] = "pps=max", drain[32];
	struct opt_set quick;
	const char *const args[] = {templates, sizes, rate, drain};

	if (pps != TRIAL_FLAT_OUT)
		snprintf(rate, sizeof(rate), "pps=%llu", (unsigned long long)pps);
	snprintf(drain, sizeof(drain), "drain=%ums", DRAIN_MS);
	opt_set_init(&quick, &conf_quick_menu);
	if (nb_cpus <= 0)
		rc = err_device(err, -nb_cpus, "the CPUs of this process");
	if (rc == 0)
		rc = set_args(&quick, args, sizeof(args) / sizeof(args[0]), err);
	if (rc == 0 && cores_text != NULL)
		rc = opt_set_text(&quick, &conf_stream_opts[STREAM_CPU_CORE], cores_text,
			(struct opt_pos){0}, err);
	if (rc == 0)
		plan = plan_new(rig->conf, &quick, cpus, (unsigned)nb_cpus, err);
	opt_set_fini(&quick);
	free(cores_text);
	free(cpus);
	return plan;
}

/* One stream a size: the engine's memory is for all of them. */
static struct plan *plan_of_all(const struct selftest_rig *rig, struct err *err)
{
	const struct opt_slot *given = opt_set_get(rig->words, OPT(SELFTEST_PACKET_SIZE));
	char templates[256] = "tx-template=", sizes[256] = "packet-size=";
	struct opt_val val;

	for (unsigned i = 0; opt_set_val(rig->words, OPT(SELFTEST_PACKET_SIZE), i, &val); i++) {
		const char *comma = i > 0 ? "," : "";
		size_t t = strlen(templates), s = strlen(sizes);

		if (given != NULL && i == given->nb_vals)
			break;
		snprintf(templates + t, sizeof(templates) - t, "%s" NAME, comma);
		snprintf(sizes + s, sizeof(sizes) - s, "%s%u", comma, (unsigned)val.lo);
	}
	return plan_make(rig, templates, sizes, TRIAL_FLAT_OUT, err);
}

/* The receiver's MAC address, so that no card has to be promiscuous. */
static int mac_dst_set(struct selftest_rig *rig, struct err *err)
{
	char arg[64], mac[UNITS_TEXT_MAX];
	const char *const args[] = {arg};
	struct opt_set set;
	int rc;

	snprintf(arg, sizeof(arg), "mac-dst=%s",
		units_fmt_mac(mac, rig->opened->ports[rig->rx].mac));
	opt_set_init(&set, &pkt_template_menu);
	rc = set_args(&set, args, 1, err);
	if (rc == 0)
		rc = conf_update(rig->conf, "packet-templates", NAME, &set, err);
	opt_set_fini(&set);
	return rc;
}

int selftest_rig_open(struct selftest_rig *rig, const struct cli *cli, const struct opt_set *words,
	struct err *err)
{
	int rc;

	*rig = (struct selftest_rig){.cli = cli, .words = words};
	rig->options = (struct engine_options){
		.force = cli->force, .eal_args = cli->eal_args, .stop = cli->stop};
	rc = conf_make(rig, err);
	if (rc < 0)
		return rc;
	rig->opened = plan_of_all(rig, err);
	if (rig->opened == NULL)
		return -EINVAL;
	rig->engine = engine_open(rig->opened, &rig->options, rig->facts, err);
	if (rig->engine == NULL)
		return -EIO;
	rc = plan_size(rig->opened, rig->facts, err);
	if (rc == 0)
		rc = engine_resolve(rig->engine, rig->opened, err);
	return rc == 0 ? mac_dst_set(rig, err) : rc;
}

/* ---- trials ---- */

/* The engine has the new plan before the old one goes. */
static int plan_load(struct selftest_rig *rig, uint64_t pps, struct err *err)
{
	struct plan *old = rig->plan;
	char size[48];
	int rc;

	snprintf(size, sizeof(size), "packet-size=%u", (unsigned)rig->packet_size);
	rig->plan = plan_make(rig, "tx-template=" NAME, size, pps, err);
	if (rig->plan == NULL) {
		rig->plan = old;
		return -EINVAL;
	}
	rc = plan_size(rig->plan, rig->facts, err);
	if (rc == 0)
		rc = plan_build(rig->plan, err);
	if (rc == 0)
		rc = engine_load(rig->engine, rig->plan, err);
	plan_free(old);
	return rc;
}

static int trial(
	void *ctx, const struct trial_spec *spec, struct trial_result *result, struct err *err)
{
	struct selftest_rig *rig = ctx;
	int rc = plan_load(rig, spec->pps, err);

	if (rc < 0)
		return rc;
	run_names_fini(&rig->names);
	rc = run_names_make(&rig->names, rig->plan, rig->engine, err);
	if (rc == 0)
		rc = engine_trial(rig->engine, &rig->names.info, spec, result, err);
	for (unsigned p = 0; rc == 0 && p < rig->plan->nb_ports; p++)
		rig->counts[p] = result->ports[p];
	return rc;
}

struct runner selftest_rig_runner(struct selftest_rig *rig)
{
	return (struct runner){.trial = trial, .ctx = rig};
}

void selftest_rig_close(struct selftest_rig *rig)
{
	engine_close(rig->engine);
	run_names_fini(&rig->names);
	plan_free(rig->plan);
	plan_free(rig->opened);
	conf_free(rig->conf);
	conf_free(rig->user);
}
