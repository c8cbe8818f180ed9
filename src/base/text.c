/* SPDX-License-Identifier: BSD-3-Clause */
#include "text.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define REPLACEMENT "\xef\xbf\xbd" /* U+FFFD */

/* Length of the UTF-8 character at p, and which it is; 0 for a stray byte. */
static size_t decode(const unsigned char *p, uint32_t *out)
{
	static const uint32_t smallest[] = {0, 0, 0x80, 0x800, 0x10000};
	size_t len = p[0] < 0x80 ? 1 : p[0] >> 5 == 6 ? 2 : p[0] >> 4 == 14 ? 3 : 4;
	uint32_t code;

	*out = p[0];
	if (len == 1)
		return 1;
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
	*out = code;
	return len;
}

/* Length of the printable UTF-8 character at p; 0 for a control character or a stray byte. */
static size_t printable_len(const unsigned char *p)
{
	uint32_t code;
	size_t len = decode(p, &code);

	return code < 0x20 || (code >= 0x7f && code < 0xa0) ? 0 : len;
}

size_t text_char_bytes(const char *text)
{
	uint32_t code;

	return decode((const unsigned char *)text, &code);
}

bool text_is_printable(const char *text)
{
	size_t len = 1;

	for (; *text != '\0' && len > 0; text += len)
		len = printable_len((const unsigned char *)text);
	return len > 0;
}

char *text_to_utf8(const char *text)
{
	char *out = NULL;
	size_t size, len;
	FILE *f = open_memstream(&out, &size);

	if (f == NULL)
		return NULL;
	for (; *text != '\0'; text += len > 0 ? len : 1) {
		len = text_char_bytes(text);
		fwrite(len > 0 ? text : REPLACEMENT, 1, len > 0 ? len : strlen(REPLACEMENT), f);
	}
	if (fclose(f) == 0)
		return out;
	free(out);
	return NULL;
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
