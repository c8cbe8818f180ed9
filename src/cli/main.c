/* SPDX-License-Identifier: BSD-3-Clause */
#include "cli.h"
#include "script_run.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tgen/log.h"
#include "tgen/text.h"

static volatile sig_atomic_t stop_flag;

/* The first signal ends the run in order, a second one at once. */
static void on_signal(int sig)
{
	if (stop_flag)
		_exit(128 + sig);
	stop_flag = 1;
}

static void signals_set(void)
{
	static const int ends[] = {SIGINT, SIGTERM, SIGHUP};
	struct sigaction sa = {.sa_handler = on_signal};

	for (size_t i = 0; i < sizeof(ends) / sizeof(ends[0]); i++) {
		struct sigaction old;

		/* a parent that ignores it for us (nohup) means it */
		if (sigaction(ends[i], NULL, &old) == 0 && old.sa_handler != SIG_IGN)
			sigaction(ends[i], &sa, NULL);
	}
	/* a closed pipe and a file at its limit are errors of the write */
	signal(SIGPIPE, SIG_IGN);
	signal(SIGXFSZ, SIG_IGN);
}

/* A standard descriptor that is closed would be given to the next file that is opened. */
static void descriptors_fill(void)
{
	for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
		if (fcntl(fd, F_GETFD) < 0 && errno == EBADF &&
			open("/dev/null", fd == STDIN_FILENO ? O_WRONLY : O_RDONLY) < 0)
			_exit(TGEN_DEVICE);
}

/* The value of --NAME=VALUE or --NAME VALUE; NULL: arg is not this option. */
static const char *option_value(const char *name, int argc, char **argv, int *i, struct err *err)
{
	size_t len = strlen(name);

	if (strncmp(argv[*i], name, len) != 0)
		return NULL;
	if (argv[*i][len] == '=')
		return argv[*i] + len + 1;
	if (argv[*i][len] != '\0')
		return NULL;
	if (*i + 1 >= argc) {
		err_usage(err, "%s: a value is missing", name);
		return "";
	}
	return argv[++*i];
}

static int option_take(struct cli *cli, int argc, char **argv, int *i, struct err *err)
{
	static const char *const known[] = {"--config", "--output", "--eal", "--force", "--verbose",
		"--list", "--dry-run", "--resume", "--quiet", "--help", "--version"};
	const char *value, *near;

	if (strcmp(argv[*i], "--force") == 0) {
		cli->force = true;
	} else if (strcmp(argv[*i], "--list") == 0) {
		cli->list = true;
	} else if (strcmp(argv[*i], "--dry-run") == 0) {
		cli->dry_run = true;
	} else if ((value = option_value("--resume", argc, argv, i, err)) != NULL) {
		cli->resume = value;
	} else if (strcmp(argv[*i], "--verbose") == 0) {
		log_level_set(LOG_LEVEL_DEBUG);
	} else if (strcmp(argv[*i], "--quiet") == 0) {
		log_level_set(LOG_LEVEL_ERROR);
	} else if ((value = option_value("--config", argc, argv, i, err)) != NULL) {
		cli->config = value;
	} else if ((value = option_value("--eal", argc, argv, i, err)) != NULL) {
		cli->eal_args = value;
	} else if ((value = option_value("--output", argc, argv, i, err)) != NULL) {
		if (cli->nb_outputs == CLI_MAX_OUTPUTS)
			return err_usage(err, "--output: more than %u", CLI_MAX_OUTPUTS);
		cli->outputs[cli->nb_outputs++] = value;
	} else {
		near = opt_nearest(argv[*i], known, sizeof(known) / sizeof(known[0]));
		return err_usage(err, "unknown option \"%s\"%s%s%s (tgen help lists them)",
			argv[*i], near ? " (did you mean " : "", near ? near : "",
			near ? "?)" : "");
	}
	return err->text[0] != '\0' ? -1 : 0;
}

static const struct cli_command *command_find(const char *name, struct err *err)
{
	const char *names[64], *near;
	unsigned nb = 0;

	for (unsigned i = 0; i < cli_nb_commands; i++) {
		if (strcmp(cli_commands[i].name, name) == 0)
			return &cli_commands[i];
		if (nb < sizeof(names) / sizeof(names[0]))
			names[nb++] = cli_commands[i].name;
	}
	near = opt_nearest(name, names, nb);
	err_usage(err, "unknown command \"%s\"%s%s%s (tgen help lists them)", name,
		near ? "; did you mean " : "", near ? near : "", near ? "?" : "");
	return NULL;
}

static char *command_line(int argc, char **argv)
{
	char *text = NULL, *utf8;
	size_t size = 0;
	FILE *f = open_memstream(&text, &size);

	if (f == NULL)
		return NULL;
	for (int i = 0; i < argc; i++)
		fprintf(f, "%s%s", i ? " " : "", i ? argv[i] : "tgen");
	fclose(f);
	utf8 = text_to_utf8(text); /* it goes into JSON; words may be any bytes */
	free(text);
	return utf8;
}

/* Splits options from words; returns the number of words or a negative error. */
static int words_split(struct cli *cli, int argc, char **argv, char **words, struct err *err)
{
	int nb = 0;

	for (int i = 1; i < argc; i++) {
		if (strcmp(argv[i], "--help") == 0 || strcmp(argv[i], "-h") == 0) {
			/* help of the command that was named, if any */
			words[1] = nb > 0 ? words[0] : NULL;
			words[0] = (char *)(uintptr_t) "help";
			return nb > 0 ? 2 : 1;
		}
		if (strcmp(argv[i], "--version") == 0) {
			words[0] = (char *)(uintptr_t) "--version";
			return 1;
		}
		if (strncmp(argv[i], "--", 2) != 0)
			words[nb++] = argv[i];
		else if (option_take(cli, argc, argv, &i, err) < 0)
			return -1;
	}
	return nb;
}

static int run(struct cli *cli, int argc, char **argv, char **words, struct err *err)
{
	const struct cli_command *command;
	int nb = words_split(cli, argc, argv, words, err);

	if (nb < 0)
		return nb;
	if (nb == 0 && !isatty(STDIN_FILENO))
		return script_run_file(cli, NULL, err);
	if (nb == 0)
		return err_usage(err, "no command; try: tgen help");
	if (strcmp(words[0], "--version") == 0) {
		printf("tgen %s\n", TGEN_VERSION);
		return 0;
	}
	command = command_find(words[0], err);
	return command != NULL ? command->run(cli, nb - 1, words + 1, err) : -1;
}

int main(int argc, char **argv)
{
	char **words = calloc((size_t)argc + 2, sizeof(*words));
	struct cli cli = {.stop = &stop_flag, .command_line = command_line(argc, argv)};
	struct err err = {0};
	bool failed;
	int status;

	if (words == NULL || cli.command_line == NULL)
		return TGEN_DEVICE;
	descriptors_fill();
	signals_set();
	status = run(&cli, argc, argv, words, &err);
	failed = status < 0;
	if (failed) {
		log_error("%s", err.text);
		status = err.status != TGEN_OK ? (int)err.status : TGEN_DEVICE;
	}
	/* not a second time: a report has said it, with the reason */
	if ((fflush(stdout) != 0 || ferror(stdout)) && !failed) {
		log_error("standard output cannot be written");
		status = status == TGEN_OK ? TGEN_DEVICE : status;
	}
	free((void *)(uintptr_t)cli.command_line);
	free(words);
	return status;
}
