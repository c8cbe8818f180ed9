/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "sim.h"

/* The two calls of struct runner; ctx is a struct sim. */
int sim_trial(
	void *ctx, const struct trial_spec *spec, struct trial_result *result, struct err *err);
const struct result_info *sim_info(void *ctx, const char *frame_size, struct err *err);
