/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "hdr.h"

/*
 * Places the headers of a raw-packet-template that are to be mended, then its whole header as the
 * last one; their number, or -EINVAL.
 */
int raw_place(const struct opt_set *tmpl, struct hdr_place *place, struct err *err);
