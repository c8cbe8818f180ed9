/* SPDX-License-Identifier: BSD-3-Clause */
#include "host_priv.h"

#include <string.h>

unsigned host_answer_eth(const struct host_if *hif, const uint8_t *frame, const struct pkt_rx *rx,
	uint64_t to, uint8_t *reply)
{
	units_mac_bytes(to, reply);
	units_mac_bytes(hif->mac, reply + 6);
	memcpy(reply + 12, frame + 12, rx->l3_off - 12u);
	return rx->l3_off;
}

unsigned host_pad(uint8_t *frame, unsigned len)
{
	if (len >= PKT_MIN_BYTES)
		return len;
	memset(frame + len, 0, PKT_MIN_BYTES - len);
	return PKT_MIN_BYTES;
}

/*
 * The caller has sorted out its test frames, so the test-id asked for hardly matters: at worst an
 * echo that carries the good signature of another tgen's test stays unanswered.
 */
enum host_verdict host_input(const struct host_if *hif, const uint8_t *frame, unsigned len,
	uint8_t *reply, unsigned *reply_len)
{
	struct pkt_rx rx;

	pkt_parse(frame, len, 0, &rx);
	if (rx.cls == PKT_ARP)
		return host_arp_input(hif, frame, len, &rx, reply, reply_len);
	if (rx.cls == PKT_ECHO)
		return host_echo_input(hif, frame, &rx, reply, reply_len);
	return HOST_NOT_OURS;
}
