/* SPDX-License-Identifier: BSD-3-Clause */
#include "tgen/opt.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "opt_types.h"

#define DEFAULT_MAX_ITEMS UINT16_MAX
/* A longer item is cut in messages, so that what is allowed still fits. */
#define QUOTE_MAX 80

/* Arguments for `"%.*s%s"`. */
#define QUOTE(text) QUOTE_MAX, (text), strlen(text) > QUOTE_MAX ? "..." : ""

void opt_set_init(struct opt_set *set, const struct opt_menu *menu)
{
	*set = (struct opt_set){.menu = menu};
}

static void free_vals(struct opt_val *vals, unsigned nb)
{
	for (unsigned i = 0; i < nb; i++)
		free((char *)vals[i].text);
	free(vals);
}

void opt_set_fini(struct opt_set *set)
{
	for (unsigned i = 0; i < set->nb_slots; i++)
		free_vals(set->slots[i].vals, set->slots[i].nb_vals);
	free(set->slots);
	free(set->origin);
	free(set->path);
	*set = (struct opt_set){.menu = set->menu};
}

static int copy_slot(struct opt_slot *to, const struct opt_slot *from)
{
	*to = (struct opt_slot){.opt = from->opt, .pos = from->pos};
	to->vals = calloc(from->nb_vals, sizeof(*to->vals));
	if (to->vals == NULL)
		return -ENOMEM;
	for (; to->nb_vals < from->nb_vals; to->nb_vals++) {
		struct opt_val *val = &to->vals[to->nb_vals];

		*val = from->vals[to->nb_vals];
		val->text = strdup(val->text);
		if (val->text == NULL)
			return -ENOMEM;
	}
	return 0;
}

int opt_set_copy(struct opt_set *to, const struct opt_set *from)
{
	*to = (struct opt_set){.menu = from->menu, .pos = from->pos};
	if (from->origin != NULL && (to->origin = strdup(from->origin)) == NULL)
		goto fail;
	if (from->path != NULL && (to->path = strdup(from->path)) == NULL)
		goto fail;
	if (from->nb_slots == 0)
		return 0;
	to->slots = calloc(from->nb_slots, sizeof(*to->slots));
	if (to->slots == NULL)
		goto fail;
	while (to->nb_slots < from->nb_slots) {
		unsigned i = to->nb_slots++;

		if (copy_slot(&to->slots[i], &from->slots[i]) != 0)
			goto fail;
	}
	return 0;
fail:
	opt_set_fini(to);
	return -ENOMEM;
}

static struct opt_slot *find_slot(struct opt_set *set, const struct opt *opt)
{
	return (struct opt_slot *)opt_set_get(set, opt);
}

static void put_place(
	struct err *err, const struct opt_set *set, const struct opt *opt, struct opt_pos pos)
{
	const char *path = set->path;

	if (opt != NULL)
		err_prefix(err, "%s%s%s: ", path != NULL ? path : "", path != NULL ? "." : "",
			opt->name);
	else if (path != NULL)
		err_prefix(err, "%s: ", path);
	if (set->origin != NULL && pos.line != 0)
		err_prefix(err, "%s:%u:%u: ", set->origin, pos.line, pos.col);
	else if (set->origin != NULL)
		err_prefix(err, "%s: ", set->origin);
}

int opt_error(
	struct err *err, const struct opt_set *set, const struct opt *opt, const char *fmt, ...)
{
	const struct opt_slot *slot = opt == NULL ? NULL : opt_set_get(set, opt);
	char text[sizeof(err->text)];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	err_usage(err, "%s", text);
	/* what a command gave an object of a file has no place there */
	if (slot != NULL && slot->pos.line == 0 && set->pos.line != 0)
		err_prefix(err, "%s: ", opt->name);
	else
		put_place(err, set, opt, slot != NULL ? slot->pos : set->pos);
	return -EINVAL;
}

/* The value being given: what is needed to say what is wrong with it. */
struct giving {
	const struct opt_set *set;
	const struct opt *opt;
	struct opt_pos pos;
	struct err *err;
};

static int no_memory(const struct giving *g)
{
	return err_device(g->err, ENOMEM, "%s", g->opt->name);
}

/* `text` and, in brackets, what is allowed. */
__attribute__((format(printf, 2, 3))) static int refuse(
	const struct giving *g, const char *fmt, ...)
{
	char text[512];
	char *allowed = opt_item_describe(g->opt);
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	err_usage(g->err, "%s (%s)", text, allowed != NULL ? allowed : "");
	free(allowed);
	put_place(g->err, g->set, g->opt, g->pos);
	return -EINVAL;
}

static int refuse_item(const struct giving *g, const char *item, int rc)
{
	const char *near;

	if ((g->opt->flags & OPT_VARY) != 0) {
		struct opt_vary vary;
		struct opt_why why;

		if (opt_vary_read(g->opt, item, 0, &vary, &why) != 0 && why.text[0] != '\0')
			return refuse(g, "\"%.*s%s\": %s", QUOTE(item), why.text);
	}
	if (rc == -ERANGE)
		return refuse(g, "\"%.*s%s\" is out of range", QUOTE(item));
	if (rc == -EDOM)
		return refuse(g, "\"%.*s%s\" is a range that runs backwards", QUOTE(item));
	near = opt_word_nearest(g->opt, item);
	if (near != NULL)
		return refuse(g, "\"%.*s%s\" is not %s, did you mean \"%s\"?", QUOTE(item),
			opt_item_noun(g->opt), near);
	return refuse(g, "\"%.*s%s\" is not %s", QUOTE(item), opt_item_noun(g->opt));
}

/* Parses len bytes of item into val, which owns its text then. */
static int give_item(const struct giving *g, const char *item, size_t len, struct opt_val *val)
{
	char *text = strndup(item, len);
	int rc;

	if (text == NULL)
		return no_memory(g);
	rc = opt_item_parse(g->opt, text, val);
	if (rc != 0) {
		rc = refuse_item(g, text, rc);
		free(text);
		return rc;
	}
	val->text = text;
	return 0;
}

static int check_writable(const struct giving *g)
{
	if ((g->opt->flags & OPT_READONLY) == 0)
		return 0;
	err_usage(g->err, "is read-only: it is shown, not set");
	put_place(g->err, g->set, g->opt, g->pos);
	return -EINVAL;
}

static unsigned max_items(const struct opt *opt)
{
	if ((opt->flags & OPT_LIST) == 0)
		return 1;
	return opt->max_items != 0 ? opt->max_items : DEFAULT_MAX_ITEMS;
}

static int refuse_nb(const struct giving *g, size_t nb)
{
	return refuse(g, "has %zu values, at most %u are allowed", nb, max_items(g->opt));
}

/* How many items text holds; a negative errno when they cannot be this option's. */
static int count_items(const struct giving *g, const char *text)
{
	size_t nb = 1;

	if ((g->opt->flags & OPT_LIST) == 0) {
		if (g->opt->type != OPT_TEXT && g->opt->type != OPT_ARGV &&
			strchr(text, ',') != NULL)
			return refuse(
				g, "\"%.*s%s\" is a list, but this takes one value", QUOTE(text));
		return 1;
	}
	if (text[0] == '\0')
		return refuse(g, "\"\" is an empty list");
	if ((g->opt->flags & OPT_WHOLE) != 0)
		return 1;
	for (const char *p = text; *p != '\0'; p++) {
		if (*p != ',')
			continue;
		if (p == text || p[1] == ',' || p[1] == '\0')
			return refuse(g, "\"%.*s%s\" has an empty item", QUOTE(text));
		nb++;
	}
	return nb > max_items(g->opt) ? refuse_nb(g, nb) : (int)nb;
}

/* Takes vals over, in place of what the option had. */
static int put_vals(const struct giving *g, struct opt_set *set, struct opt_val *vals, unsigned nb)
{
	struct opt_slot *slot = find_slot(set, g->opt);

	if (slot == NULL) {
		slot = realloc(set->slots, (set->nb_slots + 1) * sizeof(*slot));
		if (slot == NULL) {
			free_vals(vals, nb);
			return no_memory(g);
		}
		set->slots = slot;
		slot += set->nb_slots++;
	} else {
		free_vals(slot->vals, slot->nb_vals);
	}
	*slot = (struct opt_slot){.opt = g->opt, .vals = vals, .nb_vals = nb, .pos = g->pos};
	return 0;
}

int opt_set_text(struct opt_set *set, const struct opt *opt, const char *text, struct opt_pos pos,
	struct err *err)
{
	struct giving g = {set, opt, pos, err};
	struct opt_val *vals;
	int nb, rc = check_writable(&g);

	if (rc != 0)
		return rc;
	nb = count_items(&g, text);
	if (nb < 0)
		return nb;
	vals = calloc((size_t)nb, sizeof(*vals));
	if (vals == NULL)
		return no_memory(&g);
	for (int i = 0; i < nb; i++) {
		size_t len = nb == 1 ? strlen(text) : strcspn(text, ",");

		rc = give_item(&g, text, len, &vals[i]);
		if (rc != 0) {
			free_vals(vals, (unsigned)i);
			return rc;
		}
		text += len + 1;
	}
	return put_vals(&g, set, vals, (unsigned)nb);
}

int opt_set_add(struct opt_set *set, const struct opt *opt, const char *item, struct opt_pos pos,
	struct err *err)
{
	struct giving g = {set, opt, pos, err};
	struct opt_slot *slot = find_slot(set, opt);
	struct opt_val *vals, val;
	int rc;

	if ((opt->flags & OPT_LIST) == 0)
		return opt_set_text(set, opt, item, pos, err);
	if (strchr(item, ',') != NULL && (opt->flags & OPT_WHOLE) == 0)
		return refuse(&g, "\"%.*s%s\" is not one item", QUOTE(item));
	if (slot == NULL)
		return opt_set_text(set, opt, item, pos, err);
	if (item[0] == '\0')
		return refuse(&g, "\"\" is an empty item");
	if (slot->nb_vals >= max_items(opt))
		return refuse_nb(&g, slot->nb_vals + 1u);
	rc = give_item(&g, item, strlen(item), &val);
	if (rc != 0)
		return rc;
	vals = realloc(slot->vals, (slot->nb_vals + 1) * sizeof(*vals));
	if (vals == NULL) {
		free((char *)val.text);
		return no_memory(&g);
	}
	vals[slot->nb_vals++] = val;
	slot->vals = vals;
	return 0;
}

bool opt_set_unset(struct opt_set *set, const struct opt *opt)
{
	struct opt_slot *slot = find_slot(set, opt);
	size_t after;

	if (slot == NULL)
		return false;
	free_vals(slot->vals, slot->nb_vals);
	after = (size_t)(set->slots + set->nb_slots - (slot + 1));
	memmove(slot, slot + 1, after * sizeof(*slot));
	set->nb_slots--;
	return true;
}

/* Every word of the menu that can be given, joined by commas. Caller frees. */
static char *join_words(const struct opt_menu *menu)
{
	char *text = NULL;
	size_t len;
	FILE *f = open_memstream(&text, &len);
	const char *before = "";

	if (f == NULL)
		return NULL;
	for (size_t s = 0; s < menu->nb_sections; s++) {
		for (size_t i = 0; i < menu->sections[s]->nb; i++) {
			const struct opt *opt = opt_section_at(menu->sections[s], i);

			if ((opt->flags & OPT_READONLY) != 0)
				continue;
			fprintf(f, "%s%s", before, opt->name);
			before = ", ";
		}
	}
	fclose(f);
	return text;
}

static int refuse_name(const struct opt_set *set, const char *name, struct err *err)
{
	const char *near = opt_menu_nearest(set->menu, name);
	char *words;

	if (near != NULL)
		return opt_error(err, set, NULL, "unknown word \"%.*s%s\" (did you mean \"%s\"?)",
			QUOTE(name), near);
	words = join_words(set->menu);
	opt_error(err, set, NULL, "unknown word \"%.*s%s\" (known: %s)", QUOTE(name),
		words != NULL ? words : "");
	free(words);
	return -EINVAL;
}

int opt_set_arg(struct opt_set *set, const char *arg, struct err *err)
{
	const char *equals = strchr(arg, '=');
	const struct opt *opt;
	char *name;
	int rc;

	if (equals == NULL || equals == arg)
		return opt_error(err, set, NULL, "\"%.*s%s\" is not name=value", QUOTE(arg));
	name = strndup(arg, (size_t)(equals - arg));
	if (name == NULL)
		return err_device(err, ENOMEM, "%.*s%s", QUOTE(arg));
	opt = opt_menu_find(set->menu, name);
	if (opt == NULL)
		rc = refuse_name(set, name, err);
	else if (opt_set_get(set, opt) != NULL)
		rc = opt_error(err, set, opt, "given twice, the second time as \"%.*s%s\"",
			QUOTE(equals + 1));
	else
		rc = opt_set_text(set, opt, equals + 1, (struct opt_pos){0}, err);
	free(name);
	return rc;
}
