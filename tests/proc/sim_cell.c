/* SPDX-License-Identifier: BSD-3-Clause */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "sim.h"
#include "sim_runner.h"
#include "tgen/run.h"

/* The cell of a simulated device: its words, its sink, what came of it. */

#define S UNITS_NS_PER_S

/* ---- the sink ---- */

static char *copy_of(const char *text)
{
	char *copy = text != NULL ? strdup(text) : NULL;

	assert_true(text == NULL || copy != NULL);
	return copy;
}

static int sim_take_figure(void *ctx, const struct proc_figure *figure)
{
	struct sim *sim = ctx;

	assert_true(sim->nb_figures < SIM_FIGURES_MAX);
	assert_false(isnan(figure->value));
	sim->figures[sim->nb_figures++] = (struct proc_figure){.name = copy_of(figure->name),
		.value = figure->value,
		.unit = copy_of(figure->unit),
		.scope = copy_of(figure->scope),
		.remark = copy_of(figure->remark)};
	return 0;
}

static void sim_take_note(void *ctx, const char *text)
{
	struct sim *sim = ctx;

	assert_true(sim->nb_notes < SIM_NOTES_MAX);
	sim->notes[sim->nb_notes++] = copy_of(text);
}

static void sim_take_progress(void *ctx, const struct proc_progress *progress)
{
	struct sim *sim = ctx;

	assert_non_null(progress->purpose);
	assert_int_equal(progress->trial, sim->nb_trials + 1);
	sim->nb_progress++;
}

const struct proc_figure *sim_figure(const struct sim *sim, const char *name, const char *scope)
{
	for (unsigned i = 0; i < sim->nb_figures; i++) {
		const struct proc_figure *f = &sim->figures[i];
		bool same_scope = scope == NULL || f->scope == NULL ? scope == f->scope
								    : strcmp(scope, f->scope) == 0;

		if (same_scope && strcmp(f->name, name) == 0)
			return f;
	}
	return NULL;
}

double sim_value(const struct sim *sim, const char *name)
{
	const struct proc_figure *f = sim_figure(sim, name, NULL);

	if (f == NULL)
		fail_msg("%s: no figure %s", sim->dut->name, name);
	return f->value;
}

bool sim_noted(const struct sim *sim, const char *text)
{
	for (unsigned i = 0; i < sim->nb_notes; i++)
		if (strstr(sim->notes[i], text) != NULL)
			return true;
	return false;
}

/* ---- the cell ---- */

struct result_stream *sim_add_stream(struct sim *sim, unsigned tx_port, unsigned rx_port)
{
	struct result_stream *s = &sim->streams[sim->info.nb_streams];
	uint32_t size = sim->streams[0].packet_size;

	assert_true(sim->info.nb_streams < SIM_STREAMS_MAX);
	*s = (struct result_stream){.id = (uint16_t)sim->info.nb_streams,
		.name = "sim",
		.tx_port = (uint16_t)tx_port,
		.rx_port = (int32_t)rx_port,
		.packet_size = size,
		.layer_bytes = size,
		.packet_count = UINT64_MAX,
		.asked_upps = 1000 * UNITS_MICROS,
		.weight = 1};
	sim->info.nb_streams++;
	return s;
}

void sim_init(struct sim *sim, const struct sim_dut *dut, unsigned nb_ports, uint32_t frame_size)
{
	static const char *const names[SIM_PORTS_MAX] = {"p1", "p2", "p3", "p4", "p5", "p6", "p7",
		"p8", "p9", "p10", "p11", "p12", "p13", "p14", "p15", "p16"};

	assert_true(nb_ports <= SIM_PORTS_MAX);
	memset(sim, 0, sizeof(*sim));
	sim->dut = dut;
	sim->info = (struct result_info){.version = "0",
		.command = "sim",
		.interval_ns = S,
		.order_measured = true,
		.ports = sim->ports,
		.nb_ports = nb_ports,
		.streams = sim->streams};
	for (unsigned p = 0; p < nb_ports; p++)
		sim->ports[p] = (struct result_port){.name = names[p],
			.device = "ring:sim",
			.driver = "sim",
			.speed_bps = 1000000000,
			.mtu = 1500};
	sim->streams[0].packet_size = frame_size - UNITS_FCS_BYTES;
	for (unsigned p = 0; p < nb_ports / 2; p++)
		sim_add_stream(sim, p, nb_ports / 2 + p);
	sim->runner = (struct runner){.trial = sim_trial, .info = sim_info, .ctx = sim};
	sim->sink = (struct proc_sink){.progress = sim_take_progress,
		.figure = sim_take_figure,
		.note = sim_take_note,
		.ctx = sim};
	sim->env = (struct proc_env){.test = &sim->test,
		.runner = &sim->runner,
		.sink = &sim->sink,
		.max_invalid = 3,
		.info = &sim->info};
	opt_set_init(&sim->test, &run_test_menu);
}

/* The next word of text, quotes taken off, into out; what follows it, or NULL at the end. */
static const char *word_next(const char *text, char *out, size_t room)
{
	bool quoted = false;
	size_t len = 0;

	while (*text == ' ')
		text++;
	if (*text == '\0')
		return NULL;
	for (; *text != '\0' && (quoted || *text != ' '); text++) {
		if (*text == '"') {
			quoted = !quoted;
			continue;
		}
		assert_true(len + 1 < room);
		out[len++] = *text;
	}
	out[len] = '\0';
	return text;
}

bool sim_words_ok(struct sim *sim, const char *words, struct err *err)
{
	char word[512];

	opt_set_fini(&sim->test);
	opt_set_init(&sim->test, &run_test_menu);
	while ((words = word_next(words, word, sizeof(word))) != NULL)
		if (opt_set_arg(&sim->test, word, err) < 0)
			return false;
	return run_test_check(&sim->test, err) == 0;
}

void sim_words(struct sim *sim, const char *words)
{
	struct err err = {0};

	if (!sim_words_ok(sim, words, &err))
		fail_msg("%s: %s", words, err.text);
}

static bool doc_is_of(const struct proc_figure_doc *doc, const struct proc_figure *f)
{
	const char *suffix = doc->name + strlen("NAME");
	size_t len = strlen(f->name);

	if (strcmp(doc->unit, f->unit) != 0)
		return false;
	if (strncmp(doc->name, "NAME-", strlen("NAME-")) != 0)
		return strcmp(doc->name, f->name) == 0;
	return len > strlen(suffix) && strcmp(f->name + len - strlen(suffix), suffix) == 0;
}

/* What a procedure tells stands in its tables, if it has any. */
static void check_documented(const struct sim *sim, const struct procedure *procedure)
{
	for (unsigned i = 0; procedure->nb_figures > 0 && i < sim->nb_figures; i++) {
		bool found = false;

		for (unsigned t = 0; t < procedure->nb_figures; t++)
			for (unsigned d = 0; d < procedure->figures[t]->nb; d++)
				found |= doc_is_of(
					&procedure->figures[t]->docs[d], &sim->figures[i]);
		if (!found)
			fail_msg("%s: figure %s is in no table", procedure->name,
				sim->figures[i].name);
	}
}

int sim_run(struct sim *sim, enum proc_outcome *outcome, struct err *err)
{
	const char *name = opt_set_one(&sim->test, &conf_test_opts[TEST_PROCEDURE]).text;
	const struct procedure *procedure = procedure_find(name);
	struct proc_estimate estimate = {0};
	int rc;

	*err = (struct err){0};
	procedure->estimate(&sim->env, &estimate);
	rc = procedure->run(&sim->env, outcome, err);
	/* repetitions of trials that were not clean are in no estimate */
	if (estimate.nb_trials < sim->nb_clean || estimate.duration_ns < sim->clean_ns)
		fail_msg("%s, %s: estimate %u trials %f s, needed %u and %f s", sim->dut->name,
			name, estimate.nb_trials, (double)estimate.duration_ns / S, sim->nb_clean,
			(double)sim->clean_ns / S);
	assert_int_equal(sim->env.nb_trials, sim->nb_trials);
	check_documented(sim, procedure);
	if (rc == 0 && *outcome != PROC_DONE)
		assert_true(sim->nb_notes > 0);
	return rc;
}

void sim_fini(struct sim *sim)
{
	for (unsigned i = 0; i < sim->nb_figures; i++) {
		free((char *)sim->figures[i].name);
		free((char *)sim->figures[i].unit);
		free((char *)sim->figures[i].scope);
		free((char *)sim->figures[i].remark);
	}
	for (unsigned i = 0; i < sim->nb_notes; i++)
		free(sim->notes[i]);
	opt_set_fini(&sim->test);
}
