/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "cli.h"

/* What the parts of help share: lines in every form. */
void help_heading(enum help_form form, unsigned level, const char *text);
void help_items_begin(enum help_form form, const char *first, const char *second);
void help_item(enum help_form form, const char *name, const char *values, const char *help);
void help_section(enum help_form form, const struct opt_section *section);
void help_menu(enum help_form form, const struct opt_menu *menu);
void help_paragraph(enum help_form form, const char *text);

/* help_tests.c: what a file of tests holds. */
void help_write_tests(enum help_form form);
/* The procedures, or one of them; false: there is none of this name. */
bool help_write_procedures(enum help_form form, const char *name);
