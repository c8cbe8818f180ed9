/* SPDX-License-Identifier: BSD-3-Clause */
#include "quick.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tgen/names.h"
#include "objects.h"
#include "selftest.h"
#include "stats.h"
#include "tgen/conf.h"
#include "tgen/engine.h"
#include "tgen/log.h"
#include "tgen/plan.h"
#include "tgen/proc.h"
#include "tgen/report.h"

/* The quick run: configuration and words to plan, plan to engine, rows to reports, verdict. */

struct quick {
	const struct cli *cli;
	const struct quick_hooks *hooks; /* NULL: a run in the foreground */
	struct opt_set words;
	struct conf *conf;
	struct plan *plan;
	struct engine *engine;
	struct plan_facts facts[PLAN_MAX_PORTS];
	struct run_names names;
	struct report *report;
	const char **proplist;
	bool output_failed; /* of a run that went on */
	struct err *err;
};

static uint64_t word(const struct quick *q, enum conf_quick_opt which)
{
	return opt_set_one(&q->words, &conf_quick_opts[which]).lo;
}

static int words_read(struct quick *q, const struct opt_menu *menu, int argc, char **argv)
{
	opt_set_init(&q->words, menu);
	for (int i = 0; i < argc; i++)
		if (opt_set_arg(&q->words, argv[i], q->err) < 0)
			return -EINVAL;
	return opt_set_check_required(&q->words, q->err);
}

static int conf_read(struct quick *q)
{
	char *path = conf_path_find(q->cli->config, true, q->err);

	if (path == NULL)
		return -EINVAL;
	q->conf = conf_load(path, cli_conf_kinds, cli_nb_conf_kinds, false, q->err);
	free(path);
	return q->conf != NULL ? 0 : -EINVAL;
}

static int plan_make(struct quick *q)
{
	struct plan_cpu *cpus = NULL;
	int nb = engine_cpus(&cpus);

	if (nb <= 0)
		return err_device(q->err, -nb, "the CPUs of this process");
	q->plan = plan_new(q->conf, &q->words, cpus, (unsigned)nb, q->err);
	free(cpus);
	return q->plan != NULL ? 0 : -EINVAL;
}

static int names_make(struct quick *q)
{
	if (run_names_make(&q->names, q->plan, q->engine, q->err) < 0)
		return -ENOMEM;
	q->names.info.config_path = conf_path(q->conf);
	q->names.info.command = q->cli->command_line;
	cli_selftest_cite(&q->names.info);
	return 0;
}

/* ---- reports ---- */

static int report_make(struct quick *q)
{
	const struct opt_slot *props = opt_set_get(&q->words, &conf_quick_opts[QUICK_PROPLIST]);
	struct report_options options = {
		.outputs = q->cli->outputs,
		.nb_outputs = q->cli->nb_outputs,
		.as_value = opt_set_one(&q->words, &conf_quick_opts[QUICK_AS_VALUE]).lo != 0,
		.entries_to_show =
			(unsigned)opt_set_one(&q->words, &conf_quick_opts[QUICK_ENTRIES_TO_SHOW])
				.lo,
		.freeze_frame_ns =
			opt_set_one(&q->words, &conf_quick_opts[QUICK_FREEZE_FRAME_INTERVAL]).lo,
		.out = stdout,
		.is_terminal = isatty(STDOUT_FILENO) == 1,
		.latency_distribution = word(q, QUICK_LATENCY_DISTRIBUTION) != 0,
	};
	struct opt_val max;

	if (q->hooks != NULL) {
		options.out = q->hooks->out;
		options.is_terminal = false;
	}

	if (opt_set_val(&q->words, &conf_quick_opts[QUICK_LATENCY_DISTRIBUTION_MAX], 0, &max) ||
		opt_set_val(conf_find(q->conf, "settings", NULL),
			&conf_settings_opts[SET_LATENCY_DISTRIBUTION_MAX], 0, &max))
		options.latency_distribution_max_ns = max.lo;
	if (props != NULL) {
		q->proplist = calloc(props->nb_vals, sizeof(*q->proplist));
		if (q->proplist == NULL)
			return err_device(q->err, ENOMEM, "proplist");
		for (unsigned i = 0; i < props->nb_vals; i++)
			q->proplist[i] = props->vals[i].text;
		options.proplist = q->proplist;
		options.nb_proplist = props->nb_vals;
	}
	q->report = report_open(&options, &q->names.info, q->err);
	return q->report != NULL ? 0 : -EINVAL;
}

/* Nobody watches a detached run: an output that cannot be written does not end it. */
static int output_settle(struct quick *q, int rc)
{
	if (rc == 0 || q->hooks == NULL)
		return rc;
	log_error("%s; the run goes on", q->err->text);
	q->output_failed = true;
	*q->err = (struct err){0};
	return 0;
}

static int on_start(void *ctx, uint64_t start_unix_ns)
{
	struct quick *q = ctx;

	q->names.info.start_unix_ns = start_unix_ns;
	if (q->hooks != NULL && q->hooks->begin(q->hooks->ctx, &q->names.info) < 0)
		return -EIO;
	return output_settle(q, report_begin(q->report, q->err));
}

static int on_rows(void *ctx, const struct result_row *rows, unsigned nb)
{
	struct quick *q = ctx;

	if (q->hooks != NULL)
		q->hooks->rows(q->hooks->ctx, rows, nb);
	return output_settle(q, report_rows(q->report, rows, nb, q->err));
}

static void on_ports(void *ctx, const struct trial_port *ports, unsigned nb)
{
	struct quick *q = ctx;

	q->hooks->ports(q->hooks->ctx, ports, nb);
}

static void on_latency(void *ctx, uint32_t stream, const struct hist *h)
{
	struct quick *q = ctx;

	q->hooks->latency(q->hooks->ctx, stream, h);
}

/* The plan's notes come first, then what the run showed. */
static int notes_join(const struct plan *plan, struct proc_verdict *verdict)
{
	unsigned nb = plan->nb_notes + verdict->summary.nb_notes;
	char **all = calloc(nb + 1, sizeof(*all));

	if (all == NULL)
		return -ENOMEM;
	for (unsigned i = 0; i < plan->nb_notes; i++) {
		all[i] = strdup(plan->notes[i]);
		if (all[i] == NULL) {
			while (i-- > 0)
				free(all[i]);
			free(all);
			return -ENOMEM;
		}
	}
	for (unsigned i = 0; i < verdict->summary.nb_notes; i++)
		all[plan->nb_notes + i] = verdict->notes[i];
	free(verdict->notes);
	verdict->notes = all;
	verdict->summary.notes = (const char *const *)all;
	verdict->summary.nb_notes = nb;
	return 0;
}

static int finish(struct quick *q, const struct trial_result *trial)
{
	/* percentages are given in millionths of a percent */
	const struct proc_limits limits = {
		.short_ppm = (uint32_t)(word(q, QUICK_MAX_UNSENT) / 100),
		.rx_missed = word(q, QUICK_MAX_RX_MISSED),
		.lag_p99_ns = word(q, QUICK_MAX_LAG),
		.steal_ppm = (uint32_t)(word(q, QUICK_MAX_STEAL) / 100),
	};
	unsigned nb = q->plan->nb_streams;
	struct result_row *rows = calloc(nb + 1, sizeof(*rows));
	struct proc_verdict verdict = {0};
	int rc =
		rows != NULL ? proc_quick_judge(&q->names.info, trial, &limits, &verdict) : -ENOMEM;

	if (rc == 0)
		rc = notes_join(q->plan, &verdict);
	if (rc < 0) {
		err_device(q->err, ENOMEM, "results");
	} else {
		memcpy(rows, trial->totals, nb * sizeof(*rows));
		rows[nb] = trial->total;
		verdict.summary.latency = trial->latency;
		verdict.summary.latency_ctx = trial->latency_ctx;
		cli_stats_save(&q->names.info, rows, nb + 1, &verdict.summary);
		if (q->hooks != NULL)
			q->hooks->end(q->hooks->ctx, rows, nb + 1, &verdict.summary);
		rc = report_end(q->report, rows, nb + 1, &verdict.summary, q->err);
		if (rc == 0)
			rc = q->output_failed && verdict.summary.status == TGEN_OK
				     ? TGEN_DEVICE
				     : (int)verdict.summary.status;
	}
	proc_verdict_fini(&verdict);
	free(rows);
	return rc;
}

struct quick *quick_new(
	const struct cli *cli, const struct opt_menu *menu, int argc, char **argv, struct err *err)
{
	struct quick *q = calloc(1, sizeof(*q));

	if (q == NULL) {
		err_device(err, ENOMEM, "quick");
		return NULL;
	}
	q->cli = cli;
	q->err = err;
	if (words_read(q, menu, argc, argv) < 0 || conf_read(q) < 0 || plan_make(q) < 0) {
		quick_free(q);
		return NULL;
	}
	return q;
}

/* From the devices to frames that only wait to be sent. */
static int prepare(struct quick *q, const struct engine_options *options)
{
	int rc;

	q->engine = engine_open(q->plan, options, q->facts, q->err);
	if (q->engine == NULL || plan_size(q->plan, q->facts, q->err) < 0)
		return -EINVAL;
	rc = engine_resolve(q->engine, q->plan, q->err);
	if (rc == -EINTR)
		return err_invalid(q->err, "stopped before anything was sent");
	if (rc < 0 || plan_build(q->plan, q->err) < 0)
		return -EINVAL;
	rc = engine_learn(q->engine, q->plan, q->err);
	if (rc == -EINTR)
		return err_invalid(q->err, "stopped before anything was sent");
	if (rc < 0 || plan_build_replies(q->plan, q->err) < 0)
		return -EINVAL;
	return engine_load(q->engine, q->plan, q->err);
}

int quick_run(struct quick *q, const struct quick_hooks *hooks)
{
	struct engine_options options = {
		.force = q->cli->force, .eal_args = q->cli->eal_args, .stop = q->cli->stop};
	struct trial_spec spec = {.on_start = on_start, .on_rows = on_rows, .ctx = q};
	struct trial_result trial;
	int rc;

	q->hooks = hooks;
	if (hooks != NULL) {
		spec.on_ports = on_ports;
		spec.on_latency = on_latency;
	}
	if (prepare(q, &options) < 0 || names_make(q) < 0 || report_make(q) < 0)
		return -EINVAL;
	for (unsigned i = 0; i < q->plan->nb_notes; i++)
		log_warning("%s", q->plan->notes[i]);
	spec.duration_ns = q->plan->duration_ns;
	rc = engine_trial(q->engine, &q->names.info, &spec, &trial, q->err);
	return rc < 0 ? rc : finish(q, &trial);
}

const struct opt_set *quick_words(const struct quick *q)
{
	return &q->words;
}

const struct conf *quick_conf(const struct quick *q)
{
	return q->conf;
}

void quick_free(struct quick *q)
{
	if (q == NULL)
		return;
	report_close(q->report);
	engine_close(q->engine);
	run_names_fini(&q->names);
	free(q->proplist);
	plan_free(q->plan);
	conf_free(q->conf);
	opt_set_fini(&q->words);
	free(q);
}

int cli_quick(const struct cli *cli, int argc, char **argv, struct err *err)
{
	struct quick *q = quick_new(cli, &conf_quick_menu, argc, argv, err);
	int rc = q != NULL ? quick_run(q, NULL) : -EINVAL;

	quick_free(q);
	return rc;
}
