/* SPDX-License-Identifier: BSD-3-Clause */
#include "tgen/sched.h"

#include "sched_private.h"
#include "tgen/num.h"
#include "tgen/random.h"
#include "tgen/units.h"

#include <math.h>

/* A time this far off in ticks, decades, never comes. */
#define NEVER_TICKS ((uint64_t)INT64_MAX / 2)

struct sched_rate sched_rate(uint64_t num, uint64_t den)
{
	uint64_t common = num_gcd(num, den);

	if (common > 1) {
		num /= common;
		den /= common;
	}
	/* products of three must fit 128 bits; only absurd rates come here, at a cost of 2^-46 */
	while ((num | den) >> SCHED_RATE_BITS != 0 && num > 1) {
		num >>= 1;
		den >>= 1;
	}
	if (den >> SCHED_RATE_BITS != 0)
		den = (UINT64_C(1) << SCHED_RATE_BITS) - 1;
	return (struct sched_rate){num, den > 0 ? den : 1};
}

/* frames · rate · ns / divisor, in 2^-64 frames; rounded down. */
static unsigned __int128 area(struct sched_rate rate, uint64_t ns, uint64_t divisor)
{
	unsigned __int128 part = (unsigned __int128)rate.num * ns;
	unsigned __int128 whole = (unsigned __int128)rate.den * divisor, sum;

	sum = part / whole;
	for (int i = 0; i < 2; i++) {
		part = part % whole << 32;
		sum = sum << 32 | part / whole;
	}
	return sum;
}

unsigned __int128 sched_point_frames(const struct sched *s, unsigned i, uint64_t ns)
{
	const struct sched_point *p = &s->points[i];
	struct sched_rate from = sched_rate(p->num, p->den), to;

	if (!s->linear || i + 1 == s->nb_points)
		return area(from, ns, UNITS_NS_PER_S);
	to = sched_rate(p[1].num, p[1].den);
	return area(from, ns, 2 * UNITS_NS_PER_S) + area(to, ns, 2 * UNITS_NS_PER_S);
}

/* ---- a moment: whole ticks, and a rest in 1/mod of one ---- */

struct moment {
	unsigned __int128 ticks;
	uint64_t acc;
};

static struct moment moment_of_ns(unsigned __int128 ns, uint64_t hz, uint64_t mod)
{
	unsigned __int128 ticks = ns * hz;

	/* a rest cut to 1/mod is enough: what is added to it are multiples of 1/mod */
	return (struct moment){
		ticks / UNITS_NS_PER_S, (uint64_t)(ticks % UNITS_NS_PER_S * mod / UNITS_NS_PER_S)};
}

/* frames intervals of rate later; frac: and 2^-64 of one. */
static void moment_add(
	struct moment *m, struct sched_rate rate, uint64_t hz, uint64_t frames, uint64_t frac)
{
	unsigned __int128 ticks = (unsigned __int128)hz * rate.den, rest;
	unsigned __int128 step = ticks / rate.num;

	if (frames != 0 && step > NEVER_TICKS / frames) {
		m->ticks = NEVER_TICKS;
		return;
	}
	rest = ticks % rate.num * frames + m->acc;
	rest += (unsigned __int128)frac * (uint64_t)(ticks >> 64) +
		((unsigned __int128)frac * (uint64_t)ticks >> 64);
	m->ticks += step * frames + rest / rate.num;
	m->acc = (uint64_t)(rest % rate.num);
}

static void due_set(struct sched_walk *w, const struct moment *m)
{
	w->due = m->ticks >= NEVER_TICKS ? UINT64_MAX : (uint64_t)m->ticks;
	w->acc = m->acc;
}

/* The interval of this walk's frames from here on. */
static void step_set(struct sched_walk *w, struct sched_rate rate)
{
	unsigned __int128 ticks = (unsigned __int128)w->hz * rate.den * w->stride;
	unsigned __int128 step = ticks / rate.num;

	w->mod = rate.num;
	w->step = step > NEVER_TICKS ? NEVER_TICKS : (uint64_t)step;
	w->rem = (uint64_t)(ticks % rate.num);
}

static void no_more(struct sched_walk *w)
{
	w->due = UINT64_MAX;
	w->run_end = UINT64_MAX;
}

/* ---- the first frame of a run ---- */

static void run_of_burst(struct sched_walk *w)
{
	const struct sched *s = w->s;
	uint64_t burst = 0, spaced = w->n; /* intervals before frame n; gaps apart */
	struct sched_rate rate = sched_rate(s->num, s->den);
	unsigned __int128 ns = s->delay_ns;
	struct moment m;

	w->run_end = UINT64_MAX;
	if (s->burst_packets != 0) {
		burst = w->n / s->burst_packets;
		if (burst >= s->burst_count) {
			no_more(w);
			return;
		}
		spaced -= burst;
		ns += (unsigned __int128)burst * s->gap_ns;
		if (burst < UINT64_MAX / s->burst_packets - 1)
			w->run_end = (burst + 1) * s->burst_packets;
	}
	if (ns >> 64 != 0) {
		no_more(w);
		return;
	}
	if (rate.num == 0) {
		m = moment_of_ns(ns, w->hz, 1);
		w->step = w->rem = 0;
		w->mod = 1;
	} else {
		m = moment_of_ns(ns, w->hz, rate.num);
		moment_add(&m, rate, w->hz, spaced, 0);
		step_set(w, rate);
	}
	due_set(w, &m);
}

/* On a straight line between two rates, frames frames after its beginning; seconds. */
static long double slope_time(const struct sched_point *p, long double frames)
{
	long double from = (long double)p->num / (long double)p->den;
	long double to = (long double)p[1].num / (long double)p[1].den;
	long double length = (long double)(p[1].at_ns - p->at_ns) / UNITS_NS_PER_S;
	long double root = from * from + 2 * frames * (to - from) / length, time;

	if (frames <= 0)
		return 0;
	/* the form of the root that does not cancel */
	time = 2 * frames / (from + sqrtl(root > 0 ? root : 0));
	return time < length ? time : length;
}

static void run_of_point(struct sched_walk *w)
{
	const struct sched *s = w->s;
	const struct sched_point *p;
	unsigned __int128 base = (unsigned __int128)w->whole << 64 | w->frac, next = 0, left;
	struct sched_rate rate;
	struct moment m;

	for (;; base = next, w->segment++) {
		p = &s->points[w->segment];
		if (w->segment + 1 == s->nb_points)
			break;
		next = base + sched_point_frames(s, w->segment, p[1].at_ns - p->at_ns);
		/* a frame just at the end of a point's time is the next one's: a pause delays it */
		if (next >> 64 > w->n || (next >> 64 == w->n && (uint64_t)next != 0))
			break;
	}
	w->whole = (uint64_t)(base >> 64);
	w->frac = (uint64_t)base;
	left = ((unsigned __int128)w->n << 64) - base;
	rate = sched_rate(p->num, p->den);
	w->run_end = UINT64_MAX;
	if (w->segment + 1 < s->nb_points) {
		w->run_end = (uint64_t)(next >> 64) + ((uint64_t)next != 0);
		if (s->linear && (rate.num != sched_rate(p[1].num, p[1].den).num ||
					 rate.den != sched_rate(p[1].num, p[1].den).den)) {
			m = moment_of_ns((unsigned __int128)s->delay_ns + p->at_ns, w->hz, 1);
			m.ticks += (unsigned __int128)(slope_time(p, ldexpl(left, -64)) *
						       (long double)w->hz);
			w->run_end = w->n + 1;
			w->mod = 1;
			due_set(w, &m);
			return;
		}
	}
	if (rate.num == 0) {
		no_more(w);
		return;
	}
	m = moment_of_ns((unsigned __int128)s->delay_ns + p->at_ns, w->hz, rate.num);
	moment_add(&m, rate, w->hz, (uint64_t)(left >> 64), (uint64_t)left);
	step_set(w, rate);
	due_set(w, &m);
}

static void due_of_gaps(struct sched_walk *w)
{
	const struct sched *s = w->s;
	double mean = (double)s->den / (double)s->num;
	struct moment m = moment_of_ns(s->delay_ns, w->hz, 1);

	for (; w->at_n <= w->n; w->at_n++) {
		double u = (double)((random_at(s->seed, w->at_n) >> 11) + 1) * 0x1p-53;

		w->at_s -= log(u) * mean;
	}
	m.ticks += (unsigned __int128)(w->at_s * (double)w->hz);
	w->run_end = w->n + 1;
	due_set(w, &m);
}

static void run_begin(struct sched_walk *w)
{
	if (w->s->points != NULL)
		run_of_point(w);
	else if (w->s->poisson && w->s->num != 0)
		due_of_gaps(w);
	else
		run_of_burst(w);
}

void sched_walk_init(
	struct sched_walk *w, const struct sched *s, uint64_t hz, uint64_t index, uint64_t stride)
{
	*w = (struct sched_walk){.s = s, .hz = hz, .n = index, .stride = stride, .mod = 1};
	run_begin(w);
}

void sched_walk_next(struct sched_walk *w)
{
	if (w->due == UINT64_MAX)
		return;
	w->n += w->stride;
	if (w->n >= w->run_end) {
		run_begin(w);
		return;
	}
	w->due += w->step;
	w->acc += w->rem;
	if (w->acc >= w->mod) {
		w->acc -= w->mod;
		w->due++;
	}
	if (w->due >= NEVER_TICKS)
		no_more(w);
}
