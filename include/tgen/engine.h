/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tgen/err.h"
#include "tgen/plan.h"
#include "tgen/trial.h"

/*
 * The only module that knows DPDK. One engine a process: EAL cannot be started twice.
 *
 *	engine_open	EAL, ports, the kernel kept quiet; facts for plan_size
 *	engine_resolve	link, announcement, ARP and ND: routes of the plan get their mac_dst
 *	engine_learn	flows that another stream answers (NAT)
 *	engine_load	pools, lanes and counters for the built plan; nothing is allocated later
 *	engine_trial	sends, receives, drains
 */
struct engine;

struct engine_options {
	bool force;	      /* take ports that carry the default route or the ssh session */
	const char *eal_args; /* more EAL words, separated by spaces; NULL: none */
	const volatile sig_atomic_t *stop; /* set by the signal handler */
};

/*
 * Whether a port can be made of device (`auto:ether1`), as far as its first word tells. known: the
 * forms there are.
 */
bool engine_device_known(const char *device, char *known, size_t size);
/* Allowed CPUs of the process with their NUMA nodes; *out is freed by the caller. Number or -errno. */
int engine_cpus(struct plan_cpu **out);

/* ---- what can be told without opening anything ---- */

enum engine_source { ENGINE_ASSUMED, ENGINE_CONFIGURED, ENGINE_OF_DEVICE };

/* A port as it will most likely be; facts.speed_bps 0: not known. */
struct engine_guess {
	struct plan_facts facts;
	enum engine_source mac, mtu, speed;
};

/* out: one a port of the plan, for plan_size. An error when a device is none that there could be. */
int engine_guess_ports(const struct plan *plan, struct engine_guess *out, struct err *err);

struct engine_needs {
	uint64_t eal_mb;			/* DPDK's: buffers */
	uint64_t counter_bytes;			/* lanes, counters, histograms */
	uint64_t available_bytes, hugepages_mb; /* of the machine, now */
};
/* Of a sized plan and the guesses it was sized with. 0 or -ENOMEM. */
int engine_needs_of(
	const struct plan *plan, const struct engine_guess *guesses, struct engine_needs *out);

/* ---- the engine ---- */

struct engine *engine_open(const struct plan *plan, const struct engine_options *options,
	struct plan_facts *facts, struct err *err);
/* `DPDK 22.11.0` */
const char *engine_dpdk_version(void);
/* net_af_packet … ; valid as long as the engine. */
const char *engine_driver(const struct engine *engine, unsigned port);
/* Interrupted by the stop flag: -EINTR with err empty. */
int engine_resolve(struct engine *engine, struct plan *plan, struct err *err);
/*
 * Sends one frame of every flow that another stream answers, and notes in that stream's reply where
 * it came from. An error when a flow does not arrive. Does nothing without such streams.
 */
int engine_learn(struct engine *engine, struct plan *plan, struct err *err);
/*
 * Replaces what was loaded before. Later plans have the ports, the workers and no other packet sizes
 * than the plan of engine_open: its memory is all there is.
 */
int engine_load(struct engine *engine, const struct plan *plan, struct err *err);
/* info: the names that rows are derived with. */
int engine_trial(struct engine *engine, const struct result_info *info,
	const struct trial_spec *spec, struct trial_result *result, struct err *err);
void engine_close(struct engine *engine);

/* Answers ARP, ND and echo for a time, between trials; returns early when the user stops. */
void engine_idle(struct engine *engine, uint64_t ns);

struct engine_ping {
	unsigned port;
	struct units_ip address;
	struct host_vlan vlan;
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

/* What became of the frames of one port; rx = reflected + answered + ignored + dropped. */
struct engine_reflect_counts {
	uint64_t rx;
	uint64_t reflected; /* sent back */
	uint64_t answered;  /* ARP, ND and echo requests to the port, answered */
	uint64_t ignored;   /* not to be sent back */
	uint64_t dropped;   /* to be sent back or answered, but not taken by the driver */
	uint64_t rx_missed; /* lost before they were read by us; known at the end */
};

struct engine_reflect {
	uint64_t duration_ns;  /* 0: until stopped */
	uint64_t packet_count; /* frames to send back, exactly; UINT64_MAX: unlimited */
	bool only_test; /* test frames to any station; otherwise all frames to the port's MAC */
	uint8_t test_id;
	/* Once a second, with the counts of each port so far. */
	void (*on_second)(
		void *ctx, const struct engine_reflect_counts *ports, uint64_t elapsed_ns);
	void *ctx;
};
/*
 * Sends frames back until the time is over, the count is reached or the user stops; the plan has
 * its queues (plan_size). out: one a port. Blocks.
 */
int engine_reflect(struct engine *engine, const struct engine_reflect *spec,
	struct engine_reflect_counts *out, struct err *err);
