/* SPDX-License-Identifier: BSD-3-Clause */
#include "tgen/pkt_mods.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>

#include "hdr.h"
#include "tgen/sig.h"
#include "vary.h"

/* What senders use of a frame: its fields in the form of pkt_mods.h, its header images. */

#define WORD_BYTES_MAX 8u

/* A frame being made fast. */
struct making {
	const struct pkt_frame *frame;
	struct pkt_fast *fast;
	uint16_t base[PKT_MAX_MODS]; /* sum of what the template has in a field, as memory has it */
	int8_t place[PKT_MAX_CSUMS]; /* of frame.csums[k] in fast.csums; -1: it never changes */
	uint16_t was[PKT_MAX_CSUMS]; /* in the template; as memory has it at an even offset */
};

static uint16_t swap_16(uint16_t word, bool swap)
{
	return swap ? __builtin_bswap16(word) : word;
}

static uint16_t load_16(const uint8_t *p, bool swap)
{
	uint16_t word;

	memcpy(&word, p, sizeof(word));
	return swap_16(word, swap);
}

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

static enum pkt_fast_put put_of(unsigned bytes)
{
	switch (bytes) {
	case 1:
		return PKT_PUT_8;
	case 2:
		return PKT_PUT_16;
	case 4:
		return PKT_PUT_32;
	default:
		return PKT_PUT_64;
	}
}

/* The field in its word, what is around it, and the sum of what the template has there. */
static void note_word(struct making *mk, unsigned m)
{
	const struct pkt_mod *mod = &mk->frame->mods[m];
	struct pkt_fast_mod *out = &mk->fast->mods[m];
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
	out->put = (uint8_t)put_of(out->bytes);
	if (!known)
		out->put = PKT_PUT_AMONG;
	memcpy(&out->rest, known ? rest : field, sizeof(out->rest));
	memcpy(&word, base, sizeof(word));
	mk->base[m] = swap_16((uint16_t)pkt_fold_32(pkt_fold_64(word)), out->swap != 0);
}

static bool note_mod(struct making *mk, unsigned m)
{
	const struct pkt_mod *mod = &mk->frame->mods[m];
	struct pkt_fast_mod *out = &mk->fast->mods[m];
	unsigned from, bytes, shift;

	if (!place_word(mk->frame, mod, &from, &bytes, &shift))
		return false;
	*out = (struct pkt_fast_mod){
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

		if (mk->place[k] >= 0 && load_16(hdr + csum->off, false) == unusual)
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
		struct pkt_fast_csum *out = &mk->fast->csums[mk->fast->nb_csums];
		bool odd = (csum->off & 1) != 0;

		*out = (struct pkt_fast_csum){
			.adj = csum->zero_is_none ? 0 : 0xffff,
			.off = csum->off,
			.mods = mods_of_csum(frame, k),
		};
		for (unsigned j = 0; j < k; j++)
			if (mk->place[j] >= 0 && (csum->covers >> j & 1) != 0)
				out->covers |= (uint16_t)(1u << mk->place[j]);
		mk->place[k] = -1;
		if (out->mods == 0 && out->covers == 0)
			continue;
		if (csum->zero_is_none && frame->sizes == NULL &&
			load_16(frame->hdr + csum->off, false) == 0)
			continue;
		mk->was[mk->fast->nb_csums] = load_16(frame->hdr + csum->off, odd);
		mk->place[k] = (int8_t)mk->fast->nb_csums++;
	}
}

/* What does not vary of a checksum's sum; never 0, so that a whole sum folds to 1 .. 0xffff. */
static void note_base(struct making *mk, struct pkt_fast_csum *csum, unsigned k)
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
	csum->base = sig_fold(sum);
	if (csum->base == 0)
		csum->base = 0xffff;
	csum->base += csum->adj == 0;
}

static void note_plain(struct pkt_fast *fast)
{
	fast->plain = fast->nb_csums <= 2;
	for (unsigned k = 0; k < fast->nb_csums; k++) {
		const struct pkt_fast_csum *csum = &fast->csums[k];

		if (csum->covers != 0 || (csum->off & 1) != 0)
			fast->plain = false;
		for (unsigned m = 0; m < fast->nb_mods; m++) {
			bool in = (csum->mods >> m & 1) != 0;

			if (k < 2)
				fast->mods[m].in[k] = in ? -1 : 0;
			if (in && fast->mods[m].swap != 0)
				fast->plain = false;
		}
	}
}

/* False when the frame has no fast form. */
static bool make_fast(struct making *mk)
{
	struct pkt_fast *fast = mk->fast;

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
	for (unsigned k = 0; k < fast->nb_csums; k++)
		note_base(mk, &fast->csums[k], k);
	note_plain(fast);
	return true;
}

static int refresh_mods(struct pkt_frame *frame)
{
	size_t bytes = sizeof(struct pkt_fast) + frame->nb_mods * sizeof(struct pkt_fast_mod);
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
		frame->fast = mk.fast;
	return 0;
}

/* ---- images ---- */

static void make_image(const struct pkt_frame *frame, unsigned index, uint8_t *image)
{
	unsigned size = pkt_size_bytes(frame, index);
	unsigned end = frame->sig_off != 0 ? size - SIG_BYTES : size;

	memcpy(image, frame->hdr, frame->hdr_bytes);
	pkt_size_apply(frame, index, image);
	/* the largest of several sizes is the frame's own: its payload is that of all */
	for (unsigned off = frame->hdr_bytes; off < frame->image_bytes; off++)
		image[off] = off < end ? payload_byte(frame, off) : 0;
}

static int refresh_images(struct pkt_frame *frame)
{
	unsigned nb = frame->sizes != NULL ? frame->sizes->nb : 1;
	unsigned bytes = (frame->hdr_bytes + PKT_IMAGE_LINE - 1) / PKT_IMAGE_LINE * PKT_IMAGE_LINE;

	free(frame->images);
	frame->images = NULL;
	frame->image_bytes = bytes;
	if (nb > PKT_IMAGES_BYTES_MAX / bytes)
		return 0;
	frame->images = aligned_alloc(PKT_IMAGE_LINE, (size_t)nb * bytes);
	if (frame->images == NULL)
		return -ENOMEM;
	for (unsigned i = 0; i < nb; i++)
		make_image(frame, i, frame->images + (size_t)i * bytes);
	return 0;
}

int pkt_frame_refresh(struct pkt_frame *frame)
{
	int rc = refresh_mods(frame), images = refresh_images(frame);

	return rc != 0 ? rc : images;
}

/* ---- frames that are not plain ---- */

void pkt_fast_put_among(const struct pkt_fast_mod *mod, uint64_t word, uint8_t *p)
{
	uint64_t all = 0;

	memcpy(&all, p, mod->bytes);
	all = (all & ~mod->rest) | word;
	memcpy(p, &all, mod->bytes);
}

/* Writes a checksum; returns by what a sum over it changes (its base counts what it was or not). */
static uint32_t mend_any(
	const struct pkt_fast *fast, const struct pkt_fast_csum *csum, uint32_t sum, uint8_t *data)
{
	bool odd = (csum->off & 1) != 0;
	uint32_t was = 0;
	uint16_t now;

	if (fast->sized)
		was = (uint16_t)~load_16(data + csum->off, odd);
	now = (uint16_t)(csum->adj - pkt_fold_32(sum + csum->base + was));
	sum = now + was;
	now = swap_16(now, odd);
	memcpy(data + csum->off, &now, sizeof(now));
	return sum;
}

void pkt_mods_next_any(
	const struct pkt_frame *frame, struct pkt_steps *steps, uint32_t stride, uint8_t *data)
{
	const struct pkt_fast *fast = frame->fast;
	uint32_t of_mod[PKT_MAX_MODS], of_csum[PKT_MAX_CSUMS];

	if (fast == NULL) {
		pkt_mods_apply(frame, steps, data);
		pkt_steps_advance(steps, frame, stride);
		return;
	}
	for (unsigned m = 0; m < fast->nb_mods; m++) {
		const struct pkt_fast_mod *mod = &fast->mods[m];

		of_mod[m] = pkt_fast_field(mod, &steps->mod[m], stride, data) << mod->swap;
	}
	for (unsigned k = 0; k < fast->nb_csums; k++) {
		const struct pkt_fast_csum *csum = &fast->csums[k];
		uint32_t sum = 0;

		for (uint32_t bits = csum->mods; bits != 0; bits &= bits - 1)
			sum += of_mod[__builtin_ctz(bits)];
		for (uint32_t bits = csum->covers; bits != 0; bits &= bits - 1)
			sum += of_csum[__builtin_ctz(bits)];
		of_csum[k] = mend_any(fast, csum, sum, data);
	}
}
