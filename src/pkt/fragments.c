/* SPDX-License-Identifier: BSD-3-Clause */
#include "tgen/pkt.h"

#define IP_BYTES 20u /* our headers have no options */

/* RFC 791 §3.2: every piece but the last carries a multiple of eight bytes. */
unsigned pkt_fragments(const struct pkt_frame *frame, unsigned mtu, unsigned *last)
{
	unsigned packet = frame->size - frame->l3_off, payload = packet - IP_BYTES;
	unsigned piece = (mtu - IP_BYTES) / 8 * 8, nb;

	*last = payload;
	if (frame->l3_off == 0 || frame->l3_version != 4 || packet <= mtu)
		return 1;
	/* the last one is not rounded: it may fill the MTU */
	for (nb = 1; *last + IP_BYTES > mtu; nb++)
		*last -= piece;
	return nb;
}
