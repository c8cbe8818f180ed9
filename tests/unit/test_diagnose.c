/* SPDX-License-Identifier: BSD-3-Clause */
/* What is told about a stream of which nothing arrived. */
#include "judge_help.h"

static void silent_init(struct world *w)
{
	world_init(w, 2);
	w->totals[0].n.good = 0;
	w->totals[0].n.tx_packet = 1234567;
	w->totals[0].n.misrouted = 3000;
	w->streams[0].asked_upps = 0;
	w->counts[0].link_changed = true;
	w->counts[0].rx_all = 40;
	w->counts[0].unknown = 11;
	w->counts[1].rx_all = 70000;
	w->counts[1].bad = 60000;
	w->counts[1].fragment = 5;
	w->counts[1].unknown = 1;
	w->unknowns[0] = (struct result_unknown){0, 1, "EtherType 0x88cc"};
	w->unknowns[1] = (struct result_unknown){0, 5, "ARP who-has 1.1.1.9"};
	w->unknowns[2] = (struct result_unknown){1, 9, "of the other port"};
	w->unknowns[3] = (struct result_unknown){0, 3, "IPv4 UDP 1.1.1.1:68"};
	w->unknowns[4] = (struct result_unknown){0, 1, "the fourth of its port"};
	w->unknowns[5] = (struct result_unknown){0, 3, "as often as another"};
	w->trial.nb_unknowns = 6;
	w->returned[0] = (struct result_returned){0, 3, 1, units_ip4(0x010101fe), 1500};
	w->returned[1] = (struct result_returned){1, 11, 0, units_ip4(0x010101fd), 9};
	w->returned[2] = (struct result_returned){0, 42, 7, units_ip4(0x01010102), 2};
	w->trial.nb_returned = 3;
}

static void a_silent_stream_is_told_with_all_that_is_known(void **state)
{
	static const char *const lines[] = {
		"stream 10 (r12) received nothing; what is known:",
		"  ARP: 1.1.1.254 is at 02:00:00:00:00:fe on ether1",
		"  1 234 567 frames accepted by the driver of ether1",
		"  3 000 of its frames arrived on another port than ether2 (misrouted)",
		"  ICMP errors: 1 500 × host unreachable from 1.1.1.254",
		"  ICMP errors: 2 × ICMP type 42 code 7 from 1.1.1.2",
		("  sending port ether1: link up (it was down meanwhile); 40 frames received, 11 "
		 "of "
		 "them unknown"),
		"    unknown: 5 × ARP who-has 1.1.1.9",
		"    unknown: 3 × IPv4 UDP 1.1.1.1:68",
		"    unknown: 3 × as often as another",
		"  receiving port ether2: link up; 70 000 frames received, 1 of them unknown, "
		"60 000 bad (wrong bytes, length or checksum), 5 fragments",
		"    unknown: 9 × of the other port",
	};
	struct proc_verdict v;
	struct world w;

	(void)state;
	silent_init(&w);
	judge(&w, &v);
	assert_int_equal(v.summary.status, TGEN_OK); /* the other stream's frames came */
	for (unsigned i = 0; i < NB(lines) && i < v.summary.nb_notes; i++)
		assert_string_equal(v.summary.notes[i], lines[i]);
	assert_int_equal(v.summary.nb_notes, NB(lines));
	proc_verdict_fini(&v);
}

static void a_link_that_stayed_down_is_told(void **state)
{
	struct proc_verdict v;
	struct world w;

	(void)state;
	world_init(&w, 2);
	received_nothing(&w);
	w.counts[1].link_up = false;
	w.streams[0].rx_port = -1;
	w.streams[0].next_hop = NULL;
	judge(&w, &v);
	assert_true(has_text(v.summary.notes, v.summary.nb_notes, "ICMP errors: none"));
	assert_true(has_text(v.summary.notes, v.summary.nb_notes, "  mac-dst as given"));
	assert_true(has_text(v.summary.notes, v.summary.nb_notes,
		"sending port ether2: link down; 0 frames received"));
	proc_verdict_fini(&v);
	w.counts[1].link_changed = true;
	judge(&w, &v);
	assert_true(has_text(v.summary.notes, v.summary.nb_notes,
		"sending port ether2: link down since some time in the run"));
	proc_verdict_fini(&v);
}

static void many_silent_streams_are_not_all_told(void **state)
{
	struct proc_verdict v;
	struct world w;
	unsigned nb = 0;

	(void)state;
	world_init(&w, NB_MANY);
	for (unsigned i = 0; i < NB_MANY; i++)
		w.totals[i].n.good = 0;
	judge(&w, &v);
	assert_int_equal(v.summary.status, TGEN_MISSED);
	for (unsigned i = 0; i < v.summary.nb_notes; i++)
		nb += strstr(v.summary.notes[i], "what is known") != NULL;
	assert_int_equal(nb, 16);
	assert_string_equal(
		v.summary.notes[v.summary.nb_notes - 1], "and 4 more streams received nothing");
	proc_verdict_fini(&v);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_silent_stream_is_told_with_all_that_is_known),
		cmocka_unit_test(a_link_that_stayed_down_is_told),
		cmocka_unit_test(many_silent_streams_are_not_all_told),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
