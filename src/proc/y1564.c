/* SPDX-License-Identifier: BSD-3-Clause */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "groups.h"
#include "procedures.h"
#include "tgen/units.h"

/*
 * ITU-T Y.1564: services, each a group of streams with a committed rate (CIR), an excess rate (EIR)
 * and limits for loss (FLR), delay (FTD) and its variation (FDV). First each by itself in steps, then
 * all together at their CIR.
 */

#define PERCENT_ALL  100000000u
#define BAD_SECONDS  10u  /* of more than half lost in a row: not available */
#define OVERSHOOT_PC 25u  /* of EIR, or of CIR without one, beyond what may pass: for policing */
#define POLICED	     1.02 /* what passes of CIR + EIR at most: meters and bursts are not exact */

enum { SERVICES, CIR, EIR, FLR, FTD, FDV, STEP_TIME, PERFORMANCE_TIME, POLICING, NB_OPTS };
/* clang-format off */
static const struct opt opts[NB_OPTS] = {
	[SERVICES] = {.name = "services", .type = OPT_NAME, .flags = OPT_LIST,
		.help = "groups of streams that are services, in order"},
	[CIR] = {.name = "cir", .type = OPT_RATE, .flags = OPT_LIST,
		.help = "committed information rate of each service"},
	[EIR] = {.name = "eir", .type = OPT_RATE, .flags = OPT_LIST,
		.help = "excess information rate of each service; not given: none"},
	[FLR] = {.name = "flr", .type = OPT_PERCENT, .flags = OPT_LIST, .max = PERCENT_ALL,
		.dflt = "0", .unit = "%", .help = "frame loss ratio that each service may have"},
	[FTD] = {.name = "ftd", .type = OPT_TIME, .flags = OPT_LIST, .max = 60 * UNITS_NS_PER_S,
		.dflt = "0s", .help = "mean frame transfer delay that each may have; 0s: no limit"},
	[FDV] = {.name = "fdv", .type = OPT_TIME, .flags = OPT_LIST, .max = 60 * UNITS_NS_PER_S,
		.dflt = "0s", .help = "frame delay variation (99.9 % less the least) that each may have; "
			"0s: no limit"},
	[STEP_TIME] = {.name = "step-duration", .type = OPT_TIME, .min = UNITS_NS_PER_S / 100,
		.max = 3600 * UNITS_NS_PER_S, .dflt = "10s",
		.help = "length of each step of the configuration test"},
	[PERFORMANCE_TIME] = {.name = "performance-duration", .type = OPT_TIME,
		.min = UNITS_NS_PER_S / 100, .max = 7 * 86400 * UNITS_NS_PER_S, .dflt = "15m",
		.help = "length of the performance test: 15m, 2h or 24h"},
	[POLICING] = {.name = "policing", .type = OPT_BOOL, .dflt = "yes",
		.help = "yes: more than CIR + EIR is sent, too, and must not all pass; no: the network "
			"polices nothing"},
};
/* clang-format on */
const struct opt_section proc_y1564_section = OPT_SECTION("services (Y.1564)", opts);
static const struct opt_section *const sections[] = {&proc_y1564_section};

struct service {
	const char *group;
	uint64_t cir_upps, eir_upps;
	double flr;		 /* ratio */
	uint64_t ftd_ns, fdv_ns; /* 0: no limit */
};

struct y1564 {
	struct proc_env *env;
	struct service *services;
	unsigned nb;
	struct trial_load *loads;
	bool met, valid;
	struct err *err;
};

static int check(const struct opt_set *test, struct err *err)
{
	const struct opt_slot *services = opt_set_get(test, &opts[SERVICES]);

	if (services == NULL || opt_set_get(test, &opts[CIR]) == NULL)
		return opt_error(err, test, NULL,
			"y1564 needs services, the groups of streams, and cir, the rate of each");
	for (int i = CIR; i <= FDV; i++)
		if (opt_set_check_nb(test, &opts[i], services->nb_vals, "services", err) < 0)
			return -EINVAL;
	return 0;
}

static void estimate(const struct proc_env *env, struct proc_estimate *out)
{
	unsigned nb = opt_set_get(env->test, &opts[SERVICES])->nb_vals;
	unsigned steps = nb * 6;

	*out = (struct proc_estimate){.nb_trials = steps + 1,
		.duration_ns = steps * opt_set_one(env->test, &opts[STEP_TIME]).lo +
			       opt_set_one(env->test, &opts[PERFORMANCE_TIME]).lo};
}

/* ---- services ---- */

static int port_of(const struct result_info *info, const char *group)
{
	for (unsigned i = 0; i < info->nb_streams; i++)
		if (group_has(info, i, group))
			return info->streams[i].tx_port;
	return -1;
}

static int service_read(struct y1564 *y, unsigned i)
{
	const struct opt_set *test = y->env->test;
	struct service *s = &y->services[i];
	struct opt_val val;
	int port, rc = 0;

	opt_set_val(test, &opts[SERVICES], i, &val);
	s->group = val.text;
	port = port_of(y->env->info, s->group);
	if (port < 0)
		return opt_error(y->err, test, &opts[SERVICES],
			"no stream has the group \"%s\"; give the streams of the service group: %s",
			s->group, s->group);
	if (opt_set_val(test, &opts[CIR], i, &val))
		rc = proc_rate_upps(y->env, &opts[CIR], &val, (unsigned)port, &s->cir_upps, y->err);
	if (rc == 0 && opt_set_val(test, &opts[EIR], i, &val))
		rc = proc_rate_upps(y->env, &opts[EIR], &val, (unsigned)port, &s->eir_upps, y->err);
	if (rc < 0)
		return rc;
	s->flr = opt_set_val(test, &opts[FLR], i, &val) ? (double)val.lo / PERCENT_ALL : 0;
	s->ftd_ns = opt_set_val(test, &opts[FTD], i, &val) ? val.lo : 0;
	s->fdv_ns = opt_set_val(test, &opts[FDV], i, &val) ? val.lo : 0;
	return 0;
}

/* The rate of a service, shared out to its streams by weight; others stay as they are. */
static void load_set(struct y1564 *y, const struct service *s, uint64_t upps)
{
	const struct result_info *info = y->env->info;
	uint64_t weights = 0;

	for (unsigned i = 0; i < info->nb_streams; i++)
		if (group_has(info, i, s->group))
			weights += info->streams[i].weight;
	for (unsigned i = 0; i < info->nb_streams; i++)
		if (group_has(info, i, s->group))
			y->loads[i] = (struct trial_load){.packet_count = UINT64_MAX,
				.upps = (uint64_t)((unsigned __int128)upps *
						   info->streams[i].weight / weights)};
}

static void loads_clear(struct y1564 *y)
{
	memset(y->loads, 0, y->env->info->nb_streams * sizeof(*y->loads));
}

static int trial(
	struct y1564 *y, const char *purpose, uint64_t duration_ns, struct trial_result *result)
{
	const struct trial_spec spec = {.purpose = purpose,
		.frame_size = y->env->frame_size,
		.duration_ns = duration_ns,
		.loads = y->loads};
	int rc = proc_trial(y->env, &spec, result, y->err);

	if (rc == 0 && !result->clean) {
		proc_note_invalid(y->env, result);
		y->valid = false;
	}
	return rc;
}

/* ---- limits ---- */

static void missed(struct y1564 *y, const struct service *s, const char *when, const char *what,
	double is, double limit, const char *unit)
{
	y->met = false;
	proc_note(y->env, "service %s, %s: %s is %.6g %s, more than %.6g %s", s->group, when, what,
		is, unit, limit, unit);
}

/* The limits hold for what is sent within the CIR. */
static void limits_judge(
	struct y1564 *y, const struct service *s, const char *when, const struct result_row *row)
{
	double loss = row_loss_ratio(row);

	if (loss > s->flr)
		missed(y, s, when, "frame loss", loss * 100, s->flr * 100, "%");
	if (s->ftd_ns != 0 && (row->lat.count == 0 || row->lat.mean > s->ftd_ns))
		missed(y, s, when, "mean delay", (double)row->lat.mean / 1e6,
			(double)s->ftd_ns / 1e6, "ms");
	if (s->fdv_ns != 0 && row->lat.count > 0 && row->lat.p999 - row->lat.min > s->fdv_ns)
		missed(y, s, when, "delay variation", (double)(row->lat.p999 - row->lat.min) / 1e6,
			(double)s->fdv_ns / 1e6, "ms");
}

static int figures(
	struct y1564 *y, const struct service *s, const char *when, const struct result_row *row)
{
	char name[64];
	int rc;

	snprintf(name, sizeof(name), "%s-ir", when);
	rc = group_figure(y->env, s->group, name, (double)row->rx_upps / UNITS_MICROS, "pps");
	snprintf(name, sizeof(name), "%s-flr", when);
	if (rc == 0)
		rc = group_figure(y->env, s->group, name, row_loss_ratio(row), "ratio");
	if (row->lat.count == 0)
		return rc;
	snprintf(name, sizeof(name), "%s-ftd", when);
	if (rc == 0)
		rc = group_figure(y->env, s->group, name, (double)row->lat.mean, "ns");
	snprintf(name, sizeof(name), "%s-fdv", when);
	return rc == 0 ? group_figure(y->env, s->group, name,
				 (double)(row->lat.p999 - row->lat.min), "ns")
		       : rc;
}

/* ---- the configuration test ---- */

/* One step of a service by itself; within: its limits count. */
static int step(
	struct y1564 *y, const struct service *s, const char *when, uint64_t upps, bool within)
{
	struct trial_result r;
	struct result_row row;
	int rc;

	loads_clear(y);
	load_set(y, s, upps);
	rc = trial(y, when, opt_set_one(y->env->test, &opts[STEP_TIME]).lo, &r);
	if (rc < 0 || !y->valid)
		return rc;
	if (!group_total(y->env->info, &r, s->group, &row))
		return err_device(y->err, ENOMEM, "services");
	if (within)
		limits_judge(y, s, when, &row);
	if (strcmp(when, "policing") == 0 &&
		(double)row.rx_upps > POLICED * (double)(s->cir_upps + s->eir_upps))
		missed(y, s, when, "rate that passed", (double)row.rx_upps / UNITS_MICROS,
			(double)(s->cir_upps + s->eir_upps) / UNITS_MICROS, "pps");
	return figures(y, s, when, &row);
}

static int configuration(struct y1564 *y, const struct service *s)
{
	static const struct {
		const char *when;
		unsigned percent;
	} steps[] = {{"cir-25", 25}, {"cir-50", 50}, {"cir-75", 75}, {"cir-100", 100}};
	uint64_t all = s->cir_upps + s->eir_upps, beyond;
	int rc = 0;

	for (unsigned i = 0; rc == 0 && y->valid && i < 4; i++)
		rc = step(y, s, steps[i].when, s->cir_upps * steps[i].percent / 100, true);
	/* of the excess nothing is promised; beyond it the policer must not let everything pass */
	if (rc == 0 && y->valid && s->eir_upps != 0)
		rc = step(y, s, "cir-eir", all, false);
	beyond = (s->eir_upps != 0 ? s->eir_upps : s->cir_upps) * OVERSHOOT_PC / 100;
	if (rc == 0 && y->valid && opt_set_one(y->env->test, &opts[POLICING]).lo != 0)
		rc = step(y, s, "policing", all + beyond, false);
	return rc;
}

/* ---- the performance test ---- */

struct availability {
	uint64_t seconds, out, bad; /* bad: in a row, so far */
};

/* A second is bad when a stream of any service lost more than half. */
static int on_rows(void *ctx, const struct result_row *rows, unsigned nb)
{
	struct availability *a = ctx;
	bool bad = false;

	for (unsigned i = 0; i < nb; i++)
		bad |= metric_whole(&rows[i]) > 0 && row_loss_ratio(&rows[i]) > 0.5;
	a->seconds++;
	a->bad = bad ? a->bad + 1 : 0;
	if (a->bad == BAD_SECONDS)
		a->out += BAD_SECONDS;
	else if (a->bad > BAD_SECONDS)
		a->out++;
	return 0;
}

static int performance(struct y1564 *y)
{
	struct availability a = {0};
	struct trial_spec spec = {.purpose = "performance",
		.frame_size = y->env->frame_size,
		.duration_ns = opt_set_one(y->env->test, &opts[PERFORMANCE_TIME]).lo,
		.loads = y->loads,
		.on_rows = on_rows,
		.ctx = &a};
	struct trial_result r;
	int rc;

	loads_clear(y);
	for (unsigned i = 0; i < y->nb; i++)
		load_set(y, &y->services[i], y->services[i].cir_upps);
	rc = proc_trial(y->env, &spec, &r, y->err);
	if (rc < 0)
		return rc;
	y->valid = r.clean;
	if (!r.clean)
		proc_note_invalid(y->env, &r);
	for (unsigned i = 0; rc == 0 && y->valid && i < y->nb; i++) {
		struct result_row row;

		if (!group_total(y->env->info, &r, y->services[i].group, &row))
			return err_device(y->err, ENOMEM, "services");
		limits_judge(y, &y->services[i], "performance", &row);
		rc = figures(y, &y->services[i], "performance", &row);
	}
	if (rc == 0 && y->valid && a.seconds > 0)
		rc = proc_figure(y->env, "availability", 1 - (double)a.out / (double)a.seconds,
			"ratio", NULL);
	return rc;
}

static int run(struct proc_env *env, enum proc_outcome *outcome, struct err *err)
{
	struct y1564 y = {.env = env, .met = true, .valid = true, .err = err};
	int rc = proc_begin(env, err);

	if (rc < 0)
		return rc;
	y.nb = opt_set_get(env->test, &opts[SERVICES])->nb_vals;
	y.services = calloc(y.nb, sizeof(*y.services));
	y.loads = calloc(env->info->nb_streams, sizeof(*y.loads));
	if (y.services == NULL || y.loads == NULL)
		rc = err_device(err, ENOMEM, "services");
	for (unsigned i = 0; rc == 0 && i < y.nb; i++)
		rc = service_read(&y, i);
	for (unsigned i = 0; rc == 0 && y.valid && i < y.nb; i++)
		rc = configuration(&y, &y.services[i]);
	if (rc == 0 && y.valid)
		rc = performance(&y);
	*outcome = !y.valid ? PROC_INVALID : y.met ? PROC_DONE : PROC_FAILED;
	free(y.services);
	free(y.loads);
	return rc;
}

static const struct proc_figure_doc y1564_docs[] = {
	{"cir-25-ir", "pps", "rate of a service that arrived at 25 % of the CIR"},
	{"cir-25-flr", "ratio", "loss of a service at 25 % of the CIR"},
	{"cir-25-ftd", "ns", "mean delay of a service at 25 % of the CIR"},
	{"cir-25-fdv", "ns", "delay variation of a service at 25 % of the CIR"},
	{"cir-50-ir", "pps", "rate of a service that arrived at half of the CIR"},
	{"cir-50-flr", "ratio", "loss of a service at half of the CIR"},
	{"cir-50-ftd", "ns", "mean delay of a service at half of the CIR"},
	{"cir-50-fdv", "ns", "delay variation of a service at half of the CIR"},
	{"cir-75-ir", "pps", "rate of a service that arrived at 75 % of the CIR"},
	{"cir-75-flr", "ratio", "loss of a service at 75 % of the CIR"},
	{"cir-75-ftd", "ns", "mean delay of a service at 75 % of the CIR"},
	{"cir-75-fdv", "ns", "delay variation of a service at 75 % of the CIR"},
	{"cir-100-ir", "pps", "rate of a service that arrived at the CIR"},
	{"cir-100-flr", "ratio", "loss of a service at the CIR"},
	{"cir-100-ftd", "ns", "mean delay of a service at the CIR"},
	{"cir-100-fdv", "ns", "delay variation of a service at the CIR"},
	{"cir-eir-ir", "pps", "rate of a service that arrived at CIR + EIR"},
	{"cir-eir-flr", "ratio", "loss of a service at CIR + EIR"},
	{"cir-eir-ftd", "ns", "mean delay of a service at CIR + EIR"},
	{"cir-eir-fdv", "ns", "delay variation of a service at CIR + EIR"},
	{"policing-ir", "pps", "rate of a service that arrived at a quarter more than CIR + EIR"},
	{"policing-flr", "ratio", "loss of a service at a quarter more than CIR + EIR"},
	{"policing-ftd", "ns", "mean delay of a service at a quarter more than CIR + EIR"},
	{"policing-fdv", "ns", "delay variation of a service at a quarter more than CIR + EIR"},
	{"performance-ir", "pps", "rate of a service that arrived with all services at their CIR"},
	{"performance-flr", "ratio", "loss of a service with all services at their CIR"},
	{"performance-ftd", "ns", "mean delay of a service with all services at their CIR"},
	{"performance-fdv", "ns", "delay variation of a service with all services at their CIR"},
	{"availability", "ratio",
		"seconds of the performance test that were available (not within 10 in a row of "
		"more than half lost)"},
};
static const struct proc_figure_docs y1564_figures = PROC_FIGURE_DOCS(y1564_docs);
static const struct proc_figure_docs *const y1564_all[] = {&y1564_figures};

const struct procedure proc_y1564 = {
	.name = "y1564",
	.help = "services at their committed rate, in steps and together, against limits of loss "
		"and "
		"delay (ITU-T Y.1564)",
	.sections = sections,
	.nb_sections = 1,
	.flags = PROC_OWN_LOADS,
	.check = check,
	.estimate = estimate,
	.run = run,
	.figures = y1564_all,
	.nb_figures = sizeof(y1564_all) / sizeof(y1564_all[0]),
};
