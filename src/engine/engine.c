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

/* Two ports on one ring are joined by it, as by a cable; one alone is a loop. */
static int rings_join(struct engine *engine, struct err *err)
{
	for (unsigned p = 0; p < engine->nb_ports; p++) {
		struct engine_port *port = &engine->ports[p];

		port->peer = p;
		for (unsigned o = 0; o < p && strcmp(port->kind->name, "ring") == 0; o++) {
			struct engine_port *other = &engine->ports[o];

			if (strcmp(other->device, port->device) != 0)
				continue;
			if (other->peer != o)
				return err_usage(err,
					"port %s: %s joins two ports, %s and %s already",
					port->name, port->device, other->name,
					engine->ports[other->peer].name);
			other->peer = p;
			port->peer = o;
		}
	}
	return 0;
}

/* Frames that do not say where they arrive may at any port but their own. */
static bool only_sends(const struct plan *plan, unsigned port)
{
	for (unsigned i = 0; i < plan->nb_streams; i++) {
		const struct plan_stream *s = &plan->streams[i];

		if (!s->transmit_only && (s->route.rx_port < 0 ? s->route.tx_port != (int)port
							       : s->route.rx_port == (int)port))
			return false;
	}
	return true;
}

static int ports_check(struct engine *engine, const struct plan *plan, struct err *err)
{
	uint16_t max_queues[PLAN_MAX_PORTS], wanted[PLAN_MAX_PORTS];

	if (plan->nb_ports > RTE_MAX_ETHPORTS)
		return err_usage(err,
			"%u ports, but this DPDK opens %u at most; disable some (disabled=yes)",
			plan->nb_ports, RTE_MAX_ETHPORTS);
	for (unsigned p = 0; p < plan->nb_ports; p++) {
		struct engine_port *port = &engine->ports[p];

		port->name = plan->ports[p].name;
		port->device = plan->ports[p].device;
		port->index = p;
		port->mtu = plan->ports[p].mtu;
		port->rate_pps = plan_guess_pps(plan);
		port->only_sends = only_sends(plan, p);
		port->hif.addrs = plan->ports[p].addrs;
		port->hif.nb_addrs = plan->ports[p].nb_addrs;
		if (device_check(port, err) < 0)
			return -EINVAL;
		if (port->mtu == 0)
			port->mtu = RTE_ETHER_MTU;
		max_queues[p] = port->kind->max_queues;
	}
	if (rings_join(engine, err) < 0)
		return -EINVAL;
	plan_queues_wanted(plan, max_queues, wanted);
	for (unsigned p = 0; p < plan->nb_ports; p++) {
		unsigned peer = engine->ports[p].peer;

		/* joined ports have as many queues as each other */
		wanted[p] = wanted[peer] < wanted[p] ? wanted[peer] : wanted[p];
		wanted[peer] = wanted[p];
	}
	for (unsigned p = 0; p < plan->nb_ports; p++)
		engine->ports[p].nb_queues = wanted[p];
	return 0;
}

static int refuse_in_use(const struct engine *engine, const struct engine_port *port,
	const char *ifname, struct err *err)
{
	const char *why = kernel_if_in_use(ifname);

	if (why == NULL || engine->options->force)
		return 0;
	return err_usage(err,
		"port %s: interface %s is in use by this host: it %s; use another one, or "
		"--force",
		port->name, ifname, why);
}

/* The kernel interface on top of a PCI device that a port would take away. */
static int pci_in_use(const struct engine *engine, const struct engine_port *port, struct err *err)
{
	struct kernel_pci *list = NULL;
	int nb = kernel_pci_list(&list), rc = 0;

	for (int i = 0; i < nb && rc == 0; i++) {
		size_t all = strlen(list[i].address), given = strlen(port->arg);

		/* the domain may be left out */
		if (given <= all && strcmp(list[i].address + all - given, port->arg) == 0 &&
			list[i].ifname[0] != '\0')
			rc = refuse_in_use(engine, port, list[i].ifname, err);
	}
	free(list);
	return rc;
}

/* Raw device words may name interfaces: iface=, rx_iface= … */
static int words_in_use(
	const struct engine *engine, const struct engine_port *port, struct err *err)
{
	char *copy = strdup(port->arg), *save = NULL;
	int rc = copy != NULL ? 0 : err_device(err, ENOMEM, "port %s", port->name);

	for (char *word = copy != NULL ? strtok_r(copy, ",", &save) : NULL; word != NULL && rc == 0;
		word = strtok_r(NULL, ",", &save)) {
		char *value = strchr(word, '=');

		if (value == NULL)
			continue;
		*value++ = '\0';
		if (strstr(word, "iface") != NULL)
			rc = refuse_in_use(engine, port, value, err);
	}
	free(copy);
	return rc;
}

/* An interface that keeps this host reachable is not taken by accident. */
static int ports_guard(struct engine *engine, struct err *err)
{
	for (unsigned p = 0; p < engine->nb_ports; p++) {
		struct engine_port *port = &engine->ports[p];

		if (port->mtu_before != 0 && refuse_in_use(engine, port, port->arg, err) < 0)
			return -EPERM;
		if (port->kind->needs_pci && pci_in_use(engine, port, err) < 0)
			return -EPERM;
		if (port->mtu_before == 0 && words_in_use(engine, port, err) < 0)
			return -EPERM;
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
	int xdp_fds[PLAN_MAX_PORTS];
	unsigned nb_xdp = 0;

	for (unsigned p = 0; p < engine->nb_ports; p++) {
		struct engine_port *port = &engine->ports[p];

		port->socket = eal_has_hugepages() && port->node >= 0 ? (unsigned)port->node : 0;
		if (port->kind->open(port, port->arg, err) < 0)
			return -EIO;
		port->opened = true;
		if (port_start(port, &facts[p], err) < 0)
			return -EIO;
		if (strstr(port->device, "af_xdp") != NULL) {
			port->nb_sockets =
				kernel_xdp_sockets_find(xdp_fds, nb_xdp, port->sockets, 1);
			if (port->nb_sockets > 0)
				xdp_fds[nb_xdp++] = port->sockets[0].fd;
		}
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
	if (!clock_is_invariant())
		log_warning("this CPU's time stamp counter is not invariant: latencies between "
			    "cores may "
			    "be wrong, use one (cpu-core=N)");
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
	load_free(engine->load);
	engine_mem_free(&engine->mem);
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
	load_pools_free(engine);
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
