/* SPDX-License-Identifier: BSD-3-Clause */
#include "host_priv.h"

#include <string.h>

/* RFC 826 for Ethernet and IPv4: offsets from the ARP header. */
enum {
	ARP_OFF_HW = 0,
	ARP_OFF_PROTO = 2,
	ARP_OFF_LENGTHS = 4,
	ARP_OFF_OP = 6,
	ARP_OFF_SENDER_MAC = 8,
	ARP_OFF_SENDER_IP = 14,
	ARP_OFF_TARGET_MAC = 18,
	ARP_OFF_TARGET_IP = 24,
	ARP_BYTES = 28,
};

#define ARP_HW_ETHERNET 1
#define ARP_LENGTHS	0x0604 /* of a MAC, of an IPv4 address */

enum { ARP_OP_REQUEST = 1, ARP_OP_REPLY = 2 };

struct arp {
	uint16_t op;
	uint64_t sender_mac, target_mac;
	uint32_t sender_ip, target_ip;
};

/* False for anything but a request or reply about IPv4 over Ethernet from a possible sender. */
static bool arp_read(const uint8_t *frame, unsigned len, const struct pkt_rx *rx, struct arp *arp)
{
	const uint8_t *p = frame + rx->l3_off;

	if (rx->cls != PKT_ARP || len < rx->l3_off + (unsigned)ARP_BYTES)
		return false;
	if (pkt_get16(p + ARP_OFF_HW) != ARP_HW_ETHERNET ||
		pkt_get16(p + ARP_OFF_PROTO) != PKT_ETHERTYPE_IP4 ||
		pkt_get16(p + ARP_OFF_LENGTHS) != ARP_LENGTHS)
		return false;
	arp->op = pkt_get16(p + ARP_OFF_OP);
	arp->sender_mac = units_mac_number(p + ARP_OFF_SENDER_MAC);
	arp->sender_ip = pkt_get32(p + ARP_OFF_SENDER_IP);
	arp->target_mac = units_mac_number(p + ARP_OFF_TARGET_MAC);
	arp->target_ip = pkt_get32(p + ARP_OFF_TARGET_IP);
	return (arp->op == ARP_OP_REQUEST || arp->op == ARP_OP_REPLY) &&
	       host_mac_is_station(arp->sender_mac);
}

static void arp_write(uint8_t *p, const struct arp *arp)
{
	pkt_put16(p + ARP_OFF_HW, ARP_HW_ETHERNET);
	pkt_put16(p + ARP_OFF_PROTO, PKT_ETHERTYPE_IP4);
	pkt_put16(p + ARP_OFF_LENGTHS, ARP_LENGTHS);
	pkt_put16(p + ARP_OFF_OP, arp->op);
	units_mac_bytes(arp->sender_mac, p + ARP_OFF_SENDER_MAC);
	pkt_put32(p + ARP_OFF_SENDER_IP, arp->sender_ip);
	units_mac_bytes(arp->target_mac, p + ARP_OFF_TARGET_MAC);
	pkt_put32(p + ARP_OFF_TARGET_IP, arp->target_ip);
}

enum host_verdict host_arp_input(const struct host_if *hif, const uint8_t *frame, unsigned len,
	const struct pkt_rx *rx, const struct host_vlan *vlan, uint8_t *reply, unsigned *reply_len)
{
	bool to_us = host_mac_dst(frame) == hif->mac, probe;
	struct units_ip sender, target;
	struct arp arp;
	unsigned off;

	if (!to_us && host_mac_dst(frame) != HOST_MAC_BROADCAST)
		return HOST_NOT_OURS;
	if (!arp_read(frame, len, rx, &arp) || arp.sender_mac == hif->mac)
		return HOST_NOT_OURS;
	probe = arp.op == ARP_OP_REQUEST && arp.sender_ip == 0; /* RFC 5227: is the address free? */
	sender = units_ip4(arp.sender_ip);
	target = units_ip4(arp.target_ip);
	if (!probe && !host_ip_is_station(hif, sender))
		return HOST_NOT_OURS;
	if (!probe && arp.sender_ip == arp.target_ip)
		return HOST_TAKEN;
	if (arp.op == ARP_OP_REPLY)
		return to_us || host_owns(hif, vlan, target) ? HOST_TAKEN : HOST_NOT_OURS;
	if (!host_owns(hif, vlan, target) || host_owns(hif, vlan, sender))
		return HOST_NOT_OURS;

	off = host_answer_eth(hif, frame, rx, target, arp.sender_mac, reply);
	arp_write(reply + off, &(struct arp){
				       .op = ARP_OP_REPLY,
				       .sender_mac = hif->mac,
				       .sender_ip = arp.target_ip,
				       .target_mac = arp.sender_mac,
				       .target_ip = arp.sender_ip,
			       });
	*reply_len = host_pad(reply, off + ARP_BYTES);
	return HOST_ANSWER;
}

unsigned host_arp_write_request(const struct host_if *hif, const struct host_vlan *vlan,
	uint32_t sender_ip, uint32_t target_ip, uint8_t *out)
{
	unsigned off = host_write_eth(hif, HOST_MAC_BROADCAST, vlan, PKT_ETHERTYPE_ARP, out);

	arp_write(out + off, &(struct arp){
				     .op = ARP_OP_REQUEST,
				     .sender_mac = hif->mac,
				     .sender_ip = sender_ip,
				     .target_ip = target_ip,
			     });
	return host_pad(out, off + ARP_BYTES);
}

bool host_arp_learn(
	const uint8_t *frame, unsigned len, const struct pkt_rx *rx, struct host_neighbour *out)
{
	struct arp arp;

	if (!arp_read(frame, len, rx, &arp) || arp.sender_ip == 0)
		return false;
	out->ip = units_ip4(arp.sender_ip);
	out->mac = arp.sender_mac;
	return true;
}
