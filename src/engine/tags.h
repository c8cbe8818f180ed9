/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <rte_ether.h>
#include <rte_mbuf.h>

/*
 * af_packet's kernel ring, like some devices, hands the outer VLAN tag over beside the frame. The
 * driver puts it back as 0x8100, or leaves it to us: what a frame says and how long it is must not
 * depend on that. A buffer that has no room keeps its frame without the tag.
 */
static inline void tags_restore(struct rte_mbuf **m)
{
	if (__builtin_expect(((*m)->ol_flags & RTE_MBUF_F_RX_VLAN_STRIPPED) != 0, 0))
		rte_vlan_insert(m);
}
