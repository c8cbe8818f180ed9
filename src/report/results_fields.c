/* SPDX-License-Identifier: BSD-3-Clause */
#include <math.h>
#include <stddef.h>

#include "results_private.h"

/* The numbers of a row and of a port as they are kept, so that a trial can be played back. */

enum kind { U64, I64, U32, BOOL };
struct field {
	const char *name;
	enum kind kind;
	size_t offset;
};

#define ROW(kind_, member)                                                                         \
	{                                                                                          \
#member, kind_, offsetof(struct result_row, member)                                \
	}
#define PORT(kind_, member)                                                                        \
	{                                                                                          \
#member, kind_, offsetof(struct result_port_counts, member)                        \
	}

/* clang-format off */
static const struct field row_fields[] = {
	ROW(U64, end_unix_ns), ROW(U64, length_ns), ROW(BOOL, incomplete),
	ROW(U64, n.tx_packet), ROW(U64, n.good), ROW(U64, n.tx_byte), ROW(U64, n.good_byte),
	ROW(U64, n.ooo), ROW(U64, n.late), ROW(U64, n.spill), ROW(U64, n.duplicate),
	ROW(U64, n.bad), ROW(U64, n.misrouted), ROW(U64, n.stray), ROW(U64, n.returned),
	ROW(U64, n.unsent), ROW(U64, n.last_fragment), ROW(U64, n.lat_negative),
	ROW(U64, tx_byte), ROW(U64, rx_byte), ROW(I64, lost_packet),
	ROW(U64, tx_bps), ROW(U64, rx_bps), ROW(U64, lost_bps), ROW(U64, tx_upps), ROW(U64, rx_upps),
	ROW(U64, lat.count), ROW(U64, lat.min), ROW(U64, lat.mean), ROW(U64, lat.max),
	ROW(U64, lat.p50), ROW(U64, lat.p90), ROW(U64, lat.p99), ROW(U64, lat.p999),
	ROW(U64, intended.count), ROW(U64, intended.min), ROW(U64, intended.mean),
	ROW(U64, intended.max), ROW(U64, intended.p50), ROW(U64, intended.p90),
	ROW(U64, intended.p99), ROW(U64, intended.p999),
	ROW(U64, ipdv.count), ROW(I64, ipdv.min), ROW(I64, ipdv.median), ROW(I64, ipdv.max),
	ROW(U64, pdv_ns), ROW(U64, jitter_ns),
	ROW(BOOL, outage.known), ROW(U64, outage.length_ns), ROW(U64, outage.begin_ns),
	ROW(U64, outage.lost), ROW(U64, outage.last_loss_ns),
	ROW(U64, tx_layer_byte), ROW(U64, rx_layer_byte), ROW(U64, lost_layer_byte),
	ROW(U64, lost_byte),
};
static const struct field port_fields[] = {
	PORT(U64, rx_all), PORT(U64, good), PORT(U64, duplicate), PORT(U64, bad),
	PORT(U64, misrouted), PORT(U64, stray), PORT(U64, fragment), PORT(U64, returned),
	PORT(U64, host), PORT(U64, unknown), PORT(U64, tx_test), PORT(U64, tx_other),
	PORT(U64, tx_undelivered), PORT(U64, rx_missed), PORT(U64, rx_kernel_dropped),
	PORT(BOOL, rx_kernel_known), PORT(BOOL, link_up), PORT(BOOL, link_changed),
	PORT(U64, unknown_byte), PORT(BOOL, gone), PORT(U64, tx_kernel_short),
	PORT(BOOL, rx_missed_known), PORT(BOOL, pause_known), PORT(U64, pause_rx),
	PORT(U64, pause_tx),
};
/* clang-format on */
#define NB(array) (sizeof(array) / sizeof((array)[0]))

static cJSON *write_fields(const void *base, const struct field *fields, size_t nb)
{
	cJSON *node = cJSON_CreateObject();

	for (size_t i = 0; i < nb; i++) {
		const char *at = (const char *)base + fields[i].offset;
		const char *name = fields[i].name;

		switch (fields[i].kind) {
		case U64:
			results_add_u64(node, name, *(const uint64_t *)(const void *)at);
			break;
		case I64:
			cJSON_AddNumberToObject(
				node, name, (double)*(const int64_t *)(const void *)at);
			break;
		case U32:
			cJSON_AddNumberToObject(node, name, *(const uint32_t *)(const void *)at);
			break;
		case BOOL:
			cJSON_AddBoolToObject(node, name, *(const bool *)(const void *)at);
			break;
		}
	}
	return node;
}

/* False: one is not there, or no such number. */
static bool read_fields(const cJSON *node, void *base, const struct field *fields, size_t nb)
{
	for (size_t i = 0; i < nb; i++) {
		const cJSON *item = cJSON_GetObjectItemCaseSensitive(node, fields[i].name);
		char *at = (char *)base + fields[i].offset;
		double n = cJSON_IsNumber(item) ? item->valuedouble : 0;

		switch (fields[i].kind) {
		case U64:
			if (!results_read_u64(item, (uint64_t *)(void *)at))
				return false;
			break;
		case I64:
			if (!cJSON_IsNumber(item) || fabs(n) > 0x1p62)
				return false;
			*(int64_t *)(void *)at = (int64_t)n;
			break;
		case U32:
			if (!cJSON_IsNumber(item) || n < 0 || n > UINT32_MAX)
				return false;
			*(uint32_t *)(void *)at = (uint32_t)n;
			break;
		case BOOL:
			if (!cJSON_IsBool(item))
				return false;
			*(bool *)(void *)at = cJSON_IsTrue(item);
			break;
		}
	}
	return true;
}

/* RESULT_INFINITE and what else is beyond the numbers of JSON: `inf`. */
void results_add_u64(cJSON *node, const char *key, uint64_t value)
{
	if (value >= UINT64_C(1) << 63)
		cJSON_AddStringToObject(node, key, "inf");
	else
		cJSON_AddNumberToObject(node, key, (double)value);
}

bool results_read_u64(const cJSON *item, uint64_t *value)
{
	if (cJSON_IsString(item) && item->valuestring[0] == 'i') {
		*value = UINT64_MAX;
		return true;
	}
	if (!cJSON_IsNumber(item) || !(item->valuedouble >= 0) || item->valuedouble >= 0x1p63)
		return false;
	*value = (uint64_t)item->valuedouble;
	return true;
}

cJSON *results_row_raw(const struct result_row *row)
{
	return write_fields(row, row_fields, NB(row_fields));
}

bool results_row_raw_read(const cJSON *node, struct result_row *row)
{
	return read_fields(node, row, row_fields, NB(row_fields));
}

cJSON *results_port_raw(const struct result_port_counts *port)
{
	return write_fields(port, port_fields, NB(port_fields));
}

bool results_port_raw_read(const cJSON *node, struct result_port_counts *port)
{
	return read_fields(node, port, port_fields, NB(port_fields));
}

/* ---- histograms: pairs of a bucket's number and its samples ---- */

cJSON *results_hist(const struct hist *h)
{
	cJSON *node = cJSON_CreateObject(), *buckets;

	results_add_u64(node, "count", h->count);
	results_add_u64(node, "sum", h->sum);
	results_add_u64(node, "min", h->count > 0 ? h->min : 0);
	results_add_u64(node, "max", h->max);
	results_add_u64(node, "overflow", h->overflow);
	buckets = cJSON_AddArrayToObject(node, "buckets");
	for (unsigned i = 0; i < HIST_NB_BUCKETS; i++) {
		if (h->bucket[i] == 0)
			continue;
		cJSON_AddItemToArray(buckets, cJSON_CreateNumber(i));
		cJSON_AddItemToArray(buckets, cJSON_CreateNumber((double)h->bucket[i]));
	}
	return node;
}

bool results_hist_read(const cJSON *node, struct hist *h)
{
	const cJSON *buckets = cJSON_GetObjectItemCaseSensitive(node, "buckets"), *item, *nb;
	uint64_t sum = 0;

	hist_reset(h);
	if (!results_read_u64(cJSON_GetObjectItemCaseSensitive(node, "count"), &h->count) ||
		!results_read_u64(cJSON_GetObjectItemCaseSensitive(node, "sum"), &h->sum) ||
		!results_read_u64(cJSON_GetObjectItemCaseSensitive(node, "min"), &h->min) ||
		!results_read_u64(cJSON_GetObjectItemCaseSensitive(node, "max"), &h->max) ||
		!results_read_u64(
			cJSON_GetObjectItemCaseSensitive(node, "overflow"), &h->overflow) ||
		!cJSON_IsArray(buckets))
		return false;
	for (item = buckets->child; item != NULL; item = nb->next) {
		uint64_t index, count;

		nb = item->next;
		if (nb == NULL || !results_read_u64(item, &index) ||
			!results_read_u64(nb, &count) || index >= HIST_NB_BUCKETS)
			return false;
		h->bucket[index] = count;
		sum += count;
	}
	if (h->count == 0)
		h->min = UINT64_MAX;
	return sum + h->overflow == h->count;
}
