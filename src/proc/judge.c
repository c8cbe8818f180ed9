/* SPDX-License-Identifier: BSD-3-Clause */
#include "tgen/proc.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>

#include "diagnose.h"
#include "texts.h"

#define CORES_TOLD   4u
#define CORES_LENGTH (CORES_TOLD * 48u)

/*
 * `; no time left on CPU 1 (busy 99.800%) and 2 (…)`: the cores that serve one of the ports and are
 * their limit; nothing when there is none.
 */
static const char *full_cores(
	char out[CORES_LENGTH], const struct trial_result *trial, uint64_t ports)
{
	const char *separator = "; no time left on CPU ";
	unsigned told = 0;
	size_t len = 0;

	out[0] = '\0';
	for (unsigned i = 0; i < trial->health.nb_workers && told < CORES_TOLD; i++) {
		const struct result_worker *w = &trial->health.workers[i];
		uint32_t load = result_worker_load_ppm(w);
		char text[UNITS_TEXT_MAX];

		if (load < RESULT_CORE_FULL_PPM || (w->ports & ports) == 0)
			continue;
		len += (size_t)snprintf(out + len, CORES_LENGTH - len, "%s%u (busy %s)", separator,
			w->cpu, units_fmt_ratio(text, load, UNITS_MICROS));
		separator = " and ";
		told++;
	}
	return out;
}

static const char *short_reason(const struct trial_result *trial)
{
	if (trial->undelivered > 0)
		return "frames stayed in the port's ring, its link was down or refused them";
	if (trial->health.queue_full > 0)
		return "the driver's queue was full, it cannot carry this rate";
	return "the generator's core could not send them in time (a virtual device may do its "
	       "work, and "
	       "the device under test its own, inside the sending call), or was stopped";
}

/* What streams were asked for and sent, and how many of them sent too little. */
struct sent_sum {
	uint64_t asked, sent;
	unsigned nb_short;
};

static struct sent_sum sent_sum_of(const struct result_info *info, const struct trial_result *trial,
	const struct proc_limits *limits)
{
	struct sent_sum sum = {0};

	for (unsigned i = 0; i < info->nb_streams; i++) {
		const struct result_stream *s = &info->streams[i];
		uint64_t asked = result_stream_asked(s, trial->send_ns),
			 sent = trial->totals[i].n.tx_packet;
		uint64_t slack;

		if (asked == UINT64_MAX)
			continue;
		sum.asked += asked;
		sum.sent += sent;
		slack = (uint64_t)((unsigned __int128)asked * limits->short_ppm / 1000000u);
		if (sent + (slack > 1 ? slack : 1) < asked)
			sum.nb_short++;
	}
	return sum;
}

bool proc_fell_short(const struct result_info *info, const struct trial_result *trial,
	const struct proc_limits *limits)
{
	return sent_sum_of(info, trial, limits).nb_short > 0;
}

/* Sent less than asked: by how much, on how many streams, and what is known of the reason. */
static void judge_sent(const struct result_info *info, const struct trial_result *trial,
	const struct proc_limits *limits, struct texts *reasons)
{
	struct sent_sum sum = sent_sum_of(info, trial, limits);
	char asked_text[UNITS_TEXT_MAX], sent_text[UNITS_TEXT_MAX], ratio[UNITS_TEXT_MAX],
		lag[UNITS_TEXT_MAX], cores[CORES_LENGTH] = "";

	if (sum.nb_short == 0)
		return;
	/* a core that waits for a full driver is busy, too */
	if (trial->health.queue_full == 0)
		full_cores(cores, trial, UINT64_MAX);
	texts_add(reasons,
		"sent %s of the %s frames asked for (short by %s; on %u of %u streams): %s; "
		"frames left up to %s after their time%s",
		units_fmt_count(sent_text, (int64_t)sum.sent),
		units_fmt_count(asked_text, (int64_t)sum.asked),
		units_fmt_ratio(ratio, sum.asked - sum.sent, sum.asked), sum.nb_short,
		info->nb_streams, short_reason(trial), units_fmt_time(lag, trial->health.lag.max),
		cores);
}

/* Frames that the generator itself lost on receiving: never the device's loss. */
static void judge_received(const struct result_info *info, const struct trial_result *trial,
	const struct proc_limits *limits, struct texts *reasons)
{
	uint64_t sum = 0;

	for (unsigned p = 0; p < info->nb_ports; p++)
		sum += trial->ports[p].rx_missed + trial->ports[p].rx_kernel_dropped;
	for (unsigned p = 0; p < info->nb_ports && sum > limits->rx_missed; p++) {
		const struct result_port_counts *c = &trial->ports[p];
		char cores[CORES_LENGTH];

		full_cores(cores, trial, UINT64_C(1) << p);
		if (c->rx_missed > 0)
			texts_add(reasons,
				"port %s: its driver missed %" PRIu64 " received frames, which "
				"are not the device's loss; lower the rate or give tgen more "
				"cores%s",
				info->ports[p].name, c->rx_missed, cores);
		if (c->rx_kernel_dropped > 0)
			texts_add(reasons,
				"port %s: the kernel dropped %" PRIu64 " received frames before "
				"they were read, which are not the device's loss; lower the rate "
				"or give tgen more cores%s",
				info->ports[p].name, c->rx_kernel_dropped, cores);
	}
	if (trial->foreign > 0)
		texts_add(reasons,
			"frames arrived with sequences that had not been sent (on %u of %u "
			"streams): "
			"another "
			"generator uses test-id %u here; give one of them another (test-id=)",
			trial->foreign, info->nb_streams, info->test_id);
	if (!trial->conserved)
		texts_add(reasons,
			"the classes of received frames do not add up to the port's own counter "
			"(please report this)");
}

/* Frames that the driver took and that never left, or a port that is no more. */
static void judge_ports(
	const struct result_info *info, const struct trial_result *trial, struct texts *reasons)
{
	for (unsigned p = 0; p < info->nb_ports; p++) {
		const struct result_port_counts *c = &trial->ports[p];

		if (c->gone)
			texts_add(reasons,
				"port %s: its interface is gone since some time in the run",
				info->ports[p].name);
		else if (c->tx_kernel_short > 0)
			texts_add(reasons,
				"port %s: its interface sent %" PRIu64
				" frames fewer than it was given; "
				"look at its MTU and its drops (ip -s link)",
				info->ports[p].name, c->tx_kernel_short);
	}
}

/* Frames left late, or the hypervisor took the CPU: latency and bursts are not the schedule's. */
static void judge_timing(
	const struct trial_result *trial, const struct proc_limits *limits, struct texts *reasons)
{
	const struct result_health *h = &trial->health;
	char lag[UNITS_TEXT_MAX], limit[UNITS_TEXT_MAX], ratio[UNITS_TEXT_MAX];

	if (limits->lag_p99_ns != 0 && h->lag.p99 > limits->lag_p99_ns)
		texts_add(reasons,
			"1 %% of the frames left more than %s after their time (max-lag=%s); "
			"give tgen a core of its own or lower the rate",
			units_fmt_time(lag, h->lag.p99),
			units_fmt_duration(limit, limits->lag_p99_ns));
	if (h->steal_known && h->cpu_ns > 0 &&
		(unsigned __int128)h->steal_ns * 1000000u >
			(unsigned __int128)h->cpu_ns * limits->steal_ppm)
		texts_add(reasons,
			"the hypervisor took %s of the workers' CPU time (max-steal); run on a "
			"quieter machine",
			units_fmt_ratio(ratio, h->steal_ns, h->cpu_ns));
}

static void note_oddities(const struct result_info *info, const struct trial_result *trial,
	bool clean, struct texts *notes)
{
	if (trial->undelivered > 0)
		texts_add(notes,
			"%" PRIu64 " frames that a driver accepted were never sent; they are not "
			"counted as sent (rows show them, totals do not)",
			trial->undelivered);
	if (clean && trial->total.n.unsent > 0)
		texts_add(notes,
			"%" PRIu64 " frames of the schedule were not sent, within the limit: %s",
			trial->total.n.unsent, short_reason(trial));
	for (unsigned p = 0; p < info->nb_ports; p++)
		if (trial->ports[p].duplex == RESULT_DUPLEX_HALF)
			texts_add(notes,
				"port %s: its link is half duplex: what goes one way takes from "
				"the "
				"other",
				info->ports[p].name);
	if (trial->total.n.lat_negative > 0)
		texts_add(notes,
			"%" PRIu64 " frames seem to have arrived before they were sent; they are "
			"in no latency figure: the clocks of the cores differ",
			trial->total.n.lat_negative);
}

static bool any_gone(const struct result_info *info, const struct trial_result *trial)
{
	for (unsigned p = 0; p < info->nb_ports; p++)
		if (trial->ports[p].gone)
			return true;
	return false;
}

static bool expects_frames(const struct result_info *info)
{
	for (unsigned i = 0; i < info->nb_streams; i++)
		if (!info->streams[i].transmit_only)
			return true;
	return false;
}

int proc_quick_judge(const struct result_info *info, const struct trial_result *trial,
	const struct proc_limits *limits, struct proc_verdict *out)
{
	struct texts reasons = {0}, notes = {0};
	struct result_summary *s = &out->summary;
	bool sent = trial->total.n.tx_packet > 0;

	*out = (struct proc_verdict){0};
	if (!sent)
		texts_add(&reasons, "nothing was sent");
	judge_sent(info, trial, limits, &reasons);
	judge_received(info, trial, limits, &reasons);
	judge_timing(trial, limits, &reasons);
	judge_ports(info, trial, &reasons);
	note_oddities(info, trial, reasons.nb == 0, &notes);
	diagnose_silent(info, trial, &notes);
	out->reasons = reasons.lines;
	out->notes = notes.lines;
	s->nb_reasons = reasons.nb;
	s->nb_notes = notes.nb;
	s->reasons = (const char *const *)reasons.lines;
	s->notes = (const char *const *)notes.lines;
	s->clean = reasons.nb == 0;
	s->status = TGEN_OK;
	if (any_gone(info, trial))
		s->status = TGEN_DEVICE;
	else if (!s->clean)
		s->status = TGEN_INVALID;
	else if (trial->total.n.good == 0 && expects_frames(info))
		s->status = TGEN_MISSED;
	s->health = trial->health;
	s->send_ns = trial->send_ns;
	s->interrupted = trial->interrupted;
	s->ports = trial->ports;
	s->unknowns = trial->unknowns;
	s->nb_unknowns = trial->nb_unknowns;
	s->returned = trial->returned;
	s->nb_returned = trial->nb_returned;
	return reasons.failed || notes.failed ? -ENOMEM : 0;
}

void proc_verdict_fini(struct proc_verdict *verdict)
{
	texts_free(verdict->reasons, verdict->summary.nb_reasons);
	texts_free(verdict->notes, verdict->summary.nb_notes);
	*verdict = (struct proc_verdict){0};
}
