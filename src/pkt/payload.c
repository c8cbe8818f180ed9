/* SPDX-License-Identifier: BSD-3-Clause */
#include "hdr.h"

#include <string.h>

#include "tgen/random.h"
#include "vary.h"

/* End of the pattern: the signature's place holds zeros, so that it counts as nothing in a sum. */
static unsigned pattern_end(const struct pkt_frame *frame)
{
	return frame->sig_off != 0 ? frame->sig_off : frame->size;
}

static uint8_t pattern_byte(const struct pkt_frame *frame, unsigned off)
{
	unsigned at = off - frame->hdr_bytes;

	switch (frame->data) {
	case PKT_DATA_SPECIFIC:
		return frame->data_byte;
	case PKT_DATA_INCREMENTING:
		return (uint8_t)at;
	case PKT_DATA_RANDOM:
		return (uint8_t)(random_at(frame->data_seed, at / 8) >> at % 8 * 8);
	case PKT_DATA_PATTERN:
		return frame->pattern[at % frame->pattern_bytes];
	case PKT_DATA_UNINITIALIZED:
		break;
	}
	return 0;
}

uint8_t payload_byte(const struct pkt_frame *frame, unsigned off)
{
	return off < pattern_end(frame) ? pattern_byte(frame, off) : 0;
}

void pkt_payload_fill(const struct pkt_frame *frame, uint8_t *buf)
{
	unsigned end = frame->sizes != NULL ? frame->size : pattern_end(frame);

	for (unsigned off = frame->hdr_bytes; off < end; off++)
		buf[off] = pattern_byte(frame, off);
	memset(buf + end, 0, frame->size - end);
}

uint32_t payload_sum(const struct pkt_frame *frame)
{
	unsigned end = pattern_end(frame);
	uint32_t sum = 0;

	for (unsigned off = frame->hdr_bytes; off < end; off++) {
		uint32_t byte = pattern_byte(frame, off);

		sum += (off & 1) != 0 ? byte : byte << 8;
		sum = (sum & 0xffff) + (sum >> 16);
	}
	return sum;
}

/* data=specific-byte data-byte=00 writes what data=uninitialized does. */
static bool is_zeros(const struct pkt_frame *frame)
{
	return frame->data == PKT_DATA_UNINITIALIZED ||
	       (frame->data == PKT_DATA_SPECIFIC && frame->data_byte == 0);
}

static bool same_pattern(const struct pkt_frame *a, const struct pkt_frame *b)
{
	switch (a->data) {
	case PKT_DATA_SPECIFIC:
		return a->data_byte == b->data_byte;
	case PKT_DATA_RANDOM:
		return a->data_seed == b->data_seed;
	case PKT_DATA_PATTERN:
		return a->pattern_bytes == b->pattern_bytes &&
		       memcmp(a->pattern, b->pattern, a->pattern_bytes) == 0;
	case PKT_DATA_UNINITIALIZED:
	case PKT_DATA_INCREMENTING:
		break;
	}
	return true;
}

/* Fields that vary in the payload leave their values in the buffers: only the same ones share. */
static bool same_payload_mods(const struct pkt_frame *a, const struct pkt_frame *b)
{
	unsigned i = 0, j = 0;

	for (;; i++, j++) {
		while (i < a->nb_mods && a->mods[i].off + a->mods[i].bytes <= a->hdr_bytes)
			i++;
		while (j < b->nb_mods && b->mods[j].off + b->mods[j].bytes <= b->hdr_bytes)
			j++;
		if (i == a->nb_mods || j == b->nb_mods)
			return i == a->nb_mods && j == b->nb_mods;
		if (a->mods[i].off != b->mods[j].off || a->mods[i].field != b->mods[j].field)
			return false;
	}
}

bool pkt_payload_same(const struct pkt_frame *a, const struct pkt_frame *b)
{
	if (a->size != b->size || a->hdr_bytes != b->hdr_bytes || a->sig_off != b->sig_off ||
		(a->sizes == NULL) != (b->sizes == NULL) || !same_payload_mods(a, b))
		return false;
	if (is_zeros(a) || is_zeros(b))
		return is_zeros(a) && is_zeros(b);
	return a->data == b->data && same_pattern(a, b);
}

static bool varies_from(const struct pkt_frame *frame, unsigned off)
{
	for (unsigned m = 0; m < frame->nb_mods; m++)
		if (frame->mods[m].off + frame->mods[m].bytes > off)
			return true;
	return false;
}

/* A byte of frame n, whose fields that do not vary are those of byte. */
static uint8_t byte_of_frame(const struct pkt_frame *frame, uint64_t n, unsigned off, uint8_t byte)
{
	for (unsigned m = 0; m < frame->nb_mods; m++) {
		const struct pkt_mod *mod = &frame->mods[m];
		uint8_t bits = vary_byte(mod, off);

		if (bits != 0)
			byte = (uint8_t)((byte & ~bits) |
					 pkt_mod_word(mod, n) >>
						 (mod->off + mod->bytes - 1u - off) * 8);
	}
	return byte;
}

bool payload_matches(const struct pkt_frame *frame, uint64_t n, const uint8_t *whole,
	const uint8_t *data, unsigned end)
{
	unsigned from = frame->hdr_bytes;

	if (!varies_from(frame, from))
		return memcmp(data, whole + from, end - from) == 0;
	for (unsigned off = from; off < end; off++)
		if (data[off - from] != byte_of_frame(frame, n, off, whole[off]))
			return false;
	return true;
}
