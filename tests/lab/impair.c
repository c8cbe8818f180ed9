/* SPDX-License-Identifier: BSD-3-Clause */
#include "impair.h"

#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>

#define SPIN_NS	     50000u    /* a sleep may end that late: the rest is waited for awake */
#define SLEEP_MAX_NS 50000000u /* a signal that comes just before a sleep is seen after it */
#define RX_BUDGET    32u       /* frames taken before it is looked what is due */

static volatile sig_atomic_t stop_asked, zero_asked;

static void on_signal(int number)
{
	if (number == SIGUSR1)
		zero_asked = 1;
	else
		stop_asked = 1;
}

void die(int status, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	fputs("impair: ", stderr);
	vfprintf(stderr, fmt, args);
	fputc('\n', stderr);
	va_end(args);
	exit(status);
}

void *allocate(size_t size)
{
	void *p = calloc(1, size);

	if (!p)
		die(STATUS_SYSTEM, "out of memory");
	return p;
}

/* ---- frames that leave ---- */

static bool send_logged(struct relay *r, struct port *out, struct record *rec, const uint8_t *data)
{
	bool sent;

	rec->out = (uint8_t)(out - r->port);
	rec->departure_ns = clock_ns();
	sent = port_send(out, data, rec->length);
	if (!sent)
		rec->did |= DID_FAIL;
	log_add(&r->log, rec);
	return sent;
}

/*
 * As a receiver sees it that takes every whole signature for good. One that looks at checksums as
 * well also leaves out what was corrupted elsewhere: that is to be worked out from the log.
 */
static void count_order(struct counts *c, const struct record *rec)
{
	if (rec->lane == NO_LANE || rec->sig_hit)
		return;
	if (c->any_left && (int32_t)(rec->seq - c->highest_seq) < 0) {
		c->out_of_order++;
		return;
	}
	c->any_left = true;
	c->highest_seq = rec->seq;
}

/* Sends a frame, and its copy right after it. */
static void transmit(
	struct relay *r, struct direction *d, const struct record *planned, const uint8_t *data)
{
	struct counts *c = &d->lane[planned->lane];
	struct record rec = *planned;

	if (send_logged(r, d->out, &rec, data)) {
		c->forwarded++;
		count_order(c, &rec);
	} else {
		c->send_failed++;
	}
	if (planned->did & DID_DUPLICATE) {
		rec = *planned;
		rec.did = DID_COPY | (planned->did & DID_CORRUPT);
		if (send_logged(r, d->copy_out, &rec, data))
			c->duplicated++;
		else
			c->send_failed++;
	}
}

/* ---- frames held back until later ones have left ---- */

static void hold(struct direction *d, struct frame *f)
{
	f->gap_left = d->settings->reorder_gap;
	f->deadline_ns = clock_ns() + d->settings->reorder_timeout_ns;
	STAILQ_INSERT_TAIL(&d->held, f, next);
}

static void release(struct relay *r, struct direction *d, struct frame *f)
{
	STAILQ_REMOVE(&d->held, f, frame, next);
	transmit(r, d, &f->record, f->data);
	free(f);
}

/* A frame of that lane has left: one less for those held back to wait for. */
static void count_gaps(struct relay *r, struct direction *d, uint32_t lane)
{
	struct frame *f, *next;

	for (f = STAILQ_FIRST(&d->held); f; f = next) {
		next = STAILQ_NEXT(f, next);
		if (f->record.lane == lane && (f->gap_left == 0 || --f->gap_left == 0))
			release(r, d, f);
	}
}

/* A frame whose time has come. */
static void depart(
	struct relay *r, struct direction *d, const struct record *rec, const uint8_t *data)
{
	if (rec->did & DID_REORDER) {
		hold(d, frame_new(rec, data));
		return;
	}
	transmit(r, d, rec, data);
	count_gaps(r, d, rec->lane);
}

static bool depart_queued(struct relay *r)
{
	struct frame *f = queue_pop(&r->queue);

	if (f) {
		depart(r, &r->direction[f->record.way], &f->record, f->data);
		free(f);
	}
	return f != NULL;
}

/* When something is to be done next. */
static uint64_t next_due_ns(const struct relay *r)
{
	const struct frame *f = queue_first(&r->queue);
	uint64_t due = f ? f->record.planned_ns : UINT64_MAX;

	for (unsigned i = 0; i < r->nb_directions; i++) {
		f = STAILQ_FIRST(&r->direction[i].held);
		if (f && f->deadline_ns < due)
			due = f->deadline_ns;
	}
	return due;
}

static void depart_due(struct relay *r)
{
	uint64_t now = clock_ns();
	struct frame *f;

	while ((f = queue_first(&r->queue)) && f->record.planned_ns <= now)
		depart_queued(r);
	for (unsigned i = 0; i < r->nb_directions; i++) {
		struct direction *d = &r->direction[i];

		while ((f = STAILQ_FIRST(&d->held)) && f->deadline_ns <= now)
			release(r, d, f);
	}
}

/* ---- frames that arrive ---- */

static bool in_outage(const struct relay *r, const struct settings *s, uint64_t now)
{
	uint64_t since = now - r->zero_ns;

	return since >= s->loss_from_ns && since - s->loss_from_ns < s->loss_for_ns;
}

static struct record record_start(struct direction *d, const struct view *v, uint64_t now)
{
	struct record rec = {
		.n = ++d->nb_test,
		.way = (uint8_t)d->way,
		.arrival_ns = now,
		.planned_ns = now,
		.length = v->length,
		.lane = NO_LANE,
	};

	if (v->has_sig) {
		rec.lane = v->sig.lane;
		rec.seq = v->sig.seq;
		rec.sig_time_ns = v->sig.time_ns;
		rec.test_id = v->sig.test_id;
		rec.epoch = v->sig.epoch;
	}
	return rec;
}

/* Notes in the record what becomes of a frame, and flips the bit. */
static void impair(struct relay *r, struct direction *d, const struct view *v, struct record *rec,
	uint8_t *data)
{
	const struct settings *s = d->settings;
	struct counts *c = &d->lane[rec->lane];
	struct verdict verdict;

	if (r->zero_ns == 0)
		r->zero_ns = rec->arrival_ns;
	decide(&verdict, s, d->key, ++d->nb_eligible, v, in_outage(r, s, rec->arrival_ns));
	rec->did = (uint8_t)((verdict.lose ? DID_LOSE : 0) | (verdict.corrupt ? DID_CORRUPT : 0) |
			     (verdict.duplicate ? DID_DUPLICATE : 0) |
			     (verdict.reorder ? DID_REORDER : 0));
	c->lost += verdict.lose;
	c->corrupted += verdict.corrupt;
	c->reordered += verdict.reorder;
	if (verdict.corrupt) {
		rec->corrupt_byte = verdict.corrupt_byte;
		rec->corrupt_bit = verdict.corrupt_bit;
		rec->sig_hit = v->has_sig && verdict.corrupt_byte < v->end &&
			       verdict.corrupt_byte >= v->end - SIG_BYTES;
		data[verdict.corrupt_byte] ^= (uint8_t)(1u << verdict.corrupt_bit);
	}
	rec->planned_ns += verdict.delay_ns;
	if (!s->jitter_reorders && rec->planned_ns < d->last_planned_ns)
		rec->planned_ns = d->last_planned_ns;
	if (!verdict.lose)
		d->last_planned_ns = rec->planned_ns;
}

static void take(struct relay *r, struct direction *d, uint8_t *data, uint32_t length)
{
	const struct settings *s = d->settings;
	uint64_t now = clock_ns();
	struct record rec;
	struct view view;

	view_parse(&view, data, length);
	if (!view_is_test(&view, s)) {
		d->nb_other++;
		if (!port_send(d->out, data, length))
			d->lane[NO_LANE].send_failed++;
		return;
	}
	rec = record_start(d, &view, now);
	d->lane[rec.lane].received++;
	if (!view_is_eligible(&view, s)) {
		transmit(r, d, &rec, data);
		return;
	}
	impair(r, d, &view, &rec, data);
	if (rec.did & DID_LOSE)
		log_add(&r->log, &rec);
	else if (s->delay_ns == 0 && s->jitter_ns == 0)
		depart(r, d, &rec, data);
	else
		queue_push(&r->queue, frame_new(&rec, data));
}

static unsigned receive(struct relay *r, struct direction *d, unsigned budget)
{
	unsigned nb = 0;
	uint32_t length;
	uint8_t *data;

	while (nb < budget && (data = port_receive(d->in, &length))) {
		take(r, d, data, length);
		port_release(d->in);
		nb++;
	}
	return nb;
}

/* ---- the loop ---- */

/* Until a frame or a signal comes, or it is soon time for what is due. */
static void wait_for_work(struct relay *r)
{
	struct pollfd fds[NB_WAYS] = {0};
	uint64_t due = next_due_ns(r), now = clock_ns(), sleep_ns = SLEEP_MAX_NS;
	struct timespec t;

	if (due <= now + SPIN_NS)
		return;
	if (due - now - SPIN_NS < sleep_ns)
		sleep_ns = due - now - SPIN_NS;
	for (unsigned i = 0; i < r->nb_directions; i++)
		fds[i] = (struct pollfd){.fd = r->direction[i].in->rx, .events = POLLIN};
	t = (struct timespec){.tv_nsec = (long)sleep_ns};
	if (ppoll(fds, r->nb_directions, &t, NULL) <= 0)
		return;
	for (unsigned i = 0; i < r->nb_directions; i++) {
		if (fds[i].revents & POLLERR)
			port_clear_error(r->direction[i].in);
	}
}

static void relay_run(struct relay *r)
{
	while (!stop_asked) {
		unsigned nb = 0;

		if (zero_asked) {
			zero_asked = 0;
			r->zero_ns = clock_ns();
		}
		for (unsigned i = 0; i < r->nb_directions; i++)
			nb += receive(r, &r->direction[i], RX_BUDGET);
		depart_due(r);
		if (nb == 0)
			wait_for_work(r);
	}
}

/* What has come and what waits leaves now, in its order. */
static void relay_flush(struct relay *r)
{
	for (unsigned i = 0; i < r->nb_directions; i++)
		receive(r, &r->direction[i], r->direction[i].in->nb_slots);
	while (depart_queued(r))
		;
	for (unsigned i = 0; i < r->nb_directions; i++) {
		struct direction *d = &r->direction[i];

		while (!STAILQ_EMPTY(&d->held))
			release(r, d, STAILQ_FIRST(&d->held));
	}
}

/* ---- set-up ---- */

/* The port of that name; one that is neither A nor B only sends. */
static struct port *find_port(struct relay *r, const char *name)
{
	struct port *p;

	for (unsigned i = 0; i < r->nb_ports; i++) {
		if (strcmp(r->port[i].name, name) == 0)
			return &r->port[i];
	}
	p = &r->port[r->nb_ports++];
	port_open_tx(p, name);
	return p;
}

static void relay_init(struct relay *r)
{
	const struct options *o = &r->options;

	r->log.on = o->log_path != NULL;
	r->nb_directions = o->one_way ? 1 : NB_WAYS;
	if (strcmp(o->name[WAY_AB], o->name[WAY_BA]) == 0)
		die(STATUS_USAGE, "A and B are the same interface");
	r->nb_ports = NB_WAYS;
	for (unsigned i = 0; i < NB_WAYS; i++) {
		if (i < r->nb_directions)
			port_open(&r->port[i], o->name[i], o->ring_frames);
		else
			port_open_tx(&r->port[i], o->name[i]);
	}
	for (unsigned i = 0; i < r->nb_directions; i++) {
		struct direction *d = &r->direction[i];

		d->way = (enum way)i;
		d->settings = &o->settings[i];
		d->key = decide_key(o->seed, d->way);
		d->in = &r->port[i];
		d->out = &r->port[1 - i];
		d->copy_out = d->settings->duplicate_to ? find_port(r, d->settings->duplicate_to)
							: d->out;
		d->lane = allocate((NO_LANE + 1) * sizeof(*d->lane));
		STAILQ_INIT(&d->held);
	}
}

int main(int argc, char **argv)
{
	struct sigaction action = {.sa_handler = on_signal};
	struct relay *r = allocate(sizeof(*r));

	options_parse(&r->options, argc, argv);
	sigaction(SIGTERM, &action, NULL);
	sigaction(SIGINT, &action, NULL);
	sigaction(SIGUSR1, &action, NULL);
	/* The kernel ends sleeps of others together with later ones, up to 50 us late. */
	prctl(PR_SET_TIMERSLACK, 1);
	/* Where others compute as well; not allowed is as well as it gets. */
	(void)setpriority(PRIO_PROCESS, 0, -20);
	relay_init(r);
	puts("ready");
	fflush(stdout);
	relay_run(r);
	relay_flush(r);
	(void)setpriority(PRIO_PROCESS, 0, 0);
	log_write(r);
	summary_write(r);
	return 0;
}
