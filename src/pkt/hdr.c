/* SPDX-License-Identifier: BSD-3-Clause */
#include "hdr.h"

#include <stdio.h>
#include <string.h>

#define HDR_ADDRESS(name_) &hdr_##name_,
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

/* Names of the types that can be where space says. */
static void list_children(enum hdr_space space, char *out, size_t size)
{
	size_t used = 0;

	out[0] = '\0';
	for (unsigned i = 0; hdr_types[i] != NULL && used < size; i++) {
		if (find_binding(hdr_types[i], space) != NULL)
			used += (size_t)snprintf(out + used, size - used, "%s%s",
				used == 0 ? "" : ", ", hdr_types[i]->hdr.name);
	}
	if (used == 0)
		snprintf(out, size, "nothing");
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

	/* One item of a list serves every place; here it is the only one. */
	while ((slot == NULL || nb < slot->nb_vals) && opt_set_val(tmpl, opt, nb, &val)) {
		const struct hdr_type *type = hdr_types[val.lo];

		if (nb == PKT_MAX_HEADERS)
			return opt_error(err, tmpl, opt, "more than %u headers", PKT_MAX_HEADERS);
		if (find_binding(type, space) == NULL)
			return refuse_place(tmpl, type, parent, space, err);
		place[nb] = (struct hdr_place){.type = type, .off = (uint16_t)off};
		for (unsigned i = 0; i < nb; i++)
			place[nb].nth += place[i].type == type;
		nb++;
		off += type->hdr.min_bytes;
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

	for (int i = 0; i < nb; i++)
		stack[i] = &place[i].type->hdr;
	return nb;
}

bool hdr_field_val(const struct hdr_build *b, unsigned i, unsigned field, struct opt_val *out)
{
	const struct hdr_place *place = &b->place[i];
	const struct hdr_type *type = place->type;
	const struct opt *opt = opt_section_at(&type->section, field);
	const struct hdr_type *child;

	if (opt_set_val(b->tmpl, opt, place->nth, out))
		return true;
	if (type->next_space == HDR_SPACE_NONE || field != type->next_field)
		return false;
	child = i + 1 < b->nb ? b->place[i + 1].type : NULL;
	*out = (struct opt_val){0};
	out->lo = child == NULL ? type->next_none : find_binding(child, type->next_space)->value;
	out->hi = out->lo;
	return true;
}
