/* SPDX-License-Identifier: BSD-3-Clause */
#include "tx_fill.h"

#include <rte_cpuflags.h>

#include <string.h>

/* Which form of the sender's inner loops this CPU gets. */

static bool always(void)
{
	return true;
}

#ifdef TGEN_TX_AVX512
static bool has_avx512(void)
{
	return rte_cpu_get_flag_enabled(RTE_CPUFLAG_AVX512F) == 1 &&
	       rte_cpu_get_flag_enabled(RTE_CPUFLAG_AVX512BW) == 1 &&
	       rte_cpu_get_flag_enabled(RTE_CPUFLAG_AVX512DQ) == 1 &&
	       rte_cpu_get_flag_enabled(RTE_CPUFLAG_AVX512VL) == 1 &&
	       rte_cpu_get_flag_enabled(RTE_CPUFLAG_BMI2) == 1;
}
#endif

/* Best first. */
static const struct {
	const struct tx_fill *fill;
	bool (*usable)(void);
} forms[] = {
#ifdef TGEN_TX_AVX512
	{&tx_fill_avx512, has_avx512},
#endif
	{&tx_fill_base, always},
};

const struct tx_fill *tx_fill_find(const char *name)
{
	for (unsigned i = 0; i < sizeof(forms) / sizeof(forms[0]); i++)
		if (forms[i].usable() && (name == NULL || strcmp(name, forms[i].fill->name) == 0))
			return forms[i].fill;
	return NULL;
}
