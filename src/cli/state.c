/* SPDX-License-Identifier: BSD-3-Clause */
#include "state.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define TMP_MARK    ".tmp." /* as report_save names the file that it writes first */
#define SWEEP_AGE_S 60	    /* a write takes less: what is older was interrupted */

static const char *env_text(const char *name)
{
	const char *text = getenv(name);

	return text != NULL && text[0] != '\0' ? text : NULL;
}

char *cli_state_path(const char *file)
{
	const char *xdg = env_text("XDG_STATE_HOME"), *home = env_text("HOME");
	char *path = NULL;
	int rc = -1;

	/* the XDG base directory specification has relative paths ignored */
	if (xdg != NULL && xdg[0] == '/')
		rc = asprintf(&path, "%s/tgen/%s", xdg, file);
	else if (home != NULL)
		rc = asprintf(&path, "%s/.local/state/tgen/%s", home, file);
	else if (geteuid() == 0)
		rc = asprintf(&path, "/var/lib/tgen/%s", file);
	return rc < 0 ? NULL : path;
}

void cli_state_sweep(const char *path)
{
	const char *base = strrchr(path, '/');
	size_t len = base != NULL ? strlen(++base) : 0;
	char *dir = base != NULL ? strndup(path, (size_t)(base - path)) : NULL;
	DIR *d = dir != NULL ? opendir(dir) : NULL;
	struct dirent *e;
	struct stat st;

	while (d != NULL && (e = readdir(d)) != NULL)
		if (strncmp(e->d_name, base, len) == 0 &&
			strncmp(e->d_name + len, TMP_MARK, strlen(TMP_MARK)) == 0 &&
			fstatat(dirfd(d), e->d_name, &st, AT_SYMLINK_NOFOLLOW) == 0 &&
			S_ISREG(st.st_mode) && st.st_mtime + SWEEP_AGE_S < time(NULL))
			unlinkat(dirfd(d), e->d_name, 0);
	if (d != NULL)
		closedir(d);
	free(dir);
}

int cli_state_parents(const char *path)
{
	char *copy = strdup(path);
	int rc = copy != NULL ? 0 : -ENOMEM;

	for (char *slash = copy != NULL ? strchr(copy + 1, '/') : NULL; rc == 0 && slash != NULL;
		slash = strchr(slash + 1, '/')) {
		*slash = '\0';
		if (mkdir(copy, 0700) < 0 && errno != EEXIST)
			rc = -errno;
		*slash = '/';
	}
	free(copy);
	return rc;
}
