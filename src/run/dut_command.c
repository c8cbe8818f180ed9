/* SPDX-License-Identifier: BSD-3-Clause */
#include "dut_process.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "tgen/argv.h"

int dut_command_run(const struct dut_command *command, struct dut_command_result *out)
{
	struct dut_process process;
	int rc;

	*out = (struct dut_command_result){.status = -1};
	rc = dut_process_start(&process, command);
	if (rc < 0)
		return rc;
	while (!dut_process_step(&process)) {
		struct pollfd fds[DUT_PROCESS_NB_FDS];
		uint64_t due = dut_process_wait(&process, fds);

		dut_poll(fds, DUT_PROCESS_NB_FDS, due);
	}
	return dut_process_take(&process, out);
}

void dut_command_fini(struct dut_command_result *result)
{
	free(result->output);
	result->output = NULL;
}

static cJSON *words_json(const struct dut_command *command)
{
	const char *line[] = {"/bin/sh", "-c", command->text};
	char **argv = NULL;
	cJSON *array;
	int nb;

	if (command->shell)
		return cJSON_CreateStringArray(line, 3);
	nb = argv_split(command->text, &argv);
	if (nb < 0) /* as it stands: the record is to say what was tried */
		return nb == -ENOMEM ? NULL : cJSON_CreateStringArray(&command->text, 1);
	array = cJSON_CreateStringArray((const char *const *)argv, nb);
	argv_free(argv);
	return array;
}

int dut_command_record(cJSON *commands, const char *phase, const struct dut_command *command,
	const struct dut_command_result *result)
{
	double seconds = (double)(result->end_ns - result->begin_ns) / 1e9;
	cJSON *object = cJSON_CreateObject(), *argv = words_json(command);
	bool ok = object != NULL && argv != NULL &&
		  cJSON_AddStringToObject(object, "phase", phase) != NULL &&
		  cJSON_AddItemToObject(object, "argv", argv);

	if (!ok)
		cJSON_Delete(argv);
	ok = ok &&
	     (result->status >= 0 ? cJSON_AddNumberToObject(object, "exit-status", result->status)
				  : cJSON_AddNullToObject(object, "exit-status")) != NULL &&
	     cJSON_AddNumberToObject(object, "seconds", round(seconds * 1e3) / 1e3) != NULL &&
	     cJSON_AddBoolToObject(object, "timed-out", result->timed_out) != NULL &&
	     cJSON_AddStringToObject(object, "output", result->output) != NULL &&
	     cJSON_AddItemToArray(commands, object);
	if (!ok)
		cJSON_Delete(object);
	return ok ? 0 : -ENOMEM;
}

void dut_command_outcome(const struct dut_command *command, const struct dut_command_result *result,
	char *text, size_t size)
{
	int nb;
	const char *last = dut_last_line(result->output, &nb);

	if (nb > 300)
		nb = 300;
	if (result->interrupted)
		snprintf(text, size, "was interrupted");
	else if (result->timed_out)
		snprintf(text, size, "took longer than its time-limit of %g s",
			(double)command->time_limit_ns / 1e9);
	else if (result->status < 0)
		snprintf(text, size, "failed: %.*s", nb, last);
	else if (nb == 0)
		snprintf(text, size, "ended with status %d and printed nothing", result->status);
	else
		snprintf(text, size, "ended with status %d: %.*s", result->status, nb, last);
}
