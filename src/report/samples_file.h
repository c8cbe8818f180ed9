/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "tgen/samples.h"

#include <sys/types.h>

/*
 * The file: head, marks, tables of streams and ports, two areas of totals used in turn, then the
 * ring of intervals, one slot more than are kept, so that those kept can be read while the next one
 * is written. Numbers are the machine's own: the file is read where it was written, by the version
 * that wrote it.
 */

#define SAMPLES_MAGIC	   "tgen-sm1"
#define SAMPLES_MARKS_OFF  8192
#define SAMPLES_TABLES_OFF 12288
#define SAMPLES_NAME_MAX   64

struct samples_head {
	char magic[8];
	char version[32];
	uint32_t head_bytes, row_bytes, port_bytes, hist_bytes; /* sizes of the structs */
	uint32_t nb_streams, nb_ports, nb_hists, keep;
	uint64_t start_unix_ns, interval_ns, duration_ns, floor_ns, distribution_max_ns;
	uint32_t layer, latency_type, test_id, order_measured, has_config;
	char config[2048], command[4096];
};

struct samples_stream {
	uint16_t id, tx_port;
	int32_t rx_port;
	uint32_t packet_size, layer_bytes;
	uint32_t transmit_only;
	char name[SAMPLES_NAME_MAX];
};

/*
 * Counts of what was begun and done. Interval i is whole when i < done and begun <= i + keep + 1;
 * total t when t < total_done and total_begun <= t + 2.
 */
struct samples_marks {
	uint64_t begun, done, total_begun, total_done;
};

struct samples_layout {
	uint32_t nb_rows, nb_slots;
	size_t slot_bytes;  /* ports, then rows */
	size_t total_bytes; /* a slot, then histograms */
	off_t streams_off, ports_off, totals_off, slots_off;
};

void samples_layout_make(struct samples_layout *out, const struct samples_head *head);
/* A slot in memory. */
struct trial_port *samples_slot_ports(void *slot);
struct result_row *samples_slot_rows(void *slot, const struct samples_head *head);
struct hist *samples_slot_hists(void *slot, const struct samples_layout *layout);
/* Index of a stream's histogram; -1: it has none. */
int samples_hist_index(const struct samples_head *head, uint32_t stream);
