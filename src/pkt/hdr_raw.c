/* SPDX-License-Identifier: BSD-3-Clause */
#include "hdr.h"

/* Bytes as the user wrote them: no header says that they come, and they say not what follows. */

/* clang-format off */
static const struct pkt_field fields[] = {
	{
		.opt = {.name = "raw-header", .type = OPT_HEX, HDR_ITEMS,
			.help = "the bytes of a raw header; give the number that stands for them to the "
				"header before"}},
};
/* clang-format on */

static int raw_bytes(const struct opt_set *tmpl, unsigned nth, struct err *err)
{
	unsigned bytes = hdr_hex_bytes(tmpl, &fields[0].opt, nth);

	if (bytes == 0)
		return opt_error(err, tmpl, &fields[0].opt,
			"is missing: the header stack has a raw header (give its bytes in hex)");
	return (int)bytes;
}

static void raw_finish(struct hdr_build *b, unsigned i)
{
	hdr_hex_put(b->tmpl, &fields[0].opt, b->place[i].nth, b->frame->hdr + b->place[i].off);
}

const struct hdr_type hdr_raw = {
	.hdr = {.name = "raw", .title = "raw bytes", .fields = &hdr_raw.section},
	.section = OPT_SECTION("raw header", fields),
	.next_space = HDR_SPACE_ANY,
	.next_field = HDR_NO_FIELD,
	.anywhere = true,
	.bytes = raw_bytes,
	.finish = raw_finish,
};
