/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "tgen/err.h"
#include "tgen/opt.h"

enum cli_devices_opt { DEVICES_OUTPUT, DEVICES_NB_OPTS };
extern const struct opt cli_devices_opts[DEVICES_NB_OPTS];
extern const struct opt_menu cli_devices_menu; /* for help and reference */

/*
 * `tgen devices [output=json]`: prints to stdout what could be opened as a port here.
 * argv: the words after the command. 0, -EINVAL for a word it does not know, or -errno.
 */
int cli_devices(int argc, char **argv, struct err *err);
