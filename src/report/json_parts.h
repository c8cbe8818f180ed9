/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <stdbool.h>

#include "tgen/result.h"

#include <cjson/cJSON.h>

#define JSON_SCHEMA "tgen.quick/1"

/*
 * Members shared by the JSON forms, added to object. Integers are written with all their digits,
 * also above 2^53. False when there is no memory (also for object NULL).
 */

/* cJSON keeps numbers as double: integers go in as their text instead. */
bool json_add_u64(cJSON *object, const char *key, uint64_t n);
bool json_add_u64_or_null(cJSON *object, const char *key, bool known, uint64_t n);
/* NULL: null. */
bool json_add_text(cJSON *object, const char *key, const char *text);
/* "TOT" for RESULT_TOT. */
bool json_add_index(cJSON *object, const char *key, uint32_t index);
/* A new object at the end of array; NULL without memory. */
cJSON *json_append_object(cJSON *array);

/* schema, version, command, config, start … and streams. */
bool json_add_info(cJSON *object, const struct result_info *info);
/* seq … and all metrics. */
bool json_add_row(cJSON *object, const struct result_row *row, const struct result_info *info);
/* The stream's name; null for a TOT row. */
bool json_add_name(cJSON *object, const struct result_row *row, const struct result_info *info);
/* ports, unknown, returned, reasons … and, at the end, status and verdict. */
bool json_add_summary(
	cJSON *object, const struct result_info *info, const struct result_summary *summary);
/* The figures of one series of times, as an object. */
bool json_add_latency(cJSON *object, const char *key, const struct result_latency *lat);
/* schedule-error-ns and gap-error-ns. */
bool json_add_errors(cJSON *object, const struct result_health *health);
/* One histogram at the end of an array. */
bool json_add_hist(
	cJSON *array, uint32_t stream, const struct hist *h, const struct result_info *info);
/* latency-distribution; summary->latency is there. */
bool json_add_distribution(
	cJSON *object, const struct result_info *info, const struct result_summary *summary);
