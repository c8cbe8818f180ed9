/* SPDX-License-Identifier: BSD-3-Clause */
#include "report_run.h"

#include <dirent.h>
#include <errno.h>
#include <sys/stat.h>
#include <unistd.h>

/* A directory of its own for a test's files. */
static int make_dir(void **state)
{
	char path[] = "/tmp/tgen-report-XXXXXX";

	if (!mkdtemp(path))
		return -1;
	*state = strdup(path);
	return *state ? 0 : -1;
}

static unsigned count_files(const char *path, bool remove)
{
	DIR *dir = opendir(path);
	const struct dirent *entry;
	unsigned nb = 0;

	assert_non_null(dir);
	while ((entry = readdir(dir))) {
		if (entry->d_name[0] == '.')
			continue;
		nb++;
		if (remove)
			unlinkat(dirfd(dir), entry->d_name, 0);
	}
	closedir(dir);
	return nb;
}

static int remove_dir(void **state)
{
	count_files(*state, true);
	rmdir(*state);
	free(*state);
	return 0;
}

static size_t file_size(const char *path)
{
	struct stat st;

	return stat(path, &st) == 0 ? (size_t)st.st_size : 0;
}

static void wrong_outputs_are_usage_errors_that_name_the_remedy(void **state)
{
	static const struct {
		const char *outputs[3], *property, *text;
		bool as_value;
	} cases[] = {
		{{"xml"}, NULL, "output: \"xml\" is not a form (table, json, jsonl, csv, as-value)",
			false},
		{{"jso=/dev/null"}, NULL, "\"jso\" is not a form", false},
		{{""}, NULL, "\"\" is not a form", false},
		{{"json="}, NULL, "\"json=\" names no file", false},
		{{"json", "csv"}, NULL, "csv=FILE", false},
		{{"table", "json=-"}, NULL, "cannot both go to standard output", false},
		{{"json"}, NULL, "json=FILE", true},
		{{"json=/dev/null", "csv=/dev/null"}, NULL, "/dev/null is given for two outputs",
			false},
		{{"table"}, "tx-packets",
			"proplist: \"tx-packets\" is not a property (seq id tx-packet", false},
		{{"table"}, "jitter", "\"jitter\" is given twice", false},
	};

	for (size_t i = 0; i < NB(cases); i++) {
		const char *const proplist[] = {"jitter", cases[i].property};
		struct err err = {0};
		struct memory memory;
		struct run run;

		run_init(&run);
		memory_init(&memory);
		memory.options.outputs = cases[i].outputs;
		while (memory.options.nb_outputs < 3 && cases[i].outputs[memory.options.nb_outputs])
			memory.options.nb_outputs++;
		memory.options.proplist = proplist;
		memory.options.nb_proplist = cases[i].property ? 2 : 0;
		memory.options.as_value = cases[i].as_value;
		assert_null(report_open(&memory.options, &run.info, &err));
		assert_int_equal(err.status, TGEN_USAGE);
		assert_non_null(strstr(err.text, cases[i].text));
		fflush(memory.options.out);
		assert_int_equal(memory.len, 0);
		memory_fini(&memory);
	}
}

static void usage_error_leaves_existing_files_alone(void **state)
{
	char path[256], first[300];
	const char *outputs[] = {first, "xml"};
	struct err err = {0};
	struct memory memory;
	struct run run;
	FILE *file;

	snprintf(path, sizeof(path), "%s/a.csv", (char *)*state);
	snprintf(first, sizeof(first), "csv=%s", path);
	file = fopen(path, "w");
	fputs("kept", file);
	fclose(file);
	run_init(&run);
	memory_init(&memory);
	memory.options.outputs = outputs;
	memory.options.nb_outputs = 2;
	assert_null(report_open(&memory.options, &run.info, &err));
	assert_int_equal(file_size(path), 4);
	memory_fini(&memory);
}

static void a_file_is_written_by_one_output_and_is_not_the_configuration(void **state)
{
	static const struct {
		const char *outputs[2], *text; /* NULL: taken */
	} cases[] = {
		{{"json=tgen.json"}, "tgen.json is the configuration file"},
		{{"csv=./tgen.json"}, "./tgen.json is the configuration file"},
		{{"json=link.json"}, "link.json is the configuration file"},
		{{"csv=hard.json"}, "hard.json is the configuration file"},
		{{"json=x.json", "csv=./x.json"}, "./x.json is given for two outputs"},
		{{"json=sub/x.json", "csv=sub/../sub/x.json"}, "is given for two outputs"},
		{{"json=x.json", "csv=sub/x.json"}, NULL},
	};
	char *dir = getcwd(NULL, 0);

	assert_int_equal(chdir(*state), 0);
	assert_int_equal(system("mkdir sub; echo kept >tgen.json; ln -s tgen.json link.json; "
				"ln tgen.json hard.json"),
		0);
	for (size_t i = 0; i < NB(cases); i++) {
		struct err err = {0};
		struct memory memory;
		struct report *report;
		struct run run;

		run_init(&run);
		run.info.config_path = "tgen.json";
		memory_init(&memory);
		memory.options.outputs = cases[i].outputs;
		memory.options.nb_outputs = cases[i].outputs[1] ? 2 : 1;
		report = report_open(&memory.options, &run.info, &err);
		assert_int_equal(report != NULL, cases[i].text == NULL);
		if (cases[i].text) {
			assert_int_equal(err.status, TGEN_USAGE);
			assert_non_null(strstr(err.text, cases[i].text));
		}
		report_close(report);
		memory_fini(&memory);
		assert_int_equal(file_size("tgen.json"), 5);
		assert_int_equal(access("x.json", F_OK), -1);
	}
	assert_int_equal(system("rm -r sub"), 0);
	assert_int_equal(chdir(dir), 0);
	free(dir);
}

static void a_growing_file_without_a_line_is_not_left_behind(void **state)
{
	static const char *const forms[] = {"csv", "jsonl"};

	for (size_t i = 0; i < NB(forms); i++) {
		char output[300];
		const char *outputs[] = {output};
		struct err err = {0};
		struct memory memory;
		struct report *report;
		struct run run;

		snprintf(output, sizeof(output), "%s=%s/x", forms[i], (char *)*state);
		run_init(&run);
		memory_init(&memory);
		memory.options.outputs = outputs;
		memory.options.nb_outputs = 1;
		report = report_open(&memory.options, &run.info, &err);
		assert_non_null(report);
		report_close(report);
		assert_int_equal(count_files(*state, false), 0);
		memory_fini(&memory);
	}
}

static void something_always_goes_to_standard_output(void **state)
{
	static const struct {
		const char *output;
		bool as_value;
		const char *begins;
	} cases[] = {
		{NULL, false, "configuration file:"},
		{NULL, true, "seq=1;"},
		{"json=/dev/null", false, "configuration file:"},
		{"json=/dev/null", true, "seq=1;"},
		{"table", true, "seq=1;"},
		{"as-value", true, "seq=1;"},
		{"as-value", false, "seq=1;"},
		{"json", false, "{\n"},
		{"csv=-", false, "seq,"},
		{"jsonl", false, "{\"type\":\"start\","},
	};

	for (size_t i = 0; i < NB(cases); i++) {
		struct memory memory;
		struct run run;

		run_init(&run);
		memory_init(&memory);
		memory.options.outputs = &cases[i].output;
		memory.options.nb_outputs = cases[i].output ? 1 : 0;
		memory.options.as_value = cases[i].as_value;
		memory_report(&memory, &run);
		assert_memory_equal(memory.text, cases[i].begins, strlen(cases[i].begins));
		memory_fini(&memory);
	}
}

static void files_appear_whole_but_lines_grow_in_place(void **state)
{
	static const struct {
		const char *form;
		bool grows;
	} cases[] = {{"json", false}, {"table", false}, {"as-value", false}, {"csv", true},
		{"jsonl", true}};

	for (size_t i = 0; i < NB(cases); i++) {
		char path[256], output[300];
		const char *outputs[] = {output};
		struct err err = {0};
		struct memory memory;
		struct report *report;
		struct run run;
		size_t size = 0;

		snprintf(path, sizeof(path), "%s/%s", (char *)*state, cases[i].form);
		snprintf(output, sizeof(output), "%s=%s", cases[i].form, path);
		run_init(&run);
		memory_init(&memory);
		memory.options.outputs = outputs;
		memory.options.nb_outputs = 1;
		report = report_open(&memory.options, &run.info, &err);
		assert_non_null(report);
		assert_int_equal(report_begin(report, &err), 0);
		for (unsigned j = 0; j < RUN_INTERVALS; j++) {
			assert_int_equal(report_rows(report, run.rows[j], RUN_ROWS, &err), 0);
			assert_int_equal(file_size(path) > size, cases[i].grows);
			size = file_size(path);
		}
		assert_int_equal(report_end(report, run.totals, RUN_ROWS, &run.summary, &err), 0);
		assert_true(file_size(path) > size);
		report_close(report);
		assert_int_equal(count_files(*state, false), i + 1);
		memory_fini(&memory);
	}
}

static void whole_file_has_the_mode_of_any_new_file(void **state)
{
	char path[256], output[300];
	const char *outputs[] = {output};
	struct memory memory;
	struct run run;
	struct stat st;
	mode_t mask = umask(027);

	snprintf(path, sizeof(path), "%s/a.json", (char *)*state);
	snprintf(output, sizeof(output), "json=%s", path);
	run_init(&run);
	memory_init(&memory);
	memory.options.outputs = outputs;
	memory.options.nb_outputs = 1;
	memory_report(&memory, &run);
	assert_int_equal(stat(path, &st), 0);
	assert_int_equal(st.st_mode & 0777, 0640);
	umask(mask);
	memory_fini(&memory);
}

static void unfinished_whole_file_is_removed_and_the_old_one_kept(void **state)
{
	char path[256], output[300];
	const char *outputs[] = {output};
	struct err err = {0};
	struct memory memory;
	struct report *report;
	struct run run;
	FILE *file;

	snprintf(path, sizeof(path), "%s/a.json", (char *)*state);
	snprintf(output, sizeof(output), "json=%s", path);
	file = fopen(path, "w");
	fputs("old", file);
	fclose(file);
	run_init(&run);
	memory_init(&memory);
	memory.options.outputs = outputs;
	memory.options.nb_outputs = 1;
	report = report_open(&memory.options, &run.info, &err);
	assert_int_equal(report_begin(report, &err), 0);
	assert_int_equal(report_rows(report, run.rows[0], RUN_ROWS, &err), 0);
	report_close(report);
	assert_int_equal(count_files(*state, false), 1);
	assert_int_equal(file_size(path), 3);
	memory_fini(&memory);
}

static void file_that_cannot_be_made_is_named(void **state)
{
	static const char *const outputs[] = {"json=/nonexistent/a.json", "csv=/nonexistent/a.csv"};

	for (size_t i = 0; i < NB(outputs); i++) {
		struct err err = {0};
		struct memory memory;
		struct run run;

		run_init(&run);
		memory_init(&memory);
		memory.options.outputs = &outputs[i];
		memory.options.nb_outputs = 1;
		assert_null(report_open(&memory.options, &run.info, &err));
		assert_int_equal(err.status, TGEN_DEVICE);
		assert_non_null(strstr(err.text, strchr(outputs[i], '/')));
		assert_non_null(strstr(err.text, "No such file or directory"));
		memory_fini(&memory);
	}
}

/* /dev/full refuses every write with ENOSPC. */
static void full_disk_is_reported_once_and_the_other_outputs_go_on(void **state)
{
	static const char *const outputs[] = {"jsonl=/dev/full", "json"};
	struct err err = {0}, later = {0};
	struct memory memory;
	struct report *report;
	struct run run;

	run_init(&run);
	memory_init(&memory);
	memory.options.outputs = outputs;
	memory.options.nb_outputs = 2;
	report = report_open(&memory.options, &run.info, &err);
	assert_non_null(report);
	assert_int_equal(report_begin(report, &err), -ENOSPC);
	assert_int_equal(err.status, TGEN_DEVICE);
	assert_non_null(strstr(err.text, "/dev/full"));
	assert_non_null(strstr(err.text, "No space left on device"));
	assert_int_equal(report_rows(report, run.rows[0], RUN_ROWS, &later), 0);
	assert_int_equal(report_end(report, run.totals, RUN_ROWS, &run.summary, &later), 0);
	assert_string_equal(later.text, "");
	report_close(report);
	assert_string_equal(memory.text + memory.len - 3, "\n}\n");
	memory_fini(&memory);
}

/* Refuses the first write and takes all later ones, as a disk does where someone makes room. */
static ssize_t write_after_first(void *cookie, const char *text, size_t len)
{
	unsigned *nb_writes = cookie;

	if ((*nb_writes)++ > 0)
		return (ssize_t)len;
	errno = ENOSPC;
	return 0;
}

static void hole_in_the_middle_of_the_output_is_seen(void **state)
{
	static struct result_row rows[200]; /* more than a stdio buffer holds */
	unsigned nb_writes = 0;
	struct report_options options = {.entries_to_show = 20};
	struct err err = {0};
	struct report *report;
	struct run run;

	run_init(&run);
	for (unsigned i = 0; i < NB(rows); i++)
		rows[i] = run.rows[0][0];
	options.out =
		fopencookie(&nb_writes, "w", (cookie_io_functions_t){.write = write_after_first});
	assert_non_null(options.out);
	report = report_open(&options, &run.info, &err);
	assert_int_equal(report_rows(report, rows, NB(rows), &err), -ENOSPC);
	assert_true(nb_writes > 1);
	assert_non_null(strstr(err.text, "standard output"));
	report_close(report);
	fclose(options.out);
}

int main(void)
{
#define IN_DIR(test) cmocka_unit_test_setup_teardown(test, make_dir, remove_dir)
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(wrong_outputs_are_usage_errors_that_name_the_remedy),
		IN_DIR(usage_error_leaves_existing_files_alone),
		IN_DIR(a_file_is_written_by_one_output_and_is_not_the_configuration),
		IN_DIR(a_growing_file_without_a_line_is_not_left_behind),
		cmocka_unit_test(something_always_goes_to_standard_output),
		IN_DIR(files_appear_whole_but_lines_grow_in_place),
		IN_DIR(whole_file_has_the_mode_of_any_new_file),
		IN_DIR(unfinished_whole_file_is_removed_and_the_old_one_kept),
		cmocka_unit_test(file_that_cannot_be_made_is_named),
		cmocka_unit_test(full_disk_is_reported_once_and_the_other_outputs_go_on),
		cmocka_unit_test(hole_in_the_middle_of_the_output_is_seen),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
