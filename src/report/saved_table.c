/* SPDX-License-Identifier: BSD-3-Clause */
#include "saved.h"

#include "value.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* A result read back, as tables. */

#define CELL_MAX 72
#define GAP	 2

struct grid {
	char (*cell)[CELL_MAX]; /* nb_rows × nb_columns, row by row; the first row is the heading */
	unsigned nb_rows, nb_columns;
};

static char *grid_cell(const struct grid *grid, unsigned row, unsigned column)
{
	return grid->cell[row * grid->nb_columns + column];
}

static int grid_init(struct grid *grid, unsigned nb_rows, unsigned nb_columns, struct err *err)
{
	grid->nb_rows = nb_rows;
	grid->nb_columns = nb_columns;
	grid->cell = calloc((size_t)nb_rows * nb_columns, sizeof(*grid->cell));
	return grid->cell ? 0 : err_device(err, ENOMEM, "table");
}

static int grid_width(const struct grid *grid, unsigned column)
{
	size_t width = 0;

	for (unsigned row = 0; row < grid->nb_rows; row++) {
		size_t len = strlen(grid_cell(grid, row, column));

		width = len > width ? len : width;
	}
	return (int)width;
}

static int grid_print(const struct grid *grid, FILE *out, struct err *err)
{
	int *width = calloc(grid->nb_columns, sizeof(*width));

	if (!width)
		return err_device(err, ENOMEM, "table");
	for (unsigned column = 0; column < grid->nb_columns; column++)
		width[column] = grid_width(grid, column);
	for (unsigned row = 0; row < grid->nb_rows; row++) {
		unsigned last = grid->nb_columns;

		while (last > 0 && grid_cell(grid, row, last - 1)[0] == '\0')
			last--;
		for (unsigned column = 0; column < last; column++)
			fprintf(out, "%*s%*s", column ? GAP : 0, "", width[column],
				grid_cell(grid, row, column));
		fputc('\n', out);
	}
	free(width);
	return 0;
}

/* Text of any member: of a string without its quotes. */
static void put_text(char *cell, const cJSON *object, const char *key)
{
	const cJSON *item = cJSON_GetObjectItemCaseSensitive(object, key);
	const char *text = cJSON_IsString(item) ? item->valuestring : saved_number_text(item);

	snprintf(cell, CELL_MAX, "%s", text ? text : "");
}

/* ---- streams ---- */

void saved_figure(struct result_row *row, const struct metric *metric, const cJSON *total)
{
	const char *text = saved_number_text(cJSON_GetObjectItemCaseSensitive(total, metric->name));
	uint64_t n = 0;

	if (metric->kind == METRIC_RATIO)
		return; /* from the counts themselves */
	if (text && metric->kind == METRIC_UPPS)
		units_parse_micro(text, false, &n);
	else if (text && text[0] == '-')
		n = (uint64_t)strtoll(text, NULL, 10);
	else
		saved_number(total, metric->name, &n);
	memcpy((char *)row + metric->offset, &n, sizeof(n));
}

static void fill_total(const struct grid *grid, unsigned at, const cJSON *total)
{
	struct result_row row = {0};
	unsigned column = 2;

	for (unsigned i = 0; i < metric_nb; i++)
		saved_figure(&row, &metric_table[i], total);
	put_text(grid_cell(grid, at, 0), total, "id");
	put_text(grid_cell(grid, at, 1), total, "name");
	if (grid_cell(grid, at, 0)[0] == '\0')
		strcpy(grid_cell(grid, at, 0), "TOT");
	for (unsigned i = 0; i < metric_nb; i++) {
		const struct metric *metric = &metric_table[i];
		const cJSON *item = cJSON_GetObjectItemCaseSensitive(total, metric->name);

		if (!metric->in_table)
			continue;
		if (cJSON_IsRaw(item) || cJSON_IsString(item))
			value_format(grid_cell(grid, at, column), metric->kind,
				metric_value(metric, &row), metric_whole(&row));
		column++;
	}
}

static void fill_heading(const struct grid *grid)
{
	unsigned column = 2;

	strcpy(grid_cell(grid, 0, 0), "ID");
	strcpy(grid_cell(grid, 0, 1), "NAME");
	for (unsigned i = 0; i < metric_nb; i++)
		if (metric_table[i].in_table)
			strcpy(grid_cell(grid, 0, column++), metric_table[i].heading);
}

int report_saved_streams(const struct report_saved *saved, FILE *out, struct err *err)
{
	const cJSON *totals = cJSON_GetObjectItemCaseSensitive(saved->root, "totals");
	const cJSON *sum = cJSON_GetObjectItemCaseSensitive(saved->root, "total"), *total;
	unsigned nb = (unsigned)cJSON_GetArraySize(totals), nb_columns = 2, row = 1;
	bool has_sum = cJSON_IsObject(sum) && nb > 1;
	struct grid grid;
	int rc;

	if (nb == 0)
		return err_usage(err, "%s has no totals", saved->path);
	for (unsigned i = 0; i < metric_nb; i++)
		nb_columns += metric_table[i].in_table;
	rc = grid_init(&grid, 1 + nb + has_sum, nb_columns, err);
	if (rc < 0)
		return rc;
	fill_heading(&grid);
	cJSON_ArrayForEach(total, totals) fill_total(&grid, row++, total);
	if (has_sum)
		fill_total(&grid, row, sum);
	rc = grid_print(&grid, out, err);
	free(grid.cell);
	return rc;
}

/* ---- ports ---- */

static void put_count(char *cell, const cJSON *port, const char *key)
{
	uint64_t n;

	if (saved_number(port, key, &n))
		value_format(cell, METRIC_COUNT, n, 0);
}

int report_saved_ports(const struct report_saved *saved, FILE *out, struct err *err)
{
	static const char *const keys[] = {"name", "rx-all", "good", "duplicate", "bad",
		"misrouted", "stray", "fragment", "returned", "host", "unknown", "unknown-byte",
		"tx-test", "tx-other", "tx-undelivered", "rx-missed", "rx-kernel-dropped",
		"pause-rx", "pause-tx"};
	enum { NB_KEYS = sizeof(keys) / sizeof(keys[0]) };
	const cJSON *ports = cJSON_GetObjectItemCaseSensitive(saved->root, "ports"), *port;
	unsigned nb = (unsigned)cJSON_GetArraySize(ports), row = 1;
	struct grid grid;
	int rc;

	if (nb == 0)
		return err_usage(err, "%s has no ports", saved->path);
	rc = grid_init(&grid, 1 + nb, NB_KEYS, err);
	if (rc < 0)
		return rc;
	for (unsigned i = 0; i < NB_KEYS; i++)
		for (size_t j = 0; keys[i][j] != '\0'; j++)
			grid_cell(&grid, 0, i)[j] = (char)toupper((unsigned char)keys[i][j]);
	cJSON_ArrayForEach(port, ports)
	{
		put_text(grid_cell(&grid, row, 0), port, keys[0]);
		for (unsigned i = 1; i < NB_KEYS; i++)
			put_count(grid_cell(&grid, row, i), port, keys[i]);
		row++;
	}
	rc = grid_print(&grid, out, err);
	free(grid.cell);
	return rc;
}
