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

/* schema, version, command, config, start … and streams. */
bool json_add_info(cJSON *object, const struct result_info *info);
/* seq … and all metrics. */
bool json_add_row(cJSON *object, const struct result_row *row, const struct result_info *info);
/* The stream's name; null for a TOT row. */
bool json_add_name(cJSON *object, const struct result_row *row, const struct result_info *info);
/* ports, unknown, returned, reasons … and, at the end, status and verdict. */
bool json_add_summary(
	cJSON *object, const struct result_info *info, const struct result_summary *summary);
