/* SPDX-License-Identifier: BSD-3-Clause */
/* Frames of several sizes and schedules of every kind, on a ring that loses nothing. */
#include "bench.h"

#include <sched.h>
#include <stdio.h>

#define LOOP                                                                                       \
	"{'ports': [{'name': 'loop', 'device': 'ring:loop', 'address': ['1.1.1.1/24']}],"          \
	"'packet-templates': ["                                                                    \
	"{'name': 'near', 'ip-dst': '1.1.1.9', 'mac-dst': '02:00:00:00:00:0a',"                    \
	" 'udp-src-port': '1000-1006', 'udp-checksum': 'compute', 'data': 'incrementing'},"        \
	"{'name': 'plain', 'ip-dst': '1.1.1.9', 'mac-dst': '02:00:00:00:00:0a'},"                  \
	"{'name': 'tuples', 'ip-dst': '9.9.9.9', 'mac-dst': '02:00:00:00:00:0a',"                  \
	" 'ip-src': '1.1.1.1-1.1.1.4', 'udp-dst-port': '5-12', 'special-footer': false}]}"

#define NB_TUPLES 8u
#define PERIOD	  12u
#define NB_TURN	  100u

/* Words with which the port has two queues, when this machine has the CPUs for it. */
static const char *workers_words(unsigned nb)
{
	static char words[64];
	struct plan_cpu *cpus = NULL;
	int nb_cpus = engine_cpus(&cpus);

	words[0] = '\0';
	if (nb == 2 && nb_cpus >= 2)
		snprintf(words, sizeof(words), " cpu-core=%u,%u", cpus[0].cpu, cpus[1].cpu);
	free(cpus);
	if (nb == 2 && words[0] == '\0')
		bench_skip("one CPU: no second worker");
	return words;
}

/* The frame numbers of all lanes together are those of one: whatever the number of workers. */
static void open_with(
	struct bench *b, const char *words, unsigned nb_workers, void (*adjust)(struct plan *plan))
{
	char all[256];

	snprintf(all, sizeof(all), "%s%s", words, workers_words(nb_workers));
	bench_open_adjusted(b, LOOP, all, adjust);
	assert_int_equal(b->plan->nb_queues, nb_workers);
	assert_int_equal(b->plan->nb_lanes, nb_workers * b->plan->nb_streams);
}

/* What the test gave a plan is not the plan's to free. */
static void close_adjusted(struct bench *b)
{
	for (unsigned i = 0; i < b->plan->nb_streams; i++) {
		b->plan->streams[i].sizes = (struct pkt_sizes){0};
		b->plan->streams[i].sched = (struct sched){0};
	}
	bench_close(b);
}

/* ---- sizes ---- */

/* Seven small ones, four of a middle size and a large one, none beside its like. */
static uint16_t mix_bytes[] = {64, 65, 1514};
static uint16_t mix_order[PERIOD] = {0, 1, 0, 2, 0, 1, 0, 1, 0, 0, 1, 0};
#define MIX_SUM (7u * 64 + 4u * 65 + 1514)

static void adjust_mix(struct plan *plan)
{
	plan->streams[0].sizes = (struct pkt_sizes){.nb = NB(mix_bytes),
		.bytes = mix_bytes,
		.period = PERIOD,
		.order = mix_order,
		.sum = MIX_SUM};
}

static void mix_comes_back(unsigned nb_workers, bool whole)
{
	const struct result_row *row;
	struct bench b;

	/* without a look at the data, frames in step take the receiver's short way */
	open_with(&b,
		whole ? "tx-template=near packet-size=1514 pps=6k packet-count=3600 verify-data=yes"
		      : "tx-template=near packet-size=1514 pps=6k packet-count=3600",
		nb_workers, adjust_mix);
	/* a second trial finds buffers with all kinds of old signatures */
	for (unsigned i = 0; i < 2; i++) {
		bench_trial(&b, 0);
		bench_assert_all_back(&b);
		row = &b.result.totals[0];
		assert_int_equal(row->n.tx_packet, 3600);
		assert_int_equal(row->n.tx_byte, 3600 / PERIOD * MIX_SUM);
		assert_int_equal(row->n.good_byte, row->n.tx_byte);
		assert_int_equal(row->tx_byte, row->n.tx_byte);
		assert_int_equal(row->lost_byte, 0);
		assert_int_equal(b.result.total.tx_byte, row->tx_byte);
		if (row->n.late + row->n.spill == 0) {
			assert_int_equal(b.rows[0].tx_byte, row->n.tx_byte);
			assert_int_equal(b.rows[0].good_byte, row->n.tx_byte);
		}
	}
	close_adjusted(&b);
}

static void frames_of_a_mix_come_back_whole_and_their_bytes_add_up(void **state)
{
	(void)state;
	mix_comes_back(1, true);
}

static void bytes_of_a_mix_add_up_on_the_short_way(void **state)
{
	(void)state;
	mix_comes_back(1, false);
}

static void two_queues_send_the_same_mix_together(void **state)
{
	(void)state;
	mix_comes_back(2, true);
}

/* ---- values ---- */

/* Frames without signature are told apart by the receiver's table of unknown kinds. */
static void tuples_are_complete(unsigned nb_workers)
{
	struct bench b;

	open_with(
		&b, "tx-template=tuples packet-size=60 pps=2k packet-count=800", nb_workers, NULL);
	bench_trial(&b, 0);
	assert_int_equal(b.result.totals[0].n.tx_packet, 800);
	assert_int_equal(b.result.ports[0].unknown, 800);
	assert_int_equal(b.result.nb_unknowns, NB_TUPLES);
	for (unsigned i = 0; i < NB_TUPLES; i++) {
		assert_int_equal(b.result.unknowns[i].count, 800 / NB_TUPLES);
		for (unsigned k = 0; k < i; k++)
			assert_string_not_equal(
				b.result.unknowns[i].text, b.result.unknowns[k].text);
	}
	bench_close(&b);
}

static void the_set_of_tuples_is_complete_on_one_queue(void **state)
{
	(void)state;
	tuples_are_complete(1);
}

static void the_set_of_tuples_is_complete_on_two_queues(void **state)
{
	(void)state;
	tuples_are_complete(2);
}

/* ---- schedules ---- */

#define MS BENCH_MS
/* No frame of the schedules below is due just then: one more or less by a tick. */
#define SEND_NS 599700000ull

static const struct sched_point steps[] = {{0, 1000, 1}, {200 * MS, 0, 1}, {400 * MS, 2000, 1}};
static const struct sched_point ramp[] = {{0, 0, 1}, {500 * MS, 2000, 1}, {600 * MS, 0, 1}};

struct planned {
	struct sched sched;
	uint64_t packet_count;
	uint64_t sent; /* in SEND_NS; UINT64_MAX: as sched_count says */
};

static const struct planned planned[] = {
	{{.num = 0, .den = 1, .burst_packets = 50, .burst_count = SCHED_NO_END, .gap_ns = 125 * MS},
		UINT64_MAX, 250},
	{{.num = 0, .den = 1, .burst_packets = 50, .burst_count = 3, .gap_ns = 125 * MS},
		UINT64_MAX, 150},
	{{.num = 10000,
		 .den = 1,
		 .burst_packets = 51,
		 .burst_count = SCHED_NO_END,
		 .gap_ns = 95 * MS,
		 .delay_ns = 50 * MS},
		UINT64_MAX, 6 * 51},
	{{.num = 0, .den = 1, .burst_packets = 50, .burst_count = SCHED_NO_END, .gap_ns = MS}, 777,
		777},
	{{.points = steps, .nb_points = NB(steps)}, UINT64_MAX, 600},
	{{.points = ramp, .nb_points = NB(ramp), .linear = true}, UINT64_MAX, UINT64_MAX},
	{{.num = 3000, .den = 1, .poisson = true, .seed = 5}, UINT64_MAX, UINT64_MAX},
	{{.num = 1000, .den = 1, .delay_ns = 300 * MS}, UINT64_MAX, 300},
	{{.num = 1000, .den = 1, .delay_ns = 100 * MS}, 99, 99},
	{{.num = 0, .den = 1, .delay_ns = 700 * MS}, UINT64_MAX, 0}, /* after the end */
	{{.num = 1000, .den = 1, .burst_packets = 1, .burst_count = 1}, UINT64_MAX, 1},
};

static void adjust_scheds(struct plan *plan)
{
	for (unsigned i = 0; i < NB(planned); i++) {
		plan->streams[i].sched = planned[i].sched;
		plan->streams[i].flat_out = planned[i].sched.num == 0;
		plan->streams[i].packet_count = planned[i].packet_count;
	}
	for (unsigned l = 0; l < plan->nb_lanes; l++) {
		struct plan_lane *lane = &plan->lanes[l];
		uint64_t count = planned[lane->stream].packet_count;

		lane->packet_count = count;
		if (count != UINT64_MAX)
			lane->packet_count = count / lane->nb + (lane->index < count % lane->nb);
	}
}

static void every_kind_of_schedule_is_kept_to_the_frame(void **state)
{
	struct bench b;

	(void)state;
	bench_open_adjusted(&b, LOOP,
		"tx-template=plain,plain,plain,plain,plain,plain,plain,plain,plain,plain,plain "
		"packet-size=60 pps=1",
		adjust_scheds);
	assert_int_equal(b.plan->nb_streams, NB(planned));
	for (unsigned n = 0; n < 2; n++) {
		bench_trial(&b, SEND_NS);
		bench_assert_rows_are_totals(&b);
		bench_assert_conserved(&b);
		for (unsigned i = 0; i < NB(planned); i++) {
			const struct result_row *row = &b.result.totals[i];
			uint64_t want = planned[i].sent;

			if (want == UINT64_MAX)
				want = sched_count(&planned[i].sched, SEND_NS);
			if (row->n.tx_packet != want)
				fail_msg("schedule %u: sent %llu instead of %llu", i,
					(unsigned long long)row->n.tx_packet,
					(unsigned long long)want);
			assert_int_equal(row->n.good, want);
			assert_int_equal(row->n.unsent, 0);
		}
	}
	close_adjusted(&b);
}

static void adjust_one_of_two_lanes(struct plan *plan)
{
	plan->streams[0].sched = planned[2].sched;
}

static void two_queues_keep_one_schedule_together(void **state)
{
	struct bench b;

	(void)state;
	open_with(&b, "tx-template=plain packet-size=60 pps=1", 2, adjust_one_of_two_lanes);
	bench_trial(&b, SEND_NS);
	bench_assert_rows_are_totals(&b);
	bench_assert_conserved(&b);
	assert_int_equal(b.result.totals[0].n.tx_packet, planned[2].sent);
	assert_int_equal(b.result.totals[0].n.good, planned[2].sent);
	close_adjusted(&b);
}

/* Without a duration a run is over when its schedules are. */
static void adjust_finite(struct plan *plan)
{
	plan->streams[0].sched = planned[1].sched;
	plan->streams[1].sched = (struct sched){
		.num = 1000, .den = 1, .burst_packets = 10, .burst_count = 3, .gap_ns = 91 * MS};
}

static void a_run_ends_when_the_last_burst_is_sent(void **state)
{
	struct bench b;

	(void)state;
	bench_open_adjusted(
		&b, LOOP, "tx-template=plain,plain packet-size=60 pps=1", adjust_finite);
	bench_trial(&b, 0);
	bench_assert_all_back(&b);
	assert_int_equal(b.result.totals[0].n.tx_packet, 150);
	assert_int_equal(b.result.totals[1].n.tx_packet, 30);
	/* the third burst of the first at 250 ms, the interval of the last frame of the second */
	assert_in_range(b.result.send_ns, 250 * MS, 250 * MS + 100 * MS);
	close_adjusted(&b);
}

static void adjust_interval(struct plan *plan)
{
	plan->interval_ns = 500 * MS;
}

/* More lanes than a burst has frames: counted by turns, over several intervals and trials. */
static void many_streams_in_turn_are_counted_each_in_its_interval(void **state)
{
	char words[NB_TURN * 8 + 64];
	size_t used =
		(size_t)snprintf(words, sizeof(words), "packet-size=60 pps=500 tx-template=plain");
	struct bench b;

	(void)state;
	for (unsigned i = 1; i < NB_TURN; i++)
		used += (size_t)snprintf(words + used, sizeof(words) - used, ",plain");
	bench_open_adjusted(&b, LOOP, words, adjust_interval);
	for (unsigned n = 0; n < 2; n++) {
		bench_trial(&b, 1300 * MS);
		bench_assert_all_back(&b);
		bench_assert_schedule(&b);
		assert_int_equal(b.nb_rows, 3);
		for (unsigned i = 0; i < NB_TURN; i++)
			assert_in_range(b.result.totals[i].n.tx_packet, 649, 651);
	}
	bench_close(&b);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(frames_of_a_mix_come_back_whole_and_their_bytes_add_up),
		cmocka_unit_test(bytes_of_a_mix_add_up_on_the_short_way),
		cmocka_unit_test(two_queues_send_the_same_mix_together),
		cmocka_unit_test(the_set_of_tuples_is_complete_on_one_queue),
		cmocka_unit_test(the_set_of_tuples_is_complete_on_two_queues),
		cmocka_unit_test(every_kind_of_schedule_is_kept_to_the_frame),
		cmocka_unit_test(two_queues_keep_one_schedule_together),
		cmocka_unit_test(a_run_ends_when_the_last_burst_is_sent),
		cmocka_unit_test(many_streams_in_turn_are_counted_each_in_its_interval),
	};

	return bench_main(argc, argv, tests, NB(tests));
}
