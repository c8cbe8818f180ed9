/* SPDX-License-Identifier: BSD-3-Clause */
/* Frames against the schedules of their streams at every moment, with a clock that the test moves. */
#include "tx_rig.h"

#include <math.h>
#include <stdio.h>

#define S	1000000000ull
#define FRAMES	40000u /* of a case */
#define MIX	1000u
#define PPM_MAX 10.0
#define US	(RIG_HZ / 1000000)

/* Every form of the look over all classes that this CPU can do. */
static uint32_t (*scans[2])(struct tx_sched *s, uint64_t now_tsc, uint32_t room) = {tx_scan_base};
static unsigned nb_scans = 1;

static int scans_find(void **state)
{
	(void)state;
#ifdef TGEN_TX_AVX512
	if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
		__builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl"))
		scans[nb_scans++] = tx_scan_avx512;
#endif
	return 0;
}

static const struct {
	uint64_t num, den;
} rates[] = {{1, 1}, {7, 3}, {1000, 1}, {500000, 1}, {1, 10}, {10000000000, 672 * 3}, {14880952, 1},
	{59523810, 1}, {100000000, 1}, {200000000, 1}, {199999999, 1}};

static const uint32_t lane_counts[] = {1, 2, 6, 7, 1000};

static const struct sched_point steps[] = {{0, 1000, 1}, {S / 50, 0, 1}, {S / 20, 5000, 3}};
static const struct sched_point ramp[] = {{0, 0, 1}, {S / 10, 3000, 1}};

/* Schedules of streams that have more than a rate. */
static const struct sched walks[] = {
	{.num = 1000, .den = 3, .delay_ns = 5000001},
	{.num = 1000000,
		.den = 1,
		.burst_packets = 100,
		.burst_count = SCHED_NO_END,
		.gap_ns = 7777777},
	{.num = 0, .den = 1, .burst_packets = 90, .burst_count = SCHED_NO_END, .gap_ns = 10000000},
	{.num = 1000, .den = 1, .burst_packets = 7, .burst_count = 3, .gap_ns = 1},
	{.points = steps, .nb_points = NB(steps)},
	{.points = ramp, .nb_points = NB(ramp), .linear = true},
	{.num = 5000, .den = 3, .poisson = true, .seed = 7},
};

static uint64_t random_next(uint64_t *seed)
{
	return random_at(0x5eed, (*seed)++);
}

/* Small and large steps alike, up to what may be caught up. */
static uint64_t step_random(uint64_t *seed, uint64_t max)
{
	uint64_t bits = 64 - (uint64_t)__builtin_clzll(max);

	return random_below(random_next(seed),
		       (1ull << (1 + random_below(random_next(seed), bits))) - 1) %
	       max;
}

/* Sent is floor(schedule), give or take one, where the schedule is the stream's from the start on. */
static void assert_floor(const struct rig *r)
{
	uint64_t ticks = r->latest - RIG_START;

	for (uint32_t i = 0; i < r->nb_lanes; i++) {
		const struct rig_lane *l = &r->lanes[i];
		unsigned __int128 hz = (unsigned __int128)RIG_HZ * l->den, whole, next;

		if (l->kind != RIG_PLAIN)
			continue;
		/* a reading of the clock stands for a whole tick */
		whole = (unsigned __int128)ticks * l->num / hz;
		next = (unsigned __int128)(ticks + 1) * l->num / hz;
		whole = whole < l->count ? whole : l->count;
		if (l->taken + 1 < whole || l->taken > next + 1)
			fail_msg("lane %u of %llu/%llu pps: %llu sent after %llu ticks", i,
				(unsigned long long)l->num, (unsigned long long)l->den,
				(unsigned long long)l->taken, (unsigned long long)ticks);
		assert_int_equal(l->lane.unsent, 0);
	}
}

/* The earliest frame of all that is still to come. */
static uint64_t next_of(struct rig *r)
{
	uint64_t least = UINT64_MAX;

	for (uint32_t i = 0; i < r->nb_lanes; i++) {
		struct rig_lane *l = &r->lanes[i];
		uint64_t due = UINT64_MAX;

		if (l->kind == RIG_FLAT || l->taken == l->count)
			continue;
		if (l->kind == RIG_PLAIN)
			due = RIG_START + rig_due(l, l->taken);
		else if (l->next.due != UINT64_MAX)
			due = RIG_START + l->next.due;
		least = due < least ? due : least;
	}
	return least;
}

/* Polls at random times until so many frames are sent or so much time is over. */
static void run(struct rig *r, uint64_t frames, uint64_t ticks, uint64_t step_max)
{
	uint64_t seed = 1, now = RIG_FIRST;

	rig_start(r);
	for (unsigned polls = 0; r->frames < frames && now - RIG_START < ticks; polls++) {
		rig_drain(r, now, &seed);
		/* looking at a thousand lanes takes longer than sending their frames */
		if (r->nb_lanes < 10 || polls % 8 == 0) {
			rig_assert_exact(r);
			assert_floor(r);
			if (r->s.nb_flat == 0 && !r->s.classes[0].counted)
				assert_int_equal(tx_sched_next(&r->s), next_of(r));
		}
		now += step_random(&seed, step_max);
	}
	rig_drain(r, now, &seed);
	rig_assert_exact(r);
	assert_floor(r);
}

static void one_rate_is_kept_at_every_moment(void **state)
{
	(void)state;
	for (unsigned i = 0; i < NB(rates); i++)
		for (unsigned k = 0; k < NB(lane_counts); k++) {
			uint64_t pps = rates[i].num / rates[i].den * lane_counts[k];
			uint64_t step = RIG_HZ * 200 / (pps + 1) + 2;
			struct rig r;

			/* those of a stream of many lanes share a line */
			if (pps > 200000000)
				continue;
			rig_init(&r, 1, lane_counts[k]);
			rig_plain(&r, rates[i].num, rates[i].den, lane_counts[k], NO_END);
			run(&r, FRAMES / 2, RIG_HZ * 100,
				step < RIG_CATCH_UP ? step : RIG_CATCH_UP);
			assert_true(r.frames >= 9);
			rig_free(&r);
		}
}

/* Equal and different rates, classes of several lanes, packet-counts, walks, flat-out streams. */
static void mix_make(struct rig *r, uint64_t seed, bool flat)
{
	rig_init(r, MIX, MIX);
	for (unsigned k = 0; r->nb_lanes < MIX - 20; k++) {
		uint64_t rnd = random_next(&seed);
		uint32_t nb = rnd % 5 == 0 ? 1 + (uint32_t)(rnd >> 8) % 9 : 1;
		uint64_t count = rnd % 7 == 0 ? (rnd >> 16) % 50 : NO_END;
		uint64_t bits = random_next(&seed) % 16;
		uint64_t pps = 1 + ((random_next(&seed) & 0xffff) >> bits);

		if (rnd % 29 == 0)
			rig_walk(r, &walks[rnd / 29 % NB(walks)], count);
		else
			rig_plain(r, pps + 1, 1 + rnd % 3, nb, count == 0 ? 1 : count);
	}
	if (flat) {
		rig_flat(r, 3, RIG_START, NO_END);
		rig_flat(r, 2, RIG_START + RIG_MS, 100);
	}
}

static void any_mix_of_a_thousand_is_kept_at_every_moment(void **state)
{
	(void)state;
	for (unsigned f = 0; f < nb_scans; f++)
		for (unsigned i = 0; i < 8; i++) {
			struct rig r;

			mix_make(&r, i * 1000, i % 2 != 0);
			r.s.scan = scans[f];
			/* up to the catch-up limit in one; else some frames a poll */
			run(&r, FRAMES * 4, RIG_HZ, i < 2 ? RIG_CATCH_UP : 2 * RIG_MS);
			assert_true(r.frames >= FRAMES);
			rig_free(&r);
		}
}

/* The clock goes from one due time to the next: the sender that has time for everything. */
static void rates_are_within_ten_ppm(void **state)
{
	double worst = 0;
	struct rig r;

	(void)state;
	rig_init(&r, 1000, 1000);
	for (unsigned i = 0; i < 1000; i++)
		rig_plain(&r, 200 + 7 * i, 1 + i % 2, 1, NO_END);
	rig_start(&r);
	for (uint64_t now = RIG_FIRST; r.frames < 400000; now = tx_sched_next(&r.s)) {
		assert_true(rig_take(&r, now, TX_BURST) > 0);
		assert_true(now == RIG_FIRST || r.due_max == now);
	}
	for (unsigned i = 0; i < r.nb_lanes; i++) {
		const struct rig_lane *l = &r.lanes[i];
		double s = (double)(l->last_tsc - l->first_tsc) / (double)RIG_HZ;
		double pps = (double)(l->taken - 1) / s;
		double ppm = fabs(pps * (double)l->den / (double)l->num - 1) * 1e6;

		assert_true(l->taken > 8);
		worst = ppm > worst ? ppm : worst;
	}
	print_message("(n - 1) / (last - first): worst of 1000 rates %.3f ppm off\n", worst);
	assert_true(worst < PPM_MAX);
	rig_free(&r);
}

static void fast_rates_are_within_ten_ppm(void **state)
{
	(void)state;
	for (unsigned i = 5; i < NB(rates); i++) {
		double pps = (double)rates[i].num / (double)rates[i].den, got;
		uint64_t seed = i, now = RIG_START;
		struct rig r;

		rig_init(&r, 1, 1);
		rig_plain(&r, rates[i].num, rates[i].den, 1, NO_END);
		rig_start(&r);
		/* looked at every 50 .. 100 ns: that is what the ends may be off */
		while (now - RIG_START < 20 * RIG_MS && r.frames < 500000) {
			now += 105 + random_below(random_next(&seed), 105);
			while (rig_take(&r, now, TX_BURST) == TX_BURST)
				;
		}
		got = (double)(r.lanes[0].taken - 1) * (double)RIG_HZ /
		      (double)(r.lanes[0].last_tsc - r.lanes[0].first_tsc);
		/* at most the time between two looks, of the whole run */
		assert_true(
			fabs(got / pps - 1) <= PPM_MAX * 1e-6 + 210.0 / (double)(now - RIG_START));
		rig_free(&r);
	}
}

/* Whatever is left at the end is counted: taken and unsent together are what the schedule asked. */
static void everything_is_accounted_for_at_the_end(void **state)
{
	uint64_t unsent = 0;

	(void)state;
	for (unsigned i = 0; i < 40; i++) {
		uint64_t seed = i, end = RIG_START + 1 + random_below(random_at(9, i), 60 * RIG_MS);
		uint64_t until = RIG_START + random_below(random_at(8, i), end - RIG_START);
		struct rig r;

		if (i < NB(rates)) {
			rig_init(&r, 1, 7);
			rig_plain(&r, rates[i].num, rates[i].den, 7, i % 2 == 0 ? NO_END : 20000);
			until = RIG_START + RIG_MS / 20;
		} else {
			mix_make(&r, i * 77, i % 3 == 0);
		}
		rig_start(&r);
		if (until > RIG_START + 10)
			rig_drain(&r, RIG_START + (until - RIG_START) / 2, &seed);
		/* in the middle of a pass */
		rig_take(&r, until, 1 + i);
		tx_sched_count_missing(&r.s, end);
		r.latest = end - 1;
		rig_assert_exact(&r);
		for (uint32_t k = 0; k < r.nb_lanes; k++)
			unsent += r.lanes[k].lane.unsent;
		rig_free(&r);
	}
	assert_true(unsent > 1000000);
}

/* A stream that has sent its packets leaves the others where they are, and is finished. */
static void packet_counts_end_a_queue(void **state)
{
	uint64_t seed = 3, now = RIG_START;
	struct rig r;

	(void)state;
	rig_init(&r, 60, 240);
	for (unsigned i = 0; i < 58; i++)
		rig_plain(&r, 1000 * (i + 1), 1, 4, 1 + i % 5 * 100);
	rig_walk(&r, &walks[1], 777);
	rig_flat(&r, 2, RIG_START, 500);
	rig_start(&r);
	while (r.s.nb_finished < r.s.nb_classes) {
		rig_drain(&r, now, &seed);
		now += step_random(&seed, RIG_MS);
	}
	for (uint32_t i = 0; i < r.nb_lanes; i++) {
		assert_int_equal(r.lanes[i].taken, r.lanes[i].count);
		assert_int_equal(r.lanes[i].lane.remaining, 0);
	}
	assert_int_equal(tx_sched_next(&r.s), UINT64_MAX);
	assert_int_equal(rig_take(&r, now + RIG_MS, TX_BURST), 0);
	assert_int_equal(r.turn.nb, 0);
	rig_free(&r);
}

static void streams_flat_out_share_what_others_leave(void **state)
{
	uint64_t now = RIG_START, paced = 0;
	struct rig r;

	(void)state;
	rig_init(&r, 4, 8);
	rig_plain(&r, 1000000, 1, 1, NO_END);
	rig_flat(&r, 1, RIG_START, NO_END);
	rig_flat(&r, 4, RIG_START, NO_END);
	rig_flat(&r, 1, RIG_START + 5 * RIG_MS, NO_END);
	rig_start(&r);
	for (unsigned i = 0; i < 5000; i++, now += US * 2)
		paced += rig_take(&r, now, TX_BURST);
	assert_true(r.frames > 5000 / 2 * TX_BURST);
	rig_assert_exact(&r);
	assert_int_equal(paced, r.lanes[0].taken);
	/* a class a share, and within it a lane a share; the last one sends half of the time */
	assert_in_range(r.lanes[1].taken, 2 * r.lanes[6].taken - 64, 4 * r.lanes[6].taken);
	for (unsigned i = 3; i < 6; i++)
		assert_in_range(r.lanes[i].taken, r.lanes[2].taken - 1, r.lanes[2].taken);
	assert_true(r.lanes[6].first_tsc >= RIG_START + 5 * RIG_MS);
	rig_free(&r);
}

/* Runs of lanes in turn, however they lie. */
static void a_run_is_shared_out_as_its_frames_went(void **state)
{
	static struct tx_lane lanes[7];
	struct tx_many many = {.nb_lanes = NB(lanes)};

	(void)state;
	for (uint32_t first = 0; first < NB(lanes); first++)
		for (uint64_t nb = 0; nb < 3 * NB(lanes); nb++) {
			uint64_t want[NB(lanes)] = {0};

			many.run[1] = (struct tx_run){.nb = nb, .first = first};
			for (uint64_t k = 0; k < nb; k++)
				want[(first + k) % NB(lanes)]++;
			for (uint32_t l = 0; l < NB(lanes); l++) {
				lanes[l].many = &many;
				lanes[l].place = l;
				lanes[l].slot[1] = l; /* its own are added */
				assert_int_equal(tx_lane_slot(&lanes[l], 1), want[l] + l);
			}
		}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(one_rate_is_kept_at_every_moment),
		cmocka_unit_test(any_mix_of_a_thousand_is_kept_at_every_moment),
		cmocka_unit_test(rates_are_within_ten_ppm),
		cmocka_unit_test(fast_rates_are_within_ten_ppm),
		cmocka_unit_test(everything_is_accounted_for_at_the_end),
		cmocka_unit_test(packet_counts_end_a_queue),
		cmocka_unit_test(streams_flat_out_share_what_others_leave),
		cmocka_unit_test(a_run_is_shared_out_as_its_frames_went),
	};

	return cmocka_run_group_tests(tests, scans_find, NULL);
}
