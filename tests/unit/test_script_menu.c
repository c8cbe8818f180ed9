/* SPDX-License-Identifier: BSD-3-Clause */
#include "script_help.h"

/* `menu: verb first` of a line in a menu, or the error. */
static void parse(int menu, const char *text, char out[2048], struct opt_pos *fault)
{
	struct script_command command;
	struct script_line line;
	struct err err = {0};

	assert_int_equal(lex_first(text, &line, &err), 1);
	if (script_parse(&line, menu, &command, fault, &err) != 0) {
		snprintf(out, 2048, "%s", err.text);
	} else {
		script_menu_path(command.menu, out, 256);
		if (command.verb != NULL)
			snprintf(out + strlen(out), 256, ": %s %u", command.verb, command.first);
	}
	script_line_free(&line);
}

static void paths_lead_to_menus_and_commands(void **state)
{
	static const struct {
		int menu;
		const char *text, *found;
	} cases[] = {
		{SCRIPT_ROOT, "/tool traffic-generator", "/tool traffic-generator"},
		{SCRIPT_ROOT, "/tool traffic-gen quick mbps=1", "/tool traffic-generator: quick 3"},
		{SCRIPT_ROOT, "/tool/traffic-generator/packet-template/add name=x",
			"/tool traffic-generator packet-template: add 1"},
		{SCRIPT_ROOT, "/tool/traffic-generator packet-template add name=x",
			"/tool traffic-generator packet-template: add 3"},
		{SCRIPT_ROOT, "tool traffic-generator packet-template/add",
			"/tool traffic-generator packet-template: add 3"},
		{SCRIPT_ROOT, "/ip address", "/ip address"},
		{SCRIPT_ROOT, "/ip/address/add address=1.1.1.1/24", "/ip address: add 1"},
		{SCRIPT_ROOT, "/ipv6 address add", "/ipv6 address: add 3"},
		{SCRIPT_IP_ADDRESS, "add address=1.1.1.1/24", "/ip address: add 1"},
		{SCRIPT_IP_ADDRESS, "/", "/"},
		{SCRIPT_IP_ADDRESS, "..", "/ip"},
		{SCRIPT_IP_ADDRESS, ".. ..", "/"},
		{SCRIPT_IP_ADDRESS, "../../quick", "/tool traffic-generator: quick 1"},
		{SCRIPT_IP_ADDRESS, "/quick", "/tool traffic-generator: quick 1"},
		{SCRIPT_GENERATOR, "quick", "/tool traffic-generator: quick 1"},
		{SCRIPT_GENERATOR, "print", "/tool traffic-generator: print 1"},
		{SCRIPT_GENERATOR, "export", "/tool traffic-generator: export 1"},
		{SCRIPT_GENERATOR, "pack pr", "/tool traffic-generator packet-template: print 2"},
		{SCRIPT_ROOT, "packet-template rem r12",
			"/tool traffic-generator packet-template: remove 2"},
		{SCRIPT_ROOT, "stats stream print",
			"/tool traffic-generator stats stream: print 3"},
		{SCRIPT_ROOT, "stats lat output=json",
			"/tool traffic-generator stats latency-distribution: print 2"},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct opt_pos fault;
		char found[2048];

		parse(cases[i].menu, cases[i].text, found, &fault);
		assert_string_equal(found, cases[i].found);
	}
}

static void what_is_not_there_is_named_with_a_remedy(void **state)
{
	static const struct {
		int menu;
		const char *text, *message;
		unsigned col;
	} cases[] = {
		{SCRIPT_ROOT, "/tool trafic-generator quick", "did you mean \"traffic-generator\"?",
			7},
		{SCRIPT_ROOT, "/interface print", "no \"interface\" in /: of RouterOS, tgen has",
			1},
		{SCRIPT_ROOT, "/ip route add", "tgen has /tool traffic-generator, /ip address", 5},
		{SCRIPT_GENERATOR, "inject", "not in this version of tgen", 1},
		{SCRIPT_GENERATOR, "stop", "not in this version of tgen", 1},
		{SCRIPT_GENERATOR, "p", "\"p\" may be ", 1},
		{SCRIPT_IP_ADDRESS, "quick mbps=1", "but in /tool traffic-generator: write /quick",
			1},
		{SCRIPT_IP_ADDRESS, "ad\\\nx y", "did you mean \"add\"?", 1},
		{SCRIPT_GENERATOR, "packet-size=1514 mbps=350", "end that line with a \\", 1},
		{SCRIPT_GENERATOR, "\"quick\"", "\"quick\" is no command", 1},
		{SCRIPT_GENERATOR, "quick/x", "\"quick\" is a command: \"x\"", 1},
		{SCRIPT_GENERATOR, "packet-template name=x", "\"name=x\" is no command", 17},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct opt_pos fault;
		char found[2048];

		parse(cases[i].menu, cases[i].text, found, &fault);
		assert_holds(found, cases[i].message);
		assert_int_equal(fault.col, cases[i].col);
	}
}

/* Whatever is listed can be typed: no name is another's beginning without being itself. */
static void every_item_is_found_by_its_name(void **state)
{
	(void)state;
	for (int menu = SCRIPT_ROOT; menu <= SCRIPT_OTHER; menu++) {
		struct script_item items[SCRIPT_MAX_ITEMS];
		unsigned nb = script_menu_items(menu, items);

		for (unsigned i = 0; i < nb; i++) {
			struct opt_pos fault;
			char found[2048], want[128];

			parse(menu, items[i].name, found, &fault);
			snprintf(want, sizeof(want), items[i].menu < 0 ? ": %s 1" : "%s",
				items[i].name);
			assert_holds(found, want);
			assert_string_not_equal(items[i].help, "");
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(paths_lead_to_menus_and_commands),
		cmocka_unit_test(what_is_not_there_is_named_with_a_remedy),
		cmocka_unit_test(every_item_is_found_by_its_name),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
