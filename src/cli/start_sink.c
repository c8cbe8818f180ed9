/* SPDX-License-Identifier: BSD-3-Clause */
#include "start.h"

#include <errno.h>
#include <stdlib.h>

#include "run_dir.h"
#include "tgen/log.h"
#include "tgen/report.h"

/* What a detached run writes into its run directory. Nothing of it can end the run. */

static void samples_begin(struct start_sink *sink)
{
	char *path = run_dir_path(RUN_SAMPLES);
	struct err err = {0};

	if (path != NULL)
		sink->samples = samples_create(
			path, sink->info, sink->keep, sink->distribution_max_ns, &err);
	if (sink->samples == NULL)
		log_error("%s: tgen stats will show nothing of this run; it goes on", err.text);
	else if (samples_kept(sink->samples) < sink->keep)
		log_warning(
			"stats-samples-to-keep: %u of %u intervals are kept: more of %u streams "
			"would take over %llu MiB",
			samples_kept(sink->samples), sink->keep, sink->info->nb_streams,
			SAMPLES_BYTES_MAX >> 20);
	free(path);
}

static int on_begin(void *ctx, const struct result_info *info)
{
	struct start_sink *sink = ctx;

	sink->info = info;
	run_dir_remove(RUN_RESULT); /* of the run before */
	samples_begin(sink);
	start_say_started(sink->ready);
	return 0;
}

static void on_rows(void *ctx, const struct result_row *rows, unsigned nb)
{
	struct start_sink *sink = ctx;

	if (sink->samples != NULL)
		samples_rows(sink->samples, rows, nb);
}

static void on_ports(void *ctx, const struct trial_port *ports, unsigned nb)
{
	struct start_sink *sink = ctx;

	if (sink->samples != NULL)
		samples_ports(sink->samples, ports, nb);
}

static void on_latency(void *ctx, uint32_t stream, const struct hist *h)
{
	struct start_sink *sink = ctx;

	if (sink->samples != NULL)
		samples_latency(sink->samples, stream, h);
}

static void say_end(const struct result_summary *summary)
{
	for (unsigned i = 0; i < summary->nb_reasons; i++)
		log_warning("the generator was not clean: %s", summary->reasons[i]);
	for (unsigned i = 0; i < summary->nb_notes; i++)
		log_info("%s", summary->notes[i]);
	log_info("the run has ended%s", summary->interrupted ? ", it was stopped" : "");
}

static void on_end(
	void *ctx, const struct result_row *rows, unsigned nb, const struct result_summary *summary)
{
	struct start_sink *sink = ctx;
	char *path = run_dir_path(RUN_RESULT);
	struct err err = {0};

	if (sink->samples != NULL)
		samples_end(sink->samples, rows, nb, summary);
	if (path == NULL || report_save(path, sink->info, rows, nb, summary, &err) < 0)
		log_error("the result cannot be kept: %s", err.text);
	free(path);
	say_end(summary);
}

/* A word of start, else the setting of the same name, else that one's default. */
static uint64_t word_or_setting(const struct quick *q, const struct opt *word)
{
	const struct opt_set *settings = conf_find(quick_conf(q), "settings", NULL);
	const struct opt *setting = opt_menu_find(&conf_settings_menu, word->name);
	struct opt_val val = {0};

	if (!opt_set_val(quick_words(q), word, 0, &val) && settings != NULL && setting != NULL)
		opt_set_val(settings, setting, 0, &val);
	return val.lo;
}

int start_sink_init(struct start_sink *sink, struct quick_hooks *hooks, const struct quick *q,
	int ready, struct err *err)
{
	*sink = (struct start_sink){.ready = ready,
		.keep = (uint32_t)word_or_setting(q, &conf_start_opts[START_SAMPLES_TO_KEEP]),
		.distribution_max_ns =
			word_or_setting(q, &conf_quick_opts[QUICK_LATENCY_DISTRIBUTION_MAX])};
	sink->null = fopen("/dev/null", "we");
	if (sink->null == NULL)
		return err_device(err, errno, "/dev/null");
	*hooks = (struct quick_hooks){.out = sink->null,
		.begin = on_begin,
		.rows = on_rows,
		.ports = on_ports,
		.latency = on_latency,
		.end = on_end,
		.ctx = sink};
	return 0;
}

void start_sink_fini(struct start_sink *sink)
{
	samples_close(sink->samples);
	if (sink->null != NULL)
		fclose(sink->null);
}
