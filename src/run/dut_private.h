/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "dut.h"

/* A command in the schema's form. */
cJSON *dut_command_json(
	const struct dut_command *command, const char *phase, const struct dut_command_result *r);
/* With the variant's shell and time-limit; without one the defaults. */
struct dut_command dut_command_of(const struct opt_set *variant, const char *text);
