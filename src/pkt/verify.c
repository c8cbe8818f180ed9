/* SPDX-License-Identifier: BSD-3-Clause */
#include "tgen/pkt.h"

#include <endian.h>
#include <string.h>

#include "hdr.h"
#include "parse.h"
#include "verify.h"

#define SCTP_CSUM_OFF 8u /* RFC 9260 §3.1 */
#define SCTP_BYTES    12u
#define PROTO_IGMP    2u

/* RFC 793, 768; RFC 8200 §8.1 */
static uint32_t pseudo_sum(const uint8_t *ip, unsigned version, uint8_t proto, unsigned length)
{
	uint32_t start = sig_fold(proto + length);

	if (version == 4)
		return pkt_csum_add(ip + IP4_SRC_OFF, 8, start);
	return pkt_csum_add(ip + IP6_SRC_OFF, 32, start);
}

/* The checksum counts as zeros in itself. */
static bool sctp_right(const uint8_t *l4, unsigned length)
{
	static const uint8_t zeros[4];
	uint32_t crc, sent;

	if (length < SCTP_BYTES)
		return false;
	crc = pkt_crc32c_add(0, l4, SCTP_CSUM_OFF);
	crc = pkt_crc32c_add(crc, zeros, sizeof(zeros));
	crc = pkt_crc32c_add(crc, l4 + SCTP_BYTES, length - SCTP_BYTES);
	memcpy(&sent, l4 + SCTP_CSUM_OFF, sizeof(sent));
	return crc == le32toh(sent);
}

bool pkt_csum_right(
	const uint8_t *ip, unsigned version, uint8_t proto, const uint8_t *l4, unsigned length)
{
	uint32_t start = 0;

	switch (proto) {
	case PKT_IP_PROTO_UDP:
	case PKT_IP_PROTO_TCP:
	case PKT_IP_PROTO_ICMP6:
		start = pseudo_sum(ip, version, proto, length);
		break;
	case PKT_IP_PROTO_ICMP:
	case PROTO_IGMP:
		break;
	case PKT_IP_PROTO_SCTP:
		return sctp_right(l4, length);
	default:
		return true;
	}
	return sig_fold(pkt_csum_add(l4, length, start)) == 0xffff;
}

/* Where byte `off` of the sent frame is in the received one; NULL: before its beginning. */
static const uint8_t *from_end(
	unsigned size, const uint8_t *frame, const struct pkt_rx *rx, unsigned off)
{
	unsigned tail = size - off;

	return tail <= rx->end_off ? frame + rx->end_off - tail : NULL;
}

bool pkt_l4_right(
	const struct pkt_frame *sent, unsigned size, const uint8_t *frame, const struct pkt_rx *rx)
{
	const uint8_t *ip, *l4;

	if (!sent->l4_right || rx->last_fragment)
		return true;
	ip = from_end(size, frame, rx, sent->in_off);
	l4 = from_end(size, frame, rx, sent->l4_off);
	if (ip == NULL)
		return true; /* shorter than it was sent: its headers were changed beyond our knowledge */
	if (sent->l4_proto == PKT_IP_PROTO_UDP && pkt_get16(l4 + 6) == 0)
		return true;
	/* with addresses still to be visited, the one that the checksum covers is not in its place */
	if (sent->in_version == 6 && pkt_ip6_walk(ip, (unsigned)(l4 - ip)).is_routed)
		return true;
	return pkt_csum_right(ip, sent->in_version, sent->l4_proto, l4, size - sent->l4_off);
}

bool pkt_data_right(const struct pkt_frame *sent, uint64_t n, unsigned size, const uint8_t *whole,
	const uint8_t *frame, const struct pkt_rx *rx)
{
	unsigned end = sent->sig_off != 0 ? size - SIG_BYTES : size;
	const uint8_t *data = from_end(size, frame, rx, sent->hdr_bytes);

	if (data == NULL || rx->last_fragment)
		return true;
	return payload_matches(sent, n, whole, data, end);
}
