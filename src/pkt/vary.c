/* SPDX-License-Identifier: BSD-3-Clause */
#include "vary.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "tgen/random.h"

/*
 * A field that varies becomes one pkt_mod, or several when its bits do not lie in one word of eight
 * bytes: each of them has some bits of every value, and they move together.
 */

typedef unsigned __int128 wide;
typedef __int128 wide_signed;

/* Bits s .. s + bits - 1 of the values, which begin bit_off bits into the frame. */
struct part {
	unsigned s, bits, bit_off;
};

static wide to_wide(struct opt_num num)
{
	return (wide)num.up << 64 | num.lo;
}

static uint64_t ones(unsigned bits)
{
	return bits >= 64 ? UINT64_MAX : (UINT64_C(1) << bits) - 1;
}

int vary_add_mod(struct hdr_build *b, const struct opt *opt, const struct pkt_mod *mod)
{
	struct pkt_frame *frame = b->frame;
	unsigned k = frame->nb_mods;

	for (unsigned i = 0; i < k; i++) {
		if (!vary_overlaps(&frame->mods[i], mod))
			continue;
		return b->mod_opt[i] == opt
			       ? opt_error(b->err, b->tmpl, opt, "two of them are at the same bits")
			       : opt_error(b->err, b->tmpl, opt,
					 "varies bits that %s varies already", b->mod_opt[i]->name);
	}
	switch (pkt_mod_add(frame, mod)) {
	case 0:
		b->mod_opt[k] = opt;
		b->mod_hdr[k] = b->hdr;
		return 0;
	case -ENOMEM:
		return err_device(b->err, ENOMEM, "%s", opt->name);
	default:
		return opt_error(b->err, b->tmpl, opt, "more than %u fields vary", PKT_MAX_MODS);
	}
}

uint8_t vary_byte(const struct pkt_mod *mod, unsigned off)
{
	if (off < mod->off || off >= mod->off + mod->bytes)
		return 0;
	return (uint8_t)(mod->field >> (mod->off + mod->bytes - 1 - off) * 8);
}

bool vary_overlaps(const struct pkt_mod *a, const struct pkt_mod *b)
{
	for (unsigned off = a->off; off < a->off + a->bytes; off++)
		if ((vary_byte(a, off) & vary_byte(b, off)) != 0)
			return true;
	return false;
}

/* ---- parts ---- */

/* Value number k, of a round. */
static wide value_at(const struct opt_vary *vary, uint64_t k)
{
	wide first = to_wide(vary->first);

	if (vary->kind == OPT_VARY_LIST)
		return to_wide(vary->values[k]);
	if (vary->kind == OPT_VARY_RANDOM)
		return first + random_below(random_at(vary->seed, k), vary->span.lo);
	return first + to_wide(vary->step) * k;
}

/* Writes the bits out, value by value; 1 when they are always the same. */
static int table_part(const struct opt_vary *vary, const struct part *part, struct pkt_mod *mod)
{
	uint64_t *table = calloc((size_t)vary->nb, sizeof(*table));
	bool same = true;

	if (table == NULL)
		return -ENOMEM;
	for (uint64_t k = 0; k < vary->nb; k++) {
		table[k] = (uint64_t)(value_at(vary, k) >> part->s) & ones(part->bits);
		same &= table[k] == table[0];
	}
	mod->kind = PKT_MOD_TABLE;
	mod->table = table;
	mod->own_table = true;
	if (same)
		free(table);
	return same;
}

static int step_part(const struct opt_vary *vary, const struct part *part, struct pkt_mod *mod)
{
	wide first = to_wide(vary->first), step = to_wide(vary->step);
	wide last = first + step * (vary->nb - 1), low = ((wide)1 << part->s) - 1;

	if (first >> part->s == last >> part->s)
		return 1;
	/* a step that carries nothing into these bits goes on in them alone */
	if (part->s != 0 && (step & low) != 0)
		return vary->nb <= OPT_VARY_TABLE_MAX ? table_part(vary, part, mod) : -EDOM;
	mod->kind = PKT_MOD_STEP;
	mod->lo = (uint64_t)(first >> part->s);
	mod->inc = (uint64_t)((wide_signed)step >> part->s);
	return 0;
}

static int random_part(const struct opt_vary *vary, const struct part *part, struct pkt_mod *mod)
{
	wide first = to_wide(vary->first), last = first + to_wide(vary->span) - 1;

	if (first >> part->s == last >> part->s)
		return 1;
	if (part->s != 0)
		return vary->nb != 0 && vary->nb <= OPT_VARY_TABLE_MAX && vary->span.up == 0
			       ? table_part(vary, part, mod)
			       : -EDOM;
	mod->kind = PKT_MOD_RANDOM;
	mod->lo = (uint64_t)first;
	mod->span = vary->span.lo;
	mod->seed = vary->seed;
	if (vary->span.up == 0)
		return 0;
	mod->kind = PKT_MOD_BITS; /* all 2^64 of them */
	mod->bits = UINT64_MAX;
	return 0;
}

static int masked_part(const struct opt_vary *vary, const struct part *part, struct pkt_mod *mod)
{
	mod->kind = PKT_MOD_BITS;
	mod->lo = (uint64_t)(to_wide(vary->first) >> part->s);
	mod->bits = (uint64_t)(~to_wide(vary->mask) >> part->s) & ones(part->bits);
	mod->seed = part->s == 0 ? vary->seed : random_at(vary->seed, part->s);
	return mod->bits == 0;
}

/* 0; 1 when these bits are always the same; -EDOM, -ENOMEM. */
static int make_part(const struct opt_vary *vary, const struct part *part, struct pkt_mod *mod)
{
	switch (vary->kind) {
	case OPT_VARY_STEP:
		return step_part(vary, part, mod);
	case OPT_VARY_LIST:
		return table_part(vary, part, mod);
	case OPT_VARY_RANDOM:
		return random_part(vary, part, mod);
	case OPT_VARY_MASKED:
		return masked_part(vary, part, mod);
	case OPT_VARY_ONE:
		break;
	}
	return 1;
}

static int add_part(struct hdr_build *b, const struct opt *opt, const struct opt_vary *vary,
	const struct part *part)
{
	struct pkt_mod mod = {.every = 1, .nb = vary->nb};
	int rc = make_part(vary, part, &mod);

	if (rc == 1)
		return 0;
	if (rc == -EDOM)
		return opt_error(b->err, b->tmpl, opt,
			"carries into its upper 64 bits: %u values at most, or a step that is a "
			"multiple of ::1:0:0:0:0, or A/len",
			OPT_VARY_TABLE_MAX);
	if (rc != 0)
		return err_device(b->err, -rc, "%s", opt->name);
	pkt_mod_place(&mod, b->frame, part->bit_off, part->bits);
	rc = vary_add_mod(b, opt, &mod);
	if (rc != 0 && mod.own_table)
		free((uint64_t *)mod.table);
	return rc;
}

int vary_field(struct hdr_build *b, const struct opt *opt, const struct opt_vary *vary,
	unsigned bit_off, unsigned bits)
{
	struct part part = {0};

	/* from the last bit on, as many as lie in eight bytes */
	for (unsigned left = bits; left > 0; left -= part.bits, part.s += part.bits) {
		unsigned end = bit_off + left, last = (end - 1) / 8;
		unsigned begin = last < 7 ? 0 : (last - 7) * 8;
		int rc;

		part.bits = end - begin < left ? end - begin : left;
		part.bit_off = end - part.bits;
		rc = add_part(b, opt, vary, &part);
		if (rc != 0)
			return rc;
	}
	return 0;
}

/* ---- what the built frame holds ---- */

void vary_note_bases(struct pkt_frame *frame)
{
	for (unsigned m = 0; m < frame->nb_mods; m++) {
		struct pkt_mod *mod = &frame->mods[m];
		uint64_t word = 0;

		for (unsigned off = mod->off; off < mod->off + mod->bytes; off++)
			word = word << 8 | (off < frame->hdr_bytes ? frame->hdr[off]
								   : payload_byte(frame, off));
		mod->base = word & mod->field;
	}
}

/* ---- nest ---- */

static uint64_t common_multiple(uint64_t a, uint64_t b)
{
	uint64_t x = a, y = b;

	while (y != 0) {
		uint64_t r = x % y;

		x = y;
		y = r;
	}
	return a / x > UINT64_MAX / b ? UINT64_MAX : a / x * b;
}

struct nesting {
	struct hdr_build *b;
	const struct opt *opt; /* nest */
	uint64_t every;	       /* frames after which the next group moves; 0: never */
	bool done[PKT_MAX_MODS];
};

#define ANY_HDR UINT8_MAX

/* Fields of this option, of one header or all that have it, join the group; its round then. */
static int join_field(struct nesting *n, const struct opt *field, uint8_t hdr, uint64_t *round)
{
	struct pkt_frame *frame = n->b->frame;
	bool found = false;

	for (unsigned m = 0; m < frame->nb_mods; m++) {
		struct pkt_mod *mod = &frame->mods[m];

		if (n->b->mod_opt[m] != field || (hdr != ANY_HDR && n->b->mod_hdr[m] != hdr))
			continue;
		if (n->done[m])
			return opt_error(
				n->b->err, n->b->tmpl, n->opt, "names %s twice", field->name);
		n->done[m] = found = true;
		if (n->every > UINT32_MAX)
			return opt_error(n->b->err, n->b->tmpl, n->opt,
				"%s would move after more than 2^32 frames only", field->name);
		mod->every = (uint32_t)n->every;
		*round = *round == 0 || mod->nb == 0 ? 0 : common_multiple(*round, mod->nb);
	}
	if (!found)
		return opt_error(n->b->err, n->b->tmpl, n->opt, "%s does not vary", field->name);
	return 0;
}

/* The next group begins when this one has gone round. */
static int end_group(struct nesting *n, const char *last, uint64_t round)
{
	if (n->every == 0)
		return opt_error(n->b->err, n->b->tmpl, n->opt,
			"%s comes after a random field, which has no round: a group of random "
			"fields must be the last, or they need count=",
			last);
	n->every = round > UINT64_MAX / n->every ? UINT64_MAX : n->every * round;
	return 0;
}

static int refuse_name(struct nesting *n, const char *name)
{
	const char *near = opt_menu_nearest(n->b->tmpl->menu, name);

	return opt_error(n->b->err, n->b->tmpl, n->opt, "there is no field \"%.40s\"%s%s%s", name,
		near != NULL ? ", did you mean \"" : "", near != NULL ? near : "",
		near != NULL ? "\"?" : "");
}

/* `ip-src+ip-dst`. */
static int nest_group(struct nesting *n, const char *names)
{
	uint64_t round = 1, before = n->every;
	char name[64];
	int rc = 0;

	if (before == 0)
		return end_group(n, names, 0);
	for (;;) {
		size_t len = strcspn(names, "+");
		const struct opt *field;

		if (len >= sizeof(name))
			return refuse_name(n, names);
		memcpy(name, names, len);
		name[len] = '\0';
		field = opt_menu_find(n->b->tmpl->menu, name);
		rc = field == NULL ? refuse_name(n, name) : join_field(n, field, ANY_HDR, &round);
		if (rc != 0)
			return rc;
		if (names[len] == '\0')
			return end_group(n, name, round);
		names += len + 1;
	}
}

/* Random bytes belong to no header: they move with each frame. */
static int nest_all(struct nesting *n)
{
	int rc = 0;

	for (unsigned m = 0; rc == 0 && m < n->b->frame->nb_mods; m++) {
		const struct opt *field = n->b->mod_opt[m];
		uint64_t round = 1;

		if (n->done[m] || n->b->mod_hdr[m] == ANY_HDR)
			continue;
		rc = n->every == 0 ? 0 : join_field(n, field, n->b->mod_hdr[m], &round);
		if (rc == 0)
			rc = end_group(n, field->name, round);
	}
	return rc;
}

int vary_nest(struct hdr_build *b)
{
	struct nesting n = {.b = b, .opt = &pkt_template_opts[TMPL_NEST], .every = 1};
	const struct opt_slot *slot = opt_set_get(b->tmpl, n.opt);
	int rc = 0;

	if (slot == NULL)
		return 0;
	if (slot->nb_vals == 1 && strcmp(slot->vals[0].text, "all") == 0)
		return nest_all(&n);
	for (unsigned i = 0; rc == 0 && i < slot->nb_vals; i++)
		rc = nest_group(&n, slot->vals[i].text);
	return rc;
}
