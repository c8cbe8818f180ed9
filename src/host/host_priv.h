/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "tgen/host.h"
#include "tgen/pkt.h"
#include "tgen/units.h"

#define HOST_MAC_BROADCAST 0xffffffffffffull
#define HOST_DEFAULT_TTL   64

static inline uint64_t host_mac_dst(const uint8_t *frame)
{
	return units_mac_number(frame);
}

static inline uint64_t host_mac_src(const uint8_t *frame)
{
	return units_mac_number(frame + 6);
}

/* Whether mac can be one station's: neither zero nor a group. */
bool host_mac_is_station(uint64_t mac);
/* Whether ip can be one host's, seen from hif: no group, loopback or broadcast address, not 0. */
bool host_ip_is_station(const struct host_if *hif, uint32_t ip);

/*
 * The MAC header of an answer to frame: back to `to`, within the same tags. Returns rx->l3_off, the
 * number of bytes written.
 */
unsigned host_answer_eth(const struct host_if *hif, const uint8_t *frame, const struct pkt_rx *rx,
	uint64_t to, uint8_t *reply);
/* Fills up to the smallest Ethernet frame with zeros; returns the length then. */
unsigned host_pad(uint8_t *frame, unsigned len);

enum host_verdict host_arp_input(const struct host_if *hif, const uint8_t *frame, unsigned len,
	const struct pkt_rx *rx, uint8_t *reply, unsigned *reply_len);
/* rx->cls is PKT_ECHO. */
enum host_verdict host_echo_input(const struct host_if *hif, const uint8_t *frame,
	const struct pkt_rx *rx, uint8_t *reply, unsigned *reply_len);
