/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "tgen/procedure.h"

enum rfc2889_opt { RFC2889_STEP, RFC2889_NB_OPTS };
extern const struct opt rfc2889_opts[RFC2889_NB_OPTS];

/* A trial of trial-duration at a load of each port. */
int rfc2889_trial(struct proc_env *env, const char *purpose, uint64_t upps,
	struct trial_result *result, struct err *err);
