/* SPDX-License-Identifier: BSD-3-Clause */
/* Where memory is short the engine says how much it needs and how much there is, and ends in order. */
#include "bench.h"

#include <inttypes.h>
#include <stdio.h>
#include <sys/resource.h>
#include <unistd.h>

#define CONF                                                                                       \
	"{'ports': [{'name': 'loop', 'device': 'ring:loop', 'address': ['1.1.1.1/24']}],"          \
	"'packet-templates': [{'name': 'own', 'ip-dst': '1.1.1.1'}]}"
#define NB_MANY	     1000u
#define ROOM_MB	     24u /* for what is neither counter nor pool */
#define ONE_WORD_MAX 8u

#ifndef __has_feature /* clang's */
#define __has_feature(x) 0
#endif
#if defined(__SANITIZE_ADDRESS__) || __has_feature(address_sanitizer)
#define SANITIZED true /* reserves more address space than any limit allows */
#else
#define SANITIZED false
#endif

static uint64_t address_space_mb(void)
{
	FILE *f = fopen("/proc/self/statm", "re");
	uint64_t pages = 0;

	assert_non_null(f);
	assert_int_equal(fscanf(f, "%" SCNu64, &pages), 1);
	fclose(f);
	return pages * (uint64_t)getpagesize() >> 20;
}

static void address_space_limit(uint64_t mb)
{
	struct rlimit limit = {mb << 20, RLIM_INFINITY};

	assert_int_equal(setrlimit(RLIMIT_AS, &limit), 0);
}

/* tx-template=own,own,… */
static char *words_of_many(void)
{
	size_t size = NB_MANY * ONE_WORD_MAX + 128;
	char *words = malloc(size);
	size_t used;

	assert_non_null(words);
	used = (size_t)snprintf(words, size, "packet-size=60 pps=1 tx-template=own");
	for (unsigned i = 1; i < NB_MANY; i++)
		used += (size_t)snprintf(words + used, size - used, ",own");
	return words;
}

static void counters_that_do_not_fit_are_told_with_both_figures(void **state)
{
	unsigned need = 0, have = 0, nb = 0;
	char *words = words_of_many();
	struct bench b;

	(void)state;
	if (SANITIZED)
		bench_skip("the sanitizer has the address space");
	bench_plan(&b, CONF, words);
	free(words);
	if (bench_open_engine(&b) < 0)
		fail_msg("%s", b.err.text);
	address_space_limit(address_space_mb() + ROOM_MB);
	assert_true(bench_load_engine(&b) < 0);
	assert_int_equal(b.err.status, TGEN_DEVICE);
	if (sscanf(b.err.text,
		    "counters of %u streams on 1 queues need %u MiB of memory, %u MiB are "
		    "available",
		    &nb, &need, &have) != 3)
		fail_msg("%s", b.err.text);
	assert_int_equal(nb, NB_MANY);
	assert_true(need > have);
	assert_true(have <= ROOM_MB);
	bench_close(&b);
}

static void an_engine_that_cannot_have_its_pools_says_how_much_it_needs(void **state)
{
	unsigned need = 0, have = 0;
	struct bench b;

	(void)state;
	if (SANITIZED)
		bench_skip("the sanitizer has the address space");
	if (bench_huge_wanted())
		bench_skip("the pools are on huge pages, which have no such limit");
	bench_plan(&b, CONF, "tx-template=own packet-size=60 pps=1");
	address_space_limit(address_space_mb() + ROOM_MB);
	assert_true(bench_open_engine(&b) < 0);
	assert_int_equal(b.err.status, TGEN_DEVICE);
	if (sscanf(b.err.text, "DPDK needs %u MiB of memory, %u MiB are available", &need, &have) !=
		2)
		fail_msg("%s", b.err.text);
	assert_true(need > have);
	assert_true(have <= ROOM_MB);
	bench_close(&b);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(counters_that_do_not_fit_are_told_with_both_figures),
		cmocka_unit_test(an_engine_that_cannot_have_its_pools_says_how_much_it_needs),
	};

	return bench_main(argc, argv, tests, NB(tests));
}
