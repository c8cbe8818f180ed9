/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "writer.h"

/* The live view of a terminal: the last rows, drawn again and again in the same place. */
struct table_live {
	struct result_row *rows; /* a ring of nb_max */
	unsigned nb_max;
	unsigned nb;
	unsigned next;	   /* where the next row goes */
	unsigned nb_drawn; /* lines on the screen that the next drawing replaces */
	uint64_t drawn_ns; /* monotonic clock at the last drawing */
};

struct table {
	unsigned *width; /* of SEQ, ID and the columns shown; they only grow */
	char *line;	 /* room for one line */
	size_t line_size;
	unsigned nb_since_heading; /* plain rows */
	bool has_heading;
	struct table_live live;
};

/* Columns wide enough for row. */
void table_fit_row(struct place *place, const struct result_row *row);
/* A line for at most max_columns characters of it (0: all), and a line feed. */
void table_print_heading(struct place *place, unsigned max_columns);
void table_print_row(struct place *place, const struct result_row *row, unsigned max_columns);

int table_live_init(struct table_live *live, unsigned nb_max);
/* Draws unless the last drawing is less than freeze_frame_ns ago. */
void table_live_rows(struct place *place, const struct result_row *rows, unsigned nb);
/* The last drawing: all totals and as many rows before them as entries_to_show leaves room for. */
void table_live_end(struct place *place, const struct result_row *totals, unsigned nb);

/* The lines before and after the table. latency: what kind of latency the figures are. */
void table_print_latency(FILE *out, const struct result_info *info, const struct result_row *total);
void table_print_intro(FILE *out, const struct result_info *info);
void table_print_summary(FILE *out, const struct result_info *info, const struct result_row *total,
	const struct result_summary *summary);
/* Whether the generator was clean, why not, and its own figures: one line. */
void table_print_health(FILE *out, const struct result_info *info, const struct result_row *total,
	const struct result_summary *summary);
