/* SPDX-License-Identifier: BSD-3-Clause */
#include "health.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* How the generator itself did: what the kernel and the drivers know beside our own counters. */

/* Steal time of one CPU in clock ticks, from /proc/stat; false when it is not there. */
static bool cpu_steal(FILE *f, unsigned cpu, uint64_t *ticks)
{
	char line[512], name[32];
	size_t len = (size_t)snprintf(name, sizeof(name), "cpu%u ", cpu);

	rewind(f);
	while (fgets(line, sizeof(line), f) != NULL)
		if (strncmp(line, name, len) == 0)
			/* user nice system idle iowait irq softirq steal */
			return sscanf(line + len, "%*u %*u %*u %*u %*u %*u %*u %" SCNu64, ticks) ==
			       1;
	return false;
}

bool health_steal_ns(const struct plan *plan, uint64_t *out_ns)
{
	FILE *f = fopen("/proc/stat", "re");
	long hz = sysconf(_SC_CLK_TCK);
	bool known = f != NULL && hz > 0;

	*out_ns = 0;
	for (unsigned i = 0; known && i < plan->nb_workers; i++) {
		uint64_t ticks = 0;

		known = cpu_steal(f, plan->workers[i].cpu, &ticks);
		*out_ns += ticks * (UNITS_NS_PER_S / (uint64_t)hz);
	}
	if (f != NULL)
		fclose(f);
	return known;
}

/* Names that drivers give to received and sent pause frames. */
static bool is_pause(const char *name, bool *rx)
{
	if (strstr(name, "pause") == NULL && strstr(name, "xon") == NULL &&
		strstr(name, "xoff") == NULL)
		return false;
	*rx = strncmp(name, "rx", 2) == 0;
	return *rx || strncmp(name, "tx", 2) == 0;
}

bool health_pause(uint16_t port_id, uint64_t *rx, uint64_t *tx)
{
	int nb = rte_eth_xstats_get(port_id, NULL, 0);
	struct rte_eth_xstat_name *names;
	struct rte_eth_xstat *values;
	bool known = false;

	*rx = *tx = 0;
	if (nb <= 0)
		return false;
	names = calloc((size_t)nb, sizeof(*names));
	values = calloc((size_t)nb, sizeof(*values));
	if (names != NULL && values != NULL &&
		rte_eth_xstats_get_names(port_id, names, (unsigned)nb) == nb &&
		rte_eth_xstats_get(port_id, values, (unsigned)nb) == nb) {
		for (int i = 0; i < nb; i++) {
			bool is_rx;

			if (values[i].id >= (uint64_t)nb ||
				!is_pause(names[values[i].id].name, &is_rx))
				continue;
			known = true;
			*(is_rx ? rx : tx) += values[i].value;
		}
	}
	free(names);
	free(values);
	return known;
}
