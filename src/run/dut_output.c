/* SPDX-License-Identifier: BSD-3-Clause */
#include "dut_process.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "tgen/text.h"

#define REPLACEMENT "\xef\xbf\xbd" /* U+FFFD */

int dut_output_add(struct dut_output *output, const char *bytes, size_t nb)
{
	if (output->bytes == NULL && (output->bytes = malloc(2 * DUT_OUTPUT_KEPT)) == NULL)
		return -ENOMEM;
	if (nb > DUT_OUTPUT_KEPT) {
		bytes += nb - DUT_OUTPUT_KEPT;
		nb = DUT_OUTPUT_KEPT;
		output->cut = true;
	}
	if (output->nb + nb > 2 * DUT_OUTPUT_KEPT) {
		size_t kept = DUT_OUTPUT_KEPT - nb;

		memmove(output->bytes, output->bytes + output->nb - kept, kept);
		output->nb = kept;
		output->cut = true;
	}
	memcpy(output->bytes + output->nb, bytes, nb);
	output->nb += nb;
	return 0;
}

/* Bytes of the printable character at p, of which nb are there; 0: it is to be replaced. */
static size_t printable_bytes(const char *p, size_t nb)
{
	char one[5] = {0};
	size_t len;

	if (*p == '\n' || *p == '\t')
		return 1;
	memcpy(one, p, nb < 4 ? nb : 4);
	len = text_char_bytes(one);
	if (one[0] == '\0' || len == 0)
		return 0;
	one[len] = '\0';
	return text_is_printable(one) ? len : 0;
}

static const char *first_kept(const struct dut_output *output)
{
	const char *p = output->bytes, *end = output->bytes + output->nb;

	if (output->nb > DUT_OUTPUT_KEPT)
		p = end - DUT_OUTPUT_KEPT;
	if (output->cut || output->nb > DUT_OUTPUT_KEPT) /* perhaps within a character */
		for (int i = 0; i < 3 && p < end && ((unsigned char)*p & 0xc0) == 0x80; i++)
			p++;
	return p;
}

char *dut_output_text(const struct dut_output *output)
{
	char *text, *out;

	if (output->nb == 0)
		return strdup("");
	out = text = malloc(3 * DUT_OUTPUT_KEPT + 1);
	if (text == NULL)
		return NULL;
	for (const char *p = first_kept(output), *end = output->bytes + output->nb; p < end;) {
		size_t left = (size_t)(end - p), len = printable_bytes(p, left);

		if (len == 0 && left > 1 && p[0] == '\r' && p[1] == '\n') {
			p++;
			continue;
		}
		memcpy(out, len > 0 ? p : REPLACEMENT, len > 0 ? len : 3);
		out += len > 0 ? len : 3;
		p += len > 0 ? len : 1;
	}
	*out = '\0';
	out = realloc(text, (size_t)(out - text) + 1);
	return out != NULL ? out : text;
}

void dut_output_fini(struct dut_output *output)
{
	free(output->bytes);
	*output = (struct dut_output){0};
}

const char *dut_last_line(const char *text, int *nb)
{
	const char *end = text + strlen(text), *begin;

	while (end > text && strchr(" \t\n", end[-1]) != NULL)
		end--;
	for (begin = end; begin > text && begin[-1] != '\n';)
		begin--;
	*nb = (int)(end - begin);
	return begin;
}
