/* SPDX-License-Identifier: BSD-3-Clause */
#include "load.h"

/* What totals tell beyond counts and latency: IPDV, latency against the schedule, outages. Main only. */

/* A signed quantile over two histograms of magnitudes; ppm of the samples are not above it. */
static int64_t signed_percentile(const struct hist *below, const struct hist *above, uint64_t ppm)
{
	uint64_t count = below->count + above->count, rank = count * ppm / 1000000u;

	/* the largest magnitudes below zero come first */
	if (rank < below->count)
		return -(int64_t)hist_percentile(
			below, (uint32_t)((below->count - rank) * 1000000u / below->count));
	if (above->count == 0)
		return -(int64_t)below->min;
	return (int64_t)hist_percentile(
		above, (uint32_t)((rank - below->count + 1) * 1000000u / above->count));
}

static void ipdv_set(struct result_row *row, const struct hist *earlier, const struct hist *later)
{
	if (earlier->count + later->count == 0)
		return;
	row->ipdv = (struct result_ipdv){
		.count = earlier->count + later->count,
		.min = earlier->count > 0 ? -(int64_t)earlier->max : (int64_t)later->min,
		.median = signed_percentile(earlier, later, 500000),
		.max = later->count > 0 ? (int64_t)later->max : -(int64_t)earlier->min,
	};
}

/* A percentile in which the frames that did not come count as infinite. */
static uint64_t with_missing(const struct hist *h, uint64_t missing, uint32_t ppm)
{
	unsigned __int128 all = (unsigned __int128)h->count + missing,
			  rank = (all * ppm + 999999u) / 1000000u;

	if (rank > h->count)
		return RESULT_INFINITE;
	return hist_percentile(h, (uint32_t)(rank * 1000000u / h->count));
}

static void intended_set(struct result_row *row, const struct hist *h)
{
	uint64_t missing = row->n.unsent;

	if (row->n.tx_packet > row->n.good)
		missing += row->n.tx_packet - row->n.good;
	if (h->count == 0)
		return;
	row->intended = (struct result_latency){
		.count = h->count,
		.min = h->min,
		.mean = missing > 0 ? RESULT_INFINITE : hist_mean(h),
		.max = missing > 0 ? RESULT_INFINITE : h->max,
		.p50 = with_missing(h, missing, 500000),
		.p90 = with_missing(h, missing, 900000),
		.p99 = with_missing(h, missing, 990000),
		.p999 = with_missing(h, missing, 999000),
	};
}

/* Adds up one lane's detail histograms of all queues: earlier, later, intended. */
static void details_merge(
	const struct load *load, const struct plan *plan, unsigned lane, struct hist *out)
{
	for (unsigned q = 0; q < plan->nb_queues; q++) {
		const struct rx_queue *rx = &load->queues[q].rx;
		const struct hist *h = rx->lanes[lane].hists;

		rx_ipdv_merge(rx, lane, RX_EARLIER, &out[0]);
		rx_ipdv_merge(rx, lane, RX_LATER, &out[1]);
		if (h != NULL && rx->nb_hists > RX_HIST_INTENDED)
			hist_merge(&out[2], &h[RX_HIST_INTENDED]);
	}
}

void detail_total(struct engine *engine, int stream, struct result_row *row)
{
	const struct plan *plan = engine->plan;
	struct hist *h = engine->load->hist_detail;

	for (unsigned i = 0; i < 3; i++)
		hist_clear(&h[i]);
	/* the lanes of a stream are side by side */
	for (unsigned l = stream < 0 ? 0 : engine->load->first_lane[stream];
		l < plan->nb_lanes && (stream < 0 || plan->lanes[l].stream == (unsigned)stream);
		l++)
		details_merge(engine->load, plan, l, h);
	ipdv_set(row, &h[0], &h[1]);
	if (plan->measure_intended)
		intended_set(row, &h[2]);
}

/* ---- outages ---- */

/* The gaps of one lane: of the queue that saw it, or what is missing on all that did. */
static void lane_outages(const struct engine *engine, unsigned lane, struct outage_set *out,
	uint64_t *interval_ns, uint64_t *loss_ns)
{
	const struct plan *plan = engine->plan;
	const struct plan_stream *s = &plan->streams[plan->lanes[lane].stream];
	const struct tx_lane *tx = &engine->load->lanes[lane];
	uint64_t start_ns = engine->load->shared.start_ns, last_ns = tx_lane_last_ns(tx);
	uint64_t span = last_ns - tx->first_ns;
	struct outage_sent sent = {
		.nb = tx_lane_sent(tx),
		.first_seq = (uint32_t)tx->start_seq,
		.first_ns = OUTAGE_BASE_NS + ((tx->first_ns - start_ns) & SIG_TIME_MASK),
		.last_ns = OUTAGE_BASE_NS + ((last_ns - start_ns) & SIG_TIME_MASK),
	};
	struct outage_track none = {0};
	bool any = false;

	*loss_ns = 0;
	if (!s->flat_out && sched_is_plain(&s->sched))
		sent.interval_ns = (uint64_t)((unsigned __int128)s->asked.den *
					      plan->lanes[lane].nb * UNITS_NS_PER_S / s->asked.num);
	else if (sent.nb > 1)
		sent.interval_ns = span / (sent.nb - 1);
	*interval_ns = sent.interval_ns;
	for (unsigned q = 0; q < plan->nb_queues; q++) {
		const struct outage_track *t = &engine->load->queues[q].rx.colds[lane].outage;
		struct outage_set set;

		if (!t->any)
			continue;
		outage_close(t, &sent, any ? &set : out);
		/* of frames that came in by several queues the gaps alone tell */
		*loss_ns = any ? 0 : outage_last_loss(t, &sent);
		if (any)
			outage_intersect(out, &set);
		any = true;
	}
	if (any)
		return;
	outage_close(&none, &sent, out);
	*loss_ns = sent.last_ns;
}

void detail_outage(const struct engine *engine, unsigned stream, struct result_row *row)
{
	const struct plan *plan = engine->plan;
	struct outage_set sets[PLAN_MAX_QUEUES], all = {0};
	const struct outage_gap *gap;
	uint64_t interval_ns = 0, last_ns = 0;
	unsigned nb = 0;

	row->outage.known = plan->measure_order && !plan->streams[stream].transmit_only;
	if (!row->outage.known || row->n.tx_packet <= row->n.good)
		return;
	for (unsigned l = engine->load->first_lane[stream];
		l < plan->nb_lanes && plan->lanes[l].stream == stream; l++)
		if (tx_lane_sent(&engine->load->lanes[l]) > 0 && nb < PLAN_MAX_QUEUES) {
			uint64_t lane_ns;

			lane_outages(engine, l, &sets[nb++], &interval_ns, &lane_ns);
			if (lane_ns > last_ns)
				last_ns = lane_ns;
		}
	if (nb == 0)
		return;
	row->outage.last_loss_ns = last_ns > OUTAGE_BASE_NS ? last_ns - OUTAGE_BASE_NS : 0;
	all = sets[0];
	for (unsigned k = 1; k < nb; k++) {
		struct outage_set other = sets[k];

		outage_forget_seqs(&all);
		outage_forget_seqs(&other);
		outage_intersect(&all, &other);
	}
	gap = outage_longest(&all);
	if (gap == NULL)
		return;
	/* lanes take turns: the stream's interval is a lane's divided by their number */
	interval_ns /= nb;
	row->outage.length_ns = gap->hi_ns - gap->lo_ns;
	row->outage.length_ns -=
		interval_ns < row->outage.length_ns ? interval_ns : row->outage.length_ns;
	row->outage.begin_ns = gap->lo_ns + interval_ns > OUTAGE_BASE_NS
				       ? gap->lo_ns + interval_ns - OUTAGE_BASE_NS
				       : 0;
	for (unsigned k = 0; k < nb; k++)
		row->outage.lost += outage_lost(&sets[k], gap);
}
