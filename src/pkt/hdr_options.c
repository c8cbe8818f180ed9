/* SPDX-License-Identifier: BSD-3-Clause */
#include "hdr.h"

/* RFC 8200 §4.2: what IPv6's two headers of options share. */
enum { OPT6_OFF_LENGTH = 1, OPT6_OFF_OPTIONS = 2, OPT6_UNIT = 8 };
enum { OPT6_PADN = 1, OPT6_PADN_BYTES = 2 };
#define OPT6_MOST_BYTES 256u

int hdr_options_bytes(
	const struct opt_set *tmpl, const struct opt *opt, unsigned nth, struct err *err)
{
	unsigned bytes = OPT6_OFF_OPTIONS + hdr_hex_bytes(tmpl, opt, nth);

	bytes = (bytes + OPT6_UNIT - 1) / OPT6_UNIT * OPT6_UNIT;
	if (bytes > OPT6_MOST_BYTES)
		return opt_error(err, tmpl, opt, "more than %u bytes of options",
			OPT6_MOST_BYTES - OPT6_OFF_OPTIONS);
	return (int)bytes;
}

void hdr_options_put(struct hdr_build *b, unsigned i, const struct opt *opt)
{
	const struct hdr_place *place = &b->place[i];
	unsigned used = OPT6_OFF_OPTIONS + hdr_hex_bytes(b->tmpl, opt, place->nth);
	uint8_t *p = b->frame->hdr + place->off;

	p[OPT6_OFF_LENGTH] = (uint8_t)(place->bytes / OPT6_UNIT - 1);
	hdr_hex_put(b->tmpl, opt, place->nth, p + OPT6_OFF_OPTIONS);
	/* one byte of padding is Pad1, a zero */
	if (used + OPT6_PADN_BYTES > place->bytes)
		return;
	p[used] = OPT6_PADN;
	p[used + 1] = (uint8_t)(place->bytes - used - OPT6_PADN_BYTES);
}
