/* SPDX-License-Identifier: BSD-3-Clause */
#include "sim_runner.h"

#include <errno.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

#define S	       UNITS_NS_PER_S
#define LAT_BASE_NS    10000.0
#define LAT_SAMPLES    100u
#define LOAD_FULL      0.98 /* of the knee: latency does not rise beyond */
#define START_UNIX_NS  1700000000000000000ull
#define WITHOUT_A_KNEE 1e15
#define UNIT_FRACTION  0x1p-53

/* What a port is to send: one rate, and perhaps another after a while. */
struct phase {
	double pps, s;
};

/* 0..1, the same sequence for the same seed (splitmix64). */
static double sim_random(struct sim *sim)
{
	uint64_t z = sim->seed += 0x9e3779b97f4a7c15ull;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9ull;
	z = (z ^ z >> 27) * 0x94d049bb133111ebull;
	return (double)((z ^ z >> 31) >> 11) * UNIT_FRACTION;
}

/* ---- the generator: what is sent ---- */

static double line_pps(const struct sim *sim, unsigned port)
{
	return (double)(proc_line_upps(&sim->env, port) / UNITS_MICROS);
}

static double load_pps(const struct sim *sim, const struct trial_spec *spec, unsigned i, bool step)
{
	const struct result_stream *s = &sim->info.streams[i];
	uint64_t upps = s->asked_upps;

	if (spec->loads != NULL)
		upps = step ? spec->loads[i].step_upps : spec->loads[i].upps;
	return upps == TRIAL_FLAT_OUT ? line_pps(sim, s->tx_port) : (double)upps / UNITS_MICROS;
}

/* By how much the line or the generator makes a port's load smaller; *fell: the generator did. */
static double scale_of(struct sim *sim, const struct trial_spec *spec, unsigned port, bool step,
	double *sum, bool *fell)
{
	double most = line_pps(sim, port), tester = sim->dut->tester_pps;
	bool flat = false;

	*sum = 0;
	for (unsigned i = 0; i < sim->info.nb_streams; i++) {
		if (sim->info.streams[i].tx_port != port)
			continue;
		*sum += load_pps(sim, spec, i, step);
		flat |= spec->loads != NULL && spec->loads[i].upps == TRIAL_FLAT_OUT;
	}
	if (!flat && *sum > sim->highest_pps)
		sim->highest_pps = *sum;
	if (most == 0)
		most = *sum;
	if (tester > 0 && *sum > tester * (1 + 1e-9)) {
		*fell = true;
		most = tester < most ? tester : most;
	}
	return *sum > most && *sum > 0 ? most / *sum : 1;
}

/* The phases of what a stream sends; their number. Time ends when the packets are out. */
static unsigned stream_phases(const struct sim *sim, const struct trial_spec *spec, unsigned i,
	const double scale[2], struct phase out[2])
{
	const struct trial_load *load = spec->loads != NULL ? &spec->loads[i] : NULL;
	double duration = spec->duration_ns != 0 ? (double)spec->duration_ns / S : INFINITY;
	double left = load != NULL && load->packet_count != UINT64_MAX ? (double)load->packet_count
								       : INFINITY;
	double first = load != NULL && load->step_ns != 0 ? (double)load->step_ns / S : duration;
	unsigned nb = first < duration ? 2 : 1;

	out[0] = (struct phase){load_pps(sim, spec, i, false) * scale[0], first};
	if (nb == 2)
		out[1] = (struct phase){load_pps(sim, spec, i, true) * scale[1], duration - first};
	for (unsigned p = 0; p < nb; p++) {
		if (out[p].pps * out[p].s > left)
			out[p].s = left / out[p].pps;
		left -= out[p].pps > 0 ? out[p].pps * out[p].s : 0;
		assert_true(out[p].pps == 0 || isfinite(out[p].s));
	}
	return nb;
}

/* ---- the device: what comes back of what a port sends ---- */

static double knee_of(struct sim *sim, double packet_bytes)
{
	const struct sim_dut *dut = sim->dut;
	double knee = dut->policer_bps > 0 ? dut->policer_bps / (8 * packet_bytes) : dut->knee_pps;

	if (knee == 0)
		return WITHOUT_A_KNEE;
	if (sim->degraded && dut->hysteresis_pps > 0)
		knee = dut->hysteresis_pps;
	return knee * (1 + dut->noise * (2 * sim_random(sim) - 1));
}

/* Frames lost of a port's phases: a queue in front of the knee, and loss that grows. */
static double port_lost(
	struct sim *sim, const struct phase *phases, unsigned nb, double packet_bytes)
{
	const struct sim_dut *dut = sim->dut;
	double knee = knee_of(sim, packet_bytes), queue = 0, lost = 0, passed_s = 0;
	double room = dut->policer_bps > 0 ? dut->policer_bytes / packet_bytes : dut->burst;

	for (unsigned p = 0; p < nb; p++) {
		double pps = phases[p].pps, s = phases[p].s;
		double over = passed_s + s - dut->grow_after_s;

		if (pps == 0)
			continue;
		queue += (pps - knee) * s;
		if (queue < 0)
			queue = 0;
		if (queue > room) {
			lost += queue - room;
			queue = room;
		}
		if (dut->grow_per_s > 0 && pps > dut->grow_pps && over > 0)
			lost += pps * dut->grow_per_s * over * over / 2;
		passed_s += s;
	}
	return lost;
}

static double down_lost(const struct sim *sim, const struct trial_spec *spec,
	const struct phase *phases, unsigned nb)
{
	double begin = (double)spec->event_ns / S, end = (double)spec->mend_ns / S, lost = 0,
	       at = 0;

	if (spec->event_ns == 0)
		return 0;
	if (sim->dut->down_s > 0)
		end = begin + sim->dut->down_s;
	for (unsigned p = 0; p < nb; p++) {
		double from = fmax(at, begin), to = fmin(at + phases[p].s, end);

		lost += to > from ? (to - from) * phases[p].pps : 0;
		at += phases[p].s;
	}
	return lost;
}

/* ---- a trial ---- */

static void port_trial(
	struct sim *sim, const struct trial_spec *spec, unsigned port, struct trial_result *result)
{
	struct phase all[2] = {{0}}, mine[2];
	double sum, step_sum, scale[2], sent = 0, bytes = 0, lost, out_s = 0;
	unsigned nb = 0;

	scale[0] = scale_of(sim, spec, port, false, &sum, &result->fell_short);
	scale[1] = scale_of(sim, spec, port, true, &step_sum, &result->fell_short);
	for (unsigned i = 0; i < sim->info.nb_streams; i++) {
		const struct result_stream *s = &sim->info.streams[i];
		double frames = 0, s_sum = 0;

		if (s->tx_port != port)
			continue;
		nb = stream_phases(sim, spec, i, scale, mine);
		for (unsigned p = 0; p < nb; p++) {
			frames += mine[p].pps > 0 ? mine[p].pps * mine[p].s : 0;
			all[p].pps += mine[p].pps;
			all[p].s = fmax(all[p].s, mine[p].pps > 0 ? mine[p].s : 0);
			s_sum += mine[p].pps > 0 ? mine[p].s : 0;
		}
		sim->rows[i].n.tx_packet = (uint64_t)floor(frames + 1e-6);
		sent += floor(frames + 1e-6);
		bytes = s->packet_size;
		out_s = fmax(out_s, s_sum);
	}
	if (sent == 0)
		return;
	lost = port_lost(sim, all, nb, bytes) + down_lost(sim, spec, all, nb);
	lost = fmin(sent, ceil(lost - 1e-6));
	for (unsigned i = 0; i < sim->info.nb_streams; i++) {
		struct result_counts *n = &sim->rows[i].n;

		if (sim->info.streams[i].tx_port == port)
			n->good = n->tx_packet -
				  (uint64_t)fmin((double)n->tx_packet,
					  ceil(lost * (double)n->tx_packet / sent - 1e-9));
	}
	result->send_ns = (uint64_t)fmax((double)result->send_ns, out_s * S);
	sim->latency_ns = LAT_BASE_NS / (1 - fmin(LOAD_FULL, all[0].pps / knee_of(sim, bytes)));
}

/* What leaves the device through one port together. */
static void out_limit(struct sim *sim, uint64_t send_ns)
{
	double most = sim->dut->out_pps * (double)send_ns / S;

	for (unsigned p = 0; sim->dut->out_pps > 0 && p < sim->info.nb_ports; p++) {
		double sum = 0;

		for (unsigned i = 0; i < sim->info.nb_streams; i++)
			if (sim->info.streams[i].rx_port == (int32_t)p)
				sum += (double)sim->rows[i].n.good;
		for (unsigned i = 0; sum > most && i < sim->info.nb_streams; i++)
			if (sim->info.streams[i].rx_port == (int32_t)p)
				sim->rows[i].n.good =
					(uint64_t)((double)sim->rows[i].n.good * most / sum);
	}
}

static void sim_latency(void *ctx, uint32_t stream, struct hist *out)
{
	const struct sim *sim = ctx;

	*out = sim->hist;
}

/* From the mean less a half to the mean and a half. */
static void latency_record(struct sim *sim)
{
	hist_reset(&sim->hist);
	for (unsigned i = 0; i < LAT_SAMPLES; i++)
		hist_record(&sim->hist,
			(uint64_t)(sim->latency_ns * (0.5 + (double)i / (LAT_SAMPLES - 1))));
}

static void figures_make(struct sim *sim, struct trial_result *result)
{
	uint64_t good = 0;

	for (unsigned i = 0; i < sim->info.nb_streams; i++)
		good += sim->rows[i].n.good;
	latency_record(sim);
	if (good == 0)
		hist_reset(&sim->hist);
	for (unsigned i = 0; i < sim->info.nb_streams; i++) {
		struct result_row *row = &sim->rows[i];

		result_row_derive(row, &sim->info, row->n.good > 0 ? &sim->hist : NULL);
		sim->counts[sim->info.streams[i].tx_port].tx_test += row->n.tx_packet;
		if (sim->info.streams[i].rx_port >= 0)
			sim->counts[sim->info.streams[i].rx_port].good += row->n.good;
	}
	for (unsigned p = 0; p < sim->info.nb_ports; p++)
		sim->counts[p].rx_all += sim->counts[p].good;
	result->total = (struct result_row){.seq = RESULT_TOT,
		.stream = RESULT_TOT,
		.end_unix_ns = result->start_unix_ns + result->send_ns,
		.length_ns = result->send_ns};
	result_row_total(&result->total, sim->rows, sim->info.nb_streams, &sim->info, &sim->hist);
}

static void judge(struct sim *sim, struct trial_result *result)
{
	static const char *const short_reasons[] = {"the generator sent less than it was asked"};
	static const char *const flaky_reasons[] = {"the generator lost frames itself"};
	bool flaky = sim->dut->always_bad != 0 ||
		     (sim->dut->flaky > 0 && sim->nb_trials % sim->dut->flaky == 0);

	for (unsigned i = 0; flaky && i < sim->info.nb_streams; i++)
		sim->rows[i].n.good /= 2;
	result->clean = !flaky && !result->fell_short;
	result->nb_reasons = result->clean ? 0 : 1;
	result->reasons = result->fell_short ? short_reasons : flaky_reasons;
}

int sim_trial(
	void *ctx, const struct trial_spec *spec, struct trial_result *result, struct err *err)
{
	struct sim *sim = ctx;

	sim->nb_trials++;
	if (sim->nb_trials == sim->dut->fail_at)
		return err_device(err, ENODEV, "the port went away");
	memset(sim->rows, 0, sizeof(sim->rows));
	memset(sim->counts, 0, sizeof(sim->counts));
	*result = (struct trial_result){.start_unix_ns = START_UNIX_NS + sim->asked_ns,
		.conserved = true,
		.interrupted = sim->nb_trials == sim->dut->interrupt_at,
		.totals = sim->rows,
		.nb_totals = sim->info.nb_streams,
		.ports = sim->counts,
		.latency = sim_latency,
		.latency_ctx = sim,
		.event = {.done = spec->event_ns != 0, .begin_ns = spec->event_ns},
		.mend = {.done = spec->mend_ns != 0, .begin_ns = spec->mend_ns}};
	result->event.end_ns = result->event.begin_ns;
	result->mend.end_ns = result->mend.begin_ns;
	for (unsigned p = 0; p < sim->info.nb_ports; p++)
		port_trial(sim, spec, p, result);
	out_limit(sim, result->send_ns);
	for (unsigned i = 0; i < sim->info.nb_streams; i++) {
		struct result_row *row = &sim->rows[i];

		*row = (struct result_row){.seq = RESULT_TOT,
			.stream = i,
			.end_unix_ns = result->start_unix_ns + result->send_ns,
			.length_ns = result->send_ns,
			.n = row->n};
		if (sim->dut->dead)
			row->n.good = 0;
	}
	if (sim->dut->bend != NULL)
		sim->dut->bend(sim, spec, sim->rows);
	judge(sim, result);
	figures_make(sim, result);
	if (result->total.lost_packet > 0)
		sim->degraded = true;
	else if (proc_sent_pps(&sim->info, result) <= sim->dut->hysteresis_pps)
		sim->degraded = false;
	sim->asked_ns += spec->duration_ns != 0 ? spec->duration_ns : result->send_ns;
	if (result->clean) {
		sim->nb_clean++;
		sim->clean_ns += spec->duration_ns != 0 ? spec->duration_ns : result->send_ns;
	}
	return 0;
}

const struct result_info *sim_info(void *ctx, const char *frame_size, struct err *err)
{
	struct sim *sim = ctx;

	return &sim->info;
}
