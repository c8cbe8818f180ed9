/* SPDX-License-Identifier: BSD-3-Clause */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "fixed.h"
#include "procedures.h"
#include "tgen/series.h"

/* RFC 8219 §7: latency (7.2), packet delay variation (7.3.1), inter-packet delay variation (7.3.2). */

#define FRAMES_MIN 500u

enum { REPEATS, NB_OPTS };
static const struct opt opts[NB_OPTS] = {
	[REPEATS] = {.name = "repeated-trials",
		.type = OPT_UINT,
		.min = 1,
		.max = 1000,
		.dflt = "20",
		.help = "trials of a size; the report has the median of them (RFC 8219 §7.2: at "
			"least "
			"20)"},
};
const struct opt_section proc_rfc8219_section = OPT_SECTION("repeated trials", opts);
static const struct opt_section *const sections[] = {
	&proc_trial_section, &rfc2544_rate_section, &proc_rfc8219_section};

/* What is taken of a trial; false: it was not measured. */
struct quantity {
	const char *name;
	bool (*of)(const struct result_row *row, double *value);
};

static unsigned nb_repeats(const struct opt_set *test)
{
	return (unsigned)opt_set_one(test, &opts[REPEATS]).lo;
}

static void estimate(const struct proc_env *env, struct proc_estimate *out)
{
	fixed_estimate(env, nb_repeats(env->test), out);
}

/* The median over the trials, with the least and the most. */
static int figure(
	const struct proc_env *env, const struct quantity *q, const double *values, unsigned nb)
{
	struct series s;
	char name[64];
	int rc;

	if (!series_of(values, nb, &s))
		return 0;
	rc = proc_figure(env, q->name, s.median, "ns", NULL);
	snprintf(name, sizeof(name), "%s-min", q->name);
	if (rc == 0)
		rc = proc_figure(env, name, s.min, "ns", NULL);
	snprintf(name, sizeof(name), "%s-max", q->name);
	return rc == 0 ? proc_figure(env, name, s.max, "ns", NULL) : rc;
}

static int trials(struct proc_env *env, const struct quantity *quantities, unsigned nb,
	double *values, bool *valid, struct err *err)
{
	struct trial_spec spec = {.purpose = "final",
		.frame_size = env->frame_size,
		.duration_ns = fixed_duration_ns(env->test)};
	unsigned repeats = nb_repeats(env->test);
	struct trial_load *loads;
	int rc = fixed_loads(env, &loads, err);

	spec.loads = loads;
	*valid = true;
	for (unsigned i = 0; rc == 0 && *valid && i < repeats; i++) {
		struct trial_result r;

		rc = proc_trial(env, &spec, &r, err);
		if (rc < 0)
			break;
		*valid = r.clean && r.total.lat.count > 0 && r.total.n.good >= FRAMES_MIN;
		if (!r.clean)
			proc_note_invalid(env, &r);
		if (r.clean && !*valid)
			proc_note(
				env, "fewer than %u frames came: RFC 8219 needs more", FRAMES_MIN);
		for (unsigned q = 0; *valid && q < nb; q++)
			if (!quantities[q].of(&r.total, &values[q * repeats + i]))
				*valid = false;
	}
	free(loads);
	return rc;
}

static int repeated(struct proc_env *env, const struct quantity *quantities, unsigned nb,
	enum proc_outcome *outcome, struct err *err)
{
	unsigned repeats = nb_repeats(env->test);
	double *values = calloc((size_t)repeats * nb, sizeof(*values));
	bool valid = false;
	int rc = proc_begin(env, err);

	if (values == NULL)
		return err_device(err, ENOMEM, "trials");
	if (rc == 0)
		rc = trials(env, quantities, nb, values, &valid, err);
	*outcome = valid ? PROC_DONE : PROC_INVALID;
	for (unsigned q = 0; rc == 0 && valid && q < nb; q++)
		rc = figure(env, &quantities[q], &values[q * repeats], repeats);
	free(values);
	return rc;
}

/* ---- quantities ---- */

static bool typical(const struct result_row *row, double *value)
{
	*value = (double)row->lat.p50;
	return row->lat.count > 0;
}

static bool worst_case(const struct result_row *row, double *value)
{
	*value = (double)row->lat.p999;
	return row->lat.count > 0;
}

static bool pdv(const struct result_row *row, double *value)
{
	*value = (double)row->pdv_ns;
	return row->lat.count > 0;
}

static bool ipdv_min(const struct result_row *row, double *value)
{
	*value = (double)row->ipdv.min;
	return row->ipdv.count > 0;
}

static bool ipdv_median(const struct result_row *row, double *value)
{
	*value = (double)row->ipdv.median;
	return row->ipdv.count > 0;
}

static bool ipdv_max(const struct result_row *row, double *value)
{
	*value = (double)row->ipdv.max;
	return row->ipdv.count > 0;
}

static int latency_run(struct proc_env *env, enum proc_outcome *outcome, struct err *err)
{
	static const struct quantity q[] = {
		{"typical-latency", typical}, {"worst-case-latency", worst_case}};

	return repeated(env, q, 2, outcome, err);
}

static int pdv_run(struct proc_env *env, enum proc_outcome *outcome, struct err *err)
{
	static const struct quantity q[] = {{"pdv", pdv}};

	return repeated(env, q, 1, outcome, err);
}

static int ipdv_run(struct proc_env *env, enum proc_outcome *outcome, struct err *err)
{
	static const struct quantity q[] = {
		{"ipdv-min", ipdv_min}, {"ipdv-median", ipdv_median}, {"ipdv-max", ipdv_max}};

	return repeated(env, q, 3, outcome, err);
}

static const struct proc_figure_doc repeated_docs[] = {
	{"typical-latency", "ns", "median latency of a trial, median over the trials"},
	{"typical-latency-min", "ns", "median latency of a trial, the least of the trials"},
	{"typical-latency-max", "ns", "median latency of a trial, the most of the trials"},
	{"worst-case-latency", "ns", "99.9 % latency of a trial, median over the trials"},
	{"worst-case-latency-min", "ns", "99.9 % latency of a trial, the least of the trials"},
	{"worst-case-latency-max", "ns", "99.9 % latency of a trial, the most of the trials"},
	{"pdv", "ns", "packet delay variation of a trial, median over the trials"},
	{"pdv-min", "ns", "packet delay variation of a trial, the least of the trials"},
	{"pdv-max", "ns", "packet delay variation of a trial, the most of the trials"},
	{"ipdv-min", "ns",
		"lowest inter-packet delay variation of a trial, median over the trials"},
	{"ipdv-min-min", "ns",
		"lowest inter-packet delay variation of a trial, the least of the trials"},
	{"ipdv-min-max", "ns",
		"lowest inter-packet delay variation of a trial, the most of the trials"},
	{"ipdv-median", "ns",
		"median inter-packet delay variation of a trial, median over the trials"},
	{"ipdv-median-min", "ns",
		"median inter-packet delay variation of a trial, the least of the trials"},
	{"ipdv-median-max", "ns",
		"median inter-packet delay variation of a trial, the most of the trials"},
	{"ipdv-max", "ns",
		"highest inter-packet delay variation of a trial, median over the trials"},
	{"ipdv-max-min", "ns",
		"highest inter-packet delay variation of a trial, the least of the trials"},
	{"ipdv-max-max", "ns",
		"highest inter-packet delay variation of a trial, the most of the trials"},
};
static const struct proc_figure_docs repeated_doc = PROC_FIGURE_DOCS(repeated_docs);
static const struct proc_figure_docs *const repeated_all[] = {&repeated_doc};

#define REPEATED(var, name_, help_, run_)                                                          \
	const struct procedure var = {.name = (name_),                                             \
		.help = (help_),                                                                   \
		.sections = sections,                                                              \
		.nb_sections = sizeof(sections) / sizeof(sections[0]),                             \
		.estimate = estimate,                                                              \
		.run = (run_),                                                                     \
		.figures = repeated_all,                                                           \
		.nb_figures = 1}

REPEATED(proc_rfc8219_latency, "rfc8219-latency",
	"typical latency (median) and worst case latency (99.9 %) of repeated trials (RFC 8219 "
	"§7.2)",
	latency_run);
REPEATED(proc_rfc8219_pdv, "rfc8219-pdv",
	"packet delay variation, 99.9 % less the least, of repeated trials (RFC 8219 §7.3.1)",
	pdv_run);
REPEATED(proc_rfc8219_ipdv, "rfc8219-ipdv",
	"inter-packet delay variation of repeated trials (RFC 8219 §7.3.2)", ipdv_run);
