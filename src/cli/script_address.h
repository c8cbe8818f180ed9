/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <stdbool.h>

#include "tgen/err.h"
#include "tgen/opt.h"

/* RouterOS's /ip address and /ipv6 address: the `address` lists of the ports of those names. */

/* Words of add and set. */
extern const struct opt_menu script_address_menu;

/* argv: add, set, remove or print, and its words. 0, or negative with err. */
int script_address(const char *config, bool ip6, int argc, char **argv, struct err *err);
/* The numbers of those that have all values given, as a comma list. Caller frees; NULL with err. */
char *script_address_find(const char *config, bool ip6, int argc, char **argv, struct err *err);
