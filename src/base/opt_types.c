/* SPDX-License-Identifier: BSD-3-Clause */
#include "opt_types.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tgen/argv.h"
#include "tgen/text.h"
#include "tgen/units.h"

#define MASK_IP4 UINT64_C(0xffffffff)
#define MASK_MAC UINT64_C(0xffffffffffff)

#define NAME_MAX_LEN 63

struct type {
	const char *name;
	/* Sets lo, hi, and mask where it is not plain; 0, -EINVAL, -ERANGE or -EDOM. */
	int (*parse)(const char *text, struct opt_val *out);
	const char *noun;    /* follows `is not` */
	const char *form;    /* how it is written, when no limits are given */
	const char *varied;  /* instead of form, of an option that may vary; NULL: form */
	const char *more;    /* other forms; NULL: none */
	const char *special; /* word for UINT64_MAX, free of limits; NULL: none */
	char *(*fmt)(char *out, uint64_t value); /* of limits; NULL: the type has none */
	uint64_t max;				 /* own limit, with fmt */
	uint64_t plain_mask, plain_up_mask;
	const char *json; /* `type` in a JSON schema */
};

static int one_value(int rc, struct opt_val *out)
{
	out->hi = out->lo;
	return rc;
}

static int parse_bool(const char *text, struct opt_val *out)
{
	bool yes = strcmp(text, "yes") == 0 || strcmp(text, "true") == 0;
	bool no = strcmp(text, "no") == 0 || strcmp(text, "false") == 0;

	out->lo = yes;
	return one_value(yes || no ? 0 : -EINVAL, out);
}

static int parse_uint(const char *text, struct opt_val *out)
{
	return one_value(units_parse_u64(text, &out->lo), out);
}

static int parse_urange(const char *text, struct opt_val *out)
{
	char head[UNITS_TEXT_MAX];
	const char *tail = opt_split(text, '-', head);
	int rc_lo, rc_hi;

	if (tail == NULL)
		return parse_uint(text, out);
	rc_lo = units_parse_u64(head, &out->lo);
	rc_hi = units_parse_u64(tail, &out->hi);
	if (rc_lo == -EINVAL || rc_hi == -EINVAL)
		return -EINVAL;
	if (rc_lo != 0 || rc_hi != 0)
		return -ERANGE;
	return out->lo <= out->hi ? 0 : -EDOM;
}

/* A mix is told by its marks; what it says is judged where the template is known. */
static int parse_sizes(const char *text, struct opt_val *out)
{
	if (strpbrk(text, "=+:") == NULL)
		return parse_urange(text, out);
	out->is_vary = true;
	return text_is_printable(text) && strchr(text, ' ') == NULL ? 0 : -EINVAL;
}

static int parse_pps(const char *text, struct opt_val *out)
{
	return one_value(units_parse_micro(text, true, &out->lo), out);
}

/* Millionths of a Mbit/s are bit/s; of a percent, just that. */
static int parse_micro(const char *text, struct opt_val *out)
{
	return one_value(units_parse_micro(text, false, &out->lo), out);
}

/* As it is written anywhere else, too: `2%`. */
static int parse_percent(const char *text, struct opt_val *out)
{
	char number[32];
	size_t len = strlen(text);

	if (len == 0 || len >= sizeof(number) || text[len - 1] != '%')
		return parse_micro(text, out);
	memcpy(number, text, len - 1);
	number[len - 1] = '\0';
	return parse_micro(number, out);
}

static int parse_speed(const char *text, struct opt_val *out)
{
	return one_value(units_parse_bps(text, &out->lo), out);
}

static int parse_time(const char *text, struct opt_val *out)
{
	return one_value(units_parse_time(text, &out->lo), out);
}

/* Words are looked up before the type is asked. */
static int parse_word(const char *text, struct opt_val *out)
{
	(void)text;
	(void)out;
	return -EINVAL;
}

static bool is_alnum(char c)
{
	return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static int parse_name(const char *text, struct opt_val *out)
{
	size_t len = strlen(text);

	(void)out;
	/* a name is never taken for an option or a path */
	if (len > NAME_MAX_LEN || !is_alnum(text[0]))
		return -EINVAL;
	for (size_t i = 0; i < len; i++) {
		if (!is_alnum(text[i]) && strchr("-_.", text[i]) == NULL)
			return -EINVAL;
	}
	return 0;
}

static int parse_text(const char *text, struct opt_val *out)
{
	(void)out;
	return text_is_printable(text) ? 0 : -EINVAL;
}

static int parse_rate(const char *text, struct opt_val *out)
{
	enum units_rate_kind kind = UNITS_RATE_UPPS;
	int rc = units_parse_rate(text, &kind, &out->lo);

	out->hi = kind;
	return rc;
}

static int parse_argv(const char *text, struct opt_val *out)
{
	char **argv;
	int nb = text_is_printable(text) ? argv_split(text, &argv) : -EINVAL;

	(void)out;
	if (nb < 0)
		return nb;
	argv_free(argv);
	return nb > 0 ? 0 : -EINVAL;
}

static int parse_hex(const char *text, struct opt_val *out)
{
	size_t len = strspn(text, "0123456789abcdefABCDEF");

	(void)out;
	return len > 0 && len % 2 == 0 && text[len] == '\0' ? 0 : -EINVAL;
}

static char *fmt_u64(char *out, uint64_t value)
{
	snprintf(out, UNITS_TEXT_MAX, "%llu", (unsigned long long)value);
	return out;
}

#define JSON_NUMBER  "[\"number\",\"string\"]"
#define JSON_INTEGER "[\"integer\",\"string\"]"
#define JSON_STRING  "\"string\""

/* One entry a type. Types with a special word leave UINT64_MAX to it. */
/* clang-format off */
static const struct type types[] = {
	[OPT_BOOL] = {"bool", parse_bool, "yes or no", "yes|no", .json = "\"boolean\""},
	[OPT_UINT] = {"number", parse_uint, "a number", "N", .fmt = fmt_u64, .max = UINT64_MAX,
		.json = JSON_INTEGER},
	[OPT_URANGE] = {"number or range", parse_urange, "a number", "N", .more = "or a range N-M",
		.fmt = fmt_u64, .max = UINT64_MAX, .json = JSON_INTEGER},
	[OPT_SIZES] = {"size or mix of sizes", parse_sizes, "a size or a mix of sizes", "N",
		.more = "a range N-M, a mix N=WEIGHT+N=WEIGHT of up to 256 parts, genome:LETTERS",
		.fmt = fmt_u64, .max = UINT64_MAX, .json = JSON_INTEGER},
	[OPT_COUNT] = {"count", parse_uint, "a count", "N", .special = "unlimited",
		.fmt = fmt_u64, .max = UINT64_MAX - 1, .json = JSON_INTEGER},
	[OPT_PPS] = {"pps", parse_pps, "a number of packets per second", "N, Nk, NM or NG",
		.special = "max", .fmt = units_fmt_micro, .max = UINT64_MAX - 1,
		.json = JSON_NUMBER},
	[OPT_MBPS] = {"mbps", parse_micro, "a number of Mbit/s", "N, at most six decimals",
		.fmt = units_fmt_micro, .max = UINT64_MAX, .json = JSON_NUMBER},
	[OPT_PERCENT] = {"percent", parse_percent, "a percentage", "N, at most six decimals",
		.fmt = units_fmt_micro, .max = UINT64_MAX, .json = JSON_NUMBER},
	[OPT_SPEED] = {"speed", parse_speed, "a link speed", "a speed",
		.more = "as 100M, 1G or 2.5G",
		.fmt = units_fmt_bps, .max = UINT64_MAX, .json = JSON_INTEGER},
	[OPT_TIME] = {"time", parse_time, "a time", "a time as 10s, 1m30s, 00:01:30 or 500ms",
		.more = "in h, m, s, ms, us or ns",
		.fmt = units_fmt_duration, .max = UINT64_MAX, .json = JSON_NUMBER},
	[OPT_WORD] = {"word", parse_word, "a known word", NULL, .json = JSON_STRING},
	[OPT_NAME] = {"name", parse_name, "a name", "up to 63 letters, digits and (not first) -_.",
		.json = JSON_STRING},
	[OPT_TEXT] = {"text", parse_text, "printable UTF-8 text", "text", .json = JSON_STRING},
	[OPT_HEX] = {"hex", parse_hex, "hex data", "an even number of hex digits",
		.json = JSON_STRING},
	[OPT_MAC] = {"MAC", opt_parse_mac, "a MAC address", "aa:bb:cc:dd:ee:ff",
		.varied = "aa:bb:cc:dd:ee:ff, MAC-MAC or MAC/MASK",
		.plain_mask = MASK_MAC, .json = JSON_STRING},
	[OPT_IP4] = {"IPv4", opt_parse_ip4, "an IPv4 address", "an address as 192.0.2.1",
		.varied = "A, A-B, A/LEN or A/MASK",
		.plain_mask = MASK_IP4, .json = JSON_STRING},
	[OPT_IP4_IF] = {"IPv4 interface address", opt_parse_ip4_if, "an IPv4 address with its length",
		"A/LEN, as 192.0.2.1/24", .plain_mask = MASK_IP4, .json = JSON_STRING},
	[OPT_IP6] = {"IPv6", opt_parse_ip6, "an IPv6 address", "an address as 2001:db8::1",
		.varied = "A, A-B, A/LEN or A/MASK",
		.plain_mask = UINT64_MAX, .plain_up_mask = UINT64_MAX, .json = JSON_STRING},
	[OPT_ADDR] = {"IPv4 or IPv6", opt_parse_addr, "an IPv4 or IPv6 address",
		"192.0.2.1 or 2001:db8::1",
		.plain_mask = UINT64_MAX, .plain_up_mask = UINT64_MAX, .json = JSON_STRING},
	[OPT_ADDR_IF] = {"interface address", opt_parse_addr_if,
		"an IPv4 or IPv6 address with its length",
		"A/LEN, as 192.0.2.1/24 or 2001:db8::1/64, in VLANs A/LEN@VID or A/LEN@OUTER.INNER",
		.plain_mask = UINT64_MAX, .plain_up_mask = UINT64_MAX, .json = JSON_STRING},
	[OPT_FLAGS] = {"flags", parse_uint, "flags", "N", .more = "or words joined by +",
		.fmt = fmt_u64, .max = UINT64_MAX, .json = JSON_INTEGER},
	[OPT_CPUS] = {"CPUs", parse_urange, "a CPU number", "N", .more = "or a range N-M",
		.fmt = fmt_u64, .max = UINT16_MAX, .json = JSON_INTEGER},
	[OPT_RATE] = {"rate", parse_rate, "a rate", "a rate as 100mbps, 20kpps or 50%",
		.json = JSON_STRING},
	[OPT_ARGV] = {"command", parse_argv, "a command", "a program and its words, quoted as for a "
		"shell", .json = "[\"string\",\"array\"]"},
};
/* clang-format on */

const char *opt_type_name(enum opt_type type)
{
	return types[type].name;
}

const char *opt_type_json(enum opt_type type)
{
	return types[type].json;
}

const char *opt_item_noun(const struct opt *opt)
{
	return types[opt->type].noun;
}

static bool is_limited(const struct opt *opt)
{
	return types[opt->type].fmt != NULL && (opt->min != 0 || opt->max != 0);
}

uint64_t opt_upper_limit(const struct opt *opt)
{
	uint64_t own = types[opt->type].max;

	return opt->max != 0 && opt->max < own ? opt->max : own;
}

const struct opt_word *opt_word_find(const struct opt *opt, const char *name)
{
	return opt_word_find_part(opt, name, strlen(name));
}

const struct opt_word *opt_word_find_part(const struct opt *opt, const char *name, size_t len)
{
	/* asked for each header of each stream: most words differ in their first letter */
	for (const struct opt_word *w = opt->words; w != NULL && w->name != NULL; w++) {
		if (w->name[0] == name[0] && strncmp(w->name, name, len) == 0 &&
			w->name[len] == '\0')
			return w;
	}
	return NULL;
}

void opt_word_val(const struct opt *opt, const struct opt_word *word, struct opt_val *out)
{
	const struct type *type = &types[opt->type];

	*out = (struct opt_val){.mask = type->plain_mask,
		.up.mask = type->plain_up_mask,
		.lo = word->value,
		.hi = word->value,
		.is_word = true};
}

const char *opt_word_nearest(const struct opt *opt, const char *name)
{
	struct opt_near near = {.name = name};

	for (const struct opt_word *w = opt->words; w != NULL && w->name != NULL; w++)
		opt_near_try(&near, w->name);
	return near.best;
}

/* Words joined by +; false when one of them is none. */
static bool join_flags(const struct opt *opt, const char *item, struct opt_val *out)
{
	char text[128];
	char *rest = text, *name;

	if ((size_t)snprintf(text, sizeof(text), "%s", item) >= sizeof(text))
		return false;
	while ((name = strsep(&rest, "+")) != NULL) {
		const struct opt_word *word = opt_word_find(opt, name);

		if (word == NULL)
			return false;
		out->lo |= word->value;
	}
	out->hi = out->lo;
	return out->is_word = true;
}

int opt_item_parse_plain(const struct opt *opt, const char *item, struct opt_val *out)
{
	const struct type *type = &types[opt->type];
	const struct opt_word *word = opt_word_find(opt, item);
	int rc;

	if (word != NULL) {
		opt_word_val(opt, word, out);
		return 0;
	}
	*out = (struct opt_val){.mask = type->plain_mask, .up.mask = type->plain_up_mask};
	if (type->special != NULL && strcmp(item, type->special) == 0) {
		out->lo = out->hi = UINT64_MAX;
		return 0;
	}
	if (opt->type == OPT_FLAGS && join_flags(opt, item, out))
		return 0;
	out->lo = 0;
	rc = type->parse(item, out);
	if (rc != 0 || type->fmt == NULL)
		return rc;
	return out->lo < opt->min || out->hi > opt_upper_limit(opt) ? -ERANGE : 0;
}

/* The rest of the code sees its first value. */
static int parse_vary(const struct opt *opt, const char *item, struct opt_val *out)
{
	struct opt_vary vary;
	struct opt_why why;
	int rc = opt_vary_read(opt, item, 0, &vary, &why);

	if (rc != 0)
		return rc;
	out->is_word = false;
	out->is_vary = true;
	out->mask = types[opt->type].plain_mask;
	out->up.mask = types[opt->type].plain_up_mask;
	out->lo = out->hi = vary.first.lo;
	out->up.lo = out->up.hi = vary.first.up;
	opt_vary_fini(&vary);
	return 0;
}

int opt_item_parse(const struct opt *opt, const char *item, struct opt_val *out)
{
	int rc;

	/* `dec:` reads as the beginning of an IPv6 address, which nobody has: 0dec:: is not assigned */
	if (opt->type == OPT_IP6 && (opt->flags & OPT_VARY) != 0 && strncmp(item, "dec:", 4) == 0)
		return parse_vary(opt, item, out);
	rc = opt_item_parse_plain(opt, item, out);
	/* a field that takes a number may vary over a range of them */
	if (rc == -EINVAL && (opt->type == OPT_UINT || opt->type == OPT_FLAGS) &&
		(opt->flags & OPT_VARY) != 0) {
		struct opt range = *opt;

		range.type = OPT_URANGE;
		rc = opt_item_parse_plain(&range, item, out);
	}
	if (rc != 0 && (opt->flags & OPT_VARY) != 0) {
		int rc_vary = parse_vary(opt, item, out);

		rc = rc_vary != -EINVAL ? rc_vary : rc;
	}
	return rc;
}

static void describe_limits(FILE *f, const struct opt *opt)
{
	const struct type *type = &types[opt->type];
	uint64_t max = opt_upper_limit(opt);
	char text[UNITS_TEXT_MAX];

	fputs(type->fmt(text, opt->min), f);
	if (max >= UINT64_MAX - 1)
		fputs(" or more", f);
	else
		fprintf(f, "..%s", type->fmt(text, max));
}

static void describe_words(FILE *f, const struct opt *opt)
{
	const char *before = types[opt->type].form == NULL ? "" : ", or ";

	for (const struct opt_word *w = opt->words; w != NULL && w->name != NULL; w++) {
		fprintf(f, "%s%s", before, w->name);
		before = "|";
	}
}

static char *describe(const struct opt *opt, bool item)
{
	const struct type *type = &types[opt->type];
	char *text = NULL;
	size_t len;
	FILE *f = open_memstream(&text, &len);

	if (f == NULL)
		return NULL;
	if (is_limited(opt))
		describe_limits(f, opt);
	else if ((opt->flags & OPT_VARY) != 0 && type->varied != NULL)
		fputs(type->varied, f);
	else if (type->form != NULL)
		fputs(type->form, f);
	if (opt->unit != NULL)
		fprintf(f, " %s", opt->unit);
	if (type->more != NULL)
		fprintf(f, ", %s", type->more);
	if (type->special != NULL)
		fprintf(f, ", or %s", type->special);
	describe_words(f, opt);
	if ((opt->flags & OPT_VARY) != 0)
		fprintf(f, "%s, or varying: inc:|dec:|rand:|shuffle:|list:%s",
			opt->type == OPT_UINT || opt->type == OPT_FLAGS ? ", N-M or N/MASK"
			: opt->type == OPT_URANGE			? " or N/MASK"
									: "",
			opt_vary_preset(opt) != NULL ? "|" OPT_VARY_PRESET : "");
	if (!item && (opt->flags & OPT_LIST) != 0) {
		fputs(", a list", f);
		if (opt->max_items != 0)
			fprintf(f, " of up to %u", opt->max_items);
	}
	if (opt->dflt != NULL)
		fprintf(f, ", default %s", opt->dflt[0] == '\0' ? "empty" : opt->dflt);
	return fclose(f) == 0 ? text : (free(text), NULL);
}

char *opt_item_describe(const struct opt *opt)
{
	return describe(opt, true);
}

char *opt_describe(const struct opt *opt)
{
	return describe(opt, false);
}
