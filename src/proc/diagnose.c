/* SPDX-License-Identifier: BSD-3-Clause */
#include "diagnose.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/*
 * When a stream receives nothing: all that is known, in one block, so that the next thing to look at
 * is plain: link, ARP, frames accepted, ICMP errors, and what came instead.
 */

#define SILENT_SHOWN_MAX  16u /* streams told one by one; a dead DUT silences all alike */
#define UNKNOWN_SHOWN_MAX 3u  /* kinds of unknown frames told a port */

struct icmp_name {
	uint8_t type, code;
	const char *text;
};

static const struct icmp_name icmp_names[] = {
	{3, 0, "network unreachable"},
	{3, 1, "host unreachable"},
	{3, 2, "protocol unreachable"},
	{3, 3, "port unreachable"},
	{3, 4, "fragmentation needed"},
	{3, 9, "network prohibited"},
	{3, 10, "host prohibited"},
	{3, 13, "administratively prohibited"},
	{5, 0, "redirect for the network"},
	{5, 1, "redirect for the host"},
	{11, 0, "ttl exceeded"},
	{11, 1, "reassembly time exceeded"},
	{12, 0, "parameter problem"},
};

/* RFC 4443 §3 */
static const struct icmp_name icmp6_names[] = {
	{1, 0, "no route to destination"},
	{1, 1, "administratively prohibited"},
	{1, 2, "beyond scope of source address"},
	{1, 3, "address unreachable"},
	{1, 4, "port unreachable"},
	{1, 5, "source address failed policy"},
	{1, 6, "reject route"},
	{2, 0, "packet too big"},
	{3, 0, "hop limit exceeded"},
	{3, 1, "reassembly time exceeded"},
	{4, 0, "erroneous header field"},
	{4, 1, "unrecognized next header"},
	{4, 2, "unrecognized option"},
};

#define NB(table) (sizeof(table) / sizeof((table)[0]))

static const char *icmp_name(const struct result_returned *r, char *out, size_t size)
{
	bool is_ip4 = units_ip_is4(r->from);
	const struct icmp_name *names = is_ip4 ? icmp_names : icmp6_names;
	size_t nb = is_ip4 ? NB(icmp_names) : NB(icmp6_names);

	for (size_t i = 0; i < nb; i++)
		if (names[i].type == r->type && names[i].code == r->code)
			return names[i].text;
	snprintf(out, size, "%s type %u code %u", is_ip4 ? "ICMP" : "ICMPv6", r->type, r->code);
	return out;
}

static const char *link_word(const struct result_port_counts *port)
{
	if (port->link_changed)
		return port->link_up ? "up (it was down meanwhile)"
				     : "down since some time in the run";
	return port->link_up ? "up" : "down";
}

/* Frames that came and are not counted as received, by what was wrong with them. */
static const char *port_lost(const struct result_port_counts *c, char *out, size_t size)
{
	const struct {
		uint64_t nb;
		const char *what;
	} kinds[] = {
		{c->bad, "bad (wrong bytes, length or checksum)"},
		{c->fragment, "fragments"},
	};
	size_t len = 0;

	out[0] = '\0';
	for (size_t i = 0; i < NB(kinds); i++) {
		char count[UNITS_TEXT_MAX];

		if (kinds[i].nb > 0 && len < size)
			len += (size_t)snprintf(out + len, size - len, ", %s %s",
				units_fmt_count(count, (int64_t)kinds[i].nb), kinds[i].what);
	}
	return out;
}

static void tell_port(const struct result_info *info, const struct trial_result *trial, unsigned p,
	const char *role, struct texts *notes)
{
	const struct result_port_counts *c = &trial->ports[p];
	char all[UNITS_TEXT_MAX], other[UNITS_TEXT_MAX], lost[160];

	texts_add(notes, "  %s %s: link %s; %s frame%s received, %s of them unknown%s", role,
		info->ports[p].name, link_word(c), units_fmt_count(all, (int64_t)c->rx_all),
		c->rx_all == 1 ? "" : "s", units_fmt_count(other, (int64_t)c->unknown),
		port_lost(c, lost, sizeof(lost)));
	for (unsigned shown = 0, done = 0; shown < UNKNOWN_SHOWN_MAX; shown++) {
		const struct result_unknown *most = NULL;

		for (unsigned i = 0, rank = 0; i < trial->nb_unknowns; i++) {
			const struct result_unknown *u = &trial->unknowns[i];

			if (u->port != p)
				continue;
			rank = 0;
			for (unsigned j = 0; j < trial->nb_unknowns; j++) {
				const struct result_unknown *v = &trial->unknowns[j];

				rank += v->port == p &&
					(v->count > u->count || (v->count == u->count && j < i));
			}
			if (rank == done)
				most = u;
		}
		if (most == NULL)
			break;
		done++;
		texts_add(notes, "    unknown: %" PRIu64 " × %s", most->count, most->text);
	}
}

static void tell_returned(const struct trial_result *trial, unsigned stream, struct texts *notes)
{
	bool any = false;

	for (unsigned i = 0; i < trial->nb_returned; i++) {
		const struct result_returned *r = &trial->returned[i];
		char name[48], from[UNITS_TEXT_MAX], count[UNITS_TEXT_MAX];

		if (r->stream != stream)
			continue;
		any = true;
		texts_add(notes, "  ICMP errors: %s × %s from %s",
			units_fmt_count(count, (int64_t)r->count), icmp_name(r, name, sizeof(name)),
			units_fmt_ip(from, r->from));
	}
	if (!any)
		texts_add(notes, "  ICMP errors: none");
}

static void tell_stream(const struct result_info *info, const struct trial_result *trial,
	unsigned stream, struct texts *notes)
{
	const struct result_stream *s = &info->streams[stream];
	const struct result_row *row = &trial->totals[stream];
	char sent[UNITS_TEXT_MAX], misrouted[UNITS_TEXT_MAX];

	texts_add(notes, "stream %u (%s) received nothing; what is known:", s->id, s->name);
	texts_add(notes, "  %s", s->next_hop != NULL ? s->next_hop : "mac-dst as given");
	texts_add(notes, "  %s frames accepted by the driver of %s",
		units_fmt_count(sent, (int64_t)row->n.tx_packet), info->ports[s->tx_port].name);
	if (row->n.misrouted > 0)
		texts_add(notes, "  %s of its frames arrived on another port than %s (misrouted)",
			units_fmt_count(misrouted, (int64_t)row->n.misrouted),
			s->rx_port >= 0 ? info->ports[s->rx_port].name : "its own");
	tell_returned(trial, stream, notes);
	tell_port(info, trial, s->tx_port, "sending port", notes);
	if (s->rx_port >= 0 && s->rx_port != s->tx_port)
		tell_port(info, trial, (unsigned)s->rx_port, "receiving port", notes);
}

void diagnose_silent(
	const struct result_info *info, const struct trial_result *trial, struct texts *notes)
{
	unsigned nb = 0;

	for (unsigned i = 0; i < info->nb_streams; i++) {
		const struct result_row *row = &trial->totals[i];

		if (info->streams[i].transmit_only || row->n.tx_packet == 0 || row->n.good > 0)
			continue;
		if (nb++ < SILENT_SHOWN_MAX)
			tell_stream(info, trial, i, notes);
	}
	if (nb > SILENT_SHOWN_MAX)
		texts_add(notes, "and %u more streams received nothing", nb - SILENT_SHOWN_MAX);
}
