/* SPDX-License-Identifier: BSD-3-Clause */
#include "tgen/stats.h"

#include <string.h>

/* Rows of ports, and of streams on ports, made of the rows of streams and what the ports counted. */

static uint64_t rate(uint64_t bytes, uint64_t length_ns)
{
	unsigned __int128 bits = (unsigned __int128)bytes * 8 * UNITS_NS_PER_S;

	return length_ns > 0 ? (uint64_t)(bits / length_ns) : 0;
}

/* Of streams that must arrive at a port. */
static void arrival_add(
	struct result_row *into, unsigned __int128 *latency, const struct result_row *from)
{
	into->lost_packet += from->lost_packet;
	into->lost_byte += from->lost_byte;
	into->lost_layer_byte += from->lost_layer_byte;
	if (from->lat.count == 0)
		return;
	if (into->lat.count == 0 || from->lat.min < into->lat.min)
		into->lat.min = from->lat.min;
	if (from->lat.max > into->lat.max)
		into->lat.max = from->lat.max;
	into->lat.count += from->lat.count;
	*latency += (unsigned __int128)from->lat.mean * from->lat.count;
}

void stats_row_port(struct stats_row *out, const struct result_info *info, unsigned port,
	const struct samples_interval *interval)
{
	const struct trial_port *n = &interval->ports[port];
	const struct result_row *first = &interval->rows[0];
	unsigned __int128 latency = 0;
	struct result_row *row = &out->row;

	memset(out, 0, sizeof(*out));
	out->port = info->ports[port].name;
	out->unk_packet = n->unk_packet;
	out->unk_byte = n->unk_byte;
	out->unk_bps = rate(n->unk_byte, first->length_ns);
	row->seq = first->seq;
	row->stream = RESULT_TOT;
	row->end_unix_ns = first->end_unix_ns;
	row->length_ns = first->length_ns;
	row->n.tx_packet = n->tx_packet;
	row->n.good = n->rx_packet;
	row->n.ooo = n->ooo;
	row->n.bad = n->bad;
	row->tx_byte = n->tx_byte;
	row->rx_byte = n->rx_byte;
	row->tx_bps = rate(n->tx_layer_byte, first->length_ns);
	row->rx_bps = rate(n->rx_layer_byte, first->length_ns);
	for (unsigned i = 0; i < interval->nb_rows; i++) {
		const struct result_row *from = &interval->rows[i];

		if (from->stream != RESULT_TOT &&
			info->streams[from->stream].rx_port == (int32_t)port)
			arrival_add(row, &latency, from);
	}
	if (row->lat.count > 0)
		row->lat.mean = (uint64_t)(latency / row->lat.count);
	row->jitter_ns = row->lat.max - row->lat.min;
	row->lost_bps = rate(row->lost_layer_byte, first->length_ns);
}

unsigned stats_rows_raw(
	struct stats_row out[2], const struct result_info *info, const struct result_row *row)
{
	const struct result_stream *stream = &info->streams[row->stream];

	memset(out, 0, 2 * sizeof(*out));
	out[0].port = info->ports[stream->tx_port].name;
	out[0].row = *row;
	if (stream->transmit_only || stream->rx_port == (int32_t)stream->tx_port)
		return 1;
	out[0].no_rx = true;
	out[1].no_tx = true;
	out[1].port = stream->rx_port >= 0 ? info->ports[stream->rx_port].name : NULL;
	out[1].row = *row;
	return 2;
}
