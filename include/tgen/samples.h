/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "tgen/err.h"
#include "tgen/result.h"
#include "tgen/trial.h"

/*
 * What a detached run leaves for `tgen stats`: one file of bounded size with the rows of the last
 * intervals and the totals so far. One process writes, any number read at any time: a reader never
 * sees half of an interval, and the writer never waits for one.
 */

#define SAMPLES_BYTES_MAX (256ull << 20) /* of intervals; fewer are kept when they do not fit */
#define SAMPLES_HISTS_MAX 64u		 /* streams with a latency distribution of their own */

struct samples_writer;

/*
 * A new file in place of the old one. info must live as long. keep: intervals; distribution_max_ns:
 * range of the graph of latencies, 0: all there is. NULL with err.
 */
struct samples_writer *samples_create(const char *path, const struct result_info *info,
	uint32_t keep, uint64_t distribution_max_ns, struct err *err);
/* Intervals that it keeps: fewer than asked for when there are very many streams. */
uint32_t samples_kept(const struct samples_writer *w);
/* Parts of an interval, in any order before its samples_rows. */
void samples_ports(struct samples_writer *w, const struct trial_port *ports, unsigned nb);
void samples_latency(struct samples_writer *w, uint32_t stream, const struct hist *h);
/* The interval is complete. A disk that is full is said once; totals lose nothing by it. */
void samples_rows(struct samples_writer *w, const struct result_row *rows, unsigned nb);
/* Totals as the run has them in the end: one row a stream, then TOT. */
void samples_end(struct samples_writer *w, const struct result_row *rows, unsigned nb,
	const struct result_summary *summary);
/* NULL is fine. */
void samples_close(struct samples_writer *w);

struct samples; /* as read */

/* NULL with err: no such file, or none of this version. */
struct samples *samples_open(const char *path, struct err *err);
/* NULL is fine. */
void samples_free(struct samples *s);
const struct result_info *samples_info(const struct samples *s);
uint64_t samples_distribution_max_ns(const struct samples *s);

struct samples_interval {
	const struct trial_port *ports; /* info.nb_ports */
	const struct result_row *rows;	/* one a stream, then TOT when there are several */
	unsigned nb_rows;
};

/* The intervals there are: from *first, *nb of them. They may go while they are read. */
int samples_range(const struct samples *s, uint64_t *first, uint64_t *nb, struct err *err);
/* 1: there; 0: it was overwritten meanwhile; or negative with err. Valid until the next call. */
int samples_read(struct samples *s, uint64_t index, struct samples_interval *out, struct err *err);
/*
 * Totals so far, or of the whole run when it has ended. 1; 0: nothing has been counted yet; or
 * negative with err. Valid until the next call.
 */
int samples_total(struct samples *s, struct samples_interval *out, struct err *err);
/* Latencies of what samples_total gave; RESULT_TOT: of all. False: there is no such histogram. */
bool samples_hist(const struct samples *s, uint32_t stream, struct hist *out);
