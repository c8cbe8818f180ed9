/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <stddef.h>

/*
 * Commands as a user writes them: words apart by blanks, with '…', "…" and \ as a shell has them,
 * and nothing else of a shell: no variables, patterns, pipes.
 */

/*
 * Splits text. *out: the words and a NULL, for argv_free. The number of words; -EINVAL: a quote that
 * is not closed; -ENOMEM.
 */
int argv_split(const char *text, char ***out);
/* One text that argv_split takes apart into these words again. NULL: no memory. Caller frees. */
char *argv_join(const char *const *words, size_t nb);
/* NULL is fine. */
void argv_free(char **argv);
