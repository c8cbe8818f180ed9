/* SPDX-License-Identifier: BSD-3-Clause */
#include <stdio.h>
#include <string.h>

#include "tgen/random.h"
#include "tgen/units.h"
#include "vary.h"

/* Bytes of a frame that are random wherever they are: random-ranges, random-byte-offsets-and-masks. */

static uint64_t random_seed(const struct opt_set *tmpl)
{
	uint64_t hash = UINT64_C(0xcbf29ce484222325); /* FNV-1a of the template's name */
	struct opt_val val;

	if (opt_set_val(tmpl, &pkt_template_opts[TMPL_RANDOM_SEED], 0, &val))
		return val.lo;
	if (opt_set_val(tmpl, &pkt_template_opts[TMPL_NAME], 0, &val))
		for (const char *p = val.text; *p != '\0'; p++)
			hash = (hash ^ (uint8_t)*p) * UINT64_C(0x100000001b3);
	return hash;
}

/* Whether a checksum may cover the byte before off, but not the one at off, or the other way round. */
static bool is_boundary(const struct hdr_build *b, unsigned off)
{
	if (off == b->frame->hdr_bytes)
		return true;
	for (unsigned i = 0; i < b->nb; i++) {
		const struct hdr_place *place = &b->place[i];
		unsigned from = place->off, final = 0;

		if (off == from || off == from + place->bytes)
			return true;
		/* the addresses of a pseudo-header (RFC 791, RFC 8200) */
		if (place->type->ip_version == 4 && (off == from + 12 || off == from + 20))
			return true;
		if (place->type->ip_version == 6 && (off == from + 8 || off == from + 24))
			return true;
		if (place->type->final_dst != NULL)
			final = place->type->final_dst(b, i);
		if (final != 0 && (off == final || off == final + 16))
			return true;
	}
	return false;
}

/* Each mod lies on one side of a boundary; the parts of a value have the same seed. */
static int add_split(struct hdr_build *b, const struct opt *opt, const struct pkt_mod *whole)
{
	struct pkt_mod mod = *whole;

	mod.field = 0;
	for (unsigned off = whole->off; off < whole->off + whole->bytes; off++) {
		unsigned shift = (whole->off + whole->bytes - 1u - off) * 8;

		if (mod.field != 0 && is_boundary(b, off)) {
			int rc = vary_add_mod(b, opt, &mod);

			if (rc != 0)
				return rc;
			mod.field = 0;
		}
		mod.field |= (uint64_t)vary_byte(whole, off) << shift;
	}
	return vary_add_mod(b, opt, &mod);
}

/* Where it may be: the whole of every frame but for its signature. */
static int check_place(struct hdr_build *b, const struct opt *opt, const char *item, uint64_t off,
	unsigned bytes, unsigned least)
{
	unsigned end = least - (pkt_is_signed(b->tmpl) ? SIG_BYTES : 0);

	if (off < end && off + bytes <= end)
		return 0;
	if (off < least && off + bytes <= least)
		return opt_error(b->err, b->tmpl, opt,
			"\"%.60s\" touches the signature, which begins at byte %u", item, end);
	return opt_error(b->err, b->tmpl, opt,
		"\"%.60s\" lies beyond the end of a frame of %u bytes", item, least);
}

/* Splits at colons; false unless there are nb of them. */
static bool split_item(const char *item, char parts[][24], unsigned nb)
{
	for (unsigned i = 0; i < nb; i++) {
		size_t len = strcspn(item, ":");

		if (len >= 24 || (item[len] == ':') != (i + 1 < nb))
			return false;
		snprintf(parts[i], 24, "%.*s", (int)len, item);
		item += len + (item[len] == ':');
	}
	return true;
}

/* `A` or `A-B`. */
static bool read_range(const char *text, uint64_t *lo, uint64_t *hi)
{
	const char *dash = strchr(text, '-');
	char head[24];

	snprintf(head, sizeof(head), "%.*s", dash != NULL ? (int)(dash - text) : 23, text);
	return units_parse_u64(head, lo) == 0 &&
	       units_parse_u64(dash != NULL ? dash + 1 : head, hi) == 0;
}

static int add_range(struct hdr_build *b, const char *item, unsigned least, uint64_t seed)
{
	const struct opt *opt = &pkt_template_opts[TMPL_RANDOM_RANGES];
	struct pkt_mod mod = {.kind = PKT_MOD_RANDOM, .every = 1, .seed = seed};
	uint64_t off, width, hi;
	char parts[3][24];
	int rc;

	if (!split_item(item, parts, 3) || units_parse_u64(parts[0], &off) != 0 ||
		units_parse_u64(parts[1], &width) != 0 || !read_range(parts[2], &mod.lo, &hi))
		return opt_error(b->err, b->tmpl, opt,
			"\"%.60s\" is not offset:width:range, as 34:16:1000-2000", item);
	if (width != 8 && width != 16 && width != 32)
		return opt_error(b->err, b->tmpl, opt,
			"\"%.60s\" is %s bits wide, but must be 8, 16 or 32", item, parts[1]);
	if (mod.lo > hi)
		return opt_error(
			b->err, b->tmpl, opt, "\"%.60s\" has a range that runs backwards", item);
	if (hi >> width != 0)
		return opt_error(b->err, b->tmpl, opt, "\"%.60s\" does not fit in %u bits", item,
			(unsigned)width);
	rc = check_place(b, opt, item, off, (unsigned)width / 8, least);
	if (rc != 0)
		return rc;
	mod.span = hi - mod.lo + 1;
	pkt_mod_place(&mod, b->frame, (unsigned)off * 8, (unsigned)width);
	return add_split(b, opt, &mod);
}

static int add_mask(struct hdr_build *b, const char *item, unsigned least, uint64_t seed)
{
	const struct opt *opt = &pkt_template_opts[TMPL_RANDOM_MASKS];
	struct pkt_mod mod = {.kind = PKT_MOD_BITS, .every = 1, .seed = seed};
	char parts[2][24], hex[28];
	uint64_t off;
	int rc;

	if (!split_item(item, parts, 2) || units_parse_u64(parts[0], &off) != 0)
		return opt_error(
			b->err, b->tmpl, opt, "\"%.60s\" is not offset:mask, as 34:0f", item);
	snprintf(hex, sizeof(hex), "%s%s", strncmp(parts[1], "0x", 2) == 0 ? "" : "0x", parts[1]);
	if (units_parse_u64(hex, &mod.bits) != 0 || mod.bits == 0 || mod.bits > 0xff)
		return opt_error(b->err, b->tmpl, opt,
			"\"%.60s\": the mask must be one byte in hex, 01..FF", item);
	rc = check_place(b, opt, item, off, 1, least);
	if (rc != 0)
		return rc;
	pkt_mod_place(&mod, b->frame, (unsigned)off * 8, 8);
	mod.field = mod.bits << mod.shift;
	return vary_add_mod(b, opt, &mod);
}

int random_add(struct hdr_build *b, unsigned least)
{
	const struct opt_slot *ranges =
		opt_set_get(b->tmpl, &pkt_template_opts[TMPL_RANDOM_RANGES]);
	const struct opt_slot *masks = opt_set_get(b->tmpl, &pkt_template_opts[TMPL_RANDOM_MASKS]);
	uint64_t seed = random_seed(b->tmpl), k = 0;
	int rc = 0;

	for (unsigned i = 0; rc == 0 && ranges != NULL && i < ranges->nb_vals; i++)
		rc = add_range(b, ranges->vals[i].text, least, random_at(seed, k++));
	for (unsigned i = 0; rc == 0 && masks != NULL && i < masks->nb_vals; i++)
		rc = add_mask(b, masks->vals[i].text, least, random_at(seed, k++));
	return rc;
}
