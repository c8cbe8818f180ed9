/* SPDX-License-Identifier: BSD-3-Clause */
#include "fast.h"

#include <errno.h>
#include <stdlib.h>

#include "hdr.h"
#include "tgen/random.h"
#include "tgen/sig.h"
#include "vary.h"

/* What of a frame's fields and checksums is the same in each frame. */

#define WORD_BYTES_MAX 8u

/* A frame being made fast. */
struct making {
	const struct pkt_frame *frame;
	struct fast *fast;
	uint16_t base[PKT_MAX_MODS]; /* sum of what the template has in a field, as memory has it */
	int8_t place[PKT_MAX_CSUMS]; /* of frame.csums[k] in fast.csums; -1: it never changes */
	uint16_t was[PKT_MAX_CSUMS]; /* in the template; as memory has it at an even offset */
};

/* ---- words ---- */

static unsigned least_size(const struct pkt_frame *frame)
{
	return frame->sizes != NULL ? frame->sizes->bytes[0] : frame->size;
}

static bool is_patched(const struct pkt_frame *frame, unsigned off)
{
	for (unsigned i = 0; i < frame->nb_patches; i++)
		if (off - frame->patch_off[i] < 2)
			return true;
	return false;
}

static bool is_csum(const struct pkt_frame *frame, unsigned off)
{
	for (unsigned k = 0; k < frame->nb_csums; k++)
		if (off - frame->csums[k].off < 2)
			return true;
	return false;
}

/* Whether the bits of a byte that are not the mod's are the same in all frames. */
static bool is_rest_known(const struct pkt_frame *frame, unsigned m, unsigned off)
{
	for (unsigned i = 0; i < frame->nb_mods; i++)
		if (i != m && vary_byte(&frame->mods[i], off) != 0)
			return false;
	if (frame->sizes == NULL)
		return true; /* checksums are written afterwards */
	return off < frame->hdr_bytes && !is_patched(frame, off) && !is_csum(frame, off);
}

static uint8_t byte_of(const struct pkt_frame *frame, unsigned off)
{
	return off < frame->hdr_bytes ? frame->hdr[off] : payload_byte(frame, off);
}

/* The least word that holds the field, from an even offset where there is one. */
static bool place_word(const struct pkt_frame *frame, const struct pkt_mod *mod, unsigned *from,
	unsigned *bytes, unsigned *shift)
{
	unsigned end = mod->off + mod->bytes;
	unsigned high = 63 - (unsigned)__builtin_clzll(mod->field);
	unsigned first = end - 1 - high / 8;
	unsigned last = end - 1 - (unsigned)__builtin_ctzll(mod->field) / 8;
	int up;

	*from = first;
	/* a value's bits are shifted up only */
	if ((first & 1) != 0 && last - first + 2 <= WORD_BYTES_MAX &&
		64 + mod->shift >= 8 * (int)(end - (first - 1)))
		*from = first - 1;
	for (*bytes = 1; *bytes < last - *from + 1;)
		*bytes *= 2;
	if (*from + *bytes > least_size(frame)) {
		if (last + 1 < *bytes)
			return false;
		*from = last + 1 - *bytes;
	}
	up = 64 + mod->shift - 8 * (int)(end - *from);
	*shift = (unsigned)up;
	return up >= 0 && up < 64;
}

/* The field in its word, what is around it, and the sum of what the template has there. */
static void note_word(struct making *mk, unsigned m)
{
	const struct pkt_mod *mod = &mk->frame->mods[m];
	struct fast_mod *out = &mk->fast->mods[m];
	uint8_t field[WORD_BYTES_MAX] = {0}, base[WORD_BYTES_MAX] = {0}, rest[WORD_BYTES_MAX] = {0};
	bool known = true;
	uint64_t word;

	for (unsigned i = 0; i < out->bytes; i++) {
		unsigned off = out->off + i;

		field[i] = vary_byte(mod, off);
		if (field[i] != 0)
			base[i] = field[i] &
				  (uint8_t)(mod->base >> (mod->off + mod->bytes - 1u - off) * 8);
		rest[i] = byte_of(mk->frame, off) & (uint8_t)~field[i];
		known &= field[i] == 0xff || is_rest_known(mk->frame, m, off);
	}
	memcpy(&word, field, sizeof(word));
	out->field = __builtin_bswap64(word);
	out->among = !known;
	memcpy(&out->rest, known ? rest : field, sizeof(out->rest));
	memcpy(&word, base, sizeof(word));
	mk->base[m] = fast_swap_16((uint16_t)pkt_fold_32(fast_fold_64(word)), out->swap != 0);
}

static bool note_mod(struct making *mk, unsigned m)
{
	const struct pkt_mod *mod = &mk->frame->mods[m];
	struct fast_mod *out = &mk->fast->mods[m];
	unsigned from, bytes, shift;

	if (!place_word(mk->frame, mod, &from, &bytes, &shift))
		return false;
	*out = (struct fast_mod){
		.lo = mod->lo << shift,
		.nb = mod->nb != 0 ? mod->nb : UINT64_MAX,
		.every = mod->every,
		.off = (uint16_t)from,
		.kind = mod->kind,
		.shift = (uint8_t)shift,
		.swap = (from & 1) != 0 ? 8 : 0,
		.bytes = (uint8_t)bytes,
	};
	switch ((enum pkt_mod_kind)mod->kind) {
	case PKT_MOD_STEP:
		out->arg = mod->inc << shift;
		break;
	case PKT_MOD_TABLE:
		out->of.table = mod->table;
		break;
	case PKT_MOD_RANDOM:
		out->arg = mod->span;
		break;
	case PKT_MOD_BITS:
		out->arg = mod->bits;
		out->lo = (mod->lo & ~mod->bits) << shift;
	}
	if (mod->kind == PKT_MOD_RANDOM || mod->kind == PKT_MOD_BITS)
		out->of.seed = mod->seed + RANDOM_INCREMENT;
	note_word(mk, m);
	return true;
}

/* ---- checksums ---- */

/*
 * Sums that are 0 and 0xffff are the same number, but not the same bytes: a template that holds the
 * one that mending never makes is left to pkt_mods_apply. So is a checksum of none at some sizes.
 */
static bool are_usual(const struct making *mk, const uint8_t *hdr)
{
	for (unsigned k = 0; k < mk->frame->nb_csums; k++) {
		const struct pkt_csum *csum = &mk->frame->csums[k];
		uint16_t unusual = csum->zero_is_none ? 0 : 0xffff;

		if (mk->place[k] >= 0 && fast_load_16(hdr + csum->off, false) == unusual)
			return false;
	}
	return true;
}

static bool are_usual_at_every_size(const struct making *mk)
{
	const struct pkt_frame *frame = mk->frame;
	uint8_t hdr[PKT_HDR_MAX];

	if (frame->nb_patches == 0)
		return are_usual(mk, frame->hdr);
	memcpy(hdr, frame->hdr, sizeof(hdr));
	for (unsigned i = 0; i < frame->sizes->nb; i++) {
		pkt_size_apply(frame, i, hdr);
		if (!are_usual(mk, hdr))
			return false;
	}
	return true;
}

static uint32_t mods_of_csum(const struct pkt_frame *frame, unsigned k)
{
	uint32_t mods = 0;

	for (unsigned m = 0; m < frame->nb_mods; m++)
		if ((frame->mods[m].csums >> k & 1) != 0)
			mods |= UINT32_C(1) << m;
	return mods;
}

/* The checksums that change, innermost first, and what they cover. */
static void note_csums(struct making *mk)
{
	const struct pkt_frame *frame = mk->frame;

	for (unsigned k = 0; k < frame->nb_csums; k++) {
		const struct pkt_csum *csum = &frame->csums[k];
		struct fast_csum *out = &mk->fast->csums[mk->fast->nb_csums];
		bool odd = (csum->off & 1) != 0;

		*out = (struct fast_csum){
			.c.adj = csum->zero_is_none ? 0 : 0xffff,
			.c.off = csum->off,
			.mods = mods_of_csum(frame, k),
		};
		for (unsigned j = 0; j < k; j++)
			if (mk->place[j] >= 0 && (csum->covers >> j & 1) != 0)
				out->covers |= (uint16_t)(1u << mk->place[j]);
		mk->place[k] = -1;
		if (out->mods == 0 && out->covers == 0)
			continue;
		if (csum->zero_is_none && frame->sizes == NULL &&
			fast_load_16(frame->hdr + csum->off, false) == 0)
			continue;
		mk->was[mk->fast->nb_csums] = fast_load_16(frame->hdr + csum->off, odd);
		mk->place[k] = (int8_t)mk->fast->nb_csums++;
	}
}

/* What does not vary of a checksum's sum; never 0, so that a whole sum folds to 1 .. 0xffff. */
static void note_base(struct making *mk, struct fast_csum *csum, unsigned k)
{
	uint32_t sum = 0;

	for (unsigned m = 0; m < mk->fast->nb_mods; m++)
		if ((csum->mods >> m & 1) != 0)
			sum += (uint16_t)~mk->base[m];
	if (!mk->fast->sized) {
		sum += (uint16_t)~mk->was[k];
		for (unsigned j = 0; j < k; j++)
			if ((csum->covers >> j & 1) != 0)
				sum += (uint16_t)~mk->was[j];
	}
	csum->c.base = sig_fold(sum);
	if (csum->c.base == 0)
		csum->c.base = 0xffff;
	csum->c.base += csum->c.adj == 0;
}

/* ---- the short form ---- */

/* Four bytes from a field on, of which those behind it never change: none, or a later field's. */
static bool is_step(const struct making *mk, unsigned m)
{
	const struct pkt_frame *frame = mk->frame;
	const struct fast_mod *mod = &mk->fast->mods[m];

	if (mod->kind != PKT_MOD_STEP || mod->every != 1 || mod->among || mod->swap != 0 ||
		mod->off + 4u > frame->size)
		return false;
	if (mod->bytes == 4)
		return mod->field == (uint64_t)UINT32_MAX << 32;
	if (mod->bytes != 2 || mod->field != (uint64_t)UINT16_MAX << 48)
		return false;
	for (unsigned i = 0; i < m; i++)
		if ((vary_byte(&frame->mods[i], mod->off + 2u) |
			    vary_byte(&frame->mods[i], mod->off + 3u)) != 0)
			return false;
	return true;
}

static void note_plain(struct fast *fast)
{
	fast->plain = fast->nb_csums <= 2;
	for (unsigned k = 0; k < fast->nb_csums; k++) {
		const struct fast_csum *csum = &fast->csums[k];

		if (csum->covers != 0 || (csum->c.off & 1) != 0)
			fast->plain = false;
		for (unsigned m = 0; m < fast->nb_mods; m++) {
			if ((csum->mods >> m & 1) == 0)
				continue;
			fast->mods[m].in |= (uint8_t)(1u << (k & 7));
			if (fast->mods[m].swap != 0)
				fast->plain = false;
		}
	}
}

static bool has_short_form(const struct making *mk)
{
	const struct fast *fast = mk->fast;

	if (!fast->plain || fast->sized || fast->nb_mods > PKT_FAST_STEPS)
		return false;
	for (unsigned m = 0; m < fast->nb_mods; m++)
		if (!is_step(mk, m))
			return false;
	return true;
}

/* A checksum that only some of the fields change counts what is behind those. */
static void note_step(struct making *mk, unsigned m)
{
	const struct fast_mod *mod = &mk->fast->mods[m];
	struct pkt_fast_step *out = &mk->fast->head.steps[m];
	uint32_t behind = 0, field = (uint32_t)(mod->field >> 32);
	uint16_t rest;

	for (unsigned i = mod->bytes; i < 4; i++)
		behind |= (uint32_t)byte_of(mk->frame, mod->off + i) << (24 - 8 * i);
	*out = (struct pkt_fast_step){
		.nb = mod->nb,
		.lo = ((uint32_t)(mod->lo >> 32) & field) | behind,
		.inc = (uint32_t)(mod->arg >> 32),
		.off = mod->off,
	};
	for (unsigned k = 0; k < mk->fast->nb_csums; k++)
		if ((mk->fast->csums[k].mods >> m & 1) != 0)
			out->in |= UINT32_C(1) << k * PKT_FAST_IN_SHIFT;
	rest = __builtin_bswap16((uint16_t)behind);
	mk->base[m] = sig_fold((uint32_t)mk->base[m] + rest);
}

static void note_short_form(struct making *mk)
{
	struct pkt_fast *head = &mk->fast->head;

	head->nb_steps = mk->fast->nb_mods;
	head->nb_csums = mk->fast->nb_csums;
	for (unsigned m = 0; m < head->nb_steps; m++)
		note_step(mk, m);
}

/* False when the frame has no fast form. */
static bool make_fast(struct making *mk)
{
	struct fast *fast = mk->fast;

	/* words are as a little-endian machine has them */
	if (__BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__)
		return false;
	fast->nb_mods = mk->frame->nb_mods;
	fast->sized = mk->frame->sizes != NULL;
	for (unsigned m = 0; m < fast->nb_mods; m++)
		if (!note_mod(mk, m))
			return false;
	note_csums(mk);
	if (!are_usual_at_every_size(mk))
		return false;
	note_plain(fast);
	if (has_short_form(mk))
		note_short_form(mk);
	for (unsigned k = 0; k < fast->nb_csums; k++) {
		note_base(mk, &fast->csums[k], k);
		if (k < fast->head.nb_csums)
			fast->head.csums[k] = fast->csums[k].c;
	}
	return true;
}

int fast_make(struct pkt_frame *frame)
{
	size_t bytes = sizeof(struct fast) + frame->nb_mods * sizeof(struct fast_mod);
	struct making mk = {.frame = frame};

	free(frame->fast);
	frame->fast = NULL;
	if (frame->nb_mods == 0)
		return 0;
	mk.fast = aligned_alloc(PKT_IMAGE_LINE, bytes);
	if (mk.fast == NULL)
		return -ENOMEM;
	memset(mk.fast, 0, bytes);
	if (!make_fast(&mk))
		free(mk.fast);
	else
		frame->fast = &mk.fast->head;
	return 0;
}
