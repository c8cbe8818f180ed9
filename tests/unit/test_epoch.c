/* SPDX-License-Identifier: BSD-3-Clause */
#include "tgen/epoch.h"

#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#define NB(array)  (sizeof(array) / sizeof((array)[0]))
#define T	   1000 /* ns, length of an epoch */
#define GRACE	   100	/* ns */
#define MAX_EPOCHS 4096

/* What a lane has: slots, and totals of what no row may hold. */
struct lane {
	struct epoch_worker worker;
	uint64_t slot[EPOCH_SLOTS];
	uint64_t total, late, spill;
	uint64_t in_slot[MAX_EPOCHS]; /* the truth that rows are compared with */
};

struct run {
	struct epoch_reader reader;
	uint64_t next; /* epoch that the reader waits for */
	uint64_t row[MAX_EPOCHS];
	struct lane lane[2];
	unsigned nb_lanes;
};

static void run_init(struct run *run, unsigned nb_lanes)
{
	memset(run, 0, sizeof(*run));
	run->nb_lanes = nb_lanes;
	for (unsigned i = 0; i < nb_lanes; i++)
		epoch_worker_init(&run->lane[i].worker, &run->reader, T, GRACE);
}

/* A worker counts a frame of an epoch at time now. */
static enum epoch_place count(struct lane *lane, uint64_t now_ns, uint64_t epoch)
{
	enum epoch_place place;

	epoch_worker_tick(&lane->worker, now_ns);
	place = epoch_place(&lane->worker, epoch);
	lane->total++;
	if (place == EPOCH_LATE)
		lane->late++;
	else if (place == EPOCH_SPILL)
		lane->spill++;
	else
		lane->slot[epoch % EPOCH_SLOTS]++, lane->in_slot[epoch]++;
	return place;
}

/* The reader takes what it may, at most nb epochs below end; returns how many. */
static unsigned collect(struct run *run, unsigned nb, uint64_t end)
{
	const struct epoch_worker *workers[NB(run->lane)];
	unsigned taken = 0;

	for (unsigned i = 0; i < run->nb_lanes; i++)
		workers[i] = &run->lane[i].worker;
	while (taken < nb && run->next < end &&
		epoch_reader_owns(workers, run->nb_lanes, run->next)) {
		for (unsigned i = 0; i < run->nb_lanes; i++) {
			uint64_t *slot = &run->lane[i].slot[run->next % EPOCH_SLOTS];

			run->row[run->next] += *slot;
			*slot = 0;
		}
		epoch_reader_return(&run->reader, run->next++);
		taken++;
	}
	return taken;
}

static void assert_sums(const struct run *run)
{
	uint64_t rows = 0, total = 0, late = 0, spill = 0;

	for (unsigned e = 0; e < MAX_EPOCHS; e++) {
		uint64_t truth = 0;

		for (unsigned i = 0; i < run->nb_lanes; i++)
			truth += run->lane[i].in_slot[e];
		assert_int_equal(run->row[e], truth);
		rows += run->row[e];
	}
	for (unsigned i = 0; i < run->nb_lanes; i++) {
		total += run->lane[i].total;
		late += run->lane[i].late;
		spill += run->lane[i].spill;
	}
	assert_int_equal(total, rows + late + spill);
}

static void frames_are_in_the_row_of_the_interval_they_were_sent_in(void **state)
{
	static struct run run;
	struct lane *lane = &run.lane[0];

	run_init(&run, 1);
	for (uint64_t e = 0; e < 10; e++) {
		for (unsigned i = 0; i < 5 + e; i++)
			assert_int_equal(count(lane, e * T + i, e), EPOCH_IN_SLOT);
		/* sent in e, received in the grace after it */
		assert_int_equal(count(lane, (e + 1) * T + GRACE - 1, e), EPOCH_IN_SLOT);
		assert_int_equal(collect(&run, 9, MAX_EPOCHS), 0);
		epoch_worker_tick(&lane->worker, (e + 1) * T + GRACE);
		assert_int_equal(collect(&run, 9, MAX_EPOCHS), 1);
		assert_int_equal(run.row[e], 5 + e + 1);
	}
	assert_int_equal(lane->late + lane->spill, 0);
	assert_sums(&run);
}

static void frames_after_the_grace_are_late_and_in_no_row(void **state)
{
	static struct run run;
	struct lane *lane = &run.lane[0];

	run_init(&run, 1);
	count(lane, 10, 0);
	assert_int_equal(count(lane, T + GRACE, 0), EPOCH_LATE);
	assert_int_equal(collect(&run, 9, MAX_EPOCHS), 1);
	assert_int_equal(count(lane, T + GRACE + 1, 0), EPOCH_LATE);
	assert_int_equal(count(lane, T + GRACE + 1, 1), EPOCH_IN_SLOT);
	assert_int_equal(run.row[0], 1);
	assert_int_equal(lane->late, 2);
	epoch_worker_finish(&lane->worker, 2);
	collect(&run, 9, 2);
	assert_sums(&run);
}

static void stalled_reader_costs_rows_but_no_frame(void **state)
{
	static struct run run;
	struct lane *lane = &run.lane[0];

	run_init(&run, 1);
	/* the reader sleeps for seven intervals: the slots hold the first four */
	for (uint64_t e = 0; e < 7; e++)
		assert_int_equal(count(lane, e * T + GRACE, e),
			e < EPOCH_SLOTS ? EPOCH_IN_SLOT : EPOCH_SPILL);
	/* it returns one slot: the epoch in reach now is closed already, so nothing goes there */
	assert_int_equal(collect(&run, 1, MAX_EPOCHS), 1);
	assert_int_equal(count(lane, 6 * T + GRACE, 6), EPOCH_SPILL);
	/* and catches up */
	assert_int_equal(collect(&run, 9, MAX_EPOCHS), 5);
	assert_int_equal(count(lane, 6 * T + GRACE, 6), EPOCH_IN_SLOT);
	epoch_worker_finish(&lane->worker, 7);
	assert_int_equal(collect(&run, 9, 7), 1);
	assert_int_equal(lane->spill, 4);
	assert_int_equal(run.row[4] + run.row[5], 0);
	assert_int_equal(run.row[6], 1);
	assert_sums(&run);
}

static void stalled_worker_closes_all_due_epochs_at_once(void **state)
{
	static struct run run;
	struct lane *lane = &run.lane[0];

	run_init(&run, 2);
	count(lane, 10, 0);
	count(&run.lane[1], 10, 0);
	/* one worker goes on, the other is away: its slots are not taken */
	for (uint64_t e = 1; e < 4; e++)
		count(lane, e * T + GRACE, e);
	assert_int_equal(collect(&run, 9, MAX_EPOCHS), 0);
	/* back after 3.5 intervals with frames of old epochs in its queue */
	assert_int_equal(count(&run.lane[1], 3 * T + T / 2, 1), EPOCH_LATE);
	assert_int_equal(run.lane[1].worker.open, 3);
	assert_int_equal(run.lane[1].worker.next_close_ns, 4 * T + GRACE);
	assert_int_equal(count(&run.lane[1], 3 * T + T / 2, 3), EPOCH_IN_SLOT);
	assert_int_equal(collect(&run, 9, MAX_EPOCHS), 3);
	assert_int_equal(run.row[0], 2);
	for (unsigned i = 0; i < 2; i++)
		epoch_worker_finish(&run.lane[i].worker, 4);
	assert_int_equal(collect(&run, 9, 4), 1);
	assert_int_equal(run.row[3], 2);
	assert_sums(&run);
}

static void finishing_never_opens_a_closed_epoch_again(void **state)
{
	static struct run run;

	run_init(&run, 1);
	epoch_worker_tick(&run.lane[0].worker, 5 * T + GRACE);
	assert_int_equal(run.lane[0].worker.open, 5);
	epoch_worker_finish(&run.lane[0].worker, 3);
	assert_int_equal(run.lane[0].worker.open, 5);
	assert_int_equal(collect(&run, 9, MAX_EPOCHS), 5);
}

static void low_byte_names_the_epoch_nearest_to_the_clock(void **state)
{
	static const struct {
		uint64_t now;
		uint8_t low;
		uint64_t full;
	} cases[] = {
		{0, 0, 0},
		{0, 1, 1},   /* sent by a worker whose clock is ahead */
		{0, 255, 0}, /* before the first: not a huge number */
		{5, 250, 0},
		{5, 5, 5},
		{255, 255, 255},
		{256, 255, 255},
		{256, 0, 256},
		{255, 0, 256},
		{300, 43, 299},
		{300, 45, 301},
		{1000, (uint8_t)(1000 - 127), 873},
		{1000, (uint8_t)(1000 - 128), 1128},
		{UINT64_C(1) << 40, 255, (UINT64_C(1) << 40) - 1},
	};

	for (size_t i = 0; i < NB(cases); i++)
		assert_int_equal(epoch_full(cases[i].now, cases[i].low), cases[i].full);
}

static void epoch_byte_may_wrap_many_times(void **state)
{
	static struct run run;
	struct lane *lane = &run.lane[0];

	run_init(&run, 1);
	for (uint64_t e = 0; e < 1000; e++) {
		/* a frame of this epoch, one of the last in its grace, one 40 epochs old */
		uint64_t now = e * T + 10;

		assert_int_equal(count(lane, now, epoch_full(e, (uint8_t)e)), EPOCH_IN_SLOT);
		if (e >= 1)
			assert_int_equal(
				count(lane, now, epoch_full(e, (uint8_t)(e - 1))), EPOCH_IN_SLOT);
		if (e >= 40)
			assert_int_equal(
				count(lane, now, epoch_full(e, (uint8_t)(e - 40))), EPOCH_LATE);
		collect(&run, 9, MAX_EPOCHS);
	}
	epoch_worker_finish(&lane->worker, 1000);
	collect(&run, 9, 1000);
	for (uint64_t e = 0; e < 1000; e++)
		assert_int_equal(run.row[e], e < 999 ? 2 : 1);
	assert_int_equal(lane->late, 960);
	assert_int_equal(lane->spill, 0);
	assert_sums(&run);
}

static uint32_t next_random(uint32_t *state)
{
	*state ^= *state << 13;
	*state ^= *state >> 17;
	*state ^= *state << 5;
	return *state;
}

#define NB_FRAMES	 1000000u
#define FRAMES_PER_EPOCH 500u
#define NB_RUN_EPOCHS	 (NB_FRAMES / FRAMES_PER_EPOCH)

static void *work(void *arg)
{
	struct lane *lane = arg;
	uint32_t random = 2463534242u;

	for (uint32_t i = 0; i < NB_FRAMES; i++) {
		uint64_t now = (uint64_t)i * T / FRAMES_PER_EPOCH;
		uint64_t epoch = now / T + next_random(&random) % 2;
		uint64_t back = next_random(&random) % 4;

		count(lane, now, epoch > back ? epoch - back : 0);
		/* now and then the reader gets the time to keep up, if the machine has any */
		if (i % FRAMES_PER_EPOCH == 0)
			sched_yield();
	}
	epoch_worker_finish(&lane->worker, NB_RUN_EPOCHS + 1);
	return NULL;
}

/* The slots are plain memory: under a thread sanitizer this shows that they are handed over. */
static void worker_and_reader_thread_lose_no_frame(void **state)
{
	static struct run run;
	uint32_t random = 88675123u;
	pthread_t thread;

	run_init(&run, 1);
	assert_int_equal(pthread_create(&thread, NULL, work, &run.lane[0]), 0);
	while (run.next < NB_RUN_EPOCHS + 1) {
		collect(&run, 1 + next_random(&random) % 3, NB_RUN_EPOCHS + 1);
		for (unsigned i = next_random(&random) % 8; i > 0; i--)
			sched_yield();
	}
	assert_int_equal(pthread_join(thread, NULL), 0);
	assert_int_equal(run.lane[0].total, NB_FRAMES);
	for (unsigned i = 0; i < EPOCH_SLOTS; i++)
		assert_int_equal(run.lane[0].slot[i], 0);
	assert_true(run.row[0] > 0 && run.lane[0].late > 0);
	assert_sums(&run);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(frames_are_in_the_row_of_the_interval_they_were_sent_in),
		cmocka_unit_test(frames_after_the_grace_are_late_and_in_no_row),
		cmocka_unit_test(stalled_reader_costs_rows_but_no_frame),
		cmocka_unit_test(stalled_worker_closes_all_due_epochs_at_once),
		cmocka_unit_test(finishing_never_opens_a_closed_epoch_again),
		cmocka_unit_test(low_byte_names_the_epoch_nearest_to_the_clock),
		cmocka_unit_test(epoch_byte_may_wrap_many_times),
		cmocka_unit_test(worker_and_reader_thread_lose_no_frame),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
