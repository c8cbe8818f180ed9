/* SPDX-License-Identifier: BSD-3-Clause */
#include "script_complete.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "objects.h"

struct named {
	const char *option;
	const char *kinds[3];
};

/* Options, of objects and of commands, that hold names of objects. */
static const struct named named[] = {
	{"tx-template", {"packet-template", "raw-packet-template"}},
	{"reply-to", {"packet-template"}},
	{"port", {"port"}},
	{"interface", {"port"}},
	{"rx-port", {"port"}},
	{"stream", {"stream"}},
	{"after", {"stream", "packet-template"}},
};

const char *const *script_named_kinds(const char *option)
{
	for (size_t i = 0; i < sizeof(named) / sizeof(named[0]); i++)
		if (strcmp(named[i].option, option) == 0)
			return named[i].kinds;
	return NULL;
}

void script_candidates_free(struct script_candidates *candidates)
{
	for (unsigned i = 0; i < candidates->nb; i++) {
		free(candidates->list[i].text);
		free(candidates->list[i].help);
	}
	free(candidates->list);
	*candidates = (struct script_candidates){0};
}

size_t script_candidates_common(const struct script_candidates *candidates)
{
	size_t common = candidates->nb > 0 ? strlen(candidates->list[0].text) : 0;

	for (unsigned i = 1; i < candidates->nb; i++) {
		const char *text = candidates->list[i].text;
		size_t len = 0;

		while (len < common && text[len] == candidates->list[0].text[len])
			len++;
		common = len;
	}
	return common;
}

/* The word that is begun, and what was found for it. */
struct search {
	const char *config;
	const char *begun; /* as typed */
	size_t kept;	   /* bytes of it that stay: a path, `name=`, items before the last */
	struct script_candidates *out;
	int rc;
};

/* Adds kept + name + end when that is how the word was begun. */
static void offer(struct search *s, const char *name, const char *end, const char *help, bool whole)
{
	struct script_candidate *more, one = {.whole = whole};

	if (s->rc != 0 || strncmp(name, s->begun + s->kept, strlen(s->begun + s->kept)) != 0)
		return;
	more = realloc(s->out->list, (s->out->nb + 1) * sizeof(*more));
	if (more != NULL)
		s->out->list = more;
	one.help = help != NULL ? strdup(help) : NULL;
	if (more == NULL ||
		asprintf(&one.text, "%.*s%s%s", (int)s->kept, s->begun, name, end) < 0) {
		free(one.help);
		s->rc = -ENOMEM;
		return;
	}
	more[s->out->nb++] = one;
}

static void offer_objects(struct search *s, const struct cli_object_kind *kind)
{
	struct err err = {0}; /* a broken file has no names to offer */
	char *names = kind == NULL || kind->single
			      ? NULL
			      : cli_objects_find(kind, s->config, 0, NULL, &err);
	char *save = NULL;

	for (char *name = names != NULL ? strtok_r(names, ",", &save) : NULL; name != NULL;
		name = strtok_r(NULL, ",", &save))
		offer(s, name, "", NULL, true);
	free(names);
}

static void offer_items(struct search *s, int menu)
{
	struct script_item items[SCRIPT_MAX_ITEMS];
	unsigned nb = script_menu_items(menu, items);

	for (unsigned i = 0; i < nb; i++)
		offer(s, items[i].name, "", items[i].help, true);
	offer(s, "..", "", "the menu above", true);
}

/* A menu or a command; the word begun may be a path. */
static void complete_path(struct search *s, int menu)
{
	const char *slash = strrchr(s->begun, '/');
	struct script_command command = {.menu = menu};

	if (slash != NULL) {
		char *base = strndup(s->begun, (size_t)(slash + 1 - s->begun));
		struct script_word word = {.text = base, .value = -1};
		struct script_line line = {.words = &word, .nb = 1};
		struct opt_pos fault;

		s->rc = base == NULL ? -ENOMEM : 0;
		if (s->rc == 0 && (script_parse(&line, menu, &command, &fault, &s->out->err) != 0 ||
					  command.verb != NULL)) {
			free(base);
			return;
		}
		s->kept = (size_t)(slash + 1 - s->begun);
		free(base);
	}
	offer_items(s, command.menu);
}

/* One text of what an option takes and means. NULL: no memory. Caller frees. */
static char *option_help(const struct opt *opt)
{
	char *values = opt_describe(opt), *text = NULL;

	if (values != NULL && asprintf(&text, "%s [%s]", opt->help, values) < 0)
		text = NULL;
	free(values);
	return text;
}

static void offer_options(struct search *s, const struct opt_menu *menu,
	const struct script_line *line, unsigned first, const char *end)
{
	for (size_t m = 0; m < menu->nb_sections; m++) {
		for (size_t i = 0; i < menu->sections[m]->nb; i++) {
			const struct opt *opt = opt_section_at(menu->sections[m], i);
			size_t len = strlen(opt->name);
			bool is_given = (opt->flags & OPT_READONLY) != 0 && end[0] != '\0';
			char *help = option_help(opt);

			for (unsigned w = first; w < line->nb && !is_given; w++)
				is_given = line->words[w].value == (int)len + 1 &&
					   strncmp(line->words[w].text, opt->name, len) == 0;
			if (!is_given)
				offer(s, opt->name, end, help, end[0] == '\0');
			free(help);
		}
	}
}

/* How a field may vary: the beginning of a value, and what it does. */
static void offer_varying(struct search *s)
{
	static const char *const forms[][2] = {
		{"inc:", "A-B, upwards (+step=, +count=)"},
		{"dec:", "A-B, downwards (+step=, +count=)"},
		{"rand:", "A-B, random (+seed=, +count=)"},
		{"shuffle:", "A-B, each once a round, in random order (+seed=)"},
		{"list:", "V+V, in turn; V=3+V=1, by weights"},
	};

	for (size_t i = 0; i < sizeof(forms) / sizeof(forms[0]); i++)
		offer(s, forms[i][0], "", forms[i][1], false);
}

/* What follows `name=`. */
static void complete_value(
	struct search *s, const struct opt_menu *menu, const struct cli_object_kind *kind)
{
	const char *value = strchr(s->begun, '=') + 1, *comma = strrchr(value, ',');
	char *name = strndup(s->begun, (size_t)(value - s->begun - 1)), *help;
	const char *const *kinds;
	const struct opt *opt;

	if (name == NULL) {
		s->rc = -ENOMEM;
		return;
	}
	s->kept = (size_t)((comma != NULL ? comma + 1 : value) - s->begun);
	opt = menu != NULL ? opt_menu_find(menu, name) : NULL;
	if (opt == NULL && (strcmp(name, "copy-from") == 0 || strcmp(name, "numbers") == 0))
		offer_objects(s, kind);
	kinds = opt != NULL ? script_named_kinds(name) : NULL;
	free(name);
	if (opt == NULL)
		return;
	help = option_help(opt);
	for (const struct opt_word *w = opt->words; w != NULL && w->name != NULL; w++)
		offer(s, w->name, "", NULL, true);
	if (opt->type == OPT_BOOL) {
		offer(s, "yes", "", help, true);
		offer(s, "no", "", help, true);
	}
	for (; kinds != NULL && *kinds != NULL; kinds++)
		offer_objects(s, cli_object_kind_find(*kinds));
	/* nothing to choose from: what the value is */
	if (s->out->nb == 0 && s->rc == 0 && s->begun[s->kept] == '\0')
		offer(s, "", "", help, false);
	if ((opt->flags & OPT_VARY) != 0)
		offer_varying(s);
	free(help);
}

/* Words of the verbs of objects that are no options: names, forms, fields. */
static void offer_verb_words(struct search *s, const struct cli_object_kind *kind, const char *verb,
	const struct script_line *line, unsigned first)
{
	static const char *const forms[] = {"detail", "terse", "as-value", "where"};
	unsigned given = line->nb - first;
	bool names = strcmp(verb, "add") != 0 && strcmp(verb, "find") != 0;
	bool fields = strcmp(verb, "get") == 0 || strcmp(verb, "unset") == 0;

	if (names && given == 0)
		offer_objects(s, kind);
	if (strcmp(verb, "print") == 0)
		for (size_t i = 0; i < sizeof(forms) / sizeof(forms[0]); i++)
			offer(s, forms[i], "", NULL, true);
	if (strcmp(verb, "add") == 0)
		offer(s, "copy-from", "=", "another one whose values are taken over", false);
	if (fields && given == (kind->single ? 0u : 1u))
		offer_options(s, kind->menu, line, first, "");
}

static void complete_word(struct search *s, const struct script_line *line, int menu)
{
	struct script_command command = {.menu = menu};
	const struct opt_menu *options;
	const struct cli_object_kind *kind;
	struct opt_pos fault;

	if (line->nb > 0 && script_parse(line, menu, &command, &fault, &s->out->err) != 0)
		return;
	if (command.verb == NULL) {
		complete_path(s, command.menu);
		return;
	}
	options = script_options(command.menu, command.verb);
	kind = script_verb_kind(command.menu, command.verb);
	if (strchr(s->begun, '=') != NULL) {
		complete_value(s, options, kind);
		return;
	}
	if (kind != NULL)
		offer_verb_words(s, kind, command.verb, line, command.first);
	/* print takes values only behind where */
	if (options != NULL &&
		(strcmp(command.verb, "print") != 0 ||
			(line->nb > command.first &&
				strcmp(line->words[line->nb - 1].text, "print") != 0)))
		offer_options(s, options, line, command.first, "=");
}

int script_complete(const char *config, int menu, const char *text, struct script_candidates *out)
{
	size_t len = strlen(text), begun = len;
	struct search s = {.config = config, .out = out};
	struct script_line line = {0};
	struct script_lex lex;
	struct err err = {0};
	int rc = 1;

	*out = (struct script_candidates){0};
	while (begun > 0 && strchr(" \t;\n", text[begun - 1]) == NULL)
		begun--;
	s.begun = text + begun;
	out->begun = len - begun;
	/* the command that is being typed is the last */
	while (begun > 0 && strchr(" \t", text[begun - 1]) != NULL)
		begun--;
	script_lex_init(&lex, text, begun);
	while (rc > 0 && begun > 0 && strchr(";\n", text[begun - 1]) == NULL) {
		struct script_line next;

		rc = script_lex_next(&lex, &next, &err);
		if (rc > 0) {
			script_line_free(&line);
			line = next;
		} else {
			script_line_free(&next);
		}
	}
	if (rc >= 0)
		complete_word(&s, &line, menu);
	script_line_free(&line);
	return s.rc;
}
