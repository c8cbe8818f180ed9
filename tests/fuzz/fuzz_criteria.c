/* SPDX-License-Identifier: BSD-3-Clause */
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "tgen/criteria.h"

/* Any text as a criterion: it is refused with a reason, or judged; an unknown figure is never met. */

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static bool figure(
	void *ctx, const char *metric, const char *scope, double *value, const char **unit)
{
	(void)scope;
	if (*(const int *)ctx == 0)
		return false;
	*value = strlen(metric) % 3 == 0 ? INFINITY : (double)strlen(metric);
	*unit = strlen(metric) % 2 ? "ns" : "ratio";
	return true;
}

static const char *scope_at(void *ctx, bool groups, unsigned i)
{
	(void)ctx;
	return i == 0 ? (groups ? "g" : "s") : NULL;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = strndup((const char *)data, size);
	struct err err = {0};
	struct criterion *c = criterion_parse(text, &err);
	struct criterion_verdict verdict;

	if ((c == NULL) == (err.text[0] == '\0'))
		abort();
	for (int known = 0; c != NULL && known < 2; known++) {
		const struct criterion_source source = {figure, scope_at, &known};

		criterion_judge(c, "64", &source, &source, known ? &source : NULL, &verdict);
		if (known == 0 && verdict.status == CRITERION_MET)
			abort();
		if (memchr(verdict.text, '\0', sizeof(verdict.text)) == NULL)
			abort();
	}
	criterion_free(c);
	free(text);
	return 0;
}
