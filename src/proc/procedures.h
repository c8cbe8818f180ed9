/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "tgen/procedure.h"

/* Every procedure, for the table of procedure.c; one file each. */
extern const struct procedure proc_quick;
extern const struct procedure proc_not_possible;
