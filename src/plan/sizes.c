/* SPDX-License-Identifier: BSD-3-Clause */
#include "plan_private.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ITEM_SHOWN_MAX 64u /* bytes of an item in an error */

/* ---- sizes and texts that streams share ---- */

static struct plan_mixes *mixes_of(struct plan *plan)
{
	if (plan->mixes == NULL)
		plan->mixes = calloc(1, sizeof(*plan->mixes));
	return plan->mixes;
}

static int mix_add(struct plan_mixes *mixes, const struct pkt_sizes *sizes)
{
	if (mixes->nb == mixes->room) {
		unsigned room = mixes->room == 0 ? 16 : 2 * mixes->room;
		struct pkt_sizes *all = realloc(mixes->all, room * sizeof(*all));

		if (all == NULL)
			return -ENOMEM;
		mixes->all = all;
		mixes->room = room;
	}
	mixes->all[mixes->nb++] = *sizes;
	return 0;
}

static int mix_find(struct plan_mixes *mixes, const char *key, const char *item,
	const struct pkt_size_facts *facts, struct pkt_sizes *out, struct err *err)
{
	const struct plan_entry *entry = plan_index_get(&mixes->index, key);
	bool made;
	int rc;

	if (entry != NULL) {
		*out = mixes->all[entry->value];
		return 0;
	}
	rc = pkt_sizes_parse(item, facts, out, err);
	if (rc < 0)
		return rc;
	if (mix_add(mixes, out) < 0) {
		pkt_sizes_fini(out);
		return -ENOMEM;
	}
	return plan_index_put(&mixes->index, key, mixes->nb - 1, &made) != NULL ? 0 : -ENOMEM;
}

int plan_mix_get(struct plan *plan, const char *item, const struct pkt_size_facts *facts,
	struct pkt_sizes *out, struct err *err)
{
	struct plan_mixes *mixes = mixes_of(plan);
	char *key;
	int rc;

	if (mixes == NULL || asprintf(&key, "%u %d %" PRIu64 " %s", facts->most, facts->with_fcs,
				     facts->seed, item) < 0)
		return -ENOMEM;
	rc = mix_find(mixes, key, item, facts, out, err);
	free(key);
	return rc;
}

const char *plan_text_keep(struct plan *plan, const char *text)
{
	struct plan_mixes *mixes = mixes_of(plan);
	const struct plan_entry *entry;
	bool made;

	if (mixes == NULL)
		return NULL;
	entry = plan_index_put(&mixes->texts, text, 0, &made);
	return entry != NULL ? entry->key : NULL;
}

void plan_mixes_free(struct plan_mixes *mixes)
{
	if (mixes == NULL)
		return;
	for (unsigned i = 0; i < mixes->nb; i++)
		pkt_sizes_fini(&mixes->all[i]);
	free(mixes->all);
	plan_index_fini(&mixes->index);
	plan_index_fini(&mixes->texts);
	free(mixes);
}

/* ---- what the ports carry ---- */

__attribute__((format(printf, 3, 4))) static int size_error(
	const struct plan_stream *s, struct err *err, const char *fmt, ...)
{
	const struct opt *opt =
		&conf_stream_opts[s->size_with_fcs ? STREAM_FRAME_SIZE : STREAM_PACKET_SIZE];
	char text[sizeof(err->text)];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	if (s->size_in_conf)
		return opt_error(err, s->conf, opt, "%s", text);
	return err_usage(err, "%s: %s", opt->name, text);
}

/* `imix: ` before a number that the item does not show; else nothing. */
static const char *item_prefix(
	const struct plan_stream *s, unsigned number, char out[ITEM_SHOWN_MAX + 3])
{
	char text[16];

	snprintf(text, sizeof(text), "%u", number);
	out[0] = '\0';
	if (strstr(s->size_text, text) == NULL)
		snprintf(out, ITEM_SHOWN_MAX + 3, "%.*s: ", (int)ITEM_SHOWN_MAX, s->size_text);
	return out;
}

/* Numbers are told as they were asked for: with FCS or without. */
static int size_limits(
	const struct plan *plan, const struct plan_stream *s, uint32_t most, struct err *err)
{
	const struct plan_port *port = &plan->ports[s->route.tx_port];
	unsigned fcs = s->size_with_fcs ? UNITS_FCS_BYTES : 0, smallest = s->sizes.bytes[0];
	int least = pkt_min_size(s->tmpl, err);
	char item[ITEM_SHOWN_MAX + 3];

	if (least < 0)
		return -EINVAL;
	if (s->size > most)
		return size_error(s, err,
			"%s%u is more than port %s carries: its MTU of %u makes packets of at most "
			"%u bytes%s",
			item_prefix(s, s->size + fcs, item), s->size + fcs, port->name, port->mtu,
			most + fcs, fcs ? " with FCS" : "");
	if (smallest < (unsigned)least)
		return size_error(s, err,
			"%s%u is too small for template %s: its headers and the signature need at "
			"least %u bytes%s",
			item_prefix(s, smallest + fcs, item), smallest + fcs,
			opt_set_one(s->tmpl, &pkt_template_opts[TMPL_NAME]).text,
			(unsigned)least + fcs, fcs ? " with FCS" : "");
	return 0;
}

/* What the packets of a period count for on the layer of rates. */
static void layer_sum_set(struct plan_stream *s, enum rate_layer layer, unsigned nb_tags)
{
	uint64_t nb = s->sizes.period;

	s->layer_sum = 0;
	for (unsigned i = 0; i < nb; i++)
		s->layer_sum +=
			units_layer_bytes(layer, s->sizes.bytes[s->sizes.order[i]], nb_tags);
	s->layer_bytes = units_layer_bytes(layer, s->size, nb_tags);
}

static int stream_sizes_set(struct plan *plan, struct plan_stream *s, struct err *err)
{
	const struct pkt_hdr *stack[PKT_MAX_HEADERS];
	int nb_headers = pkt_stack(s->tmpl, stack, err), rc;
	struct pkt_size_facts facts = {.with_fcs = s->size_with_fcs, .seed = s->seed};
	struct err why = {0};
	unsigned nb_tags = 0;

	if (nb_headers < 0)
		return -EINVAL;
	for (int h = 0; h < nb_headers; h++)
		nb_tags += stack[h]->is_tag;
	facts.most =
		plan->ports[s->route.tx_port].mtu + UNITS_ETH_BYTES + nb_tags * UNITS_TAG_BYTES;
	rc = plan_mix_get(plan, s->size_text, &facts, &s->sizes, &why);
	if (rc == -EINVAL)
		return size_error(s, err, "%s", why.text);
	if (rc < 0)
		return err_device(err, ENOMEM, "packet sizes");
	s->size = s->sizes.bytes[s->sizes.nb - 1];
	layer_sum_set(s, plan->layer, nb_tags);
	return size_limits(plan, s, facts.most, err);
}

/* Sizes: 0 becomes MTU + 14 (+ 4 a tag, which the MTU does not count); others must fit. */
int plan_sizes_set(struct plan *plan, struct err *err)
{
	for (unsigned i = 0; i < plan->nb_streams; i++)
		if (stream_sizes_set(plan, &plan->streams[i], err) < 0)
			return -EINVAL;
	return 0;
}
