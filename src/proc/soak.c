/* SPDX-License-Identifier: BSD-3-Clause */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "fixed.h"
#include "groups.h"
#include "procedures.h"

/* Hours at one load: the totals, the worst second, and whether tgen itself holds. */

enum { GROWTH, NB_OPTS };
static const struct opt opts[NB_OPTS] = {
	[GROWTH] = {.name = "max-growth",
		.type = OPT_UINT,
		.max = 1000000,
		.dflt = "16",
		.unit = "MiB",
		.help = "how much more memory tgen may hold at the end than after the first "
			"second"},
};
const struct opt_section proc_soak_section = OPT_SECTION("soak", opts);
static const struct opt_section *const sections[] = {
	&proc_trial_section, &rfc2544_rate_section, &proc_soak_section};

struct soak {
	double worst; /* loss ratio of a second */
	uint32_t worst_seq;
	uint64_t first_bytes; /* resident after the first second */
	bool any;
};

static uint64_t resident_bytes(void)
{
	FILE *f = fopen("/proc/self/statm", "re");
	uint64_t all, resident = 0;

	if (f != NULL && fscanf(f, "%" SCNu64 " %" SCNu64, &all, &resident) != 2)
		resident = 0;
	if (f != NULL)
		fclose(f);
	return resident * (uint64_t)sysconf(_SC_PAGESIZE);
}

static int on_rows(void *ctx, const struct result_row *rows, unsigned nb)
{
	const struct result_row *tot = &rows[nb - 1];
	struct soak *s = ctx;

	if (s->first_bytes == 0)
		s->first_bytes = resident_bytes();
	if (metric_whole(tot) == 0)
		return 0;
	if (!s->any || row_loss_ratio(tot) > s->worst) {
		s->worst = row_loss_ratio(tot);
		s->worst_seq = tot->seq;
	}
	s->any = true;
	return 0;
}

static void estimate(const struct proc_env *env, struct proc_estimate *out)
{
	fixed_estimate(env, 1, out);
}

static int figures(const struct proc_env *env, const struct trial_result *r, const struct soak *s,
	double grown)
{
	int rc = proc_figure(env, "lost-ratio", proc_loss_ratio(r), "ratio", NULL);

	if (rc == 0)
		rc = proc_figure(env, "sent", proc_sent_pps(env->info, r), "pps", NULL);
	if (rc == 0 && s->any)
		rc = proc_figure(env, "worst-second-lost-ratio", s->worst, "ratio", NULL);
	if (rc == 0 && s->any)
		rc = proc_figure(env, "worst-second", s->worst_seq, "s", NULL);
	if (rc == 0 && s->first_bytes > 0)
		rc = proc_figure(env, "memory-growth", grown, "bytes", NULL);
	return rc == 0 ? proc_latency_figures(env, NULL, &r->total.lat) : rc;
}

static int run(struct proc_env *env, enum proc_outcome *outcome, struct err *err)
{
	struct soak soak = {0};
	struct trial_spec spec = {.purpose = "final",
		.frame_size = env->frame_size,
		.duration_ns = fixed_duration_ns(env->test),
		.on_rows = on_rows,
		.ctx = &soak};
	double most = (double)opt_set_one(env->test, &opts[GROWTH]).lo * (1 << 20), grown;
	struct trial_load *loads = NULL;
	struct trial_result result;
	int rc = proc_begin(env, err);

	if (rc == 0)
		rc = fixed_loads(env, &loads, err);
	spec.loads = loads;
	if (rc == 0)
		rc = proc_trial(env, &spec, &result, err);
	free(loads);
	if (rc < 0)
		return rc;
	grown = (double)resident_bytes() - (double)soak.first_bytes;
	*outcome = result.clean ? PROC_DONE : PROC_INVALID;
	if (*outcome == PROC_INVALID) {
		proc_note_invalid(env, &result);
		return 0;
	}
	if (soak.first_bytes > 0 && grown > most) {
		*outcome = PROC_INVALID;
		proc_note(env,
			"tgen holds %.0f MiB more than after the first second (max-growth): "
			"please report this",
			grown / (1 << 20));
	}
	return figures(env, &result, &soak, grown);
}

static const struct proc_figure_doc soak_docs[] = {
	{"lost-ratio", "ratio", "frames lost of those sent"},
	{"sent", "pps", "what each port that sends sent, on average"},
	{"worst-second-lost-ratio", "ratio", "the highest loss of a second"},
	{"worst-second", "s", "which second that was"},
	{"memory-growth", "bytes",
		"memory that tgen held more at the end than after the first second"},
};
static const struct proc_figure_docs soak_figures = PROC_FIGURE_DOCS(soak_docs);
static const struct proc_figure_docs *const soak_all[] = {&soak_figures, &proc_latency_docs};

const struct procedure proc_soak = {
	.name = "soak",
	.help = "one load for hours: loss, the worst second, latency, and the memory of tgen "
		"itself",
	.sections = sections,
	.nb_sections = sizeof(sections) / sizeof(sections[0]),
	.estimate = estimate,
	.run = run,
	.figures = soak_all,
	.nb_figures = sizeof(soak_all) / sizeof(soak_all[0]),
};
