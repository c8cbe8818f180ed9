/* SPDX-License-Identifier: BSD-3-Clause */
#include "writer.h"

#include <errno.h>
#include <libgen.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char *place_name(const struct place *place)
{
	return place->path ? place->path : "standard output";
}

static int place_fail(struct place *place, int errnum, struct err *err)
{
	place->failed = true;
	return err_device(err, errnum, "%s: cannot write the result", place_name(place));
}

/* Pipes and devices cannot be replaced by a rename. */
static bool is_special(const char *path)
{
	struct stat st;

	return stat(path, &st) == 0 && !S_ISREG(st.st_mode);
}

/* Of the directory that path is in; false: there is none. */
static bool stat_directory(const char *path, struct stat *st)
{
	char *copy = strdup(path);
	bool found = copy && stat(dirname(copy), st) == 0;

	free(copy);
	return found;
}

/* The part behind the last slash. */
static const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

bool place_same_file(const char *a, const char *b)
{
	struct stat st_a, st_b;
	bool exists_a = stat(a, &st_a) == 0, exists_b = stat(b, &st_b) == 0;

	if (exists_a != exists_b)
		return false;
	if (!exists_a && (strcmp(base_name(a), base_name(b)) != 0 || !stat_directory(a, &st_a) ||
				 !stat_directory(b, &st_b)))
		return strcmp(a, b) == 0;
	return st_a.st_dev == st_b.st_dev && st_a.st_ino == st_b.st_ino;
}

/* A new file beside path, with the mode that an ordinary new file would have. */
static FILE *open_beside(struct place *place)
{
	mode_t mask = umask(0);
	FILE *file;
	int fd;

	umask(mask);
	if (asprintf(&place->tmp_path, "%s.tmp.XXXXXX", place->path) < 0) {
		place->tmp_path = NULL;
		return NULL;
	}
	fd = mkstemp(place->tmp_path);
	if (fd < 0) {
		free(place->tmp_path);
		place->tmp_path = NULL;
		return NULL;
	}
	file = fchmod(fd, 0666 & ~mask) == 0 ? fdopen(fd, "w") : NULL;
	if (!file)
		close(fd);
	return file;
}

int place_open(struct place *place, struct err *err)
{
	if (place->writer->grows || is_special(place->path))
		place->file = fopen(place->path, "w");
	else
		place->file = open_beside(place);
	if (!place->file)
		return place_fail(place, errno, err);
	return 0;
}

int place_check(struct place *place, int rc, struct err *err)
{
	int errnum = errno;

	if (rc < 0)
		return place_fail(place, -rc, err);
	if (fflush(place->file) != 0)
		return place_fail(place, errno, err);
	/* a write inside the call failed, the rest went out: the result has a hole */
	if (ferror(place->file))
		return place_fail(place, errnum ? errnum : EIO, err);
	return 0;
}

int place_finish(struct place *place, struct err *err)
{
	FILE *file = place->file;

	if (!place->path)
		return 0;
	place->file = NULL;
	if (fclose(file) != 0)
		return place_fail(place, errno, err);
	if (!place->tmp_path)
		return 0;
	if (rename(place->tmp_path, place->path) != 0)
		return place_fail(place, errno, err);
	free(place->tmp_path);
	place->tmp_path = NULL;
	return 0;
}

/* A file that grows and got no line: it says no more than none. */
static void remove_empty(const char *path)
{
	struct stat st;

	if (lstat(path, &st) == 0 && S_ISREG(st.st_mode) && st.st_size == 0)
		unlink(path);
}

void place_close(struct place *place)
{
	if (place->path && place->file) {
		fclose(place->file);
		if (!place->tmp_path)
			remove_empty(place->path);
	}
	if (place->tmp_path)
		unlink(place->tmp_path);
	free(place->tmp_path);
	free(place->path);
	place->file = NULL;
	place->tmp_path = NULL;
	place->path = NULL;
}
