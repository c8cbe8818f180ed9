/* SPDX-License-Identifier: BSD-3-Clause */
#include "script_help.h"

/* The commands of a text: words with | between them, a newline after each; [a b] for brackets. */
static void write_words(FILE *f, const struct script_word *words, unsigned nb, const char *sep)
{
	for (unsigned i = 0; i < nb; i++) {
		fprintf(f, "%s%s", i > 0 ? sep : "", words[i].text);
		if (words[i].has_find) {
			fputc('[', f);
			write_words(f, words[i].find, words[i].nb_find, " ");
			fputc(']', f);
		}
	}
}

static char *lex_all(
	const char *text, size_t len, int *last, struct script_lex *lex, struct err *err)
{
	char *out;
	size_t size;
	FILE *f = open_memstream(&out, &size);

	script_lex_init(lex, text, len);
	do {
		struct script_line line;

		*last = script_lex_next(lex, &line, err);
		if (*last > 0) {
			write_words(f, line.words, line.nb, "|");
			fputc('\n', f);
		}
		script_line_free(&line);
	} while (*last > 0);
	fclose(f);
	return out;
}

static void texts_are_split_into_the_words_that_routeros_sees(void **state)
{
	static const struct {
		const char *text, *words;
	} cases[] = {
		{"", ""},
		{"\n\n  \t\r\n", ""},
		{"# a comment\n", ""},
		{"add name=r12 ip-dst=1.1.1.1", "add|name=r12|ip-dst=1.1.1.1\n"},
		{"a b # and why\nc", "a|b\nc\n"},
		{"a;b c;;d", "a\nb|c\nd\n"},
		{"a comment=\"x; y # z\"", "a|comment=x; y # z\n"},
		{"a \"\\\"\\\\\\n\\r\\t\\$\\?\\_\\41\"", "a|\"\\\n\r\t$? A\n"},
		{"add name=\\\n    r14\nadd", "add|name=r14\nadd\n"},
		{"add a=1 \\\r\n\tb=2", "add|a=1|b=2\n"},
		{"add na\\\n\\\n  me=x", "add|name=x\n"},
		{"c \"long \\\n    text\"", "c|long text\n"},
		{"c \"two\nlines\"", "c|two\nlines\n"},
		{"set [find] a=1", "set|[find]|a=1\n"},
		{"set [ find name=\"r 1\" b=\\\n  2 ] a=1", "set|[find name=r 1 b=2]|a=1\n"},
		{"set numbers=[find name=x]", "set|numbers=[find name=x]\n"},
		{"a b=#1 c#d", "a|b=#1|c#d\n"},
		{"\xef\xbb\xbf/ip address", "/ip|address\n"},
		{"device=vdev:net_null0,copy=1", "device=vdev:net_null0,copy=1\n"},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct script_lex lex;
		struct err err = {0};
		int last;
		char *words = lex_all(cases[i].text, strlen(cases[i].text), &last, &lex, &err);

		assert_string_equal(err.text, "");
		assert_int_equal(last, 0);
		assert_string_equal(words, cases[i].words);
		free(words);
	}
}

static void what_is_no_word_is_refused_with_its_place(void **state)
{
	static const struct {
		const char *text;
		int rc;
		unsigned line, col;
		const char *message;
	} cases[] = {
		{"a\nb \"c", -EAGAIN, 2, 3, "quotes are not closed"},
		{"a [find name=x", -EAGAIN, 1, 3, "bracket is not closed"},
		{"a b=1 \\", -EAGAIN, 1, 3, "there is none"},
		{"a b=1\\\n", -EAGAIN, 1, 3, "there is none"},
		{"a \"\\q\"", -EINVAL, 1, 4, "\"\\q\" is no escape"},
		{"a \"\\00\"", -EINVAL, 1, 4, "zero byte"},
		{"a b\\c", -EINVAL, 1, 4, "end of a line"},
		{":local x 1", -EINVAL, 1, 1, "programming language is not supported: `:local`"},
		{"a\n  :foreach i", -EINVAL, 2, 3, "not supported: `:foreach`"},
		{"a b=$name", -EINVAL, 1, 5, "not supported: `$name`"},
		{"a b=\"$x\"", -EINVAL, 1, 6, "the sign itself is \"\\$\""},
		{"a do={ b }", -EINVAL, 1, 6, "not supported: `do={`"},
		{"a b=(1+2)", -EINVAL, 1, 5, "not supported: `b=(`"},
		{"a b]", -EINVAL, 1, 4, "without its ["},
		{"a b[c]", -EINVAL, 1, 4, "brackets stand for names"},
		{"a [find]b", -EINVAL, 1, 9, "nothing may follow a ]"},
		{"a [find b=1;c]", -EINVAL, 1, 12, "a ; within brackets"},
		{"a [find [find]]", -EINVAL, 1, 9, "brackets stand for names"},
		{"a \x01", -EINVAL, 1, 3, "byte 0x01"},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct script_lex lex;
		struct err err = {0};
		int last;

		free(lex_all(cases[i].text, strlen(cases[i].text), &last, &lex, &err));
		assert_int_equal(last, cases[i].rc);
		assert_holds(err.text, cases[i].message);
		assert_int_equal(lex.fault.line, cases[i].line);
		assert_int_equal(lex.fault.col, cases[i].col);
	}
}

static void a_zero_byte_is_refused(void **state)
{
	static const char *const texts[] = {"a b\0c", "a \"\0\" "};

	(void)state;
	for (size_t i = 0; i < COUNT(texts); i++) {
		struct script_lex lex;
		struct err err = {0};
		int last;

		free(lex_all(texts[i], 5, &last, &lex, &err));
		assert_int_equal(last, -EINVAL);
	}
}

static void words_know_their_place_and_value(void **state)
{
	struct script_line line;
	struct err err = {0};

	(void)state;
	assert_int_equal(lex_first("\n a \\\n  name=\"x=y\" \"p=q\" l=1,", &line, &err), 1);
	assert_int_equal(line.nb, 4);
	assert_int_equal(line.words[1].pos.line, 3);
	assert_int_equal(line.words[1].pos.col, 3);
	assert_string_equal(line.words[1].text + line.words[1].value, "x=y");
	assert_int_equal(line.words[0].value, -1);
	assert_int_equal(line.words[2].value, -1);
	assert_true(line.open);
	script_line_free(&line);
}

static void quoted_text_is_read_back_as_it_was(void **state)
{
	static const char *const texts[] = {"", "r12", "1.1.1.1/24,2.2.2.2-3", "a b", "it's \"x\"",
		"\\ $HOME `x` ? # ;", "a\nb\tc\rd", "[find] {x} (y)", "\xc3\xbc\xc3\x9f", "a=b"};

	(void)state;
	for (size_t i = 0; i < COUNT(texts); i++) {
		char *text;
		size_t size;
		FILE *f = open_memstream(&text, &size);
		struct script_line line;
		struct err err = {0};

		fputs("a x=", f);
		script_quote(f, texts[i]);
		fclose(f);
		assert_int_equal(lex_first(text, &line, &err), 1);
		assert_int_equal(line.nb, 2);
		assert_string_equal(line.words[1].text + line.words[1].value, texts[i]);
		script_line_free(&line);
		free(text);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(texts_are_split_into_the_words_that_routeros_sees),
		cmocka_unit_test(what_is_no_word_is_refused_with_its_place),
		cmocka_unit_test(a_zero_byte_is_refused),
		cmocka_unit_test(words_know_their_place_and_value),
		cmocka_unit_test(quoted_text_is_read_back_as_it_was),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
