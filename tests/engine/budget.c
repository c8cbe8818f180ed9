/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The sender and the receiver at work, a number of frames of every case, for a counter of instructions:
 * budget.py runs it under callgrind, which counts within budget_run and writes its sum down at
 * budget_end. Schedules run on a clock of its own, so that every run does the same.
 *
 *	budget	prints for every case its name and the frames that were counted
 */
#include "../../src/engine/load.h"
#include "bench.h"

#include <rte_cycles.h>

#include <stdio.h>

#define CONF                                                                                       \
	"{'ports': [{'name': 'loop', 'device': 'ring:loop', 'address': ['1.1.1.1/24']}],"          \
	"'packet-templates': ["                                                                    \
	"{'name': 'none', 'ip-dst': '1.1.1.1', 'udp-checksum': '0'},"                              \
	"{'name': 'compute', 'ip-dst': '1.1.1.1', 'udp-checksum': 'compute'},"                     \
	"{'name': 'vlan', 'header-stack': 'mac,vlan,ip,udp', 'vlan-id': '9', 'ip-dst': '1.1.1.1'," \
	" 'udp-checksum': 'compute'},"                                                             \
	"{'name': 'ip6', 'header-stack': 'mac,ipv6,udp', 'ipv6-src': 'fd00::1',"                   \
	" 'ipv6-dst': 'fd00::2', 'mac-dst': '02:00:00:00:00:0a', 'udp-checksum': 'compute'},"      \
	"{'name': 'vary1', 'ip-dst': '1.1.1.1', 'udp-checksum': 'compute',"                        \
	" 'udp-src-port': '1000-1999'},"                                                           \
	"{'name': 'vary3', 'ip-dst': '1.1.1.1', 'udp-checksum': 'compute',"                        \
	" 'ip-src': '1.1.1.1-1.1.1.99', 'udp-src-port': '1000-1999', 'udp-dst-port': '7-77'}]}"
#define POLLS	     4u /* before the ring is emptied */
#define ROUNDS	     32u
#define WARM	     8u			     /* rounds that are not counted: every lane has begun */
#define EPOCH_NS     (1000 * UNITS_NS_PER_S) /* one for all */
#define HZ	     2000000000u
#define POLL_TICKS   140u /* more is due than a burst holds */
#define NAME_MAX_LEN 16u

enum side { TX, RX };

static const struct budget_case {
	const char *name;
	enum side side;
	unsigned lanes;
	const char *template, *size, *rate;
	bool different; /* rates */
} cases[] = {
	{"tx-one", TX, 1, "none", "60", "pps=max", false},
	{"tx-line", TX, 6, "none", "60", "pps=max", false},
	{"tx-any", TX, 6, "none", "200", "pps=max", false},
	{"tx-vary1", TX, 1, "vary1", "60", "pps=max", false},
	{"tx-vary3", TX, 1, "vary3", "60", "pps=max", false},
	{"tx-imix", TX, 6, "none", "imix", "pps=max", false},
	{"tx-one-rate", TX, 1000, "none", "60", "pps=1M", false},
	{"tx-1000-rates", TX, 1000, "none", "60", "pps=1M", true},
	{"rx-csum-0", RX, 6, "none", "60", "pps=max", false},
	{"rx-csum", RX, 6, "compute", "60", "pps=max", false},
	{"rx-vlan", RX, 6, "vlan", "64", "pps=max", false},
	{"rx-ip6", RX, 6, "ip6", "80", "pps=max", false},
	{"rx-imix", RX, 6, "none", "imix", "pps=max", false},
	{"rx-1000-csum", RX, 1000, "compute", "60", "pps=1M", false},
};

struct turn {
	struct worker *w;
	struct worker_queue *q;
	uint64_t now_tsc;
};

/* Found by their names: not to be inlined, and not to be left out. */
void budget_run(void (*work)(struct turn *t), struct turn *t);
void budget_end(void);

__attribute__((noinline)) void budget_run(void (*work)(struct turn *t), struct turn *t)
{
	work(t);
	__asm__ volatile("" ::: "memory");
}

__attribute__((noinline)) void budget_end(void)
{
	__asm__ volatile("" ::: "memory");
}

static void send_some(struct turn *t)
{
	for (unsigned i = 0; i < POLLS; i++) {
		tx_poll(t->w, &t->q->tx, t->now_tsc);
		t->now_tsc += POLL_TICKS;
	}
}

static void receive_all(struct turn *t)
{
	while (rx_poll(t->w, t->q) > 0)
		;
}

static void work_do(void (*work)(struct turn *t), struct turn *t, bool counted)
{
	if (counted)
		budget_run(work, t);
	else
		work(t);
}

/* Rates of which no two are equal; a gap between them that is the same. */
static void rates_spread(struct plan *plan)
{
	for (unsigned i = 0; i < plan->nb_streams; i++) {
		struct plan_stream *s = &plan->streams[i];

		s->asked.num = s->sched.num = 1000000 - 500 + i;
		s->asked.den = s->sched.den = 1;
	}
}

static char *words_of(const struct budget_case *c)
{
	size_t size = (size_t)c->lanes * NAME_MAX_LEN + 128, used;
	char *words = malloc(size);

	assert_non_null(words);
	used = (size_t)snprintf(
		words, size, "packet-size=%s %s tx-template=%s", c->size, c->rate, c->template);
	for (unsigned i = 1; i < c->lanes; i++)
		used += (size_t)snprintf(words + used, size - used, ",%s", c->template);
	return words;
}

/* As a trial starts it, without worker threads: this thread is the worker. */
static void worker_start(struct bench *b, struct worker *w, struct turn *t)
{
	struct engine *engine = b->engine;
	struct load *load = engine->load;
	struct trial_shared *sh = &load->shared;

	clock_calibrate(&engine->clock, engine->clock_start);
	sh->clock = engine->clock;
	sh->plan = b->plan;
	sh->start_tsc = rte_rdtsc();
	sh->start_ns = clock_ns(&sh->clock, sh->start_tsc) & SIG_TIME_MASK;
	load_reset(engine);
	engine->clock.hz = HZ;
	load_schedule(engine, sh->start_tsc);
	w->shared = sh;
	w->gaps = calloc(1, sizeof(*w->gaps));
	assert_non_null(w->gaps);
	w->tx_epoch_max = UINT64_MAX;
	w->late_tsc = UINT64_MAX;
	epoch_worker_init(&w->epoch, &sh->reader, EPOCH_NS, EPOCH_NS);
	*t = (struct turn){.w = w, .q = &load->queues[0], .now_tsc = sh->start_tsc + POLL_TICKS};
}

static void case_run(const struct budget_case *c, struct bench *b)
{
	struct worker w = {0};
	uint64_t sent = 0, good = 0;
	struct turn t;

	worker_start(b, &w, &t);
	for (unsigned i = 0; i < WARM + ROUNDS; i++) {
		if (i == WARM) {
			sent = atomic_load(&w.pub_sent);
			good = atomic_load(&w.pub_good);
		}
		work_do(send_some, &t, c->side == TX && i >= WARM);
		work_do(receive_all, &t, c->side == RX && i >= WARM);
	}
	budget_end();
	sent = atomic_load(&w.pub_sent) - sent;
	good = atomic_load(&w.pub_good) - good;
	assert_int_equal(good, sent);
	printf("%s %llu\n", c->name, (unsigned long long)sent);
	fflush(stdout);
	free(w.gaps);
}

/* The first opens the ports, which all of them use. */
int main(void)
{
	struct bench b[NB(cases)];

	for (unsigned i = 0; i < NB(cases); i++) {
		char *words = words_of(&cases[i]);

		bench_plan(&b[i], CONF, words);
		b[i].adjust = cases[i].different ? rates_spread : NULL;
		if (i == 0 && bench_open_engine(&b[0]) < 0)
			fail_msg("%s", b[0].err.text);
		b[i].engine = b[0].engine;
		memcpy(b[i].facts, b[0].facts, sizeof(b[i].facts));
		if (bench_load_engine(&b[i]) < 0)
			fail_msg("%s: %s", cases[i].name, b[i].err.text);
		case_run(&cases[i], &b[i]);
		free(words);
	}
	return 0;
}
