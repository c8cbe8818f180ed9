/* SPDX-License-Identifier: BSD-3-Clause */
#include "journal.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#define FILE_NAME "trials.jsonl"
#define KIND	  "tgen-run"
#define VERSION	  1
#define BYTES_MAX (1ll << 31)

struct record {
	cJSON *line;
	bool taken;
};

struct journal {
	char *path;
	int fd;
	struct record *records;
	unsigned nb;
};

static char *file_path(const char *dir)
{
	char *path = NULL;

	return asprintf(&path, "%s/" FILE_NAME, dir) < 0 ? NULL : path;
}

static int no_memory(struct err *err)
{
	return err_device(err, ENOMEM, FILE_NAME);
}

/* ---- reading ---- */

static const char *text_of(const cJSON *object, const char *key)
{
	return cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(object, key));
}

/* The lines that end with a newline; *whole: bytes of them. What is behind was cut off in writing. */
static char *lines_read(int fd, const char *path, size_t *whole, struct err *err)
{
	struct stat st;
	size_t len = 0;
	char *text;

	if (fstat(fd, &st) != 0 || st.st_size > BYTES_MAX) {
		err_device(err, st.st_size > BYTES_MAX ? EFBIG : errno, "%s", path);
		return NULL;
	}
	text = malloc((size_t)st.st_size + 1);
	while (text != NULL && len < (size_t)st.st_size) {
		ssize_t n = pread(fd, text + len, (size_t)st.st_size - len, (off_t)len);

		if (n <= 0) {
			err_device(err, n < 0 ? errno : EIO, "%s", path);
			free(text);
			return NULL;
		}
		len += (size_t)n;
	}
	if (text == NULL) {
		no_memory(err);
		return NULL;
	}
	while (len > 0 && text[len - 1] != '\n')
		len--;
	text[len] = '\0';
	*whole = len;
	return text;
}

static int line_add(struct journal *journal, const char *line, unsigned nr, struct err *err)
{
	struct record *records =
		realloc(journal->records, (journal->nb + 1) * sizeof(*journal->records));
	cJSON *node;

	if (records == NULL)
		return no_memory(err);
	journal->records = records;
	node = cJSON_Parse(line);
	if (!cJSON_IsObject(node)) {
		cJSON_Delete(node);
		return err_usage(err, "%s:%u: not a line of a journal of tgen", journal->path, nr);
	}
	records[journal->nb++] = (struct record){.line = node};
	return 0;
}

static int lines_parse(struct journal *journal, char *text, struct err *err)
{
	unsigned nr = 0;
	char *line;
	int rc = 0;

	while (rc == 0 && (line = strsep(&text, "\n")) != NULL) {
		nr++;
		if (line[0] != '\0')
			rc = line_add(journal, line, nr, err);
	}
	if (rc == 0 && journal->nb == 0)
		rc = err_usage(err, "%s is empty: nothing was begun there", journal->path);
	if (rc == 0 && (text_of(journal->records[0].line, "journal") == NULL ||
			       strcmp(text_of(journal->records[0].line, "journal"), KIND) != 0))
		rc = err_usage(err, "%s:1: not the journal of a run of tgen", journal->path);
	return rc;
}

static int journal_read(struct journal *journal, struct err *err)
{
	size_t whole = 0;
	char *text = lines_read(journal->fd, journal->path, &whole, err);
	int rc = text != NULL ? lines_parse(journal, text, err) : -EIO;

	free(text);
	/* half a line would spoil the next one */
	if (rc == 0 && ftruncate(journal->fd, (off_t)whole) != 0)
		rc = err_device(err, errno, "%s", journal->path);
	return rc;
}

cJSON *journal_header(const char *dir, struct err *err)
{
	struct journal journal = {.path = file_path(dir), .fd = -1};
	cJSON *header = NULL;
	size_t whole = 0;
	char *text = NULL;

	if (journal.path == NULL) {
		no_memory(err);
		return NULL;
	}
	journal.fd = open(journal.path, O_RDONLY | O_CLOEXEC);
	if (journal.fd < 0)
		err_usage(err, "%s: %s; --resume takes the directory of a run that was cut off",
			journal.path, strerror(errno));
	else
		text = lines_read(journal.fd, journal.path, &whole, err);
	if (text != NULL) {
		text[strcspn(text, "\n")] = '\0';
		if (lines_parse(&journal, text, err) == 0) {
			header = journal.records[0].line;
			journal.records[0].line = NULL;
		}
	}
	free(text);
	if (journal.fd >= 0)
		close(journal.fd);
	for (unsigned i = 0; i < journal.nb; i++)
		cJSON_Delete(journal.records[i].line);
	free(journal.records);
	free(journal.path);
	return header;
}

/* ---- writing ---- */

static int line_write(struct journal *journal, const cJSON *node, struct err *err)
{
	char *text = cJSON_PrintUnformatted(node);
	off_t end = lseek(journal->fd, 0, SEEK_END);
	size_t len, done = 0;

	if (text == NULL)
		return no_memory(err);
	len = strlen(text);
	text[len++] = '\n';
	while (done < len) {
		ssize_t n = write(journal->fd, text + done, len - done);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			break;
		done += (size_t)n;
	}
	cJSON_free(text);
	if (done == len && fsync(journal->fd) == 0)
		return 0;
	err_device(err, errno != 0 ? errno : EIO,
		"%s: the last trial could not be written; those before it are there, and --resume "
		"goes on behind them",
		journal->path);
	/* half a line is none */
	if (ftruncate(journal->fd, end) != 0)
		return -EIO;
	return -EIO;
}

static int same_configuration(const struct journal *journal, const cJSON *header, struct err *err)
{
	const cJSON *then =
		cJSON_GetObjectItemCaseSensitive(journal->records[0].line, "configuration");
	const cJSON *now = cJSON_GetObjectItemCaseSensitive(header, "configuration"), *file;

	cJSON_ArrayForEach(file, now)
	{
		const cJSON *other = cJSON_GetObjectItemCaseSensitive(then, file->string);

		if (!cJSON_Compare(file, other, true))
			return err_usage(err,
				"%s is not what it was when this run began: what was measured "
				"then would be mixed with something else; begin a new run",
				file->string);
	}
	if (cJSON_GetArraySize(then) != cJSON_GetArraySize(now))
		return err_usage(err, "the configuration has not the files it had when this run "
				      "began; begin a new "
				      "run");
	return 0;
}

struct journal *journal_open(const char *dir, const cJSON *header, bool resume, struct err *err)
{
	struct journal *journal = calloc(1, sizeof(*journal));
	int rc = 0;

	if (journal == NULL || (journal->path = file_path(dir)) == NULL) {
		free(journal);
		no_memory(err);
		return NULL;
	}
	journal->fd = open(journal->path,
		O_RDWR | O_APPEND | O_CLOEXEC | (resume ? 0 : O_CREAT | O_EXCL), 0644);
	if (journal->fd < 0)
		rc = err_device(err, errno, "%s", journal->path);
	else if (flock(journal->fd, LOCK_EX | LOCK_NB) != 0)
		rc = err_usage(err, "%s: another tgen writes its results there", dir);
	if (rc == 0 && resume) {
		rc = journal_read(journal, err);
		if (rc == 0)
			rc = same_configuration(journal, header, err);
	} else if (rc == 0) {
		rc = line_write(journal, header, err);
	}
	if (rc < 0) {
		journal_close(journal);
		return NULL;
	}
	return journal;
}

static bool same_text(const char *a, const char *b)
{
	return a == b || (a != NULL && b != NULL && strcmp(a, b) == 0);
}

static bool is_of(const cJSON *line, const struct journal_key *key)
{
	const cJSON *repeat = cJSON_GetObjectItemCaseSensitive(line, "repeat");

	return same_text(text_of(line, "test"), key->test) &&
	       same_text(text_of(line, "variant"), key->variant) &&
	       same_text(text_of(line, "frame-size"), key->frame_size) && cJSON_IsNumber(repeat) &&
	       repeat->valueint == (int)key->repeat;
}

const cJSON *journal_take(struct journal *journal, const struct journal_key *key)
{
	for (unsigned i = 1; i < journal->nb; i++) {
		struct record *r = &journal->records[i];
		const cJSON *trial = cJSON_GetObjectItemCaseSensitive(r->line, "trial");

		if (r->taken || trial == NULL || !is_of(r->line, key))
			continue;
		r->taken = true;
		if (!same_text(text_of(trial, "purpose"), "warm-up"))
			return trial;
	}
	return NULL;
}

unsigned journal_nb(const struct journal *journal)
{
	return journal->nb > 0 ? journal->nb - 1 : 0;
}

int journal_add(
	struct journal *journal, const struct journal_key *key, const cJSON *trial, struct err *err)
{
	cJSON *line = cJSON_CreateObject();
	int rc;

	cJSON_AddStringToObject(line, "test", key->test);
	if (key->variant != NULL)
		cJSON_AddStringToObject(line, "variant", key->variant);
	if (key->frame_size != NULL)
		cJSON_AddStringToObject(line, "frame-size", key->frame_size);
	cJSON_AddNumberToObject(line, "repeat", key->repeat);
	rc = cJSON_AddItemReferenceToObject(line, "trial", (cJSON *)(uintptr_t)trial)
		     ? line_write(journal, line, err)
		     : no_memory(err);
	cJSON_Delete(line);
	return rc;
}

void journal_close(struct journal *journal)
{
	if (journal == NULL)
		return;
	if (journal->fd >= 0)
		close(journal->fd);
	for (unsigned i = 0; i < journal->nb; i++)
		cJSON_Delete(journal->records[i].line);
	free(journal->records);
	free(journal->path);
	free(journal);
}
