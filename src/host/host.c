/* SPDX-License-Identifier: BSD-3-Clause */
#include "host_priv.h"

#include <string.h>

#define VID_MASK 0xfffu

/* A tag with VLAN ID 0 carries a priority alone (802.1Q): it is in no VLAN. */
bool host_vlan_read(const uint8_t *frame, const struct pkt_rx *rx, struct host_vlan *vlan)
{
	unsigned nb = 0;

	*vlan = (struct host_vlan){0};
	if (rx->l3_off != UNITS_ETH_BYTES + UNITS_TAG_BYTES * rx->nb_tags)
		return false;
	for (unsigned i = 0; i < rx->nb_tags; i++) {
		uint16_t vid = pkt_get16(frame + UNITS_ETH_BYTES + UNITS_TAG_BYTES * i) & VID_MASK;

		if (vid == 0)
			continue;
		if (nb == HOST_MAX_TAGS)
			return false;
		vlan->tpid[nb] = pkt_get16(frame + UNITS_ETH_BYTES - 2 + UNITS_TAG_BYTES * i);
		vlan->vid[nb++] = vid;
	}
	return true;
}

unsigned host_vlan_bytes(const struct host_vlan *vlan)
{
	return UNITS_TAG_BYTES * ((vlan->vid[0] != 0 ? 1u : 0u) + (vlan->vid[1] != 0 ? 1u : 0u));
}

unsigned host_write_eth(const struct host_if *hif, uint64_t to, const struct host_vlan *vlan,
	uint16_t ethertype, uint8_t *out)
{
	unsigned off = 12;

	units_mac_bytes(to, out);
	units_mac_bytes(hif->mac, out + 6);
	for (unsigned i = 0; i < HOST_MAX_TAGS && vlan->vid[i] != 0; i++) {
		uint16_t dflt =
			i == 0 && vlan->vid[1] != 0 ? PKT_ETHERTYPE_QINQ : PKT_ETHERTYPE_VLAN;

		pkt_put16(out + off, vlan->tpid[i] != 0 ? vlan->tpid[i] : dflt);
		pkt_put16(out + off + 2, vlan->vid[i]);
		off += UNITS_TAG_BYTES;
	}
	pkt_put16(out + off, ethertype);
	return off + 2;
}

/* What the address says of its tags; NULL: a link-local one, or none of ours. */
static const struct host_vlan *vlan_of(
	const struct host_if *hif, const struct host_vlan *vlan, struct units_ip ours)
{
	for (unsigned i = 0; i < hif->nb_addrs; i++) {
		const struct host_addr *a = &hif->addrs[i];

		if (host_vlan_equal(&a->vlan, vlan) &&
			(units_ip_equal(a->ip, ours) || units_ip_is_link_local(ours)))
			return &a->vlan;
	}
	return NULL;
}

/* A driver may have put the outer tag back without knowing its TPID: the address says it. */
unsigned host_answer_eth(const struct host_if *hif, const uint8_t *frame, const struct pkt_rx *rx,
	struct units_ip ours, uint64_t to, uint8_t *reply)
{
	const struct host_vlan *known;
	struct host_vlan vlan;

	units_mac_bytes(to, reply);
	units_mac_bytes(hif->mac, reply + 6);
	memcpy(reply + 12, frame + 12, rx->l3_off - 12u);
	if (!host_vlan_read(frame, rx, &vlan))
		return rx->l3_off;
	known = vlan_of(hif, &vlan, ours);
	for (unsigned i = 0, nb = 0; known != NULL && i < rx->nb_tags; i++) {
		uint8_t *tag = reply + 12 + UNITS_TAG_BYTES * i;

		if ((pkt_get16(tag + 2) & VID_MASK) == 0)
			continue;
		if (known->tpid[nb] != 0)
			pkt_put16(tag, known->tpid[nb]);
		nb++;
	}
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
	struct host_vlan vlan;
	struct pkt_rx rx;

	pkt_parse_headers(frame, len, 0, &rx);
	if (rx.cls != PKT_ARP && rx.cls != PKT_ND && rx.cls != PKT_ECHO)
		return HOST_NOT_OURS;
	if (!host_vlan_read(frame, &rx, &vlan))
		return HOST_NOT_OURS;
	if (rx.cls == PKT_ARP)
		return host_arp_input(hif, frame, len, &rx, &vlan, reply, reply_len);
	if (rx.cls == PKT_ND)
		return host_nd_input(hif, frame, &rx, &vlan, reply, reply_len);
	if (rx.ethertype == PKT_ETHERTYPE_IP4)
		return host_echo_input(hif, frame, &rx, &vlan, reply, reply_len);
	return host_echo6_input(hif, frame, &rx, &vlan, reply, reply_len);
}

bool host_learn(const uint8_t *frame, unsigned len, struct host_neighbour *out)
{
	struct pkt_rx rx;

	pkt_parse_headers(frame, len, 0, &rx);
	if (!host_vlan_read(frame, &rx, &out->vlan))
		return false;
	if (rx.cls == PKT_ARP)
		return host_arp_learn(frame, len, &rx, out);
	return rx.cls == PKT_ND && host_nd_learn(frame, &rx, out);
}

unsigned host_request(const struct host_if *hif, const struct host_vlan *vlan,
	struct units_ip target, uint8_t out[HOST_ASK_BYTES])
{
	struct units_ip src = host_source(hif, vlan, target);

	if (units_ip_is_none(src))
		return 0;
	if (units_ip_is4(target))
		return host_arp_write_request(
			hif, vlan, (uint32_t)src.lo, (uint32_t)target.lo, out);
	return host_nd_write_solicitation(hif, vlan, src, target, out);
}

static unsigned announce(
	const struct host_if *hif, const struct host_vlan *vlan, struct units_ip ip, uint8_t *out)
{
	if (units_ip_is4(ip))
		return host_arp_write_request(hif, vlan, (uint32_t)ip.lo, (uint32_t)ip.lo, out);
	return host_nd_write_announcement(hif, vlan, ip, out);
}

/* Whether it is the first IPv6 address of its VLAN: the link-local one is announced with it. */
static bool is_first_ip6(const struct host_if *hif, unsigned addr)
{
	const struct host_addr *a = &hif->addrs[addr];

	if (units_ip_is4(a->ip))
		return false;
	for (unsigned i = 0; i < addr; i++)
		if (!units_ip_is4(hif->addrs[i].ip) &&
			host_vlan_equal(&hif->addrs[i].vlan, &a->vlan))
			return false;
	return true;
}

unsigned host_announce(const struct host_if *hif, unsigned n, uint8_t out[HOST_ASK_BYTES])
{
	static const struct host_vlan untagged;

	if (hif->nb_addrs == 0 && n == 0)
		return host_arp_write_request(hif, &untagged, 0, 0, out);
	if (n < hif->nb_addrs)
		return announce(hif, &hif->addrs[n].vlan, hif->addrs[n].ip, out);
	n -= hif->nb_addrs;
	for (unsigned i = 0; i < hif->nb_addrs; i++)
		if (is_first_ip6(hif, i) && n-- == 0)
			return announce(hif, &hif->addrs[i].vlan, host_link_local(hif->mac), out);
	return 0;
}
