/* SPDX-License-Identifier: BSD-3-Clause */
#include "tgen/opt.h"

#include <string.h>

#include "opt_types.h"

/* Longer words are near to nothing. */
#define NEAR_MAX_LEN 64u

const struct opt *opt_section_at(const struct opt_section *section, size_t i)
{
	return (const struct opt *)((const char *)section->base + i * section->stride);
}

const struct opt *opt_menu_find(const struct opt_menu *menu, const char *name)
{
	for (size_t s = 0; s < menu->nb_sections; s++) {
		for (size_t i = 0; i < menu->sections[s]->nb; i++) {
			const struct opt *opt = opt_section_at(menu->sections[s], i);

			if (strcmp(opt->name, name) == 0)
				return opt;
		}
	}
	return NULL;
}

/* Levenshtein distance; both at most NEAR_MAX_LEN long. */
static unsigned edit_distance(const char *a, const char *b)
{
	size_t len_b = strlen(b);
	unsigned row[NEAR_MAX_LEN + 1];

	for (size_t j = 0; j <= len_b; j++)
		row[j] = (unsigned)j;
	for (size_t i = 1; a[i - 1] != '\0'; i++) {
		unsigned diagonal = row[0];

		row[0] = (unsigned)i;
		for (size_t j = 1; j <= len_b; j++) {
			unsigned best = diagonal + (a[i - 1] != b[j - 1]);

			diagonal = row[j];
			if (row[j] + 1 < best)
				best = row[j] + 1;
			if (row[j - 1] + 1 < best)
				best = row[j - 1] + 1;
			row[j] = best;
		}
	}
	return row[len_b];
}

void opt_near_try(struct opt_near *near, const char *word)
{
	size_t len = strlen(near->name), len_word = strlen(word);
	unsigned distance, limit = len / 3 > 2 ? (unsigned)(len / 3) : 2;

	if (len > NEAR_MAX_LEN || len_word > NEAR_MAX_LEN)
		return;
	distance = edit_distance(near->name, word);
	/* Words that share nothing are not near, however short they are. */
	if (distance > limit || distance >= len || distance >= len_word)
		return;
	if (near->best == NULL || distance < near->distance) {
		near->best = word;
		near->distance = distance;
	}
}

const char *opt_nearest(const char *name, const char *const *words, size_t nb)
{
	struct opt_near near = {.name = name};

	for (size_t i = 0; i < nb; i++)
		opt_near_try(&near, words[i]);
	return near.best;
}

/* Words that cannot be given are not proposed. */
const char *opt_menu_nearest(const struct opt_menu *menu, const char *name)
{
	struct opt_near near = {.name = name};

	for (size_t s = 0; s < menu->nb_sections; s++) {
		for (size_t i = 0; i < menu->sections[s]->nb; i++) {
			const struct opt *opt = opt_section_at(menu->sections[s], i);

			if ((opt->flags & OPT_READONLY) == 0)
				opt_near_try(&near, opt->name);
		}
	}
	return near.best;
}
