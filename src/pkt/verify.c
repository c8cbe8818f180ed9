/* SPDX-License-Identifier: BSD-3-Clause */
#include "tgen/pkt.h"

#include <string.h>

#include "verify.h"

#define IP_ADDRS_OFF   12u
#define IP_ADDRS_BYTES 8u

bool pkt_udp_csum_right(const uint8_t *ip, const uint8_t *udp, unsigned length)
{
	uint32_t sum = pkt_csum_add(ip + IP_ADDRS_OFF, IP_ADDRS_BYTES, PKT_IP_PROTO_UDP + length);

	return sig_fold(pkt_csum_add(udp, length, sum)) == 0xffff;
}

/* Where byte `off` of the sent frame is in the received one; NULL: before its beginning. */
static const uint8_t *from_end(
	const struct pkt_frame *sent, const uint8_t *frame, const struct pkt_rx *rx, unsigned off)
{
	unsigned tail = sent->size - off;

	return tail <= rx->end_off ? frame + rx->end_off - tail : NULL;
}

bool pkt_l4_right(const struct pkt_frame *sent, const uint8_t *frame, const struct pkt_rx *rx)
{
	const uint8_t *ip, *udp;

	if (sent->l4_off == 0 || sent->hdr[sent->l3_off + 9] != PKT_IP_PROTO_UDP ||
		rx->last_fragment)
		return true;
	ip = from_end(sent, frame, rx, sent->l3_off);
	udp = from_end(sent, frame, rx, sent->l4_off);
	if (ip == NULL)
		return true; /* shorter than it was sent: its headers were changed beyond our knowledge */
	return pkt_get16(udp + 6) == 0 || pkt_udp_csum_right(ip, udp, sent->size - sent->l4_off);
}

bool pkt_data_right(const struct pkt_frame *sent, const uint8_t *whole, const uint8_t *frame,
	const struct pkt_rx *rx)
{
	unsigned end = sent->sig_off != 0 ? sent->sig_off : sent->size;
	const uint8_t *data = from_end(sent, frame, rx, sent->hdr_bytes);

	if (data == NULL || rx->last_fragment)
		return true;
	return memcmp(data, whole + sent->hdr_bytes, end - sent->hdr_bytes) == 0;
}
