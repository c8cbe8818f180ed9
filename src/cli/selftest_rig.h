/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "cli.h"
#include "tgen/names.h"
#include "tgen/conf.h"
#include "tgen/trial.h"

/*
 * The loop of a selftest: one stream from the first port to the last, the only one it may be. Its
 * configuration is made in memory; every trial has a plan of its own, EAL starts once.
 */
struct selftest_rig {
	const struct cli *cli;
	const struct opt_set *words; /* of selftest */
	struct engine_options options;
	struct conf *user; /* whose ports are tested; NULL: a ring of its own */
	struct conf *conf;
	struct plan *opened; /* all sizes: what the engine was opened for */
	struct plan *plan;   /* of the last trial */
	struct engine *engine;
	struct plan_facts facts[2];
	struct run_names names; /* of the last trial */
	struct result_port_counts counts[2];
	uint32_t packet_size; /* of the next trials */
	unsigned tx, rx;      /* ports */
};

/* 0 or negative with err; -EINTR with err empty. The rig is to be closed in any case. */
int selftest_rig_open(struct selftest_rig *rig, const struct cli *cli, const struct opt_set *words,
	struct err *err);
/* A runner whose trials send packets of rig.packet_size; names and counts are then of its last. */
struct runner selftest_rig_runner(struct selftest_rig *rig);
void selftest_rig_close(struct selftest_rig *rig);
