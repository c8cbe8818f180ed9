/* SPDX-License-Identifier: BSD-3-Clause */
/* What selftests found: kept in a file, merged, cited for a run. */
#include "../../src/cli/selftest_book.h"
#include "../../src/cli/state.h"

#include <dirent.h>
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#define NB(array) (sizeof(array) / sizeof((array)[0]))
#define M	  1000000u

static const struct selftest_host here = {"CPU of many cores", "Linux 6.1", "DPDK 22.11.0"};

static struct selftest_entry entry(
	const char *device, const char *rx_device, uint32_t size, uint64_t clean_pps, uint64_t p50)
{
	struct selftest_entry e = {.driver = "net_af_packet",
		.date = "2031-05-01T12:00:00Z",
		.packet_size = size,
		.workers = 1,
		.clean_pps = clean_pps,
		.floor_pps = 10000,
		.floor = {
			.count = p50 != 0 ? 10000 : 0, .min = p50 / 2, .p50 = p50, .p99 = p50 * 3}};

	snprintf(e.device, sizeof(e.device), "%s", device);
	snprintf(e.rx_device, sizeof(e.rx_device), "%s", rx_device);
	return e;
}

static void put(struct selftest_book *book, struct selftest_entry e)
{
	assert_int_equal(selftest_book_put(book, &e), 0);
}

/* A directory of the test's own, removed with what is two levels below. */
static int dir_make(void **state)
{
	static char dir[64];

	snprintf(dir, sizeof(dir), "/tmp/tgen-book-XXXXXX");
	*state = mkdtemp(dir);
	return *state != NULL ? 0 : -1;
}

static unsigned dir_entries(const char *path)
{
	DIR *d = opendir(path);
	unsigned nb = 0;

	while (d != NULL && readdir(d) != NULL)
		nb++;
	if (d != NULL)
		closedir(d);
	return nb - 2;
}

static int dir_remove(void **state)
{
	char command[128];

	snprintf(command, sizeof(command), "rm -r %s", (const char *)*state);
	return system(command);
}

static void what_is_written_is_read_again(void **state)
{
	struct selftest_book book = {.host = here}, again;
	char path[160], parent[128];
	struct err err = {0};

	snprintf(parent, sizeof(parent), "%s/a/tgen", (const char *)*state);
	snprintf(path, sizeof(path), "%s/selftest.json", parent);
	assert_int_equal(selftest_book_read(&again, path, &err), -ENOENT);
	assert_string_equal(err.text, "");
	put(&book, entry("auto:ether1", "auto:ether2", 60, 1400000, 1800));
	put(&book, entry("ring:", "ring:", 1514, 812500, 0));
	book.entries[1].limited = true;
	for (unsigned i = 0; i < 2; i++) { /* a new file, and one that is there */
		assert_int_equal(selftest_book_write(&book, path, &err), 0);
		assert_int_equal(dir_entries(parent), 1);
		assert_int_equal(selftest_book_read(&again, path, &err), 0);
		assert_memory_equal(&again.host, &book.host, sizeof(book.host));
		assert_int_equal(again.nb, 2);
		assert_string_equal(again.entries[0].rx_device, "auto:ether2");
		assert_int_equal(again.entries[0].clean_pps, 1400000);
		assert_int_equal(again.entries[0].floor.p50, 1800);
		assert_int_equal(again.entries[0].floor.p99, 5400);
		assert_false(again.entries[0].limited);
		assert_true(again.entries[1].limited);
		assert_int_equal(again.entries[1].floor.count, 0);
		selftest_book_fini(&again);
	}
	selftest_book_fini(&book);
}

static void a_file_of_something_else_is_an_error(void **state)
{
	static const char *const texts[] = {"", "{", "[]", "{\"schema\":\"tgen.selftest/1\"}",
		"{\"schema\":\"tgen.selftest/2\",\"host\":{\"cpu-model\":\"\",\"kernel\":\"\","
		"\"dpdk\":\"\"},\"entries\":[]}",
		"{\"schema\":\"tgen.selftest/1\",\"host\":{\"cpu-model\":\"\",\"kernel\":\"\","
		"\"dpdk\":\"\"},\"entries\":[{\"device\":\"ring:\"}]}"};
	char path[128];

	snprintf(path, sizeof(path), "%s/selftest.json", (const char *)*state);
	for (size_t i = 0; i < NB(texts); i++) {
		struct selftest_book book;
		struct err err = {0};
		FILE *f = fopen(path, "w");

		assert_non_null(f);
		fputs(texts[i], f);
		fclose(f);
		assert_int_equal(selftest_book_read(&book, path, &err), -EINVAL);
		assert_non_null(strstr(err.text, path));
		assert_int_equal(book.nb, 0);
	}
}

static void a_later_selftest_takes_the_place_of_the_same_device_and_size_only(void **state)
{
	struct selftest_book book = {.host = here};

	(void)state;
	put(&book, entry("auto:ether1", "auto:ether1", 60, 1, 10));
	put(&book, entry("auto:ether1", "auto:ether1", 508, 2, 20));
	put(&book, entry("auto:ether2", "auto:ether1", 60, 3, 30));
	put(&book, entry("auto:ether1", "auto:ether2", 60, 4, 40));
	assert_int_equal(book.nb, 3);
	assert_int_equal(book.entries[0].clean_pps, 4);
	assert_int_equal(book.entries[1].clean_pps, 2);
	assert_int_equal(book.entries[2].clean_pps, 3);
	selftest_book_fini(&book);
}

static void rings_are_all_alike_and_other_devices_are_not(void **state)
{
	char out[32];

	(void)state;
	selftest_device(out, sizeof(out), "ring:loop");
	assert_string_equal(out, "ring:");
	selftest_device(out, sizeof(out), "auto:ether1");
	assert_string_equal(out, "auto:ether1");
	selftest_device(out, sizeof(out), "ringo:x");
	assert_string_equal(out, "ringo:x");
}

/* Two ports and a stream from the first to rx_port. */
struct run {
	struct result_port ports[2];
	struct result_stream streams[2];
	struct result_info info;
};

static void run_init(struct run *r, const char *tx, const char *rx, int32_t rx_port, uint32_t size,
	uint64_t asked_pps)
{
	r->ports[0] =
		(struct result_port){.name = "ether1", .device = tx, .driver = "net_af_packet"};
	r->ports[1] =
		(struct result_port){.name = "ether2", .device = rx, .driver = "net_af_packet"};
	r->streams[0] = (struct result_stream){.rx_port = rx_port,
		.packet_size = size,
		.asked_upps = asked_pps * M,
		.flat_out = asked_pps == 0};
	r->info = (struct result_info){
		.ports = r->ports, .nb_ports = 2, .streams = r->streams, .nb_streams = 1};
}

static void the_floor_is_the_nearest_size_of_the_slowest_port(void **state)
{
	static const struct {
		const char *tx, *rx;
		int32_t rx_port;
		uint32_t size;
		uint64_t floor;
	} cases[] = {
		{"auto:a", "auto:a", 0, 60, 100}, {"auto:a", "auto:a", 0, 283, 100},
		{"auto:a", "auto:a", 0, 285, 200}, {"auto:a", "auto:a", 0, 9000, 200},
		{"auto:a", "auto:b", 1, 60, 700},  /* the slower one receives */
		{"auto:b", "auto:a", 1, 60, 700},  /* or sends */
		{"auto:a", "auto:b", -1, 60, 100}, /* where it arrives is not known */
		{"auto:a", "auto:x", 1, 60, 100},  /* one of them was not tested */
		{"auto:x", "auto:c", 1, 60, 700},  /* c was tested as b's receiver */
		{"auto:x", "auto:y", 1, 60, 0},
		{"auto:d", "auto:d", 0, 60, 0}, /* tested, no floor */
	};
	struct selftest_book book = {.host = here};

	(void)state;
	put(&book, entry("auto:a", "auto:a", 60, M, 100));
	put(&book, entry("auto:a", "auto:a", 508, M, 200));
	put(&book, entry("auto:b", "auto:c", 60, M, 700));
	put(&book, entry("auto:d", "auto:d", 60, M, 0));
	for (size_t i = 0; i < NB(cases); i++) {
		struct run r;

		run_init(&r, cases[i].tx, cases[i].rx, cases[i].rx_port, cases[i].size, 1000);
		assert_int_equal(selftest_book_floor(&book, &r.info), cases[i].floor);
		r.ports[0].driver = r.ports[1].driver = "net_af_xdp";
		assert_int_equal(selftest_book_floor(&book, &r.info), 0);
	}
	selftest_book_fini(&book);
}

static void more_than_was_clean_is_warned_of(void **state)
{
	static const struct {
		const char *tx;
		uint32_t size;
		uint64_t pps;
		const char *text;
	} cases[] = {
		{"auto:a", 60, 2000000,
			"port ether1: 2 000 000 pps asked, but selftest found 1 400 000 pps clean "
			"at 60 bytes: the generator may be the limit"},
		{"auto:a", 60, 1400000, NULL},
		{"auto:a", 400, 1000000,
			"port ether1: 1 000 000 pps asked, but selftest found 900 000 pps clean at "
			"508 bytes: the generator may be the limit"},
		{"auto:a", 60, 0, NULL},	/* flat out asks for what there is */
		{"auto:b", 60, 2000000, NULL},	/* tested as a receiver only */
		{"auto:l", 60, 2000000, NULL},	/* the test itself was limited */
		{"auto:x", 60, 99000000, NULL}, /* not tested */
	};
	struct selftest_book book = {.host = here};

	(void)state;
	put(&book, entry("auto:a", "auto:b", 60, 1400000, 100));
	put(&book, entry("auto:a", "auto:b", 508, 900000, 100));
	put(&book, entry("auto:l", "auto:l", 60, 2000, 100));
	book.entries[2].limited = true;
	for (size_t i = 0; i < NB(cases); i++) {
		struct run r;
		char *text;

		run_init(&r, cases[i].tx, "auto:b", 1, cases[i].size, cases[i].pps);
		text = selftest_book_warning(&book, &r.info, 0);
		if (cases[i].text == NULL)
			assert_null(text);
		else
			assert_string_equal(text, cases[i].text);
		free(text);
		assert_null(selftest_book_warning(&book, &r.info, 1)); /* sends nothing */
	}
	selftest_book_fini(&book);
}

static void the_streams_of_a_port_are_taken_together(void **state)
{
	struct selftest_book book = {.host = here};
	struct run r;
	char *text;

	(void)state;
	put(&book, entry("auto:a", "auto:a", 60, 1400000, 100));
	put(&book, entry("auto:a", "auto:a", 1514, 100000, 100));
	run_init(&r, "auto:a", "auto:b", 1, 60, 1000000);
	r.info.nb_streams = 2;
	r.streams[1] = r.streams[0];
	text = selftest_book_warning(&book, &r.info, 0);
	assert_non_null(text);
	assert_non_null(strstr(text, "2 000 000 pps asked"));
	free(text);
	r.streams[1].tx_port = 1; /* another port's load is its own */
	assert_null(selftest_book_warning(&book, &r.info, 0));
	selftest_book_fini(&book);
}

static void the_place_follows_the_xdg_specification(void **state)
{
	static const struct {
		const char *xdg, *home, *path;
	} cases[] = {
		{"/x", "/h", "/x/tgen/f.json"},
		{NULL, "/h", "/h/.local/state/tgen/f.json"},
		{"", "/h", "/h/.local/state/tgen/f.json"},
		{"rel", "/h", "/h/.local/state/tgen/f.json"},
	};

	(void)state;
	for (size_t i = 0; i < NB(cases); i++) {
		char *path;

		unsetenv("XDG_STATE_HOME");
		if (cases[i].xdg != NULL)
			setenv("XDG_STATE_HOME", cases[i].xdg, 1);
		setenv("HOME", cases[i].home, 1);
		path = cli_state_path("f.json");
		assert_string_equal(path, cases[i].path);
		free(path);
	}
	unsetenv("HOME");
	unsetenv("XDG_STATE_HOME");
	if (geteuid() == 0) {
		char *path = cli_state_path("f.json");

		assert_string_equal(path, "/var/lib/tgen/f.json");
		free(path);
	} else {
		assert_null(cli_state_path("f.json"));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(
			what_is_written_is_read_again, dir_make, dir_remove),
		cmocka_unit_test_setup_teardown(
			a_file_of_something_else_is_an_error, dir_make, dir_remove),
		cmocka_unit_test(a_later_selftest_takes_the_place_of_the_same_device_and_size_only),
		cmocka_unit_test(rings_are_all_alike_and_other_devices_are_not),
		cmocka_unit_test(the_floor_is_the_nearest_size_of_the_slowest_port),
		cmocka_unit_test(more_than_was_clean_is_warned_of),
		cmocka_unit_test(the_streams_of_a_port_are_taken_together),
		cmocka_unit_test(the_place_follows_the_xdg_specification),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
