/* SPDX-License-Identifier: BSD-3-Clause */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "../../src/run/dut.h"

static void numbers_are_taken_and_nothing_else(void **state)
{
	static const struct {
		const char *text, *values;
		int nb;
	} cases[] = {
		{"", "{}", 0},
		{"cpu=12.5\nsoftirq=3%\n", "{\"cpu\":12.5,\"softirq\":3}", 2},
		{"a=1 b=-2\tc=1e3\r\n", "{\"a\":1,\"b\":-2,\"c\":1000}", 3},
		{"a=1\na=2\n", "{\"a\":2}", 1},
		{"a=12ms\nb=inf\nc=nan\nd=0x10\ne=\n=5\nf=1e999\ng=1.2.3\nh=%\ni", "{}", 0},
		{"{\"cpu\":{\"all\":5,\"each\":[1,2]}}\n",
			"{\"cpu.all\":5,\"cpu.each.0\":1,\"cpu.each.1\":2}", 3},
		{"{\"a\":\"7%\",\"b\":\"x\",\"c\":true,\"d\":null}", "{\"a\":7}", 1},
		{"{\"a\":1}\n{\"b\":2}\nc=3\n", "{\"a\":1,\"b\":2,\"c\":3}", 3},
		{"{\n \"a\": 1\n}\n[4]", "{\"a\":1,\"0\":4}", 2},
		{"{\"a\":\nb=2\n", "{\"b\":2}", 1},
		{"{\"a\\nb\":1,\"\":2}\n", "{}", 0},
		{"Warning: x\nt.0=41\n", "{\"t.0\":41}", 1},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		cJSON *values = cJSON_CreateObject();
		char *text;

		assert_int_equal(dut_probe_parse(cases[i].text, values), cases[i].nb);
		text = cJSON_PrintUnformatted(values);
		assert_string_equal(text, cases[i].values);
		cJSON_free(text);
		cJSON_Delete(values);
	}
}

/* As many lines as the output of a command can have; JSON that never closes. */
static void no_output_is_too_much(void **state)
{
	static const char *const lines[] = {"[\n", "{\"a\":[1,\n", "a=", "\xff=1\n"};

	(void)state;
	for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++) {
		cJSON *values = cJSON_CreateObject();
		char *text = calloc(1, 65537);

		for (size_t n = 0; n + strlen(lines[i]) < 65536; n += strlen(lines[i]))
			strcpy(text + n, lines[i]);
		assert_int_equal(dut_probe_parse(text, values), 0);
		free(text);
		cJSON_Delete(values);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(numbers_are_taken_and_nothing_else),
		cmocka_unit_test(no_output_is_too_much),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
