/* SPDX-License-Identifier: BSD-3-Clause */
#include "plan_private.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define OPT(which) (&conf_quick_opts[which])

/* Item i of a per-stream word of quick; 0 when not given and without default. */
static uint64_t item(const struct opt_set *quick, enum conf_quick_opt which, unsigned i)
{
	struct opt_val val;

	return opt_set_val(quick, OPT(which), i, &val) ? val.lo : 0;
}

static int check_lists(const struct opt_set *quick, unsigned nb, struct err *err)
{
	static const enum conf_quick_opt per_stream[] = {
		QUICK_PACKET_SIZE,
		QUICK_MBPS,
		QUICK_PPS,
		QUICK_PACKET_COUNT,
		QUICK_PORT,
		QUICK_INTERFACE,
	};
	const struct opt_slot *ids = opt_set_get(quick, OPT(QUICK_ID));

	for (unsigned i = 0; i < sizeof(per_stream) / sizeof(per_stream[0]); i++)
		if (opt_set_check_nb(quick, OPT(per_stream[i]), nb, "streams", err) < 0)
			return -EINVAL;
	if (opt_set_get(quick, OPT(QUICK_PORT)) && opt_set_get(quick, OPT(QUICK_INTERFACE)))
		return opt_error(err, quick, OPT(QUICK_INTERFACE),
			"port and interface are two names of one thing; give one of them");
	if (ids == NULL)
		return 0;
	if (ids->nb_vals != nb)
		return opt_error(err, quick, OPT(QUICK_ID),
			"%u ids for %u streams: every stream "
			"needs its own",
			ids->nb_vals, nb);
	for (unsigned i = 0; i < nb; i++)
		for (unsigned j = 0; j < i; j++)
			if (ids->vals[i].lo == ids->vals[j].lo)
				return opt_error(err, quick, OPT(QUICK_ID),
					"%llu is given to two streams",
					(unsigned long long)ids->vals[i].lo);
	return 0;
}

static int rate_read(
	struct plan_stream *s, const struct opt_set *quick, unsigned i, struct err *err)
{
	s->want_bps = item(quick, QUICK_MBPS, i);
	s->want_upps = item(quick, QUICK_PPS, i);
	if (s->want_bps == 0 && s->want_upps == 0)
		return err_usage(
			err, "no rate for template %s: give mbps=, pps= or pps=max", s->name);
	if (s->want_bps != 0 && s->want_upps != 0)
		return opt_error(err, quick, OPT(QUICK_PPS),
			"template %s: mbps and pps both give a "
			"rate; give one of them (0 means not given)",
			s->name);
	return 0;
}

static int stream_read(struct plan *plan, const struct conf *conf, const struct opt_set *quick,
	unsigned i, struct err *err)
{
	struct plan_stream *s = &plan->streams[i];
	const char *name = opt_set_get(quick, OPT(QUICK_TX_TEMPLATE))->vals[i].text;
	const char *port = NULL;
	struct opt_val val;

	s->tmpl = conf_find(conf, "packet-templates", name);
	if (s->tmpl == NULL)
		return conf_not_found(conf, "packet-templates", "packet-template", name, err);
	s->name = opt_set_one(s->tmpl, &pkt_template_opts[TMPL_NAME]).text;
	s->id = (uint16_t)(opt_set_get(quick, OPT(QUICK_ID)) ? item(quick, QUICK_ID, i) : i);
	s->packet_count = UINT64_MAX;
	if (opt_set_val(quick, OPT(QUICK_PACKET_COUNT), i, &val))
		s->packet_count = val.lo;
	s->size = (uint32_t)item(quick, QUICK_PACKET_SIZE, i);
	if (s->size != 0 && s->size < PKT_MIN_BYTES)
		return opt_error(err, quick, OPT(QUICK_PACKET_SIZE),
			"%u is less than %u, the smallest Ethernet frame without FCS (0: MTU + 14)",
			s->size, PKT_MIN_BYTES);
	s->transmit_only = opt_set_one(s->tmpl, &pkt_template_opts[TMPL_SPECIAL_FOOTER]).lo == 0;
	if (rate_read(s, quick, i, err) < 0)
		return -EINVAL;
	if (opt_set_val(quick, OPT(QUICK_PORT), i, &val) ||
		opt_set_val(quick, OPT(QUICK_INTERFACE), i, &val))
		port = val.text;
	s->reply.stream = -1;
	return plan_route(plan->ports, plan->nb_ports, s->tmpl, port, &s->route, err);
}

/* A stream that answers: which one of this run, and where that one's answers must arrive. */
static int reply_find(struct plan *plan, struct plan_stream *s, struct err *err)
{
	const struct opt *opt = &pkt_template_opts[TMPL_REPLY_TO];
	const struct opt_slot *slot = opt_set_get(s->tmpl, opt);

	if (slot == NULL)
		return 0;
	for (unsigned i = 0; i < plan->nb_streams; i++) {
		struct plan_stream *asked = &plan->streams[i];

		if (strcmp(asked->name, slot->vals[0].text) != 0)
			continue;
		if (asked == s || opt_set_get(asked->tmpl, opt) != NULL)
			return opt_error(err, s->tmpl, opt,
				"\"%s\" answers itself: name a template that "
				"has no reply-to",
				asked->name);
		s->reply.stream = (int32_t)i;
		if (s->route.rx_port < 0)
			s->route.rx_port = asked->route.tx_port;
		return 0;
	}
	return opt_error(err, s->tmpl, opt,
		"template \"%s\" is not in this run: add it to tx-template", slot->vals[0].text);
}

int plan_streams_read(
	struct plan *plan, const struct conf *conf, const struct opt_set *quick, struct err *err)
{
	const struct opt_slot *names = opt_set_get(quick, OPT(QUICK_TX_TEMPLATE));
	unsigned nb;

	if (names == NULL)
		return err_usage(err, "tx-template= is missing: name the templates to send (tgen "
				      "packet-template print shows them)");
	nb = names->nb_vals;
	if (nb > PLAN_MAX_STREAMS)
		return opt_error(err, quick, OPT(QUICK_TX_TEMPLATE), "more than %u streams",
			PLAN_MAX_STREAMS);
	if (check_lists(quick, nb, err) < 0)
		return -EINVAL;
	plan->streams = calloc(nb, sizeof(*plan->streams));
	if (plan->streams == NULL)
		return err_device(err, ENOMEM, "%u streams", nb);
	plan->nb_streams = nb;
	for (unsigned i = 0; i < nb; i++)
		if (stream_read(plan, conf, quick, i, err) < 0)
			return -EINVAL;
	for (unsigned i = 0; i < nb; i++)
		if (reply_find(plan, &plan->streams[i], err) < 0)
			return -EINVAL;
	return 0;
}
