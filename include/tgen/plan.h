/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "tgen/conf.h"
#include "tgen/err.h"
#include "tgen/host.h"
#include "tgen/pkt.h"
#include "tgen/sched.h"
#include "tgen/units.h"

/*
 * What will be done, decided before anything is sent, in steps that follow what is known:
 *
 *	plan_new	from the configuration and the command: ports, streams, routes, core use
 *	plan_size	with what each device is (MTU, speed, MAC): sizes, rates, caps, lanes
 *	plan_build	with the answers to ARP: the frames
 *
 * Pure: no I/O, no DPDK. The plan is immutable during a trial.
 */

#define PLAN_MAX_PORTS	 64u
#define PLAN_MAX_STREAMS 65535u
#define PLAN_MAX_QUEUES	 16u /* a port */

/* Packets per second as an exact fraction. */
struct plan_rate {
	uint64_t num, den; /* num / den pps; den > 0 */
};

struct plan_port {
	const struct opt_set *conf;
	const char *name;
	const char *device; /* KIND:ARG as written */
	struct host_addr *addrs;
	unsigned nb_addrs;
	uint64_t mac;	    /* configured; after plan_size: the one in use */
	uint32_t mtu;	    /* 0: not known yet */
	uint64_t speed_bps; /* 0: none that means anything */
};

/* What a device turned out to be; index as in plan.ports. */
struct plan_facts {
	uint64_t mac;
	uint32_t mtu;
	uint64_t speed_bps; /* 0: no figure, or a nominal one */
	int numa_node;	    /* -1: none */
	uint16_t nb_queues; /* rx and tx queue pairs that were set up */
};

enum plan_next_hop {
	PLAN_HOP_GIVEN,	    /* mac-dst of the template */
	PLAN_HOP_MULTICAST, /* made of ip-dst (RFC 1112), or broadcast */
	PLAN_HOP_ARP,	    /* the answer of next_hop to ARP or neighbour discovery */
	PLAN_HOP_REPLY,	    /* from where the frames came that this stream answers */
};

/* What a stream that answers another one learned of its flows; host order. */
struct plan_reply {
	int32_t stream;	       /* the one it answers; -1: none */
	uint32_t nb;	       /* flows: the period of that stream's frame */
	uint64_t *ips, *ports; /* where each flow's frames came from; port 0: not learned yet */
	uint64_t mac;	       /* of the frames that came */
};

/* Where a template's frames leave, and to whom. */
struct plan_route {
	uint16_t tx_port;
	int32_t rx_port; /* -1: the first port on which a frame arrives */
	enum plan_next_hop hop;
	struct units_ip next_hop; /* PLAN_HOP_ARP */
	uint64_t mac_dst;	  /* known unless PLAN_HOP_ARP */
	struct host_vlan vlan;	  /* of the template's tags: the next hop is asked within them */
	/* assumed for the template; none: no address, or the port's link-local one */
	struct units_ip ip_src, ip6_src;
};

/* What a rate was given in. */
enum plan_unit { PLAN_BPS, PLAN_UPPS, PLAN_PERCENT };

/* A rate over time as it was written: sched's points, not yet packets a second. */
struct plan_profile {
	bool linear; /* else steps */
	unsigned nb; /* 0: none */
	struct plan_profile_point {
		uint64_t at_ns; /* rising; the first is 0 */
		enum plan_unit unit;
		uint64_t value; /* bit/s, micro-pps, millionths of a percent */
	} * points;
};

struct plan_stream {
	uint16_t id;
	const char *name;	    /* of the stream object; without one of its template */
	const struct opt_set *conf; /* the stream object; NULL: a template alone */
	const struct opt_set *tmpl;
	struct plan_route route;

	/* as asked for */
	const char *size_text; /* of pkt_sizes_parse */
	bool size_with_fcs;    /* frame-size */
	bool size_in_conf;     /* the object says so, not the command */
	uint64_t seed;
	/* One of them is not 0, or there is a profile; want_upps UINT64_MAX: max. */
	uint64_t want_bps, want_upps, want_percent;
	uint64_t share_num, share_den; /* of it: the weight in a total; else 1 of 1 */
	bool of_total;		       /* a word total-… gave the rate */
	struct plan_profile profile;
	uint64_t start_delay_ns;
	int32_t after;			 /* the stream that must have ended; -1: none */
	const struct opt_slot *cpu_core; /* CPUs of the object; NULL: any */
	bool is_answered;		 /* its flows are learned before the run */

	/* after plan_size */
	struct pkt_sizes sizes; /* the plan's; streams of the same sizes share the arrays */
	uint32_t size;		/* the largest; before plan_size 0: depends on the MTU */
	uint32_t layer_bytes;	/* what a packet of that size counts for in Mbit/s */
	uint64_t layer_sum;	/* the same of all packets of a period of sizes */
	/* configured: mean rate; asked: capped to the line */
	struct plan_rate configured, asked;
	/*
	 * When its frames leave; a plain one is `asked` from the start, flat out when its rate is 0.
	 * Of bursts the rate is that within them.
	 */
	struct sched sched;
	bool flat_out;	       /* pps=max with no known line: no schedule */
	bool transmit_only;    /* special-footer=no */
	uint64_t packet_count; /* UINT64_MAX: unlimited; all bursts */
	struct plan_reply reply;
	uint64_t lat_minus_ns; /* from FILO to the plan's latency type: serialisation in and out */
	struct pkt_frame frame;
};

/* One rx and one tx queue of a port, owned by one worker. */
struct plan_queue {
	uint16_t port, queue, worker;
};

/* One (stream, tx queue) pair with a sequence of its own; its index is on the wire. */
struct plan_lane {
	uint16_t stream;
	uint16_t queue; /* index of plan.queues */
	uint16_t index,
		nb; /* this is lane `index` of the stream's nb; lanes are grouped by stream */
	uint64_t packet_count; /* its share */
};

struct plan_cpu {
	unsigned cpu;
	int numa_node; /* -1: unknown */
};

struct plan {
	struct plan_port *ports;
	unsigned nb_ports;
	struct plan_stream *streams;
	unsigned nb_streams;
	struct plan_cpu *workers; /* CPUs of the workers */
	unsigned nb_workers;
	struct plan_queue *queues; /* grouped by port */
	unsigned nb_queues;
	struct plan_lane *lanes;
	unsigned nb_lanes;
	uint8_t test_id;
	bool measure_order;
	enum rate_layer layer;
	enum conf_idle idle;
	uint64_t duration_ns; /* 0: until stopped */
	uint64_t interval_ns, grace_ns, drain_ns, arp_timeout_ns;
	unsigned latency_type; /* enum latency_type of result.h */
	enum conf_verify verify_checksum;
	bool verify_data, measure_intended;
	struct plan_mixes *mixes; /* sizes that streams share */
	char **notes;		  /* what the user should be told: capped … */
	unsigned nb_notes;
};

/*
 * quick: words of the command; conf: the file; cpus: those the process may use (at least one). The
 * streams are those that quick names, else one for each of its templates, else the enabled ones of the
 * file; its words go before theirs. The words need not outlive the call, the file must.
 * NULL with err; every error of words, names, lists and routes is found here, before any device is
 * touched. cpu-core= of quick chooses among cpus; else all but one work (the one itself when alone), and those
 * that streams name.
 */
struct plan *plan_new(const struct conf *conf, const struct opt_set *quick,
	const struct plan_cpu *cpus, unsigned nb_cpus, struct err *err);
/* Ports only, for ping and the like. name NULL: all that are not disabled. */
struct plan *plan_new_ports(const struct conf *conf, const char *name, const struct plan_cpu *cpus,
	unsigned nb_cpus, struct err *err);
void plan_free(struct plan *plan);

/*
 * Queue pairs each port should be opened with: 1 while workers are fewer than ports, then shared
 * out; max_queues[i] is what the device can.
 */
void plan_queues_wanted(const struct plan *plan, const uint16_t *max_queues, uint16_t *wanted);
int plan_size(struct plan *plan, const struct plan_facts *facts, struct err *err);
/* Frames of the streams that answer nobody, then (after learning) of those that do. */
int plan_build(struct plan *plan, struct err *err);
int plan_build_replies(struct plan *plan, struct err *err);
/* Whether a stream's flows must be learned before the run. */
bool plan_is_answered(const struct plan *plan, unsigned stream);

/* The route of a template; port: quick's port= or NULL. For plan_new and for `print`. */
int plan_route(const struct plan_port *ports, unsigned nb_ports, const struct opt_set *tmpl,
	const char *port, struct plan_route *out, struct err *err);

/* ---- pure parts, tested on their own ---- */

/*
 * Shares queue pairs among workers: each goes to the least loaded worker of the port's NUMA node
 * (any node, when that has none), in order of ports. worker[i] for queue i.
 */
void plan_assign_workers(const struct plan_queue *queues, unsigned nb_queues, const int *port_nodes,
	const struct plan_cpu *cpus, unsigned nb_cpus, uint16_t *worker);

/*
 * Scales the mean rates of one port's streams, whose mean load of the wire at the worst moment is
 * load (plan_wire_load's sums), so that it fits speed_bps, all in the same proportion. Returns true
 * when it had to.
 */
bool plan_cap(struct plan_stream *const *streams, unsigned nb, unsigned __int128 load,
	uint64_t speed_bps);
/* A stream's asked rate on the wire in 2^-32 bit/s, rounded up. */
unsigned __int128 plan_wire_load(const struct plan_stream *s);

/*
 * `[steps:|linear:]TIME=RATE+TIME=RATE…`, RATE: a number with mbps, pps (and k, M, G) or %, or 0.
 * 0 (plan_profile_fini then), -ENOMEM, or -EINVAL with what is wrong, without a place.
 */
int plan_profile_parse(const char *item, struct plan_profile *out, struct err *err);
void plan_profile_fini(struct plan_profile *profile);

/*
 * A stream object on its own, as conf_kind.check: one value each, and what contradicts itself.
 */
int plan_stream_check(const struct opt_set *stream, struct err *err);

/* Frames a second that the streams may ask for together, roughly; before plan_size. */
uint64_t plan_guess_pps(const struct plan *plan);

/* A fraction in micro-pps, rounded down. */
uint64_t plan_rate_upps(struct plan_rate rate);
