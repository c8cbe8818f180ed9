/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "cli.h"

/* `tgen completion bash|zsh`: a script for the shell, from the tables of commands and options. */
int cli_completion(const struct cli *cli, int argc, char **argv, struct err *err);
