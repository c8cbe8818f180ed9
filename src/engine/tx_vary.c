/* SPDX-License-Identifier: BSD-3-Clause */
#include "tx_put.h"

#include "tgen/pkt_mods.h"

/*
 * Frames of one lane whose fields vary. Their words and checksums are worked out for the whole burst,
 * field by field, which vectors do many at a time; only then are the frames written.
 */

/* Of each frame of a burst; words as they lie in it. */
struct fields {
	uint32_t word[PKT_FAST_STEPS][TX_BURST];
	uint32_t sum[2][TX_BURST]; /* of the words that each checksum covers */
	uint16_t csum[2][TX_BURST];
};

/* Rounds shorter than this are walked through. */
#define RUN_MIN 16u

/* Values that follow each other without the end of a round between them. */
static inline void run_make(uint32_t *restrict word, const struct pkt_fast_step *field,
	uint64_t step, uint32_t stride, unsigned nb)
{
	uint32_t value = field->lo + field->inc * (uint32_t)step, inc = field->inc * stride;

	for (unsigned k = 0; k < nb; k++)
		word[k] = __builtin_bswap32(value + inc * k);
}

static inline void words_make(uint32_t *word, const struct pkt_fast_step *field, struct pkt_step *s,
	uint32_t stride, unsigned nb)
{
	uint64_t step = s->step, round = field->nb;

	for (unsigned k = 0, n; k < nb; k += n) {
		uint64_t left = round - step;

		n = nb - k;
		if (left <= (uint64_t)(n - 1) * stride) {
			if (round < RUN_MIN)
				n = 1;
			else
				n = (unsigned)(stride == 1 ? left : (left + stride - 1) / stride);
		}
		run_make(word + k, field, step, stride, n);
		step += (uint64_t)n * stride;
		while (step >= round)
			step -= round;
	}
	s->step = step;
}

static inline void sums_add(
	struct fields *out, unsigned i, const struct pkt_fast_step *field, unsigned nb)
{
	uint32_t in0 = -(field->in & 1), in1 = -(field->in >> PKT_FAST_IN_SHIFT);
	const uint32_t *word = out->word[i];

	for (unsigned k = 0; k < nb; k++) {
		uint32_t sum = (word[k] & 0xffff) + (word[k] >> 16);

		out->sum[0][k] = (i > 0 ? out->sum[0][k] : 0) + (sum & in0);
		out->sum[1][k] = (i > 0 ? out->sum[1][k] : 0) + (sum & in1);
	}
}

static inline __attribute__((always_inline)) void fields_make(struct fields *out,
	const struct pkt_fast *fast, struct pkt_step *steps, uint32_t stride, unsigned nb,
	unsigned nb_steps, unsigned nb_csums)
{
	for (unsigned i = 0; i < nb_steps; i++) {
		words_make(out->word[i], &fast->steps[i], &steps[i], stride, nb);
		if (nb_csums > 0)
			sums_add(out, i, &fast->steps[i], nb);
	}
	for (unsigned i = 0; i < nb_csums; i++) {
		const struct pkt_fast_csum *csum = &fast->csums[i];
		const uint32_t *sum = out->sum[i];
		uint16_t adj = csum->adj;
		uint32_t base = csum->base;

		for (unsigned k = 0; k < nb; k++)
			out->csum[i][k] = (uint16_t)(adj - pkt_fold_32(sum[k] + base));
	}
}

/* The numbers of fields and checksums are known where this is called: nothing is left to choose. */
static inline __attribute__((always_inline)) void vary(const struct tx_turn *t,
	struct rte_mbuf *const *m, const struct tx_stamp *st, unsigned nb_steps, unsigned nb_csums)
{
	struct tx_lane *lane = t->lanes[0];
	const struct pkt_fast *fast = lane->fast;
	uint32_t first = lane_take(lane, t->nb, st), sum = st->sum + lane->id;
	line image = line_get(lane->image) | line_get(st->image);
	unsigned sig_off = st->sig_off, nb = t->nb, off[PKT_FAST_STEPS], csum_off[2] = {0};
	struct tx_meta meta = st->meta;
	struct numbers numbers;
	struct fields fields;

	numbers_make(&numbers, first, sum, nb);
	fields_make(&fields, fast, lane->steps->mod, lane->stride, nb, nb_steps, nb_csums);
	for (unsigned i = 0; i < nb_steps; i++)
		off[i] = fast->steps[i].off;
	for (unsigned i = 0; i < nb_csums; i++)
		csum_off[i] = fast->csums[i].off;
	for (unsigned k = 0; k < nb; k++) {
		uint8_t *data = data_of(m[k]);

		line_put(data, image);
#pragma GCC unroll 4
		for (unsigned i = 0; i < PKT_FAST_STEPS && i < nb_steps; i++)
			memcpy(data + off[i], &fields.word[i][k], 4);
#pragma GCC unroll 2
		for (unsigned i = 0; i < 2 && i < nb_csums; i++)
			memcpy(data + csum_off[i], &fields.csum[i][k], 2);
		memcpy(data + sig_off + 6, &numbers.seq[k], 4);
		memcpy(data + sig_off + 16, &numbers.complement[k], 2);
		meta_put(m[k], &meta);
	}
}

void NAME(tx_vary_, TX_CPU)(
	const struct tx_turn *t, struct rte_mbuf *const *m, const struct tx_stamp *st)
{
	const struct pkt_fast *fast = t->lanes[0]->fast;

	switch (fast->nb_steps * 4 + fast->nb_csums) {
	case 4:
		vary(t, m, st, 1, 0);
		break;
	case 5:
		vary(t, m, st, 1, 1);
		break;
	case 6:
		vary(t, m, st, 1, 2);
		break;
	case 9:
		vary(t, m, st, 2, 1);
		break;
	case 10:
		vary(t, m, st, 2, 2);
		break;
	case 14:
		vary(t, m, st, 3, 2);
		break;
	default:
		vary(t, m, st, fast->nb_steps, fast->nb_csums);
	}
}
