/* SPDX-License-Identifier: BSD-3-Clause */
#include "dut_beside.h"

#include <errno.h>
#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "dut_process.h"
#include "tgen/log.h"

#define S 1000000000ull

/* Commands that run one after another. thread: all. */
struct queue {
	const char *phase;
	char **texts;
	unsigned nb, next; /* next: nb when all have been started */
	uint64_t due_ns;   /* after the start */
	bool begun, running, failed, done;
	uint64_t begin_ns, end_ns; /* after the start */
	struct dut_process process;
	struct dut_command command;
};

struct dut_beside {
	/* ---- set before the thread runs ---- */
	bool shell;
	uint64_t time_limit_ns, interval_ns;
	int wake_fd;
	pthread_t thread;
	/* ---- control: wo, thread: ro ---- */
	_Atomic uint64_t start_ns; /* CLOCK_MONOTONIC; 0: not yet */
	atomic_bool finishing;
	/* ---- thread: rw; control once it has ended ---- */
	struct queue event, mend, probe;
	cJSON *records, *samples, *values; /* values: of the round that runs */
	_Atomic unsigned rounds, failed, skipped;
	bool hastened;
};

struct dut_beside_probes dut_beside_probes(const struct dut_beside *beside)
{
	return (struct dut_beside_probes){beside->rounds, beside->failed, beside->skipped};
}

static uint64_t since_start(const struct dut_beside *beside)
{
	return dut_now_ns() - beside->start_ns;
}

/* Starts the next command of a queue; without memory it counts as failed. */
static void queue_next(struct dut_beside *beside, struct queue *queue)
{
	queue->command = (struct dut_command){.text = queue->texts[queue->next++],
		.shell = beside->shell,
		.time_limit_ns = beside->time_limit_ns};
	queue->running = dut_process_start(&queue->process, &queue->command) == 0;
	queue->failed |= !queue->running;
}

static void queue_begin(struct dut_beside *beside, struct queue *queue)
{
	queue->begun = true;
	queue->begin_ns = since_start(beside);
	queue->next = 0;
	queue_next(beside, queue);
}

/* Of probes what they print is taken, of others what they did is recorded. */
static void command_over(struct dut_beside *beside, struct queue *queue)
{
	struct dut_command_result result;

	queue->running = false;
	if (dut_process_take(&queue->process, &result) < 0) {
		queue->failed = true;
		return;
	}
	queue->failed |= result.status != 0;
	if (queue != &beside->probe)
		dut_command_record(beside->records, queue->phase, &queue->command, &result);
	else if (result.status == 0 && beside->values != NULL)
		dut_probe_parse(result.output, beside->values);
	dut_command_fini(&result);
}

static void round_over(struct dut_beside *beside)
{
	struct queue *probe = &beside->probe;
	double t = round((double)probe->begin_ns / 1e6) / 1e3;
	cJSON *sample = cJSON_CreateObject();

	beside->rounds++;
	/* one that was cut short by the end of the trial has not failed */
	beside->failed += probe->failed && !beside->hastened;
	if (sample != NULL && beside->values != NULL && beside->values->child != NULL &&
		cJSON_AddNumberToObject(sample, "t", t) != NULL &&
		cJSON_AddItemToObject(sample, "values", beside->values)) {
		beside->values = NULL;
		if (cJSON_AddItemToArray(beside->samples, sample))
			sample = NULL;
	}
	cJSON_Delete(sample);
	cJSON_Delete(beside->values);
	beside->values = NULL;
	probe->begun = probe->failed = false;
	/* The next that is due later than now: what should have run meanwhile is passed over. */
	probe->due_ns += beside->interval_ns;
	for (uint64_t now = since_start(beside); probe->due_ns < now;
		probe->due_ns += beside->interval_ns)
		beside->skipped++;
}

/* Steps what runs in a queue and begins what is due. */
static void queue_step(struct dut_beside *beside, struct queue *queue)
{
	if (queue->running && dut_process_step(&queue->process))
		command_over(beside, queue);
	if (!queue->begun || queue->running || queue->done)
		return;
	if (queue->next < queue->nb) {
		queue_next(beside, queue);
	} else if (queue == &beside->probe) {
		round_over(beside);
	} else {
		queue->done = true;
		queue->end_ns = since_start(beside);
	}
}

/* Begins what is due. Mending waits for the event to be over; at the end it does not wait for its time. */
static void begin_due(struct dut_beside *beside)
{
	struct queue *event = &beside->event, *mend = &beside->mend, *probe = &beside->probe;
	uint64_t now = since_start(beside);
	bool finishing = beside->finishing;

	if (event->nb > 0 && !event->begun && !finishing && now >= event->due_ns)
		queue_begin(beside, event);
	if (mend->nb > 0 && !mend->begun && (!event->begun || event->done) &&
		(finishing ? event->done : now >= mend->due_ns))
		queue_begin(beside, mend);
	if (probe->nb > 0 && !probe->begun && !finishing && now >= probe->due_ns) {
		beside->values = cJSON_CreateObject();
		queue_begin(beside, probe);
	}
	if (finishing && probe->begun && !beside->hastened) {
		/* numbers of the last second, not a reason to wait for long */
		beside->hastened = true;
		probe->next = probe->nb;
		if (probe->running)
			dut_process_hasten(&probe->process, dut_now_ns() + beside->interval_ns);
	}
}

static bool queue_busy(const struct queue *queue)
{
	return queue->begun && !queue->done;
}

static uint64_t next_due(const struct dut_beside *beside, struct pollfd *fds, unsigned *nb)
{
	const struct queue *queues[] = {&beside->event, &beside->mend, &beside->probe};
	uint64_t due = UINT64_MAX, at;

	for (unsigned i = 0; i < 3; i++) {
		const struct queue *queue = queues[i];

		if (queue->running) {
			at = dut_process_wait(&queue->process, fds + *nb);
			*nb += DUT_PROCESS_NB_FDS;
		} else if (queue_busy(queue)) {
			at = 0;
		} else if (queue->nb > 0 && !queue->done && !beside->finishing &&
			   !(i == 1 && queue_busy(&beside->event))) {
			at = beside->start_ns + queue->due_ns;
		} else {
			continue;
		}
		due = at < due ? at : due;
	}
	return due;
}

static bool all_over(const struct dut_beside *beside)
{
	if (!beside->finishing)
		return false;
	if (beside->start_ns == 0)
		return true;
	return !queue_busy(&beside->event) && !queue_busy(&beside->mend) &&
	       !queue_busy(&beside->probe) &&
	       !(beside->event.done && beside->mend.nb > 0 && !beside->mend.done);
}

static void *beside_main(void *arg)
{
	struct dut_beside *beside = arg;

	while (!all_over(beside)) {
		struct pollfd fds[1 + 3 * DUT_PROCESS_NB_FDS] = {
			{.fd = beside->wake_fd, .events = POLLIN}};
		uint64_t due = UINT64_MAX, count;
		unsigned nb = 1;

		if (beside->start_ns != 0) {
			queue_step(beside, &beside->event);
			queue_step(beside, &beside->mend);
			queue_step(beside, &beside->probe);
			begin_due(beside);
			due = next_due(beside, fds, &nb);
		}
		if (all_over(beside))
			break;
		dut_poll(fds, nb, due);
		if (fds[0].revents != 0 && read(beside->wake_fd, &count, sizeof(count)) < 0)
			continue; /* nothing was there after all */
	}
	return NULL;
}

static void wake(struct dut_beside *beside)
{
	if (eventfd_write(beside->wake_fd, 1) < 0)
		log_warning("the thread of events cannot be woken: %s", strerror(errno));
}

static void queue_fini(struct queue *queue)
{
	for (unsigned i = 0; queue->texts != NULL && i < queue->nb; i++)
		free(queue->texts[i]);
	free(queue->texts);
}

static bool queue_init(
	struct queue *queue, const char *phase, const struct opt_slot *slot, uint64_t due_ns)
{
	*queue = (struct queue){.phase = phase, .due_ns = due_ns};
	if (slot == NULL || slot->nb_vals == 0)
		return true;
	queue->texts = calloc(slot->nb_vals, sizeof(*queue->texts));
	if (queue->texts == NULL)
		return false;
	queue->nb = slot->nb_vals;
	for (unsigned i = 0; i < slot->nb_vals; i++)
		if ((queue->texts[i] = strdup(slot->vals[i].text)) == NULL)
			return false;
	return true;
}

static void beside_free(struct dut_beside *beside)
{
	queue_fini(&beside->event);
	queue_fini(&beside->mend);
	queue_fini(&beside->probe);
	cJSON_Delete(beside->records);
	cJSON_Delete(beside->samples);
	cJSON_Delete(beside->values);
	if (beside->wake_fd >= 0)
		close(beside->wake_fd);
	free(beside);
}

/* Signals are the control thread's. */
static int thread_start(struct dut_beside *beside)
{
	sigset_t all, old;
	int rc;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &old);
	rc = pthread_create(&beside->thread, NULL, beside_main, beside);
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	return rc;
}

struct dut_beside *dut_beside_new(const struct dut_beside_spec *spec, struct err *err)
{
	const struct opt_set *variant = spec->variant;
	const struct opt *probe = &conf_variant_opts[VARIANT_PROBE];
	struct dut_beside *beside = calloc(1, sizeof(*beside));
	int rc = ENOMEM;

	if (beside == NULL) {
		err_device(err, ENOMEM, "events and probes");
		return NULL;
	}
	beside->wake_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	beside->time_limit_ns = 60 * S;
	beside->interval_ns = spec->probe_interval_ns > 0 ? spec->probe_interval_ns : S;
	if (variant != NULL) {
		beside->shell = opt_set_one(variant, &conf_variant_opts[VARIANT_SHELL]).lo != 0;
		beside->time_limit_ns =
			opt_set_one(variant, &conf_variant_opts[VARIANT_TIME_LIMIT]).lo;
	}
	beside->records = cJSON_CreateArray();
	beside->samples = cJSON_CreateArray();
	if (queue_init(&beside->event, "event", spec->event, spec->event_ns) &&
		queue_init(&beside->mend, "mend", spec->mend, spec->mend_ns) &&
		queue_init(&beside->probe, "probe",
			variant != NULL ? opt_set_get(variant, probe) : NULL, 0) &&
		beside->records != NULL && beside->samples != NULL)
		rc = beside->wake_fd < 0 ? EMFILE : thread_start(beside);
	if (rc == 0)
		return beside;
	err_device(err, rc, "no thread for events and probes");
	beside_free(beside);
	return NULL;
}

void dut_beside_start(struct dut_beside *beside)
{
	beside->start_ns = dut_now_ns();
	wake(beside);
}

static void event_out(const struct queue *queue, struct dut_beside_event *out)
{
	if (out != NULL)
		*out = (struct dut_beside_event){
			queue->done, queue->failed, queue->begin_ns, queue->end_ns};
}

void dut_beside_finish(struct dut_beside *beside, struct dut_beside_event *event,
	struct dut_beside_event *mend, cJSON **probe, cJSON *commands)
{
	cJSON *record;

	beside->finishing = true;
	wake(beside);
	pthread_join(beside->thread, NULL);
	event_out(&beside->event, event);
	event_out(&beside->mend, mend);
	while (commands != NULL && (record = cJSON_DetachItemFromArray(beside->records, 0)) != NULL)
		if (!cJSON_AddItemToArray(commands, record))
			cJSON_Delete(record);
	if (probe != NULL) {
		*probe = beside->samples;
		beside->samples = NULL;
	}
	if (beside->failed > 0 || beside->skipped > 0)
		log_warning("probe: %u of %u failed, %u were left out because an earlier one took "
			    "longer than %g s; run it by hand to see why",
			beside->failed, beside->rounds, beside->skipped,
			(double)beside->interval_ns / 1e9);
	beside_free(beside);
}
