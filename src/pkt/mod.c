/* SPDX-License-Identifier: BSD-3-Clause */
#include "hdr.h"

#include <assert.h>
#include <string.h>

#include "tgen/sig.h"

static void put_value(uint8_t *p, unsigned bytes, uint32_t value)
{
	switch (bytes) {
	case 1:
		*p = (uint8_t)value;
		break;
	case 2:
		pkt_put16(p, (uint16_t)value);
		break;
	default:
		pkt_put32(p, value);
	}
}

/* Sum of a field's bytes as they lie at an even offset of the checksum's data. */
static uint32_t field_sum(unsigned bytes, uint32_t value)
{
	switch (bytes) {
	case 1:
		return value << 8;
	case 2:
		return value;
	default:
		return (value >> 16) + (value & 0xffff);
	}
}

/*
 * RFC 1624, equation 3: HC' = ~(~HC + ~m + m'). A checksum field lies at an even offset of what it
 * covers, so that distance tells the parity of the field; bytes change sides at an odd one.
 */
static void mend_csum(uint8_t *frame, const struct pkt_mod *mod, uint32_t value, unsigned slot)
{
	unsigned off = mod->csum_off[slot];
	uint16_t csum = pkt_get16(frame + off), minus, plus;

	if (slot == 1 && csum == 0) /* UDP without checksum, RFC 768 */
		return;
	minus = (uint16_t)~sig_fold(field_sum(mod->bytes, mod->lo));
	plus = sig_fold(field_sum(mod->bytes, value));
	if (((mod->off ^ off) & 1) != 0) {
		minus = __builtin_bswap16(minus);
		plus = __builtin_bswap16(plus);
	}
	csum = (uint16_t)~sig_fold((uint32_t)(uint16_t)~csum + minus + plus);
	pkt_put16(frame + off, slot == 1 && csum == 0 ? 0xffff : csum);
}

void pkt_mod_apply(uint8_t *frame, const struct pkt_mod *mod, uint32_t step)
{
	uint32_t value = mod->table != NULL ? mod->table[step] : mod->lo + step;

	assert(step < mod->nb);
	put_value(frame + mod->off, mod->bytes, value);
	for (unsigned slot = 0; slot < 2; slot++) {
		if (mod->csum_off[slot] != 0)
			mend_csum(frame, mod, value, slot);
	}
}

void hdr_csum_covers(
	struct pkt_frame *frame, unsigned from, unsigned to, unsigned slot, uint16_t csum_off)
{
	for (unsigned i = 0; i < frame->nb_mods; i++) {
		struct pkt_mod *mod = &frame->mods[i];

		if (mod->off >= from && mod->off < to)
			mod->csum_off[slot] = csum_off;
	}
}

/* A field of the header bytes gets another value, its checksums with it. */
static void set_field(struct pkt_frame *frame, struct pkt_mod mod, uint32_t value)
{
	mod.table = &value;
	mod.nb = 1;
	pkt_mod_apply(frame->hdr, &mod, 0);
}

bool pkt_reply(struct pkt_frame *frame, const uint32_t *ips, const uint32_t *ports, uint32_t nb,
	uint32_t src_port)
{
	uint16_t ip = frame->l3_off, udp = frame->l4_off;
	uint16_t csum = udp != 0 && pkt_get16(frame->hdr + udp + 6) != 0 ? (uint16_t)(udp + 6) : 0;
	struct pkt_mod src = {.off = udp, .bytes = 2, .csum_off = {0, csum}};
	struct pkt_mod dst = {.off = (uint16_t)(ip + 16),
		.bytes = 4,
		.nb = nb,
		.table = ips,
		.csum_off = {(uint16_t)(ip + 10), csum}};
	struct pkt_mod port = {.off = (uint16_t)(udp + 2),
		.bytes = 2,
		.nb = nb,
		.table = ports,
		.csum_off = {0, csum}};

	if (ip == 0 || udp == 0 || frame->hdr[ip + 9] != PKT_IP_PROTO_UDP ||
		frame->nb_mods + 2u > PKT_MAX_MODS)
		return false;
	src.lo = pkt_get16(frame->hdr + udp);
	if (src_port <= 0xffffu)
		set_field(frame, src, src_port);
	dst.lo = pkt_get32(frame->hdr + dst.off);
	port.lo = pkt_get16(frame->hdr + port.off);
	frame->mods[frame->nb_mods++] = dst;
	frame->mods[frame->nb_mods++] = port;
	return true;
}

uint32_t pkt_period(const struct pkt_frame *frame)
{
	uint64_t period = 1;

	for (unsigned i = 0; i < frame->nb_mods; i++) {
		uint64_t a = period, b = frame->mods[i].nb;

		while (b != 0) {
			uint64_t r = a % b;

			a = b;
			b = r;
		}
		period = period / a * frame->mods[i].nb;
		if (period > UINT32_MAX)
			return UINT32_MAX;
	}
	return (uint32_t)period;
}

void pkt_render(const struct pkt_frame *frame, uint64_t n, const struct sig *sig, uint8_t *out)
{
	memcpy(out, frame->hdr, frame->hdr_bytes);
	pkt_payload_fill(frame, out);
	for (unsigned i = 0; i < frame->nb_mods; i++)
		pkt_mod_apply(out, &frame->mods[i], (uint32_t)(n % frame->mods[i].nb));
	if (sig != NULL && frame->sig_off != 0)
		sig_write(out + frame->sig_off, sig);
}
