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

static bool stream_wants(const struct plan *plan, unsigned cpu)
{
	for (unsigned i = 0; i < plan->nb_streams; i++)
		if (plan->streams[i].cpu_core != NULL && cpu_wanted(plan->streams[i].cpu_core, cpu))
			return true;
	return false;
}

int plan_workers_choose(struct plan *plan, const struct opt_set *quick, const struct plan_cpu *cpus,
	unsigned nb_cpus, struct err *err)
{
	const struct opt_slot *slot = NULL;
	/* the first CPU is left to the control thread: it is the one that serves most interrupts */
	unsigned first = nb_cpus > 1 ? 1 : 0;

	if (quick != NULL)
		slot = opt_set_get(quick, &conf_stream_opts[STREAM_CPU_CORE]);
	plan->workers = calloc(nb_cpus, sizeof(*plan->workers));
	if (plan->workers == NULL)
		return err_device(err, ENOMEM, "workers");
	if (slot != NULL && cpus_allowed(slot, quick, cpus, nb_cpus, err) < 0)
		return -EINVAL;
	for (unsigned i = 0; i < plan->nb_streams; i++) {
		const struct plan_stream *s = &plan->streams[i];

		if (s->cpu_core != NULL &&
			cpus_allowed(s->cpu_core, s->conf, cpus, nb_cpus, err) < 0)
			return -EINVAL;
	}
	for (unsigned i = 0; i < nb_cpus; i++)
		if (slot != NULL ? cpu_wanted(slot, cpus[i].cpu)
				 : i >= first || stream_wants(plan, cpus[i].cpu))
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

/* What is counted once for the lanes of all streams. */
struct sharing {
	const struct plan *plan;
	unsigned streams[PLAN_MAX_PORTS], queues[PLAN_MAX_PORTS];
	uint64_t *load; /* of each queue, packets a second */
	bool *taken;	/* queues that the stream has a lane on */
};

/* A stream with CPUs of its own is sent by their workers alone. */
static bool may_send(const struct plan *plan, const struct plan_stream *s, unsigned queue)
{
	const struct plan_queue *q = &plan->queues[queue];

	return q->port == s->route.tx_port &&
	       (s->cpu_core == NULL || cpu_wanted(s->cpu_core, plan->workers[q->worker].cpu));
}

/*
 * A stream has one lane while its port has at least as many streams as queues; fewer streams share
 * the queues out among them, so that no core is idle while another cannot keep up. 0: no worker may
 * send it.
 */
static unsigned lanes_of_stream(const struct sharing *sh, const struct plan_stream *s)
{
	unsigned nb = sh->queues[s->route.tx_port] / sh->streams[s->route.tx_port], allowed = 0;

	if (nb < 1)
		nb = 1;
	if (s->cpu_core == NULL)
		return nb;
	for (unsigned q = 0; q < sh->plan->nb_queues; q++)
		allowed += may_send(sh->plan, s, q);
	return allowed < nb ? allowed : nb;
}

/* The least loaded queue that may send the stream and has no lane of it already. */
static int queue_for_lane(const struct sharing *sh, const struct plan_stream *s)
{
	int best = -1;

	for (unsigned q = 0; q < sh->plan->nb_queues; q++)
		if (!sh->taken[q] && may_send(sh->plan, s, q) &&
			(best < 0 || sh->load[q] < sh->load[best]))
			best = (int)q;
	return best;
}

static void stream_lanes_make(struct plan *plan, const struct sharing *sh, unsigned stream)
{
	const struct plan_stream *s = &plan->streams[stream];
	uint16_t nb = (uint16_t)lanes_of_stream(sh, s);

	memset(sh->taken, 0, plan->nb_queues * sizeof(*sh->taken));
	for (uint16_t k = 0; k < nb; k++) {
		int q = queue_for_lane(sh, s);
		struct plan_lane *lane = &plan->lanes[plan->nb_lanes++];

		sh->taken[q] = true;
		/* a flat-out stream has no figure: it counts as more than any paced one */
		sh->load[q] +=
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

/* How many lanes there will be; -EINVAL when a stream can have none. */
static int lanes_count(const struct sharing *sh, struct err *err)
{
	size_t nb = 0;

	for (unsigned i = 0; i < sh->plan->nb_streams; i++) {
		const struct plan_stream *s = &sh->plan->streams[i];
		unsigned own = lanes_of_stream(sh, s);

		if (own == 0)
			return opt_error(err, s->conf, s->cpu_core->opt,
				"no queue of port %s is served by one of these CPUs; name others, "
				"or "
				"give the run these alone (quick cpu-core=)",
				sh->plan->ports[s->route.tx_port].name);
		nb += own;
	}
	if (nb > PLAN_MAX_STREAMS)
		return err_usage(
			err, "%zu pairs of stream and queue, more than %u", nb, PLAN_MAX_STREAMS);
	return (int)nb;
}

int plan_lanes_make(struct plan *plan, struct err *err)
{
	struct sharing sh = {.plan = plan};
	int nb;

	for (unsigned i = 0; i < plan->nb_streams; i++)
		sh.streams[plan->streams[i].route.tx_port]++;
	for (unsigned q = 0; q < plan->nb_queues; q++)
		sh.queues[plan->queues[q].port]++;
	nb = lanes_count(&sh, err);
	if (nb < 0)
		return nb;
	sh.load = calloc(plan->nb_queues, sizeof(*sh.load));
	sh.taken = calloc(plan->nb_queues, sizeof(*sh.taken));
	plan->lanes = calloc((size_t)nb, sizeof(*plan->lanes));
	for (unsigned i = 0;
		sh.load != NULL && sh.taken != NULL && plan->lanes != NULL && i < plan->nb_streams;
		i++)
		stream_lanes_make(plan, &sh, i);
	free(sh.load);
	free(sh.taken);
	return plan->nb_lanes == (unsigned)nb ? 0 : err_device(err, ENOMEM, "plan");
}
