/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "tgen/host.h"
#include "tgen/pkt.h"
#include "tgen/units.h"

#define HOST_MAC_BROADCAST 0xffffffffffffull
#define HOST_DEFAULT_TTL   64
#define HOST_IP6_BYTES	   40u

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
bool host_ip_is_station(const struct host_if *hif, struct units_ip ip);
/* RFC 2464 §7: 33:33 and the low 32 bits. */
uint64_t host_group_mac(struct units_ip group);
/* RFC 4291 §2.7.1: ff02::1:ff and the low 24 bits. */
struct units_ip host_solicited_node(struct units_ip ip);

/* ---- tags ---- */

/* The VLANs of a frame; false: more than two, or labels or PPPoE behind them. */
bool host_vlan_read(const uint8_t *frame, const struct pkt_rx *rx, struct host_vlan *vlan);
/* The MAC header of a frame of our own, within vlan; returns its bytes. */
unsigned host_write_eth(const struct host_if *hif, uint64_t to, const struct host_vlan *vlan,
	uint16_t ethertype, uint8_t *out);
unsigned host_vlan_bytes(const struct host_vlan *vlan);
/*
 * The MAC header of an answer to frame: back to `to`, within the same tags, their TPIDs those of
 * our address `ours` where it gives them. Returns rx->l3_off, the number of bytes written.
 */
unsigned host_answer_eth(const struct host_if *hif, const uint8_t *frame, const struct pkt_rx *rx,
	struct units_ip ours, uint64_t to, uint8_t *reply);
/* Fills up to the smallest Ethernet frame with zeros; returns the length then. */
unsigned host_pad(uint8_t *frame, unsigned len);

/* ---- IPv6 and ICMPv6 ---- */

struct host_ip6 {
	uint8_t traffic_class, hop_limit;
	struct units_ip src, dst;
	unsigned payload_bytes;
};
/* The header of a packet that holds ICMPv6. */
void host_write_ip6(uint8_t *p, const struct host_ip6 *ip);
/* Whether the ICMPv6 checksum over the packet at ip is right; nothing but the header before it. */
bool host_icmp6_right(const uint8_t *ip);
/* Writes the checksum of the message behind the header at ip. */
void host_icmp6_finish(uint8_t *ip);

/* ---- protocols; rx->cls is theirs, vlan: the frame's ---- */

enum host_verdict host_arp_input(const struct host_if *hif, const uint8_t *frame, unsigned len,
	const struct pkt_rx *rx, const struct host_vlan *vlan, uint8_t *reply, unsigned *reply_len);
enum host_verdict host_nd_input(const struct host_if *hif, const uint8_t *frame,
	const struct pkt_rx *rx, const struct host_vlan *vlan, uint8_t *reply, unsigned *reply_len);
enum host_verdict host_echo_input(const struct host_if *hif, const uint8_t *frame,
	const struct pkt_rx *rx, const struct host_vlan *vlan, uint8_t *reply, unsigned *reply_len);
enum host_verdict host_echo6_input(const struct host_if *hif, const uint8_t *frame,
	const struct pkt_rx *rx, const struct host_vlan *vlan, uint8_t *reply, unsigned *reply_len);

unsigned host_arp_write_request(const struct host_if *hif, const struct host_vlan *vlan,
	uint32_t sender_ip, uint32_t target_ip, uint8_t *out);
bool host_arp_learn(
	const uint8_t *frame, unsigned len, const struct pkt_rx *rx, struct host_neighbour *out);
unsigned host_nd_write_solicitation(const struct host_if *hif, const struct host_vlan *vlan,
	struct units_ip src, struct units_ip target, uint8_t *out);
unsigned host_nd_write_announcement(
	const struct host_if *hif, const struct host_vlan *vlan, struct units_ip ip, uint8_t *out);
bool host_nd_learn(const uint8_t *frame, const struct pkt_rx *rx, struct host_neighbour *out);

/* echo6.c: of IPv6, as the public ones. */
unsigned host_echo6_request(const struct host_if *hif, const struct host_echo *echo, uint8_t *out);
bool host_echo6_reply(const struct host_if *hif, const uint8_t *frame, const struct pkt_rx *rx,
	const struct host_vlan *vlan, struct host_echo *out);
