/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "tgen/trial.h"

/* When a generator counts as clean. */
struct proc_limits {
	uint32_t short_ppm; /* sent less than asked, in millionths, beyond one frame a stream */
};
#define PROC_SHORT_PPM 1000u /* 0.1 % */

/* What a trial means; owns its texts. */
struct proc_verdict {
	struct result_summary summary;
	char **reasons, **notes;
};

/*
 * Judges the trial of a quick run: was the generator clean, did anything arrive, and when a stream
 * received nothing, what is known about it. Status as documented for quick. 0 or -ENOMEM.
 */
int proc_quick_judge(const struct result_info *info, const struct trial_result *trial,
	const struct proc_limits *limits, struct proc_verdict *out);
void proc_verdict_fini(struct proc_verdict *verdict);
