/* SPDX-License-Identifier: BSD-3-Clause */
/* Changes of the configuration, and what is on disk after a save. */
#include "conf_help.h"

#include <errno.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>

static void changes_keep_order_comments_and_all_that_was_not_touched(void **state)
{
	struct conf *conf =
		load("{\"comment\": \"top\", \"things\": ["
		     "{\"rate\": 1.50, \"comment\": \"first\", \"name\": \"a\", \"on\": false},"
		     "{\"name\": \"b\", \"sizes\": [60, \"70-80\"], \"count\": 3}],"
		     "\"settings\": {\"test-id\": 9, \"comment\": \"s\"}, \"$schema\": \"x\"}");
	struct err err = {0};
	struct opt_set set;

	(void)state;
	opt_set_init(&set, &menu);
	give(&set, "on=yes");
	give(&set, "count=5");
	assert_int_equal(conf_update(conf, "things", "a", &set, &err), 0);
	assert_value(conf_find(conf, "things", "a"), COUNT, "5");
	assert_int_equal(conf_unset(conf, "things", "b", &opts[COUNT], &err), 0);
	opt_set_fini(&set);
	give(&set, "name=c");
	give(&set, "count=0x10");
	give(&set, "sizes=64,1500");
	assert_int_equal(conf_add(conf, "things", &set, &err), 0);
	opt_set_fini(&set);
	save(conf);
	assert_file(FILE_NAME,
		"{\n"
		"  \"comment\": \"top\",\n"
		"  \"things\": [\n"
		"    {\"rate\": 1.50, \"comment\": \"first\", \"name\": \"a\", \"on\": true, "
		"\"count\": 5},\n"
		"    {\"name\": \"b\", \"sizes\": [60, \"70-80\"]},\n"
		"    {\"name\": \"c\", \"count\": \"0x10\", \"sizes\": [\"64\", \"1500\"]}\n"
		"  ],\n"
		"  \"settings\": {\n"
		"    \"test-id\": 9,\n"
		"    \"comment\": \"s\"\n"
		"  },\n"
		"  \"$schema\": \"x\"\n"
		"}\n");
	assert_int_equal(conf_remove(conf, "things", "a", &err), 0);
	assert_int_equal(conf_remove(conf, "settings", NULL, &err), 0);
	save(conf); /* a second time: its own first change is no one else's */
	assert_file(FILE_NAME,
		"{\n"
		"  \"comment\": \"top\",\n"
		"  \"things\": [\n"
		"    {\"name\": \"b\", \"sizes\": [60, \"70-80\"]},\n"
		"    {\"name\": \"c\", \"count\": \"0x10\", \"sizes\": [\"64\", \"1500\"]}\n"
		"  ],\n"
		"  \"$schema\": \"x\"\n"
		"}\n");
	assert_string_equal(conf_find(conf, "things", "b")->path, "things[0]");
	conf_free(conf);
}

static void what_was_written_reads_back_the_same(void **state)
{
	struct err err = {0};
	struct conf *conf = conf_load(FILE_NAME, kinds, NB_KINDS, true, &err);
	struct opt_set set;
	char text[200];

	(void)state;
	opt_set_init(&set, &conf_settings_menu);
	give(&set, "test-id=3");
	assert_int_equal(conf_update(conf, "settings", NULL, &set, &err), 0);
	opt_set_fini(&set);
	opt_set_init(&set, &menu);
	give(&set, "name=a");
	give(&set, "note=\"quoted\", \\ and a , comma");
	give(&set, "sizes=5");
	memset(text, 'x', sizeof(text));
	memcpy(text, "comment=", 8);
	text[sizeof(text) - 1] = '\0';
	give(&set, text);
	assert_int_equal(conf_add(conf, "things", &set, &err), 0);
	opt_set_fini(&set);
	save(conf);
	conf_free(conf);

	conf = conf_load(FILE_NAME, kinds, NB_KINDS, false, &err);
	assert_string_equal(err.text, "");
	assert_value(conf_at(conf, "things", 0), NOTE, "\"quoted\", \\ and a , comma");
	assert_value(conf_at(conf, "things", 0), SIZES, "5");
	assert_value(conf_at(conf, "things", 0), COMMENT, text + 8);
	/* Too long for one line. */
	assert_int_equal(conf_at(conf, "things", 0)->slots[0].pos.line, 7);
	assert_int_equal(conf_at(conf, "things", 0)->slots[1].pos.line, 8);
	assert_int_equal(
		opt_set_one(conf_find(conf, "settings", NULL), &conf_settings_opts[SET_TEST_ID]).lo,
		3);
	conf_free(conf);
}

static void changes_that_would_break_the_file_are_refused(void **state)
{
	struct conf *conf = load("{\"things\": [{\"name\": \"a\"}, {\"name\": \"b\"}]}");
	struct err err = {0};
	struct opt_set set;

	(void)state;
	opt_set_init(&set, &menu);
	give(&set, "count=5");
	assert_int_equal(conf_add(conf, "things", &set, &err), -EINVAL);
	assert_non_null(strstr(err.text, "name: is missing"));
	give(&set, "name=b");
	assert_int_equal(conf_add(conf, "things", &set, &err), -EINVAL);
	assert_string_equal(err.text, "name: there is a thing \"b\" already");
	assert_int_equal(conf_update(conf, "things", "a", &set, &err), -EINVAL);
	assert_int_equal(conf_update(conf, "things", "b", &set, &err), 0); /* its own name */
	assert_int_equal(conf_update(conf, "things", "c", &set, &err), -EINVAL);
	assert_int_equal(conf_remove(conf, "things", "c", &err), -EINVAL);
	assert_int_equal(conf_unset(conf, "things", "c", &opts[COUNT], &err), -EINVAL);
	assert_int_equal(conf_unset(conf, "things", "a", &opts[NAME], &err), -EINVAL);
	assert_non_null(strstr(err.text, "name: is required"));
	opt_set_fini(&set);
	conf_free(conf);
}

static void saving_keeps_mode_and_link(void **state)
{
	struct err err = {0};
	struct conf *conf;
	struct stat st;

	(void)state;
	assert_int_equal(mkdir("real", 0755), 0);
	write_file("real/file", "{}");
	assert_int_equal(chmod("real/file", 0640), 0);
	assert_int_equal(symlink("real/file", FILE_NAME), 0);
	conf = conf_load(FILE_NAME, kinds, NB_KINDS, false, &err);
	save(conf);
	conf_free(conf);
	assert_int_equal(lstat(FILE_NAME, &st), 0);
	assert_true(S_ISLNK(st.st_mode));
	assert_int_equal(stat("real/file", &st), 0);
	assert_int_equal(st.st_mode & 07777, 0640);
	assert_file("real/file", "{}\n");

	umask(027);
	conf = conf_load("new.json", kinds, NB_KINDS, true, &err);
	save(conf);
	conf_free(conf);
	assert_int_equal(stat("new.json", &st), 0);
	assert_int_equal(st.st_mode & 07777, 0640);
	umask(022);
	assert_int_equal(count_files(), 3);
}

static void a_file_changed_meanwhile_is_not_overwritten(void **state)
{
	struct conf *conf = load("{}");
	struct err err = {0};

	(void)state;
	write_file(FILE_NAME, "{ }");
	assert_int_equal(conf_save(conf, &err), -EINVAL);
	assert_non_null(strstr(err.text, "was changed by someone else"));
	assert_file(FILE_NAME, "{ }");
	conf_free(conf);

	conf = conf_load("new.json", kinds, NB_KINDS, true, &err);
	write_file("new.json", "{}");
	assert_int_equal(conf_save(conf, &err), -EINVAL);
	assert_file("new.json", "{}");
	conf_free(conf);
	assert_int_equal(count_files(), 2);
}

static void add_named(struct conf *conf, const char *arg)
{
	struct err err = {0};
	struct opt_set set;

	opt_set_init(&set, &menu);
	give(&set, arg);
	assert_int_equal(conf_add(conf, "things", &set, &err), 0);
	opt_set_fini(&set);
}

static void a_file_loaded_to_be_changed_is_changed_by_no_one_else(void **state)
{
	struct conf *conf, *other;
	struct err err = {0};
	int ends[2], status;
	pid_t pid;
	char c;

	(void)state;
	conf_free(load("{}"));
	conf = conf_load_to_change(FILE_NAME, kinds, NB_KINDS, false, &err);
	assert_non_null(conf);
	assert_int_equal(pipe(ends), 0);
	pid = fork();
	if (pid == 0) {
		conf_free(conf); /* the lock is the parent's, and goes with it */
		if (write(ends[1], "x", 1) != 1)
			_exit(2);
		other = conf_load_to_change(FILE_NAME, kinds, NB_KINDS, false, &err);
		/* it waited, and reads what was saved */
		_exit(other == NULL || conf_nb(other, "things") != 1 ||
			conf_save(other, &err) != 0);
	}
	assert_int_equal(read(ends[0], &c, 1), 1);
	add_named(conf, "name=a");
	save(conf);
	conf_free(conf);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
	close(ends[0]);
	close(ends[1]);
}

static void a_failing_save_leaves_the_old_file_and_no_other(void **state)
{
	static const char text[] = "{\"comment\": \"0123456789012345678901234567890123456789\"}";
	struct conf *conf = load(text);
	struct rlimit limit, small;
	struct err err = {0};
	int rc;

	(void)state;
	signal(SIGXFSZ, SIG_IGN);
	assert_int_equal(getrlimit(RLIMIT_FSIZE, &limit), 0);
	small = (struct rlimit){16, limit.rlim_max};
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
	rc = conf_save(conf, &err);
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
	assert_int_equal(rc, -EFBIG);
	assert_string_equal(err.text, "cannot write " FILE_NAME ": File too large");
	assert_file(FILE_NAME, text);
	assert_int_equal(count_files(), 1);
	save(conf);
	conf_free(conf);

	conf = conf_load("link.json", kinds, NB_KINDS, true, &err);
	assert_int_equal(symlink("nowhere", "link.json"), 0);
	assert_int_equal(conf_save(conf, &err), -ENOENT);
	conf_free(conf);
	conf = conf_load("no/dir.json", kinds, NB_KINDS, true, &err);
	assert_int_equal(conf_save(conf, &err), -ENOENT);
	conf_free(conf);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		IN_DIR(changes_keep_order_comments_and_all_that_was_not_touched),
		IN_DIR(what_was_written_reads_back_the_same),
		IN_DIR(changes_that_would_break_the_file_are_refused),
		IN_DIR(saving_keeps_mode_and_link),
		IN_DIR(a_file_changed_meanwhile_is_not_overwritten),
		IN_DIR(a_file_loaded_to_be_changed_is_changed_by_no_one_else),
		IN_DIR(a_failing_save_leaves_the_old_file_and_no_other),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
