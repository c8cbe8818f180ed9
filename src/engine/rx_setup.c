/* SPDX-License-Identifier: BSD-3-Clause */
#include "load.h"

#include <errno.h>
#include <string.h>

#include "tgen/pkt_udp4.h"

/* Lanes as a queue's receiver has them: their memory, and what they begin a trial with. */

#define FAR_LANES 64u /* more of them do not stay in the nearest cache */

static bool wants_hist(const struct plan *plan, unsigned lane, unsigned port)
{
	const struct plan_stream *s = &plan->streams[plan->lanes[lane].stream];

	return !s->transmit_only && (s->route.rx_port < 0 || s->route.rx_port == (int)port);
}

/* Few streams have histograms of every interval and all that goes with them. */
static bool wants_all(const struct plan *plan)
{
	return plan->nb_streams <= LOAD_INTERVAL_HIST_STREAMS;
}

static unsigned hists_of_lane(const struct plan *plan)
{
	if (!wants_all(plan))
		return RX_HIST_REST + 1;
	return plan->measure_intended ? RX_HIST_NB : RX_HIST_INTENDED;
}

/* Of a lane on the queues of its own port. */
static size_t lane_bytes(const struct plan *plan)
{
	return hists_of_lane(plan) * sizeof(struct hist) +
	       (wants_all(plan) ? sizeof(struct rx_ipdv) : 0);
}

static size_t hist_bytes(const struct plan *plan, unsigned queue)
{
	size_t bytes = wants_all(plan) ? 0 : EPOCH_SLOTS * sizeof(struct hist);

	for (unsigned l = 0; l < plan->nb_lanes; l++)
		bytes += wants_hist(plan, l, plan->queues[queue].port) ? lane_bytes(plan) : 0;
	return bytes;
}

size_t rx_queue_bytes(const struct plan *plan, unsigned queue)
{
	return plan->nb_lanes * (sizeof(struct rx_lane) + sizeof(struct rx_cold)) +
	       hist_bytes(plan, queue);
}

/* What is known of a lane's frames beforehand. */
static void lane_setup(
	const struct plan *plan, unsigned l, struct rx_lane *lane, struct rx_cold *cold)
{
	const struct plan_stream *s = &plan->streams[plan->lanes[l].stream];
	const struct pkt_frame *f = &s->frame;
	unsigned l4_off;

	lane->mixed = f->sizes != NULL && f->sizes->nb > 1;
	cold->sizes.largest = f->size;
	if (lane->mixed) {
		cold->sizes.order = f->sizes->order;
		cold->sizes.bytes = f->sizes->bytes;
		cold->sizes.period = f->sizes->period;
		cold->sizes.step = plan->lanes[l].nb % f->sizes->period;
	}
	lane->minus_ns = (uint32_t)s->lat_minus_ns;
	lane->verify = plan->verify_checksum != VERIFY_NO && f->l4_right;
	lane->ip6 = f->in_version == 6;
	l4_off = lane->ip6 ? PKT_UDP6_IP_BYTES : PKT_UDP4_L4_OFF - PKT_UDP4_L3_OFF;
	if (f->l4_proto == PKT_IP_PROTO_UDP && f->l4_off == f->in_off + l4_off)
		cold->sizes.ip_bytes = (uint16_t)(f->size - f->in_off);
	if (!lane->ip6 && !lane->mixed)
		lane->ip4_bytes = cold->sizes.ip_bytes;
}

int rx_queue_memory(struct engine *engine, struct load *load, unsigned queue)
{
	const struct plan *plan = engine->plan;
	struct rx_queue *q = &load->queues[queue].rx;
	unsigned port = plan->queues[queue].port;
	int node = engine->ports[port].node;
	uint8_t *mem;

	q->lanes = engine_mem_get(&engine->mem, plan->nb_lanes * sizeof(*q->lanes), node);
	q->colds = engine_mem_get(&engine->mem, plan->nb_lanes * sizeof(*q->colds), node);
	mem = engine_mem_get(&engine->mem, hist_bytes(plan, queue), node);
	if (q->lanes == NULL || q->colds == NULL || mem == NULL)
		return -ENOMEM;
	q->nb_hists = hists_of_lane(plan);
	q->far = plan->nb_lanes > FAR_LANES;
	q->port_id = engine->ports[port].id;
	q->queue_id = plan->queues[queue].queue;
	q->port = (uint16_t)port;
	q->csum_in_hardware = engine->ports[port].csum_in_hardware;
	if (!wants_all(plan)) {
		q->interval = (struct hist *)mem;
		mem += EPOCH_SLOTS * sizeof(struct hist);
	}
	for (unsigned l = 0; l < plan->nb_lanes; l++) {
		lane_setup(plan, l, &q->lanes[l], &q->colds[l]);
		if (!wants_hist(plan, l, port))
			continue;
		q->lanes[l].hists =
			(struct hist *)(mem + (wants_all(plan) ? sizeof(struct rx_ipdv) : 0));
		mem += lane_bytes(plan);
		/* the others need more than the short way knows */
		q->lanes[l].quick = !plan->verify_data && !plan->measure_intended &&
				    engine->ports[port].nb_queues == 1 &&
				    plan->streams[plan->lanes[l].stream].lat_minus_ns <=
					    (q->lanes[l].mixed ? 0 : UINT32_MAX);
	}
	return 0;
}

static bool has_ipdv(const struct rx_lane *lane, enum rx_ipdv_side side)
{
	return lane->ipdv_low <= lane->ipdv_high &&
	       (side == RX_EARLIER ? lane->ipdv_low <= 0 : lane->ipdv_high > 0);
}

/* What was never recorded need not be written. */
static void ipdv_reset(struct rx_lane *lane, struct rx_cold *cold)
{
	for (enum rx_ipdv_side side = 0; side < RX_SIDES; side++) {
		struct rx_ipdv *ipdv = rx_lane_ipdv(lane);

		cold->ipdv_overflow[side] = 0;
		if (!has_ipdv(lane, side))
			continue;
		memset(ipdv->bucket[side], 0, sizeof(ipdv->bucket[side]));
		memset(ipdv->carry[side], 0, sizeof(ipdv->carry[side]));
	}
	lane->ipdv_low = INT64_MAX;
	lane->ipdv_high = INT64_MIN;
}

void rx_ipdv_merge(const struct rx_queue *q, unsigned l, enum rx_ipdv_side side, struct hist *out)
{
	const struct rx_lane *lane = &q->lanes[l];
	const struct rx_ipdv *ipdv = rx_lane_ipdv(lane);
	uint64_t overflow = q->colds[l].ipdv_overflow[side], nb, least, most;
	unsigned i = 0;

	if (lane->hists == NULL || q->interval != NULL || !has_ipdv(lane, side))
		return;
	out->overflow += overflow;
	out->count += overflow;
	while (i < HIST_NB_BUCKETS && (ipdv->bucket[side][i] | ipdv->carry[side][i]) == 0)
		i++;
	/* the extreme nearer to zero is known of one side only */
	least = i < HIST_NB_BUCKETS ? hist_bucket_low(i) : 1ull << HIST_MAX_BITS;
	if (side == RX_EARLIER) {
		most = (uint64_t)-lane->ipdv_low;
		least = lane->ipdv_high <= 0 ? (uint64_t)-lane->ipdv_high : least;
	} else {
		most = (uint64_t)lane->ipdv_high;
		least = lane->ipdv_low > 0 ? (uint64_t)lane->ipdv_low : least;
	}
	out->min = least < out->min ? least : out->min;
	out->max = most > out->max ? most : out->max;
	for (; i < HIST_NB_BUCKETS; i++) {
		nb = ((uint64_t)ipdv->carry[side][i] << 16) + ipdv->bucket[side][i];
		out->bucket[i] += nb;
		out->count += nb;
	}
}

static void lane_reset(struct rx_queue *q, unsigned l, uint32_t next_seq)
{
	struct rx_lane *lane = &q->lanes[l];
	struct rx_cold *cold = &q->colds[l];

	lane->in_step = false;
	lane->seq_sent = next_seq;
	memset(lane->good, 0, sizeof(lane->good));
	cold->start_seq = next_seq;
	cold->highest = cold->intended_unknown = 0;
	cold->foreign = cold->has_last = false;
	if (lane->hists != NULL && q->interval == NULL)
		ipdv_reset(lane, cold);
	order_reset(&cold->order, next_seq);
	outage_reset(&cold->outage);
	memset(cold->slot, 0, sizeof(cold->slot));
	memset(&cold->rest, 0, sizeof(cold->rest));
	memset(&cold->sum, 0, sizeof(cold->sum));
	for (unsigned i = 0; lane->hists != NULL && i < q->nb_hists; i++)
		hist_clear(&lane->hists[i]);
}

void rx_queue_reset(struct rx_queue *q, const struct load *load)
{
	unsigned nb = load->shared.plan->nb_lanes;

	for (unsigned l = 0; l < nb; l++) {
		uint32_t next_seq =
			(uint32_t)atomic_load_explicit(load->seqs[l], memory_order_relaxed);

		lane_reset(q, l, next_seq);
		if (q->shared == NULL)
			continue;
		rte_spinlock_init(&q->shared[l].lock);
		order_reset(&q->shared[l].order, next_seq);
	}
	for (unsigned s = 0; q->interval != NULL && s < EPOCH_SLOTS; s++)
		hist_clear(&q->interval[s]);
	memset(q->nb_class, 0, sizeof(q->nb_class));
	memset(q->bad_slot, 0, sizeof(q->bad_slot));
	memset(q->unknown_slot, 0, sizeof(q->unknown_slot));
	memset(q->unknown_byte_slot, 0, sizeof(q->unknown_byte_slot));
	memset(q->unknown, 0, sizeof(q->unknown));
	q->unknown_byte = 0;
	q->nb_returned = 0;
}
