/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <net/if.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/queue.h>
#include <time.h>

#include "tgen/sig.h"

/*
 * impair: a seeded relay between two interfaces that keeps a log of everything it does to the
 * frames: the known truth that tgen's figures are held against.
 */

#define NO_LANE	      (UINT16_MAX + 1u) /* place of the frames without a signature */
#define SHARE_ALL     100000000u	/* shares are in millionths of a percent */
#define STATUS_USAGE  2
#define STATUS_SYSTEM 4
#define PORTS_MAX     4u /* A, B and where copies go in either direction */

static inline uint64_t clock_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

/* Says why and ends the program. */
void die(int status, const char *fmt, ...) __attribute__((noreturn, format(printf, 2, 3)));
/* Memory, zeroed, or the end. */
void *allocate(size_t size);

/* ---- impair_opts.c: what the user asked for ---- */

enum way { WAY_AB, WAY_BA, NB_WAYS };

enum only { ONLY_UDP, ONLY_IP };

enum field {
	FIELD_RANGE, /* corrupt_first to corrupt_last, of the whole frame */
	FIELD_MAC_DST,
	FIELD_MAC_SRC,
	FIELD_ETHERTYPE,
	FIELD_IP_HEADER,
	FIELD_IP_TTL,
	FIELD_UDP_PORTS,
	FIELD_UDP_LENGTH,
	FIELD_UDP_CHECKSUM,
	FIELD_PAYLOAD, /* without the signature */
	FIELD_SIGNATURE,
};

/* What is done to the frames of one direction. 0 is "not at all" for the first group. */
struct settings {
	uint64_t loss_share, duplicate_share, reorder_share, corrupt_share;
	uint64_t loss_every;
	uint64_t loss_for_ns;
	uint64_t delay_ns, jitter_ns;

	uint64_t loss_from_ns;
	bool jitter_reorders;
	uint64_t reorder_gap, reorder_timeout_ns;
	enum field corrupt_field;
	uint64_t corrupt_first, corrupt_last; /* offsets from the MAC header, both inclusive */
	const char *duplicate_to;	      /* interface; NULL: where the frame itself goes */

	enum only only;
	bool has_stream;
	uint32_t stream_src, stream_dst; /* host order */
};

struct options {
	const char *name[NB_WAYS]; /* interfaces A and B: where the frames of each way come in */
	uint64_t seed;
	uint64_t ring_frames;
	bool one_way;
	const char *log_path;	  /* NULL: no log */
	const char *summary_path; /* NULL: stdout */
	struct settings settings[NB_WAYS];
};

/* Ends the program when the words are wrong, and after --help. */
void options_parse(struct options *o, int argc, char **argv);

/* ---- impair_decide.c: what a frame is and what becomes of it; no clock, no I/O ---- */

/* Offsets are from the MAC header, behind all VLAN tags; 0: the frame has no such thing. */
struct view {
	uint32_t length;
	uint32_t l3, l4; /* l4: of a UDP header that is whole */
	uint32_t end;	 /* first byte behind the IP packet */
	uint8_t protocol;
	uint32_t src, dst;
	bool has_sig; /* the signature is there and its sum is right */
	struct sig sig;
};

void view_parse(struct view *v, const uint8_t *p, uint32_t length);
/* The frame is of the kind that is logged. */
bool view_is_test(const struct view *v, const struct settings *s);
/* A test frame, and of the stream that is to be impaired. */
bool view_is_eligible(const struct view *v, const struct settings *s);

struct verdict {
	bool lose, duplicate, reorder, corrupt;
	uint32_t corrupt_byte;
	uint8_t corrupt_bit; /* 0 is the lowest */
	uint64_t delay_ns;
};

/* Base of all that is drawn in a direction. */
uint64_t decide_key(uint64_t seed, enum way way);
/*
 * index: of the frame among the eligible ones of its direction, from 1. Everything drawn depends
 * on key and index alone, and each kind is drawn on its own: to add one option leaves what the
 * others do as it was. outage: now is within the time of loss_from and loss_for.
 */
void decide(struct verdict *d, const struct settings *s, uint64_t key, uint64_t index,
	const struct view *v, bool outage);

/* ---- impair_log.c: what was done ---- */

/* Parts of a decision; none: forward. */
enum {
	DID_LOSE = 1 << 0,
	DID_CORRUPT = 1 << 1,
	DID_DUPLICATE = 1 << 2,
	DID_REORDER = 1 << 3,
	DID_COPY = 1 << 4, /* this is the second one of a DID_DUPLICATE */
	DID_FAIL = 1 << 5, /* was to leave, and the kernel refused it */
};

/* One line of the log: a frame that left or was lost. */
struct record {
	uint64_t n; /* among the test frames of its direction, from 1 */
	uint64_t arrival_ns, planned_ns, departure_ns;
	uint64_t sig_time_ns;
	uint32_t seq, lane; /* lane NO_LANE: no signature */
	uint32_t length;
	uint32_t corrupt_byte;
	uint8_t corrupt_bit;
	uint8_t did;
	uint8_t way;
	uint8_t out; /* port */
	uint8_t test_id, epoch;
	bool sig_hit; /* the flipped bit is in the signature */
};

struct counts {
	uint64_t received;
	uint64_t forwarded; /* originals that left */
	uint64_t lost, duplicated, corrupted, reordered;
	uint64_t out_of_order; /* left with a sequence lower than the highest that had left */
	uint64_t send_failed;
	bool any_left;
	uint32_t highest_seq; /* of those that left */
};

struct log_chunk;

struct log {
	bool on;
	struct log_chunk *first, *last;
};

struct relay;

/* Keeps it in memory: 80 bytes a frame. */
void log_add(struct log *l, const struct record *r);
void log_write(const struct relay *r);
void summary_write(struct relay *r);

/* ---- impair_port.c: interfaces ---- */

struct port {
	char name[IFNAMSIZ];
	int rx, tx;    /* sockets; rx -1: only sends */
	uint8_t *ring; /* frames of the kernel, tpacket2_hdr each */
	uint32_t nb_slots, slot_bytes, block_bytes;
	uint32_t next_slot;
	uint64_t nb_too_long; /* longer than the interface's MTU said: could not be relayed */
	uint64_t tx_dropped_before;
};

void port_open(struct port *p, const char *name, uint64_t ring_frames);
void port_open_tx(struct port *p, const char *name);
/* The next frame, with its VLAN tag, in the ring's memory until port_release; NULL: none. */
uint8_t *port_receive(struct port *p, uint32_t *length);
void port_release(struct port *p);
bool port_send(struct port *p, const uint8_t *data, uint32_t length);
/* Frames the kernel dropped at our full ring since the start; to be called once. */
uint64_t port_rx_dropped(struct port *p);
/* Frames that the kernel dropped on their way out since port_open. */
uint64_t port_tx_dropped(struct port *p);
void port_clear_error(struct port *p);

/* ---- impair_queue.c: frames that leave later ---- */

struct frame {
	STAILQ_ENTRY(frame) next; /* of those held back */
	struct record record;
	uint64_t serial;
	uint64_t gap_left;    /* held back: frames of the lane that go before */
	uint64_t deadline_ns; /* held back: leaves at the latest */
	uint8_t data[];
};

/* By planned_ns; what is planned for the same time leaves in the order it came in. */
struct queue {
	struct frame **heap;
	size_t nb, room;
	uint64_t serial;
};

struct frame *frame_new(const struct record *r, const uint8_t *data);
void queue_push(struct queue *q, struct frame *f);
/* NULL: empty. */
struct frame *queue_first(const struct queue *q);
struct frame *queue_pop(struct queue *q);

/* ---- impair.c ---- */

STAILQ_HEAD(held, frame);

struct direction {
	enum way way;
	const struct settings *settings;
	struct port *in, *out, *copy_out;
	uint64_t key;
	uint64_t nb_test, nb_eligible, nb_other;
	uint64_t last_planned_ns;
	struct held held;    /* in the order of their deadlines */
	struct counts *lane; /* [NO_LANE + 1] */
};

struct relay {
	struct options options;
	struct port port[PORTS_MAX];
	unsigned nb_ports;
	struct direction direction[NB_WAYS];
	unsigned nb_directions;
	struct queue queue;
	struct log log;
	uint64_t zero_ns; /* of loss-from: the first eligible frame or SIGUSR1; 0: neither yet */
};
