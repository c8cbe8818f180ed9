/* SPDX-License-Identifier: BSD-3-Clause */
#include "dut_process.h"

#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/pidfd.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "tgen/argv.h"

#define S 1000000000ull
/* From SIGTERM to SIGKILL. */
#define GRACE_NS S
/* How often the stop flag is looked at, and the exit where the kernel has no pidfd. */
#define LOOK_NS (S / 50)
/* Read in one step: one that prints without end must not keep the others waiting. */
#define READS_A_STEP 32

uint64_t dut_now_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (uint64_t)ts.tv_sec * S + (uint64_t)ts.tv_nsec;
}

void dut_poll(struct pollfd *fds, unsigned nb, uint64_t until_ns)
{
	uint64_t now = dut_now_ns(), left = until_ns > now ? until_ns - now : 0;
	struct timespec ts;

	if (left > 3600 * S)
		left = 3600 * S;
	ts = (struct timespec){.tv_sec = (time_t)(left / S), .tv_nsec = (long)(left % S)};
	ppoll(fds, nb, &ts, NULL);
}

/* A line of ours at the end of what the command printed. */
__attribute__((format(printf, 2, 3))) static void note(
	struct dut_process *process, const char *fmt, ...)
{
	struct dut_output *output = &process->output;
	char *text = NULL;
	va_list ap;
	int nb;

	va_start(ap, fmt);
	nb = vasprintf(&text, fmt, ap);
	va_end(ap);
	if (nb < 0) {
		process->no_memory = true;
		return;
	}
	if (output->nb > 0 && output->bytes[output->nb - 1] != '\n' &&
		dut_output_add(output, "\n", 1) < 0)
		process->no_memory = true;
	if (dut_output_add(output, text, (size_t)nb) < 0)
		process->no_memory = true;
	free(text);
}

static bool same_name(const char *a, const char *b)
{
	size_t len = strcspn(a, "=");

	return strncmp(a, b, len) == 0 && b[len] == '=';
}

/* The program's environment with the words of a command before it. Caller frees the array. */
static char **environment(const char *const *words)
{
	size_t nb = 0, nb_words = 0, out = 0;
	char **env;

	while (environ != NULL && environ[nb] != NULL)
		nb++;
	while (words != NULL && words[nb_words] != NULL)
		nb_words++;
	env = calloc(nb + nb_words + 1, sizeof(*env));
	for (size_t i = 0; env != NULL && i < nb_words; i++)
		env[out++] = (char *)words[i];
	for (size_t i = 0; env != NULL && i < nb; i++) {
		bool replaced = false;

		for (size_t w = 0; w < nb_words; w++)
			replaced |= same_name(words[w], environ[i]);
		if (!replaced)
			env[out++] = environ[i];
	}
	return env;
}

/* 0 or an errno. What the program did to signals and left open is none of the command's business. */
static int spawn(pid_t *pid, int out_fd, char *const *argv, char *const *env)
{
	const short flags = POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK;
	posix_spawn_file_actions_t files;
	posix_spawnattr_t attr;
	sigset_t none, all;
	int rc;

	sigemptyset(&none);
	sigfillset(&all);
	if (posix_spawn_file_actions_init(&files) != 0)
		return ENOMEM;
	if (posix_spawnattr_init(&attr) != 0) {
		posix_spawn_file_actions_destroy(&files);
		return ENOMEM;
	}
	rc = posix_spawn_file_actions_addopen(&files, 0, "/dev/null", O_RDONLY, 0);
	if (rc == 0)
		rc = posix_spawn_file_actions_adddup2(&files, out_fd, 1);
	if (rc == 0)
		rc = posix_spawn_file_actions_adddup2(&files, out_fd, 2);
	if (rc == 0)
		rc = posix_spawn_file_actions_addclosefrom_np(&files, 3);
	posix_spawnattr_setpgroup(&attr, 0);
	posix_spawnattr_setsigmask(&attr, &none);
	posix_spawnattr_setsigdefault(&attr, &all);
	posix_spawnattr_setflags(&attr, flags);
	if (rc == 0)
		rc = posix_spawnp(pid, argv[0], &files, &attr, argv, env);
	posix_spawnattr_destroy(&attr);
	posix_spawn_file_actions_destroy(&files);
	return rc;
}

/* 0 or an errno. */
static int start(struct dut_process *process, char *const *argv, const char *const *words)
{
	char **env;
	int fds[2], rc;

	/* not below 3: the child's own 0..2 are made from it */
	if (pipe2(fds, O_CLOEXEC) < 0)
		return errno;
	for (int i = 0; i < 2; i++) {
		int fd = fcntl(fds[i], F_DUPFD_CLOEXEC, 3);

		rc = fd < 0 ? errno : 0;
		close(fds[i]);
		fds[i] = fd;
		if (rc != 0) {
			close(fds[1 - i]);
			return rc;
		}
	}
	env = environment(words);
	rc = env == NULL ? ENOMEM : spawn(&process->pid, fds[1], argv, env);
	free(env);
	close(fds[1]);
	if (rc != 0) {
		process->pid = 0;
		close(fds[0]);
		return rc;
	}
	fcntl(fds[0], F_SETFL, O_NONBLOCK);
	process->out_fd = fds[0];
	process->pid_fd = pidfd_open(process->pid, 0);
	if (process->pid_fd >= 0)
		fcntl(process->pid_fd, F_SETFD, FD_CLOEXEC);
	return 0;
}

int dut_process_start(struct dut_process *process, const struct dut_command *command)
{
	char *line[] = {"/bin/sh", "-c", (char *)command->text, NULL}, **argv = line;
	int nb = 3, rc;

	*process = (struct dut_process){.out_fd = -1, .pid_fd = -1, .stop = command->stop};
	process->result.status = -1;
	process->result.begin_ns = dut_now_ns();
	process->kill_ns = process->limit_ns = UINT64_MAX;
	if (command->time_limit_ns > 0)
		process->limit_ns = process->result.begin_ns + command->time_limit_ns;
	if (!command->shell && (nb = argv_split(command->text, &argv)) == -ENOMEM)
		return -ENOMEM;
	if (nb <= 0) {
		note(process, "tgen: it cannot be started: %s",
			nb == 0 ? "it has no words" : "a quote is not closed");
	} else {
		rc = start(process, argv, command->env);
		if (rc != 0)
			note(process, "tgen: %s cannot be started: %s", argv[0], strerror(rc));
	}
	if (!command->shell && nb >= 0)
		argv_free(argv);
	if (process->pid == 0)
		process->result.end_ns = dut_now_ns();
	return 0;
}

uint64_t dut_process_wait(const struct dut_process *process, struct pollfd *fds)
{
	uint64_t due = process->ending ? process->kill_ns : process->limit_ns;

	fds[0] = (struct pollfd){.fd = process->out_fd, .events = POLLIN};
	fds[1] = (struct pollfd){.fd = process->pid_fd, .events = POLLIN};
	if (process->pid == 0)
		return 0;
	if (process->stop != NULL || process->pid_fd < 0) {
		uint64_t look = dut_now_ns() + LOOK_NS;

		return look < due ? look : due;
	}
	return due;
}

static void read_output(struct dut_process *process)
{
	char bytes[32 << 10];

	for (int i = 0; i < READS_A_STEP && process->out_fd >= 0; i++) {
		ssize_t nb = read(process->out_fd, bytes, sizeof(bytes));

		if (nb > 0 && dut_output_add(&process->output, bytes, (size_t)nb) < 0)
			process->no_memory = true;
		if (nb == 0 || (nb < 0 && errno != EAGAIN && errno != EINTR)) {
			close(process->out_fd);
			process->out_fd = -1;
		}
		if (nb < 0)
			break;
	}
}

/* Asks it to end, and makes it end when it does not. */
static void press(struct dut_process *process, uint64_t now)
{
	bool stopped = process->stop != NULL && *process->stop != 0;

	if (!process->ending && (stopped || now >= process->limit_ns)) {
		process->ending = true;
		process->result.interrupted = stopped;
		process->result.timed_out = !stopped;
		process->kill_ns = now + GRACE_NS;
		kill(-process->pid, SIGTERM);
		kill(-process->pid, SIGCONT); /* one that is stopped hears nothing else */
	}
	if (now >= process->kill_ns) {
		process->kill_ns = UINT64_MAX;
		kill(-process->pid, SIGKILL);
	}
}

static void over(struct dut_process *process, const siginfo_t *info)
{
	struct dut_command_result *result = &process->result;

	/* Before it is reaped: until then its number cannot be another's. */
	kill(-process->pid, SIGKILL);
	read_output(process);
	waitpid(process->pid, NULL, 0);
	process->pid = 0;
	result->end_ns = dut_now_ns();
	if (result->interrupted)
		note(process, "tgen: it was interrupted");
	else if (result->timed_out)
		note(process, "tgen: it was ended after its time limit of %g s",
			(double)(process->limit_ns - result->begin_ns) / 1e9);
	else if (info->si_code == CLD_EXITED)
		result->status = info->si_status;
	else if (info->si_code != 0)
		note(process, "tgen: it was killed by signal %d (%s)", info->si_status,
			strsignal(info->si_status));
}

bool dut_process_step(struct dut_process *process)
{
	siginfo_t info = {0};

	if (process->pid == 0)
		return true;
	read_output(process);
	/* -ECHILD: someone else reaped it; it is over in any case */
	if (waitid(P_PID, (id_t)process->pid, &info, WEXITED | WNOHANG | WNOWAIT) < 0 ||
		info.si_pid != 0)
		over(process, &info);
	else
		press(process, dut_now_ns());
	return process->pid == 0;
}

void dut_process_hasten(struct dut_process *process, uint64_t limit_ns)
{
	if (process->limit_ns > limit_ns)
		process->limit_ns = limit_ns;
}

int dut_process_take(struct dut_process *process, struct dut_command_result *out)
{
	*out = process->result;
	out->output = process->no_memory ? NULL : dut_output_text(&process->output);
	dut_output_fini(&process->output);
	if (process->out_fd >= 0)
		close(process->out_fd);
	if (process->pid_fd >= 0)
		close(process->pid_fd);
	*process = (struct dut_process){.out_fd = -1, .pid_fd = -1};
	return out->output != NULL ? 0 : -ENOMEM;
}
