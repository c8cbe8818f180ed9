/* SPDX-License-Identifier: BSD-3-Clause */
#include "tgen/log.h"

#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>

#include "text.h"

static _Atomic enum log_level current_level = LOG_LEVEL_INFO;

void log_level_set(enum log_level level)
{
	atomic_store_explicit(&current_level, level, memory_order_relaxed);
}

enum log_level log_level_get(void)
{
	return atomic_load_explicit(&current_level, memory_order_relaxed);
}

void log_print(enum log_level level, const char *fmt, ...)
{
	static const char *const names[] = {
		[LOG_LEVEL_ERROR] = "error",
		[LOG_LEVEL_WARNING] = "warning",
		[LOG_LEVEL_INFO] = "info",
		[LOG_LEVEL_DEBUG] = "debug",
	};
	char raw[4096], line[4096];
	va_list ap;

	if (level > log_level_get())
		return;
	va_start(ap, fmt);
	vsnprintf(raw, sizeof(raw), fmt, ap);
	va_end(ap);
	text_escape(line, sizeof(line), raw);
	fprintf(stderr, "tgen: %s: %s\n", names[level], line);
}
