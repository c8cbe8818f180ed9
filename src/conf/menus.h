/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "tgen/opt.h"
#include "tgen/units.h"

/* What the tables of options share. */

#define MS (UNITS_NS_PER_S / 1000)
#define S  UNITS_NS_PER_S

extern const struct opt_word conf_rate_layers[];
extern const struct opt_word conf_idle_words[];
/* The words of quick: of the run, and of every stream of it. */
extern const struct opt_section conf_quick_section, conf_every_stream_section;

/* A menu of one table. */
#define MENU(var, name_, help_)                                                                    \
	static const struct opt_section var##_section = OPT_SECTION(NULL, var##_opts);             \
	static const struct opt_section *const var##_sections[] = {&var##_section};                \
	const struct opt_menu var##_menu = {                                                       \
		.name = (name_), .help = (help_), .sections = var##_sections, .nb_sections = 1}
