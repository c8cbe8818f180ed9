/* SPDX-License-Identifier: BSD-3-Clause */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "results_private.h"
#include "tgen/units.h"
#include "value.h"

/* A trial as the results have it. */

static void text_or_null(cJSON *object, const char *key, const char *text)
{
	cJSON_AddItemToObject(
		object, key, text != NULL ? cJSON_CreateString(text) : cJSON_CreateNull());
}

static void number_or_null(cJSON *object, const char *key, bool known, double value)
{
	cJSON_AddItemToObject(object, key, known ? cJSON_CreateNumber(value) : cJSON_CreateNull());
}

/* ---- metrics, in base units ---- */

static cJSON *metric_node(const struct metric *m, const struct result_row *row)
{
	uint64_t n = metric_value(m, row), whole;

	switch (m->kind) {
	case METRIC_SIGNED:
	case METRIC_SIGNED_NS:
		return cJSON_CreateNumber((double)(int64_t)n);
	case METRIC_UPPS:
		return cJSON_CreateNumber((double)n / UNITS_MICROS);
	case METRIC_RATIO:
		whole = metric_whole(row);
		return whole > 0 ? cJSON_CreateNumber((double)(int64_t)n / (double)whole)
				 : cJSON_CreateNull();
	case METRIC_NS:
		if (n == RESULT_INFINITE)
			return cJSON_CreateString("inf");
		return cJSON_CreateNumber((double)n);
	case METRIC_COUNT:
	case METRIC_BPS:
		break;
	}
	return cJSON_CreateNumber((double)n);
}

static cJSON *metrics(const struct result_row *row, const struct result_info *info)
{
	cJSON *node = cJSON_CreateObject();

	for (unsigned i = 0; i < metric_nb; i++) {
		const struct metric *m = &metric_table[i];

		cJSON_AddItemToObject(node, m->name,
			metric_known(m, row, info) ? metric_node(m, row) : cJSON_CreateNull());
	}
	return node;
}

/* ---- load ---- */

struct load_sum {
	double asked_pps, sent_pps; /* of a port, mean */
	double line_pps;	    /* lowest line of those that send; INFINITY: none is known */
	double mean_bytes;	    /* with FCS, of what is sent */
	bool flat_out;
};

static double mean_bytes_of(const struct result_stream *s)
{
	return (s->size_nb > 0 ? (double)s->size_sum / (double)s->size_nb
			       : (double)s->packet_size) +
	       UNITS_FCS_BYTES;
}

static double asked_upps(const struct trial_spec *spec, const struct result_info *info, unsigned i)
{
	return spec->loads != NULL ? (double)spec->loads[i].upps
				   : (double)info->streams[i].asked_upps;
}

static struct load_sum load_sum_of(const struct results_trial *t)
{
	const struct result_info *info = t->info;
	struct load_sum sum = {.line_pps = INFINITY};
	double bytes = 0, nb_bytes = 0, sent = 0;
	bool sends[64] = {false};
	unsigned nb = 0;

	for (unsigned i = 0; i < info->nb_streams; i++) {
		const struct result_stream *s = &info->streams[i];
		bool flat = t->spec->loads != NULL ? t->spec->loads[i].upps == TRIAL_FLAT_OUT
						   : s->flat_out;
		double asked = asked_upps(t->spec, info, i), mean = mean_bytes_of(s), line;

		if (!flat && asked == 0)
			continue;
		sum.flat_out |= flat;
		sum.asked_pps += asked / UNITS_MICROS;
		sent += (double)t->result->totals[i].n.tx_packet;
		bytes += mean;
		nb_bytes++;
		if (s->tx_port < 64 && !sends[s->tx_port]) {
			sends[s->tx_port] = true;
			nb++;
		}
		line = (double)info->ports[s->tx_port].speed_bps / (8 * (mean + UNITS_WIRE_BYTES));
		if (line > 0 && line < sum.line_pps)
			sum.line_pps = line;
	}
	sum.mean_bytes = nb_bytes > 0 ? bytes / nb_bytes : 0;
	if (nb > 0) {
		sum.asked_pps /= nb;
		if (t->result->send_ns > 0)
			sum.sent_pps = sent * UNITS_NS_PER_S / (double)t->result->send_ns / nb;
	}
	return sum;
}

static void load_add(cJSON *node, const struct load_sum *sum)
{
	cJSON *load = cJSON_AddObjectToObject(node, "load");
	bool line = isfinite(sum->line_pps);

	if (sum->flat_out)
		cJSON_AddStringToObject(load, "pps", "inf");
	else
		cJSON_AddNumberToObject(load, "pps", sum->asked_pps);
	number_or_null(load, "line-ratio", line && !sum->flat_out, sum->asked_pps / sum->line_pps);
	number_or_null(load, "l1-bps", !sum->flat_out,
		sum->asked_pps * 8 * (sum->mean_bytes + UNITS_WIRE_BYTES));
	number_or_null(load, "l2-bps", !sum->flat_out, sum->asked_pps * 8 * sum->mean_bytes);
	cJSON_AddNumberToObject(load, "sent-pps", sum->sent_pps);
	number_or_null(load, "sent-line-ratio", line, sum->sent_pps / sum->line_pps);
}

static void asked_add(cJSON *node, const struct results_trial *t)
{
	cJSON *list = cJSON_AddArrayToObject(node, "asked");

	for (unsigned i = 0; t->spec->loads != NULL && i < t->info->nb_streams; i++) {
		const struct trial_load *load = &t->spec->loads[i];
		cJSON *item = cJSON_CreateObject();

		if (load->upps == TRIAL_FLAT_OUT)
			cJSON_AddStringToObject(item, "upps", "max");
		else
			cJSON_AddNumberToObject(item, "upps", (double)load->upps);
		number_or_null(item, "packet-count", load->packet_count != UINT64_MAX,
			(double)load->packet_count);
		cJSON_AddNumberToObject(item, "step-ns", (double)load->step_ns);
		cJSON_AddNumberToObject(item, "step-upps", (double)load->step_upps);
		cJSON_AddItemToArray(list, item);
	}
}

/* ---- streams and groups ---- */

static void streams_add(cJSON *node, const struct results_trial *t)
{
	cJSON *list = cJSON_AddArrayToObject(node, "streams");

	for (unsigned i = 0; i < t->info->nb_streams; i++) {
		cJSON *item = cJSON_CreateObject();

		cJSON_AddStringToObject(item, "name", t->info->streams[i].name);
		cJSON_AddItemToObject(item, "metrics", metrics(&t->result->totals[i], t->info));
		cJSON_AddItemToObject(item, "counts", results_row_raw(&t->result->totals[i]));
		cJSON_AddItemToArray(list, item);
	}
}

static bool same_group(const struct result_info *info, unsigned a, unsigned b)
{
	const char *x = info->streams[a].group, *y = info->streams[b].group;

	return x != NULL && y != NULL && strcmp(x, y) == 0;
}

/* The streams of a group as one row; latencies from their merged histograms. */
static void group_add(cJSON *list, const struct results_trial *t, unsigned first,
	struct result_row *rows, struct hist *all, struct hist *one)
{
	cJSON *item = cJSON_CreateObject();
	struct result_row tot;
	unsigned nb = 0;

	hist_reset(all);
	for (unsigned i = first; i < t->info->nb_streams; i++) {
		if (!same_group(t->info, first, i))
			continue;
		rows[nb++] = t->result->totals[i];
		if (t->result->latency == NULL)
			continue;
		t->result->latency(t->result->latency_ctx, i, one);
		hist_merge(all, one);
	}
	result_row_total(&tot, rows, nb, t->info, all);
	cJSON_AddStringToObject(item, "name", t->info->streams[first].group);
	cJSON_AddItemToObject(item, "metrics", metrics(&tot, t->info));
	cJSON_AddItemToArray(list, item);
}

static void groups_add(cJSON *node, const struct results_trial *t)
{
	cJSON *list = cJSON_AddArrayToObject(node, "groups");
	struct result_row *rows = calloc(t->info->nb_streams, sizeof(*rows));
	struct hist *h = malloc(2 * sizeof(*h));

	for (unsigned i = 0; rows != NULL && h != NULL && i < t->info->nb_streams; i++) {
		bool seen = t->info->streams[i].group == NULL;

		for (unsigned k = 0; k < i && !seen; k++)
			seen = same_group(t->info, k, i);
		if (!seen)
			group_add(list, t, i, rows, &h[0], &h[1]);
	}
	free(h);
	free(rows);
}

/* ---- latency ---- */

static void latency_add(cJSON *node, const struct results_trial *t)
{
	static const char *const types[] = {"filo", "fifo", "lifo", "lilo"};
	static const double percents[] = {
		0, 1, 5, 10, 25, 50, 75, 90, 95, 99, 99.9, 99.99, 99.999, 100};
	struct hist *h = t->result->latency != NULL ? malloc(sizeof(*h)) : NULL;
	cJSON *item, *curve, *streams;

	if (h == NULL) {
		cJSON_AddNullToObject(node, "latency");
		return;
	}
	t->result->latency(t->result->latency_ctx, RESULT_TOT, h);
	item = cJSON_AddObjectToObject(node, "latency");
	cJSON_AddStringToObject(item, "type", types[t->info->latency_type]);
	curve = cJSON_AddArrayToObject(item, "percentiles");
	for (size_t i = 0; h->count > 0 && i < sizeof(percents) / sizeof(percents[0]); i++) {
		cJSON *pair = cJSON_CreateArray();

		cJSON_AddItemToArray(pair, cJSON_CreateNumber(percents[i]));
		cJSON_AddItemToArray(pair, cJSON_CreateNumber((double)hist_percentile(
						   h, (uint32_t)(percents[i] * 10000))));
		cJSON_AddItemToArray(curve, pair);
	}
	cJSON_AddItemToObject(item, "histogram", results_hist(h));
	streams = cJSON_AddArrayToObject(item, "streams");
	for (unsigned i = 0; i < t->info->nb_streams; i++) {
		t->result->latency(t->result->latency_ctx, i, h);
		cJSON_AddItemToArray(streams, results_hist(h));
	}
	free(h);
}

/* ---- the rest ---- */

static void event_add(cJSON *list, const char *kind, const struct trial_event *event)
{
	cJSON *item;

	if (!event->done)
		return;
	item = cJSON_CreateObject();
	cJSON_AddStringToObject(item, "kind", kind);
	cJSON_AddNumberToObject(item, "begin-ns", (double)event->begin_ns);
	cJSON_AddNumberToObject(item, "end-ns", (double)event->end_ns);
	cJSON_AddBoolToObject(item, "failed", event->failed);
	cJSON_AddItemToArray(list, item);
}

static void health_add(cJSON *node, const struct results_trial *t)
{
	const struct result_health *h = &t->result->health;
	cJSON *item = cJSON_AddObjectToObject(node, "health"), *workers;

	cJSON_AddNumberToObject(item, "queue-full", (double)h->queue_full);
	cJSON_AddNumberToObject(item, "unsent", (double)h->unsent);
	cJSON_AddNumberToObject(item, "lag-p50-ns", (double)h->lag.p50);
	cJSON_AddNumberToObject(item, "lag-p99-ns", (double)h->lag.p99);
	cJSON_AddNumberToObject(item, "lag-max-ns", (double)h->lag.max);
	cJSON_AddNumberToObject(item, "late-bursts", (double)h->late_bursts);
	number_or_null(item, "steal-ns", h->steal_known, (double)h->steal_ns);
	workers = cJSON_AddArrayToObject(item, "workers");
	for (unsigned i = 0; i < h->nb_workers; i++) {
		cJSON *w = cJSON_CreateObject();

		cJSON_AddNumberToObject(w, "cpu", h->workers[i].cpu);
		cJSON_AddNumberToObject(
			w, "load-ratio", result_worker_load_ppm(&h->workers[i]) / 1e6);
		cJSON_AddItemToArray(workers, w);
	}
}

static void ports_add(cJSON *node, const struct results_trial *t)
{
	cJSON *list = cJSON_AddArrayToObject(node, "ports");

	for (unsigned p = 0; t->result->ports != NULL && p < t->info->nb_ports; p++) {
		cJSON *item = results_port_raw(&t->result->ports[p]);

		cJSON_AddStringToObject(item, "name", t->info->ports[p].name);
		cJSON_AddItemToArray(list, item);
	}
}

static void raw_add(cJSON *node, const struct trial_result *r)
{
	cJSON *item = cJSON_AddObjectToObject(node, "raw");

	cJSON_AddBoolToObject(item, "conserved", r->conserved);
	cJSON_AddNumberToObject(item, "foreign", r->foreign);
	results_add_u64(item, "undelivered", r->undelivered);
	results_add_u64(item, "start-unix-ns", r->start_unix_ns);
	cJSON_AddItemToObject(item, "total", results_row_raw(&r->total));
}

static cJSON *texts(const char *const *lines, unsigned nb)
{
	cJSON *list = cJSON_CreateArray();

	for (unsigned i = 0; i < nb; i++)
		cJSON_AddItemToArray(list, cJSON_CreateString(lines[i]));
	return list;
}

cJSON *results_trial_json(const struct results_trial *t)
{
	const struct trial_result *r = t->result;
	const struct trial_spec *spec = t->spec;
	struct load_sum sum = load_sum_of(t);
	cJSON *node = cJSON_CreateObject(), *events;
	char start[64];

	cJSON_AddNumberToObject(node, "nr", t->nr);
	cJSON_AddNumberToObject(node, "attempt", t->attempt);
	cJSON_AddStringToObject(node, "purpose", spec->purpose != NULL ? spec->purpose : "trial");
	cJSON_AddStringToObject(node, "start", value_time(start, r->start_unix_ns));
	text_or_null(node, "frame-size", spec->frame_size);
	cJSON_AddNumberToObject(node, "mean-frame-bytes", sum.mean_bytes);
	load_add(node, &sum);
	asked_add(node, t);
	cJSON_AddNumberToObject(node, "duration-ns", (double)spec->duration_ns);
	cJSON_AddNumberToObject(node, "send-ns", (double)r->send_ns);
	cJSON_AddNumberToObject(node, "addresses", (double)spec->addresses);
	cJSON_AddNumberToObject(node, "event-ns", (double)spec->event_ns);
	cJSON_AddNumberToObject(node, "mend-ns", (double)spec->mend_ns);
	cJSON_AddBoolToObject(node, "valid", r->clean);
	cJSON_AddBoolToObject(node, "fell-short", r->fell_short);
	cJSON_AddItemToObject(node, "reasons", texts(r->reasons, r->nb_reasons));
	cJSON_AddBoolToObject(node, "interrupted", r->interrupted);
	cJSON_AddItemToObject(node, "total", metrics(&r->total, t->info));
	streams_add(node, t);
	groups_add(node, t);
	latency_add(node, t);
	cJSON_AddItemToObject(
		node, "intervals", t->intervals != NULL ? t->intervals : cJSON_CreateArray());
	cJSON_AddItemToObject(node, "probe", t->probe != NULL ? t->probe : cJSON_CreateArray());
	events = cJSON_AddArrayToObject(node, "events");
	event_add(events, "event", &r->event);
	event_add(events, "mend", &r->mend);
	health_add(node, t);
	ports_add(node, t);
	raw_add(node, r);
	return node;
}
