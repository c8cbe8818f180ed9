/* SPDX-License-Identifier: BSD-3-Clause */
#include "tgen/argv.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define BLANKS " \t\n"

/*
 * Copies the word at text to out, without its quotes; the word's end, or NULL when a quote is not
 * closed. out has room for the whole text.
 */
static const char *word_take(const char *text, char *out)
{
	char quote = '\0';

	for (; *text != '\0' && (quote != '\0' || strchr(BLANKS, *text) == NULL); text++) {
		if (quote == '\0' && (*text == '\'' || *text == '"')) {
			quote = *text;
		} else if (*text == quote) {
			quote = '\0';
		} else if (*text == '\\' && quote != '\'') {
			/* within "…" only what is special there is quoted by it */
			if (quote == '"' && strchr("\"\\", text[1]) == NULL) {
				*out++ = *text;
				continue;
			}
			if (*++text == '\0')
				return NULL;
			*out++ = *text;
		} else {
			*out++ = *text;
		}
	}
	*out = '\0';
	return quote == '\0' ? text : NULL;
}

int argv_split(const char *text, char ***out)
{
	/* a word and a blank a piece at most */
	size_t room = strlen(text) / 2 + 2;
	char **argv = calloc(room, sizeof(*argv)), *word = malloc(strlen(text) + 1);
	int nb = 0, rc = argv != NULL && word != NULL ? 0 : -ENOMEM;

	while (rc == 0) {
		text += strspn(text, BLANKS);
		if (*text == '\0')
			break;
		text = word_take(text, word);
		if (text == NULL)
			rc = -EINVAL;
		else if ((argv[nb++] = strdup(word)) == NULL)
			rc = -ENOMEM;
	}
	free(word);
	if (rc < 0) {
		argv_free(argv);
		return rc;
	}
	*out = argv;
	return nb;
}

char *argv_join(const char *const *words, size_t nb)
{
	char *text = NULL;
	size_t len;
	FILE *f = open_memstream(&text, &len);

	if (f == NULL)
		return NULL;
	for (size_t i = 0; i < nb; i++) {
		const char *word = words[i];

		fputs(i > 0 ? " " : "", f);
		if (word[0] != '\0' && strpbrk(word, BLANKS "'\"\\") == NULL) {
			fputs(word, f);
			continue;
		}
		fputc('\'', f);
		for (; *word != '\0'; word++)
			fputs(*word == '\'' ? "'\\''" : (char[]){*word, '\0'}, f);
		fputc('\'', f);
	}
	return fclose(f) == 0 ? text : (free(text), NULL);
}

void argv_free(char **argv)
{
	for (size_t i = 0; argv != NULL && argv[i] != NULL; i++)
		free(argv[i]);
	free(argv);
}
