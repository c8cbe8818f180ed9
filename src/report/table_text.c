/* SPDX-License-Identifier: BSD-3-Clause */
#include "table.h"
#include "value.h"

#include <inttypes.h>

#include "tgen/report.h"

static const char *const layer_words[] = {
	[RATE_LAYER_PACKET] = "packet bytes (rate-layer=packet: without FCS)",
	[RATE_LAYER_L1] = "frame, preamble and gap (rate-layer=l1)",
	[RATE_LAYER_L2] = "frame bytes (rate-layer=l2: with FCS)",
	[RATE_LAYER_L3] = "network layer bytes (rate-layer=l3: without MAC header, tags and FCS)",
};

static void print_port(FILE *out, const struct result_port *port)
{
	char mac[UNITS_TEXT_MAX], speed[UNITS_TEXT_MAX];

	fprintf(out, "  %s %s (%s, %s)\n", port->name, port->device, units_fmt_mac(mac, port->mac),
		port->speed_bps ? units_fmt_bps(speed, port->speed_bps) : "no speed limit");
}

static void print_stream_rate(FILE *out, const struct result_stream *stream)
{
	char pps[UNITS_TEXT_MAX], rate[UNITS_TEXT_MAX];
	if (stream->flat_out) {
		fputs(" as fast as it goes", out);
		return;
	}
	fprintf(out, " %s pps", units_fmt_micro(pps, stream->asked_upps));
	if (stream->configured_upps == UINT64_MAX)
		fputs(" (pps=max: the line's rate)", out);
	else if (stream->configured_upps != stream->asked_upps)
		fprintf(out, " (capped from %s pps)",
			units_fmt_micro(rate, stream->configured_upps));
	/* asked_upps was rounded down: rounded up, an asked 2 Mbit/s reads as that */
	fprintf(out, " %s", units_fmt_rate(rate, result_stream_bps(stream, stream->asked_upps)));
}

void report_print_size(FILE *out, const struct result_stream *stream)
{
	uint64_t tenths;

	if (!result_stream_mixed(stream)) {
		fprintf(out, "%" PRIu32 " bytes", stream->packet_size);
		return;
	}
	tenths = (stream->size_sum * 10 + stream->size_nb / 2) / stream->size_nb;
	fprintf(out, "%" PRIu32 "..%" PRIu32 ", mean %" PRIu64 ".%u bytes", stream->size_min,
		stream->size_max, tenths / 10, (unsigned)(tenths % 10));
}

void report_print_sched(FILE *out, const struct sched *s)
{
	char count[UNITS_TEXT_MAX], text[UNITS_TEXT_MAX];

	if (s->delay_ns != 0)
		fprintf(out, ", from %s", units_fmt_duration(text, s->delay_ns));
	if (s->poisson)
		fputs(", random gaps", out);
	if (s->points != NULL)
		fprintf(out, ", a profile of %u %s", s->nb_points, s->linear ? "ramps" : "steps");
	if (s->burst_packets == 0)
		return;
	if (s->burst_count != SCHED_NO_END)
		fprintf(out, ", %s bursts of", units_fmt_count(count, (int64_t)s->burst_count));
	else
		fputs(", bursts of", out);
	fprintf(out, " %s", units_fmt_count(count, (int64_t)s->burst_packets));
	fprintf(out, ", %s apart", units_fmt_duration(text, s->gap_ns));
}

static void print_stream(
	FILE *out, const struct result_stream *stream, const struct result_info *info)
{
	const char *to = "any port";
	char count[UNITS_TEXT_MAX];

	if (stream->transmit_only)
		to = "nowhere (transmit only)";
	else if (stream->rx_port >= 0)
		to = info->ports[stream->rx_port].name;
	fprintf(out, "  %u %s %s -> %s ", stream->id, stream->name,
		info->ports[stream->tx_port].name, to);
	report_print_size(out, stream);
	print_stream_rate(out, stream);
	if (stream->sched != NULL)
		report_print_sched(out, stream->sched);
	if (stream->packet_count != UINT64_MAX)
		fprintf(out, ", %s packets",
			units_fmt_count(count, (int64_t)(stream->packet_count & INT64_MAX)));
	fputc('\n', out);
}

void table_print_intro(FILE *out, const struct result_info *info)
{
	char interval[UNITS_TEXT_MAX], duration[UNITS_TEXT_MAX];

	fprintf(out, "configuration file: %s\n", info->config_path ? info->config_path : "none");
	fputs("ports:\n", out);
	for (unsigned i = 0; i < info->nb_ports; i++)
		print_port(out, &info->ports[i]);
	fputs("streams:\n", out);
	for (unsigned i = 0; i < info->nb_streams; i++)
		print_stream(out, &info->streams[i], info);
	fprintf(out, "rates count %s\n", layer_words[info->layer]);
	fprintf(out, "test-id %u, %s%s, a row every %s\n", info->test_id,
		info->duration_ns ? "duration " : "until stopped",
		info->duration_ns ? units_fmt_duration(duration, info->duration_ns) : "",
		units_fmt_duration(interval, info->interval_ns));
}

/* Frames that are in TOT and in no row: why the rows do not add up to it. */
static void print_rowless(FILE *out, const struct result_row *total)
{
	char count[UNITS_TEXT_MAX];

	if (total->n.late > 0)
		fprintf(out,
			"late: %s frames came after their row was closed, counted in TOT only\n",
			units_fmt_count(count, (int64_t)total->n.late));
	if (total->n.spill > 0)
		fprintf(out,
			"incomplete rows: %s frames, sent or received, are counted in TOT only\n",
			units_fmt_count(count, (int64_t)total->n.spill));
}

static void print_port_end(
	FILE *out, const struct result_port *port, const struct result_port_counts *n)
{
	const struct {
		const char *what;
		uint64_t count;
	} items[] = {
		{"duplicate", n->duplicate},
		{"bad", n->bad},
		{"misrouted", n->misrouted},
		{"stray", n->stray},
		{"fragment", n->fragment},
		{"returned", n->returned},
		{"unknown", n->unknown},
		{"missed by the driver", n->rx_missed_known ? n->rx_missed : 0},
		{"dropped by the kernel", n->rx_kernel_known ? n->rx_kernel_dropped : 0},
		{"accepted for sending and not sent", n->tx_undelivered},
		{"pause frames received", n->pause_known ? n->pause_rx : 0},
		{"pause frames sent", n->pause_known ? n->pause_tx : 0},
	};
	const char *separator = ":";
	char count[UNITS_TEXT_MAX];
	bool any = !n->link_up || n->link_changed;

	for (size_t i = 0; i < sizeof(items) / sizeof(items[0]); i++)
		any |= items[i].count > 0;
	if (!any)
		return;
	fprintf(out, "port %s", port->name);
	for (size_t i = 0; i < sizeof(items) / sizeof(items[0]); i++) {
		if (items[i].count == 0)
			continue;
		fprintf(out, "%s %s %s", separator, units_fmt_count(count, (int64_t)items[i].count),
			items[i].what);
		separator = ",";
	}
	if (!n->link_up)
		fprintf(out, "%s link is down", separator);
	else if (n->link_changed)
		fprintf(out, "%s link was down for a time", separator);
	fputc('\n', out);
}

static void print_frames(
	FILE *out, const struct result_info *info, const struct result_summary *summary)
{
	char count[UNITS_TEXT_MAX], from[UNITS_TEXT_MAX];

	for (unsigned i = 0; i < summary->nb_returned; i++) {
		const struct result_returned *kind = &summary->returned[i];

		fprintf(out, "returned: %s %s errors type %u code %u from %s about %s\n",
			units_fmt_count(count, (int64_t)kind->count),
			units_ip_is4(kind->from) ? "ICMP" : "ICMPv6", kind->type, kind->code,
			units_fmt_ip(from, kind->from),
			kind->stream == RESULT_TOT ? "some stream"
						   : info->streams[kind->stream].name);
	}
	for (unsigned i = 0; i < summary->nb_unknowns; i++) {
		const struct result_unknown *kind = &summary->unknowns[i];

		fprintf(out, "unknown: %s on %s: %s\n",
			units_fmt_count(count, (int64_t)kind->count), info->ports[kind->port].name,
			kind->text);
	}
}

void table_print_summary(FILE *out, const struct result_info *info, const struct result_row *total,
	const struct result_summary *summary)
{
	table_print_health(out, info, total, summary);
	for (unsigned i = 0; i < summary->nb_notes; i++)
		fprintf(out, "%s\n", summary->notes[i]);
	if (total)
		print_rowless(out, total);
	for (unsigned i = 0; i < info->nb_ports; i++)
		print_port_end(out, &info->ports[i], &summary->ports[i]);
	print_frames(out, info, summary);
	if (summary->interrupted)
		fputs("interrupted: TOT is what was sent until then\n", out);
}
