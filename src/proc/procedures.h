/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "tgen/procedure.h"

/* Every procedure, for the table of procedure.c; one file each. */
extern const struct procedure proc_quick;
extern const struct procedure proc_not_possible;
extern const struct procedure proc_outage;
extern const struct procedure proc_rfc2544_reset;
extern const struct procedure proc_rfc2544_recovery;
extern const struct procedure proc_soak;
extern const struct procedure proc_qos;
extern const struct procedure proc_rfc2889_mesh;
extern const struct procedure proc_rfc2889_one_to_many;
extern const struct procedure proc_rfc2889_many_to_one;
extern const struct procedure proc_rfc2889_congestion;
extern const struct procedure proc_rfc2889_caching;
extern const struct procedure proc_rfc2889_learning;
extern const struct procedure proc_rfc2889_broadcast;
extern const struct procedure proc_rfc8219_latency;
extern const struct procedure proc_rfc8219_pdv;
extern const struct procedure proc_rfc8219_ipdv;
extern const struct procedure proc_y1564;
extern const struct procedure proc_rfc2544;
extern const struct procedure proc_rfc2544_throughput;
extern const struct procedure proc_rfc2544_latency;
extern const struct procedure proc_rfc2544_frame_loss;
extern const struct procedure proc_rfc2544_back_to_back;
extern const struct procedure proc_ndr_pdr;
