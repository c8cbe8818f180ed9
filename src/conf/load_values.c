/* SPDX-License-Identifier: BSD-3-Clause */
#include "loader.h"

#include <stdlib.h>
#include <string.h>

#include "tgen/argv.h"

/* The values of options as a file writes them. */

size_t loader_value_at(const struct loader *ld, const cJSON *node)
{
	return json_doc_mark(&ld->doc, node)->value;
}

struct opt_pos loader_value_pos(struct loader *ld, const cJSON *node)
{
	return json_doc_pos(&ld->doc, loader_value_at(ld, node));
}

const char *loader_type_name(const cJSON *node)
{
	if (cJSON_IsNull(node))
		return "null";
	if (cJSON_IsObject(node))
		return "an object";
	if (cJSON_IsArray(node))
		return "a list";
	if (cJSON_IsBool(node))
		return cJSON_IsTrue(node) ? "true" : "false";
	return cJSON_IsString(node) ? "a string" : "a number";
}

/* The text of a number, string or boolean as the option's parser takes it; NULL: something else. */
static const char *scalar_text(const struct opt *opt, const cJSON *node)
{
	if (cJSON_IsString(node) || cJSON_IsNumber(node))
		return node->valuestring;
	if (!cJSON_IsBool(node))
		return NULL;
	if (opt->type == OPT_BOOL)
		return cJSON_IsTrue(node) ? "yes" : "no";
	/* Text takes any word, but true is no text. */
	return opt->type == OPT_TEXT || opt->type == OPT_NAME ? NULL : loader_type_name(node);
}

static bool has_exponent(const cJSON *node)
{
	return cJSON_IsNumber(node) && strpbrk(node->valuestring, "eE") != NULL;
}

static int refuse_exponent(
	struct loader *ld, const struct opt_set *set, const struct opt *opt, const cJSON *number)
{
	return json_doc_error(&ld->doc, loader_value_at(ld, number), ld->err,
		"%s.%s: %s: write it without an exponent", set->path, opt->name,
		number->valuestring);
}

/* A command as a list of its words. NULL: not all are strings, or no memory. Caller frees. */
static char *command_text(const cJSON *words)
{
	int nb = cJSON_GetArraySize(words), i = 0;
	const char **texts = calloc((size_t)nb + 1, sizeof(*texts));
	const cJSON *word;
	char *text = NULL;

	if (texts == NULL)
		return NULL;
	cJSON_ArrayForEach(word, words)
	{
		if (cJSON_IsString(word) || cJSON_IsNumber(word))
			texts[i++] = word->valuestring;
	}
	if (i == nb && nb > 0)
		text = argv_join(texts, (size_t)nb);
	free(texts);
	return text;
}

static int load_command(struct loader *ld, struct opt_set *set, const struct opt *opt,
	const cJSON *words, unsigned i)
{
	char *text = command_text(words);
	int rc;

	if (text == NULL)
		return json_doc_error(&ld->doc, loader_value_at(ld, words), ld->err,
			"%s.%s[%u]: not a command: a list of strings, the program first", set->path,
			opt->name, i);
	rc = opt_set_add(set, opt, text, loader_value_pos(ld, words), ld->err);
	free(text);
	return rc;
}

static int load_items(
	struct loader *ld, struct opt_set *set, const struct opt *opt, const cJSON *array)
{
	const cJSON *item;
	unsigned i = 0;

	if ((opt->flags & OPT_LIST) == 0)
		return json_doc_error(&ld->doc, loader_value_at(ld, array), ld->err,
			"%s.%s: a list, but this takes one value", set->path, opt->name);
	if (array->child == NULL)
		return json_doc_error(&ld->doc, loader_value_at(ld, array), ld->err,
			"%s.%s: an empty list; leave the key out instead", set->path, opt->name);
	cJSON_ArrayForEach(item, array)
	{
		const char *text = scalar_text(opt, item);
		int rc;

		if (opt->type == OPT_ARGV && cJSON_IsArray(item)) {
			rc = load_command(ld, set, opt, item, i++);
			if (rc != 0)
				return rc;
			continue;
		}
		if (text == NULL)
			return json_doc_error(&ld->doc, loader_value_at(ld, item), ld->err,
				"%s.%s[%u]: %s is not a value", set->path, opt->name, i,
				loader_type_name(item));
		if (has_exponent(item))
			return refuse_exponent(ld, set, opt, item);
		rc = opt_set_add(set, opt, text, loader_value_pos(ld, item), ld->err);
		if (rc != 0)
			return rc;
		i++;
	}
	return 0;
}

int loader_value(struct loader *ld, struct opt_set *set, const struct opt *opt, const cJSON *node)
{
	const char *text = scalar_text(opt, node);

	/* a single object of an included file may have had a value: it gives way */
	opt_set_unset(set, opt);
	if (cJSON_IsArray(node))
		return load_items(ld, set, opt, node);
	if (text == NULL)
		return json_doc_error(&ld->doc, loader_value_at(ld, node), ld->err,
			"%s.%s: %s is not a value", set->path, opt->name, loader_type_name(node));
	if (has_exponent(node))
		return refuse_exponent(ld, set, opt, node);
	return opt_set_text(set, opt, text, loader_value_pos(ld, node), ld->err);
}
