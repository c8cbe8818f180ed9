/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "tgen/result.h"

/* A time that is without end; in machine forms too, where it stands for a number. */
#define VALUE_INFINITE "inf"

/* Text of the numbers of a row. out holds UNITS_TEXT_MAX bytes and is returned. */

/* As in the quick table; empty when the row does not have the number. */
char *value_text(char *out, const struct metric *metric, const struct result_row *row,
	const struct result_info *info);
/* The same of a known number; whole: what METRIC_RATIO is a part of. */
char *value_format(char *out, enum metric_kind kind, uint64_t n, uint64_t whole);
/* A decimal number without unit or separators; empty when the row does not have it. */
char *value_plain(char *out, const struct metric *metric, const struct result_row *row,
	const struct result_info *info);
/* `TOT` for RESULT_TOT, else the number. */
char *value_index(char *out, uint32_t index);
/* The stream's id, `TOT` for the row over all streams. */
char *value_id(char *out, const struct result_row *row);
/* Wall clock in UTC, ISO 8601 with milliseconds: `2026-01-02T03:04:05.678Z`. */
char *value_time(char *out, uint64_t unix_ns);
/* `packet`, `l1`, `l2`, `l3`. */
const char *value_layer(enum rate_layer layer);
/* `filo`, `fifo`, `lifo`, `lilo`. */
const char *value_latency_type(enum latency_type type);
