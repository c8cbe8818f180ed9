/* SPDX-License-Identifier: BSD-3-Clause */
#include "cli.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "run_dir.h"
#include "tgen/log.h"
#include "tgen/report.h"
#include "tgen/units.h"

/* `tgen stop`: ends the detached run in order, and says what came of it. */

#define POLL_NS	      (50 * 1000000ull)
#define BEGIN_NS      (5 * UNITS_NS_PER_S)  /* a run that just begins has no pid yet */
#define END_MARGIN_NS (30 * UNITS_NS_PER_S) /* beyond the drain: drivers are asked, files written */

static void sleep_ns(uint64_t ns)
{
	struct timespec ts = {
		.tv_sec = (time_t)(ns / UNITS_NS_PER_S), .tv_nsec = (long)(ns % UNITS_NS_PER_S)};

	nanosleep(&ts, NULL);
}

static int not_running(struct err *err)
{
	struct run_pid run;

	if (!run_dir_read_pid(&run))
		return err_usage(err, "nothing is running (tgen start begins a run)");
	if (run.status < 0)
		return err_usage(err, "nothing is running: the last run died without a word");
	return err_usage(err,
		"nothing is running: the last run ended with status %d (tgen stats stream shows "
		"it)",
		run.status);
}

/* The process of the run; its pid is there a moment after its lock. */
static int run_find(struct run_pid *run, struct err *err)
{
	pid_t pid;

	for (uint64_t waited = 0; waited < BEGIN_NS; waited += POLL_NS) {
		if (!cli_run_is_running(&pid))
			return not_running(err);
		if (run_dir_read_pid(run))
			return 0;
		sleep_ns(POLL_NS);
	}
	return err_device(err, 0, "a run is beginning and has not said its pid; try again");
}

static int run_end(const struct cli *cli, pid_t pid, uint64_t limit_ns, struct err *err)
{
	uint64_t waited = 0;
	pid_t now;

	if (kill(pid, SIGTERM) < 0 && errno != ESRCH)
		return err_device(err, errno, "pid %d", (int)pid);
	for (; cli_run_is_running(&now) && waited < limit_ns; waited += POLL_NS) {
		if (*cli->stop)
			return err_device(
				err, 0, "pid %d was told to end, and is doing so", (int)pid);
		if (waited > 0 && waited % UNITS_NS_PER_S == 0)
			log_info("pid %d: sending has ended, frames on their way are waited for "
				 "(%llu s)",
				(int)pid, (unsigned long long)(waited / UNITS_NS_PER_S));
		sleep_ns(POLL_NS);
	}
	if (waited < limit_ns)
		return 0;
	return err_device(err, 0, "pid %d does not end within %llu s; at once: kill -KILL %d",
		(int)pid, (unsigned long long)(limit_ns / UNITS_NS_PER_S), (int)pid);
}

/* What the run logged since it was told to end. */
static void log_show(size_t from)
{
	char *text = run_dir_read(RUN_LOG);

	if (text != NULL && strlen(text) > from)
		fputs(text + from, stderr);
	free(text);
}

static size_t log_size(void)
{
	char *text = run_dir_read(RUN_LOG);
	size_t size = text != NULL ? strlen(text) : 0;

	free(text);
	return size;
}

/* Exit status of the run. */
static int result_show(struct err *err)
{
	char *path = run_dir_path(RUN_RESULT);
	struct report_saved *saved = NULL;
	struct run_pid run;
	int rc;

	if (!run_dir_read_pid(&run) || run.status < 0) {
		free(path);
		return err_device(err, 0,
			"the run has died without a word; its messages are in the "
			"file log of the run directory");
	}
	if (path != NULL && access(path, F_OK) == 0)
		saved = report_saved_open(path, err);
	rc = saved != NULL ? report_saved_streams(saved, stdout, err) : 0;
	report_saved_close(saved);
	free(path);
	return rc < 0 ? rc : run.status;
}

int cli_stop(const struct cli *cli, int argc, char **argv, struct err *err)
{
	struct run_pid run;
	size_t logged;
	int rc;

	if (argc > 0)
		return err_usage(err, "stop: \"%s\": it takes no words", argv[0]);
	rc = run_find(&run, err);
	if (rc < 0)
		return rc;
	logged = log_size();
	rc = run_end(cli, run.pid, run.drain_ns + END_MARGIN_NS, err);
	if (rc < 0)
		return rc;
	log_show(logged);
	return result_show(err);
}
