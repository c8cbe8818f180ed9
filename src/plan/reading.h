/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "plan_private.h"

/* What is needed while the streams of a run are read. */
struct reading {
	struct plan *plan;
	const struct conf *conf;
	const struct opt_set *quick;
	const struct opt_slot *streams, *templates; /* words of the command; NULL: not given */
	struct plan_index objects;		    /* of the file, by name: index in the file */
	struct plan_index by_name;		    /* streams of the run; links.c */
	struct plan_index by_template;		    /* first stream of each template */
	struct plan_index template_names;	    /* of the file: index */
	bool total;
	struct err *err;
};

struct plan_words reading_words(const struct reading *r, unsigned i);
/* What streams say of each other: reply-to, after. */
int reading_link(struct reading *r);
/* How many words give a total, 0 or 1, and which; -EINVAL: several. */
int reading_total_word(const struct reading *r, enum conf_quick_opt *which);
/* Shares a total by weight: among all streams, or among those of a port. */
int reading_total_share(const struct reading *r, enum conf_quick_opt which);
/* RouterOS's ip-dscp is the whole byte: 46 is not what many mean by it. 0 or -ENOMEM. */
int reading_note_dscp(struct plan *plan);
