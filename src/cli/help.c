/* SPDX-License-Identifier: BSD-3-Clause */
#include "help.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "objects.h"
#include "tgen/conf.h"
#include "tgen/pkt.h"
#include "tgen/result.h"

/*
 * Help, reference and man page come from the same tables as the commands themselves: nothing is
 * written twice.
 */

struct global_option {
	const char *name, *help;
};

static const struct global_option globals[] = {
	{"--config FILE",
		"configuration file; else $TGEN_CONFIG, tgen.json here, the user's, /etc's"},
	{"--output FORM[=FILE]", "table, json, jsonl, csv or as-value (run: table, json, jsonl, "
				 "junit, prometheus, html), "
				 "to standard output or a file; repeatable"},
	{"--force", "use an interface although this host's default route or ssh session is on it"},
	{"--list, --dry-run", "of run: the tests of the file; what they would do, and how long "
			      "that takes at most"},
	{"--resume DIR", "of run: go on with a run that was cut off, behind the trials it has"},
	{"--eal 'WORDS'", "more words for DPDK's environment abstraction layer"},
	{"--verbose, --quiet", "more messages, or errors only, on standard error"},
	{"--help, --version", "this text, or of the command that is named; the version"},
};

static const char *const statuses[] = {
	"0  done; all that was asked for was met",
	"1  nothing arrived although sending was clean (ping: no reply; reflect: none sent back)",
	"2  a word or the configuration is wrong; nothing was sent",
	"3  the measurement is not valid: nothing was sent, or the generator was not clean",
	"4  a device or the system failed",
};

/* The items of fields that may vary (opt_vary). */
static const struct global_option varying[] = {
	{"A", "always A"},
	{"A-B, inc:A-B", "A, A+1 and so on up to B, and again"},
	{"A/LEN, A/MASK, rand:A/LEN", "the bits under the mask stay, the others are random"},
	{"inc:A-B+step=S", "A, A+S and so on, up to B at most"},
	{"inc:A+step=S+count=N", "N values: A, A+S and so on"},
	{"dec:A-B, dec:A+count=N", "the same downwards: dec:1-9 is 9, 8 and so on to 1"},
	{"rand:A-B+seed=K",
		"random, with repetition; without seed=, it is made of the option's name"},
	{"rand:A-B+count=N", "a round of N random ones, and again"},
	{"shuffle:A-B+seed=K", "each once a round, in random order"},
	{"list:V+V+V", "one after the other, and again"},
	{"list:V=3+V=1", "by weights: three of four frames have the first"},
	{"rfc4814", "for addresses and ports, what RFC 4814 asks for: ports at random, "
		    "1024-65535 to 1-49151; addresses at random from those kept for benchmarks "
		    "(RFC 2544, RFC 5180)"},
};

#define COUNT(table) (sizeof(table) / sizeof((table)[0]))

/* Sections of manual pages are in capitals. */
static void heading_roff(bool is_section, const char *text)
{
	printf(is_section ? ".SH \"" : ".SS \"");
	for (; *text != '\0'; text++)
		putchar(is_section ? toupper((unsigned char)*text) : *text);
	printf("\"\n");
}

/* How one form writes things. Tables of functions would say no more. */
void help_heading(enum help_form form, unsigned level, const char *text)
{
	if (form == HELP_TEXT)
		printf("\n%s:\n", text);
	else if (form == HELP_MARKDOWN)
		printf("\n%.*s %s\n", (int)level, "####", text);
	else
		heading_roff(level <= 2, text);
}

/*
 * Roff reads a leading dot or quote as a request, and a backslash as its own. Long lists of words may
 * be broken after a bar.
 */
static void print_roff(const char *text)
{
	if (*text == '.' || *text == '\'')
		printf("\\&");
	for (; *text != '\0'; text++) {
		if (*text == '\\')
			printf("\\e");
		else if (*text == '-')
			printf("\\-");
		else if (*text == '|')
			printf("|\\:");
		else
			putchar(*text);
	}
}

/* Markdown tables: a bar ends a cell. */
static void print_cell(const char *text)
{
	for (; *text != '\0'; text++) {
		if (*text == '|')
			putchar('\\');
		putchar(*text);
	}
}

void help_item(enum help_form form, const char *name, const char *values, const char *help)
{
	if (form == HELP_TEXT) {
		printf("  %-30s %s%s%s%s\n", name, help, values[0] ? " [" : "", values,
			values[0] ? "]" : "");
	} else if (form == HELP_MARKDOWN) {
		printf("| `%s` | ", name);
		print_cell(values);
		printf(" | ");
		print_cell(help);
		printf(" |\n");
	} else {
		printf(".TP\n.B ");
		print_roff(name);
		printf("\n");
		print_roff(help);
		printf("%s", values[0] ? " [" : "");
		print_roff(values);
		printf("%s\n", values[0] ? "]" : "");
	}
}

void help_items_begin(enum help_form form, const char *first, const char *second)
{
	if (form == HELP_MARKDOWN)
		printf("\n| %s | %s | meaning |\n|---|---|---|\n", first, second);
}

void help_section(enum help_form form, const struct opt_section *section)
{
	if (section->title != NULL)
		help_heading(form, 4, section->title);
	help_items_begin(form, "word", "values");
	for (size_t i = 0; i < section->nb; i++) {
		const struct opt *opt = opt_section_at(section, i);
		char *values = opt_describe(opt);

		help_item(form, opt->name, values != NULL ? values : "", opt->help);
		free(values);
	}
}

void help_menu(enum help_form form, const struct opt_menu *menu)
{
	for (size_t s = 0; s < menu->nb_sections; s++) {
		struct opt_section section = *menu->sections[s];

		if (menu->nb_sections == 1)
			section.title = NULL;
		help_section(form, &section);
	}
}

void help_paragraph(enum help_form form, const char *text)
{
	if (form == HELP_MAN)
		printf(".PP\n");
	if (form == HELP_MARKDOWN)
		printf("\n");
	if (form == HELP_MAN)
		print_roff(text);
	else
		printf("%s", text);
	printf("\n");
}

static void write_varying(enum help_form form)
{
	help_heading(form, 2, "Varying fields");
	if (form == HELP_MARKDOWN)
		printf("\nFields of headers may change from frame to frame, all of them with each "
		       "frame unless `nest` says otherwise. The same words give the same frames, "
		       "on "
		       "any number of cores.\n");
	help_items_begin(form, "item", "");
	for (size_t i = 0; i < COUNT(varying); i++)
		help_item(form, varying[i].name, "", varying[i].help);
}

static void write_command(enum help_form form, const struct cli_command *c)
{
	const char *verb, *words, *help;

	if (form == HELP_TEXT) {
		printf("tgen %s %s\n  %s.\n", c->name, c->usage, c->help);
	} else if (form == HELP_MARKDOWN) {
		printf("\n### tgen %s\n\n`tgen %s %s`\n\nTo %s.\n", c->name, c->name, c->usage,
			c->help);
	} else {
		printf(".SS ");
		print_roff(c->name);
		printf("\n.B tgen ");
		print_roff(c->name);
		printf(" ");
		print_roff(c->usage);
		printf("\n.PP\nTo ");
		print_roff(c->help);
		printf(".\n");
	}
	if (c->menu != NULL)
		help_menu(form, c->menu);
	if (c->kind == NULL)
		return;
	help_items_begin(form, "verb", "words");
	for (unsigned i = 0; cli_objects_verb(c->kind, i, &verb, &words, &help); i++)
		help_item(form, verb, words, help);
	if (form == HELP_TEXT) {
		printf("\n");
		help_menu(form, c->kind->menu);
		if (c->kind->menu == &pkt_template_menu)
			write_varying(form);
	}
}

static void write_globals(enum help_form form)
{
	help_heading(form, 2, "Options");
	help_items_begin(form, "option", "");
	for (size_t i = 0; i < COUNT(globals); i++)
		help_item(form, globals[i].name, "", globals[i].help);
}

static void write_statuses(enum help_form form)
{
	help_heading(form, 2, "Exit status");
	if (form == HELP_MARKDOWN)
		printf("\n");
	for (size_t i = 0; i < COUNT(statuses); i++) {
		if (form == HELP_MAN)
			printf(".br\n");
		printf("%s%s\n",
			form == HELP_MARKDOWN ? "- "
			: form == HELP_TEXT   ? "  "
					      : "",
			statuses[i]);
	}
}

static void write_metrics(enum help_form form)
{
	help_heading(form, 2, "Figures");
	help_items_begin(form, "name", "unit");
	for (unsigned i = 0; i < metric_nb; i++)
		help_item(form, metric_table[i].name,
			metric_table[i].unit != NULL ? metric_table[i].unit : "count",
			metric_table[i].help);
}

static void write_overview(void)
{
	printf("tgen %s: a stateless traffic generator and analyser\n\n"
	       "usage: tgen [--option …] COMMAND [word=value …]\n\nCommands:\n",
		TGEN_VERSION);
	for (unsigned i = 0; i < cli_nb_commands; i++)
		help_item(HELP_TEXT, cli_commands[i].name, "", cli_commands[i].help);
	write_globals(HELP_TEXT);
	write_statuses(HELP_TEXT);
	printf("\ntgen help COMMAND lists a command's words; the manual is tgen(1).\n");
}

void help_write(enum help_form form)
{
	if (form == HELP_TEXT) {
		write_overview();
		return;
	}
	if (form == HELP_MARKDOWN)
		printf("# Reference\n\nWritten by `tgen help format=markdown` from the tables that "
		       "the "
		       "program itself reads.\n");
	help_heading(form, 2, "Commands");
	for (unsigned i = 0; i < cli_nb_commands; i++)
		write_command(form, &cli_commands[i]);
	write_globals(form);
	write_statuses(form);
	help_heading(form, 2, "Objects of the configuration file");
	for (unsigned i = 0; i < cli_nb_object_kinds; i++) {
		const struct opt_menu *menu = cli_object_kinds[i]->menu;

		help_heading(form, 3, menu->name);
		help_paragraph(form, menu->help);
		help_menu(form, menu);
	}
	write_varying(form);
	help_write_tests(form);
	write_metrics(form);
}

static int form_find(const char *name, enum help_form *form, struct err *err)
{
	static const char *const names[] = {
		[HELP_TEXT] = "text", [HELP_MARKDOWN] = "markdown", [HELP_MAN] = "man"};

	for (size_t i = 0; i < COUNT(names); i++) {
		if (strcmp(names[i], name) != 0)
			continue;
		*form = (enum help_form)i;
		return 0;
	}
	return err_usage(err, "help: format: \"%.80s\" is not known (text, markdown, man)", name);
}

int cli_help(const struct cli *cli, int argc, char **argv, struct err *err)
{
	enum help_form form = HELP_TEXT;
	const char *name = NULL;

	(void)cli;
	for (int i = 0; i < argc; i++) {
		if (strncmp(argv[i], "format=", 7) == 0) {
			if (form_find(argv[i] + 7, &form, err) < 0)
				return -EINVAL;
		} else if (name != NULL) {
			return err_usage(err, "help: \"%.80s\" is one word too many", argv[i]);
		} else {
			name = argv[i];
		}
	}
	if (name == NULL) {
		help_write(form);
		return 0;
	}
	for (unsigned i = 0; i < cli_nb_commands; i++) {
		if (strcmp(cli_commands[i].name, name) != 0)
			continue;
		write_command(form, &cli_commands[i]);
		return 0;
	}
	if (strcmp(name, "procedures") == 0 || strcmp(name, "test") == 0) {
		if (name[0] == 't')
			help_write_tests(form);
		else
			help_write_procedures(form, NULL);
		return 0;
	}
	if (help_write_procedures(form, name))
		return 0;
	return err_usage(err, "help: there is no command \"%.80s\" (tgen help lists them)", name);
}
