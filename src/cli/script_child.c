/* SPDX-License-Identifier: BSD-3-Clause */
#include "script_child.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tgen/log.h"

#define PROGRAM "/proc/self/exe"

/* The options of this process, then words. Caller frees the list alone; NULL: no memory. */
static const char **child_argv(const struct cli *cli, char *const *words)
{
	size_t nb = 0, nb_words = 0;
	const char **argv;

	while (words[nb_words] != NULL)
		nb_words++;
	argv = calloc(nb_words + 2 * CLI_MAX_OUTPUTS + 10, sizeof(*argv));
	if (argv == NULL)
		return NULL;
	argv[nb++] = "tgen";
	if (cli->config != NULL) {
		argv[nb++] = "--config";
		argv[nb++] = cli->config;
	}
	if (cli->eal_args != NULL) {
		argv[nb++] = "--eal";
		argv[nb++] = cli->eal_args;
	}
	for (unsigned i = 0; i < cli->nb_outputs; i++) {
		argv[nb++] = "--output";
		argv[nb++] = cli->outputs[i];
	}
	if (cli->force)
		argv[nb++] = "--force";
	if (log_level_get() == LOG_LEVEL_DEBUG)
		argv[nb++] = "--verbose";
	else if (log_level_get() == LOG_LEVEL_ERROR)
		argv[nb++] = "--quiet";
	for (size_t i = 0; i < nb_words; i++)
		argv[nb++] = words[i];
	return argv;
}

static _Noreturn void child_run(const char **argv, const struct sigaction *old, bool with_input)
{
	const struct sigaction dfl = {.sa_handler = SIG_DFL};

	/* the console ignores what is meant for the commands it runs */
	sigaction(SIGINT, with_input ? &dfl : old, NULL);
	if (!with_input) {
		int fd = open("/dev/null", O_RDONLY);

		if (fd >= 0)
			dup2(fd, STDIN_FILENO);
	}
	execv(PROGRAM, (char *const *)(uintptr_t)argv);
	log_error("%s: cannot be run again: %s", PROGRAM, strerror(errno));
	_exit(TGEN_DEVICE);
}

/* Waits for it; a signal that ends this process is passed on. */
static int child_wait(const struct cli *cli, pid_t pid, const char *name, struct err *err)
{
	bool told = false;
	int status;

	while (waitpid(pid, &status, 0) < 0) {
		if (errno != EINTR)
			return err_device(err, errno, "%s: waiting for it", name);
		if (*cli->stop && !told) {
			kill(pid, SIGTERM);
			told = true;
		}
	}
	if (WIFEXITED(status))
		return WEXITSTATUS(status);
	return err_device(err, 0, "%s was ended by signal %d", name, WTERMSIG(status));
}

int script_child(const struct cli *cli, char *const *words, bool with_input, struct err *err)
{
	const char **argv = child_argv(cli, words);
	const struct sigaction ignore = {.sa_handler = SIG_IGN};
	struct sigaction old;
	pid_t pid;
	int rc;

	if (argv == NULL)
		return err_device(err, ENOMEM, "%s", words[0]);
	fflush(stdout);
	sigaction(SIGINT, &ignore, &old);
	pid = fork();
	if (pid == 0)
		child_run(argv, &old, with_input);
	rc = pid < 0 ? err_device(err, errno, "%s: no process", words[0])
		     : child_wait(cli, pid, words[0], err);
	sigaction(SIGINT, &old, NULL);
	free(argv);
	return rc;
}
