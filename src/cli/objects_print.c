/* SPDX-License-Identifier: BSD-3-Clause */
#include "objects_private.h"
#include "script.h"

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

/* Where told values go: one form of print. */
struct told {
	const struct object_call *call;
	struct wrap w;
};

/* A read-only value is told by its own name, one that a run would use as an assumed one. */
static const char *told_prefix(const struct object_call *call, const char *name)
{
	const struct opt *opt = opt_menu_find(call->kind->menu, name);

	return opt != NULL && (opt->flags & OPT_READONLY) != 0 ? "" : "assumed-";
}

static void emit_wrapped(void *ctx, const char *name, const char *value)
{
	struct told *told = ctx;

	wrap_word(&told->w, told_prefix(told->call, name), name, value);
}

static void emit_line(void *ctx, const char *name, const char *value)
{
	const struct object_call *call = ctx;

	printf("%*s%s%s=%s\n", INDENT_BYTES, "", told_prefix(call, name), name, value);
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

static int no_memory(const struct object_call *call)
{
	return err_device(call->err, ENOMEM, "print");
}

static int print_block(const struct object_call *call, const struct opt_set *obj, unsigned number)
{
	const struct opt *comment = opt_menu_find(obj->menu, "comment");
	const struct opt_slot *text = comment == NULL ? NULL : opt_set_get(obj, comment);
	struct told told = {.call = call, .w = {.f = stdout, .col = INDENT_BYTES}};

	printf("%3u %c ", number, is_disabled(obj) ? 'X' : ' ');
	if (text != NULL)
		printf(";;; %s\n%*s", text->vals[0].text, INDENT_BYTES, "");
	print_given(&told.w, obj);
	if (call->kind->assumed != NULL) {
		printf("\n%*s", INDENT_BYTES, "");
		told.w.col = INDENT_BYTES;
		call->kind->assumed(call->conf, obj, emit_wrapped, &told);
	}
	fputc('\n', stdout);
	return told.w.failed ? no_memory(call) : 0;
}

/* Calls show for every option of a menu that can be given. */
static int for_each_opt(const struct opt_set *obj,
	int (*show)(const struct opt_set *obj, const struct opt *opt, unsigned i))
{
	const struct opt_menu *menu = obj->menu;
	unsigned nb = 0;
	int rc = 0;

	for (size_t s = 0; s < menu->nb_sections; s++) {
		for (size_t i = 0; rc == 0 && i < menu->sections[s]->nb; i++) {
			const struct opt *opt = opt_section_at(menu->sections[s], i);

			if ((opt->flags & OPT_READONLY) == 0)
				rc = show(obj, opt, nb++);
		}
	}
	return rc;
}

static int detail_line(const struct opt_set *obj, const struct opt *opt, unsigned i)
{
	char *text = object_value(obj, opt);

	printf("%*s%s=%s\n", i == 0 ? 0 : INDENT_BYTES, "", opt->name, text != NULL ? text : "");
	free(text);
	return 0;
}

/* Every field, given or not, on a line of its own. */
static int print_detail(const struct object_call *call, const struct opt_set *obj, unsigned number)
{
	if (call->kind->single)
		printf("%*s", INDENT_BYTES, "");
	else
		printf("%3u %c ", number, is_disabled(obj) ? 'X' : ' ');
	for_each_opt(obj, detail_line);
	if (call->kind->assumed != NULL)
		call->kind->assumed(call->conf, obj, emit_line, (void *)(uintptr_t)call);
	return 0;
}

/* What was given, in one line. */
static int print_terse(const struct object_call *call, const struct opt_set *obj, unsigned number)
{
	printf("%u %c", number, is_disabled(obj) ? 'X' : ' ');
	for (unsigned i = 0; i < obj->nb_slots; i++) {
		char *text = opt_set_print(obj, obj->slots[i].opt);
		char *word = text == NULL ? NULL : shell_word(" ", obj->slots[i].opt->name, text);

		free(text);
		if (word == NULL)
			return no_memory(call);
		fputs(word, stdout);
		free(word);
	}
	fputc('\n', stdout);
	return 0;
}

/* A value with a semicolon, a quote or a line's end in it is quoted: the others end at the next. */
static int print_as_value(
	const struct object_call *call, const struct opt_set *obj, unsigned number)
{
	(void)number;
	for (unsigned i = 0; i < obj->nb_slots; i++) {
		char *text = opt_set_print(obj, obj->slots[i].opt);

		if (text == NULL)
			return no_memory(call);
		printf("%s%s=", i > 0 ? ";" : "", obj->slots[i].opt->name);
		if (strpbrk(text, ";\"") != NULL)
			script_quote(stdout, text);
		else
			fputs(text, stdout);
		free(text);
	}
	fputc('\n', stdout);
	return 0;
}

static int single_line(const struct opt_set *obj, const struct opt *opt, unsigned i)
{
	char *text = object_value(obj, opt);

	(void)i;
	printf("%30s: %s\n", opt->name, text != NULL ? text : "");
	free(text);
	return 0;
}

static void emit_single(void *ctx, const char *name, const char *value)
{
	(void)ctx;
	printf("%30s: %s\n", name, value);
}

/* All values that hold, as RouterOS shows menus that have no items. */
static int print_single(const struct object_call *call, const struct opt_set *obj, unsigned number)
{
	(void)number;
	for_each_opt(obj, single_line);
	if (call->kind->assumed != NULL)
		call->kind->assumed(call->conf, obj, emit_single, NULL);
	return 0;
}

int object_check_stdout(const struct object_call *call)
{
	if (fflush(stdout) == 0 && !ferror(stdout))
		return 0;
	return err_device(call->err, errno, "cannot write to standard output");
}

const char *object_name(const struct object_call *call, unsigned i)
{
	if (call->kind->single)
		return call->kind->command;
	return opt_set_one(
		conf_at(call->conf, call->kind->key, i), opt_menu_find(call->kind->menu, "name"))
		.text;
}

bool object_is_meant(const char *names, const char *name)
{
	char one[OBJECT_NAME_BYTES];
	bool all = names == NULL;

	while (object_name_next(&names, one)) {
		if (strcmp(one, name) == 0)
			return true;
	}
	return all;
}

int object_check_names(const struct object_call *call, const char *names)
{
	char name[OBJECT_NAME_BYTES];

	while (object_name_next(&names, name)) {
		if (object_find(call, name) == NULL)
			return -EINVAL;
	}
	return 0;
}

/* A form of print: the word that asks for it. */
struct form {
	const char *word; /* NULL: without a word */
	int (*show)(const struct object_call *call, const struct opt_set *obj, unsigned number);
	bool flags; /* a line explains X */
};

static const struct form forms[] = {
	{"detail", print_detail, true},
	{"terse", print_terse, false},
	{"as-value", print_as_value, false},
};
static const struct form form_of_many = {NULL, print_block, true};
static const struct form form_of_single = {NULL, print_single, false};

/* Takes the word of a form when it comes next. */
static bool take_form(struct object_call *call, const struct form **form)
{
	for (size_t i = 0; call->argc > 0 && i < sizeof(forms) / sizeof(forms[0]); i++) {
		if (strcmp(call->argv[0], forms[i].word) != 0)
			continue;
		*form = &forms[i];
		call->argc--;
		call->argv++;
		return true;
	}
	return false;
}

/* Shows the objects meant, in the order of the file. */
static int show_all(const struct object_call *call, const char *names, const struct form *form,
	const struct opt_set *filter)
{
	int rc = 0;

	if (form->flags && opt_menu_find(call->kind->menu, "disabled") != NULL)
		puts("Flags: X - disabled");
	for (unsigned i = 0; rc == 0 && i < conf_nb(call->conf, call->kind->key); i++) {
		const struct opt_set *obj = conf_at(call->conf, call->kind->key, i);

		if (object_is_meant(names, object_name(call, i)) &&
			object_filter_holds(filter, obj))
			rc = form->show(call, obj, i);
	}
	return rc != 0 ? rc : object_check_stdout(call);
}

/* The form's word may stand before and after the names. */
int object_print(struct object_call *call)
{
	const struct form *form = call->kind->single ? &form_of_single : &form_of_many;
	bool formed = take_form(call, &form), where;
	const char *names = NULL;
	struct opt_set filter;
	int rc = 0;

	if (call->argc > 0 && strcmp(call->argv[0], "where") != 0 && !call->kind->single)
		names = object_call_names(call);
	if (!formed)
		take_form(call, &form);
	opt_set_init(&filter, call->kind->menu);
	where = call->argc > 0 && strcmp(call->argv[0], "where") == 0 && !call->kind->single;
	if (where) {
		call->argc--;
		call->argv++;
		rc = object_filter_take(call, &filter);
	}
	if (rc == 0)
		rc = object_call_done(call);
	if (rc == 0)
		rc = object_check_names(call, names);
	if (rc == 0)
		rc = show_all(call, names, form, &filter);
	opt_set_fini(&filter);
	return rc;
}
