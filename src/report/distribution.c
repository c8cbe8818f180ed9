/* SPDX-License-Identifier: BSD-3-Clause */
#include "tgen/report.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

/*
 * The graph of a histogram: rows of whole buckets, so that every count is exact, and what lies above
 * them in a row of its own. The cells follow RouterOS's stats/latency-distribution.
 */

#define GRAPH_WIDTH  52
#define BOUND_MAX    32
#define LINEAR_RATIO 10 /* a wider range is cut in octaves: its low end would be one row */
#define LIMIT_NS     ((UINT64_C(1) << HIST_MAX_BITS) - 1)

struct span {
	unsigned first, last; /* buckets */
	bool linear;
	uint64_t low_ns, length_ns;
};

static uint64_t least(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

/* The row that a bucket belongs to, counted without gaps for those that none begins in. */
static unsigned row_of(const struct span *span, unsigned bucket)
{
	if (!span->linear)
		return (bucket - span->first) * REPORT_DISTRIBUTION_ROWS /
		       (span->last - span->first + 1);
	/* both are less than 2^38: the product fits */
	return (unsigned)((hist_bucket_low(bucket) - span->low_ns) * REPORT_DISTRIBUTION_ROWS /
			  span->length_ns);
}

static void bins_fill(struct report_bins *out, const struct hist *h, const struct span *span)
{
	unsigned row = 0;

	for (unsigned i = span->first; i <= span->last; i++) {
		unsigned next = row_of(span, i);
		struct report_bin *bin;

		if (out->nb == 0 || next != row)
			out->bin[out->nb++].low_ns = hist_bucket_low(i);
		row = next;
		bin = &out->bin[out->nb - 1];
		bin->high_ns = hist_bucket_high(i);
		bin->count += h->bucket[i];
	}
}

void report_distribution_bins(struct report_bins *out, const struct hist *h, uint64_t max_ns)
{
	struct span span;
	uint64_t top;

	memset(out, 0, sizeof(*out));
	if (h->count == 0)
		return;
	top = least(max_ns != 0 ? max_ns : h->max, LIMIT_NS);
	out->above_ns = top;
	out->overflow = h->overflow;
	span.first = hist_index(least(h->min, LIMIT_NS));
	span.last = hist_index(top);
	for (unsigned i = span.first > span.last ? span.first : span.last + 1; i < HIST_NB_BUCKETS;
		i++)
		out->overflow += h->bucket[i];
	if (span.first > span.last || h->min > LIMIT_NS)
		return;
	span.linear = max_ns != 0 || h->max / LINEAR_RATIO < h->min;
	span.low_ns = hist_bucket_low(span.first);
	span.length_ns = hist_bucket_high(span.last) + 1 - span.low_ns;
	bins_fill(out, h, &span);
	out->above_ns = out->bin[out->nb - 1].high_ns;
	/* the scale stays what it is, but nothing follows the last frame */
	while (out->overflow == 0 && out->nb > 1 && out->bin[out->nb - 1].count == 0)
		out->nb--;
}

/* Four significant digits and more: buckets are at least 0.39 % wide, bounds of two rows differ. */
static char *fmt_bound(char *out, uint64_t ns)
{
	static const struct {
		uint64_t size;
		const char *name;
	} units[] = {{1000000000, "s"}, {1000000, "ms"}, {1000, "us"}};

	for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++) {
		if (ns < units[i].size)
			continue;
		snprintf(out, BOUND_MAX, "%" PRIu64 ".%03" PRIu64 "%s", ns / units[i].size,
			ns % units[i].size / (units[i].size / 1000), units[i].name);
		return out;
	}
	snprintf(out, BOUND_MAX, "%" PRIu64 "ns", ns);
	return out;
}

struct graph {
	FILE *out;
	const char *stream;
	int width_latency, width_count;
	uint64_t total, highest;
};

static void print_row(const struct graph *graph, const char *latency, uint64_t count)
{
	static const char dashes[] = "---------------------------------------------------";
	char text[UNITS_TEXT_MAX], share[UNITS_TEXT_MAX];
	int len = 0;

	_Static_assert(sizeof(dashes) == GRAPH_WIDTH, "all but the star");
	if (count > 0)
		len = (int)(((unsigned __int128)count * GRAPH_WIDTH + graph->highest - 1) /
			    graph->highest);
	fprintf(graph->out, "%9s  %*s  %*s  %8s%s%.*s%s\n", graph->stream, graph->width_latency,
		latency, graph->width_count,
		units_fmt_count(text, (int64_t)least(count, INT64_MAX)),
		units_fmt_ratio(share, count, graph->total), len > 0 ? "  " : "",
		len > 0 ? len - 1 : 0, dashes, len > 0 ? "*" : "");
}

static char *fmt_range(char *out, size_t size, const struct report_bin *bin)
{
	char low[BOUND_MAX], high[BOUND_MAX];

	snprintf(out, size, "%s-%s", fmt_bound(low, bin->low_ns), fmt_bound(high, bin->high_ns));
	return out;
}

static void graph_size(struct graph *graph, const struct report_bins *bins)
{
	char text[2 * BOUND_MAX + 2];

	graph->highest = bins->overflow;
	for (unsigned i = 0; i < bins->nb; i++) {
		int len = (int)strlen(fmt_range(text, sizeof(text), &bins->bin[i]));

		graph->width_latency = len > graph->width_latency ? len : graph->width_latency;
		if (bins->bin[i].count > graph->highest)
			graph->highest = bins->bin[i].count;
	}
}

static void print_percentiles(FILE *out, const struct hist *h)
{
	static const struct {
		const char *name;
		uint32_t ppm;
	} items[] = {
		{"P50", 500000},
		{"P90", 900000},
		{"P99", 990000},
		{"P99.9", 999000},
		{"P99.99", 999900},
		{"max", 1000000},
	};
	char text[UNITS_TEXT_MAX];

	for (size_t i = 0; i < sizeof(items) / sizeof(items[0]); i++)
		fprintf(out, "%s%s %s", i ? "  " : "", items[i].name,
			units_fmt_time(text, hist_percentile(h, items[i].ppm)));
	fputc('\n', out);
}

int report_distribution(
	FILE *out, const struct hist *h, const struct report_distribution_options *options)
{
	struct graph graph = {.out = out,
		.stream = options->stream,
		.width_latency = (int)strlen("LATENCY"),
		.width_count = 11,
		.total = h->count};
	char text[2 * BOUND_MAX + 2], bound[BOUND_MAX];
	struct report_bins bins;

	report_distribution_bins(&bins, h, options->max_ns);
	graph_size(&graph, &bins);
	fprintf(out, "%9s  %*s  %*s  %8s  GRAPH\n", "STREAM-ID", graph.width_latency, "LATENCY",
		graph.width_count, "COUNT", "SHARE");
	for (unsigned i = 0; i < bins.nb; i++)
		print_row(&graph, fmt_range(text, sizeof(text), &bins.bin[i]), bins.bin[i].count);
	if (bins.overflow > 0) {
		snprintf(text, sizeof(text), ">%s", fmt_bound(bound, bins.above_ns));
		print_row(&graph, text, bins.overflow);
	}
	print_percentiles(out, h);
	return ferror(out) ? -EIO : 0;
}
