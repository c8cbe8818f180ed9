/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/*
 * The small host that every port is: it answers ARP and ICMP echo for its own addresses, and asks.
 * Frames in, frames out: no I/O, no state, no clock; safe to call from any worker.
 * Addresses are in host order, MACs are 48-bit numbers.
 */
#define HOST_FRAME_MAX 9216u /* bytes a reply may need: an echo reply is as long as its request */
#define HOST_ARP_BYTES 60u

struct host_addr {
	uint32_t ip;
	uint8_t prefix; /* 0..32 */
};

struct host_if {
	uint64_t mac;
	const struct host_addr *addrs;
	unsigned nb_addrs;
};

static inline uint32_t host_prefix_mask(uint8_t prefix)
{
	return prefix == 0 ? 0 : UINT32_MAX << (32 - prefix);
}

/* Whether ip lies in the network of addr. */
static inline bool host_addr_covers(const struct host_addr *addr, uint32_t ip)
{
	return ((addr->ip ^ ip) & host_prefix_mask(addr->prefix)) == 0;
}

bool host_owns(const struct host_if *hif, uint32_t ip);

enum host_verdict {
	HOST_NOT_OURS, /* not for this host */
	HOST_TAKEN, /* ours, no answer needed (an ARP reply or echo reply to us, a gratuitous ARP) */
	HOST_ANSWER, /* ours, and reply holds the answer */
};

/*
 * Takes a frame that is not a test frame. ARP requests for our addresses and echo requests to them
 * (for our MAC, IP and ICMP checksums right, not fragmented) are answered within the VLAN tags they
 * came with. reply holds HOST_FRAME_MAX bytes; *reply_len is set with HOST_ANSWER.
 */
enum host_verdict host_input(const struct host_if *hif, const uint8_t *frame, unsigned len,
	uint8_t *reply, unsigned *reply_len);

/* A broadcast ARP request for target from the address that covers it (else the first; 0: none). */
unsigned host_arp_request(const struct host_if *hif, uint32_t target, uint8_t out[HOST_ARP_BYTES]);
/* A gratuitous ARP request for one of our addresses (ip), or a MAC-only one (ip 0: ARP probe form). */
unsigned host_arp_announce(const struct host_if *hif, uint32_t ip, uint8_t out[HOST_ARP_BYTES]);
/* True when the frame is ARP and tells the MAC of *ip (sender fields, request or reply). */
bool host_arp_learn(const uint8_t *frame, unsigned len, uint32_t *ip, uint64_t *mac);

struct host_echo {
	uint32_t src, dst; /* IPv4 */
	uint64_t mac_dst;
	uint16_t id, seq;
	uint8_t ttl;
	unsigned bytes; /* packet-size, 60 at least */
};

/* Writes an echo request of echo->bytes bytes; data is 00 01 02 …; returns its length. */
unsigned host_echo_request(const struct host_if *hif, const struct host_echo *echo, uint8_t *out);
/* True when the frame is an echo reply to us with right checksums; fills src, dst, id, seq, ttl, bytes. */
bool host_echo_reply(
	const struct host_if *hif, const uint8_t *frame, unsigned len, struct host_echo *out);
