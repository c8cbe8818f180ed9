/* SPDX-License-Identifier: BSD-3-Clause */
#include "sched_private.h"

#include "tgen/units.h"

#include <math.h>

/* What can be said of a schedule without walking it. */

/* Frames of a poisson schedule that are counted one by one; a tenth of a second of work. */
#define EXACT_FRAMES (UINT64_C(1) << 23)

static uint64_t saturate(unsigned __int128 x)
{
	return x > UINT64_MAX ? UINT64_MAX : (uint64_t)x;
}

static unsigned __int128 div_up(unsigned __int128 a, unsigned __int128 b)
{
	return a / b + (a % b != 0);
}

/* Any fraction as one of 64 bits; what is too fine for them is cut off. */
static void fraction(unsigned __int128 n, unsigned __int128 d, uint64_t *num, uint64_t *den)
{
	unsigned __int128 a = n, b = d;

	while (b != 0) {
		unsigned __int128 r = a % b;

		a = b;
		b = r;
	}
	if (a > 1) {
		n /= a;
		d /= a;
	}
	while ((n | d) >> 63 != 0) {
		n >>= 1;
		d >>= 1;
	}
	*num = (uint64_t)n;
	*den = d > 0 ? (uint64_t)d : 1;
}

static uint64_t due_ns(const struct sched *s, uint64_t n)
{
	struct sched_walk w;

	sched_walk_init(&w, s, UNITS_NS_PER_S, n, 1);
	return w.due;
}

/* A burst and the gap after it, in ns / rate.num. */
static unsigned __int128 burst_period(const struct sched *s, struct sched_rate rate)
{
	unsigned __int128 interval = (unsigned __int128)rate.den * UNITS_NS_PER_S;
	uint64_t nb = s->burst_packets - 1;

	if (rate.num == 0)
		return s->gap_ns;
	if (nb != 0 && interval > ((unsigned __int128)1 << 127) / nb)
		return (unsigned __int128)1 << 127; /* centuries */
	return (unsigned __int128)s->gap_ns * rate.num + interval * nb;
}

static uint64_t count_bursts(const struct sched *s, uint64_t ns)
{
	struct sched_rate rate = sched_rate(s->num, s->den);
	unsigned __int128 time = (unsigned __int128)ns * (rate.num != 0 ? rate.num : 1);
	unsigned __int128 period = burst_period(s, rate), nb, last;

	nb = period == 0 ? UINT64_MAX : div_up(time, period);
	if (nb > s->burst_count || (period == 0 && s->burst_count != SCHED_NO_END))
		return saturate((unsigned __int128)s->burst_count * s->burst_packets);
	if (period == 0)
		return UINT64_MAX;
	last = s->burst_packets;
	if (rate.num != 0)
		last = div_up(
			time - (nb - 1) * period, (unsigned __int128)rate.den * UNITS_NS_PER_S);
	if (last > s->burst_packets)
		last = s->burst_packets;
	if (nb == 0)
		return 0;
	return saturate((nb - 1) * s->burst_packets + last);
}

/* In 2^-64 frames, rounded down; on a straight line only nearly. */
static unsigned __int128 profile_frames(const struct sched *s, uint64_t ns)
{
	unsigned __int128 sum = 0;
	unsigned i = 0;

	for (; i + 1 < s->nb_points && s->points[i + 1].at_ns <= ns; i++)
		sum += sched_point_frames(s, i, s->points[i + 1].at_ns - s->points[i].at_ns);
	ns -= s->points[i].at_ns;
	if (s->linear && i + 1 < s->nb_points) {
		const struct sched_point *p = &s->points[i];
		long double from = (long double)p->num / (long double)p->den;
		long double to = (long double)p[1].num / (long double)p[1].den;
		long double part = (long double)ns / (long double)(p[1].at_ns - p->at_ns);
		long double rate = from + (to - from) * part / 2;

		return sum + (unsigned __int128)ldexpl(rate * (long double)ns / UNITS_NS_PER_S, 64);
	}
	return sum + sched_point_frames(s, i, ns);
}

static uint64_t count_profile(const struct sched *s, uint64_t ns)
{
	unsigned __int128 frames = profile_frames(s, ns);
	uint64_t nb = (uint64_t)(frames >> 64) + ((uint64_t)frames != 0);

	if (!s->linear)
		return nb;
	/* the senders' own times decide */
	while (nb > 0 && due_ns(s, nb - 1) >= s->delay_ns + ns)
		nb--;
	while (due_ns(s, nb) < s->delay_ns + ns)
		nb++;
	return nb;
}

static uint64_t count_poisson(const struct sched *s, uint64_t ns)
{
	uint64_t end = s->delay_ns + ns;
	struct sched_walk w;

	sched_walk_init(&w, s, UNITS_NS_PER_S, 0, 1);
	while (w.due < end && w.n < EXACT_FRAMES)
		sched_walk_next(&w);
	if (w.due >= end)
		return w.n;
	return saturate(w.n + (unsigned __int128)(end - w.due) * s->num /
				      ((unsigned __int128)s->den * UNITS_NS_PER_S));
}

uint64_t sched_count(const struct sched *s, uint64_t ns)
{
	struct sched_rate rate = sched_rate(s->num, s->den);

	if (ns <= s->delay_ns)
		return 0;
	ns -= s->delay_ns;
	if (s->points != NULL)
		return count_profile(s, ns);
	if (s->burst_packets != 0)
		return count_bursts(s, ns);
	if (rate.num == 0)
		return UINT64_MAX;
	if (s->poisson)
		return count_poisson(s, ns);
	return saturate(div_up(
		(unsigned __int128)ns * rate.num, (unsigned __int128)rate.den * UNITS_NS_PER_S));
}

/* ---- the end ---- */

/* A frame's interval on a profile is over when the next frame is due, or a pause begins. */
static uint64_t end_profile(const struct sched *s, uint64_t nb)
{
	uint64_t last = due_ns(s, nb - 1), next = due_ns(s, nb);

	for (unsigned i = 0; i < s->nb_points; i++) {
		const struct sched_point *p = &s->points[i];
		bool to_end = i + 1 == s->nb_points;
		uint64_t at = s->delay_ns + p->at_ns;

		if (p->num == 0 && at > last && at < next &&
			(to_end || !s->linear || p[1].num == 0))
			return at;
	}
	return next;
}

uint64_t sched_end_ns(const struct sched *s, uint64_t nb)
{
	struct sched one = *s;
	struct sched_walk w;
	uint64_t due;

	if (nb == SCHED_NO_END)
		return SCHED_NO_END;
	if (nb == 0)
		return s->delay_ns;
	if (s->points == NULL && s->poisson && nb > EXACT_FRAMES) {
		one.poisson = false;
		return sched_end_ns(&one, nb);
	}
	due = due_ns(s, nb - 1);
	if (due == UINT64_MAX)
		return SCHED_NO_END;
	if (s->points != NULL)
		return end_profile(s, nb);
	if (s->num == 0)
		return due;
	/* the last frame alone, then one interval more */
	sched_walk_init(&w, s, UNITS_NS_PER_S, nb - 1, 1);
	if (s->poisson)
		return saturate(due + div_up((unsigned __int128)s->den * UNITS_NS_PER_S, s->num));
	w.run_end = UINT64_MAX;
	sched_walk_next(&w);
	return w.due == UINT64_MAX ? SCHED_NO_END : w.due + (w.acc != 0);
}

/* ---- rates ---- */

void sched_mean(const struct sched *s, uint64_t ns, uint64_t *num, uint64_t *den)
{
	struct sched_rate rate = sched_rate(s->num, s->den);
	unsigned __int128 period, frames;

	if (s->points != NULL) {
		if (ns == 0) {
			*num = s->points[0].num;
			*den = s->points[0].den;
			return;
		}
		/* 2^-20 frames are fine enough, and fit */
		frames = profile_frames(s, ns) >> 44;
		fraction(frames * UNITS_NS_PER_S, (unsigned __int128)ns << 20, num, den);
		return;
	}
	*num = rate.num;
	*den = rate.den;
	if (s->burst_packets == 0)
		return;
	period = burst_period(s, rate);
	if (period == 0)
		*num = 0;
	else
		fraction((unsigned __int128)s->burst_packets * UNITS_NS_PER_S *
				 (rate.num != 0 ? rate.num : 1),
			period, num, den);
}

void sched_peak(const struct sched *s, uint64_t *num, uint64_t *den)
{
	*num = s->num;
	*den = s->den > 0 ? s->den : 1;
	for (unsigned i = 0; i < s->nb_points; i++) {
		const struct sched_point *p = &s->points[i];

		if (i == 0 || (unsigned __int128)p->num * *den > (unsigned __int128)*num * p->den) {
			*num = p->num;
			*den = p->den;
		}
	}
}
