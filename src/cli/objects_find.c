/* SPDX-License-Identifier: BSD-3-Clause */
#include "objects_private.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int object_filter_take(struct object_call *call, struct opt_set *filter)
{
	int rc = 0;

	for (; rc == 0 && call->argc > 0; call->argc--, call->argv++) {
		const char *word = call->argv[0];

		if (strchr(word, '~') != NULL && strcspn(word, "~") < strcspn(word, "="))
			return err_usage(call->err,
				"\"%.80s\": only name=value is looked for, no patterns", word);
		rc = opt_set_arg(filter, word, call->err);
	}
	return rc;
}

/* How many items an option has, given or by default. */
static unsigned nb_items(const struct opt_set *set, const struct opt *opt)
{
	const struct opt_slot *slot = opt_set_get(set, opt);
	unsigned nb = 1;

	if (slot != NULL)
		return slot->nb_vals;
	if (opt->dflt == NULL)
		return 0;
	if ((opt->flags & OPT_LIST) != 0)
		for (const char *c = opt->dflt; *c != '\0'; c++)
			nb += *c == ',';
	return nb;
}

/* 060 and 60, or 1m and 60s, are the same; text is what it is. */
static bool is_same(const struct opt *opt, const struct opt_val *a, const struct opt_val *b)
{
	if (strcmp(a->text, b->text) == 0)
		return true;
	if (opt->type == OPT_TEXT || opt->type == OPT_NAME || opt->type == OPT_HEX || a->is_vary ||
		b->is_vary)
		return false;
	return a->lo == b->lo && a->hi == b->hi && a->mask == b->mask && a->up.lo == b->up.lo &&
	       a->up.hi == b->up.hi && a->up.mask == b->up.mask && a->is_ip6 == b->is_ip6 &&
	       memcmp(a->tags, b->tags, sizeof(a->tags)) == 0;
}

bool object_filter_holds(const struct opt_set *filter, const struct opt_set *obj)
{
	for (unsigned i = 0; i < filter->nb_slots; i++) {
		const struct opt *opt = filter->slots[i].opt;

		if (nb_items(obj, opt) != filter->slots[i].nb_vals)
			return false;
		for (unsigned v = 0; v < filter->slots[i].nb_vals; v++) {
			struct opt_val val;

			if (!opt_set_val(obj, opt, v, &val) ||
				!is_same(opt, &filter->slots[i].vals[v], &val))
				return false;
		}
	}
	return true;
}

/* Writes the names of those that the remaining words fit, with sep between them. */
static int write_names(struct object_call *call, FILE *f, char sep)
{
	struct opt_set filter;
	bool any = false;
	int rc;

	if (call->argc > 0 && strcmp(call->argv[0], "where") == 0) {
		call->argc--;
		call->argv++;
	}
	opt_set_init(&filter, call->kind->menu);
	rc = object_filter_take(call, &filter);
	for (unsigned i = 0; rc == 0 && i < conf_nb(call->conf, call->kind->key); i++) {
		if (!object_filter_holds(&filter, conf_at(call->conf, call->kind->key, i)))
			continue;
		if (any)
			fputc(sep, f);
		fputs(object_name(call, i), f);
		any = true;
	}
	if (any && sep == '\n')
		fputc(sep, f);
	opt_set_fini(&filter);
	return rc;
}

int object_find_verb(struct object_call *call)
{
	int rc = write_names(call, stdout, '\n');

	return rc != 0 ? rc : object_check_stdout(call);
}

char *cli_objects_find(const struct cli_object_kind *kind, const char *config, int argc,
	char **argv, struct err *err)
{
	struct object_call call = {.kind = kind, .argc = argc, .argv = argv, .err = err};
	char *path = conf_path_find(config, false, err), *names = NULL;
	size_t len;
	FILE *f;
	int rc;

	if (path == NULL)
		return NULL;
	call.conf = conf_load(path, cli_conf_kinds, cli_nb_conf_kinds, true, err);
	free(path);
	if (call.conf == NULL)
		return NULL;
	f = open_memstream(&names, &len);
	rc = f == NULL ? err_device(err, 0, "find: no memory") : write_names(&call, f, ',');
	conf_free(call.conf);
	if (f != NULL)
		fclose(f);
	if (rc == 0)
		return names;
	free(names);
	return NULL;
}
