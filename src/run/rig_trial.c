/* SPDX-License-Identifier: BSD-3-Clause */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "rig_private.h"
#include "tgen/log.h"
#include "tgen/units.h"

/* One trial on the engine: a plan of its own, what goes on beside it, what it was worth. */

#define TEST(which) (&conf_test_opts[which])

void rig_load_fini(struct rig_load *load)
{
	run_names_fini(&load->names);
	plan_free(load->plan);
	free(load->streams);
	*load = (struct rig_load){0};
}

static uint64_t time_of(const struct rig *rig, enum conf_test_opt which)
{
	return opt_set_one(rig->test->test, TEST(which)).lo;
}

/* ---- loading ---- */

static int plan_ready(struct rig *rig, struct plan *plan, struct err *err)
{
	int rc = plan_size(plan, rig->facts, err);

	if (rc == 0)
		rc = engine_resolve(rig->engine, plan, err);
	if (rc == 0)
		rc = plan_build(plan, err);
	if (rc == 0)
		rc = engine_learn(rig->engine, plan, err);
	if (rc == 0)
		rc = plan_build_replies(plan, err);
	return rc;
}

/* The engine has the new plan before the old one goes. */
static int load(struct rig *rig, const struct trial_spec *spec, struct err *err)
{
	struct rig_load next = {.streams = calloc(rig->test->nb, sizeof(*next.streams))};
	struct opt_set words;
	unsigned nb;
	int rc = next.streams != NULL ? 0 : err_device(err, ENOMEM, "streams");

	if (rc < 0)
		return rc;
	if (spec->addresses != 0)
		rc = topology_addresses(rig->conf, rig->test->test, spec->addresses, err);
	if (rc == 0) {
		rc = rig_words(rig, spec, false, &words, next.streams, &nb, err);
		if (rc == 0)
			next.plan = rig_plan(rig, &words, err);
		opt_set_fini(&words);
	}
	if (next.plan == NULL)
		rc = rc < 0 ? rc : -EINVAL;
	if (rc == 0)
		rc = plan_ready(rig, next.plan, err);
	if (rc == 0)
		rc = run_names_make(&next.names, next.plan, rig->engine, err);
	if (rc < 0) {
		rig_load_fini(&next);
		return rc;
	}
	rc = engine_load(rig->engine, next.plan, err);
	if (rc < 0) {
		rig_load_fini(&rig->failed);
		rig->failed = next;
		return rc;
	}
	rig_load_fini(&rig->load);
	rig->load = next;
	return 0;
}

/* ---- while it runs ---- */

static int on_start(void *ctx, uint64_t start_unix_ns)
{
	struct rig *rig = ctx;

	rig->load.names.info.start_unix_ns = start_unix_ns;
	if (rig->beside != NULL)
		dut_beside_start(rig->beside);
	return 0;
}

static int on_rows(void *ctx, const struct result_row *rows, unsigned nb)
{
	struct rig *rig = ctx;

	rig_point_add(rig, rows, nb);
	if (rig->spec->on_rows != NULL)
		rig->spec->on_rows(rig->spec->ctx, rows, nb);
	if (rig->hooks.rows == NULL)
		return 0;
	rig->hook_rc = rig->hooks.rows(rig->hooks.ctx, &rig->load.names.info, rows, nb, rig->err);
	return rig->hook_rc;
}

static int beside_make(struct rig *rig, const struct trial_spec *spec, struct err *err)
{
	const struct opt_set *test = rig->test->test;
	const struct dut_beside_spec beside = {
		.event = spec->event_ns != 0 ? opt_set_get(test, TEST(TEST_EVENT)) : NULL,
		.mend = spec->mend_ns != 0 ? opt_set_get(test, TEST(TEST_MEND)) : NULL,
		.event_ns = spec->event_ns,
		.mend_ns = spec->mend_ns,
		.variant = rig->variant,
		.probe_interval_ns = UNITS_NS_PER_S};
	bool probes = rig->variant != NULL &&
		      opt_set_get(rig->variant, &conf_variant_opts[VARIANT_PROBE]) != NULL;

	rig->beside = NULL;
	if (beside.event == NULL && beside.mend == NULL && !probes)
		return 0;
	rig->beside = dut_beside_new(&beside, err);
	return rig->beside != NULL ? 0 : -EIO;
}

static struct trial_event event_of(const struct dut_beside_event *event)
{
	return (struct trial_event){.done = event->done,
		.failed = event->failed,
		.begin_ns = event->begin_ns,
		.end_ns = event->end_ns};
}

static void beside_end(struct rig *rig, struct trial_result *result, cJSON **probe)
{
	struct dut_beside_event event = {0}, mend = {0};

	*probe = NULL;
	if (rig->beside == NULL)
		return;
	dut_beside_finish(rig->beside, &event, &mend, probe, rig->commands);
	rig->beside = NULL;
	result->event = event_of(&event);
	result->mend = event_of(&mend);
}

/* ---- afterwards ---- */

/* Limits of health as the test has them; percentages are in millionths of a percent. */
static struct proc_limits limits_of(const struct opt_set *test)
{
	return (struct proc_limits){
		.short_ppm =
			(uint32_t)(opt_set_one(test, &conf_quick_opts[QUICK_MAX_UNSENT]).lo / 100),
		.rx_missed = opt_set_one(test, &conf_quick_opts[QUICK_MAX_RX_MISSED]).lo,
		.lag_p99_ns = opt_set_one(test, &conf_quick_opts[QUICK_MAX_LAG]).lo,
		.steal_ppm =
			(uint32_t)(opt_set_one(test, &conf_quick_opts[QUICK_MAX_STEAL]).lo / 100),
	};
}

static int judge(struct rig *rig, struct trial_result *result, struct err *err)
{
	const struct proc_limits limits = limits_of(rig->test->test);
	const struct result_info *info = &rig->load.names.info;

	proc_verdict_fini(&rig->verdict);
	if (proc_quick_judge(info, result, &limits, &rig->verdict) < 0)
		return err_device(err, ENOMEM, "verdict");
	result->clean = rig->verdict.summary.clean;
	result->reasons = rig->verdict.summary.reasons;
	result->nb_reasons = rig->verdict.summary.nb_reasons;
	result->fell_short = !result->clean && proc_fell_short(info, result, &limits);
	return 0;
}

/* The plan's stream of one of the test's; -1: it did not send. */
static int stream_at(const struct rig *rig, uint32_t stream)
{
	for (unsigned i = 0; i < rig->load.plan->nb_streams; i++)
		if (rig->load.streams[i] == stream)
			return (int)i;
	return -1;
}

static void latency(void *ctx, uint32_t stream, struct hist *out)
{
	struct rig *rig = ctx;
	int at = stream == RESULT_TOT ? 0 : stream_at(rig, stream);

	if (at < 0) {
		hist_reset(out);
		return;
	}
	rig->inner.latency(
		rig->inner.latency_ctx, stream == RESULT_TOT ? RESULT_TOT : (uint32_t)at, out);
}

/* A row for every stream of the test, also for those that sent nothing. */
static int totals_spread(struct rig *rig, struct trial_result *result, struct err *err)
{
	unsigned nb = rig->test->nb;

	free(rig->totals);
	rig->totals = calloc(nb, sizeof(*rig->totals));
	if (rig->totals == NULL)
		return err_device(err, ENOMEM, "results");
	for (unsigned i = 0; i < nb; i++) {
		int at = stream_at(rig, i);
		struct result_row *row = &rig->totals[i];

		if (at >= 0)
			*row = rig->inner.totals[at];
		else
			*row = (struct result_row){
				.seq = RESULT_TOT, .length_ns = rig->inner.send_ns};
		row->stream = i;
		row->id = rig->about.names.info.streams[i].id;
	}
	result->totals = rig->totals;
	result->nb_totals = nb;
	result->latency = latency;
	result->latency_ctx = rig;
	return 0;
}

static int report(struct rig *rig, const struct trial_spec *spec, const struct trial_result *result,
	cJSON *probe, struct err *err)
{
	struct results_trial trial = {.attempt = 1,
		.spec = spec,
		.result = result,
		.info = &rig->about.names.info,
		.intervals = rig_points_json(rig),
		.probe = probe};

	if (rig->hooks.trial != NULL)
		return rig->hooks.trial(rig->hooks.ctx, &trial, err);
	cJSON_Delete(trial.intervals);
	cJSON_Delete(trial.probe);
	return 0;
}

static int run(struct rig *rig, const struct trial_spec *spec, struct trial_result *result,
	struct err *err)
{
	struct trial_spec own = *spec;
	cJSON *probe;
	int rc = beside_make(rig, spec, err);

	if (rc < 0)
		return rc;
	own.on_start = on_start;
	own.on_rows = on_rows;
	own.ctx = rig;
	rig->nb_points = 0;
	rig->spec = spec;
	rig->err = err;
	rc = engine_trial(rig->engine, &rig->load.names.info, &own, result, err);
	beside_end(rig, result, &probe);
	rig->inner = *result;
	if (rc == 0)
		rc = judge(rig, result, err);
	if (rc == 0)
		rc = totals_spread(rig, result, err);
	if (rc == 0)
		rc = report(rig, spec, result, probe, err);
	else
		cJSON_Delete(probe);
	return rc;
}

int rig_trial(
	void *ctx, const struct trial_spec *spec, struct trial_result *result, struct err *err)
{
	struct rig *rig = ctx;
	int rc = rig_open(rig, err);

	if (rc == 0 && rig->about.plan == NULL)
		rc = err_usage(err, "a trial of a test that was not asked about before");
	if (rc == 0)
		rc = load(rig, spec, err);
	if (rc == 0) {
		engine_idle(rig->engine, time_of(rig, TEST_SETTLE));
		rc = *rig->options->stop ? -EINTR : run(rig, spec, result, err);
	}
	if (rc == 0 && !result->interrupted)
		engine_idle(rig->engine, time_of(rig, TEST_PAUSE));
	return rc;
}
