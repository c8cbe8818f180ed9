/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "tgen/units.h"

/*
 * The small host that every port is: it answers ARP, neighbour solicitations and ICMP or ICMPv6
 * echo for its own addresses, each within its VLANs, and asks. Frames in, frames out: no I/O, no
 * state, no clock; safe to call from any worker. MACs are 48-bit numbers.
 */
#define HOST_FRAME_MAX 9216u /* bytes a reply may need: an echo reply is as long as its request */
#define HOST_ASK_BYTES 96u   /* room for a request or an announcement */
#define HOST_MAX_TAGS  2u

/*
 * The VLANs that a frame is in, outermost first. Two are the same when their IDs are: the TPIDs
 * only say how our own frames are tagged.
 */
struct host_vlan {
	uint16_t vid[HOST_MAX_TAGS];  /* 0: none */
	uint16_t tpid[HOST_MAX_TAGS]; /* 0: 0x8100, and 0x88a8 for the outer one of two */
};

struct host_addr {
	struct units_ip ip;
	uint8_t prefix; /* 0..32, 0..128 */
	struct host_vlan vlan;
};

/*
 * In each VLAN in which it has an IPv6 address it has a link-local one as well, made of the MAC
 * (RFC 4291 appendix A), which is not in addrs.
 */
struct host_if {
	uint64_t mac;
	const struct host_addr *addrs;
	unsigned nb_addrs;
};

static inline bool host_vlan_equal(const struct host_vlan *a, const struct host_vlan *b)
{
	return a->vid[0] == b->vid[0] && a->vid[1] == b->vid[1];
}

/* ` in VLAN 100`, ` in VLAN 100.200`, or nothing; out holds UNITS_TEXT_MAX bytes. */
char *host_fmt_vlan(char *out, const struct host_vlan *vlan);

/* Whether ip lies in the network of addr. */
static inline bool host_addr_covers(const struct host_addr *addr, struct units_ip ip)
{
	return units_ip_covers(addr->ip, addr->prefix, ip);
}

/* The host part of an IPv4 network as a mask; 0 for IPv6, which has no broadcast. */
static inline uint32_t host_addr_hosts(const struct host_addr *addr)
{
	if (!units_ip_is4(addr->ip) || addr->prefix >= 32)
		return 0;
	return UINT32_MAX >> addr->prefix;
}

struct units_ip host_link_local(uint64_t mac);
bool host_owns(const struct host_if *hif, const struct host_vlan *vlan, struct units_ip ip);
/*
 * Our address to speak to ip from: of its version, the one that covers it in that VLAN, else in any,
 * else the first in that VLAN, else the first; none when there is none of its version. To a
 * link-local address: the link-local one.
 */
struct units_ip host_source(
	const struct host_if *hif, const struct host_vlan *vlan, struct units_ip ip);

enum host_verdict {
	HOST_NOT_OURS, /* not for this host */
	HOST_TAKEN,    /* ours, no answer needed (an answer to us, a gratuitous ARP) */
	HOST_ANSWER,   /* ours, and reply holds the answer */
};

/*
 * Takes a frame that is not a test frame. ARP requests and neighbour solicitations for our
 * addresses, and echo requests to them (for our MAC, checksums right, not fragmented), in the VLANs
 * of the address, are answered within the tags they came with; a TPID that the address gives wins.
 * reply holds HOST_FRAME_MAX bytes; *reply_len is set with HOST_ANSWER.
 */
enum host_verdict host_input(const struct host_if *hif, const uint8_t *frame, unsigned len,
	uint8_t *reply, unsigned *reply_len);

/*
 * Asks all in a VLAN for the MAC of target: an ARP request or a neighbour solicitation, from
 * host_source. Returns its bytes; 0: there is no address to ask from.
 */
unsigned host_request(const struct host_if *hif, const struct host_vlan *vlan,
	struct units_ip target, uint8_t out[HOST_ASK_BYTES]);
/*
 * Announcement number n, from 0: a gratuitous ARP or an unsolicited neighbour advertisement of each
 * address, link-local ones included; without addresses one of the bare MAC (ARP probe form).
 * Returns its bytes; 0: there are no more.
 */
unsigned host_announce(const struct host_if *hif, unsigned n, uint8_t out[HOST_ASK_BYTES]);

/* Who is where, as a frame tells it. */
struct host_neighbour {
	struct units_ip ip;
	struct host_vlan vlan;
	uint64_t mac;
};
/* True when the frame is ARP (request or reply) or a valid advertisement, and tells it. */
bool host_learn(const uint8_t *frame, unsigned len, struct host_neighbour *out);

struct host_echo {
	struct units_ip src, dst;
	struct host_vlan vlan;
	uint64_t mac_dst;
	uint16_t id, seq;
	uint8_t ttl;
	unsigned bytes; /* packet-size, 60 at least and room for the headers */
};

/* Smallest packet-size of an echo request to dst in a VLAN. */
unsigned host_echo_min(const struct host_vlan *vlan, struct units_ip dst);
/* Writes an echo request of echo->bytes bytes; data is 00 01 02 …; returns its length. */
unsigned host_echo_request(const struct host_if *hif, const struct host_echo *echo, uint8_t *out);
/* True when the frame is an echo reply to us with right checksums; fills all but TPIDs. */
bool host_echo_reply(
	const struct host_if *hif, const uint8_t *frame, unsigned len, struct host_echo *out);
