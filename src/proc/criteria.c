/* SPDX-License-Identifier: BSD-3-Clause */
#include "tgen/criteria.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tgen/opt.h"
#include "tgen/text.h"

/* Criteria of `expect`: docs/criteria.md has the grammar. */

#define WORDS_MAX 16
#define NAME_MAX  64

enum op { LESS, LESS_EQUAL, EQUAL, NOT_EQUAL, MORE_EQUAL, MORE };
static const struct {
	const char *text, *otherwise; /* what is wrong when it does not hold */
} ops[] = {
	[LESS] = {"<", "not less than"},
	[LESS_EQUAL] = {"<=", "more than"},
	[EQUAL] = {"==", "not"},
	[NOT_EQUAL] = {"!=", "exactly"},
	[MORE_EQUAL] = {">=", "less than"},
	[MORE] = {">", "not more than"},
};

enum scope_kind { SCOPE_ALL, SCOPE_ONE, SCOPE_EACH_STREAM, SCOPE_EACH_GROUP };
enum relative { ABSOLUTE, OF_BASELINE, OF_FIRST };

struct criterion {
	char *text;
	enum scope_kind scope;
	char scope_name[NAME_MAX], metric[NAME_MAX], size[256];
	enum op op;
	double value;  /* base units; a ratio when relative */
	char unit[16]; /* as written */
	enum relative relative;
};

/* Units of values, and what they are in base units. */
static const struct {
	const char *name, *base;
	double factor;
} units[] = {
	{"ns", "ns", 1},
	{"us", "ns", 1e3},
	{"ms", "ns", 1e6},
	{"s", "ns", 1e9},
	{"%", "ratio", 0.01},
	{"bps", "bps", 1},
	{"kbps", "bps", 1e3},
	{"mbps", "bps", 1e6},
	{"gbps", "bps", 1e9},
	{"pps", "pps", 1},
	{"kpps", "pps", 1e3},
	{"mpps", "pps", 1e6},
	{"frames", "frames", 1},
	{"packets", "frames", 1},
};
#define NB_UNITS (sizeof(units) / sizeof(units[0]))

/* Other names of the metric table's. */
static const char *const aliases[][2] = {
	{"latency-min", "lat-min"},
	{"latency-avg", "lat-avg"},
	{"latency-mean", "lat-avg"},
	{"latency-max", "lat-max"},
	{"latency-p50", "lat-p50"},
	{"latency-p90", "lat-p90"},
	{"latency-p99", "lat-p99"},
	{"latency-p999", "lat-p99.9"},
	{"latency-p99.9", "lat-p99.9"},
	{"loss", "lost-ratio"},
	{"lost", "lost-packet"},
	{"out-of-order", "rx-ooo"},
};

/* ---- parsing ---- */

struct parsing {
	char *copy;
	char *words[WORDS_MAX];
	unsigned nb, at;
	struct err *err;
};

static const char *word(const struct parsing *p)
{
	return p->at < p->nb ? p->words[p->at] : NULL;
}

static bool take(struct parsing *p, const char *expected)
{
	if (word(p) == NULL || strcmp(word(p), expected) != 0)
		return false;
	p->at++;
	return true;
}

static int wrong(const struct parsing *p, const char *what)
{
	const char *at = word(p);

	if (at == NULL)
		return err_usage(p->err, "ends where %s belongs", what);
	return err_usage(p->err, "\"%.60s\" stands where %s belongs", at, what);
}

static bool is_name(const char *text)
{
	return text != NULL && strlen(text) < NAME_MAX &&
	       text[strspn(text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
				 "._-")] == '\0';
}

/* Blanks part words; an operator is a word of its own, blanks or not. */
static int words_split(struct parsing *p, const char *text)
{
	/* each byte may become a word and a NUL */
	char *out = p->copy = malloc(2 * strlen(text) + 2);

	if (out == NULL)
		return -ENOMEM;
	for (;;) {
		size_t len;

		text += strspn(text, " \t");
		if (*text == '\0')
			return 0;
		if (p->nb == WORDS_MAX)
			return err_usage(p->err, "has more than %d words", WORDS_MAX);
		len = strspn(text, "<>=!");
		if (len == 0)
			len = strcspn(text, " \t<>=!");
		/* a mix of sizes, 64=7+594=4, stands behind `at` */
		if (p->nb > 0 && strcmp(p->words[p->nb - 1], "at") == 0)
			len = strcspn(text, " \t");
		p->words[p->nb++] = out;
		memcpy(out, text, len);
		out[len] = '\0';
		out += len + 1;
		text += len;
	}
}

static int scope_parse(struct parsing *p, struct criterion *c)
{
	bool group = word(p) != NULL && strcmp(word(p), "group") == 0;

	if (take(p, "each")) {
		if (take(p, "stream"))
			c->scope = SCOPE_EACH_STREAM;
		else if (take(p, "group"))
			c->scope = SCOPE_EACH_GROUP;
		else
			return wrong(p, "stream or group");
		return 0;
	}
	if (!group && (word(p) == NULL || strcmp(word(p), "stream") != 0))
		return 0;
	p->at++;
	if (!is_name(word(p)))
		return wrong(p, group ? "the name of a group" : "the name of a stream");
	c->scope = SCOPE_ONE;
	snprintf(c->scope_name, sizeof(c->scope_name), "%s", p->words[p->at++]);
	return 0;
}

static int metric_parse(struct parsing *p, struct criterion *c)
{
	if (!is_name(word(p)))
		return wrong(p, "a figure, as throughput or lost-ratio,");
	snprintf(c->metric, sizeof(c->metric), "%s", p->words[p->at++]);
	for (size_t i = 0; i < sizeof(ops) / sizeof(ops[0]); i++) {
		if (!take(p, ops[i].text))
			continue;
		c->op = (enum op)i;
		return 0;
	}
	return wrong(p, "one of < <= == != >= >");
}

/* The number, and its unit in the same word or the next. */
static int value_parse(struct parsing *p, struct criterion *c)
{
	const char *text = word(p), *unit;
	char *end;

	if (take(p, "baseline") || take(p, "first")) {
		c->value = 1;
		c->relative = p->words[p->at - 1][0] == 'b' ? OF_BASELINE : OF_FIRST;
		return 0;
	}
	if (text == NULL)
		return wrong(p, "a value");
	c->value = strtod(text, &end);
	if (end == text || !isfinite(c->value) || strpbrk(text, "xX") != NULL)
		return wrong(p, "a number");
	p->at++;
	unit = end;
	for (size_t i = 0; *unit == '\0' && word(p) != NULL && i < NB_UNITS; i++)
		if (take(p, units[i].name))
			unit = units[i].name;
	if (*unit == '\0')
		return 0;
	for (size_t i = 0; i < NB_UNITS; i++) {
		if (strcmp(units[i].name, unit) != 0)
			continue;
		c->value *= units[i].factor;
		if (!isfinite(c->value))
			return err_usage(p->err, "\"%.60s\" is too large", text);
		snprintf(c->unit, sizeof(c->unit), "%s", unit);
		return 0;
	}
	return err_usage(p->err,
		"\"%.60s\": \"%.30s\" is not a unit (ns us ms s, %%, bps kbps mbps "
		"gbps, pps kpps mpps, frames)",
		text, unit);
}

static int rest_parse(struct parsing *p, struct criterion *c)
{
	if (c->relative == ABSOLUTE && take(p, "of")) {
		if (strcmp(c->unit, "%") != 0)
			return err_usage(
				p->err, "a share of something is in %%, as 95%% of baseline");
		if (take(p, "baseline"))
			c->relative = OF_BASELINE;
		else if (take(p, "first"))
			c->relative = OF_FIRST;
		else
			return wrong(p, "baseline or first");
	}
	if (take(p, "at")) {
		if (word(p) == NULL || strlen(word(p)) >= sizeof(c->size))
			return wrong(p, "a frame size");
		snprintf(c->size, sizeof(c->size), "%s", p->words[p->at++]);
	}
	return word(p) == NULL ? 0 : wrong(p, "the end");
}

struct criterion *criterion_parse(const char *text, struct err *err)
{
	struct parsing p = {.err = err};
	struct criterion *c = calloc(1, sizeof(*c));
	int rc = c != NULL ? words_split(&p, text) : -ENOMEM;

	if (rc == 0)
		rc = scope_parse(&p, c);
	if (rc == 0)
		rc = metric_parse(&p, c);
	if (rc == 0)
		rc = value_parse(&p, c);
	if (rc == 0)
		rc = rest_parse(&p, c);
	if (rc == 0 && (c->text = strdup(text)) == NULL)
		rc = -ENOMEM;
	free(p.copy);
	if (rc == 0)
		return c;
	if (rc == -ENOMEM)
		err_device(err, ENOMEM, "criterion");
	else
		err_prefix(err, "\"%.200s\": ", text);
	criterion_free(c);
	return NULL;
}

void criterion_free(struct criterion *criterion)
{
	if (criterion == NULL)
		return;
	free(criterion->text);
	free(criterion);
}

const char *criterion_text(const struct criterion *criterion)
{
	return criterion->text;
}

bool criterion_needs_baseline(const struct criterion *criterion)
{
	return criterion->relative == OF_BASELINE;
}

bool criterion_needs_first(const struct criterion *criterion)
{
	return criterion->relative == OF_FIRST;
}

/* ---- judging ---- */

static bool holds(enum op op, double value, double limit)
{
	switch (op) {
	case LESS:
		return value < limit;
	case LESS_EQUAL:
		return value <= limit;
	case EQUAL:
		return value == limit;
	case NOT_EQUAL:
		return value != limit;
	case MORE_EQUAL:
		return value >= limit;
	case MORE:
		return value > limit;
	}
	return false;
}

static bool figure_find(const struct criterion_source *source, const char *metric,
	const char *scope, double *value, const char **unit)
{
	if (source->figure(source->ctx, metric, scope, value, unit))
		return true;
	for (size_t i = 0; i < sizeof(aliases) / sizeof(aliases[0]); i++)
		if (strcmp(aliases[i][0], metric) == 0)
			return source->figure(source->ctx, aliases[i][1], scope, value, unit);
	return false;
}

/* What a value of a unit is called to a reader. */
static void value_text(char *out, size_t size, double value, const char *unit)
{
	if (strcmp(unit, "ratio") == 0)
		snprintf(out, size, "%.6g %%", value * 100);
	else if (strcmp(unit, "ns") == 0 && fabs(value) >= 1e9)
		snprintf(out, size, "%.4g s", value / 1e9);
	else if (strcmp(unit, "ns") == 0 && fabs(value) >= 1e6)
		snprintf(out, size, "%.4g ms", value / 1e6);
	else if (strcmp(unit, "ns") == 0 && fabs(value) >= 1e3)
		snprintf(out, size, "%.4g us", value / 1e3);
	else if (strcmp(unit, "bps") == 0 && fabs(value) >= 1e6)
		snprintf(out, size, "%.10g mbps", value / 1e6);
	else
		snprintf(out, size, "%.10g%s%s", value, unit[0] != '\0' ? " " : "", unit);
}

/* A value without a unit fits any figure; one with another base than the figure's does not. */
static bool unit_fits(const struct criterion *c, const char *unit)
{
	if (c->unit[0] == '\0' || c->relative != ABSOLUTE)
		return true;
	for (size_t i = 0; i < NB_UNITS; i++)
		if (strcmp(units[i].name, c->unit) == 0)
			return strcmp(units[i].base, unit) == 0 ||
			       (strcmp(units[i].base, "ns") == 0 && strcmp(unit, "s") == 0);
	return false;
}

struct judging {
	const struct criterion *c;
	const struct criterion_source *cell, *other;
	struct criterion_verdict *out;
};

static const char *of_text(const struct criterion *c)
{
	return c->relative == OF_BASELINE ? "the baseline" : "the first variant";
}

/* The limit for a scope; false: there is nothing to compare with. */
static bool limit_find(const struct judging *j, const char *scope, const char *unit, double *limit)
{
	const char *other = "";
	double value;

	*limit = j->c->value;
	if (j->c->relative == ABSOLUTE)
		return true;
	if (j->other == NULL || !figure_find(j->other, j->c->metric, scope, &value, &other) ||
		!isfinite(value) || strcmp(unit, other) != 0)
		return false;
	*limit = j->c->value * value;
	return true;
}

static enum criterion_status judge_scope(const struct judging *j, const char *scope)
{
	const struct criterion *c = j->c;
	struct criterion_verdict *out = j->out;
	const char *unit = "", *before = scope != NULL ? scope : "";
	const char *between = scope != NULL ? ": " : "";
	char is[64], should[64];
	double limit;

	out->value = out->limit = NAN;
	if (!figure_find(j->cell, c->metric, scope, &out->value, &unit) || isnan(out->value)) {
		out->value = NAN;
		snprintf(out->text, sizeof(out->text), "%s%s%s is not known here", before, between,
			c->metric);
		return CRITERION_UNKNOWN;
	}
	if (!unit_fits(c, unit)) {
		snprintf(out->text, sizeof(out->text),
			"%s%s%s is in %s, and cannot be compared with %s", before, between,
			c->metric, unit[0] != '\0' ? unit : "no unit", c->unit);
		return CRITERION_UNKNOWN;
	}
	if (!limit_find(j, scope, unit, &limit)) {
		snprintf(out->text, sizeof(out->text),
			"%s%s%s: %s has no such figure to compare with", before, between, c->metric,
			of_text(c));
		return CRITERION_UNKNOWN;
	}
	/* procedures give times in seconds, too */
	if (strcmp(unit, "s") == 0 && c->relative == ABSOLUTE && c->unit[0] != '\0')
		limit /= 1e9;
	out->limit = limit;
	value_text(is, sizeof(is), out->value, unit);
	value_text(should, sizeof(should), limit, unit);
	if (holds(c->op, out->value, limit)) {
		snprintf(out->text, sizeof(out->text), "%s%s%s is %s", before, between, c->metric,
			is);
		return CRITERION_MET;
	}
	snprintf(out->text, sizeof(out->text), "%s%s%s is %s, %s %s%s%s", before, between,
		c->metric, is, ops[c->op].otherwise, should, c->relative != ABSOLUTE ? ", of " : "",
		c->relative != ABSOLUTE ? of_text(c) : "");
	return CRITERION_MISSED;
}

static bool is_worse(
	enum op op, const struct criterion_verdict *a, const struct criterion_verdict *b)
{
	/* limits differ where they are those of another run */
	double x = a->limit != 0 ? a->value / fabs(a->limit) : a->value,
	       y = b->limit != 0 ? b->value / fabs(b->limit) : b->value;

	if (a->status != b->status)
		return a->status > b->status;
	if (op == EQUAL)
		return fabs(a->value - a->limit) > fabs(b->value - b->limit);
	return op == LESS || op == LESS_EQUAL ? x > y : x < y;
}

/* The worst of all streams, or groups. */
static void judge_each(const struct judging *j)
{
	struct criterion_verdict worst = {.status = CRITERION_UNKNOWN, .value = NAN, .limit = NAN};
	bool groups = j->c->scope == SCOPE_EACH_GROUP, any = false;
	const char *scope;

	snprintf(worst.text, sizeof(worst.text), "there is no %s", groups ? "group" : "stream");
	for (unsigned i = 0;
		j->cell->scope != NULL && (scope = j->cell->scope(j->cell->ctx, groups, i)) != NULL;
		i++) {
		j->out->status = judge_scope(j, scope);
		if (!any || is_worse(j->c->op, j->out, &worst))
			worst = *j->out;
		any = true;
	}
	*j->out = worst;
}

void criterion_judge(const struct criterion *criterion, const char *frame_size,
	const struct criterion_source *cell, const struct criterion_source *baseline,
	const struct criterion_source *first, struct criterion_verdict *out)
{
	const struct judging j = {.c = criterion,
		.cell = cell,
		.other = criterion->relative == OF_BASELINE ? baseline : first,
		.out = out};

	*out = (struct criterion_verdict){.status = CRITERION_APART, .value = NAN, .limit = NAN};
	if (criterion->size[0] != '\0' &&
		(frame_size == NULL || strcmp(frame_size, criterion->size) != 0))
		return;
	if (criterion->scope == SCOPE_EACH_STREAM || criterion->scope == SCOPE_EACH_GROUP)
		judge_each(&j);
	else
		out->status = judge_scope(
			&j, criterion->scope == SCOPE_ONE ? criterion->scope_name : NULL);
}
