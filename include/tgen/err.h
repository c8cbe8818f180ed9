/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <stdarg.h>

/* Exit statuses of the program. */
enum tgen_status {
	TGEN_OK = 0, /* done, all criteria met */
	TGEN_MISSED =
		1, /* a criterion was missed; quick: nothing arrived although sending was clean */
	TGEN_USAGE = 2,	  /* usage or configuration */
	TGEN_INVALID = 3, /* invalid measurement: nothing sent, or the generator was not clean */
	TGEN_DEVICE = 4,  /* a device or the system failed */
};

/*
 * Why a call failed, for the user: one line that names the place and the remedy.
 * The caller owns it, starts it as `struct err err = {0}`, and prints it once, at the top.
 * Every function below returns a negative errno, so that `return err_usage(err, …);` reads well.
 */
struct err {
	enum tgen_status status;
	char text[2048];
};

/* -EINVAL; the words or the configuration are wrong. */
int err_usage(struct err *err, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* -errnum; a device or the system failed. The text of errnum (if not 0) is appended. */
int err_device(struct err *err, int errnum, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
/* -EIO; the measurement is not valid. */
int err_invalid(struct err *err, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* Puts text before what err says: the place, when an outer function knows it. */
void err_prefix(struct err *err, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
