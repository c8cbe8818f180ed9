/* SPDX-License-Identifier: BSD-3-Clause */
#include "objects.h"

#include <string.h>

#include "tgen/pkt.h"

static bool is_repeated(const struct pkt_hdr *const stack[], int i)
{
	for (int j = 0; j < i; j++) {
		if (stack[j] == stack[i])
			return true;
	}
	return false;
}

/*
 * What the tables alone tell. The values that depend on ports and devices (port, mac-src, mac-dst,
 * ip-src) are the plan's: emit them here, before the fields.
 */
void cli_assumed_packet_template(const struct conf *conf, const struct opt_set *tmpl,
	void (*emit)(void *ctx, const char *name, const char *value), void *ctx)
{
	const struct opt *stack_opt = &pkt_template_opts[TMPL_HEADER_STACK];
	const struct pkt_hdr *stack[PKT_MAX_HEADERS];
	struct err err = {0};
	int nb;

	(void)conf;
	if (opt_set_get(tmpl, stack_opt) == NULL)
		emit(ctx, stack_opt->name, stack_opt->dflt);
	nb = pkt_stack(tmpl, stack, &err); /* a wrong stack has no fields to show */
	for (int i = 0; i < nb; i++) {
		const struct opt_section *fields = stack[i]->fields;

		for (size_t f = 0; f < fields->nb && !is_repeated(stack, i); f++) {
			const struct opt *opt = opt_section_at(fields, f);

			if (opt->dflt != NULL && opt_set_get(tmpl, opt) == NULL)
				emit(ctx, opt->name, opt->dflt);
		}
	}
}
