/* SPDX-License-Identifier: BSD-3-Clause */
#include "saved.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* The totals of a result read back, as rows with the names they need. */

struct saved_run {
	struct result_info info;
	struct result_port *ports;
	struct result_stream *streams;
	struct result_row *rows; /* one a stream, then the sum when there is one */
	unsigned nb_rows;
};

static const char *text_of(const cJSON *object, const char *key)
{
	return cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(object, key));
}

static uint64_t number_of(const cJSON *object, const char *key)
{
	uint64_t n = 0;

	saved_number(object, key, &n);
	return n;
}

/* `2031-05-01T12:00:00.000Z`; 0: it is none. */
static uint64_t time_of(const cJSON *object, const char *key)
{
	const char *text = text_of(object, key), *rest;
	struct tm tm = {0};

	rest = text != NULL ? strptime(text, "%Y-%m-%dT%H:%M:%S", &tm) : NULL;
	if (rest == NULL)
		return 0;
	return (uint64_t)timegm(&tm) * UNITS_NS_PER_S +
	       (rest[0] == '.' ? strtoull(rest + 1, NULL, 10) * 1000000 : 0);
}

/* -1: none of that name. */
static int port_find(const struct saved_run *run, const char *name)
{
	for (unsigned p = 0; name != NULL && p < run->info.nb_ports; p++)
		if (run->ports[p].name != NULL && strcmp(run->ports[p].name, name) == 0)
			return (int)p;
	return -1;
}

static int streams_fill(struct saved_run *run, const cJSON *streams)
{
	const cJSON *item;
	unsigned i = 0;

	cJSON_ArrayForEach(item, streams)
	{
		int tx = port_find(run, text_of(item, "port"));

		if (tx < 0)
			return -EINVAL;
		run->streams[i++] = (struct result_stream){
			.id = (uint16_t)number_of(item, "id"),
			.tx_port = (uint16_t)tx,
			.rx_port = port_find(run, text_of(item, "rx-port")),
			.transmit_only = cJSON_IsTrue(
				cJSON_GetObjectItemCaseSensitive(item, "transmit-only")),
		};
	}
	return 0;
}

static void row_fill(struct saved_run *run, uint32_t stream, const cJSON *total)
{
	struct result_row *row = &run->rows[run->nb_rows++];

	for (unsigned i = 0; i < metric_nb; i++)
		saved_figure(row, &metric_table[i], total);
	row->seq = RESULT_TOT;
	row->stream = stream;
	row->id = number_of(total, "id");
	row->length_ns = number_of(total, "length-ns");
	row->end_unix_ns = time_of(total, "time");
	run->info.order_measured |=
		saved_number_text(cJSON_GetObjectItemCaseSensitive(total, "rx-ooo")) != NULL;
}

static int run_fill(struct saved_run *run, const cJSON *root)
{
	const cJSON *ports = cJSON_GetObjectItemCaseSensitive(root, "ports"), *item;
	const cJSON *streams = cJSON_GetObjectItemCaseSensitive(root, "streams");
	const cJSON *totals = cJSON_GetObjectItemCaseSensitive(root, "totals");
	const cJSON *sum = cJSON_GetObjectItemCaseSensitive(root, "total");
	unsigned nb = (unsigned)cJSON_GetArraySize(streams), p = 0;

	run->info.nb_ports = (unsigned)cJSON_GetArraySize(ports);
	run->info.nb_streams = nb;
	run->ports = calloc(run->info.nb_ports + 1, sizeof(*run->ports));
	run->streams = calloc(nb + 1, sizeof(*run->streams));
	run->rows = calloc(nb + 1, sizeof(*run->rows));
	if (run->ports == NULL || run->streams == NULL || run->rows == NULL)
		return -ENOMEM;
	run->info.ports = run->ports;
	run->info.streams = run->streams;
	run->info.command = text_of(root, "command");
	run->info.start_unix_ns = time_of(root, "start");
	cJSON_ArrayForEach(item, ports) run->ports[p++].name = text_of(item, "name");
	if (nb == 0 || nb != (unsigned)cJSON_GetArraySize(totals) || streams_fill(run, streams) < 0)
		return -EINVAL;
	cJSON_ArrayForEach(item, totals) row_fill(run, run->nb_rows, item);
	if (cJSON_IsObject(sum) && nb > 1)
		row_fill(run, RESULT_TOT, sum);
	return 0;
}

int report_saved_stats(const struct report_saved *saved, FILE *out, enum stats_form form,
	enum stats_what what, struct err *err)
{
	struct saved_run run = {0};
	int rc = run_fill(&run, saved->root);

	if (rc == 0) {
		struct samples_interval total = {.rows = run.rows, .nb_rows = run.nb_rows};
		struct stats_writer *w = stats_begin(out, form, what, &run.info, false);

		rc = w != NULL ? 0 : -ENOMEM;
		if (w != NULL) {
			stats_put_interval(w, &total);
			rc = stats_end(w);
		}
	}
	free(run.ports);
	free(run.streams);
	free(run.rows);
	if (rc == -EINVAL)
		return err_usage(err, "%s has no totals", saved->path);
	return rc < 0 ? err_device(err, -rc, "%s", saved->path) : 0;
}
