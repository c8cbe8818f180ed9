/* SPDX-License-Identifier: BSD-3-Clause */
#include "schema.h"

#include <cjson/cJSON.h>

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "objects.h"
#include "tgen/results.h"
#include "tgen/units.h"

/* Above it not every reader of JSON knows integers exactly. */
#define EXACT_MAX (UINT64_C(1) << 53)

#define NUMBER	  "(0[xX][0-9a-fA-F]+|[0-9]+)"
#define DECIMAL	  "[0-9]*\\.?[0-9]+"
#define IP4	  "[0-9]+(\\.[0-9]+){3}"
#define IP6	  "[0-9a-fA-F:.]*:[0-9a-fA-F:.]*"
#define MAC	  "[0-9a-fA-F]{1,2}([:-][0-9a-fA-F]{1,2}){5}"
#define RANGES(a) a "(-" a "|/" a "|/[0-9]+)?"

/* How the values of a type look in JSON. */
struct form {
	const char *pattern; /* of a string; NULL: only the option's words */
	const char *special; /* word beside it; NULL: none */
	double unit;	     /* limits are divided by it; 0: numbers have none */
};

/* clang-format off */
static const struct form forms[] = {
	[OPT_BOOL] = {"yes|no|true|false", NULL, 0},
	[OPT_UINT] = {NUMBER, NULL, 1},
	[OPT_URANGE] = {NUMBER "(-" NUMBER ")?", NULL, 1},
	[OPT_SIZES] = {NUMBER "(-" NUMBER ")?|[^, ]*[=+:][^, ]*", NULL, 1},
	[OPT_FLAGS] = {NUMBER "|[a-z0-9-]+(\\+[a-z0-9-]+)*", NULL, 1},
	[OPT_COUNT] = {NUMBER, "unlimited", 1},
	[OPT_PPS] = {DECIMAL "[kMG]?", "max", UNITS_MICROS},
	[OPT_MBPS] = {DECIMAL, NULL, UNITS_MICROS},
	[OPT_PERCENT] = {DECIMAL "%?", NULL, UNITS_MICROS},
	[OPT_SPEED] = {DECIMAL "[kMGT]?", NULL, 1},
	[OPT_TIME] = {"[0-9.:hmsun]+", NULL, UNITS_NS_PER_S},
	[OPT_WORD] = {NULL, NULL, 0},
	[OPT_NAME] = {"[A-Za-z0-9][A-Za-z0-9._-]{0,62}", NULL, 0},
	[OPT_TEXT] = {"[^\\u0000-\\u001f]*", NULL, 0},
	[OPT_HEX] = {"([0-9a-fA-F]{2})+", NULL, 0},
	[OPT_MAC] = {RANGES(MAC), NULL, 0},
	[OPT_IP4] = {RANGES(IP4), NULL, 0},
	[OPT_IP4_IF] = {IP4 "/[0-9]+", NULL, 0},
	[OPT_IP6] = {RANGES(IP6), NULL, 0},
	[OPT_ADDR] = {IP4 "|" IP6, NULL, 0},
	[OPT_ADDR_IF] = {"(" IP4 "|" IP6 ")/[0-9]+(@[0-9]+(\\.[0-9]+)?)?", NULL, 0},
	[OPT_CPUS] = {NUMBER "(-" NUMBER ")?", NULL, 1},
	[OPT_RATE] = {DECIMAL "(mbps|[kMG]?pps|%)", NULL, 0},
	[OPT_ARGV] = {"[^\\u0000-\\u001f]+", NULL, 0},
};
/* clang-format on */

/* Longer forms of a field that varies: what is behind the colon the program reads. */
#define VARY "(inc|dec|rand|shuffle|list):[^,]+|[^,]+[-/][^,]+"

/* Puts node below parent (under a name, or at the end of an array). False: no memory. */
static bool put(cJSON *parent, const char *name, cJSON *node)
{
	bool done = name != NULL ? cJSON_AddItemToObject(parent, name, node)
				 : cJSON_AddItemToArray(parent, node);

	if (!done)
		cJSON_Delete(node);
	return done;
}

/* Escapes a word for a pattern. */
static void put_plain(FILE *f, const char *word)
{
	for (; *word != '\0'; word++) {
		if (strchr(".+*?()[]{}|\\^$", *word) != NULL)
			fputc('\\', f);
		fputc(*word, f);
	}
}

/* One item as a pattern, without ^ and $. NULL: no memory. Caller frees. */
static char *item_pattern(const struct opt *opt, bool with_words)
{
	const struct form *form = &forms[opt->type];
	const char *before = "";
	char *text = NULL;
	size_t len;
	FILE *f = open_memstream(&text, &len);

	if (f == NULL)
		return NULL;
	for (const struct opt_word *w = opt->words; with_words && w != NULL && w->name != NULL;
		w++) {
		fputs(before, f);
		put_plain(f, w->name);
		before = "|";
	}
	if (form->special != NULL)
		fprintf(f, "%s%s", before, form->special);
	before = form->special != NULL ? "|" : before;
	if (form->pattern != NULL)
		fprintf(f, "%s%s", before, form->pattern);
	before = form->pattern != NULL ? "|" : before;
	if ((opt->flags & OPT_VARY) != 0)
		fprintf(f, "%s%s", before, VARY);
	return fclose(f) == 0 ? text : (free(text), NULL);
}

/* {"type":"string","pattern":…} of one item, or of several with commas. */
static cJSON *string_node(const char *pattern, bool list)
{
	cJSON *node = cJSON_CreateObject();
	char *text = NULL;
	bool done;

	if ((list ? asprintf(&text, "^(%s)(,(%s))*$", pattern, pattern)
		  : asprintf(&text, "^(%s)$", pattern)) < 0)
		text = NULL;
	done = text != NULL && cJSON_AddStringToObject(node, "type", "string") != NULL &&
	       cJSON_AddStringToObject(node, "pattern", text) != NULL;
	free(text);
	return done ? node : (cJSON_Delete(node), NULL);
}

static bool put_limit(cJSON *node, const char *name, uint64_t limit, double unit)
{
	return limit >= EXACT_MAX && unit == 1
		       ? true
		       : cJSON_AddNumberToObject(node, name, (double)limit / unit) != NULL;
}

static cJSON *number_node(const struct opt *opt)
{
	bool integer = strstr(opt_type_json(opt->type), "integer") != NULL;
	double unit = forms[opt->type].unit;
	cJSON *node = cJSON_CreateObject();
	bool done = cJSON_AddStringToObject(node, "type", integer ? "integer" : "number") != NULL;

	done = done && put_limit(node, "minimum", opt->min, unit);
	if (done && opt->max != 0 && opt->max < UINT64_MAX - 1)
		done = put_limit(node, "maximum", opt->max, unit);
	return done ? node : (cJSON_Delete(node), NULL);
}

static cJSON *words_node(const struct opt *opt)
{
	cJSON *node = cJSON_CreateObject(), *words = cJSON_AddArrayToObject(node, "enum");
	bool done = words != NULL;

	if (done && opt->type == OPT_BOOL)
		done = put(words, NULL, cJSON_CreateBool(true)) &&
		       put(words, NULL, cJSON_CreateBool(false));
	for (const struct opt_word *w = opt->words; done && w != NULL && w->name != NULL; w++)
		done = put(words, NULL, cJSON_CreateString(w->name));
	return done ? node : (cJSON_Delete(node), NULL);
}

/* A command as a list of its words. */
static bool put_words(cJSON *any)
{
	cJSON *array = cJSON_CreateObject();
	bool done = cJSON_AddStringToObject(array, "type", "array") != NULL &&
		    cJSON_AddNumberToObject(array, "minItems", 1) != NULL &&
		    cJSON_AddStringToObject(
			    cJSON_AddObjectToObject(array, "items"), "type", "string") != NULL;

	return put(any, NULL, array) && done;
}

/* Adds the forms of one item to a list of alternatives. */
static bool put_item(cJSON *any, const struct opt *opt)
{
	bool has_words = opt->type == OPT_BOOL || opt->words != NULL;
	char *pattern = item_pattern(opt, false);
	bool done = pattern != NULL;

	if (done && forms[opt->type].unit > 0)
		done = put(any, NULL, number_node(opt));
	if (done && has_words)
		done = put(any, NULL, words_node(opt));
	if (done && pattern[0] != '\0')
		done = put(any, NULL, string_node(pattern, false));
	if (done && opt->type == OPT_ARGV)
		done = put_words(any);
	free(pattern);
	return done;
}

/* An array of items, and a string with commas. */
static bool put_list(cJSON *any, const struct opt *opt)
{
	cJSON *array = cJSON_CreateObject(), *items;
	char *pattern = item_pattern(opt, true);
	bool done = pattern != NULL && cJSON_AddStringToObject(array, "type", "array") != NULL;

	items = cJSON_AddArrayToObject(cJSON_AddObjectToObject(array, "items"), "anyOf");
	done = done && items != NULL && put_item(items, opt) &&
	       cJSON_AddNumberToObject(array, "minItems", 1) != NULL;
	if (done && opt->max_items != 0)
		done = cJSON_AddNumberToObject(array, "maxItems", opt->max_items) != NULL;
	if (!done)
		cJSON_Delete(array);
	else
		done = put(any, NULL, array) && put(any, NULL, string_node(pattern, true));
	free(pattern);
	return done;
}

static cJSON *default_node(const struct opt *opt)
{
	if (opt->type == OPT_BOOL)
		return cJSON_CreateBool(strcmp(opt->dflt, "yes") == 0);
	if (opt->type == OPT_UINT && opt->dflt[0] != '\0' &&
		opt->dflt[strspn(opt->dflt, "0123456789")] == '\0')
		return cJSON_CreateNumber(strtod(opt->dflt, NULL));
	return cJSON_CreateString(opt->dflt);
}

static bool put_option(cJSON *properties, const struct opt *opt)
{
	cJSON *node = cJSON_AddObjectToObject(properties, opt->name), *any;
	char *values = opt_describe(opt), *text = NULL;
	bool done = node != NULL && values != NULL &&
		    asprintf(&text, "%s (%s)", opt->help, values) >= 0 &&
		    cJSON_AddStringToObject(node, "description", text) != NULL;

	free(values);
	free(text);
	if (done && opt->dflt != NULL)
		done = put(node, "default", default_node(opt));
	any = done ? cJSON_AddArrayToObject(node, "anyOf") : NULL;
	if (any == NULL || !put_item(any, opt))
		return false;
	return (opt->flags & OPT_LIST) == 0 || put_list(any, opt);
}

/* An object of a menu: its words, those required, no others. */
static cJSON *object_node(const struct opt_menu *menu)
{
	cJSON *node = cJSON_CreateObject(), *required = cJSON_CreateArray(), *properties;
	bool done = cJSON_AddStringToObject(node, "type", "object") != NULL;

	properties = cJSON_AddObjectToObject(node, "properties");
	done = done && properties != NULL && required != NULL &&
	       cJSON_AddFalseToObject(node, "additionalProperties") != NULL;
	for (size_t s = 0; s < menu->nb_sections; s++) {
		for (size_t i = 0; done && i < menu->sections[s]->nb; i++) {
			const struct opt *opt = opt_section_at(menu->sections[s], i);

			if ((opt->flags & OPT_READONLY) != 0)
				continue;
			done = put_option(properties, opt);
			if (done && (opt->flags & OPT_REQUIRED) != 0)
				done = put(required, NULL, cJSON_CreateString(opt->name));
		}
	}
	if (done && cJSON_GetArraySize(required) > 0) {
		done = put(node, "required", required);
		required = NULL;
	}
	cJSON_Delete(required);
	return done ? node : (cJSON_Delete(node), NULL);
}

static bool put_kind(cJSON *properties, const struct conf_kind *kind);

/* The lists that an object of a kind holds. */
static bool put_inner(cJSON *object, const struct conf_kind *kind)
{
	cJSON *properties = cJSON_GetObjectItemCaseSensitive(object, "properties");
	bool done = true;

	for (unsigned i = 0; done && i < cli_nb_conf_kinds; i++) {
		const char *within = cli_conf_kinds[i].within;

		if (within != NULL && strcmp(within, kind->key) == 0)
			done = put_kind(properties, &cli_conf_kinds[i]);
	}
	return done;
}

/* The list of a kind, or its single object. */
static bool put_kind(cJSON *properties, const struct conf_kind *kind)
{
	cJSON *object = object_node(kind->menu), *list = object;

	if (object != NULL && !put_inner(object, kind)) {
		cJSON_Delete(object);
		return false;
	}

	if (object != NULL && !kind->single) {
		list = cJSON_CreateObject();
		if (cJSON_AddStringToObject(list, "type", "array") == NULL) {
			cJSON_Delete(object);
			cJSON_Delete(list);
			return false;
		}
		if (!put(list, "items", object)) {
			cJSON_Delete(list);
			return false;
		}
	}
	if (list == NULL ||
		cJSON_AddStringToObject(list, "description", kind->menu->help) == NULL) {
		cJSON_Delete(list);
		return false;
	}
	return put(properties, kind->key, list);
}

/* What the loader keeps and does not use. */
static bool put_kept(cJSON *properties)
{
	static const char *const words[] = {"comment", "$schema"};

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		cJSON *node = cJSON_AddObjectToObject(properties, words[i]);

		if (cJSON_AddStringToObject(node, "type", "string") == NULL)
			return false;
	}
	return true;
}

/* "include": a file, or a list of them. */
static bool put_include(cJSON *properties)
{
	cJSON *node = cJSON_AddObjectToObject(properties, "include"), *any, *one, *list;

	any = cJSON_AddArrayToObject(node, "anyOf");
	one = cJSON_CreateObject();
	list = cJSON_CreateObject();
	return put(any, NULL, one) && put(any, NULL, list) &&
	       cJSON_AddStringToObject(node, "description",
		       "other files whose objects are taken in, from the directory of this one") !=
		       NULL &&
	       cJSON_AddStringToObject(one, "type", "string") != NULL &&
	       cJSON_AddStringToObject(list, "type", "array") != NULL &&
	       cJSON_AddStringToObject(cJSON_AddObjectToObject(list, "items"), "type", "string") !=
		       NULL;
}

static cJSON *schema_make(void)
{
	cJSON *root = cJSON_CreateObject(), *properties;
	bool done = cJSON_AddStringToObject(root, "$schema",
			    "https://json-schema.org/draft/2020-12/schema") != NULL &&
		    cJSON_AddStringToObject(root, "title", "tgen configuration") != NULL &&
		    cJSON_AddStringToObject(root, "type", "object") != NULL &&
		    cJSON_AddFalseToObject(root, "additionalProperties") != NULL;

	properties = done ? cJSON_AddObjectToObject(root, "properties") : NULL;
	done = properties != NULL && put_kept(properties);
	done = done && put_include(properties);
	for (unsigned i = 0; done && i < cli_nb_conf_kinds; i++)
		if (cli_conf_kinds[i].within == NULL)
			done = put_kind(properties, &cli_conf_kinds[i]);
	return done ? root : (cJSON_Delete(root), NULL);
}

int cli_schema(const struct cli *cli, int argc, char **argv, struct err *err)
{
	cJSON *schema;
	char *text;

	(void)cli;
	if (argc == 1 && strcmp(argv[0], "results") == 0) {
		fputs(results_schema, stdout);
		return 0;
	}
	if (argc > 0)
		return err_usage(err, "schema: \"%.80s\" is one word too many", argv[0]);
	schema = schema_make();
	text = schema != NULL ? cJSON_Print(schema) : NULL;
	cJSON_Delete(schema);
	if (text == NULL)
		return err_device(err, ENOMEM, "schema");
	puts(text);
	cJSON_free(text);
	return 0;
}
