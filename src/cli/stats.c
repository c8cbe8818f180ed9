/* SPDX-License-Identifier: BSD-3-Clause */
#include "stats.h"

#include "cli.h"
#include "state.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tgen/log.h"
#include "tgen/report.h"
#include "tgen/units.h"

enum stats_output { OUTPUT_TABLE, OUTPUT_JSON };

static const struct opt_word output_words[] = {
	{"table", OUTPUT_TABLE},
	{"json", OUTPUT_JSON},
	{NULL, 0},
};

const struct opt cli_stats_opts[STATS_NB_OPTS] = {
	[STATS_STREAM_ID] = {.name = "stream-id",
		.type = OPT_UINT,
		.max = 65534,
		.help = "only the stream with this id; not given: all, and their sum"},
	[STATS_FILE] = {.name = "file",
		.type = OPT_TEXT,
		.help = "a result in JSON (--output json=FILE); not given: the last run here"},
	[STATS_OUTPUT] = {.name = "output",
		.type = OPT_WORD,
		.words = output_words,
		.dflt = "table",
		.help = "form of what is printed"},
	[STATS_LATENCY_DISTRIBUTION_MAX] = {.name = "latency-distribution-max",
		.type = OPT_TIME,
		.min = 1,
		.max = 60 * UNITS_NS_PER_S,
		.help = "range of the graph, the rest is its overflow row; not given: all there "
			"is"},
};

static const struct opt_section stats_section = OPT_SECTION(NULL, cli_stats_opts);
static const struct opt_section *const stats_sections[] = {&stats_section};

const struct opt_menu cli_stats_menu = {
	.name = "stats",
	.help = "Shows figures of the last run again.",
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
	if (rc < 0)
		log_debug("the run is not kept for tgen stats: %s: %s", path, strerrordesc_np(-rc));
	else if (report_save(path, info, rows, nb, summary, &err) < 0)
		log_debug("the run is not kept for tgen stats: %s", err.text);
	free(path);
}

/* ---- the command ---- */

static const struct stats_part {
	const char *name, *key;
} parts[] = {
	{"latency-distribution", "latency-distribution"},
	{"stream", "totals"},
	{"port", "ports"},
};
enum { PART_LATENCY_DISTRIBUTION, PART_STREAM, PART_PORT, NB_PARTS };

static int part_find(const char *name, struct err *err)
{
	const char *names[NB_PARTS], *near;

	for (int i = 0; i < NB_PARTS; i++) {
		if (strcmp(parts[i].name, name) == 0)
			return i;
		names[i] = parts[i].name;
	}
	near = opt_nearest(name, names, NB_PARTS);
	return err_usage(err, "stats: \"%s\" is not latency-distribution, stream or port%s%s%s",
		name, near ? "; did you mean " : "", near ? near : "", near ? "?" : "");
}

static struct report_saved *result_open(const struct opt_set *set, struct err *err)
{
	const struct opt_slot *file = opt_set_get(set, &cli_stats_opts[STATS_FILE]);
	struct report_saved *saved = NULL;
	char *path;

	if (file != NULL)
		return report_saved_open(file->vals[0].text, err);
	path = cli_state_path(LAST_RUN);
	if (path == NULL)
		err_usage(err, "no last run: there is no HOME to keep one in; name a result in "
			       "JSON with file=");
	else if (access(path, F_OK) != 0)
		err_usage(err,
			"no last run (%s: %s); tgen quick keeps one, or name a result in "
			"JSON with file=",
			path, strerrordesc_np(errno));
	else
		saved = report_saved_open(path, err);
	free(path);
	return saved;
}

static int part_print(
	const struct report_saved *saved, int part, const struct opt_set *set, struct err *err)
{
	struct opt_val max = {0};

	if (opt_set_one(set, &cli_stats_opts[STATS_OUTPUT]).lo == OUTPUT_JSON)
		return report_saved_json(saved, stdout, parts[part].key, err);
	if (part == PART_STREAM)
		return report_saved_streams(saved, stdout, err);
	if (part == PART_PORT)
		return report_saved_ports(saved, stdout, err);
	opt_set_val(set, &cli_stats_opts[STATS_LATENCY_DISTRIBUTION_MAX], 0, &max);
	return report_saved_distribution(saved, stdout, max.lo, err);
}

int cli_stats(const struct cli *cli, int argc, char **argv, struct err *err)
{
	struct report_saved *saved = NULL;
	struct opt_set set;
	int part, rc = 0;

	(void)cli;
	if (argc == 0)
		return err_usage(err, "stats: latency-distribution, stream or port?");
	part = part_find(argv[0], err);
	if (part < 0)
		return part;
	opt_set_init(&set, &cli_stats_menu);
	for (int i = 1; i < argc && rc == 0; i++)
		rc = opt_set_arg(&set, argv[i], err);
	if (rc == 0)
		saved = result_open(&set, err);
	if (saved == NULL) {
		rc = -EINVAL;
	} else {
		const struct opt_slot *id = opt_set_get(&set, &cli_stats_opts[STATS_STREAM_ID]);

		if (id != NULL)
			rc = report_saved_choose(saved, (uint32_t)id->vals[0].lo, err);
		if (rc == 0)
			rc = part_print(saved, part, &set, err);
	}
	report_saved_close(saved);
	opt_set_fini(&set);
	return rc;
}
