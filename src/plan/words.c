/* SPDX-License-Identifier: BSD-3-Clause */
#include "plan_private.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* What is said of one stream. */

#define OPT(which) (&conf_stream_opts[which])

static const enum conf_stream_opt rate_words[] = {
	STREAM_MBPS, STREAM_PPS, STREAM_PERCENT, STREAM_RATE_PROFILE};
#define NB_RATE_WORDS (sizeof(rate_words) / sizeof(rate_words[0]))

const char *plan_stream_what(const struct plan_stream *s)
{
	return s->conf != NULL ? "stream" : "template";
}

const struct opt_set *plan_words_from(const struct plan_words *w, enum conf_stream_opt which)
{
	if (w->quick != NULL && which != STREAM_CPU_CORE && opt_set_get(w->quick, OPT(which)))
		return w->quick;
	return w->conf != NULL && opt_set_get(w->conf, OPT(which)) ? w->conf : NULL;
}

bool plan_words_val(const struct plan_words *w, enum conf_stream_opt which, struct opt_val *out)
{
	const struct opt_set *from = plan_words_from(w, which);
	struct opt_set none;

	if (from != NULL)
		return opt_set_val(from, OPT(which), from == w->quick ? w->i : 0, out);
	opt_set_init(&none, &conf_stream_menu);
	return opt_set_val(&none, OPT(which), 0, out);
}

uint64_t plan_words_u64(const struct plan_words *w, enum conf_stream_opt which)
{
	struct opt_val val;

	return plan_words_val(w, which, &val) ? val.lo : 0;
}

int plan_words_error(const struct plan_words *w, enum conf_stream_opt which, struct err *err,
	const char *fmt, ...)
{
	const struct opt_set *from = plan_words_from(w, which);
	char text[sizeof(err->text)];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	if (from == NULL)
		from = w->quick != NULL ? w->quick : w->conf;
	return opt_error(err, from, OPT(which), "%s", text);
}

/* Both words of one thing, given in one place. */
static bool both_given(
	const struct opt_set *set, enum conf_stream_opt one, enum conf_stream_opt other)
{
	return set != NULL && opt_set_get(set, OPT(one)) && opt_set_get(set, OPT(other));
}

static int ports_check(const struct plan_words *w, struct err *err)
{
	const struct opt_set *set =
		both_given(w->quick, STREAM_PORT, STREAM_INTERFACE) ? w->quick : w->conf;

	if (!both_given(set, STREAM_PORT, STREAM_INTERFACE))
		return 0;
	return opt_error(err, set, OPT(STREAM_INTERFACE),
		"port and interface are two names of one thing; give one of them");
}

/* ---- sizes ---- */

/* Which of the two words counts: the command's, else the object's. */
static int size_word(const struct plan_words *w, enum conf_stream_opt *which, struct err *err)
{
	const struct opt_set *const sets[] = {w->quick, w->conf};

	*which = STREAM_PACKET_SIZE;
	for (unsigned i = 0; i < 2; i++) {
		if (both_given(sets[i], STREAM_PACKET_SIZE, STREAM_FRAME_SIZE))
			return opt_error(err, sets[i], OPT(STREAM_FRAME_SIZE),
				"packet-size and frame-size are one thing without and with FCS; "
				"give one of them");
		if (sets[i] == NULL)
			continue;
		if (opt_set_get(sets[i], OPT(STREAM_PACKET_SIZE)) != NULL)
			return 0;
		if (opt_set_get(sets[i], OPT(STREAM_FRAME_SIZE)) != NULL) {
			*which = STREAM_FRAME_SIZE;
			return 0;
		}
	}
	return 0;
}

static int sizes_read(
	struct plan *plan, const struct plan_words *w, struct plan_stream *s, struct err *err)
{
	struct err why = {0};
	struct pkt_size_facts facts = {.seed = s->seed};
	struct pkt_sizes sizes;
	enum conf_stream_opt which;
	struct opt_val val = {0};
	int rc = size_word(w, &which, err);

	if (rc < 0)
		return rc;
	plan_words_val(w, which, &val);
	facts.with_fcs = which == STREAM_FRAME_SIZE;
	rc = plan != NULL ? plan_mix_get(plan, val.text, &facts, &sizes, &why)
			  : pkt_sizes_parse(val.text, &facts, &sizes, &why);
	if (rc == -EINVAL)
		return plan_words_error(w, which, err, "%s", why.text);
	if (rc < 0)
		return err_device(err, ENOMEM, "packet sizes");
	if (plan == NULL) {
		pkt_sizes_fini(&sizes);
		return 0;
	}
	/* what depends on the MTU is 0 in it */
	s->size = sizes.bytes[0] == 0 ? 0 : sizes.bytes[sizes.nb - 1];
	s->size_with_fcs = facts.with_fcs;
	s->size_in_conf = plan_words_from(w, which) == w->conf && w->conf != NULL;
	s->size_text = plan_text_keep(plan, val.text);
	return s->size_text != NULL ? 0 : err_device(err, ENOMEM, "packet sizes");
}

/* ---- rates ---- */

/* Words of a set that give stream i a rate; 0 gives none. */
static unsigned rates_given(
	const struct opt_set *set, unsigned i, enum conf_stream_opt found[NB_RATE_WORDS])
{
	unsigned nb = 0;

	for (unsigned k = 0; set != NULL && k < NB_RATE_WORDS; k++) {
		struct opt_val val;

		if (opt_set_get(set, OPT(rate_words[k])) != NULL &&
			opt_set_val(set, OPT(rate_words[k]), i, &val) &&
			(rate_words[k] == STREAM_RATE_PROFILE || val.lo != 0))
			found[nb++] = rate_words[k];
	}
	return nb;
}

static int profile_read(
	const struct opt_set *set, const char *text, struct plan_stream *s, struct err *err)
{
	struct err why = {0};
	int rc = plan_profile_parse(text, &s->profile, &why);

	if (rc == -EINVAL)
		return opt_error(err, set, OPT(STREAM_RATE_PROFILE), "%s", why.text);
	return rc < 0 ? err_device(err, ENOMEM, "rate-profile") : 0;
}

static int rate_take(const struct opt_set *set, unsigned i, enum conf_stream_opt which,
	struct plan_stream *s, struct err *err)
{
	struct opt_val val = {0};

	opt_set_val(set, OPT(which), i, &val);
	if (which == STREAM_RATE_PROFILE)
		return profile_read(set, val.text, s, err);
	if (which == STREAM_MBPS)
		s->want_bps = val.lo;
	else if (which == STREAM_PPS)
		s->want_upps = val.lo;
	else
		s->want_percent = val.lo;
	return 0;
}

/* The command's rate goes before the object's; a total of the command, too. */
static int rate_read(
	const struct plan_words *w, bool total, bool needed, struct plan_stream *s, struct err *err)
{
	enum conf_stream_opt found[NB_RATE_WORDS];
	const struct opt_set *set = w->quick;
	unsigned i = w->i, nb = rates_given(set, i, found);

	s->share_num = s->share_den = 1;
	if (nb > 0 && total)
		return opt_error(err, set, OPT(found[0]),
			"gives every stream a rate of its own, and a total- word all of them one "
			"together; give one of the two");
	if (nb == 0 && total)
		return 0;
	if (nb == 0) {
		set = w->conf;
		i = 0;
		nb = rates_given(set, i, found);
	}
	if (nb == 0 && !needed)
		return 0;
	if (nb == 0)
		return err_usage(err,
			"no rate for %s %s: give mbps=, pps= or pps=max (or percent=, "
			"rate-profile=, or a total- rate)",
			plan_stream_what(s), s->name);
	if (nb > 1)
		return opt_error(err, set, OPT(found[1]),
			"%s %s: %s and %s both give a rate; give one of them (0 means not given)",
			plan_stream_what(s), s->name, OPT(found[0])->name, OPT(found[1])->name);
	return rate_take(set, i, found[0], s, err);
}

/* ---- schedule ---- */

static int bursts_read(const struct plan_words *w, struct plan_stream *s, struct err *err)
{
	static const enum conf_stream_opt parts[] = {STREAM_BURST_COUNT, STREAM_INTER_BURST_GAP};
	uint64_t packets = plan_words_u64(w, STREAM_BURST_PACKETS), all;

	for (unsigned i = 0; i < 2; i++)
		if (packets == 0 && plan_words_from(w, parts[i]) != NULL &&
			plan_words_from(w, STREAM_BURST_PACKETS) == NULL)
			return plan_words_error(w, parts[i], err,
				"%s %s has no bursts: give burst-packets, too", plan_stream_what(s),
				s->name);
	if (packets == 0)
		return 0;
	s->sched.burst_packets = packets;
	s->sched.burst_count = plan_words_u64(w, STREAM_BURST_COUNT);
	s->sched.gap_ns = plan_words_u64(w, STREAM_INTER_BURST_GAP);
	if (s->profile.nb > 0)
		return plan_words_error(w, STREAM_BURST_PACKETS, err,
			"%s %s: bursts and rate-profile both say when packets leave; give one of "
			"them",
			plan_stream_what(s), s->name);
	if (s->want_upps == UINT64_MAX && s->sched.gap_ns == 0)
		return plan_words_error(w, STREAM_INTER_BURST_GAP, err,
			"%s %s: with pps=max and no gap there are no bursts", plan_stream_what(s),
			s->name);
	if (s->sched.burst_count == SCHED_NO_END ||
		__builtin_mul_overflow(packets, s->sched.burst_count, &all))
		return 0;
	if (all < s->packet_count)
		s->packet_count = all;
	return 0;
}

static int gaps_read(const struct plan_words *w, struct plan_stream *s, struct err *err)
{
	const char *against = NULL;

	s->sched.poisson = plan_words_u64(w, STREAM_GAPS) == GAPS_POISSON;
	if (!s->sched.poisson)
		return 0;
	if (s->sched.burst_packets != 0)
		against = "bursts";
	else if (s->profile.nb > 0)
		against = "a rate-profile";
	else if (s->want_upps == UINT64_MAX)
		against = "pps=max";
	if (against == NULL)
		return 0;
	return plan_words_error(w, STREAM_GAPS, err,
		"%s %s: poisson gaps need one constant rate, not %s", plan_stream_what(s), s->name,
		against);
}

int plan_words_read(struct plan *plan, const struct plan_words *w, bool quick_total,
	struct plan_stream *s, struct err *err)
{
	s->seed = plan_words_u64(w, STREAM_SEED);
	s->sched.seed = s->seed;
	s->sched.den = 1;
	s->packet_count = plan_words_u64(w, STREAM_PACKET_COUNT);
	s->start_delay_ns = plan_words_u64(w, STREAM_START_DELAY);
	s->after = -1;
	s->reply.stream = -1;
	if (w->conf != NULL)
		s->cpu_core = opt_set_get(w->conf, OPT(STREAM_CPU_CORE));
	if (ports_check(w, err) < 0 || rate_read(w, quick_total, plan != NULL, s, err) < 0 ||
		bursts_read(w, s, err) < 0 || gaps_read(w, s, err) < 0)
		return -EINVAL;
	return sizes_read(plan, w, s, err);
}

/* In an object a list has one item, but for the CPUs. */
static int one_value_each(const struct opt_set *stream, struct err *err)
{
	for (unsigned i = 0; i < STREAM_NB_OPTS; i++) {
		const struct opt_slot *slot = opt_set_get(stream, OPT(i));

		if (slot != NULL && i != STREAM_CPU_CORE && slot->nb_vals > 1)
			return opt_error(err, stream, OPT(i), "%u values for one stream; give one",
				slot->nb_vals);
	}
	return 0;
}

int plan_stream_check(const struct opt_set *stream, struct err *err)
{
	const struct plan_words w = {.conf = stream};
	struct plan_stream s = {.conf = stream};
	int rc = one_value_each(stream, err);
	struct opt_val after;

	s.name = opt_set_one(stream, &conf_stream_obj_opts[STREAM_OBJ_NAME]).text;
	if (rc == 0)
		rc = plan_words_read(NULL, &w, false, &s, err);
	if (rc == 0 && opt_set_val(stream, OPT(STREAM_AFTER), 0, &after) && !after.is_word &&
		strcmp(after.text, s.name) == 0)
		rc = opt_error(
			err, stream, OPT(STREAM_AFTER), "\"%.80s\" waits for itself", s.name);
	plan_profile_fini(&s.profile);
	return rc;
}
