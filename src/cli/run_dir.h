/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "tgen/err.h"

/*
 * Where a detached run keeps its files: $TGEN_RUN_DIR, else /run/tgen for root, else run in the
 * state directory. Not $XDG_RUNTIME_DIR, which goes with the user's last session while the run goes
 * on. The process of the run holds a lock on its pid file: a pid alone may be another process's.
 */

#define RUN_PID	    "pid"
#define RUN_LOG	    "log"
#define RUN_COMMAND "command"
#define RUN_SAMPLES "samples"
#define RUN_RESULT  "result.json"

/* FILE there; NULL: no place, or no memory. Caller frees. */
char *run_dir_path(const char *file);
/* Whether a run is going on, and which process it is; 0: it is just beginning. */
bool cli_run_is_running(pid_t *pid);

/* Makes the directory and takes the lock: its descriptor, or negative with err (someone has it). */
int run_dir_lock(struct err *err);

/* What is in the pid file, behind the lock. */
struct run_pid {
	pid_t pid;
	uint64_t drain_ns; /* how long its end may take */
	int status;	   /* exit status; negative: it has not ended in order */
};
/* In place: also when the disk is full. 0 or -errno. */
int run_dir_write_pid(int lock, const struct run_pid *run);
/* False: there is nothing to be read. */
bool run_dir_read_pid(struct run_pid *run);

/* A small file as text, and back; NULL, or negative: cannot. */
char *run_dir_read(const char *file);
int run_dir_write(const char *file, const char *text);
void run_dir_remove(const char *file);
