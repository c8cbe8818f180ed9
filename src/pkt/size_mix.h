/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "tgen/pkt.h"

/* A part of a mix: sizes lo..hi (bytes without FCS), weight of all frames. */
struct size_part {
	uint16_t lo, hi;
	uint64_t weight;
};

/*
 * Lays the frames of a round out: out[0 .. return-1] are their sizes, which the caller frees. Each
 * part has its share, its sizes equally often. 0: the round would be longer than
 * PKT_SIZES_PERIOD_MAX; -ENOMEM.
 */
int size_parts_lay_out(const struct size_part *parts, unsigned nb, uint64_t seed, uint16_t **out);
/* Makes the sizes of a sequence of nb frames. 0 or -ENOMEM. */
int size_sequence_take(struct pkt_sizes *sizes, const uint16_t *sequence, unsigned nb);
