/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "cli.h"

/* `tgen console`: commands as RouterOS has them, typed or, without a terminal, read line by line. */
int cli_console(const struct cli *cli, int argc, char **argv, struct err *err);
