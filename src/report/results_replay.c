/* SPDX-License-Identifier: BSD-3-Clause */
#include <stdlib.h>
#include <string.h>

#include "results_private.h"

/* Trials that were measured before, as procedures see them. */

struct results_replay {
	struct trial_result result;
	struct result_row *totals;
	struct result_port_counts *ports;
	char **reasons;
	struct hist *hists; /* the sum, then one a stream; NULL: no latencies */
	unsigned nb_streams;
};

static const cJSON *member(const cJSON *object, const char *key)
{
	return cJSON_GetObjectItemCaseSensitive(object, key);
}

static const char *text_of(const cJSON *object, const char *key)
{
	return cJSON_GetStringValue(member(object, key));
}

static uint64_t u64_of(const cJSON *object, const char *key)
{
	uint64_t value = 0;

	results_read_u64(member(object, key), &value);
	return value;
}

static void latency(void *ctx, uint32_t stream, struct hist *out)
{
	const struct results_replay *r = ctx;

	*out = r->hists[stream == RESULT_TOT ? 0 : 1 + stream];
}

/* ---- parts; each tells what does not fit ---- */

static const char *streams_read(
	struct results_replay *r, const cJSON *trial, const struct result_info *info)
{
	const cJSON *list = member(trial, "streams"), *item;
	unsigned i = 0;

	if (cJSON_GetArraySize(list) != (int)info->nb_streams)
		return "it had other streams";
	cJSON_ArrayForEach(item, list)
	{
		const char *name = text_of(item, "name");

		if (name == NULL || strcmp(name, info->streams[i].name) != 0)
			return "it had other streams";
		if (!results_row_raw_read(member(item, "counts"), &r->totals[i]))
			return "counts of a stream are missing";
		r->totals[i].stream = i;
		r->totals[i].seq = RESULT_TOT;
		r->totals[i].id = info->streams[i].id;
		i++;
	}
	if (!results_row_raw_read(member(member(trial, "raw"), "total"), &r->result.total))
		return "the counts of the sum are missing";
	r->result.total.stream = RESULT_TOT;
	r->result.total.seq = RESULT_TOT;
	return NULL;
}

static const char *ports_read(
	struct results_replay *r, const cJSON *trial, const struct result_info *info)
{
	const cJSON *list = member(trial, "ports"), *item;
	unsigned p = 0;

	if (cJSON_GetArraySize(list) != (int)info->nb_ports)
		return "it had other ports";
	cJSON_ArrayForEach(item, list)
	{
		if (!results_port_raw_read(item, &r->ports[p++]))
			return "counts of a port are missing";
	}
	return NULL;
}

static const char *latency_read(struct results_replay *r, const cJSON *trial)
{
	const cJSON *node = member(trial, "latency"), *list = member(node, "streams"), *item;
	unsigned i = 1;

	if (!cJSON_IsObject(node))
		return NULL;
	r->hists = calloc(r->nb_streams + 1, sizeof(*r->hists));
	if (r->hists == NULL)
		return "no memory";
	if (cJSON_GetArraySize(list) != (int)r->nb_streams ||
		!results_hist_read(member(node, "histogram"), &r->hists[0]))
		return "its latencies are damaged";
	cJSON_ArrayForEach(item, list)
	{
		if (!results_hist_read(item, &r->hists[i++]))
			return "its latencies are damaged";
	}
	r->result.latency = latency;
	r->result.latency_ctx = r;
	return NULL;
}

static const char *reasons_read(struct results_replay *r, const cJSON *trial)
{
	const cJSON *list = member(trial, "reasons"), *item;

	r->reasons = calloc((size_t)cJSON_GetArraySize(list) + 1, sizeof(*r->reasons));
	if (r->reasons == NULL)
		return "no memory";
	cJSON_ArrayForEach(item, list)
	{
		const char *text = cJSON_GetStringValue(item);

		r->reasons[r->result.nb_reasons] = strdup(text != NULL ? text : "");
		if (r->reasons[r->result.nb_reasons] == NULL)
			return "no memory";
		r->result.nb_reasons++;
	}
	r->result.reasons = (const char *const *)r->reasons;
	return NULL;
}

static void events_read(struct results_replay *r, const cJSON *trial)
{
	const cJSON *item;

	cJSON_ArrayForEach(item, member(trial, "events"))
	{
		const char *kind = text_of(item, "kind");
		struct trial_event *event = kind != NULL && strcmp(kind, "mend") == 0
						    ? &r->result.mend
						    : &r->result.event;

		*event = (struct trial_event){.done = true,
			.failed = cJSON_IsTrue(member(item, "failed")),
			.begin_ns = u64_of(item, "begin-ns"),
			.end_ns = u64_of(item, "end-ns")};
	}
}

static void rest_read(struct results_replay *r, const cJSON *trial)
{
	const cJSON *raw = member(trial, "raw"), *health = member(trial, "health");
	struct trial_result *t = &r->result;

	t->start_unix_ns = u64_of(raw, "start-unix-ns");
	t->send_ns = u64_of(trial, "send-ns");
	t->conserved = cJSON_IsTrue(member(raw, "conserved"));
	t->foreign = (unsigned)u64_of(raw, "foreign");
	t->undelivered = u64_of(raw, "undelivered");
	t->clean = cJSON_IsTrue(member(trial, "valid"));
	t->fell_short = cJSON_IsTrue(member(trial, "fell-short"));
	t->interrupted = cJSON_IsTrue(member(trial, "interrupted"));
	t->health.queue_full = u64_of(health, "queue-full");
	t->health.unsent = u64_of(health, "unsent");
	t->health.lag.p50 = u64_of(health, "lag-p50-ns");
	t->health.lag.p99 = u64_of(health, "lag-p99-ns");
	t->health.lag.max = u64_of(health, "lag-max-ns");
	t->totals = r->totals;
	t->nb_totals = r->nb_streams;
	t->ports = r->ports;
	events_read(r, trial);
}

struct results_replay *results_trial_read(
	const cJSON *trial, const struct result_info *info, struct err *err)
{
	struct results_replay *r = calloc(1, sizeof(*r));
	const char *wrong = "no memory";

	if (r != NULL) {
		r->nb_streams = info->nb_streams;
		r->totals = calloc(info->nb_streams + 1, sizeof(*r->totals));
		r->ports = calloc(info->nb_ports + 1, sizeof(*r->ports));
	}
	if (r != NULL && r->totals != NULL && r->ports != NULL) {
		wrong = streams_read(r, trial, info);
		if (wrong == NULL)
			wrong = ports_read(r, trial, info);
		if (wrong == NULL)
			wrong = latency_read(r, trial);
		if (wrong == NULL)
			wrong = reasons_read(r, trial);
	}
	if (wrong != NULL) {
		err_usage(err, "a trial that was measured before cannot be used: %s", wrong);
		results_replay_free(r);
		return NULL;
	}
	rest_read(r, trial);
	return r;
}

const struct trial_result *results_replay_result(const struct results_replay *replay)
{
	return &replay->result;
}

void results_replay_free(struct results_replay *r)
{
	if (r == NULL)
		return;
	for (unsigned i = 0; r->reasons != NULL && i < r->result.nb_reasons; i++)
		free(r->reasons[i]);
	free(r->reasons);
	free(r->hists);
	free(r->ports);
	free(r->totals);
	free(r);
}

/* ---- the same trial ---- */

static bool same_text(const char *a, const char *b)
{
	return a == b || (a != NULL && b != NULL && strcmp(a, b) == 0);
}

static bool same_load(const cJSON *item, const struct trial_load *load)
{
	const cJSON *upps = member(item, "upps"), *count = member(item, "packet-count");

	if (load->upps == TRIAL_FLAT_OUT
			? !cJSON_IsString(upps)
			: !cJSON_IsNumber(upps) || upps->valuedouble != (double)load->upps)
		return false;
	if (load->packet_count == UINT64_MAX
			? !cJSON_IsNull(count)
			: !cJSON_IsNumber(count) ||
				  count->valuedouble != (double)load->packet_count)
		return false;
	return u64_of(item, "step-ns") == load->step_ns &&
	       u64_of(item, "step-upps") == load->step_upps;
}

bool results_trial_is(const cJSON *trial, const struct trial_spec *spec, unsigned nb_streams)
{
	const cJSON *asked = member(trial, "asked"), *item;
	unsigned i = 0;

	if (!same_text(
		    text_of(trial, "purpose"), spec->purpose != NULL ? spec->purpose : "trial") ||
		!same_text(text_of(trial, "frame-size"), spec->frame_size) ||
		u64_of(trial, "duration-ns") != spec->duration_ns ||
		u64_of(trial, "addresses") != spec->addresses ||
		u64_of(trial, "event-ns") != spec->event_ns ||
		u64_of(trial, "mend-ns") != spec->mend_ns ||
		cJSON_GetArraySize(asked) != (spec->loads != NULL ? (int)nb_streams : 0))
		return false;
	cJSON_ArrayForEach(item, asked)
	{
		if (!same_load(item, &spec->loads[i++]))
			return false;
	}
	return true;
}
