/* SPDX-License-Identifier: BSD-3-Clause */
#include "tgen/text.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#define SIGN "\xef\xbf\xbd" /* U+FFFD */

static void text_is_told_from_stray_bytes_and_made_utf8(void **state)
{
	static const struct {
		const char *text, *utf8;
		bool printable;
	} cases[] = {
		{"", "", true}, {"a b", "a b", true},
		{"\xc3\xa4\xe2\x82\xac\xf0\x9f\x98\x80", "\xc3\xa4\xe2\x82\xac\xf0\x9f\x98\x80",
			true},
		{"a\tb", "a\tb", false}, {"\x7f", "\x7f", false},
		{"\xc2\x80", "\xc2\x80", false}, /* a C1 control character */
		{"\xff", SIGN, false}, {"a\xffz", "a" SIGN "z", false}, {"\xc3", SIGN, false},
		{"\xe2\x82", SIGN SIGN, false},
		{"\xc0\xaf", SIGN SIGN, false},			  /* longer than needed */
		{"\xed\xa0\x80", SIGN SIGN SIGN, false},	  /* half of a surrogate pair */
		{"\xf4\x90\x80\x80", SIGN SIGN SIGN SIGN, false}, /* beyond U+10FFFF */
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		char *utf8 = text_to_utf8(cases[i].text);

		assert_non_null(utf8);
		assert_string_equal(utf8, cases[i].utf8);
		assert_int_equal(text_is_printable(cases[i].text), cases[i].printable);
		free(utf8);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(text_is_told_from_stray_bytes_and_made_utf8),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
