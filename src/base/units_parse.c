/* SPDX-License-Identifier: BSD-3-Clause */
#include "tgen/units.h"

#include <arpa/inet.h>
#include <endian.h>
#include <errno.h>
#include <string.h>

/* More decimals than this would not be exact in any unit. */
#define DECIMALS_MAX 18u

/* whole + fraction / 10^nb_decimals, as it was written. */
struct decimal {
	uint64_t whole;
	uint64_t fraction;
	uint64_t divisor; /* 10^nb_decimals */
	unsigned nb_decimals;
	bool too_big;
};

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

/* The value of a hex digit, or -1. */
static int hex_value(char c)
{
	if (is_digit(c))
		return c - '0';
	if (c >= 'a' && c <= 'f')
		return c - 'a' + 10;
	return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

/* Reads digits and moves *p behind them; -EINVAL when there are none, -ERANGE past 64 bits. */
static int scan_digits(const char **p, unsigned base, uint64_t *out)
{
	const char *begin = *p;
	uint64_t value = 0;
	bool too_big = false;

	for (;; (*p)++) {
		int digit = hex_value(**p);

		if (digit < 0 || (unsigned)digit >= base)
			break;
		too_big |= __builtin_mul_overflow(value, base, &value);
		too_big |= __builtin_add_overflow(value, (uint64_t)digit, &value);
	}
	if (*p == begin)
		return -EINVAL;
	*out = value;
	return too_big ? -ERANGE : 0;
}

/* Reads `12` or `12.5` and moves *p behind it; false when there is no such number. */
static bool scan_decimal(const char **p, struct decimal *out)
{
	const char *begin;
	int rc;

	*out = (struct decimal){.divisor = 1};
	rc = scan_digits(p, 10, &out->whole);
	if (rc == -EINVAL)
		return false;
	out->too_big = rc != 0;
	if (**p != '.')
		return true;
	begin = ++*p;
	if (scan_digits(p, 10, &out->fraction) != 0 || (size_t)(*p - begin) > DECIMALS_MAX)
		return false;
	out->nb_decimals = (unsigned)(*p - begin);
	for (unsigned i = 0; i < out->nb_decimals; i++)
		out->divisor *= 10;
	return true;
}

/* d · unit; -EINVAL when that is not a whole number. */
static int decimal_scale(const struct decimal *d, uint64_t unit, uint64_t *out)
{
	unsigned __int128 part = (unsigned __int128)d->fraction * unit, sum;

	if (part % d->divisor != 0)
		return -EINVAL;
	sum = (unsigned __int128)d->whole * unit + part / d->divisor;
	if (d->too_big || sum > UINT64_MAX)
		return -ERANGE;
	*out = (uint64_t)sum;
	return 0;
}

/* Reads k, M or G and moves *p behind it; 1 when there is none. */
static uint64_t scan_suffix(const char **p)
{
	uint64_t scale = **p == 'k' ? 1000 : **p == 'M' ? 1000000 : **p == 'G' ? 1000000000 : 1;

	*p += scale != 1;
	return scale;
}

int units_parse_u64(const char *text, uint64_t *out)
{
	bool hex = text[0] == '0' && text[1] == 'x';
	const char *p = text + (hex ? 2 : 0);
	uint64_t value;
	int rc = scan_digits(&p, hex ? 16 : 10, &value);

	if (rc == -EINVAL || *p != '\0')
		return -EINVAL;
	if (rc == 0)
		*out = value;
	return rc;
}

int units_parse_micro(const char *text, bool suffixes, uint64_t *out)
{
	struct decimal d;
	uint64_t scale = 1;

	if (!scan_decimal(&text, &d) || d.nb_decimals > 6)
		return -EINVAL;
	if (suffixes)
		scale = scan_suffix(&text);
	if (*text != '\0')
		return -EINVAL;
	return decimal_scale(&d, scale * UNITS_MICROS, out);
}

int units_parse_bps(const char *text, uint64_t *out)
{
	struct decimal d;
	uint64_t scale;

	if (!scan_decimal(&text, &d))
		return -EINVAL;
	scale = scan_suffix(&text);
	if (*text != '\0')
		return -EINVAL;
	return decimal_scale(&d, scale, out);
}

/* Two digits under 60 behind a colon: minutes or seconds of a clock. */
static bool scan_sixtieth(const char **p, uint64_t *out)
{
	const char *c = *p;

	if (c[0] != ':' || !is_digit(c[1]) || !is_digit(c[2]) || c[1] > '5')
		return false;
	*out = (uint64_t)(c[1] - '0') * 10 + (uint64_t)(c[2] - '0');
	*p += 3;
	return true;
}

/* `00:01:30` and `00:01:30.5`; p is at the first colon. */
static int parse_clock(const struct decimal *hours, const char *p, uint64_t *out)
{
	struct decimal total = {.divisor = 1, .too_big = hours->too_big};
	uint64_t minutes, seconds;

	if (hours->nb_decimals != 0 || !scan_sixtieth(&p, &minutes) || !scan_sixtieth(&p, &seconds))
		return -EINVAL;
	if (*p == '.') {
		/* The fraction alone, read as that of the last second digit. */
		const char *last = p - 1;

		if (!scan_decimal(&last, &total))
			return -EINVAL;
		p = last;
		total.too_big = hours->too_big;
	}
	if (*p != '\0')
		return -EINVAL;
	if (__builtin_mul_overflow(hours->whole, 3600u, &total.whole) ||
		__builtin_add_overflow(total.whole, minutes * 60 + seconds, &total.whole))
		total.too_big = true;
	return decimal_scale(&total, UNITS_NS_PER_S, out);
}

struct time_unit {
	const char *name;
	uint64_t ns;
};

/* From large to small; a time names each at most once and in this order. */
static const struct time_unit time_units[] = {
	{"h", 3600 * UNITS_NS_PER_S},
	{"m", 60 * UNITS_NS_PER_S},
	{"s", UNITS_NS_PER_S},
	{"ms", 1000000},
	{"us", 1000},
	{"ns", 1},
};
#define NB_TIME_UNITS (sizeof(time_units) / sizeof(time_units[0]))

/* Reads the unit's name, which ends where the next number or the text does. */
static size_t scan_time_unit(const char **p)
{
	size_t len = strspn(*p, "hmsun"), i = 0;

	while (i < NB_TIME_UNITS &&
		(strlen(time_units[i].name) != len || strncmp(*p, time_units[i].name, len) != 0))
		i++;
	*p += len;
	return i;
}

int units_parse_time(const char *text, uint64_t *out_ns)
{
	struct decimal d;
	uint64_t total = 0, part;
	size_t from = 0; /* the first unit that may still come */
	int rc = 0;

	if (!scan_decimal(&text, &d))
		return -EINVAL;
	if (*text == '\0')
		return decimal_scale(&d, UNITS_NS_PER_S, out_ns);
	if (*text == ':')
		return parse_clock(&d, text, out_ns);
	for (;;) {
		size_t unit = scan_time_unit(&text);
		int rc_part;

		if (unit < from || unit >= NB_TIME_UNITS)
			return -EINVAL;
		from = unit + 1;
		rc_part = decimal_scale(&d, time_units[unit].ns, &part);
		if (rc_part == -EINVAL)
			return -EINVAL;
		if (rc_part != 0 || __builtin_add_overflow(total, part, &total))
			rc = -ERANGE;
		if (*text == '\0')
			break;
		/* Only the last number may have decimals. */
		if (d.nb_decimals != 0 || !scan_decimal(&text, &d))
			return -EINVAL;
	}
	if (rc == 0)
		*out_ns = total;
	return rc;
}

int units_parse_mac(const char *text, uint64_t *out)
{
	char separator = text[0] != '\0' && text[1] != '\0' ? text[2] : '\0';
	uint64_t mac = 0;

	if (separator != ':' && separator != '-')
		return -EINVAL;
	for (int i = 0; i < 6; i++) {
		int high = hex_value(text[0]);
		int low = high < 0 ? -1 : hex_value(text[1]);

		if (low < 0 || text[2] != (i < 5 ? separator : '\0'))
			return -EINVAL;
		mac = mac << 8 | (unsigned)(high << 4 | low);
		text += 3;
	}
	*out = mac;
	return 0;
}

int units_parse_ip4(const char *text, uint32_t *out)
{
	uint32_t ip = 0;
	bool too_big = false;

	for (int i = 0; i < 4; i++) {
		const char *begin = text;
		uint64_t octet;
		int rc = scan_digits(&text, 10, &octet);

		/* A leading zero would be octal elsewhere. */
		if (rc == -EINVAL || (begin[0] == '0' && text - begin > 1))
			return -EINVAL;
		if (*text != (i < 3 ? '.' : '\0'))
			return -EINVAL;
		text++;
		too_big |= rc != 0 || octet > 255;
		ip = ip << 8 | (uint32_t)(octet & 255);
	}
	if (too_big)
		return -ERANGE;
	*out = ip;
	return 0;
}

int units_parse_ip6(const char *text, uint64_t *up, uint64_t *lo)
{
	uint64_t halves[2];

	if (inet_pton(AF_INET6, text, halves) != 1)
		return -EINVAL;
	*up = be64toh(halves[0]);
	*lo = be64toh(halves[1]);
	return 0;
}

/* Units behind a number; longer ones first, where one ends as another. */
static const struct {
	const char *name;
	enum units_rate_kind kind;
	bool suffixes; /* k, M, G may stand between */
} rate_units[] = {
	{"mbps", UNITS_RATE_BPS, false},
	{"pps", UNITS_RATE_UPPS, true},
	{"%", UNITS_RATE_PERCENT, false},
};

int units_parse_rate(const char *text, enum units_rate_kind *kind, uint64_t *out)
{
	size_t len = strlen(text);
	char number[UNITS_TEXT_MAX];
	int rc;

	for (size_t i = 0; i < sizeof(rate_units) / sizeof(rate_units[0]); i++) {
		size_t tail = strlen(rate_units[i].name);

		if (len <= tail || len - tail >= sizeof(number) ||
			strcmp(text + len - tail, rate_units[i].name) != 0)
			continue;
		memcpy(number, text, len - tail);
		number[len - tail] = '\0';
		*kind = rate_units[i].kind;
		rc = units_parse_micro(number, rate_units[i].suffixes, out);
		if (rc == 0 && *kind == UNITS_RATE_PERCENT && *out > 100 * UNITS_MICROS)
			return -ERANGE;
		return rc;
	}
	return -EINVAL;
}
