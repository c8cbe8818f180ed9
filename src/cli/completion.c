/* SPDX-License-Identifier: BSD-3-Clause */
#include "completion.h"

#include <stdio.h>
#include <string.h>

#include "objects.h"
#include "script_complete.h"

/* Both shells read the same functions; what they do with the words is their own. */

static const char *const global_options[] = {"--config=", "--output=", "--eal=", "--force",
	"--list", "--dry-run", "--resume=", "--verbose", "--quiet", "--help", "--version"};

/* Words of commands that are no options. */
struct extra {
	const char *command, *words;
};
static const struct extra extras[] = {
	{"completion", "bash zsh"},
	{"stats", "stream port raw latency-distribution"},
	{"help", "format=text format=markdown format=man"},
};

/* A word of ours may hold a quote one day; names and words have none now. */
static void put_words_of(const struct opt_menu *menu, const char *end, bool readonly)
{
	for (size_t s = 0; s < menu->nb_sections; s++) {
		for (size_t i = 0; i < menu->sections[s]->nb; i++) {
			const struct opt *opt = opt_section_at(menu->sections[s], i);

			if (readonly || (opt->flags & OPT_READONLY) == 0)
				printf(" %s%s", opt->name, end);
		}
	}
}

/* The words that may follow a command, and those that follow the verbs of objects. */
static void put_words(void)
{
	const char *verb, *words, *help;

	printf("# words that may follow: COMMAND, or COMMAND.VERB\n_tgen_words() {\n\tcase $1 "
	       "in\n");
	printf("\t'') echo '");
	for (unsigned i = 0; i < cli_nb_commands; i++)
		printf("%s%s", i > 0 ? " " : "", cli_commands[i].name);
	printf("' ;;\n\t-*) echo '");
	for (size_t i = 0; i < sizeof(global_options) / sizeof(global_options[0]); i++)
		printf("%s%s", i > 0 ? " " : "", global_options[i]);
	printf("' ;;\n");
	for (unsigned i = 0; i < cli_nb_commands; i++) {
		const struct cli_command *c = &cli_commands[i];

		printf("\t%s) echo '", c->name);
		for (size_t e = 0; e < sizeof(extras) / sizeof(extras[0]); e++)
			if (strcmp(extras[e].command, c->name) == 0)
				printf("%s", extras[e].words);
		if (strcmp(c->name, "help") == 0)
			for (unsigned other = 0; other < cli_nb_commands; other++)
				printf(" %s", cli_commands[other].name);
		if (c->menu != NULL)
			put_words_of(c->menu, "=", false);
		for (unsigned v = 0;
			c->kind != NULL && cli_objects_verb(c->kind, v, &verb, &words, &help); v++)
			printf(" %s", verb);
		printf("' ;;\n");
		if (c->kind == NULL)
			continue;
		printf("\t%s.add|%s.set|%s.find) echo 'copy-from=", c->name, c->name, c->name);
		put_words_of(c->kind->menu, "=", false);
		printf("' ;;\n\t%s.get|%s.unset) echo '", c->name, c->name);
		put_words_of(c->kind->menu, "", true);
		printf("' ;;\n\t%s.print) echo 'detail terse as-value where' ;;\n", c->name);
	}
	printf("\tesac\n}\n");
}

static void put_values_of(const char *command, const struct opt_menu *menu)
{
	for (size_t s = 0; s < menu->nb_sections; s++) {
		for (size_t i = 0; i < menu->sections[s]->nb; i++) {
			const struct opt *opt = opt_section_at(menu->sections[s], i);
			const char *const *kinds = script_named_kinds(opt->name);
			bool is_bool = opt->type == OPT_BOOL;

			if (opt->words == NULL && !is_bool && kinds == NULL)
				continue;
			printf("\t%s.%s)", command, opt->name);
			if (opt->words != NULL || is_bool)
				printf(" echo '%s", is_bool ? "yes no" : "");
			for (const struct opt_word *w = opt->words; w != NULL && w->name != NULL;
				w++)
				printf(" %s", w->name);
			if (opt->words != NULL || is_bool)
				printf("'%s", kinds != NULL ? ";" : "");
			if (kinds != NULL)
				printf(" _tgen_names");
			for (; kinds != NULL && *kinds != NULL; kinds++)
				if (cli_object_kind_find(*kinds) != NULL)
					printf(" %s", *kinds);
			printf(" ;;\n");
		}
	}
}

static void put_values(void)
{
	printf("# values of COMMAND.OPTION\n_tgen_values() {\n\tcase $1 in\n");
	for (unsigned i = 0; i < cli_nb_commands; i++) {
		const struct cli_command *c = &cli_commands[i];

		if (c->menu != NULL)
			put_values_of(c->name, c->menu);
		if (c->kind == NULL)
			continue;
		put_values_of(c->name, c->kind->menu);
		if (!c->kind->single)
			printf("\t%s.copy-from) _tgen_names %s ;;\n", c->name, c->name);
	}
	printf("\tesac\n}\n");
}

static void put_kinds(void)
{
	printf("# whether a command's verbs are about objects with names\n"
	       "_tgen_has_names() {\n\tcase $1 in\n\t");
	for (unsigned i = 0, nb = 0; i < cli_nb_object_kinds; i++)
		if (!cli_object_kinds[i]->single)
			printf("%s%s", nb++ > 0 ? "|" : "", cli_object_kinds[i]->command);
	printf(") return 0 ;;\n\tesac\n\treturn 1\n}\n");
}

/*
 * The words that fit, given the words before the one that is begun, and that one. Variables of the
 * caller: _tgen_program, _tgen_config (an array).
 */
static const char common[] =
	"# names of the objects of KIND …\n"
	"_tgen_names() {\n"
	"\tlocal kind\n"
	"\tfor kind in \"$@\"; do\n"
	"\t\t\"$_tgen_program\" \"${_tgen_config[@]}\" \"$kind\" find 2>/dev/null\n"
	"\tdone\n"
	"}\n"
	"# what may stand for the last argument behind the others: a word a line\n"
	"_tgen_candidates() {\n"
	"\tlocal cmd= verb= nb=0 word value items\n"
	"\twhile [ $# -gt 1 ]; do\n"
	"\t\tcase $1 in\n"
	"\t\t--config|--output|--eal) shift ;;\n"
	"\t\t--*) ;;\n"
	"\t\t*)\n"
	"\t\t\tif [ -z \"$cmd\" ]; then cmd=$1\n"
	"\t\t\telif [ -z \"$verb\" ]; then verb=$1\n"
	"\t\t\telse nb=$((nb + 1)); fi ;;\n"
	"\t\tesac\n"
	"\t\t[ $# -gt 1 ] && shift\n"
	"\tdone\n"
	"\tword=$1\n"
	"\tcase $word in\n"
	"\t-*) set -- $(_tgen_words -) ;;\n"
	"\t*=*)\n"
	"\t\tvalue=${word#*=}\n"
	"\t\tcase $value in *,*) items=${value%,*}, ;; *) items= ;; esac\n"
	"\t\tset -- $(_tgen_values \"$cmd.${word%%=*}\")\n"
	"\t\tfor value in \"$@\"; do echo \"${word%%=*}=$items$value\"; done\n"
	"\t\treturn ;;\n"
	"\t*)\n"
	"\t\tif [ -z \"$cmd\" ]; then set -- $(_tgen_words '')\n"
	"\t\telif [ -z \"$verb\" ]; then set -- $(_tgen_words \"$cmd\")\n"
	"\t\telif [ \"$nb\" = 0 ] && [ \"$verb\" != add ] && [ \"$verb\" != find ] && "
	"_tgen_has_names \"$cmd\"; then\n"
	"\t\t\tset -- $(_tgen_names \"$cmd\")\n"
	"\t\t\t[ \"$verb\" != print ] || set -- \"$@\" $(_tgen_words \"$cmd.print\")\n"
	"\t\telse\n"
	"\t\t\tset -- $(_tgen_words \"$cmd.$verb\")\n"
	"\t\t\t[ $# -gt 0 ] || set -- $(_tgen_words \"$cmd\")\n"
	"\t\tfi ;;\n"
	"\tesac\n"
	"\tfor value in \"$@\"; do echo \"$value\"; done\n"
	"}\n";

/* bash replaces what stands behind the last of its own separators. */
static const char bash[] =
	"_tgen() {\n"
	"\tlocal IFS=$' \\t\\n' line=${COMP_LINE:0:COMP_POINT} words=() begun cut= i\n"
	"\tlocal _tgen_program _tgen_config=()\n"
	"\tread -ra words <<<\"$line\"\n"
	"\tcase $line in *[[:space:]]) words+=('') ;; esac\n"
	"\t_tgen_program=${words[0]} begun=${words[${#words[@]} - 1]}\n"
	"\tfor ((i = 1; i < ${#words[@]} - 1; i++)); do\n"
	"\t\tcase ${words[i]} in\n"
	"\t\t--config) _tgen_config=(--config \"${words[i + 1]}\") ;;\n"
	"\t\t--config=*) _tgen_config=(\"${words[i]}\") ;;\n"
	"\t\tesac\n"
	"\tdone\n"
	"\tcase $COMP_WORDBREAKS in *=*) cut=${begun%\"${begun##*[=:]}\"} ;; esac\n"
	"\tCOMPREPLY=()\n"
	"\tcase $begun in --config=*|--output=*=*)\n"
	"\t\tCOMPREPLY=($(compgen -f -- \"${begun##*=}\"))\n"
	"\t\treturn ;;\n"
	"\tesac\n"
	"\tfor i in $(_tgen_candidates \"${words[@]:1}\"); do\n"
	"\t\tcase $i in \"$begun\"*) COMPREPLY+=(\"${i#\"$cut\"}\") ;; esac\n"
	"\tdone\n"
	"\tcase ${COMPREPLY[0]-} in *=) compopt -o nospace 2>/dev/null ;; esac\n"
	"\treturn 0\n"
	"}\n"
	"complete -o default -F _tgen tgen\n";

static const char zsh[] =
	"_tgen() {\n"
	"\temulate -L zsh -o sh_word_split\n"
	"\tlocal _tgen_program=${words[1]} i\n"
	"\tlocal -a _tgen_config whole open\n"
	"\tfor ((i = 2; i < CURRENT; i++)); do\n"
	"\t\tcase ${words[i]} in\n"
	"\t\t--config) _tgen_config=(--config \"${words[i + 1]}\") ;;\n"
	"\t\t--config=*) _tgen_config=(\"${words[i]}\") ;;\n"
	"\t\tesac\n"
	"\tdone\n"
	"\tfor i in $(_tgen_candidates \"${words[@]:1:$((CURRENT - 1))}\"); do\n"
	"\t\tcase $i in *=) open+=(\"$i\") ;; *) whole+=(\"$i\") ;; esac\n"
	"\tdone\n"
	"\tcompadd -Q -S '' -a open\n"
	"\tcompadd -Q -a whole\n"
	"}\n"
	"if [ \"$funcstack[1]\" = _tgen ]; then _tgen \"$@\"; else compdef _tgen tgen; fi\n";

int cli_completion(const struct cli *cli, int argc, char **argv, struct err *err)
{
	bool is_bash = argc == 1 && strcmp(argv[0], "bash") == 0;

	(void)cli;
	if (argc != 1 || (!is_bash && strcmp(argv[0], "zsh") != 0))
		return err_usage(err, "completion: for which shell? bash or zsh");
	printf("%s# completion of tgen's words, made by `tgen completion %s`\n",
		is_bash ? "" : "#compdef tgen\n", argv[0]);
	put_words();
	put_values();
	put_kinds();
	printf("%s%s", common, is_bash ? bash : zsh);
	return 0;
}
