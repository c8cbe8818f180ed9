/* SPDX-License-Identifier: BSD-3-Clause */
#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "procedures.h"
#include "rfc2544.h"

/*
 * RFC 2544 §26.4 as updated by RFC 9004: the longest burst at the highest rate of which nothing is
 * lost, many times over; from it, with the throughput, the time that the device can buffer.
 */

#define TRIAL_MIN_NS (2 * UNITS_NS_PER_S)
#define NEAR_CAP     0.95 /* from this share on the cap, not the device, may be the limit */
#define NEAR_LINE    0.999
#define PERCENT_ALL  (100.0 * UNITS_MICROS)

enum burst_opt { BURST_REPEATS, BURST_CAP, BURST_RESOLUTION, BURST_NB_OPTS };
/* clang-format off */
static const struct opt burst_opts[BURST_NB_OPTS] = {
	[BURST_REPEATS] = {.name = "burst-repeats", .type = OPT_UINT, .min = 1, .max = 10000,
		.dflt = "50",
		.help = "how often the longest burst is looked for (RFC 2544 §26.4: at least 50)"},
	[BURST_CAP] = {.name = "burst-cap", .type = OPT_UINT, .min = 2, .max = 1000000000000,
		.unit = "frames",
		.help = "longest burst of a port that is tried; not given: 2 s at max-rate"},
	[BURST_RESOLUTION] = {.name = "burst-resolution", .type = OPT_PERCENT, .min = 1000,
		.max = 50000000, .dflt = "1", .unit = "%",
		.help = "how near the bursts with and without loss have to come, of the longer one"},
};
/* clang-format on */
const struct opt_section rfc2544_burst_section = OPT_SECTION("back-to-back", burst_opts);

static const struct opt_section *const sections[] = {&proc_load_section, &proc_trial_section,
	&proc_search_section, &rfc2544_rate_section, &rfc2544_burst_section};

struct bursts {
	struct proc_env *env;
	struct err *err;
	struct trial_load *loads;
	uint64_t max_upps, cap, duration_ns;
	double resolution;
	double *lengths; /* one a repeat */
	unsigned nb;
	bool unclean;
};

/* Halvings from the cap to the resolution, which is never below a frame. */
static unsigned halvings(double cap)
{
	return (unsigned)ceil(log2(cap)) + 2;
}

static uint64_t cap_of(const struct proc_env *env, uint64_t max_upps)
{
	const struct opt *opt = &burst_opts[BURST_CAP];
	struct opt_val val;

	if (opt_set_val(env->test, opt, 0, &val))
		return val.lo;
	return (uint64_t)((double)max_upps / UNITS_MICROS * 2) + 1;
}

static uint64_t duration_of(uint64_t cap, uint64_t max_upps)
{
	uint64_t ns = (uint64_t)((double)cap * UNITS_MICROS / (double)max_upps * UNITS_NS_PER_S);

	return ns + 1 > TRIAL_MIN_NS ? ns + 1 : TRIAL_MIN_NS;
}

void rfc2544_burst_estimate(const struct proc_env *env, struct proc_estimate *out)
{
	unsigned repeats = (unsigned)opt_set_one(env->test, &burst_opts[BURST_REPEATS]).lo;
	uint64_t max = 0, cap = UINT32_MAX, ns = TRIAL_MIN_NS;
	struct err err = {0};

	/* without a line to reckon with: the most frames that 400 Gbit/s send in that time */
	if (env->info != NULL && proc_max_upps(env, &max, &err) == 0) {
		cap = cap_of(env, max);
		ns = duration_of(cap, max);
	}
	out->nb_trials = 2 * halvings((double)cap) * repeats;
	out->duration_ns = out->nb_trials * ns;
}

/* frames of every port, shared out by weight; the rest of the division to its first streams. */
static void loads_fill(struct bursts *b, uint64_t frames)
{
	const struct result_info *info = b->env->info;

	proc_loads_even(info, b->max_upps, b->loads);
	for (unsigned i = 0; i < info->nb_streams; i++) {
		uint64_t weights = 0, before = 0, w = info->streams[i].weight;

		for (unsigned j = 0; j < info->nb_streams; j++) {
			if (info->streams[j].tx_port != info->streams[i].tx_port)
				continue;
			weights += info->streams[j].weight;
			before += j < i ? info->streams[j].weight : 0;
		}
		if (weights > 0)
			b->loads[i].packet_count =
				(uint64_t)((unsigned __int128)frames * (before + w) / weights -
					   (unsigned __int128)frames * before / weights);
	}
}

static int burst_try(struct bursts *b, uint64_t frames, bool *passed)
{
	const struct trial_spec spec = {.purpose = "burst",
		.frame_size = b->env->frame_size,
		.duration_ns = b->duration_ns,
		.loads = b->loads};
	struct trial_result result;
	int rc;

	loads_fill(b, frames);
	rc = proc_trial(b->env, &spec, &result, b->err);
	if (rc < 0)
		return rc;
	b->unclean = !result.clean;
	*passed = result.clean && search_passes(&result, 0);
	return 0;
}

static bool near_enough(const struct bursts *b, uint64_t low, uint64_t high)
{
	return high - low <= 1 || (double)(high - low) <= (double)high * b->resolution;
}

/*
 * The longest burst, begun at a guess: in growing steps away from it until there is one on each side,
 * then by halves. 0: not even one frame passed.
 */
static int burst_find(struct bursts *b, uint64_t guess, uint64_t *found)
{
	uint64_t low = 0, high = b->cap + 1, next = guess;
	uint64_t stride = (uint64_t)((double)guess * b->resolution) + 1;

	while (!near_enough(b, low, high)) {
		bool passed;
		int rc = burst_try(b, next, &passed);

		if (rc < 0 || b->unclean)
			return rc;
		*(passed ? &low : &high) = next;
		if (low == b->cap)
			break;
		if (high > b->cap)
			next = low + stride < b->cap ? low + stride : b->cap;
		else if (low == 0)
			next = high > stride + 1 ? high - stride : high / 2 > 0 ? high / 2 : 1;
		else
			next = low + (high - low) / 2;
		stride *= 2;
	}
	*found = low;
	return 0;
}

static int measure(struct bursts *b, unsigned repeats)
{
	uint64_t guess = b->cap, found = 0;

	for (unsigned i = 0; i < repeats; i++) {
		int rc = burst_find(b, guess, &found);

		if (rc < 0 || b->unclean)
			return rc;
		b->lengths[b->nb++] = (double)found;
		guess = found > 0 ? found : 1;
	}
	return 0;
}

struct spread {
	double mean, min, max, stdev;
};

static struct spread spread_of(const double *x, unsigned nb)
{
	struct spread s = {.min = INFINITY};
	double squares = 0;

	for (unsigned i = 0; i < nb; i++) {
		s.mean += x[i] / nb;
		s.min = fmin(s.min, x[i]);
		s.max = fmax(s.max, x[i]);
	}
	for (unsigned i = 0; i < nb; i++)
		squares += (x[i] - s.mean) * (x[i] - s.mean);
	s.stdev = nb > 1 ? sqrt(squares / (nb - 1)) : 0;
	return s;
}

/* clang-format off */
static const struct proc_figure_doc docs[] = {
	{"back-to-back", "frames", "longest burst of a port at max-rate of which nothing is lost, mean "
		"of the repeats (RFC 2544 §26.4)"},
	{"back-to-back-min", "frames", "the shortest of the repeats"},
	{"back-to-back-max", "frames", "the longest of the repeats"},
	{"back-to-back-stdev", "frames", "standard deviation of the repeats"},
	{"back-to-back-repeats", "", "how often the burst was looked for"},
	{"buffer-time-implied", "ns", "the mean burst at max-rate as a time (RFC 9004)"},
	{"buffer-time", "ns", "the same, less what was forwarded meanwhile: implied · (1 - throughput / "
		"max-rate) (RFC 9004)"},
};
/* clang-format on */
const struct proc_figure_docs rfc2544_burst_docs = PROC_FIGURE_DOCS(docs);

static int tell(const struct bursts *b, double throughput_pps)
{
	const struct spread s = spread_of(b->lengths, b->nb);
	double max_pps = (double)b->max_upps / UNITS_MICROS, implied_ns = s.mean / max_pps * 1e9;
	const struct {
		const char *name, *unit;
		double value;
	} all[] = {
		{"back-to-back", "frames", s.mean},
		{"back-to-back-min", "frames", s.min},
		{"back-to-back-max", "frames", s.max},
		{"back-to-back-stdev", "frames", s.stdev},
		{"back-to-back-repeats", "", b->nb},
		{"buffer-time-implied", "ns", implied_ns},
		{"buffer-time", "ns", implied_ns - implied_ns * fmin(1, throughput_pps / max_pps)},
	};
	int rc = 0;

	for (unsigned i = 0; rc == 0 && i < sizeof(all) / sizeof(all[0]); i++)
		rc = proc_figure(b->env, all[i].name, all[i].value, all[i].unit, NULL);
	return rc;
}

static int conclude(const struct bursts *b, double throughput_pps, enum proc_outcome *outcome)
{
	double longest = b->nb > 0 ? spread_of(b->lengths, b->nb).max : 0;

	*outcome = PROC_INVALID;
	if (b->unclean) {
		proc_note(b->env,
			"the generator was not clean in bursts at %.0f pps of a port: "
			"nothing is known of the device's buffer",
			(double)b->max_upps / UNITS_MICROS);
		return 0;
	}
	if (longest >= NEAR_CAP * (double)b->cap) {
		proc_note(b->env,
			"the longest burst, %.0f frames, is near burst-cap (%llu): the cap "
			"may be the limit (RFC 9004); give a higher one",
			longest, (unsigned long long)b->cap);
		return 0;
	}
	if (longest == 0) {
		proc_note(b->env, "not even a burst of one frame passed");
		*outcome = PROC_FAILED;
		return proc_figure(b->env, "back-to-back", 0, "frames", NULL);
	}
	*outcome = PROC_DONE;
	return tell(b, throughput_pps);
}

int rfc2544_burst_run(
	struct proc_env *env, double throughput_pps, enum proc_outcome *outcome, struct err *err)
{
	const unsigned repeats = (unsigned)opt_set_one(env->test, &burst_opts[BURST_REPEATS]).lo;
	struct bursts b = {.env = env,
		.err = err,
		.resolution = (double)opt_set_one(env->test, &burst_opts[BURST_RESOLUTION]).lo /
			      PERCENT_ALL};
	int rc = proc_max_upps(env, &b.max_upps, err);

	if (rc < 0)
		return rc;
	if (throughput_pps >= NEAR_LINE * (double)b.max_upps / UNITS_MICROS) {
		proc_note(env,
			"no back-to-back test: the throughput is the highest rate already, so "
			"no burst fills a buffer (RFC 9004)");
		*outcome = PROC_SKIPPED;
		return 0;
	}
	env->low_pps = env->high_pps = 0;
	b.cap = cap_of(env, b.max_upps);
	b.duration_ns = duration_of(b.cap, b.max_upps);
	b.loads = calloc(env->info->nb_streams, sizeof(*b.loads));
	b.lengths = calloc(repeats, sizeof(*b.lengths));
	if (b.loads == NULL || b.lengths == NULL)
		rc = err_device(err, ENOMEM, "%u bursts", repeats);
	else
		rc = measure(&b, repeats);
	if (rc == 0)
		rc = conclude(&b, throughput_pps, outcome);
	free(b.loads);
	free(b.lengths);
	return rc;
}

static void estimate(const struct proc_env *env, struct proc_estimate *out)
{
	struct proc_estimate search;

	rfc2544_rate_estimate(env, &search);
	rfc2544_burst_estimate(env, out);
	out->nb_trials += search.nb_trials;
	out->duration_ns += search.duration_ns;
}

static int run(struct proc_env *env, enum proc_outcome *outcome, struct err *err)
{
	uint64_t upps;
	double pps;
	int rc = proc_begin(env, err);

	if (rc == 0)
		rc = rfc2544_rate(env, &upps, &pps, outcome, err);
	if (rc < 0 || upps == 0)
		return rc;
	return rfc2544_burst_run(env, pps, outcome, err);
}

static const struct proc_figure_docs *const figures[] = {&search_figure_docs, &rfc2544_burst_docs};

const struct procedure proc_rfc2544_back_to_back = {
	.name = "rfc2544-back-to-back",
	.help = "the longest burst of which nothing is lost, and the buffer it tells of (RFC 2544 "
		"§26.4, RFC 9004)",
	.sections = sections,
	.nb_sections = sizeof(sections) / sizeof(sections[0]),
	.flags = PROC_OWN_LOADS,
	.check = search_check,
	.estimate = estimate,
	.run = run,
	.figures = figures,
	.nb_figures = sizeof(figures) / sizeof(figures[0]),
};
