/* SPDX-License-Identifier: BSD-3-Clause */
#include "host_priv.h"

#include <string.h>

/* RFC 4443 §4: offsets from the ICMPv6 header. */
enum { ECHO_OFF_ID = 4, ECHO_OFF_SEQ = 6, ECHO_BYTES = 8 };

/* An echo between stations to us, its checksum right, without extension headers. */
static bool echo_is_ours(const struct host_if *hif, const uint8_t *frame, const struct pkt_rx *rx,
	const struct host_vlan *vlan)
{
	if (host_mac_dst(frame) != hif->mac || !host_mac_is_station(host_mac_src(frame)) ||
		host_mac_src(frame) == hif->mac)
		return false;
	if (units_ip_is4(rx->ip_dst) || units_ip_is4(rx->ip_src)) /* never on the wire, RFC 4291 */
		return false;
	if (!host_owns(hif, vlan, rx->ip_dst) || host_owns(hif, vlan, rx->ip_src) ||
		!host_ip_is_station(hif, rx->ip_src))
		return false;
	return rx->l4_off - rx->l3_off == HOST_IP6_BYTES && rx->icmp_code == 0 &&
	       host_icmp6_right(frame + rx->l3_off);
}

enum host_verdict host_echo6_input(const struct host_if *hif, const uint8_t *frame,
	const struct pkt_rx *rx, const struct host_vlan *vlan, uint8_t *reply, unsigned *reply_len)
{
	unsigned bytes = (unsigned)(rx->end_off - rx->l4_off), off;
	const uint8_t *ip = frame + rx->l3_off;

	if (!echo_is_ours(hif, frame, rx, vlan))
		return HOST_NOT_OURS;
	if (rx->icmp_type != PKT_ICMP6_ECHO_REQUEST || rx->end_off > HOST_FRAME_MAX)
		return HOST_TAKEN;

	off = host_answer_eth(hif, frame, rx, rx->ip_dst, host_mac_src(frame), reply);
	host_write_ip6(
		reply + off, &(struct host_ip6){.traffic_class = (uint8_t)(pkt_get16(ip) >> 4),
				     .hop_limit = HOST_DEFAULT_TTL,
				     .src = rx->ip_dst,
				     .dst = rx->ip_src,
				     .payload_bytes = bytes});
	memcpy(reply + off + HOST_IP6_BYTES, frame + rx->l4_off, bytes);
	reply[off + HOST_IP6_BYTES] = PKT_ICMP6_ECHO_REPLY;
	host_icmp6_finish(reply + off);
	*reply_len = host_pad(reply, off + HOST_IP6_BYTES + bytes);
	return HOST_ANSWER;
}

unsigned host_echo6_request(const struct host_if *hif, const struct host_echo *echo, uint8_t *out)
{
	unsigned off = host_write_eth(hif, echo->mac_dst, &echo->vlan, PKT_ETHERTYPE_IP6, out);
	unsigned bytes = echo->bytes - off - HOST_IP6_BYTES;
	uint8_t *icmp = out + off + HOST_IP6_BYTES;

	host_write_ip6(out + off, &(struct host_ip6){.hop_limit = echo->ttl,
					  .src = echo->src,
					  .dst = echo->dst,
					  .payload_bytes = bytes});
	icmp[0] = PKT_ICMP6_ECHO_REQUEST;
	icmp[1] = 0;
	pkt_put16(icmp + ECHO_OFF_ID, echo->id);
	pkt_put16(icmp + ECHO_OFF_SEQ, echo->seq);
	for (unsigned i = ECHO_BYTES; i < bytes; i++)
		icmp[i] = (uint8_t)(i - ECHO_BYTES);
	host_icmp6_finish(out + off);
	return echo->bytes;
}

bool host_echo6_reply(const struct host_if *hif, const uint8_t *frame, const struct pkt_rx *rx,
	const struct host_vlan *vlan, struct host_echo *out)
{
	const uint8_t *icmp = frame + rx->l4_off;

	if (rx->icmp_type != PKT_ICMP6_ECHO_REPLY || !echo_is_ours(hif, frame, rx, vlan))
		return false;
	*out = (struct host_echo){
		.src = rx->ip_src,
		.dst = rx->ip_dst,
		.vlan = *vlan,
		.mac_dst = host_mac_dst(frame),
		.id = pkt_get16(icmp + ECHO_OFF_ID),
		.seq = pkt_get16(icmp + ECHO_OFF_SEQ),
		.ttl = frame[rx->l3_off + 7],
		.bytes = rx->end_off,
	};
	return true;
}
