/* SPDX-License-Identifier: BSD-3-Clause */
#include "tgen/sig.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <cmocka.h>

static const struct sig sample = {
	.test_id = 7,
	.epoch = 3,
	.lane = 0x0102,
	.seq = 0x11223344,
	.time_ns = 0xa1a2a3a4a5a6,
};

/* The complement was computed apart, from the definition. */
static const uint8_t sample_bytes[SIG_BYTES] = {0x74, 0x67, 0x07, 0x03, 0x01, 0x02, 0x11, 0x22,
	0x33, 0x44, 0xa1, 0xa2, 0xa3, 0xa4, 0xa5, 0xa6, 0x54, 0x3f};

static void signature_is_written_as_documented(void **state)
{
	uint8_t bytes[SIG_BYTES];

	(void)state;
	sig_write(bytes, &sample);
	assert_memory_equal(bytes, sample_bytes, SIG_BYTES);
}

static void signature_is_read_back_with_every_field(void **state)
{
	static const struct sig cases[] = {
		{0, 0, 0, 0, 0},
		{255, 255, 0xffff, 0xffffffff, SIG_TIME_MASK},
		{7, 3, 0x0102, 0x11223344, 0xa1a2a3a4a5a6},
		{1, 128, 1, 0x80000000, 1ull << 47},
	};
	uint8_t raw[SIG_BYTES + 1];

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		uint8_t *odd = raw + 1;
		struct sig got;

		sig_write(odd, &cases[i]);
		assert_int_equal(sig_read(odd, cases[i].test_id, &got), SIG_GOOD);
		assert_int_equal(got.test_id, cases[i].test_id);
		assert_int_equal(got.epoch, cases[i].epoch);
		assert_int_equal(got.lane, cases[i].lane);
		assert_int_equal(got.seq, cases[i].seq);
		assert_int_equal(got.time_ns, cases[i].time_ns);
	}
}

static void time_is_written_modulo_2_to_48(void **state)
{
	struct sig late = sample, got;
	uint8_t bytes[SIG_BYTES];

	(void)state;
	late.time_ns |= 5ull << 48;
	sig_write(bytes, &late);
	assert_memory_equal(bytes, sample_bytes, SIG_BYTES);
	assert_int_equal(sig_read(bytes, 7, &got), SIG_GOOD);
}

static void another_test_id_or_magic_is_no_signature(void **state)
{
	uint8_t bytes[SIG_BYTES];
	struct sig got;

	(void)state;
	memcpy(bytes, sample_bytes, SIG_BYTES);
	assert_int_equal(sig_read(bytes, 8, &got), SIG_NONE);
	bytes[1] ^= 1;
	assert_int_equal(sig_read(bytes, 7, &got), SIG_NONE);
}

static void every_flipped_bit_after_the_test_id_is_noticed(void **state)
{
	(void)state;
	for (unsigned bit = 24; bit < 8 * SIG_BYTES; bit++) {
		uint8_t bytes[SIG_BYTES];
		struct sig got;

		memcpy(bytes, sample_bytes, SIG_BYTES);
		bytes[bit / 8] ^= (uint8_t)(1 << bit % 8);
		assert_int_equal(sig_read(bytes, 7, &got), SIG_BAD);
	}
}

/* The plainest sum there is: byte by byte, the parity as the caller says. */
static uint16_t plain_sum(const uint8_t *p, unsigned bytes, unsigned parity)
{
	uint32_t sum = 0;

	for (unsigned i = 0; i < bytes; i++)
		sum += (i + parity) % 2 == 0 ? (uint32_t)p[i] << 8 : p[i];
	while (sum > 0xffff)
		sum = (sum & 0xffff) + (sum >> 16);
	return (uint16_t)sum;
}

static void signature_is_neutral_to_checksums_at_even_and_odd_offsets(void **state)
{
	uint64_t x = 88172645463325252ull;

	(void)state;
	for (int i = 0; i < 1000; i++) {
		struct sig s;
		uint8_t bytes[SIG_BYTES];

		x ^= x << 13;
		x ^= x >> 7;
		x ^= x << 17;
		s = (struct sig){(uint8_t)x, (uint8_t)(x >> 8), (uint16_t)(x >> 16),
			(uint32_t)(x >> 32), x * 31 & SIG_TIME_MASK};
		sig_write(bytes, &s);
		assert_int_equal(plain_sum(bytes, SIG_BYTES, 0), 0xffff);
		assert_int_equal(plain_sum(bytes, SIG_BYTES, 1), 0xffff);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(signature_is_written_as_documented),
		cmocka_unit_test(signature_is_read_back_with_every_field),
		cmocka_unit_test(time_is_written_modulo_2_to_48),
		cmocka_unit_test(another_test_id_or_magic_is_no_signature),
		cmocka_unit_test(every_flipped_bit_after_the_test_id_is_noticed),
		cmocka_unit_test(signature_is_neutral_to_checksums_at_even_and_odd_offsets),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
