/* SPDX-License-Identifier: BSD-3-Clause */
#include "engine_private.h"

#include <rte_bus_vdev.h>
#include <rte_dev.h>
#include <rte_errno.h>
#include <rte_eth_ring.h>
#include <rte_pci.h>
#include <rte_ring.h>

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tgen/log.h"

/*
 * What ports can be made of: one line a kind. Driver quirks that the rest of the engine must know
 * are columns of the table, found by experiment with DPDK 22.11.
 */

#define RING_FRAMES 4096u

/*
 * af_packet rings hold what arrives in this time at the plan's whole rate, within these bounds: the
 * driver's default of 512 frames is 10 ms at 50 kpps, less than a scheduler's hiccup.
 */
#define AF_PACKET_RING_TIME_DIV	  4u /* a quarter of a second */
#define AF_PACKET_RING_FRAMES_MIN 2048u
#define AF_PACKET_RING_BYTES_MAX  (64u << 20)
/*
 * Receiving and sending have rings of one size, and a ring that does not stay in the caches takes
 * half from a flat-out sender. So a port that has nothing to receive, at a rate of which the large
 * ring would hold less than that time, gets one that does.
 */
#define AF_PACKET_RING_BYTES_TX (4u << 20)

/* hotplug says -EFAULT, and drivers -1, of whatever went wrong: as text of an errno that misleads. */
static int vdev_error(const struct engine_port *port, int rc, const char *driver, const char *args,
	struct err *err)
{
	bool is_any = strcmp(port->kind->name, "vdev") == 0;
	int errnum = rc == -EFAULT || rc == -EPERM ? 0 : -rc;

	return err_device(err, errnum,
		"port %s: DPDK cannot open %s: %sthe driver %s refuses \"%s\": %s", port->name,
		port->device, is_any ? "there is no such driver, or " : "", driver, args,
		eal_log_tail());
}

static int vdev_open(
	struct engine_port *port, const char *driver, const char *args, struct err *err)
{
	int rc;

	/* the index makes the name unique; the driver is told by its beginning */
	snprintf(port->vdev, sizeof(port->vdev), "%s%u", driver, port->index);
	rc = rte_eal_hotplug_add("vdev", port->vdev, args);
	if (rc < 0)
		return vdev_error(port, rc, driver, args, err);
	rc = rte_eth_dev_get_port_by_name(port->vdev, &port->id);
	if (rc < 0)
		return err_device(
			err, -rc, "port %s: %s is no Ethernet device", port->name, port->device);
	return 0;
}

/* Frames in the smallest power of two that holds the MTU; a block is a whole number of frames and pages. */
static void af_packet_ring(struct engine_port *port)
{
	unsigned need = port->mtu + UNITS_ETH_BYTES + 2 * UNITS_TAG_BYTES + 128;
	unsigned frame = 2048;
	unsigned nb = AF_PACKET_RING_FRAMES_MIN;
	uint64_t want = port->rate_pps / AF_PACKET_RING_TIME_DIV, most = AF_PACKET_RING_BYTES_MAX;

	while (frame < need)
		frame *= 2;
	if (port->only_sends && want * frame > most)
		most = AF_PACKET_RING_BYTES_TX;
	while (nb < want && (uint64_t)nb * 2 * frame <= most)
		nb *= 2;
	port->ring.frame_bytes = frame;
	port->ring.block_bytes = frame < 65536 ? 65536 : frame;
	port->ring.nb_frames = nb;
	port->ring.nb_blocks = nb / (port->ring.block_bytes / frame);
}

static int af_packet_open(struct engine_port *port, const char *arg, struct err *err)
{
	char args[256];

	af_packet_ring(port);
	snprintf(args, sizeof(args), "iface=%s,qpairs=%u,blocksz=%u,framesz=%u,framecnt=%u", arg,
		port->nb_queues, port->ring.block_bytes, port->ring.frame_bytes,
		port->ring.nb_frames);
	return vdev_open(port, "net_af_packet", args, err);
}

static int af_xdp_open(struct engine_port *port, const char *arg, struct err *err)
{
	char args[128];

	/* no dispatcher: it wants a bpffs mounted and is of use only beside other XDP programs */
	setenv("LIBXDP_SKIP_DISPATCHER", "1", 0);
	snprintf(args, sizeof(args), "iface=%s,start_queue=0,queue_count=1", arg);
	return vdev_open(port, "net_af_xdp", args, err);
}

static int pci_open(struct engine_port *port, const char *arg, struct err *err)
{
	/* EAL probed it at start (-a): without a driver there is no port */
	int rc = rte_eth_dev_get_port_by_name(arg, &port->id);
	char full[32];

	if (rc < 0) {
		snprintf(full, sizeof(full), "0000:%.20s", arg);
		rc = rte_eth_dev_get_port_by_name(full, &port->id);
	}
	if (rc < 0)
		return err_device(err, -rc,
			"port %s: no DPDK driver took PCI device %s; bind it: "
			"modprobe vfio-pci && dpdk-devbind.py -b vfio-pci %s (tgen devices lists "
			"what "
			"there is) %s",
			port->name, arg, arg, eal_log_tail());
	return 0;
}

/* The ring of one direction and queue, made by whichever of two joined ports comes first. */
static struct rte_ring *ring_get(const struct engine_port *port, unsigned from, uint16_t queue)
{
	char name[RTE_RING_NAMESIZE];
	struct rte_ring *ring;

	snprintf(name, sizeof(name), "tg_%u_%u", from, queue);
	ring = rte_ring_lookup(name);
	if (ring != NULL)
		return ring;
	/* not single-producer: main sends too, between trials */
	return rte_ring_create(name, RING_FRAMES, (int)port->socket, RING_F_SC_DEQ);
}

/*
 * A ring a queue: what is sent on a queue arrives on the queue of the same number, at the same port,
 * or, when two ports name the same ring, at the other one.
 */
static int ring_open(struct engine_port *port, const char *arg, struct err *err)
{
	struct rte_ring *rx[PLAN_MAX_QUEUES], *tx[PLAN_MAX_QUEUES];
	char name[RTE_RING_NAMESIZE];
	int rc;

	for (uint16_t q = 0; q < port->nb_queues; q++) {
		tx[q] = ring_get(port, port->index, q);
		rx[q] = ring_get(port, port->peer, q);
		if (tx[q] == NULL || rx[q] == NULL)
			return err_device(err, rte_errno, "port %s: ring:%s", port->name, arg);
	}
	snprintf(name, sizeof(name), "ring%u", port->index);
	rc = rte_eth_from_rings(name, rx, port->nb_queues, tx, port->nb_queues, port->socket);
	if (rc < 0)
		return err_device(err, rte_errno, "port %s: ring:%s", port->name, arg);
	port->id = (uint16_t)rc;
	snprintf(port->vdev, sizeof(port->vdev), "net_ring_%s", name);
	return 0;
}

static int null_open(struct engine_port *port, const char *arg, struct err *err)
{
	return vdev_open(port, "net_null", arg[0] != '\0' ? arg : "no-rx=1", err);
}

static int memif_open(struct engine_port *port, const char *arg, struct err *err)
{
	return vdev_open(port, "net_memif", arg, err);
}

static int tap_open(struct engine_port *port, const char *arg, struct err *err)
{
	char args[128];

	snprintf(args, sizeof(args), "iface=%s", arg);
	return vdev_open(port, "net_tap", args, err);
}

static int pcap_open(struct engine_port *port, const char *arg, struct err *err)
{
	return vdev_open(port, "net_pcap", arg, err);
}

/* vdev:net_xyz,args — the user's own words. */
static int raw_open(struct engine_port *port, const char *arg, struct err *err)
{
	const char *comma = strchr(arg, ',');
	char driver[48];

	snprintf(
		driver, sizeof(driver), "%.*s", comma ? (int)(comma - arg) : (int)strlen(arg), arg);
	return vdev_open(port, driver, comma != NULL ? comma + 1 : "", err);
}

static const struct device_kind kinds[] = {
	{"auto", "INTERFACE", PLAN_MAX_QUEUES, false, true, true, false, af_packet_open},
	{"af_packet", "INTERFACE", PLAN_MAX_QUEUES, false, true, true, false, af_packet_open},
	{"af_xdp", "INTERFACE", 1, false, false, true, true, af_xdp_open},
	{"pci", "ADDRESS", PLAN_MAX_QUEUES, true, false, false, true, pci_open},
	{"ring", "NAME", PLAN_MAX_QUEUES, false, false, true, false, ring_open},
	{"null", "[DEVARGS]", PLAN_MAX_QUEUES, false, false, true, false, null_open},
	{"memif", "DEVARGS", 1, false, false, true, false, memif_open},
	{"tap", "INTERFACE", 1, false, false, true, false, tap_open},
	{"pcap", "DEVARGS", 1, false, false, true, false, pcap_open},
	{"vdev", "DRIVER[,DEVARGS]", 1, false, false, false, false, raw_open},
};
#define NB_KINDS (sizeof(kinds) / sizeof(kinds[0]))

const struct device_kind *device_kind_find(const char *device, const char **arg)
{
	const char *colon = strchr(device, ':');
	size_t len = colon != NULL ? (size_t)(colon - device) : strlen(device);

	for (size_t i = 0; i < NB_KINDS; i++) {
		if (strlen(kinds[i].name) != len || strncmp(kinds[i].name, device, len) != 0)
			continue;
		*arg = colon != NULL ? colon + 1 : "";
		if ((*arg)[0] == '\0' && kinds[i].arg[0] != '[')
			return NULL;
		return &kinds[i];
	}
	return NULL;
}

bool engine_device_known(const char *device, char *known, size_t size)
{
	const char *arg;
	size_t used = 0;

	for (size_t i = 0; i < NB_KINDS && used < size; i++)
		used += (size_t)snprintf(known + used, size - used, "%s%s:%s", i ? ", " : "",
			kinds[i].name, kinds[i].arg);
	return device_kind_find(device, &arg) != NULL;
}

static int kind_error(const struct engine_port *port, struct err *err)
{
	char known[256];

	engine_device_known(port->device, known, sizeof(known));
	return err_usage(
		err, "port %s: device \"%s\" is not one of %s", port->name, port->device, known);
}

static int kernel_if_check(struct engine_port *port, struct err *err)
{
	struct kernel_if kif;

	if (kernel_if_get(port->arg, &kif) < 0)
		return err_device(err, 0,
			"port %s: there is no interface \"%s\" here (tgen devices lists "
			"them; inside a lab use: scripts/lab exec tgen …)",
			port->name, port->arg);
	if (kif.loopback || kif.mac == 0)
		return err_device(err, 0,
			"port %s: %s is no Ethernet interface that frames could leave by; for a "
			"loop inside "
			"tgen use the device ring:NAME",
			port->name, port->arg);
	if (!kif.up)
		return err_device(err, 0,
			"port %s: interface %s is down; bring it up: ip link set %s up", port->name,
			port->arg, port->arg);
	if (port->mtu == 0)
		port->mtu = kif.mtu;
	port->mtu_before = kif.mtu;
	port->node = kif.numa_node;
	return 0;
}

/* Everything that can be said before EAL runs; learns MTU and node of kernel interfaces. */
int device_check(struct engine_port *port, struct err *err)
{
	port->kind = device_kind_find(port->device, &port->arg);
	port->node = -1;
	if (port->kind == NULL)
		return kind_error(port, err);
	if (port->kind->needs_pci && rte_pci_addr_parse(port->arg, &(struct rte_pci_addr){0}) < 0)
		return err_usage(err,
			"port %s: \"%s\" is no PCI address, like 0000:01:00.0 (tgen devices "
			"lists what there is)",
			port->name, port->arg);
	if (strchr(port->arg, ' ') != NULL)
		return err_usage(
			err, "port %s: device \"%s\" has a space in it", port->name, port->device);
	if (port->kind->has_kernel_if || strcmp(port->kind->name, "af_xdp") == 0)
		return kernel_if_check(port, err);
	return 0;
}

void device_close(struct engine_port *port)
{
	if (!port->opened)
		return;
	kernel_sockets_release(port->sockets, port->nb_sockets);
	rte_eth_dev_close(port->id);
	if (port->kind->has_kernel_if && port->mtu_before != 0 && port->mtu_before != port->mtu &&
		kernel_if_set_mtu(port->arg, port->mtu_before) < 0)
		log_warning("port %s: could not put the MTU of %s back to %u", port->name,
			port->arg, port->mtu_before);
	port->opened = false;
}
