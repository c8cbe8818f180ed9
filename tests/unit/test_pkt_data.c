/* SPDX-License-Identifier: BSD-3-Clause */
#include "pkt_walk.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#define NB(array) (sizeof(array) / sizeof((array)[0]))
#define SIZE	  300u
#define HEADERS	  42u
#define SIG_AT	  (SIZE - SIG_BYTES)

/* ---- kinds of payload ---- */

static void render(const char *const *words, unsigned size, uint8_t *out)
{
	struct pkt_frame frame;

	build(words, size, &frame);
	pkt_render(&frame, 0, &sample, out);
	walk_ether(out, size);
	pkt_frame_fini(&frame);
}

static void hex_is_repeated_up_to_the_signature(void **state)
{
	const char *const words[] = {
		"ip-dst=1.2.3.4", "data=hex", "data-hex=00fF7e", "udp-checksum=good", NULL};
	static const uint8_t bytes[] = {0x00, 0xff, 0x7e};
	uint8_t out[SIZE];

	(void)state;
	render(words, SIZE, out);
	for (unsigned off = HEADERS; off < SIG_AT; off++)
		assert_int_equal(out[off], bytes[(off - HEADERS) % 3]);
}

static void random_bytes_are_of_the_seed_and_do_not_repeat(void **state)
{
	const char *words[] = {"ip-dst=1.2.3.4", "data=random", "udp-checksum=good", NULL, NULL};
	uint8_t a[SIZE], b[SIZE];
	unsigned count[256] = {0}, most = 0;

	(void)state;
	render(words, SIZE, a);
	render(words, SIZE, b);
	assert_memory_equal(a, b, SIZE);
	words[3] = "data-seed=1";
	render(words, SIZE, b);
	assert_memory_not_equal(a + HEADERS, b + HEADERS, SIG_AT - HEADERS);
	for (unsigned off = HEADERS; off < SIG_AT; off++)
		if (++count[a[off]] > most)
			most = count[a[off]];
	assert_true(most < 10);
}

/* ---- files ---- */

struct dir {
	char path[64], file[96];
};

static void make_dir(struct dir *dir, unsigned bytes)
{
	int fd;

	strcpy(dir->path, "/tmp/tgen-data-XXXXXX");
	assert_non_null(mkdtemp(dir->path));
	snprintf(dir->file, sizeof(dir->file), "%s/payload", dir->path);
	fd = open(dir->file, O_CREAT | O_WRONLY, 0600);
	for (unsigned i = 0; i < bytes; i++) {
		uint8_t byte = (uint8_t)(i * 7 + 1);

		assert_int_equal(write(fd, &byte, 1), 1);
	}
	close(fd);
}

static void remove_dir(const struct dir *dir)
{
	unlink(dir->file);
	rmdir(dir->path);
}

/* data=file with this path, written in a configuration file of the directory unless origin is NULL. */
static int build_file(
	const char *path, const char *origin, struct pkt_frame *frame, struct err *err)
{
	char word[160];
	const char *const words[] = {"ip-dst=1.2.3.4", "data=file", word, NULL};
	struct opt_set set;
	int rc;

	snprintf(word, sizeof(word), "data-file=%s", path);
	give(&set, words);
	set.origin = origin != NULL ? strdup(origin) : NULL;
	rc = pkt_build(&set, &assumed, SIZE, frame, err);
	opt_set_fini(&set);
	return rc;
}

static void a_file_is_found_from_the_file_that_names_it(void **state)
{
	struct pkt_frame frame;
	struct err err = {0};
	char origin[96], here[1024];
	uint8_t out[SIZE];
	struct dir dir;

	(void)state;
	make_dir(&dir, 100);
	snprintf(origin, sizeof(origin), "%s/tgen.json", dir.path);
	if (build_file("payload", origin, &frame, &err) != 0)
		fail_msg("%s", err.text);
	pkt_render(&frame, 0, &sample, out);
	for (unsigned off = HEADERS; off < SIG_AT; off++)
		assert_int_equal(out[off], (uint8_t)((off - HEADERS) % 100 * 7 + 1));
	pkt_frame_fini(&frame);
	/* wherever we are, when its path begins at the root */
	assert_int_equal(build_file(dir.file, "/nowhere/tgen.json", &frame, &err), 0);
	pkt_frame_fini(&frame);
	/* of a command line, and of a file here: from here */
	assert_non_null(getcwd(here, sizeof(here)));
	assert_int_equal(chdir(dir.path), 0);
	assert_int_equal(build_file("payload", NULL, &frame, &err), 0);
	pkt_frame_fini(&frame);
	assert_int_equal(build_file("payload", "tgen.json", &frame, &err), 0);
	pkt_frame_fini(&frame);
	assert_int_equal(chdir(here), 0);
	remove_dir(&dir);
}

static void a_file_that_cannot_be_a_payload_is_refused_by_name(void **state)
{
	struct pkt_frame frame;
	char name[80], text[512];
	struct err err = {0};
	struct dir dir;

	(void)state;
	make_dir(&dir, 0);
	assert_int_equal(build_file(dir.file, NULL, &frame, &err), -EINVAL);
	snprintf(text, sizeof(text), "data-file: %s has 0 bytes (1..65536 are allowed)", dir.file);
	assert_string_equal(err.text, text);
	assert_int_equal(truncate(dir.file, 65537), 0);
	assert_int_equal(build_file(dir.file, NULL, &frame, &err), -EINVAL);
	assert_non_null(strstr(err.text, "has 65537 bytes"));
	assert_int_equal(truncate(dir.file, 65536), 0);
	assert_int_equal(build_file(dir.file, NULL, &frame, &err), 0);
	pkt_frame_fini(&frame);
	assert_int_equal(build_file(dir.path, NULL, &frame, &err), -EINVAL);
	snprintf(text, sizeof(text), "data-file: %s is not a regular file", dir.path);
	assert_string_equal(err.text, text);
	snprintf(name, sizeof(name), "%s/pipe", dir.path);
	assert_int_equal(mkfifo(name, 0600), 0);
	assert_int_equal(build_file(name, NULL, &frame, &err), -EINVAL);
	assert_non_null(strstr(err.text, "is not a regular file"));
	unlink(name);
	assert_int_equal(build_file(name, NULL, &frame, &err), -EINVAL);
	assert_non_null(strstr(err.text, "/pipe: No such file or directory"));
	remove_dir(&dir);
}

static void options_that_do_not_go_together_are_refused(void **state)
{
	static const struct {
		const char *words[3], *text;
	} cases[] = {
		{{"data=hex"}, "data-hex: is missing: data=hex needs it"},
		{{"data=file"}, "data-file: is missing: data=file needs it"},
		{{"data-hex=00"}, "data-hex: given, but data is not hex"},
		{{"data=random", "data-file=x"}, "data-file: given, but data is not file"},
		{{"data-seed=1"}, "data-seed: given, but data is not random"},
	};

	(void)state;
	for (unsigned i = 0; i < NB(cases); i++) {
		const char *const words[] = {
			"ip-dst=1.2.3.4", cases[i].words[0], cases[i].words[1], NULL};
		struct err err = {0};
		struct pkt_frame frame;

		assert_int_equal(try_build(words, &assumed, SIZE, &frame, &err), -EINVAL);
		assert_string_equal(err.text, cases[i].text);
	}
}

/* ---- the same payload, the right payload ---- */

static void frames_share_a_payload_only_when_all_its_bytes_are_the_same(void **state)
{
	/* clang-format off */
	static const struct {
		const char *a[4], *b[4];
		bool same;
	} cases[] = {
		{{"data=random"}, {"data=random"}, true},
		{{"data=random"}, {"data=random", "data-seed=3"}, false},
		{{"data=hex", "data-hex=0102"}, {"data=hex", "data-hex=0102"}, true},
		{{"data=hex", "data-hex=0102"}, {"data=hex", "data-hex=01"}, false},
		{{"data=hex", "data-hex=0102"}, {"data=hex", "data-hex=0103"}, false},
		{{"data=specific-byte"}, {"data=uninitialized"}, true},
		{{"data=incrementing"}, {"data=uninitialized"}, false},
		{{"random-ranges=50:8:1-2"}, {"random-ranges=50:8:7-9"}, true}, /* both write there */
		{{"random-ranges=50:8:1-2"}, {"random-ranges=51:8:1-2"}, false},
		{{"random-ranges=50:8:1-2"}, {NULL}, false},
		{{"random-ranges=30:8:1-2"}, {NULL}, true}, /* in the header */
	};
	/* clang-format on */

	(void)state;
	for (unsigned i = 0; i < NB(cases); i++) {
		const char *a_words[] = {"ip-dst=1.2.3.4", cases[i].a[0], cases[i].a[1], NULL};
		const char *b_words[] = {"ip-dst=5.6.7.8", cases[i].b[0], cases[i].b[1], NULL};
		struct pkt_frame a, b;

		build(a_words, SIZE, &a);
		build(b_words, SIZE, &b);
		if (pkt_payload_same(&a, &b) != cases[i].same)
			fail_msg("case %u", i);
		pkt_frame_fini(&a);
		pkt_frame_fini(&b);
	}
}

/* Every bit of every byte of the payload is looked at, also of those that vary. */
static void a_wrong_bit_in_the_payload_is_seen_wherever_it_is(void **state)
{
	static const char *const kinds[][3] = {{"data=random"}, {"data=incrementing"},
		{"data=hex", "data-hex=abcdef"}, {"data=uninitialized"},
		{"data=specific-byte", "data-byte=5a"}};
	uint16_t bytes[] = {80, 200, SIZE}, order[] = {0, 1, 2};
	const struct pkt_sizes sizes = {.nb = 3, .bytes = bytes, .period = 3, .order = order};

	(void)state;
	for (unsigned i = 0; i < NB(kinds); i++) {
		const char *words[] = {"ip-dst=1.2.3.4", "random-ranges=60:16:0-65535",
			"random-byte-offsets-and-masks=45:0f", kinds[i][0], kinds[i][1], NULL};
		uint8_t whole[SIZE], out[SIZE];
		struct err err = {0};
		struct pkt_frame frame;
		struct opt_set set;

		give(&set, words);
		assert_int_equal(pkt_build_sizes(&set, &assumed, &sizes, &frame, &err), 0);
		pkt_payload_fill(&frame, whole);
		for (unsigned n = 0; n < 9; n++) {
			unsigned size = pkt_render(&frame, n, &sample, out);
			struct pkt_rx rx;

			pkt_parse(out, size, sample.test_id, &rx);
			assert_true(pkt_data_right(&frame, n, size, whole, out, &rx));
			assert_false(pkt_data_right(&frame, n + 1, size, whole, out, &rx));
			for (unsigned bit = HEADERS * 8; bit < (size - SIG_BYTES) * 8; bit++) {
				out[bit / 8] ^= (uint8_t)(1u << bit % 8);
				assert_false(pkt_data_right(&frame, n, size, whole, out, &rx));
				out[bit / 8] ^= (uint8_t)(1u << bit % 8);
			}
		}
		pkt_frame_fini(&frame);
		opt_set_fini(&set);
	}
}

/* ---- random bytes anywhere ---- */

static void random_bytes_are_in_their_range_and_nothing_else_changes(void **state)
{
	const char *const words[] = {"ip-dst=1.2.3.4", "data=incrementing", "name=a",
		"random-ranges=50:8:1-21,60:16:60000-60001,70:32:5-0xfffffff0",
		"random-byte-offsets-and-masks=80:81,81:3c", NULL};
	uint8_t plain[SIZE], out[SIZE], ones[2] = {0}, zeros[2] = {0};
	struct pkt_frame frame;
	bool seen[22] = {false}, both[2] = {false};

	(void)state;
	build((const char *const[]){"ip-dst=1.2.3.4", "data=incrementing", NULL}, SIZE, &frame);
	pkt_render(&frame, 0, &sample, plain);
	pkt_frame_fini(&frame);
	build(words, SIZE, &frame);
	for (unsigned n = 0; n < 2000; n++) {
		pkt_render(&frame, n, &sample, out);
		assert_in_range(out[50], 1, 21);
		seen[out[50]] = true;
		assert_in_range(pkt_get16(out + 60), 60000, 60001);
		both[pkt_get16(out + 60) - 60000] = true;
		assert_in_range(pkt_get32(out + 70), 5, 0xfffffff0);
		for (unsigned k = 0; k < 2; k++) {
			ones[k] |= out[80 + k] & (k == 0 ? 0x81 : 0x3c);
			zeros[k] |= (uint8_t)~out[80 + k] & (k == 0 ? 0x81 : 0x3c);
			assert_int_equal((out[80 + k] ^ plain[80 + k]) & (k == 0 ? 0x7e : 0xc3), 0);
		}
		memcpy(out + 50, plain + 50, 1);
		memcpy(out + 60, plain + 60, 2);
		memcpy(out + 70, plain + 70, 4);
		memcpy(out + 80, plain + 80, 2);
		assert_memory_equal(out, plain, SIZE);
	}
	for (unsigned k = 1; k <= 21; k++)
		assert_true(seen[k]);
	assert_true(both[0] && both[1]);
	assert_true(ones[0] == 0x81 && zeros[0] == 0x81 && ones[1] == 0x3c && zeros[1] == 0x3c);
	pkt_frame_fini(&frame);
}

static void random_bytes_are_of_the_templates_name_unless_seeded(void **state)
{
	const char *words[] = {
		"ip-dst=1.2.3.4", "random-ranges=50:32:0-0xffffffff", "name=a", NULL, NULL};
	uint32_t values[4];

	(void)state;
	for (unsigned k = 0; k < 4; k++) {
		struct pkt_frame frame;
		uint8_t out[SIZE];

		words[2] = k == 2 ? "name=b" : "name=a";
		words[3] = k == 3 ? "random-seed=5" : NULL;
		build(words, SIZE, &frame);
		pkt_render(&frame, 0, &sample, out);
		values[k] = pkt_get32(out + 50);
		pkt_frame_fini(&frame);
	}
	assert_int_equal(values[0], values[1]);
	assert_int_not_equal(values[0], values[2]);
	assert_int_not_equal(values[0], values[3]);
}

static void random_bytes_in_a_wrong_place_are_refused(void **state)
{
	/* clang-format off */
	static const struct {
		const char *word, *text;
	} cases[] = {
		{"random-ranges=50:8", "\"50:8\" is not offset:width:range"},
		{"random-ranges=50:8:1-2:3", "\"50:8:1-2:3\" is not offset:width:range"},
		{"random-ranges=x:8:1-2", "\"x:8:1-2\" is not offset:width:range"},
		{"random-ranges=50:12:1-2", "\"50:12:1-2\" is 12 bits wide, but must be 8, 16 or 32"},
		{"random-ranges=50:8:9-1", "\"50:8:9-1\" has a range that runs backwards"},
		{"random-ranges=50:8:0-256", "\"50:8:0-256\" does not fit in 8 bits"},
		{"random-ranges=282:8:0-1", "\"282:8:0-1\" touches the signature, which begins at byte 282"},
		{"random-ranges=279:32:0-1", "\"279:32:0-1\" touches the signature, which begins at byte 282"},
		{"random-ranges=299:16:0-1", "\"299:16:0-1\" lies beyond the end of a frame of 300 bytes"},
		{"random-ranges=18446744073709551615:8:0-1", "\"18446744073709551615:8:0-1\" lies beyond"},
		{"random-ranges=50:16:0-1,51:8:0-1", "two of them are at the same bits"},
		{"random-byte-offsets-and-masks=50", "\"50\" is not offset:mask"},
		{"random-byte-offsets-and-masks=50:0", "\"50:0\": the mask must be one byte in hex"},
		{"random-byte-offsets-and-masks=50:100", "\"50:100\": the mask must be one byte in hex"},
		{"random-byte-offsets-and-masks=50:0f,50:08", "two of them are at the same bits"},
		{"random-byte-offsets-and-masks=299:ff", "\"299:ff\" touches the signature"},
	};
	/* clang-format on */

	(void)state;
	for (unsigned i = 0; i < NB(cases); i++) {
		const char *const words[] = {"ip-dst=1.2.3.4", cases[i].word, NULL};
		struct err err = {0};
		struct pkt_frame frame;

		assert_int_equal(try_build(words, &assumed, SIZE, &frame, &err), -EINVAL);
		if (strstr(err.text, cases[i].text) == NULL)
			fail_msg("%s, not: %s", err.text, cases[i].text);
	}
}

static void the_smallest_of_several_sizes_is_the_limit(void **state)
{
	uint16_t bytes[] = {60, 200}, order[] = {0, 1};
	const struct pkt_sizes sizes = {.nb = 2, .bytes = bytes, .period = 2, .order = order};
	static const struct {
		const char *word, *text;
	} cases[] = {
		{"random-ranges=41:16:0-1", "touches the signature, which begins at byte 42"},
		{"random-ranges=17:8:0-1", "byte 17 depends on the packet-size"},
	};

	(void)state;
	for (unsigned i = 0; i < NB(cases); i++) {
		const char *const words[] = {"ip-dst=1.2.3.4", cases[i].word, NULL};
		struct err err = {0};
		struct pkt_frame frame;
		struct opt_set set;

		give(&set, words);
		assert_int_equal(pkt_build_sizes(&set, &assumed, &sizes, &frame, &err), -EINVAL);
		if (strstr(err.text, cases[i].text) == NULL)
			fail_msg("%s", err.text);
		opt_set_fini(&set);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(hex_is_repeated_up_to_the_signature),
		cmocka_unit_test(random_bytes_are_of_the_seed_and_do_not_repeat),
		cmocka_unit_test(a_file_is_found_from_the_file_that_names_it),
		cmocka_unit_test(a_file_that_cannot_be_a_payload_is_refused_by_name),
		cmocka_unit_test(options_that_do_not_go_together_are_refused),
		cmocka_unit_test(frames_share_a_payload_only_when_all_its_bytes_are_the_same),
		cmocka_unit_test(a_wrong_bit_in_the_payload_is_seen_wherever_it_is),
		cmocka_unit_test(random_bytes_are_in_their_range_and_nothing_else_changes),
		cmocka_unit_test(random_bytes_are_of_the_templates_name_unless_seeded),
		cmocka_unit_test(random_bytes_in_a_wrong_place_are_refused),
		cmocka_unit_test(the_smallest_of_several_sizes_is_the_limit),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
