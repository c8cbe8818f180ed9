/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <signal.h>
#include <stdbool.h>

#include "tgen/err.h"
#include "tgen/opt.h"

#define CLI_MAX_OUTPUTS 16u

/* What stands before or between the command's words: the --options. */
struct cli {
	const char *config; /* --config; NULL: searched for */
	const char *outputs[CLI_MAX_OUTPUTS];
	unsigned nb_outputs;
	const char *eal_args; /* --eal */
	bool force;
	bool list, dry_run; /* of run */
	const char *resume; /* of run; NULL: a new one */
	const volatile sig_atomic_t *stop;
	const char *command_line; /* as typed, for reports */
};

/* A command: one line in the table of commands.c. */
struct cli_command {
	const char *name;
	const char *usage;		    /* what stands behind the name */
	const char *help;		    /* one sentence */
	const struct opt_menu *menu;	    /* its words; NULL: none or objects with verbs */
	const struct cli_object_kind *kind; /* what its verbs (add, set …) are about; NULL: none */
	/* argv: the words after the command. Exit status, or negative with err. */
	int (*run)(const struct cli *cli, int argc, char **argv, struct err *err);
};

extern const struct cli_command cli_commands[];
extern const unsigned cli_nb_commands;

int cli_quick(const struct cli *cli, int argc, char **argv, struct err *err);
int cli_run(const struct cli *cli, int argc, char **argv, struct err *err);
int cli_check(const struct cli *cli, int argc, char **argv, struct err *err);
int cli_start(const struct cli *cli, int argc, char **argv, struct err *err);
int cli_stop(const struct cli *cli, int argc, char **argv, struct err *err);
int cli_ping(const struct cli *cli, int argc, char **argv, struct err *err);
int cli_selftest(const struct cli *cli, int argc, char **argv, struct err *err);
int cli_reflect(const struct cli *cli, int argc, char **argv, struct err *err);
int cli_stats(const struct cli *cli, int argc, char **argv, struct err *err);
int cli_help(const struct cli *cli, int argc, char **argv, struct err *err);

/* help.c: the words of the program and of every command, as plain text, markdown or man page. */
enum help_form { HELP_TEXT, HELP_MARKDOWN, HELP_MAN };
void help_write(enum help_form form);
