/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "engine_private.h"

/* Time the hypervisor has taken from the workers' CPUs so far, ns; false: the kernel does not tell. */
bool health_steal_ns(const struct plan *plan, uint64_t *out_ns);
/* Pause frames of a port so far; false: its driver does not count them. */
bool health_pause(uint16_t port_id, uint64_t *rx, uint64_t *tx);
