/* SPDX-License-Identifier: BSD-3-Clause */
#include "fixed.h"

#include <errno.h>
#include <stdlib.h>

int fixed_loads(const struct proc_env *env, struct trial_load **loads, struct err *err)
{
	struct opt_val val;
	uint64_t upps;

	*loads = NULL;
	if (!opt_set_val(env->test, &rfc2544_rate_opts[RFC2544_RATE], 0, &val))
		return 0;
	if (proc_rate_upps(env, &rfc2544_rate_opts[RFC2544_RATE], &val,
		    env->info->streams[0].tx_port, &upps, err) < 0)
		return -EINVAL;
	*loads = calloc(env->info->nb_streams, sizeof(**loads));
	if (*loads == NULL)
		return err_device(err, ENOMEM, "loads");
	proc_loads_even(env->info, upps, *loads);
	return 0;
}

uint64_t fixed_duration_ns(const struct opt_set *test)
{
	return opt_set_one(test, &proc_trial_opts[TRIAL_DURATION]).lo;
}

void fixed_estimate(const struct proc_env *env, unsigned nb, struct proc_estimate *out)
{
	*out = (struct proc_estimate){
		.nb_trials = nb, .duration_ns = nb * fixed_duration_ns(env->test)};
}
