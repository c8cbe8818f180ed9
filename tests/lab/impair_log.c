/* SPDX-License-Identifier: BSD-3-Clause */
#include "impair.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CHUNK_RECORDS 4096

struct log_chunk {
	struct log_chunk *next;
	size_t nb;
	struct record record[CHUNK_RECORDS];
};

static const char *const way_names[NB_WAYS] = {[WAY_AB] = "ab", [WAY_BA] = "ba"};

void log_add(struct log *l, const struct record *r)
{
	if (!l->on)
		return;
	if (!l->last || l->last->nb == CHUNK_RECORDS) {
		struct log_chunk *c = malloc(sizeof(*c));

		if (!c)
			die(STATUS_SYSTEM, "out of memory");
		c->next = NULL;
		c->nb = 0;
		if (l->last)
			l->last->next = c;
		else
			l->first = c;
		l->last = c;
	}
	l->last->record[l->last->nb++] = *r;
}

static void print_decision(FILE *f, uint8_t did)
{
	static const char *const names[] = {
		"lose", "corrupt", "duplicate", "reorder", "copy", "fail"};
	const char *mark = "";

	if (did == 0)
		fputs("forward", f);
	for (unsigned i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		if (did & 1u << i) {
			fprintf(f, "%s%s", mark, names[i]);
			mark = "+";
		}
	}
}

/* What does not apply to a frame is an empty field. */
static void print_record(FILE *f, const struct relay *relay, const struct record *r)
{
	bool left = !(r->did & (DID_LOSE | DID_FAIL));

	fprintf(f, "%" PRIu64 ",%s,%" PRIu64 ",", r->n, way_names[r->way], r->arrival_ns);
	print_decision(f, r->did);
	if (left)
		fprintf(f, ",%" PRIu64 ",%" PRIu64, r->planned_ns, r->departure_ns);
	else
		fputs(",,", f);
	fprintf(f, ",%u", r->length);
	if (r->lane != NO_LANE)
		fprintf(f, ",%u,%u,%u,%" PRIu64 ",%u", r->test_id, r->lane, r->seq, r->sig_time_ns,
			r->epoch);
	else
		fputs(",,,,,", f);
	if (r->did & DID_CORRUPT)
		fprintf(f, ",%u,%u", r->corrupt_byte, r->corrupt_bit);
	else
		fputs(",,", f);
	fprintf(f, ",%s\n", left ? relay->port[r->out].name : "");
}

/* "-" and NULL: stdout. */
static FILE *open_to_write(const char *path)
{
	FILE *f = path ? fopen(path, "w") : stdout;

	if (!f)
		die(STATUS_SYSTEM, "%s: %s", path, strerror(errno));
	return f;
}

static void close_written(FILE *f, const char *path)
{
	bool failed = ferror(f) || fflush(f) != 0;

	if (f != stdout && fclose(f) != 0)
		failed = true;
	if (failed)
		die(STATUS_SYSTEM, "%s: cannot be written", path ? path : "stdout");
}

void log_write(const struct relay *r)
{
	FILE *f;

	if (!r->log.on)
		return;
	f = open_to_write(r->options.log_path);
	fputs("n,direction,arrival_ns,decision,planned_ns,departure_ns,length,test_id,lane,seq,"
	      "sig_time_ns,epoch,corrupt_byte,corrupt_bit,out\n",
		f);
	for (const struct log_chunk *c = r->log.first; c; c = c->next) {
		for (size_t i = 0; i < c->nb; i++)
			print_record(f, r, &c->record[i]);
	}
	close_written(f, r->options.log_path);
}

/* ---- summary ---- */

static void print_counts(FILE *f, const struct counts *c)
{
	fprintf(f,
		"\"received\": %" PRIu64 ", \"forwarded\": %" PRIu64 ", \"lost\": %" PRIu64
		", \"duplicated\": %" PRIu64 ", \"corrupted\": %" PRIu64 ", \"reordered\": %" PRIu64
		", \"out-of-order\": %" PRIu64 ", \"send-failed\": %" PRIu64,
		c->received, c->forwarded, c->lost, c->duplicated, c->corrupted, c->reordered,
		c->out_of_order, c->send_failed);
}

static struct counts sum_lanes(const struct direction *d)
{
	struct counts sum = {0};

	for (uint32_t i = 0; i <= NO_LANE; i++) {
		sum.received += d->lane[i].received;
		sum.forwarded += d->lane[i].forwarded;
		sum.lost += d->lane[i].lost;
		sum.duplicated += d->lane[i].duplicated;
		sum.corrupted += d->lane[i].corrupted;
		sum.reordered += d->lane[i].reordered;
		sum.out_of_order += d->lane[i].out_of_order;
		sum.send_failed += d->lane[i].send_failed;
	}
	return sum;
}

/* Returns the number of frames that the relay itself failed on. */
static uint64_t print_direction(FILE *f, const struct direction *d)
{
	struct counts sum = sum_lanes(d);
	uint64_t rx_dropped = port_rx_dropped(d->in);
	const char *mark = "";

	fprintf(f, "    \"%s\": {\n      \"in\": \"%s\", \"out\": \"%s\", ", way_names[d->way],
		d->in->name, d->out->name);
	print_counts(f, &sum);
	fprintf(f,
		",\n      \"other\": %" PRIu64 ", \"too-long\": %" PRIu64
		", \"rx-dropped\": %" PRIu64 ",\n      \"lanes\": [",
		d->nb_other, d->in->nb_too_long, rx_dropped);
	for (uint32_t i = 0; i <= NO_LANE; i++) {
		if (d->lane[i].received == 0)
			continue;
		if (i == NO_LANE)
			fprintf(f, "%s\n        {\"lane\": null, ", mark);
		else
			fprintf(f, "%s\n        {\"lane\": %u, ", mark, i);
		print_counts(f, &d->lane[i]);
		fputs("}", f);
		mark = ",";
	}
	fputs("\n      ]\n    }", f);
	return sum.send_failed + d->in->nb_too_long + rx_dropped;
}

void summary_write(struct relay *r)
{
	FILE *f = open_to_write(r->options.summary_path);
	uint64_t failed = 0, dropped;

	fprintf(f,
		"{\n  \"seed\": %" PRIu64 ",\n  \"zero-ns\": %" PRIu64 ",\n  \"directions\": {\n",
		r->options.seed, r->zero_ns);
	for (unsigned i = 0; i < r->nb_directions; i++) {
		failed += print_direction(f, &r->direction[i]);
		fputs(i + 1 < r->nb_directions ? ",\n" : "\n", f);
	}
	fputs("  },\n  \"tx-dropped\": {", f);
	for (unsigned i = 0; i < r->nb_ports; i++) {
		dropped = port_tx_dropped(&r->port[i]);
		fprintf(f, "%s\"%s\": %" PRIu64, i ? ", " : "", r->port[i].name, dropped);
		failed += dropped;
	}
	fprintf(f, "},\n  \"clean\": %s\n}\n", failed ? "false" : "true");
	close_written(f, r->options.summary_path);
}
