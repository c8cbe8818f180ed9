/* SPDX-License-Identifier: BSD-3-Clause */
#include "value.h"
#include "writer.h"

static int as_value_rows(struct place *place, const struct result_row *rows, unsigned nb)
{
	const struct report_context *context = place->context;
	char seq[UNITS_TEXT_MAX], id[UNITS_TEXT_MAX], text[UNITS_TEXT_MAX];

	for (unsigned i = 0; i < nb; i++) {
		fprintf(place->file, "seq=%s;id=%s", value_index(seq, rows[i].seq),
			value_id(id, &rows[i]));
		for (unsigned j = 0; j < context->shown.nb; j++) {
			const struct metric *metric = context->shown.metric[j];

			fprintf(place->file, ";%s=%s", metric->name,
				value_plain(text, metric, &rows[i], context->info));
		}
		fputc('\n', place->file);
	}
	return 0;
}

static int as_value_end(struct place *place, const struct result_row *rows, unsigned nb,
	const struct result_summary *summary)
{
	(void)summary;
	return as_value_rows(place, rows, nb);
}

const struct report_writer report_as_value = {
	.form = "as-value",
	.rows = as_value_rows,
	.end = as_value_end,
};
