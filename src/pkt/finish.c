/* SPDX-License-Identifier: BSD-3-Clause */
#include "hdr.h"

#include "tgen/sig.h"
#include "vary.h"

/* What a header's finish needs: lengths and checksums as they were asked for. */

const struct opt_word hdr_good_bad[] = {
	{"good", HDR_GOOD},
	{"bad", HDR_BAD},
	{"compute", HDR_GOOD},
	{NULL, 0},
};

/* RFC 791 and RFC 8200: where the addresses are. */
enum {
	IP4_OFF_ADDRS = 12,
	IP4_ADDRS_BYTES = 8,
	IP6_OFF_ADDRS = 8,
	IP6_ADDRS_BYTES = 32,
	IP6_ADDR_BYTES = 16
};

void hdr_length(struct hdr_build *b, unsigned i, unsigned field, unsigned off, unsigned bytes,
	uint32_t good)
{
	uint8_t *p = b->frame->hdr + off;
	struct opt_val val = {.lo = HDR_GOOD};

	hdr_field_val(b, i, field, &val);
	if (val.lo != HDR_GOOD && val.lo != HDR_BAD)
		return;
	good += val.lo == HDR_BAD;
	for (unsigned k = 0; k < bytes; k++)
		p[k] = (uint8_t)(good >> (bytes - 1 - k) * 8);
}

/* The first byte of the frame that holds bits of the field. */
static unsigned mod_first(const struct pkt_mod *mod)
{
	unsigned high = 63 - (unsigned)__builtin_clzll(mod->field);

	return mod->off + mod->bytes - 1u - high / 8;
}

static bool covers(const struct hdr_csum *csum, unsigned off)
{
	return (off >= csum->from && (csum->to == 0 || off < csum->to)) ||
	       (off >= csum->pseudo && off < csum->pseudo + csum->pseudo_bytes) ||
	       (csum->final != 0 && off >= csum->final && off < csum->final + IP6_ADDR_BYTES);
}

/* Notes which fields and which inner checksums it covers. */
static void note_csum(struct pkt_frame *frame, const struct hdr_csum *csum)
{
	struct pkt_csum *out = &frame->csums[frame->nb_csums];

	*out = (struct pkt_csum){.off = (uint16_t)csum->off, .zero_is_none = csum->zero_is_none};
	for (unsigned k = 0; k < frame->nb_csums; k++)
		if (covers(csum, frame->csums[k].off))
			out->covers |= (uint16_t)(1u << k);
	/* random bytes in its place are what is sent */
	for (unsigned m = 0; m < frame->nb_mods; m++)
		if ((vary_byte(&frame->mods[m], csum->off) |
			    vary_byte(&frame->mods[m], csum->off + 1)) != 0)
			return;
	if (frame->crc_off != 0 && covers(csum, frame->crc_off))
		frame->crc_csums |= (uint16_t)(1u << frame->nb_csums);
	for (unsigned m = 0; m < frame->nb_mods; m++)
		if (covers(csum, mod_first(&frame->mods[m])))
			frame->mods[m].csums |= (uint16_t)(1u << frame->nb_csums);
	frame->nb_csums++;
}

static uint16_t csum_of(struct pkt_frame *frame, const struct hdr_csum *csum)
{
	unsigned to = csum->to == 0 ? frame->hdr_bytes : csum->to;
	uint32_t sum = csum->start;

	pkt_put16(frame->hdr + csum->off, 0);
	sum = pkt_csum_add(frame->hdr + csum->pseudo, csum->pseudo_bytes, sum);
	if (csum->final != 0)
		sum = pkt_csum_add(frame->hdr + csum->final, IP6_ADDR_BYTES, sig_fold(sum));
	/* an odd number of header bytes is followed by payload: its sum counts from even offsets */
	sum = pkt_csum_add(frame->hdr + csum->from, to - csum->from, sig_fold(sum));
	if (csum->to == 0) {
		uint16_t payload = sig_fold(payload_sum(frame));

		sum += (csum->from & 1) != 0 ? __builtin_bswap16(payload) : payload;
	}
	return (uint16_t)~sig_fold(sum);
}

static void put_csum(struct hdr_build *b, const struct hdr_csum *csum, bool bad)
{
	uint16_t value = csum_of(b->frame, csum);

	if (bad)
		value ^= 0x5555;
	if (value == 0 && csum->zero_is_none)
		value = 0xffff;
	pkt_put16(b->frame->hdr + csum->off, value);
	note_csum(b->frame, csum);
}

void hdr_checksum(struct hdr_build *b, unsigned i, unsigned field, const struct hdr_csum *csum)
{
	struct opt_val val = {.lo = HDR_GOOD};

	hdr_field_val(b, i, field, &val);
	if (b->csum_from == b->place[i].off) {
		b->csum_found = true;
		val.lo = HDR_GOOD;
	}
	if (val.lo == HDR_GOOD || val.lo == HDR_BAD)
		put_csum(b, csum, val.lo == HDR_BAD);
}

void hdr_checksum_good(struct hdr_build *b, const struct hdr_csum *csum)
{
	put_csum(b, csum, false);
}

bool hdr_pseudo(const struct hdr_build *b, unsigned i, uint8_t proto, uint32_t length,
	struct hdr_csum *csum)
{
	while (i-- > 0) {
		const struct hdr_place *place = &b->place[i];

		if (place->type->final_dst != NULL && csum->final == 0)
			csum->final = place->type->final_dst(b, i);
		if (place->type->ip_version == 0)
			continue;
		csum->pseudo =
			place->off + (place->type->ip_version == 4 ? IP4_OFF_ADDRS : IP6_OFF_ADDRS);
		csum->pseudo_bytes =
			place->type->ip_version == 4 ? IP4_ADDRS_BYTES : IP6_ADDRS_BYTES;
		if (csum->final != 0)
			csum->pseudo_bytes = IP6_ADDR_BYTES; /* the source alone */
		csum->start += proto + (length >> 16) + (length & 0xffff);
		return true;
	}
	return false;
}

bool hdr_is_good(const struct hdr_build *b, unsigned i, unsigned field)
{
	struct opt_val val = {.lo = HDR_GOOD};

	hdr_field_val(b, i, field, &val);
	return val.lo == HDR_GOOD;
}

/* Header i covers addresses that a receiver does not see in its IP header. */
static bool ends_elsewhere(const struct hdr_build *b, unsigned i)
{
	while (i-- > 0 && b->place[i].type->ip_version == 0)
		if (b->place[i].type->final_dst != NULL && b->place[i].type->final_dst(b, i) != 0)
			return true;
	return false;
}

void hdr_is_l4(struct hdr_build *b, unsigned i, uint8_t proto, bool verifiable)
{
	struct pkt_frame *frame = b->frame;

	if (frame->l4_off != 0)
		return;
	frame->l4_off = b->place[i].off;
	frame->l4_proto = proto;
	/* one around an IP header that has none is not where receivers look: after the innermost */
	frame->l4_right = verifiable && frame->in_off == 0 && !ends_elsewhere(b, i);
}

void hdr_is_ip(struct hdr_build *b, unsigned i, uint8_t version)
{
	if (b->frame->in_off == 0) {
		b->frame->in_off = b->place[i].off;
		b->frame->in_version = version;
	}
	b->frame->l3_off = b->place[i].off;
	b->frame->l3_version = version;
}
