/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * cJSON keeps no positions. After it has accepted a text, the text is walked once more beside the
 * tree: both are in the same order, and the text is known to be good, so that skipping is simple.
 */
#include "conf_private.h"
#include "tgen/text.h"

#include <assert.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define BOM "\xef\xbb\xbf"
/* Bytes of the text that a syntax error shows. */
#define NEAR_BYTES 24

struct walk {
	struct json_doc *doc;
	size_t at;
	size_t nul_escape; /* offset of a \u0000; SIZE_MAX: none */
	size_t bad_number; /* offset of a number that only cJSON takes for one; SIZE_MAX: none */
};

/* cJSON passes over every control character between tokens. */
static bool is_space(char c)
{
	return (unsigned char)c <= ' ';
}

static size_t skip_space(const struct json_doc *doc, size_t at)
{
	while (at < doc->len && is_space(doc->text[at]))
		at++;
	return at;
}

static void walk_string(struct walk *w)
{
	const char *text = w->doc->text;

	assert(text[w->at] == '"');
	for (w->at++; text[w->at] != '"'; w->at++) {
		if (text[w->at] != '\\')
			continue;
		if (strncmp(&text[w->at], "\\u0000", 6) == 0 && w->nul_escape == SIZE_MAX)
			w->nul_escape = w->at;
		w->at++;
	}
	w->at++;
}

static size_t skip_digits(const char *text, size_t at)
{
	return at + strspn(text + at, "0123456789");
}

/* RFC 8259 section 6. cJSON takes what strtod does: leading zeros, a dot at the end. */
static bool is_number(const char *text, size_t len)
{
	size_t at = text[0] == '-', from = at;

	at = skip_digits(text, at);
	if (at == from || (text[from] == '0' && at > from + 1))
		return false;
	if (text[at] == '.') {
		from = at + 1;
		at = skip_digits(text, from);
		if (at == from)
			return false;
	}
	if (text[at] == 'e' || text[at] == 'E') {
		from = at + 1 + (text[at + 1] == '+' || text[at + 1] == '-');
		at = skip_digits(text, from);
		if (at == from)
			return false;
	}
	return at == len;
}

static bool walk_number(struct walk *w, cJSON *node)
{
	const char *from = w->doc->text + w->at;
	size_t len = strspn(from, "0123456789+-eE.");
	char *text = cJSON_malloc(len + 1);

	if (text == NULL)
		return false;
	if (!is_number(from, len) && w->bad_number == SIZE_MAX)
		w->bad_number = w->at;
	memcpy(text, from, len);
	text[len] = '\0';
	node->valuestring = text;
	w->at += len;
	return true;
}

static bool add_mark(struct json_doc *doc, const cJSON *node, size_t key, size_t value)
{
	if (doc->nb_marks == doc->room) {
		size_t room = doc->room == 0 ? 256 : 2 * doc->room;
		struct json_mark *marks = realloc(doc->marks, room * sizeof(*marks));

		if (marks == NULL)
			return false;
		doc->marks = marks;
		doc->room = room;
	}
	doc->marks[doc->nb_marks++] = (struct json_mark){node, key, value};
	return true;
}

static bool walk_value(struct walk *w, cJSON *node, size_t key);

static bool walk_children(struct walk *w, const cJSON *node)
{
	const struct json_doc *doc = w->doc;

	w->at = skip_space(doc, w->at + 1);
	if (node->child == NULL)
		w->at++;
	for (cJSON *child = node->child; child != NULL; child = child->next) {
		size_t key = SIZE_MAX;

		w->at = skip_space(doc, w->at);
		if (cJSON_IsObject(node)) {
			key = w->at;
			walk_string(w);
			w->at = skip_space(doc, w->at);
			assert(doc->text[w->at] == ':');
			w->at = skip_space(doc, w->at + 1);
		}
		if (!walk_value(w, child, key))
			return false;
		w->at = skip_space(doc, w->at) + 1; /* comma or closing bracket */
	}
	return true;
}

/* As deep as cJSON went itself: CJSON_NESTING_LIMIT. False: no memory. */
static bool walk_value(struct walk *w, cJSON *node, size_t key)
{
	if (!add_mark(w->doc, node, key == SIZE_MAX ? w->at : key, w->at))
		return false;
	if (cJSON_IsObject(node) || cJSON_IsArray(node))
		return walk_children(w, node);
	if (cJSON_IsNumber(node))
		return walk_number(w, node);
	if (cJSON_IsString(node))
		walk_string(w);
	else
		w->at += strlen(cJSON_IsFalse(node) ? "false" : "true"); /* null is as long */
	return true;
}

static int compare_nodes(const void *a, const void *b)
{
	const struct json_mark *left = a, *right = b;

	return (left->node > right->node) - (left->node < right->node);
}

/* Where the text before offset at ends, spaces at its end left out. */
static size_t trim_before(const struct json_doc *doc, size_t at)
{
	while (at > 0 && is_space(doc->text[at - 1]))
		at--;
	return at;
}

/*
 * cJSON stops one byte after the place where a string should begin, and after the opening quote of
 * one that is wrong: goes back to that byte.
 */
static size_t string_start(const struct json_doc *doc, size_t at)
{
	size_t before = at == 0 ? 0 : trim_before(doc, at - 1);
	char last, before_last;

	if (before == 0)
		return at;
	last = doc->text[at - 1];
	before_last = doc->text[before - 1];
	if (last == '"')
		return strchr("{[,:", before_last) != NULL ? at - 1 : at;
	if (is_space(last) || (last >= '0' && last <= '9'))
		return at;
	if (before_last == ',' || (before_last == '{' && last != '}'))
		return at - 1;
	return at;
}

static int syntax_error(struct json_doc *doc, size_t at, struct err *err)
{
	size_t before, len = 0;

	if (skip_space(doc, 0) == doc->len)
		return json_doc_error(doc, 0, err, "the file is empty, not even {}");
	at = skip_space(doc, at <= doc->len ? string_start(doc, at) : doc->len);
	if (at == doc->len)
		return json_doc_error(doc, at, err, "the file ends too early");
	before = trim_before(doc, at);
	if (before > 0 && doc->text[before - 1] == ',' && strchr("]}", doc->text[at]) != NULL)
		return json_doc_error(doc, before - 1, err, "a comma with nothing after it");
	if (doc->text[at] == '/' || doc->text[at] == '#')
		return json_doc_error(
			doc, at, err, "JSON has no comments: use the key \"comment\"");
	while (len < NEAR_BYTES && at + len < doc->len && doc->text[at + len] != '\n')
		len++;
	return json_doc_error(doc, at, err, "not JSON from here: %.*s", (int)len, doc->text + at);
}

/* Offset of the first byte that is not UTF-8; len: there is none. */
static size_t find_bad_byte(const char *text, size_t len)
{
	size_t at = 0, bytes = 1;

	while (at < len && bytes > 0) {
		bytes = text_char_bytes(text + at);
		at += bytes;
	}
	return at;
}

int json_doc_parse(
	struct json_doc *doc, const char *file, const char *text, size_t len, struct err *err)
{
	struct walk w = {.doc = doc, .nul_escape = SIZE_MAX, .bad_number = SIZE_MAX};
	const char *nul, *end;
	size_t bad;

	if (strncmp(text, BOM, strlen(BOM)) == 0) {
		text += strlen(BOM);
		len -= strlen(BOM);
	}
	*doc = (struct json_doc){.file = file, .text = text, .len = len, .at.line = 1};
	/* cJSON would pass over one here. */
	if (strncmp(text, BOM, strlen(BOM)) == 0)
		return json_doc_error(doc, 0, err, "a second byte order mark");
	nul = memchr(text, '\0', len);
	if (nul != NULL)
		return json_doc_error(doc, (size_t)(nul - text), err, "a NUL byte");
	bad = find_bad_byte(text, len);
	if (bad < len)
		return json_doc_error(doc, bad, err,
			"the byte 0x%02x is not UTF-8 (save the file as UTF-8)",
			(unsigned char)text[bad]);
	/* With the NUL: an error at the end is then not reported one byte before it. */
	doc->root = cJSON_ParseWithLengthOpts(text, len + 1, &end, false);
	if (doc->root == NULL || skip_space(doc, (size_t)(end - text)) < len)
		return syntax_error(doc, (size_t)(end - text), err);

	w.at = skip_space(doc, 0);
	if (!walk_value(&w, doc->root, SIZE_MAX))
		return conf_no_memory(err);
	if (w.bad_number != SIZE_MAX)
		return json_doc_error(doc, w.bad_number, err,
			"%.*s is not a JSON number (zeros in front, a dot without digits?)",
			(int)strspn(text + w.bad_number, "0123456789+-eE."), text + w.bad_number);
	if (w.nul_escape != SIZE_MAX)
		return json_doc_error(doc, w.nul_escape, err, "the character U+0000 in a string");
	qsort(doc->marks, doc->nb_marks, sizeof(doc->marks[0]), compare_nodes);
	return 0;
}

void json_doc_fini(struct json_doc *doc)
{
	cJSON_Delete(doc->root);
	free(doc->marks);
	*doc = (struct json_doc){0};
}

const struct json_mark *json_doc_mark(const struct json_doc *doc, const cJSON *node)
{
	const struct json_mark key = {.node = node};
	const struct json_mark *mark =
		bsearch(&key, doc->marks, doc->nb_marks, sizeof(key), compare_nodes);

	assert(mark != NULL);
	return mark;
}

struct opt_pos json_doc_pos(struct json_doc *doc, size_t offset)
{
	if (offset < doc->at.offset) {
		doc->at.offset = doc->at.line_start = 0;
		doc->at.line = 1;
	}
	for (; doc->at.offset < offset; doc->at.offset++) {
		if (doc->text[doc->at.offset] != '\n')
			continue;
		doc->at.line++;
		doc->at.line_start = doc->at.offset + 1;
	}
	return (struct opt_pos){
		.line = doc->at.line, .col = (unsigned)(offset - doc->at.line_start + 1)};
}

int json_doc_error(struct json_doc *doc, size_t offset, struct err *err, const char *fmt, ...)
{
	struct opt_pos pos = json_doc_pos(doc, offset);
	char text[sizeof(err->text)];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	return err_usage(err, "%s:%u:%u: %s", doc->file, pos.line, pos.col, text);
}
