/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <stdbool.h>

#include "tgen/err.h"

#include <cjson/cJSON.h>

/*
 * trials.jsonl of a results directory: a header, then every trial as it is over, on disk before the
 * next one begins. What a run that was cut off has measured is taken from it.
 */
struct journal;

struct journal_key {
	const char *test, *variant, *frame_size; /* may be NULL but test */
	unsigned repeat;
};

/* The header of the journal of a directory. NULL with err. */
cJSON *journal_header(const char *dir, struct err *err);
/*
 * Begins a journal, or with resume goes on with one, whose configuration must be that of header.
 * header stays the caller's. NULL with err; another run that has it open is one.
 */
struct journal *journal_open(const char *dir, const cJSON *header, bool resume, struct err *err);
/* The next trial of a cell that was not taken yet, warm-ups left out; NULL: there is none. */
const cJSON *journal_take(struct journal *journal, const struct journal_key *key);
unsigned journal_nb(const struct journal *journal);
/* On disk when it returns. */
int journal_add(struct journal *journal, const struct journal_key *key, const cJSON *trial,
	struct err *err);
void journal_close(struct journal *journal);
