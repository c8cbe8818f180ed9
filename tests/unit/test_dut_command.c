/* SPDX-License-Identifier: BSD-3-Clause */
#include <errno.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "../../src/run/dut.h"
#include "dut_help.h"

#define MS   1000000ull
#define LONG (60 * 1000 * MS)
#define SIGN "\xef\xbf\xbd" /* U+FFFD */

/* What a command comes to: its status and what it leaves of what it printed. */
static void commands_end_as_they_say(void **state)
{
	static const char *const env[] = {"TGEN_WORD=yes", NULL};
	static const struct {
		const char *text;
		bool shell;
		uint64_t limit_ns;
		int status;
		bool timed_out;
		const char *output; /* how it begins */
	} cases[] = {
		{"true", false, LONG, 0, false, ""},
		{"false", false, LONG, 1, false, ""},
		{"sh -c 'exit 7'", false, LONG, 7, false, ""},
		{"exit 7", true, LONG, 7, false, ""},
		{"echo 'a  b' \"c\"", false, LONG, 0, false, "a  b c\n"},
		{"echo $HOME", false, LONG, 0, false, "$HOME\n"},
		{"echo $TGEN_WORD", true, LONG, 0, false, "yes\n"},
		{"echo 1; echo 2 >&2; echo 3", true, LONG, 0, false, "1\n2\n3\n"},
		{"printf 'a\\tb\\001\\033[0m\\377\\000z\\r\\n'", false, LONG, 0, false,
			"a\tb" SIGN SIGN "[0m" SIGN SIGN "z\n"},
		{"cat", false, LONG, 0, false, ""}, /* nothing to read */
		{"/nonexistent/program", false, LONG, -1, false,
			"tgen: /nonexistent/program cannot be started: No such file"},
		{"'open", false, LONG, -1, false, "tgen: it cannot be started: a quote"},
		{"sleep 1000", false, 50 * MS, -1, true, "tgen: it was ended after its time"},
		{"trap '' TERM; echo deaf; sleep 1000; sleep 1000", true, 50 * MS, -1, true, ""},
		{"kill -SEGV $$", true, LONG, -1, false, "tgen: it was killed by signal 11"},
		/* the program ignores and blocks signals, the command does not */
		{"kill -PIPE $$", true, LONG, -1, false, "tgen: it was killed by signal 13"},
		{"kill -USR1 $$", true, LONG, -1, false, "tgen: it was killed by signal 10"},
		/* neither descriptors of the program; 3 is the listing's own */
		{"ls /proc/self/fd | wc -l", true, LONG, 0, false, "4\n"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct dut_command command = {
			cases[i].text, cases[i].shell, cases[i].limit_ns, env, NULL};
		struct dut_command_result result;

		assert_int_equal(dut_command_run(&command, &result), 0);
		if (result.status != cases[i].status || result.timed_out != cases[i].timed_out ||
			result.interrupted || result.begin_ns > result.end_ns ||
			strncmp(result.output, cases[i].output, strlen(cases[i].output)) != 0)
			fail_msg("%s: %d %s", cases[i].text, result.status, result.output);
		dut_command_fini(&result);
	}
}

static void the_last_of_a_long_output_is_kept(void **state)
{
	struct dut_command command = {
		.text = "head -c 1048576 /dev/zero | tr '\\0' x; echo; echo end",
		.shell = true,
		.time_limit_ns = LONG};
	struct dut_command_result result;

	(void)state;
	assert_int_equal(dut_command_run(&command, &result), 0);
	assert_int_equal(result.status, 0);
	assert_int_equal(strlen(result.output), 65536);
	assert_string_equal(result.output + 65536 - 6, "x\nend\n");
	dut_command_fini(&result);
}

static bool lives(pid_t pid)
{
	char path[64], text[256] = "", *paren;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%d/stat", (int)pid);
	f = fopen(path, "r");
	if (f == NULL)
		return false;
	if (fgets(text, sizeof(text), f) == NULL)
		text[0] = '\0';
	fclose(f);
	paren = strrchr(text, ')');
	return paren != NULL && paren[2] != 'Z' && paren[2] != 'X';
}

/* Whatever way it ends, nothing of it goes on. A kill takes effect a little later: polled. */
static void no_grandchild_is_left(void **state)
{
	static const struct {
		const char *text;
		uint64_t limit_ns;
	} cases[] = {
		{"sleep 1000 & echo $!", LONG},
		{"(trap '' TERM; sleep 1000 & echo $!; wait); exit 1", 300 * MS},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct dut_command command = {
			.text = cases[i].text, .shell = true, .time_limit_ns = cases[i].limit_ns};
		struct dut_command_result result;
		pid_t pid;

		assert_int_equal(dut_command_run(&command, &result), 0);
		pid = (pid_t)atoi(result.output);
		for (int n = 0; pid > 0 && lives(pid) && n < 1000; n++)
			usleep(10000);
		assert_false(pid > 0 && lives(pid));
		dut_command_fini(&result);
	}
}

static void the_stop_flag_ends_a_command(void **state)
{
	static const volatile sig_atomic_t stop = 1;
	struct dut_command command = {.text = "sleep 1000", .time_limit_ns = LONG, .stop = &stop};
	struct dut_command_result result;

	(void)state;
	assert_int_equal(dut_command_run(&command, &result), 0);
	assert_true(result.interrupted && !result.timed_out);
	assert_int_equal(result.status, -1);
	dut_command_fini(&result);
}

/* Fails twice, then answers. */
static int ping_third(void *ctx, const char *port, const char *address)
{
	assert_string_equal(port, "ether1");
	assert_string_equal(address, "1.1.1.254");
	return ++*(int *)ctx < 3 ? -ETIMEDOUT : 0;
}

static void setup_and_teardown_say_what_failed(void **state)
{
	static const struct {
		const char *words[8];
		int setup, teardown, nb_records, nb_pings;
		const char *says; /* by the error of setup, or of teardown */
	} cases[] = {
		{{"name=v"}, 0, 0, 0, 0, ""},
		{{"name=v", "setup=true", "wait-ready-ping=ether1=1.1.1.254", "wait-ready=true"}, 0,
			0, 2, 3, ""},
		{{"name=v", "setup=true", "setup=sh -c 'echo no such thing; exit 3'", "setup=true"},
			-EIO, 0, 2, 0, "variant v: setup ended with status 3: no such thing;"},
		{{"name=v", "setup=nonexistent-program"}, -EIO, 0, 1, 0, "needs shell: yes"},
		{{"name=v", "setup=sleep 1000", "time-limit=50ms"}, -EIO, 0, 1, 0,
			"raise time-limit"},
		{{"name=v", "wait-ready=false", "ready-time-limit=100ms"}, -EIO, 0, 1, 0,
			"not ready within 0.1 s"},
		{{"name=v", "teardown=false", "teardown=sh -c 'exit 4'", "teardown=true"}, 0, -EIO,
			3, 0, "teardown ended with status 1"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		cJSON *commands = cJSON_CreateArray();
		struct err err = {0};
		struct opt_set set;
		int pings = 0;

		variant_init(&set, cases[i].words);
		assert_int_equal(
			dut_setup(&set, ping_third, &pings, NULL, commands, &err), cases[i].setup);
		if (cases[i].setup == 0)
			assert_int_equal(dut_teardown(&set, commands, &err), cases[i].teardown);
		if (strstr(err.text, cases[i].says) == NULL)
			fail_msg("%zu: %s", i, err.text);
		assert_int_equal(cJSON_GetArraySize(commands), cases[i].nb_records);
		assert_int_equal(pings, cases[i].nb_pings);
		cJSON_Delete(commands);
		opt_set_fini(&set);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(commands_end_as_they_say),
		cmocka_unit_test(the_last_of_a_long_output_is_kept),
		cmocka_unit_test(no_grandchild_is_left),
		cmocka_unit_test(the_stop_flag_ends_a_command),
		cmocka_unit_test(setup_and_teardown_say_what_failed),
	};
	sigset_t usr1;

	/* as the program does */
	signal(SIGPIPE, SIG_IGN);
	sigemptyset(&usr1);
	sigaddset(&usr1, SIGUSR1);
	sigprocmask(SIG_BLOCK, &usr1, NULL);
	dup2(1, 77);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
