/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <sys/stat.h>

#include "tgen/conf.h"

#include <cjson/cJSON.h>

/* ---- a JSON text, its tree, and where each node was written ---- */

struct json_mark {
	const cJSON *node;
	size_t key;   /* byte offset of the member's name; equal to value when it has none */
	size_t value; /* byte offset of the value */
};

struct json_doc {
	const char *file; /* name for messages */
	const char *text; /* len bytes and a NUL; not owned */
	size_t len;
	cJSON *root;
	struct json_mark *marks; /* sorted by node */
	size_t nb_marks, room;
	struct {
		size_t offset, line_start;
		unsigned line;
	} at; /* where the last place was found: the next one is mostly further on */
};

/* Number nodes get their text in valuestring: it is what the user wrote, all digits of it. */
int json_doc_parse(
	struct json_doc *doc, const char *file, const char *text, size_t len, struct err *err);
/* Frees the tree too, unless doc->root was taken (NULL). */
void json_doc_fini(struct json_doc *doc);
const struct json_mark *json_doc_mark(const struct json_doc *doc, const cJSON *node);
struct opt_pos json_doc_pos(struct json_doc *doc, size_t offset);
/* `FILE:LINE:COL: ` and the text; -EINVAL. */
int json_doc_error(struct json_doc *doc, size_t offset, struct err *err, const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));

/* The text of a file that holds this tree. NULL: no memory. Caller frees. */
char *json_write(const cJSON *root, size_t *len);

/* ---- files ---- */

/* What tells one state of a file from another. */
struct file_state {
	bool exists;
	dev_t dev;
	ino_t ino;
	off_t size;
	struct timespec mtime;
};

/*
 * Reads a whole file into *text, which the caller frees: *len bytes and a NUL. may_be_absent: an
 * absent file leaves *text NULL.
 */
int file_read(const char *path, bool may_be_absent, char **text, size_t *len,
	struct file_state *state, struct err *err);
/*
 * Keeps others from replacing a file until the descriptor returned is closed; waits while another
 * process does. -1: there are no locks here, or the directory is not there.
 */
int file_lock(const char *path);
/*
 * Replaces a file that still is in *state by one that holds text; *state follows. lock_fd: of
 * file_lock, or -1: the lock is taken for the time of the call.
 */
int file_replace(const char *path, const char *text, size_t len, struct file_state *state,
	int lock_fd, struct err *err);

/* ---- the configuration ---- */

struct conf_obj {
	struct opt_set set;
	/* NULL: a single object that the file does not have, or one of an included file */
	cJSON *node;
	unsigned parent; /* index of the object that holds it; of a kind within another */
	bool included;	 /* of another file */
};

/* The objects of one kind, in the order of the file; a single one is always there. */
struct conf_list {
	const struct conf_kind *kind;
	struct conf_obj **objs; /* by pointer: what conf_at returned stays where it is */
	unsigned nb;
	unsigned nb_included; /* the first ones */
	cJSON *node;	      /* the list or the single object in the tree; NULL: not there */
};

struct conf {
	char *path;
	struct file_state state;
	int lock_fd; /* of file_lock; -1: loaded to be read */
	cJSON *root;
	struct conf_list *lists; /* one a kind */
	unsigned nb_lists;
	char **included; /* paths of included files */
	unsigned nb_included;
};

/* The list of a key that is one of the kinds. */
struct conf_list *conf_list_of(const struct conf *conf, const char *key);
/* The object of a name; a single one whatever the name; NULL. */
struct conf_obj *conf_obj_find(const struct conf_list *list, const char *name);
/* A new, empty object at the end of the list; NULL: no memory. */
struct conf_obj *conf_obj_append(struct conf_list *list);
void conf_obj_free(struct conf_obj *obj);
/* The option that names an object; NULL for menus of single objects. */
const struct opt *conf_name_opt(const struct conf_list *list);
/* The name of an object, or NULL. */
const char *conf_obj_name(const struct conf_list *list, const struct conf_obj *obj);

int conf_no_memory(struct err *err);
