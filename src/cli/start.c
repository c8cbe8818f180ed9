/* SPDX-License-Identifier: BSD-3-Clause */
#include "cli.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "quick.h"
#include "run_dir.h"
#include "start.h"
#include "tgen/log.h"
#include "tgen/report.h"

/*
 * `tgen start`: quick in a process of its own, without terminal and session. This process checks
 * words and configuration, and waits until the first frame goes out.
 */

#define START_LIMIT_NS (60 * UNITS_NS_PER_S) /* for devices; neighbours have arp-timeout */

/* What the child says to the one who waits for it. */
struct message {
	enum { SAY_PID, SAY_STARTED, SAY_FAILED } what;
	int value; /* pid; exit status */
};

/* ---- words ---- */

static int words_check(const struct quick *q, struct err *err)
{
	static const enum conf_quick_opt of_terminal[] = {QUICK_ENTRIES_TO_SHOW,
		QUICK_FREEZE_FRAME_INTERVAL, QUICK_PROPLIST, QUICK_AS_VALUE,
		QUICK_LATENCY_DISTRIBUTION};
	const struct opt_set *words = quick_words(q);

	for (size_t i = 0; i < sizeof(of_terminal) / sizeof(of_terminal[0]); i++)
		if (opt_set_get(words, &conf_quick_opts[of_terminal[i]]) != NULL)
			return opt_error(err, words, &conf_quick_opts[of_terminal[i]],
				"start prints no rows that it could shape; tgen stats shows them");
	return 0;
}

static int outputs_check(const struct cli *cli, struct err *err)
{
	for (unsigned i = 0; i < cli->nb_outputs; i++) {
		const char *file = strchr(cli->outputs[i], '=');

		if (file == NULL || strcmp(file, "=-") == 0)
			return err_usage(err,
				"output: %s has no file, and a run that is detached has no "
				"standard "
				"output: give one, as --output csv=FILE",
				cli->outputs[i]);
	}
	return 0;
}

/* ---- the child ---- */

static void say(int fd, int what, int value)
{
	struct message message = {.what = what, .value = value};

	/* nobody may be waiting any more */
	if (write(fd, &message, sizeof(message)) < 0)
		log_debug("nobody waits for the start");
}

void start_say_started(int ready)
{
	say(ready, SAY_STARTED, 0);
}

static void descriptors_close(int a, int b)
{
	unsigned low = (unsigned)(a < b ? a : b), high = (unsigned)(a < b ? b : a);

	/* those that we were given keep an ssh session or a pipe open */
	if (low > 3)
		close_range(3, low - 1, 0);
	if (high > low + 1)
		close_range(low + 1, high - 1, 0);
	close_range(high + 1, ~0u, 0);
}

static int streams_redirect(int log_fd)
{
	int null = open("/dev/null", O_RDONLY | O_CLOEXEC);

	if (null < 0 || dup2(null, STDIN_FILENO) < 0 || dup2(log_fd, STDOUT_FILENO) < 0 ||
		dup2(log_fd, STDERR_FILENO) < 0)
		return -errno;
	return 0;
}

static int child_run(struct quick *q, const struct start_files *files, struct err *err)
{
	struct start_sink sink;
	struct quick_hooks hooks;
	int rc;

	if (start_sink_init(&sink, &hooks, q, files->ready, err) < 0)
		return -ENOMEM;
	rc = quick_run(q, &hooks);
	start_sink_fini(&sink);
	return rc;
}

/* Never returns. */
static void child(struct quick *q, const struct start_files *files, struct err *err)
{
	struct run_pid run = {.pid = getpid(),
		.drain_ns = opt_set_one(quick_words(q), &conf_quick_opts[QUICK_DRAIN]).lo,
		.status = -1};
	int rc;

	signal(SIGHUP, SIG_IGN);
	rc = streams_redirect(files->log);
	descriptors_close(files->lock, files->ready);
	if (rc == 0)
		rc = run_dir_write_pid(files->lock, &run);
	if (rc < 0)
		rc = err_device(err, -rc, "the run directory");
	say(files->ready, SAY_PID, (int)run.pid);
	if (rc == 0)
		rc = child_run(q, files, err);
	if (rc < 0) {
		log_error("%s", err->text);
		rc = err->status != TGEN_OK ? (int)err->status : TGEN_DEVICE;
	}
	quick_free(q);
	run.status = rc;
	if (run_dir_write_pid(files->lock, &run) < 0)
		log_error("the exit status %d could not be kept in the run directory", rc);
	fflush(NULL);
	/* after a start that was said already this is for nobody */
	say(files->ready, SAY_FAILED, rc);
	_exit(rc);
}

/* A grandchild without a session: no terminal can become its own. 0, or -errno in the parent. */
static int detach(struct quick *q, const struct start_files *files, struct err *err)
{
	pid_t pid;

	fflush(NULL);
	pid = fork();
	if (pid < 0)
		return err_device(err, errno, "start");
	if (pid == 0) {
		setsid();
		pid = fork();
		if (pid == 0)
			child(q, files, err);
		_exit(pid < 0 ? 1 : 0);
	}
	while (waitpid(pid, NULL, 0) < 0 && errno == EINTR)
		;
	return 0;
}

/* ---- the one who waits ---- */

static uint64_t now_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (uint64_t)ts.tv_sec * UNITS_NS_PER_S + (uint64_t)ts.tv_nsec;
}

/* What the child said so far: warnings are the user's, who sits here. */
static void log_relay(void)
{
	char *text = run_dir_read(RUN_LOG);

	if (text != NULL)
		fputs(text, stderr);
	free(text);
}

static int wait_started(
	const struct cli *cli, int fd, uint64_t limit_ns, pid_t *pid, struct err *err)
{
	uint64_t end = now_ns() + limit_ns;
	bool told_to_stop = false;
	struct message message;

	while (now_ns() < end) {
		struct pollfd poll_fd = {.fd = fd, .events = POLLIN};

		if (*cli->stop && !told_to_stop && *pid > 0)
			told_to_stop = kill(*pid, SIGTERM) == 0;
		if (poll(&poll_fd, 1, 100) <= 0)
			continue;
		if (read(fd, &message, sizeof(message)) != (ssize_t)sizeof(message)) {
			log_relay();
			return err_device(err, 0, "the run has died before anything was sent");
		}
		if (message.what == SAY_STARTED)
			return TGEN_OK;
		if (message.what == SAY_FAILED) {
			/* the reason is in its log */
			log_relay();
			return message.value != TGEN_OK ? message.value : TGEN_DEVICE;
		}
		*pid = message.value;
	}
	if (*pid > 0)
		kill(*pid, SIGTERM);
	log_relay();
	return err_device(err, 0, "the run did not begin to send within %llu s; it was told to end",
		(unsigned long long)(limit_ns / UNITS_NS_PER_S));
}

static int files_open(struct start_files *files, struct err *err)
{
	char *path = run_dir_path(RUN_LOG);
	int rc = 0, ends[2] = {-1, -1};

	files->log = path == NULL ? -1
				  : open(path, O_WRONLY | O_CREAT | O_TRUNC | O_APPEND | O_CLOEXEC,
					    0600);
	if (files->log < 0)
		rc = err_device(err, errno, "%s", path != NULL ? path : RUN_LOG);
	else if (pipe2(ends, O_CLOEXEC) < 0)
		rc = err_device(err, errno, "start");
	free(path);
	files->wait = ends[0];
	files->ready = ends[1];
	return rc;
}

static void close_if(int fd)
{
	if (fd >= 0)
		close(fd);
}

static void say_running(pid_t pid, const struct cli *cli)
{
	char *path = run_dir_path(RUN_LOG);

	log_relay();
	if (run_dir_write(RUN_COMMAND, cli->command_line) < 0)
		log_debug("the command line could not be kept");
	printf("running, pid %d; its messages: %s\n"
	       "tgen stats stream shows it, tgen stop ends it\n",
		(int)pid, path != NULL ? path : RUN_LOG);
	free(path);
}

static int start(const struct cli *cli, struct quick *q, struct err *err)
{
	struct start_files files = {.log = -1, .ready = -1, .wait = -1};
	uint64_t arp_ns = opt_set_one(quick_words(q), &conf_quick_opts[QUICK_ARP_TIMEOUT]).lo;
	pid_t pid = 0;
	int rc;

	files.lock = run_dir_lock(err);
	if (files.lock < 0)
		return files.lock;
	rc = files_open(&files, err);
	if (rc == 0)
		rc = detach(q, &files, err);
	/* only the child's ends are left: when it is gone, that is seen */
	close_if(files.ready);
	close_if(files.lock);
	close_if(files.log);
	if (rc == 0)
		rc = wait_started(cli, files.wait, START_LIMIT_NS + 2 * arp_ns, &pid, err);
	close_if(files.wait);
	if (rc == 0)
		say_running(pid, cli);
	return rc;
}

int cli_start(const struct cli *cli, int argc, char **argv, struct err *err)
{
	struct quick *q = quick_new(cli, &conf_start_menu, argc, argv, err);
	int rc = -EINVAL;

	if (q != NULL && words_check(q, err) == 0 && outputs_check(cli, err) == 0)
		rc = start(cli, q, err);
	quick_free(q);
	return rc;
}
