/* SPDX-License-Identifier: BSD-3-Clause */
#include "impair.h"

#include <netinet/in.h>
#include <string.h>

#define ETH_BYTES     14u
#define TAG_BYTES     4u
#define UDP_BYTES     8u
#define ETHERTYPE_IP4 0x0800

enum draw {
	DRAW_LOSS,
	DRAW_DUPLICATE,
	DRAW_REORDER,
	DRAW_JITTER,
	DRAW_CORRUPT,
	DRAW_PLACE,
	NB_DRAWS
};

static uint16_t read16(const uint8_t *p)
{
	return (uint16_t)(p[0] << 8 | p[1]);
}

static uint32_t read32(const uint8_t *p)
{
	return (uint32_t)read16(p) << 16 | read16(p + 2);
}

static bool is_tag(uint16_t ethertype)
{
	return ethertype == 0x8100 || ethertype == 0x88a8;
}

void view_parse(struct view *v, const uint8_t *p, uint32_t length)
{
	uint32_t l3 = ETH_BYTES, header, total;

	*v = (struct view){.length = length};
	while (l3 + TAG_BYTES <= length && is_tag(read16(p + l3 - 2)))
		l3 += TAG_BYTES;
	if (length < l3 + 20 || read16(p + l3 - 2) != ETHERTYPE_IP4 || p[l3] >> 4 != 4)
		return;
	header = (p[l3] & 15u) * 4;
	total = read16(p + l3 + 2);
	if (header < 20 || total < header || l3 + total > length)
		return;
	v->l3 = l3;
	v->end = l3 + total;
	v->protocol = p[l3 + 9];
	v->src = read32(p + l3 + 12);
	v->dst = read32(p + l3 + 16);
	/* Only the first fragment has the UDP header. */
	if (v->protocol == IPPROTO_UDP && (read16(p + l3 + 6) & 0x1fff) == 0 &&
		total >= header + UDP_BYTES)
		v->l4 = l3 + header;
	if (total >= header + SIG_BYTES) {
		const uint8_t *sig = p + v->end - SIG_BYTES;

		v->has_sig = sig_read(sig, sig[2], &v->sig) == SIG_GOOD;
	}
}

bool view_is_test(const struct view *v, const struct settings *s)
{
	return v->l3 != 0 && (s->only == ONLY_IP || v->protocol == IPPROTO_UDP);
}

bool view_is_eligible(const struct view *v, const struct settings *s)
{
	return view_is_test(v, s) &&
	       (!s->has_stream || (v->src == s->stream_src && v->dst == s->stream_dst));
}

/* ---- what is random ---- */

/* The output function of SplitMix64 (Steele, Lea and Flood 2014). */
static uint64_t mix(uint64_t x)
{
	x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9;
	x = (x ^ x >> 27) * 0x94d049bb133111eb;
	return x ^ x >> 31;
}

uint64_t decide_key(uint64_t seed, enum way way)
{
	return mix(mix(seed + 0x9e3779b97f4a7c15) + way);
}

/* Uniform in 0 to below - 1. */
static uint64_t draw(uint64_t key, uint64_t index, enum draw what, uint64_t below)
{
	uint64_t r = mix(key + (index * NB_DRAWS + what) * 0x9e3779b97f4a7c15);

	return (uint64_t)((unsigned __int128)r * below >> 64);
}

static bool draw_share(uint64_t key, uint64_t index, enum draw what, uint64_t share)
{
	return draw(key, index, what, SHARE_ALL) < share;
}

/* ---- where a bit is flipped ---- */

/* First byte and the one behind the last; nothing when the frame has no such field. */
static void corrupt_range(
	const struct settings *s, const struct view *v, uint64_t *from, uint64_t *to)
{
	uint32_t l3 = v->l3, l4 = v->l4, tail = v->has_sig ? v->end - SIG_BYTES : v->end;
	/* Each with what it needs to be there. */
	const struct {
		uint64_t from, to;
		bool there;
	} fields[] = {
		[FIELD_RANGE] = {s->corrupt_first,
			s->corrupt_last < v->length ? s->corrupt_last + 1 : v->length, true},
		[FIELD_MAC_DST] = {0, 6, true},
		[FIELD_MAC_SRC] = {6, 12, true},
		[FIELD_ETHERTYPE] = {l3 - 2, l3, l3 != 0},
		[FIELD_IP_HEADER] = {l3, l4, l4 != 0},
		[FIELD_IP_TTL] = {l3 + 8, l3 + 9, l3 != 0},
		[FIELD_UDP_PORTS] = {l4, l4 + 4, l4 != 0},
		[FIELD_UDP_LENGTH] = {l4 + 4, l4 + 6, l4 != 0},
		[FIELD_UDP_CHECKSUM] = {l4 + 6, l4 + 8, l4 != 0},
		[FIELD_PAYLOAD] = {l4 + UDP_BYTES, tail, l4 != 0},
		[FIELD_SIGNATURE] = {tail, v->end, v->has_sig},
	};

	*from = fields[s->corrupt_field].from;
	*to = fields[s->corrupt_field].there ? fields[s->corrupt_field].to : *from;
}

static void decide_corruption(struct verdict *d, const struct settings *s, uint64_t key,
	uint64_t index, const struct view *v)
{
	uint64_t from, to, bit;

	corrupt_range(s, v, &from, &to);
	if (from >= to || !draw_share(key, index, DRAW_CORRUPT, s->corrupt_share))
		return;
	bit = draw(key, index, DRAW_PLACE, (to - from) * 8);
	d->corrupt = true;
	d->corrupt_byte = (uint32_t)(from + bit / 8);
	d->corrupt_bit = bit % 8;
}

void decide(struct verdict *d, const struct settings *s, uint64_t key, uint64_t index,
	const struct view *v, bool outage)
{
	uint64_t jitter = draw(key, index, DRAW_JITTER, 2 * s->jitter_ns + 1);

	*d = (struct verdict){0};
	d->lose = outage || (s->loss_every && index % s->loss_every == 0) ||
		  draw_share(key, index, DRAW_LOSS, s->loss_share);
	if (d->lose)
		return;
	d->duplicate = draw_share(key, index, DRAW_DUPLICATE, s->duplicate_share);
	d->reorder = draw_share(key, index, DRAW_REORDER, s->reorder_share);
	decide_corruption(d, s, key, index, v);
	/* Nothing leaves before it came. */
	if (s->delay_ns + jitter > s->jitter_ns)
		d->delay_ns = s->delay_ns + jitter - s->jitter_ns;
}
