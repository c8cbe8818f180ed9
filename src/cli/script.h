/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "tgen/err.h"
#include "tgen/opt.h"

/*
 * RouterOS's command language: text to words (script_lex.c), words to a command of a menu
 * (script_menu.c), a command to the words of a tgen command (script_argv.c). None of these does
 * anything: script_run.c runs what comes out.
 */

struct script_word {
	char *text; /* without quotes and escapes; of brackets only what stands before them */
	struct opt_pos pos; /* where it begins */
	int value; /* where the value of `name=value` begins in text; -1: it is no such word */
	bool quoted;
	bool has_find; /* ends with brackets; their words are find */
	struct script_word *find;
	unsigned nb_find;
};

/* A command: what stands up to the end of a line or a semicolon. */
struct script_line {
	struct script_word *words;
	unsigned nb;
	bool open; /* it ends with a comma: the rest of a list is missing */
};

struct script_lex {
	const char *text;
	size_t len, at;
	struct opt_pos pos;   /* of the byte at */
	struct opt_pos fault; /* where an error is */
	bool dangling;	      /* the text ended with a `\` */
};

void script_lex_init(struct script_lex *lex, const char *text, size_t len);
/*
 * The next command that has words. 1, 0 at the end, or, with err and fault: -EINVAL, or -EAGAIN
 * when the text ends within quotes, brackets or a line that `\` joins with the next. out is to be
 * freed in any case.
 */
int script_lex_next(struct script_lex *lex, struct script_line *out, struct err *err);
void script_line_free(struct script_line *line);
/* Writes text as a word's value, in quotes where it needs them. */
void script_quote(FILE *f, const char *text);

/* ---- menus ---- */

/* Index in the table of menus. */
enum script_menu_id {
	SCRIPT_ROOT,
	SCRIPT_TOOL,
	SCRIPT_GENERATOR,
	SCRIPT_IP,
	SCRIPT_IP_ADDRESS,
	SCRIPT_IPV6,
	SCRIPT_IPV6_ADDRESS,
	SCRIPT_STATS,
	SCRIPT_OTHER, /* and more: objects, figures */
};

/* What a menu holds. */
struct script_item {
	const char *name, *help;
	int menu; /* that it leads to; -1: it is a command */
};
#define SCRIPT_MAX_ITEMS 64u

/* Fills out; returns how many. */
unsigned script_menu_items(int menu, struct script_item out[SCRIPT_MAX_ITEMS]);
const char *script_menu_name(int menu);
/* Whether it holds the addresses of ports. */
bool script_menu_has_addresses(int menu);
/* `/tool traffic-generator`. out holds size bytes. */
void script_menu_path(int menu, char *out, size_t size);
/* The kind of the objects in a menu; NULL: it has none. */
const struct cli_object_kind *script_menu_kind(int menu);

struct script_command {
	int menu;	  /* where it is, or, without a verb, where it leads */
	const char *verb; /* NULL: the line only names a menu */
	unsigned first;	  /* number of the first word behind the verb */
};

/*
 * What a line means in a menu. Takes as many words as belong to it; 0, or -EINVAL with err and the
 * place.
 */
int script_parse(const struct script_line *line, int menu, struct script_command *out,
	struct opt_pos *fault, struct err *err);

/* ---- words of tgen ---- */

enum script_runner {
	SCRIPT_RUN_HERE,    /* changes or shows the configuration */
	SCRIPT_RUN_ADDRESS, /* the same, of the addresses of ports */
	SCRIPT_RUN_CHILD,   /* in a process of its own: may open ports */
};

struct script_action {
	enum script_runner runner;
	const struct cli_object_kind *kind; /* of objects; NULL: none */
	char **argv;			    /* `packet-template add name=r12`, ends with NULL */
	unsigned argc;
	struct opt_pos *pos;	  /* of each of argv */
	int find;		  /* number of the word that [find …] stands for; -1: none */
	char **find_argv;	  /* what is to be found: words name=value */
	struct opt_pos *find_pos; /* of each of find_argv */
	unsigned find_argc;
};

/* The words of a command that has a verb. out is to be freed in any case. */
int script_translate(const struct script_line *line, const struct script_command *command,
	struct script_action *out, struct opt_pos *fault, struct err *err);
void script_action_free(struct script_action *action);
/* The option table behind a command's name=value words; NULL: it takes none. */
const struct opt_menu *script_options(int menu, const char *verb);
/* The kind that a verb of a menu is about; NULL: it is a command of its own. */
const struct cli_object_kind *script_verb_kind(int menu, const char *verb);
/* A quick or start that says what to send but not how fast: the line broke too early. */
bool script_lacks_rate(const struct script_action *action);
