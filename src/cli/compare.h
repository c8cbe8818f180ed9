/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "cli.h"

/* What is done with results of run afterwards; argv: the words after the command. */
int cli_compare(const struct cli *cli, int argc, char **argv, struct err *err);
int cli_history(const struct cli *cli, int argc, char **argv, struct err *err);
int cli_baseline(const struct cli *cli, int argc, char **argv, struct err *err);
int cli_report(const struct cli *cli, int argc, char **argv, struct err *err);
