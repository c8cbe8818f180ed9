/* SPDX-License-Identifier: BSD-3-Clause */
#include "tgen/opt.h"

#include <assert.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "opt_types.h"

/* Room for an item of a default that is a list. */
#define DEFAULT_ITEM_MAX 128

const struct opt_slot *opt_set_get(const struct opt_set *set, const struct opt *opt)
{
	for (unsigned i = 0; i < set->nb_slots; i++) {
		if (set->slots[i].opt == opt)
			return &set->slots[i];
	}
	return NULL;
}

/* Item i of a default that is a list of several. */
static bool default_item(const struct opt *opt, unsigned i, struct opt_val *out)
{
	const char *at = opt->dflt;
	const struct opt_word *word;
	char item[DEFAULT_ITEM_MAX];
	size_t len;
	int rc;

	for (; i > 0; i--) {
		at = strchr(at, ',');
		if (at == NULL)
			return false;
		at++;
	}
	len = strcspn(at, ",");
	word = opt_word_find_part(opt, at, len);
	if (word != NULL) {
		opt_word_val(opt, word, out);
		out->text = word->name;
		return true;
	}
	snprintf(item, sizeof(item), "%.*s", (int)len, at);
	rc = opt_item_parse(opt, item, out);
	assert(rc == 0);
	out->text = opt->dflt;
	return rc == 0;
}

static bool default_val(const struct opt *opt, unsigned i, struct opt_val *out)
{
	bool list = (opt->flags & OPT_LIST) != 0;
	int rc;

	if (opt->dflt == NULL || (list && opt->dflt[0] == '\0'))
		return false;
	if (list && strchr(opt->dflt, ',') != NULL)
		return default_item(opt, i, out);
	rc = opt_item_parse(opt, opt->dflt, out);
	assert(rc == 0); /* the option table is wrong */
	out->text = opt->dflt;
	return rc == 0;
}

bool opt_set_val(const struct opt_set *set, const struct opt *opt, unsigned i, struct opt_val *out)
{
	const struct opt_slot *slot = opt_set_get(set, opt);

	if (slot == NULL)
		return default_val(opt, i, out);
	if (slot->nb_vals == 1)
		i = 0;
	if (i >= slot->nb_vals)
		return false;
	*out = slot->vals[i];
	return true;
}

struct opt_val opt_set_one(const struct opt_set *set, const struct opt *opt)
{
	struct opt_val val = {0};
	bool found = opt_set_val(set, opt, 0, &val);

	assert(found);
	(void)found;
	return val;
}

int opt_set_check_nb(const struct opt_set *set, const struct opt *opt, unsigned nb,
	const char *what, struct err *err)
{
	const struct opt_slot *slot = opt_set_get(set, opt);

	if (slot == NULL || slot->nb_vals == 1 || slot->nb_vals == nb)
		return 0;
	return opt_error(err, set, opt, "%u values for %u %.*s (give one for all, or one for each)",
		slot->nb_vals, nb, (int)(strlen(what) - (nb == 1)), what);
}

static int refuse_missing(const struct opt_set *set, const struct opt *opt, struct err *err)
{
	char *allowed = opt_describe(opt);

	opt_error(err, set, opt, "is missing (%s)", allowed != NULL ? allowed : "");
	free(allowed);
	return -EINVAL;
}

int opt_set_check_required(const struct opt_set *set, struct err *err)
{
	for (size_t s = 0; s < set->menu->nb_sections; s++) {
		const struct opt_section *section = set->menu->sections[s];

		for (size_t i = 0; i < section->nb; i++) {
			const struct opt *opt = opt_section_at(section, i);

			if ((opt->flags & OPT_REQUIRED) != 0 && opt_set_get(set, opt) == NULL)
				return refuse_missing(set, opt, err);
		}
	}
	return 0;
}

char *opt_set_print(const struct opt_set *set, const struct opt *opt)
{
	const struct opt_slot *slot = opt_set_get(set, opt);
	char *text = NULL;
	size_t len;
	FILE *f;

	if (slot == NULL)
		return NULL;
	f = open_memstream(&text, &len);
	if (f == NULL)
		return NULL;
	for (unsigned i = 0; i < slot->nb_vals; i++)
		fprintf(f, "%s%s", i == 0 ? "" : ",", slot->vals[i].text);
	fclose(f);
	return text;
}
