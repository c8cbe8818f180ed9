/* SPDX-License-Identifier: BSD-3-Clause */
/* Clocks that jump and senders that stand still: no frame twice, none lost, and nothing drifts. */
#include "tx_rig.h"

#define S	1000000000ull
#define DAY_S	86400ull
#define MONTH_S (30 * DAY_S)
#define NB_MIX	1000u

static uint64_t random_next(uint64_t *seed)
{
	return random_at(0x57a11, (*seed)++);
}

static const struct sched walk = {.num = 1000, .den = 3, .delay_ns = 5000001};
static const struct sched bursts = {.num = 100000,
	.den = 1,
	.burst_packets = 10,
	.burst_count = SCHED_NO_END,
	.gap_ns = 20000000};
static const struct sched together = {
	.den = 1, .burst_packets = 20, .burst_count = SCHED_NO_END, .gap_ns = 10000000};

/* A queue of one rate, of one of many lanes, and a mix of everything. */
static const struct {
	const char *name;
	uint32_t nb_classes, nb_lanes;
	uint64_t pps; /* of the first; the others' are spread below it */
	bool walks, counts;
} queues[] = {
	{"one stream", 1, 1, 1000000, false, false},
	{"one stream, packet-count", 1, 1, 10000, false, true},
	{"100 streams of one rate", 1, 100, 10000, false, false},
	{"1000 rates", NB_MIX, 1, 2000, false, false},
	{"300 rates of 3 streams", 300, 3, 700, false, false},
	{"1000 rates, some with more", NB_MIX, 1, 2000, true, true},
};

static void queue_make(struct rig *r, unsigned q)
{
	rig_init(r, queues[q].nb_classes, queues[q].nb_classes * queues[q].nb_lanes);
	for (uint32_t k = 0; k < queues[q].nb_classes; k++) {
		uint64_t count = queues[q].counts && k % 5 == 0 ? 3000 : NO_END;

		if (queues[q].walks && k % 50 == 7)
			rig_walk(r,
				k % 100 == 7	? &walk
				: k % 200 == 57 ? &bursts
						: &together,
				NO_END);
		else
			rig_plain(r, queues[q].pps - k, 1 + k % 3, queues[q].nb_lanes, count);
	}
	rig_start(r);
}

static uint64_t unsent_of(const struct rig *r)
{
	uint64_t sum = 0;

	for (uint32_t i = 0; i < r->nb_lanes; i++)
		sum += r->lanes[i].lane.unsent;
	return sum;
}

static void run_until(struct rig *r, uint64_t *now, uint64_t end, uint64_t *seed)
{
	for (; *now < end; *now += 1 + random_below(random_next(seed), RIG_MS))
		rig_drain(r, *now, seed);
}

static void after_a_stall_of_50_ms_all_is_caught_up(void **state)
{
	(void)state;
	for (unsigned q = 0; q < NB(queues); q++) {
		uint64_t seed = q, now = RIG_FIRST;
		struct rig r;

		queue_make(&r, q);
		run_until(&r, &now, RIG_START + 20 * RIG_MS, &seed);
		for (unsigned i = 0; i < 3; i++) {
			now += 50 * RIG_MS;
			rig_drain(&r, now, &seed);
			assert_int_equal(unsent_of(&r), 0);
			rig_assert_exact(&r);
			run_until(&r, &now, now + 2 * RIG_MS, &seed);
		}
		rig_free(&r);
	}
}

/*
 * Frames of the last moments are sent, those before are counted; the schedule goes on where it would
 * have been. Streams with a packet-count send it all the same, later.
 */
static void after_a_stall_of_10_s_what_is_too_late_is_given_up_and_counted(void **state)
{
	(void)state;
	for (unsigned q = 0; q < NB(queues); q++) {
		uint64_t seed = q, now = RIG_FIRST, frames, all = 0;
		struct rig r;

		queue_make(&r, q);
		run_until(&r, &now, RIG_START + 20 * RIG_MS, &seed);
		frames = r.frames;
		now += 10 * RIG_HZ;
		r.gave_up = true;
		rig_drain(&r, now, &seed);
		/* what a walk gives up at once is bounded: it takes some turns */
		for (unsigned i = 0; i < 10; i++)
			rig_drain(&r, ++now, &seed);
		rig_assert_exact(&r);
		for (uint32_t i = 0; i < r.nb_lanes; i++)
			all += rig_count(&r.lanes[i], now);
		/* no more than may be caught up is sent at once */
		if (!queues[q].counts) {
			assert_true(r.frames - frames <= (all - frames) / 100 + r.nb_lanes);
			assert_int_equal(unsent_of(&r), all - r.frames);
		}
		run_until(&r, &now, now + 20 * RIG_MS, &seed);
		rig_drain(&r, now, &seed);
		rig_assert_exact(&r);
		rig_free(&r);
	}
}

static void counted_streams_send_all_their_packets_after_a_stall(void **state)
{
	static const uint64_t count = 3000;
	uint64_t seed = 1, now = RIG_FIRST;
	struct rig r;

	(void)state;
	rig_init(&r, 4, 16);
	for (unsigned k = 0; k < 4; k++)
		rig_plain(&r, 1000 * (k + 1), 1, 4, count);
	rig_start(&r);
	r.gave_up = true;
	run_until(&r, &now, RIG_START + 20 * RIG_MS, &seed);
	now += RIG_HZ / 2;
	while (r.s.nb_finished < 4)
		run_until(&r, &now, now + 20 * RIG_MS, &seed);
	for (unsigned i = 0; i < r.nb_lanes; i++) {
		assert_int_equal(r.lanes[i].taken, count);
		assert_int_equal(r.lanes[i].lane.unsent, 0);
	}
	rig_free(&r);
}

/* Reading another CPU's counter, or a guest's after it moved: a little earlier than before. */
static void a_clock_that_steps_back_sends_nothing_twice(void **state)
{
	(void)state;
	for (unsigned q = 0; q < NB(queues); q++) {
		uint64_t seed = q, now = RIG_START + 3 * RIG_MS;
		struct rig r;

		queue_make(&r, q);
		for (unsigned i = 0; i < 60; i++) {
			uint64_t back = random_below(random_next(&seed), 2 * RIG_MS), frames;

			/* some of it waits while the clock steps back */
			rig_take(&r, now, 1 + i);
			rig_take(&r, now - back, 1 + i);
			rig_drain(&r, now, &seed);
			rig_assert_exact(&r);
			frames = r.frames;
			rig_drain(&r, now - back, &seed);
			assert_int_equal(r.frames, frames);
			now += random_below(random_next(&seed), RIG_MS);
		}
		assert_int_equal(unsent_of(&r), 0);
		rig_free(&r);
	}
}

/* A month in days that are slept through: after each of them the schedule is where it must be. */
static void nothing_drifts_in_a_month_of_stalls(void **state)
{
	struct rig r;

	(void)state;
	for (unsigned q = 0; q < NB(queues); q++) {
		uint64_t seed = q, now = RIG_FIRST;

		if (queues[q].walks || queues[q].counts)
			continue;
		queue_make(&r, q);
		for (unsigned day = 0; day < 30; day++) {
			rig_drain(&r, now, &seed);
			rig_assert_exact(&r);
			now += DAY_S * RIG_HZ + random_next(&seed) % RIG_HZ;
		}
		rig_free(&r);
	}
}

/* A month that a fast sender keeps up with, in steps of equal numbers of frames. */
static void nothing_drifts_in_a_month_that_was_sent(void **state)
{
	static const struct {
		uint64_t num, den;
		uint32_t nb;
	} rates[] = {{200000000, 1, 1}, {14880952, 1, 6}, {1, 1, 1}, {10000000000, 672 * 7, 7},
		{199999, 3, 1000}};

	(void)state;
	for (unsigned i = 0; i < NB(rates); i++) {
		uint64_t total = rates[i].num * MONTH_S / rates[i].den, turns = total / 1000;
		struct rig r;

		rig_init(&r, 1, rates[i].nb);
		rig_plain(&r, rates[i].num, rates[i].den, rates[i].nb, NO_END);
		rig_start(&r);
		for (unsigned k = 0; k < 1000; k++) {
			for (uint32_t l = 0; l < rates[i].nb; l++)
				r.lanes[l].taken += turns;
			pacer_skip(&r.s.classes[0].pacer, turns * rates[i].nb);
			/* the frames themselves are compared as they are taken */
			assert_true(rig_take(&r, tx_sched_next(&r.s), TX_BURST) > 0);
		}
		assert_true(r.latest - RIG_START > MONTH_S * RIG_HZ / 1001 * 1000);
		while (rig_take(&r, r.latest, TX_BURST) > 0)
			;
		rig_assert_exact(&r);
		rig_free(&r);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(after_a_stall_of_50_ms_all_is_caught_up),
		cmocka_unit_test(after_a_stall_of_10_s_what_is_too_late_is_given_up_and_counted),
		cmocka_unit_test(counted_streams_send_all_their_packets_after_a_stall),
		cmocka_unit_test(a_clock_that_steps_back_sends_nothing_twice),
		cmocka_unit_test(nothing_drifts_in_a_month_of_stalls),
		cmocka_unit_test(nothing_drifts_in_a_month_that_was_sent),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
