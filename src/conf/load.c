/* SPDX-License-Identifier: BSD-3-Clause */
#include "loader.h"

#include <stdlib.h>
#include <string.h>

/* The most words of the top level: the kinds and those that are only kept. */
#define MAX_TOP_WORDS 24
#define MAX_DEPTH     8 /* of files that include others */

static const char include_word[] = "include";

/* Words of the top level that mean nothing to the program. */
static const char *const kept_words[] = {"comment", "$schema"};
#define NB_KEPT (sizeof(kept_words) / sizeof(kept_words[0]))

static int load_list(
	struct loader *ld, struct conf_list *list, cJSON *node, const char *in, unsigned parent);

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

/* The list that the objects of a kind hold under this key; NULL: none. */
static struct conf_list *list_within(
	const struct conf *conf, const struct conf_kind *kind, const char *key)
{
	for (unsigned i = 0; i < conf->nb_lists; i++) {
		const struct conf_kind *k = conf->lists[i].kind;

		if (k->within != NULL && strcmp(k->within, kind->key) == 0 &&
			strcmp(k->key, key) == 0)
			return &conf->lists[i];
	}
	return NULL;
}

/* Takes path over. at: the object's index in its list. */
static int load_object(struct loader *ld, const struct conf_kind *kind, struct conf_obj *obj,
	cJSON *node, char *path, unsigned at)
{
	struct opt_set *set = &obj->set;
	int rc;

	if (path == NULL)
		return conf_no_memory(ld->err);
	free(set->path);
	free(set->origin);
	set->path = path;
	set->origin = strdup(ld->path);
	if (set->origin == NULL)
		return conf_no_memory(ld->err);
	if (!cJSON_IsObject(node))
		return json_doc_error(&ld->doc, loader_value_at(ld, node), ld->err,
			"%s: %s where an object {} belongs", path, loader_type_name(node));
	obj->included = ld->depth > 0;
	obj->node = obj->included ? NULL : node;
	set->pos = loader_value_pos(ld, node);
	for (cJSON *member = node->child; member != NULL; member = member->next) {
		const struct opt *opt = opt_menu_find(set->menu, member->string);
		struct conf_list *inner = list_within(ld->conf, kind, member->string);

		if (opt == NULL && inner == NULL)
			return unknown_key(
				ld, member, path, opt_menu_nearest(set->menu, member->string));
		rc = check_repeated(ld, node, member, path);
		if (rc == 0)
			rc = inner != NULL ? load_list(ld, inner, member, path, at)
					   : loader_value(ld, set, opt, member);
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

	if (order == 0)
		order = (objs[*left]->parent > objs[*right]->parent) -
			(objs[*left]->parent < objs[*right]->parent);
	return order != 0 ? order : (*left > *right) - (*left < *right);
}

/* The error is at the first name in the file that was there before. */
static int check_names(struct loader *ld, struct conf_list *list)
{
	const struct opt *opt = conf_name_opt(list);
	unsigned *order = calloc(list->nb + 1, sizeof(*order));
	unsigned bad = list->nb, first = 0;
	const char *elsewhere;
	struct opt_pos pos;

	if (order == NULL)
		return conf_no_memory(ld->err);
	for (unsigned i = 0; i < list->nb; i++)
		order[i] = i;
	qsort_r(order, list->nb, sizeof(*order), compare_names, list);
	for (unsigned i = 1; i < list->nb; i++) {
		const char *name = conf_obj_name(list, list->objs[order[i]]);

		if (strcmp(name, conf_obj_name(list, list->objs[order[i - 1]])) != 0 ||
			list->objs[order[i]]->parent != list->objs[order[i - 1]]->parent ||
			order[i] > bad)
			continue;
		first = order[i - 1];
		bad = order[i];
	}
	free(order);
	if (bad == list->nb)
		return 0;
	pos = opt_set_get(&list->objs[first]->set, opt)->pos;
	elsewhere = list->objs[first]->included ? list->objs[first]->set.origin : NULL;
	return opt_error(ld->err, &list->objs[bad]->set, opt,
		"\"%s\" is already the name of %s in %s%sline %u, column %u",
		conf_obj_name(list, list->objs[bad]), list->objs[first]->set.path,
		elsewhere != NULL ? elsewhere : "", elsewhere != NULL ? ", " : "", pos.line,
		pos.col);
}

/* in: the path of the object that holds the list, "" at the top; parent: its index. */
static int load_list(
	struct loader *ld, struct conf_list *list, cJSON *node, const char *in, unsigned parent)
{
	const char *key = list->kind->key;
	unsigned i = 0;

	if (ld->depth == 0 && in[0] == '\0')
		list->node = node;
	if (list->kind->single)
		return load_object(ld, list->kind, list->objs[0], node, strdup(key), 0);
	if (!cJSON_IsArray(node))
		return json_doc_error(&ld->doc, loader_value_at(ld, node), ld->err,
			"%s%s%s: %s where a list [] of objects belongs", in,
			in[0] != '\0' ? "." : "", key, loader_type_name(node));
	for (cJSON *item = node->child; item != NULL; item = item->next) {
		struct conf_obj *obj = conf_obj_append(list);
		char *path;
		int rc;

		if (obj == NULL ||
			asprintf(&path, "%s%s%s[%u]", in, in[0] != '\0' ? "." : "", key, i++) < 0)
			return conf_no_memory(ld->err);
		list->nb_included += ld->depth > 0;
		obj->parent = parent;
		rc = load_object(ld, list->kind, obj, item, path, list->nb - 1);
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
	words[nb++] = include_word;
	for (unsigned i = 0; i < conf->nb_lists && nb < MAX_TOP_WORDS; i++)
		if (conf->lists[i].kind->within == NULL)
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
		return json_doc_error(&ld->doc, loader_value_at(ld, member), ld->err,
			"%s: %s where a string belongs", member->string, loader_type_name(member));
	}
	if (strcmp(member->string, include_word) == 0)
		return 0; /* they were read before */
	for (unsigned i = 0; i < conf->nb_lists; i++) {
		const struct conf_kind *kind = conf->lists[i].kind;

		if (kind->within == NULL && strcmp(member->string, kind->key) == 0)
			return load_list(ld, &conf->lists[i], member, "", 0);
	}
	return unknown_key(ld, member, "", nearest_top_word(conf, member->string));
}

static int load_file(struct conf *conf, const char *path, unsigned depth, struct err *err);

/* FILE as it is from the directory of the file that includes it. Caller frees; NULL: no memory. */
static char *included_path(const char *includer, const char *file)
{
	const char *slash = strrchr(includer, '/');
	char *path = NULL;

	if (file[0] == '/' || slash == NULL)
		return strdup(file);
	return asprintf(&path, "%.*s/%s", (int)(slash - includer), includer, file) < 0 ? NULL
										       : path;
}

static int include_one(struct loader *ld, const cJSON *file)
{
	struct conf *conf = ld->conf;
	char **paths, *path;

	if (!cJSON_IsString(file) || file->valuestring[0] == '\0')
		return json_doc_error(&ld->doc, loader_value_at(ld, file), ld->err,
			"%s: the name of a file belongs here", include_word);
	if (ld->depth == MAX_DEPTH)
		return json_doc_error(&ld->doc, loader_value_at(ld, file), ld->err,
			"%s: %s: files include one another more than %u deep; does one include "
			"itself?",
			include_word, file->valuestring, MAX_DEPTH);
	path = included_path(ld->path, file->valuestring);
	paths = realloc(conf->included, (conf->nb_included + 1) * sizeof(*paths));
	if (paths != NULL)
		conf->included = paths;
	if (paths == NULL || path == NULL) {
		free(path);
		return conf_no_memory(ld->err);
	}
	for (unsigned i = 0; i < conf->nb_included; i++) {
		if (strcmp(paths[i], path) == 0) {
			free(path);
			return 0; /* a lab that two files share */
		}
	}
	paths[conf->nb_included++] = path;
	return load_file(conf, path, ld->depth + 1, ld->err);
}

static int load_includes(struct loader *ld)
{
	const cJSON *node = cJSON_GetObjectItemCaseSensitive(ld->doc.root, include_word), *file;
	int rc = 0;

	if (node == NULL)
		return 0;
	if (!cJSON_IsArray(node))
		return include_one(ld, node);
	for (file = node->child; rc == 0 && file != NULL; file = file->next)
		rc = include_one(ld, file);
	return rc;
}

static int load_top(struct loader *ld)
{
	cJSON *root = ld->doc.root, *member;
	int rc;

	if (!cJSON_IsObject(root))
		return json_doc_error(&ld->doc, loader_value_at(ld, root), ld->err,
			"%s where an object {} belongs", loader_type_name(root));
	rc = load_includes(ld);
	if (rc != 0)
		return rc;
	cJSON_ArrayForEach(member, root)
	{
		rc = check_repeated(ld, root, member, "");
		if (rc == 0)
			rc = load_top_member(ld, member);
		if (rc != 0)
			return rc;
	}
	return 0;
}

static int load_text(struct conf *conf, const char *path, unsigned depth, const char *text,
	size_t len, struct err *err)
{
	struct loader ld = {.conf = conf, .path = path, .depth = depth, .err = err};
	int rc = json_doc_parse(&ld.doc, path, text, len, err);

	if (rc == 0)
		rc = load_top(&ld);
	if (rc == 0 && depth == 0) {
		conf->root = ld.doc.root;
		ld.doc.root = NULL;
	}
	json_doc_fini(&ld.doc);
	return rc;
}

/* A file that another one includes. */
static int load_file(struct conf *conf, const char *path, unsigned depth, struct err *err)
{
	struct file_state state;
	char *text = NULL;
	size_t len;
	int rc = file_read(path, false, &text, &len, &state, err);

	if (rc == 0)
		rc = load_text(conf, path, depth, text, len, err);
	free(text);
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
		rc = load_text(conf, path, 0, text, len, err);
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
