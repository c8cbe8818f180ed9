/* SPDX-License-Identifier: BSD-3-Clause */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "compare.h"
#include "figures.h"
#include "tgen/baseline.h"
#include "tgen/results.h"

/* `tgen baseline`: what is kept of a result; `tgen report`: its files again. */

static const char *started(const cJSON *root)
{
	const char *text = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(root, "started"));

	return text != NULL ? text : "an unknown time";
}

/* ---- baseline ---- */

static int file_write(const char *path, const cJSON *root, struct err *err)
{
	char *text = cJSON_Print(root), *tmp = NULL;
	FILE *f = NULL;
	int rc = 0;

	if (text == NULL || asprintf(&tmp, "%s.tmp", path) < 0) {
		cJSON_free(text);
		return err_device(err, ENOMEM, "%s", path);
	}
	f = fopen(tmp, "we");
	if (f == NULL || fprintf(f, "%s\n", text) < 0 || fflush(f) != 0)
		rc = -errno;
	if (f != NULL && fclose(f) != 0 && rc == 0)
		rc = -errno;
	if (rc == 0 && rename(tmp, path) != 0)
		rc = -errno;
	if (rc < 0) {
		err_device(err, -rc, "%s cannot be written", path);
		remove(tmp);
	}
	cJSON_free(text);
	free(tmp);
	return rc;
}

static int baseline_save(const char *path, const char *from, struct err *err)
{
	cJSON *results = results_read(from, err), *kept;
	int rc;

	if (results == NULL)
		return -EINVAL;
	kept = baseline_of(results);
	rc = cJSON_GetArraySize(cJSON_GetObjectItemCaseSensitive(kept, "figures")) > 0
		     ? file_write(path, kept, err)
		     : err_usage(err, "%s has no figure to keep: no cell was measured", from);
	cJSON_Delete(kept);
	cJSON_Delete(results);
	return rc;
}

static int baseline_show(const char *path, struct err *err)
{
	struct figure_table table = {0};
	cJSON *root = baseline_tree(path, err);
	const cJSON *const roots[] = {root};
	char text[48];

	if (root == NULL)
		return -EINVAL;
	printf("%s: of %s\n", path, started(root));
	if (figure_table_make(&table, roots, 1, NULL) < 0)
		err_device(err, ENOMEM, "%s", path);
	for (unsigned i = 0; i < table.nb_lines; i++) {
		const struct series *s = &table.lines[i].of[0];

		figure_key_print(stdout, &table.lines[i].key);
		printf(" %s (%zu)\n", figure_text(text, s->mean, table.lines[i].key.unit), s->nb);
	}
	figure_table_fini(&table);
	cJSON_Delete(root);
	return 0;
}

int cli_baseline(const struct cli *cli, int argc, char **argv, struct err *err)
{
	const char *from = argc == 3 && strncmp(argv[2], "from=", 5) == 0 ? argv[2] + 5 : NULL;

	if (argc == 3 && strcmp(argv[0], "save") == 0 && from != NULL)
		return baseline_save(argv[1], from, err);
	if (argc == 2 && strcmp(argv[0], "show") == 0)
		return baseline_show(argv[1], err);
	if (argc >= 3 && strcmp(argv[0], "compare") == 0)
		return cli_compare(cli, argc - 1, argv + 1, err);
	return err_usage(err, "baseline: save FILE from=DIR, show FILE, or compare FILE DIR");
}

/* ---- report ---- */

int cli_report(const struct cli *cli, int argc, char **argv, struct err *err)
{
	cJSON *root;
	int rc;

	(void)cli;
	if (argc != 1)
		return err_usage(err, "report: one DIR is needed, of tgen run");
	root = results_read(argv[0], err);
	if (root == NULL)
		return -EINVAL;
	rc = 0;
	/* results.json is what they are made of: it stays as it is */
	for (unsigned i = 1; rc == 0 && i < results_nb_forms; i++)
		rc = results_write(argv[0], &results_forms[i], root, err);
	cJSON_Delete(root);
	return rc;
}
