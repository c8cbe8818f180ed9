/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "tgen/trial.h"

#include "texts.h"

/* Adds the block of what is known for every stream that sent and received nothing. */
void diagnose_silent(
	const struct result_info *info, const struct trial_result *trial, struct texts *notes);
