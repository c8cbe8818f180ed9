/* SPDX-License-Identifier: BSD-3-Clause */
#include "rfc2889.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "fixed.h"
#include "groups.h"
#include "procedures.h"
#include "tgen/units.h"

/* RFC 2889: forwarding rates of a switch (§5.1, §5.2, §5.6), congestion (§5.5), broadcasts (§5.10). */

#define PERCENT_ALL 100000000u

const struct opt rfc2889_opts[RFC2889_NB_OPTS] = {
	[RFC2889_STEP] = {.name = "load-step",
		.type = OPT_PERCENT,
		.min = 1000000,
		.max = 50000000,
		.dflt = "10",
		.unit = "%",
		.help = "by how much of max-rate the offered load goes down from trial to trial "
			"while "
			"the highest forwarding rate is looked for"},
};
const struct opt_section proc_rfc2889_section = OPT_SECTION("forwarding rate", rfc2889_opts);
static const struct opt_section *const sections[] = {
	&proc_load_section, &proc_trial_section, &proc_rfc2889_section};
static const struct opt_section *const one_trial[] = {&proc_load_section, &proc_trial_section};

int rfc2889_trial(struct proc_env *env, const char *purpose, uint64_t upps,
	struct trial_result *result, struct err *err)
{
	struct trial_load *loads = calloc(env->info->nb_streams, sizeof(*loads));
	const struct trial_spec spec = {.purpose = purpose,
		.frame_size = env->frame_size,
		.duration_ns = fixed_duration_ns(env->test),
		.loads = loads};
	int rc;

	if (loads == NULL)
		return err_device(err, ENOMEM, "loads");
	proc_loads_even(env->info, upps, loads);
	rc = proc_trial(env, &spec, result, err);
	free(loads);
	return rc;
}

/* Frames that came, a second of the sending phase, all ports together. */
static double forwarded_pps(const struct trial_result *r)
{
	return r->send_ns > 0 ? (double)r->total.n.good * UNITS_NS_PER_S / (double)r->send_ns : 0;
}

/* ---- mesh, one-to-many, many-to-one ---- */

static unsigned nb_steps(const struct opt_set *test)
{
	uint64_t step = opt_set_one(test, &rfc2889_opts[RFC2889_STEP]).lo;

	return (unsigned)((PERCENT_ALL + step - 1) / step);
}

static void rates_estimate(const struct proc_env *env, struct proc_estimate *out)
{
	fixed_estimate(env, nb_steps(env->test), out);
}

struct rates {
	bool any;
	double frmol, mfr, mfr_load; /* packets/s */
	uint64_t flooded;
	double limit_pps; /* the generator's; 0: not met */
};

/* One offered load; false in *more: lower ones are no use. */
static int rate_step(struct proc_env *env, uint64_t upps, bool first, struct rates *rates,
	bool *more, struct err *err)
{
	struct trial_result r;
	double pps;
	int rc = rfc2889_trial(env, first ? "max-load" : "load-step", upps, &r, err);

	*more = true;
	if (rc < 0)
		return rc;
	if (!r.clean) {
		if (r.fell_short)
			rates->limit_pps = proc_sent_pps(env->info, &r);
		else
			*more = false;
		proc_note_invalid(env, &r);
		return 0;
	}
	pps = forwarded_pps(&r);
	if (!rates->any) {
		rates->frmol = pps;
		rates->flooded = r.total.n.misrouted;
	}
	if (!rates->any || pps > rates->mfr) {
		rates->mfr = pps;
		rates->mfr_load = proc_sent_pps(env->info, &r);
	}
	rates->any = true;
	/* all that is offered is forwarded: less cannot be more */
	*more = r.total.lost_packet > 0;
	return 0;
}

static int rates_figures(const struct proc_env *env, const struct rates *rates)
{
	const char *limited = rates->limit_pps > 0 ? "tester-limited" : NULL;
	int rc = proc_figure(env, "frmol", rates->frmol, "pps", limited);

	if (limited != NULL)
		proc_note(env,
			"the generator sent no more than %.0f packets/s of a port in time: the "
			"highest load that counts is below that",
			rates->limit_pps);
	if (rc == 0)
		rc = proc_figure(env, "mfr", rates->mfr, "pps", NULL);
	if (rc == 0)
		rc = proc_figure(env, "mfr-load", rates->mfr_load, "pps", NULL);
	return rc == 0 ? proc_figure(env, "flood-count", (double)rates->flooded, "frames", NULL)
		       : rc;
}

static int rates_run(struct proc_env *env, enum proc_outcome *outcome, struct err *err)
{
	uint64_t step = opt_set_one(env->test, &rfc2889_opts[RFC2889_STEP]).lo, most;
	struct rates rates = {0};
	bool more = true;
	int rc = proc_begin(env, err);

	if (rc == 0)
		rc = proc_max_upps(env, &most, err);
	for (uint64_t at = PERCENT_ALL; rc == 0 && more && at >= step; at -= step)
		rc = rate_step(env, (uint64_t)((unsigned __int128)most * at / PERCENT_ALL),
			at == PERCENT_ALL, &rates, &more, err);
	if (rc < 0)
		return rc;
	*outcome = rates.any ? PROC_DONE : PROC_INVALID;
	return rates.any ? rates_figures(env, &rates) : 0;
}

static const struct proc_figure_doc rates_docs[] = {
	{"frmol", "pps", "forwarding rate at the maximum offered load, all ports together"},
	{"mfr", "pps", "maximum forwarding rate of all offered loads, all ports together"},
	{"mfr-load", "pps", "load of each port at which that was"},
	{"flood-count", "frames",
		"frames that came out of a port that is not theirs, at the maximum offered load"},
};
static const struct proc_figure_docs rates_doc = PROC_FIGURE_DOCS(rates_docs);
static const struct proc_figure_docs *const rates_all[] = {&rates_doc};

#define RATES(var, name_, help_, topology)                                                         \
	const struct procedure var = {.name = (name_),                                             \
		.help = (help_),                                                                   \
		.sections = sections,                                                              \
		.nb_sections = sizeof(sections) / sizeof(sections[0]),                             \
		.flags = PROC_OWN_LOADS,                                                           \
		.topologies = topology,                                                            \
		.estimate = rates_estimate,                                                        \
		.run = rates_run,                                                                  \
		.figures = rates_all,                                                              \
		.nb_figures = 1}

RATES(proc_rfc2889_mesh, "rfc2889-mesh",
	"forwarding rate at the highest offered load (FRMOL), highest forwarding rate (MFR) and "
	"flooded frames, every port to every other (RFC 2889 §5.1)",
	0);
RATES(proc_rfc2889_one_to_many, "rfc2889-one-to-many",
	"the same from one port to all others (RFC 2889 §5.2)", 0);
RATES(proc_rfc2889_many_to_one, "rfc2889-many-to-one",
	"the same from all ports to one (RFC 2889 §5.2)", 0);

/* ---- congestion ---- */

static void one_estimate(const struct proc_env *env, struct proc_estimate *out)
{
	fixed_estimate(env, 1, out);
}

/* A port at which streams of several ports arrive. */
static bool is_congested(const struct result_info *info, int32_t port)
{
	int from = -1;

	for (unsigned i = 0; i < info->nb_streams; i++) {
		if (info->streams[i].rx_port != port)
			continue;
		if (from >= 0 && from != info->streams[i].tx_port)
			return true;
		from = info->streams[i].tx_port;
	}
	return false;
}

static int congestion_figures(const struct proc_env *env, const struct trial_result *r)
{
	double sent[2] = {0}, lost[2] = {0};
	int rc;

	for (unsigned i = 0; i < env->info->nb_streams; i++) {
		unsigned k = is_congested(env->info, env->info->streams[i].rx_port) ? 1 : 0;

		sent[k] += (double)metric_whole(&r->totals[i]);
		lost[k] += (double)r->totals[i].lost_packet;
	}
	if (sent[0] == 0 || sent[1] == 0) {
		proc_note(env,
			"no port is congested beside one that is not: use topology=congestion with "
			"four ports");
		return -ENODATA;
	}
	for (unsigned k = 0; k < 2; k++)
		lost[k] /= sent[k];
	proc_note(env, lost[0] > 0
			       ? "head-of-line blocking: frames for the port that is not congested "
				 "were lost, too"
			       : "no head-of-line blocking: nothing was lost at the port that is "
				 "not congested");
	proc_note(env, lost[1] > 0 ? "no back pressure: the congested port lost what was too much"
				   : "back pressure: nothing was lost at the congested port");
	rc = proc_figure(env, "uncongested-lost-ratio", lost[0], "ratio", NULL);
	if (rc == 0)
		rc = proc_figure(env, "congested-lost-ratio", lost[1], "ratio", NULL);
	if (rc == 0)
		rc = proc_figure(env, "head-of-line-blocking", lost[0] > 0, "", NULL);
	return rc == 0 ? proc_figure(env, "back-pressure", lost[1] == 0, "", NULL) : rc;
}

static int congestion_run(struct proc_env *env, enum proc_outcome *outcome, struct err *err)
{
	struct trial_result r;
	uint64_t most;
	int rc = proc_begin(env, err);

	if (rc == 0)
		rc = proc_max_upps(env, &most, err);
	if (rc == 0)
		rc = rfc2889_trial(env, "final", most, &r, err);
	if (rc < 0)
		return rc;
	*outcome = r.clean ? PROC_DONE : PROC_INVALID;
	if (r.clean)
		rc = congestion_figures(env, &r);
	else
		proc_note_invalid(env, &r);
	if (rc != -ENODATA)
		return rc;
	*outcome = PROC_SKIPPED;
	return 0;
}

static const struct proc_figure_doc congestion_docs[] = {
	{"uncongested-lost-ratio", "ratio", "loss at the port that is not congested"},
	{"congested-lost-ratio", "ratio", "loss at the congested port"},
	{"head-of-line-blocking", "", "1: the port that is not congested lost frames, too"},
	{"back-pressure", "", "1: the congested port lost nothing"},
};
static const struct proc_figure_docs congestion_doc = PROC_FIGURE_DOCS(congestion_docs);
static const struct proc_figure_docs *const congestion_all[] = {&congestion_doc};

const struct procedure proc_rfc2889_congestion = {
	.name = "rfc2889-congestion",
	.help = "two ports send to one that cannot take it all, and one of them half to a fourth: "
		"head-of-line blocking and back pressure (RFC 2889 §5.5)",
	.sections = one_trial,
	.nb_sections = sizeof(one_trial) / sizeof(one_trial[0]),
	.flags = PROC_OWN_LOADS,
	.estimate = one_estimate,
	.run = congestion_run,
	.figures = congestion_all,
	.nb_figures = sizeof(congestion_all) / sizeof(congestion_all[0]),
};

/* ---- broadcast ---- */

static int broadcast_run(struct proc_env *env, enum proc_outcome *outcome, struct err *err)
{
	struct trial_result r;
	double all, got;
	uint64_t most;
	int rc = proc_begin(env, err);

	if (rc == 0)
		rc = proc_max_upps(env, &most, err);
	if (rc == 0)
		rc = rfc2889_trial(env, "final", most, &r, err);
	if (rc < 0)
		return rc;
	*outcome = r.clean ? PROC_DONE : PROC_INVALID;
	if (*outcome == PROC_INVALID) {
		proc_note_invalid(env, &r);
		return 0;
	}
	const unsigned copies = env->info->nb_ports > 1 ? env->info->nb_ports - 1 : 1;
	/* the first copy is good; those at other ports are misrouted or duplicates of it */
	all = (double)r.total.n.tx_packet * copies;
	got = (double)(r.total.n.good + r.total.n.misrouted + r.total.n.duplicate);
	rc = proc_figure(env, "broadcast-lost-ratio", all > 0 ? 1 - got / all : 1, "ratio", NULL);
	if (rc == 0 && r.send_ns > 0)
		rc = proc_figure(env, "broadcast-rate", got * UNITS_NS_PER_S / (double)r.send_ns,
			"pps", NULL);
	return rc == 0 ? proc_latency_figures(env, NULL, &r.total.lat) : rc;
}

static const struct proc_figure_doc broadcast_docs[] = {
	{"broadcast-lost-ratio", "ratio", "copies that are missing of those that should have come"},
	{"broadcast-rate", "pps", "copies that arrived, all ports together"},
};
static const struct proc_figure_docs broadcast_figures = PROC_FIGURE_DOCS(broadcast_docs);
static const struct proc_figure_docs *const broadcast_all[] = {
	&broadcast_figures, &proc_latency_docs};

const struct procedure proc_rfc2889_broadcast = {
	.name = "rfc2889-broadcast",
	.help = "broadcasts of one port at all others: copies that are missing, rate, latency "
		"(RFC 2889 §5.10)",
	.sections = one_trial,
	.nb_sections = sizeof(one_trial) / sizeof(one_trial[0]),
	.flags = PROC_OWN_LOADS,
	.estimate = one_estimate,
	.run = broadcast_run,
	.figures = broadcast_all,
	.nb_figures = sizeof(broadcast_all) / sizeof(broadcast_all[0]),
};
