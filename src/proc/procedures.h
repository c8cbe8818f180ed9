/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "tgen/procedure.h"

/* Every procedure, for the table of procedure.c; one file each. */
extern const struct procedure proc_quick;
extern const struct procedure proc_rfc2544;
extern const struct procedure proc_rfc2544_throughput;
extern const struct procedure proc_rfc2544_latency;
extern const struct procedure proc_rfc2544_frame_loss;
extern const struct procedure proc_rfc2544_back_to_back;
extern const struct procedure proc_ndr_pdr;
