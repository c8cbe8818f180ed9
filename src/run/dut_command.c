/* SPDX-License-Identifier: BSD-3-Clause */
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

#include "dut.h"
#include "tgen/argv.h"
#include "tgen/text.h"
#include "tgen/units.h"

/* One command: a process group of its own, its output, its end. */

#define OUTPUT_MAX (64u << 10)
#define SLICE_MS   50
#define KILL_NS	   (2 * UNITS_NS_PER_S) /* between SIGTERM and SIGKILL */

extern char **environ;

static uint64_t now_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (uint64_t)ts.tv_sec * UNITS_NS_PER_S + (uint64_t)ts.tv_nsec;
}

/* ---- output ---- */

struct kept { /* the last OUTPUT_MAX bytes at least */
	char bytes[2 * OUTPUT_MAX];
	size_t len;
};

static void keep(struct kept *k, const char *bytes, size_t len)
{
	if (k->len + len > sizeof(k->bytes)) {
		size_t drop = k->len - OUTPUT_MAX;

		memmove(k->bytes, k->bytes + drop, OUTPUT_MAX);
		k->len = OUTPUT_MAX;
	}
	memcpy(k->bytes + k->len, bytes, len);
	k->len += len;
}

/* UTF-8 without control characters but newline and tab. NULL: no memory. */
static char *kept_text(struct kept *k)
{
	size_t from = k->len > OUTPUT_MAX ? k->len - OUTPUT_MAX : 0, len = k->len - from;
	char *raw = malloc(len + 1), *text;

	if (raw == NULL)
		return NULL;
	for (size_t i = 0; i < len; i++) {
		unsigned char c = (unsigned char)k->bytes[from + i];

		raw[i] = (c < 0x20 && c != '\n' && c != '\t') || c == 0x7f ? '?' : (char)c;
	}
	raw[len] = '\0';
	text = text_to_utf8(raw);
	free(raw);
	return text;
}

/* ---- the child ---- */

static _Noreturn void child_exec(const struct dut_command *c, char **argv, int out)
{
	int null = open("/dev/null", O_RDONLY | O_CLOEXEC);
	sigset_t none;

	setpgid(0, 0);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	for (int sig = 1; sig < NSIG; sig++)
		if (sig != SIGKILL && sig != SIGSTOP)
			signal(sig, SIG_DFL);
	if (null < 0 || dup2(null, STDIN_FILENO) < 0 || dup2(out, STDOUT_FILENO) < 0 ||
		dup2(out, STDERR_FILENO) < 0)
		_exit(126);
	/* DPDK's files and sockets are not the child's */
	closefrom(STDERR_FILENO + 1);
	for (size_t i = 0; c->env != NULL && c->env[i] != NULL; i++)
		putenv((char *)(uintptr_t)c->env[i]);
	execvp(argv[0], argv);
	fprintf(stderr, "%s: %s\n", argv[0], strerror(errno));
	_exit(127);
}

static int argv_of(const struct dut_command *c, char ***argv)
{
	if (!c->shell)
		return argv_split(c->text, argv);
	*argv = calloc(4, sizeof(**argv));
	if (*argv == NULL)
		return -ENOMEM;
	(*argv)[0] = strdup("/bin/sh");
	(*argv)[1] = strdup("-c");
	(*argv)[2] = strdup(c->text);
	return (*argv)[0] != NULL && (*argv)[1] != NULL && (*argv)[2] != NULL ? 3 : -ENOMEM;
}

/* ---- waiting ---- */

struct waiting {
	pid_t pid;
	int in; /* its output; -1: closed */
	uint64_t until_ns;
	bool asked; /* SIGTERM was sent */
	bool over;
	int status;
	struct kept *kept;
	struct dut_command_result *out;
};

static void output_read(struct waiting *w)
{
	char bytes[4096];
	ssize_t n;

	while (w->in >= 0 && (n = read(w->in, bytes, sizeof(bytes))) != 0) {
		if (n < 0 && (errno == EAGAIN || errno == EINTR))
			return;
		if (n < 0)
			break;
		keep(w->kept, bytes, (size_t)n);
	}
	if (w->in >= 0)
		close(w->in);
	w->in = -1;
}

/* At the limit, or when the user stops: first asked, then made to. */
static void end_if_due(struct waiting *w, const struct dut_command *c)
{
	bool stopped = c->stop != NULL && *c->stop;
	uint64_t now = now_ns();

	if (w->over || (now < w->until_ns && !(stopped && !w->asked)))
		return;
	if (!w->asked) {
		w->out->timed_out = !stopped;
		w->out->interrupted = stopped;
		kill(-w->pid, SIGTERM);
		w->asked = true;
		w->until_ns = now + KILL_NS;
		return;
	}
	kill(-w->pid, SIGKILL);
	w->until_ns = now + KILL_NS;
}

/* A grandchild may hold the output open when the child has ended: that is not waited for. */
static void wait_for(struct waiting *w, const struct dut_command *c)
{
	while (!w->over) {
		struct pollfd fd = {.fd = w->in, .events = POLLIN};

		poll(&fd, 1, SLICE_MS);
		output_read(w);
		if (waitpid(w->pid, &w->status, WNOHANG) == w->pid)
			w->over = true;
		end_if_due(w, c);
	}
	output_read(w);
	/* what it left behind in its group goes with it */
	kill(-w->pid, SIGKILL);
	if (w->in >= 0)
		close(w->in);
}

static int spawn(const struct dut_command *c, struct waiting *w)
{
	char **argv = NULL;
	int pipes[2], rc = argv_of(c, &argv);

	if (rc < 0 || pipe2(pipes, O_CLOEXEC) != 0) {
		argv_free(argv);
		return rc < 0 ? rc : -errno;
	}
	w->pid = fork();
	if (w->pid == 0)
		child_exec(c, argv, pipes[1]);
	close(pipes[1]);
	argv_free(argv);
	if (w->pid < 0) {
		close(pipes[0]);
		return -errno;
	}
	setpgid(w->pid, w->pid); /* whoever is first */
	fcntl(pipes[0], F_SETFL, O_NONBLOCK);
	w->in = pipes[0];
	return 0;
}

int dut_command_run(const struct dut_command *command, struct dut_command_result *out)
{
	struct waiting w = {.kept = calloc(1, sizeof(struct kept)), .out = out, .in = -1};
	int rc;

	*out = (struct dut_command_result){.status = -1, .begin_ns = now_ns()};
	if (w.kept == NULL)
		return -ENOMEM;
	w.until_ns = out->begin_ns + command->time_limit_ns;
	rc = spawn(command, &w);
	if (rc == 0) {
		wait_for(&w, command);
		if (WIFEXITED(w.status) && !out->timed_out && !out->interrupted)
			out->status = WEXITSTATUS(w.status);
		out->output = kept_text(w.kept);
	} else {
		out->output = strdup(strerror(-rc));
	}
	out->end_ns = now_ns();
	free(w.kept);
	return out->output != NULL ? 0 : -ENOMEM;
}

void dut_command_fini(struct dut_command_result *result)
{
	free(result->output);
	*result = (struct dut_command_result){0};
}
