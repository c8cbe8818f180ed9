/* SPDX-License-Identifier: BSD-3-Clause */
#include <errno.h>
#include <stdlib.h>

#include "fixed.h"
#include "procedures.h"
#include "tgen/units.h"

/* RFC 2544 §26.5: 110 % of the throughput, at A down to half of that, until B no frame is lost. */

enum { THROUGHPUT, NB_OPTS };
static const struct opt opts[NB_OPTS] = {
	[THROUGHPUT] = {.name = "throughput",
		.type = OPT_RATE,
		.help = "throughput of the size, as rfc2544-throughput found it, of each port that "
			"sends; the test sends 110 % of it, max-rate at most"},
};
const struct opt_section proc_recovery_section = OPT_SECTION("recovery", opts);
static const struct opt_section *const sections[] = {
	&proc_load_section, &proc_trial_section, &proc_recovery_section};

static int check(const struct opt_set *test, struct err *err)
{
	if (opt_set_get(test, &opts[THROUGHPUT]) != NULL)
		return 0;
	return opt_error(err, test, NULL,
		"rfc2544-system-recovery needs throughput: measure it first (rfc2544-throughput), "
		"as "
		"throughput: \"812345pps\"");
}

static void estimate(const struct proc_env *env, struct proc_estimate *out)
{
	fixed_estimate(env, 2, out);
	out->nb_trials = 1;
}

static int run(struct proc_env *env, enum proc_outcome *outcome, struct err *err)
{
	uint64_t half_ns = fixed_duration_ns(env->test), upps, most;
	struct trial_spec spec = {
		.purpose = "recovery", .frame_size = env->frame_size, .duration_ns = 2 * half_ns};
	struct opt_val val = opt_set_one(env->test, &opts[THROUGHPUT]);
	struct trial_load *loads;
	struct trial_result r;
	uint64_t last;
	int rc = proc_begin(env, err);

	if (rc == 0)
		rc = proc_rate_upps(
			env, &opts[THROUGHPUT], &val, env->info->streams[0].tx_port, &upps, err);
	if (rc < 0)
		return rc;
	upps += upps / 10;
	if (proc_max_upps(env, &most, &(struct err){0}) == 0 && upps > most)
		upps = most;
	loads = calloc(env->info->nb_streams, sizeof(*loads));
	if (loads == NULL)
		return err_device(err, ENOMEM, "loads");
	proc_loads_even(env->info, upps, loads);
	for (unsigned i = 0; i < env->info->nb_streams; i++) {
		loads[i].step_ns = half_ns;
		loads[i].step_upps = loads[i].upps / 2;
	}
	spec.loads = loads;
	rc = proc_trial(env, &spec, &r, err);
	free(loads);
	if (rc < 0)
		return rc;
	*outcome = r.clean && r.total.outage.known ? PROC_DONE : PROC_INVALID;
	if (r.clean && !r.total.outage.known)
		proc_note(env,
			"which frames were lost is not known: measure-out-of-order must be yes");
	if (*outcome == PROC_INVALID) {
		proc_note_invalid(env, &r);
		return 0;
	}
	last = r.total.outage.last_loss_ns;
	if (last + UNITS_NS_PER_S / 100 > r.send_ns) {
		*outcome = PROC_FAILED;
		proc_note(env,
			"frames were still lost when the trial ended: the device did not recover "
			"in the time of trial-duration");
	}
	if (r.total.lost_packet == 0)
		proc_note(env, "nothing was lost at 110 %% of the throughput given: the device was "
			       "not overloaded, and had nothing to recover from");
	rc = proc_figure(env, "recovery", last > half_ns ? (double)(last - half_ns) : 0, "ns",
		r.total.lost_packet == 0 ? "not overloaded" : NULL);
	if (rc == 0)
		rc = proc_figure(env, "overload", (double)upps / UNITS_MICROS, "pps", NULL);
	return rc == 0 ? proc_figure(
				 env, "lost-frames", (double)r.total.lost_packet, "frames", NULL)
		       : rc;
}

static const struct proc_figure_doc recovery_docs[] = {
	{"recovery", "ns", "time from the end of the overload to the last frame that was lost"},
	{"overload", "pps", "load of each port during the overload"},
	{"lost-frames", "frames", "frames lost"},
};
static const struct proc_figure_docs recovery_figures = PROC_FIGURE_DOCS(recovery_docs);
static const struct proc_figure_docs *const recovery_all[] = {&recovery_figures};

const struct procedure proc_rfc2544_recovery = {
	.name = "rfc2544-system-recovery",
	.help = "how long frames are lost after an overload has ended (RFC 2544 §26.5)",
	.sections = sections,
	.nb_sections = sizeof(sections) / sizeof(sections[0]),
	.flags = PROC_OWN_LOADS,
	.check = check,
	.estimate = estimate,
	.run = run,
	.figures = recovery_all,
	.nb_figures = sizeof(recovery_all) / sizeof(recovery_all[0]),
};
