/* SPDX-License-Identifier: BSD-3-Clause */
#include "outage.h"

void outage_reset(struct outage_track *t)
{
	t->any = false;
	t->nb_gaps = 0;
	t->last = (struct outage_gap){0};
}

static uint64_t gap_ns(const struct outage_gap *gap)
{
	return gap->hi_ns > gap->lo_ns ? gap->hi_ns - gap->lo_ns : 0;
}

static unsigned shortest(const struct outage_gap *gaps, unsigned nb)
{
	unsigned at = 0;

	for (unsigned i = 1; i < nb; i++)
		if (gap_ns(&gaps[i]) < gap_ns(&gaps[at]))
			at = i;
	return at;
}

/* Adds a gap to the largest `most`; the shortest makes way for a longer one. */
static void keep(struct outage_gap *gaps, unsigned *nb, unsigned most, struct outage_gap gap)
{
	unsigned at;

	if (gap.hi_seq - gap.lo_seq < 2 || gap.hi_ns <= gap.lo_ns)
		return;
	if (*nb < most) {
		gaps[(*nb)++] = gap;
		return;
	}
	at = shortest(gaps, *nb);
	if (gap_ns(&gap) > gap_ns(&gaps[at]))
		gaps[at] = gap;
}

/* A frame from within the last gap: what is behind it stays, else what is before it. */
static void last_shrink(struct outage_gap *last, uint32_t seq, uint64_t ns)
{
	if ((int32_t)(seq - last->lo_seq) <= 0 || (int32_t)(last->hi_seq - seq) <= 0)
		return;
	if (last->hi_seq - seq > 1) {
		last->lo_seq = seq;
		last->lo_ns = ns;
	} else {
		last->hi_seq = seq;
		last->hi_ns = ns;
	}
	if (last->hi_seq - last->lo_seq < 2)
		*last = (struct outage_gap){0};
}

/* A frame from within a known gap: two smaller ones are left. */
static void split(struct outage_track *t, uint32_t seq, uint64_t ns)
{
	for (unsigned i = 0; i < t->nb_gaps; i++) {
		struct outage_gap gap = t->gaps[i], low = gap, high = gap;

		if ((int32_t)(seq - gap.lo_seq) <= 0 || (int32_t)(gap.hi_seq - seq) <= 0)
			continue;
		low.hi_seq = high.lo_seq = seq;
		low.hi_ns = high.lo_ns = ns;
		t->gaps[i] = t->gaps[--t->nb_gaps];
		keep(t->gaps, &t->nb_gaps, OUTAGE_GAPS, low);
		keep(t->gaps, &t->nb_gaps, OUTAGE_GAPS, high);
		return;
	}
}

void outage_disorder(struct outage_track *t, uint32_t seq, uint64_t ns)
{
	struct outage_gap gap = {
		.lo_seq = t->last_seq, .lo_ns = t->last_ns, .hi_seq = seq, .hi_ns = ns};

	if (!t->any) {
		t->any = true;
		t->first_seq = t->last_seq = seq;
		t->first_ns = t->last_ns = ns;
	} else if ((int32_t)(seq - t->last_seq) > 0) {
		keep(t->gaps, &t->nb_gaps, OUTAGE_GAPS, gap);
		if (seq - t->last_seq > 1)
			t->last = gap;
		t->last_seq = seq;
		t->last_ns = ns;
	} else if ((int32_t)(seq - t->first_seq) < 0) {
		gap = (struct outage_gap){
			.lo_seq = seq, .lo_ns = ns, .hi_seq = t->first_seq, .hi_ns = t->first_ns};
		keep(t->gaps, &t->nb_gaps, OUTAGE_GAPS, gap);
		t->first_seq = seq;
		t->first_ns = ns;
	} else {
		last_shrink(&t->last, seq, ns);
		split(t, seq, ns);
	}
}

uint64_t outage_last_loss(const struct outage_track *t, const struct outage_sent *sent)
{
	uint64_t hi_ns = 0;

	if (sent->nb == 0)
		return 0;
	if (!t->any || t->last_seq != sent->first_seq + (uint32_t)sent->nb - 1)
		return sent->last_ns;
	if (t->first_seq != sent->first_seq)
		hi_ns = t->first_ns;
	for (unsigned i = 0; i < t->nb_gaps; i++)
		if (t->gaps[i].hi_ns > hi_ns)
			hi_ns = t->gaps[i].hi_ns;
	if (t->last.hi_seq != t->last.lo_seq && t->last.hi_ns > hi_ns)
		hi_ns = t->last.hi_ns;
	return hi_ns > sent->interval_ns ? hi_ns - sent->interval_ns : hi_ns;
}

/*
 * Before the first frame the lane might have sent one an interval earlier, and after its last one an
 * interval later: so every outage is its gap less one interval.
 */
void outage_close(
	const struct outage_track *t, const struct outage_sent *sent, struct outage_set *out)
{
	struct outage_gap gap = {
		.lo_seq = sent->first_seq - 1,
		.lo_ns = sent->first_ns - sent->interval_ns,
		.hi_seq = sent->first_seq + (uint32_t)sent->nb,
		.hi_ns = sent->last_ns + sent->interval_ns,
	};
	struct outage_gap lead = gap, trail = gap;

	out->nb = 0;
	if (sent->nb == 0)
		return;

	if (!t->any) {
		keep(out->gaps, &out->nb, OUTAGE_GAPS + 2, gap);
		return;
	}
	for (unsigned i = 0; i < t->nb_gaps; i++)
		keep(out->gaps, &out->nb, OUTAGE_GAPS + 2, t->gaps[i]);
	lead.hi_seq = t->first_seq;
	lead.hi_ns = t->first_ns;
	trail.lo_seq = t->last_seq;
	trail.lo_ns = t->last_ns;
	keep(out->gaps, &out->nb, OUTAGE_GAPS + 2, lead);
	keep(out->gaps, &out->nb, OUTAGE_GAPS + 2, trail);
}

void outage_intersect(struct outage_set *a, const struct outage_set *b)
{
	struct outage_set both = {0};

	for (unsigned i = 0; i < a->nb; i++) {
		for (unsigned j = 0; j < b->nb; j++) {
			const struct outage_gap *x = &a->gaps[i], *y = &b->gaps[j];
			struct outage_gap gap = *x;

			if (y->lo_ns > gap.lo_ns) {
				gap.lo_ns = y->lo_ns;
				gap.lo_seq = y->lo_seq;
			}
			if (y->hi_ns < gap.hi_ns) {
				gap.hi_ns = y->hi_ns;
				gap.hi_seq = y->hi_seq;
			}
			keep(both.gaps, &both.nb, OUTAGE_GAPS + 2, gap);
		}
	}
	*a = both;
}

void outage_forget_seqs(struct outage_set *set)
{
	for (unsigned i = 0; i < set->nb; i++) {
		set->gaps[i].lo_seq = 0;
		set->gaps[i].hi_seq = 2; /* at least one frame is missing */
	}
}

uint64_t outage_lost(const struct outage_set *set, const struct outage_gap *gap)
{
	uint64_t lost = 0;

	for (unsigned i = 0; i < set->nb; i++)
		if (set->gaps[i].lo_ns < gap->hi_ns && set->gaps[i].hi_ns > gap->lo_ns)
			lost += set->gaps[i].hi_seq - set->gaps[i].lo_seq - 1;
	return lost;
}

const struct outage_gap *outage_longest(const struct outage_set *set)
{
	const struct outage_gap *longest = NULL;

	for (unsigned i = 0; i < set->nb; i++)
		if (longest == NULL || gap_ns(&set->gaps[i]) > gap_ns(longest))
			longest = &set->gaps[i];
	return longest;
}
