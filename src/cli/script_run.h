/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "cli.h"
#include "script.h"

#define SCRIPT_MAX_KINDS 8u

/* A script at work. */
struct script_session {
	const struct cli *cli;
	const char
		*name; /* of the text, in errors; NULL: the console, whose lines have no numbers */
	int menu;      /* where relative commands belong */
	/* In the console: the names of each kind as they were printed last, for item numbers. */
	bool numbered;
	char *printed[SCRIPT_MAX_KINDS];
};

void script_session_fini(struct script_session *session);
/*
 * Runs one line, or makes its menu the current one. The status of its command, or negative with err
 * and its place.
 */
int script_run_line(
	struct script_session *session, const struct script_line *line, struct err *err);
/* Puts the place of fault before err. -EINVAL. */
int script_place(const struct script_session *session, struct opt_pos fault, struct err *err);

/* `tgen script FILE`, and what comes by standard input; NULL: that. */
int script_run_file(const struct cli *cli, const char *path, struct err *err);
