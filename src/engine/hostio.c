/* SPDX-License-Identifier: BSD-3-Clause */
#include "engine_private.h"

#include <rte_cycles.h>

#include <errno.h>
#include <string.h>

#include "tags.h"

/*
 * The host side of the ports while no trial runs: main owns all queues, polls them and answers ARP,
 * neighbour discovery and echo, so that queues never fill with old frames and neighbours stay known.
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
	struct host_neighbour it;

	if (nb == 0 || !host_learn(frame, len, &it))
		return;
	for (unsigned i = 0; i < nb; i++) {
		if (learned[i].port != port->index || learned[i].mac != 0 ||
			!units_ip_equal(learned[i].ip, it.ip) ||
			!host_vlan_equal(&learned[i].vlan, &it.vlan))
			continue;
		learned[i].mac = it.mac;
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
				const uint8_t *frame;
				unsigned len, reply_len = 0;

				tags_restore(&burst[i]);
				frame = rte_pktmbuf_mtod(burst[i], const uint8_t *);
				len = rte_pktmbuf_data_len(burst[i]);
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

/* Of every address, or the bare MAC: bridges and neighbours learn where we are before a run. */
void hostio_announce(struct engine *engine)
{
	uint8_t frame[HOST_ASK_BYTES];
	unsigned len;

	for (unsigned p = 0; p < engine->nb_ports; p++) {
		struct engine_port *port = &engine->ports[p];

		for (unsigned n = 0; (len = host_announce(&port->hif, n, frame)) != 0; n++)
			hostio_send(engine, port, frame, len);
	}
}
