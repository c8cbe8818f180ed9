/* SPDX-License-Identifier: BSD-3-Clause */
#include "samples_file.h"

#include "tgen/log.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct samples_writer {
	int fd;
	char *path;
	const struct result_info *info;
	struct samples_head head;
	struct samples_layout layout;
	struct samples_marks marks;
	void *slot;		/* of the interval */
	void *total;		/* so far */
	unsigned __int128 *lat; /* sum of each row's latencies so far, ns */
	bool complained;
};

static int write_at(const struct samples_writer *w, const void *data, size_t size, off_t off)
{
	const char *at = data;

	while (size > 0) {
		ssize_t n = pwrite(w->fd, at, size, off);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return n < 0 ? -errno : -ENOSPC;
		at += n;
		off += n;
		size -= (size_t)n;
	}
	return 0;
}

static int marks_write(const struct samples_writer *w)
{
	return write_at(w, &w->marks, sizeof(w->marks), SAMPLES_MARKS_OFF);
}

static void complain(struct samples_writer *w, int rc)
{
	if (!w->complained)
		log_error("%s: %s: tgen stats lacks what cannot be written; the run goes on",
			w->path, strerrordesc_np(-rc));
	w->complained = true;
}

/* ---- the beginning ---- */

static void text_copy(char *out, size_t size, const char *text)
{
	snprintf(out, size, "%s", text != NULL ? text : "");
}

static void head_make(struct samples_head *head, const struct result_info *info, uint32_t keep,
	uint64_t distribution_max_ns)
{
	struct samples_layout layout;

	memcpy(head->magic, SAMPLES_MAGIC, sizeof(head->magic));
	text_copy(head->version, sizeof(head->version), info->version);
	head->head_bytes = sizeof(*head);
	head->row_bytes = sizeof(struct result_row);
	head->port_bytes = sizeof(struct trial_port);
	head->hist_bytes = sizeof(struct hist);
	head->nb_streams = info->nb_streams;
	head->nb_ports = info->nb_ports;
	head->nb_hists = info->nb_streams > 1 && info->nb_streams <= SAMPLES_HISTS_MAX
				 ? info->nb_streams + 1
				 : 1;
	head->start_unix_ns = info->start_unix_ns;
	head->interval_ns = info->interval_ns;
	head->duration_ns = info->duration_ns;
	head->floor_ns = info->floor_ns;
	head->distribution_max_ns = distribution_max_ns;
	head->layer = info->layer;
	head->latency_type = info->latency_type;
	head->test_id = info->test_id;
	head->order_measured = info->order_measured;
	head->has_config = info->config_path != NULL;
	text_copy(head->config, sizeof(head->config), info->config_path);
	text_copy(head->command, sizeof(head->command), info->command);
	samples_layout_make(&layout, head);
	if (keep > SAMPLES_BYTES_MAX / layout.slot_bytes)
		keep = (uint32_t)(SAMPLES_BYTES_MAX / layout.slot_bytes);
	head->keep = keep;
}

static int tables_write(struct samples_writer *w)
{
	const struct result_info *info = w->info;
	struct samples_stream *streams = calloc(info->nb_streams, sizeof(*streams));
	char(*ports)[SAMPLES_NAME_MAX] = calloc(info->nb_ports, sizeof(*ports));
	int rc = streams != NULL && ports != NULL ? 0 : -ENOMEM;

	for (unsigned i = 0; rc == 0 && i < info->nb_streams; i++) {
		const struct result_stream *s = &info->streams[i];

		streams[i] = (struct samples_stream){.id = s->id,
			.tx_port = s->tx_port,
			.rx_port = s->rx_port,
			.packet_size = s->packet_size,
			.layer_bytes = s->layer_bytes,
			.transmit_only = s->transmit_only};
		text_copy(streams[i].name, sizeof(streams[i].name), s->name);
	}
	for (unsigned p = 0; rc == 0 && p < info->nb_ports; p++)
		text_copy(ports[p], sizeof(ports[p]), info->ports[p].name);
	if (rc == 0)
		rc = write_at(
			w, streams, info->nb_streams * sizeof(*streams), w->layout.streams_off);
	if (rc == 0)
		rc = write_at(w, ports, info->nb_ports * sizeof(*ports), w->layout.ports_off);
	free(streams);
	free(ports);
	return rc;
}

/* Beside the old file and then in its place: a reader of the old one keeps it as it is. */
static int file_open(struct samples_writer *w)
{
	char *tmp;
	int rc;

	if (asprintf(&tmp, "%s.new", w->path) < 0)
		return -ENOMEM;
	w->fd = open(tmp, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	rc = w->fd >= 0 ? write_at(w, &w->head, sizeof(w->head), 0) : -errno;
	if (rc == 0)
		rc = marks_write(w);
	if (rc == 0)
		rc = tables_write(w);
	if (rc == 0 && rename(tmp, w->path) < 0)
		rc = -errno;
	if (rc < 0)
		unlink(tmp);
	free(tmp);
	return rc;
}

static int writer_init(struct samples_writer *w)
{
	struct hist *hists;

	samples_layout_make(&w->layout, &w->head);
	w->slot = calloc(1, w->layout.slot_bytes);
	w->total = calloc(1, w->layout.total_bytes);
	w->lat = calloc(w->layout.nb_rows, sizeof(*w->lat));
	if (w->path == NULL || w->slot == NULL || w->total == NULL || w->lat == NULL)
		return -ENOMEM;
	hists = samples_slot_hists(w->total, &w->layout);
	for (uint32_t i = 0; i < w->head.nb_hists; i++)
		hist_reset(&hists[i]);
	return file_open(w);
}

struct samples_writer *samples_create(const char *path, const struct result_info *info,
	uint32_t keep, uint64_t distribution_max_ns, struct err *err)
{
	struct samples_writer *w = calloc(1, sizeof(*w));
	int rc = w != NULL ? 0 : -ENOMEM;

	if (rc == 0) {
		w->fd = -1;
		w->path = strdup(path);
		w->info = info;
		head_make(&w->head, info, keep, distribution_max_ns);
		rc = writer_init(w);
	}
	if (rc == 0)
		return w;
	samples_close(w);
	err_device(err, -rc, "%s", path);
	return NULL;
}

uint32_t samples_kept(const struct samples_writer *w)
{
	return w->head.keep;
}

void samples_close(struct samples_writer *w)
{
	if (w == NULL)
		return;
	if (w->fd >= 0)
		close(w->fd);
	free(w->slot);
	free(w->total);
	free(w->lat);
	free(w->path);
	free(w);
}

/* ---- intervals ---- */

static void port_add(struct trial_port *into, const struct trial_port *from)
{
	into->tx_packet += from->tx_packet;
	into->tx_byte += from->tx_byte;
	into->tx_layer_byte += from->tx_layer_byte;
	into->rx_packet += from->rx_packet;
	into->rx_byte += from->rx_byte;
	into->rx_layer_byte += from->rx_layer_byte;
	into->ooo += from->ooo;
	into->bad += from->bad;
	into->unk_packet += from->unk_packet;
	into->unk_byte += from->unk_byte;
}

void samples_ports(struct samples_writer *w, const struct trial_port *ports, unsigned nb)
{
	struct trial_port *total = samples_slot_ports(w->total);

	memcpy(samples_slot_ports(w->slot), ports, nb * sizeof(*ports));
	for (unsigned p = 0; p < nb; p++)
		port_add(&total[p], &ports[p]);
}

void samples_latency(struct samples_writer *w, uint32_t stream, const struct hist *h)
{
	int at = samples_hist_index(&w->head, stream);

	/* the only stream and all streams are one */
	if (at >= 0 && !(stream == RESULT_TOT && w->head.nb_streams == 1))
		hist_merge(&samples_slot_hists(w->total, &w->layout)[at], h);
}

/* min, mean and max; percentiles cannot be had from those of the parts. */
static void latency_add(
	struct result_latency *into, unsigned __int128 *sum, const struct result_latency *from)
{
	if (from->count == 0)
		return;
	if (into->count == 0 || from->min < into->min)
		into->min = from->min;
	if (from->max > into->max)
		into->max = from->max;
	into->count += from->count;
	*sum += (unsigned __int128)from->mean * from->count;
	into->mean = (uint64_t)(*sum / into->count);
}

static void total_add(struct samples_writer *w, const struct result_row *rows, unsigned nb)
{
	struct result_row *total = samples_slot_rows(w->total, &w->head);

	for (unsigned i = 0; i < nb; i++) {
		struct result_row *t = &total[i];
		struct result_latency lat = t->lat;
		uint64_t bad = t->n.bad + rows[i].n.bad;

		t->seq = RESULT_TOT;
		t->stream = rows[i].stream;
		t->end_unix_ns = rows[i].end_unix_ns;
		t->length_ns += rows[i].length_ns;
		t->incomplete |= rows[i].incomplete;
		if (rows[i].stream != RESULT_TOT) {
			result_counts_add(&t->n, &rows[i].n);
			result_row_derive(t, w->info, NULL);
		} else {
			/* all streams' rows are before it; damaged frames are in the sum alone */
			result_row_total(t, total, w->head.nb_streams, w->info, NULL);
			t->n.bad = bad;
		}
		latency_add(&lat, &w->lat[i], &rows[i].lat);
		t->lat = lat;
		t->jitter_ns = lat.max - lat.min;
	}
}

static int interval_write(struct samples_writer *w)
{
	uint64_t at = w->marks.done;
	int rc;

	if (w->layout.nb_slots == 0)
		return 0;
	w->marks.begun = at + 1;
	rc = marks_write(w);
	if (rc == 0)
		rc = write_at(w, w->slot, w->layout.slot_bytes,
			w->layout.slots_off +
				(off_t)(at % w->layout.nb_slots * w->layout.slot_bytes));
	if (rc < 0)
		return rc;
	w->marks.done = at + 1;
	return marks_write(w);
}

static int total_write(struct samples_writer *w)
{
	uint64_t at = w->marks.total_done;
	int rc;

	w->marks.total_begun = at + 1;
	rc = marks_write(w);
	if (rc == 0)
		rc = write_at(w, w->total, w->layout.total_bytes,
			w->layout.totals_off + (off_t)(at % 2 * w->layout.total_bytes));
	if (rc < 0)
		return rc;
	w->marks.total_done = at + 1;
	return marks_write(w);
}

void samples_rows(struct samples_writer *w, const struct result_row *rows, unsigned nb)
{
	int rc, total_rc;

	memcpy(samples_slot_rows(w->slot, &w->head), rows, nb * sizeof(*rows));
	total_add(w, rows, nb);
	rc = interval_write(w);
	total_rc = total_write(w);
	if (rc < 0 || total_rc < 0)
		complain(w, rc < 0 ? rc : total_rc);
}

/* ---- the end ---- */

/* Bytes for all packets, when those of some of them are known. */
static uint64_t bytes_of(uint64_t bytes, uint64_t packets, uint64_t all)
{
	return packets > 0 ? (uint64_t)((unsigned __int128)bytes * all / packets) : bytes;
}

/* Late frames are in no interval. */
static void port_finish(struct trial_port *port, const struct result_port_counts *n)
{
	port->tx_byte = bytes_of(port->tx_byte, port->tx_packet, n->tx_test);
	port->tx_layer_byte = bytes_of(port->tx_layer_byte, port->tx_packet, n->tx_test);
	port->rx_byte = bytes_of(port->rx_byte, port->rx_packet, n->good);
	port->rx_layer_byte = bytes_of(port->rx_layer_byte, port->rx_packet, n->good);
	port->tx_packet = n->tx_test;
	port->rx_packet = n->good;
	port->bad = n->bad;
	port->unk_packet = n->unknown;
	port->unk_byte = n->unknown_byte;
}

void samples_end(struct samples_writer *w, const struct result_row *rows, unsigned nb,
	const struct result_summary *summary)
{
	struct hist *hists = samples_slot_hists(w->total, &w->layout);
	int rc;

	memcpy(samples_slot_rows(w->total, &w->head), rows,
		(nb < w->layout.nb_rows ? nb : w->layout.nb_rows) * sizeof(*rows));
	for (uint32_t p = 0; p < w->head.nb_ports; p++)
		port_finish(&samples_slot_ports(w->total)[p], &summary->ports[p]);
	for (uint32_t i = 0; summary->latency != NULL && i < w->head.nb_hists; i++)
		summary->latency(summary->latency_ctx,
			i + 1 < w->head.nb_hists || w->head.nb_streams == 1 ? i : RESULT_TOT,
			&hists[i]);
	rc = total_write(w);
	if (rc < 0)
		complain(w, rc);
}
