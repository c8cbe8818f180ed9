/* SPDX-License-Identifier: BSD-3-Clause */
#include "tgen/run.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "suite.h"
#include "tgen/log.h"

/* `tgen run`: from the file to the directory of results. */

#define RESULTS_DIR "tgen-results"
#define DIR_MODE    0755

/* ---- outputs on standard output or in files beside the directory ---- */

/* --output words, and the file of the directory that each is a copy of. */
static const struct {
	const char *word, *file; /* file NULL: no copy */
} outputs[] = {
	{"table", NULL},
	{"jsonl", NULL},
	{"json", "results.json"},
	{"junit", "junit.xml"},
	{"prometheus", "metrics.prom"},
	{"html", "report.html"},
};
#define NB_OUTPUTS (sizeof(outputs) / sizeof(outputs[0]))

static const struct results_form *form_of(const char *file)
{
	for (unsigned i = 0; i < results_nb_forms; i++)
		if (strcmp(results_forms[i].file, file) == 0)
			return &results_forms[i];
	return NULL;
}

/* The index in outputs; *place: what follows the =, NULL: standard output. */
static int output_parse(const char *output, const char **place, struct err *err)
{
	size_t len = strcspn(output, "=");

	*place = output[len] == '=' && strcmp(output + len, "=-") != 0 ? output + len + 1 : NULL;
	for (size_t i = 0; i < NB_OUTPUTS; i++)
		if (strlen(outputs[i].word) == len && strncmp(output, outputs[i].word, len) == 0)
			return (int)i;
	return err_usage(err,
		"output: \"%.*s\" is not a form of run (table, json, jsonl, junit, prometheus, "
		"html)",
		(int)len, output);
}

static int outputs_check(const struct run_options *options, struct err *err)
{
	unsigned on_stdout = 0;

	for (unsigned i = 0; i < options->nb_outputs; i++) {
		const char *place;

		if (output_parse(options->outputs[i], &place, err) < 0)
			return -EINVAL;
		if (place == NULL && on_stdout++ > 0)
			return err_usage(err,
				"output: two forms cannot both go to standard output; give one a "
				"file, as junit=FILE");
	}
	return 0;
}

static int events_open(struct suite *suite, struct err *err)
{
	const struct run_options *options = suite->options;

	for (unsigned i = 0; i < options->nb_outputs; i++) {
		const char *place;
		int which = output_parse(options->outputs[i], &place, err);

		if (which < 0 || strcmp(outputs[which].word, "jsonl") != 0)
			continue;
		suite->progress.events = place != NULL ? fopen(place, "we") : stdout;
		if (suite->progress.events == NULL)
			return err_device(err, errno, "output: %s", place);
	}
	return 0;
}

static const char *text_of(const cJSON *object, const char *key)
{
	const char *text = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(object, key));

	return text != NULL ? text : "";
}

/* The figure that a cell is about: its first one. */
static void print_cell(const cJSON *test, const cJSON *cell)
{
	const cJSON *figure =
		cJSON_GetArrayItem(cJSON_GetObjectItemCaseSensitive(cell, "figures"), 0);
	const cJSON *value = cJSON_GetObjectItemCaseSensitive(figure, "value");
	const cJSON *repeat = cJSON_GetObjectItemCaseSensitive(cell, "repeat");

	printf("%-11s  %-24s %-12s %-12s %3d  ", text_of(cell, "status"), text_of(test, "name"),
		text_of(test, "variant"), text_of(cell, "frame-size"),
		cJSON_IsNumber(repeat) ? repeat->valueint : 0);
	if (cJSON_IsNumber(value))
		printf("%s %.10g %s", text_of(figure, "name"), value->valuedouble,
			text_of(figure, "unit"));
	if (text_of(figure, "remark")[0] != '\0')
		printf(" (%s)", text_of(figure, "remark"));
	printf("\n");
}

static void print_table(const struct suite *suite)
{
	const cJSON *test, *cell;

	printf("%-11s  %-24s %-12s %-12s %3s\n", "STATUS", "TEST", "VARIANT", "FRAME-SIZE", "NR");
	cJSON_ArrayForEach(test, cJSON_GetObjectItemCaseSensitive(suite->root, "tests"))
	{
		cJSON_ArrayForEach(cell, cJSON_GetObjectItemCaseSensitive(test, "cells"))
			print_cell(test, cell);
		if (text_of(test, "reason")[0] != '\0')
			printf("%-11s  %-24s %s\n", "", text_of(test, "name"),
				text_of(test, "reason"));
	}
	printf("%s: report in %s/report.html\n", text_of(suite->root, "status"), suite->dir);
}

static int output_write(
	const struct suite *suite, const char *word, const char *place, struct err *err)
{
	const struct results_form *form = NULL;
	FILE *f = place != NULL ? fopen(place, "we") : stdout;
	int rc = 0;

	for (size_t i = 0; i < NB_OUTPUTS; i++)
		if (strcmp(outputs[i].word, word) == 0 && outputs[i].file != NULL)
			form = form_of(outputs[i].file);
	if (f == NULL)
		return err_device(err, errno, "output: %s", place);
	if (form != NULL)
		rc = form->write(suite->root, f);
	if (place != NULL && (fclose(f) != 0 || rc < 0))
		return err_device(err, errno != 0 ? errno : EIO, "output: %s", place);
	return rc;
}

/* What goes out when all is over; the first error is told. */
static int outputs_write(struct suite *suite, struct err *err)
{
	const struct run_options *options = suite->options;
	bool table = true;
	int first = 0;

	for (unsigned i = 0; i < options->nb_outputs; i++) {
		struct err why = {0};
		const char *place;
		int which = output_parse(options->outputs[i], &place, &why);
		int rc;

		if (place == NULL && strcmp(outputs[which].word, "table") != 0)
			table = false;
		if (outputs[which].file == NULL)
			continue;
		rc = output_write(suite, outputs[which].word, place, &why);
		if (rc < 0 && first == 0) {
			first = rc;
			*err = why;
		}
	}
	if (table)
		print_table(suite);
	return first;
}

/* ---- the directory ---- */

static char *dir_default(const char *file)
{
	const char *slash = strrchr(file, '/'), *name = slash != NULL ? slash + 1 : file;
	int len = (int)strlen(name);
	time_t now = time(NULL);
	char *dir = NULL, text[32];
	struct tm tm;

	if (len > 5 && strcmp(name + len - 5, ".json") == 0)
		len -= 5;
	localtime_r(&now, &tm);
	strftime(text, sizeof(text), "%Y%m%d-%H%M%S", &tm);
	return asprintf(&dir, RESULTS_DIR "/%.*s-%s", len, name, text) < 0 ? NULL : dir;
}

static int parents_make(char *path)
{
	for (char *p = path + 1; *p != '\0'; p++) {
		int rc;

		if (*p != '/')
			continue;
		*p = '\0';
		rc = mkdir(path, DIR_MODE) != 0 && errno != EEXIST ? -errno : 0;
		*p = '/';
		if (rc < 0)
			return rc;
	}
	return 0;
}

static int dir_make(struct suite *suite, struct err *err)
{
	const struct run_options *options = suite->options;
	const struct opt_slot *given = opt_set_get(options->words, &conf_run_opts[RUN_DIR]);
	int rc;

	if (options->resume != NULL) {
		suite->dir = strdup(options->resume);
		return suite->dir != NULL ? 0 : err_device(err, ENOMEM, "results");
	}
	suite->dir =
		given != NULL ? strdup(given->vals[0].text) : dir_default(conf_path(suite->conf));
	if (suite->dir == NULL)
		return err_device(err, ENOMEM, "results");
	rc = parents_make(suite->dir);
	if (rc < 0 || (mkdir(suite->dir, DIR_MODE) != 0 && errno != EEXIST))
		return err_device(
			err, rc < 0 ? -rc : errno, "%s: the directory of the results", suite->dir);
	return 0;
}

/* What --resume needs to begin in the same way. */
static cJSON *header_make(const struct suite *suite, struct err *err)
{
	cJSON *header = cJSON_CreateObject(), *configuration, *words;
	const struct opt_set *given = suite->options->words;
	char *path = realpath(conf_path(suite->conf), NULL), now[32];

	configuration = suite_configuration(suite->conf, err);
	if (configuration == NULL) {
		cJSON_Delete(header);
		free(path);
		return NULL;
	}
	cJSON_AddStringToObject(header, "journal", "tgen-run");
	cJSON_AddNumberToObject(header, "version", 1);
	cJSON_AddStringToObject(header, "started", suite_time_text(now));
	cJSON_AddStringToObject(header, "file", path != NULL ? path : conf_path(suite->conf));
	words = cJSON_AddArrayToObject(header, "words");
	for (unsigned i = 0; i < given->nb_slots; i++) {
		char *text = opt_set_print(given, given->slots[i].opt), *word = NULL;

		if (given->slots[i].opt != &conf_run_opts[RUN_DIR] &&
			asprintf(&word, "%s=%s", given->slots[i].opt->name, text) >= 0)
			cJSON_AddItemToArray(words, cJSON_CreateString(word));
		free(word);
		free(text);
	}
	cJSON_AddItemToObject(header, "configuration", configuration);
	free(path);
	return header;
}

static int results_open(struct suite *suite, struct err *err)
{
	cJSON *header = header_make(suite, err);

	if (header == NULL)
		return -EINVAL;
	suite->journal = journal_open(suite->dir, header, suite->options->resume != NULL, err);
	cJSON_Delete(header);
	if (suite->journal == NULL)
		return -EINVAL;
	if (suite->options->resume != NULL)
		progress_say(&suite->progress, "%s: %u trials were measured before", suite->dir,
			journal_nb(suite->journal));
	suite->rows = results_rows_open(suite->dir, err);
	return suite->rows != NULL ? 0 : -EIO;
}

/* ---- the run ---- */

static int rig_make(struct suite *suite, struct err *err)
{
	const struct opt_set **sets = calloc(suite->nb_tests, sizeof(*sets));
	unsigned nb = 0;

	if (sets == NULL)
		return err_device(err, ENOMEM, "tests");
	for (unsigned i = 0; i < suite->nb_tests; i++)
		if ((suite->tests[i].procedure->flags & PROC_NO_TRAFFIC) == 0)
			sets[nb++] = suite->tests[i].set;
	suite->rig = rig_new(suite->conf, sets, nb, suite->options, &(struct rig_hooks){0}, err);
	free(sets);
	return suite->rig != NULL ? 0 : -EINVAL;
}

static void root_finish(struct suite *suite, enum tgen_status status, bool interrupted)
{
	static const char *const words[] = {[TGEN_OK] = "pass",
		[TGEN_MISSED] = "fail",
		[TGEN_USAGE] = "error",
		[TGEN_INVALID] = "invalid",
		[TGEN_DEVICE] = "error"};
	cJSON *ports = rig_ports_json(suite->rig);
	char now[32];

	if (ports != NULL)
		cJSON_ReplaceItemInObjectCaseSensitive(suite->root, "ports", ports);
	cJSON_ReplaceItemInObjectCaseSensitive(
		suite->root, "ended", cJSON_CreateString(suite_time_text(now)));
	cJSON_ReplaceItemInObjectCaseSensitive(suite->root, "status",
		cJSON_CreateString(interrupted ? "interrupted" : words[status]));
	cJSON_ReplaceItemInObjectCaseSensitive(
		suite->root, "exit-status", cJSON_CreateNumber(status));
}

/* All files are written, whatever came of the tests. Exit status, or negative with err. */
static int suite_do(struct suite *suite, struct err *err)
{
	enum tgen_status status;
	struct err why = {0};
	int rc = suite_run(suite, err), rows;

	status = rc == 0 || rc == -EINTR  ? suite_status(suite->root)
		 : err->status != TGEN_OK ? err->status
					  : TGEN_DEVICE;
	if (rc == -EINTR && status < TGEN_INVALID)
		status = TGEN_INVALID;
	root_finish(suite, status, rc == -EINTR);
	rows = results_rows_close(suite->rows, &why);
	suite->rows = NULL;
	if (results_write_all(suite->dir, suite->root, rows == 0 ? &why : &(struct err){0}) < 0)
		rows = -EIO;
	if (outputs_write(suite, &(struct err){0}) < 0)
		rows = -EIO;
	if (rc == -EINTR)
		log_warning("stopped; tgen run --resume %s goes on", suite->dir);
	if (rc < 0 && rc != -EINTR)
		return rc;
	if (rows < 0 || suite->output_failed) {
		log_error("%s", why.text[0] != '\0' ? why.text : "an output could not be written");
		return TGEN_DEVICE;
	}
	return (int)status;
}

static int suite_begin(struct suite *suite, struct err *err)
{
	const struct run_options *options = suite->options;

	suite->conf = conf_load(options->file, options->kinds, options->nb_kinds, false, err);
	if (suite->conf == NULL || outputs_check(options, err) < 0)
		return -EINVAL;
	progress_init(&suite->progress);
	if (suite_choose(suite, err) < 0)
		return -EINVAL;
	if (options->list)
		return 0;
	if (rig_make(suite, err) < 0)
		return -EINVAL;
	return 0;
}

static void suite_end(struct suite *suite)
{
	rig_free(suite->rig);
	if (suite->progress.events != NULL && suite->progress.events != stdout)
		fclose(suite->progress.events);
	results_rows_close(suite->rows, &(struct err){0});
	journal_close(suite->journal);
	cJSON_Delete(suite->root);
	suite_tests_free(suite);
	free(suite->dir);
	conf_free(suite->conf);
}

int run_file(const struct run_options *options, struct err *err)
{
	struct suite suite = {.options = options};
	int rc = suite_begin(&suite, err);

	if (rc == 0 && options->list)
		rc = suite_list(&suite);
	else if (rc == 0 && options->dry_run)
		rc = suite_dry_run(&suite);
	else if (rc == 0) {
		rc = rig_open(suite.rig, err);
		if (rc == 0 && (events_open(&suite, err) < 0 || dir_make(&suite, err) < 0 ||
				       results_open(&suite, err) < 0 ||
				       (suite.root = suite_root(&suite, err)) == NULL))
			rc = -EINVAL;
		if (rc == 0)
			rc = suite_do(&suite, err);
	}
	suite_end(&suite);
	return rc;
}

int run_resume_words(const char *dir, char **file, char ***words, unsigned *nb, struct err *err)
{
	cJSON *header = journal_header(dir, err);
	const cJSON *list = cJSON_GetObjectItemCaseSensitive(header, "words"), *word;

	*file = NULL;
	*words = NULL;
	*nb = 0;
	if (header == NULL)
		return -EINVAL;
	*file = strdup(text_of(header, "file"));
	*words = calloc((size_t)cJSON_GetArraySize(list) + 1, sizeof(**words));
	cJSON_ArrayForEach(word, list)
	{
		if (*words != NULL && cJSON_IsString(word))
			(*words)[(*nb)++] = strdup(word->valuestring);
	}
	cJSON_Delete(header);
	return *file != NULL && *words != NULL ? 0 : err_device(err, ENOMEM, "%s", dir);
}
