/* SPDX-License-Identifier: BSD-3-Clause */
/* Trials on rings in memory, which lose nothing and change nothing: every figure is known. */
#include "bench.h"

#include <errno.h>
#include <sched.h>
#include <stdio.h>

#define LOOP                                                                                       \
	"{'ports': [{'name': 'loop', 'device': 'ring:loop', 'address': ['1.1.1.1/24']}],"          \
	"'packet-templates': ["                                                                    \
	"{'name': 'own', 'ip-dst': '1.1.1.1'},"                                                    \
	"{'name': 'near', 'ip-dst': '1.1.1.9', 'mac-dst': '02:00:00:00:00:0a',"                    \
	" 'udp-src-port': '1000-1006', 'udp-checksum': 'compute', 'data': 'incrementing'},"        \
	"{'name': 'far', 'ip-dst': '9.9.9.9', 'mac-dst': '02:00:00:00:00:0a',"                     \
	" 'ip-src': '1.1.1.1-1.1.1.250'},"                                                         \
	"{'name': 'bare', 'header-stack': ['mac'], 'mac-dst': '02:00:00:00:00:0a'},"               \
	"{'name': 'quiet', 'ip-dst': '9.9.9.9', 'mac-dst': '02:00:00:00:00:0a',"                   \
	" 'special-footer': false},"                                                               \
	"{'name': 'silent', 'ip-dst': '1.1.1.77'}]}"

#define TWO_LOOPS                                                                                  \
	"{'ports': ["                                                                              \
	"{'name': 'a', 'device': 'ring:a', 'address': ['1.1.1.1/24']},"                            \
	"{'name': 'b', 'device': 'ring:b', 'address': ['2.2.2.2/24']}],"                           \
	"'packet-templates': ["                                                                    \
	"{'name': 'stays-a', 'port': 'a', 'ip-dst': '1.1.1.9', 'mac-dst': '02:00:00:00:00:0a'},"   \
	"{'name': 'stays-b', 'port': 'b', 'ip-dst': '2.2.2.9', 'mac-dst': '02:00:00:00:00:0a'},"   \
	"{'name': 'astray', 'port': 'a', 'ip-dst': '2.2.2.2', 'mac-dst': '02:00:00:00:00:0a'}]}"

static void streams_of_different_rates_and_sizes_all_return(void **state)
{
	struct bench b;

	(void)state;
	bench_open(&b, LOOP,
		"tx-template=own,near,far,bare,own,near packet-size=60,508,1514,60,60,61 "
		"pps=1000,313.5,2.2k,0.7,0,1000 mbps=0,0,0,0,0.48,0 id=9,8,7,6,5,4");
	bench_trial(&b, 2300 * BENCH_MS);
	bench_assert_all_back(&b);
	bench_assert_schedule(&b);
	assert_int_equal(b.nb_rows, 3);
	bench_close(&b);
}

static void a_second_trial_is_as_clean_as_the_first(void **state)
{
	struct bench b;

	(void)state;
	bench_open(&b, LOOP, "tx-template=own,far packet-size=60 pps=1k,2k drain=0");
	for (unsigned i = 0; i < 3; i++) {
		bench_trial(&b, (400 + i * 50) * BENCH_MS);
		bench_assert_all_back(&b);
		bench_assert_schedule(&b);
		assert_int_equal(b.nb_rows, 1);
	}
	bench_close(&b);
}

static void packet_counts_are_exact(void **state)
{
	static const uint64_t counts[] = {1, 777, 1500, 2};
	struct bench b;

	(void)state;
	bench_open(&b, LOOP,
		"tx-template=own,own,far,near packet-size=60,60,60,1514 pps=2k,2k,2k,10 "
		"packet-count=1,777,1500,2");
	bench_trial(&b, 0);
	bench_assert_all_back(&b);
	for (unsigned i = 0; i < NB(counts); i++)
		assert_int_equal(b.result.totals[i].n.tx_packet, counts[i]);
	/* the time of the longest schedule, 1500 frames at 2000 a second; and of its interval */
	assert_true(b.result.send_ns >= 749 * BENCH_MS && b.result.send_ns <= 752 * BENCH_MS);
	/* a second trial sends them again */
	bench_trial(&b, 0);
	bench_assert_all_back(&b);
	for (unsigned i = 0; i < NB(counts); i++)
		assert_int_equal(b.result.totals[i].n.tx_packet, counts[i]);
	bench_close(&b);
}

static void whichever_ends_first_of_duration_and_packet_count(void **state)
{
	struct bench b;

	(void)state;
	bench_open(
		&b, LOOP, "tx-template=own,far packet-size=60 pps=1k packet-count=100,unlimited");
	bench_trial(&b, 300 * BENCH_MS);
	bench_assert_all_back(&b);
	assert_int_equal(b.result.totals[0].n.tx_packet, 100);
	assert_true(b.result.totals[1].n.tx_packet >= 299);
	assert_true(b.result.totals[1].n.tx_packet <= 301);
	assert_int_equal(b.result.send_ns, 300 * BENCH_MS);
	bench_close(&b);
}

static void a_run_without_an_end_ends_in_order_when_stopped(void **state)
{
	struct bench b;

	(void)state;
	bench_open(&b, LOOP, "tx-template=own,far packet-size=60 pps=1k,3k");
	/* repeated like bench_trial when the machine took the core away, never because of loss */
	for (unsigned i = 0; i < BENCH_ATTEMPTS; i++) {
		b.stop = 0;
		b.stop_at_row = 1;
		assert_int_equal(bench_trial_once(&b, 0), 0);
		assert_true(b.result.interrupted);
		assert_true(b.verdict.summary.interrupted);
		if (b.verdict.summary.clean)
			break;
	}
	b.result.interrupted = false;
	bench_assert_all_back(&b);
	/* the first row comes when its second and the grace are over */
	assert_true(b.result.send_ns >= 1100 * BENCH_MS);
	assert_true(b.nb_rows >= 2);
	/* the flag still stands: nothing is begun that would not end */
	b.stop_at_row = 0;
	assert_int_equal(bench_trial_once(&b, 0), 0);
	assert_true(b.result.interrupted);
	bench_assert_conserved(&b);
	bench_close(&b);
}

static void a_taker_of_rows_that_fails_ends_the_run(void **state)
{
	struct bench b;

	(void)state;
	bench_open(&b, LOOP, "tx-template=own packet-size=60 pps=1k");
	b.rows_rc = -EPIPE;
	assert_int_equal(bench_trial_once(&b, 0), -EPIPE);
	assert_int_equal(b.nb_rows, 1); /* and is not asked again */
	bench_assert_conserved(&b);
	bench_close(&b);
}

static void a_stop_before_sending_is_told_from_a_failure(void **state)
{
	struct bench b;

	(void)state;
	bench_plan(&b, LOOP, "tx-template=silent packet-size=60 pps=1k");
	if (bench_open_engine(&b) < 0)
		fail_msg("%s", b.err.text);
	assert_int_equal(plan_size(b.plan, b.facts, &b.err), 0);
	b.stop = 1;
	assert_int_equal(engine_resolve(b.engine, b.plan, &b.err), -EINTR);
	assert_string_equal(b.err.text, "");
	bench_close(&b);
}

static void a_next_hop_that_does_not_answer_is_named(void **state)
{
	struct bench b;

	(void)state;
	bench_plan(&b, LOOP, "tx-template=silent packet-size=60 pps=1k arp-timeout=300ms");
	if (bench_open_engine(&b) < 0)
		fail_msg("%s", b.err.text);
	assert_true(bench_load_engine(&b) < 0);
	assert_int_equal(b.err.status, TGEN_DEVICE);
	assert_non_null(strstr(
		b.err.text, "silent: no ARP reply from 1.1.1.77 on loop within 300ms (link up, "));
	bench_close(&b);
}

static void streams_without_signature_are_counted_by_the_sender_only(void **state)
{
	struct bench b;
	uint64_t quiet;

	(void)state;
	bench_open(&b, LOOP, "tx-template=own,quiet packet-size=60 pps=1k,500");
	bench_trial(&b, 400 * BENCH_MS);
	bench_assert_schedule(&b);
	bench_assert_conserved(&b);
	bench_assert_rows_are_totals(&b);
	quiet = b.result.totals[1].n.tx_packet;
	assert_int_equal(b.verdict.summary.status, TGEN_OK);
	assert_int_equal(b.result.totals[0].n.good, b.result.totals[0].n.tx_packet);
	assert_int_equal(b.result.totals[1].n.good, 0);
	assert_int_equal(b.result.totals[1].lost_packet, 0);
	assert_int_equal(b.result.total.lost_packet, 0);
	assert_int_equal(b.result.ports[0].unknown, quiet);
	assert_int_equal(b.result.ports[0].unknown_byte, 60 * quiet);
	assert_int_equal(b.result.nb_unknowns, 1);
	assert_int_equal(b.result.unknowns[0].count, quiet);
	bench_close(&b);
}

static void ports_keep_their_frames_apart(void **state)
{
	struct bench b;
	const struct result_row *totals;

	(void)state;
	bench_open(&b, TWO_LOOPS,
		"tx-template=stays-a,stays-b,astray packet-size=60,70,80 pps=1k,700,300");
	bench_trial(&b, 500 * BENCH_MS);
	bench_assert_schedule(&b);
	bench_assert_conserved(&b);
	bench_assert_rows_are_totals(&b);
	totals = b.result.totals;
	assert_int_equal(totals[0].n.good, totals[0].n.tx_packet);
	assert_int_equal(totals[1].n.good, totals[1].n.tx_packet);
	/* its port is the other one, where its address is */
	assert_int_equal(totals[2].n.good, 0);
	assert_int_equal(totals[2].n.misrouted, totals[2].n.tx_packet);
	assert_int_equal(totals[2].lost_packet, totals[2].n.tx_packet);
	assert_int_equal(b.result.ports[0].good, totals[0].n.good);
	assert_int_equal(b.result.ports[0].misrouted, totals[2].n.misrouted);
	assert_int_equal(b.result.ports[1].good, totals[1].n.good);
	assert_int_equal(b.result.ports[1].misrouted, 0);
	assert_int_equal(b.verdict.summary.status, TGEN_OK);
	bench_close(&b);
}

static void two_workers_share_the_queues_of_a_port(void **state)
{
	struct plan_cpu *cpus = NULL;
	int nb = engine_cpus(&cpus);
	char words[160];
	struct bench b;

	(void)state;
	if (nb < 2) {
		free(cpus);
		bench_skip("one CPU only");
	}
	snprintf(words, sizeof(words),
		"tx-template=own,far,near,bare packet-size=60,90,1514,60 pps=1k,900,800,700 "
		"cpu-core=%u,%u",
		cpus[0].cpu, cpus[1].cpu);
	free(cpus);
	bench_open(&b, LOOP, words);
	assert_int_equal(b.plan->nb_workers, 2);
	assert_int_equal(b.plan->nb_queues, 2);
	for (unsigned i = 0; i < 2; i++) {
		bench_trial(&b, 1200 * BENCH_MS);
		bench_assert_all_back(&b);
		bench_assert_schedule(&b);
		assert_int_equal(b.nb_rows, 2);
	}
	bench_close(&b);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(streams_of_different_rates_and_sizes_all_return),
		cmocka_unit_test(a_second_trial_is_as_clean_as_the_first),
		cmocka_unit_test(packet_counts_are_exact),
		cmocka_unit_test(whichever_ends_first_of_duration_and_packet_count),
		cmocka_unit_test(a_run_without_an_end_ends_in_order_when_stopped),
		cmocka_unit_test(a_taker_of_rows_that_fails_ends_the_run),
		cmocka_unit_test(a_stop_before_sending_is_told_from_a_failure),
		cmocka_unit_test(a_next_hop_that_does_not_answer_is_named),
		cmocka_unit_test(streams_without_signature_are_counted_by_the_sender_only),
		cmocka_unit_test(ports_keep_their_frames_apart),
		cmocka_unit_test(two_workers_share_the_queues_of_a_port),
	};

	return bench_main(argc, argv, tests, NB(tests));
}
