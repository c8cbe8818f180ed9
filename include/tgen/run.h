/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <signal.h>
#include <stdbool.h>

#include "tgen/conf.h"
#include "tgen/err.h"

/* `tgen run`: the tests of a file, unattended. */

/* The menu of a test: words of every test, of quick where they fit, of all procedures. */
extern const struct opt_menu run_test_menu;
/* conf_kind.check of a test: its procedure is known, and every word belongs to it. */
int run_test_check(const struct opt_set *test, struct err *err);

struct run_options {
	const char *file;
	const struct conf_kind *kinds;
	unsigned nb_kinds;
	const struct opt_set *words; /* of conf_run_menu */
	bool list, dry_run;
	const char *resume; /* a results directory; NULL: a new run */
	const char *const *outputs;
	unsigned
		nb_outputs; /* of --output: jsonl streams events; other forms: a copy of the file */
	bool force;
	const char *eal_args;
	const volatile sig_atomic_t *stop;
	const char *command_line;
};

/*
 * File and words of the run whose results are in dir, for --resume; the caller frees all, the words
 * one by one. 0 or negative with err.
 */
int run_resume_words(const char *dir, char **file, char ***words, unsigned *nb, struct err *err);
/* Exit status, or negative with err. */
int run_file(const struct run_options *options, struct err *err);
