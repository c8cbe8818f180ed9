/* SPDX-License-Identifier: BSD-3-Clause */
#include "objects_private.h"
#include "script.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* One line for the console that makes an object, or sets the single one. */
static int export_line(const struct object_call *call, const struct opt_set *obj)
{
	if (call->kind->single && obj->nb_slots == 0)
		return 0;
	fputs(call->kind->single ? "set" : "add", stdout);
	for (unsigned i = 0; i < obj->nb_slots; i++) {
		char *text = opt_set_print(obj, obj->slots[i].opt);

		if (text == NULL)
			return err_device(call->err, ENOMEM, "export");
		printf(" %s=", obj->slots[i].opt->name);
		script_quote(stdout, text);
		free(text);
	}
	fputc('\n', stdout);
	return 0;
}

static int export_kind(const struct object_call *call, const char *names)
{
	unsigned nb = conf_nb(call->conf, call->kind->key);
	bool titled = false;
	int rc = 0;

	for (unsigned i = 0; rc == 0 && i < nb; i++) {
		const struct opt_set *obj = conf_at(call->conf, call->kind->key, i);

		if (!call->kind->single && !object_is_meant(names, object_name(call, i)))
			continue;
		if (!titled && (!call->kind->single || obj->nb_slots > 0)) {
			printf("/tool traffic-generator%s%s\n", call->kind->single ? "" : " ",
				call->kind->single ? "" : call->kind->command);
			titled = true;
		}
		rc = export_line(call, obj);
	}
	return rc;
}

int object_export(struct object_call *call)
{
	const char *names = call->kind->single ? NULL : object_call_names(call);
	int rc = object_call_done(call);

	if (rc == 0)
		rc = object_check_names(call, names);
	if (rc == 0)
		rc = export_kind(call, names);
	return rc != 0 ? rc : object_check_stdout(call);
}

/* The comment of the file is no object's: no command would set it, so it stays a comment. */
static void export_comment(const char *text)
{
	for (bool more = text != NULL; more;) {
		size_t len = strcspn(text, "\r\n");

		printf("# %.*s\n", (int)len, text);
		text += len;
		more = *text != '\0';
		text += more;
	}
}

int cli_objects_export(const char *config, struct err *err)
{
	struct object_call call = {.err = err};
	char *path = conf_path_find(config, true, err);
	int rc = 0;

	if (path == NULL)
		return -EINVAL;
	call.conf = conf_load(path, cli_conf_kinds, cli_nb_conf_kinds, false, err);
	free(path);
	if (call.conf == NULL)
		return -EINVAL;
	export_comment(conf_comment(call.conf));
	for (unsigned i = 0; rc == 0 && i < cli_nb_object_kinds; i++) {
		call.kind = cli_object_kinds[i];
		rc = export_kind(&call, NULL);
	}
	if (rc == 0)
		rc = object_check_stdout(&call);
	conf_free(call.conf);
	return rc;
}
