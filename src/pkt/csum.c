/* SPDX-License-Identifier: BSD-3-Clause */
#include "hdr.h"

#include <endian.h>
#include <string.h>

/* The widest vectors of the CPU at hand are chosen when the program is loaded. */
#if defined(__x86_64__) && defined(__GLIBC__) && !defined(__clang__) &&                            \
	!defined(__SANITIZE_ADDRESS__)
#define CLONES __attribute__((target_clones("default", "avx2", "avx512f")))
#else
#define CLONES
#endif

#define VECTOR_BYTES 64u

typedef uint64_t sum_vector __attribute__((vector_size(VECTOR_BYTES)));

/*
 * Of whole vectors. The sum of all words modulo 2^64 and that of their upper halves, which does not
 * overflow, give that of their lower halves, which does not either.
 */
CLONES static uint64_t sum_vectors(const uint8_t *p, unsigned nb)
{
	sum_vector all = {0}, upper = {0}, lower, word;
	uint64_t sum = 0;

	for (; nb > 0; nb--, p += VECTOR_BYTES) {
		memcpy(&word, p, sizeof(word));
		all += word;
		upper += word >> 32;
	}
	lower = all - (upper << 32);
	for (unsigned i = 0; i < VECTOR_BYTES / sizeof(sum); i++)
		sum += lower[i] + upper[i];
	return sum;
}

/*
 * Ones'-complement addition does not mind byte order or word width (RFC 1071): words are added as
 * the machine has them; the folded sum is put in order at the end.
 */
uint64_t pkt_sum_words(const void *data, unsigned bytes)
{
	const uint8_t *p = data;
	uint64_t sum = 0, word;

	if (bytes >= VECTOR_BYTES) {
		sum = sum_vectors(p, bytes / VECTOR_BYTES);
		p += bytes / VECTOR_BYTES * VECTOR_BYTES;
		bytes %= VECTOR_BYTES;
	}
	for (; bytes >= sizeof(word); bytes -= sizeof(word), p += sizeof(word)) {
		memcpy(&word, p, sizeof(word));
		sum += (word & UINT32_MAX) + (word >> 32);
	}
	if (bytes > 0) {
		word = 0;
		memcpy(&word, p, bytes);
		sum += (word & UINT32_MAX) + (word >> 32);
	}
	return sum;
}

uint32_t pkt_csum_add(const void *data, unsigned bytes, uint32_t start)
{
	uint64_t sum = pkt_sum_words(data, bytes);

	sum = (sum & UINT32_MAX) + (sum >> 32);
	sum = (sum & UINT32_MAX) + (sum >> 32);
	return sig_fold(start) + (uint32_t)be16toh(sig_fold((uint32_t)sum));
}

/* ---- SCTP's checksum (RFC 9260 §6.8 and appendix A) ---- */

#define SCTP_OFF_CRC 8u
#define CRC32C_POLY  0x82f63b78u /* reflected Castagnoli polynomial */

static uint32_t crc32c_byte(uint32_t crc, uint8_t byte)
{
	crc ^= byte;
	for (int i = 0; i < 8; i++)
		crc = crc >> 1 ^ (CRC32C_POLY & -(crc & 1));
	return crc;
}

uint32_t pkt_crc32c_add(uint32_t crc, const uint8_t *data, unsigned bytes)
{
	crc = ~crc;
	for (unsigned i = 0; i < bytes; i++)
		crc = crc32c_byte(crc, data[i]);
	return ~crc;
}

uint32_t pkt_crc32c(const uint8_t *data, unsigned bytes)
{
	return pkt_crc32c_add(0, data, bytes);
}

void pkt_seal(const struct pkt_frame *frame, unsigned size, uint8_t *data)
{
	unsigned from = frame->crc_off - SCTP_OFF_CRC;
	uint8_t *p = data + frame->crc_off;
	uint32_t delta[PKT_MAX_CSUMS] = {0};
	uint32_t crc;
	uint16_t sum;

	if (frame->crc_off == 0)
		return;
	memset(p, 0, sizeof(crc));
	crc = pkt_crc32c(data + from, size - from);
	crc = htole32(frame->crc_bad ? ~crc : crc);
	memcpy(p, &crc, sizeof(crc));
	/* the checksums of headers around it counted zeros */
	sum = sig_fold(pkt_csum_add(p, sizeof(crc), 0));
	if ((frame->crc_off & 1) != 0)
		sum = __builtin_bswap16(sum);
	for (unsigned k = 0; k < frame->nb_csums; k++)
		delta[k] = (frame->crc_csums >> k & 1) != 0 ? sum : 0;
	if (frame->crc_csums != 0)
		pkt_csums_mend(frame, data, delta);
}
