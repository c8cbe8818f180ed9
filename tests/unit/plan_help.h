/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

/* What the tests of the plan share: configurations written briefly, plans made of them. */

#include "tgen/plan.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#define NB(array)      (sizeof(array) / sizeof((array)[0]))
#define CONF_NAME      "tgen.json"
#define CONF_BYTES_MAX 8192
#define NB_CPUS_MAX    256

static const struct conf_kind plan_kinds[] = {
	{.key = "ports", .menu = &conf_port_menu},
	{.key = "packet-templates", .menu = &pkt_template_menu},
	{.key = "raw-packet-templates", .menu = &pkt_raw_menu},
	{.key = "streams", .menu = &conf_stream_menu, .check = plan_stream_check},
	{.key = "settings", .menu = &conf_settings_menu, .single = true},
};

/* Everything that a plan comes from and refers to. */
struct made {
	struct conf *conf;
	struct opt_set quick;
	struct plan *plan; /* NULL: see err */
	struct err err;
};

/* Every program works in an empty directory of its own: messages name the file alone. */
static inline int plan_enter(void **state)
{
	char *dir = strdup("/tmp/tgen-test-plan-XXXXXX");

	*state = dir;
	return dir == NULL || mkdtemp(dir) == NULL || chdir(dir) != 0;
}

static inline int plan_leave(void **state)
{
	int rc = unlink(CONF_NAME) != 0 || chdir("/") != 0 || rmdir(*state) != 0;

	free(*state);
	return rc;
}

/* json: with ' for ", the way it is easily written here. */
static inline struct conf *conf_make(const char *json)
{
	struct err err = {0};
	struct conf *conf;
	FILE *f = fopen(CONF_NAME, "w");

	assert_non_null(f);
	for (const char *p = json; *p != '\0'; p++)
		fputc(*p == '\'' ? '"' : *p, f);
	assert_int_equal(fclose(f), 0);
	conf = conf_load(CONF_NAME, plan_kinds, NB(plan_kinds), false, &err);
	if (conf == NULL)
		fail_msg("%s: %s", err.text, json);
	return conf;
}

/* CPUs 0 .. nb-1, the first half on node 0, the rest on node 1. */
static inline void cpus_make(struct plan_cpu *cpus, unsigned nb)
{
	for (unsigned i = 0; i < nb; i++)
		cpus[i] = (struct plan_cpu){.cpu = i, .numa_node = i < (nb + 1) / 2 ? 0 : 1};
}

/* The plan of a quick command; words are separated by spaces. made.plan NULL: refused, see err. */
static inline void make(struct made *m, const char *json, const char *words, unsigned nb_cpus)
{
	struct plan_cpu cpus[NB_CPUS_MAX];
	char text[CONF_BYTES_MAX], *save = NULL;

	memset(m, 0, sizeof(*m));
	cpus_make(cpus, nb_cpus);
	m->conf = conf_make(json);
	opt_set_init(&m->quick, &conf_quick_menu);
	snprintf(text, sizeof(text), "%s", words);
	for (char *word = strtok_r(text, " ", &save); word != NULL;
		word = strtok_r(NULL, " ", &save))
		if (opt_set_arg(&m->quick, word, &m->err) < 0)
			fail_msg("%s: %s", word, m->err.text);
	m->plan = plan_new(m->conf, &m->quick, cpus, nb_cpus, &m->err);
}

static inline void made_fini(struct made *m)
{
	plan_free(m->plan);
	conf_free(m->conf);
	opt_set_fini(&m->quick);
}

static inline void assert_made(const struct made *m, const char *what)
{
	if (m->plan == NULL)
		fail_msg("%s: %s", what, m->err.text);
}

/* Refused, as a usage error that begins with its place and has these words in it. */
static inline void assert_refused(
	const struct made *m, const char *what, const char *place, const char *words)
{
	if (m->plan != NULL)
		fail_msg("%s: was not refused", what);
	if (m->err.status != TGEN_USAGE)
		fail_msg("%s: status %d: %s", what, m->err.status, m->err.text);
	if (strncmp(m->err.text, place, strlen(place)) != 0)
		fail_msg("%s: not at \"%s\": %s", what, place, m->err.text);
	if (strstr(m->err.text, words) == NULL)
		fail_msg("%s: not with \"%s\": %s", what, words, m->err.text);
}

/* A device of MTU 1500 with one queue and no speed, for every port. */
static inline void facts_make(const struct plan *plan, struct plan_facts *facts)
{
	for (unsigned p = 0; p < plan->nb_ports; p++)
		facts[p] = (struct plan_facts){
			.mac = 0x020000000001 + p, .mtu = 1500, .numa_node = -1, .nb_queues = 1};
}
