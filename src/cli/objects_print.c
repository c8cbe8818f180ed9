/* SPDX-License-Identifier: BSD-3-Clause */
#include "objects_private.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LINE_BYTES   100
#define INDENT_BYTES 6

/* Words one after the other, broken over lines. */
struct wrap {
	FILE *f;
	unsigned col;
	bool failed; /* no memory for a word */
};

/* Bytes that no shell takes for anything else, wherever they stand in a word. */
static bool is_plain_text(const char *text)
{
	static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
				    "_-./:,+@%=";

	return text[0] != '\0' && text[strspn(text, plain)] == '\0';
}

/* `name=value` as a word for the shell; NULL: no memory. Caller frees. */
static char *shell_word(const char *prefix, const char *name, const char *value)
{
	char *word = NULL;
	size_t len;
	FILE *f = open_memstream(&word, &len);

	if (f == NULL)
		return NULL;
	fprintf(f, "%s%s=", prefix, name);
	if (is_plain_text(value)) {
		fputs(value, f);
	} else {
		fputc('\'', f);
		for (const char *c = value; *c != '\0'; c++) {
			if (*c == '\'')
				fputs("'\\''", f);
			else
				fputc(*c, f);
		}
		fputc('\'', f);
	}
	if (fclose(f) != 0) {
		free(word);
		return NULL;
	}
	return word;
}

static void wrap_word(struct wrap *w, const char *prefix, const char *name, const char *value)
{
	char *word = shell_word(prefix, name, value);
	unsigned len;

	if (word == NULL) {
		w->failed = true;
		return;
	}
	len = (unsigned)strlen(word);
	if (w->col > INDENT_BYTES && w->col + 1 + len > LINE_BYTES) {
		fprintf(w->f, "\n%*s", INDENT_BYTES, "");
		w->col = INDENT_BYTES;
	}
	w->col += (unsigned)fprintf(w->f, "%s%s", w->col > INDENT_BYTES ? " " : "", word);
	free(word);
}

static void emit_assumed(void *ctx, const char *name, const char *value)
{
	wrap_word(ctx, "assumed-", name, value);
}

static bool is_disabled(const struct opt_set *obj)
{
	const struct opt *opt = opt_menu_find(obj->menu, "disabled");
	struct opt_val val;

	return opt != NULL && opt_set_val(obj, opt, 0, &val) && val.lo != 0;
}

/* The words of an object as given; those that print shows elsewhere are left out. */
static void print_given(struct wrap *w, const struct opt_set *obj)
{
	for (unsigned i = 0; i < obj->nb_slots; i++) {
		const struct opt *opt = obj->slots[i].opt;
		char *text;

		if (strcmp(opt->name, "comment") == 0 || strcmp(opt->name, "disabled") == 0)
			continue;
		text = opt_set_print(obj, opt);
		if (text != NULL)
			wrap_word(w, "", opt->name, text);
		else
			w->failed = true;
		free(text);
	}
}

static int print_block(const struct object_call *call, const struct opt_set *obj, unsigned number)
{
	const struct opt *comment = opt_menu_find(obj->menu, "comment");
	const struct opt_slot *text = comment == NULL ? NULL : opt_set_get(obj, comment);
	struct wrap w = {.f = stdout, .col = INDENT_BYTES};

	printf("%3u %c ", number, is_disabled(obj) ? 'X' : ' ');
	if (text != NULL)
		printf(";;; %s\n%*s", text->vals[0].text, INDENT_BYTES, "");
	print_given(&w, obj);
	if (call->kind->assumed != NULL) {
		printf("\n%*s", INDENT_BYTES, "");
		w.col = INDENT_BYTES;
		call->kind->assumed(call->conf, obj, emit_assumed, &w);
	}
	fputc('\n', stdout);
	return w.failed ? err_device(call->err, ENOMEM, "print") : 0;
}

static int check_stdout(const struct object_call *call)
{
	if (fflush(stdout) == 0 && !ferror(stdout))
		return 0;
	return err_device(call->err, errno, "cannot write to standard output");
}

/* Whether name is one of a comma list; an empty list (NULL) holds all. */
static bool is_meant(const char *names, const char *name)
{
	char one[OBJECT_NAME_BYTES];
	bool all = names == NULL;

	while (object_name_next(&names, one)) {
		if (strcmp(one, name) == 0)
			return true;
	}
	return all;
}

/* An error for the first name that no object has. */
static int check_names(const struct object_call *call, const char *names)
{
	char name[OBJECT_NAME_BYTES];

	while (object_name_next(&names, name)) {
		if (object_find(call, name) == NULL)
			return -EINVAL;
	}
	return 0;
}

/* Shows the objects meant, in the order of the file. */
static int for_each(struct object_call *call, const char *names,
	int (*show)(const struct object_call *call, const struct opt_set *obj, unsigned number))
{
	const struct opt *name_opt = opt_menu_find(call->kind->menu, "name");
	int rc = 0;

	for (unsigned i = 0; rc == 0 && i < conf_nb(call->conf, call->kind->key); i++) {
		const struct opt_set *obj = conf_at(call->conf, call->kind->key, i);

		if (is_meant(names, opt_set_one(obj, name_opt).text))
			rc = show(call, obj, i);
	}
	return rc != 0 ? rc : check_stdout(call);
}

static bool take_word(struct object_call *call, const char *word)
{
	if (call->argc == 0 || strcmp(call->argv[0], word) != 0)
		return false;
	call->argc--;
	call->argv++;
	return true;
}

/* RouterOS's `detail` is taken before and after the names: the form with all values is the only one. */
int object_print(struct object_call *call)
{
	bool detail = take_word(call, "detail");
	const char *names = object_call_names(call);
	int rc;

	if (!detail)
		take_word(call, "detail");
	rc = object_call_done(call);
	if (rc == 0)
		rc = check_names(call, names);
	if (rc != 0)
		return rc;
	if (opt_menu_find(call->kind->menu, "disabled") != NULL)
		puts("Flags: X - disabled");
	return for_each(call, names, print_block);
}

static int export_line(const struct object_call *call, const struct opt_set *obj, unsigned number)
{
	(void)number;
	printf("tgen %s add", call->kind->command);
	for (unsigned i = 0; i < obj->nb_slots; i++) {
		char *text = opt_set_print(obj, obj->slots[i].opt);
		char *word = text == NULL ? NULL : shell_word(" ", obj->slots[i].opt->name, text);

		free(text);
		if (word == NULL)
			return err_device(call->err, ENOMEM, "export");
		fputs(word, stdout);
		free(word);
	}
	fputc('\n', stdout);
	return 0;
}

int object_export(struct object_call *call)
{
	const char *names = object_call_names(call);
	int rc = object_call_done(call);

	if (rc == 0)
		rc = check_names(call, names);
	return rc != 0 ? rc : for_each(call, names, export_line);
}

/* A value that was not given is its default; one that has none is an empty line. */
int object_get(struct object_call *call)
{
	const char *name = object_call_names(call), *field;
	const struct opt_set *obj;
	const struct opt *opt;
	char *text;

	if (name == NULL)
		return err_usage(call->err, "usage: tgen %s get NAME FIELD", call->kind->command);
	field = object_call_named(call, "value-name");
	if (field == NULL && call->argc > 0) {
		field = call->argv[0];
		call->argc--;
		call->argv++;
	}
	if (field == NULL)
		return err_usage(
			call->err, "get what? usage: tgen %s get NAME FIELD", call->kind->command);
	if (object_call_done(call) != 0)
		return -EINVAL;
	obj = object_find(call, name);
	opt = object_opt(call, field);
	if (obj == NULL || opt == NULL)
		return -EINVAL;
	text = opt_set_print(obj, opt);
	if (text == NULL && opt_set_get(obj, opt) != NULL)
		return err_device(call->err, ENOMEM, "get");
	puts(text != NULL ? text : opt->dflt != NULL ? opt->dflt : "");
	free(text);
	return check_stdout(call);
}
