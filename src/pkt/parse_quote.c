/* SPDX-License-Identifier: BSD-3-Clause */
#include "parse.h"

/*
 * What an ICMP error quotes. The length in the quoted header says where the signature would be;
 * routers quote all of a packet or its beginning, and may append more (RFC 4884).
 */

static unsigned lesser(unsigned a, unsigned b)
{
	return a < b ? a : b;
}

void pkt_quote4(const uint8_t *p, unsigned len, uint8_t test_id, struct pkt_rx *out)
{
	struct pkt_quote *quote = &out->quote;
	unsigned hdr_bytes, total;

	*quote = (struct pkt_quote){0};
	if (!pkt_ip4_header(p, len, &hdr_bytes, &total))
		return;
	quote->ip_src = units_ip4(pkt_get32(p + IP4_SRC_OFF));
	quote->ip_dst = units_ip4(pkt_get32(p + IP4_DST_OFF));
	quote->ip_proto = p[9];
	if ((pkt_get16(p + 6) & IP4_FRAG_OFF) == 0)
		pkt_ports(quote->ip_proto, p + hdr_bytes, lesser(total, len) - hdr_bytes,
			&quote->l4_src, &quote->l4_dst);
	if (total <= len)
		quote->has_sig = pkt_sig_at_end(p + hdr_bytes, total - hdr_bytes, test_id,
					 &out->sig) == SIG_GOOD;
}

void pkt_quote6(const uint8_t *p, unsigned len, uint8_t test_id, struct pkt_rx *out)
{
	struct pkt_quote *quote = &out->quote;
	struct ip6_end end;
	unsigned total;

	*quote = (struct pkt_quote){0};
	if (!pkt_ip6_header(p, len, &total))
		return;
	end = pkt_ip6_walk(p, lesser(total, len));
	quote->ip_src = units_ip6_read(p + IP6_SRC_OFF);
	quote->ip_dst = units_ip6_read(p + IP6_DST_OFF);
	quote->ip_proto = end.proto;
	if (end.whole && !end.later)
		pkt_ports(end.proto, p + end.off, lesser(total, len) - end.off, &quote->l4_src,
			&quote->l4_dst);
	if (total <= len)
		quote->has_sig = pkt_sig_at_end(p + IP6_BYTES, total - IP6_BYTES, test_id,
					 &out->sig) == SIG_GOOD;
}

/* Whether one of `bytes` bytes from off changes from frame to frame. */
static bool varies(const struct pkt_frame *frame, unsigned off, unsigned bytes)
{
	for (unsigned m = 0; m < frame->nb_mods; m++)
		if (frame->mods[m].off < off + bytes &&
			off < (unsigned)frame->mods[m].off + frame->mods[m].bytes)
			return true;
	return false;
}

void pkt_quote_of(const struct pkt_frame *frame, struct pkt_quote *out)
{
	const uint8_t *p = frame->hdr + frame->l3_off;
	unsigned len = (unsigned)(frame->hdr_bytes - frame->l3_off), src, dst, l4, addr_bytes;
	struct pkt_rx rx;

	*out = (struct pkt_quote){0};
	if (frame->l3_off == 0)
		return;
	if (frame->l3_version == 4) {
		pkt_quote4(p, len, 0, &rx);
		l4 = 4u * (p[0] & 0xf);
		src = IP4_SRC_OFF, dst = IP4_DST_OFF, addr_bytes = 4;
	} else {
		pkt_quote6(p, len, 0, &rx);
		l4 = pkt_ip6_walk(p, len).off;
		src = IP6_SRC_OFF, dst = IP6_DST_OFF, addr_bytes = 16;
	}
	*out = rx.quote;
	out->has_sig = false;
	if (varies(frame, frame->l3_off + src, addr_bytes))
		out->ip_src = (struct units_ip){0};
	if (varies(frame, frame->l3_off + dst, addr_bytes))
		out->ip_dst = (struct units_ip){0};
	if (varies(frame, frame->l3_off + l4, 2))
		out->l4_src = 0;
	if (varies(frame, frame->l3_off + l4 + 2, 2))
		out->l4_dst = 0;
}
