/* SPDX-License-Identifier: BSD-3-Clause */
#include "objects_private.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tgen/log.h"

struct verb {
	const char *name;
	int (*run)(struct object_call *call);
	const char *usage;
	const char *help;  /* one sentence */
	const char *needs; /* option that the kind must have; NULL: none */
	bool single;	   /* of kinds with a single object, else of the others */
	bool creates;	   /* the file need not be there */
	bool changes;	   /* the file is saved at the end */
};

const char *object_call_named(struct object_call *call, const char *name)
{
	size_t len = strlen(name);
	const char *word = call->argc > 0 ? call->argv[0] : "";

	if (strncmp(word, name, len) != 0 || word[len] != '=')
		return NULL;
	call->argc--;
	call->argv++;
	return word + len + 1;
}

const char *object_call_names(struct object_call *call)
{
	const char *names = object_call_named(call, "numbers");

	if (call->kind->single)
		return call->kind->command;
	if (names != NULL || call->argc == 0 || strchr(call->argv[0], '=') != NULL)
		return names;
	call->argc--;
	return *call->argv++;
}

bool object_name_next(const char **names, char name[OBJECT_NAME_BYTES])
{
	size_t len;

	if (*names == NULL)
		return false;
	len = strcspn(*names, ",");
	snprintf(name, OBJECT_NAME_BYTES, "%.*s", (int)len, *names);
	*names = (*names)[len] == ',' ? *names + len + 1 : NULL;
	return true;
}

const struct opt_set *object_find(const struct object_call *call, const char *name)
{
	const struct opt_set *obj = conf_find(call->conf, call->kind->key, name);

	if (obj == NULL)
		conf_not_found(call->conf, call->kind->key, call->kind->command, name, call->err);
	return obj;
}

const struct opt *object_opt(const struct object_call *call, const char *name)
{
	const struct opt *opt = opt_menu_find(call->kind->menu, name);
	const char *near;

	if (opt != NULL)
		return opt;
	near = opt_menu_nearest(call->kind->menu, name);
	err_usage(call->err, "%s%s has no \"%.80s\"%s%s%s", call->kind->single ? "" : "a ",
		call->kind->command, name, near != NULL ? ", did you mean \"" : "",
		near != NULL ? near : "", near != NULL ? "\"?" : "");
	return NULL;
}

int object_call_done(const struct object_call *call)
{
	if (call->argc == 0)
		return 0;
	return err_usage(call->err, "\"%.80s\" is one word too many", call->argv[0]);
}

static int names_missing(const struct object_call *call)
{
	return err_usage(
		call->err, "which %s? name it first: NAME, or NAME,NAME", call->kind->command);
}

/* Gives set the remaining words. */
static int take_values(struct object_call *call, struct opt_set *set)
{
	int rc = 0;

	for (; rc == 0 && call->argc > 0; call->argc--, call->argv++)
		rc = opt_set_arg(set, call->argv[0], call->err);
	return rc;
}

/* The values of given over those of the object copied. */
static int copy_object(struct object_call *call, const char *from, const struct opt_set *given,
	struct opt_set *out)
{
	const struct opt_set *source = object_find(call, from);
	struct opt_set place;

	if (source == NULL)
		return -EINVAL;
	if (opt_set_get(given, opt_menu_find(call->kind->menu, "name")) == NULL)
		return err_usage(call->err, "name: is missing; copy-from copies all but the name");
	if (opt_set_copy(out, source) != 0)
		return err_device(call->err, ENOMEM, "copy-from");
	/* Errors about the new object are not about the place of the old one. */
	opt_set_init(&place, call->kind->menu);
	place.origin = out->origin;
	place.path = out->path;
	opt_set_fini(&place);
	out->origin = out->path = NULL;
	out->pos = (struct opt_pos){0};
	for (unsigned i = 0; i < given->nb_slots; i++) {
		const struct opt *opt = given->slots[i].opt;
		char *text = opt_set_print(given, opt);
		int rc;

		if (text == NULL)
			return err_device(call->err, ENOMEM, "copy-from");
		rc = opt_set_text(out, opt, text, (struct opt_pos){0}, call->err);
		free(text);
		if (rc != 0)
			return rc;
	}
	return 0;
}

static int object_add(struct object_call *call)
{
	const char *from = NULL, *value;
	struct opt_set given, copied;
	int rc = 0;

	opt_set_init(&given, call->kind->menu);
	opt_set_init(&copied, call->kind->menu);
	while (rc == 0 && call->argc > 0) {
		value = object_call_named(call, "copy-from");
		if (value != NULL && from != NULL) {
			rc = err_usage(call->err, "copy-from: given twice");
		} else if (value != NULL) {
			from = value;
		} else {
			rc = opt_set_arg(&given, call->argv[0], call->err);
			call->argc--;
			call->argv++;
		}
	}
	if (rc == 0 && from != NULL)
		rc = copy_object(call, from, &given, &copied);
	if (rc == 0)
		rc = conf_add(
			call->conf, call->kind->key, from != NULL ? &copied : &given, call->err);
	opt_set_fini(&copied);
	opt_set_fini(&given);
	return rc;
}

/* Gives the objects named the values of set. */
static int update_objects(struct object_call *call, const char *names, const struct opt_set *set)
{
	char name[OBJECT_NAME_BYTES];
	int rc = 0;

	while (rc == 0 && object_name_next(&names, name)) {
		rc = object_find(call, name) == NULL ? -EINVAL : 0;
		if (rc == 0)
			rc = conf_update(call->conf, call->kind->key, name, set, call->err);
	}
	return rc;
}

static int object_set(struct object_call *call)
{
	const char *names = object_call_names(call);
	struct opt_set set;
	int rc;

	if (names == NULL)
		return names_missing(call);
	opt_set_init(&set, call->kind->menu);
	rc = take_values(call, &set);
	if (rc == 0 && set.nb_slots == 0)
		rc = err_usage(call->err, "nothing to set: no name=value is given");
	if (rc == 0)
		rc = update_objects(call, names, &set);
	opt_set_fini(&set);
	return rc;
}

/* Gives the objects named one value. */
static int set_one(
	struct object_call *call, const char *names, const char *field, const char *value)
{
	struct opt_set set;
	int rc;

	opt_set_init(&set, call->kind->menu);
	rc = opt_set_text(&set, object_opt(call, field), value, (struct opt_pos){0}, call->err);
	if (rc == 0)
		rc = update_objects(call, names, &set);
	opt_set_fini(&set);
	return rc;
}

/* Removes the fields listed from one object. */
static int unset_fields(struct object_call *call, const char *name, const char *fields)
{
	char field[OBJECT_NAME_BYTES];
	int rc = 0;

	if (object_find(call, name) == NULL)
		return -EINVAL;
	while (rc == 0 && object_name_next(&fields, field)) {
		const struct opt *opt = object_opt(call, field);

		if (opt == NULL)
			return -EINVAL;
		rc = conf_unset(call->conf, call->kind->key, name, opt, call->err);
	}
	return rc == 0 ? conf_check(call->conf, call->kind->key, name, call->err) : rc;
}

static int unset_objects(struct object_call *call, const char *names, const char *fields)
{
	char name[OBJECT_NAME_BYTES];
	int rc = 0;

	while (rc == 0 && object_name_next(&names, name))
		rc = unset_fields(call, name, fields);
	return rc;
}

static int object_comment(struct object_call *call)
{
	const char *names = object_call_names(call), *text;

	if (names == NULL)
		return names_missing(call);
	text = object_call_named(call, "comment");
	if (text == NULL && call->argc == 1) {
		text = call->argv[0];
		call->argc = 0;
	}
	if (text == NULL && call->argc > 1)
		return err_usage(call->err,
			"the comment is %d words: put it in quotes, as \"%.80s %.80s\"", call->argc,
			call->argv[0], call->argv[1]);
	if (text == NULL)
		return err_usage(call->err, "the comment is missing: give it as one word");
	if (object_call_done(call) != 0)
		return -EINVAL;
	return text[0] == '\0' ? unset_objects(call, names, "comment")
			       : set_one(call, names, "comment", text);
}

static int object_enable(struct object_call *call)
{
	const char *names = object_call_names(call);

	if (names == NULL)
		return names_missing(call);
	return object_call_done(call) != 0 ? -EINVAL : unset_objects(call, names, "disabled");
}

static int object_disable(struct object_call *call)
{
	const char *names = object_call_names(call);

	if (names == NULL)
		return names_missing(call);
	return object_call_done(call) != 0 ? -EINVAL : set_one(call, names, "disabled", "yes");
}

static int object_unset(struct object_call *call)
{
	const char *names = object_call_names(call), *fields;

	if (names == NULL)
		return names_missing(call);
	fields = object_call_named(call, "value-name");
	if (fields == NULL && call->argc > 0) {
		fields = call->argv[0];
		call->argc--;
		call->argv++;
	}
	if (fields == NULL)
		return err_usage(call->err, "unset what? name it as FIELD or FIELD,FIELD");
	return object_call_done(call) != 0 ? -EINVAL : unset_objects(call, names, fields);
}

static bool names_object(
	const struct object_call *call, const struct opt_set *other, const char *name)
{
	for (const char *const *word = call->kind->named_by; *word != NULL; word++) {
		const struct opt *opt = opt_menu_find(other->menu, *word);
		const struct opt_slot *slot = opt != NULL ? opt_set_get(other, opt) : NULL;

		if (slot != NULL && strcmp(slot->vals[0].text, name) == 0)
			return true;
	}
	return false;
}

/* Says which objects of a kind still name one that was removed. */
static void warn_named_by(
	const struct object_call *call, const char *name, const struct cli_object_kind *kind)
{
	char list[512] = "";
	size_t len = 0;

	for (unsigned i = 0; i < conf_nb(call->conf, kind->key) && len < sizeof(list); i++) {
		const struct opt_set *other = conf_at(call->conf, kind->key, i);

		if (names_object(call, other, name))
			len += (size_t)snprintf(list + len, sizeof(list) - len, "%s%s",
				len > 0 ? ", " : "",
				opt_set_one(other, opt_menu_find(other->menu, "name")).text);
	}
	if (len > 0)
		log_warning("%s %s is removed, but still named by %s %s", call->kind->command, name,
			kind->command, list);
}

static void warn_named(const struct object_call *call, const char *name)
{
	for (unsigned i = 0; i < cli_nb_object_kinds; i++)
		if (!cli_object_kinds[i]->single)
			warn_named_by(call, name, cli_object_kinds[i]);
}

static int object_remove(struct object_call *call)
{
	const char *names = object_call_names(call), *removed = names;
	char name[OBJECT_NAME_BYTES];
	int rc;

	if (names == NULL)
		return names_missing(call);
	rc = object_call_done(call);
	while (rc == 0 && object_name_next(&names, name)) {
		rc = object_find(call, name) == NULL ? -EINVAL : 0;
		if (rc == 0)
			rc = conf_remove(call->conf, call->kind->key, name, call->err);
	}
	while (rc == 0 && object_name_next(&removed, name))
		warn_named(call, name);
	return rc;
}

/* clang-format off */
static const struct verb verbs[] = {
	{"add", object_add, "name=NAME [copy-from=NAME] [name=value ...]",
		"make one; the configuration file is made when there is none", .creates = true, .changes = true},
	{"set", object_set, "NAME[,NAME] name=value ...",
		"change values", .changes = true},
	{"unset", object_unset, "NAME[,NAME] FIELD[,FIELD]",
		"take values away: the defaults hold again", .changes = true},
	{"remove", object_remove, "NAME[,NAME]",
		"take them out of the file", .changes = true},
	{"comment", object_comment, "NAME[,NAME] TEXT",
		"change the comment; an empty one is removed", .needs = "comment", .changes = true},
	{"enable", object_enable, "NAME[,NAME]",
		"use them again", .needs = "disabled", .changes = true},
	{"disable", object_disable, "NAME[,NAME]",
		"leave them in the file and do not use them", .needs = "disabled", .changes = true},
	{"print", object_print, "[NAME[,NAME]] [detail|terse|as-value] [where name=value ...]",
		"show them, all when none is named; assumed-… is what a run would use; detail: every "
		"field on a line of its own; terse: a line each; as-value: the same with semicolons"},
	{"get", object_get, "NAME FIELD",
		"print one value: as written, else its default; assumed-FIELD: what a run would use"},
	{"find", object_find_verb, "[name=value ...]",
		"print the names of those that have these values, one a line"},
	{"export", object_export, "[NAME[,NAME]]",
		"print a script for the console that would make them"},
	{"set", object_set, "name=value ...",
		"change values; the configuration file is made when there is none",
		.single = true, .creates = true, .changes = true},
	{"unset", object_unset, "FIELD[,FIELD]",
		"take values away: the defaults hold again", .single = true, .changes = true},
	{"print", object_print, "[detail|terse|as-value]",
		"show all values", .single = true},
	{"get", object_get, "FIELD",
		"print one value: as written, else its default", .single = true},
	{"export", object_export, "",
		"print a script for the console that would set them", .single = true},
};
/* clang-format on */
#define NB_VERBS (sizeof(verbs) / sizeof(verbs[0]))

static bool has_verb(const struct cli_object_kind *kind, const struct verb *verb)
{
	return verb->single == kind->single &&
	       (verb->needs == NULL || opt_menu_find(kind->menu, verb->needs) != NULL);
}

static const struct verb *find_verb(const struct cli_object_kind *kind, const char *name)
{
	for (size_t i = 0; i < NB_VERBS; i++) {
		if (has_verb(kind, &verbs[i]) && strcmp(verbs[i].name, name) == 0)
			return &verbs[i];
	}
	return NULL;
}

bool cli_objects_verb(const struct cli_object_kind *kind, unsigned i, const char **verb,
	const char **words, const char **help)
{
	for (size_t v = 0; v < NB_VERBS; v++) {
		if (!has_verb(kind, &verbs[v]) || i-- > 0)
			continue;
		*verb = verbs[v].name;
		*words = verbs[v].usage;
		*help = verbs[v].help;
		return true;
	}
	return false;
}

/* word NULL: there is none. */
static int unknown_verb(const struct cli_object_kind *kind, const char *word, struct err *err)
{
	const char *names[NB_VERBS], *near;
	char list[512] = "";
	size_t len = 0, nb = 0;

	for (size_t i = 0; i < NB_VERBS && len < sizeof(list); i++) {
		if (!has_verb(kind, &verbs[i]))
			continue;
		len += (size_t)snprintf(
			list + len, sizeof(list) - len, "%s%s", len > 0 ? ", " : "", verbs[i].name);
		names[nb++] = verbs[i].name;
	}
	if (word == NULL)
		return err_usage(err, "tgen %s: what to do? one of %s", kind->command, list);
	near = opt_nearest(word, names, nb);
	return err_usage(err, "tgen %s: cannot \"%.80s\"%s%s%s, only %s", kind->command, word,
		near != NULL ? " (did you mean \"" : "", near != NULL ? near : "",
		near != NULL ? "\"?)" : "", list);
}

int cli_objects(const struct cli_object_kind *kind, const char *config, int argc, char **argv,
	struct err *err)
{
	const struct verb *verb = argc > 0 ? find_verb(kind, argv[0]) : NULL;
	struct object_call call = {.kind = kind, .argc = argc - 1, .argv = argv + 1, .err = err};
	char *path;
	int rc;

	if (verb == NULL)
		return unknown_verb(kind, argc > 0 ? argv[0] : NULL, err);
	path = conf_path_find(config, !verb->creates, err);
	if (path == NULL)
		return -EINVAL;
	call.conf = (verb->changes ? conf_load_to_change : conf_load)(
		path, cli_conf_kinds, cli_nb_conf_kinds, verb->creates, err);
	free(path);
	if (call.conf == NULL)
		return -EINVAL;
	if (call.argc == 0 && verb->changes && !kind->single)
		rc = err_usage(err, "usage: tgen %s %s %s", kind->command, verb->name, verb->usage);
	else
		rc = verb->run(&call);
	if (rc == 0 && verb->changes)
		rc = conf_save(call.conf, err);
	conf_free(call.conf);
	return rc;
}
