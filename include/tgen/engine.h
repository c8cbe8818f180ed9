/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>

#include "tgen/err.h"
#include "tgen/plan.h"
#include "tgen/trial.h"

/*
 * The only module that knows DPDK. One engine a process: EAL cannot be started twice.
 *
 *	engine_open	EAL, ports, the kernel kept quiet; facts for plan_size
 *	engine_resolve	link, announcement, ARP: routes of the plan get their mac_dst
 *	engine_load	pools, lanes and counters for the built plan; nothing is allocated later
 *	engine_trial	sends, receives, drains
 */
struct engine;

struct engine_options {
	bool force;	      /* take ports that carry the default route or the ssh session */
	const char *eal_args; /* more EAL words, separated by spaces; NULL: none */
	const volatile sig_atomic_t *stop; /* set by the signal handler */
};

/* Allowed CPUs of the process with their NUMA nodes; *out is freed by the caller. Number or -errno. */
int engine_cpus(struct plan_cpu **out);

struct engine *engine_open(const struct plan *plan, const struct engine_options *options,
	struct plan_facts *facts, struct err *err);
/* net_af_packet … ; valid as long as the engine. */
const char *engine_driver(const struct engine *engine, unsigned port);
/* Interrupted by the stop flag: -EINTR with err empty. */
int engine_resolve(struct engine *engine, struct plan *plan, struct err *err);
int engine_load(struct engine *engine, const struct plan *plan, struct err *err);
/* info: the names that rows are derived with. */
int engine_trial(struct engine *engine, const struct result_info *info,
	const struct trial_spec *spec, struct trial_result *result, struct err *err);
void engine_close(struct engine *engine);

struct engine_ping {
	unsigned port;
	uint32_t address;
	uint32_t count; /* 0: until stopped */
	uint64_t interval_ns, arp_timeout_ns;
	unsigned bytes; /* packet-size */
	uint8_t ttl;
	/* One call a request: rtt_ns, or UINT64_MAX for none within the interval (1 s at least). */
	void (*on_reply)(void *ctx, uint32_t seq, uint64_t rtt_ns, const struct host_echo *reply);
	void (*on_arp)(void *ctx, uint64_t mac, uint64_t rtt_ns);
	void *ctx;
};
/* Number of replies, or negative. */
int engine_ping(struct engine *engine, const struct engine_ping *ping, struct err *err);
