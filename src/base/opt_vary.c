/* SPDX-License-Identifier: BSD-3-Clause */
#include "opt_vary.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tgen/random.h"

struct form {
	const char *name;
	int (*read)(struct vary_reading *r);
	unsigned params; /* bit k: enum vary_param */
};

static wide to_wide(struct opt_num num)
{
	return (wide)num.up << 64 | num.lo;
}

static struct opt_num to_num(wide value)
{
	return (struct opt_num){(uint64_t)(value >> 64), (uint64_t)value};
}

/* ---- forms ---- */

static int put_step(struct vary_reading *r, wide first, wide step, wide nb)
{
	if (nb > UINT64_MAX)
		return vary_because(r, -EDOM, "it has more than 2^64 values");
	r->out->kind = OPT_VARY_STEP;
	r->out->first = to_num(first);
	r->out->step = to_num(step);
	r->out->nb = (uint64_t)nb;
	return 0;
}

static int read_steps(struct vary_reading *r, bool down)
{
	wide room;

	if (r->has_mask)
		return vary_because(r, -EINVAL, "a mask has no order; give A-B");
	if (!r->has_step)
		r->step = 1;
	if (r->has_b && r->has_count)
		return vary_because(r, -EINVAL, "A-B and count= both say where it ends; give one");
	if (!r->has_b && !r->has_count)
		return vary_because(r, -EINVAL, "it needs a range A-B, or count=");
	if (r->has_b)
		return put_step(r, down ? r->b : r->a, down ? -r->step : r->step,
			(r->b - r->a) / r->step + 1);
	room = down ? r->a - (wide)r->opt->min : vary_max(r->opt) - r->a;
	if (room / r->step < r->count - 1)
		return vary_because(r, -ERANGE, "its last value is out of range");
	return put_step(r, r->a, down ? -r->step : r->step, r->count);
}

static int read_inc(struct vary_reading *r)
{
	return read_steps(r, false);
}

static int read_dec(struct vary_reading *r)
{
	return read_steps(r, true);
}

static int put_masked(struct vary_reading *r)
{
	wide bits = ~r->mask & vary_ones(r->opt);

	if ((r->a | bits) > vary_max(r->opt) || (r->a & ~bits) < (wide)r->opt->min)
		return vary_because(r, -ERANGE, "the bits outside of the mask reach out of range");
	r->out->kind = OPT_VARY_MASKED;
	r->out->seed = r->seed;
	r->out->first = to_num(r->a);
	r->out->mask = to_num(~bits);
	r->out->nb = r->count;
	return 0;
}

static int read_rand(struct vary_reading *r)
{
	r->out->seed = r->seed;
	if (r->has_mask)
		return put_masked(r);
	if (!r->has_b)
		return vary_because(r, -EINVAL, "it needs a range A-B, or A/len");
	if (r->b - r->a > UINT64_MAX)
		return vary_because(r, -EDOM, "it has more than 2^64 values; give A/len");
	r->out->kind = OPT_VARY_RANDOM;
	r->out->first = to_num(r->a);
	r->out->span = to_num(r->b - r->a + 1);
	r->out->nb = r->count;
	return 0;
}

static int alloc_values(struct vary_reading *r, wide nb)
{
	if (nb > OPT_VARY_TABLE_MAX)
		return vary_because(
			r, -EDOM, "its round has more than %u values", OPT_VARY_TABLE_MAX);
	r->out->kind = OPT_VARY_LIST;
	r->out->values = calloc((size_t)nb, sizeof(*r->out->values));
	r->out->nb = (uint64_t)nb;
	return r->out->values != NULL ? 0 : -ENOMEM;
}

/* Fisher and Yates: each order as likely as any other. */
static int read_shuffle(struct vary_reading *r)
{
	struct opt_num *values;
	int rc;

	if (!r->has_b)
		return vary_because(r, -EINVAL, "it needs a range A-B");
	rc = alloc_values(r, r->b - r->a + 1);
	if (rc != 0)
		return rc;
	values = r->out->values;
	for (uint64_t i = 0; i < r->out->nb; i++) {
		uint64_t j = random_below(random_at(r->seed, i), i + 1);

		values[i] = values[j];
		values[j] = to_num(r->a + i);
	}
	r->out->seed = r->seed;
	return 0;
}

/* clang-format off */
static const struct form forms[] = {
	{"inc", read_inc, 1u << VARY_STEP | 1u << VARY_COUNT},
	{"dec", read_dec, 1u << VARY_STEP | 1u << VARY_COUNT},
	{"rand", read_rand, 1u << VARY_COUNT | 1u << VARY_SEED},
	{"shuffle", read_shuffle, 1u << VARY_SEED},
	{"list", NULL, 0},
};
/* clang-format on */
#define NB_FORMS (sizeof(forms) / sizeof(forms[0]))

/* ---- lists ---- */

/* A value's place in a round: its weight's k-th share begins at a fraction of the round. */
struct share {
	uint64_t place;
	unsigned index;
	struct opt_num value;
};

static int compare_shares(const void *a, const void *b)
{
	const struct share *x = a, *y = b;

	if (x->place != y->place)
		return x->place < y->place ? -1 : 1;
	return x->index < y->index ? -1 : x->index > y->index;
}

/* `V` or `V=W`, len bytes. */
static int read_weighted(
	struct vary_reading *r, const char *text, size_t len, wide *value, uint64_t *weight)
{
	const char *equals = memchr(text, '=', len);
	size_t value_len = equals != NULL ? (size_t)(equals - text) : len;
	char number[VARY_ITEM_MAX];
	int rc = vary_read_value(r->opt, text, value_len, value);

	*weight = 1;
	if (rc != 0)
		return vary_refuse_value(r, text, value_len, rc);
	if (equals == NULL)
		return 0;
	snprintf(number, sizeof(number), "%.*s", (int)(len - value_len - 1), equals + 1);
	if (units_parse_u64(number, weight) != 0)
		return vary_because(r, -EINVAL, "\"%s\" is no weight", number);
	if (*weight == 0)
		return vary_because(
			r, -EINVAL, "the weight of \"%.*s\" is 0", (int)value_len, text);
	if (*weight > OPT_VARY_TABLE_MAX)
		return vary_because(
			r, -EDOM, "its round has more than %u values", OPT_VARY_TABLE_MAX);
	return 0;
}

/* Goes through a list; with shares, writes them there. Their number, or a negative errno. */
static int64_t walk_list(struct vary_reading *r, const char *text, struct share *shares)
{
	uint64_t nb = 0;

	for (unsigned index = 0;; index++) {
		size_t len = strcspn(text, "+");
		uint64_t weight;
		wide value;
		int rc = read_weighted(r, text, len, &value, &weight);

		if (rc != 0)
			return rc;
		for (uint64_t k = 0; shares != NULL && k < weight; k++)
			shares[nb + k] =
				(struct share){((2 * k + 1) << 40) / weight, index, to_num(value)};
		nb += weight;
		if (nb > OPT_VARY_TABLE_MAX)
			return vary_because(
				r, -EDOM, "its round has more than %u values", OPT_VARY_TABLE_MAX);
		if (text[len] == '\0')
			return (int64_t)nb;
		text += len + 1;
	}
}

/* By weights, the values are mixed as evenly as they can be. */
static int read_list(struct vary_reading *r, const char *text)
{
	int64_t nb = walk_list(r, text, NULL);
	struct share *shares;
	int rc;

	if (nb < 0)
		return (int)nb;
	shares = calloc((size_t)nb, sizeof(*shares));
	rc = shares != NULL ? alloc_values(r, (wide)nb) : -ENOMEM;
	if (rc == 0) {
		walk_list(r, text, shares);
		qsort(shares, (size_t)nb, sizeof(*shares), compare_shares);
		for (int64_t i = 0; i < nb; i++)
			r->out->values[i] = shares[i].value;
	}
	free(shares);
	return rc;
}

/* ---- items ---- */

static bool is_mac(const struct opt *opt)
{
	return opt->type == OPT_MAC;
}

static bool is_ip4(const struct opt *opt)
{
	return opt->type == OPT_IP4;
}

static bool is_ip6(const struct opt *opt)
{
	return opt->type == OPT_IP6;
}

static const struct form *find_form(const char *item)
{
	for (size_t i = 0; i < NB_FORMS; i++) {
		size_t len = strlen(forms[i].name);

		if (strncmp(item, forms[i].name, len) == 0 && item[len] == ':')
			return &forms[i];
	}
	return NULL;
}

/* The form whose name is nearly what stands before the first colon; hex digits are an address. */
static const char *near_form(const char *item)
{
	char name[16];
	struct opt_near near = {.name = name};
	size_t len = strcspn(item, ":");

	if (item[len] == '\0' || len >= sizeof(name) ||
		strspn(item, "0123456789abcdefABCDEF") >= len)
		return NULL;
	snprintf(name, sizeof(name), "%.*s", (int)len, item);
	for (size_t i = 0; i < NB_FORMS; i++)
		opt_near_try(&near, forms[i].name);
	return near.best;
}

static int read_form(struct vary_reading *r, const struct form *form, const char *text)
{
	size_t len = strcspn(text, "+");
	int rc;

	if (form->read == NULL)
		return read_list(r, text);
	rc = vary_read_range(r, text, len);
	while (rc == 0 && text[len] == '+') {
		text += len + 1;
		len = strcspn(text, "+");
		rc = vary_read_param(r, form->params, text, len);
	}
	return rc == 0 ? form->read(r) : rc;
}

/* What always has the same value is not varying. */
static void settle(struct opt_vary *vary)
{
	if (vary->kind == OPT_VARY_LIST)
		vary->first = vary->values[0];
	if ((vary->kind == OPT_VARY_LIST || vary->kind == OPT_VARY_STEP) && vary->nb == 1) {
		free(vary->values);
		*vary = (struct opt_vary){.kind = OPT_VARY_ONE, .first = vary->first, .nb = 1};
	}
	if (vary->kind == OPT_VARY_MASKED && to_wide(vary->mask) == ~(wide)0)
		*vary = (struct opt_vary){.kind = OPT_VARY_ONE, .first = vary->first, .nb = 1};
}

/* FNV-1a of the option's name. */
static uint64_t default_seed(const struct opt *opt, unsigned nth)
{
	uint64_t hash = UINT64_C(0xcbf29ce484222325);

	for (const char *p = opt->name; *p != '\0'; p++)
		hash = (hash ^ (uint8_t)*p) * UINT64_C(0x100000001b3);
	return random_at(hash, nth);
}

/*
 * RFC 4814, §4.2 and §4.5: MAC addresses of random bits around two bytes that tell the sides apart,
 * ports at random. Addresses: the halves of RFC 2544's 198.18.0.0/15 and of RFC 5180's 2001:2::/48.
 */
static const struct preset {
	const char *name_end;
	bool (*fits)(const struct opt *opt);
	const char *item;
} presets[] = {
	{"-src-port", vary_is_number, "rand:1024-65535"},
	{"-dst-port", vary_is_number, "rand:1-49151"},
	{"-src", is_mac, "00:00:01:00:00:00/03:ff:ff:00:00:00"},
	{"-dst", is_mac, "00:00:02:00:00:00/03:ff:ff:00:00:00"},
	{"-src", is_ip4, "rand:198.18.0.1-198.18.255.254"},
	{"-dst", is_ip4, "rand:198.19.0.1-198.19.255.254"},
	{"-src", is_ip6, "2001:2::/49"},
	{"-dst", is_ip6, "2001:2:0:8000::/49"},
};

const char *opt_vary_preset(const struct opt *opt)
{
	size_t len = strlen(opt->name);

	if ((opt->flags & OPT_VARY) == 0)
		return NULL;
	for (size_t i = 0; i < sizeof(presets) / sizeof(presets[0]); i++) {
		size_t end = strlen(presets[i].name_end);

		if (presets[i].fits(opt) && len > end &&
			strcmp(opt->name + len - end, presets[i].name_end) == 0)
			return presets[i].item;
	}
	return NULL;
}

int opt_vary_read(const struct opt *opt, const char *item, unsigned nth, struct opt_vary *out,
	struct opt_why *why)
{
	struct vary_reading r = {
		.opt = opt, .seed = default_seed(opt, nth), .out = out, .why = why};
	const char *preset = strcmp(item, OPT_VARY_PRESET) == 0 ? opt_vary_preset(opt) : NULL;
	const char *near;
	const struct form *form;
	int rc;

	*out = (struct opt_vary){0};
	why->text[0] = '\0';
	if (preset != NULL)
		item = preset;
	form = find_form(item);
	near = form == NULL ? near_form(item) : NULL;
	if (form != NULL) {
		rc = read_form(&r, form, item + strlen(form->name) + 1);
	} else if (strchr(item, '/') != NULL && (vary_is_number(opt) || preset != NULL)) {
		rc = vary_read_range(&r, item, strlen(item));
		if (rc == 0)
			rc = read_rand(&r);
	} else {
		rc = -EINVAL;
		if (near != NULL)
			vary_because(&r, rc, "did you mean \"%s:\"?", near);
	}
	if (rc == 0)
		settle(out);
	else
		opt_vary_fini(out);
	return rc;
}

int opt_vary_of(
	const struct opt *opt, const struct opt_val *val, unsigned nth, struct opt_vary *out)
{
	struct opt_why why;
	struct vary_reading r = {
		.opt = opt, .seed = default_seed(opt, nth), .out = out, .why = &why};
	int rc;

	if (val->is_vary)
		return opt_vary_read(opt, val->text, nth, out, &why);
	*out = (struct opt_vary){.kind = OPT_VARY_ONE, .nb = 1};
	r.a = (wide)val->up.lo << 64 | val->lo;
	r.b = (wide)val->up.hi << 64 | val->hi;
	r.mask = (wide)val->up.mask << 64 | val->mask;
	r.step = 1;
	r.has_b = true;
	out->first = to_num(r.a);
	if (r.b != r.a)
		rc = read_steps(&r, false);
	else if (val->is_word || vary_is_number(opt) ||
		 (opt->type != OPT_MAC && opt->type != OPT_IP4 && opt->type != OPT_IP6))
		return 0;
	else
		rc = put_masked(&r);
	if (rc == 0)
		settle(out);
	return rc;
}

int opt_vary_parse(const struct opt *opt, const char *item, struct opt_vary *out)
{
	struct opt_val val;
	int rc = opt_item_parse(opt, item, &val);

	*out = (struct opt_vary){0};
	val.text = item;
	return rc == 0 ? opt_vary_of(opt, &val, 0, out) : rc;
}

void opt_vary_fini(struct opt_vary *vary)
{
	free(vary->values);
	*vary = (struct opt_vary){0};
}
