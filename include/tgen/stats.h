/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "tgen/err.h"
#include "tgen/result.h"
#include "tgen/samples.h"

/* What `tgen stats` shows of a run: RouterOS's columns, a row a stream, a port, or both. */
enum stats_what { STATS_STREAM, STATS_PORT, STATS_RAW };
enum stats_form { STATS_TABLE, STATS_AS_VALUE, STATS_CSV, STATS_JSONL, STATS_JSON };

struct stats_row {
	const char *port;  /* STATS_PORT, STATS_RAW; NULL: where its frames arrived is not told */
	bool no_tx, no_rx; /* figures of the other direction only */
	uint64_t unk_packet, unk_byte, unk_bps; /* STATS_PORT */
	struct result_row row;
};

/*
 * A port in an interval. Sent, received, order and bad frames are its own; lost frames and latencies
 * are those of the streams that must arrive there.
 */
void stats_row_port(struct stats_row *out, const struct result_info *info, unsigned port,
	const struct samples_interval *interval);
/* A stream's two ends; returns how many of out[2] there are (one when it ends where it begins). */
unsigned stats_rows_raw(
	struct stats_row out[2], const struct result_info *info, const struct result_row *row);

/* Wall clock as the forms write it, in a text of UNITS_TEXT_MAX. */
char *stats_time(char *out, uint64_t unix_ns);

struct stats_writer;

/* running: for the machine forms. NULL without memory. info must live as long. */
struct stats_writer *stats_begin(FILE *out, enum stats_form form, enum stats_what what,
	const struct result_info *info, bool running);
void stats_put(struct stats_writer *w, const struct stats_row *row);
/* All rows of an interval or total. */
void stats_put_interval(struct stats_writer *w, const struct samples_interval *interval);
/* Ends what must be ended, and frees. 0, or -EIO when out could not be written. */
int stats_end(struct stats_writer *w);
/*
 * As one JSON object, after samples_total: the latencies of a stream (its index), or of all
 * (RESULT_TOT).
 */
int stats_distribution_json(
	FILE *out, const struct samples *samples, bool running, uint32_t stream, struct err *err);
