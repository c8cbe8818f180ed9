/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "tgen/text.h"

/*
 * Copies in to out (size bytes, NUL included) so that it is safe to print as one line: control
 * characters (C0, DEL, C1) and bytes that are not UTF-8 become `\n`, `\t` or `\xHH`. Text that
 * was escaped before comes out unchanged. What does not fit is cut at a whole character.
 */
void text_escape(char *out, size_t size, const char *in);
