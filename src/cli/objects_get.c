/* SPDX-License-Identifier: BSD-3-Clause */
#include "objects_private.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What is looked for among the values that are told. */
struct sought {
	const char *name;
	char *value; /* NULL: not told */
};

static void emit_sought(void *ctx, const char *name, const char *value)
{
	struct sought *sought = ctx;

	if (sought->value == NULL && strcmp(name, sought->name) == 0)
		sought->value = strdup(value);
}

char *object_value(const struct opt_set *obj, const struct opt *opt)
{
	char *text = opt_set_print(obj, opt);

	return text != NULL || opt->dflt == NULL ? text : strdup(opt->dflt);
}

/* Prints one value and nothing else; one that there is not is an empty line. */
static int get_value(struct object_call *call, const struct opt_set *obj, const char *field)
{
	static const char prefix[] = "assumed-";
	bool assumed =
		call->kind->assumed != NULL && strncmp(field, prefix, sizeof(prefix) - 1) == 0;
	struct sought sought = {.name = assumed ? field + sizeof(prefix) - 1 : field};
	const struct opt *opt = object_opt(call, sought.name);

	if (opt == NULL)
		return -EINVAL;
	if (call->kind->assumed != NULL && (assumed || (opt->flags & OPT_READONLY) != 0))
		call->kind->assumed(call->conf, obj, emit_sought, &sought);
	if (sought.value == NULL)
		sought.value = object_value(obj, opt);
	puts(sought.value != NULL ? sought.value : "");
	free(sought.value);
	return object_check_stdout(call);
}

int object_get(struct object_call *call)
{
	const char *name = object_call_names(call), *field;
	const struct opt_set *obj;

	if (name == NULL)
		return err_usage(call->err, "usage: tgen %s get NAME FIELD", call->kind->command);
	field = object_call_named(call, "value-name");
	if (field == NULL && call->argc > 0) {
		field = call->argv[0];
		call->argc--;
		call->argv++;
	}
	if (field == NULL)
		return err_usage(call->err, "get what? usage: tgen %s get %sFIELD",
			call->kind->command, call->kind->single ? "" : "NAME ");
	if (object_call_done(call) != 0)
		return -EINVAL;
	obj = object_find(call, name);
	return obj == NULL ? -EINVAL : get_value(call, obj, field);
}
