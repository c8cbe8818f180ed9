/* SPDX-License-Identifier: BSD-3-Clause */
#include "run_dir.h"

#include "state.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

char *run_dir_path(const char *file)
{
	const char *dir = getenv("TGEN_RUN_DIR");
	char *path = NULL, name[64];
	int rc;

	if (dir != NULL && dir[0] != '\0')
		rc = asprintf(&path, "%s/%s", dir, file);
	else if (geteuid() == 0)
		rc = asprintf(&path, "/run/tgen/%s", file);
	else
		rc = snprintf(name, sizeof(name), "run/%s", file) > 0 ? 0 : -1;
	if (rc < 0)
		return NULL;
	return path != NULL ? path : cli_state_path(name);
}

/* ---- the lock ---- */

static struct flock whole_file(short type)
{
	return (struct flock){.l_type = type, .l_whence = SEEK_SET};
}

/* Asks without taking: a look must not refuse a start of the same moment. */
static bool is_locked(const char *path)
{
	struct flock lock = whole_file(F_WRLCK);
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	bool locked = fd >= 0 && fcntl(fd, F_OFD_GETLK, &lock) == 0 && lock.l_type != F_UNLCK;

	if (fd >= 0)
		close(fd);
	return locked;
}

bool cli_run_is_running(pid_t *pid)
{
	char *path = run_dir_path(RUN_PID);
	bool running = path != NULL && is_locked(path);
	struct run_pid run = {0};

	if (running)
		run_dir_read_pid(&run);
	*pid = run.pid;
	free(path);
	return running;
}

/* Ours alone: who can write here could have us overwrite or kill. */
static int directory_check(const char *path, struct err *err)
{
	char *dir = strdup(path);
	struct stat st;
	int rc = 0;

	if (dir == NULL)
		return err_device(err, ENOMEM, "%s", path);
	*strrchr(dir, '/') = '\0';
	if (stat(dir, &st) < 0)
		rc = err_device(err, errno, "%s", dir);
	else if (!S_ISDIR(st.st_mode))
		rc = err_device(err, 0,
			"%s: the run directory is no directory: name one in TGEN_RUN_DIR", dir);
	else if (st.st_uid != geteuid())
		rc = err_device(err, 0,
			"%s: the run directory belongs to another user: name one of your own in "
			"TGEN_RUN_DIR",
			dir);
	else if ((st.st_mode & 022) != 0)
		rc = err_device(err, 0,
			"%s: others can write the run directory: chmod 700 it, or name another one "
			"in TGEN_RUN_DIR",
			dir);
	free(dir);
	return rc;
}

static int running_error(struct err *err)
{
	struct run_pid run = {0};

	run_dir_read_pid(&run);
	return err_usage(err,
		"a run is going on (pid %d): end it with tgen stop, or give this one a run "
		"directory "
		"of its own (TGEN_RUN_DIR)",
		(int)run.pid);
}

static int lock_take(const char *path, struct err *err)
{
	struct flock lock = whole_file(F_WRLCK);
	int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);

	if (fd < 0)
		return err_device(err, errno, "%s", path);
	/* of the open file, not of the process: it goes on to the child */
	if (fcntl(fd, F_OFD_SETLK, &lock) == 0) {
		if (ftruncate(fd, 0) == 0)
			return fd;
		err_device(err, errno, "%s", path);
	} else if (errno == EAGAIN || errno == EACCES) {
		running_error(err);
	} else {
		err_device(err, errno, "%s: lock", path);
	}
	close(fd);
	return -EBUSY;
}

int run_dir_lock(struct err *err)
{
	char *path = run_dir_path(RUN_PID);
	int rc;

	if (path == NULL)
		return err_device(err, 0,
			"no place for the files of the run: name a directory in TGEN_RUN_DIR");
	rc = cli_state_parents(path);
	if (rc < 0)
		rc = err_device(err, -rc, "%s: the run directory cannot be made", path);
	if (rc == 0)
		rc = directory_check(path, err);
	if (rc == 0)
		rc = lock_take(path, err);
	free(path);
	return rc;
}

int run_dir_write_pid(int lock, const struct run_pid *run)
{
	char text[64];
	int len = snprintf(text, sizeof(text), "%d %" PRIu64 " %4d\n", (int)run->pid, run->drain_ns,
		run->status);

	return pwrite(lock, text, (size_t)len, 0) == len ? 0 : -EIO;
}

bool run_dir_read_pid(struct run_pid *run)
{
	char *text = run_dir_read(RUN_PID);
	int pid = 0;
	bool ok = text != NULL && strchr(text, '\n') != NULL &&
		  sscanf(text, "%d %" SCNu64 " %d", &pid, &run->drain_ns, &run->status) == 3 &&
		  pid > 0;

	run->pid = ok ? pid : 0;
	free(text);
	return ok;
}

/* ---- small files ---- */

char *run_dir_read(const char *file)
{
	char *path = run_dir_path(file), *text = NULL;
	FILE *in = path != NULL ? fopen(path, "re") : NULL;
	size_t size = 0;

	free(path);
	if (in == NULL)
		return NULL;
	if (getdelim(&text, &size, '\0', in) < 0) {
		free(text);
		text = feof(in) ? strdup("") : NULL; /* it is empty */
	}
	fclose(in);
	return text;
}

int run_dir_write(const char *file, const char *text)
{
	char *path = run_dir_path(file);
	int fd = path != NULL ? open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600) : -1;
	ssize_t len = (ssize_t)strlen(text);
	int rc = fd >= 0 && write(fd, text, (size_t)len) == len ? 0 : -EIO;

	if (fd >= 0)
		close(fd);
	free(path);
	return rc;
}

void run_dir_remove(const char *file)
{
	char *path = run_dir_path(file);

	if (path != NULL)
		unlink(path);
	free(path);
}
