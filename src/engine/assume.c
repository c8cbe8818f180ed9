/* SPDX-License-Identifier: BSD-3-Clause */
#include "load.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* What a run will find and need, as far as that is known without EAL and open ports. */

/* Stands in for the address of a device that tells its own only when it is opened. */
#define MAC_ASSUMED 0x020000000001ull

/* As far as device_check goes, but an interface need not be here: the file may be another machine's. */
static int port_guess(struct engine_port *port, const struct plan_port *conf,
	struct engine_guess *out, struct err *err)
{
	struct kernel_if kif = {0};
	char known[256];
	bool here;

	port->name = conf->name;
	port->device = conf->device;
	port->kind = device_kind_find(port->device, &port->arg);
	if (port->kind == NULL) {
		engine_device_known(port->device, known, sizeof(known));
		return err_usage(err, "port %s: device \"%s\" is not one of %s", port->name,
			port->device, known);
	}
	here = (port->kind->has_kernel_if || strcmp(port->kind->name, "af_xdp") == 0) &&
	       kernel_if_get(port->arg, &kif) == 0;
	*out = (struct engine_guess){
		.facts = {.mac = here ? kif.mac : MAC_ASSUMED,
			.mtu = here ? kif.mtu : RTE_ETHER_MTU,
			.speed_bps = here ? kif.speed_bps : 0,
			.numa_node = here ? kif.numa_node : -1},
		.mac = here ? ENGINE_OF_DEVICE : ENGINE_ASSUMED,
		.mtu = here ? ENGINE_OF_DEVICE : ENGINE_ASSUMED,
		.speed = here && kif.speed_bps != 0 ? ENGINE_OF_DEVICE : ENGINE_ASSUMED,
	};
	if (conf->mac != 0) {
		out->facts.mac = conf->mac;
		out->mac = ENGINE_CONFIGURED;
	}
	if (conf->mtu != 0) {
		out->facts.mtu = conf->mtu;
		out->mtu = ENGINE_CONFIGURED;
	}
	if (conf->speed_bps != 0) {
		out->facts.speed_bps = conf->speed_bps;
		out->speed = ENGINE_CONFIGURED;
	}
	return 0;
}

/* The pair of ports on one ring has as many queues on both ends. */
static void rings_level(const struct engine_port *ports, unsigned nb, uint16_t *queues)
{
	for (unsigned p = 0; p < nb; p++)
		for (unsigned o = 0; o < p; o++) {
			if (strcmp(ports[p].kind->name, "ring") != 0 ||
				strcmp(ports[p].device, ports[o].device) != 0)
				continue;
			queues[p] = queues[o] = queues[o] < queues[p] ? queues[o] : queues[p];
		}
}

int engine_guess_ports(const struct plan *plan, struct engine_guess *out, struct err *err)
{
	struct engine_port *ports = calloc(plan->nb_ports, sizeof(*ports));
	uint16_t max[PLAN_MAX_PORTS], wanted[PLAN_MAX_PORTS];
	int rc = ports != NULL ? 0 : err_device(err, ENOMEM, "ports");

	for (unsigned p = 0; rc == 0 && p < plan->nb_ports; p++) {
		rc = port_guess(&ports[p], &plan->ports[p], &out[p], err);
		if (rc == 0)
			max[p] = ports[p].kind->max_queues;
	}
	if (rc == 0) {
		plan_queues_wanted(plan, max, wanted);
		rings_level(ports, plan->nb_ports, wanted);
		for (unsigned p = 0; p < plan->nb_ports; p++)
			out[p].facts.nb_queues = wanted[p];
	}
	free(ports);
	return rc;
}

int engine_needs_of(
	const struct plan *plan, const struct engine_guess *guesses, struct engine_needs *out)
{
	struct engine_port *ports = calloc(plan->nb_ports, sizeof(*ports));

	if (ports == NULL)
		return -ENOMEM;
	for (unsigned p = 0; p < plan->nb_ports; p++) {
		ports[p].device = plan->ports[p].device;
		ports[p].kind = device_kind_find(ports[p].device, &ports[p].arg);
		ports[p].mtu = guesses[p].facts.mtu;
		ports[p].nb_queues = guesses[p].facts.nb_queues;
	}
	out->eal_mb = load_eal_mb(plan, ports);
	out->counter_bytes = load_counter_bytes(plan);
	out->available_bytes = engine_mem_available();
	out->hugepages_mb = eal_hugepages_free_mb();
	free(ports);
	return 0;
}
