/* SPDX-License-Identifier: BSD-3-Clause */
#include "hdr.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "tgen/num.h"
#include "tgen/random.h"
#include "tgen/sig.h"
#include "vary.h"

/* ---- words of 1, 2, 4 or 8 bytes ---- */

static uint64_t get_word(const uint8_t *p, unsigned bytes)
{
	switch (bytes) {
	case 1:
		return *p;
	case 2:
		return pkt_get16(p);
	case 4:
		return pkt_get32(p);
	default:
		return (uint64_t)pkt_get32(p) << 32 | pkt_get32(p + 4);
	}
}

static void put_word(uint8_t *p, unsigned bytes, uint64_t value)
{
	switch (bytes) {
	case 1:
		*p = (uint8_t)value;
		break;
	case 2:
		pkt_put16(p, (uint16_t)value);
		break;
	case 4:
		pkt_put32(p, (uint32_t)value);
		break;
	default:
		pkt_put32(p, (uint32_t)(value >> 32));
		pkt_put32(p + 4, (uint32_t)value);
	}
}

/* Sum of a word's bytes as they lie at offset off of the frame, its first byte being a high one. */
static uint16_t word_sum(unsigned off, unsigned bytes, uint64_t value)
{
	uint16_t sum;

	if (bytes == 1)
		value <<= 8;
	sum = sig_fold((uint32_t)(value >> 48) + (uint32_t)(value >> 32 & 0xffff) +
		       (uint32_t)(value >> 16 & 0xffff) + (uint32_t)(value & 0xffff));
	return (off & 1) != 0 ? __builtin_bswap16(sum) : sum;
}

/* ---- values ---- */

static uint64_t mod_value(const struct pkt_mod *mod, uint64_t step)
{
	switch ((enum pkt_mod_kind)mod->kind) {
	case PKT_MOD_TABLE:
		return mod->table[step];
	case PKT_MOD_RANDOM:
		return mod->lo + random_below(random_at(mod->seed, step), mod->span);
	case PKT_MOD_BITS:
		return (mod->lo & ~mod->bits) | (random_at(mod->seed, step) & mod->bits);
	case PKT_MOD_STEP:
		break;
	}
	return mod->lo + mod->inc * step;
}

static uint64_t step_of_frame(const struct pkt_mod *mod, uint64_t n)
{
	uint64_t step = n / mod->every;

	return mod->nb == 0 ? step : step % mod->nb;
}

uint64_t pkt_mod_word(const struct pkt_mod *mod, uint64_t n)
{
	return mod_value(mod, step_of_frame(mod, n)) << mod->shift & mod->field;
}

void pkt_steps_init(struct pkt_steps *steps, const struct pkt_frame *frame, uint64_t n)
{
	for (unsigned i = 0; i < frame->nb_mods; i++) {
		const struct pkt_mod *mod = &frame->mods[i];

		steps->mod[i].held = (uint32_t)(n % mod->every);
		steps->mod[i].step = step_of_frame(mod, n);
	}
}

/*
 * RFC 1624, equation 3: HC' = ~(~HC + ~m + m'), the sums taken as the bytes lie in the frame; they
 * change sides when the checksum itself lies at an odd offset. Returns by what a sum over the
 * checksum changes.
 */
static uint16_t mend_csum(uint8_t *data, const struct pkt_csum *csum, uint32_t delta)
{
	uint16_t was = pkt_get16(data + csum->off), now, add = sig_fold(delta);

	if (csum->zero_is_none && was == 0)
		return 0;
	if ((csum->off & 1) != 0)
		add = __builtin_bswap16(add);
	now = (uint16_t)~sig_fold((uint32_t)(uint16_t)~was + add);
	if (csum->zero_is_none && now == 0)
		now = 0xffff;
	pkt_put16(data + csum->off, now);
	return sig_fold(
		(uint32_t)word_sum(csum->off, 2, now) + (uint16_t)~word_sum(csum->off, 2, was));
}

void pkt_csums_mend(const struct pkt_frame *frame, uint8_t *data, uint32_t *delta)
{
	for (unsigned k = 0; k < frame->nb_csums; k++) {
		uint16_t change;

		if (delta[k] == 0)
			continue;
		change = mend_csum(data, &frame->csums[k], delta[k]);
		for (unsigned j = k + 1; j < frame->nb_csums; j++)
			if ((frame->csums[j].covers >> k & 1) != 0)
				delta[j] += change;
	}
}

void pkt_mods_apply(const struct pkt_frame *frame, const struct pkt_steps *steps, uint8_t *data)
{
	uint32_t delta[PKT_MAX_CSUMS] = {0};

	for (unsigned i = 0; i < frame->nb_mods; i++) {
		const struct pkt_mod *mod = &frame->mods[i];
		uint64_t value = mod_value(mod, steps->mod[i].step) << mod->shift & mod->field;
		uint8_t *p = data + mod->off;
		uint16_t change;

		put_word(p, mod->bytes, (get_word(p, mod->bytes) & ~mod->field) | value);
		if (mod->csums == 0 || value == mod->base)
			continue;
		change = sig_fold((uint32_t)word_sum(mod->off, mod->bytes, value) +
				  (uint16_t)~word_sum(mod->off, mod->bytes, mod->base));
		for (unsigned k = 0; k < frame->nb_csums; k++)
			if ((mod->csums >> k & 1) != 0)
				delta[k] += change;
	}
	pkt_csums_mend(frame, data, delta);
}

/* ---- what varies in a frame being built ---- */

int pkt_mod_add(struct pkt_frame *frame, const struct pkt_mod *mod)
{
	struct pkt_mod *mods;

	if (frame->nb_mods == PKT_MAX_MODS)
		return -ENOSPC;
	mods = realloc(frame->mods, (frame->nb_mods + 1u) * sizeof(*mods));
	if (mods == NULL)
		return -ENOMEM;
	frame->mods = mods;
	mods[frame->nb_mods++] = *mod;
	return 0;
}

void pkt_mod_place(
	struct pkt_mod *mod, const struct pkt_frame *frame, unsigned bit_off, unsigned bits)
{
	unsigned first = bit_off / 8, last = (bit_off + bits - 1) / 8, bytes = 1;
	uint64_t ones = bits == 64 ? UINT64_MAX : (UINT64_C(1) << bits) - 1;

	while (bytes < last - first + 1)
		bytes *= 2;
	/* a word that would reach beyond the header begins earlier instead */
	if (first + bytes > frame->hdr_bytes && last + 1 >= bytes)
		first = last + 1 - bytes;
	mod->off = (uint16_t)first;
	mod->bytes = (uint8_t)bytes;
	mod->shift = (uint8_t)((first + bytes) * 8 - (bit_off + bits));
	mod->field = ones << mod->shift;
}

void pkt_frame_fini(struct pkt_frame *frame)
{
	for (unsigned i = 0; i < frame->nb_mods; i++)
		if (frame->mods[i].own_table)
			free((uint64_t *)frame->mods[i].table);
	free(frame->mods);
	free(frame->patches);
	free(frame->pattern);
	free(frame->fast);
	free(frame->images);
	*frame = (struct pkt_frame){0};
}

uint32_t pkt_period(const struct pkt_frame *frame)
{
	uint64_t period = 1;

	for (unsigned i = 0; i < frame->nb_mods; i++) {
		const struct pkt_mod *mod = &frame->mods[i];
		uint64_t round = mod->nb * mod->every;

		if (mod->nb == 0 || mod->nb > UINT32_MAX)
			return UINT32_MAX;
		round /= num_gcd(period, round);
		if (round > UINT32_MAX / period)
			return UINT32_MAX;
		period *= round;
	}
	return (uint32_t)period;
}

unsigned pkt_render(const struct pkt_frame *frame, uint64_t n, const struct sig *sig, uint8_t *out)
{
	unsigned index = pkt_size_index(frame, n), size = pkt_size_bytes(frame, index);
	struct pkt_steps steps;

	memcpy(out, frame->hdr, frame->hdr_bytes);
	pkt_payload_fill(frame, out);
	pkt_size_apply(frame, index, out);
	pkt_steps_init(&steps, frame, n);
	pkt_mods_apply(frame, &steps, out);
	if (frame->sig_off != 0) {
		memset(out + size - SIG_BYTES, 0, SIG_BYTES);
		if (sig != NULL)
			sig_write(out + size - SIG_BYTES, sig);
	}
	pkt_seal(frame, size, out);
	return size;
}

/* ---- replies ---- */

/* A field of the header bytes gets another value for good, its checksums with it. */
static void set_field(struct pkt_frame *frame, struct pkt_mod mod, uint64_t value)
{
	const struct pkt_steps steps = {0};
	struct pkt_frame one = *frame;

	mod.kind = PKT_MOD_STEP;
	mod.lo = value;
	one.mods = &mod;
	one.nb_mods = 1;
	pkt_mods_apply(&one, &steps, frame->hdr);
}

/* A whole 16- or 32-bit word at off; the checksums that cover it are those of a field there. */
static struct pkt_mod whole_word(const struct pkt_frame *frame, unsigned off, unsigned bytes)
{
	struct pkt_mod mod = {.kind = PKT_MOD_TABLE, .every = 1};

	pkt_mod_place(&mod, frame, off * 8, bytes * 8);
	mod.base = get_word(frame->hdr + off, bytes);
	return mod;
}

bool pkt_reply(struct pkt_frame *frame, const uint64_t *ips, const uint64_t *ports, uint32_t nb,
	uint32_t src_port)
{
	uint16_t ip = frame->l3_off, udp = frame->l4_off;
	struct pkt_mod src, dst, port;

	if (ip == 0 || udp == 0 || frame->l3_version != 4 || frame->l4_proto != PKT_IP_PROTO_UDP ||
		frame->in_off != ip || frame->nb_mods + 2u > PKT_MAX_MODS)
		return false;
	src = whole_word(frame, udp, 2);
	dst = whole_word(frame, ip + 16u, 4);
	port = whole_word(frame, udp + 2u, 2);
	for (unsigned k = 0; k < frame->nb_csums; k++) {
		uint16_t bit = (uint16_t)(1u << k);

		dst.csums |= bit; /* IPv4's and UDP's: a frame with one IP header has no others */
		if (frame->csums[k].off != ip + 10u)
			src.csums = port.csums = bit;
	}
	if (src_port <= 0xffffu)
		set_field(frame, src, src_port);
	dst.table = ips;
	port.table = ports;
	dst.nb = port.nb = nb;
	return pkt_mod_add(frame, &dst) == 0 && pkt_mod_add(frame, &port) == 0 &&
	       pkt_frame_refresh(frame) == 0;
}
