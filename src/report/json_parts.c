/* SPDX-License-Identifier: BSD-3-Clause */
#include "json_parts.h"

#include "tgen/text.h"
#include "value.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool json_add_u64(cJSON *object, const char *key, uint64_t n)
{
	char text[UNITS_TEXT_MAX];

	snprintf(text, sizeof(text), "%" PRIu64, n);
	return cJSON_AddRawToObject(object, key, text) != NULL;
}

bool json_add_u64_or_null(cJSON *object, const char *key, bool known, uint64_t n)
{
	return known ? json_add_u64(object, key, n) : cJSON_AddNullToObject(object, key) != NULL;
}

bool json_add_text(cJSON *object, const char *key, const char *text)
{
	char *utf8;
	bool ok;

	if (!text)
		return cJSON_AddNullToObject(object, key) != NULL;
	/* a path is any bytes */
	utf8 = text_to_utf8(text);
	ok = utf8 && cJSON_AddStringToObject(object, key, utf8);
	free(utf8);
	return ok;
}

static bool add_bool(cJSON *object, const char *key, bool value)
{
	return cJSON_AddBoolToObject(object, key, value) != NULL;
}

static bool add_time(cJSON *object, const char *key, uint64_t unix_ns)
{
	char text[UNITS_TEXT_MAX];

	return json_add_text(object, key, value_time(text, unix_ns));
}

static bool add_pps(cJSON *object, const char *key, bool known, uint64_t upps)
{
	char text[UNITS_TEXT_MAX];

	if (!known)
		return json_add_text(object, key, NULL);
	return cJSON_AddRawToObject(object, key, units_fmt_micro(text, upps)) != NULL;
}

cJSON *json_append_object(cJSON *array)
{
	cJSON *item = cJSON_CreateObject();

	if (item && !cJSON_AddItemToArray(array, item)) {
		cJSON_Delete(item);
		return NULL;
	}
	return item;
}

/* Of one size all three are that size. */
static bool add_sizes(cJSON *object, const struct result_stream *stream)
{
	bool mixed = result_stream_mixed(stream);
	uint64_t sum = mixed ? stream->size_sum : stream->packet_size;
	uint64_t nb = mixed ? stream->size_nb : 1;
	char text[UNITS_TEXT_MAX];
	bool ok = json_add_u64(
		object, "packet-size-min", mixed ? stream->size_min : stream->packet_size);

	ok &= json_add_u64(
		object, "packet-size-max", mixed ? stream->size_max : stream->packet_size);
	units_fmt_micro(text, (uint64_t)(((unsigned __int128)sum * UNITS_MICROS + nb / 2) / nb));
	ok &= cJSON_AddRawToObject(object, "packet-size-mean", text) != NULL;
	return ok;
}

/* When its packets are due, where that is not at one rate from the start. */
static bool add_sched(cJSON *object, const struct sched *s)
{
	bool bursts = s != NULL && s->burst_packets != 0, ok;

	ok = json_add_u64(object, "start-delay-ns", s != NULL ? s->delay_ns : 0);
	ok &= json_add_u64_or_null(object, "burst-packets", bursts, bursts ? s->burst_packets : 0);
	ok &= json_add_u64_or_null(object, "burst-count", bursts && s->burst_count != SCHED_NO_END,
		bursts ? s->burst_count : 0);
	ok &= json_add_u64_or_null(object, "inter-burst-gap-ns", bursts, bursts ? s->gap_ns : 0);
	ok &= json_add_u64(object, "rate-profile-points", s != NULL ? s->nb_points : 0);
	ok &= add_bool(object, "random-gaps", s != NULL && s->poisson);
	return ok;
}

static bool add_stream(
	cJSON *array, const struct result_stream *stream, const struct result_info *info)
{
	cJSON *o = json_append_object(array);
	bool ok = json_add_u64(o, "id", stream->id);

	ok &= json_add_text(o, "name", stream->name);
	ok &= json_add_text(o, "port", info->ports[stream->tx_port].name);
	ok &= json_add_text(
		o, "rx-port", stream->rx_port < 0 ? NULL : info->ports[stream->rx_port].name);
	ok &= json_add_u64(o, "packet-size", stream->packet_size);
	ok &= add_sizes(o, stream);
	ok &= add_pps(o, "configured-pps",
		!stream->flat_out && stream->configured_upps != UINT64_MAX,
		stream->configured_upps);
	ok &= add_pps(o, "asked-pps", !stream->flat_out, stream->asked_upps);
	ok &= json_add_u64_or_null(
		o, "packet-count", stream->packet_count != UINT64_MAX, stream->packet_count);
	ok &= add_bool(o, "transmit-only", stream->transmit_only);
	ok &= add_sched(o, stream->sched);
	return ok;
}

bool json_add_info(cJSON *object, const struct result_info *info)
{
	bool ok = json_add_text(object, "schema", JSON_SCHEMA);
	cJSON *streams;

	ok &= json_add_text(object, "version", info->version);
	ok &= json_add_text(object, "command", info->command);
	ok &= json_add_text(object, "config", info->config_path);
	ok &= add_time(object, "start", info->start_unix_ns);
	ok &= json_add_u64(object, "interval-ns", info->interval_ns);
	ok &= json_add_u64_or_null(
		object, "duration-ns", info->duration_ns != 0, info->duration_ns);
	ok &= json_add_u64(object, "test-id", info->test_id);
	ok &= json_add_text(object, "rate-layer", value_layer(info->layer));
	ok &= json_add_text(object, "latency-type", value_latency_type(info->latency_type));
	ok &= json_add_u64_or_null(object, "floor-ns", info->floor_ns != 0, info->floor_ns);
	streams = cJSON_AddArrayToObject(object, "streams");
	for (unsigned i = 0; i < info->nb_streams; i++)
		ok &= add_stream(streams, &info->streams[i], info);
	return ok && streams;
}

bool json_add_index(cJSON *object, const char *key, uint32_t index)
{
	return index == RESULT_TOT ? json_add_text(object, key, "TOT")
				   : json_add_u64(object, key, index);
}

bool json_add_row(cJSON *object, const struct result_row *row, const struct result_info *info)
{
	bool ok = json_add_index(object, "seq", row->seq);

	ok &= json_add_index(object, "stream", row->stream);
	ok &= json_add_u64_or_null(object, "id", row->stream != RESULT_TOT, row->id);
	ok &= add_time(object, "time", row->end_unix_ns);
	ok &= json_add_u64(object, "length-ns", row->length_ns);
	ok &= add_bool(object, "incomplete", row->incomplete);
	for (unsigned i = 0; i < metric_nb; i++) {
		const struct metric *metric = &metric_table[i];
		char text[UNITS_TEXT_MAX];

		value_plain(text, metric, row, info);
		if (strcmp(text, VALUE_INFINITE) == 0)
			ok &= json_add_text(object, metric->name, text);
		else
			ok &= cJSON_AddRawToObject(object, metric->name, text[0] ? text : "null") !=
			      NULL;
	}
	return ok;
}

bool json_add_name(cJSON *object, const struct result_row *row, const struct result_info *info)
{
	bool is_tot = row->stream == RESULT_TOT;

	return json_add_text(object, "name", is_tot ? NULL : info->streams[row->stream].name);
}

static const char *const duplex_words[] = {
	[RESULT_DUPLEX_HALF] = "half",
	[RESULT_DUPLEX_FULL] = "full",
};

static bool add_port(
	cJSON *array, const struct result_port *port, const struct result_port_counts *n)
{
	cJSON *o = json_append_object(array);
	char mac[UNITS_TEXT_MAX];
	bool ok = json_add_text(o, "name", port->name);

	ok &= json_add_text(o, "device", port->device);
	ok &= json_add_text(o, "driver", port->driver);
	ok &= json_add_text(o, "mac", units_fmt_mac(mac, port->mac));
	ok &= json_add_u64_or_null(o, "speed-bps", port->speed_bps != 0, port->speed_bps);
	ok &= json_add_u64(o, "mtu", port->mtu);
	ok &= json_add_text(o, "duplex", duplex_words[n->duplex]);
	ok &= json_add_u64(o, "rx-all", n->rx_all);
	ok &= json_add_u64(o, "good", n->good);
	ok &= json_add_u64(o, "duplicate", n->duplicate);
	ok &= json_add_u64(o, "bad", n->bad);
	ok &= json_add_u64(o, "misrouted", n->misrouted);
	ok &= json_add_u64(o, "stray", n->stray);
	ok &= json_add_u64(o, "fragment", n->fragment);
	ok &= json_add_u64(o, "returned", n->returned);
	ok &= json_add_u64(o, "host", n->host);
	ok &= json_add_u64(o, "unknown", n->unknown);
	ok &= json_add_u64(o, "unknown-byte", n->unknown_byte);
	ok &= json_add_u64(o, "tx-test", n->tx_test);
	ok &= json_add_u64(o, "tx-other", n->tx_other);
	ok &= json_add_u64(o, "tx-undelivered", n->tx_undelivered);
	ok &= json_add_u64_or_null(o, "rx-missed", n->rx_missed_known, n->rx_missed);
	ok &= json_add_u64_or_null(
		o, "rx-kernel-dropped", n->rx_kernel_known, n->rx_kernel_dropped);
	ok &= add_bool(o, "link-up", n->link_up);
	ok &= add_bool(o, "link-changed", n->link_changed);
	ok &= json_add_u64_or_null(o, "pause-rx", n->pause_known, n->pause_rx);
	ok &= json_add_u64_or_null(o, "pause-tx", n->pause_known, n->pause_tx);
	return ok;
}

static bool add_frames(
	cJSON *object, const struct result_info *info, const struct result_summary *summary)
{
	cJSON *unknown = cJSON_AddArrayToObject(object, "unknown");
	cJSON *returned = cJSON_AddArrayToObject(object, "returned");
	bool ok = unknown && returned;

	for (unsigned i = 0; i < summary->nb_unknowns; i++) {
		const struct result_unknown *kind = &summary->unknowns[i];
		cJSON *o = json_append_object(unknown);

		ok &= json_add_text(o, "port", info->ports[kind->port].name);
		ok &= json_add_u64(o, "count", kind->count);
		ok &= json_add_text(o, "text", kind->text);
	}
	for (unsigned i = 0; i < summary->nb_returned; i++) {
		const struct result_returned *kind = &summary->returned[i];
		cJSON *o = json_append_object(returned);
		char from[UNITS_TEXT_MAX];

		ok &= json_add_u64_or_null(o, "stream", kind->stream != RESULT_TOT, kind->stream);
		ok &= json_add_u64(o, "type", kind->type);
		ok &= json_add_u64(o, "code", kind->code);
		ok &= json_add_text(o, "from", units_fmt_ip(from, kind->from));
		ok &= json_add_u64(o, "count", kind->count);
	}
	return ok;
}

static bool add_texts(cJSON *object, const char *key, const char *const *texts, unsigned nb)
{
	cJSON *array = cJSON_AddArrayToObject(object, key);
	bool ok = array != NULL;

	for (unsigned i = 0; i < nb; i++)
		ok = ok && cJSON_AddItemToArray(array, cJSON_CreateString(texts[i]));
	return ok;
}

bool json_add_latency(cJSON *object, const char *key, const struct result_latency *lat)
{
	const struct {
		const char *name;
		uint64_t ns;
	} items[] = {
		{"min", lat->min},
		{"mean", lat->mean},
		{"max", lat->max},
		{"p50", lat->p50},
		{"p90", lat->p90},
		{"p99", lat->p99},
		{"p99.9", lat->p999},
	};
	cJSON *o = cJSON_AddObjectToObject(object, key);
	bool ok = json_add_u64(o, "count", lat->count);

	for (size_t i = 0; i < sizeof(items) / sizeof(items[0]); i++)
		ok &= json_add_u64_or_null(o, items[i].name, lat->count > 0, items[i].ns);
	return ok;
}

/* Ticks a frame, to a tenth. */
static bool add_cycles(cJSON *object, const char *key, uint64_t ticks, uint64_t frames)
{
	char text[UNITS_TEXT_MAX];

	if (frames == 0)
		return json_add_text(object, key, NULL);
	units_fmt_micro(text, (uint64_t)((unsigned __int128)ticks * 10u / frames) * 100000u);
	return cJSON_AddRawToObject(object, key, text) != NULL;
}

static bool add_workers(cJSON *object, const struct result_health *health)
{
	cJSON *array = cJSON_AddArrayToObject(object, "workers");
	bool ok = array != NULL;

	for (unsigned i = 0; i < health->nb_workers; i++) {
		const struct result_worker *w = &health->workers[i];
		cJSON *o = json_append_object(array);
		char load[UNITS_TEXT_MAX];

		ok &= json_add_u64(o, "cpu", w->cpu);
		/* percent with two decimals */
		units_fmt_micro(load, result_worker_load_ppm(w) / 100u * UINT64_C(10000));
		ok &= cJSON_AddRawToObject(o, "load-pct", load) != NULL;
		ok &= add_cycles(o, "tx-cycles-per-frame", w->tx_ticks, w->tx_frames);
		ok &= add_cycles(o, "rx-cycles-per-frame", w->rx_ticks, w->rx_frames);
	}
	return ok;
}

static bool add_health(cJSON *object, const struct result_health *health)
{
	cJSON *o = cJSON_AddObjectToObject(object, "health");
	bool ok = json_add_u64(o, "queue-full", health->queue_full);

	ok &= json_add_u64(o, "unsent", health->unsent);
	ok &= json_add_latency(o, "lag", &health->lag);
	ok &= json_add_u64(o, "late-bursts", health->late_bursts);
	ok &= json_add_u64(o, "catch-up", health->catch_up);
	ok &= json_add_u64_or_null(o, "steal-ns", health->steal_known, health->steal_ns);
	ok &= json_add_u64(o, "cpu-ns", health->cpu_ns);
	ok &= add_workers(o, health);
	ok &= json_add_errors(o, health);
	return ok;
}

bool json_add_summary(
	cJSON *object, const struct result_info *info, const struct result_summary *summary)
{
	cJSON *ports = cJSON_AddArrayToObject(object, "ports");
	bool ok = ports != NULL;

	for (unsigned i = 0; i < info->nb_ports; i++)
		ok &= add_port(ports, &info->ports[i], &summary->ports[i]);
	ok &= add_frames(object, info, summary);
	ok &= json_add_u64(object, "send-ns", summary->send_ns);
	ok &= json_add_u64(object, "lag-max-ns", summary->health.lag.max);
	ok &= json_add_u64(object, "queue-full", summary->health.queue_full);
	ok &= add_health(object, &summary->health);
	ok &= add_bool(object, "interrupted", summary->interrupted);
	ok &= add_texts(object, "notes", summary->notes, summary->nb_notes);
	ok &= add_texts(object, "reasons", summary->reasons, summary->nb_reasons);
	ok &= json_add_u64(object, "status", summary->status);
	ok &= json_add_text(object, "verdict", summary->clean ? "clean" : "not clean");
	return ok;
}
