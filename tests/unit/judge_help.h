/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

/* What the tests of verdicts share: a clean run of two ports, which a case then spoils. */

#include "tgen/proc.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define NB(array) (sizeof(array) / sizeof((array)[0]))
#define S	  UNITS_NS_PER_S
#define PPS	  1000u
#define SECONDS	  10u
#define FRAMES	  ((uint64_t)PPS * SECONDS)
#define NB_MANY	  20 /* more silent streams than are told one by one */

/* A clean run of streams between two ports; a case changes what it is about. */
struct world {
	struct result_port ports[2];
	struct result_stream streams[NB_MANY];
	struct result_info info;
	struct result_row totals[NB_MANY];
	struct result_port_counts counts[2];
	struct result_unknown unknowns[6];
	struct result_returned returned[3];
	struct trial_result trial;
};

static inline void world_init(struct world *w, unsigned nb_streams)
{
	memset(w, 0, sizeof(*w));
	w->ports[0] = (struct result_port){.name = "ether1"};
	w->ports[1] = (struct result_port){.name = "ether2"};
	for (unsigned i = 0; i < NB_MANY; i++)
		w->streams[i] = (struct result_stream){.id = (uint16_t)(10 + i),
			.name = i == 0 ? "r12" : "r21",
			.tx_port = i % 2,
			.rx_port = i % 2 == 0,
			.asked_upps = PPS * UNITS_MICROS,
			.packet_count = UINT64_MAX,
			.next_hop = "ARP: 1.1.1.254 is at 02:00:00:00:00:fe on ether1"};
	for (unsigned i = 0; i < NB_MANY; i++)
		w->totals[i].n = (struct result_counts){.tx_packet = FRAMES, .good = FRAMES};
	w->counts[0].link_up = w->counts[1].link_up = true;
	w->info = (struct result_info){.interval_ns = S,
		.duration_ns = SECONDS * S,
		.ports = w->ports,
		.nb_ports = 2,
		.streams = w->streams,
		.nb_streams = nb_streams};
	w->trial = (struct trial_result){.send_ns = SECONDS * S,
		.conserved = true,
		.totals = w->totals,
		.nb_totals = nb_streams,
		.ports = w->counts,
		.unknowns = w->unknowns,
		.returned = w->returned};
}

static inline void judge(struct world *w, struct proc_verdict *verdict)
{
	const struct proc_limits limits = {
		.short_ppm = 1000, .lag_p99_ns = 10000000, .steal_ppm = 100000};

	memset(&w->trial.total.n, 0, sizeof(w->trial.total.n));
	for (unsigned i = 0; i < w->info.nb_streams; i++)
		result_counts_add(&w->trial.total.n, &w->totals[i].n);
	assert_int_equal(proc_quick_judge(&w->info, &w->trial, &limits, verdict), 0);
}

static inline void received_nothing(struct world *w)
{
	w->totals[0].n.good = w->totals[1].n.good = 0;
}

static inline bool has_text(const char *const *lines, unsigned nb, const char *part)
{
	for (unsigned i = 0; i < nb; i++)
		if (strstr(lines[i], part) != NULL)
			return true;
	return false;
}
