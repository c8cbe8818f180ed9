/* SPDX-License-Identifier: BSD-3-Clause */
#include "tgen/units.h"

#include <arpa/inet.h>
#include <endian.h>
#include <stdio.h>
#include <string.h>

/* The hundred thousandths of a ratio are the thousandths of its percentage. */
#define RATIO_FULL 100000u

uint32_t units_layer_bytes(enum rate_layer layer, uint32_t packet_bytes, unsigned nb_tags)
{
	uint32_t headers = UNITS_ETH_BYTES + nb_tags * UNITS_TAG_BYTES;

	switch (layer) {
	case RATE_LAYER_L1:
		return packet_bytes + UNITS_FCS_BYTES + UNITS_WIRE_BYTES;
	case RATE_LAYER_L2:
		return packet_bytes + UNITS_FCS_BYTES;
	case RATE_LAYER_L3:
		return packet_bytes > headers ? packet_bytes - headers : 0;
	case RATE_LAYER_PACKET:
		break;
	}
	return packet_bytes;
}

uint64_t units_line_pps(uint64_t link_bps, uint32_t packet_bytes)
{
	return link_bps / (8ull * ((uint64_t)packet_bytes + UNITS_FCS_BYTES + UNITS_WIRE_BYTES));
}

char *units_fmt_count(char *out, int64_t count)
{
	uint64_t left = count < 0 ? -(uint64_t)count : (uint64_t)count;
	char digits[UNITS_TEXT_MAX];
	size_t len, at = 0;

	len = (size_t)snprintf(digits, sizeof(digits), "%llu", (unsigned long long)left);
	if (count < 0)
		out[at++] = '-';
	for (size_t i = 0; i < len; i++) {
		if (i > 0 && (len - i) % 3 == 0)
			out[at++] = ' ';
		out[at++] = digits[i];
	}
	out[at] = '\0';
	return out;
}

char *units_fmt_rate(char *out, uint64_t bps)
{
	static const char *const names[] = {"bps", "kbps", "Mbps", "Gbps", "Tbps"};
	uint64_t unit = 1;
	size_t i = 0;

	while (i + 1 < sizeof(names) / sizeof(names[0]) && bps / unit >= 2000) {
		unit *= 1000;
		i++;
	}
	if (i == 0)
		snprintf(out, UNITS_TEXT_MAX, "%llu%s", (unsigned long long)bps, names[i]);
	else
		snprintf(out, UNITS_TEXT_MAX, "%llu.%llu%s", (unsigned long long)(bps / unit),
			(unsigned long long)(bps % unit / (unit / 10)), names[i]);
	return out;
}

static void cut_zeros(char *text)
{
	size_t len = strlen(text);

	while (len > 0 && text[len - 1] == '0')
		len--;
	text[len] = '\0';
}

/* value/unit with as many of nb_decimals as are not trailing zeros; unit = 10^nb_decimals. */
static char *fmt_decimal(char *out, uint64_t value, uint64_t unit, int nb_decimals)
{
	char decimals[24];

	snprintf(decimals, sizeof(decimals), "%0*llu", nb_decimals,
		(unsigned long long)(value % unit));
	cut_zeros(decimals);
	snprintf(out, UNITS_TEXT_MAX, "%llu%s%s", (unsigned long long)(value / unit),
		decimals[0] == '\0' ? "" : ".", decimals);
	return out;
}

struct unit {
	uint64_t size; /* 10^nb_decimals */
	int nb_decimals;
	const char *name;
};

/* The largest unit not above value; the last, of size 1, for 0. */
static const struct unit *largest_unit(const struct unit *units, uint64_t value)
{
	while (units->size > 1 && value < units->size)
		units++;
	return units;
}

static const struct unit time_units[] = {
	{1000000000, 9, "s"}, {1000000, 6, "ms"}, {1000, 3, "us"}, {1, 0, "ns"}};
static const struct unit speed_units[] = {
	{1000000000, 9, "G"}, {1000000, 6, "M"}, {1000, 3, "k"}, {1, 0, ""}};

char *units_fmt_time(char *out, uint64_t ns)
{
	const struct unit *unit = largest_unit(time_units, ns);
	uint64_t whole = ns / unit->size, step = unit->size;

	/* Decimals beyond three significant digits are cut off. */
	for (; whole < 100 && step > 1; whole *= 10)
		step /= 10;
	if (unit->size > 1)
		ns -= ns % step;
	fmt_decimal(out, ns, unit->size, unit->nb_decimals);
	return strcat(out, unit->name);
}

char *units_fmt_ratio(char *out, uint64_t part, uint64_t whole)
{
	uint64_t times, share;

	if (whole == 0)
		return strcpy(out, "0.000%");
	times = part / whole;
	share = (uint64_t)((unsigned __int128)(part % whole) * RATIO_FULL / whole);
	if (share == 0 && part % whole != 0 && times <= 1)
		share = 1;
	if (times != 0)
		snprintf(out, UNITS_TEXT_MAX, "%llu%02u.%03u%%", (unsigned long long)times,
			(unsigned)share / 1000, (unsigned)share % 1000);
	else
		snprintf(out, UNITS_TEXT_MAX, "%u.%03u%%", (unsigned)share / 1000,
			(unsigned)share % 1000);
	return out;
}

char *units_fmt_micro(char *out, uint64_t micro)
{
	return fmt_decimal(out, micro, UNITS_MICROS, 6);
}

char *units_fmt_bps(char *out, uint64_t bps)
{
	const struct unit *unit = largest_unit(speed_units, bps);

	fmt_decimal(out, bps, unit->size, unit->nb_decimals);
	return strcat(out, unit->name);
}

char *units_fmt_duration(char *out, uint64_t ns)
{
	const struct unit *unit = largest_unit(time_units, ns);
	uint64_t hours = ns / (3600 * UNITS_NS_PER_S), minutes = ns / (60 * UNITS_NS_PER_S) % 60;
	uint64_t rest = ns % (60 * UNITS_NS_PER_S);
	char seconds[UNITS_TEXT_MAX] = "";
	size_t at = 0;

	if (ns == 0)
		return strcpy(out, "0s");
	if (ns < UNITS_NS_PER_S) {
		fmt_decimal(out, ns, unit->size, unit->nb_decimals);
		return strcat(out, unit->name);
	}
	if (hours != 0)
		at += (size_t)sprintf(out + at, "%lluh", (unsigned long long)hours);
	if (minutes != 0)
		at += (size_t)sprintf(out + at, "%llum", (unsigned long long)minutes);
	if (rest != 0)
		sprintf(out + at, "%ss", fmt_decimal(seconds, rest, UNITS_NS_PER_S, 9));
	return out;
}

char *units_fmt_mac(char *out, uint64_t mac)
{
	uint8_t b[6];

	units_mac_bytes(mac, b);
	snprintf(out, UNITS_TEXT_MAX, "%02x:%02x:%02x:%02x:%02x:%02x", b[0], b[1], b[2], b[3], b[4],
		b[5]);
	return out;
}

char *units_fmt_ip4(char *out, uint32_t ip)
{
	snprintf(out, UNITS_TEXT_MAX, "%u.%u.%u.%u", ip >> 24, ip >> 16 & 255, ip >> 8 & 255,
		ip & 255);
	return out;
}

char *units_fmt_ip6(char *out, uint64_t up, uint64_t lo)
{
	const uint64_t halves[2] = {htobe64(up), htobe64(lo)};

	inet_ntop(AF_INET6, halves, out, UNITS_TEXT_MAX);
	return out;
}
