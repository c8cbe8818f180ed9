/* SPDX-License-Identifier: BSD-3-Clause */
/* What a quick run's trial means: its status, and why a generator was not clean. */
#include "judge_help.h"

static void sent_set(struct world *w, uint64_t first, uint64_t second)
{
	w->totals[0].n.tx_packet = w->totals[0].n.good = first;
	w->totals[1].n.tx_packet = w->totals[1].n.good = second;
}

static void clean(struct world *w)
{
	(void)w;
}

static void loss(struct world *w)
{
	w->totals[0].n.good = 1;
	w->totals[1].n.good = 0;
}

static void one_frame_short(struct world *w)
{
	sent_set(w, FRAMES - 1, FRAMES);
}

static void one_of_few_short(struct world *w)
{
	w->trial.send_ns = S / 100; /* ten frames asked for */
	sent_set(w, 9, 10);
}

static void two_of_few_short(struct world *w)
{
	w->trial.send_ns = S / 100;
	sent_set(w, 8, 10);
}

static void within_a_thousandth(struct world *w)
{
	sent_set(w, FRAMES - FRAMES / 1000, FRAMES);
}

static void over_a_thousandth(struct world *w)
{
	sent_set(w, FRAMES - FRAMES / 1000 - 1, FRAMES);
}

static void one_of_five_hundred_short(struct world *w)
{
	sent_set(w, FRAMES - FRAMES / 500, FRAMES);
	w->trial.health.lag.max = 12000000;
}

static void left_late(struct world *w)
{
	w->trial.health.lag.p99 = 12000000;
}

static void left_late_enough(struct world *w)
{
	w->trial.health.lag.p99 = 10000000;
}

static void stolen(struct world *w)
{
	w->trial.health.steal_known = true;
	w->trial.health.cpu_ns = 1000;
	w->trial.health.steal_ns = 101;
}

static void stolen_within_the_limit(struct world *w)
{
	stolen(w);
	w->trial.health.steal_ns = 100;
}

static void another_generator(struct world *w)
{
	w->trial.foreign = 1;
}

static void interface_deleted(struct world *w)
{
	w->counts[1].gone = true;
}

static void interface_sent_fewer(struct world *w)
{
	w->counts[0].tx_kernel_short = 138;
}

static void half_duplex(struct world *w)
{
	w->counts[0].duplex = RESULT_DUPLEX_HALF;
}

static void queue_full(struct world *w)
{
	one_of_five_hundred_short(w);
	w->trial.health.queue_full = 7;
}

static const struct result_worker cores[] = {
	{.cpu = 4, .ports = 1, .tx_ticks = 999, .idle_ticks = 1},
	{.cpu = 5, .ports = 2, .tx_ticks = 949, .idle_ticks = 51},
	{.cpu = 6, .ports = 3, .tx_ticks = 500, .rx_ticks = 500},
};

static void core_full(struct world *w)
{
	one_of_five_hundred_short(w);
	w->trial.health.workers = cores;
	w->trial.health.nb_workers = 3;
}

static void core_full_misses(struct world *w)
{
	core_full(w);
	sent_set(w, FRAMES, FRAMES);
	w->counts[1].rx_missed = 3;
}

static void core_full_kernel_drops(struct world *w)
{
	core_full(w);
	sent_set(w, FRAMES, FRAMES);
	w->counts[0].rx_kernel_dropped = 3;
}

static void link_lost(struct world *w)
{
	one_of_five_hundred_short(w);
	w->trial.health.queue_full = 7;
	w->trial.undelivered = 20;
}

static void few_unsent(struct world *w)
{
	within_a_thousandth(w);
	w->totals[0].n.unsent = FRAMES / 1000;
}

static void few_unsent_queue_full(struct world *w)
{
	few_unsent(w);
	w->trial.health.queue_full = 3;
}

static void many_unsent(struct world *w)
{
	one_of_five_hundred_short(w);
	w->totals[0].n.unsent = FRAMES / 500;
}

static void sent_nothing(struct world *w)
{
	sent_set(w, 0, 0);
}

static void sent_nothing_of_one(struct world *w)
{
	sent_set(w, FRAMES, 0);
}

static void received_nothing_and_short(struct world *w)
{
	one_of_five_hundred_short(w);
	received_nothing(w);
}

static void transmit_only(struct world *w)
{
	received_nothing(w);
	w->streams[0].transmit_only = w->streams[1].transmit_only = true;
}

static void one_transmit_only(struct world *w)
{
	received_nothing(w);
	w->streams[0].transmit_only = true;
}

static void kernel_drops(struct world *w)
{
	w->counts[1].rx_kernel_dropped = 5;
}

static void driver_misses(struct world *w)
{
	w->counts[0].rx_missed = 3;
}

static void not_conserved(struct world *w)
{
	w->trial.conserved = false;
}

static void interrupted(struct world *w)
{
	w->trial.interrupted = true;
	w->trial.send_ns = S;
	sent_set(w, PPS, PPS);
}

static void interrupted_and_short(struct world *w)
{
	interrupted(w);
	sent_set(w, PPS - 10, PPS);
}

static void packet_count_sent(struct world *w)
{
	w->streams[0].packet_count = w->streams[1].packet_count = 100;
	sent_set(w, 100, 100);
}

static void packet_count_missed(struct world *w)
{
	packet_count_sent(w);
	sent_set(w, 100, 90);
}

static void flat_out(struct world *w)
{
	w->streams[0].flat_out = w->streams[1].flat_out = true;
	w->streams[0].asked_upps = w->streams[1].asked_upps = 0;
	w->trial.health.queue_full = 100000;
	sent_set(w, 123456, 1);
}

static void flat_out_interrupted(struct world *w)
{
	flat_out(w);
	w->trial.interrupted = true;
	w->streams[0].packet_count = w->streams[1].packet_count = 200000;
}

static void clocks_differ(struct world *w)
{
	w->totals[1].n.lat_negative = 6;
}

static const struct {
	const char *what;
	void (*change)(struct world *w);
	enum tgen_status status;
	const char *reason; /* a part of the one reason; NULL: clean */
	const char *note;   /* a part of a note; NULL: none at all */
} verdicts[] = {
	{"all well", clean, TGEN_OK, NULL, NULL},
	{"loss is the device's", loss, TGEN_OK, NULL, "stream 11 (r21) received nothing"},
	{"one frame short", one_frame_short, TGEN_OK, NULL, NULL},
	{"one of ten short", one_of_few_short, TGEN_OK, NULL, NULL},
	{"two of ten short", two_of_few_short, TGEN_INVALID,
		"sent 18 of the 20 frames asked for (short by 10.000%; on 1 of 2 streams)", NULL},
	{"a thousandth short", within_a_thousandth, TGEN_OK, NULL, NULL},
	{"more than a thousandth short", over_a_thousandth, TGEN_INVALID, "sent 19 989 of the",
		NULL},
	{"0.2 % short", one_of_five_hundred_short, TGEN_INVALID,
		"sent 19 980 of the 20 000 frames asked for (short by 0.100%; on 1 of 2 streams): "
		"the generator's core",
		NULL},
	{"0.2 % short: how late", one_of_five_hundred_short, TGEN_INVALID,
		"; frames left up to 12ms after their time", NULL},
	{"0.2 % short: by which cores", core_full, TGEN_INVALID,
		"after their time; no time left on CPU 4 (busy 99.900%) and 6 (busy 100.000%)",
		NULL},
	{"missed by a full core", core_full_misses, TGEN_INVALID,
		"port ether2: its driver missed 3 received frames, which are not the device's "
		"loss; "
		"lower the rate or give tgen more cores; no time left on CPU 6 (busy 100.000%)",
		NULL},
	{"dropped before a full core", core_full_kernel_drops, TGEN_INVALID,
		"give tgen more cores; no time left on CPU 4 (busy 99.900%) and 6 (busy 100.000%)",
		NULL},
	{"late at P99", left_late, TGEN_INVALID,
		"1 % of the frames left more than 12ms after their time (max-lag=10ms)", NULL},
	{"late within the limit", left_late_enough, TGEN_OK, NULL, NULL},
	{"steal", stolen, TGEN_INVALID, "the hypervisor took 10.100% of the workers' CPU time",
		NULL},
	{"steal within the limit", stolen_within_the_limit, TGEN_OK, NULL, NULL},
	{"same test-id", another_generator, TGEN_INVALID, "another generator uses test-id", NULL},
	{"interface gone", interface_deleted, TGEN_DEVICE, "port ether2: its interface is gone",
		NULL},
	{"interface dropped", interface_sent_fewer, TGEN_INVALID,
		"port ether1: its interface sent 138 frames fewer than it was given", NULL},
	{"half duplex", half_duplex, TGEN_OK, NULL, "port ether1: its link is half duplex"},
	{"queue full", queue_full, TGEN_INVALID, "the driver's queue was full", NULL},
	{"link lost", link_lost, TGEN_INVALID,
		"frames stayed in the port's ring, its link was down",
		"20 frames that a driver accepted were never sent"},
	{"one stream sent nothing", sent_nothing_of_one, TGEN_INVALID, "on 1 of 2 streams", NULL},
	{"nothing came", received_nothing, TGEN_MISSED, NULL, "stream 10 (r12) received nothing"},
	{"nothing came, sending unclean", received_nothing_and_short, TGEN_INVALID, "short by",
		"stream 10 (r12) received nothing"},
	{"transmit only", transmit_only, TGEN_OK, NULL, NULL},
	{"one of two transmit only", one_transmit_only, TGEN_MISSED, NULL,
		"stream 11 (r21) received nothing"},
	{"the kernel dropped", kernel_drops, TGEN_INVALID,
		"port ether2: the kernel dropped 5 received frames", NULL},
	{"the driver missed", driver_misses, TGEN_INVALID,
		"port ether1: its driver missed 3 received frames", NULL},
	{"not conserved", not_conserved, TGEN_INVALID,
		"the classes of received frames do not add up", NULL},
	{"interrupted", interrupted, TGEN_OK, NULL, NULL},
	{"interrupted and short", interrupted_and_short, TGEN_INVALID, "sent 1 990 of the 2 000",
		NULL},
	{"packet-count", packet_count_sent, TGEN_OK, NULL, NULL},
	{"packet-count missed", packet_count_missed, TGEN_INVALID, "sent 190 of the 200", NULL},
	{"flat out", flat_out, TGEN_OK, NULL, NULL},
	{"flat out, stopped before packet-count", flat_out_interrupted, TGEN_OK, NULL, NULL},
	{"clocks differ", clocks_differ, TGEN_OK, NULL, "6 frames seem to have arrived before"},
	{"a few unsent", few_unsent, TGEN_OK, NULL,
		"10 frames of the schedule were not sent, within the limit: the generator's core"},
	{"a few unsent, queue full", few_unsent_queue_full, TGEN_OK, NULL,
		"within the limit: the driver's queue was full"},
	{"many unsent", many_unsent, TGEN_INVALID, "short by", NULL},
};

static void verdicts_are_those_documented(void **state)
{
	(void)state;
	for (unsigned i = 0; i < NB(verdicts); i++) {
		struct proc_verdict v;
		struct world w;

		world_init(&w, 2);
		verdicts[i].change(&w);
		judge(&w, &v);
		if (v.summary.status != verdicts[i].status)
			fail_msg("%s: status %d", verdicts[i].what, v.summary.status);
		assert_int_equal(v.summary.clean, verdicts[i].reason == NULL);
		if (v.summary.nb_reasons != (verdicts[i].reason != NULL))
			fail_msg("%s: %u reasons", verdicts[i].what, v.summary.nb_reasons);
		if (verdicts[i].reason != NULL &&
			strstr(v.summary.reasons[0], verdicts[i].reason) == NULL)
			fail_msg("%s: %s", verdicts[i].what, v.summary.reasons[0]);
		if (verdicts[i].note == NULL && v.summary.nb_notes != 0)
			fail_msg("%s: %s", verdicts[i].what, v.summary.notes[0]);
		if (verdicts[i].note != NULL &&
			!has_text(v.summary.notes, v.summary.nb_notes, verdicts[i].note))
			fail_msg("%s: no note \"%s\"", verdicts[i].what, verdicts[i].note);
		proc_verdict_fini(&v);
	}
}

static void nothing_sent_is_an_invalid_run_that_says_so(void **state)
{
	struct proc_verdict v;
	struct world w;

	(void)state;
	world_init(&w, 2);
	sent_nothing(&w);
	judge(&w, &v);
	assert_int_equal(v.summary.status, TGEN_INVALID);
	assert_string_equal(v.summary.reasons[0], "nothing was sent");
	assert_int_equal(v.summary.nb_notes, 0); /* silence is no wonder */
	proc_verdict_fini(&v);
}

static void the_limit_of_being_short_is_the_callers(void **state)
{
	const struct proc_limits loose = {.short_ppm = 10000};
	struct proc_verdict v;
	struct world w;

	(void)state;
	world_init(&w, 2);
	one_of_five_hundred_short(&w);
	w.trial.total.n.tx_packet = w.trial.total.n.good = 2 * FRAMES;
	assert_int_equal(proc_quick_judge(&w.info, &w.trial, &loose, &v), 0);
	assert_true(v.summary.clean);
	proc_verdict_fini(&v);
}

static void the_summary_holds_the_trials_figures(void **state)
{
	struct proc_verdict v;
	struct world w;

	(void)state;
	world_init(&w, 2);
	interrupted(&w);
	w.trial.health.lag.max = 81000;
	w.trial.health.queue_full = 4;
	w.trial.nb_unknowns = 2;
	w.trial.nb_returned = 1;
	judge(&w, &v);
	assert_true(v.summary.interrupted);
	assert_int_equal(v.summary.health.lag.max, 81000);
	assert_int_equal(v.summary.health.queue_full, 4);
	assert_int_equal(v.summary.send_ns, S);
	assert_int_equal(v.summary.nb_unknowns, 2);
	assert_int_equal(v.summary.nb_returned, 1);
	assert_ptr_equal(v.summary.ports, w.counts);
	assert_ptr_equal(v.summary.unknowns, w.unknowns);
	assert_ptr_equal(v.summary.returned, w.returned);
	proc_verdict_fini(&v);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(verdicts_are_those_documented),
		cmocka_unit_test(nothing_sent_is_an_invalid_run_that_says_so),
		cmocka_unit_test(the_limit_of_being_short_is_the_callers),
		cmocka_unit_test(the_summary_holds_the_trials_figures),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
