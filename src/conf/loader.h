/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "conf_private.h"

/* One file while it is read into a configuration. */
struct loader {
	struct conf *conf;
	const char *path; /* of the file that is read */
	unsigned depth;	  /* 0: the configuration itself, else an included file */
	struct json_doc doc;
	struct err *err;
};

size_t loader_value_at(const struct loader *ld, const cJSON *node);
struct opt_pos loader_value_pos(struct loader *ld, const cJSON *node);
/* `an object`, `a string` …, for messages. */
const char *loader_type_name(const cJSON *node);
/* Gives opt the value of a node, in place of an earlier one. */
int loader_value(struct loader *ld, struct opt_set *set, const struct opt *opt, const cJSON *node);
