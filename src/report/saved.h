/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "tgen/report.h"

#include <cjson/cJSON.h>

/* A result in memory. Its numbers are raw: the text that the file has, all digits of it. */
struct report_saved {
	char *path;
	cJSON *root;
};

/* The number of a member, 0 or more; false: there is none. "inf" is RESULT_INFINITE. */
bool saved_number(const cJSON *object, const char *key, uint64_t *out);
/* A figure of a total into its place in a row; other members of the row are left alone. */
void saved_figure(struct result_row *row, const struct metric *metric, const cJSON *total);
/* The text of a number, nothing else being one; NULL. */
const char *saved_number_text(const cJSON *item);
