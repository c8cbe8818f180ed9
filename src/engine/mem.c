/* SPDX-License-Identifier: BSD-3-Clause */
#include "mem.h"

#include <inttypes.h>
#include <numa.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#define HUGE_BYTES (2u << 20)

struct engine_mem_block {
	struct engine_mem_block *next;
	void *mem;
	size_t bytes;
	bool from_numa;
};

void *engine_mem_get(struct engine_mem *mem, size_t bytes, int node)
{
	struct engine_mem_block *block = calloc(1, sizeof(*block));

	if (block == NULL)
		return NULL;
	block->bytes = bytes ? bytes : 1;
	block->from_numa = node >= 0 && numa_available() >= 0 && node <= numa_max_node();
	if (block->from_numa) {
		block->mem = numa_alloc_onnode(block->bytes, node);
	} else {
		block->mem = mmap(NULL, block->bytes, PROT_READ | PROT_WRITE,
			MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
		if (block->mem == MAP_FAILED)
			block->mem = NULL;
	}
	if (block->mem == NULL) {
		free(block);
		return NULL;
	}
	/* thousands of lanes have more small pages than a CPU remembers; where there are none, fine */
	if (block->bytes >= HUGE_BYTES)
		madvise(block->mem, block->bytes, MADV_HUGEPAGE);
	/* touch it now: no page fault may fall into a trial */
	memset(block->mem, 0, block->bytes);
	block->next = mem->blocks;
	mem->blocks = block;
	mem->bytes += block->bytes;
	return block->mem;
}

void engine_mem_free(struct engine_mem *mem)
{
	while (mem->blocks != NULL) {
		struct engine_mem_block *block = mem->blocks;

		mem->blocks = block->next;
		if (block->from_numa)
			numa_free(block->mem, block->bytes);
		else
			munmap(block->mem, block->bytes);
		free(block);
	}
	mem->bytes = 0;
}

/* Address space that the process has taken already, KiB. */
static uint64_t address_space_kib(void)
{
	FILE *f = fopen("/proc/self/statm", "re");
	uint64_t pages = 0;

	if (f != NULL && fscanf(f, "%" SCNu64, &pages) != 1)
		pages = 0;
	if (f != NULL)
		fclose(f);
	return pages * (uint64_t)sysconf(_SC_PAGESIZE) >> 10;
}

size_t engine_mem_available(void)
{
	FILE *f = fopen("/proc/meminfo", "re");
	struct rlimit limit;
	uint64_t kib = UINT64_MAX >> 10, taken;
	char line[128];

	while (f != NULL && fgets(line, sizeof(line), f) != NULL)
		if (sscanf(line, "MemAvailable: %" SCNu64, &kib) == 1)
			break;
	if (f != NULL)
		fclose(f);
	if (getrlimit(RLIMIT_AS, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY) {
		taken = address_space_kib();
		limit.rlim_cur >>= 10;
		limit.rlim_cur -= taken < limit.rlim_cur ? taken : limit.rlim_cur;
		if (limit.rlim_cur < kib)
			kib = limit.rlim_cur;
	}
	return (size_t)(kib << 10);
}
