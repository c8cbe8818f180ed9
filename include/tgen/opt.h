/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tgen/err.h"

/*
 * Options: one table entry makes the command word, the JSON key, the default, the range check, the
 * help and the line in the reference. A menu (quick, port, packet-template …) is a list of
 * sections, each a table of entries; an object (one port, one template, one quick command) is an
 * opt_set: the values its user gave, as written and as parsed, with the place where they were
 * written.
 */
enum opt_type {
	OPT_BOOL,    /* yes | no (JSON true, false) : lo 1 or 0 */
	OPT_UINT,    /* N : lo = hi = N */
	OPT_URANGE,  /* N or N-M : lo..hi inclusive */
	OPT_SIZES,   /* N, N-M : lo..hi; or a mix that pkt_sizes_parse knows : is_vary, 0..0 */
	OPT_COUNT,   /* N or unlimited : lo, UINT64_MAX for unlimited */
	OPT_PPS,     /* decimal with k M G, or max : lo in micro-pps, UINT64_MAX for max */
	OPT_MBPS,    /* decimal Mbit/s : lo in bit/s */
	OPT_PERCENT, /* decimal percent : lo in millionths of a percent */
	OPT_SPEED,   /* 1G, 100M : lo in bit/s */
	OPT_TIME,    /* 10s, 1m30s, 00:01:30, 500ms : lo in ns */
	OPT_WORD,    /* one of opt->words : lo its value */
	OPT_NAME,    /* letters, digits, - _ ., up to 63, first a letter or digit : text */
	OPT_TEXT,    /* anything printable in UTF-8 : text; commas are kept unless OPT_LIST */
	OPT_HEX,     /* an even number of hex digits : text */
	OPT_MAC,     /* MAC, MAC/mask : lo 48 bits, mask 48 bits (all ones: plain) */
	OPT_IP4, /* A, A-B, A/len, A/mask : lo..hi, or lo and mask (all ones: plain); host order */
	OPT_IP4_IF, /* A/len, an interface address : lo, mask; mask from len */
	OPT_IP6,    /* A, A-B, A/len, A/mask : lo..hi and up.lo..up.hi, or lo, mask and up's */
	OPT_ADDR,   /* one plain IPv4 or IPv6 address : lo, up.lo, is_ip6 */
	/*
	 * An interface address, A/len of either family, perhaps within VLANs: A/len@VID or
	 * A/len@OUTER.INNER : lo, mask, up, is_ip6, tags
	 */
	OPT_ADDR_IF,
	OPT_FLAGS, /* words of opt->words joined by +, or N : lo their values together */
	OPT_CPUS,  /* N or N-M : lo..hi */
	OPT_RATE,  /* 100mbps, 20kpps, 50% : lo in bit/s, micro-pps or millionths of a percent;
		      hi: enum units_rate_kind */
	OPT_ARGV,  /* a command: words, with quotes as a shell has them (tgen/argv.h) */
};

/* A named value: `arp` for a mac-protocol. Tables end with name NULL. */
struct opt_word {
	const char *name;
	uint64_t value;
};

enum opt_flag {
	OPT_LIST = 1 << 0,     /* up to max_items items separated by commas; a JSON array */
	OPT_REQUIRED = 1 << 1, /* an object without it is an error */
	OPT_READONLY = 1 << 2, /* shown by print only */
	OPT_VARY = 1 << 3,     /* a field of a header: items may say how it varies (opt_vary) */
	OPT_WHOLE = 1 << 4,    /* with OPT_LIST: an item may hold commas; a text is one item */
};

struct opt {
	const char *name; /* kebab case */
	enum opt_type type;
	unsigned flags;	    /* of enum opt_flag */
	uint16_t max_items; /* with OPT_LIST; 0: 65535 */
	uint64_t min, max;  /* inclusive, in the type's unit; both 0: the type's own limits */
	const struct opt_word *words; /* values that may be given by name; NULL: none */
	const char *dflt;	      /* as a user would write it; NULL: no default */
	const char *unit;	      /* for help: `Mbit/s`; NULL: none */
	const char *help;	      /* one sentence, no full stop */
};

/* A table whose entries have a struct opt as their first member. */
struct opt_section {
	const char *title;
	const void *base;
	size_t stride; /* bytes from one entry to the next */
	size_t nb;
};

struct opt_menu {
	const char *name; /* as in commands: `packet-template` */
	const char *help; /* one sentence for reference and help */
	const struct opt_section *const *sections;
	size_t nb_sections;
};

#define OPT_SECTION(title_, table_)                                                                \
	{                                                                                          \
		.title = (title_), .base = (table_), .stride = sizeof((table_)[0]),                \
		.nb = sizeof(table_) / sizeof((table_)[0])                                         \
	}

struct opt_val {
	uint64_t lo, hi, mask;
	struct {
		uint64_t lo, hi, mask;
	} up; /* the upper 64 bits of an IPv6 address */
	/*
	 * The item as written, owned by the set. Of a default: static; an item of a default that
	 * lists several shows its word, or the whole list when it is not a word.
	 */
	const char *text;
	bool is_word; /* given by one of opt->words */
	bool is_ip6;
	/* Written in a form beyond A, A-B, A/len and A/mask: opt_vary_parse knows it; lo is its first. */
	bool is_vary;
	uint16_t tags[2]; /* VLAN IDs of an interface address, outermost first; 0: none */
};

/*
 * How a field varies from frame to frame, as an item of an OPT_VARY option says:
 *
 *	A			always A
 *	A-B  inc:A-B		A, A+1 … B, and again
 *	inc:A-B+step=S		A, A+S … up to B
 *	inc:A+step=S+count=N	N values
 *	dec:A-B, dec:A+…	the same downwards: dec:1-9 is 9, 8 … 1
 *	A/len  A/mask		the bits under the mask stay, the others are random (RouterOS)
 *	rand:A-B[+seed=K]	random, with repetition; also rand:A/len
 *	rand:A-B+count=N	a round of N of them
 *	shuffle:A-B[+seed=K]	each once a round, in random order (at most OPT_VARY_TABLE_MAX)
 *	list:V+V+V		in turn
 *	list:V=3+V=1		in turn by weights: three of four frames have the first
 *
 * V, A and B are what the option takes otherwise, words included. A range of MAC addresses is
 * written A-B too; of a number, A/mask has a number as its mask. Without seed=, the seed is made of
 * the option's name. The word rfc4814, for addresses and ports, is what that RFC asks for.
 */
enum opt_vary_kind {
	OPT_VARY_ONE,
	OPT_VARY_STEP,	 /* first, first + step … nb values */
	OPT_VARY_LIST,	 /* values[0 .. nb-1] (shuffle and weights: the whole round, laid out) */
	OPT_VARY_RANDOM, /* first + one of 0 .. span-1 */
	OPT_VARY_MASKED, /* first, the bits outside of mask random */
};
#define OPT_VARY_TABLE_MAX (1u << 20)

struct opt_num { /* up to 128 bits: all but IPv6 addresses are in lo alone */
	uint64_t up, lo;
};

struct opt_vary {
	enum opt_vary_kind kind;
	struct opt_num first, mask, step; /* step of a decrement: its two's complement */
	struct opt_num span;		  /* RANDOM: how many, at most 2^64 (up 1, lo 0) */
	uint64_t nb;			  /* values of a round; 0: without end (random) */
	uint64_t seed;
	struct opt_num *values; /* LIST */
};

/* 0, -EINVAL, -ERANGE, -EDOM (backwards, or a round too long) or -ENOMEM. out: opt_vary_fini. */
int opt_vary_parse(const struct opt *opt, const char *item, struct opt_vary *out);
/*
 * How a parsed value varies, for the nth header that has it: seeds that are not given differ by nth.
 * val->text is the item when it is_vary. -EDOM, -ENOMEM.
 */
int opt_vary_of(
	const struct opt *opt, const struct opt_val *val, unsigned nth, struct opt_vary *out);
void opt_vary_fini(struct opt_vary *vary);

/* Where something was written. line 0: not in a file. Columns count bytes from 1. */
struct opt_pos {
	unsigned line, col;
};

struct opt_slot {
	const struct opt *opt;
	struct opt_val *vals;
	unsigned nb_vals;
	struct opt_pos pos; /* of the value */
};

struct opt_set {
	const struct opt_menu *menu;
	struct opt_slot *slots; /* in the order given */
	unsigned nb_slots;
	char *origin;	    /* file name for messages, NULL for a command line */
	char *path;	    /* `packet-templates[2]`, NULL for a command line */
	struct opt_pos pos; /* of the object */
};

/* The i-th entry of a section. */
const struct opt *opt_section_at(const struct opt_section *section, size_t i);
/* NULL when the menu has no such word. */
const struct opt *opt_menu_find(const struct opt_menu *menu, const char *name);
/* The known word most like name, or NULL when none is near (edit distance <= 2 or 1/3 of it). */
const char *opt_menu_nearest(const struct opt_menu *menu, const char *name);
const char *opt_nearest(const char *name, const char *const *words, size_t nb);

void opt_set_init(struct opt_set *set, const struct opt_menu *menu);
void opt_set_fini(struct opt_set *set);
/* Overwrites `to`, which must hold nothing that needs freeing. 0 or -ENOMEM (to is empty then). */
int opt_set_copy(struct opt_set *to, const struct opt_set *from);

/*
 * Gives opt the value text, splitting at commas for a list; replaces an earlier value,
 * which stays when the new one is refused. OPT_READONLY options are always refused.
 * 0, or -EINVAL with the place and what is allowed:
 *   `packet-size: "59x" is not a number (60..65535, or a range N-M)`.
 */
int opt_set_text(struct opt_set *set, const struct opt *opt, const char *text, struct opt_pos pos,
	struct err *err);
/* Adds one item, without a comma, to a list (or sets a single value). */
int opt_set_add(struct opt_set *set, const struct opt *opt, const char *item, struct opt_pos pos,
	struct err *err);
/* One command word `name=value`. Unknown names say the nearest known one; twice is an error. */
int opt_set_arg(struct opt_set *set, const char *arg, struct err *err);
/* Removes a value; false when it was not given. */
bool opt_set_unset(struct opt_set *set, const struct opt *opt);

/* NULL when the user did not give it. */
const struct opt_slot *opt_set_get(const struct opt_set *set, const struct opt *opt);
/*
 * Item i of an option: as given (a single value serves every i; beyond the end of a longer list:
 * false), else the default, else false. For header fields and per-stream lists alike.
 */
bool opt_set_val(const struct opt_set *set, const struct opt *opt, unsigned i, struct opt_val *out);
/* Item 0 of an option that has a default or is required. Asserts that there is one. */
struct opt_val opt_set_one(const struct opt_set *set, const struct opt *opt);
/* An error unless the option was not given, has one item or exactly nb (what, plural: `streams`). */
int opt_set_check_nb(const struct opt_set *set, const struct opt *opt, unsigned nb,
	const char *what, struct err *err);
/* An error for the first OPT_REQUIRED option that is missing. */
int opt_set_check_required(const struct opt_set *set, struct err *err);

/* The value as written, items joined by commas; NULL when not given. Caller frees. */
char *opt_set_print(const struct opt_set *set, const struct opt *opt);

/*
 * A semantic error about a value (opt NULL: about the object), with its place in front:
 *   `tgen.json:14:23: packet-templates[2].ip-dst: text` or, on a command line, `ip-dst: text`.
 * Returns -EINVAL.
 */
int opt_error(struct err *err, const struct opt_set *set, const struct opt *opt, const char *fmt,
	...) __attribute__((format(printf, 4, 5)));

/*
 * What a value of this option looks like, for help and errors: `0..255, default 64`. Caller
 * frees; NULL without memory.
 */
char *opt_describe(const struct opt *opt);
/* What kind of value this is, in a word or two for the reference: `number or range`. */
const char *opt_type_name(enum opt_type type);
/* The value of `type` in a JSON schema, as JSON text: `["integer","string"]`. */
const char *opt_type_json(enum opt_type type);
