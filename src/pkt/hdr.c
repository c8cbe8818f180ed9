/* SPDX-License-Identifier: BSD-3-Clause */
#include "hdr.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "raw.h"

#define HDR_ADDRESS(name_, word_) &hdr_##name_,
const struct hdr_type *const hdr_types[] = {HDR_LIST(HDR_ADDRESS) NULL};

const struct pkt_hdr *pkt_hdr_find(const char *name)
{
	for (unsigned i = 0; hdr_types[i] != NULL; i++) {
		if (strcmp(hdr_types[i]->hdr.name, name) == 0)
			return &hdr_types[i]->hdr;
	}
	return NULL;
}

static const struct hdr_binding *find_binding(const struct hdr_type *child, enum hdr_space space)
{
	for (unsigned i = 0; i < HDR_MAX_BINDINGS; i++) {
		if (child->child_of[i].space == HDR_SPACE_NONE)
			break;
		if (child->child_of[i].space == space)
			return &child->child_of[i];
	}
	return NULL;
}

static bool can_follow(const struct hdr_type *child, enum hdr_space space)
{
	return child->anywhere || space == HDR_SPACE_ANY || find_binding(child, space) != NULL;
}

/* Names of the types that can be where space says. */
static void list_children(enum hdr_space space, char *out, size_t size)
{
	size_t used = 0;

	out[0] = '\0';
	for (unsigned i = 0; hdr_types[i] != NULL && used < size; i++) {
		if (can_follow(hdr_types[i], space))
			used += (size_t)snprintf(out + used, size - used, "%s%s",
				used == 0 ? "" : ", ", hdr_types[i]->hdr.name);
	}
}

static int refuse_place(const struct opt_set *tmpl, const struct hdr_type *type,
	const struct hdr_type *parent, enum hdr_space space, struct err *err)
{
	const struct opt *opt = &pkt_template_opts[TMPL_HEADER_STACK];
	char allowed[256];

	list_children(space, allowed, sizeof(allowed));
	if (parent == NULL)
		return opt_error(err, tmpl, opt, "begins with %s, but must begin with %s",
			type->hdr.name, allowed);
	return opt_error(err, tmpl, opt, "%s cannot follow %s (what can: %s)", type->hdr.name,
		parent->hdr.name, allowed);
}

int hdr_place_stack(
	const struct opt_set *tmpl, struct hdr_place place[PKT_MAX_HEADERS], struct err *err)
{
	const struct opt *opt = &pkt_template_opts[TMPL_HEADER_STACK];
	const struct opt_slot *slot = opt_set_get(tmpl, opt);
	const struct hdr_type *parent = NULL;
	enum hdr_space space = HDR_SPACE_WIRE;
	unsigned nb = 0, off = 0;
	struct opt_val val;
	int bytes;

	if (pkt_is_raw(tmpl))
		return raw_place(tmpl, place, err);
	/* One item of a list serves every place; here it is the only one. */
	while ((slot == NULL || nb < slot->nb_vals) && opt_set_val(tmpl, opt, nb, &val)) {
		const struct hdr_type *type = hdr_types[val.lo];

		if (nb == PKT_MAX_HEADERS)
			return opt_error(err, tmpl, opt, "more than %u headers", PKT_MAX_HEADERS);
		if (!can_follow(type, space))
			return refuse_place(tmpl, type, parent, space, err);
		place[nb] = (struct hdr_place){.type = type, .off = (uint16_t)off};
		for (unsigned i = 0; i < nb; i++)
			place[nb].nth += place[i].type == type;
		bytes = type->bytes != NULL ? type->bytes(tmpl, place[nb].nth, err)
					    : type->hdr.min_bytes;
		if (bytes < 0)
			return bytes;
		place[nb].bytes = (uint16_t)bytes;
		nb++;
		off += (unsigned)bytes;
		if (off > PKT_HDR_MAX)
			return opt_error(
				err, tmpl, opt, "headers of more than %u bytes", PKT_HDR_MAX);
		parent = type;
		space = type->next_space;
	}
	return (int)nb;
}

int pkt_stack(
	const struct opt_set *tmpl, const struct pkt_hdr *stack[PKT_MAX_HEADERS], struct err *err)
{
	struct hdr_place place[PKT_MAX_HEADERS];
	int nb = hdr_place_stack(tmpl, place, err);

	if (nb > 0 && pkt_is_raw(tmpl)) {
		stack[0] = &place[nb - 1].type->hdr;
		return 1;
	}
	for (int i = 0; i < nb; i++)
		stack[i] = &place[i].type->hdr;
	return nb;
}

/* What the next-protocol field of header i holds when the user does not say. */
static uint32_t bound_value(const struct hdr_build *b, unsigned i)
{
	const struct hdr_type *type = b->place[i].type;
	const struct hdr_place *child = i + 1 < b->nb ? &b->place[i + 1] : NULL;
	const struct hdr_binding *binding;

	binding = child != NULL ? find_binding(child->type, type->next_space) : NULL;
	if (binding == NULL)
		return type->next_none;
	if (child->type->bind != NULL)
		return child->type->bind(b->tmpl, child->nth, type->next_space, binding->value);
	return binding->value;
}

/* What follows says it, or what is around it; the option's own default comes after those. */
static bool default_by_place(
	const struct hdr_build *b, unsigned i, unsigned field, struct opt_val *out)
{
	const struct hdr_type *type = b->place[i].type;

	*out = (struct opt_val){.mask = UINT64_MAX};
	if (type->next_space != HDR_SPACE_NONE && field == type->next_field)
		out->lo = bound_value(b, i);
	else if (type->dflt == NULL || !type->dflt(b, i, field, out))
		return false;
	out->hi = out->lo;
	return true;
}

bool hdr_field_val(const struct hdr_build *b, unsigned i, unsigned field, struct opt_val *out)
{
	const struct hdr_place *place = &b->place[i];
	const struct opt *opt = opt_section_at(&place->type->section, field);

	return (opt_set_get(b->tmpl, opt) == NULL && default_by_place(b, i, field, out)) ||
	       opt_set_val(b->tmpl, opt, place->nth, out);
}

/* A number by its name. */
static void put_text(const struct opt *opt, uint64_t value, char *out, size_t size)
{
	for (const struct opt_word *w = opt->words; w != NULL && w->name != NULL; w++) {
		if (w->value == value) {
			snprintf(out, size, "%s", w->name);
			return;
		}
	}
	snprintf(out, size, "%llu", (unsigned long long)value);
}

bool pkt_default_text(
	const struct opt_set *tmpl, unsigned i, unsigned field, char *out, size_t size)
{
	struct hdr_build b = {.tmpl = tmpl};
	struct err err = {0};
	int nb = hdr_place_stack(tmpl, b.place, &err);
	const struct opt *opt;
	struct opt_val val;

	if (nb < 0 || i >= (unsigned)nb)
		return false;
	b.nb = (unsigned)nb;
	opt = opt_section_at(&b.place[i].type->section, field);
	if (default_by_place(&b, i, field, &val))
		put_text(opt, val.lo, out, size);
	else if (opt->dflt != NULL)
		snprintf(out, size, "%s", opt->dflt);
	else
		return false;
	return true;
}

int hdr_field_bit(const struct hdr_build *b, unsigned i, unsigned field)
{
	const struct hdr_type *type = b->place[i].type;

	if (type->bit_off != NULL)
		return type->bit_off(b->tmpl, b->place[i].nth, field);
	return ((const struct pkt_field *)opt_section_at(&type->section, field))->bit_off;
}

bool hdr_is_inner(const struct hdr_build *b, unsigned i)
{
	while (i-- > 0)
		if (b->place[i].type->ip_version != 0)
			return true;
	return false;
}

unsigned hdr_hex_bytes(const struct opt_set *tmpl, const struct opt *opt, unsigned nth)
{
	struct opt_val val;

	return opt_set_val(tmpl, opt, nth, &val) ? (unsigned)strlen(val.text) / 2 : 0;
}

void hdr_hex_put(const struct opt_set *tmpl, const struct opt *opt, unsigned nth, uint8_t *out)
{
	unsigned bytes = hdr_hex_bytes(tmpl, opt, nth);
	struct opt_val val;

	for (unsigned i = 0; opt_set_val(tmpl, opt, nth, &val) && i < bytes; i++) {
		char digits[3] = {val.text[2 * i], val.text[2 * i + 1], '\0'};

		out[i] = (uint8_t)strtoul(digits, NULL, 16);
	}
}
