/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <stdio.h>

#include "cli.h"
#include "tgen/conf.h"
#include "tgen/result.h"
#include "tgen/trial.h"

/* A run of quick, in the foreground or, with hooks, detached. */
struct quick;

/* Who takes the results of a detached run beside the outputs of the user. */
struct quick_hooks {
	FILE *out; /* in place of standard output */
	/* The first frame goes out. info stays until the end. Negative ends the run. */
	int (*begin)(void *ctx, const struct result_info *info);
	void (*rows)(void *ctx, const struct result_row *rows, unsigned nb);
	void (*ports)(void *ctx, const struct trial_port *ports, unsigned nb);
	void (*latency)(void *ctx, uint32_t stream, const struct hist *h);
	void (*end)(void *ctx, const struct result_row *rows, unsigned nb,
		const struct result_summary *summary);
	void *ctx;
};

/*
 * Words, configuration and plan: every error that needs no device. menu: quick's words at least.
 * cli and err must live as long.
 */
struct quick *quick_new(
	const struct cli *cli, const struct opt_menu *menu, int argc, char **argv, struct err *err);
const struct opt_set *quick_words(const struct quick *q);
const struct conf *quick_conf(const struct quick *q);
/* Opens the ports, sends, reports. Exit status, or negative with the err of quick_new. */
int quick_run(struct quick *q, const struct quick_hooks *hooks);
/* NULL is fine. */
void quick_free(struct quick *q);
