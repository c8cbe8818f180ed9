/* SPDX-License-Identifier: BSD-3-Clause */
#include <errno.h>
#include <numa.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

#include "suite.h"
#include "tgen/argv.h"
#include "tgen/result.h"

/* The results tree but for what trials fill: docs/results.schema.json. */

#define SCHEMA	 "tgen-results"
#define VERSION	 1
#define FILE_MAX (64l << 20)

static void text_or_null(cJSON *object, const char *key, const char *text)
{
	cJSON_AddItemToObject(
		object, key, text != NULL ? cJSON_CreateString(text) : cJSON_CreateNull());
}

char *suite_time_text(char out[32])
{
	time_t now = time(NULL);
	struct tm tm;

	gmtime_r(&now, &tm);
	strftime(out, 32, "%Y-%m-%dT%H:%M:%SZ", &tm);
	return out;
}

/* ---- environment ---- */

/* What follows the first `key…: ` of a file of lines; "" when it is not there. */
static void line_value(const char *path, const char *key, char *out, size_t size)
{
	FILE *f = fopen(path, "re");
	char line[512];

	out[0] = '\0';
	while (f != NULL && fgets(line, sizeof(line), f) != NULL) {
		char *colon = key[0] != '\0' ? strchr(line, ':') : NULL;
		const char *value = colon != NULL ? colon + 1 : line;

		if (key[0] != '\0' && (colon == NULL || strncmp(line, key, strlen(key)) != 0))
			continue;
		value += strspn(value, " \t");
		snprintf(out, size, "%.*s", (int)strcspn(value, "\n"), value);
		break;
	}
	if (f != NULL)
		fclose(f);
}

static double mb_of(const char *key)
{
	char text[64];

	line_value("/proc/meminfo", key, text, sizeof(text));
	return strtod(text, NULL) / 1024;
}

static void environment_add(cJSON *root)
{
	cJSON *env = cJSON_AddObjectToObject(root, "environment");
	char text[256], kernel[256];
	struct utsname uts;
	double pages, page_kb;

	uname(&uts);
	snprintf(kernel, sizeof(kernel), "%s %s", uts.sysname, uts.release);
	cJSON_AddStringToObject(env, "host", uts.nodename);
	cJSON_AddStringToObject(env, "kernel", kernel);
	line_value("/proc/cpuinfo", "model name", text, sizeof(text));
	cJSON_AddStringToObject(env, "cpu", text[0] != '\0' ? text : uts.machine);
	cJSON_AddNumberToObject(env, "nb-cpus", (double)sysconf(_SC_NPROCESSORS_ONLN));
	cJSON_AddNumberToObject(
		env, "nb-numa-nodes", numa_available() >= 0 ? numa_num_configured_nodes() : 1);
	cJSON_AddNumberToObject(env, "memory-mb", mb_of("MemTotal"));
	line_value("/proc/meminfo", "HugePages_Total", text, sizeof(text));
	pages = strtod(text, NULL);
	page_kb = mb_of("Hugepagesize") * 1024;
	cJSON_AddNumberToObject(env, "hugepages-mb", pages * page_kb / 1024);
	cJSON_AddStringToObject(env, "dpdk", engine_dpdk_version());
	line_value("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor", "", text, sizeof(text));
	text_or_null(env, "governor", text[0] != '\0' ? text : NULL);
	line_value("/sys/class/dmi/id/product_name", "", text, sizeof(text));
	text_or_null(env, "virtual", text[0] != '\0' ? text : NULL);
}

/* ---- configuration ---- */

static cJSON *file_json(const char *path, struct err *err)
{
	FILE *f = fopen(path, "re");
	cJSON *node = NULL;
	char *text = NULL;
	long len = -1;

	if (f != NULL && fseek(f, 0, SEEK_END) == 0)
		len = ftell(f);
	if (len >= 0 && len <= FILE_MAX && (text = malloc((size_t)len + 1)) != NULL) {
		rewind(f);
		text[fread(text, 1, (size_t)len, f)] = '\0';
		node = cJSON_Parse(text);
	}
	if (node == NULL)
		err_device(err, errno, "%s cannot be read again", path);
	free(text);
	if (f != NULL)
		fclose(f);
	return node;
}

cJSON *suite_configuration(const struct conf *conf, struct err *err)
{
	unsigned nb;
	const char *const *included = conf_included(conf, &nb);
	cJSON *all = cJSON_CreateObject();

	for (unsigned i = 0; i <= nb; i++) {
		const char *path = i == 0 ? conf_path(conf) : included[i - 1];
		cJSON *node = file_json(path, err);

		if (node == NULL) {
			cJSON_Delete(all);
			return NULL;
		}
		cJSON_AddItemToObject(all, path, node);
	}
	return all;
}

static void options_add(cJSON *parent, const char *key, const struct opt_set *set)
{
	cJSON *node = cJSON_AddObjectToObject(parent, key);

	for (unsigned i = 0; set != NULL && i < set->nb_slots; i++) {
		char *text = opt_set_print(set, set->slots[i].opt);

		text_or_null(node, set->slots[i].opt->name, text);
		free(text);
	}
}

/* The hash of a device's configuration file, by sha256sum. */
static void hash_add(cJSON *node, const struct opt_set *dut)
{
	const struct opt_slot *slot = opt_set_get(dut, &conf_dut_opts[DUT_CONFIGURATION]);
	const char *slash = dut->origin != NULL ? strrchr(dut->origin, '/') : NULL;
	struct dut_command_result result = {0};
	char hash[65] = "", path[4096];
	const char *words[] = {"sha256sum", "--", path};
	char *text = NULL;

	if (slot != NULL) {
		const char *file = slot->vals[0].text;

		snprintf(path, sizeof(path), "%.*s%s",
			file[0] == '/' || slash == NULL ? 0 : (int)(slash - dut->origin + 1),
			dut->origin != NULL ? dut->origin : "", file);
		text = argv_join(words, 3);
	}
	if (text != NULL) {
		const struct dut_command command = {.text = text, .time_limit_ns = 60000000000u};

		if (dut_command_run(&command, &result) == 0 && result.status == 0)
			snprintf(hash, sizeof(hash), "%.64s", result.output);
		dut_command_fini(&result);
	}
	free(text);
	text_or_null(node, "configuration-sha256", hash[0] != '\0' ? hash : NULL);
}

static void duts_add(cJSON *root, const struct conf *conf)
{
	static const enum conf_dut_opt texts[] = {DUT_COMMENT, DUT_MODEL, DUT_SERIAL, DUT_FIRMWARE};
	cJSON *list = cJSON_AddArrayToObject(root, "duts");

	for (unsigned i = 0; i < conf_nb(conf, "duts"); i++) {
		const struct opt_set *dut = conf_at(conf, "duts", i);
		cJSON *node = cJSON_CreateObject(), *variants;

		cJSON_AddStringToObject(
			node, "name", opt_set_one(dut, &conf_dut_opts[DUT_NAME]).text);
		for (size_t k = 0; k < sizeof(texts) / sizeof(texts[0]); k++) {
			const struct opt *opt = &conf_dut_opts[texts[k]];
			const struct opt_slot *slot = opt_set_get(dut, opt);

			text_or_null(node, opt->name, slot != NULL ? slot->vals[0].text : NULL);
		}
		hash_add(node, dut);
		variants = cJSON_AddArrayToObject(node, "variants");
		for (unsigned v = 0; v < conf_nb(conf, "variants"); v++)
			if (conf_parent(conf, "variants", v) == i)
				cJSON_AddItemToArray(variants,
					cJSON_CreateString(
						suite_variant_name(conf_at(conf, "variants", v))));
		cJSON_AddItemToArray(list, node);
	}
}

static void definition_add(cJSON *node, const struct proc_figure_doc *doc)
{
	if (!cJSON_HasObjectItem(node, doc->name))
		cJSON_AddStringToObject(node, doc->name, doc->help);
}

/* What the figures of these tests mean, and those of the metric table. */
static void definitions_add(cJSON *root, const struct suite *suite)
{
	cJSON *node = cJSON_AddObjectToObject(root, "definitions");

	for (unsigned i = 0; i < metric_nb; i++)
		cJSON_AddStringToObject(node, metric_table[i].name, metric_table[i].help);
	for (unsigned i = 0; i < suite->nb_tests; i++) {
		const struct procedure *p = suite->tests[i].procedure;

		for (unsigned k = 0; k < p->nb_figures; k++)
			for (unsigned d = 0; d < p->figures[k]->nb; d++)
				definition_add(node, &p->figures[k]->docs[d]);
	}
}

/* ---- the tree ---- */

cJSON *suite_root(const struct suite *suite, struct err *err)
{
	cJSON *root = cJSON_CreateObject(), *configuration, *list;
	const char *const *included;
	char now[32];
	unsigned nb;

	configuration = suite_configuration(suite->conf, err);
	if (configuration == NULL || root == NULL) {
		cJSON_Delete(root);
		return NULL;
	}
	cJSON_AddStringToObject(root, "schema", SCHEMA);
	cJSON_AddNumberToObject(root, "version", VERSION);
	cJSON_AddStringToObject(root, "tgen", TGEN_VERSION);
	cJSON_AddStringToObject(root, "command", suite->options->command_line);
	cJSON_AddStringToObject(root, "file", conf_path(suite->conf));
	list = cJSON_AddArrayToObject(root, "included");
	included = conf_included(suite->conf, &nb);
	for (unsigned i = 0; i < nb; i++)
		cJSON_AddItemToArray(list, cJSON_CreateString(included[i]));
	cJSON_AddStringToObject(root, "started", suite_time_text(now));
	cJSON_AddNullToObject(root, "ended");
	cJSON_AddStringToObject(root, "status", "interrupted");
	cJSON_AddNumberToObject(root, "exit-status", TGEN_INVALID);
	options_add(root, "meta", conf_find(suite->conf, "meta", NULL));
	environment_add(root);
	cJSON_AddArrayToObject(root, "ports");
	duts_add(root, suite->conf);
	cJSON_AddItemToObject(root, "configuration", configuration);
	cJSON_AddArrayToObject(root, "commands");
	definitions_add(root, suite);
	cJSON_AddArrayToObject(root, "tests");
	return root;
}

cJSON *suite_test_node(cJSON *root, const struct suite_test *test, const struct opt_set *variant)
{
	const struct opt_slot *comment = opt_set_get(test->set, &conf_test_opts[TEST_COMMENT]);
	cJSON *node = cJSON_CreateObject();

	cJSON_AddStringToObject(node, "name", test->name);
	cJSON_AddStringToObject(node, "procedure", test->procedure->name);
	text_or_null(node, "comment", comment != NULL ? comment->vals[0].text : NULL);
	text_or_null(node, "dut",
		test->dut != NULL ? opt_set_one(test->dut, &conf_dut_opts[DUT_NAME]).text : NULL);
	text_or_null(node, "variant", suite_variant_name(variant));
	cJSON_AddStringToObject(node, "status", "interrupted");
	cJSON_AddNullToObject(node, "reason");
	options_add(node, "options", test->set);
	cJSON_AddArrayToObject(node, "streams");
	cJSON_AddNumberToObject(node, "repeats", test->repeats);
	cJSON_AddStringToObject(
		node, "pass-if", opt_set_one(test->set, &conf_test_opts[TEST_PASS_IF]).text);
	cJSON_AddArrayToObject(node, "cells");
	cJSON_AddArrayToObject(node, "summary");
	cJSON_AddArrayToObject(node, "commands");
	if (cJSON_AddItemToArray(cJSON_GetObjectItemCaseSensitive(root, "tests"), node))
		return node;
	cJSON_Delete(node);
	return NULL;
}

cJSON *suite_cell_node(cJSON *test_node, const char *size, unsigned repeat)
{
	static const char *const lists[] = {"reasons", "notes", "figures", "criteria"};
	cJSON *node = cJSON_CreateObject();
	char now[32];

	text_or_null(node, "frame-size", size);
	cJSON_AddNullToObject(node, "frame-bytes");
	cJSON_AddNumberToObject(node, "repeat", repeat);
	cJSON_AddStringToObject(node, "status", "interrupted");
	cJSON_AddStringToObject(node, "started", suite_time_text(now));
	cJSON_AddNumberToObject(node, "seconds", 0);
	for (size_t i = 0; i < sizeof(lists) / sizeof(lists[0]); i++)
		cJSON_AddArrayToObject(node, lists[i]);
	cJSON_AddNullToObject(node, "line-pps");
	cJSON_AddArrayToObject(node, "trials");
	if (cJSON_AddItemToArray(cJSON_GetObjectItemCaseSensitive(test_node, "cells"), node))
		return node;
	cJSON_Delete(node);
	return NULL;
}
