/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/* ---- UTF-8 (RFC 3629) ---- */

/* Bytes of the character that text begins with; 0 when it is not UTF-8. A NUL is one byte. */
size_t text_char_bytes(const char *text);
/* All of it is UTF-8, and no control character. */
bool text_is_printable(const char *text);
/* A copy in which U+FFFD stands for every byte that is not UTF-8. Caller frees; NULL: no memory. */
char *text_to_utf8(const char *text);
