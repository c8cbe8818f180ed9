/* SPDX-License-Identifier: BSD-3-Clause */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "../../src/engine/order.h"

#define NB(table) (sizeof(table) / sizeof((table)[0]))

/* Starts of the sequence: none, in the middle, and so that it wraps within the test. */
static const uint32_t starts[] = {
	0, 1, 0x7ffffff0u, 0xfffffff0u, 0xffffffffu, 0u - 3 * ORDER_WINDOW};

static void frames_in_order_are_new_across_the_wrap(void **state)
{
	(void)state;
	for (size_t i = 0; i < NB(starts); i++) {
		struct order_window w;

		order_reset(&w, starts[i]);
		for (uint32_t n = 0; n < 5 * ORDER_WINDOW; n++)
			assert_int_equal(order_take(&w, starts[i] + n), ORDER_NEW);
	}
}

static void every_frame_twice_is_a_duplicate_across_the_wrap(void **state)
{
	(void)state;
	for (size_t i = 0; i < NB(starts); i++) {
		struct order_window w;

		order_reset(&w, starts[i]);
		for (uint32_t n = 0; n < 3 * ORDER_WINDOW; n++) {
			assert_int_equal(order_take(&w, starts[i] + n), ORDER_NEW);
			assert_int_equal(order_take(&w, starts[i] + n), ORDER_DUPLICATE);
		}
		/* the oldest that can still be told, and one older */
		assert_int_equal(order_take(&w, starts[i] + 2 * ORDER_WINDOW), ORDER_DUPLICATE);
		assert_int_equal(order_take(&w, starts[i] + 2 * ORDER_WINDOW - 1), ORDER_OLD);
	}
}

static void lost_frames_are_no_disorder(void **state)
{
	static const uint32_t gaps[] = {1, 2, 63, 64, 65, 1000, ORDER_WINDOW - 1, ORDER_WINDOW,
		ORDER_WINDOW + 1, 100 * ORDER_WINDOW, 0x7fffffffu};

	(void)state;
	for (size_t i = 0; i < NB(starts); i++) {
		for (size_t g = 0; g < NB(gaps); g++) {
			struct order_window w;
			uint32_t seq = starts[i] + gaps[g] - 1;

			order_reset(&w, starts[i]);
			assert_int_equal(order_take(&w, seq), ORDER_NEW);
			assert_int_equal(order_take(&w, seq), ORDER_DUPLICATE);
			assert_int_equal(order_take(&w, seq + 1), ORDER_NEW);
		}
	}
}

static void an_overtaken_frame_is_old_once_then_a_duplicate(void **state)
{
	(void)state;
	for (size_t i = 0; i < NB(starts); i++) {
		for (uint32_t late = 1; late < ORDER_WINDOW; late += 61) {
			struct order_window w;

			order_reset(&w, starts[i]);
			for (uint32_t n = 1; n <= late; n++)
				assert_int_equal(order_take(&w, starts[i] + n), ORDER_NEW);
			assert_int_equal(order_take(&w, starts[i]), ORDER_OLD);
			assert_int_equal(order_take(&w, starts[i]), ORDER_DUPLICATE);
			assert_int_equal(order_take(&w, starts[i] + late + 1), ORDER_NEW);
		}
	}
}

/* What the window must say, from a memory of everything. */
static enum order model_take(uint8_t *seen, int64_t *highest, uint32_t n)
{
	enum order said;

	if ((int64_t)n > *highest) {
		*highest = n;
		said = ORDER_NEW;
	} else if (*highest - n >= ORDER_WINDOW) {
		return ORDER_OLD;
	} else {
		said = seen[n] ? ORDER_DUPLICATE : ORDER_OLD;
	}
	seen[n] = 1;
	return said;
}

static void random_loss_delay_and_duplication_agree_with_a_full_memory(void **state)
{
	const uint32_t total = 60000, start = 0u - 30000u; /* wraps half way */
	uint8_t *seen = calloc(total, 1);
	struct order_window w;
	int64_t highest = -1;

	(void)state;
	assert_non_null(seen);
	srandom(7);
	order_reset(&w, start);
	for (uint32_t at = 0; at < total; at++) {
		uint32_t back = (uint32_t)random() % 6000, n = at;

		if (random() % 4 == 0)
			n = at > back ? at - back : 0;
		if (random() % 20 == 0)
			continue;
		assert_int_equal(order_take(&w, start + n), model_take(seen, &highest, n));
	}
	free(seen);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(frames_in_order_are_new_across_the_wrap),
		cmocka_unit_test(every_frame_twice_is_a_duplicate_across_the_wrap),
		cmocka_unit_test(lost_frames_are_no_disorder),
		cmocka_unit_test(an_overtaken_frame_is_old_once_then_a_duplicate),
		cmocka_unit_test(random_loss_delay_and_duplication_agree_with_a_full_memory),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
