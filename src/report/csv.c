/* SPDX-License-Identifier: BSD-3-Clause */
#include "value.h"
#include "writer.h"

#include <inttypes.h>
#include <string.h>

/* RFC 4180 section 2, rules 5 to 7. */
static void print_field(FILE *out, const char *text)
{
	if (!strpbrk(text, ",\"\r\n")) {
		fputs(text, out);
		return;
	}
	fputc('"', out);
	for (; *text; text++) {
		if (*text == '"')
			fputc('"', out);
		fputc(*text, out);
	}
	fputc('"', out);
}

static int csv_begin(struct place *place)
{
	const struct report_columns *columns = &place->context->full;

	fputs("seq,time,stream,id,name,length (ns),incomplete", place->file);
	for (unsigned i = 0; i < columns->nb; i++) {
		const struct metric *metric = columns->metric[i];

		fprintf(place->file, ",%s", metric->name);
		if (metric->unit)
			fprintf(place->file, " (%s)", metric->unit);
	}
	fputc('\n', place->file);
	return 0;
}

static void print_row(struct place *place, const struct result_row *row)
{
	const struct report_context *context = place->context;
	const struct result_info *info = context->info;
	char seq[UNITS_TEXT_MAX], time[UNITS_TEXT_MAX], text[UNITS_TEXT_MAX];
	bool is_tot = row->stream == RESULT_TOT;

	fprintf(place->file, "%s,%s,%s,", value_index(seq, row->seq),
		value_time(time, row->end_unix_ns), value_index(text, row->stream));
	/* the id column stays numeric and name a name: a TOT row has neither */
	if (is_tot) {
		fputc(',', place->file);
	} else {
		fprintf(place->file, "%" PRIu64 ",", row->id);
		print_field(place->file, info->streams[row->stream].name);
	}
	fprintf(place->file, ",%" PRIu64 ",%s", row->length_ns, row->incomplete ? "yes" : "no");
	for (unsigned i = 0; i < context->full.nb; i++)
		fprintf(place->file, ",%s", value_plain(text, context->full.metric[i], row, info));
	fputc('\n', place->file);
}

static int csv_rows(struct place *place, const struct result_row *rows, unsigned nb)
{
	for (unsigned i = 0; i < nb; i++)
		print_row(place, &rows[i]);
	return 0;
}

static int csv_end(struct place *place, const struct result_row *rows, unsigned nb,
	const struct result_summary *summary)
{
	(void)summary;
	return csv_rows(place, rows, nb);
}

const struct report_writer report_csv = {
	.form = "csv",
	.grows = true,
	.begin = csv_begin,
	.rows = csv_rows,
	.end = csv_end,
};
