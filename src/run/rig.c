/* SPDX-License-Identifier: BSD-3-Clause */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "rig_private.h"
#include "tgen/log.h"
#include "tgen/units.h"

static int tests_read(
	struct rig *rig, const struct opt_set *const *tests, unsigned nb_tests, struct err *err)
{
	rig->tests = calloc(nb_tests, sizeof(*rig->tests));
	if (rig->tests == NULL)
		return err_device(err, ENOMEM, "tests");
	for (unsigned i = 0; i < nb_tests; i++) {
		struct rig_test *t = &rig->tests[i];

		t->test = tests[i];
		rig->nb_tests++;
		if (topology_add(rig->conf, t->test, &t->names, &t->nb, err) < 0)
			return -EINVAL;
	}
	return 0;
}

/* What is wrong with the words of a test is found now, not after hours. */
static int tests_check(struct rig *rig, struct err *err)
{
	int rc = 0;

	for (unsigned i = 0; rc == 0 && i < rig->nb_tests; i++) {
		const struct trial_spec spec = {.frame_size = NULL};
		unsigned *streams = calloc(rig->tests[i].nb, sizeof(*streams)), nb;
		struct plan *plan = NULL;
		struct opt_set words;

		rig->test = &rig->tests[i];
		if (streams == NULL)
			return err_device(err, ENOMEM, "tests");
		rc = rig_words(rig, &spec, true, &words, streams, &nb, err);
		if (rc == 0 && (plan = rig_plan(rig, &words, err)) == NULL) {
			rc = -EINVAL;
			err_prefix(err, "test %s: ",
				opt_set_one(rig->test->test, &conf_test_opts[TEST_NAME]).text);
		}
		plan_free(plan);
		opt_set_fini(&words);
		free(streams);
	}
	rig->test = NULL;
	return rc;
}

struct rig *rig_new(struct conf *conf, const struct opt_set *const *tests, unsigned nb_tests,
	const struct run_options *options, const struct rig_hooks *hooks, struct err *err)
{
	struct rig *rig = calloc(1, sizeof(*rig));
	struct opt_set words;
	int rc, nb_cpus;

	if (rig == NULL) {
		err_device(err, ENOMEM, "run");
		return NULL;
	}
	rig->conf = conf;
	rig->options = options;
	rig->hooks = *hooks;
	rig->commands = cJSON_CreateArray();
	nb_cpus = engine_cpus(&rig->cpus);
	rc = nb_cpus > 0 ? tests_read(rig, tests, nb_tests, err)
			 : err_device(err, -nb_cpus, "the CPUs of this process");
	rig->nb_cpus = nb_cpus > 0 ? (unsigned)nb_cpus : 0;
	if (rc == 0)
		rc = tests_check(rig, err);
	if (rc == 0 && nb_tests > 0) {
		rc = rig_words_of_all(rig, &words, err);
		if (rc == 0)
			rig->opened = rig_plan(rig, &words, err);
		opt_set_fini(&words);
	}
	if (rc < 0 || (rig->opened == NULL && nb_tests > 0)) {
		rig_free(rig);
		return NULL;
	}
	return rig;
}

void rig_hooks_set(struct rig *rig, const struct rig_hooks *hooks)
{
	rig->hooks = *hooks;
}

int rig_open(struct rig *rig, struct err *err)
{
	if (rig->engine != NULL || rig->opened == NULL)
		return 0;
	rig->engine_options = (struct engine_options){.force = rig->options->force,
		.eal_args = rig->options->eal_args,
		.stop = rig->options->stop};
	rig->engine = engine_open(rig->opened, &rig->engine_options, rig->facts, err);
	if (rig->engine == NULL)
		return -EIO;
	return plan_size(rig->opened, rig->facts, err);
}

int rig_select(
	struct rig *rig, const struct opt_set *test, const struct opt_set *variant, struct err *err)
{
	for (unsigned i = 0; i < rig->nb_tests; i++) {
		if (rig->tests[i].test != test)
			continue;
		if (rig->test != &rig->tests[i])
			rig_load_fini(&rig->about);
		rig->test = &rig->tests[i];
		rig->variant = variant;
		return 0;
	}
	return err_usage(err, "a test that was not announced");
}

static const struct result_info *info(void *ctx, const char *frame_size, struct err *err)
{
	const struct trial_spec spec = {.frame_size = frame_size};
	struct rig *rig = ctx;
	struct rig_load next = {.streams = calloc(rig->test->nb, sizeof(*next.streams))};
	struct opt_set words;
	unsigned nb;
	int rc = rig_open(rig, err);

	if (rc < 0 || next.streams == NULL) {
		free(next.streams);
		return NULL;
	}
	rc = rig_words(rig, &spec, true, &words, next.streams, &nb, err);
	if (rc == 0)
		next.plan = rig_plan(rig, &words, err);
	opt_set_fini(&words);
	if (next.plan == NULL || plan_size(next.plan, rig->facts, err) < 0 ||
		run_names_make(&next.names, next.plan, rig->engine, err) < 0) {
		rig_load_fini(&next);
		return NULL;
	}
	rig_load_fini(&rig->about);
	rig->about = next;
	return &rig->about.names.info;
}

struct runner rig_runner(struct rig *rig)
{
	return (struct runner){.trial = rig_trial, .info = info, .ctx = rig};
}

/* ---- ping ---- */

struct asked {
	bool replied;
};

static void on_reply(void *ctx, uint32_t seq, uint64_t rtt_ns, const struct host_echo *reply)
{
	struct asked *asked = ctx;

	(void)seq;
	(void)reply;
	asked->replied |= rtt_ns != UINT64_MAX;
}

static void on_arp(void *ctx, uint64_t mac, uint64_t rtt_ns)
{
	(void)ctx;
	(void)mac;
	(void)rtt_ns;
}

int rig_ping(void *ctx, const char *port, const char *address)
{
	struct rig *rig = ctx;
	struct asked asked = {0};
	struct err err = {0};
	struct engine_ping ping = {.count = 1,
		.interval_ns = UNITS_NS_PER_S / 10,
		.arp_timeout_ns = UNITS_NS_PER_S,
		.bytes = 98,
		.ttl = 64,
		.on_reply = on_reply,
		.on_arp = on_arp,
		.ctx = &asked};
	uint64_t up, lo;
	uint32_t ip4;

	if (rig_open(rig, &err) < 0 || rig->opened == NULL)
		return -EIO;
	while (ping.port < rig->opened->nb_ports &&
		strcmp(rig->opened->ports[ping.port].name, port) != 0)
		ping.port++;
	if (ping.port == rig->opened->nb_ports)
		return -ENODEV;
	if (units_parse_ip4(address, &ip4) == 0)
		ping.address = units_ip4(ip4);
	else if (units_parse_ip6(address, &up, &lo) == 0)
		ping.address = (struct units_ip){.up = up, .lo = lo};
	else
		return -EINVAL;
	engine_ping(rig->engine, &ping, &err);
	return asked.replied ? 0 : *rig->options->stop ? -EINTR : -ETIMEDOUT;
}

cJSON *rig_commands(struct rig *rig)
{
	cJSON *commands = rig->commands;

	rig->commands = cJSON_CreateArray();
	return commands;
}

cJSON *rig_ports_json(const struct rig *rig)
{
	cJSON *list = cJSON_CreateArray();

	for (unsigned p = 0; rig->engine != NULL && p < rig->opened->nb_ports; p++) {
		const struct plan_port *port = &rig->opened->ports[p];
		const struct opt_slot *addresses =
			opt_set_get(port->conf, &conf_port_opts[PORT_ADDRESS]);
		cJSON *node = cJSON_CreateObject(), *texts;
		char mac[UNITS_TEXT_MAX];

		cJSON_AddStringToObject(node, "name", port->name);
		cJSON_AddStringToObject(node, "device", port->device);
		cJSON_AddStringToObject(node, "driver", engine_driver(rig->engine, p));
		cJSON_AddStringToObject(node, "mac", units_fmt_mac(mac, port->mac));
		cJSON_AddNumberToObject(node, "mtu", port->mtu);
		if (port->speed_bps != 0)
			cJSON_AddNumberToObject(node, "speed-bps", (double)port->speed_bps);
		else
			cJSON_AddNullToObject(node, "speed-bps");
		texts = cJSON_AddArrayToObject(node, "addresses");
		for (unsigned i = 0; addresses != NULL && i < addresses->nb_vals; i++)
			cJSON_AddItemToArray(texts, cJSON_CreateString(addresses->vals[i].text));
		cJSON_AddItemToArray(list, node);
	}
	return list;
}

void rig_free(struct rig *rig)
{
	if (rig == NULL)
		return;
	engine_close(rig->engine);
	rig_load_fini(&rig->about);
	rig_load_fini(&rig->load);
	rig_load_fini(&rig->failed);
	proc_verdict_fini(&rig->verdict);
	plan_free(rig->opened);
	for (unsigned i = 0; i < rig->nb_tests; i++) {
		for (unsigned k = 0; k < rig->tests[i].nb; k++)
			free(rig->tests[i].names[k]);
		free(rig->tests[i].names);
	}
	cJSON_Delete(rig->commands);
	free(rig->tests);
	free(rig->totals);
	free(rig->points);
	free(rig->cpus);
	free(rig);
}
