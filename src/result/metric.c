/* SPDX-License-Identifier: BSD-3-Clause */
#include "tgen/result.h"

#include <string.h>

#define ROW(field) offsetof(struct result_row, field)
#define RX	   METRIC_NEEDS_RX
#define ORDER	   (METRIC_NEEDS_RX | METRIC_NEEDS_ORDER)
#define LAT	   (METRIC_NEEDS_RX | METRIC_NEEDS_LAT)
#define TOTAL	   (METRIC_NEEDS_RX | METRIC_NEEDS_TOTAL)
#define PDV	   (TOTAL | METRIC_NEEDS_LAT)
#define IPDV	   (TOTAL | METRIC_NEEDS_IPDV)
#define INTENDED   (TOTAL | METRIC_NEEDS_INTENDED)
#define OUTAGE	   (TOTAL | METRIC_NEEDS_OUTAGE)
#define GAP	   (OUTAGE | METRIC_NEEDS_GAP)

/* The order is that of the table's columns and of the machine forms. */
/* clang-format off */
const struct metric metric_table[] = {
	{"tx-packet", "TX-PACKET", METRIC_COUNT, ROW(n.tx_packet), 11, true, 0, NULL,
		"frames sent: accepted by the driver and not reported undelivered"},
	{"tx-rate", "TX-RATE", METRIC_BPS, ROW(tx_bps), 10, true, 0, "bit/s",
		"rate of the frames sent, on rate-layer"},
	{"rx-packet", "RX-PACKET", METRIC_COUNT, ROW(n.good), 11, true, RX, NULL,
		"good frames received of those sent in the interval"},
	{"rx-rate", "RX-RATE", METRIC_BPS, ROW(rx_bps), 10, true, RX, "bit/s",
		"rate of the good frames received, on rate-layer"},
	{"rx-ooo", "RX-OOO", METRIC_COUNT, ROW(n.ooo), 6, true, ORDER, NULL,
		"good frames out of order: sequence lower than the highest seen in lane and rx queue"},
	{"rx-bad-csum", "RX-BAD-CSUM", METRIC_COUNT, ROW(n.bad), 11, true, RX, NULL,
		"frames whose signature or a checksum that covers it is wrong; with a damaged "
		"signature only in the sum of all streams"},
	{"lost-packet", "LOST-PACKET", METRIC_SIGNED, ROW(lost_packet), 11, true, RX, NULL,
		"frames sent in the interval and not received, never negative"},
	{"lost-rate", "LOST-RATE", METRIC_BPS, ROW(lost_bps), 10, true, RX, "bit/s",
		"rate of the frames lost, on rate-layer"},
	{"lost-ratio", "LOST-RATIO", METRIC_RATIO, ROW(lost_packet), 10, true, RX, "fraction",
		"frames lost of those sent"},
	{"lat-min", "LAT-MIN", METRIC_NS, ROW(lat.min), 7, true, LAT, "ns",
		"lowest latency: rx stamp less tx stamp"},
	{"lat-avg", "LAT-AVG", METRIC_NS, ROW(lat.mean), 7, true, LAT, "ns", "mean latency"},
	{"lat-max", "LAT-MAX", METRIC_NS, ROW(lat.max), 7, true, LAT, "ns", "highest latency"},
	{"jitter", "JITTER", METRIC_NS, ROW(jitter_ns), 7, true, LAT, "ns",
		"lat-max less lat-min of the row"},
	{"tx-byte", "TX-BYTE", METRIC_COUNT, ROW(tx_byte), 15, false, 0, NULL,
		"bytes sent, without FCS"},
	{"rx-byte", "RX-BYTE", METRIC_COUNT, ROW(rx_byte), 15, false, RX, NULL,
		"bytes of the good frames received, without FCS"},
	{"tx-pps", "TX-PPS", METRIC_UPPS, ROW(tx_upps), 14, false, 0, "packets/s",
		"frames sent a second"},
	{"rx-pps", "RX-PPS", METRIC_UPPS, ROW(rx_upps), 14, false, RX, "packets/s",
		"good frames received a second"},
	{"lost-byte", "LOST-BYTE", METRIC_COUNT, ROW(lost_byte), 15, false, RX, NULL,
		"bytes of the frames lost, without FCS"},
	{"duplicate", "DUPLICATE", METRIC_COUNT, ROW(n.duplicate), 9, false, RX, NULL,
		"frames received once more than sent"},
	{"misrouted", "MISROUTED", METRIC_COUNT, ROW(n.misrouted), 9, false, RX, NULL,
		"frames received on a port that is not the stream's"},
	{"stray", "STRAY", METRIC_COUNT, ROW(n.stray), 9, false, RX, NULL,
		"frames received that were sent before this run began"},
	{"returned", "RETURNED", METRIC_COUNT, ROW(n.returned), 9, false, RX, NULL,
		"ICMP errors received about the stream's frames"},
	{"late", "LATE", METRIC_COUNT, ROW(n.late), 9, false, TOTAL, NULL,
		"good frames that came after their row was closed, in no row; for the whole run only"},
	{"spill", "SPILL", METRIC_COUNT, ROW(n.spill), 9, false, METRIC_NEEDS_TOTAL, NULL,
		"frames in no row because rows were read too slowly; for the whole run only"},
	{"unsent", "UNSENT", METRIC_COUNT, ROW(n.unsent), 9, false, 0, NULL,
		"frames the schedule wanted and the driver did not take"},
	{"lat-p50", "LAT-P50", METRIC_NS, ROW(lat.p50), 7, false, LAT, "ns", "median latency"},
	{"lat-p90", "LAT-P90", METRIC_NS, ROW(lat.p90), 7, false, LAT, "ns",
		"latency that 90 % of the frames do not exceed"},
	{"lat-p99", "LAT-P99", METRIC_NS, ROW(lat.p99), 7, false, LAT, "ns",
		"latency that 99 % of the frames do not exceed"},
	{"lat-p99.9", "LAT-P99.9", METRIC_NS, ROW(lat.p999), 9, false, LAT, "ns",
		"latency that 99.9 % of the frames do not exceed"},
	{"lat-count", "LAT-COUNT", METRIC_COUNT, ROW(lat.count), 11, false, RX, NULL,
		"frames in the latency figures"},
	{"lat-negative", "LAT-NEGATIVE", METRIC_COUNT, ROW(n.lat_negative), 12, false, RX, NULL,
		"good frames whose rx stamp is before their tx stamp, in no latency figure"},
	{"last-fragment", "LAST-FRAGMENT", METRIC_COUNT, ROW(n.last_fragment), 13, false, RX, NULL,
		"good frames of which only the last IP fragment is counted, as it carries the signature"},
	{"pdv", "PDV", METRIC_NS, ROW(pdv_ns), 7, false, PDV, "ns",
		"packet delay variation of RFC 8219: lat-p99.9 less lat-min; for the whole run only"},
	{"ipdv-min", "IPDV-MIN", METRIC_SIGNED_NS, ROW(ipdv.min), 8, false, IPDV, "ns",
		"lowest inter-packet delay variation of RFC 8219: latency of a frame less that of the "
		"one sent before it, of those received in order; for the whole run only"},
	{"ipdv-median", "IPDV-MEDIAN", METRIC_SIGNED_NS, ROW(ipdv.median), 11, false, IPDV, "ns",
		"median inter-packet delay variation; for the whole run only"},
	{"ipdv-max", "IPDV-MAX", METRIC_SIGNED_NS, ROW(ipdv.max), 8, false, IPDV, "ns",
		"highest inter-packet delay variation; for the whole run only"},
	{"lat-intended-p50", "LAT-INTENDED-P50", METRIC_NS, ROW(intended.p50), 16, false, INTENDED,
		"ns", "median time from the schedule of a frame to its arrival (latency-intended=yes), "
		"inf where that many frames were lost or not sent; for the whole run only"},
	{"lat-intended-p99", "LAT-INTENDED-P99", METRIC_NS, ROW(intended.p99), 16, false, INTENDED,
		"ns", "the same that 99 % of the frames do not exceed"},
	{"lat-intended-p99.9", "LAT-INTENDED-P99.9", METRIC_NS, ROW(intended.p999), 18, false,
		INTENDED, "ns", "the same that 99.9 % of the frames do not exceed"},
	{"lat-intended-max", "LAT-INTENDED-MAX", METRIC_NS, ROW(intended.max), 16, false, INTENDED,
		"ns", "the same that no frame exceeds: inf when any was lost or not sent"},
	{"outage", "OUTAGE", METRIC_NS, ROW(outage.length_ns), 7, true, OUTAGE, "ns",
		"longest time, by the send times of a stream, without a good frame, less one interval of "
		"the stream; 0 when nothing was lost; of all streams the longest; for the whole run only"},
	{"outage-begin", "OUTAGE-BEGIN", METRIC_NS, ROW(outage.begin_ns), 12, false, GAP, "ns",
		"begin of that time, after the start of the run; unknown when the outage is 0"},
	{"outage-lost", "OUTAGE-LOST", METRIC_COUNT, ROW(outage.lost), 11, false, OUTAGE, NULL,
		"frames lost in that time"},
	{"last-loss", "LAST-LOSS", METRIC_NS, ROW(outage.last_loss_ns), 9, false, OUTAGE, "ns",
		"when the last frame that was lost had been sent, after the start of the run; 0 when "
		"nothing was lost; for the whole run only"},
};
/* clang-format on */
const unsigned metric_nb = sizeof(metric_table) / sizeof(metric_table[0]);

const struct metric *metric_find(const char *name)
{
	for (unsigned i = 0; i < metric_nb; i++)
		if (strcmp(metric_table[i].name, name) == 0)
			return &metric_table[i];
	return NULL;
}

static bool has_rx(const struct result_row *row, const struct result_info *info)
{
	if (row->stream != RESULT_TOT)
		return !info->streams[row->stream].transmit_only;
	for (unsigned i = 0; i < info->nb_streams; i++)
		if (!info->streams[i].transmit_only)
			return true;
	return false;
}

/* Of enum metric_needs: what the row has. */
static unsigned row_has(const struct result_row *row, const struct result_info *info)
{
	unsigned has = 0;

	if (has_rx(row, info))
		has |= METRIC_NEEDS_RX;
	if (info->order_measured)
		has |= METRIC_NEEDS_ORDER;
	if (row->lat.count > 0)
		has |= METRIC_NEEDS_LAT;
	if (row->seq == RESULT_TOT)
		has |= METRIC_NEEDS_TOTAL;
	if (info->intended_measured && row->intended.count > 0)
		has |= METRIC_NEEDS_INTENDED;
	if (row->ipdv.count > 0)
		has |= METRIC_NEEDS_IPDV;
	if (row->outage.known)
		has |= METRIC_NEEDS_OUTAGE;
	if (row->outage.length_ns > 0)
		has |= METRIC_NEEDS_GAP;
	return has;
}

bool metric_known(
	const struct metric *metric, const struct result_row *row, const struct result_info *info)
{
	return metric->needs == 0 || (metric->needs & ~row_has(row, info)) == 0;
}

uint64_t metric_value(const struct metric *metric, const struct result_row *row)
{
	uint64_t value;

	memcpy(&value, (const char *)row + metric->offset, sizeof(value));
	return value;
}

uint64_t metric_whole(const struct result_row *row)
{
	return (uint64_t)row->lost_packet + row->n.good;
}
