/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

/* What the tests of the console's language share: commands that do nothing, lines as words. */

#include "../../src/cli/cli.h"
#include "../../src/cli/objects.h"
#include "../../src/cli/script.h"
#include "tgen/conf.h"
#include "tgen/engine.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define COUNT(table) (sizeof(table) / sizeof((table)[0]))

/* The engine's own says what there is; it comes with DPDK. */
bool engine_device_known(const char *device, char *known, size_t size)
{
	snprintf(known, size, "auto:INTERFACE, ring:NAME");
	return strncmp(device, "auto:", 5) == 0 || strncmp(device, "ring:", 5) == 0;
}

const struct cli_command cli_commands[] = {
	{"quick", "", "send", &conf_quick_menu, NULL, NULL},
	{"ping", "", "ask", &conf_ping_menu, NULL, NULL},
	{"stats", "", "figures", NULL, NULL, NULL},
	{"export", "", "print all", NULL, NULL, NULL},
	{"packet-template", "", "templates", NULL, &cli_packet_template, NULL},
	{"port", "", "ports", NULL, &cli_port, NULL},
	{"settings", "", "settings", NULL, &cli_settings, NULL},
	{"console", "", "type", NULL, NULL, NULL},
};
const unsigned cli_nb_commands = COUNT(cli_commands);

/* The first command of a text; err is empty when it is well. */
static inline int lex_first(const char *text, struct script_line *line, struct err *err)
{
	struct script_lex lex;

	script_lex_init(&lex, text, strlen(text));
	return script_lex_next(&lex, line, err);
}

static inline void assert_holds(const char *text, const char *part)
{
	if (strstr(text, part) == NULL)
		assert_string_equal(text, part);
}
