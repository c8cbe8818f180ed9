/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "tgen/result.h"

/*
 * What earlier selftests say about a run: its latency floor goes into info, and a rate above what
 * was clean is warned of. Says nothing when there is none for these devices on this host.
 */
void cli_selftest_cite(struct result_info *info);
