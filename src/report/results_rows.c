/* SPDX-License-Identifier: BSD-3-Clause */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tgen/results.h"
#include "tgen/units.h"
#include "value.h"

/* rows.csv and rows.jsonl: every interval of every trial, written as it comes. */

struct results_rows {
	FILE *csv, *jsonl;
	char *csv_path, *jsonl_path;
	char test[128], variant[128], size[256];
	unsigned repeat, trial;
};

/* Opens to append; half a line at the end, of a run that was killed, goes. *fresh: it is empty. */
static FILE *open_lines(const char *path, bool *fresh, struct err *err)
{
	int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0644);
	off_t end = fd >= 0 ? lseek(fd, 0, SEEK_END) : -1;
	char last = '\n';
	FILE *f;

	while (end > 0 && pread(fd, &last, 1, end - 1) == 1 && last != '\n')
		end--;
	if (fd < 0 || end < 0 || ftruncate(fd, end) != 0 || lseek(fd, end, SEEK_SET) != end ||
		(f = fdopen(fd, "w")) == NULL) {
		err_device(err, errno, "%s", path);
		if (fd >= 0)
			close(fd);
		return NULL;
	}
	*fresh = end == 0;
	return f;
}

static void header_write(FILE *f)
{
	fputs("test,variant,frame-size,repeat,trial,seq,stream", f);
	for (unsigned i = 0; i < metric_nb; i++)
		fprintf(f, ",%s", metric_table[i].name);
	fputc('\n', f);
}

struct results_rows *results_rows_open(const char *dir, struct err *err)
{
	struct results_rows *r = calloc(1, sizeof(*r));
	bool fresh = false, other;

	if (r == NULL || asprintf(&r->csv_path, "%s/rows.csv", dir) < 0 ||
		asprintf(&r->jsonl_path, "%s/rows.jsonl", dir) < 0) {
		err_device(err, ENOMEM, "%s", dir);
		free(r);
		return NULL;
	}
	r->csv = open_lines(r->csv_path, &fresh, err);
	if (r->csv != NULL)
		r->jsonl = open_lines(r->jsonl_path, &other, err);
	if (r->csv == NULL || r->jsonl == NULL) {
		results_rows_close(r, &(struct err){0});
		return NULL;
	}
	if (fresh)
		header_write(r->csv);
	return r;
}

void results_rows_trial(struct results_rows *r, const char *test, const char *variant,
	const char *frame_size, unsigned repeat, unsigned trial)
{
	snprintf(r->test, sizeof(r->test), "%s", test);
	snprintf(r->variant, sizeof(r->variant), "%s", variant != NULL ? variant : "");
	snprintf(r->size, sizeof(r->size), "%s", frame_size != NULL ? frame_size : "");
	r->repeat = repeat;
	r->trial = trial;
}

static const char *stream_name(const struct result_info *info, const struct result_row *row)
{
	return row->stream == RESULT_TOT ? "" : info->streams[row->stream].name;
}

static void csv_row(
	struct results_rows *r, const struct result_info *info, const struct result_row *row)
{
	/* names and sizes hold no commas or quotes: OPT_NAME, OPT_SIZES */
	fprintf(r->csv, "%s,%s,%s,%u,%u,%u,%s", r->test, r->variant, r->size, r->repeat, r->trial,
		row->seq, stream_name(info, row));
	for (unsigned i = 0; i < metric_nb; i++) {
		char text[UNITS_TEXT_MAX];

		fprintf(r->csv, ",%s", value_plain(text, &metric_table[i], row, info));
	}
	fputc('\n', r->csv);
}

static void jsonl_row(
	struct results_rows *r, const struct result_info *info, const struct result_row *row)
{
	fprintf(r->jsonl,
		"{\"test\":\"%s\",\"variant\":\"%s\",\"frame-size\":\"%s\",\"repeat\":%u,\"trial\":"
		"%u,"
		"\"seq\":%u,\"stream\":\"%s\"",
		r->test, r->variant, r->size, r->repeat, r->trial, row->seq,
		stream_name(info, row));
	for (unsigned i = 0; i < metric_nb; i++) {
		char text[UNITS_TEXT_MAX];
		const char *value = value_plain(text, &metric_table[i], row, info);

		const char *quote = value[0] == 'i' ? "\"" : ""; /* inf is no number of JSON */

		fprintf(r->jsonl, ",\"%s\":%s%s%s", metric_table[i].name, quote,
			value[0] != '\0' ? value : "null", quote);
	}
	fputs("}\n", r->jsonl);
}

/* What was written is on its way; an error names the file. */
static int flush(FILE *f, const char *path, struct err *err)
{
	if (fflush(f) == 0 && ferror(f) == 0)
		return 0;
	return err_device(err, errno != 0 ? errno : EIO,
		"%s: the rows cannot be written; trials that are over are kept, and --resume goes "
		"on",
		path);
}

int results_rows_add(struct results_rows *r, const struct result_info *info,
	const struct result_row *rows, unsigned nb, struct err *err)
{
	int rc;

	errno = 0;
	for (unsigned i = 0; i < nb; i++) {
		csv_row(r, info, &rows[i]);
		jsonl_row(r, info, &rows[i]);
	}
	rc = flush(r->csv, r->csv_path, err);
	return rc == 0 ? flush(r->jsonl, r->jsonl_path, err) : rc;
}

static int close_one(FILE *f, const char *path, struct err *err)
{
	if (f == NULL || fclose(f) == 0)
		return 0;
	return err_device(err, errno, "%s: the rows cannot be written", path);
}

int results_rows_close(struct results_rows *r, struct err *err)
{
	int rc, other;

	if (r == NULL)
		return 0;
	rc = close_one(r->csv, r->csv_path, err);
	other = close_one(r->jsonl, r->jsonl_path, rc == 0 ? err : &(struct err){0});
	free(r->csv_path);
	free(r->jsonl_path);
	free(r);
	return rc != 0 ? rc : other;
}
