/* SPDX-License-Identifier: BSD-3-Clause */
/* The guard keeps the kernel quiet on a port's interface, and leaves nothing behind. */
#include "kernel_help.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>

static void test_guarded_interface_is_silent_and_af_packet_still_sees(void **state)
{
	int fd_a = packet_open("va"), fd_b = packet_open("vb");
	struct kernel_guard *guard;
	struct err err = {0};

	assert_true(shell("ip addr add 192.0.2.1/24 dev va"));
	assert_true(arp_answers(fd_b, ANSWER_MS));
	assert_true(echo_answers(fd_b, ANSWER_MS));
	assert_true(arp_request_arrives(fd_a));

	guard = kernel_guard_new(&err);
	assert_non_null(guard);
	assert_int_equal(kernel_guard_add(guard, "va", &err), 0);
	assert_false(arp_answers(fd_b, SILENCE_MS));
	assert_true(arp_request_arrives(fd_a));
	assert_false(echo_answers(fd_b, SILENCE_MS));

	kernel_guard_free(guard);
	assert_true(arp_answers(fd_b, ANSWER_MS));
	assert_true(echo_answers(fd_b, ANSWER_MS));
	close(fd_a);
	close(fd_b);
}

static void test_guard_takes_several_interfaces_and_repeats(void **state)
{
	int fd_b = packet_open("vb");
	struct kernel_guard *guards[2];
	struct err err = {0};

	assert_true(shell("ip addr add 192.0.2.1/24 dev va"));
	guards[0] = kernel_guard_new(&err);
	guards[1] = kernel_guard_new(&err);
	assert_non_null(guards[0]);
	assert_non_null(guards[1]);
	assert_int_equal(kernel_guard_add(guards[0], "vb", &err), 0);
	assert_int_equal(kernel_guard_add(guards[0], "va", &err), 0);
	assert_int_equal(kernel_guard_add(guards[0], "va", &err), 0);
	assert_int_equal(kernel_guard_add(guards[1], "va", &err), 0);
	kernel_guard_free(guards[0]);
	assert_false(arp_answers(fd_b, SILENCE_MS));
	kernel_guard_free(guards[1]);
	assert_true(arp_answers(fd_b, ANSWER_MS));
	kernel_guard_free(NULL);
	close(fd_b);
}

/* A program that outlives who started it. Returns once it runs, with its descriptors. */
static pid_t sleeper_start(void)
{
	char *args[] = {"sleep", "30", NULL};
	posix_spawn_file_actions_t actions;
	pid_t pid = -1;

	posix_spawn_file_actions_init(&actions);
	for (int fd = 0; fd <= 2; fd++)
		posix_spawn_file_actions_addopen(&actions, fd, "/dev/null", O_RDWR, 0);
	if (posix_spawnp(&pid, args[0], &actions, NULL, args, environ) != 0)
		pid = -1;
	posix_spawn_file_actions_destroy(&actions);
	return pid;
}

static void test_guard_is_gone_with_a_killed_process(void **state)
{
	int fd_b = packet_open("vb"), pipe_fds[2], status;
	struct err err = {0};
	pid_t child, sleeper = -1;

	assert_true(shell("ip addr add 192.0.2.1/24 dev va"));
	assert_int_equal(pipe2(pipe_fds, O_CLOEXEC), 0);
	child = fork();
	if (child == 0) {
		struct kernel_guard *guard = kernel_guard_new(&err);

		if (guard != NULL && kernel_guard_add(guard, "va", &err) == 0)
			sleeper = sleeper_start();
		if (write(pipe_fds[1], &sleeper, sizeof(sleeper)) != sizeof(sleeper))
			_exit(1);
		for (;;)
			pause();
	}
	assert_int_equal(read(pipe_fds[0], &sleeper, sizeof(sleeper)), sizeof(sleeper));
	assert_true(sleeper > 0);
	assert_false(arp_answers(fd_b, SILENCE_MS));
	assert_true(shell("nft list tables | grep tgen_"));
	assert_int_equal(kill(child, SIGKILL), 0);
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_true(arp_answers(fd_b, ANSWER_MS));
	assert_false(shell("nft list tables | grep tgen_"));
	assert_int_equal(kill(sleeper, SIGKILL), 0);
	close(pipe_fds[0]);
	close(pipe_fds[1]);
	close(fd_b);
}

static void test_guard_of_an_unknown_interface_names_it(void **state)
{
	struct err err = {0};
	struct kernel_guard *guard = kernel_guard_new(&err);

	assert_non_null(guard);
	assert_int_equal(kernel_guard_add(guard, "nothere", &err), -ENODEV);
	assert_int_equal(err.status, TGEN_DEVICE);
	assert_non_null(strstr(err.text, "nothere"));
	kernel_guard_free(guard);
}

static void test_guard_without_the_right_says_what_it_takes(void **state)
{
	int status;
	pid_t child = fork();

	if (child == 0) {
		struct err err = {0};
		struct kernel_guard *guard;

		if (setuid(65534) != 0)
			_exit(2);
		guard = kernel_guard_new(&err);
		if (guard != NULL || err.status != TGEN_DEVICE)
			_exit(3);
		_exit(strstr(err.text, "CAP_NET_ADMIN") != NULL &&
					strstr(err.text, "as root") != NULL
				? 0
				: 4);
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		WITH_PAIR(test_guarded_interface_is_silent_and_af_packet_still_sees),
		WITH_PAIR(test_guard_takes_several_interfaces_and_repeats),
		WITH_PAIR(test_guard_is_gone_with_a_killed_process),
		cmocka_unit_test(test_guard_of_an_unknown_interface_names_it),
		cmocka_unit_test(test_guard_without_the_right_says_what_it_takes),
	};

	if (!namespace_enter())
		return SKIPPED;
	return cmocka_run_group_tests(tests, NULL, NULL);
}
