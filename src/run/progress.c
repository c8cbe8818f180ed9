/* SPDX-License-Identifier: BSD-3-Clause */
#include "progress.h"

#include <math.h>
#include <stdarg.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "tgen/log.h"
#include "tgen/units.h"

static uint64_t now_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (uint64_t)ts.tv_sec * UNITS_NS_PER_S + (uint64_t)ts.tv_nsec;
}

void progress_init(struct progress *progress)
{
	progress->out = stderr;
	progress->is_terminal = isatty(STDERR_FILENO) == 1;
	progress->began_ns = now_ns();
}

static bool is_quiet(void)
{
	return log_level_get() < LOG_LEVEL_INFO;
}

void progress_clear(struct progress *progress)
{
	if (progress->line_open)
		fputs("\r\033[K", progress->out);
	progress->line_open = false;
}

static const char *pps_text(char out[UNITS_TEXT_MAX], double pps)
{
	if (isinf(pps))
		return "flat out";
	units_fmt_count(out, (int64_t)pps);
	return out;
}

/* `routing/nat, 64 bytes, 2 of 3` */
static void cell_text(const struct progress *p, char *out, size_t size)
{
	int len = snprintf(out, size, "%s%s%s", p->test, p->variant != NULL ? "/" : "",
		p->variant != NULL ? p->variant : "");

	if (p->size != NULL && len >= 0 && (size_t)len < size)
		len += snprintf(out + len, size - (size_t)len, ", size %s", p->size);
	if (p->repeats > 1 && len >= 0 && (size_t)len < size)
		snprintf(out + len, size - (size_t)len, ", %u of %u", p->repeat, p->repeats);
}

/* What is left at most, from the plan and how the time went so far. */
static uint64_t remaining_ns(const struct progress *p)
{
	uint64_t gone = now_ns() - p->began_ns;

	return p->planned_ns > gone ? p->planned_ns - gone : 0;
}

void progress_say(struct progress *progress, const char *fmt, ...)
{
	char text[512];
	va_list ap;

	if (is_quiet())
		return;
	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	progress_clear(progress);
	fprintf(progress->out, "tgen: %s\n", text);
}

void progress_event(struct progress *progress, const char *kind, cJSON *event)
{
	char *text;

	if (progress->events == NULL || progress->events_failed) {
		cJSON_Delete(event);
		return;
	}
	if (!cJSON_HasObjectItem(event, "event"))
		cJSON_AddStringToObject(event, "event", kind);
	if (progress->test != NULL)
		cJSON_AddStringToObject(event, "test", progress->test);
	if (progress->variant != NULL)
		cJSON_AddStringToObject(event, "variant", progress->variant);
	if (progress->size != NULL)
		cJSON_AddStringToObject(event, "frame-size", progress->size);
	if (progress->repeat != 0)
		cJSON_AddNumberToObject(event, "repeat", progress->repeat);
	text = cJSON_PrintUnformatted(event);
	if (text == NULL || fprintf(progress->events, "%s\n", text) < 0 ||
		fflush(progress->events) != 0) {
		log_error("jsonl: the events cannot be written; the run goes on without them");
		progress->events_failed = true;
	}
	cJSON_free(text);
	cJSON_Delete(event);
}

void progress_cell(struct progress *progress)
{
	char cell[256], left[UNITS_TEXT_MAX];

	progress->cell++;
	cell_text(progress, cell, sizeof(cell));
	progress_say(progress, "%u/%u %s (at most %s left)", progress->cell, progress->nb_cells,
		cell,
		units_fmt_duration(left, remaining_ns(progress) / UNITS_NS_PER_S * UNITS_NS_PER_S));
	progress_event(progress, "cell-begin", cJSON_CreateObject());
}

void progress_trial(struct progress *progress, const struct proc_progress *now)
{
	char load[UNITS_TEXT_MAX], low[UNITS_TEXT_MAX], high[UNITS_TEXT_MAX], left[UNITS_TEXT_MAX],
		cell[256];
	cJSON *event = cJSON_CreateObject();

	cJSON_AddStringToObject(event, "purpose", now->purpose != NULL ? now->purpose : "");
	cJSON_AddNumberToObject(event, "trial", now->trial);
	if (isfinite(now->load_pps))
		cJSON_AddNumberToObject(event, "load-pps", now->load_pps);
	cJSON_AddNumberToObject(event, "low-pps", now->low_pps);
	cJSON_AddNumberToObject(event, "high-pps", now->high_pps);
	progress_event(progress, "trial-begin", event);
	if (is_quiet() || !progress->is_terminal)
		return;
	cell_text(progress, cell, sizeof(cell));
	progress_clear(progress);
	fprintf(progress->out, "%u/%u %s: trial %u %s %s pps", progress->cell, progress->nb_cells,
		cell, now->trial, now->purpose != NULL ? now->purpose : "",
		pps_text(load, now->load_pps));
	if (now->low_pps > 0 || now->high_pps > 0)
		fprintf(progress->out, " [%s .. %s]", pps_text(low, now->low_pps),
			pps_text(high, now->high_pps));
	fprintf(progress->out, ", at most %s left",
		units_fmt_duration(left, remaining_ns(progress) / UNITS_NS_PER_S * UNITS_NS_PER_S));
	fflush(progress->out);
	progress->line_open = true;
}

void progress_trial_done(struct progress *progress, const struct trial_result *result,
	const struct trial_spec *spec, double sent_pps, bool replayed)
{
	uint64_t whole = metric_whole(&result->total);
	uint64_t lost = result->total.lost_packet > 0 ? (uint64_t)result->total.lost_packet : 0;
	char sent[UNITS_TEXT_MAX], ratio[UNITS_TEXT_MAX], count[UNITS_TEXT_MAX];
	cJSON *event = cJSON_CreateObject();

	cJSON_AddStringToObject(event, "purpose", spec->purpose != NULL ? spec->purpose : "");
	cJSON_AddNumberToObject(event, "sent-pps", sent_pps);
	cJSON_AddNumberToObject(event, "tx-packet", (double)result->total.n.tx_packet);
	cJSON_AddNumberToObject(event, "lost-packet", (double)result->total.lost_packet);
	cJSON_AddBoolToObject(event, "valid", result->clean);
	cJSON_AddBoolToObject(event, "replayed", replayed);
	progress_event(progress, "trial-end", event);
	progress_say(progress, "  %-8s %12s pps  lost %s (%s)%s%s%s",
		spec->purpose != NULL ? spec->purpose : "", pps_text(sent, sent_pps),
		units_fmt_ratio(ratio, lost, whole), units_fmt_count(count, (int64_t)lost),
		replayed ? "  measured before" : "", result->clean ? "" : "  INVALID: ",
		result->clean || result->nb_reasons == 0 ? "" : result->reasons[0]);
}

void progress_cell_done(struct progress *progress, const cJSON *cell)
{
	const char *status = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(cell, "status"));
	const cJSON *reason =
		cJSON_GetArrayItem(cJSON_GetObjectItemCaseSensitive(cell, "reasons"), 0);
	const char *why = cJSON_GetStringValue(reason);
	cJSON *event = cJSON_CreateObject();

	cJSON_AddStringToObject(event, "status", status != NULL ? status : "");
	cJSON_AddItemToObject(event, "figures",
		cJSON_Duplicate(cJSON_GetObjectItemCaseSensitive(cell, "figures"), true));
	progress_event(progress, "cell-end", event);
	progress_say(progress, "  %s%s%s", status != NULL ? status : "", why != NULL ? ": " : "",
		why != NULL ? why : "");
}
