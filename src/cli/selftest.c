/* SPDX-License-Identifier: BSD-3-Clause */
#include "selftest.h"

#include "selftest_book.h"
#include "selftest_rig.h"
#include "state.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "tgen/log.h"
#include "tgen/proc.h"

/* What the generator itself can do, so that a device is never blamed for it. */

#define BOOK_FILE "selftest.json"
#define PPM_UNITS 100u /* millionths of a percent in a millionth */

#define OPT(which) (&conf_selftest_opts[which])

struct selftest {
	struct opt_set words;
	struct selftest_rig rig;
	struct selftest_book found; /* this time */
	const char *output;	    /* file of the result; NULL: standard output */
	bool as_json;
	bool no_clean_rate; /* at some size */
};

/* ---- words ---- */

static int output_read(struct selftest *t, const struct cli *cli, struct err *err)
{
	const char *form = cli->nb_outputs > 0 ? cli->outputs[0] : "table";
	const char *equals = strchr(form, '=');
	size_t len = equals != NULL ? (size_t)(equals - form) : strlen(form);

	t->as_json = len == 4 && strncmp(form, "json", len) == 0;
	t->output = equals != NULL ? equals + 1 : NULL;
	if (cli->nb_outputs > 1)
		return err_usage(err, "--output: selftest has one result");
	if (t->as_json || (len == 5 && strncmp(form, "table", len) == 0))
		return 0;
	return err_usage(
		err, "--output: selftest knows table and json, not \"%.*s\"", (int)len, form);
}

static int words_read(struct selftest *t, int argc, char **argv, struct err *err)
{
	opt_set_init(&t->words, &conf_selftest_menu);
	for (int i = 0; i < argc; i++)
		if (opt_set_arg(&t->words, argv[i], err) < 0)
			return -EINVAL;
	return opt_set_check_required(&t->words, err);
}

/* As quick judges when it is told nothing else. */
static struct proc_limits limits_of_quick(void)
{
	struct proc_limits limits;
	struct opt_set none;

	opt_set_init(&none, &conf_quick_menu);
	limits = (struct proc_limits){
		.short_ppm = (uint32_t)(opt_set_one(&none, &conf_quick_opts[QUICK_MAX_UNSENT]).lo /
					PPM_UNITS),
		.rx_missed = opt_set_one(&none, &conf_quick_opts[QUICK_MAX_RX_MISSED]).lo,
		.lag_p99_ns = opt_set_one(&none, &conf_quick_opts[QUICK_MAX_LAG]).lo,
		.steal_ppm = (uint32_t)(opt_set_one(&none, &conf_quick_opts[QUICK_MAX_STEAL]).lo /
					PPM_UNITS),
	};
	opt_set_fini(&none);
	return limits;
}

/* ---- while it runs ---- */

static void on_step(void *ctx, const struct proc_selftest_step *step)
{
	const struct selftest *t = ctx;
	char rate[UNITS_TEXT_MAX], p50[UNITS_TEXT_MAX];

	if (log_level_get() < LOG_LEVEL_INFO)
		return;
	fprintf(stderr, "%5u bytes  ", (unsigned)t->rig.packet_size);
	if (step->pps == TRIAL_FLAT_OUT)
		fprintf(stderr,
			"flat out, %s pps sent: ", units_fmt_count(rate, (int64_t)step->sent_pps));
	else
		fprintf(stderr, "%s pps: ", units_fmt_count(rate, (int64_t)step->pps));
	fprintf(stderr, "%s", step->clean ? "clean" : step->reason);
	if (step->kind == SELFTEST_FLOOR && step->clean)
		fprintf(stderr, ", latency P50 %s", units_fmt_time(p50, step->lat.p50));
	fprintf(stderr, "\n");
}

static int nothing_back(const struct selftest *t)
{
	const struct selftest_rig *rig = &t->rig;
	const struct result_port *tx = &rig->names.ports[rig->tx], *rx = &rig->names.ports[rig->rx];
	const struct result_port_counts *counts = &rig->counts[rig->rx];
	char mac[UNITS_TEXT_MAX], all[UNITS_TEXT_MAX];

	log_error("selftest: nothing came back: test frames of %u bytes were sent three times out "
		  "of port %s (%s) to %s, and none arrived at port %s (%s), whose link is %s and "
		  "which received %s frames in the last trial; a cable must lead from %s to %s, "
		  "with nothing between that could drop them",
		(unsigned)rig->packet_size, tx->name, tx->device, units_fmt_mac(mac, rx->mac),
		rx->name, rx->device, counts->link_up ? "up" : "down",
		units_fmt_count(all, (int64_t)counts->rx_all), tx->name,
		rig->tx == rig->rx ? "itself" : rx->name);
	return TGEN_MISSED;
}

static int found_add(struct selftest *t, const struct proc_selftest_result *result, struct err *err)
{
	const struct selftest_rig *rig = &t->rig;
	const struct result_port *tx = &rig->names.ports[rig->tx];
	uint64_t max = opt_set_one(&t->words, OPT(SELFTEST_MAX_RATE)).lo;
	struct selftest_entry e = {
		.packet_size = rig->packet_size,
		.workers = rig->plan->nb_workers,
		.clean_pps = result->clean_pps,
		.limited = max != UINT64_MAX && result->clean_pps == result->top_pps,
		.floor_pps = result->floor_pps,
		.floor = result->floor,
	};
	time_t now = time(NULL);
	struct tm tm;

	selftest_device(e.device, sizeof(e.device), tx->device);
	selftest_device(e.rx_device, sizeof(e.rx_device), rig->names.ports[rig->rx].device);
	snprintf(e.driver, sizeof(e.driver), "%s", tx->driver);
	strftime(e.date, sizeof(e.date), "%Y-%m-%dT%H:%M:%SZ", gmtime_r(&now, &tm));
	t->no_clean_rate |= result->clean_pps == 0;
	return selftest_book_put(&t->found, &e) < 0 ? err_device(err, ENOMEM, "results") : 0;
}

/* One packet size after the other; TGEN_MISSED when nothing comes back. */
static int sizes_run(struct selftest *t, struct err *err)
{
	const struct opt_slot *given = opt_set_get(&t->words, OPT(SELFTEST_PACKET_SIZE));
	uint64_t max = opt_set_one(&t->words, OPT(SELFTEST_MAX_RATE)).lo;
	struct runner runner = selftest_rig_runner(&t->rig);
	struct proc_selftest spec = {
		.info = &t->rig.names.info,
		.limits = limits_of_quick(),
		.duration_ns = opt_set_one(&t->words, OPT(SELFTEST_DURATION)).lo,
		.resolution_ppm =
			(uint32_t)(opt_set_one(&t->words, OPT(SELFTEST_RESOLUTION)).lo / PPM_UNITS),
		.max_pps = max == UINT64_MAX ? 0 : max / UNITS_MICROS,
		.on_step = on_step,
		.ctx = t,
	};
	struct opt_val val;

	for (unsigned i = 0; opt_set_val(&t->words, OPT(SELFTEST_PACKET_SIZE), i, &val); i++) {
		struct proc_selftest_result result;
		int rc;

		if (given != NULL && i == given->nb_vals)
			break;
		t->rig.packet_size = (uint32_t)val.lo;
		rc = proc_selftest_search(&runner, &spec, &result, err);
		if (rc < 0)
			return rc;
		if (!result.looped)
			return nothing_back(t);
		if (found_add(t, &result, err) < 0)
			return -ENOMEM;
	}
	return 0;
}

/* ---- the result ---- */

static void table_write(const struct selftest *t, FILE *out)
{
	const struct selftest_entry *first = &t->found.entries[0];

	fprintf(out, "%s%s%s (%s), %u worker%s\n", first->device,
		strcmp(first->device, first->rx_device) != 0 ? " to " : "",
		strcmp(first->device, first->rx_device) != 0 ? first->rx_device : "", first->driver,
		(unsigned)first->workers, first->workers == 1 ? "" : "s");
	fprintf(out, "%5s  %14s  %10s  %9s  %9s  %9s\n", "SIZE", "CLEAN-PPS", "CLEAN-L1",
		"FLOOR-MIN", "FLOOR-P50", "FLOOR-P99");
	for (unsigned i = 0; i < t->found.nb; i++) {
		const struct selftest_entry *e = &t->found.entries[i];
		uint64_t bits = 8ull * units_layer_bytes(RATE_LAYER_L1, e->packet_size, 0);
		char pps[UNITS_TEXT_MAX], l1[UNITS_TEXT_MAX], min[UNITS_TEXT_MAX] = "-",
							      p50[UNITS_TEXT_MAX] = "-",
							      p99[UNITS_TEXT_MAX] = "-";

		if (e->floor.count > 0) {
			units_fmt_time(min, e->floor.min);
			units_fmt_time(p50, e->floor.p50);
			units_fmt_time(p99, e->floor.p99);
		}
		fprintf(out, "%5u  %14s  %10s  %9s  %9s  %9s%s\n", (unsigned)e->packet_size,
			units_fmt_count(pps, (int64_t)e->clean_pps),
			units_fmt_rate(l1, e->clean_pps * bits), min, p50, p99,
			e->limited ? "  (limited by max-rate)" : "");
	}
}

static int result_write(const struct selftest *t, struct err *err)
{
	FILE *out = t->output != NULL ? fopen(t->output, "we") : stdout;
	cJSON *root = t->as_json ? selftest_book_json(&t->found) : NULL;
	char *text = root != NULL ? cJSON_Print(root) : NULL;
	int rc = 0;

	if (out == NULL)
		rc = err_device(err, errno, "cannot write %s", t->output);
	else if (!t->as_json)
		table_write(t, out);
	else if (text == NULL || fprintf(out, "%s\n", text) < 0)
		rc = err_device(err, text == NULL ? ENOMEM : errno, "result in JSON");
	if (out != NULL && out != stdout && fclose(out) != 0 && rc == 0)
		rc = err_device(err, errno, "cannot write %s", t->output);
	free(text);
	cJSON_Delete(root);
	return rc;
}

static bool same_host(const struct selftest_host *a, const struct selftest_host *b)
{
	return strcmp(a->cpu, b->cpu) == 0 && strcmp(a->kernel, b->kernel) == 0;
}

/* Adds what was found to what earlier selftests found on this host. */
static int book_keep(const struct selftest *t, struct err *err)
{
	char *path = cli_state_path(BOOK_FILE);
	struct selftest_book book = {0};
	int rc;

	if (path == NULL)
		return err_device(err, 0, "the result is not kept: no HOME and no XDG_STATE_HOME");
	rc = selftest_book_read(&book, path, err);
	if (rc < 0 && rc != -ENOENT)
		log_warning("%s: it is replaced", err->text);
	*err = (struct err){0};
	if (rc == 0 && (!same_host(&book.host, &t->found.host) ||
			       strcmp(book.host.dpdk, t->found.host.dpdk) != 0)) {
		log_info("%s: older entries are of another CPU, kernel or DPDK and are dropped",
			path);
		selftest_book_fini(&book);
	}
	book.host = t->found.host;
	for (unsigned i = 0, ok = 1; ok && i < t->found.nb; i++)
		if (t->found.entries[i].clean_pps > 0)
			ok = selftest_book_put(&book, &t->found.entries[i]) == 0;
	rc = selftest_book_write(&book, path, err);
	if (rc == 0)
		log_info("kept in %s; tgen quick compares with it", path);
	selftest_book_fini(&book);
	free(path);
	return rc;
}

static int run(struct selftest *t, struct err *err)
{
	int rc = sizes_run(t, err);

	if (rc != 0)
		return rc;
	selftest_host_get(&t->found.host);
	snprintf(t->found.host.dpdk, sizeof(t->found.host.dpdk), "%s", engine_dpdk_version());
	rc = result_write(t, err);
	if (rc == 0)
		rc = book_keep(t, err);
	if (rc == 0 && t->no_clean_rate)
		return err_invalid(err, "at no rate was the generator clean for some packet size; "
					"the lines above say why");
	return rc;
}

int cli_selftest(const struct cli *cli, int argc, char **argv, struct err *err)
{
	struct selftest *t = calloc(1, sizeof(*t));
	int rc;

	if (t == NULL)
		return err_device(err, ENOMEM, "selftest");
	rc = words_read(t, argc, argv, err);
	if (rc == 0)
		rc = output_read(t, cli, err);
	if (rc == 0)
		rc = selftest_rig_open(&t->rig, cli, &t->words, err);
	if (rc == 0)
		rc = run(t, err);
	if (rc == -EINTR && err->text[0] == '\0')
		err_invalid(err, "stopped before the selftest was over");
	selftest_rig_close(&t->rig);
	selftest_book_fini(&t->found);
	opt_set_fini(&t->words);
	free(t);
	return rc;
}

/* ---- what a run hears of it ---- */

void cli_selftest_cite(struct result_info *info)
{
	char *path = cli_state_path(BOOK_FILE);
	struct selftest_host here;
	struct selftest_book book;
	struct err err = {0};
	int rc = path != NULL ? selftest_book_read(&book, path, &err) : -ENOENT;

	if (rc < 0 && rc != -ENOENT)
		log_warning("%s; run tgen selftest again", err.text);
	free(path);
	if (rc < 0)
		return;
	selftest_host_get(&here);
	if (!same_host(&here, &book.host)) {
		log_debug("selftests were of another CPU or kernel: they say nothing here");
		selftest_book_fini(&book);
		return;
	}
	info->floor_ns = selftest_book_floor(&book, info);
	for (unsigned p = 0; p < info->nb_ports; p++) {
		char *text = selftest_book_warning(&book, info, p);

		if (text != NULL)
			log_warning("%s", text);
		free(text);
	}
	selftest_book_fini(&book);
}
