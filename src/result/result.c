/* SPDX-License-Identifier: BSD-3-Clause */
#include "tgen/result.h"

#include <assert.h>

void result_counts_add(struct result_counts *into, const struct result_counts *from)
{
	into->tx_packet += from->tx_packet;
	into->good += from->good;
	into->tx_byte += from->tx_byte;
	into->good_byte += from->good_byte;
	into->ooo += from->ooo;
	into->late += from->late;
	into->spill += from->spill;
	into->duplicate += from->duplicate;
	into->bad += from->bad;
	into->misrouted += from->misrouted;
	into->stray += from->stray;
	into->returned += from->returned;
	into->unsent += from->unsent;
	into->last_fragment += from->last_fragment;
	into->lat_negative += from->lat_negative;
}

uint64_t result_stream_asked(const struct result_stream *stream, uint64_t send_ns)
{
	const uint64_t a_frame = (uint64_t)UNITS_MICROS * UNITS_NS_PER_S;
	unsigned __int128 frames;

	if (stream->sched != NULL) {
		uint64_t nb = sched_count(stream->sched, send_ns);

		if (nb == UINT64_MAX)
			return UINT64_MAX; /* as fast as it goes, from some time on */
		return nb < stream->packet_count ? nb : stream->packet_count;
	}
	if (stream->flat_out)
		return UINT64_MAX;
	/* the first leaves at once: those due before the end are the product rounded up */
	frames = ((unsigned __int128)stream->asked_upps * send_ns + a_frame - 1) / a_frame;
	return frames < stream->packet_count ? (uint64_t)frames : stream->packet_count;
}

/* Bytes that a packet counts for on the layer beside its packet-size; fewer on l3. */
static int64_t layer_extra(const struct result_stream *stream)
{
	return (int64_t)stream->layer_bytes - (int64_t)stream->packet_size;
}

uint64_t result_stream_bps(const struct result_stream *stream, uint64_t upps)
{
	bool mixed = result_stream_mixed(stream);
	uint64_t nb = mixed ? stream->size_nb : 1;
	uint64_t bytes = mixed ? stream->size_sum : stream->packet_size;
	unsigned __int128 bits, unit = (unsigned __int128)UNITS_MICROS * nb;

	bytes += (uint64_t)(layer_extra(stream) * (int64_t)nb);
	bits = ((unsigned __int128)upps * bytes * 8 + unit - 1) / unit;
	return bits > UINT64_MAX ? UINT64_MAX : (uint64_t)bits;
}

/* amount × factor a second; the product does not fit in 64 bits, nor need the result. */
static uint64_t per_second(uint64_t amount, uint64_t factor, uint64_t length_ns)
{
	unsigned __int128 n;

	if (length_ns == 0)
		return 0;
	n = (unsigned __int128)amount * factor * UNITS_NS_PER_S / length_ns;
	return n > UINT64_MAX ? UINT64_MAX : (uint64_t)n;
}

static void derive_rates(struct result_row *row)
{
	row->tx_bps = per_second(row->tx_layer_byte, 8, row->length_ns);
	row->rx_bps = per_second(row->rx_layer_byte, 8, row->length_ns);
	row->lost_bps = per_second(row->lost_layer_byte, 8, row->length_ns);
	row->tx_upps = per_second(row->n.tx_packet, UNITS_MICROS, row->length_ns);
	row->rx_upps = per_second(row->n.good, UNITS_MICROS, row->length_ns);
}

uint32_t result_worker_load_ppm(const struct result_worker *worker)
{
	unsigned __int128 busy = (unsigned __int128)worker->tx_ticks + worker->rx_ticks;
	unsigned __int128 all = busy + worker->idle_ticks;

	return all == 0 ? 0 : (uint32_t)(busy * UNITS_MICROS / all);
}

uint32_t result_near_ppm(const struct hist *h)
{
	uint64_t nb = 0;

	/* RESULT_NEAR_NS begins a bucket */
	for (unsigned i = 0; i < hist_index(RESULT_NEAR_NS); i++)
		nb += h->bucket[i];
	return h->count == 0 ? 0 : (uint32_t)((unsigned __int128)nb * UNITS_MICROS / h->count);
}

void result_latency_of(struct result_latency *out, const struct hist *h)
{
	*out = (struct result_latency){0};
	if (h == NULL || h->count == 0)
		return;
	*out = (struct result_latency){
		.count = h->count,
		.min = h->min,
		.mean = hist_mean(h),
		.max = h->max,
		.p50 = hist_percentile(h, 500000),
		.p90 = hist_percentile(h, 900000),
		.p99 = hist_percentile(h, 990000),
		.p999 = hist_percentile(h, 999000),
	};
}

static void derive_latency(struct result_row *row, const struct hist *h)
{
	result_latency_of(&row->lat, h);
	row->jitter_ns = row->lat.max - row->lat.min;
	if (row->seq == RESULT_TOT)
		row->pdv_ns = row->lat.p999 - row->lat.min;
}

void result_row_derive(
	struct result_row *row, const struct result_info *info, const struct hist *lat_hist)
{
	assert(row->stream < info->nb_streams);
	const struct result_stream *stream = &info->streams[row->stream];
	uint64_t lost = 0, extra = (uint64_t)layer_extra(stream);

	/* more good than sent cannot be; should it be, it must not appear as negative loss */
	if (!stream->transmit_only && row->n.tx_packet > row->n.good)
		lost = row->n.tx_packet - row->n.good;
	row->id = stream->id;
	row->lost_packet = (int64_t)lost;
	if (!result_stream_mixed(stream)) {
		row->n.tx_byte = row->n.tx_packet * stream->packet_size;
		row->n.good_byte = row->n.good * stream->packet_size;
	}
	row->tx_byte = row->n.tx_byte;
	row->rx_byte = row->n.good_byte;
	row->lost_byte = 0;
	if (lost > 0 && row->tx_byte > row->rx_byte)
		row->lost_byte = row->tx_byte - row->rx_byte;
	/* on l3 extra is below zero: the sums wrap and come out right */
	row->tx_layer_byte = row->tx_byte + row->n.tx_packet * extra;
	row->rx_layer_byte = row->rx_byte + row->n.good * extra;
	row->lost_layer_byte = row->lost_byte + lost * extra;
	derive_rates(row);
	derive_latency(row, lat_hist);
}

static void outage_take(struct result_outage *longest, const struct result_outage *one)
{
	uint64_t last_ns = longest->last_loss_ns > one->last_loss_ns ? longest->last_loss_ns
								     : one->last_loss_ns;

	if (one->known && (!longest->known || one->length_ns > longest->length_ns))
		*longest = *one;
	longest->last_loss_ns = last_ns;
}

void result_row_total(struct result_row *tot, const struct result_row *rows, unsigned nb,
	const struct result_info *info, const struct hist *lat_hist)
{
	assert(nb > 0 && nb <= info->nb_streams);
	*tot = (struct result_row){
		.seq = rows[0].seq,
		.stream = RESULT_TOT,
		.end_unix_ns = rows[0].end_unix_ns,
		.length_ns = rows[0].length_ns,
	};
	for (unsigned i = 0; i < nb; i++) {
		const struct result_row *row = &rows[i];

		tot->incomplete |= row->incomplete;
		result_counts_add(&tot->n, &row->n);
		outage_take(&tot->outage, &row->outage);
		tot->lost_packet += row->lost_packet;
		tot->tx_byte += row->tx_byte;
		tot->rx_byte += row->rx_byte;
		tot->lost_byte += row->lost_byte;
		tot->tx_layer_byte += row->tx_layer_byte;
		tot->rx_layer_byte += row->rx_layer_byte;
		tot->lost_layer_byte += row->lost_layer_byte;
	}
	derive_rates(tot);
	derive_latency(tot, lat_hist);
}
