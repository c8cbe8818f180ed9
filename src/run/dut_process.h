/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <poll.h>
#include <sys/types.h>

#include "dut.h"

/* The last of what a command printed. */
#define DUT_OUTPUT_KEPT ((size_t)64 << 10)

struct dut_output {
	char *bytes; /* at most twice what is kept */
	size_t nb;
	bool cut; /* something before it was dropped */
};

/* 0 or -ENOMEM. */
int dut_output_add(struct dut_output *output, const char *bytes, size_t nb);
/* What is kept, as printable UTF-8 with its line ends and tabs. NULL: no memory. Caller frees. */
char *dut_output_text(const struct dut_output *output);
void dut_output_fini(struct dut_output *output);

/* The last line that is not blank; its length in *nb. "" when there is none. */
const char *dut_last_line(const char *text, int *nb);

/*
 * A command that runs: start it, step it whenever one of its descriptors is readable or its time has
 * come, until a step says that it is over; then take its result.
 */
struct dut_process {
	pid_t pid; /* 0: none runs */
	int out_fd, pid_fd;
	bool ending; /* it was told to end */
	bool no_memory;
	const volatile sig_atomic_t *stop;
	uint64_t limit_ns, kill_ns; /* CLOCK_MONOTONIC; UINT64_MAX: never */
	struct dut_output output;
	struct dut_command_result result;
};

#define DUT_PROCESS_NB_FDS 2u

uint64_t dut_now_ns(void);
/* 0, also when it cannot be started: the first step says that it is over; or -ENOMEM. */
int dut_process_start(struct dut_process *process, const struct dut_command *command);
/* DUT_PROCESS_NB_FDS entries to poll; when the next step is due at the latest. */
uint64_t dut_process_wait(const struct dut_process *process, struct pollfd *fds);
/* True: it is over, and nothing of its process group is left. */
bool dut_process_step(struct dut_process *process);
/* Its time limit is over at limit_ns if not before. */
void dut_process_hasten(struct dut_process *process, uint64_t limit_ns);
/* Once it is over. 0 or -ENOMEM; out: dut_command_fini. */
int dut_process_take(struct dut_process *process, struct dut_command_result *out);

/* Sleeps until one of the descriptors is readable or the time has come. */
void dut_poll(struct pollfd *fds, unsigned nb, uint64_t until_ns);

/* Appends a command that is over to the schema's array. 0 or -ENOMEM. */
int dut_command_record(cJSON *commands, const char *phase, const struct dut_command *command,
	const struct dut_command_result *result);
/* How it ended, for an error: `ended with status 2: LAST LINE`. Cut to size. */
void dut_command_outcome(const struct dut_command *command, const struct dut_command_result *result,
	char *text, size_t size);
