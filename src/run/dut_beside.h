/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "dut.h"

/* What became of the probes so far; exact once the thread has ended. */
struct dut_beside_probes {
	unsigned rounds, failed, skipped; /* skipped: due while an earlier one still ran */
};
struct dut_beside_probes dut_beside_probes(const struct dut_beside *beside);
