/* SPDX-License-Identifier: BSD-3-Clause */
#include "hdr.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "tgen/units.h"

#define MAX_BYTES 65535u

#define MASK_MAC ((1ull << 48) - 1)
#define MASK_IP4 0xffffffffull

static unsigned place_end(const struct hdr_place *place, unsigned nb)
{
	return nb == 0 ? 0 : place[nb - 1].off + place[nb - 1].type->hdr.min_bytes;
}

static unsigned count_tags(const struct hdr_place *place, unsigned nb)
{
	unsigned nb_tags = 0;

	for (unsigned i = 0; i < nb; i++)
		nb_tags += place[i].type->hdr.is_tag;
	return nb_tags;
}

static bool has_footer(const struct opt_set *tmpl)
{
	return opt_set_one(tmpl, &pkt_template_opts[TMPL_SPECIAL_FOOTER]).lo != 0;
}

static unsigned min_size(const struct opt_set *tmpl, const struct hdr_place *place, unsigned nb)
{
	unsigned need = place_end(place, nb) + (has_footer(tmpl) ? SIG_BYTES : 0);
	unsigned least = PKT_MIN_BYTES + UNITS_TAG_BYTES * count_tags(place, nb);

	return need > least ? need : least;
}

int pkt_min_size(const struct opt_set *tmpl, struct err *err)
{
	struct hdr_place place[PKT_MAX_HEADERS];
	int nb = hdr_place_stack(tmpl, place, err);

	return nb < 0 ? nb : (int)min_size(tmpl, place, (unsigned)nb);
}

/* Fields of one type: a list must match its headers, a value must have a header to go to. */
static int check_lists(const struct hdr_build *b, const struct hdr_type *type)
{
	unsigned nb = 0;

	for (unsigned i = 0; i < b->nb; i++)
		nb += b->place[i].type == type;
	for (size_t i = 0; i < type->section.nb; i++) {
		const struct opt *opt = opt_section_at(&type->section, i);
		const struct opt_slot *slot = opt_set_get(b->tmpl, opt);

		if (slot == NULL || slot->nb_vals == nb || (slot->nb_vals == 1 && nb > 0))
			continue;
		if (nb == 0)
			return opt_error(b->err, b->tmpl, opt,
				"given, but header-stack has no %s header", type->hdr.name);
		return opt_error(b->err, b->tmpl, opt,
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
			has_footer(b->tmpl) ? " and the signature" : "", least);
	if (size > MAX_BYTES)
		return opt_error(b->err, b->tmpl, NULL, "packet-size %u is too large: %u at most",
			size, MAX_BYTES);
	return 0;
}

static int check_data_byte(const struct opt_set *tmpl, struct err *err)
{
	const struct opt *opt = &pkt_template_opts[TMPL_DATA_BYTE];
	const char *byte = opt_set_one(tmpl, opt).text;

	if (strlen(byte) != 2)
		return opt_error(err, tmpl, opt, "\"%.40s\" is not one byte (00..FF)", byte);
	return 0;
}

static int init_frame(const struct hdr_build *b, unsigned size)
{
	const char *byte = opt_set_one(b->tmpl, &pkt_template_opts[TMPL_DATA_BYTE]).text;
	int rc = check_data_byte(b->tmpl, b->err);

	if (rc != 0)
		return rc;
	*b->frame = (struct pkt_frame){
		.hdr_bytes = (uint16_t)place_end(b->place, b->nb),
		.size = (uint16_t)size,
		.sig_off = has_footer(b->tmpl) ? (uint16_t)(size - SIG_BYTES) : 0,
		.nb_tags = (uint8_t)count_tags(b->place, b->nb),
		.data = (enum pkt_data)opt_set_one(b->tmpl, &pkt_template_opts[TMPL_DATA]).lo,
		.data_byte = (uint8_t)strtoul(byte, NULL, 16),
	};
	return 0;
}

/* Writes the low bits of value where the field is; hdr holds zeros there. */
static void put_field(uint8_t *hdr, const struct pkt_field *field, uint64_t value)
{
	for (unsigned i = 0; i < field->bits; i++) {
		unsigned bit = field->bit_off + field->bits - 1 - i;

		hdr[bit / 8] |= (uint8_t)((value >> i & 1) << (7 - bit % 8));
	}
}

static int add_mod(struct hdr_build *b, const struct hdr_place *place,
	const struct pkt_field *field, const struct opt_val *val)
{
	struct pkt_frame *frame = b->frame;
	unsigned bytes = field->bits / 8;

	if (field->bit_off % 8 != 0 || field->bits % 8 != 0 ||
		(bytes != 1 && bytes != 2 && bytes != 4))
		return opt_error(b->err, b->tmpl, &field->opt,
			"cannot vary: give one value instead of a range");
	if (val->hi - val->lo >= UINT32_MAX)
		return opt_error(
			b->err, b->tmpl, &field->opt, "a range of %u values at most", UINT32_MAX);
	if (frame->nb_mods == PKT_MAX_MODS)
		return opt_error(
			b->err, b->tmpl, &field->opt, "more than %u fields vary", PKT_MAX_MODS);
	frame->mods[frame->nb_mods++] = (struct pkt_mod){
		.off = (uint16_t)(place->off + field->bit_off / 8),
		.bytes = (uint8_t)bytes,
		.lo = (uint32_t)val->lo,
		.nb = (uint32_t)(val->hi - val->lo + 1),
	};
	return 0;
}

static bool mask_is_full(const struct opt *opt, uint64_t mask)
{
	if (opt->type == OPT_MAC)
		return mask == MASK_MAC;
	return opt->type != OPT_IP4 || mask == MASK_IP4;
}

static int check_mask(
	const struct opt_set *tmpl, const struct opt *opt, uint64_t mask, struct err *err)
{
	if (mask_is_full(opt, mask))
		return 0;
	return opt_error(err, tmpl, opt,
		"random bits under a mask are not supported; give A-B or a plain address");
}

static int build_field(struct hdr_build *b, unsigned i, unsigned f)
{
	const struct hdr_place *place = &b->place[i];
	const struct opt *opt = opt_section_at(&place->type->section, f);
	const struct pkt_field *field = (const struct pkt_field *)opt;
	struct opt_val val = {0};
	int rc = 0;

	if (!hdr_field_val(b, i, f, &val)) {
		rc = place->type->assume(b, opt, &val.lo);
		val.hi = val.lo;
	} else {
		rc = check_mask(b->tmpl, opt, val.mask, b->err);
	}
	if (rc == 0 && val.hi > val.lo)
		rc = add_mod(b, place, field, &val);
	if (rc == 0)
		put_field(b->frame->hdr + place->off, field, val.lo);
	return rc;
}

static int build_headers(struct hdr_build *b)
{
	for (unsigned i = 0; i < b->nb; i++) {
		for (unsigned f = 0; f < b->place[i].type->section.nb; f++) {
			int rc = build_field(b, i, f);

			if (rc != 0)
				return rc;
		}
	}
	for (unsigned i = b->nb; i-- > 0;) {
		if (b->place[i].type->finish != NULL)
			b->place[i].type->finish(b, i);
	}
	return 0;
}

int pkt_template_check(const struct opt_set *tmpl, struct err *err)
{
	const struct opt *gateway = &pkt_template_opts[TMPL_IP_GATEWAY];
	struct hdr_place place[PKT_MAX_HEADERS];
	struct opt_val val;

	if (hdr_place_stack(tmpl, place, err) < 0 || check_data_byte(tmpl, err) < 0)
		return -EINVAL;
	if (opt_set_val(tmpl, gateway, 0, &val) &&
		(val.lo != val.hi || !mask_is_full(gateway, val.mask)))
		return opt_error(err, tmpl, gateway, "the gateway must be one plain address");
	for (unsigned s = 0; s < tmpl->nb_slots; s++) {
		const struct opt_slot *slot = &tmpl->slots[s];

		for (unsigned i = 0; i < slot->nb_vals; i++)
			if (check_mask(tmpl, slot->opt, slot->vals[i].mask, err) < 0)
				return -EINVAL;
	}
	return 0;
}

int pkt_build(const struct opt_set *tmpl, const struct pkt_assumed *assumed, unsigned size,
	struct pkt_frame *out, struct err *err)
{
	struct hdr_build b = {.tmpl = tmpl, .assumed = assumed, .frame = out, .err = err};
	int rc = hdr_place_stack(tmpl, b.place, err);

	if (rc < 0)
		return rc;
	b.nb = (unsigned)rc;
	for (unsigned i = 0; hdr_types[i] != NULL; i++) {
		rc = check_lists(&b, hdr_types[i]);
		if (rc != 0)
			return rc;
	}
	rc = check_size(&b, size);
	if (rc != 0)
		return rc;
	rc = init_frame(&b, size);
	return rc != 0 ? rc : build_headers(&b);
}
