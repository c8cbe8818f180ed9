/* SPDX-License-Identifier: BSD-3-Clause */
#include "console.h"

#include <errno.h>
#include <histedit.h>
#include <locale.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "script_complete.h"
#include "script_run.h"
#include "state.h"
#include "tgen/log.h"

#define HISTORY_LINES 1000
#define SCREEN_COLS   80

struct console {
	struct script_session session;
	EditLine *el; /* NULL: no terminal */
	History *history;
	char *history_path;
	char *pending; /* lines that are not complete yet; NULL: none */
	bool aborted;  /* ^C: what was typed is forgotten */
	char prompt[160];
};

static struct console *console_of(EditLine *el)
{
	struct console *c = NULL;

	el_get(el, EL_CLIENTDATA, &c);
	return c;
}

static char *prompt(EditLine *el)
{
	struct console *c = console_of(el);
	char path[128] = "";

	if (c->pending != NULL)
		return strcpy(c->prompt, "... ");
	if (c->session.menu != SCRIPT_ROOT)
		script_menu_path(c->session.menu, path, sizeof(path));
	snprintf(c->prompt, sizeof(c->prompt), "[tgen] %s> ", path);
	return c->prompt;
}

/* The text up to the cursor, with the lines before it. NULL: no memory. Caller frees. */
static char *text_before(struct console *c)
{
	const LineInfo *li = el_line(c->el);
	char *text;

	return asprintf(&text, "%s%.*s", c->pending != NULL ? c->pending : "",
		       (int)(li->cursor - li->buffer), li->buffer) < 0
		       ? NULL
		       : text;
}

static void list_names(const struct script_candidates *found)
{
	size_t width = 0;
	unsigned cols, col = 0;

	for (unsigned i = 0; i < found->nb; i++)
		if (strlen(found->list[i].text) > width)
			width = strlen(found->list[i].text);
	cols = (unsigned)(SCREEN_COLS / (width + 2));
	cols = cols == 0 ? 1 : cols;
	putchar('\n');
	for (unsigned i = 0; i < found->nb; i++) {
		bool last = ++col == cols || i + 1 == found->nb;

		printf("%-*s%s", last ? 0 : (int)width + 2, found->list[i].text, last ? "\n" : "");
		col = last ? 0 : col;
	}
	fflush(stdout);
}

static void list_help(const struct script_candidates *found)
{
	putchar('\n');
	for (unsigned i = 0; i < found->nb; i++)
		printf("  %-30s %s\n", found->list[i].text,
			found->list[i].help != NULL ? found->list[i].help : "");
	if (found->nb == 0)
		printf("  %s\n", found->err.text[0] != '\0' ? found->err.text
							    : "nothing is known to follow");
	fflush(stdout);
}

/* TAB: as much as is certain; what it may be when nothing is. */
static unsigned char on_tab(EditLine *el, int key)
{
	struct console *c = console_of(el);
	struct script_candidates found = {0};
	char *text = text_before(c);
	unsigned char result = CC_ERROR;
	size_t common;

	(void)key;
	if (text != NULL &&
		script_complete(c->session.cli->config, c->session.menu, text, &found) == 0 &&
		found.nb > 0) {
		common = script_candidates_common(&found);
		if (common > found.begun) {
			char *more =
				strndup(found.list[0].text + found.begun, common - found.begun);

			if (more != NULL && el_insertstr(el, more) == 0)
				result = CC_REFRESH;
			free(more);
		}
		if (found.nb == 1 && found.list[0].whole && el_insertstr(el, " ") == 0) {
			result = CC_REFRESH;
		} else if (found.nb > 1 && common <= found.begun) {
			list_names(&found);
			result = CC_REDISPLAY;
		}
	}
	script_candidates_free(&found);
	free(text);
	return result;
}

/* Whether a text ends within quotes, where `?` is a letter like others. */
static bool in_quotes(const char *text)
{
	bool inside = false;

	for (; *text != '\0'; text++) {
		if (*text == '\\' && text[1] != '\0')
			text++;
		else if (*text == '"')
			inside = !inside;
	}
	return inside;
}

static unsigned char on_question(EditLine *el, int key)
{
	struct console *c = console_of(el);
	struct script_candidates found = {0};
	char *text = text_before(c);
	unsigned char result = CC_ERROR;

	(void)key;
	if (text != NULL && in_quotes(text)) {
		result = el_insertstr(el, "?") == 0 ? CC_REFRESH : CC_ERROR;
	} else if (text != NULL &&
		   script_complete(c->session.cli->config, c->session.menu, text, &found) == 0) {
		list_help(&found);
		result = CC_REDISPLAY;
	}
	script_candidates_free(&found);
	free(text);
	return result;
}

/* ^C forgets what was typed. */
static unsigned char on_interrupt(EditLine *el, int key)
{
	const LineInfo *li = el_line(el);

	(void)key;
	console_of(el)->aborted = true;
	el_cursor(el, (int)(li->lastchar - li->cursor));
	el_deletestr(el, (int)(li->lastchar - li->buffer));
	el_insertstr(el, "\n"); /* a line without its end would be the end of all */
	return CC_NEWLINE;
}

static void history_open(struct console *c)
{
	HistEvent ev;

	c->history = history_init();
	c->history_path = cli_state_path("history");
	if (c->history == NULL)
		return;
	history(c->history, &ev, H_SETSIZE, HISTORY_LINES);
	history(c->history, &ev, H_SETUNIQUE, 1);
	if (c->history_path != NULL)
		history(c->history, &ev, H_LOAD, c->history_path);
	el_set(c->el, EL_HIST, history, c->history);
}

static void history_close(struct console *c)
{
	HistEvent ev;

	if (c->history == NULL)
		return;
	if (c->history_path != NULL &&
		(cli_state_parents(c->history_path) != 0 ||
			history(c->history, &ev, H_SAVE, c->history_path) < 0))
		log_debug("%s: the history cannot be kept", c->history_path);
	history_end(c->history);
}

static int terminal_open(struct console *c)
{
	if (!isatty(STDIN_FILENO) || !isatty(STDOUT_FILENO))
		return 0;
	/* ^C is a key while a line is edited; between two lines it means nothing */
	signal(SIGINT, SIG_IGN);
	setlocale(LC_CTYPE, "");
	c->el = el_init("tgen", stdin, stdout, stderr);
	if (c->el == NULL)
		return -ENOMEM;
	el_set(c->el, EL_CLIENTDATA, c);
	el_set(c->el, EL_EDITOR, "emacs");
	el_set(c->el, EL_PROMPT, prompt);
	el_set(c->el, EL_SETTY, "-d", "-isig", NULL); /* ^C is a key */
	el_set(c->el, EL_ADDFN, "tgen-complete", "completes the word", on_tab);
	el_set(c->el, EL_ADDFN, "tgen-help", "lists what may follow", on_question);
	el_set(c->el, EL_ADDFN, "tgen-abort", "forgets the line", on_interrupt);
	el_set(c->el, EL_BIND, "^I", "tgen-complete", NULL);
	el_set(c->el, EL_BIND, "?", "tgen-help", NULL);
	el_set(c->el, EL_BIND, "^C", "tgen-abort", NULL);
	el_set(c->el, EL_BIND, "^R", "em-inc-search-prev", NULL);
	history_open(c);
	return 0;
}

/* The next line, with its end. NULL: there is none. Caller frees. */
static char *read_line(struct console *c)
{
	char *line = NULL;
	size_t size = 0;
	const char *typed;
	int nb;

	if (c->el == NULL)
		return getline(&line, &size, stdin) < 0 ? (free(line), NULL) : line;
	/* before the prompt, so that what is typed at it is never the terminal's own to answer */
	el_set(c->el, EL_PREP_TERM, 1);
	typed = el_gets(c->el, &nb);
	return typed == NULL || nb <= 0 ? NULL : strdup(typed);
}

/* What a text lacks. */
enum lack { LACK_NOTHING, LACK_MORE, LACK_ITEM, LACK_RATE };

static bool line_lacks_rate(const struct console *c, const struct script_line *line)
{
	struct script_command command;
	struct script_action action = {.find = -1};
	struct opt_pos fault;
	struct err err = {0};
	bool lacks = false;

	if (script_parse(line, c->session.menu, &command, &fault, &err) == 0 &&
		command.verb != NULL) {
		lacks = script_translate(line, &command, &action, &fault, &err) == 0 &&
			script_lacks_rate(&action);
		script_action_free(&action);
	}
	return lacks;
}

static enum lack text_lacks(const struct console *c, const char *text)
{
	enum lack lack = LACK_NOTHING;
	struct script_lex lex;
	int rc = 1;

	script_lex_init(&lex, text, strlen(text));
	while (rc > 0) {
		struct script_line line;
		struct err err = {0};

		rc = script_lex_next(&lex, &line, &err);
		if (rc == -EAGAIN)
			lack = LACK_MORE;
		else if (rc > 0)
			lack = line.open		   ? LACK_ITEM
			       : line_lacks_rate(c, &line) ? LACK_RATE
							   : LACK_NOTHING;
		script_line_free(&line);
	}
	return rc == -EINVAL ? LACK_NOTHING : lack;
}

/* The status of the first command that fails, which ends the text; 0. */
static int run_text(struct console *c, const char *text)
{
	struct script_lex lex;
	int rc = 1, status = 0;

	script_lex_init(&lex, text, strlen(text));
	while (rc > 0 && status == 0) {
		struct script_line line;
		struct err err = {0};

		rc = script_lex_next(&lex, &line, &err);
		if (rc > 0)
			status = script_run_line(&c->session, &line, &err);
		else if (rc < 0)
			status = script_place(&c->session, lex.fault, &err);
		if (status < 0) {
			log_error("%s", err.text);
			status = err.status != TGEN_OK ? (int)err.status : TGEN_DEVICE;
		}
		script_line_free(&line);
	}
	return status;
}

/* Joins a line with those that wait for it. 0 or -ENOMEM; takes line over. */
static int pending_add(struct console *c, char *line, enum lack lack)
{
	size_t len = c->pending != NULL ? strlen(c->pending) : 0;
	char *text;

	if (c->pending == NULL) {
		c->pending = line;
		return line != NULL ? 0 : -ENOMEM;
	}
	if (lack != LACK_MORE && len > 0 && c->pending[len - 1] == '\n')
		len -= len > 1 && c->pending[len - 2] == '\r' ? 2 : 1;
	if (asprintf(&text, "%.*s%s%s", (int)len, c->pending, lack == LACK_RATE ? " " : "",
		    lack == LACK_ITEM ? line + strspn(line, " \t") : line) < 0)
		text = NULL;
	free(line);
	free(c->pending);
	c->pending = text;
	return text != NULL ? 0 : -ENOMEM;
}

static bool is_end(const char *text)
{
	static const char *const words[] = {"quit", "/quit", "exit"};
	size_t from = strspn(text, " \t"), len = strcspn(text + from, " \t\r\n");

	if (text[from + len + strspn(text + from + len, " \t\r\n")] != '\0')
		return false;
	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (strlen(words[i]) == len && strncmp(words[i], text + from, len) == 0)
			return true;
	return false;
}

static bool is_blank(const char *text)
{
	return text[strspn(text, " \t\r\n")] == '\0';
}

/* The status of the last command that failed, or -ENOMEM. */
static int run(struct console *c)
{
	enum lack lack = LACK_NOTHING;
	int status = 0;
	char *line;

	while (!*c->session.cli->stop && (line = read_line(c)) != NULL) {
		bool ends = c->pending == NULL && is_end(line);
		bool blank = is_blank(line);
		HistEvent ev;
		int rc;

		if (c->history != NULL && !blank)
			history(c->history, &ev, H_ENTER, line);
		if (ends || c->aborted) {
			free(line);
			free(c->pending);
			c->pending = NULL;
			c->aborted = false;
			if (ends)
				break;
			continue;
		}
		if (pending_add(c, line, lack) != 0)
			return -ENOMEM;
		lack = text_lacks(c, c->pending);
		/* an empty line says that nothing more follows */
		if (lack != LACK_NOTHING && !blank)
			continue;
		rc = run_text(c, c->pending);
		status = rc != 0 ? rc : status;
		free(c->pending);
		c->pending = NULL;
		lack = LACK_NOTHING;
	}
	/* what was still waiting for more is an error that its command tells */
	if (c->pending != NULL)
		status = run_text(c, c->pending);
	return status;
}

int cli_console(const struct cli *cli, int argc, char **argv, struct err *err)
{
	struct console c = {.session = {.cli = cli, .numbered = true}};
	int rc;

	if (argc > 0)
		return err_usage(err, "console: \"%.80s\" is one word too many", argv[0]);
	rc = terminal_open(&c);
	if (rc == 0)
		rc = run(&c);
	if (c.el != NULL) {
		putchar('\n');
		history_close(&c);
		el_end(c.el);
		rc = rc < 0 ? rc : 0;
	}
	free(c.history_path);
	free(c.pending);
	script_session_fini(&c.session);
	return rc < 0 ? err_device(err, ENOMEM, "console") : rc;
}
