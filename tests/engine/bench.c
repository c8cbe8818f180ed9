/* SPDX-License-Identifier: BSD-3-Clause */
#include "bench.h"

#include <rte_eal.h>

#include <stdio.h>
#include <unistd.h>

static const struct conf_kind kinds[] = {
	{.key = "ports", .menu = &conf_port_menu},
	{.key = "packet-templates", .menu = &pkt_template_menu},
	{.key = "raw-packet-templates", .menu = &pkt_raw_menu},
	{.key = "streams", .menu = &conf_stream_menu, .check = plan_stream_check},
	{.key = "settings", .menu = &conf_settings_menu, .single = true},
};

/* ---- from words to an engine ---- */

static struct conf *conf_make(const char *json, struct err *err)
{
	char path[] = "/tmp/tgen-test-engine-XXXXXX";
	struct conf *conf;
	int fd = mkstemp(path);
	FILE *f = fd >= 0 ? fdopen(fd, "w") : NULL;

	assert_non_null(f);
	for (const char *p = json; *p != '\0'; p++)
		fputc(*p == '\'' ? '"' : *p, f);
	assert_int_equal(fclose(f), 0);
	conf = conf_load(path, kinds, NB(kinds), false, err);
	unlink(path);
	return conf;
}

void bench_plan(struct bench *b, const char *json, const char *words)
{
	struct plan_cpu *cpus = NULL;
	char *text = strdup(words), *save = NULL;
	int nb;

	memset(b, 0, sizeof(*b));
	b->options.stop = &b->stop;
	b->conf = conf_make(json, &b->err);
	if (b->conf == NULL)
		fail_msg("%s", b->err.text);
	opt_set_init(&b->quick, &conf_quick_menu);
	assert_non_null(text);
	for (char *word = strtok_r(text, " ", &save); word != NULL;
		word = strtok_r(NULL, " ", &save))
		if (opt_set_arg(&b->quick, word, &b->err) < 0)
			fail_msg("%s", b->err.text);
	free(text);
	nb = engine_cpus(&cpus);
	assert_true(nb > 0);
	b->plan = plan_new(b->conf, &b->quick, cpus, (unsigned)nb, &b->err);
	free(cpus);
	if (b->plan == NULL)
		fail_msg("%s", b->err.text);
	assert_true(b->plan->nb_streams <= BENCH_STREAMS_MAX || b->plan->nb_streams > 256);
}

int bench_open_engine(struct bench *b)
{
	b->engine = engine_open(b->plan, &b->options, b->facts, &b->err);
	if (b->engine == NULL)
		return -1;
	/* a run that fell back to plain memory would prove nothing */
	if (bench_huge_wanted())
		assert_true(rte_eal_has_hugepages());
	return 0;
}

int bench_load_engine(struct bench *b)
{
	if (plan_size(b->plan, b->facts, &b->err) < 0)
		return -1;
	if (b->adjust != NULL)
		b->adjust(b->plan);
	if (engine_resolve(b->engine, b->plan, &b->err) < 0 || plan_build(b->plan, &b->err) < 0)
		return -1;
	return engine_load(b->engine, b->plan, &b->err);
}

static void info_make(struct bench *b)
{
	const struct plan *plan = b->plan;

	b->ports = calloc(plan->nb_ports, sizeof(*b->ports));
	b->streams = calloc(plan->nb_streams, sizeof(*b->streams));
	assert_non_null(b->ports);
	assert_non_null(b->streams);
	for (unsigned p = 0; p < plan->nb_ports; p++)
		b->ports[p] = (struct result_port){
			.name = plan->ports[p].name, .driver = engine_driver(b->engine, p)};
	for (unsigned i = 0; i < plan->nb_streams; i++) {
		const struct plan_stream *s = &plan->streams[i];

		b->streams[i] = (struct result_stream){.id = s->id,
			.name = s->name,
			.tx_port = s->route.tx_port,
			.rx_port = s->route.rx_port,
			.packet_size = s->size,
			.layer_bytes = s->layer_bytes,
			.sched = sched_is_plain(&s->sched) ? NULL : &s->sched,
			.transmit_only = s->transmit_only,
			.flat_out = s->flat_out,
			.asked_upps = s->flat_out ? 0 : plan_rate_upps(s->asked),
			.packet_count = s->packet_count};
		if (s->sizes.nb > 1) {
			b->streams[i].size_min = s->sizes.bytes[0];
			b->streams[i].size_max = s->size;
			b->streams[i].size_sum = s->sizes.sum;
			b->streams[i].size_nb = s->sizes.period;
		}
	}
	b->info = (struct result_info){.interval_ns = plan->interval_ns,
		.test_id = plan->test_id,
		.order_measured = plan->measure_order,
		.ports = b->ports,
		.nb_ports = plan->nb_ports,
		.streams = b->streams,
		.nb_streams = plan->nb_streams};
}

void bench_open(struct bench *b, const char *json, const char *words)
{
	bench_open_adjusted(b, json, words, NULL);
}

void bench_open_adjusted(
	struct bench *b, const char *json, const char *words, void (*adjust)(struct plan *plan))
{
	bench_plan(b, json, words);
	b->adjust = adjust;
	if (bench_open_engine(b) < 0 || bench_load_engine(b) < 0)
		fail_msg("%s: %s", words, b->err.text);
	info_make(b);
}

void bench_close(struct bench *b)
{
	proc_verdict_fini(&b->verdict);
	engine_close(b->engine);
	plan_free(b->plan);
	conf_free(b->conf);
	opt_set_fini(&b->quick);
	free(b->ports);
	free(b->streams);
}

/* ---- trials ---- */

static int on_rows(void *ctx, const struct result_row *rows, unsigned nb)
{
	struct bench *b = ctx;

	/* one interval after another, a row a stream in their order, and their sum where several */
	b->nb_rows++;
	assert_int_equal(nb, b->plan->nb_streams == 1 ? 1 : b->plan->nb_streams + 1);
	for (unsigned i = 0; i < nb; i++) {
		bool is_sum = i == b->plan->nb_streams;

		assert_int_equal(rows[i].seq, b->nb_rows);
		assert_int_equal(rows[i].stream, is_sum ? RESULT_TOT : i);
		result_counts_add(&b->rows[is_sum ? BENCH_STREAMS_MAX : i], &rows[i].n);
	}
	if (b->nb_rows == b->stop_at_row)
		b->stop = 1;
	return b->rows_rc;
}

int bench_trial_once(struct bench *b, uint64_t duration_ns)
{
	const struct proc_limits limits = {.short_ppm = 1000};
	struct trial_spec spec = {.duration_ns = duration_ns, .on_rows = on_rows, .ctx = b};
	int rc;

	proc_verdict_fini(&b->verdict);
	memset(b->rows, 0, sizeof(b->rows));
	b->nb_rows = 0;
	b->duration_ns = duration_ns;
	rc = engine_trial(b->engine, &b->info, &spec, &b->result, &b->err);
	assert_int_equal(proc_quick_judge(&b->info, &b->result, &limits, &b->verdict), 0);
	return rc;
}

void bench_trial(struct bench *b, uint64_t duration_ns)
{
	for (unsigned i = 0; i < BENCH_ATTEMPTS; i++) {
		int rc = bench_trial_once(b, duration_ns);

		if (rc < 0)
			fail_msg("%s", b->err.text);
		if (b->verdict.summary.clean && b->result.total.n.unsent == 0)
			return;
	}
	fail_msg("the generator was not clean %u times: %s", BENCH_ATTEMPTS,
		b->verdict.summary.nb_reasons > 0 ? b->verdict.summary.reasons[0] : "unsent");
}

/* ---- what holds ---- */

void bench_assert_rows_are_totals(const struct bench *b)
{
	struct result_counts sum = {0};

	assert_int_equal(b->result.nb_totals, b->plan->nb_streams);
	for (unsigned i = 0; i < b->plan->nb_streams; i++) {
		const struct result_counts *total = &b->result.totals[i].n, *rows = &b->rows[i];

		/* late frames are received ones; spill holds both, and what was sent has no other way */
		assert_int_equal(rows->tx_packet + rows->good + total->late + total->spill,
			total->tx_packet + total->good);
		assert_true(rows->tx_packet <= total->tx_packet);
		assert_true(rows->good <= total->good);
		result_counts_add(&sum, total);
	}
	assert_int_equal(b->result.total.n.tx_packet, sum.tx_packet);
	assert_int_equal(b->result.total.n.good, sum.good);
	if (b->plan->nb_streams == 1)
		return;
	assert_int_equal(b->rows[BENCH_STREAMS_MAX].tx_packet + b->rows[BENCH_STREAMS_MAX].good +
				 sum.late + sum.spill,
		sum.tx_packet + sum.good);
}

void bench_assert_conserved(const struct bench *b)
{
	uint64_t good = 0, tx = 0;

	assert_true(b->result.conserved);
	for (unsigned p = 0; p < b->plan->nb_ports; p++) {
		const struct result_port_counts *c = &b->result.ports[p];

		assert_int_equal(c->rx_all, c->good + c->duplicate + c->bad + c->misrouted +
						    c->stray + c->fragment + c->returned + c->host +
						    c->unknown);
		assert_int_equal(c->rx_missed, 0);
		good += c->good;
		tx += c->tx_test;
	}
	assert_int_equal(good, b->result.total.n.good);
	assert_int_equal(tx, b->result.total.n.tx_packet);
}

void bench_assert_all_back(const struct bench *b)
{
	bench_assert_rows_are_totals(b);
	bench_assert_conserved(b);
	assert_int_equal(b->verdict.summary.status, TGEN_OK);
	assert_false(b->result.interrupted);
	for (unsigned i = 0; i < b->plan->nb_streams; i++) {
		const struct result_row *row = &b->result.totals[i];

		assert_true(row->n.tx_packet > 0);
		assert_int_equal(row->n.good, row->n.tx_packet);
		assert_int_equal(row->lost_packet, 0);
		assert_int_equal(row->n.ooo, 0);
		assert_int_equal(row->n.duplicate, 0);
		assert_int_equal(row->n.bad, 0);
		assert_int_equal(row->n.misrouted, 0);
		assert_int_equal(row->n.stray, 0);
		assert_int_equal(row->n.returned, 0);
		assert_int_equal(row->lat.count + row->n.lat_negative, row->n.good);
	}
}

void bench_assert_schedule(const struct bench *b)
{
	assert_int_equal(b->result.send_ns, b->duration_ns);
	for (unsigned i = 0; i < b->plan->nb_streams; i++) {
		const struct plan_rate *rate = &b->plan->streams[i].asked;
		uint64_t whole = (uint64_t)((unsigned __int128)rate->num * b->duration_ns /
					    ((unsigned __int128)rate->den * UNITS_NS_PER_S));
		uint64_t sent = b->result.totals[i].n.tx_packet;

		if (sent + 1 < whole || sent > whole + 1)
			fail_msg("stream %u: sent %llu, the schedule has %llu", i,
				(unsigned long long)sent, (unsigned long long)whole);
	}
}
