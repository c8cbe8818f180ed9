/* SPDX-License-Identifier: BSD-3-Clause */
#include "hdr.h"

#include <string.h>

/* End of the pattern: the signature's place holds zeros, so that it counts as nothing in a sum. */
static unsigned pattern_end(const struct pkt_frame *frame)
{
	return frame->sig_off != 0 ? frame->sig_off : frame->size;
}

static uint8_t pattern_byte(const struct pkt_frame *frame, unsigned off)
{
	switch (frame->data) {
	case PKT_DATA_SPECIFIC:
		return frame->data_byte;
	case PKT_DATA_INCREMENTING:
		return (uint8_t)(off - frame->hdr_bytes);
	case PKT_DATA_UNINITIALIZED:
		break;
	}
	return 0;
}

void pkt_payload_fill(const struct pkt_frame *frame, uint8_t *buf)
{
	unsigned end = pattern_end(frame);

	for (unsigned off = frame->hdr_bytes; off < end; off++)
		buf[off] = pattern_byte(frame, off);
	memset(buf + end, 0, frame->size - end);
}

uint32_t payload_sum(const struct pkt_frame *frame, unsigned base)
{
	unsigned end = pattern_end(frame);
	uint32_t sum = 0;

	for (unsigned off = frame->hdr_bytes; off < end; off++) {
		uint32_t byte = pattern_byte(frame, off);

		sum += ((off - base) & 1) != 0 ? byte : byte << 8;
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

bool pkt_payload_same(const struct pkt_frame *a, const struct pkt_frame *b)
{
	if (a->size != b->size || a->hdr_bytes != b->hdr_bytes || a->sig_off != b->sig_off)
		return false;
	if (is_zeros(a) || is_zeros(b))
		return is_zeros(a) && is_zeros(b);
	return a->data == b->data && (a->data != PKT_DATA_SPECIFIC || a->data_byte == b->data_byte);
}
