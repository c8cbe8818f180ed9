/* SPDX-License-Identifier: BSD-3-Clause */
#include "tgen/conf.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define FILE_NAME "tgen.json"
#define NB_PLACES 3

static const char *env_text(const char *name)
{
	const char *text = getenv(name);

	return text != NULL && text[0] != '\0' ? text : NULL;
}

/* The places searched when no file was named, first to last; false: no memory. */
static bool list_places(char *places[NB_PLACES])
{
	const char *xdg = env_text("XDG_CONFIG_HOME"), *home = env_text("HOME");
	int rc = 0;

	places[0] = strdup(FILE_NAME);
	if (xdg != NULL)
		rc = asprintf(&places[1], "%s/tgen/" FILE_NAME, xdg);
	else if (home != NULL)
		rc = asprintf(&places[1], "%s/.config/tgen/" FILE_NAME, home);
	if (rc < 0)
		places[1] = NULL;
	places[2] = strdup(TGEN_SYSCONFDIR "/tgen/" FILE_NAME);
	return places[0] != NULL && rc >= 0 && places[2] != NULL;
}

/* A file named by the user is the one, there or not. */
static char *take_named(const char *path, const char *where, bool must_exist, struct err *err)
{
	char *copy;
	struct stat st;

	if (path[0] == '\0') {
		err_usage(err, "%s: the name of the file is missing", where);
		return NULL;
	}
	/* one that is a link to nothing is told by its reader */
	if (must_exist && lstat(path, &st) != 0) {
		err_usage(err, "no configuration file %s (%s): %s", path, where,
			strerrordesc_np(errno));
		return NULL;
	}
	copy = strdup(path);
	if (copy == NULL)
		err_device(err, ENOMEM, "%s", path);
	return copy;
}

char *conf_path_find(const char *explicit_path, bool must_exist, struct err *err)
{
	const char *from_env = env_text("TGEN_CONFIG");
	char *places[NB_PLACES] = {NULL}, *found = NULL;

	if (explicit_path != NULL)
		return take_named(explicit_path, "--config", must_exist, err);
	if (from_env != NULL)
		return take_named(from_env, "$TGEN_CONFIG", must_exist, err);

	if (!list_places(places)) {
		err_device(err, ENOMEM, FILE_NAME);
		goto out;
	}
	for (unsigned i = 0; i < NB_PLACES && found == NULL; i++) {
		if (places[i] != NULL && access(places[i], F_OK) == 0) {
			found = places[i];
			places[i] = NULL;
		}
	}
	if (found == NULL && !must_exist) {
		found = places[0];
		places[0] = NULL;
	}
	if (found == NULL)
		err_usage(err, "no configuration file: tried %s%s%s and %s; name one with --config",
			places[0], places[1] != NULL ? ", " : "",
			places[1] != NULL ? places[1] : "", places[2]);
out:
	for (unsigned i = 0; i < NB_PLACES; i++)
		free(places[i]);
	return found;
}
