/* SPDX-License-Identifier: BSD-3-Clause */
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <time.h>

#include "dut_private.h"
#include "tgen/units.h"

/*
 * What happens beside a trial, on two threads: the commands of event and mend at their times, and the
 * probes each second. A probe that takes longer leaves out the seconds that it missed.
 */

struct dut_beside {
	struct dut_beside_spec spec;
	pthread_t events, probes;
	bool has_events, has_probes;
	pthread_mutex_t lock;
	pthread_cond_t change;
	bool started, over; /* of the trial */
	volatile sig_atomic_t stop_probes;
	uint64_t start_ns; /* CLOCK_MONOTONIC */
	struct dut_beside_event event, mend;
	cJSON *probe, *commands;
};

static uint64_t now_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (uint64_t)ts.tv_sec * UNITS_NS_PER_S + (uint64_t)ts.tv_nsec;
}

/* Until a time after the start; false: the trial is over before. */
static bool wait_until(struct dut_beside *b, uint64_t after_ns)
{
	bool over;

	pthread_mutex_lock(&b->lock);
	while (!b->started && !b->over)
		pthread_cond_wait(&b->change, &b->lock);
	while (!b->over && now_ns() < b->start_ns + after_ns) {
		uint64_t at = b->start_ns + after_ns;
		struct timespec ts = {.tv_sec = (time_t)(at / UNITS_NS_PER_S),
			.tv_nsec = (long)(at % UNITS_NS_PER_S)};

		pthread_cond_timedwait(&b->change, &b->lock, &ts);
	}
	over = b->over;
	pthread_mutex_unlock(&b->lock);
	return !over;
}

static void commands_do(struct dut_beside *b, const struct opt_slot *slot, const char *phase,
	struct dut_beside_event *event)
{
	event->begin_ns = now_ns() - b->start_ns;
	for (unsigned i = 0; i < slot->nb_vals && !event->failed; i++) {
		struct dut_command command = dut_command_of(b->spec.variant, slot->vals[i].text);
		struct dut_command_result result;

		if (dut_command_run(&command, &result) < 0)
			continue;
		cJSON_AddItemToArray(b->commands, dut_command_json(&command, phase, &result));
		event->failed = result.status != 0;
		dut_command_fini(&result);
	}
	event->end_ns = now_ns() - b->start_ns;
	event->done = true;
}

static void *events_thread(void *ctx)
{
	struct dut_beside *b = ctx;

	if (b->spec.event != NULL && wait_until(b, b->spec.event_ns))
		commands_do(b, b->spec.event, "event", &b->event);
	/* what was broken is mended, also when the trial is over */
	if (b->spec.mend != NULL && (wait_until(b, b->spec.mend_ns) || b->event.done))
		commands_do(b, b->spec.mend, "mend", &b->mend);
	return NULL;
}

static void probe_once(struct dut_beside *b, const struct opt_slot *probes)
{
	cJSON *point = cJSON_CreateObject(), *values = cJSON_CreateObject();
	int nb = 0;

	cJSON_AddNumberToObject(point, "t", (double)(now_ns() - b->start_ns) / UNITS_NS_PER_S);
	for (unsigned i = 0; i < probes->nb_vals && !b->stop_probes; i++) {
		struct dut_command command = dut_command_of(b->spec.variant, probes->vals[i].text);
		struct dut_command_result result;

		command.stop = &b->stop_probes;
		if (dut_command_run(&command, &result) < 0)
			continue;
		if (result.status == 0)
			nb += dut_probe_parse(result.output, values);
		dut_command_fini(&result);
	}
	cJSON_AddItemToObject(point, "values", values);
	if (nb > 0)
		cJSON_AddItemToArray(b->probe, point);
	else
		cJSON_Delete(point);
}

static void *probes_thread(void *ctx)
{
	struct dut_beside *b = ctx;
	const struct opt_slot *probes =
		opt_set_get(b->spec.variant, &conf_variant_opts[VARIANT_PROBE]);
	uint64_t at = 0, every = b->spec.probe_interval_ns;

	while (wait_until(b, at)) {
		probe_once(b, probes);
		at = (now_ns() - b->start_ns) / every * every + every;
	}
	return NULL;
}

/* Signals are the main thread's. */
static int thread_make(pthread_t *thread, void *(*run)(void *), struct dut_beside *b)
{
	sigset_t all, old;
	int rc;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &old);
	rc = pthread_create(thread, NULL, run, b);
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	return rc;
}

struct dut_beside *dut_beside_new(const struct dut_beside_spec *spec, struct err *err)
{
	struct dut_beside *b = calloc(1, sizeof(*b));
	bool probes = spec->variant != NULL &&
		      opt_set_get(spec->variant, &conf_variant_opts[VARIANT_PROBE]) != NULL;
	pthread_condattr_t attr;
	int rc = 0;

	if (b == NULL) {
		err_device(err, ENOMEM, "probes");
		return NULL;
	}
	b->spec = *spec;
	b->probe = cJSON_CreateArray();
	b->commands = cJSON_CreateArray();
	pthread_mutex_init(&b->lock, NULL);
	pthread_condattr_init(&attr);
	pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
	pthread_cond_init(&b->change, &attr);
	pthread_condattr_destroy(&attr);
	if (spec->event != NULL || spec->mend != NULL) {
		rc = thread_make(&b->events, events_thread, b);
		b->has_events = rc == 0;
	}
	if (rc == 0 && probes) {
		rc = thread_make(&b->probes, probes_thread, b);
		b->has_probes = rc == 0;
	}
	if (rc == 0)
		return b;
	dut_beside_finish(
		b, &(struct dut_beside_event){0}, &(struct dut_beside_event){0}, NULL, NULL);
	err_device(err, rc, "a thread for events and probes");
	return NULL;
}

void dut_beside_start(struct dut_beside *b)
{
	pthread_mutex_lock(&b->lock);
	b->start_ns = now_ns();
	b->started = true;
	pthread_cond_broadcast(&b->change);
	pthread_mutex_unlock(&b->lock);
}

void dut_beside_finish(struct dut_beside *b, struct dut_beside_event *event,
	struct dut_beside_event *mend, cJSON **probe, cJSON *commands)
{
	cJSON *command;

	pthread_mutex_lock(&b->lock);
	b->over = true;
	pthread_cond_broadcast(&b->change);
	pthread_mutex_unlock(&b->lock);
	b->stop_probes = 1;
	if (b->has_events)
		pthread_join(b->events, NULL);
	if (b->has_probes)
		pthread_join(b->probes, NULL);
	*event = b->event;
	*mend = b->mend;
	while (commands != NULL && (command = cJSON_DetachItemFromArray(b->commands, 0)) != NULL)
		cJSON_AddItemToArray(commands, command);
	cJSON_Delete(b->commands);
	if (probe != NULL)
		*probe = b->probe;
	else
		cJSON_Delete(b->probe);
	pthread_cond_destroy(&b->change);
	pthread_mutex_destroy(&b->lock);
	free(b);
}
