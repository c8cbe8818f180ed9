/* SPDX-License-Identifier: BSD-3-Clause */
#include <errno.h>
#include <stdio.h>

#include "tgen/procedure.h"
#include "tgen/run.h"

/* The words of a test: those of every test, of quick where they fit, of all procedures. */

static const struct opt_section *const sections[] = {
	&conf_test_section,
	&conf_test_run_section,
	&conf_test_receive_section,
	&conf_test_health_section,
	&conf_test_streams_section,
	&proc_load_section,
	&proc_trial_section,
	&proc_search_section,
	&proc_not_possible_section,
	&proc_recovery_section,
	&proc_soak_section,
	&proc_rfc2889_section,
	&proc_addresses_section,
	&proc_rfc8219_section,
	&proc_y1564_section,
	&rfc2544_rate_section,
	&rfc2544_latency_section,
	&rfc2544_loss_section,
	&rfc2544_burst_section,
	&proc_goal_section,
};

const struct opt_menu run_test_menu = {
	.name = "test",
	.help = "Tests that run does: a procedure, what it sends, in which sizes and variants of "
		"the "
		"device, and what it must come to.",
	.sections = sections,
	.nb_sections = sizeof(sections) / sizeof(sections[0]),
};

/* The sections before those of procedures. */
#define NB_COMMON 5u

static bool is_common(const struct opt *opt)
{
	for (size_t s = 0; s < NB_COMMON; s++)
		for (size_t i = 0; i < sections[s]->nb; i++)
			if (opt_section_at(sections[s], i) == opt)
				return true;
	return false;
}

static int unknown_procedure(const struct opt_set *test, const char *name, struct err *err)
{
	const char *names[64], *near;
	char known[1024];
	size_t len = 0;

	for (unsigned i = 0; i < nb_procedures && i < 64; i++) {
		names[i] = procedures[i]->name;
		len += (size_t)snprintf(known + len, len < sizeof(known) ? sizeof(known) - len : 0,
			"%s%s", i > 0 ? " " : "", names[i]);
	}
	near = opt_nearest(name, names, nb_procedures);
	if (near != NULL)
		return opt_error(err, test, &conf_test_opts[TEST_PROCEDURE],
			"there is no procedure \"%s\", did you mean \"%s\"?", name, near);
	return opt_error(err, test, &conf_test_opts[TEST_PROCEDURE],
		"there is no procedure \"%s\" (%s)", name, known);
}

int run_test_check(const struct opt_set *test, struct err *err)
{
	const char *name = opt_set_one(test, &conf_test_opts[TEST_PROCEDURE]).text;
	const struct procedure *procedure = procedure_find(name);

	if (procedure == NULL)
		return unknown_procedure(test, name, err);
	for (unsigned i = 0; i < test->nb_slots; i++) {
		const struct opt *opt = test->slots[i].opt;

		if (!is_common(opt) && !procedure_takes(procedure, opt))
			return opt_error(err, test, opt, "%s has no such word", name);
	}
	return procedure->check != NULL ? procedure->check(test, err) : 0;
}
