/* SPDX-License-Identifier: BSD-3-Clause */
#include "dut.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "dut_process.h"

#define S 1000000000ull
/* Between two attempts of what waits for the device. */
#define RETRY_NS (S / 2)

/* A variant at work. */
struct work {
	const struct opt_set *variant;
	const volatile sig_atomic_t *stop;
	cJSON *commands;
	struct err *err;
	uint64_t ready_ns; /* CLOCK_MONOTONIC: when waiting ends */
};

static const char *name_of(const struct opt_set *variant)
{
	return opt_set_one(variant, &conf_variant_opts[VARIANT_NAME]).text;
}

static bool stopped(const struct work *work)
{
	return work->stop != NULL && *work->stop != 0;
}

static struct dut_command command_of(const struct work *work, const char *text)
{
	return (struct dut_command){
		.text = text,
		.shell = opt_set_one(work->variant, &conf_variant_opts[VARIANT_SHELL]).lo != 0,
		.time_limit_ns =
			opt_set_one(work->variant, &conf_variant_opts[VARIANT_TIME_LIMIT]).lo,
		.stop = work->stop,
	};
}

static int no_memory(const struct work *work)
{
	return err_device(work->err, ENOMEM, "variant %s", name_of(work->variant));
}

/* -EIO; opt is the word of the variant that holds the command. */
static int refuse(const struct work *work, const struct opt *opt, const struct dut_command *command,
	const struct dut_command_result *result)
{
	const char *remedy = "run it by hand to see why";
	char outcome[512];

	if (result->timed_out)
		remedy = "raise time-limit, or find out why it does not end";
	else if (result->status == 126 || result->status == 127 ||
		 (result->status < 0 && result->begin_ns > 0 &&
			 strstr(result->output, "cannot be started") != NULL))
		remedy = "correct the command; a program is found by its path or in PATH, and what "
			 "only a "
			 "shell knows needs shell: yes";
	dut_command_outcome(command, result, outcome, sizeof(outcome));
	opt_error(work->err, work->variant, opt, "variant %s: %s %.200s; %s: %.300s",
		name_of(work->variant), opt->name, outcome, remedy, command->text);
	work->err->status = TGEN_DEVICE;
	return -EIO;
}

/* One command, recorded. 0; -EINTR; -ENOMEM or -EIO with err. */
static int run_one(const struct work *work, const struct opt *opt, const char *text)
{
	struct dut_command command = command_of(work, text);
	struct dut_command_result result;
	int rc = dut_command_run(&command, &result);

	if (rc == 0)
		rc = dut_command_record(work->commands, opt->name, &command, &result);
	if (rc < 0)
		rc = no_memory(work);
	else if (result.interrupted)
		rc = -EINTR;
	else if (result.status != 0)
		rc = refuse(work, opt, &command, &result);
	dut_command_fini(&result);
	return rc;
}

/* A pause between two attempts: false when there is no time for another. */
static bool pause_ready(const struct work *work)
{
	uint64_t now = dut_now_ns(), until = now + RETRY_NS;

	if (now >= work->ready_ns)
		return false;
	if (until > work->ready_ns)
		until = work->ready_ns;
	for (; now < until && !stopped(work); now = dut_now_ns())
		dut_poll(NULL, 0, now + S / 50 < until ? now + S / 50 : until);
	return true;
}

static double ready_seconds(const struct work *work)
{
	return (double)opt_set_one(work->variant, &conf_variant_opts[VARIANT_READY_TIME_LIMIT]).lo /
	       1e9;
}

static int wait_ping(const struct work *work, const char *pair, dut_ping_fn *ping, void *ctx)
{
	const struct opt *opt = &conf_variant_opts[VARIANT_WAIT_READY_PING];
	const char *equals = strchr(pair, '=');
	char *port;
	int rc;

	if (equals == NULL || equals == pair || equals[1] == '\0')
		return opt_error(work->err, work->variant, opt,
			"\"%s\" is not a port and an address: PORT=ADDRESS", pair);
	port = strndup(pair, (size_t)(equals - pair));
	if (port == NULL)
		return no_memory(work);
	do {
		rc = stopped(work) ? -EINTR : ping(ctx, port, equals + 1);
		/* what no time will mend */
		if (rc == -EINTR || rc == -EINVAL || rc == -ENODEV || rc == -ENOMEM)
			break;
	} while (rc != 0 && pause_ready(work));
	if (rc != 0 && rc != -EINTR) {
		const bool wrong = rc == -EINVAL || rc == -ENODEV;

		opt_error(work->err, work->variant, opt,
			wrong ? "variant %s: no answer can be asked of %s on port %s; see that "
				"there "
				"is such a port and that it has an address of that family"
			      : "variant %s: no answer from %s on %s within %g s; look at its "
				"cable and address, or raise ready-time-limit",
			name_of(work->variant), equals + 1, port, ready_seconds(work));
		work->err->status = wrong ? TGEN_USAGE : TGEN_DEVICE;
		rc = wrong ? -EINVAL : -EIO;
	}
	free(port);
	return rc;
}

/* The last attempt alone is recorded: it stands for all. */
static int wait_command(const struct work *work, const char *text)
{
	const struct opt *opt = &conf_variant_opts[VARIANT_WAIT_READY];
	struct dut_command command = command_of(work, text);
	struct dut_command_result result = {0};
	const uint64_t limit = command.time_limit_ns;
	char outcome[512];
	int rc;

	do {
		uint64_t now = dut_now_ns(), left = work->ready_ns > now ? work->ready_ns - now : 1;

		dut_command_fini(&result);
		command.time_limit_ns = left < limit ? left : limit;
		rc = dut_command_run(&command, &result);
	} while (rc == 0 && result.status != 0 && !stopped(work) && pause_ready(work));
	if (rc == 0)
		rc = dut_command_record(work->commands, opt->name, &command, &result);
	if (rc < 0) {
		rc = no_memory(work);
	} else if (result.status != 0 && stopped(work)) {
		rc = -EINTR;
	} else if (result.status != 0) {
		dut_command_outcome(&command, &result, outcome, sizeof(outcome));
		opt_error(work->err, work->variant, opt,
			"variant %s: not ready within %g s: the last attempt %s; look at the "
			"device, "
			"or raise ready-time-limit: %.300s",
			name_of(work->variant), ready_seconds(work), outcome, text);
		work->err->status = TGEN_DEVICE;
		rc = -EIO;
	}
	dut_command_fini(&result);
	return rc;
}

int dut_setup(const struct opt_set *variant, dut_ping_fn *ping, void *ctx,
	const volatile sig_atomic_t *stop, cJSON *commands, struct err *err)
{
	struct work work = {.variant = variant, .stop = stop, .commands = commands, .err = err};
	const struct opt_slot *setup = opt_set_get(variant, &conf_variant_opts[VARIANT_SETUP]);
	const struct opt_slot *pings =
		opt_set_get(variant, &conf_variant_opts[VARIANT_WAIT_READY_PING]);
	const struct opt_slot *ready = opt_set_get(variant, &conf_variant_opts[VARIANT_WAIT_READY]);
	int rc = 0;

	for (unsigned i = 0; setup != NULL && rc == 0 && i < setup->nb_vals; i++)
		rc = stopped(&work) ? -EINTR : run_one(&work, setup->opt, setup->vals[i].text);
	work.ready_ns = dut_now_ns() +
			opt_set_one(variant, &conf_variant_opts[VARIANT_READY_TIME_LIMIT]).lo;
	for (unsigned i = 0; pings != NULL && rc == 0 && i < pings->nb_vals; i++)
		rc = wait_ping(&work, pings->vals[i].text, ping, ctx);
	if (ready != NULL && rc == 0)
		rc = stopped(&work) ? -EINTR : wait_command(&work, ready->vals[0].text);
	return rc;
}

int dut_teardown(const struct opt_set *variant, cJSON *commands, struct err *err)
{
	const struct opt_slot *down = opt_set_get(variant, &conf_variant_opts[VARIANT_TEARDOWN]);
	struct err other;
	struct work work = {.variant = variant, .commands = commands, .err = err};
	int first = 0;

	for (unsigned i = 0; down != NULL && i < down->nb_vals; i++) {
		int rc = run_one(&work, down->opt, down->vals[i].text);

		if (rc < 0 && first == 0) {
			first = rc;
			work.err = &other;
		}
	}
	return first;
}
