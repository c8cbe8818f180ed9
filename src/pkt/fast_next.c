/* SPDX-License-Identifier: BSD-3-Clause */
#include "fast.h"

#include "tgen/random.h"

/* Fields and checksums of the frames that have no short form. */

#define INLINE static inline __attribute__((always_inline))
#define ALONE  static __attribute__((noinline)) /* so that what is frequent keeps the registers */

/* A value that is no step, at the top. */
INLINE uint64_t drawn_value(const struct fast_mod *mod, uint64_t step)
{
	uint64_t random;

	if (mod->kind == PKT_MOD_TABLE)
		return mod->of.table[step] << mod->shift;
	random = random_mix(mod->of.seed + step * RANDOM_INCREMENT);
	if (mod->kind == PKT_MOD_RANDOM)
		return mod->lo + (random_below(random, mod->arg) << mod->shift);
	return mod->lo | (random & mod->arg) << mod->shift;
}

INLINE void advance(const struct fast_mod *mod, struct pkt_step *s, uint32_t stride)
{
	uint64_t step = s->step;

	if (mod->every == 1) {
		step += stride;
	} else {
		for (s->held += stride; s->held >= mod->every; s->held -= mod->every)
			step++;
	}
	while (__builtin_expect(step >= mod->nb, 0))
		step -= mod->nb;
	s->step = step;
}

ALONE void put_among(const struct fast_mod *mod, uint64_t word, uint8_t *p)
{
	uint64_t all = 0;

	memcpy(&all, p, mod->bytes);
	all = (all & ~mod->rest) | word;
	memcpy(p, &all, mod->bytes);
}

INLINE void put_word(const struct fast_mod *mod, uint64_t word, uint8_t *p)
{
	uint64_t all = word | mod->rest;

	switch (mod->bytes) {
	case 1:
		*p = (uint8_t)all;
		break;
	case 2:
		memcpy(p, &all, 2);
		break;
	case 4:
		memcpy(p, &all, 4);
		break;
	default:
		memcpy(p, &all, 8);
	}
}

/* Writes a field, moves its step on; returns its sum, 16 bits. */
INLINE uint32_t next_mod(
	const struct fast_mod *mod, struct pkt_step *s, uint32_t stride, uint8_t *data)
{
	uint64_t value, word;

	if (mod->kind == PKT_MOD_STEP)
		value = mod->lo + mod->arg * s->step;
	else
		value = drawn_value(mod, s->step);
	advance(mod, s, stride);
	word = __builtin_bswap64(value & mod->field);
	if (mod->among)
		put_among(mod, word, data + mod->off);
	else
		put_word(mod, word, data + mod->off);
	return pkt_fold_32(fast_fold_64(word));
}

/* Writes a checksum; returns by what a sum over it changes (its base counts what it was or not). */
INLINE uint32_t next_csum(
	const struct fast *fast, const struct pkt_fast_csum *csum, uint32_t sum, uint8_t *data)
{
	bool odd = (csum->off & 1) != 0;
	uint32_t was = 0;
	uint16_t now;

	if (fast->sized)
		was = (uint16_t)~fast_load_16(data + csum->off, odd);
	now = (uint16_t)(csum->adj - pkt_fold_32(sum + csum->base + was));
	sum = now + was;
	now = fast_swap_16(now, odd);
	memcpy(data + csum->off, &now, sizeof(now));
	return sum;
}

INLINE void mend_plain(const struct fast *fast, unsigned k, uint32_t sum, uint8_t *data)
{
	const struct pkt_fast_csum *csum = &fast->csums[k].c;

	if (fast->sized)
		sum += (uint16_t)~fast_load_16(data + csum->off, false);
	pkt_fast_mend(csum, sum, data);
}

INLINE void mend_both(const struct fast *fast, uint32_t sum0, uint32_t sum1, uint8_t *data)
{
	if (fast->nb_csums > 0)
		mend_plain(fast, 0, sum0, data);
	if (fast->nb_csums > 1)
		mend_plain(fast, 1, sum1, data);
}

ALONE void next_plain(
	const struct fast *fast, struct pkt_steps *steps, uint32_t stride, uint8_t *data)
{
	const struct fast_mod *mod = fast->mods, *end = mod + fast->nb_mods;
	struct pkt_step *s = steps->mod;
	uint32_t sum0 = 0, sum1 = 0;

	for (; mod < end; mod++, s++) {
		uint32_t sum = next_mod(mod, s, stride, data);

		sum0 += sum & -(uint32_t)(mod->in & 1);
		sum1 += sum & -(uint32_t)(mod->in >> 1);
	}
	mend_both(fast, sum0, sum1, data);
}

/* With checksums within others, or words at odd offsets. */
ALONE void next_nested(
	const struct fast *fast, struct pkt_steps *steps, uint32_t stride, uint8_t *data)
{
	uint32_t of_mod[PKT_MAX_MODS], of_csum[PKT_MAX_CSUMS];

	for (unsigned m = 0; m < fast->nb_mods; m++)
		of_mod[m] = next_mod(&fast->mods[m], &steps->mod[m], stride, data)
			    << fast->mods[m].swap;
	for (unsigned k = 0; k < fast->nb_csums; k++) {
		const struct fast_csum *csum = &fast->csums[k];
		uint32_t sum = 0;

		for (uint32_t bits = csum->mods; bits != 0; bits &= bits - 1)
			sum += of_mod[__builtin_ctz(bits)];
		for (uint32_t bits = csum->covers; bits != 0; bits &= bits - 1)
			sum += of_csum[__builtin_ctz(bits)];
		of_csum[k] = next_csum(fast, &csum->c, sum, data);
	}
}

void pkt_mods_next_any(
	const struct pkt_frame *frame, struct pkt_steps *steps, uint32_t stride, uint8_t *data)
{
	const struct fast *fast = (const struct fast *)frame->fast;

	if (fast == NULL) {
		pkt_mods_apply(frame, steps, data);
		pkt_steps_advance(steps, frame, stride);
	} else if (fast->plain && fast->nb_mods == 1) {
		uint32_t sum = next_mod(&fast->mods[0], &steps->mod[0], stride, data);

		mend_both(fast, sum, sum, data);
	} else if (fast->plain) {
		next_plain(fast, steps, stride, data);
	} else {
		next_nested(fast, steps, stride, data);
	}
}
