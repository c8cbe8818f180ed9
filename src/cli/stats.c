/* SPDX-License-Identifier: BSD-3-Clause */
#include "stats.h"

#include "cli.h"
#include "run_dir.h"
#include "state.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tgen/log.h"
#include "tgen/report.h"
#include "tgen/units.h"

static const struct opt_word output_words[] = {
	{"table", STATS_TABLE},
	{"json", STATS_JSON},
	{"jsonl", STATS_JSONL},
	{"csv", STATS_CSV},
	{"as-value", STATS_AS_VALUE},
	{NULL, 0},
};

const struct opt cli_stats_opts[STATS_NB_OPTS] = {
	[STATS_STREAM_ID] = {.name = "stream-id",
		.type = OPT_UINT,
		.max = 65535,
		.help = "only the stream with this id; not given: all, and their sum"},
	[STATS_FILE] = {.name = "file",
		.type = OPT_TEXT,
		.help = "a result in JSON (--output json=FILE); not given: the running or the last "
			"run here"},
	[STATS_OUTPUT] = {.name = "output",
		.type = OPT_WORD,
		.words = output_words,
		.dflt = "table",
		.help = "form of what is printed; --output FORM says the same"},
	[STATS_AS_VALUE_OPT] = {.name = "as-value",
		.type = OPT_BOOL,
		.dflt = "no",
		.help = "the same as output=as-value"},
	[STATS_LATENCY_DISTRIBUTION_MAX] = {.name = "latency-distribution-max",
		.type = OPT_TIME,
		.min = 1,
		.max = 60 * UNITS_NS_PER_S,
		.help = "range of the graph, the rest is its overflow row; not given: as at start, "
			"else all there is"},
};

static const struct opt_section stats_section = OPT_SECTION(NULL, cli_stats_opts);
static const struct opt_section *const stats_sections[] = {&stats_section};

const struct opt_menu cli_stats_menu = {
	.name = "stats",
	.help = "Shows figures of the running or the last run.",
	.sections = stats_sections,
	.nb_sections = 1,
};

/* ---- the last run ---- */

#define LAST_RUN "last-run.json"

void cli_stats_save(const struct result_info *info, const struct result_row *rows, unsigned nb,
	const struct result_summary *summary)
{
	char *path = cli_state_path(LAST_RUN);
	struct err err = {0};
	int rc;

	if (path == NULL) {
		log_debug("the run is not kept for tgen stats: no place for it");
		return;
	}
	rc = cli_state_parents(path);
	cli_state_sweep(path);
	if (rc < 0)
		log_debug("the run is not kept for tgen stats: %s: %s", path, strerrordesc_np(-rc));
	else if (report_save(path, info, rows, nb, summary, &err) < 0)
		log_debug("the run is not kept for tgen stats: %s", err.text);
	free(path);
}

/* ---- the command ---- */

static const struct stats_part {
	const char *name;
	const char *key; /* of the result in JSON; NULL: it is made from others */
	enum stats_what what;
	const char *help;
} parts[] = {
	{"stream", "totals", STATS_STREAM, "what became of the frames of each stream"},
	{"port", "ports", STATS_PORT,
		"what each port sent and received, frames that are nobody's (rx-unk) too"},
	{"raw", NULL, STATS_RAW, "the streams, at the port that sends and the one that receives"},
	{"latency-distribution", "latency-distribution", STATS_STREAM,
		"how many frames took how long"},
};
#define NB_PARTS     (sizeof(parts) / sizeof(parts[0]))
#define PART_LATENCY (NB_PARTS - 1)

static int parts_print(void)
{
	pid_t pid;

	printf("tgen stats WHAT [word=value ...] shows of the %s run:\n",
		cli_run_is_running(&pid) ? "running" : "last");
	for (size_t i = 0; i < NB_PARTS; i++)
		printf("  %-22s%s\n", parts[i].name, parts[i].help);
	return TGEN_OK;
}

static int part_find(const char *name, struct err *err)
{
	const char *names[NB_PARTS], *near;

	for (size_t i = 0; i < NB_PARTS; i++) {
		if (strcmp(parts[i].name, name) == 0)
			return (int)i;
		names[i] = parts[i].name;
	}
	near = opt_nearest(name, names, NB_PARTS);
	return err_usage(err,
		"stats: \"%s\" is not stream, port, raw or latency-distribution%s%s%s", name,
		near ? "; did you mean " : "", near ? near : "", near ? "?" : "");
}

static int words_read(
	struct opt_set *set, const struct cli *cli, int argc, char **argv, struct err *err)
{
	const struct opt_pos pos = {0};

	if (cli->nb_outputs > 1)
		return err_usage(err, "output: stats prints one form");
	if (cli->nb_outputs == 1 &&
		opt_set_text(set, &cli_stats_opts[STATS_OUTPUT], cli->outputs[0], pos, err) < 0)
		return -EINVAL;
	for (int i = 0; i < argc; i++)
		if (opt_set_arg(set, argv[i], err) < 0)
			return -EINVAL;
	if (opt_set_one(set, &cli_stats_opts[STATS_AS_VALUE_OPT]).lo != 0)
		return opt_set_text(set, &cli_stats_opts[STATS_OUTPUT], "as-value", pos, err);
	return 0;
}

static struct stats_request request_make(const struct opt_set *set)
{
	const struct opt_slot *id = opt_set_get(set, &cli_stats_opts[STATS_STREAM_ID]);
	struct stats_request request = {
		.form = (enum stats_form)opt_set_one(set, &cli_stats_opts[STATS_OUTPUT]).lo,
		.stream_id = id != NULL ? (uint32_t)id->vals[0].lo : REPORT_ALL_STREAMS,
	};
	struct opt_val max = {0};

	request.has_max =
		opt_set_val(set, &cli_stats_opts[STATS_LATENCY_DISTRIBUTION_MAX], 0, &max);
	request.latency_max_ns = max.lo;
	return request;
}

/* The last run that ended, of quick or start; NULL: there is none. */
static struct report_saved *last_open(void)
{
	char *path = cli_state_path(LAST_RUN);
	struct report_saved *saved = NULL;
	struct err err = {0};

	if (path != NULL && access(path, F_OK) == 0)
		saved = report_saved_open(path, &err);
	free(path);
	return saved;
}

static int no_run(struct err *err)
{
	char *path = cli_state_path(LAST_RUN);

	if (path == NULL)
		err_usage(err, "no last run: there is no HOME to keep one in; name a result in "
			       "JSON with file=");
	else
		err_usage(err,
			"no last run (%s: %s); tgen quick and tgen start keep one, or name a "
			"result in JSON with file=",
			path, strerrordesc_np(ENOENT));
	free(path);
	return -EINVAL;
}

static int saved_print(struct report_saved *saved, size_t part, const struct stats_request *request,
	struct err *err)
{
	bool is_table = request->form == STATS_TABLE;

	if (request->stream_id != REPORT_ALL_STREAMS &&
		report_saved_choose(saved, request->stream_id, err) < 0)
		return -EINVAL;
	if (request->form == STATS_JSON && parts[part].key != NULL)
		return report_saved_json(saved, stdout, parts[part].key, err);
	if (part == PART_LATENCY && !is_table)
		return err_usage(err, "output: a distribution is shown as table or json");
	if (part == PART_LATENCY)
		return report_saved_distribution(saved, stdout, request->latency_max_ns, err);
	if (parts[part].what == STATS_PORT)
		return is_table ? report_saved_ports(saved, stdout, err)
				: err_usage(err, "output: the ports of a run of quick are shown as "
						 "table or json");
	if (is_table && parts[part].what == STATS_STREAM)
		return report_saved_streams(saved, stdout, err);
	return report_saved_stats(saved, stdout, request->form, parts[part].what, err);
}

static int run_print(size_t part, const struct stats_request *request, struct err *err)
{
	struct report_saved *last = last_open();
	struct samples *samples;
	bool running;
	int rc;

	samples = stats_samples_open(last != NULL ? report_saved_start(last) : NULL, &running, err);
	if (samples != NULL && part == PART_LATENCY)
		rc = stats_samples_distribution(samples, running, request, err);
	else if (samples != NULL)
		rc = stats_samples_print(samples, running, parts[part].what, request, err);
	else if (err->text[0] != '\0')
		rc = -EIO;
	else
		rc = last != NULL ? saved_print(last, part, request, err) : no_run(err);
	samples_free(samples);
	report_saved_close(last);
	return rc;
}

static int file_print(
	const char *path, size_t part, const struct stats_request *request, struct err *err)
{
	struct report_saved *saved = report_saved_open(path, err);
	int rc = saved != NULL ? saved_print(saved, part, request, err) : -EINVAL;

	report_saved_close(saved);
	return rc;
}

int cli_stats(const struct cli *cli, int argc, char **argv, struct err *err)
{
	struct opt_set set;
	int part, rc;

	if (argc == 0)
		return parts_print();
	part = part_find(argv[0], err);
	if (part < 0)
		return part;
	opt_set_init(&set, &cli_stats_menu);
	rc = words_read(&set, cli, argc - 1, argv + 1, err);
	if (rc == 0) {
		const struct opt_slot *file = opt_set_get(&set, &cli_stats_opts[STATS_FILE]);
		struct stats_request request = request_make(&set);

		rc = file != NULL ? file_print(file->vals[0].text, (size_t)part, &request, err)
				  : run_print((size_t)part, &request, err);
	}
	opt_set_fini(&set);
	return rc;
}
