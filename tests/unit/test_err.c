/* SPDX-License-Identifier: BSD-3-Clause */
#include "tgen/err.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#define NB(array) (sizeof(array) / sizeof((array)[0]))

static void errors_are_one_printable_line(void **state)
{
	static const struct {
		const char *in, *out;
	} cases[] = {
		{"plain \\ \"text\"", "plain \\ \"text\""},
		{"a\nb\tc\r", "a\\nb\\tc\\x0d"},
		{"\x1b[31m\x7f", "\\x1b[31m\\x7f"},
		{"\xc3\xa9 \xe2\x82\xac \xf0\x9f\x98\x80",
			"\xc3\xa9 \xe2\x82\xac \xf0\x9f\x98\x80"},
		{"\xc2\x9b", "\\xc2\\x9b"},
		{"\xff\xc3", "\\xff\\xc3"},
		{"\xc0\xaf", "\\xc0\\xaf"},
		{"\xed\xa0\x80", "\\xed\\xa0\\x80"},
		{"\xf8\x88", "\\xf8\\x88"},
	};

	(void)state;
	for (size_t i = 0; i < NB(cases); i++) {
		struct err err = {0};

		assert_int_equal(err_usage(&err, "%s", cases[i].in), -EINVAL);
		assert_string_equal(err.text, cases[i].out);
	}
}

static void errors_have_status_and_cause(void **state)
{
	struct err err = {0};

	(void)state;
	assert_int_equal(err_device(&err, ENOENT, "open %s", "x"), -ENOENT);
	assert_string_equal(err.text, "open x: No such file or directory");
	assert_int_equal(err.status, TGEN_DEVICE);
	err_prefix(&err, "port %d: ", 3);
	assert_string_equal(err.text, "port 3: open x: No such file or directory");
	assert_int_equal(err_device(&err, 0, "gone"), -EIO);
	assert_string_equal(err.text, "gone");
	assert_int_equal(err_device(&err, 99999, "odd"), -99999);
	assert_string_equal(err.text, "odd: error 99999");
	assert_int_equal(err_invalid(&err, "nothing sent; was: %s", err.text), -EIO);
	assert_string_equal(err.text, "nothing sent; was: odd: error 99999");
	assert_int_equal(err.status, TGEN_INVALID);
	for (int i = 0; i < 10; i++)
		err_prefix(&err, "%0400d: ", i);
	assert_int_equal(strlen(err.text), sizeof(err.text) - 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(errors_are_one_printable_line),
		cmocka_unit_test(errors_have_status_and_cause),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
