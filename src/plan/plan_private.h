/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "tgen/plan.h"

/* Fills plan.ports from the enabled ports of conf (all, or the one called name). */
int plan_ports_read(struct plan *plan, const struct conf *conf, const char *name, struct err *err);
/* The IPv6 source that a template without ipv6-src gets, once the port's MAC is known. */
struct units_ip plan_ip6_src(const struct plan_port *port, const struct plan_route *route);
/* The VLAN tags of a template before its outermost IP header. */
struct plan_tags {
	struct host_vlan vlan; /* none when they vary or are too many */
	unsigned nb;
	bool varies;   /* a VLAN ID does */
	bool too_many; /* VLAN IDs for ARP and the like to be asked within */
};
void plan_tags_read(const struct opt_set *tmpl, const struct pkt_hdr *const *stack, unsigned nb,
	struct plan_tags *out);
/*
 * Gives the ports' addresses within VLANs the TPIDs of the templates that use these. An error where
 * a port whose driver loses tags has to do with any.
 */
int plan_tags_settle(struct plan *plan, struct err *err);
/* Fills plan.streams from the command and the file; routes and wanted rates included. */
int plan_streams_read(
	struct plan *plan, const struct conf *conf, const struct opt_set *quick, struct err *err);
/* Chooses plan.workers among cpus: those of quick, else all but one and those of the streams. */
int plan_workers_choose(struct plan *plan, const struct opt_set *quick, const struct plan_cpu *cpus,
	unsigned nb_cpus, struct err *err);
/* Sets the sizes of all streams from what their ports carry. */
int plan_sizes_set(struct plan *plan, struct err *err);
/* Sets configured, asked and schedules of all streams from their sizes, capped to the lines. */
int plan_rates_set(struct plan *plan, struct err *err);
/* When the streams begin that come after others. */
int plan_chains_set(struct plan *plan, struct err *err);
/* Indexes of all streams, each behind the one it comes after; caller frees. NULL: no memory. */
unsigned *plan_chain_order(const struct plan *plan);
/* One lane a stream, on the least loaded queue of its port. */
int plan_lanes_make(struct plan *plan, struct err *err);
/* Adds a line for the user; takes the text. 0 or -ENOMEM. */
int plan_note(struct plan *plan, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* ---- what is said of one stream: by item i of the command's words, else by its object ---- */

struct plan_words {
	const struct opt_set *quick; /* NULL: none */
	unsigned i;
	const struct opt_set *conf; /* NULL: none */
};

/* The set that gives the word; NULL: neither. cpu-core of the command is not the stream's. */
const struct opt_set *plan_words_from(const struct plan_words *w, enum conf_stream_opt which);
/* The value, or the default; false when there is neither. */
bool plan_words_val(const struct plan_words *w, enum conf_stream_opt which, struct opt_val *out);
uint64_t plan_words_u64(const struct plan_words *w, enum conf_stream_opt which);
/* opt_error where the word was given. */
int plan_words_error(const struct plan_words *w, enum conf_stream_opt which, struct err *err,
	const char *fmt, ...) __attribute__((format(printf, 4, 5)));
/*
 * Reads all words that need no plan into the stream: sizes, rate, schedule. quick_total: the command
 * gives a total rate. plan NULL: for a check; nothing of the stream is kept then but the profile.
 */
int plan_words_read(struct plan *plan, const struct plan_words *w, bool quick_total,
	struct plan_stream *s, struct err *err);
/* `stream` or `template`, before its name. */
const char *plan_stream_what(const struct plan_stream *s);

/* ---- names ---- */

/* Values by text; the index has copies of the texts. Starts as {0}. */
struct plan_index {
	struct plan_entry {
		char *key;
		unsigned value;
	} * slots;
	size_t nb_slots, nb;
};

/* The entry of a key, made with this value when there is none (*made); NULL: no memory. */
struct plan_entry *plan_index_put(
	struct plan_index *index, const char *key, unsigned value, bool *made);
const struct plan_entry *plan_index_get(const struct plan_index *index, const char *key);
void plan_index_fini(struct plan_index *index);

/* ---- sizes that are shared ---- */

struct plan_mixes {
	struct plan_index index; /* of item and facts: number of the mix */
	struct plan_index texts; /* what is kept of the command */
	struct pkt_sizes *all;
	unsigned nb, room;
};

/* The sizes of an item; they are the plan's. */
int plan_mix_get(struct plan *plan, const char *item, const struct pkt_size_facts *facts,
	struct pkt_sizes *out, struct err *err);
/* A copy of a text that lives as long as the plan; NULL: no memory. */
const char *plan_text_keep(struct plan *plan, const char *text);
void plan_mixes_free(struct plan_mixes *mixes);

/* ---- fractions ---- */

/* num / den, reduced; what 64 bits do not hold is rounded down. */
struct plan_rate plan_rate_make(unsigned __int128 num, unsigned __int128 den);
