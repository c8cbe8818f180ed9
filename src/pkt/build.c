/* SPDX-License-Identifier: BSD-3-Clause */
#include "hdr.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "tgen/units.h"
#include "vary.h"

#define MAX_BYTES 65535u

static unsigned place_end(const struct hdr_place *place, unsigned nb)
{
	return nb == 0 ? 0 : place[nb - 1].off + place[nb - 1].bytes;
}

static unsigned count_tags(const struct hdr_place *place, unsigned nb)
{
	unsigned nb_tags = 0;

	for (unsigned i = 0; i < nb; i++)
		nb_tags += place[i].type->hdr.is_tag;
	return nb_tags;
}

static bool is_signed(const struct opt_set *tmpl, const struct hdr_place *place, unsigned nb)
{
	for (unsigned i = 0; i < nb; i++)
		if (place[i].type->unsigned_)
			return false;
	return opt_set_one(tmpl, &pkt_template_opts[TMPL_SPECIAL_FOOTER]).lo != 0;
}

bool pkt_is_signed(const struct opt_set *tmpl)
{
	struct hdr_place place[PKT_MAX_HEADERS];
	struct err err = {0};
	int nb = hdr_place_stack(tmpl, place, &err);

	return is_signed(tmpl, place, nb > 0 ? (unsigned)nb : 0);
}

static unsigned min_size(const struct opt_set *tmpl, const struct hdr_place *place, unsigned nb)
{
	unsigned need = place_end(place, nb) + (is_signed(tmpl, place, nb) ? SIG_BYTES : 0);
	unsigned least = PKT_MIN_BYTES + UNITS_TAG_BYTES * count_tags(place, nb);

	return need > least ? need : least;
}

int pkt_min_size(const struct opt_set *tmpl, struct err *err)
{
	struct hdr_place place[PKT_MAX_HEADERS];
	int nb = hdr_place_stack(tmpl, place, err);

	return nb < 0 ? nb : (int)min_size(tmpl, place, (unsigned)nb);
}

/* The header type that an option is a field of; NULL: none. */
static const struct hdr_type *type_of(const struct opt *opt)
{
	for (unsigned t = 0; hdr_types[t] != NULL; t++) {
		const struct opt_section *section = &hdr_types[t]->section;
		uintptr_t base = (uintptr_t)section->base, at = (uintptr_t)opt;

		if (at >= base && at - base < section->nb * section->stride)
			return hdr_types[t];
	}
	return NULL;
}

/* A list must match its headers, a value must have a header to go to. */
static int check_lists(const struct opt_set *tmpl, const struct hdr_place *place,
	unsigned nb_places, struct err *err)
{
	for (unsigned k = 0; k < tmpl->nb_slots; k++) {
		const struct opt_slot *slot = &tmpl->slots[k];
		const struct hdr_type *type = type_of(slot->opt);
		unsigned nb = 0;

		if (type == NULL)
			continue;
		for (unsigned i = 0; i < nb_places; i++)
			nb += place[i].type == type;
		if (slot->nb_vals == nb || (slot->nb_vals == 1 && nb > 0))
			continue;
		if (nb == 0)
			return opt_error(err, tmpl, slot->opt,
				"given, but header-stack has no %s header", type->hdr.name);
		return opt_error(err, tmpl, slot->opt,
			"%u values for %u %s header%s (give one for all, or one for each)",
			slot->nb_vals, nb, type->hdr.name, nb == 1 ? "" : "s");
	}
	return 0;
}

static int check_size(const struct hdr_build *b, unsigned size)
{
	unsigned least = min_size(b->tmpl, b->place, b->nb);

	if (size < least)
		return opt_error(b->err, b->tmpl, NULL,
			"packet-size %u is too small: its headers%s need %u at least", size,
			pkt_is_signed(b->tmpl) ? " and the signature" : "", least);
	if (size > MAX_BYTES)
		return opt_error(b->err, b->tmpl, NULL, "packet-size %u is too large: %u at most",
			size, MAX_BYTES);
	return 0;
}

static int init_frame(const struct hdr_build *b, unsigned size)
{
	*b->frame = (struct pkt_frame){
		.hdr_bytes = (uint16_t)place_end(b->place, b->nb),
		.size = (uint16_t)size,
		.sig_off = is_signed(b->tmpl, b->place, b->nb) ? (uint16_t)(size - SIG_BYTES) : 0,
		.nb_tags = (uint8_t)count_tags(b->place, b->nb),
	};
	return data_init(b->tmpl, b->frame, b->err);
}

/* Writes the low bits of value where the field is; hdr holds zeros there. */
static void put_field(uint8_t *hdr, const struct pkt_field *field, const struct opt_val *val)
{
	for (unsigned i = 0; i < field->bits; i++) {
		unsigned bit = field->bit_off + field->bits - 1 - i;
		uint64_t half = i < 64 ? val->lo : val->up.lo;

		hdr[bit / 8] |= (uint8_t)((half >> i % 64 & 1) << (7 - bit % 8));
	}
}

static int vary_value(struct hdr_build *b, const struct hdr_place *place,
	const struct pkt_field *field, const struct opt *opt, const struct opt_val *val)
{
	struct opt_vary vary;
	int rc = opt_vary_of(opt, val, place->nth, &vary);

	if (rc == -ENOMEM)
		return err_device(b->err, ENOMEM, "%s", opt->name);
	if (rc != 0)
		return opt_error(b->err, b->tmpl, opt, "\"%.80s\" has too many values", val->text);
	rc = vary_field(b, opt, &vary, place->off * 8u + field->bit_off, field->bits);
	opt_vary_fini(&vary);
	return rc;
}

static int build_field(struct hdr_build *b, unsigned i, unsigned f)
{
	const struct hdr_place *place = &b->place[i];
	const struct opt *opt = opt_section_at(&place->type->section, f);
	struct pkt_field at = *(const struct pkt_field *)opt, *field = &at;
	int bit_off = hdr_field_bit(b, i, f), rc = 0;
	struct opt_val val = {0};

	if (field->bits == 0 || bit_off < 0)
		return 0;
	at.bit_off = (uint16_t)bit_off;
	if (!hdr_field_val(b, i, f, &val)) {
		if (place->type->assume == NULL)
			return 0;
		rc = place->type->assume(b, i, opt, &val);
	} else if ((opt->flags & OPT_VARY) != 0) {
		rc = vary_value(b, place, field, opt, &val);
	}
	if (rc == 0)
		put_field(b->frame->hdr + place->off, field, &val);
	return rc;
}

static int build_fields(struct hdr_build *b)
{
	for (unsigned i = 0; i < b->nb; i++) {
		b->hdr = (uint8_t)i;
		for (unsigned f = 0; f < b->place[i].type->section.nb; f++) {
			int rc = build_field(b, i, f);

			if (rc != 0)
				return rc;
		}
	}
	b->hdr = UINT8_MAX;
	return 0;
}

/* Lengths, checksums and what is known then, for the size that the frame has. */
static void build_finish(struct hdr_build *b)
{
	struct pkt_frame *frame = b->frame;

	frame->nb_csums = 0;
	frame->crc_csums = 0;
	for (unsigned m = 0; m < frame->nb_mods; m++)
		frame->mods[m].csums = 0;
	for (unsigned i = b->nb; i-- > 0;) {
		if (b->place[i].type->finish != NULL)
			b->place[i].type->finish(b, i);
	}
	vary_note_bases(frame);
}

int pkt_template_check(const struct opt_set *tmpl, struct err *err)
{
	const struct opt *gateway = &pkt_template_opts[TMPL_IP_GATEWAY];
	const struct opt *gateway6 = &pkt_template_opts[TMPL_IPV6_GATEWAY];
	struct hdr_place place[PKT_MAX_HEADERS];
	struct opt_val val;
	int nb = hdr_place_stack(tmpl, place, err);

	if (nb < 0 || check_lists(tmpl, place, (unsigned)nb, err) < 0 || data_check(tmpl, err) < 0)
		return -EINVAL;
	if (opt_set_val(tmpl, gateway, 0, &val) && (val.lo != val.hi || val.mask != UINT32_MAX))
		return opt_error(err, tmpl, gateway, "the gateway must be one plain address");
	if (opt_set_val(tmpl, gateway6, 0, &val) && (val.lo != val.hi || val.up.lo != val.up.hi ||
							    (val.mask & val.up.mask) != UINT64_MAX))
		return opt_error(err, tmpl, gateway6, "the gateway must be one plain address");
	return 0;
}

/* The option compute-checksum-from-offset must have met a checksum. */
static int check_csum_from(struct hdr_build *b)
{
	if (b->csum_from == UINT32_MAX || b->csum_found)
		return 0;
	return opt_error(b->err, b->tmpl, &pkt_template_opts[TMPL_CSUM_FROM],
		"no header that has a checksum begins at byte %u", b->csum_from);
}

static int build_start(struct hdr_build *b, unsigned least, unsigned most)
{
	int rc = hdr_place_stack(b->tmpl, b->place, b->err);

	*b->frame = (struct pkt_frame){0};
	b->csum_from = (uint32_t)opt_set_one(b->tmpl, &pkt_template_opts[TMPL_CSUM_FROM]).lo;
	if (rc < 0)
		return rc;
	b->nb = (unsigned)rc;
	rc = check_lists(b->tmpl, b->place, b->nb, b->err);
	if (rc == 0)
		rc = check_size(b, least);
	if (rc == 0)
		rc = check_size(b, most);
	if (rc == 0)
		rc = init_frame(b, most);
	if (rc == 0)
		rc = build_fields(b);
	if (rc == 0)
		rc = vary_nest(b);
	return rc == 0 ? random_add(b, least) : rc;
}

/* What senders use, when all is in its place. */
static int build_ready(const struct hdr_build *b)
{
	int rc = pkt_frame_refresh(b->frame);

	return rc < 0 ? err_device(b->err, -rc, "header images") : 0;
}

int pkt_build(const struct opt_set *tmpl, const struct pkt_assumed *assumed, unsigned size,
	struct pkt_frame *out, struct err *err)
{
	struct hdr_build b = {.tmpl = tmpl, .assumed = assumed, .frame = out, .err = err};
	int rc = build_start(&b, size, size);

	if (rc == 0) {
		build_finish(&b);
		rc = check_csum_from(&b);
	}
	if (rc == 0)
		rc = build_ready(&b);
	if (rc != 0)
		pkt_frame_fini(out);
	return rc;
}

/* ---- several sizes ---- */

/* What random bytes replace must be the same at every size, or no checksum could be mended. */
static int check_sized_mods(struct hdr_build *b, const uint8_t *hdrs)
{
	const struct pkt_frame *frame = b->frame;

	for (unsigned m = 0; m < frame->nb_mods; m++) {
		for (unsigned off = 0; off < frame->hdr_bytes; off++) {
			if (vary_byte(&frame->mods[m], off) != 0 &&
				pkt_patches_at(frame, hdrs, off))
				return opt_error(b->err, b->tmpl, b->mod_opt[m],
					"byte %u depends on the packet-size and cannot vary with "
					"several sizes",
					off);
		}
	}
	return 0;
}

static int patches_make(struct hdr_build *b, const uint8_t *plain)
{
	struct pkt_frame *frame = b->frame;
	unsigned nb = frame->sizes->nb, most = frame->size, bytes = frame->hdr_bytes;
	uint8_t *hdrs = malloc((size_t)nb * bytes);
	int rc = hdrs != NULL ? 0 : -ENOMEM;

	for (unsigned k = 0; rc == 0 && k < nb; k++) {
		memcpy(frame->hdr, plain, bytes);
		frame->size = frame->sizes->bytes[k];
		frame->sig_off = pkt_is_signed(b->tmpl) ? (uint16_t)(frame->size - SIG_BYTES) : 0;
		build_finish(b);
		memcpy(hdrs + (size_t)k * bytes, frame->hdr, bytes);
	}
	/* the last one is the largest: the frame is left as that */
	assert(rc != 0 || frame->size == most);
	if (rc == 0)
		rc = check_sized_mods(b, hdrs);
	if (rc == 0)
		rc = check_csum_from(b);
	if (rc == 0)
		rc = pkt_patches_find(frame, hdrs);
	free(hdrs);
	if (rc == -EINVAL)
		return rc;
	if (rc == -ENOSPC)
		return opt_error(b->err, b->tmpl, &pkt_template_opts[TMPL_HEADER_STACK],
			"has more than %u words that depend on the size; give one packet-size",
			PKT_MAX_PATCHES);
	return rc < 0 ? err_device(b->err, -rc, "packet sizes") : 0;
}

int pkt_build_sizes(const struct opt_set *tmpl, const struct pkt_assumed *assumed,
	const struct pkt_sizes *sizes, struct pkt_frame *out, struct err *err)
{
	struct hdr_build b = {.tmpl = tmpl, .assumed = assumed, .frame = out, .err = err};
	uint8_t plain[PKT_HDR_MAX];
	int rc;

	if (sizes->nb == 1)
		return pkt_build(tmpl, assumed, sizes->bytes[0], out, err);
	rc = build_start(&b, sizes->bytes[0], sizes->bytes[sizes->nb - 1]);
	if (rc == 0) {
		out->sizes = sizes;
		memcpy(plain, out->hdr, sizeof(plain));
		rc = patches_make(&b, plain);
	}
	if (rc == 0)
		rc = build_ready(&b);
	if (rc != 0)
		pkt_frame_fini(out);
	return rc;
}
