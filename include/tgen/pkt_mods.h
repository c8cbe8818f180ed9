/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <stdint.h>
#include <string.h>

#include "tgen/pkt.h"

/*
 * Varying fields as senders write them: everything about a field and its checksums that is the same
 * in each frame is worked out when the frame is built, so that nothing is read back and nothing is
 * chosen. That serves frames of one size whose few fields are plain steps of whole words; all others
 * take a call. pkt_mods_apply and pkt_steps_advance say the same at greater length.
 */

#define PKT_FAST_STEPS	  4u
#define PKT_FAST_IN_SHIFT 31 /* sums of two checksums in one word */

/* Four bytes that begin with a field: a step with every frame, of 16 or 32 bits. */
struct pkt_fast_step {
	uint64_t nb; /* steps of a round */
	uint32_t lo,
		inc; /* of the whole word: what follows the field is in lo, and never changes */
	uint32_t
		in; /* bit 0: csums[0] covers it, bit PKT_FAST_IN_SHIFT: csums[1]; all words or none */
	uint16_t off;
	uint16_t pad;
};

/*
 * A checksum is adj less the folded sum of base and of the words that vary, and (when it depends on
 * the frame's size) of the complement of what the template has there.
 */
struct pkt_fast_csum {
	uint32_t base; /* never 0: a whole sum folds to 1 .. 0xffff */
	uint16_t
		adj; /* 0xffff; 0 when a computed 0 is sent as 0xffff, and base has one more then */
	uint16_t off;
};

struct pkt_fast {
	uint8_t nb_steps; /* all fields of the frame are in steps; 0: pkt_mods_next_any */
	uint8_t nb_csums;
	uint8_t pad[6];
	struct pkt_fast_csum csums[2];
	struct pkt_fast_step steps[PKT_FAST_STEPS];
};

/* pkt_mods_next of all frames. */
void pkt_mods_next_any(
	const struct pkt_frame *frame, struct pkt_steps *steps, uint32_t stride, uint8_t *data);

/* Folds without loss: ones'-complement sums, 0 from 0 alone. */
static inline uint32_t pkt_fold_32(uint32_t sum)
{
	return (sum + (sum << 16 | sum >> 16)) >> 16;
}

/* Writes a field's word, moves its step on; returns the word's sum, 17 bits. */
static inline uint32_t pkt_fast_step(
	const struct pkt_fast_step *field, struct pkt_step *s, uint32_t stride, uint8_t *data)
{
	uint64_t step = s->step, next = step + stride;
	/* little-endian, as memory has it */
	uint32_t word = __builtin_bswap32(field->lo + field->inc * (uint32_t)step);

	/* a round shorter than the stride goes round more than once */
	while (__builtin_expect(next >= field->nb, 0))
		next -= field->nb;
	s->step = next;
	memcpy(data + field->off, &word, sizeof(word));
	return (word & 0xffff) + (word >> 16);
}

/* sum: of the words that vary. */
static inline void pkt_fast_mend(const struct pkt_fast_csum *csum, uint32_t sum, uint8_t *data)
{
	uint16_t now = (uint16_t)(csum->adj - pkt_fold_32(sum + csum->base));

	memcpy(data + csum->off, &now, sizeof(now));
}

/*
 * Of frames with fast forms: their numbers of fields and of checksums are known where this is called,
 * so that nothing is left to choose.
 */
static inline __attribute__((always_inline)) void pkt_fast_next(const struct pkt_fast *fast,
	struct pkt_step *steps, uint32_t stride, uint8_t *data, unsigned nb_steps,
	unsigned nb_csums)
{
	uint32_t sum0, sum1;

	if (nb_steps == 1) {
		sum0 = sum1 = pkt_fast_step(&fast->steps[0], &steps[0], stride, data);
	} else {
		uint64_t sums = 0;

#pragma GCC unroll 4 /* PKT_FAST_STEPS: with a known number nothing is left of the loop */
		for (unsigned i = 0; i < PKT_FAST_STEPS && i < nb_steps; i++)
			sums += (uint64_t)pkt_fast_step(&fast->steps[i], &steps[i], stride, data) *
				fast->steps[i].in;
		sum0 = (uint32_t)sums & ((UINT32_C(1) << PKT_FAST_IN_SHIFT) - 1);
		sum1 = (uint32_t)(sums >> PKT_FAST_IN_SHIFT);
	}
	if (nb_csums > 0)
		pkt_fast_mend(&fast->csums[0], sum0, data);
	if (nb_csums > 1)
		pkt_fast_mend(&fast->csums[1], sum1, data);
}

/*
 * Writes the varying fields of the frame that the steps stand at, mends its checksums, and goes on by
 * stride frames. data: the template's header bytes, of the frame's size when it has several, and the
 * payload.
 */
static inline void pkt_mods_next(
	const struct pkt_frame *frame, struct pkt_steps *steps, uint32_t stride, uint8_t *data)
{
	const struct pkt_fast *fast = frame->fast;

	if (__builtin_expect(fast == NULL || fast->nb_steps == 0, 0))
		pkt_mods_next_any(frame, steps, stride, data);
	else
		pkt_fast_next(fast, steps->mod, stride, data, fast->nb_steps, fast->nb_csums);
}
