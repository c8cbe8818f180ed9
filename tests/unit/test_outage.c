/* SPDX-License-Identifier: BSD-3-Clause */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "../../src/engine/outage.h"

#define INTERVAL_NS 1000u
#define FIRST_SEQ   0xfffffff0u /* wraps in every test */

/* Frame n was sent at n intervals after the start. */
static uint64_t sent_at(uint64_t n)
{
	return OUTAGE_BASE_NS + n * INTERVAL_NS;
}

static void take(struct outage_track *t, uint32_t n)
{
	outage_take(t, FIRST_SEQ + n, sent_at(n));
}

/* The longest outage of `nb` frames sent; 0 lost frames: none. */
static struct outage_gap longest(const struct outage_track *t, uint64_t nb, uint64_t *out_ns)
{
	const struct outage_sent sent = {
		.nb = nb,
		.first_seq = FIRST_SEQ,
		.first_ns = sent_at(0),
		.last_ns = sent_at(nb - 1),
		.interval_ns = INTERVAL_NS,
	};
	const struct outage_gap none = {.lo_seq = 0, .hi_seq = 1}, *gap;
	struct outage_set set;

	outage_close(t, &sent, &set);
	gap = outage_longest(&set);
	*out_ns = gap != NULL ? gap->hi_ns - gap->lo_ns - INTERVAL_NS : 0;
	return gap != NULL ? *gap : none;
}

static uint64_t missing(struct outage_gap gap)
{
	return gap.hi_seq - gap.lo_seq - 1;
}

static void nothing_lost_is_no_outage(void **state)
{
	struct outage_track t;
	struct outage_gap gap;
	uint64_t ns;

	(void)state;
	outage_reset(&t);
	for (uint32_t n = 0; n < 100; n++)
		take(&t, n);
	gap = longest(&t, 100, &ns);
	assert_int_equal(ns, 0);
	assert_int_equal(missing(gap), 0);
}

static void one_gap_is_told_wherever_it_is(void **state)
{
	static const struct {
		uint32_t from, to; /* lost: from .. to-1 of 100 */
	} cases[] = {{0, 1}, {0, 50}, {50, 51}, {30, 80}, {99, 100}, {60, 100}, {0, 100}};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct outage_track t;
		struct outage_gap gap;
		uint64_t ns;

		outage_reset(&t);
		for (uint32_t n = 0; n < 100; n++)
			if (n < cases[i].from || n >= cases[i].to)
				take(&t, n);
		gap = longest(&t, 100, &ns);
		/* between the good frames beside it, less one interval: as long as what is missing */
		assert_int_equal(ns, (cases[i].to - cases[i].from) * INTERVAL_NS);
		assert_int_equal(missing(gap), cases[i].to - cases[i].from);
		assert_int_equal(gap.lo_ns + INTERVAL_NS, sent_at(cases[i].from));
	}
}

static void the_longest_of_more_gaps_than_are_kept_is_told(void **state)
{
	struct outage_track t;
	struct outage_gap gap;
	uint64_t ns;
	uint32_t n = 0;

	(void)state;
	outage_reset(&t);
	/* gaps of 1, 2, … 40, … 2, 1 frames */
	for (uint32_t k = 1; k <= 79; k++) {
		take(&t, n);
		n += 1 + (k <= 40 ? k : 80 - k);
	}
	take(&t, n);
	gap = longest(&t, n + 1, &ns);
	assert_int_equal(ns, 40 * INTERVAL_NS);
	assert_int_equal(missing(gap), 40);
}

static void a_late_frame_splits_its_gap(void **state)
{
	struct outage_track t;
	struct outage_gap gap;
	uint64_t ns;

	(void)state;
	outage_reset(&t);
	for (uint32_t n = 0; n < 100; n++)
		if (n < 20 || n >= 60)
			take(&t, n);
	take(&t, 30); /* leaves 20..29 and 31..59 */
	gap = longest(&t, 100, &ns);
	assert_int_equal(missing(gap), 29);
	take(&t, 45); /* leaves 31..44 and 46..59 */
	gap = longest(&t, 100, &ns);
	assert_int_equal(missing(gap), 14);
	assert_int_equal(ns, 14 * INTERVAL_NS);
}

static void frames_before_the_first_seen_are_late_not_lost(void **state)
{
	struct outage_track t;
	struct outage_gap gap;
	uint64_t ns;

	(void)state;
	outage_reset(&t);
	for (uint32_t n = 5; n < 100; n++)
		take(&t, n);
	for (uint32_t n = 5; n-- > 0;)
		take(&t, n);
	gap = longest(&t, 100, &ns);
	assert_int_equal(ns, 0);
	assert_int_equal(missing(gap), 0);
}

/* Even frames come by one queue, odd ones by another; 40..69 do not come at all. */
static void two_queues_are_out_only_where_both_are(void **state)
{
	const struct outage_sent sent = {.nb = 100,
		.first_seq = FIRST_SEQ,
		.first_ns = sent_at(0),
		.last_ns = sent_at(99),
		.interval_ns = INTERVAL_NS};
	struct outage_set a, b;
	const struct outage_gap *gap;
	struct outage_track t[2];

	(void)state;
	outage_reset(&t[0]);
	outage_reset(&t[1]);
	for (uint32_t n = 0; n < 100; n++)
		if (n < 40 || n >= 70)
			take(&t[n % 2], n);
	outage_close(&t[0], &sent, &a);
	outage_close(&t[1], &sent, &b);
	outage_intersect(&a, &b);
	gap = outage_longest(&a);
	assert_non_null(gap);
	assert_int_equal(missing(*gap), 30);
	assert_int_equal(gap->hi_ns - gap->lo_ns - INTERVAL_NS, 30 * INTERVAL_NS);
}

static void lanes_with_their_own_sequences_are_combined_by_time(void **state)
{
	struct outage_set a = {
		.nb = 1, .gaps = {{.lo_seq = 10, .hi_seq = 41, .lo_ns = 100, .hi_ns = 200}}};
	struct outage_set b = {.nb = 2,
		.gaps = {{.lo_seq = 7, .hi_seq = 9, .lo_ns = 10, .hi_ns = 50},
			{.lo_seq = 20, .hi_seq = 61, .lo_ns = 150, .hi_ns = 400}}};
	struct outage_set sets[2] = {a, b};
	const struct outage_gap *gap;

	(void)state;
	outage_forget_seqs(&a);
	outage_forget_seqs(&b);
	outage_intersect(&a, &b);
	gap = outage_longest(&a);
	assert_non_null(gap);
	assert_int_equal(gap->lo_ns, 150);
	assert_int_equal(gap->hi_ns, 200);
	assert_int_equal(outage_lost(&sets[0], gap) + outage_lost(&sets[1], gap), 30 + 40);
}

/* Frames 0..nb-1 were sent; those that came, in the order in which they came. */
static void the_last_loss_is_the_last_frame_that_did_not_come(void **state)
{
	static const struct {
		uint32_t came[12];
		unsigned nb_came;
		int last; /* frame; -1: none is missing */
	} cases[] = {
		{{0, 1, 2, 3, 4, 5, 6, 7, 8, 9}, 10, -1}, {{0, 1, 3, 4, 5, 6, 7, 8, 9}, 9, 2},
		{{0, 2, 3, 4, 7, 8, 9}, 7, 6},
		{{0, 1, 2, 3, 4, 5, 6, 7, 8}, 9, 9},	  /* the last one */
		{{3, 4, 5, 6, 7, 8, 9}, 7, 2},		  /* the first ones */
		{{0, 1, 4, 2, 3, 5, 6, 7, 8, 9}, 10, -1}, /* late, not lost */
		{{0, 1, 6, 3, 7, 8, 9}, 7, 5},		  /* a late one within the gap */
		{{0, 1, 6, 5, 7, 8, 9}, 7, 4},		  /* at the end of the gap */
		{{0, 2, 3, 6, 5, 4, 7, 8, 9}, 9, 1},	  /* the later gap is filled whole */
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const struct outage_sent sent = {.nb = 10,
			.first_seq = FIRST_SEQ,
			.first_ns = sent_at(0),
			.last_ns = sent_at(9),
			.interval_ns = INTERVAL_NS};
		struct outage_track t;

		outage_reset(&t);
		for (unsigned k = 0; k < cases[i].nb_came; k++)
			take(&t, cases[i].came[k]);
		assert_int_equal(outage_last_loss(&t, &sent),
			cases[i].last < 0 ? 0 : sent_at((uint64_t)cases[i].last));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_last_loss_is_the_last_frame_that_did_not_come),
		cmocka_unit_test(nothing_lost_is_no_outage),
		cmocka_unit_test(one_gap_is_told_wherever_it_is),
		cmocka_unit_test(the_longest_of_more_gaps_than_are_kept_is_told),
		cmocka_unit_test(a_late_frame_splits_its_gap),
		cmocka_unit_test(frames_before_the_first_seen_are_late_not_lost),
		cmocka_unit_test(two_queues_are_out_only_where_both_are),
		cmocka_unit_test(lanes_with_their_own_sequences_are_combined_by_time),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
