/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "tgen/opt.h"

/*
 * Parses one item; out->text is left NULL. 0, or -EINVAL (not of this type), -ERANGE (outside the
 * option's limits) or -EDOM (a range whose first value is the larger).
 */
int opt_item_parse(const struct opt *opt, const char *item, struct opt_val *out);
/* What an item of this type is, to follow `is not`: `a number`. */
const char *opt_item_noun(const struct opt *opt);
/* As opt_describe, without what is said about lists. */
char *opt_item_describe(const struct opt *opt);
/* The entry of opt->words with this name, or NULL. */
const struct opt_word *opt_word_find(const struct opt *opt, const char *name);
/* The entry of opt->words most like name, or NULL. */
const char *opt_word_nearest(const struct opt *opt, const char *name);

/* A search for the word nearest to name; starts as {.name = name}. */
struct opt_near {
	const char *name;
	const char *best; /* NULL: none near yet */
	unsigned distance;
};
void opt_near_try(struct opt_near *near, const char *word);
