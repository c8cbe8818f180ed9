/* SPDX-License-Identifier: BSD-3-Clause */
#include "script_help.h"

/* The words of tgen for a line, with | between them, or the error; lacks: script_lacks_rate. */
static void translate(const char *text, char out[2048], bool *lacks)
{
	struct script_command command;
	struct script_action action;
	struct script_line line;
	struct opt_pos fault;
	struct err err = {0};

	assert_int_equal(lex_first(text, &line, &err), 1);
	assert_int_equal(script_parse(&line, SCRIPT_ROOT, &command, &fault, &err), 0);
	assert_non_null(command.verb);
	out[0] = '\0';
	if (script_translate(&line, &command, &action, &fault, &err) != 0) {
		snprintf(out, 2048, "%s", err.text);
	} else {
		for (unsigned i = 0; i < action.argc; i++)
			snprintf(out + strlen(out), 2048 - strlen(out), "%s%s", i > 0 ? "|" : "",
				(int)i == action.find ? "[]" : action.argv[i]);
		assert_null(action.argv[action.argc]);
		for (unsigned i = 0; i < action.find_argc; i++)
			snprintf(out + strlen(out), 2048 - strlen(out), " %s", action.find_argv[i]);
	}
	*lacks = script_lacks_rate(&action);
	script_action_free(&action);
	script_line_free(&line);
}

static void commands_become_words_of_tgen(void **state)
{
	static const struct {
		const char *text, *words;
	} cases[] = {
		{"/tool traffic-generator packet-template add name=r12 header-stack=mac,ip,udp",
			"packet-template|add|name=r12|header-stack=mac,ip,udp"},
		{"/tool traffic-gen quick tx-template=r12 packet-size=60 mbps=120",
			"quick|tx-template=r12|packet-size=60|mbps=120"},
		{"/tool/traffic-generator/packet-template/set r12 ip-ttl=3",
			"packet-template|set|r12|ip-ttl=3"},
		{"/packet-template set numbers=r12 ip-ttl=3",
			"packet-template|set|numbers=r12|ip-ttl=3"},
		{"/packet-template set [find] ip-ttl=3", "packet-template|set|[]|ip-ttl=3"},
		{"/packet-template set [find name=r12] ip-ttl=3",
			"packet-template|set|[]|ip-ttl=3 name=r12"},
		{"/packet-template remove numbers=[find where ip-dst=1.1.1.1 ip-ttl=4]",
			"packet-template|remove|[] ip-dst=1.1.1.1 ip-ttl=4"},
		{"/packet-template add name=x ip-gate=1.1.1.1 ip-ds=2",
			"packet-template|add|name=x|ip-gateway=1.1.1.1|ip-ds=2"},
		{"/packet-template add name=x copy-from=y",
			"packet-template|add|name=x|copy-from=y"},
		{"/packet-template comment r12 \"two words\"",
			"packet-template|comment|r12|two words"},
		{"/packet-template print detail without-paging", "packet-template|print|detail"},
		{"/port add name=p interface=ether1", "port|add|name=p|device=auto:ether1"},
		{"/port print where name=p", "port|print|where|name=p"},
		{"/tool traffic-generator set test-id=7", "settings|set|test-id=7"},
		{"/tool traffic-generator get value-name=test-id",
			"settings|get|value-name=test-id"},
		{"/settings print", "settings|print"},
		{"/export", "export"},
		{"/quick tx-template=a pps=1 as-value", "quick|tx-template=a|pps=1|as-value=yes"},
		{"/stats latency-distribution print output=json",
			"stats|latency-distribution|output=json"},
		{"/ip address add address=1.1.1.1/24 interface=ether1 network=1.1.1.0",
			"ip|add|address=1.1.1.1/24|interface=ether1|network=1.1.1.0"},
		{"/ip address remove [find interface=ether1]", "ip|remove|[] interface=ether1"},
		{"/ipv6 address add addr=2001:db8::1/64 inter=e1",
			"ipv6|add|address=2001:db8::1/64|interface=e1"},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		char words[2048];
		bool lacks;

		translate(cases[i].text, words, &lacks);
		assert_string_equal(words, cases[i].words);
		assert_false(lacks);
	}
}

static void what_has_no_words_in_tgen_is_refused(void **state)
{
	static const struct {
		const char *text, *message;
	} cases[] = {
		{"/packet-template set [find] [find]", "stands here twice"},
		{"/packet-template set [get r12] ip-ttl=3", "only [find …] is supported"},
		{"/packet-template set [] ip-ttl=3", "only [find …] is supported"},
		{"/packet-template set [find name] ip-ttl=3", "looks for name=value alone"},
		{"/packet-template set r12 ip-ttl=[find]", "brackets stand for names alone"},
		{"/quick [find]", "has no place in this command"},
		{"/tool traffic-generator set [find] test-id=1", "has no place in this command"},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		char words[2048];
		bool lacks;

		translate(cases[i].text, words, &lacks);
		assert_holds(words, cases[i].message);
	}
}

static void a_quick_with_templates_and_no_rate_is_not_complete(void **state)
{
	static const struct {
		const char *text;
		bool lacks;
	} cases[] = {
		{"/quick tx-template=a,b", true},
		{"/quick tx-template=a,b packet-size=60", true},
		{"/quick tx-template=a mbps=1", false},
		{"/quick tx-template=a pps=max", false},
		{"/quick tx-template=a total-mbps=1", false},
		{"/quick", false},
		{"/ping port=a", false},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		char words[2048];
		bool lacks;

		translate(cases[i].text, words, &lacks);
		assert_int_equal(lacks, cases[i].lacks);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(commands_become_words_of_tgen),
		cmocka_unit_test(what_has_no_words_in_tgen_is_refused),
		cmocka_unit_test(a_quick_with_templates_and_no_rate_is_not_complete),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
