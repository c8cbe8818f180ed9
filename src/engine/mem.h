/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <stddef.h>

/*
 * Memory of the counters and lanes, on the NUMA node of the queue that uses it (libnuma; any memory
 * when the machine has no NUMA). Zeroed, page aligned, freed all at once: nothing here is freed
 * during a trial.
 */
struct engine_mem_block;

struct engine_mem {
	struct engine_mem_block *blocks;
	size_t bytes; /* in all */
};

/* NULL when there is no memory. node -1: any. */
void *engine_mem_get(struct engine_mem *mem, size_t bytes, int node);
void engine_mem_free(struct engine_mem *mem);
/* Memory that the machine can still give, bytes (MemAvailable, and the address-space limit). */
size_t engine_mem_available(void);
