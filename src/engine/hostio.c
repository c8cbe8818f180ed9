/* SPDX-License-Identifier: BSD-3-Clause */
#include "engine_private.h"

#include <rte_cycles.h>

#include <errno.h>
#include <string.h>

/*
 * The host side of the ports while no trial runs: main owns all queues, polls them and answers ARP
 * and echo, so that queues never fill with old frames and neighbours stay known.
 */

int hostio_send(struct engine *engine, struct engine_port *port, const uint8_t *frame, unsigned len)
{
	struct rte_mbuf *m = rte_pktmbuf_alloc(engine->ctl_pool);
	char *data;

	if (m == NULL)
		return -ENOBUFS;
	data = rte_pktmbuf_append(m, (uint16_t)len);
	if (data == NULL) {
		rte_pktmbuf_free(m);
		return -EMSGSIZE;
	}
	memcpy(data, frame, len);
	if (rte_eth_tx_burst(port->id, 0, &m, 1) != 1) {
		rte_pktmbuf_free(m);
		return -EAGAIN;
	}
	port->tx_other++;
	return 0;
}

static void learn(const struct engine_port *port, const uint8_t *frame, unsigned len,
	uint64_t rx_tsc, struct hostio_learned *learned, unsigned nb)
{
	uint64_t mac;
	uint32_t ip;

	if (nb == 0 || !host_arp_learn(frame, len, &ip, &mac))
		return;
	for (unsigned i = 0; i < nb; i++) {
		if (learned[i].ip != ip || learned[i].port != port->index || learned[i].mac != 0)
			continue;
		learned[i].mac = mac;
		learned[i].rx_tsc = rx_tsc;
	}
}

unsigned hostio_poll(struct engine *engine, struct hostio_learned *learned, unsigned nb)
{
	struct rte_mbuf *burst[ENGINE_BURST];
	unsigned seen = 0;

	for (unsigned p = 0; p < engine->nb_ports; p++) {
		struct engine_port *port = &engine->ports[p];

		for (uint16_t q = 0; q < port->nb_queues; q++) {
			uint16_t n = rte_eth_rx_burst(port->id, q, burst, ENGINE_BURST);
			uint64_t now = rte_rdtsc();

			for (uint16_t i = 0; i < n; i++) {
				const uint8_t *frame = rte_pktmbuf_mtod(burst[i], const uint8_t *);
				unsigned len = rte_pktmbuf_data_len(burst[i]), reply_len = 0;

				learn(port, frame, len, now, learned, nb);
				if (host_input(&port->hif, frame, len, engine->scratch,
					    &reply_len) == HOST_ANSWER)
					hostio_send(engine, port, engine->scratch, reply_len);
				rte_pktmbuf_free(burst[i]);
			}
			port->rx_host += n;
			seen += n;
		}
	}
	return seen;
}

/* Gratuitous ARP of every address, or the bare MAC: bridges learn where we are before a run. */
void hostio_announce(struct engine *engine)
{
	uint8_t frame[HOST_ARP_BYTES];

	for (unsigned p = 0; p < engine->nb_ports; p++) {
		struct engine_port *port = &engine->ports[p];

		for (unsigned a = 0; a < port->hif.nb_addrs; a++)
			hostio_send(engine, port, frame,
				host_arp_announce(&port->hif, port->hif.addrs[a].ip, frame));
		if (port->hif.nb_addrs == 0)
			hostio_send(engine, port, frame, host_arp_announce(&port->hif, 0, frame));
	}
}
