/* SPDX-License-Identifier: BSD-3-Clause */
#include "plan_private.h"

#include <errno.h>
#include <stdlib.h>

uint64_t plan_rate_upps(struct plan_rate rate)
{
	unsigned __int128 upps = (unsigned __int128)rate.num * UNITS_MICROS / rate.den;

	return upps > UINT64_MAX ? UINT64_MAX : (uint64_t)upps;
}

static uint64_t wire_bits(const struct plan_stream *s)
{
	return 8ull * (s->size + UNITS_FCS_BYTES + UNITS_WIRE_BYTES);
}

/* Bit/s on the wire, rounded up. */
static unsigned __int128 wire_load(const struct plan_stream *s)
{
	unsigned __int128 bits = (unsigned __int128)s->asked.num * wire_bits(s);

	return (bits + s->asked.den - 1) / s->asked.den;
}

/* What a rate becomes when load has to fit into speed_bps; rounded down, in micro-pps. */
static uint64_t lowered_upps(
	const struct plan_stream *s, uint64_t speed_bps, unsigned __int128 load)
{
	return (uint64_t)((unsigned __int128)plan_rate_upps(s->asked) * speed_bps / load);
}

bool plan_cap(struct plan_stream *const *streams, unsigned nb, uint64_t speed_bps)
{
	unsigned __int128 load = 0;
	uint64_t nb_slowest = 0, left;

	for (unsigned i = 0; i < nb; i++)
		load += wire_load(streams[i]);
	if (load <= speed_bps)
		return false;
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

/* What the user asked for, as a fraction; max on a line of known speed is that line's rate. */
static void configured_set(struct plan_stream *s, uint64_t speed_bps)
{
	if (s->want_upps == UINT64_MAX) {
		s->flat_out = speed_bps == 0;
		s->configured.num = s->flat_out ? 0 : speed_bps;
		s->configured.den = wire_bits(s);
	} else if (s->want_upps != 0) {
		s->configured = (struct plan_rate){s->want_upps, UNITS_MICROS};
	} else {
		s->configured = (struct plan_rate){s->want_bps, 8ull * s->layer_bytes};
	}
	s->asked = s->configured;
}

static int note_capped(
	struct plan *plan, const struct plan_port *port, unsigned nb, unsigned __int128 load)
{
	char speed[UNITS_TEXT_MAX], wire[UNITS_TEXT_MAX];

	return plan_note(plan,
		"port %s: its %u streams ask for %s on the wire (with FCS, preamble and "
		"gap), more than the line's %s; all were lowered in proportion",
		port->name, nb,
		units_fmt_rate(wire, load > UINT64_MAX ? UINT64_MAX : (uint64_t)load),
		units_fmt_bps(speed, port->speed_bps));
}

int plan_rates_set(struct plan *plan, struct err *err)
{
	struct plan_stream **mine = calloc(plan->nb_streams, sizeof(struct plan_stream *));
	int rc = 0;

	if (mine == NULL)
		return err_device(err, ENOMEM, "rates");
	for (unsigned p = 0; p < plan->nb_ports && rc == 0; p++) {
		const struct plan_port *port = &plan->ports[p];
		unsigned __int128 load = 0;
		unsigned nb = 0;
		bool all_max = true;

		for (unsigned i = 0; i < plan->nb_streams; i++) {
			struct plan_stream *s = &plan->streams[i];

			if (s->route.tx_port != p)
				continue;
			configured_set(s, port->speed_bps);
			all_max &= s->want_upps == UINT64_MAX;
			load += wire_load(s);
			mine[nb++] = s;
		}
		/* several streams at pps=max share the line: nothing to tell the user about */
		if (port->speed_bps != 0 && plan_cap(mine, nb, port->speed_bps) && !all_max)
			rc = note_capped(plan, port, nb, load);
	}
	free(mine);
	return rc < 0 ? err_device(err, ENOMEM, "rates") : 0;
}
