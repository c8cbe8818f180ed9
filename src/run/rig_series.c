/* SPDX-License-Identifier: BSD-3-Clause */
#include <math.h>
#include <stdlib.h>

#include "rig_private.h"
#include "tgen/units.h"

/* The time series of a trial: a point a second, joined when there are many. */

#define POINTS_MAX 600u

void rig_point_add(struct rig *rig, const struct result_row *rows, unsigned nb)
{
	const struct result_row *tot = &rows[nb - 1]; /* the sum is the last one */
	struct rig_point *p;

	if (rig->nb_points == rig->room) {
		unsigned room = rig->room > 0 ? 2 * rig->room : 64;
		struct rig_point *more = realloc(rig->points, room * sizeof(*more));

		if (more == NULL)
			return; /* a picture less */
		rig->points = more;
		rig->room = room;
	}
	p = &rig->points[rig->nb_points];
	*p = (struct rig_point){
		.t_s = (rig->nb_points > 0 ? p[-1].t_s : 0) + (double)tot->length_ns / 1e9,
		.tx_upps = tot->tx_upps,
		.rx_upps = tot->rx_upps,
		.tx_bps = tot->tx_bps,
		.rx_bps = tot->rx_bps,
		.lost = tot->lost_packet,
		.whole = metric_whole(tot),
		.lat = tot->lat};
	rig->nb_points++;
}

static void number_or_null(cJSON *node, const char *key, bool known, double value)
{
	cJSON_AddItemToObject(node, key, known ? cJSON_CreateNumber(value) : cJSON_CreateNull());
}

/* Points from..to-1 as one. */
static cJSON *join(const struct rig_point *p, unsigned nb)
{
	cJSON *node = cJSON_CreateObject();
	double tx = 0, rx = 0, txb = 0, rxb = 0, lost = 0, whole = 0, mean = 0, samples = 0;
	uint64_t p99 = 0, max = 0;

	for (unsigned i = 0; i < nb; i++) {
		tx += (double)p[i].tx_upps / UNITS_MICROS / nb;
		rx += (double)p[i].rx_upps / UNITS_MICROS / nb;
		txb += (double)p[i].tx_bps / nb;
		rxb += (double)p[i].rx_bps / nb;
		lost += (double)p[i].lost;
		whole += (double)p[i].whole;
		mean += (double)p[i].lat.mean * (double)p[i].lat.count;
		samples += (double)p[i].lat.count;
		p99 = p[i].lat.p99 > p99 ? p[i].lat.p99 : p99;
		max = p[i].lat.max > max ? p[i].lat.max : max;
	}
	cJSON_AddNumberToObject(node, "t", p[nb - 1].t_s);
	cJSON_AddNumberToObject(node, "tx-pps", tx);
	cJSON_AddNumberToObject(node, "rx-pps", rx);
	cJSON_AddNumberToObject(node, "tx-bps", txb);
	cJSON_AddNumberToObject(node, "rx-bps", rxb);
	number_or_null(node, "lost-ratio", whole > 0, lost / whole);
	number_or_null(node, "lat-mean", samples > 0, mean / samples);
	number_or_null(node, "lat-p99", samples > 0, (double)p99);
	number_or_null(node, "lat-max", samples > 0, (double)max);
	return node;
}

cJSON *rig_points_json(const struct rig *rig)
{
	unsigned step = (rig->nb_points + POINTS_MAX - 1) / POINTS_MAX;
	cJSON *list = cJSON_CreateArray();

	for (unsigned i = 0; i < rig->nb_points; i += step) {
		unsigned nb = rig->nb_points - i < step ? rig->nb_points - i : step;

		cJSON_AddItemToArray(list, join(&rig->points[i], nb));
	}
	return list;
}
