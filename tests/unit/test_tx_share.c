/* SPDX-License-Identifier: BSD-3-Clause */
/* Streams that share a queue: in whose order frames leave, how evenly, and what an overload does. */
#include "tx_rig.h"

#include <math.h>

#define POLL_TICKS  60u /* a look */
#define FRAME_TICKS 30u /* a frame */

/* A sender that is never idle: each turn takes as long as its frames. Until so many are sent. */
static void run_busy(struct rig *r, uint64_t frames, uint64_t frame_ticks, uint32_t room)
{
	uint64_t now = RIG_FIRST, seed = 1, before;

	while (r->frames < frames) {
		uint32_t turn =
			room != 0 ? room
				  : 1 + (uint32_t)random_below(random_at(3, seed++), TX_BURST);

		before = r->frames;
		rig_take(r, now, turn);
		now += POLL_TICKS + frame_ticks * (r->frames - before);
	}
}

static uint64_t span_ns(uint64_t ticks)
{
	return ticks * 1000 / (RIG_HZ / 1000000);
}

/* ---- evenness ---- */

static void a_hundred_equal_streams_take_strict_turns(void **state)
{
	struct rig r;

	(void)state;
	rig_init(&r, 1, 100);
	rig_plain(&r, 300000, 1, 100, NO_END);
	rig_start(&r);
	run_busy(&r, 200000, FRAME_TICKS, 0);
	for (uint32_t i = 0; i < r.nb_lanes; i++)
		assert_int_equal(r.lanes[i].gap, 100);
	print_message("1 of 100 equal streams: worst gap 100 frames of the port\n");
	rig_free(&r);
}

/* One slow stream among 99 others of other rates, at light load and at nine tenths of a sender. */
static void a_slow_stream_among_99_waits_no_longer_than_a_burst(void **state)
{
	static const uint64_t totals[] = {1000000, 10000000, 50000000};

	(void)state;
	for (unsigned i = 0; i < NB(totals); i++) {
		uint64_t slow = totals[i] / 1000, mean = totals[i] / 99, all = 0, ideal;
		struct rig_lane *l;
		struct rig r;

		rig_init(&r, 100, 100);
		for (unsigned k = 0; k < 100; k++) {
			uint64_t pps = k == 50 ? slow : mean / 2 + mean * k / 99;

			rig_plain(&r, pps, 1, 1, NO_END);
			all += pps;
		}
		l = &r.lanes[50];
		ideal = all / slow;
		rig_start(&r);
		run_busy(&r, 300000, FRAME_TICKS, 0);
		rig_assert_exact(&r);
		print_message("a stream of %llu pps among 99, %llu Mpps in all: worst gap %llu "
			      "frames of the port, ideally %llu; worst disorder %llu ns, of %llu\n",
			(unsigned long long)slow, (unsigned long long)all / 1000000,
			(unsigned long long)l->gap, (unsigned long long)ideal,
			(unsigned long long)span_ns(r.inversion),
			(unsigned long long)span_ns(r.s.step));
		assert_in_range(l->gap, ideal - 1, ideal + 2 * TX_BURST);
		assert_true(r.inversion <= r.s.step);
		rig_free(&r);
	}
}

/* ---- order and shares ---- */

static void thousand_rates(struct rig *r, uint64_t total)
{
	uint64_t unit = total / 1000 / 11;

	rig_init(r, 1000, 1000);
	for (unsigned k = 0; k < 1000; k++)
		rig_plain(r, unit * (1 + random_below(random_at(5, k), 20)) + k, 1, 1, NO_END);
	rig_start(r);
}

static void frames_leave_in_the_order_of_their_times_to_within_a_step(void **state)
{
	static const uint64_t loads[] = {100000, 10000000, 65000000, 300000000};

	(void)state;
	for (unsigned i = 0; i < NB(loads); i++) {
		uint64_t all = 0;
		struct rig r;

		thousand_rates(&r, loads[i]);
		for (unsigned k = 0; k < 1000; k++)
			all += r.lanes[k].num;
		run_busy(&r, 100000, FRAME_TICKS, i % 2 != 0 ? TX_BURST : 0);
		assert_true(r.inversion <= r.s.step);
		/* a step is worth a few bursts */
		assert_in_range(r.s.step, RIG_HZ * TX_BURST * TX_STEP_BURSTS / all - 1,
			RIG_HZ * TX_BURST * TX_STEP_BURSTS / all + 1);
		rig_free(&r);
	}
}

/* What a sender can do is a half, or a tenth, of what is asked. */
static void an_overload_takes_from_all_in_proportion(void **state)
{
	static const struct {
		uint64_t total, catch_up;
		uint32_t room;
	} cases[] = {
		{140000000, RIG_CATCH_UP, TX_BURST},
		{140000000, 5 * RIG_MS, TX_BURST},
		{140000000, 5 * RIG_MS, 5},
		{700000000, 10 * RIG_MS, 0},
	};

	(void)state;
	for (unsigned i = 0; i < NB(cases); i++) {
		uint64_t asked = 0, sent = 0, unsent = 0;
		double worst = 0;
		struct rig r;

		thousand_rates(&r, cases[i].total);
		r.s.catch_up_tsc = cases[i].catch_up;
		run_busy(&r, 1000000, FRAME_TICKS, cases[i].room);
		for (unsigned k = 0; k < 1000; k++) {
			asked += r.lanes[k].num;
			sent += r.lanes[k].taken;
			unsent += r.lanes[k].lane.unsent;
		}
		for (unsigned k = 0; k < 1000; k++) {
			const struct rig_lane *l = &r.lanes[k];
			double ideal = (double)l->num / (double)asked * (double)sent;
			double off = fabs((double)l->taken - ideal) - 2;

			worst = off / ideal > worst ? off / ideal : worst;
		}
		print_message("overload %llu Mpps, room %u, catch-up %llu us: worst share %.2f %% "
			      "off, disorder %llu ns of %llu\n",
			(unsigned long long)cases[i].total / 1000000, cases[i].room,
			(unsigned long long)span_ns(cases[i].catch_up) / 1000, worst * 100,
			(unsigned long long)span_ns(r.inversion),
			(unsigned long long)span_ns(r.s.step));
		assert_int_equal(unsent > 0, cases[i].catch_up < RIG_CATCH_UP);
		assert_true(worst < 0.01);
		assert_true(r.inversion <= r.s.step);
		rig_free(&r);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_hundred_equal_streams_take_strict_turns),
		cmocka_unit_test(a_slow_stream_among_99_waits_no_longer_than_a_burst),
		cmocka_unit_test(frames_leave_in_the_order_of_their_times_to_within_a_step),
		cmocka_unit_test(an_overload_takes_from_all_in_proportion),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
