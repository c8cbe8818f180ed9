/* SPDX-License-Identifier: BSD-3-Clause */
#include "plan_private.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static bool cpu_wanted(const struct opt_slot *slot, unsigned cpu)
{
	for (unsigned i = 0; i < slot->nb_vals; i++)
		if (cpu >= slot->vals[i].lo && cpu <= slot->vals[i].hi)
			return true;
	return false;
}

/* Every CPU that cpu-core names must be one the process may use. */
static int cpus_allowed(const struct opt_slot *slot, const struct opt_set *quick,
	const struct plan_cpu *cpus, unsigned nb_cpus, struct err *err)
{
	for (unsigned i = 0; i < slot->nb_vals; i++) {
		for (uint64_t c = slot->vals[i].lo; c <= slot->vals[i].hi; c++) {
			bool found = false;

			for (unsigned k = 0; k < nb_cpus && !found; k++)
				found = cpus[k].cpu == c;
			if (!found)
				return opt_error(err, quick, slot->opt,
					"CPU %llu is not one this process may use (see: taskset -p "
					"$$)",
					(unsigned long long)c);
		}
	}
	return 0;
}

int plan_workers_choose(struct plan *plan, const struct opt_set *quick, const struct plan_cpu *cpus,
	unsigned nb_cpus, struct err *err)
{
	const struct opt_slot *slot = NULL;
	/* the first CPU is left to the control thread: it is the one that serves most interrupts */
	unsigned first = nb_cpus > 1 ? 1 : 0;

	if (quick != NULL)
		slot = opt_set_get(quick, &conf_quick_opts[QUICK_CPU_CORE]);
	plan->workers = calloc(nb_cpus, sizeof(*plan->workers));
	if (plan->workers == NULL)
		return err_device(err, ENOMEM, "workers");
	if (slot != NULL && cpus_allowed(slot, quick, cpus, nb_cpus, err) < 0)
		return -EINVAL;
	for (unsigned i = slot != NULL ? 0 : first; i < nb_cpus; i++)
		if (slot == NULL || cpu_wanted(slot, cpus[i].cpu))
			plan->workers[plan->nb_workers++] = cpus[i];
	return 0;
}

void plan_queues_wanted(const struct plan *plan, const uint16_t *max_queues, uint16_t *wanted)
{
	unsigned left = plan->nb_workers;

	for (unsigned p = 0; p < plan->nb_ports; p++)
		wanted[p] = 1;
	left -= left < plan->nb_ports ? left : plan->nb_ports;
	while (left > 0) {
		bool more = false;

		for (unsigned p = 0; p < plan->nb_ports && left > 0; p++) {
			if (wanted[p] >= max_queues[p] || wanted[p] >= PLAN_MAX_QUEUES)
				continue;
			wanted[p]++;
			left--;
			more = true;
		}
		if (!more)
			return;
	}
}

/* The least loaded worker among those of a node; node -1: among all. -1: the node has none. */
static int least_loaded(const unsigned *load, const struct plan_cpu *cpus, unsigned nb, int node)
{
	int best = -1;

	for (unsigned i = 0; i < nb; i++)
		if ((node < 0 || cpus[i].numa_node == node) && (best < 0 || load[i] < load[best]))
			best = (int)i;
	return best;
}

void plan_assign_workers(const struct plan_queue *queues, unsigned nb_queues, const int *port_nodes,
	const struct plan_cpu *cpus, unsigned nb_cpus, uint16_t *worker)
{
	unsigned *load = calloc(nb_cpus, sizeof(*load));

	for (unsigned i = 0; i < nb_queues; i++) {
		int w = 0;

		if (load != NULL) {
			w = least_loaded(load, cpus, nb_cpus, port_nodes[queues[i].port]);
			if (w < 0)
				w = least_loaded(load, cpus, nb_cpus, -1);
			load[w]++;
		}
		worker[i] = (uint16_t)w;
	}
	free(load);
}

/* Streams that leave by a port. */
static unsigned streams_of_port(const struct plan *plan, unsigned port)
{
	unsigned nb = 0;

	for (unsigned i = 0; i < plan->nb_streams; i++)
		nb += plan->streams[i].route.tx_port == port;
	return nb;
}

static unsigned queues_of_port(const struct plan *plan, unsigned port)
{
	unsigned nb = 0;

	for (unsigned q = 0; q < plan->nb_queues; q++)
		nb += plan->queues[q].port == port;
	return nb;
}

/*
 * A stream has one lane while its port has at least as many streams as queues; fewer streams share
 * the queues out among them, so that no core is idle while another cannot keep up.
 */
static uint16_t lanes_of_stream(const struct plan *plan, const struct plan_stream *s)
{
	unsigned queues = queues_of_port(plan, s->route.tx_port);
	unsigned nb = queues / streams_of_port(plan, s->route.tx_port);

	return (uint16_t)(nb > 1 ? nb : 1);
}

/* The least loaded queue of a port that `taken` does not hold already. */
static int queue_for_lane(
	const struct plan *plan, unsigned port, const uint64_t *load, const bool *taken)
{
	int best = -1;

	for (unsigned q = 0; q < plan->nb_queues; q++)
		if (plan->queues[q].port == port && !taken[q] && (best < 0 || load[q] < load[best]))
			best = (int)q;
	return best;
}

static void stream_lanes_make(struct plan *plan, unsigned stream, uint64_t *load, bool *taken)
{
	const struct plan_stream *s = &plan->streams[stream];
	uint16_t nb = lanes_of_stream(plan, s);

	memset(taken, 0, plan->nb_queues * sizeof(*taken));
	for (uint16_t k = 0; k < nb; k++) {
		int q = queue_for_lane(plan, s->route.tx_port, load, taken);
		struct plan_lane *lane = &plan->lanes[plan->nb_lanes++];

		taken[q] = true;
		/* a flat-out stream has no figure: it counts as more than any paced one */
		load[q] +=
			s->flat_out ? 1u << 20 : plan_rate_upps(s->asked) / UNITS_MICROS / nb + 1;
		*lane = (struct plan_lane){
			.stream = (uint16_t)stream,
			.queue = (uint16_t)q,
			.index = k,
			.nb = nb,
			.packet_count = s->packet_count,
		};
		if (s->packet_count != UINT64_MAX)
			lane->packet_count = s->packet_count / nb + (k < s->packet_count % nb);
	}
}

int plan_lanes_make(struct plan *plan)
{
	uint64_t *load = calloc(plan->nb_queues, sizeof(*load));
	bool *taken = calloc(plan->nb_queues, sizeof(*taken));
	size_t nb = 0;

	for (unsigned i = 0; i < plan->nb_streams; i++)
		nb += lanes_of_stream(plan, &plan->streams[i]);
	plan->lanes = calloc(nb, sizeof(*plan->lanes));
	if (plan->lanes == NULL || load == NULL || taken == NULL || nb > PLAN_MAX_STREAMS) {
		free(load);
		free(taken);
		return -ENOMEM;
	}
	for (unsigned i = 0; i < plan->nb_streams; i++)
		stream_lanes_make(plan, i, load, taken);
	free(load);
	free(taken);
	return 0;
}
