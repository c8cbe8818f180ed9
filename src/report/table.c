/* SPDX-License-Identifier: BSD-3-Clause */
#include "table.h"

#include "value.h"
#include "tgen/report.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define NB_FIXED      2 /* SEQ, ID */
#define GAP	      2 /* between columns: figures have single spaces inside */
#define HEADING_EVERY 50
#define INCOMPLETE    "  incomplete"

static const char *const fixed_heading[NB_FIXED] = {"SEQ", "ID"};
static const unsigned fixed_width[NB_FIXED] = {5, 5};

static unsigned nb_columns(const struct place *place)
{
	return NB_FIXED + place->context->shown.nb;
}

static const char *heading_text(const struct place *place, unsigned column)
{
	return column < NB_FIXED ? fixed_heading[column]
				 : place->context->shown.metric[column - NB_FIXED]->heading;
}

static const char *cell_text(
	const struct place *place, const struct result_row *row, unsigned column, char *out)
{
	if (column == 0)
		return value_index(out, row->seq);
	if (column == 1)
		return value_id(out, row);
	return value_text(
		out, place->context->shown.metric[column - NB_FIXED], row, place->context->info);
}

static int table_open(struct place *place)
{
	struct table *table = calloc(1, sizeof(*table));
	unsigned nb = nb_columns(place);

	place->state = table;
	if (!table)
		return -ENOMEM;
	table->width = calloc(nb, sizeof(*table->width));
	table->line_size = nb * (UNITS_TEXT_MAX + GAP) + sizeof(INCOMPLETE);
	table->line = malloc(table->line_size);
	if (!table->width || !table->line)
		return -ENOMEM;
	for (unsigned i = 0; i < nb; i++) {
		unsigned least = i < NB_FIXED ? fixed_width[i]
					      : place->context->shown.metric[i - NB_FIXED]->width;
		unsigned heading = (unsigned)strlen(heading_text(place, i));

		table->width[i] = heading > least ? heading : least;
	}
	if (place->is_terminal)
		return table_live_init(&table->live, place->context->entries_to_show);
	return 0;
}

void table_fit_row(struct place *place, const struct result_row *row)
{
	struct table *table = place->state;

	for (unsigned i = 0; i < nb_columns(place); i++) {
		char text[UNITS_TEXT_MAX];
		unsigned len = (unsigned)strlen(cell_text(place, row, i, text));

		if (len > table->width[i])
			table->width[i] = len;
	}
}

/* row NULL: the heading. */
static void print_line(struct place *place, const struct result_row *row, unsigned max_columns)
{
	struct table *table = place->state;
	size_t len = 0;

	for (unsigned i = 0; i < nb_columns(place); i++) {
		char text[UNITS_TEXT_MAX];

		len += (size_t)snprintf(table->line + len, table->line_size - len, "%*s%*s",
			i ? GAP : 0, "", (int)table->width[i],
			row ? cell_text(place, row, i, text) : heading_text(place, i));
	}
	if (row && row->incomplete)
		len += (size_t)snprintf(
			table->line + len, table->line_size - len, "%s", INCOMPLETE);
	while (len > 0 && table->line[len - 1] == ' ')
		len--;
	if (max_columns > 0 && len > max_columns)
		len = max_columns;
	fwrite(table->line, 1, len, place->file);
	fputc('\n', place->file);
}

void table_print_heading(struct place *place, unsigned max_columns)
{
	print_line(place, NULL, max_columns);
}

void table_print_row(struct place *place, const struct result_row *row, unsigned max_columns)
{
	print_line(place, row, max_columns);
}

static void print_plain(struct place *place, const struct result_row *rows, unsigned nb)
{
	struct table *table = place->state;

	for (unsigned i = 0; i < nb; i++)
		table_fit_row(place, &rows[i]);
	/* between intervals only, so that the rows of one stay together */
	if (!table->has_heading || table->nb_since_heading >= HEADING_EVERY) {
		table_print_heading(place, 0);
		table->has_heading = true;
		table->nb_since_heading = 0;
	}
	for (unsigned i = 0; i < nb; i++)
		table_print_row(place, &rows[i], 0);
	table->nb_since_heading += nb;
}

static int table_begin(struct place *place)
{
	table_print_intro(place->file, place->context->info);
	return 0;
}

static int table_rows(struct place *place, const struct result_row *rows, unsigned nb)
{
	if (place->is_terminal)
		table_live_rows(place, rows, nb);
	else
		print_plain(place, rows, nb);
	return 0;
}

/* The graph of every stream, and of all when there are several. */
static int print_distributions(struct place *place, const struct result_summary *summary)
{
	const struct result_info *info = place->context->info;
	struct hist *h = malloc(sizeof(*h));
	char id[UNITS_TEXT_MAX];

	if (!h)
		return -ENOMEM;
	fputs("latency distribution (FILO):\n", place->file);
	for (unsigned i = 0; i < info->nb_streams + (info->nb_streams > 1); i++) {
		struct report_distribution_options options = {
			.stream = "TOT", .max_ns = place->context->latency_distribution_max_ns};
		uint32_t stream = i < info->nb_streams ? i : RESULT_TOT;

		if (stream != RESULT_TOT && info->streams[stream].transmit_only)
			continue;
		if (stream != RESULT_TOT) {
			snprintf(id, sizeof(id), "%u", info->streams[stream].id);
			options.stream = id;
		}
		hist_reset(h);
		summary->latency(summary->latency_ctx, stream, h);
		report_distribution(place->file, h, &options);
	}
	free(h);
	return 0;
}

static int table_end(struct place *place, const struct result_row *rows, unsigned nb,
	const struct result_summary *summary)
{
	const struct result_info *info = place->context->info;
	/* TOT over one stream says the same again */
	unsigned nb_shown = info->nb_streams == 1 && nb == 2 ? 1 : nb;

	if (place->is_terminal)
		table_live_end(place, rows, nb_shown);
	else
		print_plain(place, rows, nb_shown);
	if (nb > 0)
		table_print_latency(place->file, info, &rows[nb - 1]);
	if (report_has_distribution(place->context, summary) &&
		print_distributions(place, summary) < 0)
		return -ENOMEM;
	table_print_summary(place->file, info, nb > 0 ? &rows[nb - 1] : NULL, summary);
	return 0;
}

static void table_close(struct place *place)
{
	struct table *table = place->state;

	if (!table)
		return;
	free(table->width);
	free(table->line);
	free(table->live.rows);
	free(table);
	place->state = NULL;
}

const struct report_writer report_table = {
	.form = "table",
	.open = table_open,
	.begin = table_begin,
	.rows = table_rows,
	.end = table_end,
	.close = table_close,
};
