/* SPDX-License-Identifier: BSD-3-Clause */
#include "bench.h"

#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <sys/file.h>
#include <sys/wait.h>
#include <unistd.h>

/* A process for every case, and huge pages around all of them. */

#define SKIPPED	     77
#define HUGE_FILE    "/proc/sys/vm/nr_hugepages"
#define HUGE_LOCK    "/tmp/tgen-test-huge.lock"
#define HUGE_FREE    "/sys/kernel/mm/hugepages/hugepages-2048kB/free_hugepages"
#define HUGE_PAGES   256u /* 2 MiB each: more than any case needs */
#define SKIP_MESSAGE "skipped: "

void bench_skip(const char *why)
{
	fprintf(stderr, SKIP_MESSAGE "%s\n", why);
	exit(SKIPPED);
}

static long number_read(const char *path)
{
	FILE *f = fopen(path, "re");
	long nb = -1;

	if (f != NULL && fscanf(f, "%ld", &nb) != 1)
		nb = -1;
	if (f != NULL)
		fclose(f);
	return nb;
}

static bool number_write(const char *path, long nb)
{
	FILE *f = fopen(path, "we");
	bool ok = f != NULL && fprintf(f, "%ld\n", nb) > 0;

	if (f != NULL && fclose(f) != 0)
		ok = false;
	return ok;
}

/* The number of pages before, or -1 with nothing changed. */
static long huge_reserve(void)
{
	/* two runs at once would give back each other's pages; held until the process ends */
	int lock = open(HUGE_LOCK, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
	long before;

	if (lock < 0 || flock(lock, LOCK_EX) < 0)
		return -1;
	before = number_read(HUGE_FILE);
	if (before < 0 || !number_write(HUGE_FILE, before + HUGE_PAGES))
		return -1;
	if (number_read(HUGE_FREE) >= (long)HUGE_PAGES)
		return before;
	number_write(HUGE_FILE, before);
	return -1;
}

bool bench_huge_wanted(void)
{
	const char *value = getenv("TGEN_TEST_HUGE");

	return value != NULL && strcmp(value, "1") == 0;
}

/* The exit status of one case. */
static int case_run(const char *self, const char *name)
{
	char *argv[] = {(char *)self, (char *)name, NULL};
	int status;
	pid_t pid;

	if (posix_spawn(&pid, "/proc/self/exe", NULL, NULL, argv, environ) != 0)
		return -1;
	while (waitpid(pid, &status, 0) < 0)
		if (errno != EINTR)
			return -1;
	if (WIFSIGNALED(status))
		fprintf(stderr, "%s: %s\n", name, strsignal(WTERMSIG(status)));
	return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static int cases_run(const char *self, const struct CMUnitTest *tests, size_t nb)
{
	unsigned failed = 0, skipped = 0;

	for (size_t i = 0; i < nb; i++) {
		int rc = case_run(self, tests[i].name);

		if (rc == SKIPPED)
			skipped++;
		else if (rc != 0)
			failed++;
		printf("%s: %s\n", tests[i].name,
			rc == 0		? "ok"
			: rc == SKIPPED ? "skipped"
					: "FAILED");
		fflush(stdout);
	}
	printf("%zu cases, %u failed, %u skipped\n", nb, failed, skipped);
	if (failed > 0)
		return 1;
	return skipped == nb ? SKIPPED : 0;
}

int bench_main(int argc, char **argv, const struct CMUnitTest *tests, size_t nb)
{
	long before = -1;
	int rc;

	if (argc > 1) {
		cmocka_set_test_filter(argv[1]);
		return _cmocka_run_group_tests(argv[1], tests, nb, NULL, NULL);
	}
	if (geteuid() != 0) {
		fprintf(stderr, SKIP_MESSAGE "the engine needs root\n");
		return SKIPPED;
	}
	if (bench_huge_wanted()) {
		before = huge_reserve();
		if (before < 0) {
			fprintf(stderr, SKIP_MESSAGE "no %u huge pages of 2 MiB to be had\n",
				HUGE_PAGES);
			return SKIPPED;
		}
	}
	rc = cases_run(argv[0], tests, nb);
	if (before >= 0 && !number_write(HUGE_FILE, before))
		fprintf(stderr, "the number of huge pages could not be put back to %ld\n", before);
	return rc;
}
