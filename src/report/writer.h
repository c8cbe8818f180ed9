/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "tgen/err.h"
#include "tgen/result.h"

/*
 * One form of output. A writer writes to place->file and need not look after write errors: the
 * caller checks the stream after every call. Functions return 0 or -errno for what else can fail;
 * NULL where a form has nothing to do.
 */
struct place;

struct report_writer {
	const char *form; /* word of --output */
	bool grows;	  /* a file of it grows in place, line by line; else it appears whole */
	int (*open)(struct place *place); /* allocates place->state */
	int (*begin)(struct place *place);
	int (*rows)(struct place *place, const struct result_row *rows, unsigned nb);
	int (*end)(struct place *place, const struct result_row *rows, unsigned nb,
		const struct result_summary *summary);
	void (*close)(struct place *place); /* frees place->state */
};

extern const struct report_writer report_table;
extern const struct report_writer report_as_value;
extern const struct report_writer report_json;
extern const struct report_writer report_jsonl;
extern const struct report_writer report_csv;

struct report_context;
/* Whether the distribution was asked for and is there. */
bool report_has_distribution(
	const struct report_context *context, const struct result_summary *summary);

struct report_columns {
	const struct metric **metric;
	unsigned nb;
};

/* What all writers share; immutable once report_open has returned. */
struct report_context {
	const struct result_info *info;
	struct report_columns shown; /* of table and as-value */
	struct report_columns full;  /* of csv */
	unsigned entries_to_show;
	uint64_t freeze_frame_ns;
	bool latency_distribution;
	uint64_t latency_distribution_max_ns;
};

/* Where one output goes. */
struct place {
	const struct report_context *context;
	const struct report_writer *writer;
	FILE *file;
	char *path;	  /* NULL: file is the caller's stdout */
	char *tmp_path;	  /* what is written until it is whole; NULL: path itself */
	bool is_terminal; /* redraw in place */
	bool failed;	  /* reported once; nothing more is written */
	void *state;	  /* the writer's */
};

/* Whether two paths mean one file, there or still to be made. */
bool place_same_file(const char *a, const char *b);
/* Opens the file of a place whose path is set. */
int place_open(struct place *place, struct err *err);
/* Flushes; rc: of the writer's call. An error is reported here and marks the place failed. */
int place_check(struct place *place, int rc, struct err *err);
/* Closes a complete file and gives it its name. */
int place_finish(struct place *place, struct err *err);
/* Closes; a file that was to appear whole and is not finished is removed, an empty one too. */
void place_close(struct place *place);
