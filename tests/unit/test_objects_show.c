/* SPDX-License-Identifier: BSD-3-Clause */
#include "objects_help.h"

/* The verbs that show objects and find them, and those of a single object. */

#define FILE_TEXT                                                                                  \
	"{\"settings\": {\"test-id\": 3},\n"                                                       \
	"\"ports\": [{\"name\": \"e1\", \"device\": \"ring:a\", \"address\": \"1.1.1.1/24\"},\n"   \
	"{\"name\": \"e2\", \"device\": \"ring:b\", \"disabled\": true, \"mtu\": 1500}],\n"        \
	"\"packet-templates\": [{\"name\": \"r12\", \"ip-gateway\": \"1.1.1.254\", "               \
	"\"ip-dst\": \"2.2.2.2\", \"comment\": \"a;b\"},\n"                                        \
	"{\"name\": \"r13\", \"ip-ttl\": 9, \"random-ranges\": [\"34:8:1-9\", \"35:8:2-9\"], "     \
	"\"udp-dst-port\": \"0x10\"}]}\n"

static void find_prints_the_names_of_those_that_have_the_values(void **state)
{
	static const struct {
		const struct cli_object_kind *kind;
		const char *words[MAX_WORDS];
		const char *found;
	} cases[] = {
		{&cli_packet_template, {"find"}, "r12\nr13\n"},
		{&cli_packet_template, {"find", "name=r12"}, "r12\n"},
		{&cli_packet_template, {"find", "name=r14"}, ""},
		{&cli_packet_template, {"find", "random-ranges=34:8:1-9,35:8:2-9"}, "r13\n"},
		{&cli_packet_template, {"find", "ip-ttl=64"}, "r12\n"}, /* its default */
		{&cli_packet_template, {"find", "udp-dst-port=16"}, "r13\n"},
		{&cli_packet_template, {"find", "udp-dst-port=16", "name=r12"}, ""},
		{&cli_packet_template, {"find", "header-stack=mac,ip,udp"}, "r12\nr13\n"},
		{&cli_packet_template, {"find", "ip-src=1.1.1.1"}, ""},
		{&cli_port, {"find", "disabled=no"}, "e1\n"},
		{&cli_port, {"find", "disabled=true"}, "e2\n"},
		{&cli_port, {"find", "address=1.1.1.1/24"}, "e1\n"},
	};

	(void)state;
	write_file(FILE_TEXT);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct outcome o = run_words(cases[i].kind, (char **)cases[i].words);

		assert_done(o);
		assert_string_equal(o.out, cases[i].found);
	}
}

static void find_for_a_script_gives_a_list_and_needs_no_file(void **state)
{
	struct err err = {0};
	char *names = cli_objects_find(&cli_port, FILE_NAME, 0, NULL, &err);

	(void)state;
	assert_string_equal(names, "");
	free(names);
	write_file(FILE_TEXT);
	names = cli_objects_find(&cli_port, FILE_NAME, 0, NULL, &err);
	assert_string_equal(names, "e1,e2");
	free(names);
	names = cli_objects_find(&cli_port, FILE_NAME, 1, (char *[]){"nmae=e1"}, &err);
	assert_null(names);
	assert_non_null(strstr(err.text, "did you mean \"name\"?"));
}

static void get_prints_assumed_values_too(void **state)
{
	static const struct {
		const char *field, *value;
	} cases[] = {
		{"ip-dst", "2.2.2.2\n"},
		{"assumed-port", "e1\n"},
		{"assumed-ip-src", "1.1.1.1\n"},
		{"assumed-mac-dst", "arp:1.1.1.254\n"},
		{"assumed-ip-ttl", "64\n"},
		{"assumed-ip-dst", "2.2.2.2\n"}, /* as given */
		{"value-name=comment", "a;b\n"},
		{"mac-src", "\n"},
	};

	(void)state;
	write_file(FILE_TEXT);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		assert_string_equal(
			run(&cli_packet_template, "get", "r12", (char *)cases[i].field).out,
			cases[i].value);
	assert_non_null(strstr(run(&cli_packet_template, "get", "r12", "assumed-ip-tll").err.text,
		"did you mean \"ip-ttl\"?"));
}

static void values_that_cannot_be_given_are_shown(void **state)
{
	struct outcome o;

	(void)state;
	assert_done(run(
		&cli_raw_packet_template, "add", "name=w", "header=ffffffffffff0200000000010800"));
	assert_string_equal(run(&cli_raw_packet_template, "get", "w", "header-length").out, "14\n");
	o = run(&cli_raw_packet_template, "print");
	assert_non_null(strstr(o.out, " header-length=14\n"));
	assert_null(strstr(o.out, "assumed-header-length"));
	o = run(&cli_raw_packet_template, "set", "w", "header-length=15");
	assert_non_null(strstr(o.err.text, "header-length: is read-only"));
	setenv("TGEN_RUN_DIR", "/nonexistent", 1);
	assert_string_equal(run(&cli_settings, "get", "running").out, "no\n");
}

static void print_has_a_form_for_every_reader(void **state)
{
	struct outcome o;

	(void)state;
	write_file(FILE_TEXT);
	o = run(&cli_port, "print", "detail");
	assert_done(o);
	assert_string_equal(o.out,
		"Flags: X - disabled\n"
		"  0   name=e1\n      comment=\n      disabled=no\n      device=ring:a\n"
		"      address=1.1.1.1/24\n      mac=\n      mtu=\n      speed=\n      gateway=\n"
		"      first-header=mac\n"
		"  1 X name=e2\n      comment=\n      disabled=yes\n      device=ring:b\n"
		"      address=\n      mac=\n      mtu=1500\n      speed=\n      gateway=\n"
		"      first-header=mac\n");
	assert_string_equal(run(&cli_port, "print", "terse").out,
		"0   name=e1 device=ring:a address=1.1.1.1/24\n"
		"1 X name=e2 device=ring:b disabled=yes mtu=1500\n");
	assert_string_equal(run(&cli_packet_template, "print", "r12", "as-value").out,
		"name=r12;ip-gateway=1.1.1.254;ip-dst=2.2.2.2;comment=\"a;b\"\n");
	assert_string_equal(run(&cli_port, "print", "terse", "where", "disabled=yes").out,
		"1 X name=e2 device=ring:b disabled=yes mtu=1500\n");
	assert_non_null(strstr(run(&cli_port, "print", "e1", "terse", "detail").err.text,
		"\"detail\" is one word too many"));
	assert_non_null(strstr(run(&cli_port, "print", "where", "name~e").err.text, "no patterns"));
}

static void settings_are_one_object_without_a_name(void **state)
{
	struct outcome o;

	(void)state;
	assert_done(run(&cli_settings, "set", "test-id=7", "rate-layer=l1"));
	assert_file(
		"{\n  \"settings\": {\n    \"test-id\": 7,\n    \"rate-layer\": \"l1\"\n  }\n}\n");
	assert_string_equal(run(&cli_settings, "get", "test-id").out, "7\n");
	assert_string_equal(run(&cli_settings, "get", "measure-out-of-order").out, "yes\n");
	o = run(&cli_settings, "print");
	assert_non_null(strstr(o.out, "                       test-id: 7\n"));
	assert_string_equal(
		run(&cli_settings, "print", "as-value").out, "test-id=7;rate-layer=l1\n");
	assert_string_equal(run(&cli_settings, "export").out,
		"/tool traffic-generator\nset test-id=7 rate-layer=l1\n");
	assert_done(run(&cli_settings, "unset", "rate-layer,test-id"));
	assert_string_equal(run(&cli_settings, "export").out, "");
	assert_string_equal(run(&cli_settings, "get", "test-id").out, "0\n");
}

static void wrong_words_about_settings_change_nothing(void **state)
{
	static const struct {
		const char *words[MAX_WORDS];
		const char *message;
	} cases[] = {
		{{"set"}, "nothing to set"},
		{{"set", "test-id=256"}, "test-id: \"256\" is out of range"},
		{{"set", "tset-id=1"}, "did you mean \"test-id\"?"},
		{{"set", "name", "test-id=1"}, "\"name\" is not name=value"},
		{{"add", "test-id=1"}, "cannot \"add\", only set, unset, print, get, export"},
		{{"exprot"}, "did you mean \"export\"?"},
		{{"get"}, "usage: tgen settings get FIELD"},
		{{"unset", "nothing"}, "settings has no \"nothing\""},
	};

	(void)state;
	write_file(FILE_TEXT);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct outcome o = run_words(&cli_settings, (char **)cases[i].words);

		if (strstr(o.err.text, cases[i].message) == NULL)
			assert_string_equal(o.err.text, cases[i].message);
		assert_int_equal(o.err.status, TGEN_USAGE);
		assert_file(FILE_TEXT);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		T(find_prints_the_names_of_those_that_have_the_values),
		T(find_for_a_script_gives_a_list_and_needs_no_file),
		T(get_prints_assumed_values_too),
		T(values_that_cannot_be_given_are_shown),
		T(print_has_a_form_for_every_reader),
		T(settings_are_one_object_without_a_name),
		T(wrong_words_about_settings_change_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
