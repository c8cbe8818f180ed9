/* SPDX-License-Identifier: BSD-3-Clause */
#include "load.h"

#include <string.h>

/* What the ports did in an interval. Main only. */

/* Packet-size bytes of packets of a stream; counted one by one when they have several sizes. */
static uint64_t bytes_of(const struct result_stream *stream, uint64_t packets, uint64_t counted)
{
	return result_stream_mixed(stream) ? counted : packets * stream->packet_size;
}

/* The layers differ by the same number of bytes at every size. */
static uint64_t layer_bytes_of(const struct result_stream *stream, uint64_t packets, uint64_t bytes)
{
	return bytes + packets * ((uint64_t)stream->layer_bytes - stream->packet_size);
}

static void queue_add(
	struct engine *engine, const struct result_info *info, unsigned q, unsigned slot)
{
	const struct plan *plan = engine->plan;
	const struct load *load = engine->load;
	struct rx_queue *rx = &load->queues[q].rx;
	struct trial_port *port = &load->port_rows[plan->queues[q].port];

	for (unsigned l = 0; load->spec->on_ports != NULL && l < plan->nb_lanes; l++) {
		const struct result_stream *stream = &info->streams[plan->lanes[l].stream];
		const struct result_counts *n = &rx->colds[l].slot[slot];
		uint64_t good = rx_slot_good(rx, l, slot);
		uint64_t tx = tx_lane_slot(&load->lanes[l], slot);
		uint64_t rx_byte = bytes_of(stream, good, n->good_byte);
		uint64_t tx_byte = bytes_of(stream, tx, load->lanes[l].slot_byte[slot]);

		port->rx_packet += good;
		port->rx_byte += rx_byte;
		port->rx_layer_byte += layer_bytes_of(stream, good, rx_byte);
		port->ooo += n->ooo;
		port->bad += n->bad;
		if (plan->lanes[l].queue != q)
			continue;
		port->tx_packet += tx;
		port->tx_byte += tx_byte;
		port->tx_layer_byte += layer_bytes_of(stream, tx, tx_byte);
	}
	port->bad += rx->bad_slot[slot];
	port->unk_packet += rx->unknown_slot[slot];
	port->unk_byte += rx->unknown_byte_slot[slot];
	rx->unknown_slot[slot] = rx->unknown_byte_slot[slot] = 0;
}

void port_rows_collect(struct engine *engine, const struct result_info *info, unsigned slot)
{
	const struct plan *plan = engine->plan;
	const struct trial_spec *spec = engine->load->spec;

	memset(engine->load->port_rows, 0, plan->nb_ports * sizeof(*engine->load->port_rows));
	for (unsigned q = 0; q < plan->nb_queues; q++)
		queue_add(engine, info, q, slot);
	if (spec->on_ports != NULL)
		spec->on_ports(spec->ctx, engine->load->port_rows, plan->nb_ports);
}
