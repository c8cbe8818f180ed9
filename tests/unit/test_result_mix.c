/* SPDX-License-Identifier: BSD-3-Clause */
/* Streams that are more than one size at one rate: their bytes, and what was asked of them. */
#include "tgen/result.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#define NB(array) (sizeof(array) / sizeof((array)[0]))
#define S	  UNITS_NS_PER_S

static void frames_asked_are_those_the_schedule_has_until_then(void **state)
{
	static const struct sched bursts = {
		.num = 0, .den = 1, .burst_packets = 10, .burst_count = 3, .gap_ns = S};
	static const struct sched later = {.num = 100, .den = 1, .delay_ns = S};
	static const struct sched flood = {.num = 0, .den = 1, .delay_ns = S};
	static const struct {
		struct result_stream stream;
		uint64_t send_ns, asked;
	} cases[] = {
		{{.sched = &bursts, .packet_count = UINT64_MAX}, S, 10},
		{{.sched = &bursts, .packet_count = UINT64_MAX, .flat_out = true}, 2 * S, 20},
		{{.sched = &bursts, .packet_count = UINT64_MAX}, 100 * S, 30},
		{{.sched = &bursts, .packet_count = 7}, 100 * S, 7},
		{{.sched = &later, .packet_count = UINT64_MAX, .asked_upps = 1}, S, 0},
		{{.sched = &later, .packet_count = UINT64_MAX}, 3 * S, 200},
		{{.sched = &flood, .packet_count = 20, .flat_out = true}, 3 * S, UINT64_MAX},
	};

	for (size_t i = 0; i < NB(cases); i++)
		assert_int_equal(
			result_stream_asked(&cases[i].stream, cases[i].send_ns), cases[i].asked);
}

/* Four frames of 60 and one of 1514 bytes a period; what is lost are the large ones, or not. */
static void bytes_of_a_mix_are_those_of_its_frames(void **state)
{
	struct result_stream stream = {.packet_size = 351,
		.layer_bytes = 351,
		.size_min = 60,
		.size_max = 1514,
		.size_sum = 1754,
		.size_nb = 5};
	struct result_info info = {.streams = &stream, .nb_streams = 1};
	static const struct {
		uint64_t good, good_byte, lost_byte;
	} cases[] = {{80, 4800, 30280}, {98, 33566, 1514}, {98, 34960, 120}, {100, 35080, 0}};
	static const int32_t extras[] = {0, 24, 4, -14};

	for (size_t i = 0; i < NB(cases); i++)
		for (size_t k = 0; k < NB(extras); k++) {
			struct result_row row = {.seq = 1,
				.length_ns = S,
				.n = {.tx_packet = 100,
					.good = cases[i].good,
					.tx_byte = 35080,
					.good_byte = cases[i].good_byte}};
			uint64_t lost = 100 - cases[i].good;

			stream.layer_bytes = (uint32_t)(351 + extras[k]);
			result_row_derive(&row, &info, NULL);
			assert_int_equal(row.tx_byte, 35080);
			assert_int_equal(row.rx_byte, cases[i].good_byte);
			assert_int_equal(row.lost_byte, cases[i].lost_byte);
			assert_int_equal(row.tx_bps, (uint64_t)(35080 + 100 * extras[k]) * 8);
			assert_int_equal(row.lost_bps, (uint64_t)((int64_t)cases[i].lost_byte +
								  (int64_t)lost * extras[k]) *
							       8);
		}
	/* 350.8 bytes and the layer's 24 */
	stream.layer_bytes = 375;
	assert_int_equal(result_stream_bps(&stream, 1000 * UNITS_MICROS), 2998400);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(frames_asked_are_those_the_schedule_has_until_then),
		cmocka_unit_test(bytes_of_a_mix_are_those_of_its_frames),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
