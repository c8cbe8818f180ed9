/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

/* What the tests of the configuration file share: a small menu, and a directory for every test. */

#include "tgen/conf.h"

#include <dirent.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#define FILE_NAME "tgen.json"

/* ---- a small menu ---- */

enum { NAME, COMMENT, COUNT, SIZES, ON, RATE, NOTE, NB };

static const struct opt opts[NB] = {
	[NAME] = {.name = "name", .type = OPT_NAME, .flags = OPT_REQUIRED},
	[COMMENT] = {.name = "comment", .type = OPT_TEXT},
	[COUNT] = {.name = "count", .type = OPT_UINT, .max = 100, .dflt = "7"},
	[SIZES] = {.name = "sizes", .type = OPT_URANGE, .flags = OPT_LIST, .max = 9999},
	[ON] = {.name = "on", .type = OPT_BOOL},
	[RATE] = {.name = "rate", .type = OPT_MBPS},
	[NOTE] = {.name = "note", .type = OPT_TEXT},
};
static const struct opt_section section = OPT_SECTION("things", opts);
static const struct opt_section *const sections[] = {&section};
static const struct opt_menu menu = {.name = "thing", .sections = sections, .nb_sections = 1};

static const struct conf_kind kinds[] = {
	{.key = "things", .menu = &menu},
	{.key = "settings", .menu = &conf_settings_menu, .single = true},
};
#define NB_KINDS 2

/* ---- every test in an empty directory of its own ---- */

static inline int enter_dir(void **state)
{
	char *dir = strdup("/tmp/tgen-test-conf-XXXXXX");

	*state = dir;
	if (mkdtemp(dir) == NULL || chdir(dir) != 0)
		return -1;
	unsetenv("TGEN_CONFIG");
	unsetenv("XDG_CONFIG_HOME");
	return setenv("HOME", dir, 1);
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

static inline void write_file(const char *path, const char *text)
{
	FILE *f = fopen(path, "w");

	assert_non_null(f);
	assert_true(fputs(text, f) >= 0);
	assert_int_equal(fclose(f), 0);
}

static inline void assert_file(const char *path, const char *text)
{
	char buf[8192];
	FILE *f = fopen(path, "r");
	size_t len;

	assert_non_null(f);
	len = fread(buf, 1, sizeof(buf) - 1, f);
	fclose(f);
	buf[len] = '\0';
	assert_string_equal(buf, text);
}

static inline unsigned count_files(void)
{
	DIR *dir = opendir(".");
	unsigned nb = 0;

	assert_non_null(dir);
	while (readdir(dir) != NULL)
		nb++;
	closedir(dir);
	return nb - 2;
}

static inline struct conf *load(const char *text)
{
	struct err err = {0};
	struct conf *conf;

	write_file(FILE_NAME, text);
	conf = conf_load(FILE_NAME, kinds, NB_KINDS, false, &err);
	assert_string_equal(err.text, "");
	assert_non_null(conf);
	return conf;
}

static inline void save(struct conf *conf)
{
	struct err err = {0};

	assert_int_equal(conf_save(conf, &err), 0);
	assert_string_equal(err.text, "");
}

static inline void assert_value(const struct opt_set *set, unsigned opt, const char *text)
{
	char *printed = opt_set_print(set, &opts[opt]);

	assert_non_null(printed);
	assert_string_equal(printed, text);
	free(printed);
}

static inline void give(struct opt_set *set, const char *arg)
{
	struct err err = {0};

	opt_set_arg(set, arg, &err);
	assert_string_equal(err.text, "");
}

#define IN_DIR(test) cmocka_unit_test_setup_teardown(test, enter_dir, leave_dir)
