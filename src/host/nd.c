/* SPDX-License-Identifier: BSD-3-Clause */
#include "host_priv.h"

#include <string.h>

/* RFC 4861 §4.3, §4.4, §4.6.1: offsets from the ICMPv6 header. */
enum {
	ND_OFF_FLAGS = 4,
	ND_OFF_TARGET = 8,
	ND_BYTES = 24, /* without options */
	ND_OPT_UNIT = 8,
	ND_OPT_MAC_BYTES = 8,
};

enum { ND_SOLICITATION = 135, ND_ADVERTISEMENT = 136 };
enum { OPT_SOURCE_MAC = 1, OPT_TARGET_MAC = 2 };
#define FLAG_SOLICITED 0x40
#define FLAG_OVERRIDE  0x20
#define HOP_LIMIT      255 /* proves that no router passed it on */

static const struct units_ip all_nodes = {.up = 0xff02ull << 48, .lo = 1};

struct nd {
	uint8_t type, flags;
	struct units_ip target;
	uint64_t mac; /* its link-layer address option of the type that belongs; 0: none */
};

/* False: an option of no length, or cut off (§7.1.1). */
static bool read_options(const uint8_t *p, unsigned len, struct nd *nd)
{
	uint8_t wanted = nd->type == ND_SOLICITATION ? OPT_SOURCE_MAC : OPT_TARGET_MAC;

	for (unsigned off = 0; off < len;) {
		unsigned bytes;

		if (len - off < 2 || p[off + 1] == 0)
			return false;
		bytes = (unsigned)ND_OPT_UNIT * p[off + 1];
		if (bytes > len - off)
			return false;
		if (p[off] == wanted && bytes == ND_OPT_MAC_BYTES)
			nd->mac = units_mac_number(p + off + 2);
		off += bytes;
	}
	return true;
}

/* The checks of RFC 4861 §7.1.1 and §7.1.2. An extension header before it is more than we need. */
static bool nd_read(const uint8_t *frame, const struct pkt_rx *rx, struct nd *nd)
{
	const uint8_t *ip = frame + rx->l3_off, *p = frame + rx->l4_off;
	unsigned len = (unsigned)(rx->end_off - rx->l4_off);
	bool group = units_ip_is_group(rx->ip_dst);

	if (rx->icmp_type != ND_SOLICITATION && rx->icmp_type != ND_ADVERTISEMENT)
		return false;
	if (rx->l4_off - rx->l3_off != HOST_IP6_BYTES || ip[7] != HOP_LIMIT || rx->icmp_code != 0 ||
		len < ND_BYTES || !host_icmp6_right(ip))
		return false;
	*nd = (struct nd){.type = rx->icmp_type,
		.flags = p[ND_OFF_FLAGS],
		.target = units_ip6_read(p + ND_OFF_TARGET)};
	if (units_ip_is4(rx->ip_src) || units_ip_is4(nd->target)) /* never on the wire, RFC 4291 */
		return false;
	if (units_ip_is_group(nd->target) || units_ip_is_none(nd->target) ||
		!read_options(p + ND_BYTES, len - ND_BYTES, nd))
		return false;
	if (nd->type == ND_ADVERTISEMENT)
		return !(group && (nd->flags & FLAG_SOLICITED) != 0);
	if (units_ip_is_none(rx->ip_src)) /* is the address free? */
		return nd->mac == 0 && units_ip_equal(rx->ip_dst, host_solicited_node(nd->target));
	return true;
}

/* A message with a link-layer address option, in one packet. */
static unsigned nd_write(uint8_t *ip, struct units_ip src, struct units_ip dst, const struct nd *nd)
{
	uint8_t *p = ip + HOST_IP6_BYTES, *opt = p + ND_BYTES;

	host_write_ip6(ip, &(struct host_ip6){.hop_limit = HOP_LIMIT,
				   .src = src,
				   .dst = dst,
				   .payload_bytes = ND_BYTES + ND_OPT_MAC_BYTES});
	memset(p, 0, ND_BYTES);
	p[0] = nd->type;
	p[ND_OFF_FLAGS] = nd->flags;
	units_ip6_write(p + ND_OFF_TARGET, nd->target);
	opt[0] = nd->type == ND_SOLICITATION ? OPT_SOURCE_MAC : OPT_TARGET_MAC;
	opt[1] = 1;
	units_mac_bytes(nd->mac, opt + 2);
	host_icmp6_finish(ip);
	return HOST_IP6_BYTES + ND_BYTES + ND_OPT_MAC_BYTES;
}

/* §7.2.4: to the one who asked, or to all when it had no address to ask from. */
static unsigned answer(const struct host_if *hif, const uint8_t *frame, const struct pkt_rx *rx,
	const struct nd *asked, uint8_t *reply)
{
	bool to_all = units_ip_is_none(rx->ip_src);
	struct units_ip dst = to_all ? all_nodes : rx->ip_src;
	uint64_t to = asked->mac != 0 ? asked->mac : host_mac_src(frame);
	unsigned off = host_answer_eth(
		hif, frame, rx, asked->target, to_all ? host_group_mac(all_nodes) : to, reply);
	const struct nd nd = {.type = ND_ADVERTISEMENT,
		.flags = to_all ? FLAG_OVERRIDE : FLAG_SOLICITED | FLAG_OVERRIDE,
		.target = asked->target,
		.mac = hif->mac};

	return off + nd_write(reply + off, asked->target, dst, &nd);
}

enum host_verdict host_nd_input(const struct host_if *hif, const uint8_t *frame,
	const struct pkt_rx *rx, const struct host_vlan *vlan, uint8_t *reply, unsigned *reply_len)
{
	bool to_us = host_mac_dst(frame) == hif->mac;
	struct nd nd;

	if ((!to_us && host_mac_dst(frame) != host_group_mac(rx->ip_dst)) ||
		!host_mac_is_station(host_mac_src(frame)) || host_mac_src(frame) == hif->mac)
		return HOST_NOT_OURS;
	if (!nd_read(frame, rx, &nd))
		return HOST_NOT_OURS;
	if (nd.type == ND_ADVERTISEMENT)
		return host_owns(hif, vlan, rx->ip_dst) || units_ip_equal(rx->ip_dst, all_nodes)
			       ? HOST_TAKEN
			       : HOST_NOT_OURS;
	if (!host_owns(hif, vlan, nd.target) || host_owns(hif, vlan, rx->ip_src) ||
		(nd.mac != 0 && !host_mac_is_station(nd.mac)))
		return HOST_NOT_OURS;
	if (!units_ip_is_none(rx->ip_src) && !host_ip_is_station(hif, rx->ip_src))
		return HOST_NOT_OURS;
	if (!units_ip_equal(rx->ip_dst, nd.target) &&
		!units_ip_equal(rx->ip_dst, host_solicited_node(nd.target)))
		return HOST_NOT_OURS;
	*reply_len = answer(hif, frame, rx, &nd, reply);
	return HOST_ANSWER;
}

unsigned host_nd_write_solicitation(const struct host_if *hif, const struct host_vlan *vlan,
	struct units_ip src, struct units_ip target, uint8_t *out)
{
	struct units_ip group = host_solicited_node(target);
	unsigned off = host_write_eth(hif, host_group_mac(group), vlan, PKT_ETHERTYPE_IP6, out);
	const struct nd nd = {.type = ND_SOLICITATION, .target = target, .mac = hif->mac};

	return off + nd_write(out + off, src, group, &nd);
}

/* §7.2.6: unsolicited, to all. */
unsigned host_nd_write_announcement(
	const struct host_if *hif, const struct host_vlan *vlan, struct units_ip ip, uint8_t *out)
{
	unsigned off = host_write_eth(hif, host_group_mac(all_nodes), vlan, PKT_ETHERTYPE_IP6, out);
	const struct nd nd = {
		.type = ND_ADVERTISEMENT, .flags = FLAG_OVERRIDE, .target = ip, .mac = hif->mac};

	return off + nd_write(out + off, ip, all_nodes, &nd);
}

bool host_nd_learn(const uint8_t *frame, const struct pkt_rx *rx, struct host_neighbour *out)
{
	struct nd nd;

	if (!nd_read(frame, rx, &nd))
		return false;
	out->ip = nd.type == ND_SOLICITATION ? rx->ip_src : nd.target;
	out->mac = nd.mac != 0 ? nd.mac : host_mac_src(frame);
	return !units_ip_is_none(out->ip) && host_mac_is_station(out->mac);
}
