/* SPDX-License-Identifier: BSD-3-Clause */
#include "script.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"
#include "objects.h"
#include "script_address.h"

/* Words of quick that say how fast; streams know it, and a rate may be of all together. */
static const char *const rate_words[] = {"mbps", "pps", "percent", "rate-profile", "stream"};
/* Beginnings of such words. */
static const char *const rate_prefixes[] = {"total-"};

/* Words of RouterOS that mean nothing here: nothing is paged. */
static const char *const dropped_words[] = {"without-paging"};

#define COUNT(table) (sizeof(table) / sizeof((table)[0]))

static const struct cli_command *command_of(const char *verb)
{
	for (unsigned i = 0; i < cli_nb_commands; i++)
		if (cli_commands[i].kind == NULL && strcmp(cli_commands[i].name, verb) == 0)
			return &cli_commands[i];
	return NULL;
}

const struct cli_object_kind *script_verb_kind(int menu, const char *verb)
{
	if (menu == SCRIPT_GENERATOR && command_of(verb) != NULL)
		return NULL;
	return script_menu_kind(menu);
}

const struct opt_menu *script_options(int menu, const char *verb)
{
	static const char *const with_values[] = {"add", "set", "find", "print"};
	const struct cli_object_kind *kind = script_verb_kind(menu, verb);
	const struct cli_command *command = menu == SCRIPT_GENERATOR ? command_of(verb) : NULL;

	if (script_menu_has_addresses(menu))
		return &script_address_menu;
	if (kind != NULL) {
		for (size_t i = 0; i < COUNT(with_values); i++)
			if (strcmp(with_values[i], verb) == 0)
				return kind->menu;
		return NULL;
	}
	return command != NULL ? command->menu : NULL;
}

/* Adds a word, which is taken over. */
static int put(struct script_action *action, char *word, struct opt_pos pos, struct err *err)
{
	char **argv = realloc(action->argv, (action->argc + 2) * sizeof(*argv));
	struct opt_pos *places = realloc(action->pos, (action->argc + 1) * sizeof(*places));

	action->argv = argv != NULL ? argv : action->argv;
	action->pos = places != NULL ? places : action->pos;
	if (argv == NULL || places == NULL || word == NULL) {
		free(word);
		return err_device(err, ENOMEM, "script");
	}
	argv[action->argc] = word;
	places[action->argc] = pos;
	argv[++action->argc] = NULL;
	return 0;
}

/* The one option whose name begins with len bytes of text; NULL: none, or more than one. */
static const struct opt *option_begun(const struct opt_menu *menu, const char *text, size_t len)
{
	const struct opt *found = NULL;
	unsigned hits = 0;

	for (size_t s = 0; s < menu->nb_sections; s++) {
		for (size_t i = 0; i < menu->sections[s]->nb; i++) {
			const struct opt *opt = opt_section_at(menu->sections[s], i);

			if (strncmp(opt->name, text, len) != 0)
				continue;
			if (opt->name[len] == '\0')
				return opt;
			found = opt;
			hits++;
		}
	}
	return hits == 1 && len > 0 ? found : NULL;
}

/* The word with its option's whole name. NULL: no memory. Caller frees. */
static char *whole_word(const struct opt_menu *menu, const struct cli_object_kind *kind,
	const struct script_word *word)
{
	static const char *const others[] = {"numbers", "copy-from", "value-name"};
	const char *value = word->text + (word->value > 0 ? word->value : 0);
	size_t len = word->value > 0 ? (size_t)word->value - 1 : 0;
	const struct opt *opt = NULL;
	char *text = NULL;

	for (size_t i = 0; i < COUNT(others); i++)
		if (strlen(others[i]) == len && strncmp(word->text, others[i], len) == 0)
			return strdup(word->text);
	if (menu != NULL && word->value > 0)
		opt = option_begun(menu, word->text, len);
	if (opt != NULL)
		return asprintf(&text, "%s=%s", opt->name, value) < 0 ? NULL : text;
	/* RouterOS's ports are interfaces of the kernel */
	if (kind != NULL && strcmp(kind->command, "port") == 0 && len == strlen("interface") &&
		strncmp(word->text, "interface", len) == 0)
		return asprintf(&text, "device=auto:%s", value) < 0 ? NULL : text;
	return strdup(word->text);
}

/* Takes the words of [find …]. */
static int put_find(struct script_action *action, const struct script_word *word,
	struct opt_pos *fault, struct err *err)
{
	const struct opt_menu *menu = action->kind != NULL ? action->kind->menu : NULL;

	*fault = word->pos;
	if (action->find >= 0)
		return err_usage(err, "[find …] stands here twice");
	if (word->nb_find == 0 || strcmp(word->find[0].text, "find") != 0)
		return err_usage(err, "[%.80s …]: only [find …] is supported in brackets",
			word->nb_find > 0 ? word->find[0].text : "");
	if (action->runner == SCRIPT_RUN_CHILD || (action->kind != NULL && action->kind->single))
		return err_usage(err, "[find …] has no place in this command");
	action->find_argv = calloc(word->nb_find, sizeof(*action->find_argv));
	action->find_pos = calloc(word->nb_find, sizeof(*action->find_pos));
	if (action->find_argv == NULL || action->find_pos == NULL)
		return err_device(err, ENOMEM, "script");
	for (unsigned i = 1; i < word->nb_find; i++) {
		if (i == 1 && strcmp(word->find[i].text, "where") == 0)
			continue;
		*fault = word->find[i].pos;
		if (word->find[i].value < 0)
			return err_usage(err, "\"%.80s\": [find …] looks for name=value alone",
				word->find[i].text);
		action->find_pos[action->find_argc] = *fault;
		action->find_argv[action->find_argc] = whole_word(menu, NULL, &word->find[i]);
		if (action->find_argv[action->find_argc++] == NULL)
			return err_device(err, ENOMEM, "script");
	}
	action->find = (int)action->argc;
	return put(action, strdup(""), word->pos, err);
}

/* The verbs of objects whose first word is their names. */
static bool takes_find(const struct script_word *word)
{
	return word->text[0] == '\0' || strcmp(word->text, "numbers=") == 0;
}

static int put_argument(struct script_action *action, const struct opt_menu *menu,
	const struct script_word *word, struct opt_pos *fault, struct err *err)
{
	*fault = word->pos;
	if (word->has_find && !takes_find(word))
		return err_usage(err, "%.80s[…]: brackets stand for names alone", word->text);
	if (word->has_find)
		return put_find(action, word, fault, err);
	if (word->value < 0 && !word->quoted) {
		for (size_t i = 0; i < COUNT(dropped_words); i++)
			if (strcmp(word->text, dropped_words[i]) == 0)
				return 0;
		/* a word that is an option which may be yes */
		if (action->runner == SCRIPT_RUN_CHILD && strcmp(word->text, "as-value") == 0)
			return put(action, strdup("as-value=yes"), word->pos, err);
	}
	return put(action, whole_word(menu, action->kind, word), word->pos, err);
}

/* The words of tgen that stand for menu and verb. */
static int put_command(struct script_action *action, const struct script_command *command,
	struct opt_pos pos, struct err *err)
{
	const char *first = command->verb, *second = NULL;

	if (script_menu_has_addresses(command->menu)) {
		action->runner = SCRIPT_RUN_ADDRESS;
		first = command->menu == SCRIPT_IP_ADDRESS ? "ip" : "ipv6";
		second = command->verb;
	} else if ((action->kind = script_verb_kind(command->menu, command->verb)) != NULL) {
		action->runner = SCRIPT_RUN_HERE;
		first = action->kind->command;
		second = command->verb;
	} else if (command->menu != SCRIPT_GENERATOR) {
		action->runner = SCRIPT_RUN_CHILD;
		first = "stats";
		second = script_menu_name(command->menu);
	} else {
		action->runner = SCRIPT_RUN_CHILD;
	}
	if (put(action, strdup(first), pos, err) != 0)
		return -ENOMEM;
	return second == NULL ? 0 : put(action, strdup(second), pos, err);
}

int script_translate(const struct script_line *line, const struct script_command *command,
	struct script_action *out, struct opt_pos *fault, struct err *err)
{
	const struct opt_menu *menu = script_options(command->menu, command->verb);
	int rc;

	*out = (struct script_action){.find = -1};
	*fault = line->words[0].pos;
	rc = put_command(out, command, line->words[0].pos, err);
	for (unsigned i = command->first; rc == 0 && i < line->nb; i++)
		rc = put_argument(out, menu, &line->words[i], fault, err);
	return rc;
}

void script_action_free(struct script_action *action)
{
	for (unsigned i = 0; i < action->argc; i++)
		free(action->argv[i]);
	for (unsigned i = 0; i < action->find_argc; i++)
		free(action->find_argv[i]);
	free(action->find_argv);
	free(action->find_pos);
	free(action->argv);
	free(action->pos);
	*action = (struct script_action){.find = -1};
}

static bool has_name(const char *word, const char *name)
{
	size_t len = strlen(name);

	return strncmp(word, name, len) == 0 && word[len] == '=';
}

bool script_lacks_rate(const struct script_action *action)
{
	bool template = false;

	if (action->argc == 0 || action->runner != SCRIPT_RUN_CHILD ||
		(strcmp(action->argv[0], "quick") != 0 && strcmp(action->argv[0], "start") != 0))
		return false;
	for (unsigned i = 1; i < action->argc; i++) {
		template |= has_name(action->argv[i], "tx-template");
		for (size_t r = 0; r < COUNT(rate_words); r++)
			if (has_name(action->argv[i], rate_words[r]))
				return false;
		for (size_t r = 0; r < COUNT(rate_prefixes); r++)
			if (strncmp(action->argv[i], rate_prefixes[r], strlen(rate_prefixes[r])) ==
				0)
				return false;
	}
	return template;
}
