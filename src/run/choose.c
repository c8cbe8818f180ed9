/* SPDX-License-Identifier: BSD-3-Clause */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "suite.h"
#include "tgen/units.h"

/* Which tests of the file run, over which variants and sizes, and what they must come to. */

#define OPT(which) (&conf_test_opts[which])

const char *suite_variant_name(const struct opt_set *variant)
{
	return variant != NULL ? opt_set_one(variant, &conf_variant_opts[VARIANT_NAME]).text : NULL;
}

static int no_memory(struct err *err)
{
	return err_device(err, ENOMEM, "tests");
}

/* Item i of a list that was given; NULL: beyond its end. */
static const char *item(const struct opt_set *set, const struct opt *opt, unsigned i)
{
	const struct opt_slot *slot = opt_set_get(set, opt);

	return slot != NULL && i < slot->nb_vals ? slot->vals[i].text : NULL;
}

/* ---- variants ---- */

static const struct opt_set *variant_of(const struct conf *conf, unsigned dut, const char *name)
{
	for (unsigned i = 0; i < conf_nb(conf, "variants"); i++) {
		const struct opt_set *variant = conf_at(conf, "variants", i);

		if (conf_parent(conf, "variants", i) == dut &&
			(name == NULL || strcmp(suite_variant_name(variant), name) == 0))
			return variant;
	}
	return NULL;
}

/* The index of the test's device; -1: it has none. */
static int dut_find(const struct suite *suite, struct suite_test *t, int *index, struct err *err)
{
	const char *name = item(t->set, OPT(TEST_DUT), 0);
	unsigned nb = conf_nb(suite->conf, "duts");

	*index = nb == 1 ? 0 : -1;
	for (unsigned i = 0; name != NULL && i < nb; i++)
		if (strcmp(opt_set_one(conf_at(suite->conf, "duts", i), &conf_dut_opts[DUT_NAME])
				    .text,
			    name) == 0)
			*index = (int)i;
	if (name != NULL && conf_find(suite->conf, "duts", name) == NULL)
		return opt_error(err, t->set, OPT(TEST_DUT), "there is no dut \"%s\"", name);
	if (*index < 0 && opt_set_get(t->set, OPT(TEST_VARIANTS)) != NULL)
		return opt_error(err, t->set, OPT(TEST_VARIANTS),
			"of which device? name it (dut), as the file has %u", nb);
	t->dut = *index >= 0 ? conf_at(suite->conf, "duts", (unsigned)*index) : NULL;
	return 0;
}

static bool word_names(const struct suite *suite, enum conf_run_opt which, const char *name)
{
	const struct opt_slot *slot = opt_set_get(suite->options->words, &conf_run_opts[which]);

	for (unsigned i = 0; slot != NULL && i < slot->nb_vals; i++)
		if (strcmp(slot->vals[i].text, name) == 0)
			return true;
	return slot == NULL;
}

static int variant_add(
	const struct suite *suite, struct suite_test *t, const struct opt_set *variant)
{
	const struct opt_set **more;

	if (!word_names(suite, RUN_VARIANT, suite_variant_name(variant)))
		return 0;
	more = realloc(t->variants, (t->nb_variants + 1) * sizeof(*more));
	if (more == NULL)
		return -ENOMEM;
	t->variants = more;
	more[t->nb_variants++] = variant;
	return 0;
}

static int variants_choose(const struct suite *suite, struct suite_test *t, struct err *err)
{
	const struct opt_slot *named = opt_set_get(t->set, OPT(TEST_VARIANTS));
	int dut, rc = dut_find(suite, t, &dut, err);
	bool any = false;

	for (unsigned i = 0; rc == 0 && named != NULL && i < named->nb_vals; i++) {
		const struct opt_set *variant =
			variant_of(suite->conf, (unsigned)dut, named->vals[i].text);

		if (variant == NULL)
			return opt_error(err, t->set, OPT(TEST_VARIANTS),
				"the device has no variant \"%s\"", named->vals[i].text);
		any = true;
		rc = variant_add(suite, t, variant);
	}
	for (unsigned i = 0;
		rc == 0 && named == NULL && dut >= 0 && i < conf_nb(suite->conf, "variants"); i++) {
		if (conf_parent(suite->conf, "variants", i) != (unsigned)dut)
			continue;
		any = true;
		rc = variant_add(suite, t, conf_at(suite->conf, "variants", i));
	}
	if (rc == -ENOMEM)
		return no_memory(err);
	if (rc < 0 || t->nb_variants > 0)
		return rc;
	if (any || opt_set_get(suite->options->words, &conf_run_opts[RUN_VARIANT]) != NULL)
		return opt_error(err, t->set, NULL, "has none of the variants that variant= names");
	t->variants = calloc(1, sizeof(*t->variants));
	t->nb_variants = 1;
	return t->variants != NULL ? 0 : no_memory(err);
}

/* ---- sizes ---- */

static char *with_fcs(const char *text)
{
	char *end, *out = NULL;
	unsigned long bytes = strtoul(text, &end, 10);

	if (end == text) /* a word: it counts the FCS anyway */
		return strdup(text);
	if (*end != '\0')
		return NULL;
	return asprintf(&out, "%lu", bytes + UNITS_FCS_BYTES) < 0 ? NULL : out;
}

static int sizes_choose(struct suite_test *t, struct err *err)
{
	const struct opt_slot *frames = opt_set_get(t->set, OPT(TEST_FRAME_SIZES)),
			      *packets = opt_set_get(t->set, OPT(TEST_PACKET_SIZES)),
			      *slot = frames != NULL ? frames : packets;

	if (frames != NULL && packets != NULL)
		return opt_error(err, t->set, OPT(TEST_PACKET_SIZES),
			"frame-sizes is given too; only one of the two may be");
	if (slot != NULL && (t->procedure->flags & PROC_ONE_CELL) != 0 && slot->nb_vals > 1)
		return opt_error(err, t->set, slot->opt, "%s is done once, with one size at most",
			t->procedure->name);
	t->nb_sizes = slot != NULL ? slot->nb_vals : 1;
	t->sizes = calloc(t->nb_sizes, sizeof(*t->sizes));
	if (t->sizes == NULL)
		return no_memory(err);
	for (unsigned i = 0; slot != NULL && i < slot->nb_vals; i++) {
		const char *text = slot->vals[i].text;

		t->sizes[i] = slot == frames ? strdup(text) : with_fcs(text);
		if (t->sizes[i] == NULL)
			return opt_error(err, t->set, slot->opt,
				"%s: give a mix or a range as frame-sizes, which count the FCS",
				text);
	}
	return 0;
}

/* ---- criteria ---- */

static int pass_if_read(struct suite_test *t, struct err *err)
{
	const char *text = opt_set_one(t->set, OPT(TEST_PASS_IF)).text;
	unsigned needed, of;
	int end = 0;

	t->repeats = (unsigned)opt_set_one(t->set, OPT(TEST_REPEATS)).lo;
	t->needed = t->repeats;
	if (strcmp(text, "all") == 0)
		return 0;
	if (sscanf(text, "%u-of-%u%n", &needed, &of, &end) != 2 || text[end] != '\0' ||
		needed == 0 || needed > of)
		return opt_error(err, t->set, OPT(TEST_PASS_IF),
			"\"%s\" is not all or N-of-M, as 2-of-3", text);
	if (of != t->repeats)
		return opt_error(err, t->set, OPT(TEST_PASS_IF),
			"%s, but the test has repeats: %u; give repeats: %u", text, t->repeats, of);
	t->needed = needed;
	return 0;
}

/* FILE as it is from the directory of the file that names it. Caller frees. */
static char *beside(const struct opt_set *set, const char *file)
{
	const char *slash = set->origin != NULL ? strrchr(set->origin, '/') : NULL;
	char *path = NULL;

	if (file[0] == '/' || slash == NULL)
		return strdup(file);
	return asprintf(&path, "%.*s/%s", (int)(slash - set->origin), set->origin, file) < 0 ? NULL
											     : path;
}

static int baseline_open(struct suite_test *t, bool needed, struct err *err)
{
	const char *file = item(t->set, OPT(TEST_BASELINE), 0);
	char *path;

	if (file == NULL && !needed)
		return 0;
	if (file == NULL)
		return opt_error(err, t->set, OPT(TEST_EXPECT),
			"a criterion compares with a baseline, but none is named: baseline=FILE, "
			"which "
			"tgen baseline save makes");
	path = beside(t->set, file);
	t->baseline = path != NULL ? baseline_read(path, err) : NULL;
	if (t->baseline == NULL && path == NULL)
		no_memory(err);
	else if (t->baseline == NULL && t->set->origin != NULL)
		err_prefix(err, "%s: test %s: baseline: ", t->set->origin, t->name);
	free(path);
	return t->baseline != NULL ? 0 : -EINVAL;
}

static int criteria_read(struct suite_test *t, struct err *err)
{
	const struct opt_slot *slot = opt_set_get(t->set, OPT(TEST_EXPECT));
	bool baseline = false;

	if (slot == NULL)
		return baseline_open(t, false, err);
	t->criteria = calloc(slot->nb_vals, sizeof(struct criterion *));
	if (t->criteria == NULL)
		return no_memory(err);
	for (unsigned i = 0; i < slot->nb_vals; i++) {
		struct err why = {0};

		t->criteria[i] = criterion_parse(slot->vals[i].text, &why);
		if (t->criteria[i] == NULL)
			return opt_error(err, t->set, OPT(TEST_EXPECT), "%s", why.text);
		t->nb_criteria++;
		baseline = baseline || criterion_needs_baseline(t->criteria[i]);
	}
	return baseline_open(t, baseline, err);
}

/* ---- tests ---- */

static int topology_check(const struct suite_test *t, struct err *err)
{
	uint64_t topology = opt_set_one(t->set, OPT(TEST_TOPOLOGY)).lo;

	if (topology == TOPOLOGY_GIVEN && opt_set_get(t->set, OPT(TEST_TEMPLATE)) != NULL)
		return opt_error(err, t->set, OPT(TEST_TEMPLATE),
			"is what a topology makes streams of; give topology, or name templates "
			"with "
			"tx-template");
	if (topology != TOPOLOGY_GIVEN && (opt_set_get(t->set, OPT(TEST_STREAM)) != NULL ||
						  opt_set_get(t->set, OPT(TEST_TX_TEMPLATE))))
		return opt_error(err, t->set, OPT(TEST_TOPOLOGY),
			"makes streams of its own; leave out stream and tx-template, or the "
			"topology");
	if (t->procedure->topologies != 0 && (t->procedure->topologies >> topology & 1) == 0)
		return opt_error(err, t->set, OPT(TEST_TOPOLOGY),
			"%s cannot be done over %s; see tgen help procedures", t->procedure->name,
			opt_set_one(t->set, OPT(TEST_TOPOLOGY)).text);
	if ((t->procedure->flags & PROC_EVENT) != 0 && opt_set_get(t->set, OPT(TEST_EVENT)) == NULL)
		return opt_error(err, t->set, NULL,
			"%s needs event: the command that breaks the path or resets the device",
			t->procedure->name);
	return 0;
}

/* Rates that a procedure sets itself must not be given. */
static int loads_check(const struct suite_test *t, struct err *err)
{
	static const enum conf_stream_opt rates[] = {STREAM_MBPS, STREAM_PPS, STREAM_PERCENT,
		STREAM_RATE_PROFILE, STREAM_PACKET_COUNT, STREAM_BURST_PACKETS, STREAM_PACKET_SIZE,
		STREAM_FRAME_SIZE};

	if ((t->procedure->flags & PROC_OWN_LOADS) == 0)
		return 0;
	for (size_t i = 0; i < sizeof(rates) / sizeof(rates[0]); i++) {
		const struct opt *opt = &conf_stream_opts[rates[i]];

		if (opt_set_get(t->set, opt) != NULL)
			return opt_error(err, t->set, opt,
				"%s chooses the rates itself, and sizes are frame-sizes; limit the "
				"rate with max-rate",
				t->procedure->name);
	}
	return 0;
}

static int test_read(const struct suite *suite, struct suite_test *t, struct err *err)
{
	t->name = opt_set_one(t->set, OPT(TEST_NAME)).text;
	t->procedure = procedure_find(opt_set_one(t->set, OPT(TEST_PROCEDURE)).text);
	if (topology_check(t, err) < 0 || loads_check(t, err) < 0 ||
		variants_choose(suite, t, err) < 0 || sizes_choose(t, err) < 0 ||
		pass_if_read(t, err) < 0 || criteria_read(t, err) < 0)
		return -EINVAL;
	return 0;
}

static bool is_chosen(const struct suite *suite, const struct opt_set *test)
{
	if (opt_set_get(suite->options->words, &conf_run_opts[RUN_TEST]) != NULL)
		return word_names(suite, RUN_TEST, opt_set_one(test, OPT(TEST_NAME)).text);
	return opt_set_one(test, OPT(TEST_DISABLED)).lo == 0;
}

/* Names of the command that the file does not have. */
static int words_check(const struct suite *suite, struct err *err)
{
	const char *name;

	for (unsigned i = 0;
		(name = item(suite->options->words, &conf_run_opts[RUN_TEST], i)) != NULL; i++)
		if (conf_find(suite->conf, "tests", name) == NULL)
			return conf_not_found(suite->conf, "tests", "test", name, err);
	for (unsigned i = 0;
		(name = item(suite->options->words, &conf_run_opts[RUN_VARIANT], i)) != NULL; i++)
		if (conf_find(suite->conf, "variants", name) == NULL)
			return conf_not_found(suite->conf, "variants", "variant", name, err);
	return 0;
}

int suite_choose(struct suite *suite, struct err *err)
{
	unsigned all = conf_nb(suite->conf, "tests");

	if (words_check(suite, err) < 0)
		return -EINVAL;
	suite->tests = calloc(all + 1, sizeof(*suite->tests));
	if (suite->tests == NULL)
		return no_memory(err);
	for (unsigned i = 0; i < all; i++) {
		const struct opt_set *set = conf_at(suite->conf, "tests", i);

		if (!is_chosen(suite, set))
			continue;
		suite->tests[suite->nb_tests].set = set;
		if (test_read(suite, &suite->tests[suite->nb_tests++], err) < 0)
			return -EINVAL;
	}
	if (suite->nb_tests == 0)
		return err_usage(err, "%s has no test%s", conf_path(suite->conf),
			all > 0 ? " that is not disabled; name one with test=" : "");
	return 0;
}

void suite_tests_free(struct suite *suite)
{
	for (unsigned i = 0; i < suite->nb_tests; i++) {
		struct suite_test *t = &suite->tests[i];

		for (unsigned k = 0; t->sizes != NULL && k < t->nb_sizes; k++)
			free(t->sizes[k]);
		for (unsigned k = 0; k < t->nb_criteria; k++)
			criterion_free(t->criteria[k]);
		free(t->sizes);
		free(t->criteria);
		free(t->variants);
		baseline_free(t->baseline);
	}
	free(suite->tests);
}
