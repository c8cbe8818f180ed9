/* SPDX-License-Identifier: BSD-3-Clause */
#include "report_run.h"

#include <cjson/cJSON.h>

/* The line of the table that begins so, with its line feed; empty: there is none. */
static void take_line(char out[1024], const struct run *run, const char *begin)
{
	struct memory memory;
	const char *line;

	memory_init(&memory);
	memory_report(&memory, run);
	line = strstr(memory.text, begin);
	snprintf(out, 1024, "%.*s", line ? (int)strcspn(line, "\n") : 0, line ? line : "");
	memory_fini(&memory);
}

static void set_clean(struct run *run)
{
	run_init(run);
	run->summary.clean = true;
	run->port_counts[0].rx_missed_known = true;
	run->port_counts[1].rx_missed = 0;
}

static void set_unknown_driver(struct run *run)
{
	set_clean(run);
	run->ports[0].driver = run->ports[1].driver = "net_ring";
	run->port_counts[0].rx_missed_known = run->port_counts[1].rx_missed_known = false;
	run->port_counts[0].rx_kernel_known = false;
}

static void set_flat_out(struct run *run)
{
	set_clean(run);
	run->streams[0].flat_out = true;
	run->summary.health.steal_known = false;
}

static void set_no_lag(struct run *run)
{
	set_clean(run);
	memset(&run->summary.health, 0, sizeof(run->summary.health));
	run->port_counts[0].rx_kernel_dropped = 12345;
	run->summary.health.steal_known = true;
	run->summary.health.steal_ns = 12 * S / 1000;
	run->summary.health.cpu_ns = 6 * S;
}

static void set_core_full(struct run *run)
{
	static const struct result_worker workers[] = {
		{.cpu = 2, .tx_ticks = 940, .idle_ticks = 60},
		{.cpu = 3, .tx_ticks = 700, .rx_ticks = 260, .idle_ticks = 40},
		{.cpu = 5, .tx_ticks = 1000},
	};

	set_no_lag(run);
	run->summary.health.workers = workers;
	run->summary.health.nb_workers = 3;
}

/* What waits for a full driver is busy, too. */
static void set_core_and_queue_full(struct run *run)
{
	set_core_full(run);
	run->summary.health.queue_full = 1;
}

static void generator_line_has_the_figures_and_why_it_is_not_clean(void **state)
{
	static const struct {
		void (*set)(struct run *run);
		const char *line;
	} cases[] = {
		{set_clean, "generator: clean (sent 2 457 089 of 2 457 090, queue full 4, lag p50 "
			    "1.2us "
			    "p99 35us max 81us, late bursts 2 with 5 frames, rx missed 0, kernel "
			    "dropped 0, steal 0ns of 3s)"},
		{run_init,
			"generator: NOT CLEAN: ether2: the kernel dropped 5 frames; sent 2 % less "
			"than asked (sent 2 457 089 of 2 457 090, queue full 4, lag p50 1.2us p99 "
			"35us max 81us, late bursts 2 with 5 frames, rx missed 9 007 199 254 740 "
			"993, not reported by net_af_packet, kernel dropped 0, steal 0ns of 3s)"},
		{set_unknown_driver,
			"generator: clean (sent 2 457 089 of 2 457 090, queue full 4, lag p50 "
			"1.2us "
			"p99 35us max 81us, late bursts 2 with 5 frames, rx missed not reported by "
			"net_ring, steal 0ns of 3s)"},
		{set_flat_out,
			"generator: clean (sent 2 457 089, queue full 4, lag p50 1.2us p99 35us "
			"max "
			"81us, late bursts 2 with 5 frames, rx missed 0, kernel dropped 0, steal "
			"not reported by the system)"},
		{set_no_lag, "generator: clean (sent 2 457 089 of 2 457 090, queue full 0, late "
			     "bursts 0, "
			     "rx missed 0, kernel dropped 12 345, steal 12ms of 6s)"},
		{set_core_full, "generator: clean (sent 2 457 089 of 2 457 090, queue full 0, late "
				"bursts 0, rx missed 0, kernel dropped 12 345, steal 12ms of 6s, "
				"no time left on CPU 3 (busy 96.000%) and 5 (busy 100.000%))"},
		{set_core_and_queue_full,
			"generator: clean (sent 2 457 089 of 2 457 090, queue full 1, late bursts "
			"0, rx missed 0, kernel dropped 12 345, steal 12ms of 6s)"},
	};

	for (size_t i = 0; i < NB(cases); i++) {
		char line[1024];
		struct run run;

		cases[i].set(&run);
		take_line(line, &run, "generator:");
		assert_string_equal(line, cases[i].line);
	}
}

static void latency_line_says_what_the_figures_are(void **state)
{
	static const struct {
		enum latency_type type;
		uint64_t floor_ns, count;
		const char *line;
	} cases[] = {
		{LATENCY_FILO, 0, 1,
			"latency: FILO, software stamps: includes the generator's own stack"},
		{LATENCY_FIFO, 1800, 1,
			"latency: FIFO, software stamps: includes the generator's own stack (floor "
			"1.8us, tgen selftest)"},
		{LATENCY_LIFO, 0, 1,
			"latency: LIFO, software stamps: includes the generator's own stack"},
		{LATENCY_LILO, 0, 1,
			"latency: LILO, software stamps: includes the generator's own stack"},
		{LATENCY_FILO, 1800, 0, ""},
	};

	for (size_t i = 0; i < NB(cases); i++) {
		char line[1024];
		struct run run;

		run_init(&run);
		run.info.latency_type = cases[i].type;
		run.info.floor_ns = cases[i].floor_ns;
		run.totals[2].lat.count = cases[i].count;
		take_line(line, &run, "latency:");
		assert_string_equal(line, cases[i].line);
	}
}

static const char *after_generator(const char *text)
{
	text = strstr(text, "\ngenerator:");
	assert_non_null(text);
	text = strchr(text + 1, '\n');
	assert_non_null(text);
	return text + 1;
}

static void port_line_comes_only_when_there_is_something_to_say(void **state)
{
	struct memory memory;
	struct run run;

	run_init(&run);
	run.summary.clean = true;
	run.summary.nb_unknowns = run.summary.nb_returned = run.summary.nb_notes = 0;
	run.totals[2].n.late = 0;
	run.port_counts[1] = (struct result_port_counts){.rx_all = 12, .good = 12, .link_up = true};
	memory_init(&memory);
	memory_report(&memory, &run);
	assert_string_equal(after_generator(memory.text), "");
	memory_fini(&memory);

	run.port_counts[0].link_up = false;
	run.port_counts[1].rx_kernel_dropped = 5;
	run.port_counts[1].rx_kernel_known = true;
	run.port_counts[1].link_changed = true;
	run.summary.interrupted = true;
	memory_init(&memory);
	memory_report(&memory, &run);
	assert_string_equal(after_generator(memory.text),
		"port ether1: link is down\n"
		"port ether2: 5 dropped by the kernel, link was down for a time\n"
		"interrupted: TOT is what was sent until then\n");
	memory_fini(&memory);
}

static void outage_is_nothing_or_empty_where_it_is_not_known(void **state)
{
	static const char *const proplist[] = {
		"outage", "outage-begin", "ipdv-min", "lat-intended-max"};
	static const struct {
		struct result_outage outage;
		int64_t ipdv_min;
		uint64_t max;
		const char *line;
	} cases[] = {
		{{true, 0, 0, 0}, -1300, RESULT_INFINITE,
			"\n  TOT      0      0ns                  -1.3us               inf\n"},
		{{true, 16080000, 1003200000, 67}, 25, 7000,
			"\n  TOT      0     16ms            1s      25ns               7us\n"},
		{{false, 0, 0, 0}, 0, 7000,
			"\n  TOT      0                              0ns               7us\n"},
	};

	for (size_t i = 0; i < NB(cases); i++) {
		struct memory memory;
		struct run run;

		run_init(&run);
		run.totals[0].outage = cases[i].outage;
		run.totals[0].ipdv.min = cases[i].ipdv_min;
		run.totals[0].intended.max = cases[i].max;
		memory_init(&memory);
		memory.options.proplist = proplist;
		memory.options.nb_proplist = NB(proplist);
		memory_report(&memory, &run);
		if (!strstr(memory.text, cases[i].line))
			fail_msg("no \"%s\" in:\n%s", cases[i].line, memory.text);
		memory_fini(&memory);
	}
}

static void json_has_null_where_the_system_tells_nothing(void **state)
{
	static const char *const outputs[] = {"json"};
	struct memory memory;
	const cJSON *health, *port, *gap, *worker;
	struct run run;
	cJSON *root;

	run_init(&run);
	run.info.floor_ns = 0;
	run.summary.health.steal_known = false;
	run.summary.health.lag.count = 0;
	run.summary.health.schedule_error = NULL;
	hist_reset(&run.gap_longer);
	hist_reset(&run.gap_shorter);
	memory_init(&memory);
	memory.options.outputs = outputs;
	memory.options.nb_outputs = 1;
	memory_report(&memory, &run);
	root = cJSON_Parse(memory.text);
	assert_non_null(root);
	health = cJSON_GetObjectItem(root, "health");
	assert_true(cJSON_IsNull(cJSON_GetObjectItem(health, "steal-ns")));
	assert_true(cJSON_IsNull(cJSON_GetObjectItem(cJSON_GetObjectItem(health, "lag"), "p99")));
	assert_true(cJSON_IsNull(cJSON_GetObjectItem(health, "schedule-error-ns")));
	gap = cJSON_GetObjectItem(health, "gap-error-ns");
	assert_true(cJSON_IsNull(cJSON_GetObjectItem(gap, "within-256ns-pct")));
	assert_true(cJSON_IsNull(cJSON_GetObjectItem(gap, "max")));
	worker = cJSON_GetArrayItem(cJSON_GetObjectItem(health, "workers"), 0);
	assert_true(cJSON_IsNull(cJSON_GetObjectItem(worker, "rx-cycles-per-frame")));
	assert_true(cJSON_IsNull(cJSON_GetObjectItem(root, "floor-ns")));
	port = cJSON_GetArrayItem(cJSON_GetObjectItem(root, "ports"), 0);
	assert_true(cJSON_IsNull(cJSON_GetObjectItem(port, "rx-missed")));
	assert_true(cJSON_IsNull(cJSON_GetObjectItem(port, "pause-tx")));
	port = cJSON_GetArrayItem(cJSON_GetObjectItem(root, "ports"), 1);
	assert_int_equal(cJSON_GetObjectItem(port, "pause-rx")->valueint, 3);
	cJSON_Delete(root);
	memory_fini(&memory);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(generator_line_has_the_figures_and_why_it_is_not_clean),
		cmocka_unit_test(latency_line_says_what_the_figures_are),
		cmocka_unit_test(port_line_comes_only_when_there_is_something_to_say),
		cmocka_unit_test(outage_is_nothing_or_empty_where_it_is_not_known),
		cmocka_unit_test(json_has_null_where_the_system_tells_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
