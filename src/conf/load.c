/* SPDX-License-Identifier: BSD-3-Clause */
#include "conf_private.h"

#include <stdlib.h>
#include <string.h>

/* The most words of the top level: the kinds and those that are only kept. */
#define MAX_TOP_WORDS 16

/* Words of the top level that mean nothing to the program. */
static const char *const kept_words[] = {"comment", "$schema"};
#define NB_KEPT (sizeof(kept_words) / sizeof(kept_words[0]))

struct loader {
	struct conf *conf;
	struct json_doc doc;
	struct err *err;
};

static size_t value_at(const struct loader *ld, const cJSON *node)
{
	return json_doc_mark(&ld->doc, node)->value;
}

static struct opt_pos value_pos(struct loader *ld, const cJSON *node)
{
	return json_doc_pos(&ld->doc, value_at(ld, node));
}

static const char *type_name(const cJSON *node)
{
	if (cJSON_IsNull(node))
		return "null";
	if (cJSON_IsObject(node))
		return "an object";
	if (cJSON_IsArray(node))
		return "a list";
	if (cJSON_IsBool(node))
		return cJSON_IsTrue(node) ? "true" : "false";
	return cJSON_IsString(node) ? "a string" : "a number";
}

/* Errors at a member's key. in: path of its object, "" for the top level. */
static int check_repeated(
	struct loader *ld, const cJSON *object, const cJSON *member, const char *in)
{
	for (const cJSON *other = object->child; other != member; other = other->next) {
		struct opt_pos first;

		if (strcmp(other->string, member->string) != 0)
			continue;
		first = json_doc_pos(&ld->doc, json_doc_mark(&ld->doc, other)->key);
		return json_doc_error(&ld->doc, json_doc_mark(&ld->doc, member)->key, ld->err,
			"%s%s%s: given twice, first in line %u, column %u", in, in[0] ? "." : "",
			member->string, first.line, first.col);
	}
	return 0;
}

static int unknown_key(struct loader *ld, const cJSON *member, const char *in, const char *near)
{
	return json_doc_error(&ld->doc, json_doc_mark(&ld->doc, member)->key, ld->err,
		"%s%sunknown key \"%.80s\"%s%s%s", in, in[0] ? ": " : "", member->string,
		near != NULL ? ", did you mean \"" : "", near != NULL ? near : "",
		near != NULL ? "\"?" : "");
}

/* The text of a number, string or boolean as the option's parser takes it; NULL: something else. */
static const char *scalar_text(const struct opt *opt, const cJSON *node)
{
	if (cJSON_IsString(node) || cJSON_IsNumber(node))
		return node->valuestring;
	if (!cJSON_IsBool(node))
		return NULL;
	if (opt->type == OPT_BOOL)
		return cJSON_IsTrue(node) ? "yes" : "no";
	/* Text takes any word, but true is no text. */
	return opt->type == OPT_TEXT || opt->type == OPT_NAME ? NULL : type_name(node);
}

static bool has_exponent(const cJSON *node)
{
	return cJSON_IsNumber(node) && strpbrk(node->valuestring, "eE") != NULL;
}

static int refuse_exponent(
	struct loader *ld, const struct opt_set *set, const struct opt *opt, const cJSON *number)
{
	return json_doc_error(&ld->doc, value_at(ld, number), ld->err,
		"%s.%s: %s: write it without an exponent", set->path, opt->name,
		number->valuestring);
}

static int load_items(
	struct loader *ld, struct opt_set *set, const struct opt *opt, const cJSON *array)
{
	const cJSON *item;
	unsigned i = 0;

	if ((opt->flags & OPT_LIST) == 0)
		return json_doc_error(&ld->doc, value_at(ld, array), ld->err,
			"%s.%s: a list, but this takes one value", set->path, opt->name);
	if (array->child == NULL)
		return json_doc_error(&ld->doc, value_at(ld, array), ld->err,
			"%s.%s: an empty list; leave the key out instead", set->path, opt->name);
	cJSON_ArrayForEach(item, array)
	{
		const char *text = scalar_text(opt, item);
		int rc;

		if (text == NULL)
			return json_doc_error(&ld->doc, value_at(ld, item), ld->err,
				"%s.%s[%u]: %s is not a value", set->path, opt->name, i,
				type_name(item));
		if (has_exponent(item))
			return refuse_exponent(ld, set, opt, item);
		rc = opt_set_add(set, opt, text, value_pos(ld, item), ld->err);
		if (rc != 0)
			return rc;
		i++;
	}
	return 0;
}

static int load_value(
	struct loader *ld, struct opt_set *set, const struct opt *opt, const cJSON *node)
{
	const char *text = scalar_text(opt, node);

	if (cJSON_IsArray(node))
		return load_items(ld, set, opt, node);
	if (text == NULL)
		return json_doc_error(&ld->doc, value_at(ld, node), ld->err,
			"%s.%s: %s is not a value", set->path, opt->name, type_name(node));
	if (has_exponent(node))
		return refuse_exponent(ld, set, opt, node);
	return opt_set_text(set, opt, text, value_pos(ld, node), ld->err);
}

/* Takes path over. */
static int load_object(struct loader *ld, const struct conf_kind *kind, struct conf_obj *obj,
	cJSON *node, char *path)
{
	struct opt_set *set = &obj->set;
	const cJSON *member;
	int rc;

	if (path == NULL)
		return conf_no_memory(ld->err);
	set->path = path;
	set->origin = strdup(ld->conf->path);
	if (set->origin == NULL)
		return conf_no_memory(ld->err);
	if (!cJSON_IsObject(node))
		return json_doc_error(&ld->doc, value_at(ld, node), ld->err,
			"%s: %s where an object {} belongs", path, type_name(node));
	obj->node = node;
	set->pos = value_pos(ld, node);
	cJSON_ArrayForEach(member, node)
	{
		const struct opt *opt = opt_menu_find(set->menu, member->string);

		if (opt == NULL)
			return unknown_key(
				ld, member, path, opt_menu_nearest(set->menu, member->string));
		rc = check_repeated(ld, node, member, path);
		if (rc == 0)
			rc = load_value(ld, set, opt, member);
		if (rc != 0)
			return rc;
	}
	rc = opt_set_check_required(set, ld->err);
	return rc == 0 && kind->check != NULL ? kind->check(set, ld->err) : rc;
}

static int compare_names(const void *a, const void *b, void *list)
{
	const unsigned *left = a, *right = b;
	struct conf_obj **objs = ((const struct conf_list *)list)->objs;
	int order = strcmp(conf_obj_name(list, objs[*left]), conf_obj_name(list, objs[*right]));

	return order != 0 ? order : (*left > *right) - (*left < *right);
}

/* The error is at the first name in the file that was there before. */
static int check_names(struct loader *ld, struct conf_list *list)
{
	const struct opt *opt = conf_name_opt(list);
	unsigned *order = calloc(list->nb + 1, sizeof(*order));
	unsigned bad = list->nb, first = 0;
	struct opt_pos pos;

	if (order == NULL)
		return conf_no_memory(ld->err);
	for (unsigned i = 0; i < list->nb; i++)
		order[i] = i;
	qsort_r(order, list->nb, sizeof(*order), compare_names, list);
	for (unsigned i = 1; i < list->nb; i++) {
		const char *name = conf_obj_name(list, list->objs[order[i]]);

		if (strcmp(name, conf_obj_name(list, list->objs[order[i - 1]])) != 0 ||
			order[i] > bad)
			continue;
		first = order[i - 1];
		bad = order[i];
	}
	free(order);
	if (bad == list->nb)
		return 0;
	pos = opt_set_get(&list->objs[first]->set, opt)->pos;
	return opt_error(ld->err, &list->objs[bad]->set, opt,
		"\"%s\" is already the name of %s in line %u, column %u",
		conf_obj_name(list, list->objs[bad]), list->objs[first]->set.path, pos.line,
		pos.col);
}

static int load_list(struct loader *ld, struct conf_list *list, cJSON *node)
{
	unsigned i = 0;
	cJSON *item;

	list->node = node;
	if (list->kind->single)
		return load_object(ld, list->kind, list->objs[0], node, strdup(list->kind->key));
	if (!cJSON_IsArray(node))
		return json_doc_error(&ld->doc, value_at(ld, node), ld->err,
			"%s: %s where a list [] of objects belongs", list->kind->key,
			type_name(node));
	cJSON_ArrayForEach(item, node)
	{
		struct conf_obj *obj = conf_obj_append(list);
		char *path;
		int rc;

		if (obj == NULL || asprintf(&path, "%s[%u]", list->kind->key, i++) < 0)
			return conf_no_memory(ld->err);
		rc = load_object(ld, list->kind, obj, item, path);
		if (rc != 0)
			return rc;
	}
	return check_names(ld, list);
}

static const char *nearest_top_word(const struct conf *conf, const char *key)
{
	const char *words[MAX_TOP_WORDS];
	size_t nb = 0;

	for (size_t i = 0; i < NB_KEPT; i++)
		words[nb++] = kept_words[i];
	for (unsigned i = 0; i < conf->nb_lists && nb < MAX_TOP_WORDS; i++)
		words[nb++] = conf->lists[i].kind->key;
	return opt_nearest(key, words, nb);
}

static int load_top_member(struct loader *ld, cJSON *member)
{
	struct conf *conf = ld->conf;

	for (size_t i = 0; i < NB_KEPT; i++) {
		if (strcmp(member->string, kept_words[i]) != 0)
			continue;
		if (cJSON_IsString(member))
			return 0;
		return json_doc_error(&ld->doc, value_at(ld, member), ld->err,
			"%s: %s where a string belongs", member->string, type_name(member));
	}
	for (unsigned i = 0; i < conf->nb_lists; i++) {
		if (strcmp(member->string, conf->lists[i].kind->key) == 0)
			return load_list(ld, &conf->lists[i], member);
	}
	return unknown_key(ld, member, "", nearest_top_word(conf, member->string));
}

static int load_top(struct loader *ld)
{
	cJSON *root = ld->doc.root, *member;

	if (!cJSON_IsObject(root))
		return json_doc_error(&ld->doc, value_at(ld, root), ld->err,
			"%s where an object {} belongs", type_name(root));
	cJSON_ArrayForEach(member, root)
	{
		int rc = check_repeated(ld, root, member, "");

		if (rc == 0)
			rc = load_top_member(ld, member);
		if (rc != 0)
			return rc;
	}
	return 0;
}

static int load_text(struct conf *conf, const char *text, size_t len, struct err *err)
{
	struct loader ld = {.conf = conf, .err = err};
	int rc = json_doc_parse(&ld.doc, conf->path, text, len, err);

	if (rc == 0)
		rc = load_top(&ld);
	if (rc == 0) {
		conf->root = ld.doc.root;
		ld.doc.root = NULL;
	}
	json_doc_fini(&ld.doc);
	return rc;
}

static struct conf *conf_new(const char *path, const struct conf_kind *kinds, unsigned nb_kinds)
{
	struct conf *conf = calloc(1, sizeof(*conf));

	if (conf == NULL)
		return NULL;
	conf->lock_fd = -1;
	conf->path = strdup(path);
	conf->lists = calloc(nb_kinds, sizeof(*conf->lists));
	if (conf->path == NULL || conf->lists == NULL)
		goto fail;
	conf->nb_lists = nb_kinds;
	for (unsigned i = 0; i < nb_kinds; i++) {
		conf->lists[i].kind = &kinds[i];
		if (kinds[i].single && conf_obj_append(&conf->lists[i]) == NULL)
			goto fail;
	}
	return conf;
fail:
	conf_free(conf);
	return NULL;
}

static struct conf *load(const char *path, const struct conf_kind *kinds, unsigned nb_kinds,
	bool to_change, bool may_be_absent, struct err *err)
{
	struct conf *conf = conf_new(path, kinds, nb_kinds);
	char *text = NULL;
	size_t len;
	int rc;

	if (conf == NULL) {
		conf_no_memory(err);
		return NULL;
	}
	if (to_change)
		conf->lock_fd = file_lock(path);
	rc = file_read(path, may_be_absent, &text, &len, &conf->state, err);
	if (rc == 0 && text != NULL)
		rc = load_text(conf, text, len, err);
	if (rc == 0 && text == NULL && (conf->root = cJSON_CreateObject()) == NULL)
		rc = conf_no_memory(err);
	free(text);
	if (rc != 0) {
		conf_free(conf);
		return NULL;
	}
	return conf;
}

struct conf *conf_load(const char *path, const struct conf_kind *kinds, unsigned nb_kinds,
	bool may_be_absent, struct err *err)
{
	return load(path, kinds, nb_kinds, false, may_be_absent, err);
}

struct conf *conf_load_to_change(const char *path, const struct conf_kind *kinds, unsigned nb_kinds,
	bool may_be_absent, struct err *err)
{
	return load(path, kinds, nb_kinds, true, may_be_absent, err);
}
