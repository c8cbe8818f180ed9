/* SPDX-License-Identifier: BSD-3-Clause */
#include "load.h"

#include <rte_eal.h>
#include <rte_errno.h>

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tgen/log.h"

#define AF_XDP_HUGEPAGES 256u /* of 2 MiB: what a few ports need */
#define CTL_MBUFS	 511u
#define CTL_ROOM	 9600u /* an echo reply is as long as its request */

/* Frames a second that may come back to one port, at the most: all that the plan sends. */
static uint64_t plan_pps(const struct plan *plan)
{
	uint64_t pps = 0;

	for (unsigned i = 0; i < plan->nb_streams; i++) {
		const struct plan_stream *s = &plan->streams[i];
		uint32_t size = s->size != 0 ? s->size : PKT_MIN_BYTES;

		if (s->want_upps == UINT64_MAX)
			pps += 1000000;
		else
			pps += s->want_upps / UNITS_MICROS + s->want_bps / (8 * size);
	}
	return pps;
}

static int ports_check(struct engine *engine, const struct plan *plan, struct err *err)
{
	uint16_t max_queues[PLAN_MAX_PORTS], wanted[PLAN_MAX_PORTS];

	for (unsigned p = 0; p < plan->nb_ports; p++) {
		struct engine_port *port = &engine->ports[p];

		port->name = plan->ports[p].name;
		port->device = plan->ports[p].device;
		port->index = p;
		port->mtu = plan->ports[p].mtu;
		port->rate_pps = plan_pps(plan);
		port->hif.addrs = plan->ports[p].addrs;
		port->hif.nb_addrs = plan->ports[p].nb_addrs;
		if (device_check(port, err) < 0)
			return -EINVAL;
		if (port->mtu == 0)
			port->mtu = RTE_ETHER_MTU;
		max_queues[p] = port->kind->max_queues;
	}
	plan_queues_wanted(plan, max_queues, wanted);
	for (unsigned p = 0; p < plan->nb_ports; p++)
		engine->ports[p].nb_queues = wanted[p];
	return 0;
}

/* An interface that keeps this host reachable is not taken by accident. */
static int ports_guard(struct engine *engine, struct err *err)
{
	for (unsigned p = 0; p < engine->nb_ports; p++) {
		struct engine_port *port = &engine->ports[p];
		const char *why;

		if (port->mtu_before == 0)
			continue; /* no kernel interface under it */
		why = kernel_if_in_use(port->arg);
		if (why != NULL && !engine->options->force)
			return err_usage(err,
				"port %s: interface %s is in use by this host: %s; use "
				"another one, or --force",
				port->name, port->arg, why);
		if (!port->kind->has_kernel_if)
			continue;
		if (engine->guard == NULL)
			engine->guard = kernel_guard_new(err);
		if (engine->guard == NULL || kernel_guard_add(engine->guard, port->arg, err) < 0)
			return -EPERM;
	}
	return 0;
}

static int ports_open(
	struct engine *engine, const struct plan *plan, struct plan_facts *facts, struct err *err)
{
	for (unsigned p = 0; p < engine->nb_ports; p++) {
		struct engine_port *port = &engine->ports[p];

		port->socket = eal_has_hugepages() && port->node >= 0 ? (unsigned)port->node : 0;
		if (port->kind->open(port, port->arg, err) < 0)
			return -EIO;
		port->opened = true;
		if (port_start(port, &facts[p], err) < 0)
			return -EIO;
		port->hif.mac = plan->ports[p].mac != 0 ? plan->ports[p].mac : facts[p].mac;
	}
	return 0;
}

/* AF_XDP's frames live in one piece of memory, which only huge pages give: without, they get lost. */
static int hugepages_check(const struct engine *engine, struct err *err)
{
	for (unsigned p = 0; p < engine->nb_ports && !eal_has_hugepages(); p++)
		if (strstr(engine->ports[p].device, "af_xdp") != NULL)
			return err_device(err, 0,
				"port %s: %s needs huge pages; reserve them with: sysctl "
				"vm.nr_hugepages=%u, or use auto:INTERFACE",
				engine->ports[p].name, engine->ports[p].device, AF_XDP_HUGEPAGES);
	return 0;
}

static int privileges_check(struct err *err)
{
	if (geteuid() == 0)
		return 0;
	return err_device(err, EPERM, "tgen opens devices and pins cores: run it as root");
}

struct engine *engine_open(const struct plan *plan, const struct engine_options *options,
	struct plan_facts *facts, struct err *err)
{
	struct engine *engine = calloc(1, sizeof(*engine));

	if (engine == NULL) {
		err_device(err, ENOMEM, "engine");
		return NULL;
	}
	engine->options = options;
	engine->plan = plan;
	engine->nb_ports = plan->nb_ports;
	engine->clock_start = clock_mark_take();
	engine->ports = calloc(plan->nb_ports, sizeof(*engine->ports));
	engine->scratch = malloc(HOST_FRAME_MAX);
	if (engine->ports == NULL || engine->scratch == NULL) {
		err_device(err, ENOMEM, "engine");
		goto fail;
	}
	if (ports_check(engine, plan, err) < 0 || privileges_check(err) < 0 ||
		ports_guard(engine, err) < 0)
		goto fail;
	if (eal_start(plan, engine->ports, engine->nb_ports, load_eal_mb(plan, engine->ports),
		    options->eal_args, err) < 0)
		goto fail;
	engine->eal_started = true;
	engine->ctl_pool = rte_pktmbuf_pool_create(
		"ctl", CTL_MBUFS, 0, 0, CTL_ROOM + RTE_PKTMBUF_HEADROOM, SOCKET_ID_ANY);
	if (engine->ctl_pool == NULL) {
		err_device(err, rte_errno, "control buffers");
		goto fail;
	}
	if (hugepages_check(engine, err) < 0 || ports_open(engine, plan, facts, err) < 0)
		goto fail;
	return engine;
fail:
	engine_close(engine);
	return NULL;
}

const char *engine_driver(const struct engine *engine, unsigned port)
{
	return engine->ports[port].driver;
}

int engine_load(struct engine *engine, const struct plan *plan, struct err *err)
{
	engine->load = load_new(engine, plan, err);
	return engine->load != NULL ? 0 : -ENOMEM;
}

void engine_close(struct engine *engine)
{
	if (engine == NULL)
		return;
	for (unsigned p = 0; engine->ports != NULL && p < engine->nb_ports; p++) {
		port_stop(&engine->ports[p]);
		device_close(&engine->ports[p]);
	}
	load_free(engine->load);
	engine_mem_free(&engine->mem);
	for (unsigned p = 0; engine->ports != NULL && p < engine->nb_ports; p++)
		rte_mempool_free(engine->ports[p].rx_pool);
	rte_mempool_free(engine->ctl_pool);
	if (engine->eal_started)
		rte_eal_cleanup();
	kernel_guard_free(engine->guard);
	free(engine->ports);
	free(engine->scratch);
	free(engine);
}
