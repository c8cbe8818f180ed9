/* SPDX-License-Identifier: BSD-3-Clause */
#include "../../src/cli/cli.h"
#include "../../src/cli/objects.h"
#include "../../src/cli/script.h"
#include "../../src/cli/script_complete.h"

#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "tgen/conf.h"
#include "tgen/engine.h"

/*
 * Any bytes as a script: each command is read, or refused with a message and a place in the text;
 * what is read becomes words of tgen or is refused as well. And any bytes as a line that is being
 * typed: what is offered begins as what was typed.
 */

bool engine_device_known(const char *device, char *known, size_t size)
{
	(void)device;
	if (size > 0)
		known[0] = '\0';
	return true;
}

const struct cli_command cli_commands[] = {
	{"quick", "", "send", &conf_quick_menu, NULL, NULL},
	{"packet-template", "", "templates", NULL, &cli_packet_template, NULL},
	{"port", "", "ports", NULL, &cli_port, NULL},
	{"settings", "", "settings", NULL, &cli_settings, NULL},
};
const unsigned cli_nb_commands = sizeof(cli_commands) / sizeof(cli_commands[0]);

static void require(bool holds)
{
	if (!holds)
		abort();
}

/* A word written as export does is the same word when it is read again. */
static void quote_again(const struct script_word *word)
{
	struct script_line line;
	struct script_lex lex;
	struct err err = {0};
	char *text = NULL;
	size_t size;
	FILE *f = open_memstream(&text, &size);

	require(f != NULL);
	fputs("x=", f);
	script_quote(f, word->text);
	fclose(f);
	script_lex_init(&lex, text, size);
	require(script_lex_next(&lex, &line, &err) == 1 && line.nb == 1);
	require(strcmp(line.words[0].text + 2, word->text) == 0);
	script_line_free(&line);
	free(text);
}

static void command(const struct script_line *line, int *menu)
{
	struct script_command found;
	struct script_action action;
	struct opt_pos fault = {0};
	struct err err = {0};

	if (script_parse(line, *menu, &found, &fault, &err) != 0) {
		require(err.text[0] != '\0' && fault.line > 0 && fault.col > 0);
		return;
	}
	if (found.verb == NULL) {
		*menu = found.menu;
		return;
	}
	if (script_translate(line, &found, &action, &fault, &err) == 0)
		require(action.argc > 0 && action.argv[action.argc] == NULL);
	else
		require(err.text[0] != '\0' && fault.line > 0 && fault.col > 0);
	script_lacks_rate(&action);
	script_action_free(&action);
}

static void complete(const char *text, int menu)
{
	struct script_candidates found;

	require(script_complete("/nonexistent/tgen.json", menu, text, &found) == 0);
	require(found.begun <= strlen(text));
	for (unsigned i = 0; i < found.nb; i++)
		require(strncmp(found.list[i].text, text + strlen(text) - found.begun,
				found.begun) == 0);
	require(found.nb == 0 || script_candidates_common(&found) >= found.begun);
	script_candidates_free(&found);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = strndup((const char *)data, size);
	struct script_lex lex;
	int menu = SCRIPT_ROOT, rc = 1;

	script_lex_init(&lex, (const char *)data, size);
	while (rc > 0) {
		struct script_line line;
		struct err err = {0};

		rc = script_lex_next(&lex, &line, &err);
		require(lex.at <= size);
		if (rc > 0) {
			require(line.nb > 0);
			for (unsigned i = 0; i < line.nb; i++)
				quote_again(&line.words[i]);
			command(&line, &menu);
		} else if (rc < 0) {
			require(err.text[0] != '\0' && lex.fault.line > 0);
		}
		script_line_free(&line);
	}
	complete(text, menu);
	free(text);
	return 0;
}
