/* SPDX-License-Identifier: BSD-3-Clause */
#include "host_priv.h"

#include <string.h>

/* RFC 8200 §3 and §8.1; RFC 4443 §2.3: offsets from the IPv6 header. */
enum {
	IP6_OFF_LENGTH = 4,
	IP6_OFF_NEXT = 6,
	IP6_OFF_HOP_LIMIT = 7,
	IP6_OFF_SRC = 8,
	IP6_OFF_DST = 24,
	ICMP6_OFF_CSUM = 2,
};

void host_write_ip6(uint8_t *p, const struct host_ip6 *ip)
{
	pkt_put32(p, 6u << 28 | (uint32_t)ip->traffic_class << 20);
	pkt_put16(p + IP6_OFF_LENGTH, (uint16_t)ip->payload_bytes);
	p[IP6_OFF_NEXT] = PKT_IP_PROTO_ICMP6;
	p[IP6_OFF_HOP_LIMIT] = ip->hop_limit;
	units_ip6_write(p + IP6_OFF_SRC, ip->src);
	units_ip6_write(p + IP6_OFF_DST, ip->dst);
}

static uint16_t sum_of(const uint8_t *ip)
{
	unsigned bytes = pkt_get16(ip + IP6_OFF_LENGTH);
	uint32_t pseudo = pkt_csum_add(ip + IP6_OFF_SRC, 32, sig_fold(PKT_IP_PROTO_ICMP6 + bytes));

	return sig_fold(pkt_csum_add(ip + HOST_IP6_BYTES, bytes, pseudo));
}

bool host_icmp6_right(const uint8_t *ip)
{
	return sum_of(ip) == 0xffff;
}

void host_icmp6_finish(uint8_t *ip)
{
	uint8_t *csum = ip + HOST_IP6_BYTES + ICMP6_OFF_CSUM;

	pkt_put16(csum, 0);
	pkt_put16(csum, (uint16_t)~sum_of(ip));
}
