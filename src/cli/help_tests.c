/* SPDX-License-Identifier: BSD-3-Clause */
#include <stdio.h>
#include <string.h>

#include "help.h"
#include "tgen/conf.h"
#include "tgen/procedure.h"
#include "tgen/run.h"

/* Devices, tests and procedures, from the tables that run reads. */

static void write_kind(enum help_form form, const struct opt_menu *menu)
{
	help_heading(form, 3, menu->name);
	help_paragraph(form, menu->help);
	help_menu(form, menu);
}

/* Words of streams and of receiving are those of quick: named, not told again. */
static void write_test(enum help_form form)
{
	help_heading(form, 3, run_test_menu.name);
	help_paragraph(form, run_test_menu.help);
	help_section(form, &conf_test_section);
	help_paragraph(form,
		"A test also takes these words of quick: of the run (test-id, rate-layer, idle …), "
		"of "
		"receiving (grace, drain, verify-data, latency-type …), of the generator's health "
		"(max-unsent, max-lag …) and of its streams; and those of its procedure.");
}

static void write_procedure(enum help_form form, const struct procedure *p)
{
	help_heading(form, 3, p->name);
	help_paragraph(form, p->help);
	for (unsigned i = 0; i < p->nb_sections; i++)
		help_section(form, p->sections[i]);
	if (p->nb_figures == 0)
		return;
	help_heading(form, 4, "figures");
	help_items_begin(form, "figure", "unit");
	for (unsigned i = 0; i < p->nb_figures; i++)
		for (unsigned k = 0; k < p->figures[i]->nb; k++)
			help_item(form, p->figures[i]->docs[k].name, p->figures[i]->docs[k].unit,
				p->figures[i]->docs[k].help);
}

bool help_write_procedures(enum help_form form, const char *name)
{
	bool found = false;

	for (unsigned i = 0; i < nb_procedures; i++) {
		if (name != NULL && strcmp(name, procedures[i]->name) != 0)
			continue;
		if (name == NULL && form == HELP_TEXT)
			help_item(form, procedures[i]->name, "", procedures[i]->help);
		else
			write_procedure(form, procedures[i]);
		found = true;
	}
	if (found && name == NULL && form == HELP_TEXT)
		printf("\ntgen help PROCEDURE lists its words, tgen help test those of every "
		       "test.\n");
	return found;
}

void help_write_tests(enum help_form form)
{
	help_heading(form, 2, "Tests of the configuration file");
	help_paragraph(form, "Lists tests and duts (with variants in each), the object meta, and "
			     "include, a list of "
			     "other files whose objects are taken in.");
	write_kind(form, &conf_dut_menu);
	write_kind(form, &conf_variant_menu);
	write_kind(form, &conf_meta_menu);
	write_test(form);
	help_heading(form, 2, "Procedures of tests");
	help_write_procedures(form, NULL);
}
