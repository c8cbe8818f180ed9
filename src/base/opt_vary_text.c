/* SPDX-License-Identifier: BSD-3-Clause */
#include "opt_vary.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

int vary_because(struct vary_reading *r, int rc, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(r->why->text, sizeof(r->why->text), fmt, ap);
	va_end(ap);
	return rc;
}

/* ---- values ---- */

bool vary_is_number(const struct opt *opt)
{
	return opt->type == OPT_UINT || opt->type == OPT_URANGE || opt->type == OPT_FLAGS;
}

wide vary_max(const struct opt *opt)
{
	switch (opt->type) {
	case OPT_IP6:
		return ~(wide)0;
	case OPT_IP4:
		return UINT32_MAX;
	case OPT_MAC:
		return ((wide)1 << 48) - 1;
	default:
		return opt_upper_limit(opt);
	}
}

wide vary_ones(const struct opt *opt)
{
	wide max = vary_max(opt), ones = 1;

	while (ones < max)
		ones = ones << 1 | 1;
	return ones;
}

int vary_read_value(const struct opt *opt, const char *text, size_t len, wide *out)
{
	char item[VARY_ITEM_MAX];
	struct opt_val val;
	int rc;

	if (len >= sizeof(item))
		return -EINVAL;
	memcpy(item, text, len);
	item[len] = '\0';
	rc = opt_item_parse_plain(opt, item, &val);
	if (rc != 0)
		return rc == -EDOM ? -EINVAL : rc;
	if (strchr(item, '/') != NULL || val.lo != val.hi || val.up.lo != val.up.hi)
		return -EINVAL;
	*out = (wide)val.up.lo << 64 | val.lo;
	return *out > vary_max(opt) ? -ERANGE : 0;
}

int vary_refuse_value(struct vary_reading *r, const char *text, size_t len, int rc)
{
	if (rc == -ERANGE)
		return vary_because(r, rc, "\"%.*s\" is out of range", (int)len, text);
	return vary_because(r, rc, "\"%.*s\" is not %s", (int)len, text, opt_item_noun(r->opt));
}

/* `A/len` and `A/mask`; the mask of a number is a number. */
static int read_masked(struct vary_reading *r, const char *text, size_t len, const char *slash)
{
	char item[VARY_ITEM_MAX];
	struct opt_val val;
	uint64_t mask;
	int rc;

	if (len >= sizeof(item))
		return vary_refuse_value(r, text, len, -EINVAL);
	snprintf(item, sizeof(item), "%.*s", (int)len, text);
	r->has_mask = true;
	if (!vary_is_number(r->opt)) {
		rc = opt_item_parse_plain(r->opt, item, &val);
		if (rc != 0)
			return vary_refuse_value(r, text, len, rc);
		r->a = (wide)val.up.lo << 64 | val.lo;
		r->mask = (wide)val.up.mask << 64 | val.mask;
		return 0;
	}
	rc = vary_read_value(r->opt, text, (size_t)(slash - text), &r->a);
	if (rc != 0)
		return vary_refuse_value(r, text, (size_t)(slash - text), rc);
	if (units_parse_u64(item + (slash - text) + 1, &mask) != 0)
		return vary_because(r, -EINVAL, "\"%s\" is no mask", item + (slash - text) + 1);
	r->mask = mask;
	return 0;
}

/* Words and MAC addresses may have a '-' themselves. */
int vary_read_range(struct vary_reading *r, const char *text, size_t len)
{
	const char *slash = memchr(text, '/', len);
	int rc, wrong = -EINVAL;

	if (slash != NULL)
		return read_masked(r, text, len, slash);
	rc = vary_read_value(r->opt, text, len, &r->a);
	if (rc == 0)
		return 0;
	if (memchr(text, '-', len) == NULL)
		return vary_refuse_value(r, text, len, rc);
	for (size_t i = 0; i < len; i++) {
		int rc_a, rc_b;

		if (text[i] != '-')
			continue;
		rc_a = vary_read_value(r->opt, text, i, &r->a);
		rc_b = vary_read_value(r->opt, text + i + 1, len - i - 1, &r->b);
		if (rc_a == -EINVAL || rc_b == -EINVAL)
			continue;
		r->has_b = true;
		wrong = rc_a != 0 ? rc_a : rc_b;
	}
	if (wrong != 0)
		return vary_refuse_value(r, text, len, wrong);
	if (r->a > r->b)
		return vary_because(r, -EDOM, "\"%.*s\" runs backwards", (int)len, text);
	return 0;
}

/* ---- parameters ---- */

static const char *const params[NB_VARY_PARAMS] = {"step", "count", "seed"};

static int read_step(struct vary_reading *r, const char *text, size_t len)
{
	char item[VARY_ITEM_MAX];
	uint64_t number;

	snprintf(item, sizeof(item), "%.*s", (int)len, text);
	r->has_step = true;
	if (units_parse_u64(item, &number) == 0)
		r->step = number;
	else if (vary_is_number(r->opt) || vary_read_value(r->opt, text, len, &r->step) != 0)
		return vary_because(r, -EINVAL, "\"%s\" is no step", item);
	return r->step != 0 ? 0 : vary_because(r, -EINVAL, "the step is 0");
}

int vary_read_param(struct vary_reading *r, unsigned allowed, const char *text, size_t len)
{
	size_t name_len = strcspn(text, "=+");
	char name[VARY_ITEM_MAX], value[VARY_ITEM_MAX];
	struct opt_near near = {.name = name};

	snprintf(name, sizeof(name), "%.*s", (int)(name_len < len ? name_len : len), text);
	snprintf(value, sizeof(value), "%.*s", name_len < len ? (int)(len - name_len - 1) : 0,
		text + name_len + (name_len < len));
	for (unsigned k = 0; k < NB_VARY_PARAMS; k++) {
		if ((allowed >> k & 1) == 0)
			continue;
		opt_near_try(&near, params[k]);
		if (strcmp(name, params[k]) != 0)
			continue;
		if ((r->given >> k & 1) != 0)
			return vary_because(r, -EINVAL, "%s= is given twice", name);
		r->given |= 1u << k;
		if (k == VARY_STEP)
			return read_step(r, value, strlen(value));
		if (k == VARY_SEED)
			return units_parse_u64(value, &r->seed) == 0
				       ? 0
				       : vary_because(r, -EINVAL, "\"%s\" is no seed", value);
		if (units_parse_u64(value, &r->count) != 0)
			return vary_because(r, -EINVAL, "\"%s\" is no count", value);
		r->has_count = true;
		return r->count != 0 ? 0 : vary_because(r, -EINVAL, "the count is 0");
	}
	if (near.best != NULL)
		return vary_because(r, -EINVAL, "\"%s\" is not known here, did you mean \"%s=\"?",
			name, near.best);
	return vary_because(r, -EINVAL, "\"%s\" is not known here (known: %s%s%s)", name,
		(allowed >> VARY_STEP & 1) != 0 ? "step= " : "",
		(allowed >> VARY_COUNT & 1) != 0 ? "count= " : "",
		(allowed >> VARY_SEED & 1) != 0 ? "seed=" : "");
}
