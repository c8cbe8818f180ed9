/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * When the frames of a stream leave, from the start of its trial: a pure function of the frame's
 * number, so that any number of queues share one schedule, and a plan can say how many frames are
 * due by a time without sending any. A rate is an exact fraction of frames a second.
 *
 *	constant   frame n at delay + n / rate
 *	bursts	   burst_packets frames at that rate, then gap_ns from the last of them to the next
 *		   burst's first; burst_count bursts. Rate 0: the frames of a burst are due together
 *	profile	   points: from each on its rate (steps), or on a straight line to the next point's
 *		   (linear); after the last point its rate stays; a rate of 0 is a pause
 *	poisson	   independent exponential gaps of the same mean, from seed; constant rate only.
 *		   frame n comes at the sum of gaps 0 .. n
 *
 * A constant rate of 0 is no schedule but "as fast as it goes": all frames are due at delay.
 */
struct sched_point {
	uint64_t at_ns; /* rising; the first is 0 */
	uint64_t num, den;
};

#define SCHED_NO_END UINT64_MAX

struct sched {
	uint64_t num, den; /* frames a second; not with points */
	uint64_t delay_ns; /* of the first frame: start-delay, and the end of the stream before */
	uint64_t burst_packets; /* 0: no bursts */
	uint64_t burst_count;	/* SCHED_NO_END */
	uint64_t gap_ns;
	const struct sched_point *points; /* NULL: no profile */
	unsigned nb_points;
	bool linear;
	bool poisson;
	uint64_t seed;
};

/* A constant rate from the start: the pacer alone serves it, many streams together. */
static inline bool sched_is_plain(const struct sched *s)
{
	return s->delay_ns == 0 && s->burst_packets == 0 && s->points == NULL && !s->poisson;
}

/*
 * Frames due before ns (a frame at exactly ns is not), packet-count left aside; UINT64_MAX: without
 * end. Of poisson the first 2^23 are counted one by one, those after them by their mean.
 */
uint64_t sched_count(const struct sched *s, uint64_t ns);
/*
 * When the interval of the last of nb frames is over, ns after the start: what comes after= it
 * begins there. After the last frame of a burst that is the interval within bursts, not the gap. SCHED_NO_END: never (fewer frames than that are ever due, or nb is SCHED_NO_END).
 */
uint64_t sched_end_ns(const struct sched *s, uint64_t nb);
/*
 * Mean rate over the first ns after the delay (of a whole burst period when there is one), as a
 * fraction; num 0: none can be said, all frames are due together.
 */
void sched_mean(const struct sched *s, uint64_t ns, uint64_t *num, uint64_t *den);
/* Highest rate at any moment, as a fraction; num 0: frames are due together. */
void sched_peak(const struct sched *s, uint64_t *num, uint64_t *den);

/*
 * ---- one sender's walk over its frames: index, index + stride … ----
 *
 * Within a run of equal intervals (a burst, a step of a profile) the rest of a tick is carried from
 * frame to frame; where a run begins, its first frame's time is made of its number. So nothing
 * drifts, and there is no division a frame.
 */

struct sched_walk {
	const struct sched *s;
	uint64_t hz; /* ticks a second */
	uint64_t n;  /* number of the next frame in the stream */
	uint64_t stride;
	uint64_t due;  /* its time, ticks after the start; UINT64_MAX: no more */
	double at_s;   /* poisson: the same without the delay, exact to a tick over a run of days */
	uint64_t at_n; /* poisson: gaps in at_s */
	uint64_t run_end;     /* first frame that is not of this run */
	uint64_t step, rem;   /* ticks from a frame to the next of this walk, and 1/mod of them */
	uint64_t mod, acc;    /* acc: rest of due, in 1/mod ticks */
	unsigned segment;     /* profile: the point from which the frame is timed */
	uint64_t whole, frac; /* profile: frames before that point, and 2^-64 of them */
};

void sched_walk_init(
	struct sched_walk *w, const struct sched *s, uint64_t hz, uint64_t index, uint64_t stride);
void sched_walk_next(struct sched_walk *w);
