/* SPDX-License-Identifier: BSD-3-Clause */
#include "state.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

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
