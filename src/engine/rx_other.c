/* SPDX-License-Identifier: BSD-3-Clause */
#include "rx_private.h"

#include <string.h>

/* What is received and is no test frame of ours: errors, hosts' frames, the unknown. */

static bool same_look(const struct rx_unknown *u, const struct pkt_rx *what, uint64_t mac_dst)
{
	return u->mac_dst == mac_dst && u->what.ethertype == what->ethertype &&
	       units_ip_equal(u->what.ip_src, what->ip_src) &&
	       units_ip_equal(u->what.ip_dst, what->ip_dst) && u->what.ip_proto == what->ip_proto &&
	       u->what.l4_dst == what->l4_dst;
}

/* Keeps the commonest kinds: a new one takes over the rarest and its count (space saving). */
void rx_count_unknown(
	struct rx_queue *q, const struct pkt_rx *what, const uint8_t *frame, unsigned len)
{
	uint64_t mac_dst = len >= 6 ? units_mac_number(frame) : 0;
	struct rx_unknown *rarest = &q->unknown[0];

	q->nb_class[RX_UNKNOWN]++;
	q->unknown_byte += len;
	for (unsigned i = 0; i < RX_UNKNOWN_KINDS; i++) {
		struct rx_unknown *u = &q->unknown[i];

		if (u->count > 0 && same_look(u, what, mac_dst)) {
			u->count++;
			return;
		}
		if (u->count < rarest->count)
			rarest = u;
	}
	rarest->what = *what;
	rarest->mac_dst = mac_dst;
	rarest->count++;
}

/* An address that varies is no mark of a stream. */
static bool is_quoted(struct units_ip mine, struct units_ip quoted)
{
	return units_ip_is_none(mine) || units_ip_equal(mine, quoted);
}

/* The stream that an ICMP error quotes: by lane when the signature is whole, else by its headers. */
static int quoted_stream(const struct trial_shared *sh, const struct pkt_rx *rx)
{
	const struct pkt_quote *quote = &rx->quote;

	if (quote->has_sig) {
		if (rx->sig.lane >= sh->plan->nb_lanes || rx_before_trial(sh, rx->sig.time_ns))
			return -1;
		return sh->lanes[rx->sig.lane].stream;
	}
	for (unsigned i = 0; i < sh->plan->nb_streams; i++) {
		const struct pkt_quote *mine = &sh->quotes[i];

		if (mine->ip_proto != 0 && mine->ip_proto == quote->ip_proto &&
			is_quoted(mine->ip_src, quote->ip_src) &&
			is_quoted(mine->ip_dst, quote->ip_dst) &&
			(mine->l4_src == quote->l4_src || mine->l4_src == 0) &&
			(mine->l4_dst == quote->l4_dst || mine->l4_dst == 0))
			return (int)i;
	}
	return -1;
}

static void count_returned(
	struct worker *w, struct rx_queue *q, const struct pkt_rx *rx, int stream)
{
	/* the stream's first lane stands for it: an error without a signature names no lane */
	unsigned lane = w->shared->first_lane[stream];
	struct result_counts *counts = NULL;
	struct result_returned *entry = NULL;

	if (rx->quote.has_sig)
		counts = rx_slot(w, q, lane, rx->sig.epoch);
	if (counts == NULL)
		counts = &q->colds[lane].rest;
	counts->returned++;
	q->nb_class[RX_RETURNED]++;
	for (uint32_t i = 0; i < q->nb_returned && entry == NULL; i++) {
		struct result_returned *r = &q->returned[i];

		if (r->stream == (uint32_t)stream && r->type == rx->icmp_type &&
			r->code == rx->icmp_code && units_ip_equal(r->from, rx->ip_src))
			entry = r;
	}
	if (entry == NULL) {
		if (q->nb_returned == RX_RETURNED_KINDS)
			return;
		entry = &q->returned[q->nb_returned++];
		*entry = (struct result_returned){.stream = (uint32_t)stream,
			.type = rx->icmp_type,
			.code = rx->icmp_code,
			.from = rx->ip_src};
	}
	entry->count++;
}

/* A damaged signature names no lane that could be trusted: the port counts it, when it came. */
void rx_count_bad(struct worker *w, struct rx_queue *q, const struct pkt_rx *rx)
{
	struct result_counts *counts;

	if (rx->sig_good && rx->sig.lane < w->shared->plan->nb_lanes &&
		!rx_before_trial(w->shared, rx->sig.time_ns)) {
		counts = rx_slot(w, q, rx->sig.lane, rx->sig.epoch);
		if (counts == NULL)
			counts = &q->colds[rx->sig.lane].rest;
		counts->bad++;
		return;
	}
	q->nb_class[RX_BAD]++;
	if (epoch_place(&w->epoch, w->cur_epoch) == EPOCH_IN_SLOT)
		q->bad_slot[w->cur_epoch % EPOCH_SLOTS]++;
}

static void unknown_frame(struct worker *w, struct rx_queue *q, const struct pkt_rx *rx,
	const uint8_t *frame, unsigned len)
{
	unsigned slot = (unsigned)(w->cur_epoch % EPOCH_SLOTS);

	rx_count_unknown(q, rx, frame, len);
	if (epoch_place(&w->epoch, w->cur_epoch) != EPOCH_IN_SLOT)
		return;
	q->unknown_slot[slot]++;
	q->unknown_byte_slot[slot] += len;
}

void rx_other(struct worker *w, struct worker_queue *q, const struct pkt_rx *rx,
	const uint8_t *frame, unsigned len)
{
	const struct trial_shared *sh = w->shared;
	unsigned reply_len = 0;
	struct rte_mbuf *m;
	int stream;

	if (rx->cls == PKT_BAD) {
		rx_count_bad(w, &q->rx, rx);
		return;
	}
	if (rx->cls == PKT_ICMP_ERROR) {
		stream = quoted_stream(sh, rx);
		if (stream >= 0) {
			count_returned(w, &q->rx, rx, stream);
			return;
		}
	}
	switch (host_input(&sh->hosts[q->rx.port], frame, len, w->scratch, &reply_len)) {
	case HOST_NOT_OURS:
		if (rx->cls == PKT_FRAGMENT)
			q->rx.nb_class[RX_FRAGMENT]++;
		else
			unknown_frame(w, &q->rx, rx, frame, len);
		return;
	case HOST_ANSWER:
		m = rte_pktmbuf_alloc(sh->ctl_pool);
		if (m != NULL && reply_len <= rte_pktmbuf_tailroom(m)) {
			memcpy(rte_pktmbuf_append(m, (uint16_t)reply_len), w->scratch, reply_len);
			if (rte_eth_tx_burst(q->tx.port_id, q->tx.queue_id, &m, 1) == 1) {
				q->rx.nb_class[RX_TX_HOST]++;
				m = NULL;
			}
		}
		rte_pktmbuf_free(m);
		break;
	case HOST_TAKEN:
		break;
	}
	q->rx.nb_class[RX_HOST]++;
}
