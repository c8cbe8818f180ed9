/* SPDX-License-Identifier: BSD-3-Clause */
#include "conf_private.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int conf_no_memory(struct err *err)
{
	return err_device(err, ENOMEM, "configuration");
}

struct conf_list *conf_list_of(const struct conf *conf, const char *key)
{
	for (unsigned i = 0; i < conf->nb_lists; i++) {
		if (strcmp(conf->lists[i].kind->key, key) == 0)
			return &conf->lists[i];
	}
	assert(!"a key of the kinds");
	return NULL;
}

const struct opt *conf_name_opt(const struct conf_list *list)
{
	return list->kind->single ? NULL : opt_menu_find(list->kind->menu, "name");
}

const char *conf_obj_name(const struct conf_list *list, const struct conf_obj *obj)
{
	const struct opt *opt = conf_name_opt(list);
	const struct opt_slot *slot = opt == NULL ? NULL : opt_set_get(&obj->set, opt);

	return slot == NULL ? NULL : slot->vals[0].text;
}

struct conf_obj *conf_obj_find(const struct conf_list *list, const char *name)
{
	if (list->kind->single)
		return list->objs[0];
	for (unsigned i = 0; i < list->nb; i++) {
		const char *given = conf_obj_name(list, list->objs[i]);

		if (given != NULL && strcmp(given, name) == 0)
			return list->objs[i];
	}
	return NULL;
}

struct conf_obj *conf_obj_append(struct conf_list *list)
{
	struct conf_obj **objs, *obj = calloc(1, sizeof(*obj));

	if (obj == NULL)
		return NULL;
	/* there is room for the next power of two */
	if ((list->nb & (list->nb - 1)) == 0) {
		objs = realloc(
			list->objs, (list->nb > 0 ? 2 * list->nb : 1) * sizeof(struct conf_obj *));
		if (objs == NULL) {
			free(obj);
			return NULL;
		}
		list->objs = objs;
	}
	opt_set_init(&obj->set, list->kind->menu);
	list->objs[list->nb++] = obj;
	return obj;
}

void conf_obj_free(struct conf_obj *obj)
{
	opt_set_fini(&obj->set);
	free(obj);
}

void conf_free(struct conf *conf)
{
	if (conf == NULL)
		return;
	for (unsigned i = 0; i < conf->nb_lists; i++) {
		for (unsigned j = 0; j < conf->lists[i].nb; j++)
			conf_obj_free(conf->lists[i].objs[j]);
		free(conf->lists[i].objs);
	}
	free(conf->lists);
	for (unsigned i = 0; i < conf->nb_included; i++)
		free(conf->included[i]);
	free(conf->included);
	if (conf->lock_fd >= 0)
		close(conf->lock_fd);
	cJSON_Delete(conf->root);
	free(conf->path);
	free(conf);
}

const char *conf_path(const struct conf *conf)
{
	return conf->path;
}

const char *conf_comment(const struct conf *conf)
{
	return cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(conf->root, "comment"));
}

unsigned conf_nb(const struct conf *conf, const char *key)
{
	return conf_list_of(conf, key)->nb;
}

const struct opt_set *conf_at(const struct conf *conf, const char *key, unsigned i)
{
	const struct conf_list *list = conf_list_of(conf, key);

	assert(i < list->nb);
	return &list->objs[i]->set;
}

unsigned conf_parent(const struct conf *conf, const char *key, unsigned i)
{
	const struct conf_list *list = conf_list_of(conf, key);

	assert(i < list->nb && list->kind->within != NULL);
	return list->objs[i]->parent;
}

const char *const *conf_included(const struct conf *conf, unsigned *nb)
{
	*nb = conf->nb_included;
	return (const char *const *)conf->included;
}

const struct opt_set *conf_find(const struct conf *conf, const char *key, const char *name)
{
	const struct conf_obj *obj = conf_obj_find(conf_list_of(conf, key), name);

	return obj == NULL ? NULL : &obj->set;
}

int conf_not_found(const struct conf *conf, const char *key, const char *what, const char *name,
	struct err *err)
{
	const struct conf_list *list = conf_list_of(conf, key);
	const char **names = calloc(list->nb + 1, sizeof(*names));
	const char *near = NULL;

	for (unsigned i = 0; names != NULL && i < list->nb; i++)
		names[i] = conf_obj_name(list, list->objs[i]);
	if (names != NULL)
		near = opt_nearest(name, names, list->nb);
	free(names);
	if (near != NULL)
		return err_usage(err, "no %s \"%.80s\" in %s, did you mean \"%s\"?", what, name,
			conf->path, near);
	if (list->nb == 0)
		return err_usage(err, "no %s \"%.80s\" in %s, which has none at all (tgen %s add)",
			what, name, conf->path, what);
	return err_usage(err, "no %s \"%.80s\" in %s (tgen %s print shows them)", what, name,
		conf->path, what);
}
