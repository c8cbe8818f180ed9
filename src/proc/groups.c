/* SPDX-License-Identifier: BSD-3-Clause */
#include "groups.h"

#include <stdlib.h>
#include <string.h>

#include "tgen/units.h"

bool group_has(const struct result_info *info, unsigned stream, const char *group)
{
	const char *own = info->streams[stream].group;

	return own != NULL && strcmp(own, group) == 0;
}

static bool is_first(const struct result_info *info, unsigned stream)
{
	for (unsigned i = 0; i < stream; i++)
		if (group_has(info, i, info->streams[stream].group))
			return false;
	return true;
}

const char *group_name(const struct result_info *info, unsigned i)
{
	for (unsigned s = 0; s < info->nb_streams; s++)
		if (info->streams[s].group != NULL && is_first(info, s) && i-- == 0)
			return info->streams[s].group;
	return NULL;
}

bool group_total(const struct result_info *info, const struct trial_result *result,
	const char *group, struct result_row *out)
{
	struct result_row *rows = calloc(info->nb_streams, sizeof(*rows));
	struct hist *h = malloc(2 * sizeof(*h));
	uint64_t last_loss = 0;
	unsigned nb = 0;

	for (unsigned i = 0; rows != NULL && h != NULL && i < info->nb_streams; i++) {
		if (!group_has(info, i, group))
			continue;
		if (nb == 0)
			hist_reset(&h[0]);
		rows[nb++] = result->totals[i];
		if (result->totals[i].outage.last_loss_ns > last_loss)
			last_loss = result->totals[i].outage.last_loss_ns;
		if (result->latency == NULL)
			continue;
		result->latency(result->latency_ctx, i, &h[1]);
		hist_merge(&h[0], &h[1]);
	}
	if (nb > 0) {
		result_row_total(out, rows, nb, info, &h[0]);
		out->outage.last_loss_ns = last_loss;
	}
	free(h);
	free(rows);
	return nb > 0;
}

int group_figure(const struct proc_env *env, const char *group, const char *name, double value,
	const char *unit)
{
	const struct proc_figure figure = {
		.name = name, .value = value, .unit = unit, .scope = group};

	return env->sink->figure(env->sink->ctx, &figure);
}

double row_loss_ratio(const struct result_row *row)
{
	uint64_t whole = metric_whole(row);

	return whole > 0 ? (double)row->lost_packet / (double)whole : 1;
}

int group_figures(const struct proc_env *env, const struct trial_result *result)
{
	const char *group;
	int rc = 0;

	for (unsigned i = 0; rc == 0 && (group = group_name(env->info, i)) != NULL; i++) {
		struct result_row row;

		if (!group_total(env->info, result, group, &row) || row.n.tx_packet == 0)
			continue;
		rc = group_figure(
			env, group, "received", (double)row.rx_upps / UNITS_MICROS, "pps");
		if (rc == 0)
			rc = group_figure(env, group, "lost-ratio", row_loss_ratio(&row), "ratio");
		if (rc == 0)
			rc = proc_latency_figures(env, group, &row.lat);
	}
	return rc;
}
