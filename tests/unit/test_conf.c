/* SPDX-License-Identifier: BSD-3-Clause */
#include "tgen/conf.h"
#include "tgen/units.h"

#include <dirent.h>
#include <errno.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
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

static int enter_dir(void **state)
{
	char *dir = strdup("/tmp/tgen-test-conf-XXXXXX");

	*state = dir;
	if (mkdtemp(dir) == NULL || chdir(dir) != 0)
		return -1;
	unsetenv("TGEN_CONFIG");
	unsetenv("XDG_CONFIG_HOME");
	return setenv("HOME", dir, 1);
}

static int leave_dir(void **state)
{
	char command[128];
	int rc;

	snprintf(command, sizeof(command), "rm -rf '%s'", (char *)*state);
	rc = chdir("/") != 0 || system(command) != 0;
	free(*state);
	return rc;
}

static void write_file(const char *path, const char *text)
{
	FILE *f = fopen(path, "w");

	assert_non_null(f);
	assert_true(fputs(text, f) >= 0);
	assert_int_equal(fclose(f), 0);
}

static void assert_file(const char *path, const char *text)
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

static unsigned count_files(void)
{
	DIR *dir = opendir(".");
	unsigned nb = 0;

	assert_non_null(dir);
	while (readdir(dir) != NULL)
		nb++;
	closedir(dir);
	return nb - 2;
}

static struct conf *load(const char *text)
{
	struct err err = {0};
	struct conf *conf;

	write_file(FILE_NAME, text);
	conf = conf_load(FILE_NAME, kinds, NB_KINDS, false, &err);
	assert_string_equal(err.text, "");
	assert_non_null(conf);
	return conf;
}

static void save(struct conf *conf)
{
	struct err err = {0};

	assert_int_equal(conf_save(conf, &err), 0);
	assert_string_equal(err.text, "");
}

static void assert_value(const struct opt_set *set, unsigned opt, const char *text)
{
	char *printed = opt_set_print(set, &opts[opt]);

	assert_non_null(printed);
	assert_string_equal(printed, text);
	free(printed);
}

/* ---- reading ---- */

static void wrong_files_are_refused_with_line_column_and_path(void **state)
{
	static const struct {
		const char *text, *message;
	} cases[] = {
		{"", "1:1: the file is empty, not even {}"},
		{" \n ", "1:1: the file is empty, not even {}"},
		{"{\"things\": [", "1:13: the file ends too early"},
		{"{\"things\": [\n", "2:1: the file ends too early"},
		{"{\"things\": [{\"name\": \"a\",}]}", "1:25: a comma with nothing after it"},
		{"{\n  \"things\": foo\n}", "2:13: not JSON from here: foo"},
		{"{\"things\" []}", "1:11: not JSON from here: []}"},
		{"{\"things\"[]}", "1:10: not JSON from here: []}"},
		{"{\"things\": [{name: 1}]}", "1:14: not JSON from here: name: 1}]}"},
		{"{,}", "1:2: not JSON from here: ,}"},
		{"{\"things\": [{}x]}", "1:15: not JSON from here: x]}"},
		{"{\"things\": [1x]}", "1:14: not JSON from here: x]}"},
		{"{\"comment\": \"a}", "1:13: not JSON from here: \"a}"},
		{"{\"comment\": \"\\x\"}", "1:13: not JSON from here: \"\\x\"}"},
		{"{}\nx", "2:1: not JSON from here: x"},
		{"{} {}", "1:4: not JSON from here: {}"},
		{"{\n// a\n}", "2:1: JSON has no comments: use the key \"comment\""},
		{"\xef\xbb\xbf\xef\xbb\xbf{}", "1:1: a second byte order mark"},
		{"[]", "1:1: a list where an object {} belongs"},
		{"\xef\xbb\xbf 5", "1:2: a number where an object {} belongs"},
		{"{\"thing\": []}", "1:2: unknown key \"thing\", did you mean \"things\"?"},
		{"{\"zzzzzzz\": []}", "1:2: unknown key \"zzzzzzz\""},
		{"{\"comment\": 5}", "1:13: comment: a number where a string belongs"},
		{"{\"things\": [],\n \"things\": []}",
			"2:2: things: given twice, first in line 1, column 2"},
		{"{\"things\": {}}", "1:12: things: an object where a list [] of objects belongs"},
		{"{\"settings\": []}", "1:14: settings: a list where an object {} belongs"},
		{"{\"things\": [\n  7]}", "2:3: things[0]: a number where an object {} belongs"},
		{"{\"things\": [\n {\"name\": \"a\"},\n {\"name\": \"b\", \"coun\": 3}]}",
			"3:16: things[1]: unknown key \"coun\", did you mean \"count\"?"},
		{"{\"things\": [{\"name\": \"a\", \"on\": true, \"on\": true}]}",
			"1:39: things[0].on: given twice, first in line 1, column 27"},
		{"{\"things\": [\n {\"name\": \"a\"},\n {\"name\": \"b\"},\n {\"name\": \"a\"},"
		 "\n {\"name\": \"b\"}]}",
			"4:11: things[2].name: \"a\" is already the name of things[0] in line 2, "
			"column 11"},
		{"{\"things\": [{\"count\": 3}]}", "1:13: things[0].name: is missing"},
		{"{\"things\": [{\"name\": null}]}", "1:22: things[0].name: null is not a value"},
		{"{\"things\": [{\"name\": true}]}", "1:22: things[0].name: true is not a value"},
		{"{\"things\": [{\"name\": {}}]}",
			"1:22: things[0].name: an object is not a value"},
		{"{\"things\": [{\"name\": [\"a\"]}]}",
			"1:22: things[0].name: a list, but this takes one value"},
		{"{\"things\": [{\"name\": \"a\", \"sizes\": []}]}",
			"1:36: things[0].sizes: an empty list; leave the key out instead"},
		{"{\"things\": [{\"name\": \"a\", \"sizes\": [1, null]}]}",
			"1:40: things[0].sizes[1]: null is not a value"},
		{"{\"things\": [{\"name\": \"a\", \"sizes\": [1, [2]]}]}",
			"1:40: things[0].sizes[1]: a list is not a value"},
		{"{\"things\": [{\"name\": \"a\",\n\"sizes\": [1,\n  \"2x\"]}]}",
			"3:3: things[0].sizes: \"2x\" is not a number"},
		{"{\"things\": [{\"name\": \"a\", \"count\": 101}]}",
			"1:36: things[0].count: \"101\" is out of range"},
		{"{\"things\": [{\"name\": \"a\", \"count\": 1e1}]}",
			"1:36: things[0].count: \"1e1\" is not a number"},
		{"{\"things\": [{\"name\": \"a\", \"count\": true}]}",
			"1:36: things[0].count: \"true\" is not a number"},
		{"{\"things\": [{\"name\": \"a\", \"note\": \"x\\\"\\u0000\"}]}",
			"1:39: the character U+0000 in a string"},
		{"{\"settings\": {\"test-id\": 256}}",
			"1:26: settings.test-id: \"256\" is out of range"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		char want[256];
		struct err err = {0};

		write_file(FILE_NAME, cases[i].text);
		assert_null(conf_load(FILE_NAME, kinds, NB_KINDS, false, &err));
		snprintf(want, sizeof(want), FILE_NAME ":%s", cases[i].message);
		/* What an option allows follows in brackets and is not ours to say. */
		if (strncmp(err.text, want, strlen(want)) != 0)
			assert_string_equal(err.text, want);
		assert_true(strchr("( ", err.text[strlen(want)]) != NULL);
		assert_int_equal(err.status, TGEN_USAGE);
	}
}

static void values_reach_their_options_as_written(void **state)
{
	struct conf *conf = load(
		"\xef\xbb\xbf{\"$schema\": \"x\", \"comment\": \"y\", \"things\": [\n"
		"  {\"name\": \"a\", \"count\": 12, \"sizes\": [60, \"70-80\"], \"on\": true},\r\n"
		"  {\"sizes\": \"1,2,3\", \"name\": \"b\\u002d\", \"on\": false, \"rate\": 0.10,\n"
		"   \"count\": \"0x10\", \"note\": \"\xc3\xa4, \\\"b\\\"\"}\n]}");
	const struct opt_set *a = conf_at(conf, "things", 0), *b = conf_at(conf, "things", 1);
	struct opt_val val;

	(void)state;
	assert_int_equal(conf_nb(conf, "things"), 2);
	assert_string_equal(conf_path(conf), FILE_NAME);
	assert_value(a, NAME, "a");
	assert_value(a, COUNT, "12");
	assert_value(a, SIZES, "60,70-80");
	assert_value(a, ON, "yes");
	assert_value(b, SIZES, "1,2,3");
	assert_value(b, ON, "no");
	assert_value(b, RATE, "0.10");
	assert_value(b, NOTE, "\xc3\xa4, \"b\"");
	assert_true(opt_set_val(b, &opts[COUNT], 0, &val));
	assert_int_equal(val.lo, 16);
	assert_true(opt_set_val(b, &opts[RATE], 0, &val));
	assert_int_equal(val.lo, 100000);
	assert_ptr_equal(conf_find(conf, "things", "b-"), b);
	assert_null(conf_find(conf, "things", "c"));
	conf_free(conf);
}

static void later_errors_about_an_object_know_its_place(void **state)
{
	struct conf *conf = load("{\"things\": [{\"name\": \"a\"},\n  {\"name\": \"b\"}]}");
	struct err err = {0};

	(void)state;
	opt_error(&err, conf_find(conf, "things", "b"), &opts[NAME], "no");
	assert_string_equal(err.text, FILE_NAME ":2:12: things[1].name: no");
	opt_error(&err, conf_find(conf, "things", "b"), NULL, "no");
	assert_string_equal(err.text, FILE_NAME ":2:3: things[1]: no");
	conf_free(conf);
}

static void a_single_object_is_there_even_when_the_file_has_none(void **state)
{
	struct conf *conf = load("{}");
	const struct opt_set *settings = conf_find(conf, "settings", NULL);

	(void)state;
	assert_non_null(settings);
	assert_int_equal(conf_nb(conf, "settings"), 1);
	assert_int_equal(opt_set_one(settings, &conf_settings_opts[SET_TEST_ID]).lo, 0);
	conf_free(conf);
}

static void an_absent_file_is_empty_only_where_it_may_be_absent(void **state)
{
	struct err err = {0};
	struct conf *conf = conf_load("no.json", kinds, NB_KINDS, true, &err);

	(void)state;
	assert_non_null(conf);
	assert_int_equal(conf_nb(conf, "things"), 0);
	conf_free(conf);
	assert_null(conf_load("no.json", kinds, NB_KINDS, false, &err));
	assert_string_equal(err.text, "cannot open no.json: No such file or directory");
}

static void deep_nesting_and_large_files_are_refused(void **state)
{
	char text[4096];
	struct err err = {0};

	(void)state;
	memset(text, '[', sizeof(text));
	text[sizeof(text) - 1] = '\0';
	write_file(FILE_NAME, text);
	assert_null(conf_load(FILE_NAME, kinds, NB_KINDS, false, &err));
	assert_int_equal(err.status, TGEN_USAGE);
	assert_int_equal(truncate(FILE_NAME, (64 << 20) + 1), 0);
	assert_null(conf_load(FILE_NAME, kinds, NB_KINDS, false, &err));
	assert_string_equal(err.text, FILE_NAME " is larger than 64 MiB");
}

static void an_unknown_name_is_answered_with_the_nearest(void **state)
{
	struct conf *conf = load("{\"things\": [{\"name\": \"ether1\"}, {\"name\": \"z\"}]}");
	struct err err = {0};

	(void)state;
	assert_int_equal(conf_not_found(conf, "things", "tx-template", "ether2", &err), -EINVAL);
	assert_string_equal(
		err.text, "no tx-template \"ether2\" in " FILE_NAME ", did you mean \"ether1\"?");
	conf_not_found(conf, "things", "port", "quite-other", &err);
	assert_string_equal(err.text, "no port \"quite-other\" in " FILE_NAME);
	conf_free(conf);
	conf = load("{}");
	conf_not_found(conf, "things", "port", "a", &err);
	assert_string_equal(err.text, "no port \"a\" in " FILE_NAME ", which has none at all");
	conf_free(conf);
}

/* ---- which file ---- */

static void the_file_is_searched_in_the_order_promised(void **state)
{
	char *home = *state, xdg[128], dot[128];
	struct err err = {0};
	char *path;

	snprintf(dot, sizeof(dot), "%s/.config/tgen/tgen.json", home);
	snprintf(xdg, sizeof(xdg), "%s/xdg/tgen/tgen.json", home);
	assert_int_equal(system("mkdir -p .config/tgen xdg/tgen"), 0);

	assert_null(conf_path_find("given.json", true, &err));
	assert_non_null(strstr(err.text, "given.json"));
	assert_null(conf_path_find(NULL, true, &err));
	assert_non_null(strstr(err.text, "tgen.json, "));
	assert_non_null(strstr(err.text, dot));
	assert_int_equal(err.status, TGEN_USAGE);
#define EXPECT(given, must, want)                                                                  \
	path = conf_path_find(given, must, &err);                                                  \
	assert_non_null(path);                                                                     \
	assert_string_equal(path, want);                                                           \
	free(path)
	EXPECT(NULL, false, "tgen.json");
	write_file(dot, "{}");
	EXPECT(NULL, true, dot);
	EXPECT(NULL, false, dot);
	write_file(xdg, "{}");
	EXPECT(NULL, true, dot);
	snprintf(dot, sizeof(dot), "%s/xdg", home);
	setenv("XDG_CONFIG_HOME", dot, 1);
	EXPECT(NULL, true, xdg);
	write_file("tgen.json", "{}");
	EXPECT(NULL, true, "tgen.json");
	setenv("TGEN_CONFIG", "env.json", 1);
	assert_null(conf_path_find(NULL, true, &err));
	assert_non_null(strstr(err.text, "env.json"));
	EXPECT(NULL, false, "env.json");
	write_file("env.json", "{}");
	EXPECT(NULL, true, "env.json");
	EXPECT("given.json", false, "given.json");
	write_file("given.json", "{}");
	EXPECT("given.json", true, "given.json");
#undef EXPECT
}

/* ---- changing and writing ---- */

static void give(struct opt_set *set, const char *arg)
{
	struct err err = {0};

	opt_set_arg(set, arg, &err);
	assert_string_equal(err.text, "");
}

static void changes_keep_order_comments_and_all_that_was_not_touched(void **state)
{
	struct conf *conf =
		load("{\"comment\": \"top\", \"things\": ["
		     "{\"rate\": 1.50, \"comment\": \"first\", \"name\": \"a\", \"on\": false},"
		     "{\"name\": \"b\", \"sizes\": [60, \"70-80\"], \"count\": 3}],"
		     "\"settings\": {\"test-id\": 9, \"comment\": \"s\"}, \"$schema\": \"x\"}");
	struct err err = {0};
	struct opt_set set;

	(void)state;
	opt_set_init(&set, &menu);
	give(&set, "on=yes");
	give(&set, "count=5");
	assert_int_equal(conf_update(conf, "things", "a", &set, &err), 0);
	assert_value(conf_find(conf, "things", "a"), COUNT, "5");
	assert_int_equal(conf_unset(conf, "things", "b", &opts[COUNT], &err), 0);
	opt_set_fini(&set);
	give(&set, "name=c");
	give(&set, "count=0x10");
	give(&set, "sizes=64,1500");
	assert_int_equal(conf_add(conf, "things", &set, &err), 0);
	opt_set_fini(&set);
	save(conf);
	assert_file(FILE_NAME,
		"{\n"
		"  \"comment\": \"top\",\n"
		"  \"things\": [\n"
		"    {\"rate\": 1.50, \"comment\": \"first\", \"name\": \"a\", \"on\": true, "
		"\"count\": 5},\n"
		"    {\"name\": \"b\", \"sizes\": [60, \"70-80\"]},\n"
		"    {\"name\": \"c\", \"count\": \"0x10\", \"sizes\": [\"64\", \"1500\"]}\n"
		"  ],\n"
		"  \"settings\": {\n"
		"    \"test-id\": 9,\n"
		"    \"comment\": \"s\"\n"
		"  },\n"
		"  \"$schema\": \"x\"\n"
		"}\n");
	assert_int_equal(conf_remove(conf, "things", "a", &err), 0);
	assert_int_equal(conf_remove(conf, "settings", NULL, &err), 0);
	save(conf); /* a second time: its own first change is no one else's */
	assert_file(FILE_NAME,
		"{\n"
		"  \"comment\": \"top\",\n"
		"  \"things\": [\n"
		"    {\"name\": \"b\", \"sizes\": [60, \"70-80\"]},\n"
		"    {\"name\": \"c\", \"count\": \"0x10\", \"sizes\": [\"64\", \"1500\"]}\n"
		"  ],\n"
		"  \"$schema\": \"x\"\n"
		"}\n");
	assert_string_equal(conf_find(conf, "things", "b")->path, "things[0]");
	conf_free(conf);
}

static void what_was_written_reads_back_the_same(void **state)
{
	struct err err = {0};
	struct conf *conf = conf_load(FILE_NAME, kinds, NB_KINDS, true, &err);
	struct opt_set set;
	char text[200];

	(void)state;
	opt_set_init(&set, &conf_settings_menu);
	give(&set, "test-id=3");
	assert_int_equal(conf_update(conf, "settings", NULL, &set, &err), 0);
	opt_set_fini(&set);
	opt_set_init(&set, &menu);
	give(&set, "name=a");
	give(&set, "note=\"quoted\", \\ and a , comma");
	give(&set, "sizes=5");
	memset(text, 'x', sizeof(text));
	memcpy(text, "comment=", 8);
	text[sizeof(text) - 1] = '\0';
	give(&set, text);
	assert_int_equal(conf_add(conf, "things", &set, &err), 0);
	opt_set_fini(&set);
	save(conf);
	conf_free(conf);

	conf = conf_load(FILE_NAME, kinds, NB_KINDS, false, &err);
	assert_string_equal(err.text, "");
	assert_value(conf_at(conf, "things", 0), NOTE, "\"quoted\", \\ and a , comma");
	assert_value(conf_at(conf, "things", 0), SIZES, "5");
	assert_value(conf_at(conf, "things", 0), COMMENT, text + 8);
	/* Too long for one line. */
	assert_int_equal(conf_at(conf, "things", 0)->slots[0].pos.line, 7);
	assert_int_equal(conf_at(conf, "things", 0)->slots[1].pos.line, 8);
	assert_int_equal(
		opt_set_one(conf_find(conf, "settings", NULL), &conf_settings_opts[SET_TEST_ID]).lo,
		3);
	conf_free(conf);
}

static void changes_that_would_break_the_file_are_refused(void **state)
{
	struct conf *conf = load("{\"things\": [{\"name\": \"a\"}, {\"name\": \"b\"}]}");
	struct err err = {0};
	struct opt_set set;

	(void)state;
	opt_set_init(&set, &menu);
	give(&set, "count=5");
	assert_int_equal(conf_add(conf, "things", &set, &err), -EINVAL);
	assert_non_null(strstr(err.text, "name: is missing"));
	give(&set, "name=b");
	assert_int_equal(conf_add(conf, "things", &set, &err), -EINVAL);
	assert_string_equal(err.text, "name: there is a thing \"b\" already");
	assert_int_equal(conf_update(conf, "things", "a", &set, &err), -EINVAL);
	assert_int_equal(conf_update(conf, "things", "b", &set, &err), 0); /* its own name */
	assert_int_equal(conf_update(conf, "things", "c", &set, &err), -EINVAL);
	assert_int_equal(conf_remove(conf, "things", "c", &err), -EINVAL);
	assert_int_equal(conf_unset(conf, "things", "c", &opts[COUNT], &err), -EINVAL);
	assert_int_equal(conf_unset(conf, "things", "a", &opts[NAME], &err), -EINVAL);
	assert_non_null(strstr(err.text, "name: is required"));
	opt_set_fini(&set);
	conf_free(conf);
}

static void saving_keeps_mode_and_link(void **state)
{
	struct err err = {0};
	struct conf *conf;
	struct stat st;

	(void)state;
	assert_int_equal(mkdir("real", 0755), 0);
	write_file("real/file", "{}");
	assert_int_equal(chmod("real/file", 0640), 0);
	assert_int_equal(symlink("real/file", FILE_NAME), 0);
	conf = conf_load(FILE_NAME, kinds, NB_KINDS, false, &err);
	save(conf);
	conf_free(conf);
	assert_int_equal(lstat(FILE_NAME, &st), 0);
	assert_true(S_ISLNK(st.st_mode));
	assert_int_equal(stat("real/file", &st), 0);
	assert_int_equal(st.st_mode & 07777, 0640);
	assert_file("real/file", "{}\n");

	umask(027);
	conf = conf_load("new.json", kinds, NB_KINDS, true, &err);
	save(conf);
	conf_free(conf);
	assert_int_equal(stat("new.json", &st), 0);
	assert_int_equal(st.st_mode & 07777, 0640);
	umask(022);
	assert_int_equal(count_files(), 3);
}

static void a_file_changed_meanwhile_is_not_overwritten(void **state)
{
	struct conf *conf = load("{}");
	struct err err = {0};

	(void)state;
	write_file(FILE_NAME, "{ }");
	assert_int_equal(conf_save(conf, &err), -EINVAL);
	assert_non_null(strstr(err.text, "was changed by someone else"));
	assert_file(FILE_NAME, "{ }");
	conf_free(conf);

	conf = conf_load("new.json", kinds, NB_KINDS, true, &err);
	write_file("new.json", "{}");
	assert_int_equal(conf_save(conf, &err), -EINVAL);
	assert_file("new.json", "{}");
	conf_free(conf);
	assert_int_equal(count_files(), 2);
}

static void a_failing_save_leaves_the_old_file_and_no_other(void **state)
{
	static const char text[] = "{\"comment\": \"0123456789012345678901234567890123456789\"}";
	struct conf *conf = load(text);
	struct rlimit limit, small;
	struct err err = {0};
	int rc;

	(void)state;
	signal(SIGXFSZ, SIG_IGN);
	assert_int_equal(getrlimit(RLIMIT_FSIZE, &limit), 0);
	small = (struct rlimit){16, limit.rlim_max};
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
	rc = conf_save(conf, &err);
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
	assert_int_equal(rc, -EFBIG);
	assert_string_equal(err.text, "cannot write " FILE_NAME ": File too large");
	assert_file(FILE_NAME, text);
	assert_int_equal(count_files(), 1);
	save(conf);
	conf_free(conf);

	assert_int_equal(symlink("nowhere", "link.json"), 0);
	conf = conf_load("link.json", kinds, NB_KINDS, true, &err);
	assert_int_equal(conf_save(conf, &err), -ENOENT);
	conf_free(conf);
	conf = conf_load("no/dir.json", kinds, NB_KINDS, true, &err);
	assert_int_equal(conf_save(conf, &err), -ENOENT);
	conf_free(conf);
}

/* ---- the menus ---- */

static void every_default_is_a_value_of_its_option(void **state)
{
	static const struct opt_menu *const menus[] = {
		&conf_port_menu, &conf_settings_menu, &conf_quick_menu, &conf_ping_menu};

	(void)state;
	for (size_t m = 0; m < sizeof(menus) / sizeof(menus[0]); m++) {
		const struct opt_section *s = menus[m]->sections[0];

		for (size_t i = 0; i < s->nb; i++) {
			const struct opt *opt = opt_section_at(s, i);
			struct err err = {0};
			struct opt_set set;

			assert_non_null(opt->name);
			assert_non_null(opt->help);
			if (opt->dflt == NULL)
				continue;
			opt_set_init(&set, menus[m]);
			opt_set_text(&set, opt, opt->dflt, (struct opt_pos){0}, &err);
			assert_string_equal(err.text, "");
			opt_set_fini(&set);
		}
	}
}

static void limits_of_the_menus_are_those_promised(void **state)
{
	static const struct {
		const struct opt_menu *menu;
		const char *arg;
		bool good;
	} cases[] = {
		{&conf_port_menu, "mtu=67", false},
		{&conf_port_menu, "mtu=16000", true},
		{&conf_port_menu, "address=1.1.1.1/24,2.2.2.2/30", true},
		{&conf_port_menu, "address=1.1.1.1", false},
		{&conf_settings_menu, "test-id=255", true},
		{&conf_settings_menu, "test-id=256", false},
		{&conf_settings_menu, "rate-layer=l2", true},
		{&conf_settings_menu, "rate-layer=l4", false},
		{&conf_quick_menu, "packet-size=0,65535", true},
		{&conf_quick_menu, "packet-size=65536", false},
		{&conf_quick_menu, "packet-count=unlimited,1", true},
		{&conf_quick_menu, "packet-count=0", false},
		{&conf_quick_menu, "pps=max,1.5k", true},
		{&conf_quick_menu, "mbps=0.5,300", true},
		{&conf_quick_menu, "duration=1ms", true},
		{&conf_quick_menu, "duration=999us", false},
		{&conf_quick_menu, "id=256", false},
		{&conf_quick_menu, "entries-to-show=1", false},
		{&conf_quick_menu, "freeze-frame-interval=20ms", true},
		{&conf_quick_menu, "freeze-frame-interval=19ms", false},
		{&conf_quick_menu, "freeze-frame-interval=31s", false},
		{&conf_quick_menu, "grace=11s", false},
		{&conf_quick_menu, "drain=0", true},
		{&conf_quick_menu, "drain=60s", true},
		{&conf_quick_menu, "drain=61s", false},
		{&conf_ping_menu, "size=59", false},
		{&conf_ping_menu, "size=16014", true},
		{&conf_ping_menu, "interval=9ms", false},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct err err = {0};
		struct opt_set set;

		opt_set_init(&set, cases[i].menu);
		if ((opt_set_arg(&set, cases[i].arg, &err) == 0) != cases[i].good)
			fail_msg("%s: %s", cases[i].arg, err.text);
		opt_set_fini(&set);
	}
	assert_null(conf_quick_opts[QUICK_TEST_ID].dflt);
	assert_null(conf_quick_opts[QUICK_MEASURE_OUT_OF_ORDER].dflt);
	assert_null(conf_quick_opts[QUICK_RATE_LAYER].dflt);
}

#define T(name) cmocka_unit_test_setup_teardown(name, enter_dir, leave_dir)

int main(void)
{
	const struct CMUnitTest tests[] = {
		T(wrong_files_are_refused_with_line_column_and_path),
		T(values_reach_their_options_as_written),
		T(later_errors_about_an_object_know_its_place),
		T(a_single_object_is_there_even_when_the_file_has_none),
		T(an_absent_file_is_empty_only_where_it_may_be_absent),
		T(deep_nesting_and_large_files_are_refused),
		T(an_unknown_name_is_answered_with_the_nearest),
		T(the_file_is_searched_in_the_order_promised),
		T(changes_keep_order_comments_and_all_that_was_not_touched),
		T(what_was_written_reads_back_the_same),
		T(changes_that_would_break_the_file_are_refused),
		T(saving_keeps_mode_and_link),
		T(a_file_changed_meanwhile_is_not_overwritten),
		T(a_failing_save_leaves_the_old_file_and_no_other),
		cmocka_unit_test(every_default_is_a_value_of_its_option),
		cmocka_unit_test(limits_of_the_menus_are_those_promised),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
