/* SPDX-License-Identifier: BSD-3-Clause */
#include "tgen/results.h"

int results_html(const cJSON *root, FILE *out)
{
	(void)root;
	fputs("<!DOCTYPE html>", out);
	return 0;
}
