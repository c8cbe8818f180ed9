/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "tgen/opt.h"
#include "tgen/units.h"

/*
 * Parses one item; out->text is left NULL. 0, or -EINVAL (not of this type), -ERANGE (outside the
 * option's limits) or -EDOM (a range whose first value is the larger).
 */
int opt_item_parse(const struct opt *opt, const char *item, struct opt_val *out);
/* The same without the longer forms of OPT_VARY options. */
int opt_item_parse_plain(const struct opt *opt, const char *item, struct opt_val *out);
/* The largest number that the option's limits and its type allow. */
uint64_t opt_upper_limit(const struct opt *opt);
/* What an item of this type is, to follow `is not`: `a number`. */
const char *opt_item_noun(const struct opt *opt);
/* As opt_describe, without what is said about lists. */
char *opt_item_describe(const struct opt *opt);
/* The entry of opt->words with this name, or NULL. */
const struct opt_word *opt_word_find(const struct opt *opt, const char *name);
/* The same for a name that is the first len bytes of a text. */
const struct opt_word *opt_word_find_part(const struct opt *opt, const char *name, size_t len);
/* The value that such an entry is. */
void opt_word_val(const struct opt *opt, const struct opt_word *word, struct opt_val *out);
/* The entry of opt->words most like name, or NULL. */
const char *opt_word_nearest(const struct opt *opt, const char *name);

/* A search for the word nearest to name; starts as {.name = name}. */
struct opt_near {
	const char *name;
	const char *best; /* NULL: none near yet */
	unsigned distance;
};
void opt_near_try(struct opt_near *near, const char *word);

/* ---- the types that are addresses (opt_addr.c); masks are all ones when these begin ---- */

int opt_parse_mac(const char *text, struct opt_val *out);
int opt_parse_ip4(const char *text, struct opt_val *out);
int opt_parse_ip4_if(const char *text, struct opt_val *out);
int opt_parse_ip6(const char *text, struct opt_val *out);
int opt_parse_addr(const char *text, struct opt_val *out);
int opt_parse_addr_if(const char *text, struct opt_val *out);
/* Splits `A<sep>B`: copies A to head and returns B; NULL when there is no sep or no room. */
const char *opt_split(const char *text, char sep, char head[UNITS_TEXT_MAX]);

/* ---- how a field varies (opt_vary.c) ---- */

#define OPT_VARY_PRESET "rfc4814" /* the name of a preset */

/* Why an item in a longer form is refused; empty: it is no such form. */
struct opt_why {
	char text[256];
};
/* Reads a longer form. */
int opt_vary_read(const struct opt *opt, const char *item, unsigned nth, struct opt_vary *out,
	struct opt_why *why);
/* The item that OPT_VARY_PRESET stands for; NULL: the option has none. */
const char *opt_vary_preset(const struct opt *opt);
