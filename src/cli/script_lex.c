/* SPDX-License-Identifier: BSD-3-Clause */
#include "script.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define NOT_SUPPORTED "RouterOS's programming language is not supported: "

/* A word that grows; text is always ended. */
struct buf {
	char *text;
	size_t len, size;
};

void script_lex_init(struct script_lex *lex, const char *text, size_t len)
{
	static const char mark[] = "\xef\xbb\xbf"; /* that some editors put before UTF-8 */

	*lex = (struct script_lex){.text = text, .len = len, .pos = {1, 1}};
	if (len >= 3 && memcmp(text, mark, 3) == 0)
		lex->at = 3;
}

static void words_free(struct script_word *words, unsigned nb)
{
	for (unsigned i = 0; i < nb; i++) {
		free(words[i].text);
		words_free(words[i].find, words[i].nb_find);
	}
	free(words);
}

void script_line_free(struct script_line *line)
{
	words_free(line->words, line->nb);
	*line = (struct script_line){0};
}

static int buf_put(struct buf *buf, char c, struct err *err)
{
	if (buf->len + 2 > buf->size) {
		size_t size = buf->size == 0 ? 32 : 2 * buf->size;
		char *text = realloc(buf->text, size);

		if (text == NULL)
			return err_device(err, ENOMEM, "script");
		buf->text = text;
		buf->size = size;
	}
	buf->text[buf->len++] = c;
	buf->text[buf->len] = '\0';
	return 0;
}

/* Bytes from at that end a line; 0: it does not end there. */
static size_t newline_at(const struct script_lex *lex, size_t at)
{
	if (at < lex->len && lex->text[at] == '\n')
		return 1;
	return at + 1 < lex->len && lex->text[at] == '\r' && lex->text[at + 1] == '\n' ? 2 : 0;
}

static void step(struct script_lex *lex, size_t nb)
{
	for (; nb > 0; nb--, lex->at++) {
		lex->pos.col++;
		if (lex->text[lex->at] == '\n')
			lex->pos = (struct opt_pos){lex->pos.line + 1, 1};
	}
}

static bool at_blank(const struct script_lex *lex)
{
	return lex->at < lex->len && (lex->text[lex->at] == ' ' || lex->text[lex->at] == '\t');
}

/* Passes a `\` at the end of a line, and the blanks that the next begins with. True: there was one. */
static bool step_join(struct script_lex *lex)
{
	bool joined = false;

	while (lex->at < lex->len && lex->text[lex->at] == '\\') {
		size_t nb = newline_at(lex, lex->at + 1);

		if (nb == 0 && lex->at + 1 < lex->len)
			break;
		step(lex, 1 + nb);
		while (at_blank(lex))
			step(lex, 1);
		joined = true;
	}
	lex->dangling |= joined && lex->at >= lex->len;
	return joined;
}

/* -EAGAIN: the text ends where more must come. */
static int need_more(struct script_lex *lex, struct opt_pos at, const char *what, struct err *err)
{
	lex->fault = at;
	err_usage(err, "%s", what);
	return -EAGAIN;
}

static int lex_escape(struct script_lex *lex, struct buf *buf, struct err *err)
{
	static const char names[] = "nrtabfv\"\\$?_";
	static const char values[] = "\n\r\t\a\b\f\v\"\\$? ";
	const char *c = lex->text + lex->at + 1;
	size_t left = lex->len - lex->at - 1;
	const char *name = left > 0 && c[0] != '\0' ? strchr(names, c[0]) : NULL;
	char hex[3] = {0};

	lex->fault = lex->pos;
	if (name != NULL) {
		step(lex, 2);
		return buf_put(buf, values[name - names], err);
	}
	if (left < 2 || !isxdigit((unsigned char)c[0]) || !isxdigit((unsigned char)c[1]))
		return err_usage(err, "\"\\%.*s\" is no escape (a backslash itself is \"\\\\\")",
			(int)(left > 0 && isprint((unsigned char)c[0])), c);
	memcpy(hex, c, 2);
	if (strtoul(hex, NULL, 16) == 0)
		return err_usage(err, "\"\\00\": a zero byte cannot be part of a word");
	step(lex, 3);
	return buf_put(buf, (char)strtoul(hex, NULL, 16), err);
}

static int lex_quoted(struct script_lex *lex, struct buf *buf, struct err *err)
{
	struct opt_pos begin = lex->pos;
	int rc = 0;

	step(lex, 1);
	while (rc == 0) {
		step_join(lex);
		if (lex->at >= lex->len)
			return need_more(lex, begin, "these quotes are not closed", err);
		if (lex->text[lex->at] == '"')
			break;
		lex->fault = lex->pos;
		if (lex->text[lex->at] == '\\') {
			rc = lex_escape(lex, buf, err);
		} else if (lex->text[lex->at] == '$') {
			rc = err_usage(err,
				NOT_SUPPORTED "a variable in quotes (the sign itself is \"\\$\")");
		} else if (lex->text[lex->at] == '\0') {
			rc = err_usage(err, "a zero byte in quotes");
		} else {
			rc = buf_put(buf, lex->text[lex->at], err);
			step(lex, 1);
		}
	}
	if (rc == 0)
		step(lex, 1);
	return rc;
}

/* A byte that no plain word holds. */
static int refuse_byte(struct script_lex *lex, const struct buf *word, struct err *err)
{
	const char *at = lex->text + lex->at;
	int len = 1;

	lex->fault = lex->pos;
	if (*at == '$') {
		while (lex->at + (size_t)len < lex->len &&
			(isalnum((unsigned char)at[len]) || at[len] == '-') && len < 40)
			len++;
		return err_usage(err, NOT_SUPPORTED "`%.*s`", len, at);
	}
	if (*at != '\0' && strchr("{}()", *at) != NULL)
		return err_usage(
			err, NOT_SUPPORTED "`%.40s%c`", word->text != NULL ? word->text : "", *at);
	if (*at == '\\')
		return err_usage(
			err, "outside of quotes a backslash may only stand at the end of a line");
	if (*at == '[')
		return err_usage(err, "brackets stand for names: `[find …]` or `numbers=[find …]`");
	if (*at == ']')
		return err_usage(err, "a ] without its [");
	return err_usage(err, "byte 0x%02x is no part of a word", (unsigned char)*at);
}

static int add_word(struct script_word **words, unsigned *nb, struct err *err)
{
	struct script_word *more = realloc(*words, (*nb + 1) * sizeof(*more));

	if (more == NULL)
		return err_device(err, ENOMEM, "script");
	*words = more;
	more[(*nb)++] = (struct script_word){.value = -1};
	return 0;
}

static int lex_word(struct script_lex *lex, struct script_word *word, bool nested, struct err *err);

/* The words of [ … ], the first bracket being at. */
static int lex_brackets(struct script_lex *lex, struct script_word *word, struct err *err)
{
	struct opt_pos begin = lex->pos;
	int rc = 0;

	word->has_find = true;
	step(lex, 1);
	while (rc == 0) {
		while (at_blank(lex) || step_join(lex) || newline_at(lex, lex->at) != 0)
			step(lex, at_blank(lex) ? 1 : newline_at(lex, lex->at));
		if (lex->at >= lex->len)
			return need_more(lex, begin, "this bracket is not closed", err);
		if (lex->text[lex->at] == ']')
			break;
		if (lex->text[lex->at] == ';') {
			lex->fault = lex->pos;
			return err_usage(err, "a ; within brackets: close them first");
		}
		rc = add_word(&word->find, &word->nb_find, err);
		if (rc == 0)
			rc = lex_word(lex, &word->find[word->nb_find - 1], true, err);
	}
	if (rc == 0)
		step(lex, 1);
	return rc;
}

static bool ends_word(const struct script_lex *lex)
{
	return lex->at >= lex->len || at_blank(lex) || newline_at(lex, lex->at) != 0 ||
	       lex->text[lex->at] == ';';
}

/* Brackets may be a word, or the value of one. */
static bool at_brackets(const struct script_lex *lex, const struct script_word *word,
	const struct buf *buf, bool nested)
{
	return lex->text[lex->at] == '[' && !nested && !word->quoted &&
	       (buf->len == 0 || word->value == (int)buf->len);
}

static int lex_word_into(struct script_lex *lex, struct script_word *word, struct buf *buf,
	bool nested, struct err *err)
{
	int rc = 0;

	while (rc == 0) {
		char c;

		step_join(lex);
		if (ends_word(lex) || (nested && lex->text[lex->at] == ']'))
			return 0;
		c = lex->text[lex->at];
		if (word->has_find) {
			lex->fault = lex->pos;
			return err_usage(err, "nothing may follow a ] but a blank");
		}
		if (at_brackets(lex, word, buf, nested)) {
			rc = lex_brackets(lex, word, err);
		} else if (c == '"') {
			word->quoted = true;
			rc = lex_quoted(lex, buf, err);
		} else if ((unsigned char)c <= ' ' || strchr("${}()[]\\", c) != NULL) {
			rc = refuse_byte(lex, buf, err);
		} else {
			rc = buf_put(buf, c, err);
			step(lex, 1);
			if (c == '=' && word->value < 0 && !word->quoted)
				word->value = (int)buf->len;
		}
	}
	return rc;
}

static int lex_word(struct script_lex *lex, struct script_word *word, bool nested, struct err *err)
{
	struct buf buf = {0};
	int rc;

	word->pos = lex->pos;
	rc = lex_word_into(lex, word, &buf, nested, err);
	word->text = buf.text != NULL ? buf.text : calloc(1, 1);
	return rc == 0 && word->text == NULL ? err_device(err, ENOMEM, "script") : rc;
}

/* Passes blanks and, where a word may begin, a comment. */
static void skip_blanks(struct script_lex *lex)
{
	while (at_blank(lex) || step_join(lex)) {
		if (at_blank(lex))
			step(lex, 1);
	}
	if (lex->at < lex->len && lex->text[lex->at] == '#')
		while (lex->at < lex->len && newline_at(lex, lex->at) == 0)
			step(lex, 1);
}

static int check_word(struct script_lex *lex, const struct script_word *word, struct err *err)
{
	if (word->text[0] != ':' || word->quoted)
		return 0;
	lex->fault = word->pos;
	return err_usage(err, NOT_SUPPORTED "`%.40s`", word->text);
}

int script_lex_next(struct script_lex *lex, struct script_line *out, struct err *err)
{
	int rc = 0;

	*out = (struct script_line){0};
	while (rc == 0) {
		skip_blanks(lex);
		if (lex->at >= lex->len && out->nb > 0 && lex->dangling)
			return need_more(lex, out->words[out->nb - 1].pos,
				"a \\ joins this line with the next, and there is none", err);
		if (ends_word(lex)) {
			size_t nb = newline_at(lex, lex->at);

			if (lex->at < lex->len)
				step(lex, nb > 0 ? nb : 1);
			else if (out->nb == 0)
				return 0;
			if (out->nb > 0)
				break;
			continue;
		}
		rc = add_word(&out->words, &out->nb, err);
		if (rc == 0)
			rc = lex_word(lex, &out->words[out->nb - 1], false, err);
		if (rc == 0 && out->nb == 1)
			rc = check_word(lex, &out->words[0], err);
	}
	if (rc == 0) {
		const struct script_word *last = &out->words[out->nb - 1];
		size_t len = strlen(last->text);

		out->open = len > 0 && last->text[len - 1] == ',' && !last->quoted;
	}
	return rc == 0 ? 1 : rc;
}

void script_quote(FILE *f, const char *text)
{
	static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
				    "_-./:,+@%*";
	static const char escapes[] = "\n\r\t\"\\$", names[] = "nrt\"\\$";

	if (text[0] != '\0' && text[strspn(text, plain)] == '\0') {
		fputs(text, f);
		return;
	}
	fputc('"', f);
	for (; *text != '\0'; text++) {
		const char *escape = strchr(escapes, *text);

		if (escape != NULL)
			fprintf(f, "\\%c", names[escape - escapes]);
		else
			fputc(*text, f);
	}
	fputc('"', f);
}
