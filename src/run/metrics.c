/* SPDX-License-Identifier: BSD-3-Clause */
#include "metrics.h"

#include <string.h>

static const cJSON *member(const cJSON *object, const char *key)
{
	return cJSON_GetObjectItemCaseSensitive(object, key);
}

static const char *text_of(const cJSON *object, const char *key)
{
	return cJSON_GetStringValue(member(object, key));
}

static bool same_text(const char *a, const char *b)
{
	return a == b || (a != NULL && b != NULL && strcmp(a, b) == 0);
}

/* The last trial of a cell that counts: the figures of the metric table are of it. */
const cJSON *metrics_last_trial(const cJSON *cell)
{
	const cJSON *trial, *last = NULL;

	cJSON_ArrayForEach(trial, member(cell, "trials"))
	{
		if (cJSON_IsTrue(member(trial, "valid")) &&
			!same_text(text_of(trial, "purpose"), "warm-up"))
			last = trial;
	}
	return last;
}

const char *metrics_unit(enum metric_kind kind)
{
	static const char *const units[] = {
		[METRIC_COUNT] = "frames",
		[METRIC_SIGNED] = "frames",
		[METRIC_BPS] = "bps",
		[METRIC_UPPS] = "pps",
		[METRIC_NS] = "ns",
		[METRIC_RATIO] = "ratio",
		[METRIC_SIGNED_NS] = "ns",
	};

	return units[kind];
}

/* The metrics of a scope: a stream's or a group's; NULL: of all. */
const cJSON *metrics_of(const cJSON *trial, const char *scope)
{
	static const char *const lists[] = {"streams", "groups"};

	if (scope == NULL)
		return member(trial, "total");
	for (size_t i = 0; i < sizeof(lists) / sizeof(lists[0]); i++) {
		const cJSON *item;

		cJSON_ArrayForEach(item, member(trial, lists[i]))
		{
			if (same_text(text_of(item, "name"), scope))
				return member(item, "metrics");
		}
	}
	return NULL;
}
