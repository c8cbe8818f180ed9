/* SPDX-License-Identifier: BSD-3-Clause */
#include "tgen/plan.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_POINTS  4096u
#define POINT_CHARS 96

static int rate_read(const char *text, struct plan_profile_point *point, struct err *err)
{
	static const enum plan_unit units[] = {[UNITS_RATE_BPS] = PLAN_BPS,
		[UNITS_RATE_UPPS] = PLAN_UPPS,
		[UNITS_RATE_PERCENT] = PLAN_PERCENT};
	enum units_rate_kind kind = UNITS_RATE_UPPS;
	int rc;

	point->unit = PLAN_UPPS;
	point->value = 0;
	if (strcmp(text, "0") == 0)
		return 0;
	rc = units_parse_rate(text, &kind, &point->value);
	point->unit = units[kind];
	if (rc == -ERANGE && kind == UNITS_RATE_PERCENT)
		return err_usage(err, "%s is more than the line", text);
	if (rc == 0)
		return 0;
	return err_usage(err,
		"\"%.80s\" is not a rate: a number with mbps, pps or %%, as 10mbps, 1.5kpps or "
		"50%%, "
		"or 0",
		text);
}

/* TIME=RATE */
static int point_read(struct plan_profile *profile, char *text, struct err *err)
{
	struct plan_profile_point *point = &profile->points[profile->nb];
	char *rate = strchr(text, '=');

	if (rate == NULL)
		return err_usage(err, "\"%.80s\" is not TIME=RATE, as 10s=100mbps", text);
	*rate++ = '\0';
	if (units_parse_time(text, &point->at_ns) != 0)
		return err_usage(err, "\"%.80s\" is not a time, as 10s or 1m30s", text);
	if (profile->nb == 0 && point->at_ns != 0)
		return err_usage(
			err, "begins at %s: say what the rate is from 0s on, as 0s=0", text);
	if (profile->nb > 0 && point->at_ns <= point[-1].at_ns)
		return err_usage(err, "%s does not come after the time before it", text);
	profile->nb++;
	return rate_read(rate, point, err);
}

/* The kind of profile, and what follows the word. */
static const char *kind_read(const char *item, struct plan_profile *out, struct err *err)
{
	static const char *const kinds[] = {"steps", "linear"};
	const char *colon = strchr(item, ':'), *equals = strchr(item, '=');
	char word[POINT_CHARS];
	const char *near;

	/* a colon may also be part of a time, 00:01:30 */
	if (colon == NULL || (equals != NULL && colon > equals) || strspn(item, "0123456789") > 0)
		return item;
	snprintf(word, sizeof(word), "%.*s", (int)(colon - item), item);
	for (size_t i = 0; i < 2; i++) {
		if (strcmp(word, kinds[i]) != 0)
			continue;
		out->linear = i == 1;
		return colon + 1;
	}
	near = opt_nearest(word, kinds, 2);
	err_usage(err, "\"%s\" is not steps or linear%s%s%s", word,
		near != NULL ? ", did you mean \"" : "", near != NULL ? near : "",
		near != NULL ? "\"?" : "");
	return NULL;
}

static bool is_all_zero(const struct plan_profile *profile)
{
	for (unsigned i = 0; i < profile->nb; i++)
		if (profile->points[i].value != 0)
			return false;
	return true;
}

int plan_profile_parse(const char *item, struct plan_profile *out, struct err *err)
{
	const char *text;
	unsigned nb = 1;
	int rc = 0;

	*out = (struct plan_profile){0};
	text = kind_read(item, out, err);
	if (text == NULL)
		return -EINVAL;
	for (const char *p = text; *p != '\0'; p++)
		nb += *p == '+';
	if (nb > MAX_POINTS)
		return err_usage(err, "a profile of more than %u points", MAX_POINTS);
	out->points = calloc(nb, sizeof(*out->points));
	if (out->points == NULL)
		return err_device(err, ENOMEM, "rate-profile");
	while (rc == 0) {
		size_t len = strcspn(text, "+");
		char point[POINT_CHARS];

		snprintf(point, sizeof(point), "%.*s", (int)len, text);
		rc = len < sizeof(point) ? point_read(out, point, err)
					 : err_usage(err, "\"%.80s\" is not TIME=RATE", point);
		if (text[len] == '\0')
			break;
		text += len + 1;
	}
	if (rc == 0 && is_all_zero(out))
		rc = err_usage(err, "\"%.80s\" never sends anything", item);
	if (rc < 0)
		plan_profile_fini(out);
	return rc;
}

void plan_profile_fini(struct plan_profile *profile)
{
	free(profile->points);
	*profile = (struct plan_profile){0};
}
