/* SPDX-License-Identifier: BSD-3-Clause */
#include "reading.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define OPT(which)  (&conf_quick_opts[which])
#define WORD(which) (&conf_stream_opts[which])
#define NB_IDS	    (UINT16_MAX + 1u)

/* ---- templates ---- */

/* The lists of the file that hold templates; one name serves both. */
static const char *const template_keys[] = {"packet-templates", "raw-packet-templates"};
#define NB_KEYS (sizeof(template_keys) / sizeof(template_keys[0]))

static int names_index(const struct conf *conf, const char *key, const struct opt *name,
	uint32_t first, struct plan_index *out, struct err *err)
{
	unsigned nb = conf_nb(conf, key);

	for (unsigned i = 0; i < nb; i++) {
		bool made;

		if (plan_index_put(out, opt_set_one(conf_at(conf, key, i), name).text, first + i,
			    &made) == NULL)
			return err_device(err, ENOMEM, "%u names", nb);
	}
	return 0;
}

static const struct opt_set *template_find(const struct reading *r, const char *name)
{
	const struct plan_entry *entry = plan_index_get(&r->template_names, name);
	uint32_t at;

	if (entry == NULL) {
		conf_not_found(r->conf, template_keys[0], "packet-template", name, r->err);
		return NULL;
	}
	at = entry->value;
	for (size_t k = 0; k < NB_KEYS; k++) {
		if (at < conf_nb(r->conf, template_keys[k]))
			return conf_at(r->conf, template_keys[k], at);
		at -= conf_nb(r->conf, template_keys[k]);
	}
	return NULL;
}

/* Both lists one after the other; a name that is in both would be a riddle. */
static int templates_index(struct reading *r)
{
	const struct opt *name = &pkt_template_opts[TMPL_NAME];
	uint32_t first = 0;

	for (size_t k = 0; k < NB_KEYS; k++) {
		unsigned nb = conf_nb(r->conf, template_keys[k]);

		for (unsigned i = 0; k > 0 && i < nb; i++) {
			const struct opt_set *tmpl = conf_at(r->conf, template_keys[k], i);

			if (plan_index_get(&r->template_names, opt_set_one(tmpl, name).text) !=
				NULL)
				return opt_error(r->err, tmpl, name,
					"a packet-template has this name too; give one of them "
					"another");
		}
		if (names_index(
			    r->conf, template_keys[k], name, first, &r->template_names, r->err) < 0)
			return -EINVAL;
		first += nb;
	}
	return 0;
}

/* ---- which streams ---- */

static bool is_enabled(const struct opt_set *stream)
{
	return opt_set_one(stream, &conf_stream_obj_opts[STREAM_OBJ_DISABLED]).lo == 0;
}

static int streams_alloc(struct plan *plan, unsigned nb, struct err *err)
{
	if (nb > PLAN_MAX_STREAMS)
		return err_usage(err, "more than %u streams", PLAN_MAX_STREAMS);
	plan->streams = calloc(nb, sizeof(*plan->streams));
	if (plan->streams == NULL)
		return err_device(err, ENOMEM, "%u streams", nb);
	plan->nb_streams = nb;
	return 0;
}

static int named_streams(struct reading *r)
{
	int rc = streams_alloc(r->plan, r->streams->nb_vals, r->err);

	for (unsigned i = 0; rc == 0 && i < r->plan->nb_streams; i++) {
		const char *name = r->streams->vals[i].text;
		const struct plan_entry *entry = plan_index_get(&r->objects, name);

		if (entry == NULL)
			rc = conf_not_found(r->conf, "streams", "stream", name, r->err);
		else
			r->plan->streams[i].conf = conf_at(r->conf, "streams", entry->value);
	}
	return rc;
}

static int enabled_streams(struct reading *r)
{
	unsigned all = conf_nb(r->conf, "streams"), nb = 0;
	int rc;

	for (unsigned i = 0; i < all; i++)
		nb += is_enabled(conf_at(r->conf, "streams", i));
	if (nb == 0)
		return err_usage(r->err,
			"tx-template= is missing, and %s has no stream that is enabled: name the "
			"templates to send (tgen packet-template print shows them)",
			conf_path(r->conf));
	rc = streams_alloc(r->plan, nb, r->err);
	nb = 0;
	for (unsigned i = 0; rc == 0 && i < all; i++)
		if (is_enabled(conf_at(r->conf, "streams", i)))
			r->plan->streams[nb++].conf = conf_at(r->conf, "streams", i);
	return rc;
}

/* A template that is not there, named in the file: its place is told, too. */
static int template_place(const struct reading *r, const struct opt_set *stream)
{
	char why[sizeof(r->err->text)];

	memcpy(why, r->err->text, sizeof(why));
	return opt_error(r->err, stream, &conf_stream_obj_opts[STREAM_OBJ_TX_TEMPLATE], "%s", why);
}

/* The objects, and then templates and names of all streams. */
static int streams_choose(struct reading *r)
{
	struct plan *plan = r->plan;
	int rc;

	if (r->streams != NULL)
		rc = named_streams(r);
	else if (r->templates == NULL)
		rc = enabled_streams(r);
	else
		rc = streams_alloc(plan, r->templates->nb_vals, r->err);
	if (rc == 0)
		rc = opt_set_check_nb(
			r->quick, OPT(QUICK_TX_TEMPLATE), plan->nb_streams, "streams", r->err);
	for (unsigned i = 0; rc == 0 && i < plan->nb_streams; i++) {
		struct plan_stream *s = &plan->streams[i];
		const struct opt_set *obj = s->conf;
		struct opt_val val;

		if (!opt_set_val(r->quick, OPT(QUICK_TX_TEMPLATE), i, &val))
			val = opt_set_one(obj, &conf_stream_obj_opts[STREAM_OBJ_TX_TEMPLATE]);
		s->tmpl = template_find(r, val.text);
		if (s->tmpl == NULL)
			return r->templates != NULL ? -EINVAL : template_place(r, obj);
		s->name = opt_set_one(obj != NULL ? obj : s->tmpl,
			obj != NULL ? &conf_stream_obj_opts[STREAM_OBJ_NAME]
				    : &pkt_template_opts[TMPL_NAME])
				  .text;
	}
	return rc;
}

/* ---- lists and numbers ---- */

static int check_lists(const struct reading *r)
{
	const struct opt_slot *ids = opt_set_get(r->quick, WORD(STREAM_ID));
	unsigned nb = r->plan->nb_streams;

	for (unsigned i = 0; i < STREAM_NB_OPTS; i++)
		if (i != STREAM_CPU_CORE && i != STREAM_ID &&
			opt_set_check_nb(r->quick, WORD(i), nb, "streams", r->err) < 0)
			return -EINVAL;
	if (ids == NULL || ids->nb_vals == nb)
		return 0;
	return opt_error(r->err, r->quick, WORD(STREAM_ID),
		"%u id%s for %u stream%s: every stream needs its own", ids->nb_vals,
		ids->nb_vals == 1 ? "" : "s", nb, nb == 1 ? "" : "s");
}

struct plan_words reading_words(const struct reading *r, unsigned i)
{
	return (struct plan_words){.quick = r->quick, .i = i, .conf = r->plan->streams[i].conf};
}

/* Given ones first; the others get the lowest that are left. */
static int ids_set(const struct reading *r)
{
	bool *taken = calloc(NB_IDS, sizeof(*taken));
	unsigned next = 0;
	int rc = 0;

	if (taken == NULL)
		return err_device(r->err, ENOMEM, "ids");
	for (unsigned i = 0; rc == 0 && i < r->plan->nb_streams; i++) {
		struct plan_words w = reading_words(r, i);
		struct opt_val val;

		if (!plan_words_val(&w, STREAM_ID, &val))
			continue;
		if (taken[val.lo])
			rc = plan_words_error(&w, STREAM_ID, r->err, "%u is given to two streams",
				(unsigned)val.lo);
		taken[val.lo] = true;
		r->plan->streams[i].id = (uint16_t)val.lo;
	}
	for (unsigned i = 0; rc == 0 && i < r->plan->nb_streams; i++) {
		struct plan_words w = reading_words(r, i);

		if (plan_words_from(&w, STREAM_ID) != NULL)
			continue;
		while (taken[next])
			next++;
		taken[next] = true;
		r->plan->streams[i].id = (uint16_t)next;
	}
	free(taken);
	return rc;
}

/* ---- one stream ---- */

static int stream_read(const struct reading *r, unsigned i)
{
	struct plan_stream *s = &r->plan->streams[i];
	struct plan_words w = reading_words(r, i);
	const char *port = NULL;
	struct opt_val val;

	/* many streams of one template stand together */
	if (i > 0 && s[-1].tmpl == s->tmpl)
		s->transmit_only = s[-1].transmit_only;
	else
		s->transmit_only = !pkt_is_signed(s->tmpl);
	if (plan_words_read(r->plan, &w, r->total, s, r->err) < 0)
		return -EINVAL;
	/* the command's word, whichever of the two it is, before the object's */
	if (opt_set_val(r->quick, WORD(STREAM_PORT), i, &val) ||
		opt_set_val(r->quick, WORD(STREAM_INTERFACE), i, &val) ||
		plan_words_val(&w, STREAM_PORT, &val) || plan_words_val(&w, STREAM_INTERFACE, &val))
		port = val.text;
	return plan_route(r->plan->ports, r->plan->nb_ports, s->tmpl, port, &s->route, r->err);
}

static int streams_read(struct reading *r)
{
	enum conf_quick_opt total = QUICK_TOTAL_MBPS;
	int rc = templates_index(r);

	if (rc == 0)
		rc = names_index(r->conf, "streams", &conf_stream_obj_opts[STREAM_OBJ_NAME], 0,
			&r->objects, r->err);
	if (rc == 0)
		rc = reading_total_word(r, &total);
	r->total = rc > 0;
	if (rc < 0 || streams_choose(r) < 0 || check_lists(r) < 0 || ids_set(r) < 0)
		return -EINVAL;
	for (unsigned i = 0; i < r->plan->nb_streams; i++)
		if (stream_read(r, i) < 0)
			return -EINVAL;
	if (reading_link(r) < 0 || (r->total && reading_total_share(r, total) < 0))
		return -EINVAL;
	return reading_note_dscp(r->plan) < 0 ? err_device(r->err, ENOMEM, "notes") : 0;
}

int plan_streams_read(
	struct plan *plan, const struct conf *conf, const struct opt_set *quick, struct err *err)
{
	struct reading r = {.plan = plan,
		.conf = conf,
		.quick = quick,
		.streams = opt_set_get(quick, OPT(QUICK_STREAM)),
		.templates = opt_set_get(quick, OPT(QUICK_TX_TEMPLATE)),
		.err = err};
	int rc = streams_read(&r);

	plan_index_fini(&r.objects);
	plan_index_fini(&r.by_name);
	plan_index_fini(&r.by_template);
	plan_index_fini(&r.template_names);
	return rc;
}
