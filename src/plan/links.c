/* SPDX-License-Identifier: BSD-3-Clause */
#include "reading.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define SEVERAL UINT32_MAX /* streams of one name: which is meant is not known */

/* Streams that mean others of the run. */

static int names_of_run(struct reading *r)
{
	for (unsigned i = 0; i < r->plan->nb_streams; i++) {
		const struct plan_stream *s = &r->plan->streams[i];
		const char *tmpl = opt_set_one(s->tmpl, &pkt_template_opts[TMPL_NAME]).text;
		struct plan_entry *entry;
		bool made;

		if (plan_index_put(&r->by_template, tmpl, i, &made) == NULL)
			return err_device(r->err, ENOMEM, "names of streams");
		entry = plan_index_put(&r->by_name, s->name, i, &made);
		if (entry == NULL)
			return err_device(r->err, ENOMEM, "names of streams");
		if (!made)
			entry->value = SEVERAL;
	}
	return 0;
}

/* Flows are told apart by IPv4 address and UDP port: the headers that an answered stream needs. */
static bool has_flows(const struct opt_set *tmpl)
{
	const struct pkt_hdr *stack[PKT_MAX_HEADERS];
	struct err ignored = {0};
	int nb = pkt_is_raw(tmpl) ? 0 : pkt_stack(tmpl, stack, &ignored);
	bool has_udp = false;

	for (int i = 0; i < nb; i++) {
		if (strcmp(stack[i]->name, "ipv6") == 0)
			return false;
		has_udp |= strcmp(stack[i]->name, "udp") == 0;
	}
	return has_udp;
}

/* A stream that answers: which one of this run, and where that one's answers must arrive. */
static int reply_find(const struct reading *r, struct plan_stream *s)
{
	const struct opt *opt = &pkt_template_opts[TMPL_REPLY_TO];
	const struct opt_slot *slot = opt_set_get(s->tmpl, opt);
	const struct plan_entry *entry;
	struct plan_stream *asked;

	if (slot == NULL)
		return 0;
	entry = plan_index_get(&r->by_template, slot->vals[0].text);
	if (entry == NULL)
		return opt_error(r->err, s->tmpl, opt,
			"template \"%s\" is not in this run: add it to tx-template",
			slot->vals[0].text);
	asked = &r->plan->streams[entry->value];
	if (asked == s || opt_set_get(asked->tmpl, opt) != NULL)
		return opt_error(r->err, s->tmpl, opt,
			"\"%s\" answers itself: name a template that has no reply-to",
			slot->vals[0].text);
	if (!has_flows(asked->tmpl))
		return opt_error(r->err, s->tmpl, opt,
			"\"%s\" has no flows of IPv4 and UDP, which alone can be answered",
			slot->vals[0].text);
	s->reply.stream = (int32_t)entry->value;
	asked->is_answered = true;
	if (s->route.rx_port < 0)
		s->route.rx_port = asked->route.tx_port;
	return 0;
}

static int after_find(const struct reading *r, unsigned i)
{
	struct plan_stream *s = &r->plan->streams[i];
	struct plan_words w = reading_words(r, i);
	const struct plan_entry *entry;
	struct opt_val val;

	if (!plan_words_val(&w, STREAM_AFTER, &val) || val.is_word)
		return 0;
	entry = plan_index_get(&r->by_name, val.text);
	if (entry == NULL)
		return plan_words_error(&w, STREAM_AFTER, r->err,
			"no stream \"%.80s\" in this run: name it, too, or give after=none",
			val.text);
	if (entry->value == SEVERAL)
		return plan_words_error(&w, STREAM_AFTER, r->err,
			"\"%.80s\" is the name of several streams of this run", val.text);
	if (entry->value == i)
		return plan_words_error(
			&w, STREAM_AFTER, r->err, "\"%.80s\" waits for itself", val.text);
	s->after = (int32_t)entry->value;
	if (r->plan->streams[entry->value].packet_count == UINT64_MAX)
		return plan_words_error(&w, STREAM_AFTER, r->err,
			"\"%.80s\" never ends: give it packet-count (or burst-count)", val.text);
	return 0;
}

/* A stream may wait for one that waits, but not for itself in the end. */
static int loops_refuse(const struct reading *r)
{
	unsigned nb = r->plan->nb_streams;
	unsigned *seen = calloc(nb, sizeof(*seen)); /* 1 + the stream whose walk came by */
	int rc = 0;

	if (seen == NULL)
		return err_device(r->err, ENOMEM, "streams");
	for (unsigned i = 0; rc == 0 && i < nb; i++) {
		int32_t at = (int32_t)i;

		while (at >= 0 && seen[at] == 0) {
			seen[at] = i + 1;
			at = r->plan->streams[at].after;
		}
		if (at >= 0 && seen[at] == i + 1) {
			struct plan_words w = reading_words(r, (unsigned)at);

			rc = plan_words_error(&w, STREAM_AFTER, r->err,
				"\"%.80s\" waits in the end for itself", r->plan->streams[at].name);
		}
	}
	free(seen);
	return rc;
}

int reading_link(struct reading *r)
{
	int rc = names_of_run(r);

	for (unsigned i = 0; rc == 0 && i < r->plan->nb_streams; i++) {
		rc = reply_find(r, &r->plan->streams[i]);
		if (rc == 0)
			rc = after_find(r, i);
	}
	return rc == 0 ? loops_refuse(r) : rc;
}
