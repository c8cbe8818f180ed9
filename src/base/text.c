/* SPDX-License-Identifier: BSD-3-Clause */
#include "text.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

/* Length of the printable UTF-8 character at p; 0 for a control character or a stray byte. */
static size_t printable_len(const unsigned char *p)
{
	static const uint32_t smallest[] = {0, 0, 0x80, 0x800, 0x10000};
	size_t len = p[0] < 0x80 ? 1 : p[0] >> 5 == 6 ? 2 : p[0] >> 4 == 14 ? 3 : 4;
	uint32_t code;

	if (len == 1)
		return p[0] >= 0x20 && p[0] != 0x7f ? 1 : 0;
	if (len == 4 && p[0] >> 3 != 30)
		return 0;
	code = p[0] & (0x7fu >> len);
	for (size_t i = 1; i < len; i++) {
		if (p[i] >> 6 != 2)
			return 0;
		code = code << 6 | (p[i] & 0x3fu);
	}
	if (code < smallest[len] || code > 0x10ffff || (code >= 0xd800 && code <= 0xdfff))
		return 0;
	return code < 0xa0 ? 0 : len;
}

void text_escape(char *out, size_t size, const char *in)
{
	const unsigned char *p = (const unsigned char *)in;
	size_t at = 0;

	while (*p != '\0') {
		char hex[8];
		const char *from = (const char *)p;
		size_t used = printable_len(p), len = used;

		if (used == 0) {
			used = 1;
			from = hex;
			if (*p == '\n' || *p == '\t')
				snprintf(hex, sizeof(hex), "\\%c", *p == '\n' ? 'n' : 't');
			else
				snprintf(hex, sizeof(hex), "\\x%02x", *p);
			len = strlen(hex);
		}
		if (at + len >= size)
			break;
		memcpy(out + at, from, len);
		at += len;
		p += used;
	}
	out[at] = '\0';
}
