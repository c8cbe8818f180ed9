/* SPDX-License-Identifier: BSD-3-Clause */
#include "../../src/run/dut.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "tgen/text.h"

/* Any bytes as what a probe printed: what is taken is a number with a printable name. */

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = strndup((const char *)data, size);
	cJSON *values = cJSON_CreateObject(), *value;
	int nb = dut_probe_parse(text, values);

	if (nb != cJSON_GetArraySize(values))
		abort();
	cJSON_ArrayForEach(value, values)
	{
		if (!cJSON_IsNumber(value) || !isfinite(value->valuedouble) ||
			value->string[0] == '\0' || !text_is_printable(value->string))
			abort();
	}
	cJSON_Delete(values);
	free(text);
	return 0;
}
