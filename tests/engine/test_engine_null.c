/* SPDX-License-Identifier: BSD-3-Clause */
/* A device that takes everything and gives nothing back: flat out, and what its silence means. */
#include "bench.h"

#define CONF                                                                                       \
	"{'ports': [{'name': 'hole', 'device': 'null:', 'address': ['1.1.1.1/24']}],"              \
	"'packet-templates': ["                                                                    \
	"{'name': 'signed', 'ip-dst': '9.9.9.9', 'mac-dst': '02:00:00:00:00:0a'},"                 \
	"{'name': 'quiet', 'ip-dst': '9.9.9.9', 'mac-dst': '02:00:00:00:00:0a',"                   \
	" 'special-footer': false}]}"

/* More than any schedule of this test would hold: flat out is not paced by mistake. */
#define FRAMES_AT_LEAST 1000u

static void flat_out_sends_and_silence_is_a_missed_criterion(void **state)
{
	struct bench b;

	(void)state;
	bench_open(&b, CONF, "tx-template=signed packet-size=60 pps=max drain=100ms");
	assert_true(b.plan->streams[0].flat_out);
	bench_trial(&b, 200 * BENCH_MS);
	assert_int_equal(b.verdict.summary.status, TGEN_MISSED);
	assert_true(b.verdict.summary.nb_notes > 0);
	assert_true(b.result.total.n.tx_packet > FRAMES_AT_LEAST);
	assert_int_equal(b.result.total.lost_packet, b.result.total.n.tx_packet);
	assert_int_equal(b.result.send_ns, 200 * BENCH_MS);
	bench_assert_rows_are_totals(&b);
	bench_assert_conserved(&b);
	bench_close(&b);
}

static void flat_out_without_signature_is_done_when_sent(void **state)
{
	struct bench b;

	(void)state;
	bench_open(&b, CONF, "tx-template=quiet,quiet packet-size=60,1514 pps=max");
	bench_trial(&b, 200 * BENCH_MS);
	assert_int_equal(b.verdict.summary.status, TGEN_OK);
	for (unsigned i = 0; i < 2; i++)
		assert_true(b.result.totals[i].n.tx_packet > FRAMES_AT_LEAST);
	assert_int_equal(b.result.total.lost_packet, 0);
	bench_assert_rows_are_totals(&b);
	bench_assert_conserved(&b);
	bench_close(&b);
}

static void flat_out_with_a_packet_count_sends_exactly_that(void **state)
{
	struct bench b;

	(void)state;
	bench_open(&b, CONF,
		"tx-template=quiet,quiet,quiet packet-size=60,60,1514 pps=max "
		"packet-count=100000,7,33");
	bench_trial(&b, 0);
	assert_int_equal(b.verdict.summary.status, TGEN_OK);
	assert_int_equal(b.result.totals[0].n.tx_packet, 100000);
	assert_int_equal(b.result.totals[1].n.tx_packet, 7);
	assert_int_equal(b.result.totals[2].n.tx_packet, 33);
	bench_close(&b);
}

static void a_paced_stream_keeps_its_rate_beside_one_that_is_flat_out(void **state)
{
	struct bench b;

	(void)state;
	bench_open(&b, CONF, "tx-template=quiet,quiet packet-size=60,60 pps=max,1k");
	bench_trial(&b, 500 * BENCH_MS);
	assert_true(b.result.totals[0].n.tx_packet > FRAMES_AT_LEAST);
	assert_true(b.result.totals[1].n.tx_packet >= 499);
	assert_true(b.result.totals[1].n.tx_packet <= 501);
	bench_close(&b);
}

static void a_port_with_a_speed_is_asked_for_that_and_no_more(void **state)
{
	struct bench b;

	(void)state;
	bench_open(&b,
		"{'ports': [{'name': 'hole', 'device': 'null:', 'speed': '1M'}],"
		"'packet-templates': [{'name': 'bare', 'header-stack': ['mac'],"
		" 'mac-dst': '02:00:00:00:00:0a', 'special-footer': false}]}",
		"tx-template=bare,bare packet-size=60,1514 pps=max");
	bench_trial(&b, 1000 * BENCH_MS);
	bench_assert_schedule(&b);
	/* half of a Mbit/s each: 84 and 1538 bytes a frame on the wire */
	assert_int_equal(b.result.totals[0].n.tx_packet / 2, 744 / 2);
	assert_true(b.result.totals[1].n.tx_packet >= 40 && b.result.totals[1].n.tx_packet <= 41);
	bench_close(&b);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(flat_out_sends_and_silence_is_a_missed_criterion),
		cmocka_unit_test(flat_out_without_signature_is_done_when_sent),
		cmocka_unit_test(flat_out_with_a_packet_count_sends_exactly_that),
		cmocka_unit_test(a_paced_stream_keeps_its_rate_beside_one_that_is_flat_out),
		cmocka_unit_test(a_port_with_a_speed_is_asked_for_that_and_no_more),
	};

	return bench_main(argc, argv, tests, NB(tests));
}
