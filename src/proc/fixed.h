/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "rfc2544.h"

/* Trials at one load: the word rate, else as the streams say. */
/* Loads of spec for the word rate, or none; *loads: caller frees. 0 or negative with err. */
int fixed_loads(const struct proc_env *env, struct trial_load **loads, struct err *err);
/* trial-duration of the test. */
uint64_t fixed_duration_ns(const struct opt_set *test);
/* nb trials of trial-duration. */
void fixed_estimate(const struct proc_env *env, unsigned nb, struct proc_estimate *out);
