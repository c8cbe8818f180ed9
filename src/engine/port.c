/* SPDX-License-Identifier: BSD-3-Clause */
#include "engine_private.h"

#include <rte_cycles.h>
#include <rte_errno.h>

#include <errno.h>
#include <net/if.h>
#include <stdio.h>
#include <string.h>

#include "tgen/log.h"

#define NB_DESC		   1024u
#define KICK_LIMIT_NS	   200000000ull
#define AF_PACKET_OVERHEAD 64u /* less than what TPACKET2 headers take of a ring frame */

/* Data bytes an rx buffer must hold: the MTU with tags, and for af_packet a whole ring frame. */
unsigned port_data_room(const struct engine_port *port)
{
	unsigned room = port->mtu + UNITS_ETH_BYTES + 2 * UNITS_TAG_BYTES + 16;

	if (port->ring.frame_bytes > room)
		room = port->ring.frame_bytes;
	return room < RTE_MBUF_DEFAULT_DATAROOM ? RTE_MBUF_DEFAULT_DATAROOM : room;
}

/* Descriptors that a driver holds, a burst in hand, and the pool's caches. */
unsigned port_nb_rx_mbufs(const struct engine_port *port)
{
	unsigned held = port->kind->has_kernel_if ? 0 : NB_DESC;

	return port->nb_queues * (held + 2 * ENGINE_BURST + 512) + 1024 - 1;
}

static int rx_pool_make(struct engine_port *port, struct err *err)
{
	char name[RTE_MEMPOOL_NAMESIZE];

	snprintf(name, sizeof(name), "rx%u", port->index);
	port->rx_pool = rte_pktmbuf_pool_create(name, port_nb_rx_mbufs(port), 256, 0,
		(uint16_t)(port_data_room(port) + RTE_PKTMBUF_HEADROOM), (int)port->socket);
	if (port->rx_pool == NULL)
		return err_device(err, rte_errno, "port %s: %u receive buffers of %u bytes",
			port->name, port_nb_rx_mbufs(port), port_data_room(port));
	return 0;
}

static int queues_setup(
	struct engine_port *port, const struct rte_eth_dev_info *info, struct err *err)
{
	uint16_t nb_rxd = NB_DESC, nb_txd = NB_DESC;
	int rc = rte_eth_dev_adjust_nb_rx_tx_desc(port->id, &nb_rxd, &nb_txd);

	if (rc < 0)
		return err_device(err, -rc, "port %s: queue sizes", port->name);
	for (uint16_t q = 0; q < port->nb_queues; q++) {
		struct rte_eth_rxconf rxconf = info->default_rxconf;
		struct rte_eth_txconf txconf = info->default_txconf;

		rc = rte_eth_rx_queue_setup(
			port->id, q, nb_rxd, port->socket, &rxconf, port->rx_pool);
		if (rc < 0)
			return err_device(err, -rc, "port %s: rx queue %u: %s", port->name, q,
				eal_log_tail());
		rc = rte_eth_tx_queue_setup(port->id, q, nb_txd, port->socket, &txconf);
		if (rc < 0)
			return err_device(err, -rc, "port %s: tx queue %u: %s", port->name, q,
				eal_log_tail());
	}
	return 0;
}

static int configure(struct engine_port *port, struct err *err)
{
	struct rte_eth_dev_info info;
	struct rte_eth_conf conf = {0};
	int rc = rte_eth_dev_info_get(port->id, &info);

	if (rc < 0)
		return err_device(err, -rc, "port %s", port->name);
	snprintf(port->driver, sizeof(port->driver), "%s",
		info.driver_name ? info.driver_name : "?");
	if (port->nb_queues > info.max_rx_queues)
		port->nb_queues = info.max_rx_queues;
	if (port->nb_queues > info.max_tx_queues)
		port->nb_queues = info.max_tx_queues;
	if (port->nb_queues > 1 && info.flow_type_rss_offloads != 0) {
		conf.rxmode.mq_mode = RTE_ETH_MQ_RX_RSS;
		conf.rx_adv_conf.rss_conf.rss_hf =
			info.flow_type_rss_offloads &
			(RTE_ETH_RSS_IP | RTE_ETH_RSS_UDP | RTE_ETH_RSS_TCP);
	}
	/* af_packet claims frames of 1518 bytes at most and takes what its ring holds */
	if (!port->kind->has_kernel_if && port->mtu > RTE_ETHER_MTU && info.max_mtu >= port->mtu)
		conf.rxmode.mtu = port->mtu;
	if (info.rx_offload_capa & RTE_ETH_RX_OFFLOAD_UDP_CKSUM) {
		conf.rxmode.offloads |= RTE_ETH_RX_OFFLOAD_UDP_CKSUM;
		port->csum_in_hardware = true;
	}
	rc = rte_eth_dev_configure(port->id, port->nb_queues, port->nb_queues, &conf);
	if (rc < 0)
		return err_device(err, -rc, "port %s: %s with %u queues: %s", port->name,
			port->driver, port->nb_queues, eal_log_tail());
	if (rx_pool_make(port, err) < 0)
		return -ENOMEM;
	return queues_setup(port, &info, err);
}

/* A kernel interface gets the MTU that was asked for and, at the end, its own back. */
static int set_mtu(struct engine_port *port, struct err *err)
{
	uint16_t now = 0;
	int rc;

	if (port->kind->has_kernel_if) {
		if (port->mtu == port->mtu_before)
			return 0;
		rc = kernel_if_set_mtu(port->arg, port->mtu);
		if (rc < 0)
			return err_device(err, -rc, "port %s: MTU %u on interface %s", port->name,
				port->mtu, port->arg);
		return 0;
	}
	if (rte_eth_dev_get_mtu(port->id, &now) < 0 || port->mtu == now)
		return 0;
	rc = rte_eth_dev_set_mtu(port->id, (uint16_t)port->mtu);
	/* rings and the like pass buffers of any size and have no MTU to set */
	if (rc == -ENOTSUP)
		return 0;
	return rc < 0 ? err_device(err, -rc, "port %s: MTU %u", port->name, port->mtu) : 0;
}

static void fill_facts(struct engine_port *port, struct plan_facts *facts)
{
	struct rte_ether_addr mac = {0};
	struct rte_eth_link link = {0};
	struct kernel_if kif;

	rte_eth_macaddr_get(port->id, &mac);
	rte_eth_link_get_nowait(port->id, &link);
	*facts = (struct plan_facts){
		.mac = units_mac_number(mac.addr_bytes),
		.mtu = port->mtu,
		.numa_node = port->node,
		.nb_queues = port->nb_queues,
	};
	/* rings have none; ours are locally administered and tell the port */
	if (facts->mac == 0)
		facts->mac = 0x027467000001ull + port->index;
	/* af_packet and the virtual drivers all claim 10G or more: no figure is better than that */
	if (port->kind->has_kernel_if && kernel_if_get(port->arg, &kif) == 0)
		facts->speed_bps = kif.speed_bps;
	else if (port->kind->needs_pci && link.link_speed != RTE_ETH_SPEED_NUM_UNKNOWN)
		facts->speed_bps = (uint64_t)link.link_speed * 1000000u;
}

int port_start(struct engine_port *port, struct plan_facts *facts, struct err *err)
{
	int node, rc;

	if (configure(port, err) < 0 || set_mtu(port, err) < 0)
		return -EINVAL;
	rc = rte_eth_dev_start(port->id);
	if (rc < 0)
		return err_device(err, -rc, "port %s: %s does not start: %s", port->name,
			port->driver, eal_log_tail());
	port->started = true;
	port->was_promiscuous = rte_eth_promiscuous_get(port->id) == 1;
	rc = rte_eth_promiscuous_enable(port->id);
	if (rc < 0 && rc != -ENOTSUP)
		log_warning("port %s: not promiscuous (%s): frames to other addresses are not seen",
			port->name, strerror(-rc));
	node = rte_eth_dev_socket_id(port->id);
	if (port->node < 0 && node >= 0 && port->kind->needs_pci)
		port->node = node;
	if (port->kind->has_kernel_if)
		port->nb_sockets = kernel_sockets_find(port->arg, &port->ring, port->sockets);
	fill_facts(port, facts);
	return 0;
}

void port_stop(struct engine_port *port)
{
	if (!port->started)
		return;
	if (!port->was_promiscuous)
		rte_eth_promiscuous_disable(port->id);
	rte_eth_dev_stop(port->id);
	port->started = false;
}

bool port_link_up(const struct engine_port *port)
{
	struct rte_eth_link link = {0};
	struct kernel_if kif;

	if (port->kind->has_kernel_if)
		return kernel_if_get(port->arg, &kif) == 0 && kif.up && kif.running;
	return rte_eth_link_get_nowait(port->id, &link) == 0 && link.link_status == RTE_ETH_LINK_UP;
}

uint64_t port_tx_pending(const struct engine_port *port)
{
	uint64_t pending = 0;

	for (unsigned s = 0; s < port->nb_sockets; s++)
		pending += kernel_socket_tx_pending(&port->sockets[s]);
	return pending;
}

void port_kick(const struct engine_port *port)
{
	uint64_t limit = rte_rdtsc() + rte_get_tsc_hz() / 1000000000u * KICK_LIMIT_NS;

	while (port_tx_pending(port) > 0 && rte_rdtsc() < limit)
		for (unsigned s = 0; s < port->nb_sockets; s++)
			if (kernel_socket_kick(&port->sockets[s]) == -ENETDOWN)
				return;
}

uint64_t port_kernel_drops(struct engine_port *port)
{
	uint64_t drops = 0;

	for (unsigned s = 0; s < port->nb_sockets; s++)
		drops += kernel_socket_drops(&port->sockets[s]);
	return drops;
}

uint64_t port_kernel_tx(const struct engine_port *port)
{
	struct kernel_if_counters counters;

	if (!port->kind->has_kernel_if || kernel_if_counters(port->arg, &counters) < 0)
		return 0;
	return counters.tx_packets;
}

bool port_is_gone(const struct engine_port *port)
{
	struct kernel_if kif;

	return port->kind->has_kernel_if && kernel_if_get(port->arg, &kif) == -ENODEV;
}

enum result_duplex port_duplex(const struct engine_port *port)
{
	struct rte_eth_link link = {0};
	struct kernel_if kif;

	if (port->kind->has_kernel_if) {
		if (kernel_if_get(port->arg, &kif) < 0 || kif.duplex < 0)
			return RESULT_DUPLEX_UNKNOWN;
		return kif.duplex ? RESULT_DUPLEX_FULL : RESULT_DUPLEX_HALF;
	}
	/* virtual drivers all claim full duplex and mean nothing by it */
	if (!port->kind->needs_pci || rte_eth_link_get_nowait(port->id, &link) < 0)
		return RESULT_DUPLEX_UNKNOWN;
	return link.link_duplex == RTE_ETH_LINK_FULL_DUPLEX ? RESULT_DUPLEX_FULL
							    : RESULT_DUPLEX_HALF;
}
