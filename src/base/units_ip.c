/* SPDX-License-Identifier: BSD-3-Clause */
#include "tgen/units.h"

#include <endian.h>
#include <string.h>

static uint64_t high_bits(unsigned nb)
{
	return nb == 0 ? 0 : UINT64_MAX << (64 - nb);
}

bool units_ip_covers(struct units_ip net, unsigned prefix, struct units_ip ip)
{
	unsigned bits = units_ip_is4(net) ? 96 + prefix : prefix;

	if (units_ip_is4(net) != units_ip_is4(ip))
		return false;
	return ((net.up ^ ip.up) & high_bits(bits < 64 ? bits : 64)) == 0 &&
	       ((net.lo ^ ip.lo) & high_bits(bits > 64 ? bits - 64 : 0)) == 0;
}

struct units_ip units_ip6_read(const uint8_t *bytes)
{
	uint64_t word[2];

	memcpy(word, bytes, sizeof(word));
	return (struct units_ip){.up = be64toh(word[0]), .lo = be64toh(word[1])};
}

void units_ip6_write(uint8_t *bytes, struct units_ip ip)
{
	const uint64_t word[2] = {htobe64(ip.up), htobe64(ip.lo)};

	memcpy(bytes, word, sizeof(word));
}

char *units_fmt_ip(char *out, struct units_ip ip)
{
	return units_ip_is4(ip) ? units_fmt_ip4(out, (uint32_t)ip.lo)
				: units_fmt_ip6(out, ip.up, ip.lo);
}
