/* SPDX-License-Identifier: BSD-3-Clause */
#include "objects_help.h"

#include "../../src/cli/script.h"

#define TWO_TEMPLATES                                                                              \
	"{\n"                                                                                      \
	"  \"packet-templates\": [\n"                                                              \
	"    {\"name\": \"r12\", \"header-stack\": [\"mac\", \"ip\", \"udp\"], "                   \
	"\"ip-dst\": \"1.1.2.2\"},\n"                                                              \
	"    {\"name\": \"r13\", \"udp-src-port\": [\"1\", \"2-9\"], \"ip-ttl\": \"9\", "          \
	"\"comment\": \"it's\"}\n"                                                                 \
	"  ]\n"                                                                                    \
	"}\n"

static void add_creates_the_file_and_appends(void **state)
{
	(void)state;
	assert_done(run(&cli_packet_template, "add", "name=r12", "header-stack=mac,ip,udp",
		"ip-dst=1.1.2.2"));
	assert_done(run(&cli_packet_template, "add", "name=r13", "udp-src-port=1,2-9", "ip-ttl=9",
		"comment=it's"));
	assert_file("{\n"
		    "  \"packet-templates\": [\n"
		    "    {\"name\": \"r12\", \"header-stack\": [\"mac\", \"ip\", \"udp\"], "
		    "\"ip-dst\": \"1.1.2.2\"},\n"
		    "    {\"name\": \"r13\", \"udp-src-port\": [\"1\", \"2-9\"], \"ip-ttl\": 9, "
		    "\"comment\": \"it's\"}\n"
		    "  ]\n"
		    "}\n");
	assert_done(run(&cli_port, "add", "name=ether1", "device=ring:a", "disabled=yes"));
	assert_done(run(&cli_port, "get", "ether1", "device"));
}

static void add_copies_another_object_but_its_name(void **state)
{
	struct outcome o;

	(void)state;
	write_file(TWO_TEMPLATES);
	assert_done(run(&cli_packet_template, "add", "name=r14", "copy-from=r13", "ip-ttl=10"));
	assert_string_equal(run(&cli_packet_template, "get", "r14", "udp-src-port").out, "1,2-9\n");
	assert_string_equal(run(&cli_packet_template, "get", "r14", "ip-ttl").out, "10\n");
	assert_string_equal(run(&cli_packet_template, "get", "r13", "ip-ttl").out, "9\n");
	o = run(&cli_packet_template, "add", "copy-from=r13");
	assert_non_null(strstr(o.err.text, "name: is missing"));
	o = run(&cli_packet_template, "add", "name=r15", "copy-from=r16");
	assert_non_null(strstr(o.err.text, "no packet-template \"r16\""));
}

static void set_keeps_key_order_and_comments(void **state)
{
	(void)state;
	write_file(
		"{\"comment\": \"mine\", \"settings\": {\"test-id\": 3},\n"
		"\"ports\": [{\"device\": \"ring:a\", \"comment\": \"left\", \"name\": \"e1\"},\n"
		"{\"name\": \"e2\", \"device\": \"ring:b\"}]}");
	assert_done(run(&cli_port, "set", "e1,e2", "mtu=1500"));
	assert_done(run(&cli_port, "set", "numbers=e1", "device=ring:c"));
	assert_done(run(&cli_port, "comment", "e2", "right one"));
	assert_done(run(&cli_port, "disable", "e2"));
	assert_file("{\n"
		    "  \"comment\": \"mine\",\n"
		    "  \"settings\": {\n"
		    "    \"test-id\": 3\n"
		    "  },\n"
		    "  \"ports\": [\n"
		    "    {\"device\": \"ring:c\", \"comment\": \"left\", \"name\": \"e1\", "
		    "\"mtu\": 1500},\n"
		    "    {\"name\": \"e2\", \"device\": \"ring:b\", \"mtu\": 1500, "
		    "\"comment\": \"right one\", \"disabled\": true}\n"
		    "  ]\n"
		    "}\n");
	assert_done(run(&cli_port, "enable", "e2"));
	assert_done(run(&cli_port, "unset", "e1,e2", "value-name=mtu,comment"));
	assert_done(run(&cli_port, "set", "e1", "name=e3"));
	assert_file("{\n"
		    "  \"comment\": \"mine\",\n"
		    "  \"settings\": {\n"
		    "    \"test-id\": 3\n"
		    "  },\n"
		    "  \"ports\": [\n"
		    "    {\"device\": \"ring:c\", \"name\": \"e3\"},\n"
		    "    {\"name\": \"e2\", \"device\": \"ring:b\"}\n"
		    "  ]\n"
		    "}\n");
	assert_done(run(&cli_port, "remove", "e3,e2"));
	assert_string_equal(run(&cli_port, "print").out, "Flags: X - disabled\n");
}

static void print_shows_given_values_then_assumed_ones(void **state)
{
	struct outcome o;

	(void)state;
	write_file(TWO_TEMPLATES);
	o = run(&cli_packet_template, "print", "r13");
	assert_done(o);
	assert_string_equal(o.out,
		"  1   ;;; it's\n"
		"      name=r13 udp-src-port=1,2-9 ip-ttl=9\n"
		"      assumed-header-stack=mac,ip,udp assumed-mac-protocol=ip assumed-ip-dscp=0\n"
		"      assumed-ip-length=good assumed-ip-id=0 assumed-ip-frag-off=0 "
		"assumed-ip-protocol=udp\n"
		"      assumed-ip-checksum=good assumed-udp-dst-port=200 assumed-udp-length=good\n"
		"      assumed-udp-checksum=0\n");
	o = run(&cli_packet_template, "print");
	assert_non_null(strstr(o.out, "  0   name=r12 header-stack=mac,ip,udp ip-dst=1.1.2.2\n"));
	assert_null(strstr(strstr(o.out, "r12"), "assumed-ip-dst"));
	assert_done(run(&cli_port, "add", "name=e1", "device=ring:a;copy=1", "disabled=yes"));
	assert_string_equal(run(&cli_port, "print", "e1").out,
		"Flags: X - disabled\n  0 X name=e1 device='ring:a;copy=1'\n      "
		"first-header=mac\n");
}

static void get_prints_the_value_given_or_its_default(void **state)
{
	(void)state;
	write_file(TWO_TEMPLATES);
	assert_string_equal(run(&cli_packet_template, "get", "r12", "ip-dst").out, "1.1.2.2\n");
	assert_string_equal(
		run(&cli_packet_template, "get", "r12", "value-name=ip-ttl").out, "64\n");
	assert_string_equal(run(&cli_packet_template, "get", "r12", "ip-src").out, "\n");
}

/* Runs the lines of an export as the console would. */
static void run_exported(const char *lines)
{
	const struct cli_object_kind *kind = NULL;
	struct script_line line;
	struct script_lex lex;
	struct err err = {0};

	script_lex_init(&lex, lines, strlen(lines));
	while (script_lex_next(&lex, &line, &err) > 0) {
		char *argv[MAX_WORDS] = {NULL};

		for (unsigned i = 0; i < line.nb; i++)
			argv[i] = line.words[i].text;
		if (strcmp(argv[0], "/tool") == 0) {
			assert_string_equal(argv[1], "traffic-generator");
			kind = argv[2] == NULL ? &cli_settings : cli_object_kind_find(argv[2]);
		} else {
			assert_non_null(kind);
			assert_done(run_words(kind, argv));
		}
		script_line_free(&line);
	}
	script_line_free(&line);
	assert_string_equal(err.text, "");
}

/* `tgen export`. */
static const char *export_all(void)
{
	static char text[TEXT_MAX];
	struct err err = {0};
	int saved;

	fflush(stdout);
	saved = dup(STDOUT_FILENO);
	assert_non_null(freopen("out", "w", stdout));
	assert_int_equal(cli_objects_export(FILE_NAME, &err), 0);
	assert_true(dup2(saved, STDOUT_FILENO) >= 0);
	close(saved);
	read_file("out", text);
	return text;
}

static void export_run_again_gives_the_same_file(void **state)
{
	char first[TEXT_MAX], lines[3 * TEXT_MAX];

	(void)state;
	assert_done(run(&cli_port, "add", "name=e1", "device=ring:a,copy=1",
		"address=1.1.1.2/24,1.1.2.2/24", "mtu=9000", "disabled=yes"));
	assert_done(run(&cli_packet_template, "add", "name=a", "comment=it's \"$HOME\" `x` \\ *",
		"ip-ttl=3,4", "special-footer=no"));
	assert_done(run(&cli_packet_template, "add", "comment=", "name=b", "data-byte=0f"));
	assert_done(run(&cli_packet_template, "add", "name=c", "udp-dst-port=1-9"));
	assert_done(run(&cli_settings, "set", "test-id=7", "comment=a;b"));
	read_file(FILE_NAME, first);
	snprintf(lines, sizeof(lines), "%s%s%s", run(&cli_port, "export").out,
		run(&cli_packet_template, "export").out, run(&cli_settings, "export").out);
	assert_int_equal(unlink(FILE_NAME), 0);
	run_exported(lines);
	assert_file(first);
	assert_string_equal(run(&cli_packet_template, "export", "c").out,
		"/tool traffic-generator packet-template\nadd name=c udp-dst-port=1-9\n");
	read_file(FILE_NAME, first);
	snprintf(lines, sizeof(lines), "%s", export_all());
	assert_int_equal(unlink(FILE_NAME), 0);
	run_exported(lines);
	snprintf(lines, sizeof(lines), "%s", export_all());
	assert_int_equal(unlink(FILE_NAME), 0);
	run_exported(lines);
	assert_string_equal(export_all(), lines);
}

static void wrong_files_are_named_with_line_and_column(void **state)
{
	struct outcome o;

	(void)state;
	write_file("{\"packet-templates\": [\n  {\"name\": \"r12\", \"ip-dts\": \"1.1.1.1\"}]}");
	o = run(&cli_packet_template, "print");
	assert_int_equal(o.rc, -EINVAL);
	assert_string_equal(o.err.text,
		FILE_NAME ":2:19: packet-templates[0]: unknown key \"ip-dts\", did you mean "
			  "\"ip-dst\"?");
}

static void a_failing_command_leaves_the_file_as_it_was(void **state)
{
	static const struct {
		const char *words[MAX_WORDS];
		const char *message;
	} cases[] = {
		{{"add"}, "usage: tgen packet-template add name=NAME"},
		{{"add", "name=r12"}, "there is a packet-template \"r12\" already"},
		{{"add", "name=r14", "ip-dts=1.1.1.1"}, "did you mean \"ip-dst\""},
		{{"add", "name=r14", "ip-ttl=256"}, "ip-ttl: \"256\" is out of range"},
		{{"add", "name=r14", "copy-from=r12", "copy-from=r13"}, "copy-from: given twice"},
		{{"add", "name=r14", "stray"}, "\"stray\" is not name=value"},
		{{"set", "r12,r13", "name=r14"}, "there is a packet-template \"r14\" already"},
		{{"set", "r12,r15", "ip-ttl=3"}, "no packet-template \"r15\" in " FILE_NAME},
		{{"set", "r12"}, "nothing to set"},
		{{"set", "ip-ttl=3"}, "which packet-template?"},
		{{"unset", "r12", "value-name=ip-dst,name"}, "name: is required"},
		{{"unset", "r12", "value-name=ip-dst,ip-scr"}, "did you mean \"ip-src\"?"},
		{{"unset", "r12"}, "unset what?"},
		{{"remove", "r12,x"}, "no packet-template \"x\""},
		{{"remove", "r12", "r13"}, "\"r13\" is one word too many"},
		{{"enable", "r12"},
			"cannot \"enable\", only add, set, unset, remove, comment, print"},
		{{"get", "r12", "ip-dts"}, "did you mean \"ip-dst\"?"},
		{{"print", "r99"}, "did you mean \"r12\"?"},
		{{NULL}, "what to do? one of add, set"},
	};

	(void)state;
	write_file(TWO_TEMPLATES);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct outcome o = run_words(&cli_packet_template, (char **)cases[i].words);

		assert_int_not_equal(o.rc, 0);
		if (strstr(o.err.text, cases[i].message) == NULL)
			assert_string_equal(o.err.text, cases[i].message);
		assert_int_equal(o.err.status, TGEN_USAGE);
		assert_string_equal(o.out, "");
		assert_file(TWO_TEMPLATES);
	}
}

static void an_empty_comment_and_enable_take_the_value_away(void **state)
{
	struct outcome o;

	(void)state;
	write_file("{\"ports\": [{\"name\": \"e1\", \"device\": \"ring:a\", \"comment\": \"x\", "
		   "\"disabled\": true}]}");
	assert_done(run(&cli_port, "comment", "e1", ""));
	assert_done(run(&cli_port, "enable", "e1"));
	assert_file("{\n  \"ports\": [\n    {\"name\": \"e1\", \"device\": \"ring:a\"}\n  ]\n}\n");
	o = run(&cli_port, "comment", "e1", "two", "words");
	assert_non_null(strstr(o.err.text, "put it in quotes, as \"two words\""));
}

/* A command with its standard error caught. */
static void run_stderr(
	const struct cli_object_kind *kind, const char *verb, const char *name, char text[TEXT_MAX])
{
	int saved = dup(STDERR_FILENO);

	assert_non_null(freopen("err", "w", stderr));
	assert_done(run(kind, (char *)verb, (char *)name));
	fflush(stderr);
	assert_true(dup2(saved, STDERR_FILENO) >= 0);
	close(saved);
	read_file("err", text);
}

static void removing_what_templates_name_says_so(void **state)
{
	char text[TEXT_MAX];

	(void)state;
	write_file("{\"ports\": [{\"name\": \"e1\", \"device\": \"ring:a\"},"
		   " {\"name\": \"e2\", \"device\": \"ring:b\"}],"
		   " \"packet-templates\": [{\"name\": \"r12\", \"port\": \"e1\"},"
		   " {\"name\": \"r21\", \"rx-port\": \"e1\", \"reply-to\": \"r12\"}]}\n");
	run_stderr(&cli_port, "remove", "e2", text);
	assert_string_equal(text, "");
	run_stderr(&cli_port, "remove", "e1", text);
	assert_string_equal(text, "tgen: warning: port e1 is removed, but still named by "
				  "packet-template r12, r21\n");
	run_stderr(&cli_packet_template, "remove", "r12", text);
	assert_string_equal(text, "tgen: warning: packet-template r12 is removed, but still named "
				  "by packet-template r21\n");
}

enum { NB_ADDED = 10 };

static int add_some(unsigned i)
{
	for (unsigned j = 0; j < NB_ADDED; j++) {
		struct err err = {0};
		char name[32];

		snprintf(name, sizeof(name), "name=t%u-%u", i, j);
		if (cli_objects(&cli_packet_template, FILE_NAME, 2, (char *[]){"add", name},
			    &err) != 0) {
			fprintf(stderr, "%s\n", err.text);
			return -1;
		}
	}
	return 0;
}

static void objects_added_by_many_at_once_are_all_kept(void **state)
{
	enum { NB = 6 };
	pid_t pids[NB];
	struct err err = {0};
	struct conf *conf;
	int failed = 0;

	(void)state;
	for (unsigned i = 0; i < NB; i++) {
		pids[i] = fork();
		assert_true(pids[i] >= 0);
		if (pids[i] == 0)
			_exit(add_some(i) != 0);
	}
	for (unsigned i = 0; i < NB; i++) {
		int status;

		assert_int_equal(waitpid(pids[i], &status, 0), pids[i]);
		failed |= status;
	}
	assert_int_equal(failed, 0);
	conf = conf_load(FILE_NAME, cli_conf_kinds, cli_nb_conf_kinds, false, &err);
	assert_non_null(conf);
	assert_int_equal(conf_nb(conf, "packet-templates"), NB * NB_ADDED);
	conf_free(conf);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		T(add_creates_the_file_and_appends),
		T(add_copies_another_object_but_its_name),
		T(set_keeps_key_order_and_comments),
		T(print_shows_given_values_then_assumed_ones),
		T(get_prints_the_value_given_or_its_default),
		T(export_run_again_gives_the_same_file),
		T(wrong_files_are_named_with_line_and_column),
		T(a_failing_command_leaves_the_file_as_it_was),
		T(an_empty_comment_and_enable_take_the_value_away),
		T(removing_what_templates_name_says_so),
		T(objects_added_by_many_at_once_are_all_kept),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
