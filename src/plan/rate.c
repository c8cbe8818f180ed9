/* SPDX-License-Identifier: BSD-3-Clause */
#include "plan_private.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define LOAD_BITS 32 /* loads are summed in 2^-32 bit/s, so that shares of a line sum up to it */

#define PERCENT_ALL UINT64_C(100000000) /* 100 %, in millionths of a percent */

/* ---- fractions ---- */

struct plan_rate plan_rate_make(unsigned __int128 num, unsigned __int128 den)
{
	unsigned __int128 a = num, b = den;

	while (b != 0) {
		unsigned __int128 rest = a % b;

		a = b;
		b = rest;
	}
	num /= a;
	den /= a;
	while (num > UINT64_MAX || den > UINT64_MAX) {
		/* never up */
		num >>= 1;
		den = (den + 1) >> 1;
	}
	return (struct plan_rate){(uint64_t)num, (uint64_t)den};
}

uint64_t plan_rate_upps(struct plan_rate rate)
{
	unsigned __int128 upps = (unsigned __int128)rate.num * UNITS_MICROS / rate.den;

	return upps > UINT64_MAX ? UINT64_MAX : (uint64_t)upps;
}

static bool is_more(struct plan_rate a, struct plan_rate b)
{
	return (unsigned __int128)a.num * b.den > (unsigned __int128)b.num * a.den;
}

/* Bits that the frames of a period take of the line. */
static uint64_t wire_sum(const struct plan_stream *s)
{
	return 8 *
	       (s->sizes.sum + (uint64_t)s->sizes.period * (UNITS_FCS_BYTES + UNITS_WIRE_BYTES));
}

/* Frames a second that a share of the line carries. */
static struct plan_rate line_rate(const struct plan_stream *s, uint64_t speed_bps, uint64_t percent)
{
	return plan_rate_make((unsigned __int128)speed_bps * s->sizes.period * percent,
		(unsigned __int128)PERCENT_ALL * wire_sum(s));
}

unsigned __int128 plan_wire_load(const struct plan_stream *s)
{
	/* 64 and 40 bits over 64 and 20 */
	unsigned __int128 bits = (unsigned __int128)s->asked.num * wire_sum(s),
			  den = (unsigned __int128)s->asked.den * s->sizes.period;

	return ((bits / den) << LOAD_BITS) + (((bits % den) << LOAD_BITS) + den - 1) / den;
}

/* ---- what was asked for ---- */

static int no_speed(const struct plan_stream *s, const struct plan_port *port, const char *word,
	struct err *err)
{
	return err_usage(err,
		"%s: %s %s: the link speed of port %s is not known; give it (tgen port set %s "
		"speed=1G), or a rate in mbps or pps",
		word, plan_stream_what(s), s->name, port->name, port->name);
}

/* The rate that was given, within bursts when there are some; 0: as fast as it goes. */
static int rate_of(const struct plan_stream *s, const struct plan_port *port, struct plan_rate *out,
	struct err *err)
{
	struct plan_rate rate = {0, 1};

	if (s->want_upps == UINT64_MAX) {
		if (port->speed_bps != 0)
			rate = line_rate(s, port->speed_bps, PERCENT_ALL);
	} else if (s->want_upps != 0) {
		rate = plan_rate_make(s->want_upps, UNITS_MICROS);
	} else if (s->want_percent != 0) {
		if (port->speed_bps == 0)
			return no_speed(s, port, s->of_total ? "total-percent" : "percent", err);
		rate = line_rate(s, port->speed_bps, s->want_percent);
	} else {
		rate = plan_rate_make((unsigned __int128)s->want_bps * s->sizes.period,
			8 * (unsigned __int128)s->layer_sum);
	}
	*out = rate.num == 0 ? rate
			     : plan_rate_make((unsigned __int128)rate.num * s->share_num,
				       (unsigned __int128)rate.den * s->share_den);
	return 0;
}

static int point_rate(const struct plan_stream *s, const struct plan_profile_point *point,
	const struct plan_port *port, struct plan_rate *out, struct err *err)
{
	*out = (struct plan_rate){0, 1};
	if (point->value == 0)
		return 0;
	if (point->unit == PLAN_UPPS)
		*out = plan_rate_make(point->value, UNITS_MICROS);
	else if (point->unit == PLAN_BPS)
		*out = plan_rate_make((unsigned __int128)point->value * s->sizes.period,
			8 * (unsigned __int128)s->layer_sum);
	else if (port->speed_bps != 0)
		*out = line_rate(s, port->speed_bps, point->value);
	else
		return no_speed(s, port, "rate-profile", err);
	return 0;
}

/* Lowers a rate to the line's; true when it had to. */
static bool peak_cap(
	const struct plan_stream *s, const struct plan_port *port, struct plan_rate *rate)
{
	struct plan_rate line;

	if (port->speed_bps == 0)
		return false;
	line = line_rate(s, port->speed_bps, PERCENT_ALL);
	if (!is_more(*rate, line))
		return false;
	*rate = line;
	return true;
}

static int points_make(
	struct plan_stream *s, const struct plan_port *port, bool *capped, struct err *err)
{
	struct sched_point *points = calloc(s->profile.nb, sizeof(*points));

	if (points == NULL)
		return err_device(err, ENOMEM, "rate-profile");
	s->sched.points = points;
	s->sched.nb_points = s->profile.nb;
	s->sched.linear = s->profile.linear;
	for (unsigned i = 0; i < s->profile.nb; i++) {
		struct plan_rate rate;

		if (point_rate(s, &s->profile.points[i], port, &rate, err) < 0)
			return -EINVAL;
		*capped |= peak_cap(s, port, &rate);
		points[i] = (struct sched_point){s->profile.points[i].at_ns, rate.num, rate.den};
	}
	return 0;
}

/* The time over which a profile's mean is taken: what the run has of it, else up to its last point. */
static uint64_t profile_ns(const struct plan *plan, const struct plan_stream *s)
{
	if (plan->duration_ns > s->start_delay_ns)
		return plan->duration_ns - s->start_delay_ns;
	return s->profile.points[s->profile.nb - 1].at_ns;
}

/* Schedule and mean rate of one stream, as asked for; a peak is never above the line. */
static int stream_rate_set(struct plan *plan, struct plan_stream *s, bool *capped, struct err *err)
{
	const struct plan_port *port = &plan->ports[s->route.tx_port];
	struct plan_rate rate = {0, 1};

	free((void *)s->sched.points);
	s->sched.points = NULL;
	s->sched.nb_points = 0;
	if (s->profile.nb > 0) {
		if (points_make(s, port, capped, err) < 0)
			return -EINVAL;
	} else if (rate_of(s, port, &rate, err) < 0) {
		return -EINVAL;
	}
	s->configured = rate;
	if (s->sched.burst_packets != 0)
		*capped |= peak_cap(s, port, &rate);
	s->sched.num = rate.num;
	s->sched.den = rate.den;
	s->flat_out = rate.num == 0 && s->profile.nb == 0 && s->sched.burst_packets == 0;
	if (s->profile.nb > 0 || s->sched.burst_packets != 0)
		sched_mean(&s->sched, s->profile.nb > 0 ? profile_ns(plan, s) : 0,
			&s->configured.num, &s->configured.den);
	s->asked = s->configured;
	if (!s->flat_out && s->asked.num == 0)
		return err_usage(err, "%s %s: its rate comes to nothing in this run",
			plan_stream_what(s), s->name);
	return 0;
}

/* ---- what the lines carry ---- */

/* What a rate becomes when load has to fit into speed_bps; rounded down, in micro-pps. */
static uint64_t lowered_upps(
	const struct plan_stream *s, uint64_t speed_bps, unsigned __int128 load)
{
	return (uint64_t)((unsigned __int128)plan_rate_upps(s->asked) * speed_bps / load);
}

bool plan_cap(
	struct plan_stream *const *streams, unsigned nb, unsigned __int128 load, uint64_t speed_bps)
{
	uint64_t nb_slowest = 0, left;

	/* each was rounded up by one at the most */
	if (load <= ((unsigned __int128)speed_bps << LOAD_BITS) + nb)
		return false;
	load = (load + (UINT64_C(1) << LOAD_BITS) - 1) >> LOAD_BITS;
	/* none is lowered to nothing: a frame every million seconds takes less than 1 bit/s */
	for (unsigned i = 0; i < nb; i++)
		nb_slowest += lowered_upps(streams[i], speed_bps, load) == 0;
	left = speed_bps > nb_slowest ? speed_bps - nb_slowest : 0;
	for (unsigned i = 0; i < nb; i++) {
		/* rounded down in micro-pps: the sum never exceeds the line */
		uint64_t upps = lowered_upps(streams[i], left, load);

		streams[i]->asked.num = upps > 0 ? upps : 1;
		streams[i]->asked.den = UNITS_MICROS;
	}
	return true;
}

/* Nanoseconds that so many frames take at a rate, rounded up. */
static uint64_t frames_ns(uint64_t frames, struct plan_rate rate)
{
	unsigned __int128 ns =
		((unsigned __int128)frames * UNITS_NS_PER_S * rate.den + rate.num - 1) / rate.num;

	return ns > UINT64_MAX ? UINT64_MAX : (uint64_t)ns;
}

/*
 * Makes the schedule keep to a mean rate that was lowered: all points of a profile alike; longer gaps
 * between the same bursts.
 */
static void schedule_lower(struct plan_stream *s)
{
	struct sched_point *points = (struct sched_point *)s->sched.points;
	uint64_t was = plan_rate_upps(s->configured), now = plan_rate_upps(s->asked);

	if (s->sched.burst_packets != 0) {
		uint64_t before = frames_ns(s->sched.burst_packets, s->configured),
			 after = frames_ns(s->sched.burst_packets, s->asked);

		if (after > before)
			s->sched.gap_ns += after - before;
		return;
	}
	if (points == NULL) {
		s->sched.num = s->asked.num;
		s->sched.den = s->asked.den;
		return;
	}
	for (unsigned i = 0; i < s->sched.nb_points; i++) {
		struct plan_rate rate = {points[i].num, points[i].den};

		points[i].num = (uint64_t)((unsigned __int128)plan_rate_upps(rate) * now / was);
		points[i].den = UNITS_MICROS;
	}
}

/*
 * Adds the load of every stream to that of the port it sends by, at the worst moment: streams that
 * come one after the other never send together. children: of each stream, the sum of those that
 * follow it. A stream is done once all that follow it are: in the reverse order of waiting.
 */
static int loads_sum(const struct plan *plan, const unsigned *order, unsigned __int128 *loads)
{
	unsigned __int128 *follow = calloc(plan->nb_streams, sizeof(*follow));

	if (follow == NULL)
		return -ENOMEM;
	for (unsigned i = plan->nb_streams; i-- > 0;) {
		const struct plan_stream *s = &plan->streams[order[i]];
		unsigned __int128 load = plan_wire_load(s);

		if (load < follow[order[i]])
			load = follow[order[i]];
		if (s->after >= 0 && plan->streams[s->after].route.tx_port == s->route.tx_port)
			follow[s->after] += load;
		else
			loads[s->route.tx_port] += load;
	}
	free(follow);
	return 0;
}

static int note_capped(
	struct plan *plan, const struct plan_port *port, unsigned nb, unsigned __int128 load)
{
	char speed[UNITS_TEXT_MAX], wire[UNITS_TEXT_MAX];

	load >>= LOAD_BITS;
	return plan_note(plan,
		"port %s: its %u streams ask for %s on the wire (with FCS, preamble and "
		"gap), more than the line's %s; all were lowered in proportion",
		port->name, nb,
		units_fmt_rate(wire, load > UINT64_MAX ? UINT64_MAX : (uint64_t)load),
		units_fmt_bps(speed, port->speed_bps));
}

/* The streams that a port sends; returns their number. */
static unsigned streams_of(
	struct plan *plan, unsigned port, struct plan_stream **mine, bool *all_max)
{
	unsigned nb = 0;

	*all_max = true;
	for (unsigned i = 0; i < plan->nb_streams; i++) {
		struct plan_stream *s = &plan->streams[i];

		if (s->route.tx_port != port || s->flat_out)
			continue;
		*all_max &= s->want_upps == UINT64_MAX;
		mine[nb++] = s;
	}
	return nb;
}

static int ports_cap(struct plan *plan, struct plan_stream **mine, const unsigned __int128 *loads,
	const unsigned *nb_peaks)
{
	int rc = 0;

	for (unsigned p = 0; p < plan->nb_ports && rc == 0; p++) {
		const struct plan_port *port = &plan->ports[p];
		bool all_max;
		unsigned nb = streams_of(plan, p, mine, &all_max);

		if (nb_peaks[p] > 0)
			rc = plan_note(plan,
				"port %s: %u of its streams ask for more than the line in their "
				"bursts or profiles; they were lowered to it there",
				port->name, nb_peaks[p]);
		if (rc < 0 || port->speed_bps == 0 ||
			!plan_cap(mine, nb, loads[p], port->speed_bps))
			continue;
		for (unsigned i = 0; i < nb; i++)
			schedule_lower(mine[i]);
		/* several streams at pps=max share the line: nothing to tell the user about */
		if (!all_max)
			rc = note_capped(plan, port, nb, loads[p]);
	}
	return rc;
}

int plan_rates_set(struct plan *plan, struct err *err)
{
	struct plan_stream **mine = calloc(plan->nb_streams, sizeof(struct plan_stream *));
	unsigned *order = plan_chain_order(plan);
	unsigned __int128 loads[PLAN_MAX_PORTS] = {0};
	unsigned nb_peaks[PLAN_MAX_PORTS] = {0};
	int rc = mine != NULL && order != NULL ? 0 : -ENOMEM;

	for (unsigned i = 0; rc == 0 && i < plan->nb_streams; i++) {
		struct plan_stream *s = &plan->streams[i];
		bool capped = false;

		if (stream_rate_set(plan, s, &capped, err) < 0) {
			free(mine);
			free(order);
			return -EINVAL;
		}
		nb_peaks[s->route.tx_port] += capped;
	}
	if (rc == 0)
		rc = loads_sum(plan, order, loads);
	if (rc == 0)
		rc = ports_cap(plan, mine, loads, nb_peaks);
	free(mine);
	free(order);
	return rc < 0 ? err_device(err, ENOMEM, "rates") : 0;
}

#define GUESS_MAX 1000000u /* frames a second of a stream without a figure */

uint64_t plan_guess_pps(const struct plan *plan)
{
	uint64_t pps = 0;

	for (unsigned i = 0; i < plan->nb_streams; i++) {
		const struct plan_stream *s = &plan->streams[i];
		uint32_t size = s->size != 0 ? s->size : PKT_MIN_BYTES;
		uint64_t own = s->want_upps / UNITS_MICROS + s->want_bps / (8 * size);

		if (s->want_upps == UINT64_MAX || s->want_percent != 0 || s->profile.nb > 0)
			own = GUESS_MAX;
		pps += own / s->share_den * s->share_num;
	}
	return pps;
}
