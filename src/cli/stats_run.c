/* SPDX-License-Identifier: BSD-3-Clause */
#include "stats.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "run_dir.h"
#include "tgen/report.h"

/* `tgen stats` of a detached run, from the samples in its run directory. It only ever reads there. */

struct samples *stats_samples_open(const char *last_start, bool *running, struct err *err)
{
	char *path = run_dir_path(RUN_SAMPLES), start[UNITS_TEXT_MAX];
	struct samples *samples = NULL;
	pid_t pid;

	*running = cli_run_is_running(&pid);
	if (path != NULL && access(path, F_OK) == 0)
		samples = samples_open(path, *running ? err : &(struct err){0});
	free(path);
	if (samples == NULL || *running || last_start == NULL)
		return samples;
	stats_time(start, samples_info(samples)->start_unix_ns);
	/* a later run of quick is the last one */
	if (strcmp(start, last_start) >= 0)
		return samples;
	samples_free(samples);
	return NULL;
}

static int stream_index(const struct result_info *info, uint32_t id, struct err *err)
{
	for (unsigned i = 0; i < info->nb_streams; i++)
		if (info->streams[i].id == id)
			return (int)i;
	return err_usage(err, "stream-id: the run has no stream %u", id);
}

static void interval_put(
	struct stats_writer *w, const struct samples_interval *interval, int stream)
{
	struct samples_interval one = *interval;

	if (stream >= 0) {
		one.rows = &interval->rows[stream];
		one.nb_rows = 1;
	}
	stats_put_interval(w, &one);
}

static int intervals_put(
	struct samples *samples, struct stats_writer *w, int stream, struct err *err)
{
	struct samples_interval interval;
	uint64_t first, nb;
	int rc = samples_range(samples, &first, &nb, err);

	for (uint64_t i = first; rc >= 0 && i < first + nb; i++) {
		rc = samples_read(samples, i, &interval, err);
		if (rc > 0)
			interval_put(w, &interval, stream);
	}
	if (rc >= 0)
		rc = samples_total(samples, &interval, err);
	if (rc > 0)
		interval_put(w, &interval, stream);
	return rc < 0 ? rc : 0;
}

/* A run may have died before its first interval was over. */
static int nothing_counted(bool running, struct err *err)
{
	return running ? err_usage(err, "nothing has been counted yet; try again in a second")
		       : err_usage(err,
				 "the last run ended before anything was counted; its "
				 "messages are in the file \"" RUN_LOG "\" of the run directory");
}

/* Whether there is anything to show. 1, 0, or negative with err. */
static int has_rows(struct samples *samples, struct err *err)
{
	struct samples_interval total;
	uint64_t first, nb;
	int rc = samples_range(samples, &first, &nb, err);

	if (rc < 0 || nb > 0)
		return rc < 0 ? rc : 1;
	return samples_total(samples, &total, err);
}

int stats_samples_print(struct samples *samples, bool running, enum stats_what what,
	const struct stats_request *request, struct err *err)
{
	const struct result_info *info = samples_info(samples);
	struct stats_writer *w;
	int stream = -1, rc;

	if (request->stream_id != REPORT_ALL_STREAMS) {
		if (what == STATS_PORT)
			return err_usage(
				err, "stream-id: ports are not told by stream; see stats raw");
		stream = stream_index(info, request->stream_id, err);
		if (stream < 0)
			return -EINVAL;
	}
	rc = has_rows(samples, err);
	if (rc < 0)
		return rc;
	if (rc == 0 && !running)
		return nothing_counted(running, err);
	w = stats_begin(stdout, request->form, what, info, running);
	if (w == NULL)
		return err_device(err, ENOMEM, "stats");
	rc = intervals_put(samples, w, stream, err);
	if (stats_end(w) < 0 && rc == 0)
		rc = err_device(err, 0, "standard output cannot be written");
	return rc;
}

/* ---- latencies ---- */

static int graphs_print(
	struct samples *samples, const struct stats_request *request, struct err *err)
{
	const struct result_info *info = samples_info(samples);
	struct report_distribution_options options = {
		.max_ns = request->has_max ? request->latency_max_ns
					   : samples_distribution_max_ns(samples)};
	struct hist *h = malloc(sizeof(*h));
	char id[UNITS_TEXT_MAX];

	if (h == NULL)
		return err_device(err, ENOMEM, "stats");
	for (unsigned i = 0; i < info->nb_streams; i++) {
		if (request->stream_id != REPORT_ALL_STREAMS &&
			info->streams[i].id != request->stream_id)
			continue;
		if (info->streams[i].transmit_only || !samples_hist(samples, i, h))
			continue;
		snprintf(id, sizeof(id), "%u", info->streams[i].id);
		options.stream = id;
		report_distribution(stdout, h, &options);
	}
	options.stream = "TOT";
	if (request->stream_id == REPORT_ALL_STREAMS && info->nb_streams > 1 &&
		samples_hist(samples, RESULT_TOT, h))
		report_distribution(stdout, h, &options);
	free(h);
	return 0;
}

int stats_samples_distribution(
	struct samples *samples, bool running, const struct stats_request *request, struct err *err)
{
	const struct result_info *info = samples_info(samples);
	struct samples_interval total;
	int rc = samples_total(samples, &total, err), stream = 0;

	if (rc < 0)
		return rc;
	if (rc == 0)
		return nothing_counted(running, err);
	if (request->stream_id != REPORT_ALL_STREAMS)
		stream = stream_index(info, request->stream_id, err);
	if (stream < 0)
		return -EINVAL;
	if (request->stream_id != REPORT_ALL_STREAMS && info->nb_streams > SAMPLES_HISTS_MAX)
		return err_usage(err, "stream-id: of more than %u streams only the sum is kept",
			SAMPLES_HISTS_MAX);
	if (request->form == STATS_TABLE)
		return graphs_print(samples, request, err);
	if (request->form != STATS_JSON)
		return err_usage(err, "output: a distribution is shown as table or json");
	return stats_distribution_json(stdout, samples, running,
		request->stream_id != REPORT_ALL_STREAMS ? (uint32_t)stream : RESULT_TOT, err);
}
