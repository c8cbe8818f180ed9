/* SPDX-License-Identifier: BSD-3-Clause */
#include "tgen/result.h"

#include <string.h>

#define ROW(field) offsetof(struct result_row, field)
#define RX	   METRIC_NEEDS_RX
#define ORDER	   (METRIC_NEEDS_RX | METRIC_NEEDS_ORDER)
#define LAT	   (METRIC_NEEDS_RX | METRIC_NEEDS_LAT)
#define TOTAL	   (METRIC_NEEDS_RX | METRIC_NEEDS_TOTAL)

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

bool metric_known(
	const struct metric *metric, const struct result_row *row, const struct result_info *info)
{
	unsigned needs = metric->needs;

	return !((needs & METRIC_NEEDS_ORDER && !info->order_measured) ||
		 (needs & METRIC_NEEDS_LAT && row->lat.count == 0) ||
		 (needs & METRIC_NEEDS_TOTAL && row->seq != RESULT_TOT) ||
		 (needs & METRIC_NEEDS_RX && !has_rx(row, info)));
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
