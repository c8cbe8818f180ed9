/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "objects.h"

/* A command at work: the words after the verb, taken one by one from the front. */
struct object_call {
	const struct cli_object_kind *kind;
	struct conf *conf;
	int argc;
	char **argv;
	struct err *err;
};

/* The value of a word `name=value` at the front, which is taken; NULL: it is another word. */
const char *object_call_named(struct object_call *call, const char *name);
/*
 * Takes the names of the objects meant: `r12,r13` or RouterOS's `numbers=r12,r13`. NULL: the next
 * word is neither. A single object is meant without a word.
 */
const char *object_call_names(struct object_call *call);
/*
 * Takes the next name off a comma list into name; false at the end. What does not fit cannot be a
 * name: it is cut, and not found.
 */
#define OBJECT_NAME_BYTES 128
bool object_name_next(const char **names, char name[OBJECT_NAME_BYTES]);
/* The object of that name, or NULL with an error. */
const struct opt_set *object_find(const struct object_call *call, const char *name);
/* The option of that name, or NULL with an error. */
const struct opt *object_opt(const struct object_call *call, const char *name);
/* An error unless all words were taken. */
int object_call_done(const struct object_call *call);

/* The name of the call's i-th object; that of the kind for a single one. */
const char *object_name(const struct object_call *call, unsigned i);
/* Whether name is one of a comma list; an empty list (NULL) holds all. */
bool object_is_meant(const char *names, const char *name);
/* An error for the first name that no object has. */
int object_check_names(const struct object_call *call, const char *names);
/* The value that holds: as given, else the default, else NULL. Caller frees. */
char *object_value(const struct opt_set *obj, const struct opt *opt);
int object_check_stdout(const struct object_call *call);

/* Takes the remaining words, all `name=value`, as what an object must have. */
int object_filter_take(struct object_call *call, struct opt_set *filter);
bool object_filter_holds(const struct opt_set *filter, const struct opt_set *obj);

/* Verbs that show: objects_print.c, objects_get.c, objects_export.c, objects_find.c. */
int object_print(struct object_call *call);
int object_get(struct object_call *call);
int object_export(struct object_call *call);
int object_find_verb(struct object_call *call);
