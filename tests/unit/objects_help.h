/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

/* What the tests of the object commands share: a command run in a directory of its own. */

#include "../../src/cli/objects.h"
#include "tgen/engine.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#define FILE_NAME "tgen.json"
#define MAX_WORDS 16
#define TEXT_MAX  8192

/* The engine's own says what there is; it comes with DPDK. */
bool engine_device_known(const char *device, char *known, size_t size)
{
	snprintf(known, size, "auto:INTERFACE, ring:NAME");
	return strncmp(device, "auto:", 5) == 0 || strncmp(device, "ring:", 5) == 0;
}

/* What a command left behind. */
struct outcome {
	int rc;
	struct err err;
	char out[TEXT_MAX];
};

static inline void read_file(const char *path, char text[TEXT_MAX])
{
	FILE *f = fopen(path, "r");
	size_t len;

	assert_non_null(f);
	len = fread(text, 1, TEXT_MAX - 1, f);
	fclose(f);
	text[len] = '\0';
}

static inline void assert_file(const char *want)
{
	char text[TEXT_MAX];

	read_file(FILE_NAME, text);
	assert_string_equal(text, want);
}

static inline void write_file(const char *text)
{
	FILE *f = fopen(FILE_NAME, "w");

	assert_non_null(f);
	assert_true(fputs(text, f) >= 0);
	assert_int_equal(fclose(f), 0);
}

/* A command with its standard output caught. words end with NULL. */
static inline struct outcome run_words(const struct cli_object_kind *kind, char **words)
{
	struct outcome o = {0};
	int saved, argc = 0;

	while (words[argc] != NULL)
		argc++;
	fflush(stdout);
	saved = dup(STDOUT_FILENO);
	assert_non_null(freopen("out", "w", stdout));
	o.rc = cli_objects(kind, FILE_NAME, argc, words, &o.err);
	fflush(stdout);
	assert_true(dup2(saved, STDOUT_FILENO) >= 0);
	close(saved);
	read_file("out", o.out);
	return o;
}

#define run(kind, ...) run_words(kind, (char *[]){__VA_ARGS__, NULL})

static inline void assert_done(struct outcome o)
{
	assert_string_equal(o.err.text, "");
	assert_int_equal(o.rc, 0);
}

static inline int enter_dir(void **state)
{
	char *dir = strdup("/tmp/tgen-test-objects-XXXXXX");

	*state = dir;
	return mkdtemp(dir) == NULL || chdir(dir) != 0;
}

static inline int leave_dir(void **state)
{
	char command[128];
	int rc;

	snprintf(command, sizeof(command), "rm -rf '%s'", (char *)*state);
	rc = chdir("/") != 0 || system(command) != 0;
	free(*state);
	return rc;
}

#define T(name) cmocka_unit_test_setup_teardown(name, enter_dir, leave_dir)
