/* SPDX-License-Identifier: BSD-3-Clause */
#include "host_priv.h"

#include <stdio.h>

#define MAC_GROUP_BIT	(1ull << 40) /* of the first octet */
#define LINK_LOCAL_UP	(0xfe80ull << 48)
#define UNIVERSAL_LOCAL (1ull << 57) /* of an interface identifier, RFC 4291 appendix A */

bool host_mac_is_station(uint64_t mac)
{
	return mac != 0 && (mac & MAC_GROUP_BIT) == 0;
}

/* RFC 3021: networks of two addresses or one have no broadcast address. */
static bool is_net_broadcast(const struct host_addr *addr, struct units_ip ip)
{
	uint32_t hosts = host_addr_hosts(addr);

	return hosts > 1 && host_addr_covers(addr, ip) && ((uint32_t)ip.lo & hosts) == hosts;
}

static bool ip4_is_station(const struct host_if *hif, struct units_ip ip)
{
	uint32_t ip4 = (uint32_t)ip.lo;

	/* RFC 1122, 3.2.1.3: 0/8 and 127/8 never on the wire; 224/3 are groups, reserved, broadcast */
	if (ip4 >> 24 == 0 || ip4 >> 24 == 127 || ip4 >> 29 == 7)
		return false;
	for (unsigned i = 0; i < hif->nb_addrs; i++)
		if (is_net_broadcast(&hif->addrs[i], ip))
			return false;
	return true;
}

bool host_ip_is_station(const struct host_if *hif, struct units_ip ip)
{
	if (units_ip_is4(ip))
		return ip4_is_station(hif, ip);
	/* RFC 4291: groups, unspecified, loopback */
	return !units_ip_is_group(ip) && (ip.up != 0 || ip.lo > 1);
}

struct units_ip host_link_local(uint64_t mac)
{
	uint64_t id = (mac >> 24) << 40 | 0xfffeull << 24 | (mac & 0xffffff);

	return (struct units_ip){.up = LINK_LOCAL_UP, .lo = id ^ UNIVERSAL_LOCAL};
}

uint64_t host_group_mac(struct units_ip group)
{
	return 0x333300000000ull | (uint32_t)group.lo;
}

struct units_ip host_solicited_node(struct units_ip ip)
{
	return (struct units_ip){.up = 0xff02ull << 48, .lo = 0x1ff000000ull | (ip.lo & 0xffffff)};
}

static bool has_ip6(const struct host_if *hif, const struct host_vlan *vlan)
{
	for (unsigned i = 0; i < hif->nb_addrs; i++)
		if (!units_ip_is4(hif->addrs[i].ip) && host_vlan_equal(&hif->addrs[i].vlan, vlan))
			return true;
	return false;
}

bool host_owns(const struct host_if *hif, const struct host_vlan *vlan, struct units_ip ip)
{
	for (unsigned i = 0; i < hif->nb_addrs; i++)
		if (units_ip_equal(hif->addrs[i].ip, ip) &&
			host_vlan_equal(&hif->addrs[i].vlan, vlan))
			return true;
	return units_ip_is_link_local(ip) && units_ip_equal(ip, host_link_local(hif->mac)) &&
	       has_ip6(hif, vlan);
}

struct units_ip host_source(
	const struct host_if *hif, const struct host_vlan *vlan, struct units_ip ip)
{
	struct units_ip best = {0};
	unsigned best_rank = 0;

	if (units_ip_is_link_local(ip) && has_ip6(hif, vlan))
		return host_link_local(hif->mac);
	for (unsigned i = 0; i < hif->nb_addrs; i++) {
		const struct host_addr *a = &hif->addrs[i];
		unsigned rank = 1 + (host_vlan_equal(&a->vlan, vlan) ? 1u : 0u) +
				(host_addr_covers(a, ip) ? 2u : 0u);

		if (units_ip_is4(a->ip) == units_ip_is4(ip) && rank > best_rank) {
			best = a->ip;
			best_rank = rank;
		}
	}
	return best;
}

char *host_fmt_vlan(char *out, const struct host_vlan *vlan)
{
	out[0] = '\0';
	if (vlan->vid[1] != 0)
		snprintf(out, UNITS_TEXT_MAX, " in VLAN %u.%u", vlan->vid[0], vlan->vid[1]);
	else if (vlan->vid[0] != 0)
		snprintf(out, UNITS_TEXT_MAX, " in VLAN %u", vlan->vid[0]);
	return out;
}
