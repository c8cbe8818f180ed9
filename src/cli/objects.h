/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <stdbool.h>

#include "tgen/conf.h"

/* A kind of object that commands add, change and show: `tgen packet-template add name=…`. */
struct cli_object_kind {
	const char *command;	     /* `packet-template` */
	const char *key;	     /* of the list in the file; in cli_conf_kinds */
	const struct opt_menu *menu; /* as in cli_conf_kinds */
	bool single;		     /* one object without a name, as in cli_conf_kinds */
	/*
	 * Calls emit for each value that will be used where the user gave none; name without
	 * `assumed-`. The value of an OPT_READONLY option is told the same way. NULL: there are
	 * none.
	 */
	void (*assumed)(const struct conf *conf, const struct opt_set *obj,
		void (*emit)(void *ctx, const char *name, const char *value), void *ctx);
	/* Words of a packet-template that hold names of such objects; ends with NULL. */
	const char *named_by[4];
};

/* What the file may hold. */
extern const struct conf_kind cli_conf_kinds[];
extern const unsigned cli_nb_conf_kinds;

extern const struct cli_object_kind cli_packet_template;
extern const struct cli_object_kind cli_port;
extern const struct cli_object_kind cli_raw_packet_template;
extern const struct cli_object_kind cli_stream;
extern const struct cli_object_kind cli_settings;

/* All of them, in the order in which a script makes them. */
extern const struct cli_object_kind *const cli_object_kinds[];
extern const unsigned cli_nb_object_kinds;
/* By command; NULL: there is none. */
const struct cli_object_kind *cli_object_kind_find(const char *command);

/*
 * One command on the objects of a kind. argv: the verb and its words. config: the file the user
 * named, or NULL. A failing command leaves the file as it was.
 */
int cli_objects(const struct cli_object_kind *kind, const char *config, int argc, char **argv,
	struct err *err);

/*
 * The names of the objects that have all values given (words `name=value`; none: of all objects) as
 * a comma list; empty when there is none, or no file. Caller frees; NULL with err.
 */
char *cli_objects_find(const struct cli_object_kind *kind, const char *config, int argc,
	char **argv, struct err *err);

/* Prints the whole configuration as a script for the console. */
int cli_objects_export(const char *config, struct err *err);

/*
 * The i-th verb of a kind for help and reference: its name, the words that follow, one sentence.
 * False beyond the last.
 */
bool cli_objects_verb(const struct cli_object_kind *kind, unsigned i, const char **verb,
	const char **words, const char **help);

/* Assumed values of a packet-template, as cli_object_kind.assumed. */
void cli_assumed_packet_template(const struct conf *conf, const struct opt_set *tmpl,
	void (*emit)(void *ctx, const char *name, const char *value), void *ctx);
/* What is shown of an object of the other kinds and cannot be given. */
void cli_assumed_raw_packet_template(const struct conf *conf, const struct opt_set *tmpl,
	void (*emit)(void *ctx, const char *name, const char *value), void *ctx);
void cli_assumed_settings(const struct conf *conf, const struct opt_set *settings,
	void (*emit)(void *ctx, const char *name, const char *value), void *ctx);
void cli_assumed_port(const struct conf *conf, const struct opt_set *port,
	void (*emit)(void *ctx, const char *name, const char *value), void *ctx);
void cli_assumed_stream(const struct conf *conf, const struct opt_set *stream,
	void (*emit)(void *ctx, const char *name, const char *value), void *ctx);
