/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "tgen/pkt_mods.h"

/*
 * A frame's fields and checksums, where pkt_mods.h has no form for them. Words are little-endian: as memory has them.
 * The values of a field are kept at the top of 64 bits, so that one swap of bytes puts a word of any
 * width in its low bytes.
 */

/* A varying field: a cache line. */
struct fast_mod {
	uint64_t lo;	/* at the top */
	uint64_t arg;	/* PKT_MOD_STEP: increment, at the top; PKT_MOD_RANDOM: span; _BITS: bits */
	uint64_t field; /* at the top */
	uint64_t rest;	/* other bits of the word, as in memory; among: the field's */
	uint64_t nb;	/* steps of a round; UINT64_MAX: without end */
	union {
		const uint64_t *table; /* the mod's */
		uint64_t seed;	       /* with random_at's first increment added */
	} of;
	uint32_t every;
	uint16_t off;
	uint8_t bytes; /* of the word */
	uint8_t kind;  /* enum pkt_mod_kind */
	uint8_t shift; /* of a table's or a random value to the top */
	uint8_t swap;  /* 8: the word begins at an odd offset; 0 */
	uint8_t in;    /* bit k: csums[k] covers it; of a plain frame */
	bool among;    /* other bits of the word vary as well: they are read back */
};

_Static_assert(sizeof(struct fast_mod) == 64, "a field reads one cache line");

struct fast_csum {
	struct pkt_fast_csum c;
	uint32_t mods;	 /* bit i: covers mods[i] */
	uint16_t covers; /* bit k: covers csums[k] */
};

struct fast {
	struct pkt_fast head; /* pkt_frame.fast points to it */
	uint8_t nb_mods, nb_csums;
	bool plain; /* two checksums at most, neither in the other, nothing at odd offsets */
	bool sized; /* the template's checksums depend on the size */
	struct fast_csum csums[PKT_MAX_CSUMS];
	_Alignas(64) struct fast_mod mods[];
};

/* Folds without loss, as pkt_fold_32. */
static inline uint32_t fast_fold_64(uint64_t sum)
{
	return (uint32_t)((sum + (sum << 32 | sum >> 32)) >> 32);
}

static inline uint16_t fast_swap_16(uint16_t word, bool swap)
{
	return swap ? __builtin_bswap16(word) : word;
}

static inline uint16_t fast_load_16(const uint8_t *p, bool swap)
{
	uint16_t word;

	memcpy(&word, p, sizeof(word));
	return fast_swap_16(word, swap);
}

/* fast.c: makes frame.fast anew; 0 or -ENOMEM. */
int fast_make(struct pkt_frame *frame);
