/* SPDX-License-Identifier: BSD-3-Clause */
#include "value.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#define RATIO_DIGITS 15

static int64_t clamp_signed(uint64_t n)
{
	return n > INT64_MAX ? INT64_MAX : (int64_t)n;
}

static char *fmt_signed_time(char *out, int64_t ns)
{
	uint64_t size = ns < 0 ? -(uint64_t)ns : (uint64_t)ns;

	out[0] = '-';
	units_fmt_time(out + (ns < 0), size);
	return out;
}

char *value_format(char *out, enum metric_kind kind, uint64_t n, uint64_t whole)
{
	switch (kind) {
	case METRIC_COUNT:
		return units_fmt_count(out, clamp_signed(n));
	case METRIC_SIGNED:
		return units_fmt_count(out, (int64_t)n);
	case METRIC_BPS:
		return units_fmt_rate(out, n);
	case METRIC_UPPS:
		return units_fmt_micro(out, n);
	case METRIC_NS:
		return n == RESULT_INFINITE ? strcpy(out, VALUE_INFINITE) : units_fmt_time(out, n);
	case METRIC_RATIO:
		return units_fmt_ratio(out, n, whole);
	case METRIC_SIGNED_NS:
		return fmt_signed_time(out, (int64_t)n);
	}
	out[0] = '\0';
	return out;
}

char *value_text(char *out, const struct metric *metric, const struct result_row *row,
	const struct result_info *info)
{
	out[0] = '\0';
	if (!metric_known(metric, row, info))
		return out;
	return value_format(out, metric->kind, metric_value(metric, row), metric_whole(row));
}

/* Integer arithmetic: independent of the locale, and the same digits everywhere. */
static char *fmt_fraction(char *out, uint64_t part, uint64_t whole)
{
	const uint64_t one = 1000000000000000; /* 10^RATIO_DIGITS */
	uint64_t n = 0;
	char *end;

	if (whole > 0)
		n = (uint64_t)((unsigned __int128)part * one / whole);
	snprintf(out, UNITS_TEXT_MAX, "%" PRIu64 ".%0*" PRIu64, n / one, RATIO_DIGITS, n % one);
	end = out + strlen(out);
	while (end[-1] == '0')
		*--end = '\0';
	if (end[-1] == '.')
		end[-1] = '\0';
	return out;
}

char *value_plain(char *out, const struct metric *metric, const struct result_row *row,
	const struct result_info *info)
{
	uint64_t n = metric_value(metric, row);

	out[0] = '\0';
	if (!metric_known(metric, row, info))
		return out;
	switch (metric->kind) {
	case METRIC_SIGNED:
	case METRIC_SIGNED_NS:
		snprintf(out, UNITS_TEXT_MAX, "%" PRId64, (int64_t)n);
		return out;
	case METRIC_UPPS:
		return units_fmt_micro(out, n);
	case METRIC_RATIO:
		return fmt_fraction(out, n, metric_whole(row));
	case METRIC_NS:
		if (n == RESULT_INFINITE)
			return strcpy(out, VALUE_INFINITE);
		break;
	case METRIC_COUNT:
	case METRIC_BPS:
		break;
	}
	snprintf(out, UNITS_TEXT_MAX, "%" PRIu64, n);
	return out;
}

char *value_index(char *out, uint32_t index)
{
	if (index == RESULT_TOT)
		strcpy(out, "TOT");
	else
		snprintf(out, UNITS_TEXT_MAX, "%" PRIu32, index);
	return out;
}

char *value_id(char *out, const struct result_row *row)
{
	if (row->stream == RESULT_TOT)
		strcpy(out, "TOT");
	else
		snprintf(out, UNITS_TEXT_MAX, "%" PRIu64, row->id);
	return out;
}

char *value_time(char *out, uint64_t unix_ns)
{
	time_t seconds = (time_t)(unix_ns / UNITS_NS_PER_S);
	struct tm tm;
	size_t len;

	gmtime_r(&seconds, &tm);
	len = strftime(out, UNITS_TEXT_MAX, "%Y-%m-%dT%H:%M:%S", &tm);
	snprintf(out + len, UNITS_TEXT_MAX - len, ".%03uZ",
		(unsigned)(unix_ns % UNITS_NS_PER_S / 1000000));
	return out;
}

const char *value_layer(enum rate_layer layer)
{
	switch (layer) {
	case RATE_LAYER_PACKET:
		return "packet";
	case RATE_LAYER_L1:
		return "l1";
	case RATE_LAYER_L2:
		return "l2";
	case RATE_LAYER_L3:
		return "l3";
	}
	return "packet";
}

const char *value_latency_type(enum latency_type type)
{
	switch (type) {
	case LATENCY_FILO:
		return "filo";
	case LATENCY_FIFO:
		return "fifo";
	case LATENCY_LIFO:
		return "lifo";
	case LATENCY_LILO:
		return "lilo";
	}
	return "filo";
}
