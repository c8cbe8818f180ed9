/* SPDX-License-Identifier: BSD-3-Clause */
#include "texts.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

void texts_add(struct texts *texts, const char *fmt, ...)
{
	char **lines;
	va_list ap;

	if (texts->failed)
		return;
	lines = realloc(texts->lines, (texts->nb + 1) * sizeof(*lines));
	if (lines == NULL) {
		texts->failed = true;
		return;
	}
	texts->lines = lines;
	va_start(ap, fmt);
	if (vasprintf(&lines[texts->nb], fmt, ap) < 0)
		texts->failed = true;
	else
		texts->nb++;
	va_end(ap);
}

void texts_free(char **lines, unsigned nb)
{
	for (unsigned i = 0; i < nb; i++)
		free(lines[i]);
	free(lines);
}
