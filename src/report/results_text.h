/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <stdbool.h>
#include <stdio.h>

#include <cjson/cJSON.h>

/* What the forms of results share: reading the tree, writing text that another language takes. */

const cJSON *tree_member(const cJSON *object, const char *key);
/* "" when there is none. */
const char *tree_text(const cJSON *object, const char *key);
/* A number, also "inf"; false: it is not known. */
bool tree_number(const cJSON *object, const char *key, double *value);

/* Text within elements and attributes of XML and HTML: special characters as entities, those that XML
 * has not as U+FFFD. */
void text_write_xml(FILE *out, const char *text);
/* `routing/nat` */
void tree_write_test(FILE *out, const cJSON *test);
/* A number with as many digits as it needs. */
void text_write_number(FILE *out, double value);
