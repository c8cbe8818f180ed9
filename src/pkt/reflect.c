/* SPDX-License-Identifier: BSD-3-Clause */
#include "tgen/pkt.h"

#include <string.h>

#include "tgen/units.h"

/*
 * Every check comes before the first change, so that a refused frame is as it came. What carries a
 * checksum over addresses and ports keeps it: the ones'-complement sum does not mind the order of
 * its words, and swapping changes nothing else.
 */

#define REFLECT_TTL   64 /* as a host sends; a router took the first one's way from it */
#define MAX_TAGS      4
#define PORT_BYTES    2u
#define PORTS_BYTES   4u
#define IP4_MIN_BYTES 20u
#define IP4_FRAG_OFF  0x1fffu

/* RFC 8200; protocol numbers of IANA. */
#define IP6_BYTES      40u
#define IP6_ADDR_BYTES 16u
#define IP6_HOP_BY_HOP 0u
#define IP6_ROUTING    43u
#define IP6_FRAGMENT   44u
#define IP6_ICMP       58u
#define IP6_DST_OPTS   60u

#define PROTO_IGMP     2u
#define ETHERTYPE_RARP 0x8035u

static void swap_bytes(uint8_t *a, uint8_t *b, unsigned bytes)
{
	for (unsigned i = 0; i < bytes; i++) {
		uint8_t keep = a[i];

		a[i] = b[i];
		b[i] = keep;
	}
}

static bool has_ports(uint8_t proto)
{
	return proto == PKT_IP_PROTO_UDP || proto == PKT_IP_PROTO_TCP;
}

/* Network 0, loopback, groups, reserved and broadcast addresses are no host's: RFC 1122, 3.2.1.3. */
static bool ip4_is_station(const uint8_t *addr)
{
	return addr[0] != 0 && addr[0] != 127 && addr[0] < 224;
}

/* RFC 1624, equation 3: HC' = ~(~HC + ~m + m'). A wrong checksum stays wrong, for the sender to see. */
static void ip4_set_ttl(uint8_t *ip)
{
	uint16_t before = pkt_get16(ip + 8);
	uint32_t sum = (uint16_t)~pkt_get16(ip + 10);

	if (ip[8] == REFLECT_TTL)
		return;
	ip[8] = REFLECT_TTL;
	sum += (uint16_t)~before + (uint32_t)pkt_get16(ip + 8);
	pkt_put16(ip + 10, (uint16_t)~sig_fold(sum));
}

/*
 * ICMP and IGMP stay out: an error must never be answered, the host answers echo, and what else
 * there is would mean another thing the other way round. Of a later fragment nobody can say more.
 */
static bool reflect_ip4(uint8_t *ip, unsigned len)
{
	unsigned hdr_bytes, total;
	bool ports;

	if (len < IP4_MIN_BYTES || ip[0] >> 4 != 4)
		return false;
	hdr_bytes = 4u * (ip[0] & 0xf);
	total = pkt_get16(ip + 2);
	if (hdr_bytes < IP4_MIN_BYTES || hdr_bytes > total || total > len)
		return false;
	if (ip[9] == PKT_IP_PROTO_ICMP || ip[9] == PROTO_IGMP || !ip4_is_station(ip + 12) ||
		!ip4_is_station(ip + 16))
		return false;
	ports = has_ports(ip[9]) && (pkt_get16(ip + 6) & IP4_FRAG_OFF) == 0;
	if (ports && total - hdr_bytes < PORTS_BYTES)
		return false;

	swap_bytes(ip + 12, ip + 16, 4);
	if (ports)
		swap_bytes(ip + hdr_bytes, ip + hdr_bytes + PORT_BYTES, PORT_BYTES);
	ip4_set_ttl(ip);
	return true;
}

/* Groups, the unspecified and the loopback address are no host's: RFC 4291, 2.5 and 2.7. */
static bool ip6_is_station(const uint8_t *addr)
{
	static const uint8_t zeros[IP6_ADDR_BYTES - 1];

	if (addr[0] == 0xff)
		return false;
	return memcmp(addr, zeros, sizeof(zeros)) != 0 || addr[IP6_ADDR_BYTES - 1] > 1;
}

/* Behind an extension header there may be anything, ICMPv6 as well: such packets stay out, too. */
static bool ip6_can_go_back(uint8_t next)
{
	return next != IP6_HOP_BY_HOP && next != IP6_ROUTING && next != IP6_FRAGMENT &&
	       next != IP6_ICMP && next != IP6_DST_OPTS;
}

static bool reflect_ip6(uint8_t *ip, unsigned len)
{
	uint8_t *src = ip + 8, *dst = src + IP6_ADDR_BYTES, *l4 = ip + IP6_BYTES;
	unsigned l4_bytes;

	if (len < IP6_BYTES || ip[0] >> 4 != 6)
		return false;
	l4_bytes = pkt_get16(ip + 4);
	if (l4_bytes > len - IP6_BYTES || !ip6_can_go_back(ip[6]))
		return false;
	if (!ip6_is_station(src) || !ip6_is_station(dst))
		return false;
	if (has_ports(ip[6]) && l4_bytes < PORTS_BYTES)
		return false;

	swap_bytes(src, dst, IP6_ADDR_BYTES);
	if (has_ports(ip[6]))
		swap_bytes(l4, l4 + PORT_BYTES, PORT_BYTES);
	ip[7] = REFLECT_TTL; /* no checksum covers it */
	return true;
}

static bool is_tag(uint16_t ethertype)
{
	return ethertype == PKT_ETHERTYPE_VLAN || ethertype == PKT_ETHERTYPE_QINQ;
}

bool pkt_reflect(uint8_t *frame, unsigned len)
{
	unsigned off = UNITS_ETH_BYTES;
	uint16_t ethertype;

	if (len < off || ((frame[0] | frame[6]) & 1) != 0)
		return false; /* a group, or from one */
	ethertype = pkt_get16(frame + off - 2);
	for (unsigned i = 0; i < MAX_TAGS && is_tag(ethertype); i++) {
		if (off + UNITS_TAG_BYTES > len)
			return false;
		off += UNITS_TAG_BYTES;
		ethertype = pkt_get16(frame + off - 2);
	}
	if (is_tag(ethertype) || ethertype == PKT_ETHERTYPE_ARP || ethertype == ETHERTYPE_RARP)
		return false;
	if (ethertype == PKT_ETHERTYPE_IP4 && !reflect_ip4(frame + off, len - off))
		return false;
	if (ethertype == PKT_ETHERTYPE_IP6 && !reflect_ip6(frame + off, len - off))
		return false;
	swap_bytes(frame, frame + 6, 6);
	return true;
}
