/* SPDX-License-Identifier: BSD-3-Clause */
/* What is read from a configuration file, and which file that is. */
#include "conf_help.h"

#include <errno.h>

/* ---- reading ---- */

/* What an option allows follows in brackets and is not ours to say. */
static const struct {
	const char *text, *message;
} wrong_files[] = {
	{"", "1:1: the file is empty, not even {}"},
	{" \n ", "1:1: the file is empty, not even {}"},
	{"{\"things\": [", "1:13: the file ends too early"},
	{"{\"things\": [\n", "2:1: the file ends too early"},
	{"{\"things\": [{\"name\": \"a\",}]}", "1:25: a comma with nothing after it"},
	{"{\"things\": [],}", "1:14: a comma with nothing after it"},
	{"{\"things\": [],}\n", "1:14: a comma with nothing after it"},
	{"{\"things\": [],", "1:15: the file ends too early"},
	{"{\"comment\": \"a\xff\"}", "1:15: the byte 0xff is not UTF-8"},
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
	{"{\"things\": [{\"name\": {}}]}", "1:22: things[0].name: an object is not a value"},
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
		"1:36: things[0].count: 1e1: write it without an exponent"},
	{"{\"things\": [{\"name\": \"a\", \"sizes\": [1, 1E3]}]}",
		"1:40: things[0].sizes: 1E3: write it without an exponent"},
	{"{\"things\": [{\"name\": \"a\", \"count\": 015}]}", "1:36: 015 is not a JSON number"},
	{"{\"things\": [{\"name\": \"a\", \"count\": -01}]}", "1:36: -01 is not a JSON number"},
	{"{\"things\": [{\"name\": \"a\", \"rate\": 1.}]}", "1:35: 1. is not a JSON number"},
	{"{\"things\": [{\"name\": \"a\", \"rate\": -.5}]}", "1:35: -.5 is not a JSON number"},
	{"{\"things\": [{\"name\": \"a\", \"count\": true}]}",
		"1:36: things[0].count: \"true\" is not a number"},
	{"{\"things\": [{\"name\": \"a\", \"note\": \"x\\\"\\u0000\"}]}",
		"1:39: the character U+0000 in a string"},
	{"{\"settings\": {\"test-id\": 256}}", "1:26: settings.test-id: \"256\" is out of range"},
};

static void wrong_files_are_refused_with_line_column_and_path(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(wrong_files) / sizeof(wrong_files[0]); i++) {
		char want[256];
		struct err err = {0};

		write_file(FILE_NAME, wrong_files[i].text);
		assert_null(conf_load(FILE_NAME, kinds, NB_KINDS, false, &err));
		snprintf(want, sizeof(want), FILE_NAME ":%s", wrong_files[i].message);
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

static void what_is_no_plain_file_is_refused_and_not_waited_for(void **state)
{
	static const struct {
		const char *make, *message;
	} cases[] = {
		{"mkfifo x", "cannot open x: it is not a plain file"},
		{"mkdir x", "cannot open x: it is a directory"},
		{"ln -s nothing x", "x is a link to no file"},
		{"ln -s x x", "cannot open x: Too many levels of symbolic links"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		for (int may_be_absent = 0; may_be_absent < 2; may_be_absent++) {
			struct err err = {0};

			assert_int_equal(system("rm -rf x"), 0);
			assert_int_equal(system(cases[i].make), 0);
			assert_null(conf_load("x", kinds, NB_KINDS, may_be_absent, &err));
			assert_memory_equal(err.text, cases[i].message, strlen(cases[i].message));
			assert_int_equal(err.status, TGEN_USAGE);
		}
	}
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
	assert_string_equal(
		err.text, "no port \"quite-other\" in " FILE_NAME " (tgen port print shows them)");
	conf_free(conf);
	conf = load("{}");
	conf_not_found(conf, "things", "port", "a", &err);
	assert_string_equal(
		err.text, "no port \"a\" in " FILE_NAME ", which has none at all (tgen port add)");
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
	assert_null(conf_path_find("", false, &err));
	assert_string_equal(err.text, "--config: the name of the file is missing");
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

int main(void)
{
	const struct CMUnitTest tests[] = {
		IN_DIR(wrong_files_are_refused_with_line_column_and_path),
		IN_DIR(values_reach_their_options_as_written),
		IN_DIR(later_errors_about_an_object_know_its_place),
		IN_DIR(a_single_object_is_there_even_when_the_file_has_none),
		IN_DIR(an_absent_file_is_empty_only_where_it_may_be_absent),
		IN_DIR(deep_nesting_and_large_files_are_refused),
		IN_DIR(what_is_no_plain_file_is_refused_and_not_waited_for),
		IN_DIR(an_unknown_name_is_answered_with_the_nearest),
		IN_DIR(the_file_is_searched_in_the_order_promised),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
