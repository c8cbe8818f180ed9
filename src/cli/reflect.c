/* SPDX-License-Identifier: BSD-3-Clause */
#include "cli.h"

#include <cjson/cJSON.h>

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "objects.h"
#include "tgen/conf.h"
#include "tgen/engine.h"
#include "tgen/plan.h"

/* The far end of a round trip: configuration and words to ports, ports to engine, counts to the user. */

#define SCHEMA "tgen.reflect/1"

struct reflect {
	const struct cli *cli;
	struct opt_set words;
	struct conf *conf;
	struct plan *plan;
	struct engine_reflect spec;
	struct engine_reflect_counts counts[PLAN_MAX_PORTS];
	FILE *json; /* where the counts go as JSON; NULL: nowhere */
	bool quiet; /* stdout is for the JSON alone */
	bool is_terminal;
	struct err *err;
};

static const struct opt_slot *words_of(const struct reflect *r, enum conf_reflect_opt which)
{
	return opt_set_get(&r->words, &conf_reflect_opts[which]);
}

/* ---- what to open ---- */

static bool port_named(const struct opt_slot *names, const char *name)
{
	for (unsigned i = 0; i < names->nb_vals; i++)
		if (strcmp(names->vals[i].text, name) == 0)
			return true;
	return false;
}

/* In memory, the named ports become the enabled ones; the file stays as it is. */
static int ports_choose(struct reflect *r)
{
	const struct opt_slot *names = words_of(r, REFLECT_PORT);
	struct opt_set disabled;
	int rc = 0;

	for (unsigned i = 0; rc == 0 && i < names->nb_vals; i++)
		rc = conf_unset(r->conf, "ports", names->vals[i].text,
			&conf_port_opts[PORT_DISABLED], r->err);
	if (rc < 0)
		return rc;
	opt_set_init(&disabled, &conf_port_menu);
	rc = opt_set_text(
		&disabled, &conf_port_opts[PORT_DISABLED], "yes", (struct opt_pos){0}, r->err);
	for (unsigned i = 0; rc == 0 && i < conf_nb(r->conf, "ports"); i++) {
		const char *name =
			opt_set_one(conf_at(r->conf, "ports", i), &conf_port_opts[PORT_NAME]).text;

		if (!port_named(names, name))
			rc = conf_update(r->conf, "ports", name, &disabled, r->err);
	}
	opt_set_fini(&disabled);
	return rc;
}

static int conf_read(struct reflect *r)
{
	char *path = conf_path_find(r->cli->config, true, r->err);

	if (path == NULL)
		return -EINVAL;
	r->conf = conf_load(path, cli_conf_kinds, cli_nb_conf_kinds, false, r->err);
	free(path);
	return r->conf != NULL ? ports_choose(r) : -EINVAL;
}

static bool cpu_wanted(const struct opt_slot *slot, unsigned cpu)
{
	for (unsigned i = 0; i < slot->nb_vals; i++)
		if (cpu >= slot->vals[i].lo && cpu <= slot->vals[i].hi)
			return true;
	return false;
}

/* cpu-core names the workers' CPUs, each of them; all must be allowed. */
static int workers_choose(struct reflect *r, const struct plan_cpu *cpus, unsigned nb_cpus)
{
	const struct opt_slot *slot = words_of(r, REFLECT_CPU_CORE);
	uint64_t nb_named = 0;
	unsigned nb = 0;

	if (slot == NULL)
		return 0;
	for (unsigned i = 0; i < slot->nb_vals; i++)
		nb_named += slot->vals[i].hi - slot->vals[i].lo + 1;
	free(r->plan->workers);
	r->plan->nb_workers = 0;
	r->plan->workers = calloc(nb_cpus, sizeof(*r->plan->workers));
	if (r->plan->workers == NULL)
		return err_device(r->err, ENOMEM, "workers");
	for (unsigned i = 0; i < nb_cpus; i++)
		if (cpu_wanted(slot, cpus[i].cpu))
			r->plan->workers[nb++] = cpus[i];
	if (nb < nb_named)
		return opt_error(r->err, &r->words, slot->opt,
			"only %u of these CPUs are ones this process may use, and each may be "
			"named once (see: taskset -p $$)",
			nb);
	r->plan->nb_workers = nb;
	return 0;
}

static int plan_make(struct reflect *r)
{
	struct plan_cpu *cpus = NULL;
	int nb = engine_cpus(&cpus), rc;

	if (nb <= 0)
		return err_device(r->err, -nb, "the CPUs of this process");
	r->plan = plan_new_ports(r->conf, NULL, cpus, (unsigned)nb, r->err);
	rc = r->plan != NULL ? workers_choose(r, cpus, (unsigned)nb) : -EINVAL;
	free(cpus);
	return rc;
}

/* ---- what is told ---- */

static struct engine_reflect_counts sum(const struct engine_reflect_counts *ports, unsigned nb)
{
	struct engine_reflect_counts all = {0};

	for (unsigned p = 0; p < nb; p++) {
		all.rx += ports[p].rx;
		all.reflected += ports[p].reflected;
		all.answered += ports[p].answered;
		all.ignored += ports[p].ignored;
		all.dropped += ports[p].dropped;
		all.rx_missed += ports[p].rx_missed;
	}
	return all;
}

static void counts_print(const struct engine_reflect_counts *c)
{
	printf("rx=%" PRIu64 " reflected=%" PRIu64 " answered=%" PRIu64 " ignored=%" PRIu64
	       " dropped=%" PRIu64,
		c->rx, c->reflected, c->answered, c->ignored, c->dropped);
}

/* A terminal shows one line that changes. */
static void on_second(void *ctx, const struct engine_reflect_counts *ports, uint64_t elapsed_ns)
{
	const struct reflect *r = ctx;
	struct engine_reflect_counts all = sum(ports, r->plan->nb_ports);

	if (r->quiet)
		return;
	printf("%s%llus ", r->is_terminal ? "\r" : "", elapsed_ns / UNITS_NS_PER_S);
	counts_print(&all);
	printf(r->is_terminal ? "\033[K" : "\n");
	fflush(stdout);
}

static void totals_print(const struct reflect *r)
{
	struct engine_reflect_counts all = sum(r->counts, r->plan->nb_ports);

	if (r->is_terminal)
		printf("\r\033[K");
	for (unsigned p = 0; p < r->plan->nb_ports; p++) {
		printf("%s: ", r->plan->ports[p].name);
		counts_print(&r->counts[p]);
		printf(" rx-missed=%" PRIu64 "\n", r->counts[p].rx_missed);
	}
	if (r->plan->nb_ports < 2)
		return;
	printf("total: ");
	counts_print(&all);
	printf(" rx-missed=%" PRIu64 "\n", all.rx_missed);
}

/* Counts stay exact in a double up to 2^53: a year at 285 million frames a second. */
static bool json_counts(cJSON *object, const struct engine_reflect_counts *c)
{
	return cJSON_AddNumberToObject(object, "rx", (double)c->rx) != NULL &&
	       cJSON_AddNumberToObject(object, "reflected", (double)c->reflected) != NULL &&
	       cJSON_AddNumberToObject(object, "answered", (double)c->answered) != NULL &&
	       cJSON_AddNumberToObject(object, "ignored", (double)c->ignored) != NULL &&
	       cJSON_AddNumberToObject(object, "dropped", (double)c->dropped) != NULL &&
	       cJSON_AddNumberToObject(object, "rx-missed", (double)c->rx_missed) != NULL;
}

static bool json_ports(cJSON *list, const struct reflect *r)
{
	for (unsigned p = 0; p < r->plan->nb_ports; p++) {
		cJSON *port = cJSON_CreateObject();

		if (!cJSON_AddItemToArray(list, port)) {
			cJSON_Delete(port);
			return false;
		}
		if (cJSON_AddStringToObject(port, "name", r->plan->ports[p].name) == NULL ||
			!json_counts(port, &r->counts[p]))
			return false;
	}
	return true;
}

static char *json_text(const struct reflect *r)
{
	struct engine_reflect_counts all = sum(r->counts, r->plan->nb_ports);
	cJSON *root = cJSON_CreateObject(), *ports;
	char *text = NULL;
	bool ok = cJSON_AddStringToObject(root, "schema", SCHEMA) != NULL &&
		  cJSON_AddStringToObject(root, "version", TGEN_VERSION) != NULL &&
		  cJSON_AddStringToObject(root, "command", r->cli->command_line) != NULL;

	ports = ok ? cJSON_AddArrayToObject(root, "ports") : NULL;
	if (ports != NULL && json_ports(ports, r) &&
		json_counts(cJSON_AddObjectToObject(root, "total"), &all))
		text = cJSON_Print(root);
	cJSON_Delete(root);
	return text;
}

/* ---- where it is told ---- */

/* Opened before anything runs: a file that cannot be written is told at once. */
static int outputs_open(struct reflect *r)
{
	for (unsigned i = 0; i < r->cli->nb_outputs; i++) {
		const char *output = r->cli->outputs[i], *file;

		if (strcmp(output, "table") == 0)
			continue;
		if (strncmp(output, "json", 4) != 0 || (output[4] != '\0' && output[4] != '='))
			return err_usage(r->err,
				"--output %s: reflect knows table, json and json=FILE", output);
		if (r->json != NULL)
			return err_usage(r->err, "--output: reflect writes its counts once");
		file = output[4] == '=' ? output + 5 : "-";
		r->quiet = strcmp(file, "-") == 0;
		r->json = r->quiet ? stdout : fopen(file, "w");
		if (r->json == NULL)
			return err_device(r->err, errno, "%s: cannot write the counts", file);
	}
	return 0;
}

static int json_write(struct reflect *r)
{
	char *text = json_text(r);
	int rc = 0;

	if (text == NULL)
		return err_device(r->err, ENOMEM, "counts");
	if (fprintf(r->json, "%s\n", text) < 0 || fflush(r->json) != 0)
		rc = err_device(r->err, errno, "cannot write the counts");
	cJSON_free(text);
	return rc;
}

/* ---- the run ---- */

static int words_read(struct reflect *r, int argc, char **argv)
{
	opt_set_init(&r->words, &conf_reflect_menu);
	for (int i = 0; i < argc; i++)
		if (opt_set_arg(&r->words, argv[i], r->err) < 0)
			return -EINVAL;
	return opt_set_check_required(&r->words, r->err);
}

static void spec_make(struct reflect *r)
{
	const struct opt_slot *duration = words_of(r, REFLECT_DURATION);
	const struct opt_slot *test_id = words_of(r, REFLECT_TEST_ID);
	const struct opt_set *settings = conf_find(r->conf, "settings", NULL);

	r->spec = (struct engine_reflect){
		.duration_ns = duration != NULL ? duration->vals[0].lo : 0,
		.packet_count = opt_set_one(&r->words, &conf_reflect_opts[REFLECT_PACKET_COUNT]).lo,
		.only_test = opt_set_one(&r->words, &conf_reflect_opts[REFLECT_ONLY_TEST]).lo != 0,
		.test_id = (uint8_t)(test_id != NULL ? test_id->vals[0].lo
						     : opt_set_one(settings,
							       &conf_settings_opts[SET_TEST_ID])
							       .lo),
		.on_second = on_second,
		.ctx = r,
	};
}

static int finish(struct reflect *r)
{
	bool stopped = r->cli->stop != NULL && *r->cli->stop != 0;

	if (!r->quiet)
		totals_print(r);
	if (r->json != NULL && json_write(r) < 0)
		return -EIO;
	return stopped || sum(r->counts, r->plan->nb_ports).reflected > 0 ? TGEN_OK : TGEN_MISSED;
}

static int run(struct reflect *r, int argc, char **argv)
{
	const struct engine_options options = {
		.force = r->cli->force, .eal_args = r->cli->eal_args, .stop = r->cli->stop};
	struct plan_facts facts[PLAN_MAX_PORTS];
	struct engine *engine;
	int rc = -EINVAL;

	if (words_read(r, argc, argv) < 0 || conf_read(r) < 0 || plan_make(r) < 0 ||
		outputs_open(r) < 0)
		return -EINVAL;
	spec_make(r);
	engine = engine_open(r->plan, &options, facts, r->err);
	if (engine != NULL && plan_size(r->plan, facts, r->err) == 0)
		rc = engine_resolve(engine, r->plan, r->err);
	if (rc == 0)
		rc = engine_reflect(engine, &r->spec, r->counts, r->err);
	if (rc == 0 || rc == -EINTR)
		rc = finish(r);
	engine_close(engine);
	return rc;
}

int cli_reflect(const struct cli *cli, int argc, char **argv, struct err *err)
{
	struct reflect *r = calloc(1, sizeof(*r));
	int rc;

	if (r == NULL)
		return err_device(err, ENOMEM, "reflect");
	r->cli = cli;
	r->err = err;
	r->is_terminal = isatty(STDOUT_FILENO) == 1;
	rc = run(r, argc, argv);
	if (r->json != NULL && r->json != stdout && fclose(r->json) != 0 && rc >= 0)
		rc = err_device(err, errno, "cannot write the counts");
	plan_free(r->plan);
	conf_free(r->conf);
	opt_set_fini(&r->words);
	free(r);
	return rc;
}
