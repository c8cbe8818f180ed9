/* SPDX-License-Identifier: BSD-3-Clause */
#include "table.h"

#include "value.h"

#include <ctype.h>
#include <inttypes.h>
#include <string.h>

static char *fmt_u64(char *out, uint64_t n)
{
	return value_format(out, METRIC_COUNT, n, 0);
}

/* Of what was asked, where every stream has a figure for that. */
static void print_sent(FILE *out, const struct result_info *info, const struct result_row *total,
	const struct result_summary *summary)
{
	char sent[UNITS_TEXT_MAX], text[UNITS_TEXT_MAX];
	uint64_t asked = 0;
	bool known = true;

	for (unsigned i = 0; i < info->nb_streams; i++) {
		uint64_t one = result_stream_asked(&info->streams[i], summary->send_ns);

		known &= one != UINT64_MAX;
		asked += one;
	}
	fprintf(out, "sent %s", fmt_u64(sent, total ? total->n.tx_packet : 0));
	if (known)
		fprintf(out, " of %s", fmt_u64(text, asked));
}

static bool is_named_before(
	const struct result_info *info, const struct result_summary *summary, unsigned port)
{
	for (unsigned i = 0; i < port; i++)
		if (!summary->ports[i].rx_missed_known &&
			strcmp(info->ports[i].driver, info->ports[port].driver) == 0)
			return true;
	return false;
}

/* What drivers count, and which do not. */
static void print_missed(
	FILE *out, const struct result_info *info, const struct result_summary *summary)
{
	const char *separator = " not reported by ";
	char text[UNITS_TEXT_MAX];
	uint64_t missed = 0;
	bool known = false, also_unknown = false;

	for (unsigned i = 0; i < info->nb_ports; i++) {
		known |= summary->ports[i].rx_missed_known;
		also_unknown |= !summary->ports[i].rx_missed_known;
		if (summary->ports[i].rx_missed_known)
			missed += summary->ports[i].rx_missed;
	}
	fputs(", rx missed", out);
	if (known)
		fprintf(out, " %s%s", fmt_u64(text, missed), also_unknown ? "," : "");
	for (unsigned i = 0; i < info->nb_ports; i++) {
		if (summary->ports[i].rx_missed_known || is_named_before(info, summary, i))
			continue;
		fprintf(out, "%s%s", separator, info->ports[i].driver);
		separator = " and ";
	}
}

static void print_dropped(
	FILE *out, const struct result_info *info, const struct result_summary *summary)
{
	char text[UNITS_TEXT_MAX];
	uint64_t dropped = 0;
	bool known = false;

	for (unsigned i = 0; i < info->nb_ports; i++) {
		if (!summary->ports[i].rx_kernel_known)
			continue;
		known = true;
		dropped += summary->ports[i].rx_kernel_dropped;
	}
	/* drivers without the kernel have nothing to be dropped there */
	if (known)
		fprintf(out, ", kernel dropped %s", fmt_u64(text, dropped));
}

static void print_timing(FILE *out, const struct result_health *health)
{
	char a[UNITS_TEXT_MAX], b[UNITS_TEXT_MAX], c[UNITS_TEXT_MAX];

	fprintf(out, ", queue full %s", fmt_u64(a, health->queue_full));
	if (health->lag.count > 0)
		fprintf(out, ", lag p50 %s p99 %s max %s", units_fmt_time(a, health->lag.p50),
			units_fmt_time(b, health->lag.p99), units_fmt_time(c, health->lag.max));
	fprintf(out, ", late bursts %s", fmt_u64(a, health->late_bursts));
	if (health->late_bursts > 0)
		fprintf(out, " with %s frames", fmt_u64(a, health->catch_up));
}

static void print_steal(FILE *out, const struct result_health *health)
{
	char steal[UNITS_TEXT_MAX], cpu[UNITS_TEXT_MAX];

	if (health->steal_known)
		fprintf(out, ", steal %s of %s", units_fmt_time(steal, health->steal_ns),
			units_fmt_time(cpu, health->cpu_ns));
	else
		fputs(", steal not reported by the system", out);
}

/* Cores without any time left, and not because they waited for a full driver: they are the limit. */
static void print_full(FILE *out, const struct result_health *health)
{
	const char *separator = ", no time left on CPU ";
	char text[UNITS_TEXT_MAX];

	for (unsigned i = 0; i < health->nb_workers && health->queue_full == 0; i++) {
		uint32_t load = result_worker_load_ppm(&health->workers[i]);

		if (load < RESULT_CORE_FULL_PPM)
			continue;
		fprintf(out, "%s%u (busy %s)", separator, health->workers[i].cpu,
			units_fmt_ratio(text, load, UNITS_MICROS));
		separator = " and ";
	}
}

void table_print_health(FILE *out, const struct result_info *info, const struct result_row *total,
	const struct result_summary *summary)
{
	fputs(summary->clean ? "generator: clean" : "generator: NOT CLEAN", out);
	for (unsigned i = 0; !summary->clean && i < summary->nb_reasons; i++)
		fprintf(out, "%s %s", i ? ";" : ":", summary->reasons[i]);
	fputs(" (", out);
	print_sent(out, info, total, summary);
	print_timing(out, &summary->health);
	print_missed(out, info, summary);
	print_dropped(out, info, summary);
	print_steal(out, &summary->health);
	print_full(out, &summary->health);
	fputs(")\n", out);
}

void table_print_latency(FILE *out, const struct result_info *info, const struct result_row *total)
{
	char name[UNITS_TEXT_MAX], floor[UNITS_TEXT_MAX];

	if (total->lat.count == 0)
		return;
	snprintf(name, sizeof(name), "%s", value_latency_type(info->latency_type));
	for (char *c = name; *c != '\0'; c++)
		*c = (char)toupper((unsigned char)*c);
	fprintf(out, "latency: %s, software stamps: includes the generator's own stack", name);
	if (info->floor_ns != 0)
		fprintf(out, " (floor %s, tgen selftest)", units_fmt_time(floor, info->floor_ns));
	fputc('\n', out);
}
