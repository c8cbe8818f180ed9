/* SPDX-License-Identifier: BSD-3-Clause */
#include "tgen/procedure.h"

#include <string.h>

#include "procedures.h"

const struct procedure *const procedures[] = {
	&proc_quick,
	&proc_outage,
	&proc_rfc2544_reset,
	&proc_rfc2544_recovery,
	&proc_soak,
	&proc_qos,
	&proc_rfc2889_mesh,
	&proc_rfc2889_one_to_many,
	&proc_rfc2889_many_to_one,
	&proc_rfc2889_congestion,
	&proc_rfc2889_caching,
	&proc_rfc2889_learning,
	&proc_rfc2889_broadcast,
	&proc_rfc8219_latency,
	&proc_rfc8219_pdv,
	&proc_rfc8219_ipdv,
	&proc_y1564,
	&proc_not_possible,
	&proc_rfc2544,
	&proc_rfc2544_throughput,
	&proc_rfc2544_latency,
	&proc_rfc2544_frame_loss,
	&proc_rfc2544_back_to_back,
	&proc_ndr_pdr,
};
const unsigned nb_procedures = sizeof(procedures) / sizeof(procedures[0]);

const struct opt_section *const procedure_sections[] = {
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
const unsigned nb_procedure_sections = sizeof(procedure_sections) / sizeof(procedure_sections[0]);

const struct procedure *procedure_find(const char *name)
{
	for (unsigned i = 0; i < nb_procedures; i++)
		if (strcmp(procedures[i]->name, name) == 0)
			return procedures[i];
	return NULL;
}

static bool section_has(const struct opt_section *section, const struct opt *opt)
{
	for (size_t i = 0; i < section->nb; i++)
		if (opt_section_at(section, i) == opt)
			return true;
	return false;
}

bool procedure_takes(const struct procedure *procedure, const struct opt *opt)
{
	for (unsigned i = 0; i < procedure->nb_sections; i++)
		if (section_has(procedure->sections[i], opt))
			return true;
	return false;
}
