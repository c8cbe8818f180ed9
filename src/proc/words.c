/* SPDX-License-Identifier: BSD-3-Clause */
#include "tgen/procedure.h"
#include "tgen/units.h"

/* Words that several procedures have. */

#define MS (UNITS_NS_PER_S / 1000)
#define S  UNITS_NS_PER_S

/* clang-format off */
const struct opt proc_load_opts[LOAD_NB_OPTS] = {
	[LOAD_MAX_RATE] = {.name = "max-rate", .type = OPT_RATE,
		.help = "highest load of each port that sends: a share of its line as 100%, 950mbps or "
			"20kpps; not given: the line, where its speed is known"},
};

const struct opt proc_trial_opts[TRIAL_NB_OPTS] = {
	[TRIAL_DURATION] = {.name = "trial-duration", .type = OPT_TIME, .min = 10 * MS,
		.max = 30 * 86400 * S, .dflt = "60s",
		.help = "length of a trial that counts (RFC 2544 §24: at least 60s)"},
};

const struct opt proc_search_opts[SEARCH_NB_OPTS] = {
	[SEARCH_MIN_RATE] = {.name = "min-rate", .type = OPT_RATE,
		.help = "lowest load to try; not given: a thousandth of max-rate"},
	[SEARCH_INITIAL_RATE] = {.name = "initial-rate", .type = OPT_RATE,
		.help = "first load to try; not given: max-rate"},
	[SEARCH_RESOLUTION] = {.name = "resolution", .type = OPT_PERCENT, .min = 1000,
		.max = 50000000, .dflt = "0.5", .unit = "%",
		.help = "how near the rates with and without loss have to come, of max-rate"},
	[SEARCH_LOSS] = {.name = "acceptable-loss", .type = OPT_PERCENT, .max = 100000000,
		.dflt = "0", .unit = "%", .help = "loss of a trial that still passes"},
	[SEARCH_DURATION] = {.name = "search-duration", .type = OPT_TIME, .min = 10 * MS,
		.max = 86400 * S,
		.help = "length of the trials before the final ones (RFC 2544 §24); not given: "
			"trial-duration"},
};
/* clang-format on */

const struct opt_section proc_load_section = OPT_SECTION("load", proc_load_opts);
const struct opt_section proc_trial_section = OPT_SECTION("trials", proc_trial_opts);
const struct opt_section proc_search_section = OPT_SECTION("search", proc_search_opts);
