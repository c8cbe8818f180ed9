/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include <cjson/cJSON.h>

#include "tgen/err.h"
#include "tgen/hist.h"
#include "tgen/result.h"

/* What selftests found, kept in a file: one entry a (device, driver, packet size). */

/* What the figures depend on besides the device. */
struct selftest_host {
	char cpu[128], kernel[160], dpdk[64];
};

struct selftest_entry {
	char device
		[160]; /* that sent; of rings the kind alone, `ring:`: their names mean nothing */
	char rx_device[160]; /* that received */
	char driver[32];
	char date[32]; /* 2031-05-01T12:00:00Z */
	uint32_t packet_size, workers;
	uint64_t clean_pps, floor_pps;
	bool limited;		     /* clean_pps is max-rate: more may be clean */
	struct result_latency floor; /* count 0: not known */
};

struct selftest_book {
	struct selftest_host host;
	struct selftest_entry *entries;
	unsigned nb;
};

/* dpdk is left empty. */
void selftest_host_get(struct selftest_host *host);
/* What a port's device is called in entries; out holds size bytes. */
void selftest_device(char *out, size_t size, const char *device);

/* Starts an empty book. 0; -ENOENT without err: there is no such file; or negative with err. */
int selftest_book_read(struct selftest_book *book, const char *path, struct err *err);
/* Adds an entry, or puts it in the place of the one with its device, driver and size. */
int selftest_book_put(struct selftest_book *book, const struct selftest_entry *entry);
void selftest_book_fini(struct selftest_book *book);
/* NULL: no memory. */
cJSON *selftest_book_json(const struct selftest_book *book);
/* Atomic; makes the directories above it. */
int selftest_book_write(const struct selftest_book *book, const char *path, struct err *err);

/*
 * The latency floor of a run: for each stream and each of its ports the P50 of the entry with that
 * device and driver and the nearest packet size; the highest of them. 0: no entry fits.
 */
uint64_t selftest_book_floor(const struct selftest_book *book, const struct result_info *info);
/*
 * A warning when the streams of a port ask for more than was clean for its device at the size
 * nearest to their mean; NULL: nothing to warn of, or not known. Caller frees.
 */
char *selftest_book_warning(
	const struct selftest_book *book, const struct result_info *info, unsigned port);
