/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "opt_types.h"

/* How items of OPT_VARY options are read: opt_vary_text.c takes them apart, opt_vary.c the rest. */

#define VARY_ITEM_MAX 128 /* of one value or range in a longer form */

typedef unsigned __int128 wide;

/* An item while it is read. */
struct vary_reading {
	const struct opt *opt;
	uint64_t seed; /* unless the item gives one */
	struct opt_vary *out;
	struct opt_why *why;
	wide a, b, mask, step;
	uint64_t count;
	bool has_b, has_mask, has_step, has_count;
	unsigned given; /* bit k: enum vary_param */
};

enum vary_param { VARY_STEP, VARY_COUNT, VARY_SEED, NB_VARY_PARAMS };

/* Returns rc, the reason noted. */
int vary_because(struct vary_reading *r, int rc, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
bool vary_is_number(const struct opt *opt);
/* The largest value that the option takes, and all bits that one may have. */
wide vary_max(const struct opt *opt);
wide vary_ones(const struct opt *opt);
/* One value, len bytes of text; 0, -EINVAL or -ERANGE. */
int vary_read_value(const struct opt *opt, const char *text, size_t len, wide *out);
int vary_refuse_value(struct vary_reading *r, const char *text, size_t len, int rc);
/* `A`, `A-B`, `A/len` or `A/mask`, len bytes of text. */
int vary_read_range(struct vary_reading *r, const char *text, size_t len);
/* `step=S`, `count=N` or `seed=K`; allowed: bit k for enum vary_param. */
int vary_read_param(struct vary_reading *r, unsigned allowed, const char *text, size_t len);
