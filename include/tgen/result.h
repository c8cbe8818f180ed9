/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tgen/err.h"
#include "tgen/hist.h"
#include "tgen/units.h"

/* ---- what a run is about: names for every number, immutable during the run ---- */

struct result_port {
	const char *name;
	const char *device; /* as configured: af_packet:ether1 */
	const char *driver; /* net_af_packet */
	uint64_t mac;
	uint64_t speed_bps; /* 0: the driver has none that means anything */
	uint32_t mtu;
};

struct result_stream {
	uint16_t id;
	const char *name;	  /* template */
	uint16_t tx_port;	  /* index of result_info.ports */
	int32_t rx_port;	  /* -1: the first port it arrives on */
	uint32_t packet_size;	  /* bytes without FCS */
	uint32_t layer_bytes;	  /* bytes a packet counts for on info.layer */
	bool transmit_only;	  /* special-footer=no */
	bool flat_out;		  /* pps=max without a known link speed: no figure below */
	uint64_t configured_upps; /* micro-pps */
	uint64_t asked_upps;	  /* after the plan capped it to the line */
	uint64_t packet_count;	  /* UINT64_MAX: unlimited */
	const char *next_hop; /* how mac-dst was found, for the user: `ARP: 1.1.1.254 is at …` */
};

struct result_info {
	const char *version;	 /* of tgen */
	const char *config_path; /* may be NULL */
	const char *command;	 /* the command line, words joined by spaces */
	uint64_t start_unix_ns;	 /* wall clock at the first frame */
	uint64_t interval_ns;
	uint64_t duration_ns; /* asked; 0: until stopped */
	uint8_t test_id;
	bool order_measured;
	enum rate_layer layer;
	const struct result_port *ports;
	unsigned nb_ports;
	const struct result_stream *streams;
	unsigned nb_streams;
};

/* ---- counts of one stream (or all) over one interval or the whole run ---- */

/* All additive. `received` is good; lost = tx_packet - good (0 for transmit-only streams). */
struct result_counts {
	uint64_t tx_packet;
	uint64_t good;
	uint64_t ooo;  /* of good: sequence lower than the highest seen in its lane and rx queue */
	uint64_t late; /* of good: came after its row was closed (totals only) */
	uint64_t
		spill; /* of good and tx: counted in no row, the reader was stalled (totals only) */
	uint64_t duplicate;
	uint64_t bad; /* of a stream: signature whole, checksum wrong; of the sum: all */
	uint64_t misrouted;
	uint64_t stray;
	uint64_t returned;     /* ICMP errors about it */
	uint64_t unsent;       /* frames the schedule wanted and the driver did not take */
	uint64_t lat_negative; /* of good: rx stamp before tx stamp; in no latency figure */
};

struct result_latency { /* ns; all 0 when count is 0 */
	uint64_t count, min, mean, max, p50, p90, p99, p999;
};

#define RESULT_TOT UINT32_MAX

/* One row of the table and one record of the machine forms. Fields are what metrics point at. */
struct result_row {
	uint32_t seq;	      /* interval number from 1; RESULT_TOT: the whole run */
	uint32_t stream;      /* index of result_info.streams; RESULT_TOT: all */
	uint64_t end_unix_ns; /* wall clock at the end of the interval */
	uint64_t length_ns;   /* of the interval; of the sending phase for totals */
	bool incomplete;      /* some of its frames are in no row (spill) */
	struct result_counts n;
	/* derived by result_row_derive */
	uint64_t id;
	uint64_t tx_byte, rx_byte; /* packets × packet-size */
	int64_t lost_packet;
	uint64_t tx_bps, rx_bps, lost_bps; /* on result_info.layer */
	uint64_t tx_upps, rx_upps;	   /* micro-pps */
	struct result_latency lat;
	uint64_t jitter_ns; /* max - min of the row */
	/* inputs of the sums over streams of different sizes; filled by derive, added for totals */
	uint64_t tx_layer_byte, rx_layer_byte, lost_layer_byte, lost_byte;
};

void result_counts_add(struct result_counts *into, const struct result_counts *from);
/* Fills the derived fields of a stream's row from n, length_ns and lat_hist (NULL: no latency). */
void result_row_derive(
	struct result_row *row, const struct result_info *info, const struct hist *lat_hist);
/*
 * The TOT row over nb stream rows (derived already) of the same seq: sums, rates over the same
 * length; lat_hist: their merged histogram.
 */
void result_row_total(struct result_row *tot, const struct result_row *rows, unsigned nb,
	const struct result_info *info, const struct hist *lat_hist);

/* ---- the end of a run ---- */

struct result_port_counts {
	uint64_t rx_all; /* the port's own counter; the classes below add up to it */
	uint64_t good, duplicate, bad, misrouted, stray, fragment, returned, host, unknown;
	uint64_t tx_test;  /* test frames accepted by the driver and not reported undelivered */
	uint64_t tx_other; /* ARP, echo, learning frames */
	uint64_t tx_undelivered;    /* accepted by the driver, still in its ring at the end */
	uint64_t rx_missed;	    /* ethdev: imissed + ierrors + rx_nombuf */
	uint64_t rx_kernel_dropped; /* the kernel's drops on the driver's own sockets */
	bool rx_kernel_known;	    /* whether the driver has such sockets */
	bool link_up;
	bool link_changed; /* the link went down at some time in the run */
	uint64_t unknown_byte;
};

#define RESULT_UNKNOWN_KINDS 8
/* A kind of unknown frame on a port: how often, and what it looks like (text for the user). */
struct result_unknown {
	uint16_t port;
	uint64_t count;
	char text[96]; /* `ARP who-has 1.1.1.9`, `IPv4 UDP 1.1.1.1:68 > 255.255.255.255:67` … */
};

/* ICMP errors of one type and code from one sender about one stream. */
struct result_returned {
	uint32_t stream; /* RESULT_TOT: could not be told */
	uint8_t type, code;
	uint32_t from; /* IPv4, host order */
	uint64_t count;
};

struct result_summary {
	enum tgen_status status;
	bool clean;		    /* the generator was clean: the figures may be used */
	const char *const *reasons; /* why not; one sentence each */
	unsigned nb_reasons;
	const char *const
		*notes; /* what a reader should know: capped, fell short, diagnosis lines */
	unsigned nb_notes;
	uint64_t lag_max_ns; /* worst time by which a frame left after its schedule */
	uint64_t queue_full; /* bursts the driver did not take whole */
	uint64_t send_ns;    /* length of the sending phase */
	bool interrupted;    /* Ctrl-C */
	const struct result_port_counts *ports; /* info.nb_ports */
	const struct result_unknown *unknowns;
	unsigned nb_unknowns;
	const struct result_returned *returned;
	unsigned nb_returned;
};

/* ---- the metric table: one line a number of a row; every writer walks it ---- */

enum metric_kind {
	METRIC_COUNT,  /* uint64_t, thousands separated in the table */
	METRIC_SIGNED, /* int64_t */
	METRIC_BPS,    /* uint64_t bit/s */
	METRIC_UPPS,   /* uint64_t micro-pps; in machine forms pps with up to 6 decimals */
	METRIC_NS,     /* uint64_t ns */
	METRIC_RATIO,  /* lost of tx: `100.000%`; machine forms: a fraction 0..1 */
};

/* What a row must have for the number to be known; else it is shown empty, or null. */
enum metric_needs {
	METRIC_NEEDS_RX = 1 << 0,    /* a stream whose frames the receiver can tell */
	METRIC_NEEDS_ORDER = 1 << 1, /* info.order_measured */
	METRIC_NEEDS_LAT = 1 << 2,   /* at least one latency sample */
	METRIC_NEEDS_TOTAL = 1 << 3, /* counted for the whole run only */
};

struct metric {
	const char *name;    /* kebab case, RouterOS's where it has one: `lost-packet` */
	const char *heading; /* `LOST-PACKET` */
	enum metric_kind kind;
	size_t offset; /* in struct result_row */
	uint8_t width; /* of the column in plain table lines */
	bool in_table; /* a column of the quick table by default */
	uint8_t needs; /* of enum metric_needs */
	const char *unit;
	const char *help; /* what it means, for the reference */
};

extern const struct metric metric_table[];
extern const unsigned metric_nb;
/* NULL when unknown. */
const struct metric *metric_find(const char *name);
/* Whether the row has this number. */
bool metric_known(
	const struct metric *metric, const struct result_row *row, const struct result_info *info);
/* The number as stored (for METRIC_SIGNED: its bits). */
uint64_t metric_value(const struct metric *metric, const struct result_row *row);
/*
 * What METRIC_RATIO is a part of: the frames sent whose loss can be told, lost + good. Equals
 * tx_packet, less the transmit-only streams of a TOT row.
 */
uint64_t metric_whole(const struct result_row *row);
