/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "tgen/result.h"

#include <cjson/cJSON.h>

/* The metric table's figures in a results tree. */

/* The last trial of a cell that counts: valid, and no warm-up; NULL: there is none. */
const cJSON *metrics_last_trial(const cJSON *cell);
/* The metrics of a trial: of all, or of the stream or group scope; NULL: it has none. */
const cJSON *metrics_of(const cJSON *trial, const char *scope);
/* Base unit of a kind, as figures have it: `ns`, `pps`. */
const char *metrics_unit(enum metric_kind kind);
