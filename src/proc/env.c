/* SPDX-License-Identifier: BSD-3-Clause */
#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "tgen/procedure.h"
#include "tgen/units.h"

/* What procedures have in common: rates of ports, trials that are repeated, figures. */

#define PERCENT_ALL (100 * UNITS_MICROS) /* millionths of a percent */
#define WIRE_BYTES  (UNITS_FCS_BYTES + UNITS_WIRE_BYTES)

int proc_begin(struct proc_env *env, struct err *err)
{
	env->info = env->runner->info(env->runner->ctx, env->frame_size, err);
	return env->info != NULL ? 0 : -EINVAL;
}

/* Packets and bytes without FCS of a period of what a stream sends. */
static void stream_period(const struct result_stream *s, uint64_t *nb, uint64_t *sum)
{
	*nb = s->size_nb > 0 ? s->size_nb : 1;
	*sum = s->size_nb > 0 ? s->size_sum : s->packet_size;
}

/*
 * What a packet of a port's load takes on average, by weight: bytes on the wire, and on info.layer;
 * false: the port sends nothing.
 */
static bool port_bytes(const struct result_info *info, unsigned port, double *wire, double *layer)
{
	double weights = 0;

	*wire = *layer = 0;
	for (unsigned i = 0; i < info->nb_streams; i++) {
		const struct result_stream *s = &info->streams[i];
		uint64_t nb, sum;
		double mean;

		if (s->tx_port != port)
			continue;
		stream_period(s, &nb, &sum);
		mean = (double)sum / (double)nb;
		weights += s->weight;
		*wire += s->weight * (mean + WIRE_BYTES);
		*layer += s->weight * (mean + (double)s->layer_bytes - s->packet_size);
	}
	if (weights == 0)
		return false;
	*wire /= weights;
	*layer /= weights;
	return true;
}

uint64_t proc_line_upps(const struct proc_env *env, unsigned port)
{
	uint64_t speed_bps = env->info->ports[port].speed_bps;
	double wire, layer;

	if (speed_bps == 0 || !port_bytes(env->info, port, &wire, &layer))
		return 0;
	/* whole packets a second, RFC 2544 style */
	return (uint64_t)floor((double)speed_bps / (8 * wire)) * UNITS_MICROS;
}

int proc_rate_upps(const struct proc_env *env, const struct opt *opt, const struct opt_val *val,
	unsigned port, uint64_t *out, struct err *err)
{
	const struct result_port *p = &env->info->ports[port];
	double wire, layer, upps = (double)val->lo;

	if (!port_bytes(env->info, port, &wire, &layer))
		return opt_error(err, env->test, opt, "port %s sends nothing", p->name);
	if (val->hi == UNITS_RATE_PERCENT && p->speed_bps == 0)
		return opt_error(err, env->test, opt,
			"%s of a line whose speed is not known: give port %s its speed (tgen port "
			"set "
			"%s speed=1G), or the rate in mbps or pps",
			val->text, p->name, p->name);
	if (val->hi == UNITS_RATE_PERCENT)
		upps = (double)proc_line_upps(env, port) * ((double)val->lo / PERCENT_ALL);
	else if (val->hi == UNITS_RATE_BPS)
		upps = (double)val->lo / (8 * layer) * UNITS_MICROS;
	*out = (uint64_t)upps;
	if (*out == 0)
		return opt_error(err, env->test, opt, "%s is no rate to measure at", val->text);
	return 0;
}

int proc_max_upps(const struct proc_env *env, uint64_t *out, struct err *err)
{
	const struct opt *opt = &proc_load_opts[LOAD_MAX_RATE];
	const struct result_info *info = env->info;
	struct opt_val val;
	bool given = opt_set_val(env->test, opt, 0, &val);

	*out = UINT64_MAX;
	for (unsigned p = 0; p < info->nb_ports; p++) {
		uint64_t line = proc_line_upps(env, p), most = line;
		double wire, layer;

		if (!port_bytes(info, p, &wire, &layer))
			continue;
		if (given && proc_rate_upps(env, opt, &val, p, &most, err) < 0)
			return -EINVAL;
		if (line != 0 && most > line)
			most = line;
		if (most == 0)
			return opt_error(err, env->test, NULL,
				"the speed of port %s is not known, so nothing tells how far to "
				"go: "
				"give max-rate (as 20kpps or 950mbps), or the port its speed",
				info->ports[p].name);
		if (most < *out)
			*out = most;
	}
	if (*out == UINT64_MAX)
		return opt_error(err, env->test, NULL, "no port sends");
	return 0;
}

void proc_loads_even(const struct result_info *info, uint64_t port_upps, struct trial_load *loads)
{
	for (unsigned i = 0; i < info->nb_streams; i++) {
		uint64_t weights = 0;

		for (unsigned j = 0; j < info->nb_streams; j++)
			if (info->streams[j].tx_port == info->streams[i].tx_port)
				weights += info->streams[j].weight;
		loads[i] = (struct trial_load){.packet_count = UINT64_MAX, .upps = port_upps};
		if (port_upps != TRIAL_FLAT_OUT && weights > 0)
			loads[i].upps = (uint64_t)((unsigned __int128)port_upps *
						   info->streams[i].weight / weights);
	}
}

/* What a spec asks of a port on average, packets/s, for the user to see. */
static double spec_pps(const struct result_info *info, const struct trial_spec *spec)
{
	bool sends[64] = {false};
	double sum = 0;
	unsigned nb = 0;

	for (unsigned i = 0; spec->loads != NULL && i < info->nb_streams; i++) {
		unsigned port = info->streams[i].tx_port;

		if (spec->loads[i].upps == TRIAL_FLAT_OUT)
			return INFINITY;
		if (spec->loads[i].upps == 0)
			continue;
		if (port < 64 && !sends[port]) {
			sends[port] = true;
			nb++;
		}
		sum += (double)spec->loads[i].upps / UNITS_MICROS;
	}
	return nb > 0 ? sum / nb : 0;
}

static void progress(struct proc_env *env, const struct trial_spec *spec)
{
	struct proc_progress p = {.purpose = spec->purpose,
		.trial = env->nb_trials,
		.load_pps = spec_pps(env->info, spec),
		.low_pps = env->low_pps,
		.high_pps = env->high_pps};

	if (env->sink->progress != NULL)
		env->sink->progress(env->sink->ctx, &p);
}

int proc_trial(struct proc_env *env, const struct trial_spec *spec, struct trial_result *result,
	struct err *err)
{
	for (unsigned attempt = 0; attempt <= env->max_invalid; attempt++) {
		int rc;

		env->nb_trials++;
		progress(env, spec);
		rc = env->runner->trial(env->runner->ctx, spec, result, err);
		if (rc < 0)
			return rc;
		if (result->interrupted)
			return -EINTR;
		if (result->clean)
			break;
	}
	return 0;
}

double proc_loss_ratio(const struct trial_result *result)
{
	uint64_t whole = metric_whole(&result->total);

	if (whole == 0)
		return 1;
	return (double)result->total.lost_packet / (double)whole;
}

double proc_sent_pps(const struct result_info *info, const struct trial_result *result)
{
	bool sends[64] = {false};
	unsigned nb = 0;

	if (result->send_ns == 0)
		return 0;
	for (unsigned i = 0; i < info->nb_streams; i++) {
		unsigned port = info->streams[i].tx_port;

		if (result->totals[i].n.tx_packet == 0 || port >= 64 || sends[port])
			continue;
		sends[port] = true;
		nb++;
	}
	return nb == 0 ? 0
		       : (double)result->total.n.tx_packet * UNITS_NS_PER_S /
				 (double)result->send_ns / nb;
}

int proc_figure(const struct proc_env *env, const char *name, double value, const char *unit,
	const char *remark)
{
	const struct proc_figure figure = {
		.name = name, .value = value, .unit = unit, .remark = remark};

	return env->sink->figure(env->sink->ctx, &figure);
}

static double latency_ns(uint64_t ns)
{
	return ns == RESULT_INFINITE ? INFINITY : (double)ns;
}

/* clang-format off */
static const struct proc_figure_doc latency_docs[] = {
	{"latency-min", "ns", "least latency"},
	{"latency-mean", "ns", "mean latency"},
	{"latency-p50", "ns", "median latency"},
	{"latency-p90", "ns", "latency that 90 % of the frames do not exceed"},
	{"latency-p99", "ns", "latency that 99 % of the frames do not exceed"},
	{"latency-p999", "ns", "latency that 99.9 % of the frames do not exceed"},
	{"latency-max", "ns", "greatest latency"},
};
/* clang-format on */
const struct proc_figure_docs proc_latency_docs = PROC_FIGURE_DOCS(latency_docs);

int proc_latency_figures(
	const struct proc_env *env, const char *scope, const struct result_latency *lat)
{
	const struct {
		const char *name;
		uint64_t ns;
	} all[] = {
		{"latency-min", lat->min},
		{"latency-mean", lat->mean},
		{"latency-p50", lat->p50},
		{"latency-p90", lat->p90},
		{"latency-p99", lat->p99},
		{"latency-p999", lat->p999},
		{"latency-max", lat->max},
	};
	int rc = 0;

	for (unsigned i = 0; lat->count > 0 && rc == 0 && i < sizeof(all) / sizeof(all[0]); i++) {
		const struct proc_figure figure = {.name = all[i].name,
			.value = latency_ns(all[i].ns),
			.unit = "ns",
			.scope = scope};

		rc = env->sink->figure(env->sink->ctx, &figure);
	}
	return rc;
}

void proc_note(const struct proc_env *env, const char *fmt, ...)
{
	char *text = NULL;
	va_list ap;
	int rc;

	va_start(ap, fmt);
	rc = vasprintf(&text, fmt, ap);
	va_end(ap);
	if (rc >= 0)
		env->sink->note(env->sink->ctx, text);
	free(text);
}

void proc_note_invalid(const struct proc_env *env, const struct trial_result *result)
{
	proc_note(env, "not valid: %s",
		result->nb_reasons > 0 ? result->reasons[0] : "the generator was not clean");
}
