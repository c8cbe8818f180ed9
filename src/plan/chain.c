/* SPDX-License-Identifier: BSD-3-Clause */
#include "plan_private.h"

#include <errno.h>
#include <stdlib.h>

/* Streams that begin when another has ended. */

unsigned *plan_chain_order(const struct plan *plan)
{
	unsigned nb = plan->nb_streams, nb_done = 0;
	unsigned *order = calloc(nb, sizeof(*order)), *wait = calloc(nb, sizeof(*wait));
	bool *done = calloc(nb, sizeof(*done));

	for (unsigned i = 0; order != NULL && wait != NULL && done != NULL && i < nb; i++) {
		unsigned nb_wait = 0;
		int32_t at = (int32_t)i;

		for (; at >= 0 && !done[at]; at = plan->streams[at].after) {
			done[at] = true;
			wait[nb_wait++] = (unsigned)at;
		}
		while (nb_wait > 0)
			order[nb_done++] = wait[--nb_wait];
	}
	free(wait);
	free(done);
	if (nb_done == nb)
		return order;
	free(order);
	return NULL;
}

static int cannot_follow(
	const struct plan *plan, const struct plan_stream *s, const char *why, struct err *err)
{
	return err_usage(err, "after: %s %s: \"%.80s\" %s", plan_stream_what(s), s->name,
		plan->streams[s->after].name, why);
}

static int stream_begin(struct plan *plan, struct plan_stream *s, struct err *err)
{
	const struct plan_stream *before;
	uint64_t end;

	s->sched.delay_ns = s->start_delay_ns;
	if (s->after < 0)
		return 0;
	before = &plan->streams[s->after];
	if (before->flat_out)
		return cannot_follow(plan, s,
			"is sent as fast as it goes, so when it ends is not known; give it a rate",
			err);
	end = sched_end_ns(&before->sched, before->packet_count);
	if (end == SCHED_NO_END)
		return cannot_follow(plan, s,
			"never ends: its rate comes to nothing before all its packets are sent",
			err);
	if (__builtin_add_overflow(end, s->start_delay_ns, &s->sched.delay_ns))
		return cannot_follow(plan, s, "ends too far in the future", err);
	return 0;
}

/* late: one of those that would begin when the run is over. */
static int note_late(struct plan *plan, unsigned nb, unsigned late, struct err *err)
{
	const char *name = plan->streams[late].name;
	int rc;

	if (nb == 1)
		rc = plan_note(plan,
			"stream %s would begin after the run has ended: it sends nothing; give a "
			"longer duration",
			name);
	else
		rc = plan_note(plan,
			"%u of %u streams (%s is one) would begin after the run has ended: they "
			"send nothing; give a longer duration",
			nb, plan->nb_streams, name);
	return rc < 0 ? err_device(err, ENOMEM, "notes") : 0;
}

int plan_chains_set(struct plan *plan, struct err *err)
{
	unsigned *order = plan_chain_order(plan), nb_late = 0, late = 0;
	int rc = 0;

	if (order == NULL)
		return err_device(err, ENOMEM, "streams");
	for (unsigned i = 0; rc == 0 && i < plan->nb_streams; i++) {
		struct plan_stream *s = &plan->streams[order[i]];

		rc = stream_begin(plan, s, err);
		if (plan->duration_ns == 0 || s->sched.delay_ns < plan->duration_ns)
			continue;
		nb_late++;
		late = order[i];
	}
	free(order);
	return rc == 0 && nb_late > 0 ? note_late(plan, nb_late, late, err) : rc;
}
