/* SPDX-License-Identifier: BSD-3-Clause */
#include "conf_private.h"

#include <stdlib.h>

int conf_save(struct conf *conf, struct err *err)
{
	size_t len;
	char *text = json_write(conf->root, &len);
	int rc;

	if (text == NULL)
		return conf_no_memory(err);
	rc = file_replace(conf->path, text, len, &conf->state, conf->lock_fd, err);
	free(text);
	return rc;
}
