/* SPDX-License-Identifier: BSD-3-Clause */
#include "tgen/report.h"

#include "writer.h"
#include "tgen/log.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define NB_ITEMS(array) (sizeof(array) / sizeof((array)[0]))

static const struct report_writer *const writers[] = {
	&report_table,
	&report_json,
	&report_jsonl,
	&report_csv,
	&report_as_value,
};

struct report {
	struct report_context context;
	struct place *places;
	unsigned nb_places;
};

bool report_has_distribution(
	const struct report_context *context, const struct result_summary *summary)
{
	return context->latency_distribution && summary->latency;
}

static int columns_alloc(struct report_columns *columns)
{
	columns->metric = calloc(metric_nb, sizeof(const struct metric *));
	return columns->metric ? 0 : -ENOMEM;
}

/* The known metric names, for a message. */
static void print_metric_names(char *out, size_t size)
{
	size_t len = 0;

	for (unsigned i = 0; i < metric_nb && len < size; i++)
		len += (size_t)snprintf(
			out + len, size - len, "%s%s", i ? " " : "", metric_table[i].name);
}

static int columns_add(struct report_columns *columns, const char *name, struct err *err)
{
	const struct metric *metric = metric_find(name);
	char known[1024];

	/* always shown: naming them is right and changes nothing */
	if (strcmp(name, "seq") == 0 || strcmp(name, "id") == 0)
		return 0;
	if (!metric) {
		print_metric_names(known, sizeof(known));
		return err_usage(
			err, "proplist: \"%s\" is not a property (seq id %s)", name, known);
	}
	for (unsigned i = 0; i < columns->nb; i++)
		if (columns->metric[i] == metric)
			return err_usage(err, "proplist: \"%s\" is given twice", name);
	columns->metric[columns->nb++] = metric;
	return 0;
}

static int context_init(struct report_context *context, const struct report_options *options,
	const struct result_info *info, struct err *err)
{
	context->info = info;
	context->entries_to_show = options->entries_to_show;
	context->freeze_frame_ns = options->freeze_frame_ns;
	context->latency_distribution = options->latency_distribution;
	context->latency_distribution_max_ns = options->latency_distribution_max_ns;
	if (columns_alloc(&context->shown) < 0 || columns_alloc(&context->full) < 0)
		return err_device(err, ENOMEM, "report");
	for (unsigned i = 0; i < options->nb_proplist; i++) {
		int rc = columns_add(&context->shown, options->proplist[i], err);

		if (rc < 0)
			return rc;
	}
	if (options->nb_proplist > 0) {
		memcpy(context->full.metric, context->shown.metric,
			context->shown.nb * sizeof(const struct metric *));
		context->full.nb = context->shown.nb;
		return 0;
	}
	for (unsigned i = 0; i < metric_nb; i++) {
		if (metric_table[i].in_table)
			context->shown.metric[context->shown.nb++] = &metric_table[i];
		context->full.metric[context->full.nb++] = &metric_table[i];
	}
	return 0;
}

/* `form`, `form=-` (both standard output) or `form=FILE`. */
static int place_parse(struct place *place, const char *output, struct err *err)
{
	size_t len = strcspn(output, "=");
	const char *path = output[len] ? output + len + 1 : "-";

	for (size_t i = 0; i < NB_ITEMS(writers); i++)
		if (strlen(writers[i]->form) == len && strncmp(writers[i]->form, output, len) == 0)
			place->writer = writers[i];
	if (!place->writer)
		return err_usage(err,
			"output: \"%.*s\" is not a form (table, json, jsonl, csv, as-value)",
			(int)len, output);
	if (*path == '\0')
		return err_usage(err, "output: \"%s\" names no file", output);
	if (strcmp(path, "-") == 0)
		return 0;
	place->path = strdup(path);
	return place->path ? 0 : err_device(err, ENOMEM, "output");
}

/* A file of its own: not that of another output, nor the configuration. */
static int place_check_file(const struct report *report, unsigned i, struct err *err)
{
	const char *path = report->places[i].path, *config = report->context.info->config_path;

	if (config && place_same_file(path, config))
		return err_usage(err, "output: %s is the configuration file %s; give another file",
			path, config);
	for (unsigned j = 0; j < i; j++)
		if (report->places[j].path && place_same_file(report->places[j].path, path))
			return err_usage(err, "output: %s is given for two outputs", path);
	return 0;
}

/* Each place once; something on standard output, so that the user sees how it goes. */
static int places_check(
	struct report *report, const struct report_options *options, struct err *err)
{
	struct place *on_stdout = NULL;

	for (unsigned i = 0; i < report->nb_places; i++) {
		struct place *place = &report->places[i];

		if (!place->path && on_stdout)
			return err_usage(err,
				"output: %s and %s cannot both go to standard output; give one a "
				"file: %s=FILE",
				on_stdout->writer->form, place->writer->form, place->writer->form);
		if (!place->path)
			on_stdout = place;
		if (place->path && place_check_file(report, i, err) < 0)
			return -EINVAL;
	}
	if (!on_stdout) {
		on_stdout = &report->places[report->nb_places++];
		on_stdout->writer = &report_table;
	}
	if (options->as_value && on_stdout->writer == &report_table)
		on_stdout->writer = &report_as_value;
	if (options->as_value && on_stdout->writer != &report_as_value)
		return err_usage(err,
			"as-value and output=%s cannot both go to standard output; give one a "
			"file: %s=FILE",
			on_stdout->writer->form, on_stdout->writer->form);
	on_stdout->file = options->out;
	on_stdout->is_terminal = options->is_terminal;
	return 0;
}

static int places_open(struct report *report, const struct report_options *options, struct err *err)
{
	int rc;

	report->places = calloc(options->nb_outputs + 1, sizeof(struct place));
	if (!report->places)
		return err_device(err, ENOMEM, "report");
	/* all words are checked before the first file is touched */
	for (unsigned i = 0; i < options->nb_outputs; i++) {
		report->nb_places++;
		rc = place_parse(&report->places[i], options->outputs[i], err);
		if (rc < 0)
			return rc;
	}
	rc = places_check(report, options, err);
	if (rc < 0)
		return rc;
	for (unsigned i = 0; i < report->nb_places; i++) {
		struct place *place = &report->places[i];

		place->context = &report->context;
		if (place->path && place_open(place, err) < 0)
			return -EIO;
		if (place->writer->open && place->writer->open(place) < 0)
			return err_device(err, ENOMEM, "output %s", place->writer->form);
	}
	return 0;
}

struct report *report_open(
	const struct report_options *options, const struct result_info *info, struct err *err)
{
	struct report *report = calloc(1, sizeof(*report));

	if (!report) {
		err_device(err, ENOMEM, "report");
		return NULL;
	}
	if (context_init(&report->context, options, info, err) < 0 ||
		places_open(report, options, err) < 0) {
		report_close(report);
		return NULL;
	}
	return report;
}

/*
 * After a writer's call. A failed output does not keep the others from being written: the first
 * failure is the caller's, a further one of the same call is logged.
 */
static void settle(struct place *place, int rc, bool is_last, int *first, struct err *err)
{
	struct err further = {0};
	struct err *to = *first < 0 ? &further : err;

	rc = place_check(place, rc, to);
	if (rc == 0 && is_last)
		rc = place_finish(place, to);
	if (rc == 0)
		return;
	if (*first < 0)
		log_error("%s", further.text);
	else
		*first = rc;
}

int report_begin(struct report *report, struct err *err)
{
	int first = 0;

	for (unsigned i = 0; i < report->nb_places; i++) {
		struct place *place = &report->places[i];

		if (place->failed || !place->writer->begin)
			continue;
		errno = 0;
		settle(place, place->writer->begin(place), false, &first, err);
	}
	return first;
}

int report_rows(struct report *report, const struct result_row *rows, unsigned nb, struct err *err)
{
	int first = 0;

	for (unsigned i = 0; i < report->nb_places; i++) {
		struct place *place = &report->places[i];

		if (place->failed)
			continue;
		errno = 0;
		settle(place, place->writer->rows(place, rows, nb), false, &first, err);
	}
	return first;
}

int report_end(struct report *report, const struct result_row *rows, unsigned nb,
	const struct result_summary *summary, struct err *err)
{
	int first = 0;

	for (unsigned i = 0; i < report->nb_places; i++) {
		struct place *place = &report->places[i];

		if (place->failed)
			continue;
		errno = 0;
		settle(place, place->writer->end(place, rows, nb, summary), true, &first, err);
	}
	return first;
}

void report_close(struct report *report)
{
	if (!report)
		return;
	for (unsigned i = 0; i < report->nb_places; i++) {
		struct place *place = &report->places[i];

		if (place->writer && place->writer->close)
			place->writer->close(place);
		place_close(place);
	}
	free(report->places);
	free(report->context.shown.metric);
	free(report->context.full.metric);
	free(report);
}
