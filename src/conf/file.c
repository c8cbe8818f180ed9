/* SPDX-License-Identifier: BSD-3-Clause */
#include "conf_private.h"

#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

#define MAX_BYTES (64u << 20)
#define NEW_MODE  0644

static void take_state(struct file_state *state, const struct stat *st)
{
	*state = (struct file_state){true, st->st_dev, st->st_ino, st->st_size, st->st_mtim};
}

static bool same_state(const struct file_state *state, const struct stat *st)
{
	return state->dev == st->st_dev && state->ino == st->st_ino && state->size == st->st_size &&
	       state->mtime.tv_sec == st->st_mtim.tv_sec &&
	       state->mtime.tv_nsec == st->st_mtim.tv_nsec;
}

static int read_all(int fd, const char *path, char **text, size_t *len, struct err *err)
{
	size_t room = 1u << 14;
	ssize_t n;

	*len = 0;
	for (;;) {
		char *grown = realloc(*text, room + 1);

		if (grown == NULL)
			return conf_no_memory(err);
		*text = grown;
		while (*len < room && (n = read(fd, *text + *len, room - *len)) != 0) {
			if (n < 0 && errno == EINTR)
				continue;
			if (n < 0)
				return err_device(err, errno, "cannot read %s", path);
			*len += (size_t)n;
		}
		if (*len > MAX_BYTES)
			return err_usage(err, "%s is larger than %u MiB", path, MAX_BYTES >> 20);
		if (*len < room)
			break;
		room *= 2;
	}
	(*text)[*len] = '\0';
	return 0;
}

static bool file_is_link(const char *path)
{
	struct stat st;

	return lstat(path, &st) == 0 && S_ISLNK(st.st_mode);
}

int file_read(const char *path, bool may_be_absent, char **text, size_t *len,
	struct file_state *state, struct err *err)
{
	struct stat st;
	int fd, rc;

	*text = NULL;
	*len = 0;
	*state = (struct file_state){0};
	/* O_NONBLOCK: a FIFO is refused, not waited for */
	fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	if (fd < 0 && errno == ENOENT && file_is_link(path))
		return err_usage(
			err, "%s is a link to no file: make the file or remove the link", path);
	if (fd < 0 && errno == ENOENT && may_be_absent)
		return 0;
	if (fd < 0)
		return err_usage(err, "cannot open %s: %s", path, strerrordesc_np(errno));
	if (fstat(fd, &st) != 0) {
		rc = err_device(err, errno, "cannot read %s", path);
		goto out;
	}
	if (!S_ISREG(st.st_mode)) {
		rc = err_usage(err, "cannot open %s: it is %s", path,
			S_ISDIR(st.st_mode) ? "a directory" : "not a plain file");
		goto out;
	}
	take_state(state, &st);
	rc = read_all(fd, path, text, len, err);
out:
	close(fd);
	if (rc != 0) {
		free(*text);
		*text = NULL;
	}
	return rc;
}

/* The file that path means, links followed; it need not be there. NULL and errno. Caller frees. */
static char *resolve(const char *path)
{
	char *copy, *dir = NULL, *target = realpath(path, NULL);

	if (target != NULL || errno != ENOENT)
		return target;
	/* A link to nothing. A file that is there after all has come since: check_unchanged tells. */
	if (file_is_link(path)) {
		errno = ENOENT;
		return NULL;
	}
	copy = strdup(path);
	if (copy == NULL)
		return NULL;
	dir = realpath(dirname(copy), NULL);
	free(copy);
	copy = dir == NULL ? NULL : strdup(path);
	if (copy != NULL && asprintf(&target, "%s/%s", dir, basename(copy)) < 0)
		target = NULL;
	free(copy);
	free(dir);
	return target;
}

/* Fails unless the file is as it was when it was read; fills st when it is there. */
static int check_unchanged(const char *path, const char *target, const struct file_state *state,
	struct stat *st, struct err *err)
{
	bool exists = stat(target, st) == 0;

	if (!exists && errno != ENOENT)
		return err_device(err, errno, "cannot write %s", path);
	if (exists != state->exists || (exists && !same_state(state, st)))
		return err_usage(err,
			"%s was changed by someone else meanwhile; nothing is written, try again",
			path);
	if (exists && !S_ISREG(st->st_mode))
		return err_usage(err, "cannot write %s: it is not a plain file", path);
	return 0;
}

/* Gives the new file the owner and mode of the old one (st), or those of a new file. */
static int set_owner_mode(int fd, const struct stat *old, bool exists)
{
	struct stat st;
	mode_t mask;

	if (!exists) {
		mask = umask(0);
		umask(mask);
		return fchmod(fd, NEW_MODE & ~mask);
	}
	if (fstat(fd, &st) != 0)
		return -1;
	if ((st.st_uid != old->st_uid || st.st_gid != old->st_gid) &&
		fchown(fd, old->st_uid, old->st_gid) != 0)
		return -1;
	return fchmod(fd, old->st_mode & 07777);
}

static int write_all(int fd, const char *text, size_t len)
{
	while (len > 0) {
		ssize_t n = write(fd, text, len);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -1;
		text += n;
		len -= (size_t)n;
	}
	return fsync(fd);
}

/* Writes tmp, an open new file, and puts it in the place of target. 0 or -1 with errno. */
static int write_and_rename(int fd, const char *tmp, const char *target, const struct stat *old,
	bool exists, const char *text, size_t len)
{
	if (set_owner_mode(fd, old, exists) != 0 || write_all(fd, text, len) != 0)
		return -1;
	return rename(tmp, target);
}

/* The directory of a file; -1 and errno. */
static int open_dir(const char *target)
{
	char *copy = strdup(target);
	int fd = copy == NULL ? -1 : open(dirname(copy), O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	free(copy);
	return fd;
}

int file_lock(const char *path)
{
	char *target = resolve(path);
	int fd = target == NULL ? -1 : open_dir(target);

	free(target);
	if (fd >= 0 && flock(fd, LOCK_EX) != 0) {
		close(fd);
		return -1;
	}
	return fd;
}

int file_replace(const char *path, const char *text, size_t len, struct file_state *state,
	int lock_fd, struct err *err)
{
	char *target = resolve(path), *tmp = NULL;
	int dir_fd = -1, fd = -1, rc = -1;
	struct stat st;

	if (target == NULL)
		goto out;
	if (asprintf(&tmp, "%s.XXXXXX", target) < 0) {
		tmp = NULL;
		goto out;
	}
	dir_fd = open_dir(target);
	if (dir_fd < 0)
		goto out;
	/* Two that edit at once: the second waits here and then finds the file changed. Where there
	 * are no locks the check alone has to do. */
	if (lock_fd < 0)
		(void)flock(dir_fd, LOCK_EX);
	rc = check_unchanged(path, target, state, &st, err);
	if (rc != 0)
		goto out_told;
	rc = -1;
	fd = mkostemp(tmp, O_CLOEXEC);
	if (fd < 0)
		goto out;
	rc = write_and_rename(fd, tmp, target, &st, state->exists, text, len);
	if (rc != 0) {
		int saved = errno;

		unlink(tmp);
		errno = saved;
		goto out;
	}
	rc = fsync(dir_fd);
	if (rc != 0 && errno == EINVAL) /* a file system whose directories cannot be synced */
		rc = 0;
	if (rc == 0)
		rc = fstat(fd, &st);
	if (rc == 0)
		take_state(state, &st);
out:
	if (rc != 0)
		rc = err_device(err, errno, "cannot write %s", path);
out_told:
	if (fd >= 0)
		close(fd);
	if (dir_fd >= 0)
		close(dir_fd);
	free(tmp);
	free(target);
	return rc;
}
