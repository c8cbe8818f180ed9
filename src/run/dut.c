/* SPDX-License-Identifier: BSD-3-Clause */
#include "dut.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "dut_private.h"
#include "tgen/argv.h"
#include "tgen/units.h"

/* Setting up and tearing down a variant of the device. */

#define OPT(which) (&conf_variant_opts[which])
#define RETRY_MS   500u

static uint64_t now_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (uint64_t)ts.tv_sec * UNITS_NS_PER_S + (uint64_t)ts.tv_nsec;
}

static void pause_ms(unsigned ms)
{
	struct timespec ts = {.tv_sec = ms / 1000, .tv_nsec = (long)(ms % 1000) * 1000000};

	nanosleep(&ts, NULL);
}

cJSON *dut_command_json(
	const struct dut_command *command, const char *phase, const struct dut_command_result *r)
{
	cJSON *node = cJSON_CreateObject(), *words = cJSON_AddArrayToObject(node, "argv");
	char **argv = NULL;
	int nb = command->shell ? 0 : argv_split(command->text, &argv);

	for (int i = 0; i < nb; i++)
		cJSON_AddItemToArray(words, cJSON_CreateString(argv[i]));
	if (command->shell) {
		cJSON_AddItemToArray(words, cJSON_CreateString("sh"));
		cJSON_AddItemToArray(words, cJSON_CreateString("-c"));
		cJSON_AddItemToArray(words, cJSON_CreateString(command->text));
	}
	argv_free(argv);
	cJSON_AddStringToObject(node, "phase", phase);
	if (r->status >= 0)
		cJSON_AddNumberToObject(node, "exit-status", r->status);
	else
		cJSON_AddNullToObject(node, "exit-status");
	cJSON_AddNumberToObject(
		node, "seconds", (double)(r->end_ns - r->begin_ns) / UNITS_NS_PER_S);
	cJSON_AddBoolToObject(node, "timed-out", r->timed_out);
	cJSON_AddStringToObject(node, "output", r->output != NULL ? r->output : "");
	return node;
}

struct dut_command dut_command_of(const struct opt_set *variant, const char *text)
{
	return (struct dut_command){.text = text,
		.shell = variant != NULL && opt_set_one(variant, OPT(VARIANT_SHELL)).lo != 0,
		.time_limit_ns = variant != NULL ? opt_set_one(variant, OPT(VARIANT_TIME_LIMIT)).lo
						 : 60 * UNITS_NS_PER_S};
}

/* The last line that is not empty; a piece of text. */
static const char *last_line(char *text)
{
	size_t len = strlen(text);
	char *line;

	while (len > 0 && text[len - 1] == '\n')
		text[--len] = '\0';
	line = strrchr(text, '\n');
	return line != NULL ? line + 1 : text;
}

static const char *variant_name(const struct opt_set *variant)
{
	return opt_set_one(variant, OPT(VARIANT_NAME)).text;
}

static int failed(const struct opt_set *variant, const char *phase,
	const struct dut_command *command, struct dut_command_result *r, struct err *err)
{
	char how[64], limit[UNITS_TEXT_MAX], *output = strdup(r->output != NULL ? r->output : "");

	if (r->timed_out)
		snprintf(how, sizeof(how), "took longer than %s (time-limit)",
			units_fmt_duration(limit, command->time_limit_ns));
	else if (r->status < 0)
		snprintf(how, sizeof(how), "was killed");
	else
		snprintf(how, sizeof(how), "failed with status %d", r->status);
	err_device(err, 0, "variant %s: %s: `%.200s` %s: %.300s; run it by hand to see why",
		variant_name(variant), phase, command->text, how,
		output != NULL && output[0] != '\0' ? last_line(output) : "it printed nothing");
	free(output);
	return -EIO;
}

/* One command of a variant, kept in commands. -EINTR: stopped. */
static int command_do(const struct opt_set *variant, const char *phase, const char *text,
	const volatile sig_atomic_t *stop, cJSON *commands, struct err *err)
{
	struct dut_command command = dut_command_of(variant, text);
	struct dut_command_result result;
	int rc;

	command.stop = stop;
	if (dut_command_run(&command, &result) < 0)
		return err_device(err, ENOMEM, "variant %s", variant_name(variant));
	cJSON_AddItemToArray(commands, dut_command_json(&command, phase, &result));
	rc = result.interrupted	  ? -EINTR
	     : result.status != 0 ? failed(variant, phase, &command, &result, err)
				  : 0;
	dut_command_fini(&result);
	return rc;
}

static bool is_stopped(const volatile sig_atomic_t *stop)
{
	return stop != NULL && *stop;
}

/* ---- ready ---- */

static int ping_wait(const struct opt_set *variant, const char *pair, dut_ping_fn *ping, void *ctx,
	const volatile sig_atomic_t *stop, struct err *err)
{
	const char *equals = strchr(pair, '=');
	uint64_t until = now_ns() + opt_set_one(variant, OPT(VARIANT_READY_TIME_LIMIT)).lo;
	char port[64], limit[UNITS_TEXT_MAX];
	int rc;

	if (equals == NULL || (size_t)(equals - pair) >= sizeof(port))
		return opt_error(err, variant, OPT(VARIANT_WAIT_READY_PING),
			"\"%s\" is not PORT=ADDRESS", pair);
	snprintf(port, sizeof(port), "%.*s", (int)(equals - pair), pair);
	for (;;) {
		if (is_stopped(stop))
			return -EINTR;
		rc = ping(ctx, port, equals + 1);
		if (rc == 0)
			return 0;
		if (rc == -ENODEV || rc == -EINVAL)
			return opt_error(err, variant, OPT(VARIANT_WAIT_READY_PING), "\"%s\": %s",
				pair, rc == -ENODEV ? "there is no such port" : "not an address");
		if (now_ns() >= until)
			break;
		pause_ms(RETRY_MS);
	}
	return err_device(err, 0,
		"variant %s: %s did not answer on %s within %s after setup; is the device up, and "
		"is "
		"that its address there? (ready-time-limit)",
		variant_name(variant), equals + 1, port,
		units_fmt_duration(limit, opt_set_one(variant, OPT(VARIANT_READY_TIME_LIMIT)).lo));
}

static int command_wait(const struct opt_set *variant, const char *text,
	const volatile sig_atomic_t *stop, cJSON *commands, struct err *err)
{
	uint64_t until = now_ns() + opt_set_one(variant, OPT(VARIANT_READY_TIME_LIMIT)).lo;
	int before = cJSON_GetArraySize(commands), rc;

	for (;;) {
		/* of many tries the last one is kept */
		while (cJSON_GetArraySize(commands) > before)
			cJSON_DeleteItemFromArray(commands, before);
		*err = (struct err){0};
		rc = command_do(variant, "wait-ready", text, stop, commands, err);
		if (rc == 0 || rc == -EINTR || now_ns() >= until)
			return rc;
		pause_ms(RETRY_MS);
	}
}

int dut_setup(const struct opt_set *variant, dut_ping_fn *ping, void *ctx,
	const volatile sig_atomic_t *stop, cJSON *commands, struct err *err)
{
	const struct opt_slot *setup = opt_set_get(variant, OPT(VARIANT_SETUP)),
			      *pings = opt_set_get(variant, OPT(VARIANT_WAIT_READY_PING)),
			      *ready = opt_set_get(variant, OPT(VARIANT_WAIT_READY));
	int rc = 0;

	for (unsigned i = 0; rc == 0 && setup != NULL && i < setup->nb_vals; i++)
		rc = command_do(variant, "setup", setup->vals[i].text, stop, commands, err);
	for (unsigned i = 0; rc == 0 && pings != NULL && i < pings->nb_vals; i++)
		rc = ping_wait(variant, pings->vals[i].text, ping, ctx, stop, err);
	if (rc == 0 && ready != NULL)
		rc = command_wait(variant, ready->vals[0].text, stop, commands, err);
	return rc;
}

int dut_teardown(const struct opt_set *variant, cJSON *commands, struct err *err)
{
	const struct opt_slot *slot = opt_set_get(variant, OPT(VARIANT_TEARDOWN));
	int first = 0;

	for (unsigned i = 0; slot != NULL && i < slot->nb_vals; i++) {
		struct err why = {0};
		int rc = command_do(variant, "teardown", slot->vals[i].text, NULL, commands, &why);

		if (rc == 0 || first != 0)
			continue;
		first = rc;
		*err = why;
	}
	return first;
}
