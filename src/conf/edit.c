/* SPDX-License-Identifier: BSD-3-Clause */
#include "conf_private.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Any reader takes integers of so many digits for what they are: 2^53 has 16. */
#define NUMBER_DIGITS 15

static bool is_plain_number(const char *text)
{
	size_t len = strspn(text, "0123456789");

	return len > 0 && len <= NUMBER_DIGITS && text[len] == '\0' && (text[0] != '0' || len == 1);
}

static cJSON *list_node(const struct opt_slot *slot)
{
	cJSON *list = cJSON_CreateArray();

	for (unsigned i = 0; list != NULL && i < slot->nb_vals; i++) {
		cJSON *item = cJSON_CreateString(slot->vals[i].text);

		if (!cJSON_AddItemToArray(list, item)) {
			cJSON_Delete(item);
			cJSON_Delete(list);
			return NULL;
		}
	}
	return list;
}

static cJSON *value_node(const struct opt_slot *slot)
{
	const struct opt_val *val = &slot->vals[0];

	if (slot->nb_vals > 1)
		return list_node(slot);
	if (slot->opt->type == OPT_BOOL)
		return cJSON_CreateBool(val->lo != 0);
	if (slot->opt->type == OPT_UINT && is_plain_number(val->text))
		return cJSON_CreateNumber((double)val->lo);
	return cJSON_CreateString(val->text);
}

/* Gives the object's node the value of a slot: in its place when it has one, else at the end. */
static bool put_value(cJSON *object, const struct opt_slot *slot)
{
	const char *key = slot->opt->name;
	cJSON *node = value_node(slot);
	bool done;

	if (node == NULL)
		return false;
	if (cJSON_GetObjectItemCaseSensitive(object, key) != NULL)
		done = cJSON_ReplaceItemInObjectCaseSensitive(object, key, node);
	else
		done = cJSON_AddItemToObject(object, key, node);
	if (!done)
		cJSON_Delete(node);
	return done;
}

/* After a change of what is before them, objects have other numbers. */
static bool renumber(struct conf_list *list, unsigned from)
{
	for (unsigned i = from; i < list->nb; i++) {
		char *path;

		if (asprintf(&path, "%s[%u]", list->kind->key, i - list->nb_included) < 0)
			return false;
		free(list->objs[i]->set.path);
		list->objs[i]->set.path = path;
	}
	return true;
}

/* The list or single object in the tree, made when it is not there. NULL: no memory. */
static cJSON *list_make(struct conf *conf, struct conf_list *list)
{
	cJSON *node;

	if (list->node != NULL)
		return list->node;
	node = list->kind->single ? cJSON_CreateObject() : cJSON_CreateArray();
	if (node == NULL || !cJSON_AddItemToObject(conf->root, list->kind->key, node)) {
		cJSON_Delete(node);
		return NULL;
	}
	list->node = node;
	return node;
}

/* An error when the name that set gives belongs to another object than self. */
static int check_name_free(const struct conf *conf, const struct conf_list *list,
	const struct conf_obj *self, const struct opt_set *set, struct err *err)
{
	const struct opt *opt = conf_name_opt(list);
	const struct opt_slot *slot = opt == NULL ? NULL : opt_set_get(set, opt);
	const struct conf_obj *other;

	if (slot == NULL)
		return 0;
	other = conf_obj_find(list, slot->vals[0].text);
	if ((other == NULL || other == self) && list->kind->names_with != NULL) {
		list = conf_list_of(conf, list->kind->names_with);
		other = conf_obj_find(list, slot->vals[0].text);
	}
	if (other == NULL || other == self)
		return 0;
	return opt_error(err, set, opt, "there is a %s \"%s\" already", list->kind->menu->name,
		slot->vals[0].text);
}

/* What an included file says is changed there. */
static int check_own(const struct conf *conf, const struct conf_list *list,
	const struct conf_obj *obj, struct err *err)
{
	if (!obj->included || conf->lock_fd < 0)
		return 0;
	return err_usage(err,
		"%s \"%s\" is in %s, which %s includes: change it there (--config %s)",
		list->kind->menu->name, conf_obj_name(list, obj), obj->set.origin, conf->path,
		obj->set.origin);
}

int conf_add(struct conf *conf, const char *key, const struct opt_set *set, struct err *err)
{
	struct conf_list *list = conf_list_of(conf, key);
	struct conf_obj *obj;
	cJSON *array, *node;
	int rc;

	assert(!list->kind->single);
	rc = opt_set_check_required(set, err);
	if (rc == 0)
		rc = check_name_free(conf, list, NULL, set, err);
	if (rc == 0 && list->kind->check != NULL)
		rc = list->kind->check(set, err);
	if (rc != 0)
		return rc;
	array = list_make(conf, list);
	node = cJSON_CreateObject();
	if (array == NULL || node == NULL || !cJSON_AddItemToArray(array, node)) {
		cJSON_Delete(node);
		return conf_no_memory(err);
	}
	for (unsigned i = 0; i < set->nb_slots; i++) {
		if (!put_value(node, &set->slots[i]))
			return conf_no_memory(err);
	}
	obj = conf_obj_append(list);
	if (obj == NULL || opt_set_copy(&obj->set, set) != 0)
		return conf_no_memory(err);
	obj->node = node;
	return 0;
}

static int update_value(struct conf_obj *obj, const struct opt_slot *slot,
	const struct opt_set *from, struct err *err)
{
	char *text = opt_set_print(from, slot->opt);
	int rc;

	if (text == NULL)
		return conf_no_memory(err);
	rc = opt_set_text(&obj->set, slot->opt, text, (struct opt_pos){0}, err);
	free(text);
	if (rc == 0 && !obj->included && !put_value(obj->node, slot))
		rc = conf_no_memory(err);
	return rc;
}

int conf_update(struct conf *conf, const char *key, const char *name, const struct opt_set *set,
	struct err *err)
{
	struct conf_list *list = conf_list_of(conf, key);
	struct conf_obj *obj = conf_obj_find(list, name);
	int rc;

	if (obj == NULL)
		return conf_not_found(conf, key, list->kind->menu->name, name, err);
	rc = check_own(conf, list, obj, err);
	if (rc == 0)
		rc = check_name_free(conf, list, obj, set, err);
	if (rc != 0)
		return rc;
	if (obj->node == NULL && !obj->included)
		obj->node = list_make(conf, list);
	if (obj->node == NULL && !obj->included)
		return conf_no_memory(err);
	for (unsigned i = 0; i < set->nb_slots; i++) {
		rc = update_value(obj, &set->slots[i], set, err);
		if (rc != 0)
			return rc;
	}
	return list->kind->check != NULL ? list->kind->check(&obj->set, err) : 0;
}

int conf_unset(struct conf *conf, const char *key, const char *name, const struct opt *opt,
	struct err *err)
{
	struct conf_list *list = conf_list_of(conf, key);
	struct conf_obj *obj = conf_obj_find(list, name);

	if (obj == NULL)
		return conf_not_found(conf, key, list->kind->menu->name, name, err);
	if ((opt->flags & OPT_REQUIRED) != 0)
		return opt_error(err, &obj->set, opt, "is required and cannot be unset");
	if (check_own(conf, list, obj, err) < 0)
		return -EINVAL;
	if (opt_set_unset(&obj->set, opt) && obj->node != NULL)
		cJSON_DeleteItemFromObjectCaseSensitive(obj->node, opt->name);
	return 0;
}

int conf_check(const struct conf *conf, const char *key, const char *name, struct err *err)
{
	const struct conf_list *list = conf_list_of(conf, key);
	const struct conf_obj *obj = conf_obj_find(list, name);

	if (obj == NULL)
		return conf_not_found(conf, key, list->kind->menu->name, name, err);
	return list->kind->check != NULL ? list->kind->check(&obj->set, err) : 0;
}

static int remove_single(struct conf *conf, struct conf_list *list)
{
	struct conf_obj *obj = list->objs[0];

	if (list->node != NULL)
		cJSON_Delete(cJSON_DetachItemViaPointer(conf->root, list->node));
	list->node = obj->node = NULL;
	opt_set_fini(&obj->set);
	return 0;
}

int conf_remove(struct conf *conf, const char *key, const char *name, struct err *err)
{
	struct conf_list *list = conf_list_of(conf, key);
	struct conf_obj *obj = conf_obj_find(list, name);
	unsigned i = 0;

	if (obj == NULL)
		return conf_not_found(conf, key, list->kind->menu->name, name, err);
	if (check_own(conf, list, obj, err) < 0)
		return -EINVAL;
	if (list->kind->single)
		return remove_single(conf, list);
	while (list->objs[i] != obj)
		i++;
	if (obj->node != NULL)
		cJSON_Delete(cJSON_DetachItemViaPointer(list->node, obj->node));
	list->nb_included -= obj->included;
	conf_obj_free(obj);
	list->nb--;
	memmove(&list->objs[i], &list->objs[i + 1], (list->nb - i) * sizeof(struct conf_obj *));
	return renumber(list, i) ? 0 : conf_no_memory(err);
}
