/* SPDX-License-Identifier: BSD-3-Clause */
#include "host_priv.h"

#include <assert.h>
#include <string.h>

#include "tgen/sig.h"

/* RFC 791 without options, RFC 792: offsets from the beginning of each header. */
enum {
	IP_VERSION_IHL = 0x45,
	IP_OFF_TOS = 1,
	IP_OFF_LENGTH = 2,
	IP_OFF_ID = 4,
	IP_OFF_FRAG = 6,
	IP_OFF_TTL = 8,
	IP_OFF_PROTO = 9,
	IP_OFF_CSUM = 10,
	IP_OFF_SRC = 12,
	IP_OFF_DST = 16,
	IP_BYTES = 20,
	ICMP_OFF_TYPE = 0,
	ICMP_OFF_CODE = 1,
	ICMP_OFF_CSUM = 2,
	ICMP_OFF_ID = 4,
	ICMP_OFF_SEQ = 6,
	ICMP_BYTES = 8,
};

struct echo {
	const uint8_t *ip;
	const uint8_t *icmp;
	unsigned icmp_bytes;
};

/* An echo between stations to us, its ICMP checksum right. pkt_parse has checked the IP packet. */
static bool echo_read(const struct host_if *hif, const uint8_t *frame, const struct pkt_rx *rx,
	const struct host_vlan *vlan, struct echo *echo)
{
	if (rx->cls != PKT_ECHO || host_mac_dst(frame) != hif->mac)
		return false;
	if (!host_mac_is_station(host_mac_src(frame)) || host_mac_src(frame) == hif->mac)
		return false;
	if (!host_owns(hif, vlan, rx->ip_dst) || host_owns(hif, vlan, rx->ip_src) ||
		!host_ip_is_station(hif, rx->ip_src))
		return false;
	echo->ip = frame + rx->l3_off;
	echo->icmp = frame + rx->l4_off;
	echo->icmp_bytes = (unsigned)(rx->end_off - rx->l4_off);
	return rx->icmp_code == 0 &&
	       sig_fold(pkt_csum_add(echo->icmp, echo->icmp_bytes, 0)) == 0xffff;
}

struct ip_fields {
	uint8_t tos, ttl;
	uint16_t id;
	uint32_t src, dst;
	unsigned payload_bytes;
};

static void write_ip(uint8_t *p, const struct ip_fields *f)
{
	memset(p, 0, IP_BYTES);
	p[0] = IP_VERSION_IHL;
	p[IP_OFF_TOS] = f->tos;
	pkt_put16(p + IP_OFF_LENGTH, (uint16_t)(IP_BYTES + f->payload_bytes));
	pkt_put16(p + IP_OFF_ID, f->id);
	p[IP_OFF_TTL] = f->ttl;
	p[IP_OFF_PROTO] = PKT_IP_PROTO_ICMP;
	pkt_put32(p + IP_OFF_SRC, f->src);
	pkt_put32(p + IP_OFF_DST, f->dst);
	pkt_put16(p + IP_OFF_CSUM, (uint16_t)~sig_fold(pkt_csum_add(p, IP_BYTES, 0)));
}

/* Type, code and checksum of a message whose rest is there. */
static void finish_icmp(uint8_t *p, uint8_t type, unsigned bytes)
{
	p[ICMP_OFF_TYPE] = type;
	p[ICMP_OFF_CODE] = 0;
	pkt_put16(p + ICMP_OFF_CSUM, 0);
	pkt_put16(p + ICMP_OFF_CSUM, (uint16_t)~sig_fold(pkt_csum_add(p, bytes, 0)));
}

/* The answer carries no IP options: none that a station may send is of use to a DUT's tester. */
enum host_verdict host_echo_input(const struct host_if *hif, const uint8_t *frame,
	const struct pkt_rx *rx, const struct host_vlan *vlan, uint8_t *reply, unsigned *reply_len)
{
	struct echo echo;
	unsigned off;

	if (!echo_read(hif, frame, rx, vlan, &echo))
		return HOST_NOT_OURS;
	if (rx->icmp_type != PKT_ICMP_ECHO_REQUEST)
		return HOST_TAKEN;
	if (rx->l3_off + IP_BYTES + echo.icmp_bytes > HOST_FRAME_MAX)
		return HOST_TAKEN;

	off = host_answer_eth(hif, frame, rx, rx->ip_dst, host_mac_src(frame), reply);
	write_ip(reply + off, &(struct ip_fields){
				      .tos = echo.ip[IP_OFF_TOS],
				      .ttl = HOST_DEFAULT_TTL,
				      .id = pkt_get16(echo.ip + IP_OFF_ID),
				      .src = (uint32_t)rx->ip_dst.lo,
				      .dst = (uint32_t)rx->ip_src.lo,
				      .payload_bytes = echo.icmp_bytes,
			      });
	off += IP_BYTES;
	memcpy(reply + off, echo.icmp, echo.icmp_bytes);
	finish_icmp(reply + off, PKT_ICMP_ECHO_REPLY, echo.icmp_bytes);
	*reply_len = host_pad(reply, off + echo.icmp_bytes);
	return HOST_ANSWER;
}

unsigned host_echo_min(const struct host_vlan *vlan, struct units_ip dst)
{
	unsigned ip = units_ip_is4(dst) ? IP_BYTES : HOST_IP6_BYTES;
	unsigned bytes = UNITS_ETH_BYTES + host_vlan_bytes(vlan) + ip + ICMP_BYTES;

	return bytes > PKT_MIN_BYTES ? bytes : PKT_MIN_BYTES;
}

static unsigned echo4_request(const struct host_if *hif, const struct host_echo *echo, uint8_t *out)
{
	unsigned off = host_write_eth(hif, echo->mac_dst, &echo->vlan, PKT_ETHERTYPE_IP4, out);
	unsigned icmp_bytes = echo->bytes - off - IP_BYTES;
	uint8_t *icmp = out + off + IP_BYTES;

	write_ip(out + off, &(struct ip_fields){
				    .ttl = echo->ttl,
				    .id = echo->seq,
				    .src = (uint32_t)echo->src.lo,
				    .dst = (uint32_t)echo->dst.lo,
				    .payload_bytes = icmp_bytes,
			    });
	pkt_put16(icmp + ICMP_OFF_ID, echo->id);
	pkt_put16(icmp + ICMP_OFF_SEQ, echo->seq);
	for (unsigned i = ICMP_BYTES; i < icmp_bytes; i++)
		icmp[i] = (uint8_t)(i - ICMP_BYTES);
	finish_icmp(icmp, PKT_ICMP_ECHO_REQUEST, icmp_bytes);
	return echo->bytes;
}

unsigned host_echo_request(const struct host_if *hif, const struct host_echo *echo, uint8_t *out)
{
	assert(echo->bytes >= host_echo_min(&echo->vlan, echo->dst) &&
		echo->bytes <= HOST_FRAME_MAX);
	return units_ip_is4(echo->dst) ? echo4_request(hif, echo, out)
				       : host_echo6_request(hif, echo, out);
}

bool host_echo_reply(
	const struct host_if *hif, const uint8_t *frame, unsigned len, struct host_echo *out)
{
	struct host_vlan vlan;
	struct pkt_rx rx;
	struct echo echo;

	pkt_parse_headers(frame, len, 0, &rx);
	if (rx.cls != PKT_ECHO || !host_vlan_read(frame, &rx, &vlan))
		return false;
	if (rx.ethertype != PKT_ETHERTYPE_IP4)
		return host_echo6_reply(hif, frame, &rx, &vlan, out);
	if (!echo_read(hif, frame, &rx, &vlan, &echo) || rx.icmp_type != PKT_ICMP_ECHO_REPLY)
		return false;
	*out = (struct host_echo){
		.src = rx.ip_src,
		.dst = rx.ip_dst,
		.vlan = vlan,
		.mac_dst = host_mac_dst(frame),
		.id = pkt_get16(echo.icmp + ICMP_OFF_ID),
		.seq = pkt_get16(echo.icmp + ICMP_OFF_SEQ),
		.ttl = echo.ip[IP_OFF_TTL],
		.bytes = rx.end_off,
	};
	return true;
}
