/* SPDX-License-Identifier: BSD-3-Clause */
#include "load.h"

#include <rte_byteorder.h>

#include <stdio.h>
#include <string.h>

/* Merging what the workers counted into rows and totals. Main only. */

static void counts_take(struct result_counts *into, struct result_counts *slot)
{
	result_counts_add(into, slot);
	memset(slot, 0, sizeof(*slot));
}

static void hist_take(struct hist *into, struct hist *slot)
{
	if (slot->count == 0)
		return;
	hist_merge(into, slot);
	hist_clear(slot);
}

/* What a queue counted of a lane in a slot: into a row, and into what its total will be made of. */
static void lane_take(struct rx_queue *rx, unsigned l, unsigned slot, struct load *load,
	struct result_counts *row)
{
	struct rx_cold *cold = &rx->colds[l];
	struct result_counts *counts = &cold->slot[slot];

	counts->good = rx_slot_good(rx, l, slot);
	rx->lanes[l].good[slot] = 0;
	result_counts_add(&cold->sum, counts);
	counts_take(row, counts);
	if (rx->lanes[l].hists != NULL && rx->interval == NULL)
		hist_take(load->hist_one, &rx->lanes[l].hists[RX_HIST_SLOT + slot]);
}

void rows_reset(struct load *load)
{
	for (unsigned i = 0; i < load->shared.plan->nb_streams; i++)
		if (load->shared.plan->nb_streams <= LOAD_INTERVAL_HIST_STREAMS)
			hist_clear(&load->sums[i]);
}

/* Frames of ours whose signature was damaged: they came in this interval, from whom is unknown. */
static uint64_t damaged_take(struct engine *engine, unsigned slot)
{
	uint64_t nb = 0;

	for (unsigned q = 0; q < engine->plan->nb_queues; q++) {
		nb += engine->load->queues[q].rx.bad_slot[slot];
		engine->load->queues[q].rx.bad_slot[slot] = 0;
	}
	return nb;
}

static void latency_tell(const struct load *load, uint32_t stream, const struct hist *h)
{
	if (load->spec->on_latency != NULL && h->count > 0)
		load->spec->on_latency(load->spec->ctx, stream, h);
}

unsigned rows_collect(
	struct engine *engine, const struct result_info *info, uint64_t epoch, uint64_t length_ns)
{
	const struct plan *plan = engine->plan;
	struct load *load = engine->load;
	unsigned slot = (unsigned)(epoch % EPOCH_SLOTS), nb = plan->nb_streams;
	uint64_t end = info->start_unix_ns + epoch * plan->interval_ns + length_ns, damaged;

	port_rows_collect(engine, info, slot);
	hist_clear(load->hist_sum);
	memset(load->rows, 0, (nb + 1) * sizeof(*load->rows));
	/* lanes are ordered by stream: each stream's are merged, then its row is derived */
	for (unsigned l = 0; l < plan->nb_lanes;) {
		unsigned stream = plan->lanes[l].stream;
		struct result_row *row = &load->rows[stream];

		hist_clear(load->hist_one);
		for (; l < plan->nb_lanes && plan->lanes[l].stream == stream; l++) {
			row->n.tx_packet += tx_lane_slot(&load->lanes[l], slot);
			row->n.tx_byte += load->lanes[l].slot_byte[slot];
			load->sent_byte[l] += load->lanes[l].slot_byte[slot];
			load->lanes[l].slot[slot] = load->lanes[l].slot_byte[slot] = 0;
			for (unsigned q = 0; q < plan->nb_queues; q++)
				lane_take(&load->queues[q].rx, l, slot, load, &row->n);
		}
		row->seq = (uint32_t)epoch + 1;
		row->stream = stream;
		row->length_ns = length_ns;
		row->end_unix_ns = end;
		result_row_derive(row, info, load->hist_one);
		if (load->hist_one->count > 0)
			hist_merge(&load->sums[stream], load->hist_one);
		hist_merge(load->hist_sum, load->hist_one);
		latency_tell(load, stream, load->hist_one);
	}
	for (unsigned q = 0; q < plan->nb_queues; q++) {
		if (load->queues[q].tx.many != NULL)
			load->queues[q].tx.many->run[slot].nb = 0;
		if (load->queues[q].rx.interval != NULL)
			hist_take(load->hist_sum, &load->queues[q].rx.interval[slot]);
	}
	latency_tell(load, RESULT_TOT, load->hist_sum);
	damaged = damaged_take(engine, slot);
	if (nb == 1) {
		/* the only stream there is */
		load->rows[0].n.bad += damaged;
		return 1;
	}
	load->rows[nb].seq = (uint32_t)epoch + 1;
	load->rows[nb].stream = RESULT_TOT;
	load->rows[nb].length_ns = length_ns;
	load->rows[nb].end_unix_ns = end;
	result_row_total(&load->rows[nb], load->rows, nb, info, load->hist_sum);
	load->rows[nb].n.bad += damaged;
	return nb + 1;
}

static void stream_total(
	struct engine *engine, const struct result_info *info, unsigned *lane, uint64_t send_ns)
{
	const struct plan *plan = engine->plan;
	struct load *load = engine->load;
	unsigned stream = plan->lanes[*lane].stream, l = *lane;
	struct result_row *row = &load->totals[stream];

	hist_clear(load->hist_one);
	for (; l < plan->nb_lanes && plan->lanes[l].stream == stream; l++) {
		row->n.tx_packet += tx_lane_sent(&load->lanes[l]) - load->undelivered[l];
		if (load->lanes[l].flags & TX_SIZED)
			row->n.tx_byte += load->sent_byte[l] - load->undelivered_byte[l];
		for (unsigned s = 0; s <= EPOCH_SLOTS; s++)
			row->n.tx_byte += load->lanes[l].slot_byte[s];
		row->n.unsent += load->lanes[l].unsent;
		row->n.spill += load->lanes[l].slot[TX_SPILL];
		for (unsigned q = 0; q < plan->nb_queues; q++) {
			const struct rx_queue *rx = &load->queues[q].rx;

			result_counts_add(&row->n, &rx->colds[l].sum);
			result_counts_add(&row->n, &rx->colds[l].rest);
			if (rx->lanes[l].hists != NULL)
				hist_merge(load->hist_one, &rx->lanes[l].hists[RX_HIST_REST]);
		}
	}
	if (plan->nb_streams <= LOAD_INTERVAL_HIST_STREAMS)
		hist_merge(load->hist_one, &load->sums[stream]);
	row->seq = RESULT_TOT;
	row->stream = stream;
	row->length_ns = send_ns;
	row->end_unix_ns = info->start_unix_ns + send_ns;
	result_row_derive(row, info, load->hist_one);
	detail_total(engine, (int)stream, row);
	detail_outage(engine, stream, row);
	hist_merge(load->hist_sum, load->hist_one);
	*lane = l;
}

static void port_counts_add(struct result_port_counts *port, const struct result_counts *n)
{
	port->good += n->good;
	port->duplicate += n->duplicate;
	port->misrouted += n->misrouted;
	port->stray += n->stray;
	port->bad += n->bad;
}

static void port_totals(struct engine *engine, unsigned q)
{
	const struct plan *plan = engine->plan;
	const struct rx_queue *rx = &engine->load->queues[q].rx;
	struct result_port_counts *port = &engine->load->ports[plan->queues[q].port];

	for (unsigned l = 0; l < plan->nb_lanes; l++) {
		port_counts_add(port, &rx->colds[l].sum);
		port_counts_add(port, &rx->colds[l].rest);
		if (plan->lanes[l].queue == q) {
			port->tx_test += tx_lane_sent(&engine->load->lanes[l]) -
					 engine->load->undelivered[l];
			port->tx_undelivered += engine->load->undelivered[l];
		}
	}
	port->bad += rx->nb_class[RX_BAD];
	port->fragment += rx->nb_class[RX_FRAGMENT];
	port->returned += rx->nb_class[RX_RETURNED];
	port->host += rx->nb_class[RX_HOST];
	port->unknown += rx->nb_class[RX_UNKNOWN];
	port->tx_other += rx->nb_class[RX_TX_HOST];
	port->unknown_byte += rx->unknown_byte;
}

static void unknown_text(const struct rx_unknown *u, char *out, size_t size)
{
	char src[UNITS_TEXT_MAX], dst[UNITS_TEXT_MAX], mac[UNITS_TEXT_MAX];

	units_fmt_mac(mac, u->mac_dst);
	if (u->what.ethertype == PKT_ETHERTYPE_IP6 && !units_ip_is_none(u->what.ip_dst))
		snprintf(out, size, "IPv6 protocol %u [%s]:%u > [%s]:%u to %s", u->what.ip_proto,
			units_fmt_ip(src, u->what.ip_src), u->what.l4_src,
			units_fmt_ip(dst, u->what.ip_dst), u->what.l4_dst, mac);
	else if (u->what.ethertype == PKT_ETHERTYPE_IP4 && !units_ip_is_none(u->what.ip_dst))
		snprintf(out, size, "IPv4 protocol %u %s:%u > %s:%u to %s", u->what.ip_proto,
			units_fmt_ip(src, u->what.ip_src), u->what.l4_src,
			units_fmt_ip(dst, u->what.ip_dst), u->what.l4_dst, mac);
	else if (u->what.ethertype == 0x0806)
		snprintf(out, size, "ARP to %s", mac);
	else
		snprintf(out, size, "EtherType 0x%04x to %s", u->what.ethertype, mac);
}

static void kinds_gather(struct engine *engine, struct trial_result *result)
{
	const struct plan *plan = engine->plan;
	struct load *load = engine->load;

	result->nb_unknowns = result->nb_returned = 0;
	for (unsigned q = 0; q < plan->nb_queues; q++) {
		const struct rx_queue *rx = &load->queues[q].rx;

		for (unsigned i = 0; i < RX_UNKNOWN_KINDS; i++) {
			struct result_unknown *out = &load->unknowns[result->nb_unknowns];

			if (rx->unknown[i].count == 0)
				continue;
			out->port = rx->port;
			out->count = rx->unknown[i].count;
			unknown_text(&rx->unknown[i], out->text, sizeof(out->text));
			result->nb_unknowns++;
		}
		for (uint32_t i = 0; i < rx->nb_returned; i++)
			load->returned[result->nb_returned++] = rx->returned[i];
	}
	result->unknowns = load->unknowns;
	result->returned = load->returned;
}

/* Slots of intervals that have no row: nothing of ours is in them, but the totals hold all there is. */
static void leftovers_take(struct engine *engine)
{
	const struct plan *plan = engine->plan;
	struct load *load = engine->load;
	struct result_counts none = {0};

	for (unsigned l = 0; l < plan->nb_lanes; l++) {
		hist_clear(load->hist_one);
		for (unsigned q = 0; q < plan->nb_queues; q++) {
			rx_lane_settle(&load->shared, &load->queues[q].rx, l);
			for (unsigned slot = 0; slot < EPOCH_SLOTS; slot++)
				lane_take(&load->queues[q].rx, l, slot, load, &none);
		}
		if (load->hist_one->count > 0)
			hist_merge(&load->sums[plan->lanes[l].stream], load->hist_one);
	}
}

void rows_totals(struct engine *engine, const struct result_info *info, struct trial_result *result)
{
	const struct plan *plan = engine->plan;
	struct load *load = engine->load;

	leftovers_take(engine);
	memset(load->totals, 0, plan->nb_streams * sizeof(*load->totals));
	memset(&result->total, 0, sizeof(result->total));
	hist_clear(load->hist_sum);
	for (unsigned l = 0; l < plan->nb_lanes;)
		stream_total(engine, info, &l, result->send_ns);
	for (unsigned q = 0; q < plan->nb_queues; q++)
		port_totals(engine, q);
	result->total.seq = RESULT_TOT;
	result->total.stream = RESULT_TOT;
	result->total.length_ns = result->send_ns;
	result->total.end_unix_ns = info->start_unix_ns + result->send_ns;
	result_row_total(&result->total, load->totals, plan->nb_streams, info, load->hist_sum);
	detail_total(engine, -1, &result->total);
	result->total.n.bad = 0;
	for (unsigned p = 0; p < plan->nb_ports; p++)
		result->total.n.bad += load->ports[p].bad;
	if (plan->nb_streams == 1)
		load->totals[0].n.bad = result->total.n.bad;
	kinds_gather(engine, result);
	result->totals = load->totals;
	result->nb_totals = plan->nb_streams;
	result->ports = load->ports;
}

void rows_latency(void *ctx, uint32_t stream, struct hist *out)
{
	const struct engine *engine = ctx;
	const struct plan *plan = engine->plan;
	const struct load *load = engine->load;

	hist_reset(out);
	for (unsigned l = stream == RESULT_TOT ? 0 : load->first_lane[stream]; l < plan->nb_lanes;
		l++) {
		if (stream != RESULT_TOT && plan->lanes[l].stream != stream)
			break;
		if (plan->lanes[l].index == 0 && plan->nb_streams <= LOAD_INTERVAL_HIST_STREAMS)
			hist_merge(out, &load->sums[plan->lanes[l].stream]);
		for (unsigned q = 0; q < plan->nb_queues; q++)
			if (load->queues[q].rx.lanes[l].hists != NULL)
				hist_merge(out, &load->queues[q].rx.lanes[l].hists[RX_HIST_REST]);
	}
}
