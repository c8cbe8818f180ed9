/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "tgen/results.h"

/* Parts of a trial of the results tree: results_fields.c. Functions that read tell whether it fits. */
void results_add_u64(cJSON *node, const char *key, uint64_t value);
bool results_read_u64(const cJSON *item, uint64_t *value);
cJSON *results_row_raw(const struct result_row *row);
bool results_row_raw_read(const cJSON *node, struct result_row *row);
cJSON *results_port_raw(const struct result_port_counts *port);
bool results_port_raw_read(const cJSON *node, struct result_port_counts *port);
cJSON *results_hist(const struct hist *h);
bool results_hist_read(const cJSON *node, struct hist *h);
