/* SPDX-License-Identifier: BSD-3-Clause */
#include <errno.h>
#include <string.h>
#include <time.h>

#include "suite.h"
#include "tgen/log.h"
#include "tgen/units.h"

/*
 * The runner of a cell: trials of a run that was cut off are played back, as the procedure asks for
 * the same again; the rest is measured, and on disk before the next one begins.
 */

#define OPT(which) (&conf_test_opts[which])

static uint64_t now_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (uint64_t)ts.tv_sec * UNITS_NS_PER_S + (uint64_t)ts.tv_nsec;
}

static const struct result_info *info(void *ctx, const char *frame_size, struct err *err)
{
	struct suite_cell *cell = ctx;
	struct runner rig = rig_runner(cell->suite->rig);

	return rig.info(rig.ctx, frame_size, err);
}

static int node_add(struct suite_cell *cell, cJSON *trial, struct err *err)
{
	if (cJSON_AddItemToArray(cJSON_GetObjectItemCaseSensitive(cell->node, "trials"), trial))
		return 0;
	cJSON_Delete(trial);
	return err_device(err, ENOMEM, "results");
}

static void tell(struct suite_cell *cell, const struct trial_spec *spec,
	const struct trial_result *result, const struct result_info *of, bool replayed)
{
	progress_trial_done(
		&cell->suite->progress, result, spec, proc_sent_pps(of, result), replayed);
}

/* 1: result is that of the journal; 0: the journal has no more of this cell. */
static int play_back(struct suite_cell *cell, const struct trial_spec *spec,
	struct trial_result *result, struct err *err)
{
	const cJSON *trial = journal_take(cell->suite->journal, &cell->key);
	const struct result_info *of;
	cJSON *copy;

	if (trial == NULL)
		return 0;
	of = info(cell, spec->frame_size, err);
	if (of == NULL)
		return -EINVAL;
	if (!results_trial_is(trial, spec, of->nb_streams))
		return err_usage(err,
			"test %s: the procedure asks for another trial than the one that was "
			"measured "
			"before: the ports, or tgen itself, are not what they were; begin a new "
			"run",
			cell->test->name);
	results_replay_free(cell->replay);
	cell->replay = results_trial_read(trial, of, err);
	if (cell->replay == NULL)
		return -EINVAL;
	copy = cJSON_Duplicate(trial, true);
	if (copy == NULL || node_add(cell, copy, err) < 0)
		return -ENOMEM;
	cell->nb_trials++;
	cell->warm = true;
	*result = *results_replay_result(cell->replay);
	tell(cell, spec, result, of, true);
	return 1;
}

static int warm_up(struct suite_cell *cell, const struct trial_spec *spec, struct err *err)
{
	struct runner rig = rig_runner(cell->suite->rig);
	struct trial_spec warm = *spec;
	struct trial_result result;

	cell->warm = true;
	warm.duration_ns = opt_set_one(cell->test->set, OPT(TEST_WARM_UP)).lo;
	if (warm.duration_ns == 0)
		return 0;
	if (spec->duration_ns != 0 && warm.duration_ns > spec->duration_ns)
		warm.duration_ns = spec->duration_ns;
	warm.purpose = "warm-up";
	warm.event_ns = warm.mend_ns = 0;
	return rig.trial(rig.ctx, &warm, &result, err);
}

/* With setup-scope=trial the device is new for each. */
static int renew(struct suite_cell *cell, struct err *err)
{
	struct suite *suite = cell->suite;
	int rc;

	if (opt_set_one(cell->test->set, OPT(TEST_SETUP_SCOPE)).lo != SETUP_PER_TRIAL ||
		cell->nb_trials == 0)
		return 0;
	rc = suite_device_release(suite, err);
	return rc == 0 ? suite_device(suite, cell->variant,
				 cJSON_GetObjectItemCaseSensitive(cell->test_node, "commands"), err)
		       : rc;
}

static int trial(
	void *ctx, const struct trial_spec *spec, struct trial_result *result, struct err *err)
{
	struct suite_cell *cell = ctx;
	struct runner rig = rig_runner(cell->suite->rig);
	int rc = play_back(cell, spec, result, err);

	if (rc != 0)
		return rc < 0 ? rc : 0;
	if (cell->deadline_ns != 0 && now_ns() > cell->deadline_ns)
		return err_invalid(err, "max-duration is over, the test was not finished");
	rc = renew(cell, err);
	if (rc == 0 && !cell->warm)
		rc = warm_up(cell, spec, err);
	if (rc == 0)
		rc = rig.trial(rig.ctx, spec, result, err);
	if (rc == 0)
		tell(cell, spec, result, info(cell, spec->frame_size, err), false);
	return rc;
}

struct runner suite_cell_runner(struct suite_cell *cell)
{
	return (struct runner){.trial = trial, .info = info, .ctx = cell};
}

int suite_on_rows(void *ctx, const struct result_info *of, const struct result_row *rows,
	unsigned nb, struct err *err)
{
	struct suite_cell *cell = ctx;

	return cell->suite->rows != NULL ? results_rows_add(cell->suite->rows, of, rows, nb, err)
					 : 0;
}

int suite_on_trial(void *ctx, const struct results_trial *measured, struct err *err)
{
	struct suite_cell *cell = ctx;
	struct results_trial t = *measured;
	bool counts = t.spec->purpose == NULL || strcmp(t.spec->purpose, "warm-up") != 0;
	cJSON *node;
	int rc;

	if (counts)
		cell->nb_trials++;
	t.nr = cell->nb_trials;
	node = results_trial_json(&t);
	if (node == NULL)
		return err_device(err, ENOMEM, "results");
	rc = journal_add(cell->suite->journal, &cell->key, node, err);
	if (rc < 0) {
		cJSON_Delete(node);
		return rc;
	}
	return node_add(cell, node, err);
}
