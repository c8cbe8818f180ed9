/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "cli.h"

/*
 * Runs a command of tgen in a process of its own, as ports can be set up once in each; it has this
 * one's options. with_input: it may read what is typed. Until it ends, an interrupt is for it alone,
 * and what ends this process ends it first. Its status, or negative with err.
 */
int script_child(const struct cli *cli, char *const *words, bool with_input, struct err *err);
