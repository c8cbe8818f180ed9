/* SPDX-License-Identifier: BSD-3-Clause */
#include "script_help.h"

#include "../../src/cli/script_complete.h"

#include <unistd.h>

#define FILE_NAME "tgen-complete.json"

/* All candidates for a text with a blank between them. */
static void complete(int menu, const char *text, char out[8192])
{
	struct script_candidates found;

	assert_int_equal(script_complete(FILE_NAME, menu, text, &found), 0);
	out[0] = '\0';
	for (unsigned i = 0; i < found.nb; i++)
		snprintf(out + strlen(out), 8192 - strlen(out), "%s%s", i > 0 ? " " : "",
			found.list[i].text);
	script_candidates_free(&found);
}

static void what_may_follow_is_found(void **state)
{
	static const struct {
		int menu;
		const char *text, *found;
	} cases[] = {
		{SCRIPT_ROOT, "/to", "/tool"},
		{SCRIPT_ROOT, "/tool traf", "traffic-generator"},
		{SCRIPT_ROOT, "/tool/traf", "/tool/traffic-generator"},
		{SCRIPT_ROOT, "/ip address ", "add set remove print .."},
		{SCRIPT_IP_ADDRESS, "add addr", "address="},
		{SCRIPT_GENERATOR, "qui", "quick"},
		{SCRIPT_GENERATOR, "quick rate-l", "rate-layer="},
		{SCRIPT_GENERATOR, "quick rate-layer=",
			"rate-layer=packet rate-layer=l1 "
			"rate-layer=l2 rate-layer=l3"},
		{SCRIPT_GENERATOR, "quick tx-template=r", "tx-template=r12 tx-template=r13"},
		{SCRIPT_GENERATOR, "quick tx-template=r12,r13", "tx-template=r12,r13"},
		{SCRIPT_GENERATOR, "quick measure-out-of-order=y", "measure-out-of-order=yes"},
		{SCRIPT_GENERATOR, "quick mbps=1 mb", ""},
		{SCRIPT_GENERATOR, "packet-template set r1", "r12 r13"},
		{SCRIPT_GENERATOR, "packet-template set r12 header-stack=ma", "header-stack=mac"},
		{SCRIPT_GENERATOR, "packet-template add copy", "copy-from="},
		{SCRIPT_GENERATOR, "packet-template add copy-from=r12", "copy-from=r12"},
		{SCRIPT_GENERATOR, "packet-template get r12 udp-d", "udp-dst-port"},
		{SCRIPT_GENERATOR, "packet-template add udp-dst-port=in", "udp-dst-port=inc:"},
		{SCRIPT_GENERATOR, "packet-template add udp-dst-port=1,",
			"udp-dst-port=1, udp-dst-port=1,inc: udp-dst-port=1,dec: "
			"udp-dst-port=1,rand: udp-dst-port=1,shuffle: udp-dst-port=1,list:"},
		{SCRIPT_GENERATOR, "packet-template print d", "detail"},
		{SCRIPT_GENERATOR, "packet-template add port=", "port=e1"},
		{SCRIPT_GENERATOR, "print; quick rate-l", "rate-layer="},
		{SCRIPT_GENERATOR, "nonsense rate-l", ""},
		{SCRIPT_GENERATOR, "comment \"rate-l", ""},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		char found[8192];

		complete(cases[i].menu, cases[i].text, found);
		assert_string_equal(found, cases[i].found);
	}
}

static void all_options_of_a_command_are_offered(void **state)
{
	char found[8192];

	(void)state;
	complete(SCRIPT_GENERATOR, "quick ", found);
	for (size_t i = 0; i < QUICK_NB_OPTS; i++) {
		char want[80];

		snprintf(want, sizeof(want), "%s=", conf_quick_opts[i].name);
		assert_holds(found, want);
	}
}

static int make_file(void **state)
{
	FILE *f = fopen(FILE_NAME, "w");

	(void)state;
	return f == NULL ||
	       fputs("{\"ports\": [{\"name\": \"e1\", \"device\": \"ring:a\"}], "
		     "\"packet-templates\": [{\"name\": \"r12\"}, {\"name\": \"r13\"}]}",
		       f) < 0 ||
	       fclose(f) != 0;
}

static int remove_file(void **state)
{
	(void)state;
	return unlink(FILE_NAME);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_may_follow_is_found),
		cmocka_unit_test(all_options_of_a_command_are_offered),
	};

	return cmocka_run_group_tests(tests, make_file, remove_file);
}
