/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

enum log_level { LOG_LEVEL_ERROR, LOG_LEVEL_WARNING, LOG_LEVEL_INFO, LOG_LEVEL_DEBUG };

/* Messages go to stderr, one line each: `tgen: warning: text`. Never from the data path. */
void log_level_set(enum log_level level); /* default LOG_LEVEL_INFO */
enum log_level log_level_get(void);
void log_print(enum log_level level, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

#define log_error(...)	 log_print(LOG_LEVEL_ERROR, __VA_ARGS__)
#define log_warning(...) log_print(LOG_LEVEL_WARNING, __VA_ARGS__)
#define log_info(...)	 log_print(LOG_LEVEL_INFO, __VA_ARGS__)
#define log_debug(...)	 log_print(LOG_LEVEL_DEBUG, __VA_ARGS__)
