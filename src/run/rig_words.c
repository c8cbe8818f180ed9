/* SPDX-License-Identifier: BSD-3-Clause */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "rig_private.h"
#include "tgen/pkt.h"
#include "tgen/units.h"

/* A trial in the words of quick, which plan_new takes. */

#define WORD(which)  (&conf_stream_opts[which])
#define QUICK(which) (&conf_quick_opts[which])

struct writing {
	const struct rig *rig;
	const struct trial_spec *spec;
	struct opt_set *out;
	const unsigned *streams;
	unsigned nb;
	struct err *err;
};

static bool in_section(const struct opt_section *section, const struct opt *opt)
{
	for (size_t i = 0; i < section->nb; i++)
		if (opt_section_at(section, i) == opt)
			return true;
	return false;
}

static int word_add(struct writing *w, const struct opt *opt, const char *item)
{
	return opt_set_add(w->out, opt, item, (struct opt_pos){0}, w->err);
}

/* Words that spec's own say otherwise. */
static bool is_replaced(const struct trial_spec *spec, const struct opt *opt)
{
	static const enum conf_stream_opt sizes[] = {STREAM_PACKET_SIZE, STREAM_FRAME_SIZE},
					  loads[] = {STREAM_MBPS, STREAM_PPS, STREAM_PERCENT,
						  STREAM_RATE_PROFILE, STREAM_PACKET_COUNT,
						  STREAM_WEIGHT};

	for (size_t i = 0; spec->frame_size != NULL && i < sizeof(sizes) / sizeof(sizes[0]); i++)
		if (opt == WORD(sizes[i]))
			return true;
	for (size_t i = 0; spec->loads != NULL && i < sizeof(loads) / sizeof(loads[0]); i++)
		if (opt == WORD(loads[i]))
			return true;
	return false;
}

/* A value of the test; of a list with one for each stream, those of the streams that are in. */
static int slot_copy(struct writing *w, const struct opt_slot *slot)
{
	bool each = slot->nb_vals > 1 && slot->nb_vals == w->rig->test->nb &&
		    in_section(&conf_test_streams_section, slot->opt) &&
		    slot->opt != WORD(STREAM_CPU_CORE);
	unsigned nb = each ? w->nb : slot->nb_vals;
	int rc = 0;

	for (unsigned i = 0; rc == 0 && i < nb; i++)
		rc = word_add(w, slot->opt, slot->vals[each ? w->streams[i] : i].text);
	return rc;
}

static int test_copy(struct writing *w)
{
	const struct opt_set *test = w->rig->test->test;
	int rc = 0;

	for (unsigned i = 0; rc == 0 && i < test->nb_slots; i++) {
		const struct opt_slot *slot = &test->slots[i];

		if (is_replaced(w->spec, slot->opt))
			continue;
		if (in_section(&conf_test_run_section, slot->opt) ||
			in_section(&conf_test_receive_section, slot->opt) ||
			in_section(&conf_test_health_section, slot->opt) ||
			in_section(&conf_test_streams_section, slot->opt))
			rc = slot_copy(w, slot);
	}
	return rc;
}

static const char *rate_text(char out[UNITS_TEXT_MAX], uint64_t upps)
{
	if (upps == TRIAL_FLAT_OUT)
		return "max";
	return units_fmt_micro(out, upps);
}

static int load_add(struct writing *w, const struct trial_load *load, bool stepped)
{
	char rate[UNITS_TEXT_MAX], after[UNITS_TEXT_MAX], at[UNITS_TEXT_MAX], text[192];

	rate_text(rate, load->upps);
	if (!stepped)
		return word_add(w, WORD(STREAM_PPS), rate);
	snprintf(text, sizeof(text), "steps:0s=%spps", rate);
	if (load->step_ns != 0)
		snprintf(text, sizeof(text), "steps:0s=%spps+%s=%spps", rate,
			units_fmt_duration(at, load->step_ns), rate_text(after, load->step_upps));
	return word_add(w, WORD(STREAM_RATE_PROFILE), text);
}

/* Rates and counts of spec, one a stream. */
static int loads_add(struct writing *w)
{
	bool stepped = false, counted = false;
	char text[UNITS_TEXT_MAX];
	int rc = 0;

	for (unsigned i = 0; i < w->nb; i++) {
		stepped |= w->spec->loads[w->streams[i]].step_ns != 0;
		counted |= w->spec->loads[w->streams[i]].packet_count != UINT64_MAX;
	}
	for (unsigned i = 0; rc == 0 && i < w->nb; i++) {
		const struct trial_load *load = &w->spec->loads[w->streams[i]];

		if (stepped && (load->upps == TRIAL_FLAT_OUT || load->step_upps == TRIAL_FLAT_OUT))
			return err_usage(w->err, "a load that changes has a rate: give max-rate");

		rc = load_add(w, load, stepped);
		if (rc < 0 || !counted)
			continue;
		snprintf(text, sizeof(text), "unlimited");
		if (load->packet_count != UINT64_MAX)
			snprintf(
				text, sizeof(text), "%llu", (unsigned long long)load->packet_count);
		rc = word_add(w, WORD(STREAM_PACKET_COUNT), text);
	}
	return rc;
}

static bool has_rate(const struct opt_set *set)
{
	static const enum conf_stream_opt rates[] = {
		STREAM_MBPS, STREAM_PPS, STREAM_PERCENT, STREAM_RATE_PROFILE};

	for (size_t i = 0; set != NULL && i < sizeof(rates) / sizeof(rates[0]); i++)
		if (opt_set_get(set, WORD(rates[i])) != NULL)
			return true;
	return false;
}

/* Whether every stream has a rate, by the test or by itself. */
static bool rates_given(const struct rig *rig, const struct opt_set *words)
{
	if (has_rate(words))
		return true;
	for (unsigned i = 0; i < rig->test->nb; i++)
		if (!has_rate(conf_find(rig->conf, "streams", rig->test->names[i])))
			return false;
	return true;
}

static int words_fill(struct writing *w, bool all)
{
	int rc = 0;
	char text[UNITS_TEXT_MAX];

	for (unsigned i = 0; rc == 0 && i < w->nb; i++)
		rc = word_add(w, QUICK(QUICK_STREAM), w->rig->test->names[w->streams[i]]);
	if (rc == 0)
		rc = test_copy(w);
	if (rc == 0 && w->spec->frame_size != NULL)
		rc = word_add(w, WORD(STREAM_FRAME_SIZE), w->spec->frame_size);
	if (rc == 0 && w->spec->loads != NULL)
		rc = loads_add(w);
	else if (rc == 0 && all && !rates_given(w->rig, w->out))
		rc = word_add(w, WORD(STREAM_PPS), "1");
	/* what waits for the end of learning needs one */
	if (rc == 0 && w->spec->loads == NULL &&
		opt_set_one(w->rig->test->test, &conf_test_opts[TEST_TOPOLOGY]).lo ==
			TOPOLOGY_LEARNING)
		rc = word_add(w, WORD(STREAM_PACKET_COUNT), "1");
	if (rc == 0 && w->spec->duration_ns != 0)
		rc = word_add(
			w, QUICK(QUICK_DURATION), units_fmt_duration(text, w->spec->duration_ns));
	return rc;
}

int rig_words(const struct rig *rig, const struct trial_spec *spec, bool all, struct opt_set *out,
	unsigned *streams, unsigned *nb, struct err *err)
{
	struct writing w = {.rig = rig, .spec = spec, .out = out, .streams = streams, .err = err};

	opt_set_init(out, &conf_quick_menu);
	for (unsigned i = 0; i < rig->test->nb; i++)
		if (all || spec->loads == NULL || spec->loads[i].upps != 0)
			streams[w.nb++] = i;
	*nb = w.nb;
	if (w.nb == 0)
		return err_usage(err, "no stream has a load to send");
	return words_fill(&w, all);
}

/* ---- memory for all tests ---- */

/* The largest packet-size that a size of a test may mean; 0: what the MTU allows. */
static int size_max(const char *text, bool with_fcs, unsigned *most, struct err *err)
{
	const struct pkt_size_facts facts = {.with_fcs = with_fcs};
	struct pkt_sizes sizes;
	int rc = pkt_sizes_parse(text, &facts, &sizes, err);

	if (rc < 0)
		return rc;
	*most = sizes.nb > 0 ? sizes.bytes[sizes.nb - 1] : 0;
	for (unsigned i = 0; i < sizes.nb; i++)
		if (sizes.bytes[i] == 0)
			*most = 0;
	pkt_sizes_fini(&sizes);
	return 0;
}

static int pair_add(struct opt_set *out, const char *tmpl, unsigned bytes, struct err *err)
{
	char text[UNITS_TEXT_MAX];
	int rc = opt_set_add(out, QUICK(QUICK_TX_TEMPLATE), tmpl, (struct opt_pos){0}, err);

	snprintf(text, sizeof(text), "%u", bytes);
	return rc == 0 ? opt_set_add(out, WORD(STREAM_PACKET_SIZE), text, (struct opt_pos){0}, err)
		       : rc;
}

/* A size word of an object or a test that has one for the stream. */
static const char *own_size(const struct opt_set *set, unsigned i, bool *with_fcs)
{
	static const enum conf_stream_opt words[] = {STREAM_PACKET_SIZE, STREAM_FRAME_SIZE};

	for (size_t k = 0; k < 2; k++) {
		const struct opt_slot *slot = opt_set_get(set, WORD(words[k]));

		*with_fcs = k == 1;
		if (slot != NULL)
			return slot->vals[i < slot->nb_vals ? i : 0].text;
	}
	*with_fcs = false;
	return "0";
}

static int stream_pairs(const struct rig_test *t, const struct opt_set *stream, unsigned i,
	struct opt_set *out, struct err *err)
{
	const char *tmpl = opt_set_one(stream, &conf_stream_obj_opts[STREAM_OBJ_TX_TEMPLATE]).text;
	const struct opt_slot *frames = opt_set_get(t->test, &conf_test_opts[TEST_FRAME_SIZES]),
			      *packets = opt_set_get(t->test, &conf_test_opts[TEST_PACKET_SIZES]),
			      *slot = frames != NULL ? frames : packets;
	unsigned bytes;
	int rc = 0;

	if (slot == NULL) {
		bool with_fcs, of_test;
		const char *text = own_size(t->test, i, &of_test);

		with_fcs = of_test;
		if (strcmp(text, "0") == 0)
			text = own_size(stream, 0, &with_fcs);
		rc = size_max(text, with_fcs, &bytes, err);
		return rc == 0 ? pair_add(out, tmpl, bytes, err) : rc;
	}
	for (unsigned k = 0; rc == 0 && k < slot->nb_vals; k++) {
		rc = size_max(slot->vals[k].text, frames != NULL, &bytes, err);
		if (rc < 0)
			return opt_error(err, t->test, slot->opt, "%s", err->text);
		rc = pair_add(out, tmpl, bytes, err);
	}
	return rc;
}

int rig_words_of_all(const struct rig *rig, struct opt_set *out, struct err *err)
{
	const struct opt_slot *cores = NULL;
	int rc = 0;

	opt_set_init(out, &conf_quick_menu);
	for (unsigned i = 0; rc == 0 && i < rig->nb_tests; i++) {
		const struct rig_test *t = &rig->tests[i];

		for (unsigned k = 0; rc == 0 && k < t->nb; k++)
			rc = stream_pairs(
				t, conf_find(rig->conf, "streams", t->names[k]), k, out, err);
		if (cores == NULL)
			cores = opt_set_get(t->test, WORD(STREAM_CPU_CORE));
	}
	for (unsigned i = 0; rc == 0 && cores != NULL && i < cores->nb_vals; i++)
		rc = opt_set_add(
			out, WORD(STREAM_CPU_CORE), cores->vals[i].text, (struct opt_pos){0}, err);
	return rc == 0 ? opt_set_add(out, WORD(STREAM_PPS), "1", (struct opt_pos){0}, err) : rc;
}

struct plan *rig_plan(const struct rig *rig, const struct opt_set *words, struct err *err)
{
	return plan_new(rig->conf, words, rig->cpus, rig->nb_cpus, err);
}
