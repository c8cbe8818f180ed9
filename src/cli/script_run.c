/* SPDX-License-Identifier: BSD-3-Clause */
#include "script_run.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "objects.h"
#include "script_address.h"
#include "script_child.h"
#include "tgen/log.h"

void script_session_fini(struct script_session *session)
{
	for (size_t i = 0; i < SCRIPT_MAX_KINDS; i++)
		free(session->printed[i]);
}

int script_place(const struct script_session *session, struct opt_pos fault, struct err *err)
{
	if (session->name != NULL)
		err_prefix(err, "%s:%u:%u: ", session->name, fault.line, fault.col);
	else
		err_prefix(err, "column %u: ", fault.col);
	return -EINVAL;
}

/* Whether the first quotes of a message hold the word, its name, or an item of its list. */
static bool is_quoted_in(const char *word, const char *text)
{
	static const char numbers[] = "numbers=";
	const char *quoted = strchr(text, '"');
	size_t len = quoted != NULL ? strcspn(++quoted, "\"") : 0;

	if (len == 0)
		return false;
	if (strncmp(word, quoted, len) == 0 && word[len] == '=')
		return true;
	if (strncmp(word, numbers, strlen(numbers)) == 0)
		word += strlen(numbers);
	for (;; word++) {
		size_t item = strcspn(word, ",");

		if (item == len && strncmp(word, quoted, len) == 0)
			return true;
		word += item;
		if (*word == '\0')
			return false;
	}
}

/* An error about an option belongs to the word that gave it, one that quotes a word to that. */
static struct opt_pos place_of(const struct script_action *action, const struct err *err)
{
	size_t len = strcspn(err->text, ":");

	for (unsigned i = 1; i < action->argc; i++)
		if (strncmp(action->argv[i], err->text, len) == 0 && action->argv[i][len] == '=')
			return action->pos[i];
	for (unsigned i = 1; i < action->argc; i++)
		if (is_quoted_in(action->argv[i], err->text))
			return action->pos[i];
	for (unsigned i = 0; i < action->find_argc; i++)
		if (is_quoted_in(action->find_argv[i], err->text))
			return action->find_pos[i];
	return action->pos[0];
}

/* Where the names last printed of a kind are kept; NULL: nowhere. */
static char **printed_of(struct script_session *session, const struct cli_object_kind *kind)
{
	for (unsigned i = 0; i < cli_nb_object_kinds && i < SCRIPT_MAX_KINDS; i++)
		if (cli_object_kinds[i] == kind && session->numbered && !kind->single)
			return &session->printed[i];
	return NULL;
}

/* The number-th of a comma list; its length in len. NULL: there are not so many. */
static const char *nth_name(const char *list, unsigned long number, size_t *len)
{
	for (;; list++) {
		*len = strcspn(list, ",");
		if (number-- == 0)
			return *len > 0 ? list : NULL;
		list += *len;
		if (*list == '\0')
			return NULL;
	}
}

/* Replaces the numbers of a list by the names printed. NULL: no memory. */
static char *names_of_numbers(const char *numbers, const char *printed)
{
	const char *before = "";
	char *text = NULL;
	size_t size;
	FILE *f = open_memstream(&text, &size);

	if (f == NULL)
		return NULL;
	for (;;) {
		size_t len = strcspn(numbers, ","), name_len = len;
		const char *name = numbers;

		if (len > 0 && strspn(numbers, "0123456789") == len) {
			name = nth_name(printed, strtoul(numbers, NULL, 10), &name_len);
			if (name == NULL) {
				name = numbers;
				name_len = len;
			}
		}
		fprintf(f, "%s%.*s", before, (int)name_len, name);
		before = ",";
		numbers += len;
		if (*numbers++ == '\0')
			break;
	}
	return fclose(f) == 0 ? text : (free(text), NULL);
}

/* The word of an action that names objects; NULL: it has none. */
static char **names_word(const struct script_action *action)
{
	if (action->argc < 3 || strcmp(action->argv[1], "add") == 0 ||
		strcmp(action->argv[1], "find") == 0)
		return NULL;
	if (strncmp(action->argv[2], "numbers=", strlen("numbers=")) != 0 &&
		strchr(action->argv[2], '=') != NULL)
		return NULL;
	return &action->argv[2];
}

/* Item numbers are those of the last print. */
static int resolve_numbers(
	struct script_session *session, struct script_action *action, struct err *err)
{
	char **printed = printed_of(session, action->kind), **word = names_word(action), *names;
	const char *given;

	if (printed == NULL || *printed == NULL || word == NULL)
		return 0;
	given = strncmp(*word, "numbers=", strlen("numbers=")) == 0 ? *word + strlen("numbers=")
								    : *word;
	names = names_of_numbers(given, *printed);
	if (names == NULL)
		return err_device(err, ENOMEM, "script");
	free(*word);
	*word = names;
	return 0;
}

/* Puts in the names that [find …] stands for. 1: there are none, and nothing is to be done. */
static int resolve_find(
	const struct script_session *session, struct script_action *action, struct err *err)
{
	const char *config = session->cli->config;
	int argc = (int)action->find_argc;
	char *names;

	if (action->find < 0)
		return 0;
	if (action->runner == SCRIPT_RUN_ADDRESS)
		names = script_address_find(
			config, strcmp(action->argv[0], "ipv6") == 0, argc, action->find_argv, err);
	else
		names = cli_objects_find(action->kind, config, argc, action->find_argv, err);
	if (names == NULL)
		return -EINVAL;
	free(action->argv[action->find]);
	action->argv[action->find] = names;
	return names[0] == '\0';
}

static int run_here(struct script_session *session, struct script_action *action, struct err *err)
{
	const char *config = session->cli->config;
	char **printed = printed_of(session, action->kind);
	int rc = resolve_numbers(session, action, err);

	if (rc == 0)
		rc = cli_objects(
			action->kind, config, (int)action->argc - 1, action->argv + 1, err);
	if (rc == 0 && printed != NULL && strcmp(action->argv[1], "print") == 0) {
		free(*printed);
		*printed = cli_objects_find(action->kind, config, 0, NULL, err);
	}
	return rc;
}

/* The status of the command, or negative with err but without the place. */
static int run_action(struct script_session *session, struct script_action *action, struct err *err)
{
	int rc = resolve_find(session, action, err);

	if (rc != 0)
		return rc < 0 ? rc : 0;
	if (action->runner == SCRIPT_RUN_ADDRESS)
		rc = script_address(session->cli->config, strcmp(action->argv[0], "ipv6") == 0,
			(int)action->argc - 1, action->argv + 1, err);
	else if (action->runner == SCRIPT_RUN_HERE)
		rc = run_here(session, action, err);
	else
		return script_child(
			session->cli, action->argv, session->numbered && isatty(STDIN_FILENO), err);
	fflush(stdout);
	return rc;
}

int script_run_line(struct script_session *session, const struct script_line *line, struct err *err)
{
	struct script_command command;
	struct script_action action;
	struct opt_pos fault = {0};
	int rc = script_parse(line, session->menu, &command, &fault, err);

	if (rc != 0)
		return script_place(session, fault, err);
	if (command.verb == NULL) {
		session->menu = command.menu;
		return 0;
	}
	rc = script_translate(line, &command, &action, &fault, err);
	if (rc == 0 && script_lacks_rate(&action)) {
		fault = line->words[line->nb - 1].pos;
		rc = err_usage(err,
			"%s has no rate here (mbps=, pps= …): if more of it follows, a \\ at "
			"the end of line %u joins it with the next",
			action.argv[0], fault.line);
	}
	if (rc != 0) {
		script_place(session, fault, err);
	} else {
		rc = run_action(session, &action, err);
		if (rc < 0)
			script_place(session, place_of(&action, err), err);
		else if (rc > 0 && session->name != NULL)
			log_warning("%s:%u:%u: %s ended with status %d", session->name,
				action.pos[0].line, action.pos[0].col, action.argv[0], rc);
	}
	script_action_free(&action);
	return rc;
}

/* Reads all there is. NULL with err. Caller frees. */
static char *read_all(FILE *f, const char *name, size_t *len, struct err *err)
{
	char *text = NULL, block[4096];
	FILE *out = open_memstream(&text, len);
	size_t nb;

	if (out == NULL) {
		err_device(err, ENOMEM, "script");
		return NULL;
	}
	while ((nb = fread(block, 1, sizeof(block), f)) > 0)
		fwrite(block, 1, nb, out);
	/* a directory opens like a file */
	if (ferror(f)) {
		err_usage(err, "%s: cannot be read: %s", name, strerror(errno));
		fclose(out);
	} else if (fclose(out) != 0) {
		err_device(err, ENOMEM, "script");
	} else {
		return text;
	}
	free(text);
	return NULL;
}

/* A verdict on the device or the measurement lets the script go on: the worst is its own. */
static bool is_verdict(int status)
{
	return status == TGEN_OK || status == TGEN_MISSED || status == TGEN_INVALID;
}

static int run_text(struct script_session *session, const char *text, size_t len, struct err *err)
{
	struct script_lex lex;
	int worst = TGEN_OK;

	script_lex_init(&lex, text, len);
	for (;;) {
		struct script_line line;
		int rc = script_lex_next(&lex, &line, err);

		if (rc < 0)
			script_place(session, lex.fault, err);
		else if (rc > 0) {
			rc = script_run_line(session, &line, err);
			if (rc >= 0 && is_verdict(rc)) {
				worst = rc > worst ? rc : worst;
				rc = 1;
			} else if (rc > 0) {
				script_line_free(&line);
				return rc;
			}
		}
		script_line_free(&line);
		if (rc < 0)
			return rc;
		if (rc == 0)
			return worst;
		if (*session->cli->stop)
			return err_device(
				err, 0, "%s: stopped in line %u", session->name, lex.pos.line - 1);
	}
}

int script_run_file(const struct cli *cli, const char *path, struct err *err)
{
	struct script_session session = {.cli = cli, .name = path != NULL ? path : "-"};
	FILE *f = path != NULL ? fopen(path, "r") : stdin;
	char *text;
	size_t len;
	int rc;

	if (f == NULL)
		return err_usage(err, "%s: cannot be read: %s", path, strerror(errno));
	text = read_all(f, session.name, &len, err);
	if (path != NULL)
		fclose(f);
	if (text == NULL)
		return -EIO;
	rc = run_text(&session, text, len, err);
	free(text);
	script_session_fini(&session);
	return rc;
}
