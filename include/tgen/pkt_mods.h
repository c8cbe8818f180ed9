/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "tgen/pkt.h"
#include "tgen/random.h"

/*
 * Varying fields as senders write them: everything about a field and its checksums that is the same
 * in each frame is worked out when the frame is built, so that nothing is read back. pkt_mods_apply
 * and pkt_steps_advance say the same at greater length.
 *
 * Words are little-endian: as memory has them. The values of a field are kept at the top of 64 bits,
 * so that one swap of bytes puts a word of any width in its low bytes.
 */

/* How a field's word is written. */
enum pkt_fast_put {
	PKT_PUT_8,
	PKT_PUT_16,
	PKT_PUT_32,
	PKT_PUT_64,
	PKT_PUT_AMONG, /* other bits of the word vary as well: they are read back */
};

/* A varying field: a cache line. */
struct pkt_fast_mod {
	uint64_t lo;	/* at the top */
	uint64_t arg;	/* PKT_MOD_STEP: increment, at the top; PKT_MOD_RANDOM: span; _BITS: bits */
	uint64_t field; /* at the top */
	uint64_t rest;	/* other bits of the word, as in memory; PKT_PUT_AMONG: the field's */
	uint64_t nb;	/* steps of a round; UINT64_MAX: without end */
	union {
		const uint64_t *table; /* the mod's */
		uint64_t seed;	       /* with random_at's first increment added */
	} of;
	uint32_t every;
	uint16_t off;
	uint8_t kind;  /* enum pkt_mod_kind */
	uint8_t put;   /* enum pkt_fast_put */
	uint8_t shift; /* of a table's or a random value to the top */
	uint8_t swap;  /* 8: the word begins at an odd offset; 0 */
	uint8_t bytes; /* of the word */
	int8_t in[2];  /* -1: the csums[0], csums[1] of pkt_fast cover it; 0 */
	uint8_t pad[3];
};

_Static_assert(sizeof(struct pkt_fast_mod) == 64, "a field reads one cache line");

/*
 * A checksum: adj less the sum of base, the words that vary, and (sums add up to 0xffff, unless the
 * frame has one size) the complement of what the template has there.
 */
struct pkt_fast_csum {
	uint32_t base;
	uint16_t adj; /* 0xffff, or 0 when a computed 0 is sent as 0xffff: base has one more then */
	uint16_t off;
	uint32_t mods;	 /* bit i: covers mods[i] */
	uint16_t covers; /* bit k: covers csums[k] */
	uint16_t pad;
};

struct pkt_fast {
	uint8_t nb_mods, nb_csums;
	bool plain; /* two checksums at most, neither in the other, nothing at odd offsets */
	bool sized; /* the template's checksums depend on the size */
	uint32_t pad;
	struct pkt_fast_csum csums[PKT_MAX_CSUMS];
	_Alignas(64) struct pkt_fast_mod mods[];
};

/* Whatever is not plain; the same result. */
void pkt_mods_next_any(
	const struct pkt_frame *frame, struct pkt_steps *steps, uint32_t stride, uint8_t *data);

/* A word of which other bits are not known. */
void pkt_fast_put_among(const struct pkt_fast_mod *mod, uint64_t word, uint8_t *p);

/* Folds without loss: ones'-complement sums, 0 from 0 alone. */
static inline uint32_t pkt_fold_64(uint64_t sum)
{
	return (uint32_t)((sum + (sum << 32 | sum >> 32)) >> 32);
}

static inline uint32_t pkt_fold_32(uint32_t sum)
{
	return (sum + (sum << 16 | sum >> 16)) >> 16;
}

/* A value that is no plain step, at the top. */
static inline uint64_t pkt_fast_drawn(const struct pkt_fast_mod *mod, uint64_t step)
{
	uint64_t random;

	if (mod->kind == PKT_MOD_TABLE)
		return mod->of.table[step] << mod->shift;
	random = random_mix(mod->of.seed + step * RANDOM_INCREMENT);
	if (mod->kind == PKT_MOD_RANDOM)
		return mod->lo + (random_below(random, mod->arg) << mod->shift);
	return mod->lo | (random & mod->arg) << mod->shift;
}

/* Moves a step on; a round shorter than the stride goes round more than once. */
static inline void pkt_fast_advance(
	const struct pkt_fast_mod *mod, struct pkt_step *s, uint32_t stride)
{
	uint64_t step = s->step;

	if (__builtin_expect(mod->every == 1, 1)) {
		step += stride;
	} else {
		for (s->held += stride; s->held >= mod->every; s->held -= mod->every)
			step++;
	}
	while (__builtin_expect(step >= mod->nb, 0))
		step -= mod->nb;
	s->step = step;
}

/* Writes a field's word; returns what the field adds to a sum over it, 17 bits. */
static inline uint32_t pkt_fast_put(const struct pkt_fast_mod *mod, uint64_t word, uint8_t *data)
{
	uint64_t all = word | mod->rest;
	uint8_t *p = data + mod->off;

	switch (mod->put) {
	case PKT_PUT_16:
		memcpy(p, &all, 2);
		return (uint32_t)word;
	case PKT_PUT_32:
		memcpy(p, &all, 4);
		return (uint32_t)(word & 0xffff) + (uint32_t)(word >> 16);
	case PKT_PUT_8:
		*p = (uint8_t)all;
		return (uint32_t)word;
	case PKT_PUT_64:
		memcpy(p, &all, 8);
		break;
	default:
		pkt_fast_put_among(mod, word, p);
	}
	return pkt_fold_32(pkt_fold_64(word));
}

static inline uint32_t pkt_fast_field(
	const struct pkt_fast_mod *mod, struct pkt_step *s, uint32_t stride, uint8_t *data)
{
	uint64_t value;

	if (__builtin_expect(mod->kind == PKT_MOD_STEP, 1))
		value = mod->lo + mod->arg * s->step;
	else
		value = pkt_fast_drawn(mod, s->step);
	pkt_fast_advance(mod, s, stride);
	return pkt_fast_put(mod, __builtin_bswap64(value & mod->field), data);
}

/* sum: of the fields that the checksum covers, 22 bits. */
static inline void pkt_fast_mend(
	const struct pkt_fast *fast, const struct pkt_fast_csum *csum, uint32_t sum, uint8_t *data)
{
	uint16_t word;

	sum += csum->base;
	if (fast->sized) {
		memcpy(&word, data + csum->off, 2);
		sum += (uint16_t)~word;
	}
	word = (uint16_t)(csum->adj - pkt_fold_32(sum));
	memcpy(data + csum->off, &word, 2);
}

/*
 * Writes the varying fields of the frame that the steps stand at, mends its checksums, and goes on by
 * stride frames. data: the template's header bytes, of the frame's size when it has several.
 */
static inline void pkt_mods_next(
	const struct pkt_frame *frame, struct pkt_steps *steps, uint32_t stride, uint8_t *data)
{
	const struct pkt_fast *fast = frame->fast;
	uint32_t sum0, sum1;

	if (__builtin_expect(fast == NULL || !fast->plain, 0)) {
		pkt_mods_next_any(frame, steps, stride, data);
		return;
	}
	sum0 = sum1 = pkt_fast_field(&fast->mods[0], &steps->mod[0], stride, data);
	if (fast->nb_mods > 1) {
		sum0 &= (uint32_t)fast->mods[0].in[0];
		sum1 &= (uint32_t)fast->mods[0].in[1];
		for (unsigned i = 1; i < fast->nb_mods; i++) {
			const struct pkt_fast_mod *mod = &fast->mods[i];
			uint32_t sum = pkt_fast_field(mod, &steps->mod[i], stride, data);

			sum0 += sum & (uint32_t)mod->in[0];
			sum1 += sum & (uint32_t)mod->in[1];
		}
	}
	if (fast->nb_csums > 0)
		pkt_fast_mend(fast, &fast->csums[0], sum0, data);
	if (fast->nb_csums > 1)
		pkt_fast_mend(fast, &fast->csums[1], sum1, data);
}
