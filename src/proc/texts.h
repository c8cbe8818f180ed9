/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <stdbool.h>

/* A growing list of sentences. After a failure `failed` stays set and adding does nothing. */
struct texts {
	char **lines;
	unsigned nb;
	bool failed;
};

void texts_add(struct texts *texts, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void texts_free(char **lines, unsigned nb);
