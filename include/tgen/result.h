/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tgen/err.h"
#include "tgen/hist.h"
#include "tgen/sched.h"
#include "tgen/units.h"

/* ---- what a run is about: names for every number, immutable during the run ---- */

/* RFC 1242 §3.8: from first or last bit in to first or last bit out. */
enum latency_type { LATENCY_FILO, LATENCY_FIFO, LATENCY_LIFO, LATENCY_LILO };

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
	const char *name;	     /* template */
	uint16_t tx_port;	     /* index of result_info.ports */
	int32_t rx_port;	     /* -1: the first port it arrives on */
	uint32_t packet_size;	     /* bytes without FCS; of a mix the mean, rounded */
	uint32_t layer_bytes;	     /* bytes a packet of that size counts for on info.layer */
	uint32_t size_min, size_max; /* both 0 or the same: all packets have packet_size */
	uint64_t size_sum, size_nb;  /* the exact mean of a mix is size_sum / size_nb */
	const struct sched *sched;   /* NULL: a constant asked rate from the start */
	bool transmit_only;	     /* special-footer=no */
	bool flat_out;		     /* pps=max without a known link speed: no figure below */
	uint64_t configured_upps;    /* micro-pps */
	uint64_t asked_upps;	     /* after the plan capped it to the line */
	uint64_t packet_count;	     /* UINT64_MAX: unlimited */

	uint32_t weight;   /* its share of the load of its port, in a procedure */
	const char *group; /* direction, class or service it is counted with; NULL: none */

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
	enum latency_type latency_type;
	bool intended_measured; /* latency-intended=yes */
	uint64_t floor_ns; /* latency floor that `tgen selftest` found for these ports; 0: none */
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
	/* packet-size bytes of those; of a stream of one size derive makes them of the counts */
	uint64_t tx_byte, good_byte;
	uint64_t ooo;  /* of good: sequence lower than the highest seen in its lane and rx queue */
	uint64_t late; /* of good: came after its row was closed (totals only) */
	uint64_t
		spill; /* of good and tx: counted in no row, the reader was stalled (totals only) */
	uint64_t duplicate;
	uint64_t bad; /* of a stream: signature whole, checksum wrong; of the sum: all */
	uint64_t misrouted;
	uint64_t stray;
	uint64_t returned;	/* ICMP errors about it */
	uint64_t unsent;	/* frames the schedule wanted and the driver did not take */
	uint64_t last_fragment; /* of good: found in the last fragment of a packet */
	uint64_t lat_negative;	/* of good: rx stamp before tx stamp; in no latency figure */
};

struct result_latency { /* ns; all 0 when count is 0 */
	uint64_t count, min, mean, max, p50, p90, p99, p999;
};

/* Against the time the schedule wanted a frame to leave; a frame lost or not sent counts as infinite. */
#define RESULT_INFINITE UINT64_MAX

/* RFC 8219 §7: of frames sent one after the other and received in order; signed, ns. */
struct result_ipdv {
	uint64_t count;
	int64_t min, median, max;
};

/*
 * The longest time by send time in which no good frame was sent, less one interval of the stream:
 * 0 when nothing was lost. lost: the frames missing in it.
 */
struct result_outage {
	bool known; /* false: order is not measured, or transmit-only */
	uint64_t length_ns;
	uint64_t begin_ns; /* after the start of the trial */
	uint64_t lost;
	/* When the last frame that was lost had been sent, after the start; 0: none was lost. */
	uint64_t last_loss_ns;
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
	uint64_t tx_byte, rx_byte; /* n.tx_byte, n.good_byte */
	int64_t lost_packet;
	uint64_t tx_bps, rx_bps, lost_bps; /* on result_info.layer */
	uint64_t tx_upps, rx_upps;	   /* micro-pps */
	struct result_latency lat;	   /* by info.latency_type */
	struct result_latency
		intended; /* totals, when asked for: RESULT_INFINITE where frames were lost */
	struct result_ipdv ipdv;     /* totals only */
	uint64_t pdv_ns;	     /* totals only: RFC 8219 §7.1, P99.9 - min */
	struct result_outage outage; /* totals only; of the sum: the longest of the streams */
	uint64_t jitter_ns;	     /* max - min of the row */
	/* inputs of the sums over streams of different sizes; filled by derive, added for totals */
	uint64_t tx_layer_byte, rx_layer_byte, lost_layer_byte, lost_byte;
};

/* The figures of a histogram. */
void result_latency_of(struct result_latency *out, const struct hist *h);
void result_counts_add(struct result_counts *into, const struct result_counts *from);
/* Whether the packets of a stream have several sizes. */
static inline bool result_stream_mixed(const struct result_stream *stream)
{
	return stream->size_min != stream->size_max;
}
/* What its packets count for on info.layer in a second of micro-pps packets, bit/s rounded up. */
uint64_t result_stream_bps(const struct result_stream *stream, uint64_t upps);
/*
 * Frames that a stream was asked to send in the time that was sent; UINT64_MAX: no figure (flat
 * out, without a packet count). Of random gaps the first millions are exact, the rest is the mean.
 */
uint64_t result_stream_asked(const struct result_stream *stream, uint64_t send_ns);
/*
 * Fills the derived fields of a stream's row from n, length_ns and lat_hist (NULL: no latency).
 * intended, ipdv and outage are the engine's and stay as they are.
 */
void result_row_derive(
	struct result_row *row, const struct result_info *info, const struct hist *lat_hist);
/*
 * The TOT row over nb stream rows (derived already) of the same seq: sums, rates over the same
 * length; lat_hist: their merged histogram. outage is the longest of the streams'; intended and ipdv
 * are 0 afterwards, for the engine to fill from the merged series.
 */
void result_row_total(struct result_row *tot, const struct result_row *rows, unsigned nb,
	const struct result_info *info, const struct hist *lat_hist);

/* ---- the end of a run ---- */

enum result_duplex { RESULT_DUPLEX_UNKNOWN, RESULT_DUPLEX_HALF, RESULT_DUPLEX_FULL };

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
	enum result_duplex duplex;
	bool gone;		  /* its kernel interface was deleted meanwhile */
	uint64_t tx_kernel_short; /* frames that the interface's own counter lacks */
	bool rx_missed_known;	  /* whether the driver counts frames it could not take */
	bool pause_known;	  /* whether the driver counts pause frames */
	uint64_t pause_rx, pause_tx;
};

#define RESULT_UNKNOWN_KINDS 8
/* A kind of unknown frame on a port: how often, and what it looks like (text for the user). */
struct result_unknown {
	uint16_t port;
	uint64_t count;
	char text[160]; /* `ARP who-has 1.1.1.9`, `IPv4 UDP 1.1.1.1:68 > 255.255.255.255:67` … */
};

/* ICMP errors of one type and code from one sender about one stream. */
struct result_returned {
	uint32_t stream; /* RESULT_TOT: could not be told */
	uint8_t type, code;
	struct units_ip from; /* an IPv6 address: of ICMPv6 */
	uint64_t count;
};

/*
 * What a worker's core did while there was something to send, in ticks of its time stamp counter. A
 * round of its loop in which it neither sent nor received is idle; waiting for a full driver is not.
 */
struct result_worker {
	unsigned cpu;
	uint64_t ports; /* bit p: it sends and receives on port p */
	uint64_t tx_ticks, rx_ticks, idle_ticks;
	uint64_t tx_frames, rx_frames;
};
/* From this load on a core has no time left. */
#define RESULT_CORE_FULL_PPM 950000u
/* Its share of time that was not idle, in millionths. */
uint32_t result_worker_load_ppm(const struct result_worker *worker);

/* How the generator itself did. */
struct result_health {
	uint64_t queue_full;	   /* bursts that a driver did not take whole */
	uint64_t unsent;	   /* frames of the schedule that were given up */
	struct result_latency lag; /* time between a frame's schedule and its stamp, per frame */
	uint64_t late_bursts; /* bursts that began more than RESULT_LATE_NS after their schedule */
	uint64_t catch_up;    /* frames in them */
	bool steal_known;
	uint64_t steal_ns; /* taken from the workers' CPUs by the hypervisor, in all */
	uint64_t cpu_ns;   /* length of the run times the number of workers */
	const struct result_worker *workers;
	unsigned nb_workers;
	/*
	 * How the schedule was kept, all workers together; NULL: not recorded. The schedule error of
	 * a frame is its stamp less its schedule (what lag tells of); the error of a gap is the
	 * change of that from one frame of a queue to the next, by its sign in one of two.
	 */
	const struct hist *schedule_error;
	const struct hist *gap_longer, *gap_shorter; /* both or none */
};
/* The share of samples under RESULT_NEAR_NS, in millionths; of nothing 0. */
#define RESULT_NEAR_NS 256u
uint32_t result_near_ppm(const struct hist *h);
#define RESULT_LATE_NS 100000u

struct result_summary {
	enum tgen_status status;
	bool clean;		    /* the generator was clean: the figures may be used */
	const char *const *reasons; /* why not; one sentence each */
	unsigned nb_reasons;
	const char *const
		*notes; /* what a reader should know: capped, fell short, diagnosis lines */
	unsigned nb_notes;
	struct result_health health;
	uint64_t send_ns;			/* length of the sending phase */
	bool interrupted;			/* Ctrl-C */
	const struct result_port_counts *ports; /* info.nb_ports */
	const struct result_unknown *unknowns;
	unsigned nb_unknowns;
	const struct result_returned *returned;
	unsigned nb_returned;
	/*
	 * Writes the latency histogram (by info.latency_type) of a stream, or of all (RESULT_TOT), into out; NULL:
	 * there is none.
	 */
	void (*latency)(void *ctx, uint32_t stream, struct hist *out);
	void *latency_ctx;
};

/* ---- the metric table: one line a number of a row; every writer walks it ---- */

enum metric_kind {
	METRIC_COUNT,	  /* uint64_t, thousands separated in the table */
	METRIC_SIGNED,	  /* int64_t */
	METRIC_BPS,	  /* uint64_t bit/s */
	METRIC_UPPS,	  /* uint64_t micro-pps; in machine forms pps with up to 6 decimals */
	METRIC_NS,	  /* uint64_t ns; RESULT_INFINITE: `inf` in every form */
	METRIC_RATIO,	  /* lost of tx: `100.000%`; machine forms: a fraction 0..1 */
	METRIC_SIGNED_NS, /* int64_t ns */
};

/* What a row must have for the number to be known; else it is shown empty, or null. */
enum metric_needs {
	METRIC_NEEDS_RX = 1 << 0,	/* a stream whose frames the receiver can tell */
	METRIC_NEEDS_ORDER = 1 << 1,	/* info.order_measured */
	METRIC_NEEDS_LAT = 1 << 2,	/* at least one latency sample */
	METRIC_NEEDS_TOTAL = 1 << 3,	/* counted for the whole run only */
	METRIC_NEEDS_INTENDED = 1 << 4, /* the series against the schedule */
	METRIC_NEEDS_IPDV = 1 << 5,	/* at least one pair of frames in order */
	METRIC_NEEDS_OUTAGE = 1 << 6,	/* outage.known */
	METRIC_NEEDS_GAP = 1 << 7,	/* an outage that is not 0 */
};

struct metric {
	const char *name;    /* kebab case, RouterOS's where it has one: `lost-packet` */
	const char *heading; /* `LOST-PACKET` */
	enum metric_kind kind;
	size_t offset; /* in struct result_row */
	uint8_t width; /* of the column in plain table lines */
	bool in_table; /* a column of the quick table by default */
	uint8_t needs; /* of enum metric_needs, all of them */
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
