/* SPDX-License-Identifier: BSD-3-Clause */
#include "host_priv.h"

#define MAC_GROUP_BIT (1ull << 40) /* of the first octet */

bool host_owns(const struct host_if *hif, uint32_t ip)
{
	for (unsigned i = 0; i < hif->nb_addrs; i++) {
		if (hif->addrs[i].ip == ip)
			return true;
	}
	return false;
}

bool host_mac_is_station(uint64_t mac)
{
	return mac != 0 && (mac & MAC_GROUP_BIT) == 0;
}

/* RFC 3021: networks of two addresses or one have no broadcast address. */
static bool is_net_broadcast(const struct host_addr *addr, uint32_t ip)
{
	uint32_t host_bits = ~host_prefix_mask(addr->prefix);

	return addr->prefix < 31 && host_addr_covers(addr, ip) && (ip & host_bits) == host_bits;
}

bool host_ip_is_station(const struct host_if *hif, uint32_t ip)
{
	/* RFC 1122, 3.2.1.3: 0/8 and 127/8 never on the wire; 224/3 are groups, reserved, broadcast */
	if (ip >> 24 == 0 || ip >> 24 == 127 || ip >> 29 == 7)
		return false;
	for (unsigned i = 0; i < hif->nb_addrs; i++) {
		if (is_net_broadcast(&hif->addrs[i], ip))
			return false;
	}
	return true;
}
