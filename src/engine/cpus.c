/* SPDX-License-Identifier: BSD-3-Clause */
#include "tgen/engine.h"

#include <errno.h>
#include <numa.h>
#include <sched.h>
#include <stdlib.h>

/* More CPUs than any machine of today; the kernel refuses a set smaller than its own. */
#define CPUS_MAX 8192

int engine_cpus(struct plan_cpu **out)
{
	cpu_set_t *set = CPU_ALLOC(CPUS_MAX);
	size_t size = CPU_ALLOC_SIZE(CPUS_MAX);
	bool has_numa = numa_available() >= 0;
	int nb = 0, rc = -ENOMEM;

	*out = NULL;
	if (set == NULL)
		return -ENOMEM;
	if (sched_getaffinity(0, size, set) < 0) {
		rc = -errno;
		goto out;
	}
	*out = calloc((size_t)CPU_COUNT_S(size, set), sizeof(**out));
	if (*out == NULL)
		goto out;
	for (int cpu = 0; cpu < CPUS_MAX; cpu++) {
		if (!CPU_ISSET_S(cpu, size, set))
			continue;
		(*out)[nb++] = (struct plan_cpu){
			.cpu = (unsigned)cpu,
			.numa_node = has_numa ? numa_node_of_cpu(cpu) : -1,
		};
	}
	rc = nb;
out:
	CPU_FREE(set);
	return rc;
}
