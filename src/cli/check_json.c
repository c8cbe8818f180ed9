/* SPDX-License-Identifier: BSD-3-Clause */
#include "check_plan.h"

#include <cjson/cJSON.h>

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>

#include "tgen/names.h"
#include "objects.h"
#include "tgen/pkt.h"

/* The plan of a run as JSON: docs/output.md says what the keys are. */

#define PLAN_SCHEMA "tgen.plan/1"

static bool add_text(cJSON *o, const char *key, const char *text)
{
	return text != NULL ? cJSON_AddStringToObject(o, key, text) != NULL
			    : cJSON_AddNullToObject(o, key) != NULL;
}

static bool add_raw(cJSON *o, const char *key, const char *text)
{
	return cJSON_AddRawToObject(o, key, text) != NULL;
}

/* cJSON keeps numbers as double: integers go in as text. */
static bool add_u64(cJSON *o, const char *key, uint64_t n)
{
	char text[UNITS_TEXT_MAX];

	snprintf(text, sizeof(text), "%" PRIu64, n);
	return add_raw(o, key, text);
}

static bool add_u64_or_null(cJSON *o, const char *key, bool known, uint64_t n)
{
	return known ? add_u64(o, key, n) : cJSON_AddNullToObject(o, key) != NULL;
}

static bool add_pps(cJSON *o, const char *key, bool known, uint64_t upps)
{
	char text[UNITS_TEXT_MAX];

	return known ? add_raw(o, key, units_fmt_micro(text, upps))
		     : cJSON_AddNullToObject(o, key) != NULL;
}

/* A new object at the end of an array; without memory NULL, which every add refuses. */
static cJSON *append(cJSON *array)
{
	cJSON *o = cJSON_CreateObject();

	if (o != NULL && !cJSON_AddItemToArray(array, o)) {
		cJSON_Delete(o);
		return NULL;
	}
	return o;
}

static bool append_text(cJSON *array, const char *text)
{
	cJSON *item = cJSON_CreateString(text);

	if (item != NULL && cJSON_AddItemToArray(array, item))
		return true;
	cJSON_Delete(item);
	return false;
}

static bool add_addresses(cJSON *o, const struct plan_port *port)
{
	const struct opt_slot *slot = opt_set_get(port->conf, &conf_port_opts[PORT_ADDRESS]);
	cJSON *array = cJSON_AddArrayToObject(o, "addresses");
	bool ok = array != NULL;

	for (unsigned i = 0; slot != NULL && i < slot->nb_vals; i++)
		ok = ok && append_text(array, slot->vals[i].text);
	return ok;
}

static bool add_load(const struct check_plan *c, cJSON *o, unsigned p)
{
	uint64_t speed = c->guesses[p].facts.speed_bps;
	struct check_load load = {0};
	bool known;

	check_load_of(c, p, &load);
	known = c->is_run && !load.flat_out;
	return add_u64(o, "streams", load.nb_streams) &&
	       add_pps(o, "tx-pps", known, load.tx_upps) &&
	       add_u64_or_null(o, "tx-bps", known, load.tx_bps) &&
	       add_u64_or_null(o, "wire-bps", known, load.wire_bps) &&
	       (known && speed != 0 ? cJSON_AddNumberToObject(o, "wire-share",
					      (double)load.wire_bps / (double)speed) != NULL
				    : cJSON_AddNullToObject(o, "wire-share") != NULL) &&
	       add_pps(o, "rx-pps", c->is_run && !load.rx_flat_out, load.rx_upps);
}

static bool add_port(const struct check_plan *c, cJSON *array, unsigned p)
{
	const struct plan_port *port = &c->plan->ports[p];
	const struct engine_guess *guess = &c->guesses[p];
	char text[UNITS_TEXT_MAX];
	cJSON *o = append(array);

	return add_text(o, "name", port->name) && add_text(o, "device", port->device) &&
	       add_addresses(o, port) &&
	       add_text(o, "mac",
		       guess->mac != ENGINE_ASSUMED ? units_fmt_mac(text, guess->facts.mac)
						    : NULL) &&
	       add_u64(o, "mtu", guess->facts.mtu) &&
	       add_text(o, "mtu-source", check_source(guess->mtu)) &&
	       add_u64_or_null(
		       o, "speed-bps", guess->facts.speed_bps != 0, guess->facts.speed_bps) &&
	       add_text(o, "speed-source",
		       guess->facts.speed_bps != 0 ? check_source(guess->speed) : NULL) &&
	       add_u64(o, "queues", guess->facts.nb_queues) && add_load(c, o, p);
}

static void emit_assumed(void *ctx, const char *name, const char *value)
{
	/* a field that occurs twice is the same one */
	if (!cJSON_HasObjectItem(ctx, name))
		cJSON_AddStringToObject(ctx, name, value);
}

static bool add_assumed(const struct check_plan *c, cJSON *o, const struct plan_stream *s)
{
	cJSON *assumed = cJSON_AddObjectToObject(o, "assumed");

	if (assumed != NULL)
		(pkt_is_raw(s->tmpl) ? cli_assumed_raw_packet_template
				     : cli_assumed_packet_template)(
			c->conf, s->tmpl, emit_assumed, assumed);
	return assumed != NULL;
}

/* One size is its own least, most and mean. */
static bool add_sizes(const struct check_plan *c, cJSON *o, const struct plan_stream *s)
{
	struct result_stream sizes = {
		.packet_size = s->size, .size_min = s->size, .size_max = s->size};
	double mean;

	run_names_sizes(&sizes, s);
	mean = sizes.size_nb > 0 ? (double)sizes.size_sum / (double)sizes.size_nb : s->size;
	return add_u64_or_null(o, "packet-size", c->is_run, sizes.packet_size) &&
	       add_u64_or_null(o, "packet-size-min", c->is_run, sizes.size_min) &&
	       add_u64_or_null(o, "packet-size-max", c->is_run, sizes.size_max) &&
	       (c->is_run ? cJSON_AddNumberToObject(o, "packet-size-mean", mean)
			  : cJSON_AddNullToObject(o, "packet-size-mean")) != NULL;
}

static bool add_stream(const struct check_plan *c, cJSON *array, const struct plan_stream *s)
{
	const struct plan *plan = c->plan;
	const char *rx = s->route.rx_port >= 0 ? plan->ports[s->route.rx_port].name : NULL;
	bool paced = c->is_run && !s->flat_out;
	cJSON *o = append(array);
	char hop[96];

	check_next_hop(hop, sizeof(hop), s);
	return add_u64_or_null(o, "id", c->is_run, s->id) && add_text(o, "name", s->name) &&
	       add_text(o, "template", opt_set_one(s->tmpl, &pkt_template_opts[TMPL_NAME]).text) &&
	       add_text(o, "port", plan->ports[s->route.tx_port].name) &&
	       add_text(o, "port-reason", check_tx_reason(c, s)) &&
	       add_text(o, "rx-port", s->transmit_only ? NULL : rx) &&
	       add_text(o, "rx-port-reason", check_rx_reason(c, s)) &&
	       add_text(o, "next-hop", hop) && add_sizes(c, o, s) &&
	       add_pps(o, "configured-pps", paced && s->want_upps != UINT64_MAX,
		       paced ? plan_rate_upps(s->configured) : 0) &&
	       add_pps(o, "asked-pps", paced, paced ? plan_rate_upps(s->asked) : 0) &&
	       add_u64_or_null(o, "bps", paced, paced ? check_packet_bps(s) : 0) &&
	       add_u64_or_null(o, "wire-bps", paced, paced ? check_wire_bps(s) : 0) &&
	       add_u64_or_null(o, "packet-count", s->packet_count != UINT64_MAX, s->packet_count) &&
	       add_assumed(c, o, s);
}

static bool add_queue(const struct plan *plan, cJSON *array, unsigned q)
{
	cJSON *o = append(array), *ids;
	bool ok = add_text(o, "port", plan->ports[plan->queues[q].port].name) &&
		  add_u64(o, "queue", plan->queues[q].queue);

	ids = cJSON_AddArrayToObject(o, "streams");
	for (unsigned l = 0; ok && l < plan->nb_lanes; l++)
		if (plan->lanes[l].queue == q)
			ok = cJSON_AddItemToArray(
				ids, cJSON_CreateNumber(plan->streams[plan->lanes[l].stream].id));
	return ok && ids != NULL;
}

static bool add_workers(cJSON *o, const struct plan *plan)
{
	cJSON *workers = cJSON_AddArrayToObject(o, "workers");
	bool ok = workers != NULL;

	for (unsigned w = 0; ok && w < plan->nb_workers; w++) {
		cJSON *worker = append(workers), *queues;

		ok = add_u64(worker, "cpu", plan->workers[w].cpu);
		queues = cJSON_AddArrayToObject(worker, "queues");
		for (unsigned q = 0; ok && q < plan->nb_queues; q++)
			if (plan->queues[q].worker == w)
				ok = add_queue(plan, queues, q);
	}
	return ok;
}

static bool add_memory(cJSON *o, const struct engine_needs *needs)
{
	cJSON *memory = cJSON_AddObjectToObject(o, "memory");

	return add_u64(memory, "dpdk-bytes", needs->eal_mb << 20) &&
	       add_u64(memory, "counters-bytes", needs->counter_bytes) &&
	       add_u64(memory, "available-bytes", needs->available_bytes) &&
	       add_u64(memory, "hugepages-free-bytes", needs->hugepages_mb << 20);
}

static bool add_texts(cJSON *o, const char *key, char *const *texts, unsigned nb)
{
	cJSON *array = cJSON_AddArrayToObject(o, key);
	bool ok = array != NULL;

	for (unsigned i = 0; i < nb; i++)
		ok = ok && append_text(array, texts[i]);
	return ok;
}

static bool add_plan(const struct check_plan *c, cJSON *o)
{
	const struct plan *plan = c->plan;
	cJSON *ports = cJSON_AddArrayToObject(o, "ports");
	cJSON *streams = cJSON_AddArrayToObject(o, "streams");
	bool ok = ports != NULL && streams != NULL;

	for (unsigned p = 0; plan != NULL && p < plan->nb_ports; p++)
		ok = ok && add_port(c, ports, p);
	for (unsigned i = 0; plan != NULL && i < plan->nb_streams; i++)
		ok = ok && add_stream(c, streams, &plan->streams[i]);
	if (c->is_run)
		return ok && add_workers(o, plan) && add_memory(o, &c->needs) &&
		       add_u64(o, "test-id", plan->test_id) &&
		       add_u64_or_null(o, "duration-ns", plan->duration_ns != 0, plan->duration_ns);
	return ok && add_text(o, "workers", NULL) && add_text(o, "memory", NULL) &&
	       add_text(o, "test-id", NULL) && add_text(o, "duration-ns", NULL);
}

int check_print_json(const struct check_plan *c, struct err *err)
{
	cJSON *o = cJSON_CreateObject();
	bool ok = add_text(o, "schema", PLAN_SCHEMA) && add_text(o, "version", TGEN_VERSION) &&
		  add_text(o, "config", conf_path(c->conf)) &&
		  cJSON_AddBoolToObject(o, "is-run", c->is_run) != NULL && add_plan(c, o) &&
		  add_u64(o, "frames-built", c->nb_built) &&
		  add_texts(o, "notes", c->plan != NULL ? c->plan->notes : NULL,
			  c->plan != NULL ? c->plan->nb_notes : 0) &&
		  add_texts(o, "warnings", c->warnings, c->nb_warnings);
	char *text = ok ? cJSON_Print(o) : NULL;

	cJSON_Delete(o);
	if (text == NULL)
		return err_device(err, ENOMEM, "plan");
	printf("%s\n", text);
	cJSON_free(text);
	return 0;
}
