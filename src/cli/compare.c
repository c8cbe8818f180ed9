/* SPDX-License-Identifier: BSD-3-Clause */
#include "compare.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "figures.h"
#include "tgen/baseline.h"
#include "tgen/results.h"

/* `tgen compare` and `history`: what is done with results afterwards. */

#define RESULTS_MAX 4096u

enum form { FORM_TABLE, FORM_JSON, FORM_CSV };

/* Files that were read, and what was asked about them. */
struct several {
	cJSON **roots;
	const char **paths;
	unsigned nb;
	const char *figure; /* figure=NAME; NULL: all */
	enum form form;
};

static int form_read(const struct cli *cli, struct several *s, struct err *err)
{
	static const char *const names[] = {"table", "json", "csv"};

	for (unsigned i = 0; i < cli->nb_outputs; i++) {
		bool known = false;

		for (int k = 0; k < 3; k++) {
			if (strcmp(cli->outputs[i], names[k]) != 0)
				continue;
			s->form = (enum form)k;
			known = true;
		}
		if (!known)
			return err_usage(err, "output: \"%.80s\" is not table, json or csv",
				cli->outputs[i]);
	}
	return 0;
}

static void several_free(struct several *s)
{
	for (unsigned i = 0; i < s->nb; i++)
		cJSON_Delete(s->roots[i]);
	free(s->roots);
	free(s->paths);
}

static cJSON *root_read(const char *path, struct err *err)
{
	struct err first = {0};
	cJSON *root = results_read(path, &first);

	if (root == NULL)
		root = baseline_tree(path, err);
	if (root == NULL)
		*err = first;
	return root;
}

static int several_read(struct several *s, const struct cli *cli, int argc, char **argv,
	unsigned least, struct err *err)
{
	*s = (struct several){.roots = calloc((size_t)argc + 1, sizeof(cJSON *)),
		.paths = calloc((size_t)argc + 1, sizeof(char *))};
	if (s->roots == NULL || s->paths == NULL)
		return err_device(err, ENOMEM, "results");
	if (form_read(cli, s, err) < 0)
		return -EINVAL;
	for (int i = 0; i < argc; i++) {
		if (strncmp(argv[i], "figure=", 7) == 0) {
			s->figure = argv[i] + 7;
			continue;
		}
		s->roots[s->nb] = root_read(argv[i], err);
		if (s->roots[s->nb] == NULL)
			return -EINVAL;
		s->paths[s->nb++] = argv[i];
	}
	if (s->nb < least)
		return err_usage(err,
			"%u results are needed at least (directories of tgen run, or "
			"baselines)",
			least);
	return 0;
}

/* ---- compare ---- */

static void number_or_null(cJSON *node, const char *key, double value)
{
	cJSON_AddItemToObject(
		node, key, isfinite(value) ? cJSON_CreateNumber(value) : cJSON_CreateNull());
}

static struct series_change change_of(const struct figure_line *line, unsigned nb)
{
	struct series_change change = {.ratio = NAN, .low = NAN, .high = NAN};

	if (line->of[0].nb > 0 && line->of[nb - 1].nb > 0)
		series_compare(&line->of[0], &line->of[nb - 1], &change);
	return change;
}

static void line_table(const struct figure_line *line, unsigned nb)
{
	struct series_change change = change_of(line, nb);
	char text[48];

	figure_key_print(stdout, &line->key);
	for (unsigned i = 0; i < nb; i++) {
		const struct series *s = &line->of[i];
		char all[112], half[48];

		snprintf(all, sizeof(all), "-");
		if (s->nb > 0 && isfinite(s->half_95))
			snprintf(all, sizeof(all), "%s +-%s",
				figure_text(text, s->mean, line->key.unit),
				figure_text(half, s->half_95, line->key.unit));
		else if (s->nb > 0)
			snprintf(
				all, sizeof(all), "%s", figure_text(text, s->mean, line->key.unit));
		printf(" %26s", all);
	}
	if (isfinite(change.ratio))
		printf(" %+8.2f%%%s", change.ratio * 100,
			isnan(change.low)    ? "  (one measurement: chance is not known)"
			: change.significant ? "  changed"
					     : "  within chance");
	printf("\n");
}

static cJSON *line_json(const struct figure_line *line, unsigned nb)
{
	struct series_change change = change_of(line, nb);
	cJSON *node = cJSON_CreateObject(), *list;

	cJSON_AddStringToObject(node, "test", line->key.test);
	cJSON_AddStringToObject(node, "variant", line->key.variant);
	cJSON_AddStringToObject(node, "frame-size", line->key.size);
	cJSON_AddStringToObject(node, "figure", line->key.name);
	cJSON_AddStringToObject(node, "scope", line->key.scope);
	cJSON_AddStringToObject(node, "unit", line->key.unit);
	list = cJSON_AddArrayToObject(node, "results");
	for (unsigned i = 0; i < nb; i++) {
		cJSON *item = cJSON_CreateObject();

		cJSON_AddNumberToObject(item, "nb", (double)line->of[i].nb);
		number_or_null(item, "mean", line->of[i].nb > 0 ? line->of[i].mean : NAN);
		number_or_null(item, "stdev", line->of[i].nb > 0 ? line->of[i].stdev : NAN);
		number_or_null(item, "half-95", line->of[i].nb > 0 ? line->of[i].half_95 : NAN);
		cJSON_AddItemToArray(list, item);
	}
	number_or_null(node, "change", change.ratio);
	number_or_null(node, "change-low", change.low);
	number_or_null(node, "change-high", change.high);
	cJSON_AddBoolToObject(node, "significant", change.significant);
	return node;
}

static void line_csv(const struct figure_line *line, unsigned nb)
{
	struct series_change change = change_of(line, nb);

	printf("%s,%s,%s,%s,%s,%s", line->key.test, line->key.variant, line->key.size,
		line->key.name, line->key.scope, line->key.unit);
	for (unsigned i = 0; i < nb; i++) {
		if (line->of[i].nb > 0)
			printf(",%.10g,%.10g,%zu", line->of[i].mean, line->of[i].stdev,
				line->of[i].nb);
		else
			printf(",,,0");
	}
	if (isfinite(change.ratio))
		printf(",%.6g,%s\n", change.ratio, change.significant ? "yes" : "no");
	else
		printf(",,\n");
}

static int print_json(cJSON *node, struct err *err)
{
	char *text = cJSON_Print(node);

	cJSON_Delete(node);
	if (text == NULL)
		return err_device(err, ENOMEM, "results");
	puts(text);
	cJSON_free(text);
	return 0;
}

static int compare_print(const struct several *s, const struct figure_table *t, struct err *err)
{
	cJSON *root = s->form == FORM_JSON ? cJSON_CreateObject() : NULL, *list;

	list = root != NULL ? cJSON_AddArrayToObject(root, "lines") : NULL;
	for (unsigned i = 0; s->form == FORM_TABLE && i < s->nb; i++)
		printf("%u: %s\n", i + 1, s->paths[i]);
	if (s->form == FORM_CSV) {
		printf("test,variant,frame-size,figure,scope,unit");
		for (unsigned i = 0; i < s->nb; i++)
			printf(",mean-%u,stdev-%u,nb-%u", i + 1, i + 1, i + 1);
		printf(",change,significant\n");
	}
	for (unsigned i = 0; i < t->nb_lines; i++) {
		if (s->form == FORM_JSON)
			cJSON_AddItemToArray(list, line_json(&t->lines[i], s->nb));
		else if (s->form == FORM_CSV)
			line_csv(&t->lines[i], s->nb);
		else
			line_table(&t->lines[i], s->nb);
	}
	return root != NULL ? print_json(root, err) : 0;
}

int cli_compare(const struct cli *cli, int argc, char **argv, struct err *err)
{
	struct figure_table table = {0};
	struct several s;
	int rc = several_read(&s, cli, argc, argv, 2, err);

	if (rc == 0 && figure_table_make(&table, (const cJSON *const *)s.roots, s.nb, s.figure) < 0)
		rc = err_device(err, ENOMEM, "results");
	if (rc == 0 && table.nb_lines == 0)
		rc = err_usage(err, "there is no figure%s%s in these results",
			s.figure != NULL ? " " : "", s.figure != NULL ? s.figure : "");
	if (rc == 0)
		rc = compare_print(&s, &table, err);
	figure_table_fini(&table);
	several_free(&s);
	return rc;
}

/* ---- history ---- */

static const char *started(const cJSON *root)
{
	const char *text = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(root, "started"));

	return text != NULL ? text : "";
}

static int by_start(const void *a, const void *b, void *roots)
{
	cJSON **r = roots;

	return strcmp(started(r[*(const unsigned *)a]), started(r[*(const unsigned *)b]));
}

/* Oldest first; texts of ISO 8601 sort as times do. */
static int several_sort(struct several *s)
{
	unsigned *order = calloc(s->nb, sizeof(*order));
	cJSON **roots = calloc(s->nb + 1, sizeof(*roots));
	const char **paths = calloc(s->nb + 1, sizeof(*paths));

	if (order == NULL || roots == NULL || paths == NULL) {
		free(order);
		free(roots);
		free(paths);
		return -ENOMEM;
	}
	for (unsigned i = 0; i < s->nb; i++)
		order[i] = i;
	qsort_r(order, s->nb, sizeof(*order), by_start, s->roots);
	for (unsigned i = 0; i < s->nb; i++) {
		roots[i] = s->roots[order[i]];
		paths[i] = s->paths[order[i]];
	}
	free(order);
	free(s->roots);
	free(s->paths);
	s->roots = roots;
	s->paths = paths;
	return 0;
}

/* A line of blocks from least to most. */
static void sparkline(const double *values, size_t nb, double min, double max)
{
	static const char *const blocks[] = {
		"\u2581", "\u2582", "\u2583", "\u2584", "\u2585", "\u2586", "\u2587", "\u2588"};

	for (size_t i = 0; i < nb; i++) {
		double at = max > min ? (values[i] - min) / (max - min) : 0.5;

		fputs(blocks[(unsigned)(at * 7.999)], stdout);
	}
}

struct past { /* of a line: what there is of it, and in which result */
	double values[RESULTS_MAX];
	unsigned at[RESULTS_MAX];
	size_t nb;
	size_t changes[64], nb_changes;
};

static void past_of(const struct figure_line *line, unsigned nb, struct past *p)
{
	p->nb = 0;
	for (unsigned i = 0; i < nb && p->nb < RESULTS_MAX; i++) {
		if (line->of[i].nb == 0)
			continue;
		p->values[p->nb] = line->of[i].mean;
		p->at[p->nb++] = i;
	}
	p->nb_changes = series_changes(p->values, p->nb, p->changes, 64);
}

/* By how much the level changed at change k: means of the stretches before and after. */
static double level_change(const struct past *p, size_t k)
{
	size_t from = k > 0 ? p->changes[k - 1] : 0, at = p->changes[k],
	       to = k + 1 < p->nb_changes ? p->changes[k + 1] : p->nb;
	struct series before, after;

	if (!series_of(p->values + from, at - from, &before) ||
		!series_of(p->values + at, to - at, &after) || before.mean == 0)
		return NAN;
	return after.mean / before.mean - 1;
}

static void history_table(const struct several *s, const struct figure_line *line, struct past *p)
{
	struct series all;
	char first[48], last[48];

	if (!series_of(p->values, p->nb, &all))
		return;
	figure_key_print(stdout, &line->key);
	printf(" ");
	sparkline(p->values, p->nb, all.min, all.max);
	printf("  %s .. %s\n", figure_text(first, p->values[0], line->key.unit),
		figure_text(last, p->values[p->nb - 1], line->key.unit));
	for (size_t k = 0; k < p->nb_changes; k++)
		printf("    changed by %+.2f%% with %s (%s)\n", level_change(p, k) * 100,
			s->paths[p->at[p->changes[k]]], started(s->roots[p->at[p->changes[k]]]));
}

static cJSON *history_json(const struct several *s, const struct figure_line *line, struct past *p)
{
	cJSON *node = line_json(line, s->nb), *list;

	cJSON_DeleteItemFromObjectCaseSensitive(node, "results");
	list = cJSON_AddArrayToObject(node, "values");
	for (size_t i = 0; i < p->nb; i++) {
		cJSON *item = cJSON_CreateObject();

		cJSON_AddStringToObject(item, "result", s->paths[p->at[i]]);
		cJSON_AddStringToObject(item, "started", started(s->roots[p->at[i]]));
		cJSON_AddNumberToObject(item, "mean", p->values[i]);
		cJSON_AddItemToArray(list, item);
	}
	list = cJSON_AddArrayToObject(node, "changes");
	for (size_t k = 0; k < p->nb_changes; k++) {
		cJSON *item = cJSON_CreateObject();

		cJSON_AddStringToObject(item, "result", s->paths[p->at[p->changes[k]]]);
		number_or_null(item, "change", level_change(p, k));
		cJSON_AddItemToArray(list, item);
	}
	return node;
}

static int history_print(const struct several *s, const struct figure_table *t, struct err *err)
{
	struct past *past = malloc(sizeof(*past));
	cJSON *root = s->form == FORM_JSON ? cJSON_CreateObject() : NULL, *list;

	if (past == NULL)
		return err_device(err, ENOMEM, "results");
	list = root != NULL ? cJSON_AddArrayToObject(root, "lines") : NULL;
	for (unsigned i = 0; i < t->nb_lines; i++) {
		past_of(&t->lines[i], s->nb, past);
		if (s->form == FORM_JSON)
			cJSON_AddItemToArray(list, history_json(s, &t->lines[i], past));
		else if (s->form == FORM_CSV)
			line_csv(&t->lines[i], s->nb);
		else
			history_table(s, &t->lines[i], past);
	}
	free(past);
	return root != NULL ? print_json(root, err) : 0;
}

int cli_history(const struct cli *cli, int argc, char **argv, struct err *err)
{
	struct figure_table table = {0};
	struct several s;
	int rc = several_read(&s, cli, argc, argv, 1, err);

	if (rc == 0 &&
		(several_sort(&s) < 0 || figure_table_make(&table, (const cJSON *const *)s.roots,
						 s.nb, s.figure) < 0))
		rc = err_device(err, ENOMEM, "results");
	if (rc == 0)
		rc = history_print(&s, &table, err);
	figure_table_fini(&table);
	several_free(&s);
	return rc;
}
