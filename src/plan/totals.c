/* SPDX-License-Identifier: BSD-3-Clause */
#include "reading.h"

#include <errno.h>

#define OPT(which) (&conf_quick_opts[which])

static const enum conf_quick_opt totals[] = {
	QUICK_TOTAL_MBPS, QUICK_TOTAL_PPS, QUICK_TOTAL_PERCENT};

int reading_total_word(const struct reading *r, enum conf_quick_opt *which)
{
	int nb = 0;

	for (unsigned i = 0; i < 3; i++) {
		if (opt_set_one(r->quick, OPT(totals[i])).lo == 0)
			continue;
		*which = totals[i];
		if (nb++ > 0)
			return opt_error(r->err, r->quick, OPT(*which),
				"is the second total rate; give one of total-mbps, total-pps and "
				"total-percent");
	}
	return nb;
}

int reading_total_share(const struct reading *r, enum conf_quick_opt which)
{
	uint64_t total = opt_set_one(r->quick, OPT(which)).lo, weights[PLAN_MAX_PORTS] = {0};
	bool by_port = which == QUICK_TOTAL_PERCENT || total == UINT64_MAX;

	for (unsigned i = 0; i < r->plan->nb_streams; i++) {
		struct plan_words w = reading_words(r, i);
		struct plan_stream *s = &r->plan->streams[i];

		s->of_total = true;
		s->share_num = plan_words_u64(&w, STREAM_WEIGHT);
		weights[by_port ? s->route.tx_port : 0] += s->share_num;
		if (s->sched.poisson && total == UINT64_MAX)
			return plan_words_error(&w, STREAM_GAPS, r->err,
				"poisson gaps need one constant rate, not total-pps=max");
		if (which == QUICK_TOTAL_MBPS)
			s->want_bps = total;
		else if (which == QUICK_TOTAL_PPS)
			s->want_upps = total;
		else
			s->want_percent = total;
	}
	for (unsigned i = 0; i < r->plan->nb_streams; i++) {
		struct plan_stream *s = &r->plan->streams[i];

		s->share_den = weights[by_port ? s->route.tx_port : 0];
	}
	return 0;
}

int reading_note_dscp(struct plan *plan)
{
	const struct opt *opt = pkt_template_opt("ip-dscp");
	struct plan_index told = {0};
	int rc = 0;

	for (unsigned i = 0; rc == 0 && i < plan->nb_streams; i++) {
		const struct opt_set *tmpl = plan->streams[i].tmpl;
		const struct opt_slot *slot = opt_set_get(tmpl, opt);
		const char *name = opt_set_one(tmpl, &pkt_template_opts[TMPL_NAME]).text;
		bool made = false;

		for (unsigned k = 0; slot != NULL && k < slot->nb_vals && rc == 0; k++) {
			const struct opt_val *val = &slot->vals[k];

			if (val->is_word || val->lo == 0 || val->lo >= 64)
				continue;
			if (plan_index_put(&told, name, i, &made) == NULL)
				rc = -ENOMEM;
			else if (made)
				rc = plan_note(plan,
					"template %s: ip-dscp=%s is the whole byte, as in "
					"RouterOS, "
					"so DSCP is %u; for DSCP %u give dscp=%u",
					name, val->text, (unsigned)val->lo >> 2, (unsigned)val->lo,
					(unsigned)val->lo);
		}
	}
	plan_index_fini(&told);
	return rc;
}
