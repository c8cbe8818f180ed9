/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "cli.h"

/* `tgen schema`: the JSON schema of the configuration file, from the option tables. */
int cli_schema(const struct cli *cli, int argc, char **argv, struct err *err);
