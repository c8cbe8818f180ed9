/* SPDX-License-Identifier: BSD-3-Clause */
#include "tgen/stats.h"

#include "value.h"

#include <cjson/cJSON.h>

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* RouterOS's statistics in every form: a row is a list of cells, and a form is a way to print them. */

#define STATS_SCHEMA   "tgen.stats/1"
#define CELLS_MAX      32u
#define CELL_TEXT_MAX  80u
#define ROWS_A_HEADING 40u

static const char *const figures[] = {"tx-packet", "tx-byte", "tx-rate", "rx-packet", "rx-byte",
	"rx-rate", "rx-ooo", "rx-bad-csum", "lost-packet", "lost-byte", "lost-rate", "lost-ratio",
	"lat-min", "lat-avg", "lat-max", "jitter"};
#define NB_FIGURES (sizeof(figures) / sizeof(figures[0]))

struct cell {
	const char *name;
	int width;
	bool is_text; /* in JSON; empty text is null */
	char plain[CELL_TEXT_MAX], shown[CELL_TEXT_MAX];
};

struct stats_writer {
	FILE *out;
	enum stats_form form;
	enum stats_what what;
	const struct result_info *info;
	uint64_t nb_rows;
	unsigned nb;
	struct cell cells[CELLS_MAX];
};

/* ---- cells ---- */

static struct cell *cell_next(struct stats_writer *w, const char *name, int width)
{
	struct cell *cell = &w->cells[w->nb++];

	*cell = (struct cell){.name = name, .width = width};
	return cell;
}

static void cell_text(struct stats_writer *w, const char *name, int width, const char *text)
{
	struct cell *cell = cell_next(w, name, width);

	cell->is_text = true;
	snprintf(cell->plain, sizeof(cell->plain), "%s", text);
	snprintf(cell->shown, sizeof(cell->shown), "%s", text);
}

static void cell_number(
	struct stats_writer *w, const char *name, int width, enum metric_kind kind, uint64_t n)
{
	struct cell *cell = cell_next(w, name, width);

	snprintf(cell->plain, sizeof(cell->plain), "%" PRIu64, n);
	value_format(cell->shown, kind, n, 0);
}

static void cell_index(struct stats_writer *w, const char *name, int width, uint32_t index)
{
	char text[UNITS_TEXT_MAX];
	struct cell *cell = cell_next(w, name, width);

	cell->is_text = index == RESULT_TOT;
	value_index(text, index);
	snprintf(cell->plain, sizeof(cell->plain), "%s", text);
	snprintf(cell->shown, sizeof(cell->shown), "%s", text);
}

static bool is_shown(const char *figure, const struct stats_row *row)
{
	bool is_tx = strncmp(figure, "tx-", 3) == 0;

	return is_tx ? !row->no_tx : !row->no_rx;
}

static void cells_figures(struct stats_writer *w, const struct stats_row *row)
{
	for (size_t i = 0; i < NB_FIGURES; i++) {
		const struct metric *metric = metric_find(figures[i]);
		struct cell *cell = cell_next(w, metric->name, metric->width);

		if (!is_shown(figures[i], row))
			continue;
		value_plain(cell->plain, metric, &row->row, w->info);
		value_text(cell->shown, metric, &row->row, w->info);
	}
}

static void cells_make(struct stats_writer *w, const struct stats_row *row)
{
	char time[UNITS_TEXT_MAX];

	w->nb = 0;
	cell_index(w, "seq", 5, row->row.seq);
	if (w->form != STATS_TABLE)
		cell_text(w, "time", 24, value_time(time, row->row.end_unix_ns));
	if (w->what != STATS_STREAM)
		cell_text(w, "port", 12, row->port != NULL ? row->port : "");
	if (w->what != STATS_PORT)
		cell_index(w, "id", 5,
			row->row.stream == RESULT_TOT ? RESULT_TOT : (uint32_t)row->row.id);
	if (w->what == STATS_PORT) {
		cell_number(w, "rx-unk-packet", 13, METRIC_COUNT, row->unk_packet);
		cell_number(w, "rx-unk-byte", 15, METRIC_COUNT, row->unk_byte);
		cell_number(w, "rx-unk-rate", 11, METRIC_BPS, row->unk_bps);
	}
	cells_figures(w, row);
}

/* ---- forms ---- */

static void put_upper(FILE *out, const char *text, int width)
{
	fprintf(out, "%*s", width - (int)strlen(text), "");
	for (; *text != '\0'; text++)
		fputc(*text >= 'a' && *text <= 'z' ? *text - 'a' + 'A' : *text, out);
}

static void put_table(const struct stats_writer *w)
{
	for (unsigned i = 0; w->nb_rows % ROWS_A_HEADING == 0 && i < w->nb; i++) {
		fputs(i ? "  " : "", w->out);
		put_upper(w->out, w->cells[i].name, w->cells[i].width);
	}
	if (w->nb_rows % ROWS_A_HEADING == 0)
		fputc('\n', w->out);
	for (unsigned i = 0; i < w->nb; i++)
		fprintf(w->out, "%s%*s", i ? "  " : "", w->cells[i].width, w->cells[i].shown);
	fputc('\n', w->out);
}

static void put_as_value(const struct stats_writer *w)
{
	for (unsigned i = 0; i < w->nb; i++)
		fprintf(w->out, "%s=%s;", w->cells[i].name, w->cells[i].plain);
	fputc('\n', w->out);
}

static void put_csv(const struct stats_writer *w)
{
	for (unsigned i = 0; w->nb_rows == 0 && i < w->nb; i++)
		fprintf(w->out, "%s%s", i ? "," : "", w->cells[i].name);
	if (w->nb_rows == 0)
		fputc('\n', w->out);
	for (unsigned i = 0; i < w->nb; i++)
		fprintf(w->out, "%s%s", i ? "," : "", w->cells[i].plain);
	fputc('\n', w->out);
}

/* Names of ports are letters, digits and marks that JSON leaves as they are. */
static void put_object(const struct stats_writer *w)
{
	fputc('{', w->out);
	for (unsigned i = 0; i < w->nb; i++) {
		const struct cell *cell = &w->cells[i];
		const char *quote = cell->is_text && cell->plain[0] != '\0' ? "\"" : "";

		fprintf(w->out, "%s\"%s\":%s%s%s", i ? "," : "", cell->name, quote,
			cell->plain[0] != '\0' ? cell->plain : "null", quote);
	}
	fputc('}', w->out);
}

static void put_string(FILE *out, const char *text)
{
	cJSON *item = text != NULL ? cJSON_CreateString(text) : cJSON_CreateNull();
	char *printed = item != NULL ? cJSON_PrintUnformatted(item) : NULL;

	fputs(printed != NULL ? printed : "null", out);
	cJSON_free(printed);
	cJSON_Delete(item);
}

static void put_json_begin(const struct stats_writer *w, bool running)
{
	static const char *const names[] = {"stream", "port", "raw"};
	char time[UNITS_TEXT_MAX];

	fprintf(w->out, "{\"schema\":\"%s\",\"command\":", STATS_SCHEMA);
	put_string(w->out, w->info->command);
	fprintf(w->out, ",\"start\":\"%s\",\"running\":%s,\"what\":\"%s\",\"rows\":[",
		value_time(time, w->info->start_unix_ns), running ? "true" : "false",
		names[w->what]);
}

/* ---- the writer ---- */

struct stats_writer *stats_begin(FILE *out, enum stats_form form, enum stats_what what,
	const struct result_info *info, bool running)
{
	struct stats_writer *w = calloc(1, sizeof(*w));

	if (w == NULL)
		return NULL;
	w->out = out;
	w->form = form;
	w->what = what;
	w->info = info;
	if (form == STATS_JSON)
		put_json_begin(w, running);
	return w;
}

void stats_put(struct stats_writer *w, const struct stats_row *row)
{
	cells_make(w, row);
	switch (w->form) {
	case STATS_TABLE:
		put_table(w);
		break;
	case STATS_AS_VALUE:
		put_as_value(w);
		break;
	case STATS_CSV:
		put_csv(w);
		break;
	case STATS_JSONL:
		put_object(w);
		fputc('\n', w->out);
		break;
	case STATS_JSON:
		fputs(w->nb_rows > 0 ? ",\n" : "\n", w->out);
		put_object(w);
		break;
	}
	w->nb_rows++;
}

void stats_put_interval(struct stats_writer *w, const struct samples_interval *interval)
{
	struct stats_row rows[2];

	for (unsigned p = 0; w->what == STATS_PORT && p < w->info->nb_ports; p++) {
		stats_row_port(&rows[0], w->info, p, interval);
		stats_put(w, &rows[0]);
	}
	for (unsigned i = 0; w->what != STATS_PORT && i < interval->nb_rows; i++) {
		unsigned nb = 1;

		memset(rows, 0, sizeof(rows));
		rows[0].row = interval->rows[i];
		if (w->what == STATS_RAW)
			nb = interval->rows[i].stream == RESULT_TOT
				     ? 0
				     : stats_rows_raw(rows, w->info, &interval->rows[i]);
		for (unsigned k = 0; k < nb; k++)
			stats_put(w, &rows[k]);
	}
}

int stats_end(struct stats_writer *w)
{
	int rc;

	if (w->form == STATS_JSON)
		fputs("\n]}\n", w->out);
	rc = fflush(w->out) != 0 || ferror(w->out) ? -EIO : 0;
	free(w);
	return rc;
}
