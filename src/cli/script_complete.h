/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "script.h"

/* What may stand where the cursor is. */
struct script_candidate {
	char *text; /* in place of the word that was begun */
	char *help; /* NULL: none */
	bool whole; /* a blank may follow */
};
struct script_candidates {
	struct script_candidate *list;
	unsigned nb;
	size_t begun;	/* bytes of text that the word begun has */
	struct err err; /* why nothing can follow; "": nothing is wrong */
};

/*
 * What may follow text, the line up to the cursor, in a menu. Names of objects are those of the
 * configuration file. 0, also with none, or -ENOMEM. out is to be freed in any case.
 */
int script_complete(const char *config, int menu, const char *text, struct script_candidates *out);
void script_candidates_free(struct script_candidates *candidates);
/* Bytes that the texts of all candidates begin with. */
size_t script_candidates_common(const struct script_candidates *candidates);

/* The kinds whose objects an option names, at most two, ends with NULL; NULL: it names none. */
const char *const *script_named_kinds(const char *option);
