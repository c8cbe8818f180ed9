/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "worker.h"

/*
 * Up to this many streams every interval row has a latency histogram of its own (31 KiB each, four
 * epochs); beyond, there is one of all streams (four epochs a queue) and of each stream the trial's.
 */
#define LOAD_INTERVAL_HIST_STREAMS 1024u

#define LOAD_CATCH_UP_NS 100000000ull /* frames later than this are given up */

/* Environment: asks for one form of the sender's inner loops instead of the best (tests). */
#define LOAD_TX_FORM_ENV "TGEN_TX_FORM"

/* What a lane takes in a struct tx_many. */
#define LOAD_MANY_LANE_BYTES (TX_LINE + 2 * sizeof(uint64_t) + sizeof(uint16_t))

struct load_pool {
	struct rte_mempool *pool;
	struct pkt_frame frame; /* one of those whose payload it holds; of its own memory */
	uint8_t *whole;		/* a whole frame's payload */
	unsigned socket;
};

/* Everything a plan needs for its trials; made once, used by every trial. */
struct load {
	struct tx_lane *lanes;	     /* plan.nb_lanes */
	_Atomic uint64_t **seqs;     /* of each lane: tx_lane_seq */
	struct worker_queue *queues; /* nb_queues */
	unsigned nb_queues;	     /* of the plan, which may be gone before the load is */
	struct worker *workers;	     /* plan.nb_workers */
	struct trial_shared shared;
	uint8_t *steps;		    /* of all lanes whose frames vary, one after the other */
	struct tx_walk *walks;	    /* of lanes with a schedule of their own */
	unsigned nb_walks;	    /* in use */
	const struct tx_fill *fill; /* the form of the inner loops that this CPU gets */
	uint32_t *first_lane;	    /* of each stream */
	int32_t *rx_port;
	_Atomic int32_t *first_port;
	struct pkt_quote *quotes;
	struct host_if *hosts;
	/* main's own: what is derived and handed out */
	struct result_row *rows;   /* nb_streams + 1 */
	struct result_row *totals; /* nb_streams */
	struct hist *sums; /* of each stream: collected intervals; none with too many streams */
	struct hist *hist_one, *hist_sum, *hist_detail;
	uint64_t *undelivered, *undelivered_byte; /* of each lane */
	uint64_t *sent_byte; /* of each lane whose frames have several sizes: in collected rows */
	struct result_port_counts *ports;
	struct result_worker *use;     /* nb_workers */
	struct trial_port *port_rows;  /* of one interval */
	const struct trial_spec *spec; /* of the trial that runs: who takes its intervals */
	struct result_unknown *unknowns;
	struct result_returned *returned;
};

/* MiB that EAL must have for the pools of a plan whose sizes may not be known yet. */
uint64_t load_eal_mb(const struct plan *plan, const struct engine_port *ports);
/* Bytes that the counters of a sized plan take. */
size_t load_counter_bytes(const struct plan *plan);
struct load *load_new(struct engine *engine, const struct plan *plan, struct err *err);
void load_free(struct load *load);
/* load_mem.c: everything that load points at; whether there is enough for it. */
int load_memory(struct engine *engine, struct load *load);
int load_memory_check(const struct plan *plan, struct err *err);
/* Room for where a lane is in the values of a frame's fields. */
static inline size_t load_steps_bytes(const struct pkt_frame *frame)
{
	return frame->nb_mods == 0
		       ? 0
		       : offsetof(struct pkt_steps, mod) + frame->nb_mods * sizeof(struct pkt_step);
}
/* load_pool.c: index of the pool with a frame's payload, made when there is none; -ENOMEM. */
int load_pool_get(
	struct engine *engine, const struct pkt_frame *frame, unsigned socket, struct err *err);
/* load_tx.c: whether a stream's lanes have schedules of their own. */
bool load_lane_walks(const struct plan_stream *s);
/* lanes with their frames, classes with their pools. */
int load_lanes(struct engine *engine, struct load *load, struct err *err);
/* The pools of all loads; no port may hold their buffers any more. */
void load_pools_free(struct engine *engine);
/* Zeroes what belongs to one trial; sequences go on. */
void load_reset(struct engine *engine);
/* Puts every class at the start of its schedule. */
void load_schedule(struct engine *engine, uint64_t start_tsc);

/* rows.c: at the start of a trial. */
void rows_reset(struct load *load);
/* Merges and zeroes the slots of an epoch into load.rows; returns the number of rows. */
unsigned rows_collect(
	struct engine *engine, const struct result_info *info, uint64_t epoch, uint64_t length_ns);
/*
 * port_rows.c: what the ports did in the epoch of a slot, for spec.on_ports; before rows_collect has
 * zeroed the slot of the streams. Zeroes what is the ports' alone.
 */
void port_rows_collect(struct engine *engine, const struct result_info *info, unsigned slot);
/* A stream's latency histogram (RESULT_TOT: all streams'); ctx: the engine. As trial_result.latency. */
void rows_latency(void *ctx, uint32_t stream, struct hist *out);
/* detail.c: IPDV and intended latency of a stream (-1: all) into a row of totals. */
void detail_total(struct engine *engine, int stream, struct result_row *row);
/* Its longest outage, once its counts are there. */
void detail_outage(const struct engine *engine, unsigned stream, struct result_row *row);
/* Sums of the whole trial into load.totals, result.total and the ports' counts. */
void rows_totals(
	struct engine *engine, const struct result_info *info, struct trial_result *result);
