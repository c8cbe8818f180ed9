/* SPDX-License-Identifier: BSD-3-Clause */
#include "tgen/err.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "text.h"

/* The arguments may point into err->text: it is written last. */
__attribute__((format(printf, 3, 0))) static void err_set(
	struct err *err, enum tgen_status status, const char *fmt, va_list ap)
{
	char raw[sizeof(err->text)];

	vsnprintf(raw, sizeof(raw), fmt, ap);
	text_escape(err->text, sizeof(err->text), raw);
	err->status = status;
}

int err_usage(struct err *err, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	err_set(err, TGEN_USAGE, fmt, ap);
	va_end(ap);
	return -EINVAL;
}

int err_device(struct err *err, int errnum, const char *fmt, ...)
{
	const char *why;
	size_t len;
	va_list ap;

	va_start(ap, fmt);
	err_set(err, TGEN_DEVICE, fmt, ap);
	va_end(ap);
	if (errnum == 0)
		return -EIO;
	errnum = errnum < 0 ? -errnum : errnum;
	why = strerrordesc_np(errnum);
	len = strlen(err->text);
	if (why != NULL)
		snprintf(err->text + len, sizeof(err->text) - len, ": %s", why);
	else
		snprintf(err->text + len, sizeof(err->text) - len, ": error %d", errnum);
	return -errnum;
}

int err_invalid(struct err *err, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	err_set(err, TGEN_INVALID, fmt, ap);
	va_end(ap);
	return -EIO;
}

void err_prefix(struct err *err, const char *fmt, ...)
{
	char raw[2 * sizeof(err->text)];
	size_t len;
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(raw, sizeof(err->text), fmt, ap);
	va_end(ap);
	len = strlen(raw);
	memcpy(raw + len, err->text, strlen(err->text) + 1);
	text_escape(err->text, sizeof(err->text), raw);
}
