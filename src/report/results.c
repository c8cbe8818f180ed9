/* SPDX-License-Identifier: BSD-3-Clause */
#include "tgen/results.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* The files of a results directory, each written from the tree. */

#define FILE_NAME "results.json"
#define SCHEMA	  "tgen-results"
#define VERSION	  1
#define BYTES_MAX (1l << 31)
#define MODE	  0644

static int results_json(const cJSON *root, FILE *out)
{
	char *text = cJSON_Print(root);
	int rc = text != NULL && fprintf(out, "%s\n", text) > 0 ? 0 : -ENOMEM;

	cJSON_free(text);
	return rc;
}

const struct results_form results_forms[] = {
	{FILE_NAME, results_json},
	{"junit.xml", results_junit},
	{"metrics.prom", results_prometheus},
	{"report.html", results_html},
};
const unsigned results_nb_forms = sizeof(results_forms) / sizeof(results_forms[0]);

/* ---- writing ---- */

/* The new name is on disk, too, when this returns. */
static void dir_sync(const char *dir)
{
	int fd = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	if (fd < 0)
		return;
	fsync(fd);
	close(fd);
}

static int write_file(const struct results_form *form, const cJSON *root, FILE *f)
{
	int rc;

	errno = 0;
	rc = form->write(root, f);
	if (fflush(f) != 0 || ferror(f) != 0 || fsync(fileno(f)) != 0)
		rc = errno != 0 ? -errno : -EIO;
	if (fclose(f) != 0 && rc == 0)
		rc = -errno;
	return rc;
}

int results_write(
	const char *dir, const struct results_form *form, const cJSON *root, struct err *err)
{
	char *path = NULL, *tmp = NULL;
	FILE *f = NULL;
	int fd = -1, rc = -ENOMEM;

	if (asprintf(&path, "%s/%s", dir, form->file) >= 0 &&
		asprintf(&tmp, "%s/.%s.XXXXXX", dir, form->file) >= 0) {
		fd = mkostemp(tmp, O_CLOEXEC);
		f = fd >= 0 ? fdopen(fd, "w") : NULL;
		rc = f != NULL ? write_file(form, root, f) : -errno;
	}
	if (rc == 0 && (chmod(tmp, MODE) != 0 || rename(tmp, path) != 0))
		rc = -errno;
	if (rc == 0)
		dir_sync(dir);
	else if (fd >= 0)
		unlink(tmp);
	if (rc < 0)
		err_device(err, -rc, "%s/%s cannot be written", dir, form->file);
	free(tmp);
	free(path);
	return rc;
}

int results_write_all(const char *dir, const cJSON *root, struct err *err)
{
	int first = 0;

	for (unsigned i = 0; i < results_nb_forms; i++) {
		struct err why = {0};
		int rc = results_write(dir, &results_forms[i], root, &why);

		if (rc == 0 || first != 0)
			continue;
		first = rc;
		*err = why;
	}
	return first;
}

/* ---- reading ---- */

static char *text_read(const char *path, struct err *err)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	struct stat st;
	char *text = NULL;
	size_t len = 0;

	if (fd < 0 || fstat(fd, &st) != 0) {
		err_usage(err, "%s: %s", path, strerror(errno));
	} else if (!S_ISREG(st.st_mode) || st.st_size > BYTES_MAX) {
		err_usage(err, "%s is not a file of results", path);
	} else {
		text = malloc((size_t)st.st_size + 1);
		while (text != NULL && len < (size_t)st.st_size) {
			ssize_t n = read(fd, text + len, (size_t)st.st_size - len);

			if (n <= 0)
				break;
			len += (size_t)n;
		}
		if (text == NULL)
			err_device(err, ENOMEM, "%s", path);
		else
			text[len] = '\0';
	}
	if (fd >= 0)
		close(fd);
	return text;
}

static const char *unfit(const cJSON *root)
{
	const cJSON *schema = cJSON_GetObjectItemCaseSensitive(root, "schema");
	const cJSON *version = cJSON_GetObjectItemCaseSensitive(root, "version");

	if (!cJSON_IsObject(root))
		return "it is not JSON, or was cut off";
	if (!cJSON_IsString(schema) || strcmp(schema->valuestring, SCHEMA) != 0)
		return "these are no results of tgen run";
	if (!cJSON_IsNumber(version) || version->valueint != VERSION)
		return "it has another version of the schema than this tgen knows (1)";
	if (!cJSON_IsArray(cJSON_GetObjectItemCaseSensitive(root, "tests")))
		return "it has no tests";
	return NULL;
}

cJSON *results_read(const char *path, struct err *err)
{
	struct stat st;
	char *file = NULL, *text;
	const char *why;
	cJSON *root;

	if (stat(path, &st) == 0 && S_ISDIR(st.st_mode) &&
		asprintf(&file, "%s/" FILE_NAME, path) < 0) {
		err_device(err, ENOMEM, "%s", path);
		return NULL;
	}
	text = text_read(file != NULL ? file : path, err);
	root = text != NULL ? cJSON_Parse(text) : NULL;
	why = text != NULL ? unfit(root) : NULL;
	if (why != NULL) {
		err_usage(err, "%s: %s", file != NULL ? file : path, why);
		cJSON_Delete(root);
		root = NULL;
	}
	free(text);
	free(file);
	return root;
}
