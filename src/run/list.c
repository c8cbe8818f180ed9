/* SPDX-License-Identifier: BSD-3-Clause */
#include <stdio.h>
#include <string.h>

#include "suite.h"
#include "tgen/units.h"

/* What would be done: --list and --dry-run. */

#define OPT(which) (&conf_test_opts[which])
/* What a trial takes beside its time: ARP, loading, draining. A guess that is on the safe side. */
#define TRIAL_EXTRA_NS (3 * UNITS_NS_PER_S)

uint64_t suite_cell_estimate_ns(const struct suite_test *t, unsigned size, unsigned *nb_trials)
{
	struct proc_env env = {.test = t->set,
		.frame_size = t->sizes[size],
		.settle_ns = opt_set_one(t->set, OPT(TEST_SETTLE)).lo +
			     opt_set_one(t->set, OPT(TEST_PAUSE)).lo,
		.max_invalid = (unsigned)opt_set_one(t->set, OPT(TEST_MAX_INVALID)).lo};
	struct proc_estimate estimate = {0};
	uint64_t warm_up = opt_set_one(t->set, OPT(TEST_WARM_UP)).lo;

	if (t->procedure->estimate != NULL)
		t->procedure->estimate(&env, &estimate);
	*nb_trials = estimate.nb_trials;
	return estimate.duration_ns + estimate.nb_trials * (env.settle_ns + TRIAL_EXTRA_NS) +
	       (warm_up > 0 ? warm_up + env.settle_ns : 0);
}

static void print_names(const char *before, const struct suite_test *t)
{
	if (t->nb_variants == 1 && t->variants[0] == NULL)
		return;
	fputs(before, stdout);
	for (unsigned i = 0; i < t->nb_variants; i++)
		printf("%s%s", i > 0 ? "," : "", suite_variant_name(t->variants[i]));
}

static void print_sizes(const char *before, const struct suite_test *t)
{
	if (t->sizes[0] == NULL)
		return;
	fputs(before, stdout);
	for (unsigned i = 0; i < t->nb_sizes; i++)
		printf("%s%s", i > 0 ? "," : "", t->sizes[i]);
}

static void print_test(const struct suite_test *t)
{
	const struct opt_slot *comment = opt_set_get(t->set, OPT(TEST_COMMENT));

	printf("%s: %s", t->name, t->procedure->name);
	print_sizes(", frame sizes ", t);
	print_names(", variants ", t);
	if (t->repeats > 1)
		printf(", %u times (%s)", t->repeats, opt_set_one(t->set, OPT(TEST_PASS_IF)).text);
	printf("\n");
	if (comment != NULL)
		printf("    %s\n", comment->vals[0].text);
	for (unsigned i = 0; i < t->nb_criteria; i++)
		printf("    expect %s\n", criterion_text(t->criteria[i]));
}

int suite_list(const struct suite *suite)
{
	for (unsigned i = 0; i < suite->nb_tests; i++)
		print_test(&suite->tests[i]);
	return 0;
}

static void print_commands(const struct opt_set *variant, enum conf_variant_opt which)
{
	const struct opt_slot *slot = opt_set_get(variant, &conf_variant_opts[which]);

	for (unsigned i = 0; slot != NULL && i < slot->nb_vals; i++)
		printf("    %s of %s: %s\n", slot->opt->name, suite_variant_name(variant),
			slot->vals[i].text);
}

int suite_dry_run(const struct suite *suite)
{
	uint64_t all_ns = 0;
	unsigned all_trials = 0, cells = 0;
	char text[UNITS_TEXT_MAX];

	for (unsigned i = 0; i < suite->nb_tests; i++) {
		const struct suite_test *t = &suite->tests[i];
		uint64_t test_ns = 0;
		unsigned trials = 0;

		print_test(t);
		for (unsigned v = 0; v < t->nb_variants; v++) {
			if (t->variants[v] == NULL)
				continue;
			print_commands(t->variants[v], VARIANT_SETUP);
			print_commands(t->variants[v], VARIANT_TEARDOWN);
			print_commands(t->variants[v], VARIANT_PROBE);
		}
		for (unsigned s = 0; s < t->nb_sizes; s++) {
			unsigned nb, times = t->nb_variants * t->repeats;
			uint64_t ns = suite_cell_estimate_ns(t, s, &nb);

			test_ns += ns * times;
			trials += nb * times;
			cells += times;
		}
		printf("    at most %u trials, %s\n", trials,
			units_fmt_duration(text, test_ns / UNITS_NS_PER_S * UNITS_NS_PER_S));
		all_ns += test_ns;
		all_trials += trials;
	}
	printf("%u tests, %u cells, at most %u trials, %s\n", suite->nb_tests, cells, all_trials,
		units_fmt_duration(text, all_ns / UNITS_NS_PER_S * UNITS_NS_PER_S));
	return 0;
}
