/* SPDX-License-Identifier: BSD-3-Clause */
#include "tgen/pkt.h"

#include <endian.h>
#include <string.h>

/*
 * Ones'-complement addition does not mind byte order or word width (RFC 1071): 64-bit words are
 * added as the machine has them, each carry at once; the folded sum is put in order at the end.
 */
uint32_t pkt_csum_add(const void *data, unsigned bytes, uint32_t start)
{
	const uint8_t *p = data;
	uint64_t sum = 0, word;

	for (; bytes >= sizeof(word); bytes -= sizeof(word), p += sizeof(word)) {
		memcpy(&word, p, sizeof(word));
		sum += word;
		sum += sum < word;
	}
	if (bytes > 0) {
		word = 0;
		memcpy(&word, p, bytes);
		sum += word;
		sum += sum < word;
	}
	sum = (sum & UINT32_MAX) + (sum >> 32);
	sum = (sum & UINT32_MAX) + (sum >> 32);
	return sig_fold(start) + (uint32_t)be16toh(sig_fold((uint32_t)sum));
}
