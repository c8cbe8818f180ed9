/* SPDX-License-Identifier: BSD-3-Clause */
#include "samples_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define TRIES 100u /* an area of totals is overwritten every other second */

struct samples {
	int fd;
	char *path;
	struct samples_head head;
	struct samples_layout layout;
	struct result_info info;
	struct samples_stream *stream_table;
	char (*port_table)[SAMPLES_NAME_MAX];
	struct result_stream *streams;
	struct result_port *ports;
	void *slot, *total;
};

static int read_at(const struct samples *s, void *data, size_t size, off_t off)
{
	char *at = data;

	while (size > 0) {
		ssize_t n = pread(s->fd, at, size, off);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return n < 0 ? -errno : -EIO;
		at += n;
		off += n;
		size -= (size_t)n;
	}
	return 0;
}

static int marks_read(const struct samples *s, struct samples_marks *marks, struct err *err)
{
	int rc = read_at(s, marks, sizeof(*marks), SAMPLES_MARKS_OFF);

	return rc < 0 ? err_device(err, -rc, "%s", s->path) : 0;
}

/* ---- opening ---- */

static bool head_fits(const struct samples_head *head)
{
	return memcmp(head->magic, SAMPLES_MAGIC, sizeof(head->magic)) == 0 &&
	       strncmp(head->version, TGEN_VERSION, sizeof(head->version)) == 0 &&
	       head->head_bytes == sizeof(*head) && head->row_bytes == sizeof(struct result_row) &&
	       head->port_bytes == sizeof(struct trial_port) &&
	       head->hist_bytes == sizeof(struct hist) && head->nb_streams > 0 &&
	       head->nb_streams <= UINT16_MAX && head->nb_ports > 0 &&
	       head->nb_ports <= UINT16_MAX && head->nb_hists > 0 &&
	       head->nb_hists <= SAMPLES_HISTS_MAX + 1;
}

static int tables_read(struct samples *s)
{
	const struct samples_head *head = &s->head;
	int rc;

	s->stream_table = calloc(head->nb_streams, sizeof(*s->stream_table));
	s->port_table = calloc(head->nb_ports, sizeof(*s->port_table));
	s->streams = calloc(head->nb_streams, sizeof(*s->streams));
	s->ports = calloc(head->nb_ports, sizeof(*s->ports));
	s->slot = calloc(1, s->layout.slot_bytes);
	s->total = calloc(1, s->layout.total_bytes);
	if (!s->stream_table || !s->port_table || !s->streams || !s->ports || !s->slot || !s->total)
		return -ENOMEM;
	rc = read_at(s, s->stream_table, head->nb_streams * sizeof(*s->stream_table),
		s->layout.streams_off);
	if (rc == 0)
		rc = read_at(s, s->port_table, head->nb_ports * sizeof(*s->port_table),
			s->layout.ports_off);
	return rc;
}

/* False: an index that points nowhere. */
static bool info_make(struct samples *s)
{
	struct samples_head *head = &s->head;

	head->config[sizeof(head->config) - 1] = head->command[sizeof(head->command) - 1] = '\0';
	for (uint32_t p = 0; p < head->nb_ports; p++) {
		s->port_table[p][SAMPLES_NAME_MAX - 1] = '\0';
		s->ports[p].name = s->port_table[p];
	}
	for (uint32_t i = 0; i < head->nb_streams; i++) {
		struct samples_stream *from = &s->stream_table[i];

		if (from->tx_port >= head->nb_ports || from->rx_port >= (int64_t)head->nb_ports ||
			from->rx_port < -1)
			return false;
		from->name[SAMPLES_NAME_MAX - 1] = '\0';
		s->streams[i] = (struct result_stream){.id = from->id,
			.name = from->name,
			.tx_port = from->tx_port,
			.rx_port = from->rx_port,
			.packet_size = from->packet_size,
			.layer_bytes = from->layer_bytes,
			.transmit_only = from->transmit_only != 0,
			.packet_count = UINT64_MAX};
	}
	s->info = (struct result_info){
		.version = head->version,
		.config_path = head->has_config ? head->config : NULL,
		.command = head->command,
		.start_unix_ns = head->start_unix_ns,
		.interval_ns = head->interval_ns,
		.duration_ns = head->duration_ns,
		.test_id = (uint8_t)head->test_id,
		.order_measured = head->order_measured != 0,
		.layer = (enum rate_layer)head->layer,
		.latency_type = (enum latency_type)head->latency_type,
		.floor_ns = head->floor_ns,
		.ports = s->ports,
		.nb_ports = head->nb_ports,
		.streams = s->streams,
		.nb_streams = head->nb_streams,
	};
	return true;
}

struct samples *samples_open(const char *path, struct err *err)
{
	struct samples *s = calloc(1, sizeof(*s));
	int rc;

	if (s == NULL) {
		err_device(err, ENOMEM, "%s", path);
		return NULL;
	}
	s->path = strdup(path);
	s->fd = open(path, O_RDONLY | O_CLOEXEC);
	rc = s->path == NULL ? -ENOMEM : s->fd < 0 ? -errno : 0;
	if (rc == 0)
		rc = read_at(s, &s->head, sizeof(s->head), 0);
	if (rc == 0 && !head_fits(&s->head)) {
		err_usage(err, "%s is no file of samples of this version of tgen", path);
		samples_free(s);
		return NULL;
	}
	if (rc == 0) {
		samples_layout_make(&s->layout, &s->head);
		rc = tables_read(s);
	}
	if (rc == 0 && !info_make(s))
		rc = -EIO;
	if (rc == 0)
		return s;
	err_device(err, -rc, "%s", path);
	samples_free(s);
	return NULL;
}

void samples_free(struct samples *s)
{
	if (s == NULL)
		return;
	if (s->fd >= 0)
		close(s->fd);
	free(s->stream_table);
	free(s->port_table);
	free(s->streams);
	free(s->ports);
	free(s->slot);
	free(s->total);
	free(s->path);
	free(s);
}

const struct result_info *samples_info(const struct samples *s)
{
	return &s->info;
}

uint64_t samples_distribution_max_ns(const struct samples *s)
{
	return s->head.distribution_max_ns;
}

/* ---- intervals ---- */

int samples_range(const struct samples *s, uint64_t *first, uint64_t *nb, struct err *err)
{
	struct samples_marks marks;

	if (marks_read(s, &marks, err) < 0)
		return -EIO;
	*nb = marks.done < s->head.keep ? marks.done : s->head.keep;
	*first = marks.done - *nb;
	return 0;
}

/* Rows point at streams: a file that somebody else wrote must not lead anywhere. */
static bool slot_good(const struct samples *s, void *slot)
{
	const struct result_row *rows = samples_slot_rows(slot, &s->head);

	for (uint32_t i = 0; i < s->layout.nb_rows; i++)
		if (rows[i].stream != (i < s->head.nb_streams ? i : RESULT_TOT))
			return false;
	return true;
}

static void interval_make(const struct samples *s, void *slot, struct samples_interval *out)
{
	out->ports = samples_slot_ports(slot);
	out->rows = samples_slot_rows(slot, &s->head);
	out->nb_rows = s->layout.nb_rows;
}

int samples_read(struct samples *s, uint64_t index, struct samples_interval *out, struct err *err)
{
	struct samples_marks marks;
	int rc;

	if (s->layout.nb_slots == 0)
		return 0;
	rc = read_at(s, s->slot, s->layout.slot_bytes,
		s->layout.slots_off + (off_t)(index % s->layout.nb_slots * s->layout.slot_bytes));
	if (rc < 0)
		return err_device(err, -rc, "%s", s->path);
	if (marks_read(s, &marks, err) < 0)
		return -EIO;
	if (index >= marks.done || marks.begun > index + s->layout.nb_slots)
		return 0;
	if (!slot_good(s, s->slot))
		return err_device(
			err, EIO, "%s: interval %llu", s->path, (unsigned long long)index);
	interval_make(s, s->slot, out);
	return 1;
}

int samples_total(struct samples *s, struct samples_interval *out, struct err *err)
{
	struct samples_marks before, after;

	for (unsigned i = 0; i < TRIES; i++) {
		uint64_t at;
		int rc;

		if (marks_read(s, &before, err) < 0)
			return -EIO;
		if (before.total_done == 0)
			return 0;
		at = before.total_done - 1;
		rc = read_at(s, s->total, s->layout.total_bytes,
			s->layout.totals_off + (off_t)(at % 2 * s->layout.total_bytes));
		if (rc < 0)
			return err_device(err, -rc, "%s", s->path);
		if (marks_read(s, &after, err) < 0)
			return -EIO;
		if (after.total_begun > at + 2)
			continue;
		if (!slot_good(s, s->total))
			return err_device(err, EIO, "%s: totals", s->path);
		interval_make(s, s->total, out);
		return 1;
	}
	return err_device(err, EAGAIN, "%s: the totals are written too fast to be read", s->path);
}

bool samples_hist(const struct samples *s, uint32_t stream, struct hist *out)
{
	int at = samples_hist_index(&s->head, stream);

	if (at < 0)
		return false;
	*out = samples_slot_hists(s->total, &s->layout)[at];
	return true;
}
